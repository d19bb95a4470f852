/*
 * The calls of the ticking thread; see pharos/store.h.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/clock.h"
#include "store/def.h"

/* ---- journal ---- */

/* The journal has a gap, up to the next image. */
static void break_journal(ph_store *store)
{
    if (!store->recording) return;
    atomic_store_explicit(&store->recording, false, memory_order_relaxed);
    store->due_tick = store->due_tick < store->retry_tick ? store->due_tick : store->retry_tick;
    atomic_fetch_add_explicit(&store->gaps, 1, memory_order_relaxed);
}

/* Has the disk failed records since the last image? Ones of before may still wait in the ring. */
static bool run_failed(const ph_store *store)
{
    return !store->begins && atomic_load_explicit(&store->journal.failed_run, memory_order_relaxed) == store->run;
}

static void *begin_record(void *user, uint64_t tick, size_t bytes)
{
    ph_store *store = user;
    (void)tick;
    if (run_failed(store)) break_journal(store);
    void *room = store->recording ? phx_store_ring_begin(&store->journal.ring, bytes) : NULL;
    if (!room) {
        break_journal(store);
        if (store->captured) atomic_fetch_add_explicit(&store->lost, 1, memory_order_relaxed);
    }
    store->record_bytes = bytes;
    return room;
}

static void end_record(void *user, uint64_t tick, uint32_t flags)
{
    ph_store *store = user;
    if (!(flags & PH_RECORD_WHOLE)) {
        break_journal(store);
        atomic_fetch_add_explicit(&store->lost, 1, memory_order_relaxed);
        return;
    }
    const uint16_t kind = store->begins ? PHX_JOURNAL_FRAME_FIRST : PHX_JOURNAL_FRAME_RECORD;
    phx_store_ring_end(
        &store->journal.ring,
        (phx_journal_frame_head){.kind = kind, .flags = (uint16_t)flags, .tick = tick, .bytes = store->record_bytes});
    store->run += store->begins;
    store->begins = false;
    phx_journal_thread_wake(&store->journal);
}

/* An image was captured: records go on from there. */
static void resume_journal(ph_store *store, uint64_t tick)
{
    if (!store->journals || store->recording) return;
    atomic_store_explicit(&store->base_tick, tick, memory_order_relaxed);
    store->begins = store->base_waits = true;
    atomic_store_explicit(&store->recording, true, memory_order_relaxed);
}

/* Records behind an image that the disk lost lead nowhere. None is being written. */
static void check_base(ph_store *store)
{
    if (store->base_waits && atomic_load_explicit(&store->images.error, memory_order_relaxed) != 0)
        break_journal(store);
    store->base_waits = false;
}

/* ---- threads ---- */

static ph_status refuse_place(const ph_store_def *def, int error, char *reason, size_t reason_size)
{
    char text[128];
    if (error == ENOMEM) return PH_NO_MEMORY;
    if (reason_size > 0) snprintf(reason, reason_size, "%s: %s", def->folder, strerror_r(error, text, sizeof text));
    return PH_IO;
}

static void free_store(ph_store *store)
{
    if (store->lock >= 0) phx_folder_unlock(store->lock);
    phx_folder_free(&store->folder);
    free(store);
}

/* Returns 0, or an error number. */
static int begin_journal(ph_store *store, const phx_disk *disk, const ph_store_def *def)
{
    phx_journal_thread *journal = &store->journal;
    if (def->ring_bytes == 0) return 0;
    journal->folder = &store->folder;
    journal->writer.disk = disk;
    journal->sync_ns = (uint64_t)def->sync_ms * 1000000u;
    journal->file_bytes_max = def->file_bytes;
    journal->log = def->log;
    journal->log_user = def->log_user;
    const int error = phx_journal_thread_begin(journal, def->ring_bytes / sizeof(uint64_t) * sizeof(uint64_t));
    store->journals = error == 0;
    return error;
}

/* Locks the folder and starts the threads. Returns 0, or errno. */
static int begin_store(ph_store *store, const phx_disk *disk, const ph_store_def *def, uint64_t tick)
{
    if (!phx_folder_init(&store->folder, def->folder, def->name)) return ENOMEM;
    store->lock = phx_folder_lock(&store->folder);
    if (store->lock < 0) return -store->lock;
    phx_folder_prune(&store->folder, disk, PHX_STORE_PART, 0);
    store->images.folder = &store->folder;
    store->images.disk = disk;
    store->images.level = def->level;
    store->images.images_kept = def->images_kept;
    store->images.log = def->log;
    store->images.log_user = def->log_user;
    int error = phx_folder_put_aside(&store->folder, disk, PHX_STORE_IMAGE, tick);
    if (error == 0) error = phx_folder_put_aside(&store->folder, disk, PHX_STORE_JOURNAL, tick);
    if (error == 0) error = begin_journal(store, disk, def);
    if (error != 0) return error;
    error = phx_image_thread_begin(&store->images);
    if (error != 0 && store->journals) phx_journal_thread_end(&store->journal);
    return error;
}

/* Ends the threads, which write what they have. */
static void end_threads(ph_store *store)
{
    phx_image_thread_end(&store->images);
    if (store->journals) phx_journal_thread_end(&store->journal);
}

ph_status ph_store_close(ph_store *store)
{
    if (!store) return PH_BAD_ARGUMENT;
    if (store->journals && ph_journal_set(store->world, NULL) == PH_BUSY) return PH_BUSY;
    end_threads(store);
    bool durable = true;
    if (store->captured) durable = store->images.error == 0;
    if (store->captured && store->journals) durable &= store->recording && !run_failed(store);
    free_store(store);
    return durable ? PH_OK : PH_IO;
}

/* ---- ticks ---- */

enum { RETRIES = 16 }; /* in the time from one image to the next */

/* The tick of the next image behind one of this tick. */
static uint64_t next_due(const ph_store *store, uint64_t tick)
{
    return store->image_ticks > 0 ? tick + store->image_ticks : UINT64_MAX;
}

/* A disk that fails all the time gets no image in each tick. */
static uint64_t next_retry(const ph_store *store, uint64_t tick)
{
    const uint32_t ticks = store->image_ticks > 0 ? store->image_ticks : ph_store_def_default().image_ticks;
    return tick + ticks / RETRIES + 1;
}

/* Captures an image and hands it over; none is being written. */
static ph_status capture_image(ph_store *store, uint64_t tick)
{
    ph_image *image;
    const uint64_t from = phx_now_ns();
    const ph_status status = ph_image_capture(store->world, &image);
    if (status == PH_NO_MEMORY) atomic_fetch_add_explicit(&store->short_of, 1, memory_order_relaxed);
    if (status != PH_OK) return status;
    const uint64_t now = phx_now_ns();
    atomic_store_explicit(&store->capture_ns, now - from, memory_order_relaxed);
    store->captured = true;
    store->due_tick = next_due(store, tick);
    store->retry_tick = next_retry(store, tick);
    resume_journal(store, tick);
    phx_image_thread_put(&store->images, image, tick, now);
    return PH_OK;
}

/* The tick that has ended. */
static ph_status ended_tick(const ph_store *store, uint64_t *tick)
{
    ph_stats stats;
    const ph_status status = ph_world_stats(store->world, &stats);
    if (status == PH_OK) *tick = stats.ticks;
    return status;
}

ph_status ph_store_tick(ph_store *store)
{
    uint64_t tick;
    if (!store) return PH_BAD_ARGUMENT;
    const ph_status status = ended_tick(store, &tick);
    if (status != PH_OK) return status == PH_BUSY ? PH_OK : status;
    const bool writing = phx_image_thread_is_writing(&store->images);
    if (!writing) check_base(store);
    if (store->recording && run_failed(store)) break_journal(store);
    if (tick < store->due_tick) return PH_OK;
    if (writing) {
        if (store->counted_tick != store->due_tick) atomic_fetch_add_explicit(&store->late, 1, memory_order_relaxed);
        store->counted_tick = store->due_tick;
        return PH_OK;
    }
    (void)capture_image(store, tick); /* the reason is counted, and the image stays due */
    return PH_OK;
}

ph_status ph_store_save(ph_store *store)
{
    uint64_t tick;
    if (!store) return PH_BAD_ARGUMENT;
    const ph_status status = ended_tick(store, &tick);
    if (status != PH_OK) return status;
    return phx_image_thread_is_writing(&store->images) ? PH_BUSY : capture_image(store, tick);
}

/* ---- open ---- */

ph_status phx_store_open_on(const phx_disk *disk, const ph_store_def *def, ph_world world, ph_store **store,
                            char *reason, size_t reason_size)
{
    ph_stats stats;
    if (!reason) reason_size = 0;
    if (reason_size > 0) reason[0] = '\0';
    if (!store) return PH_BAD_ARGUMENT;
    *store = NULL;
    if (!def) return PH_BAD_ARGUMENT;
    ph_status status = ph_world_stats(world, &stats);
    if (status == PH_OK) status = phx_store_check(def, reason, reason_size);
    if (status != PH_OK) return status;
    ph_store *made = calloc(1, sizeof *made);
    if (!made) return PH_NO_MEMORY;
    made->world = world;
    made->image_ticks = def->image_ticks;
    made->lock = -1;
    made->due_tick = def->image_ticks > 0 || def->ring_bytes > 0 ? stats.ticks : UINT64_MAX;
    const int error = begin_store(made, disk, def, stats.ticks);
    if (error != 0) {
        const bool taken = made->lock == -EWOULDBLOCK; /* a thread that can not begin gives the same number */
        free_store(made);
        return taken ? PH_TAKEN : refuse_place(def, error, reason, reason_size);
    }
    const ph_journal hooks = {.room = begin_record, .done = end_record, .user = made, .flags = PH_JOURNAL_UNSUMMED};
    const ph_status attached = made->journals ? ph_journal_set(world, &hooks) : PH_OK;
    if (attached != PH_OK) {
        end_threads(made);
        free_store(made);
        return attached;
    }
    /* at once, so that the first record is that of the next tick: what was recovered has no gap behind it */
    if (made->journals) (void)capture_image(made, stats.ticks);
    *store = made;
    return PH_OK;
}

ph_status ph_store_open(const ph_store_def *def, ph_world world, ph_store **store, char *reason, size_t reason_size)
{
    return phx_store_open_on(&phx_disk_posix, def, world, store, reason, reason_size);
}
