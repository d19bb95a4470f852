/*
 * One answer for every layout: the same seeded run over workers, shards, tower sizes,
 * indexes, small exchanges, permuted task order, threads held up at random, and saves and loads has to give one
 * event hash, and one world hash over all its ticks. The first run of each world is also
 * compared with the model.
 *
 * options: --seed S, --count N worlds, --entities N, --ticks N, --verbose
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/indexes.h"
#include "support/perm_tasks.h"
#include "support/run.h"
#include "support/script_gen.h"

enum { WORLDS = 10, ENTITIES = 2000, TICKS = 12, QUERY_EVERY = 4 };

typedef enum tasks_kind { TASKS_OWN, TASKS_PERMUTED, TASKS_STALLED } tasks_kind;

typedef struct layout {
    uint32_t shards_x, shards_y;
    uint32_t workers;
    float tower_size; /* 0: as in the script; else the awake NPCs differ, and the world hash may */
    uint32_t exchange_bytes;
    tasks_kind tasks;
    bool heavy;   /* begins so, and is saved and loaded in another layout and index after every tick */
    ph_simd simd; /* where this machine has it; else the widest that it has */
} layout;

enum { SMALL = 16 << 10, WIDE = 1 << 20 };

static const layout layouts[] = {
    {1, 1, 2, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {1, 1, 4, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {2, 1, 1, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {1, 2, 2, 0, SMALL, TASKS_OWN, false, PH_SIMD_AUTO},
    {2, 2, 1, 0, SMALL, TASKS_OWN, false, PH_SIMD_AUTO},
    {2, 2, 3, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {3, 3, 2, 0, SMALL, TASKS_OWN, false, PH_SIMD_AUTO},
    {4, 4, 5, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {8, 1, 6, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {1, 8, 7, 0, SMALL, TASKS_OWN, false, PH_SIMD_AUTO},
    {8, 8, 8, 0, SMALL, TASKS_OWN, false, PH_SIMD_AUTO},
    {8, 8, 1, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {5, 7, 4, 0, SMALL, TASKS_OWN, false, PH_SIMD_AUTO},
    {40, 1, 2, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {1, 1, 3, 0, WIDE, TASKS_PERMUTED, false, PH_SIMD_AUTO},
    {3, 2, 4, 0, SMALL, TASKS_PERMUTED, false, PH_SIMD_AUTO},
    {4, 4, 8, 0, WIDE, TASKS_PERMUTED, false, PH_SIMD_AUTO},
    {8, 8, 5, 0, SMALL, TASKS_PERMUTED, false, PH_SIMD_AUTO},
    {2, 3, 3, 0, SMALL, TASKS_STALLED, false, PH_SIMD_AUTO},
    {4, 4, 4, 0, WIDE, TASKS_STALLED, false, PH_SIMD_AUTO},
    {1, 1, 1, 7, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {3, 3, 2, 7, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {2, 2, 1, 55, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {4, 3, 3, 55, SMALL, TASKS_PERMUTED, false, PH_SIMD_AUTO},
    {1, 1, 2, 2000, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {1, 1, 1, 0, WIDE, TASKS_OWN, false, PH_SIMD_PORTABLE},
    {2, 2, 2, 0, SMALL, TASKS_PERMUTED, false, PH_SIMD_PORTABLE},
    {1, 1, 1, 0, WIDE, TASKS_OWN, false, PH_SIMD_AVX2},
    {3, 1, 2, 0, SMALL, TASKS_OWN, false, PH_SIMD_AVX2},
    {1, 1, 1, 0, WIDE, TASKS_OWN, false, PH_SIMD_AVX512},
    {2, 2, 2, 0, WIDE, TASKS_OWN, true, PH_SIMD_AUTO},
    {5, 3, 1, 0, SMALL, TASKS_PERMUTED, true, PH_SIMD_AUTO},
};

/* The layouts of every index other than the lighthouse. */
static const layout index_layouts[] = {
    {1, 1, 1, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {3, 2, 2, 0, SMALL, TASKS_PERMUTED, false, PH_SIMD_AUTO},
    {4, 4, 3, 0, WIDE, TASKS_OWN, false, PH_SIMD_AUTO},
    {2, 2, 2, 7, WIDE, TASKS_STALLED, false, PH_SIMD_AUTO},
};

typedef struct kind_of_world {
    const char *name;
    ph_range range;
    ph_shape shape;
    bool calm;
    uint32_t events_max; /* 0: no tick comes near the bound */
} kind_of_world;

static const kind_of_world kinds[] = {
    {"circle", PH_RANGE_RADIUS, PH_SHAPE_CIRCLE, false, 0},
    {"calm circle", PH_RANGE_RADIUS, PH_SHAPE_CIRCLE, true, 4000},
    {"towers", PH_RANGE_TOWERS, PH_SHAPE_CIRCLE, false, 3000},
    {"calm square", PH_RANGE_RADIUS, PH_SHAPE_SQUARE, true, 0},
    {"square", PH_RANGE_RADIUS, PH_SHAPE_SQUARE, false, 2000},
    {"sphere", PH_RANGE_RADIUS, PH_SHAPE_SPHERE, false, 0},
    {"calm towers", PH_RANGE_TOWERS, PH_SHAPE_CIRCLE, true, 0},
    {"cylinder", PH_RANGE_RADIUS, PH_SHAPE_CYLINDER, false, 1},
    {"towers, sphere", PH_RANGE_TOWERS, PH_SHAPE_SPHERE, false, 0},
    {"calm sphere", PH_RANGE_RADIUS, PH_SHAPE_SPHERE, true, 5000},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void play(const script *s, const layout *l, ph_index index, uint64_t seed, run_result *result)
{
    ph_world_def def = s->def;
    run_options options = {.no_model = true, .def = &def, .heavy = l->heavy};
    perm_tasks tasks = {.rng = seed};
    def.shards[0] = l->shards_x;
    def.shards[1] = l->shards_y;
    def.workers = l->workers;
    def.share_min = 0;
    def.exchange_bytes = l->exchange_bytes;
    def.simd = l->simd;
    def.index = index;
    def.tower_size = l->tower_size != 0 ? l->tower_size : def.tower_size;
    if (l->tasks != TASKS_OWN) {
        def.tasks = l->tasks == TASKS_PERMUTED ? perm_tasks_serial(&tasks) : perm_tasks_threads(&tasks);
    }
    run_script(s, &options, result);
}

static void compare(const script *s, const run_result *base, const kind_of_world *kind, ph_index index, uint64_t seed,
                    bool verbose)
{
    bool lighthouse = index == PH_INDEX_LIGHTHOUSE;
    run_result *result = check_zalloc(sizeof *result);
    for (size_t i = 0; i < (lighthouse ? COUNT(layouts) : COUNT(index_layouts)); i++) {
        const layout *l = lighthouse ? &layouts[i] : &index_layouts[i];
        if (l->tower_size != 0 && kind->range == PH_RANGE_TOWERS) {
            continue; /* another tower size is another answer there */
        }
        play(s, l, index, seed + i, result);
        bool same = !result->failed && result->event_hash == base->event_hash && result->events == base->events &&
                    (l->tower_size != 0 ||
                     (result->world_hash == base->world_hash && result->activation_hash == base->activation_hash));
        CHECK(same,
              "seed %" PRIu64 " %s: index %s shards %ux%u workers %u tower %g exchange %u tasks %d simd %d: hash "
              "%016" PRIx64 " (%" PRIu64 " events), expected %016" PRIx64 " (%" PRIu64 "); world hash %s %s",
              seed, kind->name, index_name(index), l->shards_x, l->shards_y, l->workers, (double)l->tower_size,
              l->exchange_bytes, (int)l->tasks, (int)l->simd, result->event_hash, result->events, base->event_hash,
              base->events, result->world_hash == base->world_hash ? "equal" : "differs", result->report);
        if (verbose) {
            (void)printf("  %s shards %ux%u workers %u: %" PRIu64 " migrations, %" PRIu64 " rounds, %" PRIu64
                         " evaluated, %" PRIu64 " glanced\n",
                         index_name(index), l->shards_x, l->shards_y, l->workers, result->stats.migrations,
                         result->stats.exchange_rounds, result->stats.observers_evaluated,
                         result->stats.observers_glanced);
        }
    }
    free(result);
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t count = option_number(argc, argv, "--count", test_amount(WORLDS));
    uint32_t entities = (uint32_t)option_number(argc, argv, "--entities", ENTITIES);
    uint32_t ticks = (uint32_t)option_number(argc, argv, "--ticks", TICKS);
    bool verbose = option_flag(argc, argv, "--verbose");
    run_result *base = check_zalloc(sizeof *base);
    for (uint64_t i = 0; i < count; i++) {
        const kind_of_world *kind = &kinds[i % COUNT(kinds)];
        script *s = ops_script_big(seed + i, entities, ticks, kind->range, kind->shape, kind->calm);
        const run_options options = {.query_every = QUERY_EVERY};
        s->def.events_max = kind->events_max;
        run_script(s, &options, base);
        CHECK(!base->failed, "seed %" PRIu64 " %s, against the model: %s", seed + i, kind->name, base->report);
        CHECK((base->stats.ticks_spread > 0) == (kind->events_max > 0),
              "seed %" PRIu64 " %s: %" PRIu64 " ticks reached the bound on events", seed + i, kind->name,
              base->stats.ticks_spread);
        (void)printf("%s: %" PRIu64 " commands, %" PRIu64 " events, hash %016" PRIx64 "\n", kind->name, base->commands,
                     base->events, base->event_hash);
        for (int index = 0; index < INDEX_COUNT; index++) {
            if (index_serves(&s->def, (ph_index)index)) {
                compare(s, base, kind, (ph_index)index, seed + i, verbose);
            }
        }
        script_free(s);
    }
    free(base);
    return check_done("diff_layout");
}
