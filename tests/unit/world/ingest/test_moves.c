/*
 * world/ingest/moves.c through the public API: long stretches of moves, of several producers and
 * with commands between them, give the same with any number of workers as with one;
 * and refused moves come back in the order of the commands.
 */
#include "unit/shards/shard_case.h"
#include "world/ingest/moves.h"

#include <pharos/pharos.h>

#include "api/handles.h"

enum { PRODUCERS = 3, ENTITIES = 1500, TICKS = 4, BULK = 18000, TOLD = 16384, CHILDREN = 40 };

/* All that a run shows of itself. */
typedef struct outcome {
    uint64_t hash[TICKS + 1], changes[TICKS + 1];
    ph_refusal told[PRODUCERS][TOLD];
    uint32_t told_count[PRODUCERS];
    ph_stats stats;
    uint64_t shared; /* moves of the last stretch that all workers had a part in */
    uint32_t runs;   /* room for the runs of a tick */
    uint32_t stops;  /* ticks that had no memory */
} outcome;

typedef struct host {
    ph_world world;
    ph_producer producer[PRODUCERS];
    ph_consumer consumer;
    uint64_t rng;
    bool singly;                    /* moves are submitted one by one */
    ph_position last[ENTITIES * 2]; /* submitted, by id */
} host;

TestSuite(moves, .init = memory_set_up, .fini = memory_tear_down);

static const float EXTENT = 3000;

static void open_world(host *h, uint32_t workers, uint64_t seed, uint32_t columns, uint32_t rows)
{
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    class.view = 60;
    class.margin = 10;
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = EXTENT;
    def.shards[0] = columns;
    def.shards[1] = rows;
    def.workers = workers;
    def.share_min = 0;
    def.exchange_bytes = 16u << 10;
    def.allocator = watched_memory_allocator(&watched);
    *h = (host){.rng = seed};
    cr_assert_eq(ph_world_create(&def, &h->world), PH_OK);
    for (int i = 0; i < PRODUCERS; i++) cr_assert_eq(ph_producer_open(h->world, &h->producer[i]), PH_OK);
    cr_assert_eq(ph_consumer_open(h->world, 0, &h->consumer), PH_OK);
}

static void open_host(host *h, uint32_t workers, uint64_t seed)
{
    open_world(h, workers, seed, 3, 2);
}

/* The same whatever the order of changes in a batch: that is the library's choice. */
static uint64_t batch_digest(const ph_batch *batch)
{
    uint64_t sum = batch->tick;
    for (uint32_t c = 0; c < batch->change_count; c++) {
        const ph_change *change = &batch->changes[c];
        uint64_t digest = phx_mix64(change->observer) ^ change->flags ^ (uint64_t)change->leave_count << 32;
        for (uint32_t t = 0; t < change->leave_count + change->enter_count; t++)
            digest = phx_mix64(digest + batch->targets[change->first + t].id);
        sum += phx_mix64(digest);
    }
    return sum;
}

static void tick(host *h, outcome *out, uint32_t at)
{
    const ph_batch *batch;
    ph_status status;
    while ((status = ph_tick(h->world, NULL)) == PH_NO_MEMORY) {
        out->stops++;
        memory_enough();
    }
    cr_assert_eq(status, PH_OK);
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        out->changes[at] += batch_digest(batch);
        cr_assert_eq(ph_batch_return(h->consumer, batch), PH_OK);
    }
    cr_assert_eq(ph_world_hash(h->world, &out->hash[at]), PH_OK);
    for (int i = 0; i < PRODUCERS; i++) {
        uint32_t count;
        cr_assert_eq(
            ph_producer_refusals(h->producer[i], &out->told[i][out->told_count[i]], TOLD - out->told_count[i], &count),
            PH_OK);
        out->told_count[i] += count;
    }
}

static void close_host(host *h, outcome *out)
{
    phx_world *world = phx_resolve_world(h->world);
    cr_assert_eq(ph_world_stats(h->world, &out->stats), PH_OK);
    out->shared = world->move_span.commands;
    out->runs = world->runs_capacity;
    cr_assert_eq(ph_world_destroy(h->world), PH_OK);
}

/* Of the n-th entity: some of the last ones are past 2^32. */
static uint64_t named(uint64_t n)
{
    return n > ENTITIES / 5 * 4 && n % 3 == 0 ? n + (UINT64_C(1) << 40) : n;
}

static void populate(host *h)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs attrs = {.given = PH_X | PH_Y};
        attrs.x = float_between(&h->rng, 0, EXTENT);
        attrs.y = float_between(&h->rng, 0, EXTENT);
        cr_assert_eq(ph_enter(h->producer[id % PRODUCERS], named(id), &attrs), PH_OK);
        h->last[id] = (ph_position){attrs.x, attrs.y, 0};
    }
}

/* `count` moves of any entities, or on the ground of ids below 2^32; strangers: some ids are not in the world. */
static void move_many(host *h, int producer, uint32_t count, bool strangers)
{
    static uint64_t ids[BULK];
    static ph_position positions[BULK];
    uint32_t done;
    cr_assert_leq(count, BULK);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = 1 + phx_rng_below(&h->rng, strangers ? ENTITIES * 21 / 20 : ENTITIES);
        if (producer == 2 && named(n) > UINT32_MAX) n--;
        ids[i] = named(n);
        ph_position *at = &h->last[n];
        bool jumps = phx_rng_below(&h->rng, 8) == 0;
        at->x = jumps ? float_between(&h->rng, -50, EXTENT + 50) : at->x + float_between(&h->rng, -4, 4);
        at->y = jumps ? float_between(&h->rng, -50, EXTENT + 50) : at->y + float_between(&h->rng, -4, 4);
        at->z = producer == 2 ? 0 : float_between(&h->rng, -1, 1);
        positions[i] = *at;
        if (h->singly) cr_assert_eq(ph_move(h->producer[producer], ids[i], at->x, at->y, at->z), PH_OK);
    }
    if (h->singly) return;
    cr_assert_eq(ph_move_many(h->producer[producer], count, ids, positions, &done), PH_OK);
    cr_assert_eq(done, count);
}

static void set_view(host *h, int producer, uint64_t id)
{
    ph_attrs attrs = {.given = PH_VIEW | PH_X};
    attrs.view = float_between(&h->rng, 0, 90);
    attrs.x = float_between(&h->rng, 0, EXTENT);
    cr_assert_eq(ph_set(h->producer[producer], id, &attrs), PH_OK);
}

/* Entities attach to others, and producers take turns with short and long runs, sets and leaves between. */
static void run(uint32_t workers, bool singly, outcome *out)
{
    host h;
    open_host(&h, workers, 23);
    h.singly = singly;
    populate(&h);
    for (uint64_t i = 1; i <= CHILDREN; i++) cr_assert_eq(ph_attach(h.producer[2], i * 30, i * 30 + 1), PH_OK);
    tick(&h, out, 0);
    for (uint32_t t = 1; t <= TICKS; t++) {
        move_many(&h, 0, BULK, true);
        move_many(&h, 0, 10, true);
        move_many(&h, 1, 3000, true);
        for (uint64_t id = 0; id < 5; id++) set_view(&h, 1, 1 + (t * 100 + id * 7) % ENTITIES);
        move_many(&h, 1, 100, true); /* short: one by one */
        cr_assert_eq(ph_leave(h.producer[1], t * 200), PH_OK);
        move_many(&h, 1, 2000, true); /* one stretch with the moves of the next producer */
        move_many(&h, 2, 17000, true);
        tick(&h, out, t);
    }
    close_host(&h, out);
}

static void check_same(const outcome *a, const outcome *b, uint32_t workers)
{
    for (uint32_t t = 0; t <= TICKS; t++) {
        cr_assert_eq(a->hash[t], b->hash[t], "%u workers, tick %u", workers, t);
        cr_assert_eq(a->changes[t], b->changes[t], "%u workers, tick %u", workers, t);
    }
    for (int p = 0; p < PRODUCERS; p++) {
        cr_assert_eq(a->told_count[p], b->told_count[p]);
        for (uint32_t i = 0; i < a->told_count[p]; i++) {
            const ph_refusal *ra = &a->told[p][i], *rb = &b->told[p][i];
            cr_assert_eq(ra->sequence, rb->sequence, "%u workers, producer %d, refusal %u", workers, p, i);
            cr_assert(ra->id == rb->id && ra->tick == rb->tick && ra->status == rb->status);
            if (i > 0) cr_assert_lt(b->told[p][i - 1].sequence, rb->sequence, "in the order of the commands");
        }
    }
    cr_assert_eq(a->stats.applied, b->stats.applied);
    cr_assert_eq(a->stats.refused_in_tick, b->stats.refused_in_tick);
    cr_assert_arr_eq(a->stats.refused, b->stats.refused, sizeof a->stats.refused);
    cr_assert_eq(a->stats.enters, b->stats.enters);
    cr_assert_eq(a->stats.leaves, b->stats.leaves);
    cr_assert_eq(a->stats.migrations, b->stats.migrations);
    cr_assert_eq(b->stats.commands, b->stats.applied + b->stats.refused_in_tick);
}

Test(moves, any_number_of_workers_moves_as_one_does)
{
    static outcome one, many;
    run(1, false, &one);
    cr_assert_eq(one.shared, 0);
    cr_assert_gt(one.stats.refused[PH_UNKNOWN_ID], 1000);
    cr_assert_gt(one.stats.refused[PH_ATTACHED], 500);
    cr_assert_gt(one.stats.migrations, 1000);
    for (uint32_t workers = 2; workers <= 5; workers++) {
        many = (outcome){0};
        run(workers, false, &many);
        cr_assert_gt(many.shared, 4000, "long stretches were shared out");
        check_same(&one, &many, workers);
    }
}

/* Moves submitted one by one are those of bulk calls: events, refusals and their numbers. */
Test(moves, single_ones_are_as_those_of_a_call)
{
    static outcome bulk, single;
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
        bulk = single = (outcome){0};
        run(workers, false, &bulk);
        run(workers, true, &single);
        check_same(&bulk, &single, workers);
        cr_assert_eq(bulk.shared, single.shared);
    }
}

/* ... and are applied many at once, so with as few runs. */
Test(moves, single_ones_become_few_runs)
{
    enum { EACH = 16000, TIMES_FEWER = 4 }; /* enters take some room too */
    host h;
    outcome out = {0};
    open_host(&h, 1, 29);
    populate(&h);
    tick(&h, &out, 0);
    h.singly = true;
    for (int t = 1; t <= 2; t++) {
        move_many(&h, 2, EACH, false);
        tick(&h, &out, (uint32_t)t);
    }
    close_host(&h, &out);
    cr_assert_eq(out.stats.applied, ENTITIES + 2 * EACH);
    cr_assert_lt(out.runs, EACH / TIMES_FEWER, "room for %u runs", out.runs);
}

/* The last of many moves of one entity counts, whichever workers apply them. */
Test(moves, the_last_move_counts)
{
    host h;
    outcome out = {0};
    static uint64_t ids[BULK];
    static ph_position positions[BULK];
    open_host(&h, 4, 24);
    populate(&h);
    tick(&h, &out, 0);
    for (uint32_t i = 0; i < BULK; i++) {
        ids[i] = 1 + i % 10;
        positions[i] = (ph_position){(float)i / 4, (float)(i % 3000), 0};
    }
    cr_assert_eq(ph_move_many(h.producer[0], BULK, ids, positions, NULL), PH_OK);
    tick(&h, &out, 1);
    for (uint64_t id = 1; id <= 10; id++) {
        ph_attrs now;
        cr_assert_eq(ph_entity_get(h.world, id, &now), PH_OK);
        cr_assert_eq(now.x, positions[BULK - 11 + id].x);
        cr_assert_eq(now.y, positions[BULK - 11 + id].y);
    }
    close_host(&h, &out);
}

/* One short step each, by all workers: none is done again by the ticking thread. Some ids are past 2^32. */
Test(moves, every_step_comes_whole)
{
    enum { MANY = PHX_MOVES_SHARE_MIN + 100 };
    static uint64_t ids[MANY];
    static ph_position to[MANY];
    for (int sort = 0; sort < 4; sort++) {
        host h;
        outcome out = {0};
        open_host(&h, 3, 26);
        for (uint32_t i = 0; i < MANY; i++) {
            ph_attrs attrs = {.given = PH_X | PH_Y, .x = float_between(&h.rng, 0, EXTENT), .y = (float)(i % 2900)};
            ids[i] = sort & 1 && i % 5 == 0 ? (i + UINT64_C(1)) << 32 : i + 1;
            to[i] = (ph_position){attrs.x, attrs.y + 1, sort & 2 ? (float)i : 0};
            cr_assert_eq(ph_enter(h.producer[0], ids[i], &attrs), PH_OK);
        }
        tick(&h, &out, 0);
        cr_assert_eq(ph_move_many(h.producer[0], MANY, ids, to, NULL), PH_OK);
        tick(&h, &out, 1);
        for (uint32_t i = 0; i < MANY; i++) {
            ph_attrs now;
            cr_assert_eq(ph_entity_get(h.world, ids[i], &now), PH_OK);
            cr_assert(now.x == to[i].x && now.y == to[i].y && now.z == to[i].z, "sort %d, move %u", sort, i);
        }
        close_host(&h, &out);
        cr_assert_eq(out.shared, MANY);
    }
}

/* Counts about the threshold. */
Test(moves, stretches_of_any_length_lose_no_move)
{
    enum { WORTH = PHX_MOVES_SHARE_MIN };
    static const uint32_t counts[] = {WORTH - 1, WORTH, WORTH + 1, WORTH + 3, WORTH + 900, BULK};
    for (uint32_t workers = 2; workers <= 4; workers++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            host h;
            outcome out = {0};
            open_host(&h, workers, 25 + c);
            populate(&h);
            tick(&h, &out, 0);
            move_many(&h, 0, counts[c] / 2, false);
            move_many(&h, 1, counts[c] - counts[c] / 2, false);
            tick(&h, &out, 1);
            close_host(&h, &out);
            cr_assert_eq(out.stats.applied, ENTITIES + counts[c]);
            cr_assert_eq(out.shared, counts[c] >= WORTH ? counts[c] : 0);
        }
    }
}

/* Some leave, and half of them come again at once, so that their name is in two slots. */
static void come_and_go(host *h)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        if (phx_rng_below(&h->rng, 40) != 0 || h->last[id].z != 0) continue;
        ph_attrs attrs = {.given = PH_X | PH_Y, .x = h->last[id].x, .y = h->last[id].y};
        cr_assert_eq(ph_leave(h->producer[0], named(id)), PH_OK);
        h->last[id].z = 1; /* is not there */
        if (phx_rng_below(&h->rng, 2)) continue;
        cr_assert_eq(ph_enter(h->producer[0], named(id), &attrs), PH_OK);
        h->last[id].z = 0;
    }
}

/* All move once a tick, in the order in which they came, or the other way round, in side x side shards. */
static void run_through(bool in_order, uint32_t side, uint32_t workers, uint64_t seed, outcome *out)
{
    static uint64_t ids[ENTITIES];
    static ph_position positions[ENTITIES];
    host h;
    uint32_t done;
    open_world(&h, workers, seed, side, side);
    populate(&h);
    tick(&h, out, 0);
    for (uint32_t t = 1; t <= TICKS; t++) {
        if (t > 1) come_and_go(&h);
        if (t == TICKS) cr_assert_eq(ph_attach(h.producer[0], 501, 801), PH_OK);
        for (uint64_t id = 1; id <= ENTITIES; id++) {
            /* as producers' enters were applied: one after the other */
            uint32_t place = (uint32_t)(id % PRODUCERS * (ENTITIES / PRODUCERS) + (id - 1) / PRODUCERS);
            ph_position *at = &h.last[id];
            at->x += float_between(&h.rng, -4, 4);
            at->y += float_between(&h.rng, -4, 4);
            if (!in_order) place = ENTITIES - 1 - place;
            ids[place] = named(id);
            positions[place] = (ph_position){at->x, at->y, 0};
        }
        cr_assert_eq(ph_move_many(h.producer[0], ENTITIES, ids, positions, &done), PH_OK);
        tick(&h, out, t);
    }
    close_host(&h, out);
}

Test(moves, entities_with_consecutive_slots_are_found_as_all_others)
{
    for (uint32_t round = 0; round < 12; round++) {
        static outcome in_order, reversed;
        in_order = reversed = (outcome){0};
        run_through(true, 1 + round / 2 % 2, 1 + round % 2, 40 + round, &in_order);
        run_through(false, 1, 1, 40 + round, &reversed);
        for (uint32_t t = 0; t <= TICKS; t++) {
            cr_assert_eq(in_order.hash[t], reversed.hash[t], "round %u, tick %u", round, t);
            cr_assert_eq(in_order.changes[t], reversed.changes[t], "round %u, tick %u", round, t);
        }
        cr_assert_eq(in_order.told_count[0], reversed.told_count[0], "round %u", round);
        cr_assert_gt(in_order.told_count[0], 0); /* absent entities, and attached ones */
        cr_assert_eq(in_order.stats.applied, reversed.stats.applied);
    }
}

/* One long stretch of moves, some refused; the n-th allocation of its tick fails. */
static void run_short_of_memory(uint32_t workers, uint64_t calls, outcome *out)
{
    host h;
    open_host(&h, workers, 26);
    populate(&h);
    cr_assert_eq(ph_attach(h.producer[2], 1, 2), PH_OK);
    tick(&h, out, 0);
    move_many(&h, 0, BULK, true);
    move_many(&h, 1, BULK, true);
    memory_for(calls);
    tick(&h, out, 1);
    memory_enough();
    move_many(&h, 0, BULK, true);
    tick(&h, out, 2);
    close_host(&h, out);
}

Test(moves, a_tick_of_moves_stopped_anywhere_ends_the_same_but_for_refused_moves)
{
    static outcome whole, cut;
    run_short_of_memory(2, UINT64_MAX, &whole);
    cr_assert_eq(whole.stops, 0);
    uint64_t calls = 0, refusing = 0, same = 0;
    do {
        cut = (outcome){0};
        run_short_of_memory(2, calls, &cut);
        calls += calls < 40 ? 1 : 7; /* a tick's later allocations are much alike */
        const uint64_t refused = cut.stats.refused[PH_NO_MEMORY];
        cr_assert_eq(cut.stats.applied + refused, whole.stats.applied, "a move without memory is refused, no other");
        if (refused == 0) check_same(&whole, &cut, 2);
        refusing += refused > 0;
        same += refused == 0;
    } while (cut.stops > 0);
    cr_assert_gt(calls, 20);
    cr_assert(refusing > 0 && same > 10, "%d refuse moves, %d do not", (int)refusing, (int)same);
}
