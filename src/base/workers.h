/*
 * Workers: count - 1 threads of the library's own and the caller, or the host's task hooks. A parallel-for is the only
 * thing they do; its end is the barrier between two phases. Owned by a crew (world/state/crew.h); run is called by one
 * thread at a time, the one that has taken the crew. Where workers are an argument, NULL is the caller alone, as worker
 * 0: no thread, no hook.
 *
 * Threads wait for work with a short bounded spin, then sleep on a condition variable;
 * they block all signals.
 */
#ifndef PHX_BASE_WORKERS_H
#define PHX_BASE_WORKERS_H

#include <pharos/types.h>

#include "base/mem.h"

typedef struct phx_workers phx_workers;

typedef void (*phx_worker_fn)(void *context, uint32_t worker);
typedef void (*phx_piece_fn)(void *context, uint32_t worker, uint32_t piece);

/* hooks.parallel_for NULL = own threads; count 1 makes none. NULL = no memory or no thread to be had. */
phx_workers *phx_workers_create(phx_mem *mem, uint32_t count, ph_task_hooks hooks);
/* Joins the threads. workers may be NULL. */
void phx_workers_destroy(phx_mem *mem, phx_workers *workers);
/* 1 for NULL. */
uint32_t phx_workers_count(const phx_workers *workers);

/*
 * body(context, i) once for every i in [0, count), then returns. Every body sees all writes
 * made before the call; the caller sees all writes of the bodies after it.
 */
void phx_workers_run(phx_workers *workers, phx_worker_fn body, void *context);

/*
 * A run is due soon, in about the time that it takes to wake a thread: sleepers are woken meanwhile. Returns at once.
 * Does nothing where no thread would spin until then.
 */
void phx_workers_wake_early(phx_workers *workers);

/*
 * body(context, worker, i) once for every piece i in [0, count), by any worker, then returns; writes are seen as above.
 * Every worker has a lot of its own, pieces that follow each other, the same in every run of as many: memory that it
 * used in one run is near it in the next. It takes them in order; a worker whose lot is empty
 * takes the last pieces of the worker with most pieces left.
 */
void phx_parallel_for(phx_workers *workers, uint32_t count, phx_piece_fn body, void *context);

#endif
