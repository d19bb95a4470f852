/*
 * pharos-node: one member of a cluster, over NATS and etcd, with a host of its own: walkers. This file is the command
 * line; the config is read by node_config.c, the loop is node_run.c, the walkers are node_host.c, the output is
 * node_lines.c.
 */
#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem_jemalloc.h"
#include "tools/node_config.h"
#include "tools/node_run.h"
#include "tools/options.h"
#include "tools/standard_input.h"

static const char help[] =
    "Runs one node of a common world over NATS and etcd. Its host is a small one: walkers that go from place to place, "
    "each simulated by the node of its region, handed to the next node at a border, and entered anew if their node "
    "dies."
    "\v"
    "Try it on one machine, with Debian's packages nats-server and etcd-server:\n"
    "\n"
    "  nats-server -a 127.0.0.1 & etcd --data-dir /tmp/demo &\n"
    "  pharos-node --nats nats://127.0.0.1:4222 --etcd http://127.0.0.1:2379\n"
    "      The first node owns all regions and enters all walkers. Start the same\n"
    "      in a second and a third terminal: regions go to the new nodes, and\n"
    "      walkers follow.\n"
    "\n"
    "  kill -9 PID\n"
    "      Once the dead node's lease has run out (--lease-ms) the others own its\n"
    "      regions, and enter its walkers anew.\n"
    "\n"
    "  kill -TERM PID\n"
    "      The node gives all its regions and walkers to the others, then leaves:\n"
    "      exit status 0, and no walker is lost. A second signal leaves at once.\n"
    "\n"
    "  kill -USR1 PID\n"
    "      Its walkers stand still; the next one, and they go on.\n"
    "\n"
    "  pharos-node --gateway --events --nats nats://127.0.0.1:4222 \\\n"
    "      --etcd http://127.0.0.1:2379\n"
    "      A gateway, for nodes with --feed: it hears of each walker from its\n"
    "      owner, and drops states of earlier owners. A line `seen` with each owner\n"
    "      that it hears of. Its status has `seen` walkers, `stale` states,\n"
    "      `damaged` ones, `gap_ms`, the longest time without a state of a walker,\n"
    "      and rounds that were `full`: of 4,096 messages, so more may have waited.\n"
    "      Messages of another version, in an `other_format`, are dropped.\n"
    "\n"
    "Prints lines of JSON: a status each second, and events of the cluster: joined, peer_up, peer_down, region_gained, "
    "region_lost, restore, lag, may_commit (`on` 1 or 0), duplicate, double_id, cleared (of a walker, `id`), fenced, "
    "drained, other_format (messages of --feed from another version, which are dropped and counted), end. --events "
    "adds the walkers': entered, "
    "gained, lost, restored, "
    "with their ownership, which rises with every owner: text, as it is above 2^53 in most clusters.\n"
    "\n"
    "--config FILE has the world's definition and, in a section, the node's: servers, regions, times "
    "(pharos-config reference has its keys). Options come on top of it:\n"
    "\n"
    "  cluster {\n"
    "    name = arena\n"
    "    nats = {\"nats://a:4222\", \"nats://b:4222\"}\n"
    "    etcd = \"http://a:2379\"\n"
    "  }\n"
    "\n"
    "Nodes of one world have the same --name, --regions, --walkers, --seed, --speed and world definition; a node that "
    "differs ends with `fenced`. A server's user and password stand in its address; keep servers in a private "
    "network.\n"
    "\n"
    "With TLS servers are tls://HOST:PORT and https://HOST:PORT. The section has the files, in PEM: nats_ca_file, "
    "nats_certificate_file, nats_key_file, and the same with etcd; or --set cluster.nats_ca_file=ca.pem.\n"
    "\n"
    "Exit status: 0 left, after its walkers, or as the last node; 1 trouble (memory, output); 2 wrong use or config; 3 "
    "put out of the cluster, or its key or the map is lost: start it again; 4 left with walkers, as --drain-ms was "
    "over "
    "or a second signal came; 5 refused, and again as long as the reason stands: another definition or version, its "
    "--number is another process's, or the cluster is full. The line `fenced` has the reason of 3 and 5.\n"
    "\n"
    "By systemd: Restart=on-failure with RestartPreventExitStatus=2 4 5.";

enum {
    KEY_NATS = 256,
    KEY_ETCD,
    KEY_NAME,
    KEY_NUMBER,
    KEY_GATEWAY,
    KEY_FEED,
    KEY_REGIONS,
    KEY_WALKERS,
    KEY_SEED,
    KEY_SPEED,
    KEY_CONFIG,
    KEY_SET,
    KEY_TICK_MS,
    KEY_SLOW_MS,
    KEY_LEASE_MS,
    KEY_DRAIN_MS,
    KEY_FREEZE,
    KEY_ADOPT_MAP,
    KEY_EVENTS,
    KEY_IDS,
    KEY_LISTS,
    KEY_TICKS,
    KEY_METRICS
};

static const struct argp_option options[] = {
    {"nats", KEY_NATS, "URL", 0,
     "A NATS server, nats://[USER:PASSWORD@]HOST:PORT; tls://: with TLS. Up to 5 of one cluster (cluster.nats)", 0},
    {"etcd", KEY_ETCD, "URL", 0,
     "A member of etcd, http://HOST:PORT; https://: with TLS. Up to 5 of one cluster (cluster.etcd)", 0},
    {"name", KEY_NAME, "NAME", 0, "Of the common world (default: demo)", 1},
    {"number", KEY_NUMBER, "N", 0, "The node's number among the living ones (default: the lowest that is free)", 1},
    {"gateway", KEY_GATEWAY, NULL, 0, "Run a gateway: it owns no walker, and hears of all from nodes with --feed", 1},
    {"feed", KEY_FEED, NULL, 0, "Send the states of own walkers, and changes of their lists, to gateways", 1},
    {"regions", KEY_REGIONS, "CxR", 0, "Columns and rows of regions (default: 4x4)", 1},
    {"walkers", KEY_WALKERS, "N", 0, "Walkers of the common world (default: 200)", 1},
    {"seed", KEY_SEED, "N", 0, "Of the walkers' homes and ways (default: 1)", 1},
    {"speed", KEY_SPEED, "X", 0, "Units that a walker goes in a tick, 0.01 to 1000: cluster.speed_max (default: 4)", 1},
    {"config", KEY_CONFIG, "FILE", 0, "Read the world's definition and the section `cluster` from FILE", 2},
    {"set", KEY_SET, "KEY=VALUE", 0, "Set a key of it, on top of FILE. May be repeated; pharos-config dump shows all",
     2},
    {"tick-ms", KEY_TICK_MS, "MS", 0, "Between two ticks (default: 50)", 3},
    {"slow-ms", KEY_SLOW_MS, "MS", 0, "Be a slow host from SIGUSR2 to the next one: sleep so long in each tick", 3},
    {"lease-ms", KEY_LEASE_MS, "MS", 0,
     "A node that etcd does not hear for so long is put out; the same for all (default: 5000)", 3},
    {"drain-ms", KEY_DRAIN_MS, "MS", 0, "Leave at the latest so long after SIGTERM (default: 30000)", 3},
    {"freeze", KEY_FREEZE, NULL, 0, "Without etcd walkers stop when the lease is over (default: they go on)", 3},
    {"adopt-map", KEY_ADOPT_MAP, NULL, 0,
     "Where etcd has lost all it had, write the newest map that members have into it (default: they end)", 3},
    {"events", KEY_EVENTS, NULL, 0, "Print events of walkers too", 4},
    {"ids", KEY_IDS, NULL, 0, "Add ids of own walkers to each status", 4},
    {"lists", KEY_LISTS, NULL, 0, "And their places and lists, for pharos-cluster verify", 4},
    {"ticks", KEY_TICKS, NULL, 0, "Add the durations of ticks to each status, and how long they slept, in microseconds",
     4},
    {"metrics", KEY_METRICS, "FILE", 0, "Write metrics for Prometheus to FILE each second, whole or not at all", 4},
    PHX_HELP_OPTION,
    {0},
};

typedef struct command_line {
    phx_node_job job;
    phx_node_options keys; /* assignments: argc places */
} command_line;

/* ---- reading the command line ---- */

static float read_speed(struct argp_state *state, const char *text)
{
    char *end;
    const float speed = strtof(text, &end);
    if (end == text || *end != '\0' || !(speed >= 0.01f && speed <= 1000))
        argp_error(state, "--speed: '%s' is not a number from 0.01 to 1000", text);
    return speed;
}

static void read_regions(struct argp_state *state, const char *text, uint32_t regions[2])
{
    if (!phx_parse_nxm(text, &regions[0], &regions[1]) || regions[0] > 64 || regions[1] > 64)
        argp_error(state, "--regions: '%s' is not columns x rows, as 8x8, up to 64x64", text);
}

static void add_server(struct argp_state *state, const char *option, const char **servers, uint32_t *count,
                       const char *text)
{
    if (*count == PHC_SERVERS_MAX) argp_error(state, "--%s: at most %d of them", option, PHC_SERVERS_MAX);
    servers[(*count)++] = text;
}

/* Options that stand for keys of the config. */
static error_t read_key_option(int key, char *text, struct argp_state *state, phx_node_options *keys)
{
    switch (key) {
    case KEY_NATS:
        add_server(state, "nats", keys->nats, &keys->nats_count, text);
        return 0;
    case KEY_ETCD:
        add_server(state, "etcd", keys->etcd, &keys->etcd_count, text);
        return 0;
    case KEY_NAME:
        keys->name = text;
        return 0;
    case KEY_NUMBER:
        keys->number = (uint16_t)phx_whole_option(state, "number", text, 1, UINT16_MAX);
        return 0;
    case KEY_GATEWAY:
        keys->is_gateway = true;
        return 0;
    case KEY_REGIONS:
        read_regions(state, text, keys->regions);
        return 0;
    case KEY_SPEED:
        keys->speed = read_speed(state, text);
        return 0;
    case KEY_LEASE_MS:
        keys->lease_ms = (uint32_t)phx_whole_option(state, "lease-ms", text, 1000, 600000);
        return 0;
    case KEY_FREEZE:
        keys->freezes = true;
        return 0;
    case KEY_ADOPT_MAP:
        keys->adopts = true;
        return 0;
    case KEY_CONFIG:
        if (keys->config_path) argp_error(state, "--config is given twice");
        keys->config_path = phx_input_path(text);
        return 0;
    case KEY_SET:
        keys->assignments[keys->assignment_count++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t read_job_option(int key, char *text, struct argp_state *state, phx_node_job *job)
{
    switch (key) {
    case KEY_FEED:
        job->feeds = true;
        return 0;
    case KEY_WALKERS:
        job->walkers = (uint32_t)phx_whole_option(state, "walkers", text, 1, PHX_NODE_WALKERS_MAX);
        return 0;
    case KEY_SEED:
        job->seed = (uint32_t)phx_whole_option(state, "seed", text, 0, UINT32_MAX);
        return 0;
    case KEY_TICK_MS:
        job->tick_ms = (uint32_t)phx_whole_option(state, "tick-ms", text, 1, 60000);
        return 0;
    case KEY_SLOW_MS:
        job->slow_ms = (uint32_t)phx_whole_option(state, "slow-ms", text, 0, 60000);
        return 0;
    case KEY_DRAIN_MS:
        job->drain_ms = (uint32_t)phx_whole_option(state, "drain-ms", text, 0, UINT32_MAX);
        return 0;
    case KEY_EVENTS:
        job->shows_events = true;
        return 0;
    case KEY_IDS:
        job->shows_ids = true;
        return 0;
    case KEY_LISTS:
        job->shows_ids = job->shows_lists = true;
        return 0;
    case KEY_TICKS:
        job->shows_ticks = true;
        return 0;
    case KEY_METRICS:
        job->metrics_path = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    command_line *line = state->input;
    if (key == PHX_KEY_HELP) phx_help(state);
    else if (key == ARGP_KEY_ARG) argp_error(state, "'%s': servers are given as --nats URL and --etcd URL", text);
    else if (read_key_option(key, text, state, &line->keys) != 0) return read_job_option(key, text, state, &line->job);
    return 0;
}

/* ---- the run ---- */

static phx_node_signals signals;

/* On any thread, and on two at a time. */
static void handle_signal(int number)
{
    _Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may not wait for a lock");
    if (number == SIGUSR1) atomic_fetch_xor_explicit(&signals.rests, 1, memory_order_relaxed);
    else if (number == SIGUSR2) atomic_fetch_xor_explicit(&signals.is_slow, 1, memory_order_relaxed);
    else atomic_fetch_add_explicit(&signals.stops, 1, memory_order_relaxed);
}

/* signal() would end the process at the second one on some systems. */
static void catch_signal(int number)
{
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

static int run(phx_mem *mem, command_line *line)
{
    ph_config *config;
    if (ph_config_create(&config) != PH_OK) {
        fputs("pharos-node: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    int exit_status = phx_node_config_read(config, &line->keys, &line->job);
    if (exit_status == PHX_EXIT_OK) exit_status = phx_node_run(mem, &line->job, &signals);
    ph_config_destroy(config);
    return exit_status;
}

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "pharos-node %s\n", ph_version());
}

int main(int argc, char **argv)
{
    static const struct argp parser = {options, read_option, NULL, help, NULL, NULL, NULL};
    phx_mem mem;
    command_line line = {.job = {.walkers = 200, .seed = 1, .tick_ms = 50, .drain_ms = 30000}};
    argp_err_exit_status = PHX_EXIT_USAGE;
    argp_program_version_hook = print_version;
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGUSR1);
    catch_signal(SIGUSR2);
    phx_mem_init(&mem, phx_allocator_jemalloc());
    const size_t bytes = (size_t)argc * sizeof *line.keys.assignments;
    line.keys.assignments = phx_alloc(&mem, bytes, _Alignof(const char *));
    if (!line.keys.assignments) {
        fputs("pharos-node: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    const int exit_status = argp_parse(&parser, argc, argv, 0, NULL, &line) == 0 ? run(&mem, &line) : PHX_EXIT_USAGE;
    phx_free(&mem, line.keys.assignments, bytes, _Alignof(const char *));
    return exit_status;
}
