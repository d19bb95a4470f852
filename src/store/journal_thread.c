/*
 * The thread that writes the journal; see journal_thread.h.
 */
#include "store/journal_thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/save.h>

#include "base/clock.h"
#include "base/thread.h"

static void report_failure(phx_journal_thread *at, int error)
{
    char line[PH_STORE_REASON_SIZE], text[128];
    atomic_store_explicit(&at->error, error, memory_order_relaxed);
    atomic_fetch_add_explicit(&at->errors, 1, memory_order_relaxed);
    atomic_store_explicit(&at->failed_run, at->run, memory_order_relaxed);
    if (!at->log) return;
    snprintf(line, sizeof line, "store %s/%s: the journal ends behind tick %" PRIu64 ": %s", at->folder->path,
             at->folder->name, at->last_tick, strerror_r(error, text, sizeof text));
    at->log(at->log_user, PH_LOG_ERROR, line);
}

/* ---- files ---- */

static int sync_file(phx_journal_thread *at)
{
    if (at->writer.file < 0 || !at->unsynced) return 0;
    const int error = phx_journal_writer_sync(&at->writer);
    if (error != 0) return error;
    at->unsynced = false;
    at->synced_ns = phx_now_ns();
    atomic_store_explicit(&at->durable_tick, at->last_tick, memory_order_relaxed);
    return 0;
}

static int put_frame(phx_journal_thread *at, phx_journal_frame_head *frame)
{
    /* not on the ticking thread, which would wait for it */
    const ph_status summed = ph_journal_sum(frame + 1, frame->bytes);
    PHX_ASSERT(summed == PH_OK);
    (void)summed;
    const int error = phx_journal_writer_put(&at->writer, frame);
    at->unsynced = true;
    atomic_fetch_add_explicit(&at->bytes, phx_journal_frame_bytes(frame->bytes), memory_order_relaxed);
    return error;
}

/*
 * Gives up the open file. One without a whole tick goes: a disk that stays full would get one more of them with each
 * image that is tried.
 */
static void give_up_file(phx_journal_thread *at)
{
    char *path = at->file_ticks == 0 ? phx_folder_file(at->folder, at->file_tick, PHX_STORE_JOURNAL) : NULL;
    if (at->writer.file >= 0 && path) (void)at->writer.disk->remove(path);
    free(path);
    (void)phx_journal_writer_close(&at->writer);
    at->unsynced = false; /* or lost */
}

/* Ends the open file, with a frame that says so. Returns 0, or errno. */
static int close_file(phx_journal_thread *at)
{
    if (at->writer.file < 0) return 0;
    int error = phx_journal_writer_end(&at->writer, at->last_tick);
    at->unsynced = true;
    if (error == 0) error = sync_file(at);
    const int closed = phx_journal_writer_close(&at->writer);
    at->unsynced = false; /* or lost */
    return error != 0 ? error : closed;
}

static int open_file(phx_journal_thread *at, uint64_t tick)
{
    char *path = phx_folder_file(at->folder, tick, PHX_STORE_JOURNAL);
    if (!path) return ENOMEM;
    at->file_tick = tick;
    at->file_ticks = 0;
    int error = phx_journal_writer_open(&at->writer, path, tick);
    free(path);
    if (error == 0 && at->writer.disk->sync_folder(at->folder->path) != 0) error = errno;
    return error;
}

/* ---- frames ---- */

static int write_record(phx_journal_thread *at, phx_journal_frame_head *frame)
{
    const bool first = frame->kind == PHX_JOURNAL_FRAME_FIRST;
    const bool full = at->writer.bytes >= at->file_bytes_max && !at->within_tick;
    int error = 0;
    if (at->writer.file < 0 || first || full) {
        error = close_file(at);
        if (error == 0) error = open_file(at, frame->tick);
    }
    if (error == 0) error = put_frame(at, frame);
    at->within_tick = !(frame->flags & PH_RECORD_TICK);
    if (error != 0 || at->within_tick) return error;
    at->last_tick = frame->tick;
    at->file_ticks++;
    return error;
}

/* Behind an error, 0 = none, the records of this run are passed over. */
static void end_run(phx_journal_thread *at, int error)
{
    if (error == 0) return;
    at->passing = true;
    give_up_file(at);
    report_failure(at, error);
}

static void sync_due(phx_journal_thread *at)
{
    if (!at->unsynced || phx_now_ns() - at->synced_ns < at->sync_ns) return;
    end_run(at, sync_file(at));
}

/* Writes the frames in the ring. More may come as fast as these are written, and syncs are due all the same. */
static void drain_ring(phx_journal_thread *at)
{
    for (phx_journal_frame_head *frame; (frame = phx_store_ring_next(&at->ring)) != NULL; sync_due(at)) {
        if (frame->kind == PHX_JOURNAL_FRAME_FIRST) {
            at->passing = false;
            at->run++;
        }
        if (!at->passing) end_run(at, write_record(at, frame));
        phx_store_ring_pass(&at->ring, frame);
    }
}

/* Waits for a record; no longer than until a sync is due. */
static void wait_for_records(phx_journal_thread *at)
{
    const uint64_t billion = 1000000000u, due_ns = at->synced_ns + at->sync_ns;
    const struct timespec until = {(time_t)(due_ns / billion), (long)(due_ns % billion)};
    /* woken, late or interrupted: the ring is looked into */
    if (at->unsynced) (void)sem_clockwait(&at->wake, CLOCK_MONOTONIC, &until);
    else (void)sem_wait(&at->wake);
}

static void *run_thread(void *user)
{
    phx_journal_thread *at = user;
    for (bool ends = false; !ends;) {
        wait_for_records(at);
        ends = atomic_load_explicit(&at->ending, memory_order_acquire);
        PHX_STALL_POINT();
        drain_ring(at);
        sync_due(at);
    }
    const int error = close_file(at);
    if (error != 0) report_failure(at, error);
    return NULL;
}

int phx_journal_thread_begin(phx_journal_thread *at, uint64_t ring_bytes)
{
    at->writer.file = -1;
    at->passing = true;
    if (!phx_store_ring_init(&at->ring, ring_bytes)) return ENOMEM;
    int error = sem_init(&at->wake, 0, 0) != 0 ? errno : 0;
    if (error == 0) {
        error = phx_thread_begin(&at->thread, run_thread, at);
        if (error != 0) (void)sem_destroy(&at->wake);
    }
    if (error != 0) phx_store_ring_free(&at->ring);
    return error;
}

void phx_journal_thread_end(phx_journal_thread *at)
{
    atomic_store_explicit(&at->ending, true, memory_order_release); /* pairs with the load of run_thread() */
    (void)sem_post(&at->wake);
    (void)pthread_join(at->thread, NULL);
    (void)sem_destroy(&at->wake);
    phx_store_ring_free(&at->ring);
}

void phx_journal_thread_wake(phx_journal_thread *at)
{
    (void)sem_post(&at->wake);
}
