/*
 * pharos-cluster: shows and changes the nodes and regions of a common world, over etcd. This file is the command line;
 * cluster_run.c has the commands.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cluster_config.h"
#include "tools/cluster_operands.h"
#include "tools/cluster_run.h"
#include "tools/options.h"
#include "tools/standard_input.h"

static const char documentation[] =
    "Shows and changes which node of a common world has which regions, over etcd, where the members have it."
    "\v"
    "Commands:\n"
    "  status               members, their leases and regions, the map's version,\n"
    "                       the fence: the version in which one was last put out\n"
    "  map                  the node of each region\n"
    "  watch                status, and again after each change, until a signal\n"
    "  move REGIONS NODE    gives regions, as 3 or 3,7-9, to a node; their entities\n"
    "                       follow by themselves, and are simulated all the time\n"
    "  drain NODE           gives all regions of a node to the others; it stays a\n"
    "                       member without, until `move` gives it some. (SIGTERM\n"
    "                       drains a pharos-node, and ends it)\n"
    "  out NODE             puts a member out that has lost its lease, where no\n"
    "                       living member does; --force: a living one, too\n"
    "  balance              gives a region of the busiest node to a neighbour, if\n"
    "                       that one is busy for more than 40 % of its time and\n"
    "                       1.3 times the mean; at once, and once: see below\n"
    "  check                findings, each with its meaning and its remedy; asks\n"
    "                       each server of etcd\n"
    "  verify [EXPORT]...   check, and whether the nodes agree with the map: each\n"
    "                       sees its regions, and no other one; none waits for\n"
    "                       hand-overs; by exports each entity has one owner,\n"
    "                       and by their lists all that are within its view\n"
    "\n"
    "A change is one write by compare-and-set, as members write theirs: two at once are made one after the other, none "
    "is "
    "lost. --dry-run shows it, and writes nothing. A change that stands already is no error.\n"
    "\n"
    "A node is busy from phc_tick() to the end of phc_told(); every two seconds it reports the mean of its "
    "rounds since the last report, and the entities of its regions. One node, the balancer in `status`, makes such "
    "moves "
    "by itself where `cluster.balance` is on, once a node was so busy for ten seconds; it waits as long behind any "
    "change "
    "of the map, also by `balance`. "
    "None gives a region to a drained node, takes a node's last one, or moves while entities of a dead node are "
    "restored.\n"
    "\n"
    "A region is a number: column + row * columns. It says where entities should be; an entity's owner hands it over "
    "as soon as the region's new node hears all the others.\n"
    "\n"
    "An export has the entities that a node owns, as the last line with \"node\" and \"ids\" of its file, "
    "{\"node\":2,\"ids\":\"1-7,9\"}: pharos-node --ids prints such lines. Take all of them while no entity crosses a "
    "border; "
    "without exports owners are not compared. pharos-node --lists adds places and lists of its entities. Take these "
    "once "
    "all have stood still for a second: then nodes do not differ in where an entity is.\n"
    "\n"
    "Examples:\n"
    "  pharos-cluster --etcd http://10.0.0.1:2379 status\n"
    "  pharos-cluster --etcd https://10.0.0.1:2379 \\\n"
    "      --set cluster.etcd_ca_file=ca.pem status\n"
    "  pharos-cluster --config node.conf check && echo all is well\n"
    "  pharos-cluster --config node.conf move 12-15 3 --dry-run\n"
    "  pharos-cluster --config node.conf --json status |\n"
    "      jq '.members[] | select(.state != \"member\")'\n"
    "\n"
    "Exit status: 0 done, or it stands already, or nothing is found; 1 trouble (memory, output); 2 wrong use or "
    "config; "
    "3 refused: such a change can not be made, nothing was written; 4 etcd does not answer, or not in time: a change "
    "may "
    "have been made, `status` shows it; 5 check or verify has found something.";

enum { KEY_ETCD = 256, KEY_NAME, KEY_CONFIG, KEY_SET, KEY_JSON, KEY_EVERY, KEY_WAIT, KEY_FORCE, KEY_DRY = 'n' };

static const struct argp_option options[] = {
    {"etcd", KEY_ETCD, "URL", 0,
     "A member of etcd, http://HOST:PORT; https://: with TLS, and files by keys as cluster.etcd_ca_file. Up to 5 of "
     "one cluster (cluster.etcd)",
     0},
    {"name", KEY_NAME, "NAME", 0, "Of the common world (cluster.name; default: the only one that etcd has)", 0},
    {"config", KEY_CONFIG, "FILE", 0, "Read these from the section `cluster` of a node's FILE", 1},
    {"set", KEY_SET, "KEY=VALUE", 0, "Set a key of it, on top of FILE. May be repeated", 1},
    {"json", KEY_JSON, NULL, 0, "One line of JSON for each status, change or finding", 2},
    {"every", KEY_EVERY, "MS", 0, "Of watch and verify: between two looks (default: 500)", 2},
    {"wait-ms", KEY_WAIT, "MS", 0,
     "Of verify: look again for so long, so that only what stays is found (default: 10000)", 2},
    {"dry-run", KEY_DRY, NULL, 0, "Of a change: show it, write nothing", 3},
    {"force", KEY_FORCE, NULL, 0,
     "Of out: a member that holds its lease is told to leave at once, and put out then; its "
     "entities are gone until hosts restore them",
     3},
    PHX_HELP_OPTION,
    {0},
};

enum { OPERANDS_MAX = 65 }; /* verify, and an export of each node */

typedef struct command_line {
    phx_cluster_job job;
    phx_cluster_options keys; /* assignments: argc places */
    const char *operands[OPERANDS_MAX];
    uint32_t operand_count;
} command_line;

/* ---- commands ---- */

typedef struct command_row {
    const char *name, *operands;
    phx_cluster_command command;
    phx_change_kind kind;
    uint32_t operand_count;
} command_row;

static const command_row commands[] = {
    {"status", "", PHX_CLUSTER_STATUS, 0, 0},
    {"map", "", PHX_CLUSTER_SHOW_MAP, 0, 0},
    {"watch", "", PHX_CLUSTER_WATCH, 0, 0},
    {"move", " REGIONS NODE", PHX_CLUSTER_CHANGE, PHX_CHANGE_MOVE, 2},
    {"drain", " NODE", PHX_CLUSTER_CHANGE, PHX_CHANGE_DRAIN, 1},
    {"out", " NODE", PHX_CLUSTER_CHANGE, PHX_CHANGE_OUT, 1},
    {"check", "", PHX_CLUSTER_CHECK, 0, 0},
    {"balance", "", PHX_CLUSTER_BALANCE, 0, 0},
    {"verify", " [EXPORT]...", PHX_CLUSTER_VERIFY, 0, 0},
};

static const command_row *find_command(struct argp_state *state, const command_line *line)
{
    if (line->operand_count == 0)
        argp_error(state, "a command is missing: status, map, watch, move, drain, out, balance, check or verify");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(line->operands[0], commands[i].name) == 0) return &commands[i];
    argp_error(state, "unknown command '%s': status, map, watch, move, drain, out, balance, check and verify are known",
               line->operands[0]);
    return &commands[0];
}

static void read_command(struct argp_state *state, command_line *line)
{
    const command_row *row = find_command(state, line);
    phx_cluster_job *job = &line->job;
    if (row->command == PHX_CLUSTER_VERIFY) {
        job->exports = &line->operands[1];
        job->export_count = line->operand_count - 1;
    } else if (line->operand_count != row->operand_count + 1)
        argp_error(state, "usage: %s%s", row->name, row->operands);
    job->command = row->command;
    job->change.kind = row->kind;
    const bool is_change = row->command == PHX_CLUSTER_CHANGE;
    const bool balances = row->command == PHX_CLUSTER_BALANCE;
    if (job->change.is_dry && !is_change && !balances)
        argp_error(state, "--dry-run belongs to a change: move, drain, out, balance");
    if (job->change.is_forced && !(is_change && row->kind == PHX_CHANGE_OUT))
        argp_error(state, "--force belongs to out");
    if (row->operand_count == 2) phx_read_regions(state, &job->change, line->operands[1]);
    if (row->operand_count > 0) job->change.number = phx_read_member(state, line->operands[row->operand_count]);
}

/* ---- options ---- */

static error_t read_option(int key, char *text, struct argp_state *state)
{
    command_line *line = state->input;
    switch (key) {
    case PHX_KEY_HELP:
        phx_help(state);
        return 0;
    case KEY_ETCD:
        if (line->keys.etcd_count == PHC_SERVERS_MAX) argp_error(state, "--etcd: at most %d of them", PHC_SERVERS_MAX);
        line->keys.etcd[line->keys.etcd_count++] = text;
        return 0;
    case KEY_NAME:
        line->job.name = text;
        return 0;
    case KEY_CONFIG:
        if (line->keys.config_path) argp_error(state, "--config is given twice");
        line->keys.config_path = phx_input_path(text);
        return 0;
    case KEY_SET:
        line->keys.assignments[line->keys.assignment_count++] = text;
        return 0;
    case KEY_JSON:
        line->job.is_json = true;
        return 0;
    case KEY_EVERY:
        line->job.every_ms = (uint32_t)phx_whole_option(state, "every", text, 10, 3600000);
        return 0;
    case KEY_WAIT:
        line->job.wait_ms = (uint32_t)phx_whole_option(state, "wait-ms", text, 0, 3600000);
        return 0;
    case KEY_DRY:
        line->job.change.is_dry = true;
        return 0;
    case KEY_FORCE:
        line->job.change.is_forced = true;
        return 0;
    case ARGP_KEY_ARG:
        if (line->operand_count == OPERANDS_MAX) argp_error(state, "'%s' is too many", text);
        line->operands[line->operand_count++] = text;
        return 0;
    case ARGP_KEY_END:
        read_command(state, line);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options,
    .parser = read_option,
    .args_doc = "status\nmap\nwatch\nmove REGIONS NODE\ndrain NODE\nout NODE\nbalance\ncheck\nverify [EXPORT]...",
    .doc = documentation};

/* ---- the run ---- */

static volatile sig_atomic_t stops;

static void handle_stop(int number)
{
    (void)number;
    stops = 1;
}

static int run(command_line *line)
{
    ph_config *config;
    if (ph_config_create(&config) != PH_OK) {
        fputs("pharos-cluster: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    int exit_status = phx_cluster_config_read(config, &line->keys, &line->job);
    if (exit_status == PHX_EXIT_OK) exit_status = phx_cluster_run(&line->job, &stops);
    ph_config_destroy(config);
    return exit_status;
}

int main(int argc, char **argv)
{
    static char version[64];
    static command_line line; /* large: a change of all regions */
    struct sigaction action = {.sa_handler = handle_stop};
    line.job.every_ms = 500;
    line.job.wait_ms = 10000;
    (void)snprintf(version, sizeof version, "pharos-cluster %s", ph_version());
    argp_program_version = version;
    argp_err_exit_status = PHX_EXIT_USAGE;
    line.keys.assignments = calloc((size_t)argc, sizeof *line.keys.assignments);
    if (!line.keys.assignments) {
        fputs("pharos-cluster: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    argp_parse(&parser, argc, argv, 0, NULL, &line);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    int exit_status = run(&line);
    free(line.keys.assignments);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("pharos-cluster: the output can not be written");
        exit_status = PHX_EXIT_TROUBLE;
    }
    return exit_status;
}
