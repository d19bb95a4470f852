/*
 * Files of a store; see folder.h.
 */
#include "store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

bool phx_folder_init(phx_folder *folder, const char *path, const char *name)
{
    *folder = (phx_folder){.path = strdup(path), .name = strdup(name)};
    return folder->path && folder->name;
}

void phx_folder_free(phx_folder *folder)
{
    free(folder->path);
    free(folder->name);
    *folder = (phx_folder){0};
}

char *phx_folder_file(const phx_folder *folder, uint64_t tick, const char *ending)
{
    char *path = NULL;
    const int bytes =
        asprintf(&path, "%s/%s.%0*" PRIu64 ".%s", folder->path, folder->name, PHX_TICK_DIGITS, tick, ending);
    return bytes < 0 ? NULL : path;
}

/* Is it a file of this store with this ending? *tick is its tick then. */
static bool read_name(const phx_folder *folder, const char *file, const char *ending, uint64_t *tick)
{
    const size_t name = strlen(folder->name);
    if (strncmp(file, folder->name, name) != 0 || file[name] != '.') return false;
    const char *digits = file + name + 1;
    if (strspn(digits, "0123456789") != PHX_TICK_DIGITS || digits[PHX_TICK_DIGITS] != '.') return false;
    errno = 0;
    *tick = strtoull(digits, NULL, 10);
    return errno == 0 && strcmp(digits + PHX_TICK_DIGITS + 1, ending) == 0;
}

static bool add_tick(phx_ticks *ticks, uint64_t tick)
{
    enum { FIRST_ITEMS = 16 };
    if (ticks->count == ticks->capacity) {
        const size_t capacity = ticks->capacity ? ticks->capacity * 2 : FIRST_ITEMS;
        uint64_t *at = realloc(ticks->at, capacity * sizeof *at);
        if (!at) return false;
        ticks->at = at;
        ticks->capacity = capacity;
    }
    ticks->at[ticks->count++] = tick;
    return true;
}

static int compare_ticks(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? 1 : one > other ? -1 : 0;
}

int phx_folder_list(const phx_folder *folder, const char *ending, phx_ticks *ticks)
{
    *ticks = (phx_ticks){0};
    DIR *files = opendir(folder->path);
    if (!files) return errno;
    int error = 0;
    while (error == 0) {
        uint64_t tick;
        errno = 0;
        const struct dirent *entry = readdir(files);
        if (!entry) {
            error = errno;
            break;
        }
        if (read_name(folder, entry->d_name, ending, &tick) && !add_tick(ticks, tick)) error = ENOMEM;
    }
    (void)closedir(files);
    if (ticks->count > 0) qsort(ticks->at, ticks->count, sizeof *ticks->at, compare_ticks);
    return error;
}

/* Removes the files of a listing but the `kept` newest ones. */
static void remove_older(const phx_folder *folder, const phx_disk *disk, const char *ending, const phx_ticks *ticks,
                         size_t kept)
{
    for (size_t i = kept; i < ticks->count; i++) {
        char *path = phx_folder_file(folder, ticks->at[i], ending);
        if (path) (void)disk->remove(path);
        free(path);
    }
}

void phx_folder_prune(const phx_folder *folder, const phx_disk *disk, const char *ending, size_t kept)
{
    phx_ticks ticks;
    if (phx_folder_list(folder, ending, &ticks) == 0) remove_older(folder, disk, ending, &ticks, kept);
    free(ticks.at);
}

void phx_folder_prune_before(const phx_folder *folder, const phx_disk *disk, const char *ending, uint64_t tick)
{
    phx_ticks ticks;
    const int error = phx_folder_list(folder, ending, &ticks);
    size_t kept = 0;
    while (kept < ticks.count && ticks.at[kept] >= tick) kept++;
    if (error == 0) remove_older(folder, disk, ending, &ticks, kept);
    free(ticks.at);
}

void phx_folder_prune_journal(const phx_folder *folder, const phx_disk *disk, uint64_t tick)
{
    phx_ticks ticks;
    const int error = phx_folder_list(folder, PHX_STORE_JOURNAL, &ticks);
    size_t kept = 0; /* the newest ones, down to the one with the record behind that tick */
    while (kept < ticks.count && ticks.at[kept] > tick + 1) kept++;
    /* of this listing: the journal's thread may have begun a file since */
    if (error == 0) remove_older(folder, disk, PHX_STORE_JOURNAL, &ticks, kept + 1);
    free(ticks.at);
}

int phx_folder_put_aside(const phx_folder *folder, const phx_disk *disk, const char *ending, uint64_t tick)
{
    phx_ticks ticks;
    int error = phx_folder_list(folder, ending, &ticks);
    for (size_t i = 0; error == 0 && i < ticks.count && ticks.at[i] > tick; i++) {
        char *path = phx_folder_file(folder, ticks.at[i], ending), *aside = NULL;
        if (!path || asprintf(&aside, "%s" PHX_STORE_OLD, path) < 0) {
            aside = NULL; /* asprintf() left it undefined */
            error = ENOMEM;
        } else if (disk->rename(path, aside) != 0) error = errno;
        free(path);
        free(aside);
    }
    free(ticks.at);
    return error;
}

int phx_folder_lock(const phx_folder *folder)
{
    enum { MODE = 0644 };
    char *path = NULL;
    if (asprintf(&path, "%s/%s.lock", folder->path, folder->name) < 0) return -ENOMEM;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, MODE);
    int error = file < 0 ? errno : 0;
    free(path);
    if (error == 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    if (error == 0) error = errno;
    if (file >= 0) (void)close(file);
    return -error;
}

void phx_folder_unlock(int lock)
{
    (void)flock(lock, LOCK_UN);
    (void)close(lock);
}
