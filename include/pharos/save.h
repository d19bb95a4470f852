/**
 * @file save.h
 * Saving a world, and loading it into another process, or with other shards, workers or index; recording its commands,
 * and replaying them. docs/saving.md has the uses: restart without a flicker at the clients, moving a world, repeating
 * an incident.
 *
 * An image holds a world as it is between two ticks. A loaded world goes on with the same tick numbers: the same
 * commands give the same events, batches and ph_world_hash() as in the world that was saved. In the image: the
 * definition, entities with all their attributes and user data, lists, pairs, links, hides, reveals, attachments,
 * areas, awake NPCs, shrunk views, and what is due of updates and of lists that fill over several ticks. Not in it:
 * commands that no tick has applied, producers, refusals, batches, statistics (they start at 0), and the host's own
 * functions (allocator, log, tasks, hooks).
 *
 * Consumers. A consumer that had taken all its batches, with nothing waiting behind, goes on with differences. Any
 * other one begins anew: each of its observers gets its whole list with PH_CHANGE_FRESH in the next tick, as after
 * ph_resend(); broadcasts, updates and edges that waited for it are lost. A batch that was taken counts as used.
 *
 * An image is not trusted: sums find damage, every field is checked, and the loaded world is evaluated once, which has
 * to find no event. An image that a stranger has made may still say anything that a host could have submitted.
 */
#ifndef PHAROS_SAVE_H
#define PHAROS_SAVE_H

#include <stdbool.h>

#include <pharos/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The format that ph_image_write() writes, and the oldest that ph_load() reads. */
enum { PH_IMAGE_FORMAT = 1, PH_IMAGE_FORMAT_OLDEST = 1 };

/** Takes the next bytes of an image. false = stop: PH_IO. */
typedef bool (*ph_write_fn)(void *user, const void *bytes, size_t size);

/** Gives the next `size` bytes of an image. false = there are not so many, or they can not be read: PH_IO. */
typedef bool (*ph_read_fn)(void *user, void *bytes, size_t size);

/** A world as it was at the end of a tick. Belongs to no world: it stays when its world goes on, or ends. */
typedef struct ph_image ph_image;

/**
 * Copies the world into an image. While it copies, ph_tick() and ph_apply() return PH_BUSY; the copy has 50 bytes an
 * entity, 8 an observer and 4 a target of lists that do not follow from positions. *image is NULL unless PH_OK.
 * @return PH_OK; PH_BUSY: also behind ph_apply(), and behind a ph_tick_finish() that lacked memory: run a tick first;
 * PH_NO_MEMORY, PH_BAD_HANDLE, PH_BAD_ARGUMENT. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_image_capture(ph_world world, ph_image **image);

/**
 * Writes an image, in pieces of 16 KiB or less, as often as wanted. The same image gives the same bytes.
 * @return PH_OK, PH_IO (`write` returned false), PH_BAD_ARGUMENT. @thread any: one at a time for an image, while the
 * world ticks
 */
PH_NODISCARD PH_API ph_status ph_image_write(const ph_image *image, ph_write_fn write, void *user);

/** Frees an image; it may be NULL. @thread any */
PH_API void ph_image_free(ph_image *image);

/**
 * ph_image_capture(), ph_image_write() and ph_image_free() in one. Ticks are possible while it writes.
 * @return as these. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_save(ph_world world, ph_write_fn write, void *user);

/** Bits of ph_load_options.given. */
enum {
    PH_LOAD_SHARDS = 1u << 0,
    PH_LOAD_WORKERS = 1u << 1,
    PH_LOAD_INDEX = 1u << 2,
    PH_LOAD_SIMD = 1u << 3,
    PH_LOAD_FRESH = 1u << 4,  /* all consumers begin anew, behind replayed ticks: clients know more than the image */
    PH_LOAD_REPLAY = 1u << 5, /* no consumer begins anew: for ph_journal_replay(); not together with PH_LOAD_FRESH */
    PH_LOAD_GIVEN_ALL = (1u << 6) - 1
};

/** How a world is loaded. All zero: as it was saved, without hooks. No choice changes an event. */
typedef struct ph_load_options {
    uint32_t given;     /* PH_LOAD_...: the fields with a bit count only if it is set */
    uint32_t shards[2]; /* as in ph_world_def, with the same ranges, as all fields here */
    uint32_t workers;
    ph_index index;
    ph_simd simd;           /* without its bit: as saved, or AUTO where this machine does not have it */
    ph_allocator allocator; /* zero = the library's default */
    ph_log_fn log;
    void *log_user;
    ph_task_hooks tasks;
    ph_crew crew;
    ph_batch_hook batches;
    uint64_t reserved[8]; /* 0 */
} ph_load_options;

/**
 * Makes a world from an image: all or nothing. It reads as far as the image goes, and no byte more. Memory follows the
 * bytes that were read, and the definition in them (shards, producers, consumers), as ph_world_create() would.
 * On PH_BAD_IMAGE, PH_BAD_DEF and PH_IO `reason` (of `reason_size` bytes, may be NULL) gets one line: what is wrong, in
 * which section and record, and why. All producers and consumers of the new world are closed.
 * @param options may be NULL: all zero
 * @return PH_OK and *world; PH_IO: `read` returned false; PH_BAD_IMAGE: it is no image, is damaged, of a later format,
 * or says what can not be; PH_BAD_DEF: its definition with these options is refused (ph_world_def_check());
 * PH_BAD_ARGUMENT, PH_NO_MEMORY, PH_TAKEN. *world is null then. @thread any
 */
PH_NODISCARD PH_API ph_status ph_load(const ph_load_options *options, ph_read_fn read, void *user, ph_world *world,
                                      char *reason, size_t reason_size);

/* ---- journal ---- */

/** The format of records that a journal gets; ph_journal_replay() reads that, and all back to the oldest. */
enum { PH_RECORD_FORMAT = 2, PH_RECORD_FORMAT_OLDEST = 1 };

/** Bits of ph_journal.flags. */
enum {
    PH_JOURNAL_UNSUMMED = 1u << 0 /* records come without their sum, which ph_journal_sum() writes, on any thread */
};

/** Bits of a record, as its journal gets them. */
enum {
    PH_RECORD_TICK = 1u << 0, /* of a tick; else of an apply before it */
    PH_RECORD_WHOLE = 1u << 1 /* it can be replayed; without: the tick lacked memory */
};

/**
 * Where the records of a world go: one at the end of each ph_apply() and each tick, with all commands that it has
 * applied, and the definition if it took a new one. The ticking thread calls both functions inside the call, so they
 * do not wait for anything; the world's workers may write parts of the record in between. A record of moves has the
 * moves' bytes in the queue, and up to 160 more for each call of ph_move_many() per 66 KiB; nothing is allocated for
 * it, but for a definition.
 */
typedef struct ph_journal {
    /** Memory for a record, at a multiple of 8; bytes: a multiple of 8. NULL: the record is lost. */
    void *(*room)(void *user, uint64_t tick, size_t bytes);
    /**
     * The record is in that memory. flags: PH_RECORD_... Without PH_RECORD_WHOLE its events do not follow from its
     * commands alone; ph_journal_replay() refuses the record, and only an image of this tick or a later one goes on.
     */
    void (*done)(void *user, uint64_t tick, uint32_t flags);
    void *user;
    uint64_t flags;       /* PH_JOURNAL_... */
    uint64_t reserved[3]; /* 0 */
} ph_journal;

/**
 * Attaches a journal; NULL ends it. Records follow on an image that is captured now, or later.
 * @return PH_OK; PH_TAKEN: the world has a journal, which is to be ended first; PH_BUSY: a tick is half way, or the
 * world is being read; PH_BAD_HANDLE, PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_journal_set(ph_world world, const ph_journal *journal);

/**
 * Writes the sum of a record that came with PH_JOURNAL_UNSUMMED, behind done(): ph_journal_replay() refuses it without.
 * The same bytes get the same sum again.
 * @param record at a multiple of 8
 * @param bytes as room() got them
 * @return PH_OK; PH_BAD_ARGUMENT: bytes that no record has. @thread any
 */
PH_NODISCARD PH_API ph_status ph_journal_sum(void *record, size_t bytes);

/**
 * Runs the apply or the tick of a record: the next one of the recorded world, on a world that was loaded from its image
 * with PH_LOAD_REPLAY, and has replayed all records since. Layout, workers and index may differ. Commands in the queues
 * of producers wait for the next ph_tick(). Refusals of the record's commands go to no producer. The world is then as
 * the recorded one was: counts of entities, commands and refusals, enters, leaves and edges are compared. On
 * PH_BAD_RECORD `reason` (may be NULL) gets one line: what is wrong, where, and why.
 * @return PH_OK; PH_BAD_RECORD: the world is as before, unless `reason` begins with "diverged"; PH_BUSY: a tick is half
 * way, or is being read; PH_NO_MEMORY: as of ph_tick(), which goes on with the record's tick, or nothing was changed;
 * PH_BAD_HANDLE, PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_journal_replay(ph_world world, const void *record, size_t size, char *reason,
                                                size_t reason_size);

#ifdef __cplusplus
}
#endif
#endif
