/*
 * pharos-config as a user meets it: exit status, standard output and standard error of
 * every command. usage: config_tool PATH_OF_PHAROS_CONFIG
 */
#include <fcntl.h>
#include <pharos/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/key_table.h"
#include "support/check.h"
#include "support/temp_path.h"
#include "tools/migrate.h"

enum { OUTPUT_SIZE = 64 << 10, ARGUMENTS_MAX = 600 };

static const char *tool;
static char out[OUTPUT_SIZE]; /* of the last run */
static char err[OUTPUT_SIZE];
static char old_dump[OUTPUT_SIZE];

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    REQUIRE(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void read_file(const char *name, char *text)
{
    FILE *file = fopen(name, "r");
    size_t length;

    REQUIRE(file != NULL);
    length = fread(text, 1, OUTPUT_SIZE - 1, file);
    text[length] = '\0';
    fclose(file);
}

static void redirect(int to, const char *name, int flags)
{
    int from = open(name, flags, 0600);

    if (from < 0 || dup2(from, to) < 0) {
        _exit(99);
    }
}

enum { WRITABLE = O_WRONLY | O_CREAT | O_TRUNC, NOT_WRITABLE = O_RDONLY };

/* Runs the tool, its output to the file "out"; its exit status, or 1000 and more when it did not exit. */
static int run(int out_flags, const char *const *arguments)
{
    char *argv[ARGUMENTS_MAX + 2] = {"pharos-config"};
    pid_t child = fork();
    int status;

    REQUIRE(child >= 0);
    if (child == 0) {
        for (int i = 0; arguments[i] != NULL; i++) {
            argv[i + 1] = strdup(arguments[i]);
        }
        redirect(STDOUT_FILENO, "out", out_flags);
        redirect(STDERR_FILENO, "err", WRITABLE);
        execv(tool, argv);
        _exit(98);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    read_file("err", err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

#define RUN(out_flags, ...) run(out_flags, (const char *const[]){__VA_ARGS__, NULL})
#define EXPECT(want, ...) \
    do { \
        int got = RUN(WRITABLE, __VA_ARGS__); \
        read_file("out", out); \
        CHECK(got == (want), "%s: exit status %d, not %d; it said: %s", #__VA_ARGS__, got, want, err); \
    } while (0)
#define EXPECT_OUT(text) CHECK(strcmp(out, text) == 0, "standard output is\n%s, not\n%s", out, text)
#define EXPECT_ERR(text) CHECK(strcmp(err, text) == 0, "standard error is\n%s, not\n%s", err, text)
#define EXPECT_HAS(where, text) CHECK(strstr(where, text) != NULL, "no '%s' in\n%s", text, where)

static void test_check(void)
{
    write_file("good.conf", "# mine\nworld_size = {2000, 1000}\nclass player { view = 100 }\n");
    write_file("bad.conf", "span = 5\nspam = 6\n");
    EXPECT(0, "check", "good.conf");
    EXPECT_OUT("good.conf: ok\n");
    EXPECT_ERR("");
    EXPECT(2, "check", "bad.conf");
    EXPECT_OUT("");
    EXPECT_ERR("bad.conf:2: no such option 'spam'\n");
    EXPECT(2, "check", "none.conf");
    EXPECT_OUT("");
    EXPECT_ERR("none.conf: can not be opened: No such file or directory\n");
    EXPECT(2, "check", "good.conf", "--set", "view=x");
    EXPECT_OUT("");
    EXPECT_ERR("--set view=x: view = 'x' is not a number in [0, 1e18]\n");
    EXPECT(2, "check");
    EXPECT_HAS(err, "Name a FILE");
    EXPECT(2, "check", "good.conf", "good.conf");
    EXPECT_OUT("");
    EXPECT_HAS(err, "one FILE at a time");
}

static void test_dump(void)
{
    char first[OUTPUT_SIZE];

    EXPECT(0, "dump");
    EXPECT_ERR("");
    EXPECT_HAS(out, "tower_size = 0                           # default\n");
    write_file("all.conf", out);
    EXPECT(0, "check", "all.conf");
    EXPECT(0, "dump", "good.conf", "--set", "shards=2x3", "-s", "npc.margin=4");
    EXPECT_ERR("");
    EXPECT_HAS(out, "world_size = {2000, 1000}                # good.conf:2\n");
    EXPECT_HAS(out, "shards = {2, 3}                          # --set\n");
    EXPECT_HAS(out, "class player {\n    view = 100                           # good.conf:3\n");
    EXPECT_HAS(out, "class npc {\n    view = 0                             # default\n"
                    "    margin = 4                           # --set\n");
    memcpy(first, out, sizeof first);
    EXPECT(0, "--set=shards=2x3", "dump", "--set=npc.margin=4", "good.conf");
    EXPECT_OUT(first); /* wherever the options stand */
    EXPECT(2, "dump", "bad.conf");
    EXPECT_OUT(""); /* nothing half written */
    EXPECT_ERR("bad.conf:2: no such option 'spam'\n");
    EXPECT(2, "dump", "--set", "shards=0x1");
    EXPECT_OUT("");
    EXPECT_ERR("--set shards=0x1: shards = 0 is outside [1, 1024]\n");
}

static void test_help(void)
{
    EXPECT(0, "--help");
    EXPECT_ERR("");
    EXPECT_HAS(out, "check FILE");
    EXPECT_HAS(out, "--set=KEY=VALUE");
    EXPECT_HAS(out, "Exit status");
    EXPECT(0, "--version");
    EXPECT_OUT("pharos-config " PHAROS_VERSION_STRING "\n");
    EXPECT(0, "reference");
    EXPECT_HAS(out, "| `tower_size` | number (float32) |");
    EXPECT(2, "reference", "good.conf");
    EXPECT_OUT("");
    EXPECT(2, "reference", "--set", "view=5");
    EXPECT_OUT("");
    EXPECT(2, "frobnicate");
    EXPECT_OUT("");
    EXPECT_HAS(err, "unknown command 'frobnicate'");
    EXPECT(2, "--frobnicate");
    EXPECT_OUT("");
    EXPECT(2, "dump", "--set");
    EXPECT_OUT("");
    CHECK(run(WRITABLE, (const char *const[]){NULL}) == 2, "no argument: exit status is not 2");
    EXPECT_HAS(err, "a command is missing");
}

/* The examples of the help have to work. */
static void test_example_of_the_help(void)
{
    write_file("short.conf", "  world_size = {2000, 2000}   # pairs in braces; comments to the line's end\n"
                             "  tower_size = 300            # two to four times the usual view\n"
                             "  shards = {2, 2}\n"
                             "  class default { view = 0 }  # kinds without a class; 0 does not observe\n"
                             "  class player { view = 100 margin = 10 cap = 200\n"
                             "    band { radius = 30 every = 1 } band { radius = 60 every = 4 } }\n");
    EXPECT(0, "check", "short.conf");
    EXPECT(0, "--help");
    EXPECT_HAS(out, "  shards = {2, 2}\n  class default { view = 0 }  # kinds");
    EXPECT_HAS(out, "  class player { view = 100 margin = 10 cap = 200\n"
                    "    band { radius = 30 every = 1 } band { radius = 60 every = 4 } }\n");
}

/* Old names as keys, and as classes, as values and in comments: the keys alone are renamed, all else stays to the byte.
 */
static const char old_text[] = "\xef\xbb\xbf# far = 1, near = 2\r\n"
                               "\tlarge\t=  {2000,/* far = { */ 2000}  // far\r\n"
                               "form = \n\n  square class square{far=10 near /* = */ = 2# = near\n"
                               "band { near = 30 every = 1 }band{near=60 every=4}}\n"
                               "class 'near' { far = 5 } /* far = 6\n*/ class \"form\" { far = 7 }";
static const char new_text[] = "\xef\xbb\xbf# far = 1, near = 2\r\n"
                               "\tworld_size\t=  {2000,/* far = { */ 2000}  // far\r\n"
                               "shape = \n\n  square class square{view=10 margin /* = */ = 2# = near\n"
                               "band { radius = 30 every = 1 }band{radius=60 every=4}}\n"
                               "class 'near' { view = 5 } /* far = 6\n*/ class \"form\" { view = 7 }";

static void test_migrate(void)
{
    static const phx_rename rows[] = {
        {"", "large", "world_size"}, {"", "form", "shape"},      {"", "square", "no"}, {"class", "far", "view"},
        {"class", "near", "margin"}, {"band", "near", "radius"}, {NULL, NULL, NULL}};
    const phx_renames renames = {.versions = rows};
    char *made = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&made, &length);

    REQUIRE(stream != NULL);
    phx_migrate(stream, old_text, sizeof old_text - 1, &renames);
    fclose(stream);
    CHECK(strcmp(made, new_text) == 0, "the new text is\n%s, not\n%s", made, new_text);
    write_file("new.conf", made);
    free(made);
    EXPECT(0, "check", "new.conf");

    /* The program: the file's own renames, refusals, and the file itself as the output. */
    write_file("old.conf", "# wide is the view\nclass a { wide = 5 } class b { # two\n wide=6}\n");
    EXPECT(2, "migrate", "old.conf");
    EXPECT_OUT("");
    EXPECT_ERR("old.conf:2: no such option 'wide'\n");
    EXPECT(0, "migrate", "old.conf", "--rename", "wide=view");
    EXPECT_OUT("# wide is the view\nclass a { view = 5 } class b { # two\n view=6}\n");
    EXPECT_ERR("old.conf:2: wide is now view\nold.conf:3: wide is now view\n");
    EXPECT(2, "migrate", "old.conf", "--in-place", "-r", "wide=span");
    EXPECT_HAS(err, "no such option 'span'");
    read_file("old.conf", out);
    EXPECT_HAS(out, "a { wide = 5 }"); /* nothing was written */
    EXPECT(0, "migrate", "old.conf", "--in-place", "-r", "wide=view");
    EXPECT_OUT("");
    EXPECT(0, "migrate", "old.conf");
    EXPECT_OUT("# wide is the view\nclass a { view = 5 } class b { # two\n view=6}\n");
    EXPECT_ERR("");
    EXPECT(0, "dump");
    write_file("all.conf", out);
    memcpy(old_dump, out, sizeof old_dump);
    EXPECT(0, "migrate", "all.conf");
    EXPECT_OUT(old_dump);
    EXPECT(2, "migrate");
    EXPECT_HAS(err, "Name a FILE");
    EXPECT(2, "migrate", "none.conf");
    EXPECT_ERR("none.conf: No such file or directory\n");
    EXPECT(2, "migrate", "-", "--in-place");
    EXPECT_HAS(err, "can not be changed in place");
    EXPECT(2, "check", "old.conf", "--in-place");
    EXPECT_HAS(err, "belong to migrate");
    EXPECT(2, "migrate", "old.conf", "--set", "span=2");
    EXPECT_HAS(err, "takes no --set");
    EXPECT(2, "migrate", "old.conf", "--rename", "wide");
    EXPECT_HAS(err, "'wide' is not OLD=NEW");
    CHECK(RUN(NOT_WRITABLE, "migrate", "old.conf") == 1, "migrate");
    EXPECT_ERR("pharos-config: the output can not be written: Bad file descriptor\n");
}

/* Every row of the table leads from a name that is no key to one that is. */
static void test_renames(void)
{
    static const phx_key world[] = PHX_WORLD_KEY_TABLE, class_keys[] = PHX_CLASS_KEY_TABLE, band[] = PHX_BAND_KEY_TABLE;
    const struct {
        const char *section;
        const phx_key *keys;
        size_t count;
    } sections[] = {{"", world, PHX_WORLD_KEY_COUNT},
                    {"class", class_keys, PHX_CLASS_KEY_COUNT},
                    {"band", band, PHX_BAND_KEY_COUNT}};

    for (const phx_rename *row = phx_key_renames; row->old_name != NULL; row++) {
        bool found = false;

        for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
            for (size_t k = 0; strcmp(sections[s].section, row->section) == 0 && k < sections[s].count; k++) {
                CHECK(strcmp(sections[s].keys[k].name, row->old_name) != 0, "%s is a key", row->old_name);
                found = found || strcmp(sections[s].keys[k].name, row->new_name) == 0;
            }
        }
        CHECK(found || strcmp(row->section, "store") == 0 || strcmp(row->section, "cluster") == 0, "%s is no key",
              row->new_name);
    }
}

static void test_limits(void)
{
    const char *arguments[2 * 257 + 2] = {"dump"};

    for (int i = 0; i < 257; i++) {
        arguments[1 + 2 * i] = "--set";
        arguments[2 + 2 * i] = "view=5";
    }
    arguments[1 + 2 * 256] = NULL;
    CHECK(run(WRITABLE, arguments) == 0, "256 --set are refused: %s", err);
    arguments[1 + 2 * 256] = "--set";
    CHECK(run(WRITABLE, arguments) == 2, "257 --set are taken");
    EXPECT_HAS(err, "more than 256 --set");
}

static void test_output_that_can_not_be_written(void)
{
    CHECK(RUN(NOT_WRITABLE, "dump") == 1, "dump");
    EXPECT_ERR("pharos-config: the output can not be written: Bad file descriptor\n");
    CHECK(RUN(NOT_WRITABLE, "reference") == 1, "reference");
    EXPECT_ERR("pharos-config: the output can not be written: Bad file descriptor\n");
    CHECK(RUN(NOT_WRITABLE, "check", "good.conf") == 1, "check");
    EXPECT_ERR("pharos-config: the output can not be written: Bad file descriptor\n");
}

int main(int argc, char **argv)
{
    char folder[TEMP_PATH_SIZE];
    static const char *const files[] = {"good.conf", "bad.conf", "all.conf", "short.conf",
                                        "old.conf",  "new.conf", "out",      "err"};
    int result;

    REQUIRE(argc == 2);
    tool = argv[1];
    REQUIRE(tool[0] == '/');
    temp_folder(folder, "config");
    REQUIRE(chdir(folder) == 0);
    test_check();
    test_dump();
    test_help();
    test_example_of_the_help();
    test_migrate();
    test_renames();
    test_limits();
    test_output_that_can_not_be_written();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)unlink(files[i]);
    }
    result = check_done("config_tool");
    return rmdir(folder) == 0 ? result : 1;
}
