/*
 * Lists and checks files of a store; see store_check.h.
 */
#include "tools/store_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pharos/pharos.h>

#include "store/image_load.h"
#include "store/journal_file.h"
#include "tools/cli.h"
#include "world/image/sections.h"

typedef int (*visit_file)(const phx_folder *folder, const char *path, uint64_t tick);

static int no_memory(void)
{
    fputs("pharos-store: no memory\n", stderr);
    return PHX_EXIT_TROUBLE;
}

/* The worse of two exit statuses: trouble, then damage. */
static int worse_exit(int a, int b)
{
    return a == PHX_EXIT_TROUBLE || b == PHX_EXIT_TROUBLE ? PHX_EXIT_TROUBLE : a > b ? a : b;
}

/* Visits the files with an ending, the oldest first. */
static int visit_files(const phx_folder *folder, const char *ending, visit_file visit)
{
    phx_ticks files;
    const int error = phx_folder_list(folder, ending, &files);
    int exit_status = PHX_EXIT_OK;
    if (error == ENOMEM) exit_status = no_memory();
    else if (error != 0) {
        fprintf(stderr, "%s: %s\n", folder->path, strerror(error));
        exit_status = PHX_EXIT_USAGE;
    }
    for (size_t i = files.count; i-- > 0 && exit_status != PHX_EXIT_TROUBLE;) {
        char *path = phx_folder_file(folder, files.at[i], ending);
        exit_status = path ? worse_exit(exit_status, visit(folder, path, files.at[i])) : no_memory();
        free(path);
    }
    free(files.at);
    return exit_status;
}

/* ---- ls ---- */

void phx_store_list_title(void)
{
    printf("%-12s %-8s %12s %10s %12s %-8s %s\n", "NAME", "KIND", "TICK", "ENTITIES", "BYTES", "LIBRARY", "STATE");
}

static uint64_t bytes_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
}

static void write_version(char text[32], uint32_t number)
{
    (void)snprintf(text, 32, "%u.%u.%u", number / 1000000, number / 1000 % 1000, number % 1000);
}

static int list_line(const phx_folder *folder, const char *kind, uint64_t tick, const char *entities, uint64_t bytes,
                     uint32_t library, const char *damage)
{
    char version[32];
    write_version(version, library);
    printf("%-12s %-8s %12" PRIu64 " %10s %12" PRIu64 " %-8s %s\n", folder->name, kind, tick, entities, bytes,
           damage ? "-" : version, damage ? damage : "ok");
    return damage ? PHX_EXIT_USAGE : PHX_EXIT_OK;
}

static int list_image(const phx_folder *folder, const char *path, uint64_t tick)
{
    phx_image_header header = {.tick = 0};
    char reason[PH_STORE_REASON_SIZE], entities[32] = "-";
    const ph_status status = phx_image_file_begin(path, &header, sizeof header, reason, sizeof reason);
    if (status == PH_NO_MEMORY) return no_memory();
    const char *damage = status == PH_OK ? NULL : reason;
    if (status == PH_OK && memcmp(header.magic, PHX_IMAGE_MAGIC, sizeof header.magic) != 0)
        damage = "header: this is no image";
    else if (status == PH_OK && header.tick != tick) damage = "header: it is of another tick than its name says";
    if (!damage) (void)snprintf(entities, sizeof entities, "%" PRIu64, header.entities);
    return list_line(folder, "image", tick, entities, bytes_of(path), header.library, damage);
}

static int list_journal(const phx_folder *folder, const char *path, uint64_t tick)
{
    phx_journal_file from;
    const ph_status status = phx_journal_file_open(&from, path);
    const char *damage = status == PH_OK ? NULL : from.reason;
    if (status == PH_OK && from.head.tick != tick) damage = "head: it begins at another tick than its name says";
    const int exit_status = list_line(folder, "journal", tick, "-", bytes_of(path), from.head.library, damage);
    phx_journal_file_close(&from);
    return exit_status;
}

int phx_store_list(const phx_folder *folder)
{
    const int images = visit_files(folder, PHX_STORE_IMAGE, list_image);
    return worse_exit(images, visit_files(folder, PHX_STORE_JOURNAL, list_journal));
}

/* ---- check ---- */

static int check_image(const phx_folder *folder, const char *path, uint64_t tick)
{
    ph_world world;
    ph_stats stats;
    char reason[PH_STORE_REASON_SIZE];
    (void)folder;
    ph_status status = phx_image_file_load(path, tick, NULL, &world, reason, sizeof reason);
    if (status == PH_NO_MEMORY) return no_memory();
    if (status == PH_OK) {
        status = ph_world_stats(world, &stats);
        (void)ph_world_destroy(world);
    }
    if (status != PH_OK) printf("%s: %s\n", path, reason[0] != '\0' ? reason : ph_status_text(status));
    else printf("%s: ok, %" PRIu64 " entities\n", path, (uint64_t)stats.entities);
    return status == PH_OK ? PHX_EXIT_OK : PHX_EXIT_USAGE;
}

/* Is it the next record of its file? Then *last is the last whole tick. */
static bool follows(phx_journal_file *from, uint64_t *last)
{
    const uint64_t next = *last + 1, tick = from->frame.tick;
    if (tick != next)
        (void)snprintf(from->reason, sizeof from->reason, "tick %" PRIu64 ": a record of tick %" PRIu64 " was next",
                       tick, next);
    else if (from->frame.flags & PH_RECORD_TICK) *last = tick;
    return tick == next;
}

static int check_journal(const phx_folder *folder, const char *path, uint64_t tick)
{
    phx_journal_file from;
    uint64_t last = tick - 1, records = 0;
    bool good = true;
    (void)folder;
    ph_status status = phx_journal_file_open(&from, path);
    if (status == PH_OK && from.head.tick != tick) {
        (void)snprintf(from.reason, sizeof from.reason, "head: it begins at another tick than its name says");
        good = false;
    }
    while (status == PH_OK && good && (status = phx_journal_file_next(&from)) == PH_OK) {
        good = follows(&from, &last);
        records += good;
    }
    good = good && (status == PH_EMPTY || status == PH_PENDING);
    if (status != PH_NO_MEMORY && !good) printf("%s: %s\n", path, from.reason);
    if (good)
        printf("%s: ok, %" PRIu64 " records up to tick %" PRIu64 "%s\n", path, records, last,
               status == PH_PENDING ? ", not closed" : "");
    phx_journal_file_close(&from);
    if (status == PH_NO_MEMORY) return no_memory();
    return good ? PHX_EXIT_OK : PHX_EXIT_USAGE;
}

static int check_recovery(const phx_folder *folder)
{
    ph_store_def def = ph_store_def_default();
    def.folder = folder->path;
    def.name = folder->name;
    ph_world world;
    uint64_t tick;
    char reason[PH_STORE_REASON_SIZE] = "";
    const ph_status status = ph_store_recover(&def, NULL, &world, &tick, reason, sizeof reason);
    if (status == PH_NO_MEMORY) return no_memory();
    if (status != PH_OK) {
        printf("%s/%s: no world is recovered: %s\n", folder->path, folder->name,
               reason[0] != '\0' ? reason : "it has no image");
        return PHX_EXIT_USAGE;
    }
    (void)ph_world_destroy(world);
    printf("%s/%s: the world of tick %" PRIu64 " is recovered%s%s\n", folder->path, folder->name, tick,
           reason[0] != '\0' ? "; " : "", reason);
    return PHX_EXIT_OK;
}

int phx_store_check_all(const phx_folder *folder)
{
    int exit_status = visit_files(folder, PHX_STORE_IMAGE, check_image);
    exit_status = worse_exit(exit_status, visit_files(folder, PHX_STORE_JOURNAL, check_journal));
    return exit_status == PHX_EXIT_TROUBLE ? exit_status : worse_exit(exit_status, check_recovery(folder));
}
