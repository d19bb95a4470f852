/*
 * The files of one store: their names, their order, the lock. Called by open, recover and the store's thread.
 */
#ifndef PHX_STORE_FOLDER_H
#define PHX_STORE_FOLDER_H

#include "store/disk.h"

#define PHX_STORE_IMAGE "phs"   /* FOLDER/NAME.TICK.phs */
#define PHX_STORE_JOURNAL "phj" /* ... with the records from this tick on */
#define PHX_STORE_PART "part"   /* ... while it is written */
#define PHX_STORE_OLD ".old"    /* behind the ending of a file that was put aside */

enum { PHX_TICK_DIGITS = 20 };

/* Where a store is. */
typedef struct phx_folder {
    char *path, *name;
} phx_folder;

/* Ticks of the files with one ending, the newest first. */
typedef struct phx_ticks {
    uint64_t *at;
    size_t count, capacity;
} phx_ticks;

/* Copies both. false = no memory. */
bool phx_folder_init(phx_folder *folder, const char *path, const char *name);
void phx_folder_free(phx_folder *folder);

/* The path of a file, which the caller frees; NULL = no memory. */
char *phx_folder_file(const phx_folder *folder, uint64_t tick, const char *ending);

/* Finds the files. Returns 0, or errno. The caller frees ticks->at, also of a failure. */
int phx_folder_list(const phx_folder *folder, const char *ending, phx_ticks *ticks);

/* Removes the files with this ending but the `kept` newest ones. Errors leave a file: it is removed the next time. */
void phx_folder_prune(const phx_folder *folder, const phx_disk *disk, const char *ending, size_t kept);

/* Removes the files with this ending of ticks before this one. */
void phx_folder_prune_before(const phx_folder *folder, const phx_disk *disk, const char *ending, uint64_t tick);

/*
 * Removes the journal files that no image from this tick on needs: each one with a later one that begins no later than
 * the tick behind it.
 */
void phx_folder_prune_journal(const phx_folder *folder, const phx_disk *disk, uint64_t tick);

/*
 * Puts files of later ticks aside: FILE becomes FILE.old, which no call reads. They are of a world that went on from
 * another image than this one. Returns 0, or errno.
 */
int phx_folder_put_aside(const phx_folder *folder, const phx_disk *disk, const char *ending, uint64_t tick);

/* Locks the store's name. Below 0: -errno; -EWOULDBLOCK: another store has it. */
int phx_folder_lock(const phx_folder *folder);
/* Ends the lock and closes its descriptor, which a forked child may have, too, and would keep locked. */
void phx_folder_unlock(int lock);

#endif
