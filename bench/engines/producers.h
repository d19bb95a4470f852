/*
 * The producers of the engine "pharos", a thread each: the calling one is the first.
 * Moves can be spread over all of them, part by part; everything else goes through the
 * first. Owned by the engine, used between its ticks.
 */
#ifndef PHX_BENCH_PRODUCERS_H
#define PHX_BENCH_PRODUCERS_H

#include <pharos/pharos.h>

#include "bench/base/engine.h"

typedef struct bench_producers bench_producers;

/* NULL: see error. */
bench_producers *bench_producers_open(ph_world world, uint32_t count, phx_mem *mem, bench_error *error);
/* Ends the threads; the world ends the producers. producers may be NULL. */
void bench_producers_close(bench_producers *producers);
uint32_t bench_producers_count(const bench_producers *producers);
ph_producer bench_producers_first(const bench_producers *producers);

/* The threads are awake for the next few microseconds; a thread without a processor of its own is not. */
void bench_producers_wake(bench_producers *producers);

/*
 * Submits so many moves, the n-th part of them through the n-th producer, all at once, and
 * returns when the last is done. PH_FULL: at least one had no room for all of its part.
 */
ph_status bench_producers_move(bench_producers *producers, uint32_t count, const uint64_t *ids,
                               const ph_position *positions);

#endif
