/*
 * Memory runs out in every stage of a tick that may want it, once or until it is given up, and the tick goes on where
 * it stopped. State, events and counters have to be the same in every tick as in a world without failures, which
 * gets the same commands but for the ones that were refused for want of memory. And a world that stands in any stage
 * may be destroyed.
 *
 * A run without failures says how many allocations each stage of each tick asks for; each of them is made to fail, or
 * some by the seed (PHAROS_TEST_PERCENT). The table below has every stage: one that may stop has to have stopped, the
 * others never do.
 *
 * options: --seed N, --profile NAME; --tick N --stage N --nth N: that allocation alone
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/digest.h"
#include "support/oom_trial.h"
#include "support/subject.h"

enum { GIVEN_UP_AFTER = 2, TRIES_MAX = 8 };

/* A stage that gets no memory. */
typedef enum stage_kind {
    STAGE_STOPS,  /* it may stop for want of memory, and goes on */
    STAGE_BETTER, /* it asks for some, but does without */
    STAGE_NEVER   /* it asks for none */
} stage_kind;

static const struct {
    const char *name;
    stage_kind kind;
    const char *why;
} stages[OOM_STAGES] = {
    [PHX_STAGE_IDLE] = {"begin", STAGE_BETTER, "arrays of storms long ago are given back, and smaller ones asked for"},
    [PHX_STAGE_COLLECT] = {"collect", STAGE_STOPS, NULL},
    [PHX_STAGE_INGEST] = {"ingest", STAGE_BETTER, "commands are refused, and moves that can not be shared out are not"},
    [PHX_STAGE_FOLLOW] = {"follow", STAGE_STOPS, NULL},
    [PHX_STAGE_NOTE_APPLIED] = {"note applied", STAGE_STOPS, NULL},
    [PHX_STAGE_END_APPLY] = {"end apply", STAGE_NEVER, "blocks go back to producers"},
    [PHX_STAGE_CROWD_COUNT] = {"crowd count", STAGE_STOPS, NULL},
    [PHX_STAGE_CROWD_DECIDE] = {"crowd decide", STAGE_STOPS, NULL},
    [PHX_STAGE_CROWD_APPLY] = {"crowd apply", STAGE_STOPS, NULL},
    [PHX_STAGE_SEND_MIGRANTS] = {"send migrants", STAGE_STOPS, NULL},
    [PHX_STAGE_RECEIVE_MIGRANTS] = {"receive migrants", STAGE_STOPS, NULL},
    [PHX_STAGE_ARRIVE_IMPORTS] = {"arrive imports", STAGE_NEVER, "no script has capsules: capsule_calls has them"},
    [PHX_STAGE_SEND_PINS] = {"send pins", STAGE_STOPS, NULL},
    [PHX_STAGE_RECEIVE_PINS] = {"receive pins", STAGE_STOPS, NULL},
    [PHX_STAGE_SEND_COPIES] = {"send copies", STAGE_STOPS, NULL},
    [PHX_STAGE_RECEIVE_COPIES] = {"receive copies", STAGE_STOPS, NULL},
    [PHX_STAGE_INDEX] = {"index", STAGE_STOPS, NULL},
    [PHX_STAGE_COPY_ROWS] = {"mend", STAGE_NEVER, "rows follow their bodies in place"},
    [PHX_STAGE_ZONES] = {"zones", STAGE_STOPS, NULL},
    [PHX_STAGE_PLAN] = {"plan", STAGE_STOPS, NULL},
    [PHX_STAGE_INTEREST] = {"interest", STAGE_STOPS, NULL},
    [PHX_STAGE_SPREAD] = {"spread", STAGE_STOPS, NULL},
    [PHX_STAGE_BEGINNERS] = {"beginners", STAGE_STOPS, NULL},
    [PHX_STAGE_COMMIT] = {"commit", STAGE_STOPS, NULL},
    [PHX_STAGE_LOCATE] = {"locate", STAGE_NEVER, "sources were counted at ingest, each is looked up in place"},
    [PHX_STAGE_TARGET] = {"call", STAGE_STOPS, NULL},
    [PHX_STAGE_PIECES] = {"pieces", STAGE_STOPS, NULL},
    [PHX_STAGE_FIND_RECIPIENTS] = {"hear", STAGE_STOPS, NULL},
    [PHX_STAGE_UPDATES] = {"updates", STAGE_STOPS, NULL},
    [PHX_STAGE_FIND_UPDATES] = {"look", STAGE_STOPS, NULL},
    [PHX_STAGE_DEFER_UPDATES] = {"waits", STAGE_STOPS, NULL},
    [PHX_STAGE_BATCHES] = {"batches", STAGE_STOPS, NULL},
    [PHX_STAGE_FILL] = {"fill", STAGE_NEVER, "batches were made of the right size before"},
    [PHX_STAGE_OFFER] = {"offer", STAGE_STOPS, NULL},
    [PHX_STAGE_END] = {"end", STAGE_BETTER, "arrays of storms long ago are given back, and smaller ones asked for"},
};

/* The results of each tick of a run. */
typedef struct tick_record {
    uint64_t world, events[OOM_CONSUMERS];
    ph_stats stats;
} tick_record;

typedef struct record {
    tick_record ticks[OOM_TICKS];
} record;

typedef struct place {
    uint32_t tick, number;
} place;

typedef VEC(place) places;

/* The ways on after a failure. */
typedef enum ending {
    WAY_ONCE,    /* one allocation fails, and the tick is called again */
    WAY_AND_ON,  /* all fail from there on, until it has been called again a few times */
    WAY_DESTROY, /* one fails, and the world is destroyed as it stands */
    WAY_COUNT
} ending;

static const char *const way_text[WAY_COUNT] = {"once", "and on", "destroyed"};

/* One run: of a profile's script without some of its commands, with a failure or without. */
typedef struct trial {
    oom_trial base;
    const places *without; /* NULL = all are submitted */
    ending way;
    _Atomic uint64_t failed[OOM_STAGES]; /* written by workers; relaxed: counts order nothing */
    uint64_t stopped[OOM_STAGES];        /* ticks that came back without memory */
    places refused;
    record record;
} trial;

static bool fails(void *asked)
{
    trial *t = asked;
    const bool first = oom_trial_asked(&t->base);
    if (!t->base.ticking) return false;
    if (first && t->way == WAY_AND_ON) atomic_store_explicit(&t->base.short_of, true, memory_order_relaxed);
    const bool fail = first || atomic_load_explicit(&t->base.short_of, memory_order_relaxed);
    if (fail) atomic_fetch_add_explicit(&t->failed[t->base.inner->stage], 1, memory_order_relaxed);
    return fail;
}

/* ---- one tick ---- */

static bool left_out(const trial *t, uint32_t tick, uint32_t number)
{
    for (size_t i = 0; t->without != NULL && i < t->without->count; i++) {
        if (t->without->items[i].tick == tick && t->without->items[i].number == number) return true;
    }
    return false;
}

/* Sequence numbers are given by turns: the place of each submitted command in the script. */
static void submit_some(const trial *t, uint32_t tick, uint32_t from, uint32_t end, places *submitted)
{
    for (uint32_t i = from; i < end; i++) {
        if (left_out(t, tick, i)) continue;
        place p = {tick, i};
        CHECK_OK(engine_submit(t->base.producer, &t->base.script->ticks[tick].items[i]));
        VEC_PUSH(submitted, p);
    }
}

/* A tick, or an apply. false: the world is to be destroyed. */
static bool run_through(trial *t, bool apply)
{
    uint32_t tries = 0;
    ph_status status;
    t->base.ticking = true;
    while ((status = apply ? ph_apply(t->base.world) : ph_tick(t->base.world, NULL)) == PH_NO_MEMORY) {
        uint64_t hash = 0;
        const ph_batch *batch = NULL;
        t->stopped[t->base.inner->stage]++;
        if (t->way == WAY_DESTROY) break;
        CHECK_STATUS(ph_world_hash(t->base.world, &hash), PH_BUSY);
        /* consumers are offered theirs one after the other */
        if (t->base.inner->stage != PHX_STAGE_OFFER)
            CHECK_STATUS(ph_batch_take(t->base.consumers[0], &batch), PH_EMPTY);
        if (++tries > GIVEN_UP_AFTER) t->base.short_of = false;
        REQUIRE(tries < TRIES_MAX);
    }
    t->base.ticking = false;
    t->base.short_of = false;
    CHECK(status == PH_OK || t->way == WAY_DESTROY, "%s: %s", apply ? "ph_apply" : "ph_tick", ph_status_name(status));
    return status == PH_OK;
}

/* In every other tick the commands are applied in three parts, the last one by the tick itself. */
static bool submit_tick(trial *t, uint32_t tick, places *submitted)
{
    const uint32_t count = (uint32_t)t->base.script->ticks[tick].count, part = count / 3;
    const bool applies = tick % 2 == 1;
    for (uint32_t i = 0; i < 2; i++) {
        submit_some(t, tick, i * part, (i + 1) * part, submitted);
        if (applies && !run_through(t, true)) return false;
    }
    submit_some(t, tick, 2 * part, count, submitted);
    return true;
}

static void take_refusals(trial *t, const places *submitted)
{
    ph_refusal refusals[64];
    uint32_t count = 0;
    do {
        CHECK_OK(ph_producer_refusals(t->base.producer, refusals, sizeof refusals / sizeof refusals[0], &count));
        for (uint32_t i = 0; i < count; i++) {
            if (refusals[i].status != PH_NO_MEMORY) continue;
            REQUIRE(refusals[i].sequence >= 1 && refusals[i].sequence <= submitted->count);
            VEC_PUSH(&t->refused, submitted->items[refusals[i].sequence - 1]);
        }
    } while (count > 0);
}

/* The slow one is asked only now and then. */
static uint64_t take_events(const trial *t, uint32_t consumer, uint32_t tick)
{
    enum { SELDOM = 3 };
    const ph_batch *batch = NULL;
    uint64_t sum = 0;
    if (consumer == OOM_SLOW && tick % SELDOM != SELDOM - 1) return 0;
    while (ph_batch_take(t->base.consumers[consumer], &batch) == PH_OK) {
        sum = phx_mix64(sum) + digest_batch(batch);
        CHECK_OK(ph_batch_return(t->base.consumers[consumer], batch));
    }
    return sum;
}

static bool play_tick(trial *t, places *submitted)
{
    const uint32_t tick = t->base.tick;
    tick_record *now = &t->record.ticks[tick];
    if (!submit_tick(t, tick, submitted)) return false;
    if (tick == OOM_RECONFIGURED) {
        const ph_world_def def = oom_trial_def(&t->base, true);
        CHECK_OK(ph_world_reconfigure(t->base.world, &def, NULL, 0));
    }
    if (!run_through(t, false)) return false;
    take_refusals(t, submitted);
    for (uint32_t c = 0; c < OOM_CONSUMERS; c++) now->events[c] = take_events(t, c, tick);
    CHECK_OK(ph_world_hash(t->base.world, &now->world));
    CHECK_OK(ph_world_stats(t->base.world, &now->stats));
    return true;
}

static void play(trial *t)
{
    places submitted = {0};
    oom_trial_open(&t->base, fails);
    while (t->base.tick < OOM_TICKS && play_tick(t, &submitted)) t->base.tick++;
    oom_trial_close(&t->base);
    VEC_FREE(&submitted);
}

/* ---- comparison ---- */

/*
 * Counters of results. Work counters, times and memory may differ; so may rounds of the exchange, as an outbox that
 * gets no further block is full, and ghosts that are not needed any more.
 */
/* The tool would move a name to the next line each time that it runs. */
/* clang-format off */
#define SAME_STATS(X) \
    X(ticks) X(entities) X(instances) X(outside) X(remote) X(observers) X(list_entries) X(applied) X(enters) X(leaves) X(batches) \
    X(coalesced_ticks) X(deliveries) X(deliveries_dropped) X(deliveries_void) X(awake) X(woken) X(slept) \
    X(areas) X(area_enters) X(area_leaves) X(updates) X(adds_held) X(updates_held) X(updates_replaced) \
    X(migrations) X(halo_records) X(attached) X(broadcasts) X(payload_bytes) X(queued) X(batches_out) \
    X(net_events) X(mail_waiting) X(updates_waiting) X(edges_waiting) X(crowd_observers) X(crowd_narrowed) \
    X(crowd_widened) X(crowd_most) X(last_applied) X(last_enters) X(last_leaves) X(last_deliveries) \
    X(last_migrations) X(last_halo_records) X(last_payload_bytes) X(last_updates)
/* clang-format on */

static const char *other_stat(const ph_stats *a, const ph_stats *b)
{
#define OTHER_STAT(field) \
    if (a->field != b->field) return #field;
    SAME_STATS(OTHER_STAT)
#undef OTHER_STAT
    return NULL;
}

/* The name of the first difference of a tick, or NULL. */
static const char *other_tick(const tick_record *a, const tick_record *b)
{
    if (a->world != b->world) return "the world's hash";
    if (a->events[0] != b->events[0]) return "events";
    if (a->events[OOM_SLOW] != b->events[OOM_SLOW]) return "events of the slow consumer";
    return other_stat(&a->stats, &b->stats);
}

static void compare(const trial *t, const record *expected)
{
    for (uint32_t tick = 0; tick < OOM_TICKS; tick++) {
        const char *other = other_tick(&t->record.ticks[tick], &expected->ticks[tick]);
        if (other == NULL) continue;
        (void)CHECK(false, "--profile %s --tick %u --stage %u --nth %u (%s, %s): in tick %u %s differs",
                    t->base.profile->name, t->base.site.tick, t->base.site.stage, t->base.site.nth,
                    stages[t->base.site.stage].name, way_text[t->way], tick, other);
        return;
    }
}

/* ---- all sites ---- */

typedef struct sums {
    uint64_t tried, stopped[OOM_STAGES], failed[OOM_STAGES], refused;
} sums;

/* whole: a run without failures. */
static void fail_at(const trial *whole, oom_site at, ending way, sums *sum)
{
    trial t = {.base = {.profile = whole->base.profile, .script = whole->base.script, .site = at}, .way = way};
    uint64_t failed = 0;
    play(&t);
    for (uint32_t i = 0; i < OOM_STAGES; i++) {
        sum->stopped[i] += t.stopped[i];
        sum->failed[i] += t.failed[i];
        failed += t.failed[i];
    }
    /* with several workers, the order of their allocations differs from run to run */
    CHECK(failed > 0 || t.base.profile->workers > 1, "%s: allocation %u in stage %u of tick %u is not asked for again",
          t.base.profile->name, at.nth, at.stage, at.tick);
    sum->tried++;
    sum->refused += t.refused.count;
    if (way == WAY_DESTROY && t.base.tick < OOM_TICKS) {
        VEC_FREE(&t.refused);
        return;
    }
    if (t.refused.count == 0) {
        compare(&t, &whole->record);
        return;
    }
    trial other = {.base = {.profile = t.base.profile, .script = t.base.script}, .without = &t.refused};
    play(&other);
    compare(&t, &other.record);
    VEC_FREE(&t.refused);
}

/* The sites of a profile. */
typedef struct failing {
    const trial *whole;
    sums *sum;
} failing;

static void fail_all_ways(void *user, oom_site at)
{
    const failing *of = user;
    for (int i = 0; i < WAY_COUNT; i++) fail_at(of->whole, at, (ending)i, of->sum);
}

static void print_profile(const trial *whole, uint64_t runs, uint64_t refused)
{
    const ph_stats *stats = &whole->record.ticks[OOM_TICKS - 1].stats;
    uint64_t asked = 0;
    for (uint32_t tick = 0; tick < OOM_TICKS; tick++)
        for (uint32_t stage = 0; stage < OOM_STAGES; stage++) asked += whole->base.asked[tick][stage];
    (void)printf("%s: %" PRIu64 " allocations; %" PRIu64 " runs, %" PRIu64 " commands refused (%" PRIu64
                 " enters, %" PRIu64 " leaves, %" PRIu64 " migrations, %" PRIu64 " rounds, %" PRIu64
                 " deliveries, %" PRIu64 " of them lost, %" PRIu64 " updates; %" PRIu64 " remote at the end)\n",
                 whole->base.profile->name, asked, runs, refused, stats->enters, stats->leaves, stats->migrations,
                 stats->exchange_rounds, stats->deliveries, stats->deliveries_dropped, stats->updates, stats->remote);
}

static void run_profile(const oom_profile *profile, uint64_t seed, oom_site only, sums *sum)
{
    oom_script script;
    const uint64_t before = sum->tried, refused = sum->refused;
    oom_script_make(&script, profile, seed);
    trial whole = {.base = {.profile = profile, .script = &script}};
    failing of = {&whole, sum};
    play(&whole);
    oom_each_site(&whole.base, only, seed, fail_all_ways, &of);
    print_profile(&whole, sum->tried - before, sum->refused - refused);
    oom_script_free(&script);
}

/* Every stage that may stop has stopped, and no other one has. */
static void check_stages(const sums *sum)
{
    for (uint32_t i = 0; i < OOM_STAGES; i++) {
        const stage_kind kind = stages[i].kind;
        REQUIRE(stages[i].name != NULL && (kind == STAGE_STOPS) == (stages[i].why == NULL));
        (void)printf("%-16s %6" PRIu64 " allocations failed, %6" PRIu64 " ticks stopped%s%s\n", stages[i].name,
                     sum->failed[i], sum->stopped[i], stages[i].why ? ": " : "", stages[i].why ? stages[i].why : "");
        if (test_amount(100) < OOM_PERCENT_FOR_ALL) continue;
        CHECK((sum->stopped[i] > 0) == (kind == STAGE_STOPS), "stage %s: %" PRIu64 " ticks stopped", stages[i].name,
              sum->stopped[i]);
        CHECK((sum->failed[i] > 0) == (kind != STAGE_NEVER), "stage %s: %" PRIu64 " allocations failed", stages[i].name,
              sum->failed[i]);
    }
}

int main(int argc, char **argv)
{
    const char *name = option_text(argc, argv, "--profile");
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const oom_site only = oom_site_option(argc, argv);
    uint32_t count = 0;
    const oom_profile *profiles = oom_profiles(&count);
    sums sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (name == NULL || strcmp(name, profiles[i].name) == 0) run_profile(&profiles[i], seed, only, &sum);
    }
    if (name == NULL && only.nth == 0) check_stages(&sum);
    return check_done("oom_stages");
}
