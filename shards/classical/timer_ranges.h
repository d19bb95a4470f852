/*
 * Ranges of index = timer: the cells in which entities move; an entity may stand a little outside of its cell. Written
 * by the shard's owner in the index phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_TIMER_RANGES_H
#define PHX_SHARDS_CLASSICAL_TIMER_RANGES_H

#include "shards/classical/timer_state.h"

/*
 * Chooses the side of cells by the observers' radii, when there are twice or half as many observers. true = it changed.
 */
bool phx_timer_choose_cell(phx_timer *own);

/* Gives every entity a new range. */
void phx_timer_range_all(phx_timer *own);

/* Hashes all slots anew, into other buckets; ranges stay. */
void phx_timer_rehash(phx_timer *own);

/* Is it still in its range? */
bool phx_timer_in_range(const phx_timer *own, uint32_t slot);

/* Gives a slot the range around its position, and takes it away. */
void phx_timer_range(phx_timer *own, uint32_t slot);

void phx_timer_unrange(phx_timer *own, uint32_t slot);

/* The number of cells that an observer's radius reaches; above PHX_TIMER_REACH_MAX it has no plan. */
int32_t phx_timer_reach(const phx_timer *own, uint32_t slot);

/* A walk over the slots with ranges in a square of cells. */
typedef struct phx_timer_walk {
    const phx_timer *own;
    int32_t x0, y0, x1, y1;
    int32_t x, y;  /* the cell */
    uint32_t slot; /* the next slot of the bucket, or of all */
    bool all;      /* there are fewer slots than cells */
    uint64_t visited;
} phx_timer_walk;

phx_timer_walk phx_timer_walk_of(const phx_timer *own, int64_t x0, int64_t y0, int64_t x1, int64_t y1);

/* The next slot, or PHX_SLOT_NONE. */
uint32_t phx_timer_next(phx_timer_walk *walk);

/* The cell of a coordinate, up to `off` cells beside it. */
int64_t phx_timer_cell(const phx_timer *own, float p, double off);

bool phx_timer_ranges_valid(const phx_timer *own);

#endif
