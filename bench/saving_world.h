/*
 * The worlds of --saving: a crowd of which each entity observes some twenty others, and walks. Without a margin no list
 * is stored; with one each is.
 */
#ifndef PHX_BENCH_SAVING_WORLD_H
#define PHX_BENCH_SAVING_WORLD_H

#include <stdatomic.h>

#include <pharos/pharos.h>
#include <pharos/save.h>

#include "base/mem.h"

typedef struct bench_saving_world {
    phx_mem *mem; /* of positions, not of the world */
    ph_world world;
    ph_producer producer;
    uint64_t *ids;
    ph_position *positions;
    uint32_t count;
    float side; /* of the square world */
    uint64_t rng;
    _Atomic uint64_t allocations; /* of a counted world; relaxed: it orders nothing */
} bench_saving_world;

typedef struct bench_saving_crowd {
    uint32_t entities, workers;
    float margin;
    bool counted; /* allocations, which the library's own allocator does not show */
    uint64_t seed;
} bench_saving_crowd;

/* Makes a world in which the crowd has entered, and a tick has found its lists. */
ph_status bench_saving_make(bench_saving_world *world, phx_mem *mem, bench_saving_crowd crowd);
void bench_saving_free(bench_saving_world *world);
/* Every entity goes a step: new positions, not yet submitted. */
void bench_saving_walk(bench_saving_world *world);
/* So many allocations had a counted world. */
uint64_t bench_saving_allocations(const bench_saving_world *world);
/* CPU time of the calling thread. */
uint64_t bench_saving_cpu_ns(void);
/* Submits them, runs the tick, and takes the batches; *ns gets its time. */
ph_status bench_saving_tick(bench_saving_world *world, ph_consumer consumer, uint64_t *ns);

#endif
