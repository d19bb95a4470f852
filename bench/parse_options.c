/*
 * Reading the command line; see parse_options.h.
 */
#include "bench/parse_options.h"

#include <argp.h>
#include <string.h>

#include <pharos/pharos.h>

#include "bench/base/memory.h"
#include "bench/engines/pharos.h"
#include "bench/machine.h"
#include "bench/option_lists.h"
#include "bench/scenarios/scenarios.h"
#include "tools/options.h"
#include "tools/standard_input.h"
#include "tools/trace.h"

/* Ticks between two checks of --verify without a number: cheap enough for the large worlds. */
enum { VERIFY_EVERY_TICKS = 16 };

/* Rounds of --tail without --rounds. */
enum { TAIL_ROUNDS = 5 };

/* The ids of 2^30 entities, the most that a world holds, and as many again that come and go. */
enum { ENTITIES_MAX = 1 << 30 };

static const char help[] =
    "Loads Pharos with made or recorded crowds and measures whole ticks: commands in, interest found, events out."
    "\v"
    "Examples:\n"
    "\n"
    "  pharos-bench --list\n"
    "      All scenarios and engines, each with its model.\n"
    "\n"
    "  pharos-bench --scenario walk-100k,crowd --workers 1,2 --rounds 3\n"
    "      Two scenarios on one and on two workers. The rounds take turns,\n"
    "      so that a noisy machine slows all alike.\n"
    "\n"
    "  pharos-bench --scenario hotspot --shards 1x1,4x4 --json out.jsonl\n"
    "      Two layouts; the figures also as one JSON object a line.\n"
    "\n"
    "  pharos-bench --engine all --scenario walk-100k --rounds 5\n"
    "      Side by side with the baselines, the rounds in turn; the ratios\n"
    "      stand under the table.\n"
    "\n"
    "  pharos-bench --engine all-indexes --scenario walk-10k,crowd --plot pictures\n"
    "      Every index of Pharos, and a picture of them: indexes.svg.\n"
    "\n"
    "  pharos-bench --features margin+cap100,typical,full --rounds 5\n"
    "      The cost of rules in use: four worlds without them, with a margin\n"
    "      and a cap, and with two presets; times plain under the table.\n"
    "\n"
    "  pharos-bench --features each --scenario world-siege --rounds 3\n"
    "      The cost of every feature by itself, in a siege.\n"
    "\n"
    "  pharos-bench --advise --trace city.csv.gz --set view=150\n"
    "      Which index, towers, shards and workers suit the trace.\n"
    "\n"
    "  pharos-bench --scenario mmo --hz 20 --ticks 400\n"
    "      Twenty seconds of a server at 20 ticks a second: its latency.\n"
    "\n"
    "  pharos-bench --scenario mmo --tail --ticks 1000 --rounds 7\n"
    "      The slow ticks of an hour by their own work, without those that\n"
    "      the machine made slow.\n"
    "\n"
    "  pharos-bench --entities 500 --ticks 40 --verify=1 --set tower_size=25\n"
    "      Small worlds of all scenarios, every list compared with brute\n"
    "      force after every tick.\n"
    "\n"
    "  pharos-bench --trace city.csv.gz --set view=150\n"
    "      A recorded trace (format: pharos-replay --help), not a made crowd.\n"
    "\n"
    "The config of a run is, each on top of the one before: the defaults, --config, the scenario's own keys "
    "(world_size, views, for border-pingpong the shards; --list shows it), the features', --set, --shards and "
    "--workers.\n"
    "\n"
    "Measured is one tick from the first command submitted to the last batch given back. Positions are made and "
    "events are hashed and checked while the clock stands. ns/move is the tick's time divided by its move commands. "
    "Warm-up ticks are run, hashed and checked, but not measured.\n"
    "\n"
    "Runs of the same scenario must make the same events, whatever the engine, workers and shards: the event hash is "
    "compared always. --verify compares interest lists with brute force on top of it.\n"
    "\n"
    "Ctrl-C ends the bench behind the run at work, and shows the figures so far; a second one ends it at once. The "
    "files "
    "of --json and --csv keep every scenario that has run.\n"
    "\n"
    "Exit status: 0 all is well; 1 a check found a difference, Ctrl-C, or trouble with the machine (no memory, a file "
    "can not be written); 2 something is wrong with the command line, the config or the trace.";

enum {
    KEY_CONFIG = 'c',
    KEY_SET = 's',
    KEY_TICKS = 't',
    KEY_WORKERS = 'w',
    KEY_ENTITIES = 'n',
    KEY_ROUNDS = 'r',
    KEY_SCENARIO = 256, /* from here on without a short form */
    KEY_FEATURES,
    KEY_ENGINE,
    KEY_INDEX,
    KEY_SHARDS,
    KEY_PRODUCERS,
    KEY_WARMUP,
    KEY_TRACE,
    KEY_UNPACK_MAX,
    KEY_SEED,
    KEY_TAIL,
    KEY_VERIFY,
    KEY_HZ,
    KEY_JSON,
    KEY_CSV,
    KEY_PLOT,
    KEY_LIST,
    KEY_ADVISE,
    KEY_SAVING,
    KEY_FEDERATION,
    KEY_NATS
};

static const struct argp_option argp_options[] = {
    {"list", KEY_LIST, NULL, 0, "Show the scenarios and engines, and run nothing", 0},
    {"advise", KEY_ADVISE, NULL, 0,
     "Run each index, tower size, shard layout and number of workers for some seconds on --trace, or on a crowd in the "
     "world of --config and --set, and recommend the best",
     0},
    {"saving", KEY_SAVING, NULL, 0,
     "Run no scenario, but measure images, loads and a journal beside their goals; with --entities (default: 1000000), "
     "--workers, --rounds (default: 5) and --seed",
     0},
    {"federation", KEY_FEDERATION, NULL, 0,
     "Run no scenario, but measure a common world of three nodes beside one world; with --entities (default: 90000), "
     "--rounds (default: 5), --nats and --seed",
     0},
    {"nats", KEY_NATS, "URL", 0, "Measure the lag of --federation over this NATS server, nats://HOST:PORT", 0},
    {"scenario", KEY_SCENARIO, "NAME,...|all", 0, "Run these scenarios; all is the default, unless there is --trace",
     1},
    {"trace", KEY_TRACE, "FILE[.gz]", 0, "Run the ticks of a recorded trace, up to --ticks; - is the standard input",
     1},
    {"unpack-max", KEY_UNPACK_MAX, "BYTES[K|M|G]", 0, "The most that a gzip trace may unpack to (default: 256M)", 1},
    {"features", KEY_FEATURES, "A+B,...|each", 0,
     "Run these scenarios (default: the four worlds of features) without and with each list of features, taking turns, "
     "and show how many times as long a tick takes; each = every feature of --list, then mixes and presets",
     1},
    {"engine", KEY_ENGINE, "NAME,...|all|all-indexes", 0,
     "On these engines (default: pharos); all-indexes is pharos with each of its indexes", 1},
    {"index", KEY_INDEX, "NAME,...|all", 0,
     "Pharos with each of these indexes, side by side; a case that would take more than a minute is given up", 1},
    {"workers", KEY_WORKERS, "N,...", 0, "With each of these numbers of worker threads", 1},
    {"shards", KEY_SHARDS, "XxY,...", 0, "With each of these shard layouts", 1},
    {"producers", KEY_PRODUCERS, "N,...", 0,
     "The moves of scenario ingest come from each of these numbers of threads (default: 1,2,4)", 1},
    {"entities", KEY_ENTITIES, "N", 0,
     "Instead of the scenario's number; the world grows or shrinks with it, so that the density stays", 2},
    {"ticks", KEY_TICKS, "N", 0, "Measure N ticks instead of the scenario's number", 2},
    {"warmup", KEY_WARMUP, "N", 0, "Run N ticks before them; 0 is allowed", 2},
    {"rounds", KEY_ROUNDS, "N", 0, "Run everything N times, taking turns, and put the ticks together (default: 1)", 2},
    {"tail", KEY_TAIL, NULL, 0,
     "Show the slow ticks: of each tick the least of all rounds (default then: 5), which are identical; p50, p90, p99, "
     "p99.9 and max of these",
     2},
    {"hz", KEY_HZ, "N", 0,
     "Ticks are due N times a second, as in a server, and the table shows their latency: from when a tick was due to "
     "its last batch given back",
     2},
    {"seed", KEY_SEED, "N", 0, "Of the made crowds (default: 1)", 2},
    {"config", KEY_CONFIG, "FILE", 0, "Read the world's definition from FILE", 3},
    {"set", KEY_SET, "KEY=VALUE", 0,
     "Set a config key: a list as a,b; view=100 for class default, NAME.view=100 for another. May be repeated; "
     "pharos-config dump shows all keys",
     3},
    {"verify", KEY_VERIFY, "N", OPTION_ARG_OPTIONAL,
     "Keep every list from the events and compare it with brute force every N ticks (default: 16) and at the end: all "
     "lists of up to 2000 entities, else 128 drawn ones",
     4},
    {"json", KEY_JSON, "FILE", 0, "Write one JSON object a line for each run; - is the standard output", 5},
    {"csv", KEY_CSV, "FILE", 0, "Write the same figures as CSV; - is the standard output", 5},
    {"plot", KEY_PLOT, "DIR", 0,
     "Draw the figures into DIR as PNG and SVG, with gnuplot: engines side by side, cost against entities, density and "
     "workers. Runs sweeps for it on top; all engines, and 1, 2, 4, ... workers, unless said otherwise; --entities is "
     "the most that they go to",
     5},
    PHX_HELP_OPTION,
    {0},
};

static const char *option_name(int key)
{
    for (uint32_t i = 0; argp_options[i].name != NULL; i++) {
        if (argp_options[i].key == key) {
            return argp_options[i].name;
        }
    }
    phx_panic(__FILE__, __LINE__, "option key");
}

/* An option that is given twice is more likely a slip than meant. */
static void path_once(struct argp_state *state, int key, const char **path, const char *text)
{
    if (*path != NULL) {
        argp_error(state, "--%s is given twice", option_name(key));
    }
    *path = text;
}

/* Without --scenario all worlds of features; with it, only scenarios that can have some. */
static void check_features(struct argp_state *state, bench_options *options)
{
    if (options->features_count == 0) {
        return;
    }
    if (options->advise || options->plot != NULL || options->trace != NULL) {
        argp_error(state, "--features does not go with --advise, --plot and --trace");
    }
    if (options->scenario_count == 0) {
        bench_add_scenario(state, options, &bench_world_mmo);
        bench_add_scenario(state, options, &bench_world_siege);
        bench_add_scenario(state, options, &bench_world_city);
        bench_add_scenario(state, options, &bench_world_dense);
    }
    for (uint32_t i = 0; i < options->scenario_count; i++) {
        if (!options->scenarios[i]->featured) {
            argp_error(state, "--features: %s can have none; %s and other walks can", options->scenarios[i]->name,
                       bench_world_mmo.name);
        }
    }
}

/* Options that belong to runs of scenarios. */
static bool has_run_options(const bench_options *options)
{
    const uint32_t lists = options->scenario_count + options->features_count + options->engine_count +
                           options->index_count + options->shard_count + options->producer_count + options->set_count;
    return lists > 0 || options->advise || options->tail || options->hz > 0 || options->trace != NULL ||
           options->config != NULL || options->json != NULL || options->csv != NULL || options->plot != NULL ||
           options->ticks > 0 || options->warmup_given || options->verify_every > 0;
}

static void check_saving(struct argp_state *state, const bench_options *options)
{
    if (has_run_options(options) || options->federation || options->nats != NULL || options->worker_count > 1 ||
        options->rounds > BENCH_LIST_MAX) {
        argp_error(state, "--saving goes with --entities, one number of --workers, up to %d --rounds and --seed only",
                   BENCH_LIST_MAX);
    }
}

static void check_federation(struct argp_state *state, const bench_options *options)
{
    if (has_run_options(options) || options->worker_count > 0 || options->rounds > BENCH_LIST_MAX) {
        argp_error(state, "--federation goes with --entities, up to %d --rounds, --nats and --seed only",
                   BENCH_LIST_MAX);
    }
}

static void defaults(struct argp_state *state, bench_options *options)
{
    check_features(state, options);
    bool both_stdout = options->json != NULL && options->csv != NULL && strcmp(options->json, options->csv) == 0;
    if (phx_is_stdin(options->trace) && phx_is_stdin(options->config)) {
        argp_error(state, "--trace and --config are both the standard input");
    }
    if (both_stdout) {
        argp_error(state, "--json and --csv name the same file");
    }
    if (options->advise) {
        bool more = options->scenario_count + options->engine_count + options->index_count + options->worker_count +
                        options->shard_count + options->producer_count >
                    0;
        if (more || options->tail || options->json != NULL || options->csv != NULL || options->plot != NULL ||
            options->hz > 0) {
            argp_error(state, "--advise chooses the runs itself: it goes with --trace, --config, --set, --entities, "
                              "--ticks, --warmup and --seed only");
        }
        if (options->trace == NULL) {
            bench_add_scenario(state, options, &bench_scenario_advise);
        }
    }
    if (options->saving) {
        check_saving(state, options);
        return;
    }
    if (options->federation) {
        check_federation(state, options);
        return;
    }
    if (options->nats != NULL) {
        argp_error(state, "--nats goes with --federation");
    }
    if (options->scenario_count == 0 && options->trace == NULL) {
        bench_take_scenarios(state, options, "all");
    }
    if (options->trace != NULL) {
        bench_add_scenario(state, options, &bench_scenario_trace);
    }
    if (options->engine_count == 0 && options->plot != NULL && options->index_count == 0) {
        bench_take_engines(state, options, "all");
    }
    if (options->engine_count == 0) {
        bench_take_engines(state, options, bench_engine_pharos.name);
    }
    if (options->rounds == 0) {
        options->rounds = options->tail ? TAIL_ROUNDS : 1;
    }
    uint32_t cpus = bench_machine_look().cpus;
    if (options->worker_count == 0 && options->plot != NULL && options->index_count == 0) {
        options->workers[options->worker_count++] = 1;
        for (uint32_t n = 2; n <= cpus && n <= PH_WORKERS_MAX && options->worker_count < BENCH_LIST_MAX; n *= 2) {
            options->workers[options->worker_count++] = n;
        }
    }
}

static error_t take_lists_and_paths(struct argp_state *state, bench_options *options, int key, char *text)
{
    switch (key) {
    case KEY_SCENARIO:
        bench_take_scenarios(state, options, text);
        return 0;
    case KEY_FEATURES:
        bench_take_features(state, options, text);
        return 0;
    case KEY_ENGINE:
        bench_take_engines(state, options, text);
        return 0;
    case KEY_INDEX:
        bench_take_indexes(state, options, text);
        return 0;
    case KEY_WORKERS:
        bench_take_workers(state, options, text);
        return 0;
    case KEY_PRODUCERS:
        bench_take_producers(state, options, text);
        return 0;
    case KEY_SHARDS:
        bench_take_shards(state, options, text);
        return 0;
    case KEY_CONFIG:
        path_once(state, key, &options->config, phx_input_path(text));
        return 0;
    case KEY_TRACE:
        path_once(state, key, &options->trace, phx_input_path(text));
        return 0;
    case KEY_JSON:
        path_once(state, key, &options->json, text);
        return 0;
    case KEY_PLOT:
        path_once(state, key, &options->plot, text);
        return 0;
    case KEY_CSV:
        path_once(state, key, &options->csv, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t take_option(int key, char *text, struct argp_state *state)
{
    bench_options *options = state->input;
    switch (key) {
    case PHX_KEY_HELP:
        phx_help(state);
        return 0;
    case KEY_LIST:
        options->list = true;
        return 0;
    case KEY_ADVISE:
        options->advise = true;
        return 0;
    case KEY_SAVING:
        options->saving = true;
        return 0;
    case KEY_FEDERATION:
        options->federation = true;
        return 0;
    case KEY_NATS:
        options->nats = text;
        return 0;
    case KEY_SET:
        PHX_ASSERT(options->set_count < (uint32_t)state->argc);
        options->sets[options->set_count++] = text;
        return 0;
    case KEY_UNPACK_MAX:
        if (!phx_parse_bytes(text, &options->unpack_max_bytes)) {
            argp_error(state, "--unpack-max: '%s' is not a number of bytes, as 1000000, 64K, 500M or 2G", text);
        }
        return 0;
    case KEY_ENTITIES:
        options->entities = (uint32_t)bench_take_number(state, option_name(key), text, 1, ENTITIES_MAX);
        return 0;
    case KEY_TICKS:
        options->ticks = (uint32_t)bench_take_number(state, option_name(key), text, 1, 1000 * 1000);
        return 0;
    case KEY_WARMUP:
        options->warmup = (uint32_t)bench_take_number(state, option_name(key), text, 0, 1000 * 1000);
        options->warmup_given = true;
        return 0;
    case KEY_ROUNDS:
        options->rounds = (uint32_t)bench_take_number(state, option_name(key), text, 1, 1000);
        return 0;
    case KEY_HZ:
        options->hz = (uint32_t)bench_take_number(state, option_name(key), text, 1, 10000);
        return 0;
    case KEY_TAIL:
        options->tail = true;
        return 0;
    case KEY_SEED:
        options->seed = bench_take_number(state, option_name(key), text, 0, UINT64_MAX);
        return 0;
    case KEY_VERIFY:
        options->verify_every = text == NULL
                                    ? VERIFY_EVERY_TICKS
                                    : (uint32_t)bench_take_number(state, option_name(key), text, 1, 1000 * 1000);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' belongs to no option", text);
        return 0;
    case ARGP_KEY_END:
        defaults(state, options);
        return 0;
    default:
        return take_lists_and_paths(state, options, key, text);
    }
}

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "pharos-bench %s\n", ph_version());
}

void bench_options_parse(bench_options *options, int argc, char **argv, phx_mem *mem)
{
    static const struct argp parser = {argp_options, take_option, NULL, help, NULL, NULL, NULL};
    *options = (bench_options){.seed = 1, .unpack_max_bytes = PHX_TRACE_UNPACK_MAX_BYTES};
    options->sets = bench_alloc(mem, (size_t)argc * sizeof *options->sets);
    argp_err_exit_status = PHX_EXIT_USAGE;
    argp_program_version_hook = print_version;
    argp_parse(&parser, argc, argv, 0, NULL, options);
}

void bench_options_free(bench_options *options, int argc, phx_mem *mem)
{
    phx_free(mem, options->sets, (size_t)argc * sizeof *options->sets, PHX_CACHE_LINE);
}
