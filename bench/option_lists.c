/*
 * Comma lists of the command line; see option_lists.h.
 */
#include "bench/option_lists.h"

#include <string.h>

#include <pharos/pharos.h>

#include "base/keys.h"
#include "bench/engines/pharos.h"
#include "bench/engines/table.h"
#include "bench/features/parse.h"
#include "bench/features/table.h"
#include "bench/scenarios/table.h"
#include "tools/cli.h"
#include "tools/options.h"

uint64_t bench_take_number(struct argp_state *state, const char *name, const char *text, uint64_t min, uint64_t max)
{
    return phx_whole_option(state, name, text, min, max);
}

static void check_room(struct argp_state *state, const char *name, uint32_t count)
{
    if (count == BENCH_LIST_MAX) {
        argp_error(state, "--%s: more than %d in the list", name, BENCH_LIST_MAX);
    }
}

void bench_add_scenario(struct argp_state *state, bench_options *options, const bench_scenario *scenario)
{
    for (uint32_t i = 0; i < options->scenario_count; i++) {
        if (options->scenarios[i] == scenario) {
            argp_error(state, "--scenario: %s is named twice", scenario->name);
        }
    }
    check_room(state, "scenario", options->scenario_count);
    options->scenarios[options->scenario_count++] = scenario;
}

static void add_engine(struct argp_state *state, bench_options *options, const bench_engine *engine)
{
    for (uint32_t i = 0; i < options->engine_count; i++) {
        if (options->engines[i] == engine) {
            argp_error(state, "--engine: %s is named twice", engine->name);
        }
    }
    check_room(state, "engine", options->engine_count);
    options->engines[options->engine_count++] = engine;
}

static void take_scenario(struct argp_state *state, bench_options *options, const char *word)
{
    const bench_scenario *scenario = bench_scenario_find(word);
    if (strcmp(word, "all") == 0) {
        for (uint32_t i = 0; i < bench_scenario_count(); i++) {
            bench_add_scenario(state, options, bench_scenario_at(i));
        }
    } else if (scenario != NULL) {
        bench_add_scenario(state, options, scenario);
    } else {
        argp_error(state, "--scenario: there is no '%s'; --list shows them", word);
    }
}

static const char *const index_words[] = {PHX_INDEX_WORDS};
enum { INDEXES = sizeof index_words / sizeof index_words[0] };

const char *bench_index_label(ph_index index)
{
    static const char *const labels[INDEXES] = {"pharos/lighthouse", "pharos/brute",     "pharos/grid",
                                                "pharos/hash",       "pharos/crosslist", "pharos/towers",
                                                "pharos/quadtree",   "pharos/hex",       "pharos/timer"};
    PHX_ASSERT((uint32_t)index < INDEXES);
    return labels[index];
}

static bool built_in(ph_index index)
{
    ph_world_def def = ph_world_def_default();
    def.index = index;
    return ph_world_def_check(&def, NULL, 0) == PH_OK;
}

static void add_index(struct argp_state *state, bench_options *options, ph_index index)
{
    for (uint32_t i = 0; i < options->index_count; i++) {
        if (options->indexes[i] == index) {
            argp_error(state, "--index: %s is named twice", index_words[index]);
        }
    }
    options->indexes[options->index_count++] = index;
}

static void take_index(struct argp_state *state, bench_options *options, const char *word)
{
    bool known = false;
    for (uint32_t i = 0; i < INDEXES; i++) {
        bool named = strcmp(word, index_words[i]) == 0;
        if (named && !built_in((ph_index)i)) {
            argp_error(state, "--index: %s is not built in", word);
        }
        if (named || (strcmp(word, "all") == 0 && built_in((ph_index)i))) {
            add_index(state, options, (ph_index)i);
            known = true;
        }
    }
    if (!known) {
        argp_error(state, "--index: there is no '%s'; pharos-config dump shows the index as a key", word);
    }
}

static void take_engine(struct argp_state *state, bench_options *options, const char *word)
{
    const bench_engine *engine = bench_engine_find(word);
    if (strcmp(word, "all-indexes") == 0) {
        add_engine(state, options, &bench_engine_pharos);
        take_index(state, options, "all");
    } else if (strcmp(word, "all") == 0) {
        for (uint32_t i = 0; i < bench_engine_count(); i++) {
            if (!bench_engine_adds(bench_engine_at(i))) {
                add_engine(state, options, bench_engine_at(i));
            }
        }
    } else if (engine != NULL) {
        add_engine(state, options, engine);
    } else {
        argp_error(state, "--engine: there is no '%s'; --list shows them", word);
    }
}

static void take_workers(struct argp_state *state, bench_options *options, const char *word)
{
    check_room(state, "workers", options->worker_count);
    options->workers[options->worker_count++] = (uint32_t)bench_take_number(state, "workers", word, 1, PH_WORKERS_MAX);
}

static void take_producers(struct argp_state *state, bench_options *options, const char *word)
{
    check_room(state, "producers", options->producer_count);
    options->producers[options->producer_count++] =
        (uint32_t)bench_take_number(state, "producers", word, 1, PH_PRODUCERS_MAX);
}

static void take_shards(struct argp_state *state, bench_options *options, const char *word)
{
    check_room(state, "shards", options->shard_count);
    uint32_t *shards = options->shards[options->shard_count++];
    if (!phx_parse_nxm(word, &shards[0], &shards[1])) {
        argp_error(state, "--shards: '%s' is not like 4x2", word);
    }
}

typedef void (*take_fn)(struct argp_state *state, bench_options *options, const char *word);

static void each_word(struct argp_state *state, bench_options *options, const char *name, const char *list,
                      take_fn take)
{
    char word[BENCH_FEATURES_TEXT + 1]; /* one that is cut off is too long for anything */
    bool any = false;
    while (phx_next_item(&list, word, sizeof word)) {
        take(state, options, word);
        any = true;
    }
    if (!any) {
        argp_error(state, "--%s: the list is empty", name);
    }
}

void bench_take_scenarios(struct argp_state *state, bench_options *options, const char *list)
{
    each_word(state, options, "scenario", list, take_scenario);
}

void bench_take_engines(struct argp_state *state, bench_options *options, const char *list)
{
    each_word(state, options, "engine", list, take_engine);
}

void bench_take_indexes(struct argp_state *state, bench_options *options, const char *list)
{
    each_word(state, options, "index", list, take_index);
}

void bench_take_workers(struct argp_state *state, bench_options *options, const char *list)
{
    each_word(state, options, "workers", list, take_workers);
}

void bench_take_producers(struct argp_state *state, bench_options *options, const char *list)
{
    each_word(state, options, "producers", list, take_producers);
}

void bench_take_shards(struct argp_state *state, bench_options *options, const char *list)
{
    each_word(state, options, "shards", list, take_shards);
}

static void add_features(struct argp_state *state, bench_options *options, const char *text)
{
    bench_error error;
    if (options->features_count == BENCH_FEATURE_LISTS_MAX) {
        argp_error(state, "--features: more than %d lists of them", BENCH_FEATURE_LISTS_MAX);
    }
    bench_features *made = &options->features[options->features_count];
    if (!bench_features_parse(made, text, &error)) {
        argp_error(state, "--features: %s", error.text);
    }
    for (uint32_t i = 0; i < options->features_count; i++) {
        const bench_features *other = &options->features[i];
        if (other->count == made->count && memcmp(other->list, made->list, made->count * sizeof *made->list) == 0) {
            argp_error(state, "--features: %s and %s are the same", other->text, text);
        }
    }
    options->features_count++;
}

static void take_features(struct argp_state *state, bench_options *options, const char *word)
{
    if (strcmp(word, "each") != 0) {
        add_features(state, options, word);
        return;
    }
    for (uint32_t i = 0; i < bench_feature_count(); i++) {
        add_features(state, options, bench_feature_at(i)->name);
    }
    for (uint32_t i = 0; bench_feature_mixes[i] != NULL; i++) {
        add_features(state, options, bench_feature_mixes[i]);
    }
}

void bench_take_features(struct argp_state *state, bench_options *options, const char *list)
{
    each_word(state, options, "features", list, take_features);
}
