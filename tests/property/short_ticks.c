/*
 * Ticks that are finished without memory (ph_tick_finish()): from one allocation on all fail, in every stage of a tick
 * that may want memory. No tick is left open. After each tick
 *  - reads work, ph_verify() finds each list right, and the sum of all events is the list, but for observers with an
 *    emptied list, which ph_stats counts;
 *  - no entity is lost: behind the ingest phase a failure changes none of them, and a query finds each in its place;
 *  - once memory is back, the events lead to all lists within a few ticks, and no list waits for targets; each delivery
 *    of a broadcast was received, or is said and counted to be dropped.
 * At last all allocations of all ticks fail, the world is left by leaves alone, and entered again.
 *
 * options: --seed N, --profile NAME; --tick N --stage N --nth N: that allocation alone
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/oom_client.h"
#include "support/subject.h"

enum { SETTLING_TICKS = 60, STARVED_FROM = 5 };

typedef struct trial {
    oom_trial base;
    oom_client client;
    bool starved;                  /* all allocations of ticks fail */
    uint64_t finished[OOM_STAGES]; /* ticks that went on past a stage without its memory */
    uint64_t resets;
    uint64_t entities[OOM_TICKS]; /* a hash of them behind each tick */
} trial;

static bool fails(void *asked)
{
    trial *t = asked;
    const bool first = oom_trial_asked(&t->base);
    if (!t->base.ticking) return false;
    if (first) atomic_store_explicit(&t->base.short_of, true, memory_order_relaxed);
    const bool brief = t->base.site.nth % 2 == 0; /* every other time stages behind have memory */
    const bool here = !brief || t->base.inner->stage == t->base.site.stage;
    return t->starved || (atomic_load_explicit(&t->base.short_of, memory_order_relaxed) && here);
}

/* ---- checks ---- */

static void verify(trial *t)
{
    ph_verification progress = {0};
    ph_difference difference = {0};
    CHECK_OK(ph_verify(t->base.world, UINT64_MAX, &progress, &difference));
    if (!CHECK(difference.kind == PH_DIFFERENCE_NONE, "the list of %" PRIu64 " is wrong: %" PRIu64 " (%d)",
               difference.observer, difference.target, (int)difference.kind))
        oom_client_say(&t->client, "verified");
}

static uint64_t hash_of_entity(const ph_attrs *attrs)
{
    uint64_t hash = 0;
    const float of[] = {attrs->x, attrs->y, attrs->z, attrs->view, attrs->margin, attrs->reach};
    for (uint32_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        uint32_t bits;
        memcpy(&bits, &of[i], sizeof bits);
        hash = phx_mix64(hash ^ bits);
    }
    return phx_mix64(hash ^ attrs->user_data ^ (uint64_t)attrs->kind << 32 ^ attrs->consumer ^
                     (uint64_t)attrs->remote << 31);
}

/* A hash of all entities. */
static uint64_t hash_of_entities(trial *t)
{
    uint64_t hash = 0;
    for (uint64_t id = 1; id <= t->base.profile->entities; id++) {
        ph_attrs attrs = {0};
        const ph_status status = ph_entity_get(t->base.world, id, &attrs);
        CHECK(status == PH_OK || status == PH_UNKNOWN_ID, "%" PRIu64 ": %s", id, ph_status_name(status));
        hash = phx_mix64(hash ^ (status == PH_OK ? id + hash_of_entity(&attrs) : 0));
    }
    return hash;
}

/* Queries find each entity where it is, and no entity twice. */
static void check_places(trial *t)
{
    uint32_t count = 0, there = 0;
    for (uint64_t id = 1; id <= t->base.profile->entities; id++) {
        static ph_hit hits[OOM_IDS];
        ph_attrs attrs = {0};
        bool found = false;
        if (ph_entity_get(t->base.world, id, &attrs) != PH_OK) continue;
        there++;
        const ph_query query = {.shape = PH_QUERY_CIRCLE, .x = attrs.x, .y = attrs.y, .radius = 0};
        CHECK_OK(ph_find(t->base.world, &query, hits, OOM_IDS, &count));
        for (uint32_t i = 0; i < count && i < OOM_IDS; i++) found |= hits[i].id == id;
        if (!CHECK(found, "%" PRIu64 " is not found in its place", id)) oom_client_say(&t->client, "places");
    }
    const ph_query all = {.shape = PH_QUERY_CIRCLE, .radius = INFINITY};
    CHECK_OK(ph_find(t->base.world, &all, NULL, 0, &count));
    if (!CHECK(count == there, "%u entities are found, there are %u", count, there))
        oom_client_say(&t->client, "places");
}

/* ---- ticks ---- */

/* The tick is over, whatever fails; then there is memory again. */
static void tick_through(trial *t)
{
    oom_trial *base = &t->base;
    base->ticking = true;
    ph_status status = ph_tick(base->world, NULL);
    if (status == PH_NO_MEMORY) {
        t->finished[base->inner->stage]++;
        status = ph_tick_finish(base->world, NULL);
    }
    base->ticking = false;
    base->short_of = false;
    if (!CHECK(status == PH_OK, "the tick is not finished: %s, stage %u", ph_status_name(status), base->inner->stage))
        oom_client_say(&t->client, "finishing");
}

/* An apply that gets no memory is finished together with its tick; the other commands come in the next one. */
static void apply_through(trial *t)
{
    oom_trial *base = &t->base;
    base->ticking = true;
    ph_status status = ph_apply(base->world);
    if (status == PH_NO_MEMORY) {
        t->finished[base->inner->stage]++;
        status = ph_tick_finish(base->world, NULL);
    }
    base->ticking = false;
    base->short_of = false;
    if (!CHECK(status == PH_OK, "the apply is not finished: %s, stage %u", ph_status_name(status), base->inner->stage))
        oom_client_say(&t->client, "applying");
    check_places(t);
    oom_client_take(&t->client);
}

static void submit(trial *t)
{
    enum { PARTS = 3 };
    oom_trial *base = &t->base;
    const bool mute = base->profile->shards == 1; /* no broadcasts, so that a tick ends without their stages */
    const uint32_t count = (uint32_t)base->script->ticks[base->tick].count;
    for (uint32_t i = 0; i < count; i++) {
        if (base->tick % 2 == 1 && i % (count / PARTS + 1) == count / PARTS) apply_through(t);
        const command *c = &base->script->ticks[base->tick].items[i];
        if (!mute || (c->type != COMMAND_BROADCAST && c->type != COMMAND_BROADCAST_AT))
            CHECK_OK(engine_submit(base->producer, c));
    }
    if (base->tick != OOM_RECONFIGURED) return;
    const ph_world_def def = oom_trial_def(base, true);
    CHECK_OK(ph_world_reconfigure(base->world, &def, NULL, 0));
}

static void play_tick(trial *t)
{
    ph_stats stats;
    const uint64_t resets = t->resets;
    uint32_t kept = 0;
    tick_through(t);
    CHECK_OK(ph_world_stats(t->base.world, &stats));
    t->resets = stats.observers_reset;
    oom_client_take(&t->client);
    CHECK_OK(ph_world_stats(t->base.world, &stats));
    if (t->base.tick < OOM_TICKS) t->entities[t->base.tick] = hash_of_entities(t);
    if (t->base.site.nth == 0 && !t->starved) return;
    verify(t);
    if (t->starved || t->base.tick == t->base.site.tick) check_places(t);
    /* events that wait for a consumer are known later */
    const bool all_told = stats.consumers_pending == 0 && stats.batches_out == 0;
    const uint32_t differ = oom_client_differing(&t->client, &kept);
    if (resets == 0 && t->resets == 0 && all_told &&
        !CHECK(differ == 0, "%u observers have other lists than their events make", differ))
        oom_client_say(&t->client, "events");
    if (all_told && !CHECK(kept == 0, "%u lists that are not empty are not the lists of the events", kept))
        oom_client_say(&t->client, "resets");
}

/* With memory, and without a bound on events: in the end all lists are known, and none waits for targets. */
static void settle(trial *t)
{
    oom_trial *base = &t->base;
    ph_stats stats = {0};
    uint32_t differ = 1, kept = 0;
    bool held = true;
    ph_world_def def = oom_trial_def(base, true);
    def.events_max = 0;
    CHECK_OK(ph_world_reconfigure(base->world, &def, NULL, 0));
    for (uint32_t i = 0; i < SETTLING_TICKS && (differ > 0 || held || stats.consumers_pending > 0); i++, base->tick++) {
        const uint64_t held_before = stats.adds_held;
        play_tick(t);
        CHECK_OK(ph_world_stats(base->world, &stats));
        held = i == 0 || stats.adds_held != held_before;
        differ = oom_client_differing(&t->client, &kept);
    }
    if (!CHECK(differ == 0 && !held && stats.consumers_pending == 0, "%u observers never get their lists", differ))
        oom_client_say(&t->client, "settling");
    CHECK(stats.enters >= stats.leaves, "more leaves than enters");
    CHECK(stats.queued == 0 && stats.edges_waiting == 0, "commands or edges wait for ever");
    oom_client_check_edges(&t->client);
    oom_client_check_deliveries(&t->client);
}

static void play(trial *t)
{
    oom_trial *base = &t->base;
    t->client.trial = base;
    oom_trial_open(base, fails);
    REQUIRE(base->profile->entities < OOM_IDS);
    CHECK_STATUS(ph_tick_finish(base->world, NULL), PH_EMPTY);
    for (; base->tick < OOM_TICKS; base->tick++) {
        submit(t);
        play_tick(t);
    }
    settle(t);
    oom_trial_close(base);
}

/* ---- all sites ---- */

typedef struct sums {
    uint64_t tried, finished[OOM_STAGES], resets;
    uint64_t dropped; /* deliveries to consumers that are not slow: for want of memory alone */
} sums;

static void add_sums(sums *sum, const trial *t)
{
    for (uint32_t i = 0; i < OOM_STAGES; i++) sum->finished[i] += t->finished[i];
    sum->resets += t->resets;
    for (uint32_t c = 0; c < OOM_CONSUMERS; c++) sum->dropped += c != OOM_SLOW ? t->client.dropped[c] : 0;
    sum->tried++;
}

/* The sites of a profile. */
typedef struct failing {
    const trial *whole;
    sums *sum;
} failing;

static void fail_at(void *user, oom_site at)
{
    static trial t; /* large */
    const failing *of = user;
    t = (trial){.base = {.profile = of->whole->base.profile, .script = of->whole->base.script, .site = at}};
    play(&t);
    add_sums(of->sum, &t);
    for (uint32_t i = 0; i < OOM_TICKS && at.stage > PHX_STAGE_CROWD_APPLY; i++)
        if (!CHECK(t.entities[i] == of->whole->entities[i], "other entities behind tick %u", i))
            oom_client_say(&t.client, "entities");
}

static void submit_leaves(trial *t)
{
    for (uint64_t id = 1; id <= t->base.profile->entities; id++) {
        ph_attrs attrs;
        const command c = {.type = COMMAND_LEAVE, .id = id};
        if (ph_entity_get(t->base.world, id, &attrs) == PH_OK) CHECK_OK(engine_submit(t->base.producer, &c));
    }
}

/* All allocations of ticks fail from one tick on: the world is left, and entered again once there is memory. */
static void starve(const trial *whole, sums *sum)
{
    enum { LEAVING_TICKS = 20 };
    static trial t; /* large */
    oom_trial *base = &t.base;
    ph_stats stats = {.entities = 1};
    t = (trial){.base = {.profile = whole->base.profile, .script = whole->base.script}};
    t.client.trial = base;
    oom_trial_open(base, fails);
    for (; base->tick < OOM_TICKS; base->tick++) {
        t.starved = base->tick >= STARVED_FROM;
        submit(&t);
        play_tick(&t);
    }
    for (uint32_t i = 0; i < LEAVING_TICKS && stats.entities > 0; i++, base->tick++) {
        submit_leaves(&t);
        play_tick(&t);
        CHECK_OK(ph_world_stats(base->world, &stats));
    }
    if (!CHECK(stats.entities == 0, "%" PRIu64 " entities can not leave", stats.entities))
        oom_client_say(&t.client, "starving");
    t.starved = false;
    base->tick = 0;
    submit(&t);
    base->tick = OOM_TICKS;
    settle(&t);
    oom_trial_close(base);
    add_sums(sum, &t);
}

static void run_profile(const oom_profile *profile, uint64_t seed, oom_site only, sums *sum)
{
    static trial whole; /* large */
    oom_script script;
    failing of = {&whole, sum};
    oom_script_make(&script, profile, seed);
    whole = (trial){.base = {.profile = profile, .script = &script}};
    play(&whole);
    CHECK(whole.resets == 0, "%" PRIu64 " lists were emptied, with memory", whole.resets);
    for (uint32_t c = 0; c < OOM_CONSUMERS; c++)
        CHECK(c == OOM_SLOW || whole.client.dropped[c] == 0, "%" PRIu64 " deliveries were dropped, with memory",
              whole.client.dropped[c]);
    oom_each_site(&whole.base, only, seed, fail_at, &of);
    if (only.nth == 0) starve(&whole, sum);
    oom_script_free(&script);
}

/* Each stage that may stop has stopped. No script has capsules: capsule_calls ends ticks that lack memory for them. */
static void check_stages(const sums *sum, bool all)
{
    for (uint32_t i = 0; i < OOM_STAGES; i++) {
        if (sum->finished[i] > 0) (void)printf("stage %2u: %6" PRIu64 " times finished\n", i, sum->finished[i]);
        const bool never = i == PHX_STAGE_IDLE || i == PHX_STAGE_END_APPLY || i == PHX_STAGE_INGEST ||
                           i == PHX_STAGE_ARRIVE_IMPORTS || i == PHX_STAGE_COPY_ROWS || i == PHX_STAGE_LOCATE ||
                           i == PHX_STAGE_FILL || i == PHX_STAGE_END;
        CHECK(never ? sum->finished[i] == 0 : sum->finished[i] > 0 || !all, "stage %u: %" PRIu64 " times", i,
              sum->finished[i]);
    }
    CHECK(sum->resets > 0 || !all, "no list was emptied");
    CHECK(sum->dropped > 0 || !all, "no delivery was dropped");
}

int main(int argc, char **argv)
{
    const char *name = option_text(argc, argv, "--profile");
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const oom_site only = oom_site_option(argc, argv);
    uint32_t count = 0;
    const oom_profile *profiles = oom_profiles(&count);
    sums sum = {0};
    for (uint32_t i = 0; i < count; i++)
        if (name == NULL || strcmp(name, profiles[i].name) == 0) run_profile(&profiles[i], seed, only, &sum);
    (void)printf("%" PRIu64 " runs, %" PRIu64 " lists emptied, %" PRIu64 " deliveries dropped\n", sum.tried, sum.resets,
                 sum.dropped);
    check_stages(&sum, name == NULL && only.nth == 0 && test_amount(100) >= OOM_PERCENT_FOR_ALL);
    return check_done("finish");
}
