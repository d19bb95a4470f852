/*
 * A store in a folder of its own, which is removed; see saving_store.h.
 */
#include "bench/saving_store.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

enum { PATH_SIZE = 512, RING_BYTES = 64 << 20, REST_NS = 5000000 };

/* The store that is open, if one is. */
static struct {
    ph_store *store;
    char folder[PATH_SIZE];
} open_store;

static bool store_fails(const char *what, const char *reason)
{
    fprintf(stderr, "pharos-bench: --saving: %s: %s\n", what, reason);
    return false;
}

static void remove_folder(void)
{
    char path[2 * PATH_SIZE];
    DIR *folder = opendir(open_store.folder);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        (void)snprintf(path, sizeof path, "%s/%s", open_store.folder, entry->d_name);
        (void)unlink(path); /* . and .. stay */
    }
    if (folder) closedir(folder);
    (void)rmdir(open_store.folder);
}

static bool open_in_folder(ph_world world, uint64_t ring_bytes)
{
    char reason[PH_STORE_REASON_SIZE] = "";
    const char *parent = getenv("TMPDIR");
    ph_store_def def = ph_store_def_default();
    (void)snprintf(open_store.folder, sizeof open_store.folder, "%s/pharos-bench-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(open_store.folder)) return store_fails(open_store.folder, "the folder can not be made");
    def.folder = open_store.folder;
    def.name = "bench";
    def.image_ticks = 0;
    def.ring_bytes = ring_bytes;
    const ph_status status = ph_store_open(&def, world, &open_store.store, reason, sizeof reason);
    if (status == PH_OK) return true;
    remove_folder();
    return store_fails("the store", reason[0] != '\0' ? reason : ph_status_text(status));
}

/* Ends the store; *stats are its last ones. */
static bool close_folder(ph_store_stats *stats)
{
    const struct timespec some = {.tv_nsec = REST_NS};
    do (void)nanosleep(&some, NULL);
    while (ph_store_stats_get(open_store.store, stats) == PH_OK && stats->writing);
    const ph_status status = ph_store_close(open_store.store);
    open_store.store = NULL;
    remove_folder();
    return status == PH_OK || store_fails("the store", "an image or a record is not on the disk");
}

bool bench_saving_file_bytes(ph_world world, uint64_t *bytes)
{
    ph_store_stats stats = {0};
    if (!open_in_folder(world, 0)) return false;
    const bool saved = ph_store_save(open_store.store) == PH_OK;
    const bool closed = close_folder(&stats);
    *bytes = stats.image_bytes;
    return closed && (saved || store_fails("the store", "it takes no image"));
}

bool bench_saving_record(ph_world world)
{
    ph_store_stats stats = {0};
    if (!open_in_folder(world, RING_BYTES)) return false;
    const bool good = ph_store_tick(open_store.store) == PH_OK && ph_store_stats_get(open_store.store, &stats) == PH_OK;
    return (good && stats.recording) || store_fails("the store", "it does not record");
}

bool bench_saving_record_end(void)
{
    ph_store_stats stats = {0};
    return !open_store.store || close_folder(&stats);
}

void bench_saving_rest(void)
{
    const struct timespec some = {.tv_nsec = REST_NS};
    (void)nanosleep(&some, NULL);
}
