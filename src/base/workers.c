/*
 * Workers: threads of the library's own, the host's parallel_for, or just the caller. Owned by a crew;
 * phx_workers_run() is called once a phase, by one thread at a time, and its end is the barrier between two phases. The
 * only file with threads.
 *
 * Two gates make a run: `start`, opened by the caller when body and context are written,
 * and `done`, opened by the last thread to finish. A gate is a counter of openings; a
 * thread waits for the opening after the one it knows. No thread can miss one: `done`
 * opens only after every thread has come through `start`, and the caller opens `start`
 * again only after `done`.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* thread names and CPU affinity */
#endif
#include "base/workers.h"

#include "base/float_env.h"
#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    /*
     * Somewhat longer than a sleep costs (50 to 80 us of the caller measured, on a virtual machine: 20 to 30 of them in
     * the call that wakes, 30 to 50 until the thread runs), and than the caller's own work between most phases: so
     * waiting costs two to three times the better one of spinning and sleeping at most.
     */
    SPIN_NS = 100000,
    SPINS_PER_CLOCK = 16, /* reads of the gate between two reads of the clock */
    THREAD_NAME_SIZE = 16 /* the kernel's limit */
};

typedef struct gate {
    _Alignas(PHX_CACHE_LINE) _Atomic uint32_t openings;
    _Atomic uint32_t sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t opened;
} gate;

typedef struct worker {
    /*
     * Pieces of its lot that no worker has taken yet: first << 32 | end. Relaxed: it orders only the taking. The gates
     * order all writes before the run and all writes of the pieces.
     */
    _Alignas(PHX_CACHE_LINE) _Atomic uint64_t lot;
    phx_workers *workers;
    pthread_t thread;
    uint32_t index;
} worker;

struct phx_workers {
    /* Written by the caller between two runs. */
    phx_worker_fn body; /* NULL at a start = the thread ends */
    void *context;
    bool running;
    bool woken;          /* the threads are in an empty run, or through */
    uint32_t woken_seen; /* openings of `done` before that */

    /* Constant after create. */
    uint32_t count;
    uint32_t threads; /* made; 0 with hooks or count 1 */
    uint64_t spin_ns; /* 0 when there are more workers than CPUs: the awaited thread may need this CPU */
    pid_t process;    /* that has the threads; a forked child has none */
    ph_task_hooks hooks;

    gate start;
    gate done;
    _Alignas(PHX_CACHE_LINE) _Atomic uint32_t unfinished; /* threads still in the run's bodies */
    worker own[];                                         /* count of them; own[0] is the caller, no thread */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- gates ---- */

static bool gate_init(gate *it)
{
    atomic_init(&it->openings, 0);
    atomic_init(&it->sleepers, 0);
    if (pthread_mutex_init(&it->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&it->opened, NULL) != 0) {
        pthread_mutex_destroy(&it->mutex);
        return false;
    }
    return true;
}

static void gate_destroy(gate *it)
{
    pthread_cond_destroy(&it->opened);
    pthread_mutex_destroy(&it->mutex);
}

/*
 * Opens for all waiting threads. They see all earlier writes after gate_wait(). Opening and
 * looking for sleepers here, and becoming one and looking for an opening in gate_wait(),
 * are sequentially consistent: at least one side sees the other, so no thread sleeps through.
 */
static void gate_open(gate *it)
{
    atomic_fetch_add_explicit(&it->openings, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&it->sleepers, memory_order_seq_cst) != 0) {
        pthread_mutex_lock(&it->mutex); /* a thread between looking and sleeping gets to sleep first */
        pthread_mutex_unlock(&it->mutex);
        pthread_cond_broadcast(&it->opened);
    }
}

/* Spins for a bounded time. true = opened since `seen`. */
static bool gate_spin(gate *it, uint32_t seen, uint64_t spin_ns)
{
    uint64_t end;

    if (atomic_load_explicit(&it->openings, memory_order_acquire) != seen) {
        return true;
    }
    if (spin_ns == 0) {
        return false;
    }
    end = now_ns() + spin_ns;
    do {
        for (uint32_t i = 0; i < SPINS_PER_CLOCK; i++) {
            relax();
            if (atomic_load_explicit(&it->openings, memory_order_acquire) != seen) { /* pairs with gate_open() */
                return true;
            }
        }
    } while (now_ns() < end);
    return false;
}

static void gate_sleep(gate *it, uint32_t seen)
{
    pthread_mutex_lock(&it->mutex);
    atomic_fetch_add_explicit(&it->sleepers, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&it->openings, memory_order_seq_cst) == seen) {
        pthread_cond_wait(&it->opened, &it->mutex);
    }
    atomic_fetch_sub_explicit(&it->sleepers, 1, memory_order_relaxed);
    pthread_mutex_unlock(&it->mutex);
}

/* Returns when the gate has opened since `seen`. */
static void gate_wait(gate *it, uint32_t seen, uint64_t spin_ns)
{
    if (!gate_spin(it, seen, spin_ns)) {
        gate_sleep(it, seen);
    }
}

/* ---- threads ---- */

static void *worker_main(void *argument)
{
    PHX_FLOAT_DEFAULT; /* threads inherit their maker's */
    worker *self = argument;
    phx_workers *workers = self->workers;

    for (uint32_t seen = 0;; seen++) {
        gate_wait(&workers->start, seen, workers->spin_ns);
        if (workers->body == NULL) {
            return NULL;
        }
        PHX_STALL_POINT();
        workers->body(workers->context, self->index);
        PHX_STALL_POINT();
        /* Acquires all that the other threads released, and hands it on to the caller. */
        if (atomic_fetch_sub_explicit(&workers->unfinished, 1, memory_order_acq_rel) == 1) {
            gate_open(&workers->done);
        }
    }
}

static uint32_t cpus_usable(void)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        return (uint32_t)CPU_COUNT(&set);
    }
    online = sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than a cpu_set_t holds */
    return online > 0 ? (uint32_t)online : 1;
}

static void name_thread(pthread_t thread, uint32_t index)
{
    char name[THREAD_NAME_SIZE];

    snprintf(name, sizeof(name), "pharos-%u", (unsigned)index);
    (void)pthread_setname_np(thread, name); /* for top and gdb; nothing hangs on it */
}

static bool start_threads(phx_workers *workers)
{
    while (workers->threads < workers->count - 1) {
        worker *next = &workers->own[workers->threads + 1];

        if (phx_thread_begin(&next->thread, worker_main, next) != 0) {
            break;
        }
        name_thread(next->thread, next->index);
        workers->threads++;
    }
    return workers->threads == workers->count - 1;
}

/* Returns when no thread is in an empty run any more. */
static void await_woken(phx_workers *workers)
{
    if (workers->woken && workers->process == getpid()) {
        gate_wait(&workers->done, workers->woken_seen, workers->spin_ns);
    }
    workers->woken = false;
}

static void stop_threads(phx_workers *workers)
{
    await_woken(workers);
    workers->body = NULL;
    gate_open(&workers->start);
    for (uint32_t i = 1; i <= workers->threads; i++) {
        int error = pthread_join(workers->own[i].thread, NULL);

        PHX_ASSERT(error == 0);
        (void)error;
    }
}

/* ---- life ---- */

static size_t workers_bytes(uint32_t count)
{
    return sizeof(phx_workers) + count * sizeof(worker);
}

static bool needs_threads(const phx_workers *workers)
{
    return workers->hooks.parallel_for == NULL && workers->count > 1;
}

static bool make_threads(phx_workers *workers)
{
    if (!gate_init(&workers->start)) {
        return false;
    }
    if (!gate_init(&workers->done)) {
        gate_destroy(&workers->start);
        return false;
    }
    if (!start_threads(workers)) {
        stop_threads(workers);
        gate_destroy(&workers->done);
        gate_destroy(&workers->start);
        return false;
    }
    return true;
}

phx_workers *phx_workers_create(phx_mem *mem, uint32_t count, ph_task_hooks hooks)
{
    phx_workers *workers;

    PHX_ASSERT(count >= 1);
    PHX_ASSERT(count <= PH_WORKERS_MAX);
    workers = phx_alloc_zero(mem, workers_bytes(count), PHX_CACHE_LINE);
    if (workers == NULL) {
        return NULL;
    }
    workers->count = count;
    workers->hooks = hooks;
    workers->process = getpid();
    workers->spin_ns = count <= cpus_usable() ? SPIN_NS : 0;
    for (uint32_t i = 0; i < count; i++) {
        workers->own[i].workers = workers;
        workers->own[i].index = i;
    }
    if (needs_threads(workers) && !make_threads(workers)) {
        phx_free(mem, workers, workers_bytes(count), PHX_CACHE_LINE);
        return NULL;
    }
    return workers;
}

void phx_workers_destroy(phx_mem *mem, phx_workers *workers)
{
    if (workers == NULL) {
        return;
    }
    PHX_ASSERT(!workers->running);
    /* In a forked child there is nothing to join, and its copies of the gates may be held. */
    if (workers->threads > 0 && workers->process == getpid()) {
        stop_threads(workers);
        gate_destroy(&workers->done);
        gate_destroy(&workers->start);
    }
    phx_free(mem, workers, workers_bytes(workers->count), PHX_CACHE_LINE);
}

uint32_t phx_workers_count(const phx_workers *workers)
{
    return workers == NULL ? 1 : workers->count;
}

/* ---- runs ---- */

static void run_alone(const phx_workers *workers)
{
    for (uint32_t i = 0; i < workers->count; i++) {
        workers->body(workers->context, i);
    }
}

static void run_threads(phx_workers *workers)
{
    uint32_t seen = atomic_load_explicit(&workers->done.openings, memory_order_relaxed);

    atomic_store_explicit(&workers->unfinished, workers->threads, memory_order_relaxed); /* start publishes it */
    gate_open(&workers->start);
    workers->body(workers->context, 0);
    PHX_STALL_POINT();
    gate_wait(&workers->done, seen, workers->spin_ns);
    PHX_ASSERT(atomic_load_explicit(&workers->unfinished, memory_order_relaxed) == 0);
}

static void do_nothing(void *context, uint32_t index)
{
    (void)context;
    (void)index;
}

void phx_workers_wake_early(phx_workers *workers)
{
    PHX_ASSERT(workers == NULL || !workers->running);
    if (workers == NULL || workers->woken) { /* and not run since */
        return;
    }
    if (workers->threads == 0 || workers->spin_ns == 0 || workers->process != getpid()) {
        return;
    }
    workers->body = do_nothing;
    workers->woken = true;
    workers->woken_seen = atomic_load_explicit(&workers->done.openings, memory_order_relaxed);
    atomic_store_explicit(&workers->unfinished, workers->threads, memory_order_relaxed); /* start publishes it */
    gate_open(&workers->start);
}

typedef struct hooked_run {
    phx_workers *workers;
    _Atomic uint8_t calls[PH_WORKERS_MAX];
} hooked_run;

static void hooked_body(void *context, uint32_t index)
{
    PHX_FLOAT_DEFAULT; /* the thread is the host's */
    hooked_run *run = context;

    if (index >= run->workers->count || atomic_exchange_explicit(&run->calls[index], 1, memory_order_relaxed) != 0) {
        phx_panic(__FILE__, __LINE__, "the host's parallel_for calls each index below count once");
    }
    run->workers->body(run->workers->context, index);
}

/*
 * The host's code decides here whether every shard is worked on. One left out or done
 * twice would lose events or corrupt them without a word, so it is checked in all builds.
 */
static void run_hooked(phx_workers *workers)
{
    hooked_run run = {.workers = workers};

    workers->hooks.parallel_for(workers->hooks.user, workers->count, hooked_body, &run);
    for (uint32_t i = 0; i < workers->count; i++) {
        if (atomic_load_explicit(&run.calls[i], memory_order_relaxed) == 0) {
            phx_panic(__FILE__, __LINE__, "the host's parallel_for returned before all calls");
        }
    }
}

void phx_workers_run(phx_workers *workers, phx_worker_fn body, void *context)
{
    PHX_ASSERT(body != NULL);
    if (workers == NULL) {
        body(context, 0);
        return;
    }
    PHX_ASSERT(!workers->running);
    await_woken(workers);
    workers->running = true;
    workers->body = body;
    workers->context = context;
    if (workers->hooks.parallel_for != NULL) {
        run_hooked(workers);
    } else if (workers->threads > 0 && workers->process == getpid()) {
        run_threads(workers);
    } else { /* one worker, or a forked child, which has no threads: same results, one after the other */
        run_alone(workers);
    }
    workers->running = false;
}

/* ---- pieces ---- */

typedef struct shared_run {
    phx_workers *workers;
    phx_piece_fn body;
    void *context;
} shared_run;

static uint32_t lot_left(uint64_t lot)
{
    uint32_t first = (uint32_t)(lot >> 32);
    uint32_t end = (uint32_t)lot;

    return first < end ? end - first : 0;
}

/* The first piece of a worker's own lot. false = none is left. */
static bool claim_own_piece(worker *self, uint32_t *piece)
{
    uint64_t lot = atomic_load_explicit(&self->lot, memory_order_relaxed);

    do {
        if (lot_left(lot) == 0) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&self->lot, &lot, lot + (UINT64_C(1) << 32), memory_order_relaxed,
                                                    memory_order_relaxed));
    *piece = (uint32_t)(lot >> 32);
    return true;
}

/* The worker with most pieces left, and its lot; NULL = none has any. */
static worker *fullest(phx_workers *workers, uint64_t *lot)
{
    worker *found = NULL;
    uint32_t most = 0;

    for (uint32_t i = 0; i < workers->count; i++) {
        uint64_t other = atomic_load_explicit(&workers->own[i].lot, memory_order_relaxed);

        if (lot_left(other) > most) {
            most = lot_left(other);
            found = &workers->own[i];
            *lot = other;
        }
    }
    return found;
}

/* The last piece of another worker's lot. If the exchange fails, another worker took a piece: so the loop ends. */
static bool claim_other_piece(phx_workers *workers, uint32_t *piece)
{
    uint64_t lot;

    for (worker *other; (other = fullest(workers, &lot)) != NULL;) {
        if (atomic_compare_exchange_strong_explicit(&other->lot, &lot, lot - 1, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            *piece = (uint32_t)lot - 1;
            return true;
        }
    }
    return false;
}

static void shared_body(void *context, uint32_t index)
{
    const shared_run *run = context;
    worker *self = &run->workers->own[index];

    for (uint32_t piece; claim_own_piece(self, &piece) || claim_other_piece(run->workers, &piece);) {
        PHX_STALL_POINT();
        run->body(run->context, index, piece);
    }
}

void phx_parallel_for(phx_workers *workers, uint32_t count, phx_piece_fn body, void *context)
{
    shared_run run = {workers, body, context};

    if (count <= 1 || workers == NULL) { /* nothing to share: no thread is woken for it */
        for (uint32_t i = 0; i < count; i++) {
            body(context, 0, i);
        }
        return;
    }
    for (uint32_t i = 0; i < workers->count; i++) {
        uint64_t first = (uint64_t)count * i / workers->count;
        uint64_t end = (uint64_t)count * (i + 1) / workers->count;

        atomic_store_explicit(&workers->own[i].lot, first << 32 | end, memory_order_relaxed); /* start publishes it */
    }
    phx_workers_run(workers, shared_body, &run);
}
