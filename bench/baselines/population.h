/*
 * The entities of a baseline: slots that stay the same while an entity is there, found by
 * id through an open-addressing table. A slot that was left is given out again in the next
 * tick at the earliest, so that within a tick a slot means one incarnation. Owned by a
 * baseline (baseline.h).
 */
#ifndef PHX_BENCH_POPULATION_H
#define PHX_BENCH_POPULATION_H

#include <pharos/types.h>

#include "base/mem.h"

typedef struct point {
    float x, y;
} point;

typedef struct id_entry {
    uint64_t id; /* 0 = empty */
    uint32_t slot;
} id_entry;

typedef struct population {
    phx_mem *mem;
    point *at;     /* by slot, as the next three */
    uint64_t *ids; /* still there in the tick in which it leaves: its leaves need it */
    bool *live;
    uint32_t slot_count;
    uint32_t live_count;
    uint32_t at_room, ids_room, live_room;
    id_entry *table; /* a power of two, at most half full */
    uint32_t table_size;
    uint32_t *free; /* slots to give out: [0, free_count); of this tick behind them */
    uint32_t free_count;
    uint32_t freed_count;
    uint32_t free_room;
} population;

enum { POPULATION_NONE = UINT32_MAX };

void population_init(population *people, phx_mem *mem);
void population_free(population *people);

/* The slot, or POPULATION_NONE when the id is there already. */
uint32_t population_enter(population *people, uint64_t id, point at);
/* The slot that it had, or POPULATION_NONE. */
uint32_t population_leave(population *people, uint64_t id);
/* Before the first command of a tick: the slots left in the tick before can be given out. */
void population_begin(population *people);

/* Ids of a host run on in most cases: the low bits spread them best, and side by side. */
static inline uint32_t population_find(const population *people, uint64_t id)
{
    uint32_t mask = people->table_size - 1;
    for (uint32_t i = (uint32_t)id & mask;; i = (i + 1) & mask) {
        if (people->table[i].id == id) {
            return people->table[i].slot;
        }
        if (people->table[i].id == 0) {
            return POPULATION_NONE;
        }
    }
}

#endif
