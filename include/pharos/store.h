/**
 * @file store.h
 * Images of a world in files: a separate small library (pharos_store) on top of save.h. A server that keeps images in
 * another place does not link it. docs/saving.md has the uses.
 *
 * A store belongs to one world and one folder. The ticking thread captures an image, a thread of the store compresses
 * it (zstd), writes it, and syncs it: ph_tick() and ph_store_tick() never wait for a disk. One image at a time is
 * written. If the next one is due before that ends, it is captured once the disk is done, and `late` counts it: so a
 * slow disk costs images, not memory and not ticks. A failed write costs that image; the world goes on, and the store
 * tries again when the next one is due.
 *
 * The files of a store are FOLDER/NAME.TICK.phs, a tick of 20 digits. A file with this name is whole: it was written
 * under another one, synced, renamed, and the folder synced. `zstd -d` gives the bytes for ph_load().
 */
#ifndef PHAROS_STORE_H
#define PHAROS_STORE_H

#include <stdbool.h>

#include <pharos/save.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PH_STORE_NAME_MAX = 63,     /* bytes of a name */
    PH_STORE_LEVEL_MAX = 19,    /* of zstd */
    PH_STORE_IMAGES_MAX = 1000, /* kept at once */
    PH_STORE_REASON_SIZE = 512  /* room for the line of any refusal */
};

/** Where a store is, and how much of it. Begin with ph_store_def_default(). */
typedef struct ph_store_def {
    const char *folder;   /* it exists, and is this process's to write */
    const char *name;     /* 1 .. PH_STORE_NAME_MAX letters, digits, - and _; several stores can share a folder */
    uint32_t image_ticks; /* an image is due after so many ticks; 0 = by ph_store_save() alone */
    uint32_t images_kept; /* 1 .. PH_STORE_IMAGES_MAX: older files are removed once a newer one is durable */
    uint32_t level;       /* of zstd, 1 .. PH_STORE_LEVEL_MAX */
    uint32_t padding;     /* 0 */
    ph_log_fn log;        /* a line for each failure, on the store's thread or the calling one; may be NULL */
    void *log_user;
    uint64_t reserved[8]; /* 0 */
} ph_store_def;

/** image_ticks = 1200, images_kept = 3, level = 1; folder and name are NULL. */
PH_NODISCARD PH_API ph_store_def ph_store_def_default(void);

typedef struct ph_store ph_store;

/** The work of a store since it was opened. */
typedef struct ph_store_stats {
    uint64_t durable_tick; /* of the newest image that is synced; 0 = none yet */
    uint64_t images;       /* made durable */
    uint64_t late;         /* due while another one was written: captured later */
    uint64_t failed;       /* images lost to an error of the disk */
    uint64_t short_of;     /* captures that found no memory; each is tried again in the next tick */
    uint64_t image_bytes;  /* of the newest durable file */
    uint64_t plain_bytes;  /* of the same image before it was compressed */
    uint64_t capture_ns;   /* of the last capture: so long the tick of that call was longer */
    uint64_t write_ns;     /* from the last capture to its sync */
    int32_t error;         /* errno of the last failure; 0 = none since the last durable image */
    bool writing;          /* an image is being written */
    uint64_t reserved[8];  /* 0 */
} ph_store_stats;

/**
 * Opens a store for a world; removes parts of files that a crash has left under its name. An image is due at once. On
 * PH_BAD_DEF and PH_IO `reason` (may be NULL) gets one line.
 * @return PH_OK and *store; PH_BAD_DEF: a field of the definition; PH_TAKEN: another store has this folder and name
 * open, in whatever process; PH_IO: the folder; PH_BAD_HANDLE, PH_BAD_ARGUMENT, PH_NO_MEMORY. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_store_open(const ph_store_def *def, ph_world world, ph_store **store, char *reason,
                                            size_t reason_size);

/**
 * After each ph_tick(): captures an image if one is due and none is being written. Waits for no disk.
 * @return PH_OK: also if nothing was due, or an image was put off (ph_store_stats.late, short_of; a world that is
 * PH_BUSY for ph_image_capture()); PH_BAD_HANDLE: the world is destroyed; PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_store_tick(ph_store *store);

/**
 * Captures an image now. It is durable once ph_store_stats.durable_tick says so, or behind ph_store_close().
 * @return PH_OK, PH_BUSY: one is being written, or as ph_image_capture(); PH_NO_MEMORY, PH_BAD_HANDLE,
 * PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_store_save(ph_store *store);

/** @return PH_OK, PH_BAD_ARGUMENT. @thread any */
PH_NODISCARD PH_API ph_status ph_store_stats_get(const ph_store *store, ph_store_stats *stats);

/**
 * Waits until the image that is being written is durable or failed, and frees the store; the world stays.
 * @return PH_OK; PH_IO: the last image that was captured is not durable. @thread ticker
 */
PH_API ph_status ph_store_close(ph_store *store);

/**
 * Makes a world of the newest image that is whole. Bad ones are passed over: `reason` (may be NULL) has a line about
 * the first of them, also with PH_OK. Reads alone: nothing in the folder changes, and another process may have the
 * store open. After a crash give PH_LOAD_FRESH. Of `def`, folder and name count.
 * @param options of ph_load(); may be NULL
 * @param tick that of the image; may be NULL
 * @return PH_OK and *world; PH_EMPTY: there is no image; PH_BAD_IMAGE: none is whole; PH_IO: the folder can not be
 * read; PH_BAD_DEF: `def`, or an image's definition with these options; PH_NO_MEMORY, PH_TAKEN, PH_BAD_ARGUMENT.
 * *world is null then. @thread any
 */
PH_NODISCARD PH_API ph_status ph_store_recover(const ph_store_def *def, const ph_load_options *options, ph_world *world,
                                               uint64_t *tick, char *reason, size_t reason_size);

#ifdef __cplusplus
}
#endif
#endif
