/*
 * The thread that writes the journal. The ticking thread puts records into the ring and goes on. Behind an error the
 * thread passes over records until one that begins anew, behind the next image.
 */
#ifndef PHX_STORE_JOURNAL_THREAD_H
#define PHX_STORE_JOURNAL_THREAD_H

#include <pthread.h>
#include <semaphore.h>

#include <pharos/store.h>

#include "store/folder.h"
#include "store/journal_writer.h"
#include "store/ring.h"

typedef struct phx_journal_thread {
    /* constant while the thread runs */
    const phx_folder *folder;
    uint64_t sync_ns, file_bytes_max;
    ph_log_fn log;
    void *log_user;
    pthread_t thread;

    phx_store_ring ring;
    sem_t wake;
    _Atomic bool ending; /* release and acquire: what was put into the ring before is drained */
    _Atomic uint64_t
        failed_run; /* the last run with a record that was lost; by the thread; relaxed: it names the run */

    /* the thread's */
    phx_journal_writer writer; /* its disk is constant */
    uint64_t last_tick, synced_ns;
    uint64_t file_tick, file_ticks; /* of the open file: its first tick, and how many were written whole */
    uint64_t run;                   /* records that begin anew, so far: each begins a run */
    bool unsynced, passing;
    bool within_tick; /* the last record is of an apply: its tick comes into the same file */

    /* by the thread; relaxed: statistics */
    _Atomic uint64_t durable_tick, bytes, errors;
    _Atomic int error;
} phx_journal_thread;

/* folder .. log_user are set. Returns 0, or an error number. */
int phx_journal_thread_begin(phx_journal_thread *at, uint64_t ring_bytes);
/* Writes the rest of the ring; the thread ends. */
void phx_journal_thread_end(phx_journal_thread *at);
/* A record is in the ring. */
void phx_journal_thread_wake(phx_journal_thread *at);

#endif
