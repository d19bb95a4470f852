/*
 * Ticks that are finished without memory (ph_tick_finish()): from one allocation on all fail, in every stage of a tick
 * that may want memory. Stages that grow with entities and commands alone may wait for memory. After each tick
 *  - reads work, ph_verify() finds each list right, and the sum of all events is the list, but for observers with an
 *    emptied list, which ph_stats counts;
 *  - once memory is back, the events lead to all lists within a few ticks, and no list waits for targets.
 *
 * options: --seed N, --profile NAME; --tick N --stage N --nth N: that allocation alone
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "api/handles.h"
#include "base/rng.h"
#include "support/fail_alloc.h"
#include "support/oom_script.h"
#include "support/subject.h"

enum {
    STAGE_COUNT = PHX_STAGE_END + 1,
    IDS = 1024,
    AREAS = 8,
    WORDS = IDS / 64,
    SETTLING_TICKS = 60,
    FAILURES_ENOUGH = 10
};
enum { PERCENT_FOR_ALL_STAGES = 10 }; /* less, as under sanitizers, may leave some out */

/* Stages that can be finished without memory. */
static const bool finishes[STAGE_COUNT] = {
    [PHX_STAGE_COLLECT] = true,      [PHX_STAGE_FOLLOW] = true,          [PHX_STAGE_CROWD_COUNT] = true,
    [PHX_STAGE_CROWD_DECIDE] = true, [PHX_STAGE_CROWD_APPLY] = true,     [PHX_STAGE_ZONES] = true,
    [PHX_STAGE_PLAN] = true,         [PHX_STAGE_INTEREST] = true,        [PHX_STAGE_SPREAD] = true,
    [PHX_STAGE_COMMIT] = true,       [PHX_STAGE_BEGINNERS] = true,       [PHX_STAGE_TARGET] = true,
    [PHX_STAGE_PIECES] = true,       [PHX_STAGE_FIND_RECIPIENTS] = true, [PHX_STAGE_UPDATES] = true,
    [PHX_STAGE_LOOK] = true,         [PHX_STAGE_DEFER_UPDATES] = true,   [PHX_STAGE_BATCHES] = true,
    [PHX_STAGE_OFFER] = true,
};

typedef struct site {
    uint32_t tick, stage, nth; /* the nth allocation, from 1, that is asked for in a stage of a tick; 0 = none */
} site;

typedef struct trial {
    const oom_profile *profile;
    const oom_script *script;
    site site;
    fail_alloc memory;
    phx_world *inner;
    ph_world world;
    ph_producer producer;
    ph_consumer consumers[OOM_CONSUMERS];
    uint32_t tick;
    bool ticking;
    _Atomic uint32_t asked[OOM_TICKS][STAGE_COUNT]; /* relaxed: counts order nothing */
    _Atomic bool short_of;                          /* all allocations fail; likewise */
    uint64_t finished[STAGE_COUNT];                 /* ticks that went on past a stage without its memory */
    uint64_t waited[STAGE_COUNT], resets;
    bool in[IDS];              /* the entity is in the world */
    uint32_t stay[IDS];        /* its incarnation */
    uint64_t since[IDS];       /* the tick from which on its client is told of its list */
    uint64_t seen[IDS][WORDS]; /* the sum of all events, by observer */
    int32_t on[IDS][AREAS];    /* ... and of all edges, by entity: of its activation, and of areas */
    uint64_t edges_held;
} trial;

static bool fails(void *asked)
{
    trial *t = asked;
    if (!t->ticking || t->tick >= OOM_TICKS) return false;
    const uint32_t stage = t->inner->stage;
    const uint32_t nth = atomic_fetch_add_explicit(&t->asked[t->tick][stage], 1, memory_order_relaxed) + 1;
    if (t->site.nth == nth && t->site.tick == t->tick && t->site.stage == stage)
        atomic_store_explicit(&t->short_of, true, memory_order_relaxed);
    const bool brief = t->site.nth % 2 == 0; /* every other time stages behind have memory */
    return atomic_load_explicit(&t->short_of, memory_order_relaxed) && (!brief || stage == t->site.stage);
}

static void say(const trial *t, const char *what)
{
    (void)fprintf(stderr, "--profile %s --tick %u --stage %u --nth %u: tick %u: %s\n", t->profile->name, t->site.tick,
                  t->site.stage, t->site.nth, t->tick, what);
}

/* ---- a client's lists ---- */

static void take_change(trial *t, const ph_batch *batch, const ph_change *change)
{
    uint64_t *seen = t->seen[change->observer];
    if (change->flags & PH_CHANGE_FRESH) memset(seen, 0, sizeof t->seen[0]);
    if (!CHECK(!(change->flags & PH_CHANGE_FRESH) || change->leave_count == 0, "leaves of a fresh list"))
        say(t, "a fresh change");
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const uint64_t id = batch->targets[change->first + i].id, bit = UINT64_C(1) << id % 64;
        const bool enters = i >= change->leave_count, had = seen[id / 64] & bit;
        if (!CHECK(had != enters, "%" PRIu64 " is told twice that %" PRIu64 " %s", change->observer, id,
                   enters ? "enters" : "leaves"))
            say(t, "an event");
        seen[id / 64] ^= bit;
    }
}

static void take_edges(trial *t, const ph_edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) t->on[edges[i].id][edges[i].area] += edges[i].on ? 1 : -1;
}

/* The slow consumer is asked only now and then, until the script is over. */
static void take_batches(trial *t)
{
    enum { SELDOM = 3 };
    const ph_batch *batch = NULL;
    for (uint32_t c = 0; c < OOM_CONSUMERS; c++) {
        if (c == OOM_SLOW && t->tick < OOM_TICKS && t->tick % SELDOM != SELDOM - 1) continue;
        while (ph_batch_take(t->consumers[c], &batch) == PH_OK) {
            for (uint32_t i = 0; i < batch->change_count; i++)
                if (batch->tick >= t->since[batch->changes[i].observer]) take_change(t, batch, &batch->changes[i]);
            take_edges(t, batch->activations, batch->activation_count);
            take_edges(t, batch->crossings, batch->crossing_count);
            CHECK_OK(ph_batch_return(t->consumers[c], batch));
        }
    }
}

/* An observer that left, or is not ready, gets nothing more: its client forgets. */
static void forget_gone(trial *t)
{
    for (uint64_t id = 1; id <= t->profile->entities; id++) {
        phx_shard *shard;
        uint32_t slot;
        t->in[id] = phx_world_find(t->inner, id, &shard, &slot);
        const uint32_t stay = t->in[id] ? shard->store.name[slot].incarnation : 0;
        const bool ready = t->in[id] && phx_store_attr(&shard->store, slot)->ready;
        if (!ready || stay != t->stay[id]) {
            memset(t->seen[id], 0, sizeof t->seen[id]);
            t->since[id] = t->inner->tick;
        }
        t->stay[id] = stay;
    }
}

/* Is the entity in the area, or for PHX_EDGE_AWAKE, is an NPC near an entity that wakes it? */
static bool is_on(const trial *t, const phx_shard *shard, uint32_t slot, uint64_t area)
{
    const phx_world *w = t->inner;
    const phx_body *body = &shard->store.body[slot];
    const uint64_t *place = area != PHX_EDGE_AWAKE ? phx_idmap_find(&w->areas.index, area) : NULL;
    const phx_area_entry *entry = place ? &w->areas.at[*place] : NULL;
    if (area != PHX_EDGE_AWAKE)
        return entry != NULL && entry->live && phx_area_for_kind(entry, shard->store.name[slot].kind) &&
               phx_area_has(entry, false, body->x, body->y);
    bool near = false;
    for (uint64_t id = 1; id <= t->profile->entities; id++) {
        phx_shard *other;
        uint32_t at;
        if (!phx_world_find(w, id, &other, &at) || !phx_is_waker(&w->rules, phx_store_attr(&other->store, at)))
            continue;
        const phx_body *waker = &other->store.body[at];
        const int dx = abs((int)waker->tx - (int)body->tx), dy = abs((int)waker->ty - (int)body->ty);
        near |= dx <= (int)w->rules.wake_span && dy <= (int)w->rules.wake_span;
    }
    return near && phx_is_npc(&w->rules, phx_store_attr(&shard->store, slot));
}

/* At rest, the sum of all edges is what holds. */
static void check_edges(const trial *t)
{
    for (uint64_t id = 1; id <= t->profile->entities; id++) {
        phx_shard *shard;
        uint32_t slot = 0;
        const bool here = phx_world_find(t->inner, id, &shard, &slot);
        for (uint64_t area = 0; area < AREAS; area++) {
            const int32_t on = here && is_on(t, shard, slot, area);
            if (!CHECK(t->on[id][area] == on, "%" PRIu64 ", area %" PRIu64 ": the edges sum up to %d, not %d", id, area,
                       t->on[id][area], on))
                say(t, "edges");
        }
    }
}

/* Does the observer's client know another list than there is? */
static bool list_differs(trial *t, uint64_t id, uint32_t *count)
{
    static uint64_t ids[IDS];
    uint64_t listed[WORDS] = {0};
    REQUIRE(ph_list(t->world, id, ids, IDS, count) == PH_OK);
    for (uint32_t i = 0; i < *count; i++) listed[ids[i] / 64] |= UINT64_C(1) << ids[i] % 64;
    return memcmp(listed, t->seen[id], sizeof listed) != 0;
}

/* How many clients know another list than ph_list(); *not_empty: of them, with a list that was not emptied. */
static uint32_t differing(trial *t, uint32_t *not_empty)
{
    uint32_t differ = 0;
    uint64_t entries = 0;
    ph_stats stats = {0};
    *not_empty = 0;
    for (uint64_t id = 1; id <= t->profile->entities; id++) {
        uint32_t count = 0;
        const bool differs = t->in[id] && list_differs(t, id, &count);
        entries += count;
        if (!differs) continue;
        differ++;
        *not_empty += count > 0;
    }
    CHECK_OK(ph_world_stats(t->world, &stats));
    if (!CHECK(stats.list_entries == entries, "%" PRIu64 " list entries are counted, there are %" PRIu64,
               stats.list_entries, entries))
        say(t, "list_entries");
    return differ;
}

static void verify(trial *t)
{
    ph_verification progress = {0};
    ph_difference difference = {0};
    CHECK_OK(ph_verify(t->world, UINT64_MAX, &progress, &difference));
    if (!CHECK(difference.kind == PH_DIFFERENCE_NONE, "the list of %" PRIu64 " is wrong: %" PRIu64 " (%d)",
               difference.observer, difference.target, (int)difference.kind))
        say(t, "verified");
}

/* ---- ticks ---- */

/* The tick is over, or waits in a stage that can not be finished; then there is memory again. */
static void tick_through(trial *t)
{
    t->ticking = true;
    ph_status status = ph_tick(t->world, NULL);
    for (uint32_t tries = 0; status == PH_NO_MEMORY; tries++) {
        const uint32_t stopped = t->inner->stage;
        status = ph_tick_finish(t->world, NULL);
        const uint32_t stage = t->inner->stage;
        t->finished[stopped] += t->short_of && (status == PH_OK || stage > stopped);
        if (status == PH_OK) break;
        REQUIRE(status == PH_NO_MEMORY && tries < 3);
        t->waited[stage]++;
        if (!CHECK(!finishes[stage], "stage %u is not finished", stage)) say(t, "finishing");
        t->short_of = false;
    }
    t->ticking = false;
    t->short_of = false;
    CHECK_OK(status);
}

static ph_world_def def_of(trial *t, bool later)
{
    ph_world_def def = oom_def(t->profile, later);
    def.allocator = fail_alloc_hooks(&t->memory);
    return def;
}

static void submit(trial *t)
{
    const bool mute = t->profile->shards == 1; /* no broadcasts, so that a tick ends without their stages */
    for (uint32_t i = 0; i < t->script->ticks[t->tick].count; i++) {
        const command *c = &t->script->ticks[t->tick].items[i];
        if (!mute || (c->type != COMMAND_BROADCAST && c->type != COMMAND_BROADCAST_AT))
            CHECK_OK(engine_submit(t->producer, c));
    }
    if (t->tick != OOM_RECONFIGURED) return;
    ph_world_def def = def_of(t, true);
    CHECK_OK(ph_world_reconfigure(t->world, &def, NULL, 0));
}

static void play_tick(trial *t)
{
    ph_stats stats;
    const uint64_t resets = t->resets;
    uint32_t kept = 0;
    tick_through(t);
    CHECK_OK(ph_world_stats(t->world, &stats));
    t->resets = stats.observers_reset;
    forget_gone(t);
    take_batches(t);
    CHECK_OK(ph_world_stats(t->world, &stats));
    if (t->site.nth == 0) return;
    verify(t);
    /* events that wait for a consumer are known later */
    const bool all_told = stats.consumers_pending == 0 && stats.batches_out == 0;
    const uint32_t differ = differing(t, &kept);
    if (resets == 0 && t->resets == 0 && all_told &&
        !CHECK(differ == 0, "%u observers have other lists than their events make", differ))
        say(t, "events");
    if (all_told && !CHECK(kept == 0, "%u lists that are not empty are not the lists of the events", kept))
        say(t, "resets");
}

/* With memory, and without a bound on events: in the end all lists are known, and none waits for targets. */
static void settle(trial *t)
{
    ph_stats stats = {0};
    uint32_t differ = 1, kept = 0;
    bool held = true;
    ph_world_def def = def_of(t, true);
    def.events_max = 0;
    CHECK_OK(ph_world_reconfigure(t->world, &def, NULL, 0));
    for (uint32_t i = 0; i < SETTLING_TICKS && (differ > 0 || held || stats.consumers_pending > 0); i++, t->tick++) {
        const uint64_t held_before = stats.adds_held;
        play_tick(t);
        CHECK_OK(ph_world_stats(t->world, &stats));
        held = i == 0 || stats.adds_held != held_before;
        differ = differing(t, &kept);
    }
    if (!CHECK(differ == 0 && !held && stats.consumers_pending == 0, "%u observers never get their lists", differ))
        say(t, "settling");
    CHECK(stats.enters >= stats.leaves, "more leaves than enters");
    CHECK(stats.queued == 0 && stats.edges_waiting == 0, "commands or edges wait for ever");
    check_edges(t);
}

static void play(trial *t)
{
    ph_world_def def = def_of(t, false);
    t->memory.fails = fails;
    t->memory.asked = t;
    REQUIRE(ph_world_create(&def, &t->world) == PH_OK && t->profile->entities < IDS);
    t->inner = phx_resolve_world(t->world);
    REQUIRE(ph_producer_open(t->world, &t->producer) == PH_OK);
    CHECK_STATUS(ph_tick_finish(t->world, NULL), PH_EMPTY);
    for (uint32_t c = 0; c < OOM_CONSUMERS; c++) REQUIRE(ph_consumer_open(t->world, c, &t->consumers[c]) == PH_OK);
    for (t->tick = 0; t->tick < OOM_TICKS; t->tick++) {
        submit(t);
        play_tick(t);
    }
    settle(t);
    CHECK_OK(ph_world_destroy(t->world));
    (void)fail_alloc_clean(&t->memory);
}

/* ---- all sites ---- */

typedef struct sums {
    uint64_t tried, finished[STAGE_COUNT], waited[STAGE_COUNT], resets;
} sums;

static void fail_at(const trial *whole, site at, sums *sum)
{
    static trial t; /* large */
    t = (trial){.profile = whole->profile, .script = whole->script, .site = at};
    play(&t);
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        sum->finished[i] += t.finished[i];
        sum->waited[i] += t.waited[i];
    }
    sum->resets += t.resets;
    sum->tried++;
}

/* Of the allocations in one stage of a tick all, or by the seed some, in a smaller amount of tests. */
static void fail_some(const trial *whole, uint32_t tick, uint32_t stage, uint64_t *rng, sums *sum)
{
    enum { PERCENT_FOR_ONE_MORE = 20 };
    const uint32_t percent = (uint32_t)test_amount(100), count = whole->asked[tick][stage];
    uint64_t most = percent < 100 ? 1 + percent / PERCENT_FOR_ONE_MORE : UINT64_MAX;
    if (!finishes[stage] && percent < 100) most = 1;
    for (uint32_t i = 0; i < count && most > 0; i++) {
        if (phx_rng_below(rng, count - i) >= most) continue;
        most--;
        if (check_failures() < FAILURES_ENOUGH) fail_at(whole, (site){tick, stage, i + 1}, sum);
    }
}

/* only: one site, or all if its nth is 0. */
static void run_profile(const oom_profile *profile, uint64_t seed, site only, sums *sum)
{
    static trial whole; /* large */
    oom_script script;
    uint64_t rng = seed;
    oom_script_make(&script, profile, seed);
    whole = (trial){.profile = profile, .script = &script};
    play(&whole);
    CHECK(whole.resets == 0, "%" PRIu64 " lists were emptied, with memory", whole.resets);
    if (only.nth > 0) fail_at(&whole, only, sum);
    for (uint32_t tick = 0; only.nth == 0 && tick < OOM_TICKS; tick++)
        for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) fail_some(&whole, tick, stage, &rng, sum);
    oom_script_free(&script);
}

int main(int argc, char **argv)
{
    const char *name = option_text(argc, argv, "--profile");
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const site only = {.tick = (uint32_t)option_number(argc, argv, "--tick", 0),
                       .stage = (uint32_t)option_number(argc, argv, "--stage", 0),
                       .nth = (uint32_t)option_number(argc, argv, "--nth", 0)};
    uint32_t count = 0;
    const oom_profile *profiles = oom_profiles(&count);
    sums sum = {0};
    for (uint32_t i = 0; i < count; i++)
        if (name == NULL || strcmp(name, profiles[i].name) == 0) run_profile(&profiles[i], seed, only, &sum);
    (void)printf("%" PRIu64 " runs, %" PRIu64 " lists emptied\n", sum.tried, sum.resets);
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        if (sum.finished[i] + sum.waited[i] > 0)
            (void)printf("stage %2u: %6" PRIu64 " times finished, %6" PRIu64 " waited\n", i, sum.finished[i],
                         sum.waited[i]);
        const bool some = name != NULL || only.nth > 0 || test_amount(100) < PERCENT_FOR_ALL_STAGES;
        CHECK(!finishes[i] || sum.finished[i] > 0 || some, "no tick was finished in stage %u", i);
    }
    CHECK(sum.resets > 0, "no list was emptied");
    return check_done("finish");
}
