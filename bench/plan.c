/*
 * From the command line to the cases; see plan.h. The config of a case is, in this order:
 * defaults, the file, the scenario's world and keys, the features', --set, --shards, --workers.
 */
#include "bench/plan.h"

#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "bench/base/memory.h"
#include "bench/engines/pharos.h"
#include "bench/engines/worlds.h"
#include "bench/option_lists.h"
#include "tools/cli.h"

/* A case that compares indexes is given up when it would take longer. */
enum { PATIENCE_S = 60 };

static bool set_key(ph_config *config, const char *assignment, bench_error *error)
{
    ph_config_error reason = {.reason = ""};
    ph_status status = ph_config_set(config, assignment, &reason);
    if (status == PH_OK) {
        return true;
    }
    return bench_fail(error, "%s", status == PH_NO_MEMORY ? ph_status_text(status) : reason.reason);
}

/* The scenario's own: the world's side (0 = as it is for so many entities), then its keys. */
static bool set_scenario(ph_config *config, const bench_scenario *scenario, uint32_t entities, float given_side,
                         bench_error *error)
{
    if (scenario->side > 0) {
        char world[64];
        double side = (double)(given_side > 0 ? given_side : bench_scenario_side(scenario, entities));
        snprintf(world, sizeof world, "world_size=%.9g,%.9g", side, side);
        if (!set_key(config, "world_origin=0,0", error) || !set_key(config, world, error)) {
            return false;
        }
    }
    for (uint32_t i = 0; scenario->keys[i] != NULL; i++) {
        if (!set_key(config, scenario->keys[i], error)) {
            return false;
        }
    }
    return true;
}

static bool set_features(ph_config *config, const bench_features *features, bench_error *error)
{
    for (uint32_t f = 0; features != NULL && f < features->count; f++) {
        const char *const *keys = features->list[f]->keys;
        for (uint32_t i = 0; keys != NULL && keys[i] != NULL; i++) {
            if (!set_key(config, keys[i], error)) {
                return false;
            }
        }
    }
    return true;
}

static bool fill_config(ph_config *config, const bench_options *options, const bench_case *made, float side,
                        bench_error *error)
{
    ph_config_error reason = {.reason = ""};
    if (options->config != NULL) {
        phx_say_waiting(options->config, "writer");
        ph_status status = ph_config_load(config, options->config, &reason);
        if (status != PH_OK) {
            return bench_fail(error, "%s", status == PH_NO_MEMORY ? ph_status_text(status) : reason.reason);
        }
    }
    if (!set_scenario(config, made->scenario, made->entities, side, error) ||
        !set_features(config, made->features, error)) {
        return false;
    }
    /* Identical rounds look ids up in tables that are filled alike. */
    if (options->tail && !set_key(config, "hash_seed=1", error)) {
        return false;
    }
    for (uint32_t i = 0; i < options->set_count; i++) {
        if (!set_key(config, options->sets[i], error)) {
            return false;
        }
    }
    return true;
}

/* With more entities, testing every pair is too much work for a tick. */
enum { PAIRS_ENTITIES_MAX = 25000 };

static const char *refuse_index(const bench_case *made)
{
    ph_world_def def = made->def;
    bool good = ph_world_def_check(&def, NULL, 0) == PH_OK;
    def.index = PH_INDEX_LIGHTHOUSE;
    if (!good && ph_world_def_check(&def, NULL, 0) == PH_OK) {
        return def.range == PH_RANGE_TOWERS ? "it does not serve range = towers" : "it is not built in";
    }
    bool pairs = made->def.index == PH_INDEX_BRUTE && made->entities > PAIRS_ENTITIES_MAX;
    return pairs ? "more than 25000 entities, and it looks at every pair" : NULL;
}

/* Pharos with one of the indexes asked for, or as configured. */
static void set_index(bench_case *made, const bench_options *options, uint32_t place)
{
    made->label = made->engine->name;
    made->indexed = options->index_count > 0 && made->engine == &bench_engine_pharos;
    if (made->indexed) {
        made->def.index = options->indexes[place];
        made->label = bench_index_label(made->def.index);
        made->patience_s = PATIENCE_S;
    }
}

static bool moves_only(const bench_features *features)
{
    for (uint32_t f = 0; features != NULL && f < features->count; f++) {
        if (!features->list[f]->moves_only) {
            return false;
        }
    }
    return true;
}

/* true: the engine can not run this case; noted for the report. */
static bool skipped(bench_plan *plan, const bench_case *made)
{
    const bench_engine *engine = made->engine;
    const char *reason = engine->refuse == NULL ? NULL : engine->refuse(&made->def, made->path != NULL);
    if (reason == NULL && made->indexed) {
        reason = refuse_index(made);
    }
    if (reason == NULL && made->scenario->talks && engine->heard == NULL) {
        reason = "it has no broadcasts";
    }
    if (reason == NULL && made->scenario->rides && engine->heard == NULL) { /* engines have both or neither */
        reason = "it has no attachments";
    }
    if (reason == NULL && made->scenario->copies && engine->heard == NULL) { /* likewise */
        reason = "it has no instances";
    }
    if (reason == NULL && made->scenario->worlds && engine != &bench_engine_pharos) {
        reason = "it has one world";
    }
    if (reason == NULL && made->scenario->veils && engine->heard == NULL) { /* likewise */
        reason = "it neither hides nor reveals";
    }
    if (reason == NULL && made->scenario->zones && engine->heard == NULL) { /* likewise */
        reason = "it has neither areas nor activation";
    }
    if (reason == NULL && made->scenario->updates && engine->heard == NULL) { /* likewise */
        reason = "it has no updates";
    }
    if (reason == NULL && !moves_only(made->features) && engine->heard == NULL) { /* likewise */
        reason = "it does not know all of the features";
    }
    if (reason == NULL) {
        return false;
    }
    if (made->plot != BENCH_PLOT_NONE) { /* the plot just lacks its line */
        return true;
    }
    uint32_t i = 0;
    while (i < plan->skip_count && (plan->skips[i].label != made->label || plan->skips[i].reason != reason)) {
        i++;
    }
    if (i == plan->skip_count && i < BENCH_LIST_MAX) {
        plan->skips[plan->skip_count++] = (bench_skip){.label = made->label, .reason = reason};
    }
    if (i < BENCH_LIST_MAX) {
        bench_skip *skip = &plan->skips[i];
        size_t used = strlen(skip->names);
        snprintf(skip->names + used, sizeof skip->names - used, "%s%s%s%s", used > 0 ? ", " : "", made->name,
                 made->features == NULL ? "" : " with ", made->features == NULL ? "" : made->features->text);
    }
    return true;
}

static bool check_case(const bench_case *made, bench_error *error)
{
    char reason[256];
    const char *name = made->name;
    if (ph_world_def_check(&made->def, reason, sizeof reason) != PH_OK) {
        return bench_fail(error, "%s: %s", name, reason);
    }
    if (made->def.consumers == 0) {
        return bench_fail(error, "%s: consumers = 0 makes no events, and the bench measures them: at least 1", name);
    }
    if (made->producers > made->def.producers_max) {
        return bench_fail(error, "%s: %u producers are more than producers_max = %u (--set)", name, made->producers,
                          made->def.producers_max);
    }
    if (made->entities > made->def.entities_max) {
        return bench_fail(error, "%s: %u entities are more than entities_max = %u (--set)", name, made->entities,
                          made->def.entities_max);
    }
    return true;
}

static bool add_case(bench_plan *plan, const bench_case *made, bench_error *error)
{
    if (!check_case(made, error)) {
        return false;
    }
    bench_grow(plan->mem, (void **)&plan->cases, &plan->case_room, plan->case_count, (size_t)plan->case_count + 1,
               sizeof *plan->cases);
    plan->cases[plan->case_count++] = *made;
    return true;
}

/* Of a scenario whose moves may come from several. */
static const uint32_t producers_spread[] = {1, 2, 4};

/* The numbers of producers to run the scenario with. */
static uint32_t producers_of(const bench_options *options, const bench_scenario *scenario, const uint32_t **producers)
{
    bool given = options->producer_count > 0;
    *producers = given ? options->producers : producers_spread;
    uint32_t count = given ? options->producer_count : sizeof producers_spread / sizeof *producers_spread;
    return scenario->spreads ? count : 1;
}

/* As asked for, unless the engine has one thread and one shard. */
static void set_layout(bench_case *made, const bench_options *options, uint32_t shards, uint32_t workers)
{
    if (options->shard_count > 0) {
        made->def.shards[0] = options->shards[shards][0];
        made->def.shards[1] = options->shards[shards][1];
    }
    if (options->worker_count > 0) {
        made->def.workers = options->workers[workers];
    }
    if (made->engine->single) {
        made->def.shards[0] = made->def.shards[1] = made->def.workers = 1;
    }
}

/* One engine with every worker count and shard layout that it knows. */
static bool add_layouts(bench_plan *plan, const bench_options *options, bench_case made, bench_error *error)
{
    const ph_world_def def = made.def;
    uint32_t layouts = options->shard_count > 0 ? options->shard_count : 1;
    uint32_t counts = options->worker_count > 0 ? options->worker_count : 1;
    const uint32_t *producers;
    uint32_t feeds = producers_of(options, made.scenario, &producers);
    bool once = made.engine->single || made.plot != BENCH_PLOT_NONE;
    uint32_t combinations = once ? 1 : layouts * counts * feeds;
    for (uint32_t c = 0; c < combinations; c++) {
        made.def = def;
        made.producers = made.scenario->spreads && !once ? producers[c % feeds] : 1;
        set_layout(&made, options, c / feeds / counts, c / feeds % counts);
        if (!add_case(plan, &made, error)) {
            return false;
        }
    }
    return true;
}

/* Every engine, and index of Pharos, that was asked for. */
static bool add_scenario(bench_plan *plan, const bench_options *options, bench_case made, bench_error *error)
{
    const ph_world_def *def = ph_config_def(made.config);
    for (uint32_t e = 0; e < options->engine_count; e++) {
        made.engine = options->engines[e];
        uint32_t indexes = made.engine == &bench_engine_pharos && options->index_count > 0 ? options->index_count : 1;
        for (uint32_t i = 0; i < indexes; i++) {
            made.def = *def;
            set_index(&made, options, i);
            if (skipped(plan, &made)) {
                continue;
            }
            if (made.scenario->worlds) {
                made.engine = &bench_engine_worlds;
            }
            if (!add_layouts(plan, options, made, error)) {
                return false;
            }
            made.engine = options->engines[e];
        }
    }
    return true;
}

/* The cases of one scenario with one number of entities; side: see set_scenario(). */
static bool add_group(bench_plan *plan, const bench_options *options, bench_case made, float side, bench_error *error)
{
    ph_config *config;
    if (ph_config_create(&config) != PH_OK) {
        return bench_fail(error, "%s", ph_status_text(PH_NO_MEMORY));
    }
    bench_grow(plan->mem, (void **)&plan->configs, &plan->config_room, plan->config_count,
               (size_t)plan->config_count + 1, sizeof *plan->configs);
    made.group = plan->config_count;
    made.turns = made.features == NULL ? made.group : made.turns;
    plan->configs[plan->config_count++] = config;
    made.config = config;
    return fill_config(config, options, &made, side, error) && add_scenario(plan, options, made, error);
}

static bool add_scenarios(bench_plan *plan, const bench_options *options, bench_case common, bench_error *error)
{
    for (uint32_t i = 0; i < options->scenario_count; i++) {
        const bench_scenario *scenario = options->scenarios[i];
        bool has_count = scenario->entities > 0; /* a trace has its own */
        bench_case made = common;
        made.scenario = scenario;
        made.name = scenario->name;
        made.path = scenario->recorded ? options->trace : NULL;
        made.unpack_max_bytes = options->unpack_max_bytes;
        made.entities = has_count && options->entities > 0 ? options->entities : scenario->entities;
        made.ticks = options->ticks > 0 ? options->ticks : scenario->ticks;
        made.warmup = options->warmup_given ? options->warmup : scenario->warmup;
        made.turns = plan->config_count;
        if (!add_group(plan, options, made, 0, error)) {
            return false;
        }
        for (uint32_t f = 0; f < options->features_count; f++) {
            made.features = &options->features[f];
            if (!add_group(plan, options, made, 0, error)) {
                return false;
            }
        }
    }
    return true;
}

/* Each case with features gets the one without. */
static void find_plain(bench_plan *plan)
{
    for (uint32_t i = 0; i < plan->case_count; i++) {
        bench_case *run = &plan->cases[i];
        for (uint32_t p = 0; run->features != NULL && p < i; p++) {
            const bench_case *plain = &plan->cases[p];
            if (plain->features == NULL && plain->turns == run->turns && plain->label == run->label &&
                plain->producers == run->producers && plain->def.workers == run->def.workers &&
                plain->def.shards[0] == run->def.shards[0] && plain->def.shards[1] == run->def.shards[1]) {
                run->plain = plain;
            }
        }
    }
}

/* The cases of the plots beyond the scenarios that were asked for. */
static bool add_sweeps(bench_plan *plan, const bench_options *options, bench_case common, bench_error *error)
{
    bench_sweep sweeps[BENCH_SWEEP_MAX];
    uint32_t count = bench_sweep_make(sweeps, options->entities);
    for (uint32_t i = 0; i < count; i++) {
        bench_case made = common;
        made.scenario = sweeps[i].scenario;
        made.name = sweeps[i].name;
        made.entities = sweeps[i].entities;
        made.plot = sweeps[i].plot;
        made.ticks = options->ticks > 0 ? options->ticks : sweeps[i].ticks;
        made.warmup = options->warmup_given ? options->warmup : sweeps[i].scenario->warmup;
        if (!add_group(plan, options, made, sweeps[i].side, error)) {
            return false;
        }
    }
    return true;
}

static bool any_spreads(const bench_options *options)
{
    for (uint32_t i = 0; i < options->scenario_count; i++) {
        if (options->scenarios[i]->spreads) {
            return true;
        }
    }
    return false;
}

bool bench_plan_make(bench_plan *plan, const bench_options *options, phx_mem *mem, bench_error *error)
{
    *plan = (bench_plan){.mem = mem};
    if (options->producer_count > 0 && !any_spreads(options)) {
        return bench_fail(error, "pharos-bench: --producers is for scenario ingest, which is not among these");
    }
    uint32_t limit_s = options->advise && options->ticks == 0 ? 1 : 0; /* bench_advise() says how long */
    bench_case common = {.limit_s = limit_s,
                         .verify_every = options->verify_every,
                         .hz = options->hz,
                         .tail = options->tail,
                         .seed = options->seed};
    if (!add_scenarios(plan, options, common, error)) {
        return false;
    }
    if (options->plot != NULL && options->index_count == 0 && !add_sweeps(plan, options, common, error)) {
        return false;
    }
    find_plain(plan);
    if (plan->case_count == 0) {
        return bench_fail(error, "pharos-bench: no engine can run any of the scenarios");
    }
    return true;
}

void bench_plan_free(bench_plan *plan)
{
    for (uint32_t i = 0; i < plan->case_count; i++) {
        bench_samples_free(&plan->cases[i].samples, plan->mem);
        bench_samples_free(&plan->cases[i].before, plan->mem);
    }
    phx_release(plan->mem, (void **)&plan->cases, &plan->case_room, sizeof *plan->cases);
    for (uint32_t i = 0; i < plan->config_count; i++) {
        ph_config_destroy(plan->configs[i]);
    }
    phx_release(plan->mem, (void **)&plan->configs, &plan->config_room, sizeof *plan->configs);
}

uint32_t bench_plan_scenario_end(const bench_plan *plan, uint32_t first)
{
    PHX_ASSERT(first < plan->case_count);
    uint32_t end = first;
    while (end < plan->case_count && plan->cases[end].group == plan->cases[first].group) {
        end++;
    }
    return end;
}

uint32_t bench_plan_turns_end(const bench_plan *plan, uint32_t first)
{
    PHX_ASSERT(first < plan->case_count);
    uint32_t end = first;
    while (end < plan->case_count && plan->cases[end].turns == plan->cases[first].turns) {
        end++;
    }
    return end;
}

const bench_case *bench_plan_model(const bench_plan *plan, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        if (plan->cases[i].given_up[0] == '\0') {
            return &plan->cases[i];
        }
    }
    return &plan->cases[first];
}
