/*
 * A store in a folder of its own, which is removed; see saving_store.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* struct dirent64, syscall */
#endif

#include "bench/saving_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/* In a handler of signals too: calls of the system alone. */
static void remove_files(int folder)
{
    _Alignas(struct dirent64) char entries[4096];
    long bytes;
    while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < bytes;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
            (void)unlinkat(folder, entry->d_name, 0); /* . and .. stay */
            at += entry->d_reclen;
        }
}

static void remove_folder(void)
{
    enum { ATTEMPTS = 3 }; /* a thread of the store may make a file in between */
    bool gone = false;
    for (int i = 0; i < ATTEMPTS && !gone; i++) {
        const int folder = open(open_store.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0) remove_files(folder);
        if (folder >= 0) (void)close(folder);
        gone = rmdir(open_store.folder) == 0;
    }
}

/* ---- signals that end the bench ---- */

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
enum { DEADLY = sizeof deadly / sizeof *deadly };
static struct sigaction before[DEADLY];

static void remove_and_die(int number)
{
    remove_folder();
    (void)raise(number); /* the disposition is the default again (SA_RESETHAND) */
}

static void guard_folder(void)
{
    struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < DEADLY; i++)
        if (sigaction(deadly[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            (void)sigaction(deadly[i], &action, NULL);
}

static void drop_folder(void)
{
    remove_folder();
    for (size_t i = 0; i < DEADLY; i++) (void)sigaction(deadly[i], &before[i], NULL);
}

static bool open_in_folder(ph_world world, uint64_t ring_bytes)
{
    char reason[PH_STORE_REASON_SIZE] = "";
    const char *parent = getenv("TMPDIR");
    ph_store_def def = ph_store_def_default();
    (void)snprintf(open_store.folder, sizeof open_store.folder, "%s/pharos-bench-XXXXXX", parent ? parent : "/tmp");
    guard_folder();
    if (!mkdtemp(open_store.folder)) {
        drop_folder();
        return store_fails(open_store.folder, "the folder can not be made");
    }
    def.folder = open_store.folder;
    def.name = "bench";
    def.image_ticks = 0;
    def.ring_bytes = ring_bytes;
    const ph_status status = ph_store_open(&def, world, &open_store.store, reason, sizeof reason);
    if (status == PH_OK) return true;
    drop_folder();
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
    drop_folder();
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
