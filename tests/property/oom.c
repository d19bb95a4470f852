/*
 * Memory runs out at every allocation in turn, once and from there on: while a world is
 * made, while commands are submitted, inside ticks and applies. Then the status is PH_NO_MEMORY,
 * the world is as it was, and nothing leaks, whatever the index. Once there is memory again every tick equals the
 * model's, with no event lost or doubled.
 *
 * options: --only N (that allocation alone), --verbose
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/fail_alloc.h"
#include "support/history.h"
#include "support/indexes.h"
#include "support/model.h"
#include "support/subject.h"

enum {
    ENTITIES = 24,
    ROUNDS = 6,
    PER_ROUND = 60,
    APPLIED = 25,
    RETRIES_STICKY = 2,
    REFUSALS = 256,
    SITES_MAX = 100000
};

typedef struct sent {
    uint64_t sequence;
    command command;
} sent;

typedef struct trial {
    fail_alloc memory;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    model *m;
    VEC(sent) sent;     /* accepted, not applied yet */
    VEC(uint64_t) told; /* events of the tick, as numbers, to be compared without order */
    uint64_t failures_submit, failures_tick, failures_apply, refused;
    uint64_t site;
    bool sticky;
    ph_range range;
    ph_index index;
} trial;

static const ph_class *classes(void)
{
    static ph_class made[2];
    made[0] = ph_class_default("default");
    made[0].view = 30;
    made[0].wakes = true;
    made[0].band_count = 2;
    made[0].bands[0] = (ph_band){10, 1};
    made[0].bands[1] = (ph_band){25, 3};
    made[0].updates_max = 2;
    made[1] = ph_class_default("npc");
    made[1].reach = 20;
    return made;
}

static ph_world_def trial_def(fail_alloc *memory, ph_range range, ph_index index)
{
    ph_world_def def = ph_world_def_default();
    def.classes = classes();
    def.class_count = 2;
    def.world_size[0] = 100;
    def.world_size[1] = 100;
    def.tower_size = 10;
    def.shards[0] = 2;
    def.shards[1] = 2;
    def.entities_max = 1000;
    def.producer_bytes = 128u << 10;
    def.exchange_bytes = 16u << 10;
    def.activation_linger = 1;
    def.range = range;
    def.index = index;
    def.crowd_entities = range == PH_RANGE_RADIUS ? 3 : 0;
    def.allocator = fail_alloc_hooks(memory);
    return def;
}

/* ---- world create ---- */

static void create_with_failures(ph_range range, ph_index index, bool sticky)
{
    for (uint64_t site = 1; site < SITES_MAX; site++) {
        fail_alloc memory = {0};
        ph_world_def def = trial_def(&memory, range, index);
        ph_world world = {7, 7};
        fail_alloc_order(&memory, site, sticky);
        ph_status status = ph_world_create(&def, &world);
        bool failed = atomic_load(&memory.failed) != 0;
        if (!failed) {
            CHECK_STATUS(status, PH_OK);
            CHECK_OK(ph_world_destroy(world));
            (void)fail_alloc_clean(&memory);
            (void)printf("create: %" PRIu64 " allocations\n", site - 1);
            return;
        }
        CHECK(status == PH_NO_MEMORY && world.index1 == 0, "create, allocation %" PRIu64 "%s: %s", site,
              sticky ? " and on" : "", ph_status_name(status));
        (void)fail_alloc_clean(&memory);
    }
    (void)check_fail(__FILE__, __LINE__, "create never succeeds");
}

/* ---- commands ---- */

static command any_command(uint64_t *rng, uint32_t round)
{
    command c = {.type = COMMAND_MOVE, .id = 1 + phx_rng_below(rng, ENTITIES)};
    static const command_type types[] = {
        COMMAND_MOVE,      COMMAND_MOVE,      COMMAND_ENTER,    COMMAND_ENTER,    COMMAND_LEAVE,
        COMMAND_SET,       COMMAND_SET,       COMMAND_SET,      COMMAND_PAIR,     COMMAND_UNPAIR,
        COMMAND_LINK,      COMMAND_UNLINK,    COMMAND_MOVE,     COMMAND_ATTACH,   COMMAND_DETACH,
        COMMAND_BROADCAST, COMMAND_BROADCAST, COMMAND_AREA_SET, COMMAND_AREA_SET, COMMAND_AREA_REMOVE,
        COMMAND_RESEND,    COMMAND_HIDE,      COMMAND_UNHIDE,   COMMAND_REVEAL,   COMMAND_UNREVEAL};
    c.type = round == 0 ? COMMAND_ENTER : types[phx_rng_below(rng, sizeof types / sizeof types[0])];
    c.other = (c.id + (phx_rng_below(rng, 2) ? 0 : ENTITIES - 2)) % ENTITIES + 1; /* relations both ways, too */
    c.attrs.given = c.type == COMMAND_ENTER ? PH_X | PH_Y | PH_KIND : PH_VIEW;
    if (c.type == COMMAND_SET && phx_rng_below(rng, 3) > 0) c.attrs.given = PH_KIND | PH_USER_DATA; /* a new name */
    c.attrs.user_data = phx_rng_below(rng, 1000);
    c.attrs.x = phx_rng_unit(rng) * 110;
    c.attrs.y = phx_rng_unit(rng) * 110;
    c.attrs.kind = phx_rng_below(rng, 2);
    c.attrs.view = (float)phx_rng_below(rng, 60);
    c.say.bytes = phx_rng_below(rng, 90);
    c.say.flags = phx_rng_below(rng, 2) * PH_BROADCAST_SELF;
    c.say.kind_count = phx_rng_below(rng, 4) == 0;
    c.say.radius = c.say.bytes % 2 == 0 ? 0 : c.attrs.view;
    if (c.type == COMMAND_BROADCAST && c.say.bytes % 4 == 1) {
        c.type = COMMAND_BROADCAST_AT;
        c.id = 0;
        c.say.flags = 0;
        c.say.x = c.attrs.x;
        c.say.y = c.attrs.y;
        c.say.layers = 1;
    }
    c.area = (ph_area){.shape = (ph_area_shape)phx_rng_below(rng, 2),
                       .center = {c.attrs.x, c.attrs.y},
                       .low = {0, c.attrs.y},
                       .high = {c.attrs.x, c.attrs.y + 30},
                       .radius = c.attrs.view};
    return c;
}

static void submit(trial *t, const command *c)
{
    uint64_t before = 0;
    uint64_t after = 0;
    CHECK_OK(ph_producer_sequence(t->producer, &before));
    ph_status status = engine_submit(t->producer, c);
    CHECK_OK(ph_producer_sequence(t->producer, &after));
    if (status == PH_NO_MEMORY) {
        CHECK(after == before, "a command that was not queued took a sequence number");
        t->failures_submit++;
        return;
    }
    CHECK(status == PH_OK, "site %" PRIu64 ": submit: %s", t->site, ph_status_name(status));
    sent s = {after, *c};
    VEC_PUSH(&t->sent, s);
}

/* Commands refused for want of memory changed nothing; the model does not get them either. */
static void drop_refused(trial *t)
{
    ph_refusal refusals[REFUSALS];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(t->producer, refusals, REFUSALS, &count));
    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = 0; refusals[i].status == PH_NO_MEMORY && j < t->sent.count; j++) {
            if (t->sent.items[j].sequence == refusals[i].sequence) {
                VEC_REMOVE(&t->sent, j);
                t->refused++;
                break;
            }
        }
    }
}

/* ---- comparison ---- */

enum { FRESH = 0xfffff }; /* no target's id: the first change of the observer's list */

static uint64_t event_number(uint64_t observer, bool enter, uint64_t target)
{
    return observer << 32 | target << 1 | enter;
}

/* Deliveries: observer, source, place in its order; a broadcast is known by its length. */
static uint64_t heard_number(uint64_t observer, uint64_t source, uint32_t bytes, uint32_t place)
{
    return 1ull << 63 | observer << 48 | source << 40 | (uint64_t)bytes << 24 | place;
}

/* Edges of activation and areas. */
static uint64_t edge_number(uint64_t id, uint64_t area, bool on)
{
    return 3ull << 62 | id << 32 | area << 1 | on;
}

/* Updates: observer, target, position. */
static uint64_t moved_number(uint64_t observer, uint64_t target, float x, float y, uint32_t band)
{
    uint32_t place = ((uint32_t)(int32_t)(x * 64.0f) * 31 + (uint32_t)(int32_t)(y * 64.0f)) * PH_BANDS_MAX + band;
    return 1ull << 62 | observer << 48 | target << 32 | place;
}

static int by_number(const void *a, const void *b)
{
    uint64_t l = *(const uint64_t *)a;
    uint64_t r = *(const uint64_t *)b;
    return l < r ? -1 : l > r;
}

static void take_events(trial *t)
{
    const ph_batch *batch = NULL;
    t->told.count = 0;
    while (ph_batch_take(t->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *change = &batch->changes[i];
            if (change->flags & PH_CHANGE_FRESH) VEC_PUSH(&t->told, event_number(change->observer, true, FRESH));
            for (uint32_t j = 0; j < change->leave_count + change->enter_count; j++) {
                bool enter = j >= change->leave_count;
                VEC_PUSH(&t->told, event_number(change->observer, enter, batch->targets[change->first + j].id));
            }
        }
        for (uint32_t i = 0; i < batch->delivery_count; i++) {
            const ph_delivery *d = &batch->deliveries[i];
            for (uint32_t j = 0; j < d->count; j++) {
                const ph_message *m = &batch->messages[batch->heard[d->first + j]];
                VEC_PUSH(&t->told, heard_number(d->observer, m->source, m->bytes, j));
            }
        }
        for (uint32_t i = 0; i < batch->activation_count; i++) {
            const ph_edge *e = &batch->activations[i];
            VEC_PUSH(&t->told, edge_number(e->id, e->area, e->on));
        }
        for (uint32_t i = 0; i < batch->crossing_count; i++) {
            const ph_edge *e = &batch->crossings[i];
            VEC_PUSH(&t->told, edge_number(e->id, e->area, e->on));
        }
        for (uint32_t i = 0; i < batch->update_count; i++) {
            const ph_update *u = &batch->updates[i];
            for (uint32_t j = 0; j < u->count; j++) {
                const ph_moved *m = &batch->moved[batch->due[u->first + j]];
                VEC_PUSH(&t->told, moved_number(u->observer, m->id, m->x, m->y, batch->bands[u->first + j]));
            }
        }
        CHECK_OK(ph_batch_return(t->consumer, batch));
    }
}

static void compare_events(trial *t, uint32_t round)
{
    const model_change *changes = NULL;
    size_t count = model_changes(t->m, &changes);
    VEC(uint64_t) expected = {0};
    for (size_t i = 0; i < count; i++) {
        if (changes[i].fresh) VEC_PUSH(&expected, event_number(changes[i].observer.id, true, FRESH));
        for (size_t j = 0; j < changes[i].targets.count; j++) {
            VEC_PUSH(&expected, event_number(changes[i].observer.id, j >= changes[i].leave_count,
                                             changes[i].targets.items[j].key.id));
        }
    }
    const model_message *messages = NULL;
    const model_heard *heard = NULL;
    (void)model_messages(t->m, &messages);
    count = model_hearings(t->m, &heard);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < heard[i].messages.count; j++) {
            const model_message *m = &messages[heard[i].messages.items[j]];
            VEC_PUSH(&expected, heard_number(heard[i].observer.id, m->source, m->say.bytes, j));
        }
    }
    const model_edge *edges = NULL;
    count = model_edges(t->m, &edges);
    for (size_t i = 0; i < count; i++) {
        VEC_PUSH(&expected, edge_number(edges[i].entity.id, edges[i].area, edges[i].on));
    }
    const model_update *updates = NULL;
    count = model_updates(t->m, &updates);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < updates[i].moved.count; j++) {
            const model_moved *m = &updates[i].moved.items[j];
            VEC_PUSH(&expected, moved_number(updates[i].observer.id, m->key.id, m->at.x, m->at.y, m->band));
        }
    }
    take_events(t);
    bool same = expected.count == t->told.count;
    if (same && expected.count != 0) {
        qsort(expected.items, expected.count, sizeof(uint64_t), by_number);
        qsort(t->told.items, t->told.count, sizeof(uint64_t), by_number);
        same = memcmp(expected.items, t->told.items, expected.count * sizeof(uint64_t)) == 0;
    }
    CHECK(same, "%s, site %" PRIu64 "%s, tick %u: %zu events, expected %zu, or others", index_name(t->index), t->site,
          t->sticky ? " and on" : "", round + 1, t->told.count, expected.count);
    VEC_FREE(&expected);
}

static void compare_lists(trial *t, uint32_t round)
{
    uint64_t expected[ENTITIES];
    uint64_t got[ENTITIES + 1];
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        uint32_t expected_count = 0;
        uint32_t got_count = 0;
        ph_status status = ph_list(t->world, id, got, ENTITIES + 1, &got_count);
        ph_status model_status = model_list(t->m, id, expected, &expected_count);
        bool same =
            status == model_status &&
            (status != PH_OK || (got_count == expected_count && memcmp(got, expected, got_count * sizeof got[0]) == 0));
        CHECK(same, "site %" PRIu64 "%s, tick %u: the list of %" PRIu64 " differs (%s)", t->site,
              t->sticky ? " and on" : "", round + 1, id, ph_status_name(status));
    }
}

/* ---- one run ---- */

/* Ticks, or applies, until there was memory for all of it. */
static void run_through(trial *t, bool apply)
{
    uint32_t tries = 0;
    ph_status status;
    while ((status = apply ? ph_apply(t->world) : ph_tick(t->world, NULL)) == PH_NO_MEMORY) {
        uint64_t hash = 0;
        *(apply ? &t->failures_apply : &t->failures_tick) += 1;
        CHECK_STATUS(ph_world_hash(t->world, &hash), PH_BUSY);
        const ph_batch *batch = NULL;
        CHECK_STATUS(ph_batch_take(t->consumer, &batch), PH_EMPTY);
        if (++tries > RETRIES_STICKY) {
            fail_alloc_order(&t->memory, 0, false);
        }
        REQUIRE(tries < 10);
    }
    CHECK(status == PH_OK, "site %" PRIu64 ": %s: %s", t->site, apply ? "apply" : "tick", ph_status_name(status));
}

/* The failure that is ordered, while there is memory for all. */
typedef struct later_failure {
    uint64_t made, fail_at;
} later_failure;

static later_failure hold_failure(trial *t)
{
    const later_failure later = {atomic_load(&t->memory.calls), t->memory.fail_at};
    fail_alloc_order(&t->memory, 0, false);
    return later;
}

static void resume_failure(trial *t, later_failure later)
{
    if (later.fail_at == 0) return;
    const bool ahead = later.fail_at > later.made;
    fail_alloc_order(&t->memory, ahead ? later.fail_at - later.made : 1, t->sticky);
    t->memory.fail_at = ahead || t->sticky ? t->memory.fail_at : 0;
}

/* Queries may need memory too, and get it: they are not to fail here. */
static void compare(trial *t, uint32_t round)
{
    const later_failure later = hold_failure(t);
    compare_events(t, round);
    compare_lists(t, round);
    resume_failure(t, later);
}

/* Where most was refused for want of memory, there may be none. */
static bool anybody_sees(const trial *t)
{
    uint64_t ids[ENTITIES];
    uint32_t count = 0;
    for (uint64_t id = 1; id <= ENTITIES; id++)
        if (ph_list(t->world, id, ids, ENTITIES, &count) == PH_OK && count > 0) return true;
    return false;
}

/* Where memory is short the same observer comes again; in the end all are through, and all is well. */
static void verify_without_memory(trial *t)
{
    const bool lists = anybody_sees(t);
    ph_verification progress = {0};
    ph_difference difference = {0};
    uint32_t stops = 0;
    for (uint32_t calls = 0; progress.rounds == 0 && calls < 64 * ENTITIES; calls++) {
        fail_alloc_order(&t->memory, 1 + calls % 12, false); /* one with a list needs some, never that many */
        ph_status status = ph_verify(t->world, 1, &progress, &difference);
        CHECK(status == PH_OK || status == PH_NO_MEMORY, "ph_verify: %s", ph_status_name(status));
        CHECK(difference.kind == PH_DIFFERENCE_NONE, "difference %d of %" PRIu64 ", %" PRIu64, (int)difference.kind,
              difference.observer, difference.target);
        stops += status == PH_NO_MEMORY;
    }
    fail_alloc_order(&t->memory, 0, false);
    CHECK(progress.rounds == 1 && (stops > 0 || !lists), "%" PRIu64 " rounds, memory was short %" PRIu32 " times",
          progress.rounds, stops);
}

/* A query that can not get memory says so, and the world is as it was. */
static void query_without_memory(trial *t)
{
    uint64_t ids[ENTITIES];
    uint32_t count = 0;
    uint64_t before = 0;
    uint64_t after = 0;
    CHECK_OK(ph_world_hash(t->world, &before));
    fail_alloc_order(&t->memory, 1, true);
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_status list = ph_list(t->world, id, ids, ENTITIES, &count);
        ph_status observers = ph_observers(t->world, id, ids, ENTITIES, &count);
        CHECK(list == PH_OK || list == PH_NO_MEMORY || list == PH_UNKNOWN_ID, "ph_list: %s", ph_status_name(list));
        CHECK(observers == PH_OK || observers == PH_NO_MEMORY || observers == PH_UNKNOWN_ID, "ph_observers: %s",
              ph_status_name(observers));
    }
    fail_alloc_order(&t->memory, 0, false);
    verify_without_memory(t);
    CHECK_OK(ph_world_hash(t->world, &after));
    CHECK(before == after, "a query changed the world");
}

/* A new definition that there is no memory for changes nothing, now or in the tick. */
static void reconfigure_without_memory(trial *t)
{
    ph_world_def def = trial_def(&t->memory, t->range, t->index);
    ph_class kinds[3];
    uint64_t before = 0;
    uint64_t after = 0;
    memcpy(kinds, classes(), 2 * sizeof kinds[0]);
    kinds[2] = ph_class_default("third");
    kinds[0].view = 5;
    def.classes = kinds;
    def.class_count = 3;
    /* views are at their final step, NPCs that fall asleep have done so, and the last moves are long ago */
    for (uint32_t i = 0; i < 20 + PH_BAND_EVERY_MAX; i++) {
        CHECK_OK(ph_tick(t->world, NULL));
    }
    CHECK_OK(ph_world_hash(t->world, &before));
    fail_alloc_order(&t->memory, 1, true);
    CHECK_STATUS(ph_world_reconfigure(t->world, &def, NULL, 0), PH_NO_MEMORY);
    fail_alloc_order(&t->memory, 0, false);
    CHECK_OK(ph_tick(t->world, NULL));
    CHECK_OK(ph_world_hash(t->world, &after));
    CHECK(before == after, "a refused definition took effect");
}

static void submit_some(trial *t, uint64_t *rng, uint32_t round, uint32_t count)
{
    uint64_t before = 0;
    uint64_t after = 0;
    CHECK_OK(ph_world_hash(t->world, &before));
    for (uint32_t i = 0; i < count; i++) {
        command c = any_command(rng, round);
        submit(t, &c);
    }
    CHECK_OK(ph_world_hash(t->world, &after));
    CHECK(before == after, "submitting changed the world before the tick");
}

/* The model gets the commands that were applied. */
static void tell_model(trial *t)
{
    drop_refused(t);
    for (size_t i = 0; i < t->sent.count; i++) {
        (void)model_submit(t->m, 0, &t->sent.items[i].command);
    }
    t->sent.count = 0;
}

/* A query after an apply finds the entities that are there by now. */
static void find_applied(const trial *t, uint32_t round, float x, float y)
{
    enum { RADIUS = 25 };
    const ph_query around = {.shape = PH_QUERY_CIRCLE, .x = x, .y = y, .radius = RADIUS};
    ph_hit hits[ENTITIES];
    uint32_t count = 0, expected = 0;
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs at;
        if (model_get(t->m, id, &at) != PH_OK) continue;
        const float dx = at.x - x, dy = at.y - y, xx = dx * dx, yy = dy * dy;
        expected += xx + yy <= RADIUS * RADIUS;
    }
    CHECK_OK(ph_find(t->world, &around, hits, ENTITIES, &count));
    CHECK(count == expected, "site %" PRIu64 "%s, tick %u: %" PRIu32 " found, %" PRIu32 " are there", t->site,
          t->sticky ? " and on" : "", round + 1, count, expected);
}

/* Entities are where they were applied. */
static void compare_applied(trial *t, uint32_t round)
{
    enum { SIDE = 110, STEP = 22 };
    const later_failure later = hold_failure(t);
    for (int x = 0; x < SIDE; x += STEP)
        for (int y = 0; y < SIDE; y += STEP) find_applied(t, round, (float)x, (float)y);
    resume_failure(t, later);
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs got, expected;
        const ph_status status = ph_entity_get(t->world, id, &got);
        CHECK(status == model_get(t->m, id, &expected) &&
                  (status != PH_OK ||
                   (got.x == expected.x && got.y == expected.y && got.user_data == expected.user_data)),
              "site %" PRIu64 "%s, tick %u: %" PRIu64 " is not as it was applied (%s)", t->site,
              t->sticky ? " and on" : "", round + 1, id, ph_status_name(status));
    }
}

static void play_round(trial *t, uint64_t *rng, uint32_t round)
{
    if (round % 3 == 1) { /* a part of the commands is applied before the tick */
        submit_some(t, rng, round, APPLIED);
        run_through(t, true);
        tell_model(t);
        model_apply_waiting(t->m);
        compare_applied(t, round);
    }
    submit_some(t, rng, round, round % 3 == 1 ? PER_ROUND - APPLIED : PER_ROUND);
    run_through(t, false);
    tell_model(t);
    (void)model_tick(t->m);
    compare(t, round);
}

/* true when the ordered failure was met. */
static bool play(ph_range range, ph_index index, uint64_t site, bool sticky, trial *sum)
{
    trial t = {.site = site, .sticky = sticky, .range = range, .index = index};
    ph_world_def def = trial_def(&t.memory, range, index);
    uint64_t rng = 99;
    REQUIRE(ph_world_create(&def, &t.world) == PH_OK);
    t.m = model_create(&def);
    fail_alloc_order(&t.memory, site, sticky);
    while (ph_producer_open(t.world, &t.producer) == PH_NO_MEMORY) {
        fail_alloc_order(&t.memory, 0, false);
        t.failures_submit++;
    }
    CHECK_OK(ph_consumer_open(t.world, 0, &t.consumer));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        play_round(&t, &rng, round);
    }
    bool met = atomic_load(&t.memory.failed) != 0;
    query_without_memory(&t);
    reconfigure_without_memory(&t);
    CHECK(!met || t.failures_submit + t.failures_tick + t.failures_apply + t.refused != 0 || !sticky,
          "site %" PRIu64 ": an allocation failed and no status said so", site);
    sum->failures_submit += t.failures_submit;
    sum->failures_tick += t.failures_tick;
    sum->failures_apply += t.failures_apply;
    sum->refused += t.refused;
    CHECK_OK(ph_world_destroy(t.world));
    (void)fail_alloc_clean(&t.memory);
    model_destroy(t.m);
    VEC_FREE(&t.sent);
    VEC_FREE(&t.told);
    return met;
}

static void fail_everywhere(ph_range range, ph_index index, bool sticky, uint64_t only)
{
    trial sum = {0};
    uint64_t percent = test_amount(100), every = percent < 100 ? 100 / percent : 1; /* each index begins elsewhere */
    uint64_t site = only != 0 ? only : 1 + (uint64_t)index % every, failed = 0;
    create_with_failures(range, index, sticky);
    while (play(range, index, site, sticky, &sum) && only == 0 && check_failures() == 0) {
        site += every;
        failed++;
        REQUIRE(site < SITES_MAX);
    }
    (void)printf("%s, range = %s, %s: %" PRIu64 " allocations failed in turn: %" PRIu64 " told at submit, %" PRIu64
                 " by a tick, %" PRIu64 " by an apply, %" PRIu64 " commands refused\n",
                 index_name(index), range == PH_RANGE_TOWERS ? "towers" : "radius", sticky ? "from there on" : "once",
                 failed, sum.failures_submit, sum.failures_tick, sum.failures_apply, sum.refused);
}

int main(int argc, char **argv)
{
    static const ph_range ranges[] = {PH_RANGE_RADIUS, PH_RANGE_TOWERS};
    uint64_t only = option_number(argc, argv, "--only", 0);
    fail_alloc memory = {0};
    for (int i = 0; i < 2 * INDEX_COUNT; i++) {
        const ph_range range = ranges[i / INDEX_COUNT];
        const ph_index index = (ph_index)(i % INDEX_COUNT);
        ph_world_def def = trial_def(&memory, range, index);
        if (index_serves(&def, index)) {
            fail_everywhere(range, index, false, only);
            fail_everywhere(range, index, true, only);
        }
    }
    return check_done("oom");
}
