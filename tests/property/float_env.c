/*
 * The host's floating-point environment has no influence. With any rounding mode, denormals flushed or taken for zero,
 * and every exception unmasked, all answers are the model's, and all hashes and texts as in the default environment:
 * with one worker, with threads, and with the host's tasks on threads of just such an environment. So it is with ticks
 * that ph_tick_finish() ends. After every call the environment is as it was before, down to the sticky flags.
 *
 * options: --seed S, --count N scripts an environment and layout
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* feenableexcept() */
#endif
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <pharos/config.h>

#include "base/rng.h"
#include "support/digest.h"
#include "support/fail_alloc.h"
#include "support/run.h"
#include "support/script_gen.h"

enum { SCRIPTS = 12, ENTITIES = 600, TICKS = 8, TEXT_SIZE = 1 << 15 };

/* ---- environments ---- */

typedef struct environment {
    const char *name;
    int rounding;
    uint32_t flush; /* bits of MXCSR */
    int traps;      /* exceptions that end the process */
    int flags;      /* that are up already */
} environment;

enum { FTZ = 0x8000, DAZ = 0x0040, EVERY = FE_DIVBYZERO | FE_INEXACT | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW };

static const environment environments[] = {
    {"up", FE_UPWARD, 0, 0, 0},
    {"down", FE_DOWNWARD, 0, 0, FE_INEXACT},
    {"toward zero", FE_TOWARDZERO, 0, 0, FE_OVERFLOW},
    {"to nearest", FE_TONEAREST, 0, 0, 0},
    {"flush", FE_TONEAREST, FTZ, 0, FE_UNDERFLOW},
    {"denormals are zero", FE_TONEAREST, DAZ, 0, 0},
    {"both", FE_TONEAREST, FTZ | DAZ, 0, FE_INEXACT},
    {"up, both", FE_UPWARD, FTZ | DAZ, 0, 0},
    {"down, both", FE_DOWNWARD, FTZ | DAZ, 0, EVERY},
    {"toward zero, both", FE_TOWARDZERO, FTZ | DAZ, 0, 0},
    {"traps", FE_TONEAREST, 0, EVERY, 0},
    {"up, traps", FE_UPWARD, FTZ, EVERY, 0},
};

static const environment *current; /* NULL: the default */

/* All that there is to be seen of an environment. */
typedef struct seen {
    int rounding, traps, flags;
    uint32_t csr;
} seen;

static seen look(void)
{
    seen s = {fegetround(), fegetexcept(), fetestexcept(EVERY), 0};
#if defined(__SSE2__)
    s.csr = _mm_getcsr();
#endif
    return s;
}

static void take_on(const environment *e)
{
    (void)fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
    _mm_setcsr((_mm_getcsr() & ~0x3fu) | (uint32_t)e->flags | e->flush); /* flags by bits: raising them would trap */
#endif
    (void)fesetround(e->rounding);
    (void)feenableexcept(e->traps);
}

static seen before;

static void begin(void)
{
    if (current != NULL) {
        take_on(current);
        before = look();
    }
}

static ph_status end(const char *call, ph_status status)
{
    if (current != NULL) {
        seen after = look();
        (void)fesetenv(FE_DFL_ENV);
        CHECK(memcmp(&before, &after, sizeof after) == 0,
              "%s in '%s': rounding %x, was %x; traps %x, was %x; flags %x, was %x; csr %x, was %x", call,
              current->name, after.rounding, before.rounding, after.traps, before.traps, after.flags, before.flags,
              after.csr, before.csr);
    }
    return status;
}

/* ---- the engine, called in such an environment, and the model not ---- */

#define INSIDE(call) \
    begin(); \
    return end(#call, subject_engine()->call)

static void *create(const ph_world_def *def, uint32_t producers, ph_status *status)
{
    begin();
    void *self = subject_engine()->create(def, producers, status);
    (void)end("create", PH_OK);
    return self;
}

static void destroy(void *self)
{
    begin();
    subject_engine()->destroy(self);
    (void)end("destroy", PH_OK);
}

static ph_status submit(void *s, uint32_t p, const command *c)
{
    INSIDE(submit(s, p, c));
}

static ph_status submit_many(void *s, uint32_t p, const command *const *commands, uint32_t count, uint32_t *done)
{
    INSIDE(submit_many(s, p, commands, count, done));
}

static ph_status sequence(void *s, uint32_t p, uint64_t *n)
{
    INSIDE(sequence(s, p, n));
}

static ph_status refusals(void *s, uint32_t p, ph_refusal *told, uint32_t capacity, uint32_t *count)
{
    INSIDE(refusals(s, p, told, capacity, count));
}

static ph_status apply(void *s)
{
    INSIDE(apply(s));
}

static ph_status tick(void *s, uint64_t *t)
{
    INSIDE(tick(s, t));
}

static ph_status reconfigure(void *s, const ph_world_def *def)
{
    INSIDE(reconfigure(s, def));
}

static ph_status consumer_open(void *s, uint32_t c)
{
    INSIDE(consumer_open(s, c));
}

static ph_status consumer_close(void *s, uint32_t c)
{
    INSIDE(consumer_close(s, c));
}

static ph_status batch_take(void *s, uint32_t c, const ph_batch **batch)
{
    INSIDE(batch_take(s, c, batch));
}

static ph_status batch_return(void *s, uint32_t c, const ph_batch *batch)
{
    INSIDE(batch_return(s, c, batch));
}

static ph_status get(void *s, uint64_t id, ph_attrs *attrs)
{
    INSIDE(get(s, id, attrs));
}

static ph_status sees(void *s, uint64_t observer, uint64_t target, bool *yes)
{
    INSIDE(sees(s, observer, target, yes));
}

static ph_status list(void *s, uint64_t observer, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    INSIDE(list(s, observer, ids, capacity, count));
}

static ph_status observers(void *s, uint64_t target, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    INSIDE(observers(s, target, ids, capacity, count));
}

static ph_status find(void *s, const ph_query *query, ph_hit *hits, uint32_t capacity, uint32_t *count)
{
    INSIDE(find(s, query, hits, capacity, count));
}

static ph_status find_many(void *s, uint32_t count, const ph_query *queries, ph_answer *answers)
{
    INSIDE(find_many(s, count, queries, answers));
}

static ph_status find_visit(void *s, const ph_query *query, ph_hit_fn visit, void *user)
{
    INSIDE(find_visit(s, query, visit, user));
}

static ph_status explain(void *s, uint64_t observer, uint64_t target, ph_explanation *why)
{
    INSIDE(explain(s, observer, target, why));
}

static ph_status verify(void *s, uint64_t pairs, ph_verification *progress, ph_difference *difference)
{
    INSIDE(verify(s, pairs, progress, difference));
}

static ph_status stats(void *s, ph_stats *told)
{
    INSIDE(stats(s, told));
}

static ph_status hash(void *s, uint64_t *told)
{
    INSIDE(hash(s, told));
}

static ph_status resave(void *s, uint64_t layout, char *reason, size_t reason_size)
{
    INSIDE(resave(s, layout, reason, reason_size));
}

static const subject_type subject = {"engine in odd environments",
                                     create,
                                     destroy,
                                     submit,
                                     submit_many,
                                     sequence,
                                     refusals,
                                     apply,
                                     tick,
                                     reconfigure,
                                     consumer_open,
                                     consumer_close,
                                     batch_take,
                                     batch_return,
                                     get,
                                     sees,
                                     list,
                                     observers,
                                     find,
                                     find_many,
                                     find_visit,
                                     explain,
                                     verify,
                                     stats,
                                     hash,
                                     resave};

/* ---- the host's tasks: each on a thread of such an environment ---- */

typedef struct task {
    void (*body)(void *context, uint32_t index);
    void *context;
    uint32_t index;
    bool kept;
} task;

static void *run_task(void *argument)
{
    task *t = argument;
    if (current != NULL) {
        take_on(current);
    }
    seen was = look();
    t->body(t->context, t->index);
    seen is = look();
    (void)fesetenv(FE_DFL_ENV);
    t->kept = memcmp(&was, &is, sizeof is) == 0;
    return NULL;
}

static void parallel_for(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    enum { MOST = 8 };
    pthread_t threads[MOST];
    task tasks[MOST];
    (void)user;
    REQUIRE(count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        tasks[i] = (task){body, context, i, false};
        REQUIRE(pthread_create(&threads[i], NULL, run_task, &tasks[i]) == 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        CHECK(tasks[i].kept, "a task left its thread with another environment");
    }
}

/* ---- runs ---- */

typedef struct layout {
    uint32_t shards, workers;
    bool tasks;
    ph_simd simd;
} layout;

static const layout layouts[] = {{1, 1, false, PH_SIMD_AUTO},
                                 {2, 2, false, PH_SIMD_AUTO},
                                 {2, 2, true, PH_SIMD_AUTO},
                                 {1, 2, true, PH_SIMD_PORTABLE}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void play(const script *s, const layout *l, bool model, run_result *result)
{
    ph_world_def def = s->def;
    const run_options options = {
        .subject = &subject, .no_model = !model, .heavy = model, .query_every = model ? 0 : 4, .def = &def};
    for (int axis = 0; axis < 2; axis++) {
        if (def.world_size[axis] > (float)l->shards * def.tower_size) {
            def.shards[axis] = l->shards;
        }
    }
    def.workers = l->workers;
    def.share_min = 0;
    def.simd = l->simd;
    def.tasks.parallel_for = l->tasks ? parallel_for : NULL;
    run_script(s, &options, result);
}

/* Small worlds full of borderline cases and denormal numbers, against the model. */
static void small_worlds(uint64_t seed, uint64_t count, run_result *result)
{
    static const char *const profiles[] = {"tiny",  "edges", "borders", "mixed", "areas",
                                           "bands", "bad",   "grid",    "slow"};
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        const char *profile = profiles[i % COUNT(profiles)];
        script *s = ops_script(seed + i, (uint32_t)ops_profile_find(profile));
        play(s, &layouts[i % COUNT(layouts)], true, result);
        CHECK(!result->failed, "environment '%s', layout %d: --seed %" PRIu64 " --count 1, profile %s\n%s",
              current->name, (int)(i % COUNT(layouts)), seed + i, profile, result->report);
        script_free(s);
    }
}

/* A bigger one, in which most is decided by vectors, against itself in the default environment. */
static void big_worlds(uint64_t seed, run_result *result)
{
    run_result *base = check_zalloc(sizeof *base);
    for (int calm = 0; calm < 2; calm++) {
        script *s =
            ops_script_big(seed, ENTITIES, TICKS, PH_RANGE_RADIUS, calm ? PH_SHAPE_CIRCLE : PH_SHAPE_SPHERE, calm != 0);
        current = NULL;
        play(s, &layouts[0], false, base);
        for (size_t e = 0; e < COUNT(environments); e++) {
            current = &environments[e];
            play(s, &layouts[e % COUNT(layouts)], false, result);
            CHECK(!result->failed && result->event_hash == base->event_hash && result->world_hash == base->world_hash,
                  "environment '%s', seed %" PRIu64 ": events %016" PRIx64 ", expected %016" PRIx64 "; world %s %s",
                  current->name, seed, result->event_hash, base->event_hash,
                  result->world_hash == base->world_hash ? "equal" : "differs", result->report);
        }
        script_free(s);
    }
    free(base);
}

/* ---- texts ---- */

static const char text[] = "tower_size = 7.7 sticky = 1.1 "
                           "class default { view = 0.1 margin = 1.2e-38 reach = 16777217 }"
                           "class other { view = 3.3333333333333333333 band { radius = 0.7 every = 1 } }";

/* The text of a config, read and written, in `told`. */
static void read_and_write(char told[TEXT_SIZE])
{
    ph_config *config = NULL;
    ph_config_error error;
    char reason[256];
    ph_explanation why = {.reason = PH_REASON_TOO_FAR, .square = 0.1f, .radius = 0.3f};
    FILE *out = tmpfile();
    REQUIRE(out != NULL && ph_config_create(&config) == PH_OK);
    begin();
    CHECK_OK(end("ph_config_load_text", ph_config_load_text(config, "text", text, &error)));
    begin();
    CHECK_OK(end("ph_config_set", ph_config_set(config, "crowd_floor=0.1", &error)));
    begin();
    CHECK_OK(end("ph_config_dump", ph_config_dump(config, out)));
    begin();
    CHECK_OK(end("ph_config_reference", ph_config_reference(out)));
    ph_world_def def = *ph_config_def(config);
    def.tower_size = -0.1f;
    begin();
    CHECK_STATUS(end("ph_world_def_check", ph_world_def_check(&def, reason, sizeof reason)), PH_BAD_DEF);
    rewind(out);
    size_t length = fread(told, 1, TEXT_SIZE - 1, out);
    REQUIRE(length > 0 && fclose(out) == 0);
    told[length] = '\0';
    begin();
    char line[512];
    (void)ph_explanation_text(&why, line, sizeof line);
    (void)end("ph_explanation_text", PH_OK);
    REQUIRE(length + strlen(reason) + strlen(line) + 1 < TEXT_SIZE);
    (void)snprintf(told + length, TEXT_SIZE - length, "%s%s", reason, line);
    ph_config_destroy(config);
}

static void texts(void)
{
    static char expected[TEXT_SIZE], told[TEXT_SIZE];
    current = NULL;
    read_and_write(expected);
    for (size_t e = 0; e < COUNT(environments); e++) {
        current = &environments[e];
        read_and_write(told);
        CHECK(strcmp(expected, told) == 0, "texts differ in '%s'", current->name);
    }
}

/* ---- ticks without memory ---- */

enum { CROWD = 300, SIDE = 24 };

/* Tenths: with a view of 2.5, many targets stand just at its border. */
static ph_attrs place_of(uint64_t *rng)
{
    return (ph_attrs){.given = PH_X | PH_Y,
                      .x = (float)phx_rng_below(rng, 10 * SIDE) / 10,
                      .y = (float)phx_rng_below(rng, 10 * SIDE) / 10};
}

/* The class of the second tick on, and refused definitions: no number is taken for another one. */
static void reconfigure_world(ph_world world, ph_world_def def, const ph_class *later)
{
    char reason[256];
    ph_world_def other = def;
    other.world_origin[0] = 1e-40f;
    begin();
    CHECK_STATUS(end("ph_world_reconfigure", ph_world_reconfigure(world, &other, reason, sizeof reason)), PH_NOT_LIVE);
    other = def;
    other.sticky = NAN;
    begin();
    CHECK_STATUS(end("ph_world_reconfigure", ph_world_reconfigure(world, &other, reason, sizeof reason)), PH_BAD_DEF);
    CHECK(strcmp(reason, "sticky = nan is outside [1, 1000000]") == 0, "in '%s': %s", current ? current->name : "",
          reason);
    def.classes = later;
    begin();
    CHECK_OK(end("ph_world_reconfigure", ph_world_reconfigure(world, &def, reason, sizeof reason)));
}

/* A hash of the world and its events behind a tick. */
static uint64_t hash_of_tick(ph_world world, ph_consumer consumer)
{
    uint64_t sum = 0;
    size_t length = 0;
    ph_shard_stats shards[2];
    uint32_t count = 0;
    const ph_batch *batch = NULL;
    begin();
    CHECK_OK(end("ph_world_hash", ph_world_hash(world, &sum)));
    begin();
    CHECK_OK(end("ph_world_shard_stats", ph_world_shard_stats(world, shards, COUNT(shards), &count)));
    begin();
    CHECK_OK(end("ph_stats_prometheus", ph_stats_prometheus(world, NULL, 0, &length)));
    for (uint32_t i = 0; i < count; i++) sum = phx_mix64(sum + shards[i].enters) + shards[i].list_entries;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        sum = phx_mix64(sum) + digest_batch(batch);
        CHECK_OK(ph_batch_return(consumer, batch));
    }
    return sum;
}

/*
 * The nth allocation of a tick fails, and all behind it, so that ph_tick_finish() computes the stages from there on.
 * Returns a hash of all that follows. *finished: there was such an allocation.
 */
static uint64_t finished_hash(uint64_t nth, bool *finished)
{
    fail_alloc memory = {0};
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_class sooner = ph_class_default("default"), later = sooner;
    ph_world_def def = ph_world_def_default();
    uint64_t rng = 1, sum = 0;
    sooner.view = 1.5f;
    later.view = 2.5f;
    later.margin = 0.7f;
    later.band_count = 1;
    later.bands[0] = (ph_band){1.3f, 1};
    def.classes = &sooner;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = 3;
    def.crowd_entities = 7;
    def.shards[0] = 2;
    def.workers = 1; /* allocations in one order */
    def.allocator = fail_alloc_hooks(&memory);
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    REQUIRE(ph_consumer_open(world, 0, &consumer) == PH_OK);
    for (uint64_t id = 1; id <= CROWD; id++) {
        const ph_attrs at = place_of(&rng);
        CHECK_OK(ph_enter(producer, id, &at));
    }
    CHECK_OK(ph_tick(world, NULL));
    reconfigure_world(world, def, &later);
    for (uint64_t id = 1; id <= CROWD; id++) {
        const ph_attrs at = place_of(&rng);
        CHECK_OK(ph_move(producer, id, at.x, at.y, 0));
    }
    fail_alloc_order(&memory, nth, true);
    begin();
    ph_status status = end("ph_tick", ph_tick(world, NULL));
    *finished = status == PH_NO_MEMORY;
    if (*finished) {
        begin();
        status = end("ph_tick_finish", ph_tick_finish(world, NULL));
    }
    fail_alloc_order(&memory, 0, false);
    CHECK_OK(status);
    sum = hash_of_tick(world, consumer);
    begin();
    CHECK_OK(end("ph_tick", ph_tick(world, NULL)));
    sum = phx_mix64(sum) + hash_of_tick(world, consumer);
    CHECK_OK(ph_world_destroy(world));
    CHECK(fail_alloc_clean(&memory), "memory is left");
    return sum;
}

static void finished_ticks(void)
{
    uint64_t nth = 1;
    bool finished = true;
    for (; finished; nth++) {
        current = NULL;
        const uint64_t expected = finished_hash(nth, &finished);
        for (size_t e = 0; e < COUNT(environments) && finished; e++) {
            bool again = false;
            current = &environments[e];
            CHECK(finished_hash(nth, &again) == expected && again,
                  "'%s', without allocation %" PRIu64 ": another world or other events", current->name, nth);
        }
    }
    (void)printf("%" PRIu64 " allocations of a tick failed\n", nth - 2);
    CHECK(nth > 10, "%" PRIu64 " allocations", nth - 2);
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t count = option_number(argc, argv, "--count", test_amount(SCRIPTS) + COUNT(environments) / 4);
    run_result *result = check_zalloc(sizeof *result);
    texts();
    finished_ticks();
    for (size_t e = 0; e < COUNT(environments); e++) {
        current = &environments[e];
        small_worlds(seed + e * 1000, count, result);
    }
    big_worlds(seed, result);
    free(result);
    return check_done("float_env");
}
