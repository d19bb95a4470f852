/*
 * pharos-replay: runs a recorded trace through a world and writes the events. This file
 * is the command line; the run itself is replay_run.c.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pharos/pharos.h>

#include "base/mem_jemalloc.h"
#include "tools/cli.h"
#include "tools/options.h"
#include "tools/replay_report.h"
#include "tools/replay_run.h"
#include "tools/standard_input.h"
#include "tools/trace_head.h"

static const char usage[] = "TRACE[.gz]\nIMAGE.phs";

static const char help[] =
    "Runs the commands of TRACE, a CSV file, plain or gzip, or of the journal behind IMAGE, through a Pharos world "
    "tick "
    "by tick, and reports the targets that entered and left each observer's list."
    "\v"
    "Examples:\n"
    "\n"
    "  pharos-replay city.csv.gz --set view=150 --events events.csv\n"
    "      All views are 150. Writes every event and prints a summary.\n"
    "\n"
    "  pharos-replay mmo.csv.gz --config a.conf --workers 4 --shards 4x4 --json\n"
    "      The world of a.conf on 4 threads; the summary as one JSON object.\n"
    "\n"
    "  pharos-replay city.csv.gz --set view=150 --explain 3,7@12\n"
    "      Says in a sentence why 3 sees 7 at the end of tick 12, or why not.\n"
    "\n"
    "  pharos-replay incident/arena.00000000000000047950.phs --to 48200 \\\n"
    "      --explain 3,7@48100\n"
    "      An incident: the image of tick 47950, and the records behind it, up to\n"
    "      tick 48200.\n"
    "\n"
    "  pharos-replay /var/game/arena.00000000000000048000.phs --follow \\\n"
    "      --compare --verify\n"
    "      A shadow: follows a server that runs, and compares its lists and its\n"
    "      images.\n"
    "\n"
    "  zcat city.csv.gz | pharos-replay - --set view=150\n"
    "      - is the standard input, as a trace and as --config.\n"
    "\n"
    "The trace: the first line names the columns, in any order. tick, op and id must be there; there may be x y z "
    "kind view margin reach visible instance layers sees veiled stealth detect global ready remote cap priority other "
    "user_data consumer radius x2 z2 y2 corners follow text bytes self seen. "
    "An empty field is one not given; empty fields at the end of a line may be missing, other fields may not. Nothing "
    "is quoted. Blank lines and lines that begin with # are passed over; but lines #config before "
    "the names, each with a line of a config file behind the word, are the world's definition, unless --config gives "
    "one (of files, not of pipes). Ticks never go down; a tick without a line "
    "runs too (up to a million in a row); the run begins with the tick of the first line, and events carry the "
    "ticks of the trace.\n"
    "  enter   x y and any of: z kind view ... priority\n"
    "  set     any of: x y z kind view ... priority\n"
    "  move    x, y or z; an empty one stays (z is 0 where there is no column z)\n"
    "  pair    other (the target), view; margin\n"
    "  unpair link unlink hide unhide reveal unreveal   other (the target)\n"
    "  attach  other (the parent)\n"
    "  leave detach resend   nothing more\n"
    "  broadcast  sends text (without commas) from id to all its observers; kind\n"
    "             (only to the ones of this kind), self (1: to itself too); radius:\n"
    "             instead to all observers within it, with seen (1) only to the\n"
    "             ones that see id, too\n"
    "  broadcast_at   x y radius: text from a place, to all observers within\n"
    "                 radius; kind, instance (default: 0), layers (default: all);\n"
    "                 id plays no part, the heard file has source 0\n"
    "  area    id (the area's own), and a circle: x y radius; a box: x y x2 y2; or\n"
    "          a convex polygon: corners, as 0:0;4:0;0:3; kind (only for entities\n"
    "          of this kind), instance (default: all), layers, z and z2 (heights),\n"
    "          margin (of a circle or box), follow (an entity: all coordinates are\n"
    "          relative to it, until it leaves). Again: it moves\n"
    "  unarea  id (the area's)\n"
    "  import  bytes: a family of entities that is in a capsule of ph_export()\n"
    "  config  text: KEY=VALUE, as --set takes it, of a live key; the tick takes\n"
    "          all of its lines together; id plays no part\n"
    "  apply   the commands so far are applied before the tick (ph_apply()): the\n"
    "          events are the same; id plays no part\n"
    "kind is the name of a class in the config; every other name is the class default, and the summary says so; #7 is "
    "a kind that has no name. Areas and broadcasts take several, as npc;player. bytes stands for text: two hexadecimal "
    "digits a byte. id and "
    "other are from 1 to "
    "2^64-1; layers and sees decimal or 0x...; veiled, global, ready and remote 0, 1, false, true, no or yes.\n"
    "\n"
    "A bad line, or a line with a command that the engine refuses, is named as FILE:LINE: reason. It ends the run, "
    "unless "
    "--skip-bad is given. A line has at most 135168 bytes. --skip-bad passes over one of up to 1048576; a longer one "
    "ends the run. So does a gzip trace that unpacks to more than --unpack-max.\n"
    "\n"
    "An image of a store (docs/saving.md) is replayed with the journal in its folder: FOLDER/NAME.TICK.phs, and the "
    "records in FOLDER/NAME.*.phj behind that tick. Ticks are the recorded world's; its definition is in the image, so "
    "--config and --set are for traces alone. The run ends where the journal ends or has a gap, which standard error "
    "tells. A tick whose counts are not the recorded ones ends it with status 1. --record makes such an image and a "
    "journal of a trace: its first tick is tick 1 there. --csv is the way back: a trace with the same events behind "
    "the "
    "image's tick, with the definition in its head; --definition writes that as a config. It needs --skip-bad if the "
    "recorded world refused "
    "commands. Entities of the image come as capsules; one whose attached family has a remote one begins anew.\n"
    "\n"
    "The events file has the header tick,observer,event,target and is sorted by these columns (leave before enter), so "
    "it is the same for every number of workers and shards. An entity that enters or leaves an area is an event "
    "in or out, with the entity as observer and the area as target; an NPC that awakes or falls asleep (class keys "
    "wakes and sleeps) is an event awake or asleep, with target 0; these come behind leave and enter: out, in, asleep, "
    "awake. With --causes a column cause follows (of a leave the first that holds of gone, hidden, outranked, range; "
    "of an enter appeared or came), with --positions the columns x,y,z, of enters alone; the order is the same. The "
    "file "
    "appears when the run has ended well, and not before. The event hash in the summary is the sum of "
    "a hash of each leave and enter: equal runs have equal hashes.\n"
    "\n"
    "The updates file has the header tick,observer,target,x,y,z,band and is sorted by the first three: the updates of "
    "observers "
    "of classes with bands (--set band=30:1,60:4). A target that enters a list is in it in that tick.\n"
    "\n"
    "The heard file has the header tick,observer,source,text and is sorted by tick and observer, then in the order of "
    "the "
    "trace: the broadcasts from sources in the observer's list at the end of the tick. A payload that is no printable "
    "ASCII, or has a comma, is 0x and its digits.\n"
    "\n"
    "Exit status: 0 the trace has run; 1 trouble with the machine (no memory, a file can not be written), or --verify "
    "or --compare found a difference, a replayed tick diverged from its record; 2 something is wrong with the command "
    "line, the config, the trace, the image or the journal.";

enum {
    KEY_SET = 's',
    KEY_CONFIG = 'c',
    KEY_EVENTS = 'e',
    KEY_UPDATES = 'u',
    KEY_HEARD = 'H',
    KEY_TICKS = 't',
    KEY_WORKERS = 'w',
    KEY_SHARDS = 256, /* from here on without a short form */
    KEY_INDEX,
    KEY_SKIP_BAD,
    KEY_JSON,
    KEY_EXPLAIN,
    KEY_VERIFY,
    KEY_UNPACK_MAX,
    KEY_CAUSES,
    KEY_POSITIONS,
    KEY_TO,
    KEY_FOLLOW,
    KEY_COMPARE,
    KEY_SAVE,
    KEY_SAVE_EVERY,
    KEY_RECORD,
    KEY_CSV,
    KEY_DEFINITION
};

static const struct argp_option options[] = {
    {"config", KEY_CONFIG, "FILE", 0, "Read the world's definition from FILE, not from the trace's head", 0},
    {"set", KEY_SET, "KEY=VALUE", 0,
     "Set a config key, on top of FILE: a list as a,b; view=100 for class default, NAME.view=100 for another. May be "
     "repeated; pharos-config dump shows all keys",
     0},
    {"workers", KEY_WORKERS, "N", 0, "The same as --set workers=N", 0},
    {"shards", KEY_SHARDS, "XxY", 0, "The same as --set shards=X,Y", 0},
    {"index", KEY_INDEX, "NAME", 0, "The same as --set index=NAME", 0},
    {"ticks", KEY_TICKS, "N", 0, "Stop after N ticks", 1},
    {"to", KEY_TO, "TICK", 0, "Stop behind this tick", 1},
    {"follow", KEY_FOLLOW, NULL, 0,
     "Of an image: at the journal's end wait for more, until --to, --ticks, SIGINT or SIGTERM", 1},
    {"skip-bad", KEY_SKIP_BAD, NULL, 0, "Pass over bad lines: show the first 10, count all by reason", 1},
    {"unpack-max", KEY_UNPACK_MAX, "BYTES[K|M|G]", 0, "The most that a gzip trace may unpack to (default: 256M)", 1},
    {"events", KEY_EVENTS, "OUT.csv", 0,
     "Write all events; - is the standard output, and the summary goes to the standard error then", 2},
    {"causes", KEY_CAUSES, NULL, 0, "Add the column cause to the events: why a target left or entered a list", 2},
    {"positions", KEY_POSITIONS, NULL, 0, "Add the columns x,y,z to the events: where a target entered a list", 2},
    {"updates", KEY_UPDATES, "OUT.csv", 0,
     "Write the position updates of each tick and observer, by the bands of the classes; - as above", 2},
    {"heard", KEY_HEARD, "OUT.csv", 0, "Write the broadcasts that each observer gets; - as above", 2},
    {"explain", KEY_EXPLAIN, "O,T@TICK", 0,
     "Say why observer O sees target T at the end of TICK, or not; on the standard error where the standard output has "
     "events or JSON. May be repeated",
     2},
    {"verify", KEY_VERIFY, NULL, 0,
     "After every tick compare all lists with brute force (time: observers x entities); the first difference is named "
     "and ends the run with status 1",
     2},
    {"compare", KEY_COMPARE, NULL, 0,
     "Of an image: compare each later image of its store with the world at that tick; another one ends the run with "
     "status 1",
     2},
    {"save", KEY_SAVE, "FOLDER/NAME", 0, "Of an image: write images of the world into this other store", 2},
    {"save-every", KEY_SAVE_EVERY, "N", 0, "Ticks from one such image to the next (default: 1200)", 2},
    {"record", KEY_RECORD, "FOLDER/NAME", 0,
     "Of a trace: write its image and journal into this store; level, sync_ms and file_bytes come from the config's "
     "section store",
     2},
    {"csv", KEY_CSV, "OUT.csv", 0, "Of an image: write it and its journal as a trace with the same events; - as above",
     2},
    {"definition", KEY_DEFINITION, "OUT.conf", 0, "Of an image: write its definition, as a config", 2},
    {"json", KEY_JSON, NULL, 0, "Print the summary as a JSON object", 2},
    PHX_HELP_OPTION,
    {0},
};

enum { SAVE_EVERY = 1200 }; /* ticks: as a store has it */

typedef struct command_line {
    phx_replay_job job;
    const char *config_path;
    const char **assignments; /* argc places */
    int assignment_count;
    phx_replay_question *questions; /* argc places; job.questions */
    bool json;
    char workers[48], shards[48], index[64]; /* the assignments that the shorthands stand for */
} command_line;

/* ---- reading the command line ---- */

static void add_assignment(command_line *line, int argc, const char *assignment)
{
    PHX_ASSERT(line->assignment_count < argc);
    (void)argc;
    line->assignments[line->assignment_count++] = assignment;
}

/* An option that is given twice is more likely a slip than meant. */
static void only_once(struct argp_state *state, bool given, const char *option)
{
    if (given) argp_error(state, "--%s is given twice", option);
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Does it have a name of a store's files? Also behind a link, and such a name that no store gives. */
static bool is_file_of_store(const char *path)
{
    static const char *const endings[] = {".phs", ".phj"};
    char *real = realpath(path, NULL);
    const char *name = real ? real : path;
    const size_t length = strlen(name), tail = strlen(endings[0]);
    bool is = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && length >= tail; i++)
        is = is || strcmp(name + length - tail, endings[i]) == 0;
    free(real);
    return is;
}

/* Each output is a file of its own, and none is the input, or a file of a store. */
static void check_outputs(struct argp_state *state, const phx_replay_job *job)
{
    const struct {
        const char *what, *path;
    } outputs[] = {{"events", job->events_path},
                   {"updates", job->updates_path},
                   {"heard", job->heard_path},
                   {"csv", job->csv_path},
                   {"definition", job->definition_path}};
    struct stat input;
    const bool regular = stat(job->trace_path, &input) == 0 && S_ISREG(input.st_mode);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = outputs[i].path;
        if (!path) continue;
        for (size_t j = 0; j < i; j++)
            if (outputs[j].path && strcmp(path, outputs[j].path) == 0)
                argp_error(state, "%s and %s into one file, '%s'", outputs[j].what, outputs[i].what, path);
        if (regular && is_same_file(job->trace_path, path))
            argp_error(state, "--%s %s: that is the %s itself", outputs[i].what, path, job->image ? "image" : "trace");
        if (is_file_of_store(path))
            argp_error(state, "--%s %s: only a store writes files of this ending", outputs[i].what, path);
    }
}

static void read_workers(struct argp_state *state, command_line *line, const char *text)
{
    only_once(state, line->workers[0] != '\0', "workers");
    snprintf(line->workers, sizeof line->workers, "workers=%llu",
             (unsigned long long)phx_whole_option(state, "workers", text, 1, PH_WORKERS_MAX));
    add_assignment(line, state->argc, line->workers);
}

static void read_shards(struct argp_state *state, command_line *line, const char *text)
{
    uint32_t nx = 0, ny = 0;
    only_once(state, line->shards[0] != '\0', "shards");
    if (!phx_parse_nxm(text, &nx, &ny)) argp_error(state, "--shards: '%s' is not like 4x2", text);
    snprintf(line->shards, sizeof line->shards, "shards=%u,%u", nx, ny);
    add_assignment(line, state->argc, line->shards);
}

static void read_index(struct argp_state *state, command_line *line, const char *text)
{
    only_once(state, line->index[0] != '\0', "index");
    int length = snprintf(line->index, sizeof line->index, "index=%s", text);
    if (length < 0 || (size_t)length >= sizeof line->index) argp_error(state, "--index: '%s' is no index", text);
    add_assignment(line, state->argc, line->index);
}

/* "3,7@12" */
static bool parse_question(const char *text, phx_replay_question *question)
{
    const char *comma = strchr(text, ','), *at = comma ? strchr(comma, '@') : NULL;
    return at && phx_parse_u64(text, (size_t)(comma - text), 1, UINT64_MAX, &question->observer) &&
           phx_parse_u64(comma + 1, (size_t)(at - comma - 1), 1, UINT64_MAX, &question->target) &&
           phx_parse_u64(at + 1, strlen(at + 1), 0, UINT64_MAX, &question->tick);
}

static void read_question(struct argp_state *state, command_line *line, const char *text)
{
    PHX_ASSERT(line->job.question_count < (uint32_t)state->argc);
    if (!parse_question(text, &line->questions[line->job.question_count++]))
        argp_error(state, "--explain: '%s' is not like 3,7@12 (observer, target, tick)", text);
}

/* A trace or an image, and options that go with it. */
static void check_source(struct argp_state *state, command_line *line)
{
    static const char image[] = ".phs";
    phx_replay_job *job = &line->job;
    if (!job->trace_path) argp_error(state, "which trace?");
    const char *path = job->trace_path ? job->trace_path : "";
    const size_t length = strlen(path), tail = sizeof image - 1;
    job->image = length > tail && strcmp(path + length - tail, image) == 0;
    const int layouts = (line->workers[0] != '\0') + (line->shards[0] != '\0') + (line->index[0] != '\0');
    if (phx_is_stdin(path) && phx_is_stdin(line->config_path))
        argp_error(state, "the trace and --config are both the standard input");
    if (job->image && (line->config_path || line->assignment_count > layouts))
        argp_error(state, "--config and --set are for traces: an image has its definition");
    if (job->image && (job->record_path || job->skip_bad)) argp_error(state, "--record and --skip-bad are for traces");
    if (!job->image && (job->follow || job->compare || job->save_path))
        argp_error(state, "--follow, --compare and --save are for images");
    if (!job->image && (job->csv_path || job->definition_path))
        argp_error(state, "--csv and --definition are for images");
    if (job->save_every != 0 && !job->save_path) argp_error(state, "--save-every needs --save");
    if (job->save_every == 0) job->save_every = SAVE_EVERY;
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    command_line *line = state->input;
    switch (key) {
    case PHX_KEY_HELP:
        phx_help(state);
        return 0;
    case KEY_CONFIG:
        only_once(state, line->config_path != NULL, "config");
        line->config_path = phx_input_path(text);
        return 0;
    case KEY_SET:
        add_assignment(line, state->argc, text);
        return 0;
    case KEY_WORKERS:
        read_workers(state, line, text);
        return 0;
    case KEY_SHARDS:
        read_shards(state, line, text);
        return 0;
    case KEY_INDEX:
        read_index(state, line, text);
        return 0;
    case KEY_TICKS:
        only_once(state, line->job.ticks_max != 0, "ticks");
        line->job.ticks_max = phx_whole_option(state, "ticks", text, 1, UINT32_MAX);
        return 0;
    case KEY_UNPACK_MAX:
        only_once(state, line->job.unpack_max_bytes != 0, "unpack-max");
        if (!phx_parse_bytes(text, &line->job.unpack_max_bytes))
            argp_error(state, "--unpack-max: '%s' is not a number of bytes, as 1000000, 64K, 500M or 2G", text);
        return 0;
    case KEY_SKIP_BAD:
        line->job.skip_bad = true;
        return 0;
    case KEY_EVENTS:
        only_once(state, line->job.events_path != NULL, "events");
        line->job.events_path = text;
        return 0;
    case KEY_CAUSES:
        line->job.shows.causes = true;
        return 0;
    case KEY_POSITIONS:
        line->job.shows.positions = true;
        return 0;
    case KEY_UPDATES:
        only_once(state, line->job.updates_path != NULL, "updates");
        line->job.updates_path = text;
        return 0;
    case KEY_HEARD:
        only_once(state, line->job.heard_path != NULL, "heard");
        line->job.heard_path = text;
        return 0;
    case KEY_TO:
        only_once(state, line->job.tick_last != UINT64_MAX, "to");
        if (!phx_parse_u64(text, strlen(text), 0, UINT64_MAX - 1, &line->job.tick_last))
            argp_error(state, "--to: '%s' is not a tick, a whole number", text);
        return 0;
    case KEY_FOLLOW:
        line->job.follow = true;
        return 0;
    case KEY_COMPARE:
        line->job.compare = true;
        return 0;
    case KEY_SAVE:
        only_once(state, line->job.save_path != NULL, "save");
        line->job.save_path = text;
        return 0;
    case KEY_SAVE_EVERY:
        only_once(state, line->job.save_every != 0, "save-every");
        line->job.save_every = phx_whole_option(state, "save-every", text, 1, UINT32_MAX);
        return 0;
    case KEY_RECORD:
        only_once(state, line->job.record_path != NULL, "record");
        line->job.record_path = text;
        return 0;
    case KEY_CSV:
        only_once(state, line->job.csv_path != NULL, "csv");
        line->job.csv_path = text;
        return 0;
    case KEY_DEFINITION:
        only_once(state, line->job.definition_path != NULL, "definition");
        line->job.definition_path = text;
        return 0;
    case KEY_JSON:
        line->json = true;
        return 0;
    case KEY_VERIFY:
        line->job.verify = true;
        return 0;
    case KEY_EXPLAIN:
        read_question(state, line, text);
        return 0;
    case ARGP_KEY_ARG:
        if (line->job.trace_path) argp_error(state, "one trace at a time: '%s' is too many", text);
        line->job.trace_path = phx_input_path(text);
        return 0;
    case ARGP_KEY_END:
        check_source(state, line);
        if (line->job.unpack_max_bytes == 0) line->job.unpack_max_bytes = PHX_TRACE_UNPACK_MAX_BYTES;
        if ((line->job.shows.causes || line->job.shows.positions) && !line->job.events_path)
            argp_error(state, "--causes and --positions need --events");
        check_outputs(state, &line->job);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- config ---- */

static int config_exit(ph_status status, const ph_config_error *error)
{
    if (status == PH_OK) return PHX_EXIT_OK;
    if (status == PH_NO_MEMORY) fputs("pharos-replay: no memory\n", stderr);
    else fprintf(stderr, "%s\n", error->reason);
    return status == PH_NO_MEMORY ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE;
}

/*
 * The file first, or the trace's head, then the assignments in the order of the command line; then the whole is
 * checked, once: settings that need each other may come in any order.
 */
static int read_config(ph_config *config, phx_mem *mem, const command_line *line)
{
    ph_config_error error = {.reason = ""};
    ph_status status = ph_config_begin(config);
    if (line->config_path && status == PH_OK) {
        phx_say_waiting(line->config_path, "writer");
        status = ph_config_load(config, line->config_path, &error);
    } else if (!line->job.image && status == PH_OK) {
        status = phx_trace_head_load(config, mem, line->job.trace_path, line->job.unpack_max_bytes, &error);
    }
    for (int i = 0; i < line->assignment_count && status == PH_OK; i++)
        status = ph_config_set(config, line->assignments[i], &error);
    if (status == PH_OK) status = ph_config_end(config, &error);
    return config_exit(status, &error);
}

/* ---- the run ---- */

static bool events_on_stdout(const command_line *line)
{
    const char *paths[] = {line->job.events_path, line->job.updates_path, line->job.heard_path, line->job.csv_path,
                           line->job.definition_path};
    bool there = false;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        there = there || (paths[i] && strcmp(paths[i], "-") == 0);
    return there;
}

/* The summary; on stdout, unless the events are there. */
static int report(const command_line *line, const phx_replay_summary *summary)
{
    FILE *out = events_on_stdout(line) ? stderr : stdout;
    if (line->json) phx_replay_report_json(out, &line->job, summary);
    else phx_replay_report_text(out, &line->job, summary);
    if (summary->unknown_kinds > 0)
        fprintf(stderr,
                "pharos-replay: %llu lines name a class that the config has not, '%s' first: class default stood for "
                "it\n",
                (unsigned long long)summary->unknown_kinds, summary->unknown_kind);
    if (summary->nobody_looks)
        fputs("pharos-replay: no entity observes: a class or a line has to give a view (--set view=100)\n", stderr);
    if (fflush(out) == 0 && !ferror(out)) return PHX_EXIT_OK;
    perror("pharos-replay: the summary");
    return PHX_EXIT_TROUBLE;
}

/* The layout of an image, as far as it is given. */
static void take_layout(command_line *line, const ph_world_def *def)
{
    line->job.layout = (ph_load_options){.given = (line->workers[0] != '\0' ? PH_LOAD_WORKERS : 0u) |
                                                  (line->shards[0] != '\0' ? PH_LOAD_SHARDS : 0u) |
                                                  (line->index[0] != '\0' ? PH_LOAD_INDEX : 0u),
                                         .shards = {def->shards[0], def->shards[1]},
                                         .workers = def->workers,
                                         .index = def->index};
}

static int replay(phx_mem *mem, command_line *line)
{
    ph_config *config = NULL;
    phx_replay_summary *summary = phx_alloc(mem, sizeof *summary, _Alignof(phx_replay_summary));
    int exit_status = config_exit(summary ? ph_config_create(&config) : PH_NO_MEMORY, NULL);
    if (exit_status == PHX_EXIT_OK) exit_status = read_config(config, mem, line);
    if (exit_status == PHX_EXIT_OK && line->job.shows.positions && !ph_config_def(config)->positions) {
        fputs("pharos-replay: --positions: the config has positions = false\n", stderr);
        exit_status = PHX_EXIT_USAGE;
    }
    if (exit_status == PHX_EXIT_OK) take_layout(line, ph_config_def(config));
    line->job.config = config;
    line->job.questions = line->questions;
    line->job.answers = line->json || events_on_stdout(line) ? stderr : stdout;
    if (exit_status == PHX_EXIT_OK) exit_status = phx_run_replay(mem, &line->job, summary);
    if (exit_status == PHX_EXIT_OK) exit_status = report(line, summary);
    if (config) ph_config_destroy(config);
    phx_free(mem, summary, sizeof *summary, _Alignof(phx_replay_summary));
    return exit_status;
}

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "pharos-replay %s\n", ph_version());
}

int main(int argc, char **argv)
{
    static const struct argp parser = {options, read_option, usage, help, NULL, NULL, NULL};
    phx_mem mem;
    command_line line = {.job = {.tick_last = UINT64_MAX}};
    argp_err_exit_status = PHX_EXIT_USAGE;
    argp_program_version_hook = print_version;
    phx_mem_init(&mem, phx_allocator_jemalloc());
    size_t bytes = (size_t)argc * sizeof *line.assignments, more = (size_t)argc * sizeof *line.questions;
    int exit_status = PHX_EXIT_TROUBLE;
    line.assignments = phx_alloc(&mem, bytes, _Alignof(const char *));
    line.questions = phx_alloc(&mem, more, _Alignof(phx_replay_question));
    if (!line.assignments || !line.questions) fputs("pharos-replay: no memory\n", stderr);
    else exit_status = argp_parse(&parser, argc, argv, 0, NULL, &line) == 0 ? replay(&mem, &line) : PHX_EXIT_USAGE;
    phx_free(&mem, line.questions, more, _Alignof(phx_replay_question));
    phx_free(&mem, line.assignments, bytes, _Alignof(const char *));
    return exit_status;
}
