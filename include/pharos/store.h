/**
 * @file store.h
 * Images of a world in files, and its journal: a separate small library (pharos_store) on top of save.h. A server that
 * keeps images in another place does not link it. docs/saving.md has the uses.
 *
 * A store belongs to one world and one folder. The ticking thread captures an image, a thread of the store compresses
 * it (zstd), writes it, and syncs it: ph_tick() and ph_store_tick() never wait for a disk. One image at a time is
 * written. If the next one is due before that ends, it is captured once the disk is done, and `late` counts it: so a
 * slow disk costs images, not memory and not ticks. A failed write costs that image; the world goes on, and the store
 * tries again when the next one is due.
 *
 * With ring_bytes the store keeps a journal, too (ph_journal_set()): the record of each tick goes into a ring, and a
 * second thread writes it to FOLDER/NAME.TICK.phj and syncs it every sync_ms. So a process that is killed loses the
 * ticks that were in the ring, and a machine that stops those of the last sync_ms. If the ring is full, the disk fails,
 * a tick lacked memory, or the image before the first record is lost, the journal has a gap (`gaps`): recording goes on
 * behind the next image, which is due soon, also with image_ticks = 0. Recovery goes as far as images and records
 * reach without a gap.
 *
 * The images of a store are FOLDER/NAME.TICK.phs, a tick of 20 digits. A file with this name is whole: it was written
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
    PH_STORE_SYNC_MAX = 60000,  /* ms */
    PH_STORE_RING_MIN = 4096,   /* bytes */
    PH_STORE_RING_MAX = 1 << 30,
    PH_STORE_REASON_SIZE = 512 /* room for the line of any refusal */
};

/** Where a store is, and how much of it. Begin with ph_store_def_default(). */
typedef struct ph_store_def {
    const char *folder; /* it exists, and is this process's to write */
    const char *name;   /* 1 .. PH_STORE_NAME_MAX letters, digits, - and _; several stores can share a folder */
    uint32_t
        image_ticks; /* an image is due after so many ticks; 0 = by ph_store_save(), and behind a gap of the journal */
    uint32_t images_kept; /* 1 .. PH_STORE_IMAGES_MAX: older files are removed once a newer one is durable */
    uint32_t level;       /* of zstd, 1 .. PH_STORE_LEVEL_MAX */
    uint32_t sync_ms;     /* 1 .. PH_STORE_SYNC_MAX: the journal is synced so often */
    uint64_t
        ring_bytes; /* 0 = no journal; else PH_STORE_RING_MIN .. PH_STORE_RING_MAX: records that wait for the disk */
    uint64_t file_bytes; /* PH_STORE_RING_MIN .. 2^40: a file of the journal ends behind so many */
    ph_log_fn log;       /* a line for each failure, on the store's thread or the calling one; may be NULL */
    void *log_user;
    uint64_t reserved[8]; /* 0 */
} ph_store_def;

/**
 * image_ticks = 1200, images_kept = 3, level = 1, no journal, sync_ms = 100, file_bytes = 64 MiB; folder and name are
 * NULL. A ring of 64 MiB holds some 50 ticks of 100,000 moves.
 */
PH_NODISCARD PH_API ph_store_def ph_store_def_default(void);

typedef struct ph_store ph_store;

/** The work of a store since it was opened. */
typedef struct ph_store_stats {
    uint64_t durable_tick;  /* of the newest image that is synced; 0 = none yet */
    uint64_t images;        /* made durable */
    uint64_t late;          /* due while another one was written: captured later */
    uint64_t failed;        /* images lost to an error of the disk */
    uint64_t short_of;      /* captures that found no memory; each is tried again in the next tick */
    uint64_t image_bytes;   /* of the newest durable file */
    uint64_t plain_bytes;   /* of the same image before it was compressed */
    uint64_t capture_ns;    /* of the last capture: so long the tick of that call was longer */
    uint64_t write_ns;      /* from the last capture to its sync */
    int32_t error;          /* errno of the last failure; 0 = none since the last durable image */
    bool writing;           /* an image is being written */
    bool recording;         /* the journal gets the next tick */
    uint64_t journal_tick;  /* image and records up to this tick are synced; 0 = none behind the newest image */
    uint64_t journal_bytes; /* written */
    uint64_t gaps;          /* in the journal: the ring was full, the disk failed, or a tick lacked memory */
    uint64_t lost;          /* ticks and applies that have no record for that */
    uint64_t reserved[8];   /* 0 */
} ph_store_stats;

/**
 * Opens a store for a world; removes parts of files that a crash has left under its name. Files of ticks that this
 * world has not reached get the ending .old: it did not go on from them; they are removed once the oldest image is of a
 * later tick. An image is due at once, and a journal begins behind it. On PH_BAD_DEF and PH_IO `reason` (may be NULL)
 * gets one line.
 * @return PH_OK and *store; PH_BAD_DEF: a field of the definition; PH_TAKEN: another store has this folder and name
 * open, in whatever process, or the world has a journal; PH_IO: the folder, or a thread; PH_BUSY: a tick is half way,
 * or the world is being read; PH_BAD_HANDLE, PH_BAD_ARGUMENT, PH_NO_MEMORY. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_store_open(const ph_store_def *def, ph_world world, ph_store **store, char *reason,
                                            size_t reason_size);

/**
 * After each ph_tick(): captures an image if one is due and none is being written; counts a gap of the journal that the
 * disk has made since. Waits for no disk.
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
 * All of ph_store_stats as text for Prometheus, as ph_stats_prometheus() has it: names begin with pharos_store_, each
 * sample has the label store, which is the store's name.
 * @param text caller's buffer, gets as much as fits, ended by 0; may be NULL when size is 0.
 * @param length gets the length of the whole text, without the 0: it fitted if that is less than size.
 * @return PH_OK, PH_BAD_ARGUMENT. @thread any
 */
PH_NODISCARD PH_API ph_status ph_store_prometheus(const ph_store *store, char *text, size_t size, size_t *length);

/**
 * Ends the journal, waits until it is synced, and the image that is being written durable or failed, and frees the
 * store; the world stays.
 * @return PH_OK; PH_BUSY: it keeps a journal, and a tick is half way or the world is being read: nothing was done;
 * PH_IO: the last image that was captured is not durable, or the journal does not reach the last tick: it ended in a
 * gap, or its end is not durable; PH_BAD_ARGUMENT. @thread ticker
 */
PH_API ph_status ph_store_close(ph_store *store);

/**
 * Makes a world of the newest image that is whole, and replays the records behind it, as far as there are whole ones
 * without a gap. Bad images are passed over: `reason` (may be NULL) has a line about the first of them, or about the
 * damage at which the journal ends, also with PH_OK. Reads alone: nothing in the folder changes, and another process
 * may have the store open. After a crash give PH_LOAD_FRESH. Of `def`, folder and name count.
 * @param options of ph_load(); may be NULL
 * @param tick the last one of the world; may be NULL
 * @return PH_OK and *world; PH_EMPTY: there is no image; PH_BAD_IMAGE: none is whole; PH_IO: the folder can not be
 * read; PH_BAD_DEF: `def`, or an image's definition with these options; PH_NO_MEMORY, also in the middle of the
 * records: call again with more; PH_TAKEN, PH_BAD_ARGUMENT.
 * *world is null then. @thread any
 */
PH_NODISCARD PH_API ph_status ph_store_recover(const ph_store_def *def, const ph_load_options *options, ph_world *world,
                                               uint64_t *tick, char *reason, size_t reason_size);

#ifdef __cplusplus
}
#endif
#endif
