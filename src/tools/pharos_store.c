/*
 * pharos-store: shows, checks and cuts the images and journals of a folder. This file is the command line;
 * store_check.c and src/store do the work.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "store/journal_cut.h"
#include "tools/cli.h"
#include "tools/options.h"
#include "tools/store_check.h"
#include "tools/store_names.h"

typedef struct arguments {
    const char *command, *folder;
    const char *out;  /* of cut */
    const char *name; /* NULL = every store of the folder */
    uint64_t from, to;
    bool ranged; /* --from or --to is given */
} arguments;

static const char documentation[] = "Shows, checks and cuts images and journals of Pharos worlds (docs/saving.md).\v"
                                    "Commands:\n"
                                    "  ls FOLDER       a line for each file, by its head: kind, tick, entities,\n"
                                    "                  bytes, version of the library that wrote it\n"
                                    "  check FOLDER    reads every file to its end, loads each image, and recovers\n"
                                    "                  each store as a server would: names the first damage of each\n"
                                    "                  file, and the tick that is recovered. The world has to fit\n"
                                    "                  into memory\n"
                                    "  cut FOLDER OUT  copies an incident into the folder OUT: the newest image of\n"
                                    "                  a tick up to --from (default: of all), and the records\n"
                                    "                  behind it up to --to (default: the last one). OUT is made if\n"
                                    "                  it is not there; no file in it is replaced\n"
                                    "\n"
                                    "The files of a store are FOLDER/NAME.TICK.phs, an image, and\n"
                                    "FOLDER/NAME.TICK.phj, records from that tick on. A server may have the store\n"
                                    "open: nothing in FOLDER changes. Files that end in .old or .part are passed\n"
                                    "over.\n"
                                    "\n"
                                    "Examples:\n"
                                    "  pharos-store ls /var/game\n"
                                    "  pharos-store check /var/game --name arena\n"
                                    "  pharos-store cut /var/game incident --from 48000 --to 48200\n"
                                    "  pharos-replay incident/arena.00000000000000047950.phs --verify\n"
                                    "\n"
                                    "Exit status: 0 all is whole; 2 a file is damaged, no world is recovered, or\n"
                                    "the command line or a folder is wrong; 1 no memory, or the output can not be\n"
                                    "written.";

enum { KEY_NAME = 'n', KEY_FROM = 'f', KEY_TO = 't' };

static const struct argp_option options[] = {
    {"name", KEY_NAME, "NAME", 0, "The store of this name alone", 0},
    {"from", KEY_FROM, "TICK", 0, "Of cut: the newest image of a tick up to this one", 0},
    {"to", KEY_TO, "TICK", 0, "Of cut: records up to this tick", 0},
    PHX_HELP_OPTION,
    {0}};

static uint64_t read_tick(struct argp_state *state, const char *option, const char *text)
{
    uint64_t tick = 0;
    if (!phx_parse_u64(text, strlen(text), 0, UINT64_MAX, &tick))
        argp_error(state, "--%s: '%s' is not a tick, a whole number", option, text);
    return tick;
}

static void check_command(struct argp_state *state, const arguments *args)
{
    if (args->command[0] == '\0') argp_error(state, "a command is missing: ls, check or cut");
    const bool cuts = strcmp(args->command, "cut") == 0;
    if (!cuts && strcmp(args->command, "ls") != 0 && strcmp(args->command, "check") != 0)
        argp_error(state, "unknown command '%s': ls, check and cut are known", args->command);
    if (!args->folder) argp_error(state, "which FOLDER?");
    if (cuts && !args->out) argp_error(state, "cut: into which folder OUT?");
    if (!cuts && args->out) argp_error(state, "one FOLDER at a time, not also '%s'", args->out);
    if (!cuts && args->ranged) argp_error(state, "--from and --to belong to cut");
    if (args->from > args->to && args->from != UINT64_MAX) argp_error(state, "--from is behind --to");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    arguments *args = state->input;
    const char **const places[] = {&args->command, &args->folder, &args->out};
    switch (key) {
    case PHX_KEY_HELP:
        phx_help(state);
        return 0;
    case KEY_NAME:
        args->name = text;
        return 0;
    case KEY_FROM:
        args->from = read_tick(state, "from", text);
        args->ranged = true;
        return 0;
    case KEY_TO:
        args->to = read_tick(state, "to", text);
        args->ranged = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num >= sizeof places / sizeof *places) argp_error(state, "'%s' is too many", text);
        *places[state->arg_num] = text;
        return 0;
    case ARGP_KEY_END:
        check_command(state, args);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "ls FOLDER\ncheck FOLDER\ncut FOLDER OUT",
                                   .doc = documentation};

/* ---- cut ---- */

static int cut_store(const arguments *args, const phx_folder *folder)
{
    phx_folder other;
    phx_journal_cut cut;
    char reason[PH_STORE_REASON_SIZE] = "";
    if (mkdir(args->out, 0777) != 0 && errno != EEXIST) { /* without the bits of the umask */
        fprintf(stderr, "pharos-store: %s: %s\n", args->out, strerror(errno));
        return PHX_EXIT_USAGE;
    }
    ph_status status = phx_folder_init(&other, args->out, folder->name) ? PH_OK : PH_NO_MEMORY;
    if (status == PH_OK)
        status =
            phx_journal_cut_copy(folder, &other, &phx_disk_posix, args->from, args->to, &cut, reason, sizeof reason);
    phx_folder_free(&other);
    if (status == PH_OK) {
        printf("%s/%s: the image of tick %" PRIu64 ", and records up to tick %" PRIu64 "\n", args->out, folder->name,
               cut.image_tick, cut.last_tick);
        return PHX_EXIT_OK;
    }
    fprintf(stderr, "pharos-store: %s\n", reason[0] != '\0' ? reason : ph_status_text(status));
    return status == PH_NO_MEMORY ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE;
}

/* ---- stores ---- */

static int run_store(const arguments *args, const char *name)
{
    phx_folder folder;
    int exit_status = PHX_EXIT_TROUBLE;
    if (!phx_folder_init(&folder, args->folder, name)) fputs("pharos-store: no memory\n", stderr);
    else if (strcmp(args->command, "cut") == 0) exit_status = cut_store(args, &folder);
    else if (strcmp(args->command, "ls") == 0) exit_status = phx_store_list(&folder);
    else exit_status = phx_store_check_all(&folder);
    phx_folder_free(&folder);
    return exit_status;
}

static bool is_wanted(const arguments *args, const char *name)
{
    return !args->name || strcmp(args->name, name) == 0;
}

static int wrong_folder(const arguments *args, const char *why)
{
    fprintf(stderr, "pharos-store: %s: %s\n", args->folder, why);
    return PHX_EXIT_USAGE;
}

/* Runs the command for each wanted store. */
static int run_stores(const arguments *args, const phx_store_names *names)
{
    int exit_status = PHX_EXIT_OK;
    size_t wanted = 0;
    for (size_t i = 0; i < names->count; i++) wanted += is_wanted(args, names->at[i]);
    if (wanted == 0) return wrong_folder(args, args->name ? "it has no store of this name" : "it has no store");
    if (wanted > 1 && strcmp(args->command, "cut") == 0)
        return wrong_folder(args, "it has several stores: --name says which one is cut");
    if (strcmp(args->command, "ls") == 0) phx_store_list_title();
    for (size_t i = 0; i < names->count && exit_status != PHX_EXIT_TROUBLE; i++) {
        if (!is_wanted(args, names->at[i])) continue;
        const int one = run_store(args, names->at[i]);
        exit_status = one == PHX_EXIT_OK ? exit_status : one;
    }
    return exit_status;
}

int main(int argc, char **argv)
{
    static char version[64];
    arguments args = {.command = "", .from = UINT64_MAX, .to = UINT64_MAX};
    phx_store_names names;
    (void)snprintf(version, sizeof version, "pharos-store %s", ph_version());
    argp_program_version = version;
    argp_err_exit_status = PHX_EXIT_USAGE;
    argp_parse(&parser, argc, argv, 0, NULL, &args);

    const int error = phx_store_names_find(args.folder, &names);
    int exit_status = error == 0 ? run_stores(&args, &names) : wrong_folder(&args, strerror(error));
    free(names.at);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("pharos-store: the output can not be written");
        exit_status = PHX_EXIT_TROUBLE;
    }
    return exit_status;
}
