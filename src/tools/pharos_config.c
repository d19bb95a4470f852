/*
 * pharos-config: checks a config file, shows the resulting definition, renames keys, writes the reference page
 * of all keys. Everything is done by the config library; this is its command line.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/config.h>
#include <pharos/pharos.h>

#include "tools/cli.h"
#include "tools/config_migrate.h"
#include "tools/options.h"
#include "tools/standard_input.h"

/* Assignments on one command line; more belong into a file. */
enum { SETS_MAX = 256, RENAMES_MAX = 64 };

typedef struct arguments {
    const char *command;
    const char *file; /* NULL = the built-in defaults */
    const char *sets[SETS_MAX];
    uint32_t set_count;
    phx_rename renames[RENAMES_MAX];
    uint32_t rename_count;
    bool in_place;
} arguments;

static const char documentation[] = "Checks and shows config files of Pharos.\v"
                                    "Commands:\n"
                                    "  check FILE    says \"FILE: ok\", or FILE:LINE and the error there\n"
                                    "  dump [FILE]   prints every key with its value and, as a comment, its origin:\n"
                                    "                FILE:LINE, --set or default; the output is a config file\n"
                                    "  migrate FILE  prints the file with keys under their new names; comments\n"
                                    "                and layout stay. Standard error has a line for each; a file\n"
                                    "                that is no config then is refused, and nothing is printed\n"
                                    "  reference     prints the page of all keys, ranges and meanings (Markdown)\n"
                                    "\n"
                                    "A config file in short:\n"
                                    "  world_size = {2000, 2000}   # pairs in braces; comments to the line's end\n"
                                    "  tower_size = 300            # two to four times the usual view\n"
                                    "  shards = {2, 2}\n"
                                    "  class default { view = 0 }  # kinds without a class; 0 does not observe\n"
                                    "  class player { view = 100 margin = 10 cap = 200\n"
                                    "    band { radius = 30 every = 1 } band { radius = 60 every = 4 } }\n"
                                    "\n"
                                    "Examples:\n"
                                    "  pharos-config dump > pharos.conf       # every key, to start from\n"
                                    "  pharos-config check pharos.conf\n"
                                    "  pharos-config migrate old.conf > new.conf\n"
                                    "  pharos-config migrate --in-place pharos.conf\n"
                                    "  pharos-config dump pharos.conf --set shards=4x4 --set player.view=150\n"
                                    "\n"
                                    "Exit status: 0 all is well; 2 the file, an assignment or the command line\n"
                                    "is wrong (standard error says how); 1 no memory, or the output can not be\n"
                                    "written.";

enum { KEY_IN_PLACE = 'i', KEY_RENAME = 'r' };

/* "OLD=NEW", changed on the way: argp's texts are ours. */
static void take_rename(arguments *args, char *text, const struct argp_state *state)
{
    char *equals = strchr(text, '=');

    if (equals == NULL || equals == text || equals[1] == '\0') {
        argp_error(state, "--rename: '%s' is not OLD=NEW", text);
        return;
    }
    if (args->rename_count == RENAMES_MAX) {
        argp_error(state, "more than %d --rename", RENAMES_MAX);
    }
    *equals = '\0';
    args->renames[args->rename_count++] = (phx_rename){NULL, text, equals + 1};
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    arguments *args = state->input;

    switch (key) {
    case PHX_KEY_HELP:
        phx_help(state);
        return 0;
    case 's':
        if (args->set_count == SETS_MAX) {
            argp_error(state, "more than %d --set", SETS_MAX);
        }
        args->sets[args->set_count++] = text;
        return 0;
    case KEY_IN_PLACE:
        args->in_place = true;
        return 0;
    case KEY_RENAME:
        take_rename(args, text, state);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0) {
            args->command = text;
        } else if (state->arg_num == 1) {
            args->file = phx_input_path(text);
        } else {
            argp_error(state, "one FILE at a time, not also '%s'", text);
        }
        return 0;
    case ARGP_KEY_END:
        if (args->command == NULL) {
            argp_error(state, "a command is missing: check, dump, migrate or reference");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"set", 's', "KEY=VALUE", 0, "Sets a key on top of the file, or of the defaults; may be given often", 0},
    {"in-place", KEY_IN_PLACE, NULL, 0, "Of migrate: FILE itself gets the new text, all of it or nothing", 0},
    {"rename", KEY_RENAME, "OLD=NEW", 0, "Of migrate: another key to rename, in every section; may be given often", 0},
    PHX_HELP_OPTION,
    {0}};

static const struct argp parser = {.options = options,
                                   .parser = parse_option,
                                   .args_doc = "check FILE\ndump [FILE]\nmigrate FILE\nreference",
                                   .doc = documentation};

static int exit_status(ph_status status)
{
    return status == PH_NO_MEMORY ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE;
}

static int wrote(ph_status status)
{
    if (status != PH_OK || fflush(stdout) != 0) {
        perror("pharos-config: the output can not be written");
        return PHX_EXIT_TROUBLE;
    }
    return PHX_EXIT_OK;
}

/* The file, if there is one, and the --set assignments on top of it; the whole is checked once, at the end. */
static ph_status fill(ph_config *config, const arguments *args, ph_config_error *error)
{
    ph_status status = ph_config_begin(config);

    if (args->file != NULL && status == PH_OK) {
        phx_say_waiting(args->file, "writer");
        status = ph_config_load(config, args->file, error);
    }
    for (uint32_t i = 0; i < args->set_count && status == PH_OK; i++) {
        status = ph_config_set(config, args->sets[i], error);
    }
    return status == PH_OK ? ph_config_end(config, error) : status;
}

static int check_or_dump(const arguments *args)
{
    ph_config_error error = {.reason = ""};
    ph_config *config = NULL;
    ph_status status = ph_config_create(&config);
    int result;

    if (status != PH_OK) {
        fprintf(stderr, "pharos-config: %s\n", ph_status_text(status));
        return exit_status(status);
    }
    status = fill(config, args, &error);
    if (status != PH_OK) {
        fprintf(stderr, "%s\n", error.reason[0] != '\0' ? error.reason : "pharos-config: no memory");
        result = exit_status(status);
    } else if (strcmp(args->command, "dump") == 0) {
        result = wrote(ph_config_dump(config, stdout));
    } else {
        result = wrote(printf("%s: ok\n", args->file) > 0 ? PH_OK : PH_BAD_ARGUMENT);
    }
    ph_config_destroy(config);
    return result;
}

static int usage_error(const char *what)
{
    fprintf(stderr, "pharos-config: %s\nTry `pharos-config --help'.\n", what);
    return PHX_EXIT_USAGE;
}

static int migrate(const arguments *args)
{
    if (args->file == NULL) {
        return usage_error("nothing to migrate. Name a FILE");
    }
    if (args->set_count > 0) {
        return usage_error("migrate takes no --set");
    }
    if (args->in_place && phx_is_stdin(args->file)) {
        return usage_error("the standard input can not be changed in place");
    }
    return phx_config_migrate(args->file, args->renames, args->rename_count, args->in_place);
}

int main(int argc, char **argv)
{
    static char version[64];
    arguments args = {0};

    snprintf(version, sizeof version, "pharos-config %s", ph_version());
    argp_program_version = version;
    argp_err_exit_status = PHX_EXIT_USAGE;
    argp_parse(&parser, argc, argv, 0, NULL, &args);

    if (strcmp(args.command, "migrate") == 0) {
        return migrate(&args);
    }
    if (args.in_place || args.rename_count > 0) {
        return usage_error("--in-place and --rename belong to migrate");
    }
    if (strcmp(args.command, "reference") == 0) {
        if (args.file != NULL || args.set_count > 0) {
            return usage_error("reference takes neither FILE nor --set");
        }
        return wrote(ph_config_reference(stdout));
    }
    if (strcmp(args.command, "check") == 0) {
        return args.file != NULL ? check_or_dump(&args) : usage_error("nothing to check. Name a FILE");
    }
    if (strcmp(args.command, "dump") == 0) {
        return check_or_dump(&args);
    }
    char what[128];
    snprintf(what, sizeof what, "unknown command '%.40s': check, dump, migrate and reference are known", args.command);
    return usage_error(what);
}
