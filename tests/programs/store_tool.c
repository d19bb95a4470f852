/*
 * pharos-store as a user meets it: exit status, standard output and standard error of every command, on whole, cut and
 * damaged files. usage: store_tool PATH_OF_PHAROS_STORE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "support/check.h"
#include "support/temp_path.h"

enum { OUTPUT_SIZE = 16 << 10, ARGUMENTS_MAX = 16, ENTITIES = 30, TICKS = 45, EVERY = 20 };

static const char *tool;
static char out[OUTPUT_SIZE], err[OUTPUT_SIZE]; /* of the last run */

static void read_output(const char *name, char *text)
{
    FILE *file = fopen(name, "re");
    REQUIRE(file);
    text[fread(text, 1, OUTPUT_SIZE - 1, file)] = '\0';
    (void)fclose(file);
}

static void redirect(int to, const char *name, int flags)
{
    const int from = open(name, flags, 0600);
    if (from < 0 || dup2(from, to) < 0) _exit(99);
}

/* Runs the tool in the test's folder; its exit status, or 1000 and more if it did not exit. */
static int run(const char *out_name, int out_flags, const char *const *arguments)
{
    char *argv[ARGUMENTS_MAX + 2] = {"pharos-store"};
    int status;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (int i = 0; arguments[i]; i++) argv[i + 1] = strdup(arguments[i]);
        redirect(STDOUT_FILENO, out_name, out_flags);
        redirect(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
        execv(tool, argv);
        _exit(98);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    read_output("err", err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

#define EXPECT(want, ...) \
    do { \
        const int got = run("out", O_WRONLY | O_CREAT | O_TRUNC, (const char *const[]){__VA_ARGS__, NULL}); \
        read_output("out", out); \
        CHECK(got == (want), "%s: exit status %d, not %d: %s%s", #__VA_ARGS__, got, want, out, err); \
    } while (0)
#define EXPECT_OUT(text) CHECK(strstr(out, text), "standard output has no '%s':\n%s", text, out)
#define EXPECT_ERR(text) CHECK(strstr(err, text), "standard error has no '%s':\n%s", text, err)

/* Records a world: images of ticks 0, 20 and 40, records of 1 to 45, closed. */
static void make_store(const char *name)
{
    ph_store_def def = ph_store_def_default();
    const ph_world_def world_def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    ph_store *store;
    ph_store_stats stats;
    def.folder = "store";
    def.name = name;
    def.image_ticks = EVERY;
    def.ring_bytes = 1 << 20;
    REQUIRE(ph_world_create(&world_def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    REQUIRE(ph_store_open(&def, world, &store, NULL, 0) == PH_OK);
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = (float)tick, .y = 5.0f, .view = 20.0f};
        if (tick <= ENTITIES) CHECK_OK(ph_enter(producer, tick, &attrs));
        else CHECK_OK(ph_move(producer, tick - ENTITIES, (float)tick, 6.0f, 0.0f));
        do {
            (void)usleep(100);
            CHECK_OK(ph_store_stats_get(store, &stats));
        } while (stats.writing); /* so that no image is late */
        CHECK_OK(ph_tick(world, NULL));
        CHECK_OK(ph_store_tick(store));
    }
    CHECK_OK(ph_store_close(store));
    CHECK_OK(ph_world_destroy(world));
}

/* Flips a bit of a file, in the middle. */
static void flip_bit(const char *path)
{
    struct stat file;
    FILE *to = fopen(path, "r+be");
    REQUIRE(to && stat(path, &file) == 0 && fseek(to, file.st_size / 2, SEEK_SET) == 0);
    const int byte = fgetc(to);
    REQUIRE(byte >= 0 && fseek(to, -1, SEEK_CUR) == 0 && fputc(byte ^ 1, to) >= 0 && fclose(to) == 0);
}

static const char image[] = "store/arena.00000000000000000040.phs", older[] = "store/arena.00000000000000000020.phs",
                  journal[] = "store/arena.00000000000000000001.phj";

static void test_whole(void)
{
    EXPECT(0, "ls", "store");
    EXPECT_OUT("NAME         KIND             TICK   ENTITIES        BYTES LIBRARY  STATE\n");
    EXPECT_OUT("arena        image              40         30 ");
    EXPECT_OUT("arena        journal             1          - ");
    CHECK(!strstr(out, "tower"), "a name too many:\n%s", out);
    EXPECT(0, "check", "store");
    EXPECT_OUT("store/arena.00000000000000000000.phs: ok, 0 entities\n");
    EXPECT_OUT("store/arena.00000000000000000040.phs: ok, 30 entities\n");
    EXPECT_OUT("store/arena.00000000000000000001.phj: ok, 45 records up to tick 45\n");
    EXPECT_OUT("store/arena: the world of tick 45 is recovered\n");
}

static void test_cut(void)
{
    EXPECT(0, "cut", "store", "piece", "--from", "30", "--to=35");
    EXPECT_OUT("piece/arena: the image of tick 20, and records up to tick 35\n");
    EXPECT(0, "check", "piece");
    EXPECT_OUT("piece/arena.00000000000000000020.phs: ok, 20 entities\n"
               "piece/arena.00000000000000000021.phj: ok, 15 records up to tick 35\n"
               "piece/arena: the world of tick 35 is recovered\n");
    EXPECT(2, "cut", "store", "piece", "--from", "30", "--to=35");
    EXPECT_ERR("piece/arena.00000000000000000020.phs: it is there already\n");
    EXPECT(0, "cut", "store", "piece");
    EXPECT_OUT("piece/arena: the image of tick 40, and records up to tick 45\n");
    EXPECT(2, "cut", "store", "out/no/folder");
    EXPECT_ERR("pharos-store: out/no/folder: ");
}

static void test_several(void)
{
    make_store("tower");
    EXPECT(0, "ls", "store");
    EXPECT_OUT("\ntower        image ");
    EXPECT(0, "check", "store", "--name", "tower");
    EXPECT_OUT("store/tower: the world of tick 45 is recovered\n");
    CHECK(!strstr(out, "arena"), "a store that was not asked for:\n%s", out);
    EXPECT(2, "cut", "store", "other");
    EXPECT_ERR("it has several stores: --name says which one is cut");
    EXPECT(0, "cut", "store", "other", "--name=tower", "--to", "41");
    EXPECT(2, "check", "store", "--name", "nobody");
    EXPECT_ERR("pharos-store: store: it has no store of this name\n");
}

static void test_damage(void)
{
    flip_bit(image);
    EXPECT(2, "check", "store", "--name", "arena");
    EXPECT_OUT("store/arena.00000000000000000040.phs: byte ");
    EXPECT_OUT(": its sum is not that of its bytes: it is damaged\n");
    EXPECT_OUT("store/arena: the world of tick 45 is recovered; store/arena.00000000000000000040.phs: ");
    REQUIRE(truncate(image, 9) == 0);
    EXPECT(2, "ls", "store");
    EXPECT_OUT("it has 9 bytes: it was cut off\n");
    flip_bit(journal);
    EXPECT(2, "check", "store", "--name", "arena");
    EXPECT_OUT("store/arena.00000000000000000001.phj: byte ");
    REQUIRE(truncate(journal, 8) == 0);
    EXPECT(2, "ls", "store");
    EXPECT_OUT("head: 8 bytes are none: it was cut off\n");
    EXPECT(2, "check", "store", "--name", "arena");
    EXPECT_OUT("store/arena: the world of tick 20 is recovered; ");
    REQUIRE(rename(older, image) == 0);
    EXPECT(2, "ls", "store");
    EXPECT_OUT("header: it is of another tick than its name says\n");
    REQUIRE(remove("store/arena.00000000000000000000.phs") == 0 && truncate(image, 100) == 0);
    EXPECT(2, "check", "store", "--name", "arena");
    EXPECT_OUT("store/arena: no world is recovered: store/arena.");
}

static void test_usage(void)
{
    EXPECT(0, "--help");
    EXPECT_OUT("pharos-store check /var/game --name arena\n");
    EXPECT(0, "--version");
    EXPECT_OUT("pharos-store ");
    EXPECT(2, NULL);
    EXPECT_ERR("a command is missing: ls, check or cut");
    EXPECT(2, "burn", "store");
    EXPECT_ERR("unknown command 'burn': ls, check and cut are known");
    EXPECT(2, "ls");
    EXPECT_ERR("which FOLDER?");
    EXPECT(2, "ls", "store", "piece");
    EXPECT_ERR("one FOLDER at a time, not also 'piece'");
    EXPECT(2, "cut", "store");
    EXPECT_ERR("cut: into which folder OUT?");
    EXPECT(2, "check", "store", "--from", "3");
    EXPECT_ERR("--from and --to belong to cut");
    EXPECT(2, "cut", "store", "x", "--from", "3", "--to", "2");
    EXPECT_ERR("--from is behind --to");
    EXPECT(2, "cut", "store", "x", "--from", "-3");
    EXPECT_ERR("--from: '-3' is not a tick, a whole number");
    EXPECT(2, "cut", "store", "x", "y");
    EXPECT_ERR("'y' is too many");
    EXPECT(2, "ls", "/nowhere/at/all");
    EXPECT_ERR("pharos-store: /nowhere/at/all: ");
    REQUIRE(mkdir("empty", 0700) == 0);
    EXPECT(2, "check", "empty");
    EXPECT_ERR("pharos-store: empty: it has no store\n");
    const int got = run("/dev/full", O_WRONLY, (const char *const[]){"ls", "store", NULL});
    CHECK(got == 1, "exit status %d with a full disk", got);
    EXPECT_ERR("the output can not be written");
}

int main(int argc, char **argv)
{
    char folder[TEMP_PATH_SIZE];
    REQUIRE(argc == 2);
    tool = realpath(argv[1], NULL);
    temp_folder(folder, "store_tool");
    REQUIRE(tool && chdir(folder) == 0 && mkdir("store", 0700) == 0);
    make_store("arena");
    test_whole();
    test_cut();
    test_several();
    test_usage();
    test_damage();
    free((void *)(uintptr_t)tool);
    temp_remove(folder);
    return check_done("store_tool");
}
