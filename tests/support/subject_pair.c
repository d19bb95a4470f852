/*
 * Two worlds as one subject; see subject_pair.h. Capsules go in front of a tick's commands: by a producer of its own,
 * the first one of each world.
 */
#include "support/subject_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/tower_choice.h"
#include "support/attached.h"
#include "support/check.h"
#include "support/merged_batch.h"
#include "support/script.h"

enum { WORLDS = 2, FIRST_PRODUCER = 1, PAIR_CONSUMERS_MAX = 16 };

/* One id: where its entity is simulated. */
typedef struct pair_entity {
    uint64_t id;
    uint32_t owner;
    uint32_t clan; /* the place of one of the entities that it hangs together with when the tick's commands are done */
    bool bound;   /* ... as a command of this tick attaches it, or one of its clan: it stays in the world of its clan */
    bool stirred; /* it enters or becomes remote in this tick: it stays in its world */
    bool leaves;  /* in this tick; it goes to the other world before that all the same */
    bool moved;   /* in this tick, to its owner */
} pair_entity;

typedef struct pair {
    const subject_type *engine;
    void *worlds[WORLDS];
    ph_world_def defs[WORLDS];
    ph_producer front[WORLDS];
    VEC(pair_entity) entities;
    pair_options options;
    uint64_t rng;
    bool begun;     /* an apply was made since the last tick */
    bool gathered;  /* families of this tick stand together */
    size_t step_at; /* the first step of the script that was not looked at */
    merged_batch merged[PAIR_CONSUMERS_MAX];
    const ph_batch *taken[PAIR_CONSUMERS_MAX][WORLDS];
    uint8_t capsule[PH_CAPSULE_MAX];
} pair;

static pair_options next_options;
static pair_counts counts;

pair_counts pair_counts_take(void)
{
    const pair_counts taken = counts;
    counts = (pair_counts){0};
    return taken;
}

/* ---- entities ---- */

static size_t place_of(pair *p, uint64_t id)
{
    for (size_t i = 0; i < p->entities.count; i++)
        if (p->entities.items[i].id == id) return i;
    const pair_entity one = {.id = id, .owner = (uint32_t)(phx_mix64(id ^ p->options.seed) & 1)};
    VEC_PUSH(&p->entities, one);
    return p->entities.count - 1;
}

static pair_entity *entity_of(pair *p, uint64_t id)
{
    const size_t place = place_of(p, id); /* items may move */
    return &p->entities.items[place];
}

/* The world in which an id is simulated, or would be. */
static void *world_of(void *self, uint64_t id)
{
    pair *p = self;
    return p->worlds[entity_of(p, id)->owner];
}

/* ---- capsules ---- */

/* One of the family has a command that a capsule of now would undo, or is not known; or the clan stays. */
static bool any_stays(pair *p, const uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (entity_of(p, ids[i])->stirred || entity_of(p, ids[i])->bound) return true;
    return false;
}

/* An entity's parent, between two ticks; 0: none. Both worlds have the same. */
static uint64_t parent_of(const pair *p, uint64_t id)
{
    return attached_parent(engine_world(p->worlds[0]), id);
}

enum { FAMILY_MAX = 64 };

/* Takes an entity and its family to the other world, if it can be exported. There the family hangs together as here. */
static void move_entity(pair *p, uint64_t id, uint32_t from, bool gathers)
{
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    const uint32_t to = 1 - from;
    uint64_t ids[FAMILY_MAX];
    uint32_t count = 0;
    size_t bytes = 0;
    const ph_status status =
        ph_export(engine_world(p->worlds[from]), id, NULL, NULL, p->capsule, sizeof p->capsule, &bytes);
    CHECK(status == PH_OK || status == PH_UNKNOWN_ID || status == PH_ATTACHED || status == PH_BAD_VALUE,
          "export of %llu: %s", (unsigned long long)id, ph_status_name(status));
    if (status != PH_OK) return;
    CHECK_OK(ph_capsule_ids(p->capsule, bytes, ids, FAMILY_MAX, &count));
    if (count > FAMILY_MAX || (!gathers && any_stays(p, ids, count))) return;
    for (uint32_t i = 0; i < count; i++) {
        pair_entity *entity = entity_of(p, ids[i]);
        CHECK(entity->owner == from, "a capsule has an entity of the other world");
        CHECK_OK(ph_set(p->front[from], ids[i], &remote));
        entity->owner = to;
        entity->moved = true;
        counts.left += entity->leaves;
    }
    for (uint32_t i = 1; i < count; i++) CHECK_OK(ph_attach(p->front[from], ids[i], parent_of(p, ids[i])));
    CHECK_OK(ph_import(p->front[to], p->capsule, bytes, NULL, NULL));
    counts.moved++;
    counts.gathered += gathers;
    counts.families += count > 1;
    counts.bytes += bytes;
}

static void join_clans(pair *p, uint64_t child, uint64_t parent)
{
    const size_t one = place_of(p, child), other = place_of(p, parent);
    const uint32_t to = p->entities.items[one].clan, from = p->entities.items[other].clan;
    const bool bound = p->entities.items[one].bound || p->entities.items[other].bound;
    for (size_t i = 0; i < p->entities.count; i++) {
        pair_entity *entity = &p->entities.items[i];
        if (entity->clan == from) entity->clan = to;
        if (entity->clan == to) entity->bound = bound;
    }
}

/* Which entities hang together now, and by the commands of this tick. Only what one of these attaches is bound. */
static void find_clans(pair *p)
{
    const script *s = p->options.played;
    size_t end = p->step_at;
    for (; end < s->steps.count && s->steps.items[end].type != STEP_TICK; end++) {
        const step *at = &s->steps.items[end];
        if (at->type != STEP_COMMAND || at->as.command.type != COMMAND_ATTACH) continue;
        (void)place_of(p, at->as.command.id);
        (void)place_of(p, at->as.command.other);
    }
    for (size_t i = 0; i < p->entities.count; i++) {
        p->entities.items[i].clan = (uint32_t)i;
        p->entities.items[i].bound = p->entities.items[i].moved = false;
    }
    for (size_t i = 0; i < p->entities.count; i++) {
        const uint64_t id = p->entities.items[i].id, parent = parent_of(p, id);
        if (parent != 0) join_clans(p, id, parent);
    }
    for (; p->step_at < end; p->step_at++) {
        const step *at = &s->steps.items[p->step_at];
        if (at->type != STEP_COMMAND || at->as.command.type != COMMAND_ATTACH) continue;
        entity_of(p, at->as.command.id)->bound = true;
        join_clans(p, at->as.command.id, at->as.command.other);
    }
    p->step_at++; /* the tick */
}

/* Before the first command of a tick: what is attached in it stands in one world. */
static void gather_families(pair *p)
{
    if (p->gathered) return;
    p->gathered = true;
    find_clans(p);
    for (size_t i = 0; i < p->entities.count; i++) {
        const pair_entity entity = p->entities.items[i];
        const uint32_t owner = p->entities.items[entity.clan].owner;
        ph_attrs attrs;
        if (!entity.bound || entity.owner == owner) continue;
        if (ph_entity_get(engine_world(p->worlds[0]), entity.id, &attrs) == PH_OK)
            move_entity(p, entity.id, entity.owner, true); /* a child goes with its root */
        else p->entities.items[i].owner = owner;
    }
    for (size_t i = 0; i < p->entities.count; i++)
        CHECK(!p->entities.items[i].bound ||
                  p->entities.items[i].owner == p->entities.items[p->entities.items[i].clan].owner,
              "%llu is in another world than its clan", (unsigned long long)p->entities.items[i].id);
}

static void move_some(pair *p)
{
    const size_t count = p->entities.count;
    if (p->begun) return; /* commands were applied already: what there is now belongs behind them */
    for (size_t i = 0; i < count; i++) {
        const pair_entity entity = p->entities.items[i];
        if (entity.id != 0 && !entity.stirred && !entity.moved && phx_rng_below(&p->rng, p->options.often) == 0)
            move_entity(p, entity.id, entity.owner, false);
    }
}

/* ---- life ---- */

static void pair_destroy(void *self)
{
    pair *p = self;
    for (uint32_t w = 0; w < WORLDS; w++)
        if (p->worlds[w]) p->engine->destroy(p->worlds[w]);
    for (uint32_t c = 0; c < PAIR_CONSUMERS_MAX; c++) merged_batch_free(&p->merged[c]);
    VEC_FREE(&p->entities);
    free(p);
}

/* So many shards as asked for, but one along an axis that has fewer towers: an open side of them is a world's own. */
static void divide_world(ph_world_def *def, const uint32_t shards[2])
{
    memcpy(def->shards, shards, sizeof def->shards);
    const float side = phx_tower_side(def, phx_views_of_classes(def));
    for (uint32_t axis = 0; axis < 2; axis++)
        if (ceilf(def->world_size[axis] / side) < (float)shards[axis]) def->shards[axis] = 1;
}

static void *pair_create(const ph_world_def *def, uint32_t producers, ph_status *status)
{
    pair *p = check_zalloc(sizeof *p);
    p->engine = subject_engine();
    p->options = next_options;
    p->rng = next_options.seed;
    for (uint32_t w = 0; w < WORLDS; w++) {
        ph_world_def *own = &p->defs[w];
        *own = *def;
        own->producers_max = def->producers_max + FIRST_PRODUCER;
        own->crew = (ph_crew){0};
        divide_world(own, p->options.shards[w]);
        p->worlds[w] = p->engine->create(own, producers + FIRST_PRODUCER, status);
        if (!p->worlds[w]) {
            pair_destroy(p);
            return NULL;
        }
        p->front[w] = engine_producer(p->worlds[w], 0);
    }
    return p;
}

static ph_status pair_reconfigure(void *self, const ph_world_def *def)
{
    pair *p = self;
    ph_status status = PH_OK;
    gather_families(p);
    for (uint32_t w = 0; w < WORLDS; w++) {
        ph_world_def now = *def;
        now.producers_max = p->defs[w].producers_max;
        now.crew = p->defs[w].crew;
        memcpy(now.shards, p->defs[w].shards, sizeof now.shards);
        status = p->engine->reconfigure(p->worlds[w], &now);
    }
    return status;
}

/* ---- commands ---- */

/* The command for the world in which the entity is remote. */
static command as_remote(const command *c)
{
    command other = *c;
    if (c->type == COMMAND_ENTER || (c->type == COMMAND_SET && (c->attrs.given & PH_REMOTE))) {
        other.attrs.given |= PH_REMOTE;
        other.attrs.remote = true;
    }
    return other;
}

static void note_command(pair_entity *entity, const command *c)
{
    const bool remote = c->type == COMMAND_SET && (c->attrs.given & PH_REMOTE);
    entity->stirred |= c->type == COMMAND_ENTER || remote;
    entity->leaves |= c->type == COMMAND_LEAVE;
}

static ph_status pair_submit(void *self, uint32_t producer, const command *c)
{
    pair *p = self;
    gather_families(p);
    pair_entity *entity = entity_of(p, c->id);
    const command remote = as_remote(c);
    ph_status status[WORLDS];
    note_command(entity, c);
    for (uint32_t w = 0; w < WORLDS; w++)
        status[w] = p->engine->submit(p->worlds[w], producer + FIRST_PRODUCER, w == entity->owner ? c : &remote);
    CHECK(status[0] == status[1], "the worlds answer %s and %s", ph_status_name(status[0]), ph_status_name(status[1]));
    return status[0];
}

static ph_status pair_submit_many(void *self, uint32_t producer, const command *const *commands, uint32_t count,
                                  uint32_t *done)
{
    pair *p = self;
    ph_status status[WORLDS];
    command *changed = check_zalloc(count * sizeof *changed);
    const command **of_world = check_zalloc(count * sizeof *of_world);
    gather_families(p);
    for (uint32_t w = 0; w < WORLDS; w++) {
        for (uint32_t i = 0; i < count; i++) {
            pair_entity *entity = entity_of(p, commands[i]->id);
            note_command(entity, commands[i]);
            changed[i] = entity->owner == w ? *commands[i] : as_remote(commands[i]);
            of_world[i] = &changed[i];
        }
        status[w] = p->engine->submit_many(p->worlds[w], producer + FIRST_PRODUCER, of_world, count, done);
    }
    free(of_world);
    free(changed);
    CHECK(status[0] == status[1], "the worlds answer %s and %s", ph_status_name(status[0]), ph_status_name(status[1]));
    return status[0];
}

static ph_status pair_sequence(void *self, uint32_t producer, uint64_t *sequence)
{
    const pair *p = self;
    return p->engine->sequence(p->worlds[0], producer + FIRST_PRODUCER, sequence);
}

static ph_status pair_refusals(void *self, uint32_t producer, ph_refusal *refusals, uint32_t capacity, uint32_t *count)
{
    const pair *p = self;
    ph_refusal *others = check_zalloc((capacity + 1u) * sizeof *others);
    uint32_t other_count = 0;
    const ph_status status = p->engine->refusals(p->worlds[0], producer + FIRST_PRODUCER, refusals, capacity, count);
    CHECK_OK(p->engine->refusals(p->worlds[1], producer + FIRST_PRODUCER, others, capacity, &other_count));
    CHECK(*count == other_count && memcmp(refusals, others, *count * sizeof *others) == 0,
          "the worlds refuse otherwise");
    free(others);
    return status;
}

/* ---- ticks ---- */

/* No command of a capsule may be refused. */
static void check_front(const pair *p)
{
    for (uint32_t w = 0; w < WORLDS; w++) {
        ph_refusal refusal = {0};
        uint32_t count = 0;
        CHECK_OK(ph_producer_refusals(p->front[w], &refusal, 1, &count));
        CHECK(count == 0, "world %u refuses %s of %llu: %s", w, ph_command_name((ph_command)refusal.command),
              (unsigned long long)refusal.id, ph_status_name(refusal.status));
    }
}

static ph_status pair_apply(void *self)
{
    pair *p = self;
    gather_families(p);
    p->begun = true;
    const ph_status status = p->engine->apply(p->worlds[0]);
    return status == PH_OK ? p->engine->apply(p->worlds[1]) : status;
}

static ph_status pair_tick(void *self, uint64_t *tick)
{
    pair *p = self;
    uint64_t other = 0;
    gather_families(p);
    move_some(p);
    ph_status status = p->engine->tick(p->worlds[0], tick);
    if (status == PH_OK) status = p->engine->tick(p->worlds[1], &other);
    CHECK(*tick == other, "the worlds are in other ticks");
    check_front(p);
    for (size_t i = 0; i < p->entities.count; i++) p->entities.items[i].stirred = p->entities.items[i].leaves = false;
    p->begun = p->gathered = false;
    return status;
}

/* ---- batches ---- */

static ph_status pair_consumer_open(void *self, uint32_t consumer)
{
    const pair *p = self;
    CHECK_OK(p->engine->consumer_open(p->worlds[1], consumer));
    return p->engine->consumer_open(p->worlds[0], consumer);
}

static ph_status pair_consumer_close(void *self, uint32_t consumer)
{
    const pair *p = self;
    CHECK_OK(p->engine->consumer_close(p->worlds[1], consumer));
    return p->engine->consumer_close(p->worlds[0], consumer);
}

/* Edges of an entity that was given away are the end there, not of what they tell. */
static bool edge_told(void *user, uint32_t world, const ph_edge *edge)
{
    const pair_entity *entity = entity_of(user, edge->id);
    return !entity->moved || entity->owner == world;
}

/* Is anything told? */
static bool batch_tells(const ph_batch *batch)
{
    return batch->change_count + batch->delivery_count + batch->activation_count + batch->crossing_count +
               batch->update_count + batch->dropped >
           0;
}

static ph_status pair_batch_return(void *self, uint32_t consumer, const ph_batch *batch)
{
    pair *p = self;
    ph_status status = PH_OK;
    (void)batch;
    for (uint32_t w = 0; w < WORLDS; w++)
        if (p->taken[consumer][w]) status = p->engine->batch_return(p->worlds[w], consumer, p->taken[consumer][w]);
    return status;
}

/* One batch of both. Of scripts that take all batches in each tick, so that both are of the same one. */
static ph_status pair_batch_take(void *self, uint32_t consumer, const ph_batch **batch)
{
    pair *p = self;
    const ph_batch **taken = p->taken[consumer];
    ph_status status[WORLDS];
    for (uint32_t w = 0; w < WORLDS; w++) {
        taken[w] = NULL;
        status[w] = p->engine->batch_take(p->worlds[w], consumer, &taken[w]);
        if (status[w] != PH_OK) taken[w] = NULL;
    }
    if (!taken[0] && !taken[1]) return status[0] == PH_EMPTY ? status[1] : status[0];
    CHECK(!taken[0] || !taken[1] || taken[0]->tick == taken[1]->tick, "batches of two ticks");
    *batch = merged_batch_of(&p->merged[consumer], taken, edge_told, p);
    if (batch_tells(*batch)) return PH_OK;
    CHECK_OK(pair_batch_return(self, consumer, *batch));
    return PH_EMPTY;
}

/* ---- queries: of the world that simulates the one that is asked for ---- */

static ph_status pair_get(void *self, uint64_t id, ph_attrs *attrs)
{
    const pair *p = self;
    return p->engine->get(world_of(self, id), id, attrs);
}

static ph_status pair_sees(void *self, uint64_t observer, uint64_t target, bool *sees)
{
    const pair *p = self;
    return p->engine->sees(world_of(self, observer), observer, target, sees);
}

static ph_status pair_list(void *self, uint64_t observer, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    const pair *p = self;
    return p->engine->list(world_of(self, observer), observer, ids, capacity, count);
}

static int by_id(const void *a, const void *b)
{
    const uint64_t l = *(const uint64_t *)a, r = *(const uint64_t *)b;
    return l < r ? -1 : l > r;
}

static ph_status pair_observers(void *self, uint64_t target, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    const pair *p = self;
    uint32_t first = 0, more = 0;
    const ph_status status = p->engine->observers(p->worlds[0], target, ids, capacity, &first);
    if (status != PH_OK) return status;
    const uint32_t used = first < capacity ? first : capacity;
    CHECK_OK(p->engine->observers(p->worlds[1], target, ids ? ids + used : NULL, capacity - used, &more));
    *count = first + more;
    if (ids && *count <= capacity) qsort(ids, *count, sizeof *ids, by_id);
    return PH_OK;
}

static ph_status pair_explain(void *self, uint64_t observer, uint64_t target, ph_explanation *why)
{
    const pair *p = self;
    return p->engine->explain(world_of(self, observer), observer, target, why);
}

const subject_type *subject_pair(const pair_options *options)
{
    static const subject_type type = {
        .name = "pair",
        .create = pair_create,
        .destroy = pair_destroy,
        .submit = pair_submit,
        .submit_many = pair_submit_many,
        .sequence = pair_sequence,
        .refusals = pair_refusals,
        .apply = pair_apply,
        .tick = pair_tick,
        .reconfigure = pair_reconfigure,
        .consumer_open = pair_consumer_open,
        .consumer_close = pair_consumer_close,
        .batch_take = pair_batch_take,
        .batch_return = pair_batch_return,
        .get = pair_get,
        .sees = pair_sees,
        .list = pair_list,
        .observers = pair_observers,
        .explain = pair_explain,
    };
    next_options = *options;
    return &type;
}
