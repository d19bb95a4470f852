/*
 * The engine as a subject of the run harness: nothing but calls of the public API.
 */
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/image_bytes.h"
#include "support/indexes.h"
#include "support/subject.h"

enum { ENGINE_PRODUCERS_MAX = 16, ENGINE_CONSUMERS_MAX = 16 };

typedef struct engine {
    ph_world world;
    ph_producer producers[ENGINE_PRODUCERS_MAX];
    ph_consumer consumers[ENGINE_CONSUMERS_MAX];
    bool consumer_open[ENGINE_CONSUMERS_MAX];
    uint32_t producer_count;
    const ph_world_def *def;                  /* as it was created */
    uint64_t sequences[ENGINE_PRODUCERS_MAX]; /* of worlds before this one */
    ph_stats counts;                          /* the same */
    ph_load_options layout;                   /* of this world; all zero: as it was created */
    bool crewed;                              /* its world has a crew, which ticks it by ph_tick_many() */
} engine;

static ph_status broadcast(ph_producer producer, const command *c)
{
    uint8_t payload[PH_PAYLOAD_MAX];
    ph_broadcast_options options = {
        .kinds = c->say.kinds, .kind_count = c->say.kind_count, .flags = c->say.flags, .radius = c->say.radius};
    command_payload(&c->say, payload);
    static const float lists = 0; /* as bytes: the host's floating-point environment stays as it is */
    bool ranged = memcmp(&options.radius, &lists, sizeof lists) != 0;
    bool any = options.kind_count != 0 || options.flags != 0 || ranged;
    bool plain = !any && c->say.salt % 2 == 0; /* both are asked for */
    return ph_broadcast(producer, c->id, c->say.bytes == 0 ? NULL : payload, c->say.bytes, plain ? NULL : &options);
}

static ph_status broadcast_at(ph_producer producer, const command *c)
{
    uint8_t payload[PH_PAYLOAD_MAX];
    const command_say *say = &c->say;
    ph_broadcast_place place = {.x = say->x,
                                .y = say->y,
                                .radius = say->radius,
                                .kind_count = say->kind_count,
                                .kinds = say->kinds,
                                .layers = say->layers,
                                .instance = say->instance};
    command_payload(say, payload);
    return ph_broadcast_at(producer, &place, say->bytes == 0 ? NULL : payload, say->bytes);
}

ph_status engine_submit(ph_producer producer, const command *c)
{
    switch (c->type) {
    case COMMAND_ENTER:
        return ph_enter(producer, c->id, &c->attrs);
    case COMMAND_LEAVE:
        return ph_leave(producer, c->id);
    case COMMAND_MOVE:
        return ph_move(producer, c->id, c->attrs.x, c->attrs.y, c->attrs.z);
    case COMMAND_SET:
        return ph_set(producer, c->id, &c->attrs);
    case COMMAND_PAIR:
        return ph_pair(producer, c->id, c->other, c->attrs.view, c->attrs.margin);
    case COMMAND_UNPAIR:
        return ph_unpair(producer, c->id, c->other);
    case COMMAND_LINK:
        return ph_link(producer, c->id, c->other);
    case COMMAND_UNLINK:
        return ph_unlink(producer, c->id, c->other);
    case COMMAND_HIDE:
        return ph_hide(producer, c->id, c->other);
    case COMMAND_UNHIDE:
        return ph_unhide(producer, c->id, c->other);
    case COMMAND_REVEAL:
        return ph_reveal(producer, c->id, c->other);
    case COMMAND_UNREVEAL:
        return ph_unreveal(producer, c->id, c->other);
    case COMMAND_ATTACH:
        return ph_attach(producer, c->id, c->other);
    case COMMAND_DETACH:
        return ph_detach(producer, c->id);
    case COMMAND_RESEND:
        return ph_resend(producer, c->id);
    case COMMAND_BROADCAST:
        return broadcast(producer, c);
    case COMMAND_BROADCAST_AT:
        return broadcast_at(producer, c);
    case COMMAND_AREA_SET:
        return ph_area_set(producer, c->id, &c->area);
    case COMMAND_AREA_REMOVE:
        return ph_area_remove(producer, c->id);
    default:
        return PH_BAD_ARGUMENT;
    }
}

ph_world engine_world(const void *self)
{
    return ((const engine *)self)->world;
}

ph_producer engine_producer(const void *self, uint32_t producer)
{
    return ((const engine *)self)->producers[producer];
}

static void engine_destroy(void *self)
{
    engine *e = self;
    CHECK_OK(ph_world_destroy(e->world));
    free(e);
}

static void *engine_create(const ph_world_def *def, uint32_t producers, ph_status *status)
{
    REQUIRE(producers <= ENGINE_PRODUCERS_MAX && def->consumers <= ENGINE_CONSUMERS_MAX);
    engine *e = check_zalloc(sizeof *e);
    *status = ph_world_create(def, &e->world);
    if (*status != PH_OK) {
        free(e);
        return NULL;
    }
    e->producer_count = producers;
    e->def = def;
    e->crewed = def->crew.index1 != 0;
    for (uint32_t i = 0; i < producers; i++) {
        *status = ph_producer_open(e->world, &e->producers[i]);
        if (*status != PH_OK) {
            engine_destroy(e);
            return NULL;
        }
    }
    return e;
}

static ph_status engine_submit_one(void *self, uint32_t producer, const command *c)
{
    engine *e = self;
    return engine_submit(e->producers[producer], c);
}

static ph_status engine_submit_many(void *self, uint32_t producer, const command *const *commands, uint32_t count,
                                    uint32_t *done)
{
    engine *e = self;
    uint64_t *ids = check_zalloc(count * sizeof *ids);
    uint64_t *others = check_zalloc(count * sizeof *others);
    ph_attrs *attrs = check_zalloc(count * sizeof *attrs);
    ph_position *positions = check_zalloc(count * sizeof *positions);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = commands[i]->id;
        others[i] = commands[i]->other;
        attrs[i] = commands[i]->attrs;
        positions[i] = (ph_position){attrs[i].x, attrs[i].y, attrs[i].z};
    }
    ph_status status = PH_BAD_ARGUMENT;
    switch (commands[0]->type) {
    case COMMAND_ENTER:
        status = ph_enter_many(e->producers[producer], count, ids, attrs, done);
        break;
    case COMMAND_MOVE:
        status = ph_move_many(e->producers[producer], count, ids, positions, done);
        break;
    case COMMAND_LEAVE:
        status = ph_leave_many(e->producers[producer], count, ids, done);
        break;
    case COMMAND_HIDE:
        status = ph_hide_many(e->producers[producer], count, ids, others, done);
        break;
    case COMMAND_UNHIDE:
        status = ph_unhide_many(e->producers[producer], count, ids, others, done);
        break;
    case COMMAND_REVEAL:
        status = ph_reveal_many(e->producers[producer], count, ids, others, done);
        break;
    case COMMAND_UNREVEAL:
        status = ph_unreveal_many(e->producers[producer], count, ids, others, done);
        break;
    default:
        break;
    }
    free(others);
    free(positions);
    free(attrs);
    free(ids);
    return status;
}

static ph_status engine_sequence(void *self, uint32_t producer, uint64_t *sequence)
{
    engine *e = self;
    ph_status status = ph_producer_sequence(e->producers[producer], sequence);
    *sequence += e->sequences[producer];
    return status;
}

static ph_status engine_refusals(void *self, uint32_t producer, ph_refusal *refusals, uint32_t capacity,
                                 uint32_t *count)
{
    engine *e = self;
    ph_status status = ph_producer_refusals(e->producers[producer], refusals, capacity, count);
    for (uint32_t i = 0; status == PH_OK && i < *count; i++) refusals[i].sequence += e->sequences[producer];
    return status;
}

static ph_status engine_apply(void *self)
{
    engine *e = self;
    return ph_apply(e->world);
}

static ph_status engine_tick(void *self, uint64_t *tick)
{
    engine *e = self;
    ph_status status, each;
    ph_stats stats;
    if (!e->crewed) {
        return ph_tick(e->world, tick);
    }
    *tick = 0;
    status = ph_tick_many(&e->world, 1, &each);
    CHECK(status == each, "%s of all, %s of the only one", ph_status_text(status), ph_status_text(each));
    if (status == PH_OK && ph_world_stats(e->world, &stats) == PH_OK) {
        *tick = stats.ticks;
    }
    return status;
}

static ph_status engine_reconfigure(void *self, const ph_world_def *def)
{
    engine *e = self;
    ph_world_def now = *def;
    if (e->layout.given) {
        memcpy(now.shards, e->layout.shards, sizeof now.shards);
        now.index = e->layout.index;
        now.simd = e->layout.simd;
    }
    return ph_world_reconfigure(e->world, &now, NULL, 0);
}

static ph_status engine_consumer_open(void *self, uint32_t consumer)
{
    engine *e = self;
    e->consumer_open[consumer] = true;
    return ph_consumer_open(e->world, consumer, &e->consumers[consumer]);
}

static ph_status engine_consumer_close(void *self, uint32_t consumer)
{
    engine *e = self;
    e->consumer_open[consumer] = false;
    return ph_consumer_close(e->consumers[consumer]);
}

static int by_packet_observer(const void *a, const void *b)
{
    const ph_packet *l = a;
    const ph_packet *r = b;
    return l->observer < r->observer ? -1 : l->observer > r->observer;
}

/* Each record of the three arrays is in one packet, and each observer has one. */
static void check_packets(ph_consumer consumer, const ph_batch *batch)
{
    ph_packets packets;
    size_t count = 0, changes = 0, deliveries = 0, updates = 0;
    size_t most = (size_t)batch->change_count + batch->delivery_count + batch->update_count;
    ph_packet *all = check_zalloc((most + 1) * sizeof *all);
    CHECK_OK(ph_packets_begin(consumer, batch, &packets));
    while (count < most && ph_packets_next(&packets, &all[count])) {
        const ph_packet *p = &all[count++];
        changes += p->change != NULL;
        deliveries += p->delivery != NULL;
        updates += p->update != NULL;
        CHECK(!p->change || (p->change->observer == p->observer && p->change->user_data == p->user_data), "change");
        CHECK(!p->delivery || (p->delivery->observer == p->observer && p->delivery->user_data == p->user_data),
              "delivery");
        CHECK(!p->update || (p->update->observer == p->observer && p->update->user_data == p->user_data), "update");
    }
    CHECK(changes == batch->change_count && deliveries == batch->delivery_count && updates == batch->update_count &&
              !ph_packets_next(&packets, &all[count]),
          "tick %" PRIu64 ": packets have %zu changes, %zu deliveries, %zu updates", batch->tick, changes, deliveries,
          updates);
    qsort(all, count, sizeof *all, by_packet_observer);
    for (size_t i = 1; i < count; i++) CHECK(all[i - 1].observer < all[i].observer, "an observer has two packets");
    free(all);
}

static ph_status engine_batch_take(void *self, uint32_t consumer, const ph_batch **batch)
{
    engine *e = self;
    ph_status status = ph_batch_take(e->consumers[consumer], batch);
    if (status == PH_OK) check_packets(e->consumers[consumer], *batch);
    return status;
}

static ph_status engine_batch_return(void *self, uint32_t consumer, const ph_batch *batch)
{
    engine *e = self;
    return ph_batch_return(e->consumers[consumer], batch);
}

static ph_status engine_get(void *self, uint64_t id, ph_attrs *attrs)
{
    engine *e = self;
    return ph_entity_get(e->world, id, attrs);
}

static ph_status engine_sees(void *self, uint64_t observer, uint64_t target, bool *sees)
{
    engine *e = self;
    return ph_sees(e->world, observer, target, sees);
}

static ph_status engine_list(void *self, uint64_t observer, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    engine *e = self;
    return ph_list(e->world, observer, ids, capacity, count);
}

static ph_status engine_observers(void *self, uint64_t target, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    engine *e = self;
    return ph_observers(e->world, target, ids, capacity, count);
}

static ph_status engine_find(void *self, const ph_query *query, ph_hit *hits, uint32_t capacity, uint32_t *count)
{
    engine *e = self;
    return ph_find(e->world, query, hits, capacity, count);
}

static ph_status engine_explain(void *self, uint64_t observer, uint64_t target, ph_explanation *why)
{
    engine *e = self;
    return ph_explain(e->world, observer, target, why);
}

static ph_status engine_verify(void *self, uint64_t pairs, ph_verification *progress, ph_difference *difference)
{
    engine *e = self;
    return ph_verify(e->world, pairs, progress, difference);
}

static ph_status engine_find_many(void *self, uint32_t count, const ph_query *queries, ph_answer *answers)
{
    engine *e = self;
    return ph_find_many(e->world, count, queries, answers);
}

static ph_status engine_find_visit(void *self, const ph_query *query, ph_hit_fn visit, void *user)
{
    engine *e = self;
    return ph_find_visit(e->world, query, visit, user);
}

/* Adds the counts that run on over all worlds. */
static void add_counts(ph_stats *sum, const ph_stats *more)
{
    sum->commands += more->commands;
    sum->applied += more->applied;
    sum->refused_in_tick += more->refused_in_tick;
    sum->refusals_untold += more->refusals_untold;
    sum->enters += more->enters;
    sum->leaves += more->leaves;
    sum->batches += more->batches;
    sum->deliveries += more->deliveries;
    sum->deliveries_void += more->deliveries_void;
    sum->deliveries_dropped += more->deliveries_dropped;
    sum->woken += more->woken;
    sum->slept += more->slept;
    sum->crowd_narrowed += more->crowd_narrowed;
    sum->crowd_widened += more->crowd_widened;
    sum->area_enters += more->area_enters;
    sum->area_leaves += more->area_leaves;
    sum->updates += more->updates;
    sum->updates_held += more->updates_held;
    sum->adds_held += more->adds_held;
    sum->ticks_spread += more->ticks_spread;
    sum->applies += more->applies;
    for (int i = 0; i < PH_STATUS_COUNT; i++) sum->refused[i] += more->refused[i];
}

static ph_status engine_stats(void *self, ph_stats *stats)
{
    engine *e = self;
    ph_status status = ph_world_stats(e->world, stats);
    add_counts(stats, &e->counts);
    return status;
}

static ph_status engine_hash(void *self, uint64_t *hash)
{
    engine *e = self;
    return ph_world_hash(e->world, hash);
}

/* ---- save and load ---- */

/* Another layout; not all fit each world. */
static ph_load_options layout_of(const ph_world_def *def, uint64_t number)
{
    static const uint32_t shards[][2] = {{1, 1}, {2, 1}, {3, 2}, {1, 2}, {4, 4}, {2, 3}, {1, 5}};
    const uint32_t *chosen = shards[number % (sizeof shards / sizeof *shards)];
    ph_load_options options = {.given = PH_LOAD_SHARDS | PH_LOAD_WORKERS | PH_LOAD_INDEX | PH_LOAD_SIMD,
                               .allocator = def->allocator,
                               .tasks = def->tasks};
    for (uint32_t axis = 0; axis < 2; axis++) {
        float towers = def->world_size[axis] / def->tower_size; /* rounded down is enough */
        options.shards[axis] = towers < (float)chosen[axis] ? 1 : chosen[axis];
    }
    ph_world_def next = *def;
    memcpy(next.shards, options.shards, sizeof next.shards);
    /* an open side of towers has a least one, so not all shards get a tower */
    if (!(def->tower_size > 0) && ph_world_def_check(&next, NULL, 0) != PH_OK)
        memcpy(options.shards, def->shards, sizeof def->shards);
    options.workers = 1 + (uint32_t)(number / 3 % 3 == 2);
    options.index = number % 2 == 0 ? PH_INDEX_LIGHTHOUSE : index_by_turns(def, number);
    options.simd = number % 5 == 0 ? PH_SIMD_PORTABLE : PH_SIMD_AUTO;
    return options;
}

static ph_status reopen_ends(engine *e)
{
    ph_status status = PH_OK;
    for (uint32_t i = 0; status == PH_OK && i < e->producer_count; i++)
        status = ph_producer_open(e->world, &e->producers[i]);
    for (uint32_t i = 0; status == PH_OK && i < ENGINE_CONSUMERS_MAX; i++)
        if (e->consumer_open[i]) status = ph_consumer_open(e->world, i, &e->consumers[i]);
    return status;
}

static ph_status engine_resave(void *self, uint64_t layout, char *reason, size_t reason_size)
{
    engine *e = self;
    fenv_t host;
    (void)feholdexcept(&host); /* the harness may run in any environment */
    (void)fesetenv(FE_DFL_ENV);
    const ph_load_options options = layout_of(e->def, layout);
    (void)fesetenv(&host);
    image_bytes bytes = {0};
    ph_world loaded;
    uint64_t before = 0, after = 0;
    ph_stats counts;
    (void)snprintf(reason, reason_size, "save");
    ph_status status = ph_save(e->world, image_bytes_write, &bytes);
    if (status == PH_OK) status = ph_load(&options, image_bytes_read, &bytes, &loaded, reason, reason_size);
    const bool whole = bytes.at == bytes.count;
    VEC_FREE(&bytes);
    if (status != PH_OK) return status;
    CHECK_OK(ph_world_hash(e->world, &before));
    CHECK_OK(ph_world_hash(loaded, &after));
    CHECK(before == after, "layout %" PRIu64 ": the hash of the loaded world differs", layout);
    CHECK(whole, "bytes are left behind the image");
    for (uint32_t i = 0; i < e->producer_count; i++) {
        uint64_t sequence = 0;
        CHECK_OK(ph_producer_sequence(e->producers[i], &sequence));
        e->sequences[i] += sequence;
    }
    CHECK_OK(ph_world_stats(e->world, &counts));
    add_counts(&e->counts, &counts);
    CHECK_OK(ph_world_destroy(e->world));
    e->world = loaded;
    e->layout = options;
    e->crewed = false; /* it has workers of its own */
    (void)snprintf(reason, reason_size, "reopen");
    return before == after && whole ? reopen_ends(e) : PH_BAD_IMAGE;
}

const subject_type *subject_engine(void)
{
    static const subject_type type = {
        .name = "engine",
        .create = engine_create,
        .destroy = engine_destroy,
        .submit = engine_submit_one,
        .submit_many = engine_submit_many,
        .sequence = engine_sequence,
        .refusals = engine_refusals,
        .apply = engine_apply,
        .tick = engine_tick,
        .reconfigure = engine_reconfigure,
        .consumer_open = engine_consumer_open,
        .consumer_close = engine_consumer_close,
        .batch_take = engine_batch_take,
        .batch_return = engine_batch_return,
        .get = engine_get,
        .sees = engine_sees,
        .list = engine_list,
        .observers = engine_observers,
        .find = engine_find,
        .find_many = engine_find_many,
        .find_visit = engine_find_visit,
        .explain = engine_explain,
        .verify = engine_verify,
        .stats = engine_stats,
        .hash = engine_hash,
        .resave = engine_resave,
    };
    return &type;
}
