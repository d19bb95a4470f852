/*
 * The calls that change a disk, as a table: tests put one with faults (no space, errors, short writes, stalls) in
 * place. Each call is that of POSIX, with errno. Called by the store's thread, and by open and close.
 */
#ifndef PHX_STORE_DISK_H
#define PHX_STORE_DISK_H

#include <sys/types.h>

#include "base/core.h"

typedef struct phx_disk {
    int (*create)(const char *path); /* for writing, empty; the descriptor */
    ssize_t (*write)(int file, const void *bytes, size_t size);
    int (*sync)(int file); /* fdatasync() */
    int (*close)(int file);
    int (*rename)(const char *from, const char *to);
    int (*remove)(const char *path);
    int (*sync_folder)(const char *path);
} phx_disk;

/* The real one. */
extern const phx_disk phx_disk_posix;

/* Writes all of it, in as many pieces as the disk wants. Returns 0, or errno. */
int phx_disk_write_all(const phx_disk *disk, int file, const void *bytes, size_t size);

#endif
