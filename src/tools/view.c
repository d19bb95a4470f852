/*
 * pharos-view: shows a world in a browser: the demo's, or a trace's. This file is the command line; the loop is
 * view_run.c, the worlds are view_demo.c and view_trace.c, the page is the library pharos_view.
 */
#include <argp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem_jemalloc.h"
#include "tools/options.h"
#include "tools/standard_input.h"
#include "tools/trace.h"
#include "tools/trace_head.h"
#include "tools/view_images.h"
#include "tools/view_run.h"
#include "tools/view_seek.h"

static const char help[] =
    "Shows a world in a browser: the map, an entity's targets and its observers, and why or why not. Prints an "
    "address; "
    "open it on this machine."
    "\v"
    "Examples:\n"
    "\n"
    "  pharos-view --demo\n"
    "      A harbour town that runs by itself. Click an entity; look at the tabs on\n"
    "      the right.\n"
    "\n"
    "  pharos-view --trace city.csv.gz --set view=150\n"
    "      The commands of a trace, as pharos-replay takes it, ten ticks a second.\n"
    "      The slider `tick` goes to any tick, also back.\n"
    "\n"
    "  pharos-view --trace incident/arena.00000000000000047950.phs --at 48100\n"
    "      An image of a store, and the journal behind it, as the server recorded\n"
    "      them.\n"
    "\n"
    "  pharos-view --trace incident.csv --config a.conf --at 812 --paused\n"
    "      Stands at the end of tick 812. Ask on the page why 3 does not see 7: the\n"
    "      sentence is that of pharos-replay --explain 3,7@812.\n"
    "\n"
    "  pharos-view --demo --allow-set\n"
    "      The page has sliders for live keys, and shows ticks and events before\n"
    "      and after.\n"
    "\n"
    "On the page: drag and wheel move the map, a click chooses an entity, Space pauses, . steps, 0 shows the whole "
    "world, f follows, / finds an id, ? lists all keys. The page's address keeps place and choice.\n"
    "\n"
    "It listens on 127.0.0.1 alone. The address has a random token, new with each start; without it no page is served "
    "a frame. From another machine: ssh -L 8732:127.0.0.1:8732 HOST, and --port 8732 there. Bad lines of a trace are "
    "passed over; pharos-replay names them. Going back is by key images in memory, of --images-max together; a world "
    "that takes more is refused.\n"
    "\n"
    "Exit status: 0 ended by a signal; 1 trouble (memory, port); 2 wrong use, config or trace.";

enum {
    KEY_DEMO = 256,
    KEY_TRACE,
    KEY_CONFIG,
    KEY_SET,
    KEY_ALLOW_SET,
    KEY_PORT,
    KEY_SOCKET,
    KEY_TOKEN,
    KEY_SPEED,
    KEY_TICK_MS,
    KEY_PAUSED,
    KEY_AT,
    KEY_UNPACK_MAX,
    KEY_IMAGES_MAX
};

static const struct argp_option options[] = {
    {"demo", KEY_DEMO, NULL, 0, "Show a town that runs by itself", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "Show the commands of a trace, CSV, plain or gzip (- is the standard input), or the image FOLDER/NAME.TICK.phs of "
     "a "
     "store and the journal behind it",
     0},
    {"config", KEY_CONFIG, "FILE", 0, "Read the world's definition from FILE, not from the trace's head", 1},
    {"set", KEY_SET, "KEY=VALUE", 0,
     "Set a config key, on top of FILE. May be repeated; pharos-config dump shows all. Of an image only workers, "
     "shards "
     "and index: it has its definition",
     1},
    {"allow-set", KEY_ALLOW_SET, NULL, 0, "Let the page change live keys", 1},
    {"port", KEY_PORT, "N", 0, "Listen on this port of 127.0.0.1 (default: a free one)", 2},
    {"socket", KEY_SOCKET, "PATH", 0, "Listen on this unix socket instead; prints PATH#token=TEXT", 2},
    {"token", KEY_TOKEN, "TEXT", 0, "16 to 64 letters and digits (default: random)", 2},
    {"speed", KEY_SPEED, "X", 0, "Times real time, 0.01 to 1000 (default: 1)", 3},
    {"tick-ms", KEY_TICK_MS, "MS", 0, "A tick takes so long at speed 1 (default: 50 of the demo, 100 of a trace)", 3},
    {"paused", KEY_PAUSED, NULL, 0, "Begin paused", 3},
    {"at", KEY_AT, "TICK", 0, "Begin at this tick of the trace", 3},
    {"unpack-max", KEY_UNPACK_MAX, "BYTES[K|M|G]", 0, "The most that a gzip trace may unpack to (default: 256M)", 3},
    {"images-max", KEY_IMAGES_MAX, "BYTES[K|M|G]", 0,
     "The most that all key images of a trace or an image may take, by which the page goes back (default: 256M)", 3},
    PHX_HELP_OPTION,
    {0},
};

typedef struct command_line {
    bool demo, allow_set, paused;
    bool image;      /* trace_path is an image of a store */
    uint32_t layout; /* PH_LOAD_...: keys of it that are set */
    const char *trace_path, *config_path;
    const char **assignments; /* argc places */
    int assignment_count;
    ph_view_def view;
    double speed;
    uint64_t tick_ms, at, unpack_max_bytes, images_max_bytes;
    bool has_at;
} command_line;

/* ---- reading the command line ---- */

static double read_speed(struct argp_state *state, const char *text)
{
    char *end;
    const double speed = strtod(text, &end);
    if (end == text || *end != '\0' || !(speed >= 0.01 && speed <= 1000))
        argp_error(state, "--speed: '%s' is not a number from 0.01 to 1000", text);
    return speed;
}

/* Of an image: which part of its layout an assignment is for. 0: none. */
static uint32_t layout_key(const char *assignment)
{
    static const struct {
        const char *name;
        uint32_t given;
    } keys[] = {{"workers", PH_LOAD_WORKERS}, {"shards", PH_LOAD_SHARDS}, {"index", PH_LOAD_INDEX}};
    const size_t length = strcspn(assignment, "= ");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].name) == length && strncmp(keys[i].name, assignment, length) == 0) return keys[i].given;
    return 0;
}

/* A trace or an image, and options that go with it. */
static void check_source(struct argp_state *state, command_line *line)
{
    static const char image[] = ".phs";
    const size_t length = line->trace_path ? strlen(line->trace_path) : 0, tail = sizeof image - 1;
    line->image = length > tail && strcmp(line->trace_path + length - tail, image) == 0;
    if (!line->image) return;
    if (line->config_path) argp_error(state, "--config is for traces: an image has its definition");
    for (int i = 0; i < line->assignment_count; i++) {
        const uint32_t given = layout_key(line->assignments[i]);
        if (given == 0)
            argp_error(state, "--set %s: an image has its definition; workers, shards and index can be set",
                       line->assignments[i]);
        line->layout |= given;
    }
}

static uint64_t read_bytes(struct argp_state *state, const char *name, const char *text)
{
    uint64_t bytes = 0;
    if (!phx_parse_bytes(text, &bytes))
        argp_error(state, "--%s: '%s' is not a number of bytes, as 64K, 500M or 2G", name, text);
    return bytes;
}

static void check(struct argp_state *state, command_line *line)
{
    check_source(state, line);
    if (line->demo == (line->trace_path != NULL)) argp_error(state, "one of --demo and --trace FILE is needed");
    if (phx_is_stdin(line->trace_path) && phx_is_stdin(line->config_path))
        argp_error(state, "--trace and --config are both the standard input");
    if (line->has_at && !line->trace_path) argp_error(state, "--at needs --trace");
    if (line->view.unix_path && line->view.port != 0) argp_error(state, "--socket and --port: one of them");
    if (line->speed == 0) line->speed = 1;
    if (line->tick_ms == 0) line->tick_ms = line->demo ? 50 : 100;
    if (line->unpack_max_bytes == 0) line->unpack_max_bytes = PHX_TRACE_UNPACK_MAX_BYTES;
    if (line->images_max_bytes == 0) line->images_max_bytes = PHX_KEY_IMAGES_BYTES;
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    command_line *line = state->input;
    switch (key) {
    case PHX_KEY_HELP:
        phx_help(state);
        return 0;
    case KEY_DEMO:
        line->demo = true;
        return 0;
    case KEY_TRACE:
        if (line->trace_path) argp_error(state, "one trace at a time: '%s' is too many", text);
        line->trace_path = phx_input_path(text);
        return 0;
    case KEY_CONFIG:
        if (line->config_path) argp_error(state, "--config is given twice");
        line->config_path = phx_input_path(text);
        return 0;
    case KEY_SET:
        line->assignments[line->assignment_count++] = text;
        return 0;
    case KEY_ALLOW_SET:
        line->allow_set = true;
        return 0;
    case KEY_PORT:
        line->view.port = (uint32_t)phx_whole_option(state, "port", text, 1, UINT16_MAX);
        return 0;
    case KEY_SOCKET:
        line->view.unix_path = text;
        return 0;
    case KEY_TOKEN:
        line->view.token = text;
        return 0;
    case KEY_SPEED:
        line->speed = read_speed(state, text);
        return 0;
    case KEY_TICK_MS:
        line->tick_ms = phx_whole_option(state, "tick-ms", text, 1, 60000);
        return 0;
    case KEY_PAUSED:
        line->paused = true;
        return 0;
    case KEY_AT:
        line->at = phx_whole_option(state, "at", text, 0, UINT64_MAX);
        line->has_at = true;
        return 0;
    case KEY_UNPACK_MAX:
        line->unpack_max_bytes = read_bytes(state, "unpack-max", text);
        return 0;
    case KEY_IMAGES_MAX:
        line->images_max_bytes = read_bytes(state, "images-max", text);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': a trace is given as --trace FILE", text);
        return 0;
    case ARGP_KEY_END:
        check(state, line);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- config ---- */

/* The demo's keys first, then the file, or the trace's head; then the assignments; then the whole is checked, once. */
static int read_config(ph_config *config, phx_mem *mem, const command_line *line)
{
    ph_config_error error = {.reason = "no memory"};
    ph_status status = ph_config_begin(config);
    if (line->demo && status == PH_OK) status = ph_config_load_text(config, "demo", phx_view_demo_config, &error);
    if (line->config_path && status == PH_OK) status = ph_config_load(config, line->config_path, &error);
    else if (line->trace_path && !line->image && status == PH_OK)
        status = phx_trace_head_load(config, mem, line->trace_path, line->unpack_max_bytes, &error);
    for (int i = 0; i < line->assignment_count && status == PH_OK; i++)
        status = ph_config_set(config, line->assignments[i], &error);
    if (status == PH_OK) status = ph_config_end(config, &error);
    if (status == PH_OK) return PHX_EXIT_OK;
    fprintf(stderr, "%s\n", error.reason);
    return status == PH_NO_MEMORY ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE;
}

/* ---- the run ---- */

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static bool open_source(const command_line *line, phx_view_source *source)
{
    if (line->demo) return phx_view_demo_open(source);
    if (!line->image) return phx_view_trace_open(source);
    const ph_world_def *def = ph_config_def(source->config);
    source->layout = (ph_load_options){.given = line->layout,
                                       .shards = {def->shards[0], def->shards[1]},
                                       .workers = def->workers,
                                       .index = def->index};
    return phx_view_store_open(source);
}

static int show(const command_line *line, phx_view_source *source)
{
    char reason[256] = "";
    ph_view *view = NULL;
    ph_view_def def = line->view;
    def.title = line->demo ? "demo" : line->trace_path;
    def.flags = PH_VIEW_CONTROLS | (line->trace_path ? PH_VIEW_SEEK | PH_VIEW_SLICE : 0u) |
                (line->allow_set ? PH_VIEW_SET : 0u);
    ph_status status = ph_view_open(&def, &view, reason, sizeof reason);
    if (status != PH_OK) {
        fprintf(stderr, "pharos-view: %s\n", reason[0] != '\0' ? reason : ph_status_text(status));
        return status == PH_BAD_DEF ? PHX_EXIT_USAGE : PHX_EXIT_TROUBLE;
    }
    phx_view_run run = {source, view, !line->demo, line->paused, line->speed, (uint32_t)line->tick_ms};
    status = ph_view_show(view, source->world, ph_config_def(source->config));
    printf("%s\n", ph_view_address(view));
    fflush(stdout);
    const int exit_status = status == PH_OK ? phx_view_run_all(&run, &stopped) : PHX_EXIT_TROUBLE;
    ph_view_close(view);
    return exit_status;
}

/* A tick that is not there is no reason to show nothing: the nearest one is shown. */
static bool go_to(phx_view_source *source, uint64_t tick)
{
    if (tick < source->first || tick > source->last)
        fprintf(stderr, "pharos-view: --at %" PRIu64 ": %s has ticks %" PRIu64 " to %" PRIu64 "\n", tick, source->path,
                source->first, source->last);
    return phx_view_seek(source, tick);
}

static int run(phx_mem *mem, const command_line *line)
{
    const char *trouble = phx_is_stdin(line->trace_path) ? phx_stdin_keep() : NULL; /* a seek opens it again */
    if (trouble) {
        fprintf(stderr, "pharos-view: the standard input: %s\n", trouble);
        return PHX_EXIT_USAGE;
    }
    phx_view_source source = {.mem = mem,
                              .path = line->trace_path,
                              .unpack_max_bytes = line->unpack_max_bytes,
                              .images_max_bytes = line->images_max_bytes};
    if (ph_config_create(&source.config) != PH_OK) {
        fputs("pharos-view: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    int exit_status = read_config(source.config, mem, line);
    if (exit_status == PHX_EXIT_OK) {
        bool opened = open_source(line, &source);
        if (opened && line->has_at) opened = go_to(&source, line->at);
        if (!opened) fprintf(stderr, "pharos-view: %s\n", source.reason);
        exit_status = opened ? show(line, &source) : PHX_EXIT_USAGE;
        if (source.close) source.close(&source);
    }
    ph_config_destroy(source.config);
    return exit_status;
}

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "pharos-view %s\n", ph_version());
}

int main(int argc, char **argv)
{
    static const struct argp parser = {options, read_option, NULL, help, NULL, NULL, NULL};
    phx_mem mem;
    command_line line = {0};
    argp_err_exit_status = PHX_EXIT_USAGE;
    argp_program_version_hook = print_version;
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    phx_mem_init(&mem, phx_allocator_jemalloc());
    const size_t bytes = (size_t)argc * sizeof *line.assignments;
    line.assignments = phx_alloc(&mem, bytes, _Alignof(const char *));
    if (!line.assignments) {
        fputs("pharos-view: no memory\n", stderr);
        return PHX_EXIT_TROUBLE;
    }
    const int exit_status = argp_parse(&parser, argc, argv, 0, NULL, &line) == 0 ? run(&mem, &line) : PHX_EXIT_USAGE;
    phx_free(&mem, line.assignments, bytes, _Alignof(const char *));
    return exit_status;
}
