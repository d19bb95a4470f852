/*
 * The entities sorted by cell, afresh in every tick: a counting sort into arrays that a
 * scan reads from end to end. Used by the baselines that work tick by tick.
 */
#ifndef PHX_BENCH_SORTED_H
#define PHX_BENCH_SORTED_H

#include "bench/baselines/cells.h"

/* Behind the last entity so many places can be read: a whole vector. */
enum { SORTED_PAD = 16 };

typedef struct sorted {
    phx_mem *mem;
    cells grid;
    uint32_t *starts;  /* by cell, and one more: its first place */
    uint32_t *cell_of; /* by slot; POPULATION_NONE = not live */
    float *x, *y;      /* by place */
    uint32_t *slots;   /* by place */
    uint32_t count;
    uint32_t starts_room, cell_room, x_room, y_room, slots_room;
} sorted;

void sorted_init(sorted *of, const ph_world_def *def, phx_mem *mem);
void sorted_free(sorted *of);
void sorted_make(sorted *of, const population *people);

#endif
