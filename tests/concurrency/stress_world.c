/*
 * A world under all of its threads at once: producer threads submitting, consumer threads
 * taking batches, reader threads asking, a ticking thread with workers, which applies commands between
 * ticks as well; bounded by ticks, not by time. Nothing may be lost, doubled or out of order:
 *  - each producer has its own ids and knows their state: no command of its own
 *    may be refused, which any change of order would cause; at the end every entity is as
 *    its producer last set it;
 *  - each consumer keeps a list per observer from its batches; at the end its lists are
 *    the engine's lists;
 *  - a broadcast reaches an observer whole, once and in order; broadcasts dropped
 *    for a slow consumer are counted;
 *  - entities are linked, hidden, revealed and paired, and not any more: lists follow;
 *  - edges of areas and activation alternate; at the end
 *    consumers know the members of each area, and the number of awake NPCs;
 *  - updates are of targets in the list; at the end the last one of each has its position;
 *  - commands = applied + refused in a tick + queued, at every read;
 *  - readers capture images with the workers, and worlds made of them are whole; a journal has a record of each tick.
 *
 * options: --ticks N, --workers N, --seed S
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pharos/pharos.h>
#include <pharos/save.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/image_bytes.h"

enum { PRODUCERS = 3, CONSUMERS = 2, READERS = 2, PER_PRODUCER = 60, IDS = PRODUCERS * PER_PRODUCER };
enum { AREAS_EACH = 4, AREAS = PRODUCERS * AREAS_EACH, PLAYER = 0, WOLF = 1 };
enum { TICKS = 400, NEAR_BAND = 15, BAND_EVERY = 3, SHARDS = 3, READER_PAUSE = 4, PAUSE_NS = 50000, SLOW_NS = 2000000 };
enum {
    REASON = 256,
    SAVE_EVERY = 8,
    PAGE_WORDS = 1 << 17,
    PAIR_VIEW_MAX = 100,
    PAIR_MARGIN = 5,
    VEILED_EVERY = 7,
    STEP_MAX = 8,
    CROWD = 12
};

typedef struct stress {
    ph_world world;
    _Atomic bool producers_stop; /* release by the ticking thread, acquire by all others */
    _Atomic bool consumers_stop;
    _Atomic uint64_t full;    /* submits that found the queue full; relaxed: a count */
    _Atomic uint64_t busy;    /* reads that met a tick; relaxed */
    _Atomic uint64_t reads;   /* reads that did not; relaxed */
    _Atomic uint64_t saves;   /* images made worlds; relaxed */
    _Atomic uint64_t readers; /* relaxed: seeds them */
    uint64_t records;         /* the ticking thread's */
} stress;

/* ---- producers ---- */

typedef struct producer {
    stress *all;
    ph_producer handle;
    uint32_t index;
    uint64_t rng;
    uint64_t accepted;
    bool in_world[PER_PRODUCER];
    uint64_t stamp[PER_PRODUCER]; /* user data last set */
    float x[PER_PRODUCER];        /* last place */
    float y[PER_PRODUCER];
    uint64_t said[PER_PRODUCER];
    ph_area areas[AREAS_EACH];                   /* last set */
    uint8_t related[PER_PRODUCER][PER_PRODUCER]; /* bit r: the observer has relation r to the target */
} producer;

static uint64_t id_of(const producer *p, uint32_t i)
{
    return 1 + p->index + (uint64_t)i * PRODUCERS;
}

/* The payload of a broadcast, some times over: the source, and the number of this broadcast of it. */
enum { SAY_MAX = 40 };

typedef struct saying {
    uint64_t id, number;
} saying;

/* Submits until there is room; false when it is time to stop. */
static bool pushed(producer *p, ph_status status)
{
    if (status == PH_FULL) {
        atomic_fetch_add_explicit(&p->all->full, 1, memory_order_relaxed);
        (void)sched_yield();
        return false;
    }
    p->accepted += status == PH_OK;
    return CHECK(status == PH_OK, "submit: %s", ph_status_name(status));
}

/* A coordinate of the world: some steps from the last one, or any. */
static float somewhere(producer *p, float last)
{
    const float step = (phx_rng_unit(&p->rng) - 0.5f) * STEP_MAX;
    return phx_rng_below(&p->rng, 2) == 0 ? phx_rng_unit(&p->rng) * 300 : fminf(fmaxf(last + step, 0), 300);
}

static void area_one(producer *p)
{
    uint32_t i = phx_rng_below(&p->rng, AREAS_EACH);
    ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 10 + phx_rng_unit(&p->rng) * 60};
    area.center[0] = phx_rng_unit(&p->rng) * 300;
    area.center[1] = phx_rng_unit(&p->rng) * 300;
    if (pushed(p, ph_area_set(p->handle, 1 + p->index + (uint64_t)i * PRODUCERS, &area))) {
        p->areas[i] = area;
    }
}

/* All relations of an entity end, and all to it. */
static void forget_relations(producer *p, uint32_t i)
{
    for (uint32_t other = 0; other < PER_PRODUCER; other++) {
        p->related[i][other] = p->related[other][i] = 0;
    }
}

/* Begins a relation of an entity to another one, or ends it. */
static void relate_one(producer *p, uint32_t i)
{
    typedef ph_status (*relate_fn)(ph_producer, uint64_t, uint64_t);
    static const relate_fn begin[] = {ph_link, ph_hide, ph_reveal},
                           end[] = {ph_unlink, ph_unhide, ph_unreveal, ph_unpair};
    enum { PAIR = sizeof begin / sizeof *begin, RELATIONS };
    const uint32_t other = phx_rng_below(&p->rng, PER_PRODUCER), relation = phx_rng_below(&p->rng, RELATIONS);
    const uint64_t id = id_of(p, i), target = id_of(p, other);
    uint8_t *bits = &p->related[i][other];
    ph_status status;
    if (other == i || !p->in_world[other]) {
        return;
    }
    if (*bits >> relation & 1) {
        status = end[relation](p->handle, id, target);
    } else if (relation == PAIR) {
        status = ph_pair(p->handle, id, target, (float)phx_rng_below(&p->rng, PAIR_VIEW_MAX), PAIR_MARGIN);
    } else {
        status = begin[relation](p->handle, id, target);
    }
    *bits = (uint8_t)(*bits ^ (pushed(p, status) ? 1u << relation : 0u));
}

static void command_one(producer *p, uint32_t i)
{
    uint64_t id = id_of(p, i);
    uint32_t what = phx_rng_below(&p->rng, 100);
    float x = somewhere(p, p->x[i]), y = somewhere(p, p->y[i]);
    if (!p->in_world[i]) {
        ph_attrs a = {.given = PH_X | PH_Y | PH_VIEW | PH_CONSUMER | PH_USER_DATA};
        a.x = x;
        a.y = y;
        a.view = 40;
        a.given |= PH_KIND | PH_VEILED;
        a.veiled = id % VEILED_EVERY == 0;
        a.kind = id % 3 == 0 ? WOLF : PLAYER;
        a.consumer = (uint32_t)(id % CONSUMERS);
        a.user_data = p->stamp[i] + 1;
        if (pushed(p, ph_enter(p->handle, id, &a))) {
            p->in_world[i] = true;
            p->stamp[i]++;
            p->x[i] = x;
            p->y[i] = y;
        }
    } else if (what < 4) {
        if (pushed(p, ph_leave(p->handle, id))) {
            p->in_world[i] = false;
            forget_relations(p, i);
        }
    } else if (what >= 94) {
        relate_one(p, i);
    } else if (what < 12) {
        saying text[SAY_MAX];
        uint32_t length = 1 + phx_rng_below(&p->rng, SAY_MAX);
        for (uint32_t s = 0; s < length; s++) {
            text[s] = (saying){id, p->said[i] + 1};
        }
        p->said[i] += pushed(p, ph_broadcast(p->handle, id, text, length * (uint32_t)sizeof *text, NULL));
    } else if (what < 20) {
        ph_attrs a = {.given = PH_USER_DATA, .user_data = p->stamp[i] + 1};
        p->stamp[i] += pushed(p, ph_set(p->handle, id, &a));
    } else if (pushed(p, ph_move(p->handle, id, x, y, 0))) {
        p->x[i] = x;
        p->y[i] = y;
    }
}

static void *produce(void *user)
{
    producer *p = user;
    while (!atomic_load_explicit(&p->all->producers_stop, memory_order_acquire)) {
        if (phx_rng_below(&p->rng, 200) == 0) {
            area_one(p);
        }
        command_one(p, phx_rng_below(&p->rng, PER_PRODUCER));
        if (phx_rng_below(&p->rng, 64) == 0) {
            (void)sched_yield();
        }
    }
    return NULL;
}

/* ---- consumers ---- */

typedef struct consumer {
    stress *all;
    ph_consumer handle;
    uint32_t index;
    uint64_t rng;
    uint64_t told, batches, events, heard, dropped;
    bool (*views)[IDS + 1];
    uint64_t (*last)[IDS + 1];  /* saying of each source that an observer heard */
    ph_moved (*where)[IDS + 1]; /* each target's position in the last update of an observer */
    uint8_t (*bands)[IDS + 1];  /* and its band */
    uint64_t updates, crossings;
    uint32_t awake;
    bool inside[IDS + 1][AREAS + 1]; /* area 0: awake */
    bool pending;                    /* the last try found no batch, and more that waits for a tick */
} consumer;

static void apply_change(consumer *c, const ph_batch *batch, const ph_change *change)
{
    REQUIRE(change->observer >= 1 && change->observer <= IDS);
    bool *view = c->views[change->observer];
    CHECK(change->observer % CONSUMERS == c->index, "a change of another consumer's observer");
    if ((change->flags & PH_CHANGE_FRESH) != 0) {
        memset(view, 0, (IDS + 1) * sizeof *view);
    }
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        uint64_t target = batch->targets[change->first + i].id;
        bool enter = i >= change->leave_count;
        REQUIRE(target >= 1 && target <= IDS);
        CHECK(view[target] != enter, "tick %" PRIu64 ": %" PRIu64 " is told twice of %" PRIu64, batch->tick,
              change->observer, target);
        view[target] = enter;
        c->events++;
    }
}

static void hear(consumer *c, const ph_batch *batch, const ph_delivery *delivery)
{
    REQUIRE(delivery->observer >= 1 && delivery->observer <= IDS);
    CHECK(delivery->observer % CONSUMERS == c->index, "a broadcast for another consumer's observer");
    for (uint32_t i = 0; i < delivery->count; i++) {
        const ph_message *message = &batch->messages[batch->heard[delivery->first + i]];
        const saying *text = (const saying *)(const void *)(batch->payload + message->first);
        REQUIRE(message->source >= 1 && message->source <= IDS && message->bytes >= sizeof *text);
        uint64_t *last = &c->last[delivery->observer][message->source];
        CHECK(text->number > *last, "%" PRIu64 " hears saying %" PRIu64 " of %" PRIu64 " after %" PRIu64,
              delivery->observer, text->number, message->source, *last);
        *last = text->number;
        for (uint32_t s = 0; s < message->bytes / sizeof *text; s++) {
            CHECK(text[s].id == message->source && text[s].number == *last, "a payload is not whole");
        }
    }
    c->heard += delivery->count;
}

static void apply_update(consumer *c, const ph_batch *batch, const ph_update *update)
{
    REQUIRE(update->observer >= 1 && update->observer <= IDS);
    CHECK(update->observer % CONSUMERS == c->index, "an update for another consumer's observer");
    for (uint32_t i = 0; i < update->count; i++) {
        const ph_moved *moved = &batch->moved[batch->due[update->first + i]];
        REQUIRE(moved->id >= 1 && moved->id <= IDS);
        CHECK(c->views[update->observer][moved->id],
              "%" PRIu64 " has an update of %" PRIu64 ", which is not in the list", update->observer, moved->id);
        c->where[update->observer][moved->id] = *moved;
        c->bands[update->observer][moved->id] = batch->bands[update->first + i];
    }
    c->updates += update->count;
}

static void apply_edges(consumer *c, const ph_edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const ph_edge *edge = &edges[i];
        REQUIRE(edge->id >= 1 && edge->id <= IDS && edge->area <= AREAS);
        CHECK(edge->id % CONSUMERS == c->index, "an edge of another consumer's entity");
        bool *inside = &c->inside[edge->id][edge->area];
        CHECK(*inside != (edge->on != 0), "%" PRIu64 " goes into area %" PRIu64 ", or out of it, twice", edge->id,
              edge->area);
        *inside = edge->on != 0;
        c->awake += edge->area != 0 ? 0 : edge->on != 0 ? 1 : UINT32_MAX;
        c->crossings += edge->area != 0;
    }
}

static bool take_one(consumer *c)
{
    const ph_batch *batch = NULL;
    ph_status status = ph_batch_take(c->handle, &batch);
    c->pending = status == PH_PENDING;
    if (status == PH_EMPTY || status == PH_PENDING) {
        return false;
    }
    CHECK(status == PH_OK && batch->tick_first > c->told && batch->tick >= batch->tick_first,
          "take: %s, ticks %" PRIu64 "..%" PRIu64 " after %" PRIu64, ph_status_name(status), batch->tick_first,
          batch->tick, c->told);
    for (uint32_t i = 0; i < batch->change_count; i++) {
        apply_change(c, batch, &batch->changes[i]);
    }
    for (uint32_t i = 0; i < batch->delivery_count; i++) {
        hear(c, batch, &batch->deliveries[i]);
    }
    for (uint32_t i = 0; i < batch->update_count; i++) {
        apply_update(c, batch, &batch->updates[i]);
    }
    apply_edges(c, batch->activations, batch->activation_count);
    apply_edges(c, batch->crossings, batch->crossing_count);
    c->dropped += batch->dropped;
    c->told = batch->tick;
    c->batches++;
    CHECK_OK(ph_batch_return(c->handle, batch));
    return true;
}

static void *consume(void *user)
{
    consumer *c = user;
    while (!atomic_load_explicit(&c->all->consumers_stop, memory_order_acquire)) {
        if (!take_one(c) || phx_rng_below(&c->rng, 8) == 0) {
            const struct timespec pause = {0, phx_rng_below(&c->rng, 8) == 0 ? SLOW_NS : 0};
            (void)nanosleep(&pause, NULL); /* now and then long enough to be coalesced */
        }
    }
    return NULL;
}

/* ---- readers ---- */

/* Places, so many that the workers are asked for: the tick's, and other readers want them too. */
static void find_around(ph_world world, uint64_t *rng)
{
    enum { PLACES = 20, FOUND = 8 };
    ph_query queries[PLACES];
    ph_answer answers[PLACES];
    ph_hit hits[PLACES][FOUND];
    for (int i = 0; i < PLACES; i++) {
        queries[i] = (ph_query){.shape = i % 2 == 0 ? PH_QUERY_CIRCLE : PH_QUERY_NEAREST, .nearest = 3, .radius = 1e9f};
        answers[i] = (ph_answer){.hits = hits[i], .capacity = FOUND};
    }
    if (phx_rng_below(rng, 8) != 0) {
        return;
    }
    ph_status status = ph_find_many(world, PLACES, queries, answers);
    CHECK(status == PH_OK || status == PH_BUSY, "find: %s", ph_status_name(status));
    for (int i = 0; status == PH_OK && i + 1 < PLACES; i += 2) {
        uint32_t all = answers[i].count;
        CHECK(answers[i].status == PH_OK && all == answers[0].count, "%" PRIu32 " found, then %" PRIu32,
              answers[0].count, all);
        uint32_t nearest = answers[i + 1].count;
        CHECK(nearest == (all < 3 ? all : 3), "%" PRIu32 " nearest of %" PRIu32, nearest, all);
    }
}

typedef struct walk {
    uint64_t last;
    uint32_t count;
} walk;

static bool visit_one(void *user, uint64_t id, uint64_t user_data)
{
    walk *w = user;
    (void)user_data;
    CHECK(id > w->last, "%" PRIu64 " is visited behind %" PRIu64, id, w->last);
    w->last = id;
    w->count++;
    (void)sched_yield(); /* ticks come in between: nothing holds them off here */
    return true;
}

/* Whole lists, or as far as no tick came; never a mixture of two. */
static void visit_around(ph_world world, uint64_t id)
{
    walk w = {0};
    ph_status status = ph_observers_visit(world, id, visit_one, &w);
    CHECK(status == PH_OK || status == PH_BUSY || status == PH_UNKNOWN_ID, "visit: %s", ph_status_name(status));
    CHECK(w.count < IDS, "%" PRIu32 " were visited", w.count);
}

/* An image whose capture the workers share; it is written while ticks run, and a world that it makes is whole. */
static void save_around(stress *all, uint64_t *rng)
{
    const ph_load_options options = {.given = PH_LOAD_WORKERS, .workers = 1};
    image_bytes bytes = {0};
    ph_image *image;
    char reason[REASON] = "";
    if (phx_rng_below(rng, SAVE_EVERY) != 0) return;
    const ph_status status = ph_image_capture(all->world, &image);
    CHECK(status == PH_OK || status == PH_BUSY, "capture: %s", ph_status_name(status));
    if (status != PH_OK) return;
    CHECK_OK(ph_image_write(image, image_bytes_write, &bytes));
    ph_image_free(image);
    ph_world loaded;
    const ph_status made = ph_load(&options, image_bytes_read, &bytes, &loaded, reason, sizeof reason);
    CHECK(made == PH_OK, "load: %s: %s", ph_status_name(made), reason);
    if (made == PH_OK) CHECK_OK(ph_world_destroy(loaded));
    VEC_FREE(&bytes);
    atomic_fetch_add_explicit(&all->saves, 1, memory_order_relaxed);
}

static void *read_world(void *user)
{
    stress *all = user;
    uint64_t rng = atomic_fetch_add_explicit(&all->readers, 1, memory_order_relaxed);
    uint64_t ids[IDS];
    while (!atomic_load_explicit(&all->producers_stop, memory_order_acquire)) {
        uint32_t count = 0;
        uint64_t id = 1 + phx_rng_below(&rng, IDS);
        ph_status status = ph_list(all->world, id, ids, IDS, &count);
        CHECK(status == PH_OK || status == PH_BUSY || status == PH_UNKNOWN_ID, "list: %s", ph_status_name(status));
        find_around(all->world, &rng);
        visit_around(all->world, id);
        save_around(all, &rng);
        CHECK(status != PH_OK || count < IDS, "a list of %" PRIu32, count);
        atomic_fetch_add_explicit(status == PH_BUSY ? &all->busy : &all->reads, 1, memory_order_relaxed);
        for (int i = 0; i < READER_PAUSE; i++) { /* leaves room for ticks, which readers hold off */
            (void)sched_yield();
        }
    }
    return NULL;
}

/* ---- the end ---- */

static void check_conservation(ph_world world, bool all_applied)
{
    ph_stats stats;
    ph_status status = PH_BUSY;
    while (status == PH_BUSY) {
        status = ph_world_stats(world, &stats);
    }
    CHECK_OK(status);
    CHECK(stats.refused_in_tick == 0, "%" PRIu64 " commands refused: order or commands were lost",
          stats.refused_in_tick);
    CHECK(stats.commands >= stats.applied, "%" PRIu64 " commands, %" PRIu64 " applied", stats.commands, stats.applied);
    CHECK(!all_applied || stats.commands == stats.applied, "%" PRIu64 " commands, %" PRIu64 " applied at the end",
          stats.commands, stats.applied);
}

static void check_entities(const producer *p)
{
    for (uint32_t i = 0; i < PER_PRODUCER; i++) {
        ph_attrs attrs;
        ph_status status = ph_entity_get(p->all->world, id_of(p, i), &attrs);
        CHECK(status == (p->in_world[i] ? PH_OK : PH_UNKNOWN_ID), "%" PRIu64 ": %s", id_of(p, i),
              ph_status_name(status));
        CHECK(status != PH_OK || (attrs.user_data == p->stamp[i] && attrs.x == p->x[i]),
              "%" PRIu64 " has stamp %" PRIu64 ", its producer set %" PRIu64, id_of(p, i), attrs.user_data,
              p->stamp[i]);
    }
}

/* Do the last updates of the observer have their positions and bands? Wolves get none. */
static void check_where(const consumer *c, uint64_t observer, const uint64_t *ids, uint32_t count)
{
    ph_attrs own;
    CHECK_OK(count > 0 ? ph_entity_get(c->all->world, observer, &own) : PH_OK);
    for (uint32_t i = 0; observer % 3 != 0 && i < count; i++) {
        const ph_moved *told = &c->where[observer][ids[i]];
        ph_attrs at;
        CHECK_OK(ph_entity_get(c->all->world, ids[i], &at));
        CHECK(told->x == at.x && told->y == at.y && told->z == at.z,
              "%" PRIu64 " was told that %" PRIu64 " is at %a %a, not at %a %a", observer, ids[i], (double)told->x,
              (double)told->y, (double)at.x, (double)at.y);
        const float dx = at.x - own.x, dy = at.y - own.y, xx = dx * dx, yy = dy * dy;
        const uint32_t band = xx + yy > NEAR_BAND * NEAR_BAND;
        CHECK(c->bands[observer][ids[i]] == band,
              "%" PRIu64 " was told that %" PRIu64 " is in band %" PRIu32 ", not in %" PRIu32, observer, ids[i],
              c->bands[observer][ids[i]], band);
    }
}

/* The members of the areas of a producer, by edges and by a query. */
static void check_areas(const producer *p, const consumer *consumers)
{
    for (uint32_t i = 0; i < AREAS_EACH; i++) {
        const ph_area *area = &p->areas[i];
        uint64_t id = 1 + p->index + (uint64_t)i * PRODUCERS;
        ph_query query = {.x = area->center[0], .y = area->center[1], .radius = area->radius};
        ph_hit hits[IDS];
        uint32_t count = 0, known = 0;
        if (area->radius == 0) {
            continue; /* never set */
        }
        CHECK_OK(ph_find(p->all->world, &query, hits, IDS, &count));
        for (uint32_t e = 1; e <= IDS; e++) {
            known += consumers[e % CONSUMERS].inside[e][id];
        }
        for (uint32_t h = 0; h < count; h++) {
            CHECK(consumers[hits[h].id % CONSUMERS].inside[hits[h].id][id],
                  "no edge says that %" PRIu64 " is in area %" PRIu64, hits[h].id, id);
        }
        CHECK(known == count, "%" PRIu32 " in area %" PRIu64 " as told, %" PRIu32 " by a query", known, id, count);
    }
}

static void check_views(consumer *c)
{
    uint64_t ids[IDS];
    for (uint64_t observer = 1; observer <= IDS; observer++) {
        uint32_t count = 0;
        if (observer % CONSUMERS != c->index || ph_list(c->all->world, observer, ids, IDS, &count) != PH_OK ||
            count == 0) {
            continue; /* an empty list may be one that began anew and had no change */
        }
        uint32_t kept = 0;
        for (uint32_t target = 1; target <= IDS; target++) {
            kept += c->views[observer][target];
        }
        bool same = kept == count;
        for (uint32_t i = 0; i < count; i++) {
            same = same && c->views[observer][ids[i]];
        }
        check_where(c, observer, ids, count);
        CHECK(same, "consumer %" PRIu32 " has %" PRIu32 " in the list of %" PRIu64 ", the engine %" PRIu32, c->index,
              kept, observer, count);
    }
}

/* ---- the journal ---- */

static void *open_page(void *user, uint64_t tick, size_t bytes)
{
    static uint64_t page[PAGE_WORDS];
    (void)user, (void)tick;
    return bytes <= sizeof page ? page : NULL;
}

static void close_page(void *user, uint64_t tick, uint32_t flags)
{
    stress *all = user;
    (void)tick;
    all->records += (flags & PH_RECORD_TICK) != 0;
}

/* ---- the run ---- */

static void tick_once(ph_world world, bool alone)
{
    ph_status status = PH_BUSY;
    while (status == PH_BUSY) { /* a reader is inside */
        status = ph_tick(world, NULL);
        if (status == PH_BUSY) {
            CHECK(!alone, "busy with no reader inside");
            (void)sched_yield();
        }
    }
    CHECK_OK(status);
}

/* Applies before a tick: none, or a few. Readers get in behind each, and find entities where they were applied. */
static void apply_some(const stress *all, uint64_t tick)
{
    static const uint32_t times[] = {0, 1, 3};
    for (uint32_t i = times[tick % (sizeof times / sizeof times[0])]; i > 0; i--) {
        const struct timespec pause = {0, PAUSE_NS};
        ph_status status;
        while ((status = ph_apply(all->world)) == PH_BUSY) (void)sched_yield(); /* a reader is inside */
        CHECK_OK(status);
        check_conservation(all->world, false);
        (void)nanosleep(&pause, NULL);
    }
}

static void run_ticks(stress *all, uint64_t ticks)
{
    enum { LONGER = 20 }; /* on a busy machine the readers, which save, come late */
    for (uint64_t tick = 0; tick < ticks || (ticks >= TICKS && tick < LONGER * ticks && atomic_load(&all->saves) == 0);
         tick++) {
        const struct timespec pause = {0, PAUSE_NS};
        apply_some(all, tick);
        tick_once(all->world, false);
        check_conservation(all->world, false);
        (void)nanosleep(&pause, NULL); /* readers get in between ticks only */
    }
}

/* Are views narrowed in crowds? Then all lists are stored, else lists of the rule are derived. */
static bool narrows_views(uint32_t workers)
{
    return workers % 2 == 1;
}

static ph_world make_world(uint32_t workers, fail_alloc *memory)
{
    ph_class kinds[] = {[PLAYER] = ph_class_default("default"), [WOLF] = ph_class_default("wolf")};
    ph_world_def def = ph_world_def_default();
    ph_world world;
    kinds[PLAYER].wakes = true;
    kinds[PLAYER].band_count = 2;
    kinds[PLAYER].bands[0] = (ph_band){NEAR_BAND, 1};
    kinds[PLAYER].bands[1] = (ph_band){30, BAND_EVERY};
    kinds[WOLF].sleeps = true;
    def.classes = kinds;
    def.class_count = 2;
    def.activation_span = 0;
    def.activation_linger = 2;
    def.crowd_entities = narrows_views(workers) ? CROWD : 0;
    def.world_size[0] = 300;
    def.world_size[1] = 300;
    def.tower_size = 25;
    def.shards[0] = SHARDS;
    def.shards[1] = SHARDS;
    def.workers = workers;
    def.share_min = 0;
    def.producer_bytes = 128u << 10;
    def.consumers = CONSUMERS;
    def.consumer_batches = 2;
    def.consumer_bytes = 8u << 10;
    def.exchange_bytes = 16u << 10;
    def.allocator = fail_alloc_hooks(memory);
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    return world;
}

static void stress_run(uint32_t workers, uint64_t ticks, uint64_t seed)
{
    fail_alloc memory = {0};
    stress all = {.world = make_world(workers, &memory)};
    producer *producers = check_zalloc(PRODUCERS * sizeof *producers);
    consumer *consumers = check_zalloc(CONSUMERS * sizeof *consumers);
    pthread_t threads[PRODUCERS + CONSUMERS + READERS];
    uint32_t started = 0;
    const ph_journal journal = {.room = open_page, .done = close_page, .user = &all};
    CHECK_OK(ph_journal_set(all.world, &journal));
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        consumers[i].all = &all;
        consumers[i].index = i;
        consumers[i].rng = seed + i;
        consumers[i].views = check_zalloc((IDS + 1) * sizeof *consumers[i].views);
        consumers[i].last = check_zalloc((IDS + 1) * sizeof *consumers[i].last);
        consumers[i].where = check_zalloc((IDS + 1) * sizeof *consumers[i].where);
        consumers[i].bands = check_zalloc((IDS + 1) * sizeof *consumers[i].bands);
        REQUIRE(ph_consumer_open(all.world, i, &consumers[i].handle) == PH_OK);
        REQUIRE(pthread_create(&threads[started++], NULL, consume, &consumers[i]) == 0);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        producers[i].all = &all;
        producers[i].index = i;
        producers[i].rng = seed + 100 + i;
        REQUIRE(ph_producer_open(all.world, &producers[i].handle) == PH_OK);
        REQUIRE(pthread_create(&threads[started++], NULL, produce, &producers[i]) == 0);
    }
    for (uint32_t i = 0; i < READERS; i++) {
        REQUIRE(pthread_create(&threads[started++], NULL, read_world, &all) == 0);
    }
    run_ticks(&all, ticks);
    atomic_store_explicit(&all.producers_stop, true, memory_order_release);
    for (uint32_t i = CONSUMERS; i < started; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    tick_once(all.world, true); /* for the commands still queued */
    check_conservation(all.world, true);
    atomic_store_explicit(&all.consumers_stop, true, memory_order_release);
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        while (take_one(&consumers[i])) {
        }
    }
    for (uint32_t i = 0; i <= BAND_EVERY; i++) {
        tick_once(all.world, true); /* for coalesced events; and for updates not due yet */
        for (uint32_t c = 0; c < CONSUMERS; c++) {
            while (take_one(&consumers[c])) {
            }
            CHECK(!consumers[c].pending, "all is given back, a tick ran, and something is pending");
        }
    }
    uint64_t accepted = 0;
    uint64_t events = 0;
    uint64_t heard = 0;
    uint64_t dropped = 0;
    uint64_t updates = 0, crossings = 0, awake = 0;
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        check_areas(&producers[i], consumers);
    }
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        check_views(&consumers[i]);
        updates += consumers[i].updates;
        crossings += consumers[i].crossings;
        awake += consumers[i].awake;
        free(consumers[i].where);
        free(consumers[i].bands);
        events += consumers[i].events;
        heard += consumers[i].heard;
        dropped += consumers[i].dropped;
        free(consumers[i].views);
        free(consumers[i].last);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        check_entities(&producers[i]);
        accepted += producers[i].accepted;
    }
    ph_stats stats;
    CHECK_OK(ph_world_stats(all.world, &stats));
    CHECK(all.records == stats.ticks, "%" PRIu64 " records of %" PRIu64 " ticks", all.records, stats.ticks);
    CHECK(atomic_load(&all.saves) != 0 || ticks < TICKS, "no image was captured between ticks");
    CHECK(stats.commands == accepted, "%" PRIu64 " commands counted, %" PRIu64 " accepted", stats.commands, accepted);
    CHECK(stats.deliveries == heard + dropped + stats.deliveries_void && stats.deliveries_dropped == dropped,
          "%" PRIu64 " deliveries made; %" PRIu64 " heard, %" PRIu64 " told as dropped, %" PRIu64 " void",
          stats.deliveries, heard, dropped, stats.deliveries_void);
    CHECK(heard != 0, "no broadcast was delivered");
    CHECK(stats.awake == awake && stats.woken != 0, "%" PRIu64 " awake as told, %" PRIu64 " are, of %" PRIu64 " woken",
          awake, stats.awake, stats.woken);
    CHECK(stats.updates - stats.updates_replaced == updates && updates != 0,
          "%" PRIu64 " updates told of %" PRIu64 ", %" PRIu64 " replaced", updates, stats.updates,
          stats.updates_replaced);
    CHECK(stats.applies != 0 || ticks < 2, "nothing was applied between ticks");
    CHECK(crossings != 0 && (stats.crowd_narrowed != 0) == narrows_views(workers),
          "no entity crossed an area, or no view was narrowed");
    (void)printf("workers %" PRIu32 ": %" PRIu64 " updates, %" PRIu64 " crossings, %" PRIu64 " awake\n", workers,
                 updates, crossings, awake);
    (void)printf("workers %" PRIu32 ": %" PRIu64 " broadcasts heard, %" PRIu64 " dropped, %" PRIu64 " void\n", workers,
                 heard, dropped, stats.deliveries_void);
    (void)printf("workers %" PRIu32 ": %" PRIu64 " commands, %" PRIu64 " events, %" PRIu64 " times full, %" PRIu64
                 " reads, %" PRIu64 " met a tick, %" PRIu64 " images, %" PRIu64 " coalesced ticks, %" PRIu64
                 " migrations\n",
                 workers, accepted, events, atomic_load(&all.full), atomic_load(&all.reads), atomic_load(&all.busy),
                 atomic_load(&all.saves), stats.coalesced_ticks, stats.migrations);
    CHECK_OK(ph_world_destroy(all.world));
    (void)fail_alloc_clean(&memory);
    free(consumers);
    free(producers);
}

int main(int argc, char **argv)
{
    uint64_t ticks = option_number(argc, argv, "--ticks", test_amount(TICKS));
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint32_t only = (uint32_t)option_number(argc, argv, "--workers", 0);
    for (uint32_t workers = 1; workers <= 4; workers++) {
        if (only == 0 || only == workers) {
            stress_run(workers, ticks, seed);
        }
    }
    return check_done("stress_world");
}
