/*
 * The engine as a subject of the run harness: nothing but calls of the public API.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/subject.h"

enum { ENGINE_PRODUCERS_MAX = 16, ENGINE_CONSUMERS_MAX = 16 };

typedef struct engine {
    ph_world world;
    ph_producer producers[ENGINE_PRODUCERS_MAX];
    ph_consumer consumers[ENGINE_CONSUMERS_MAX];
    uint32_t producer_count;
    bool crewed; /* its world has a crew, which ticks it by ph_tick_many() */
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
    return ph_producer_sequence(e->producers[producer], sequence);
}

static ph_status engine_refusals(void *self, uint32_t producer, ph_refusal *refusals, uint32_t capacity,
                                 uint32_t *count)
{
    engine *e = self;
    return ph_producer_refusals(e->producers[producer], refusals, capacity, count);
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
    return ph_world_reconfigure(e->world, def, NULL, 0);
}

static ph_status engine_consumer_open(void *self, uint32_t consumer)
{
    engine *e = self;
    return ph_consumer_open(e->world, consumer, &e->consumers[consumer]);
}

static ph_status engine_consumer_close(void *self, uint32_t consumer)
{
    engine *e = self;
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

static ph_status engine_stats(void *self, ph_stats *stats)
{
    engine *e = self;
    return ph_world_stats(e->world, stats);
}

static ph_status engine_hash(void *self, uint64_t *hash)
{
    engine *e = self;
    return ph_world_hash(e->world, hash);
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
    };
    return &type;
}
