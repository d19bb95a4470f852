/*
 * Ranges of index = timer: cells in which entities move, each a little beyond its own. Written by the shard's owner in
 * the index phase.
 */
#ifndef PHX_SHARDS_INDEX_TIMER_RANGES_H
#define PHX_SHARDS_INDEX_TIMER_RANGES_H

#include "shards/index/timer_state.h"

/* The side of cells follows what observers see, when they are twice or half as many. true = it changed. */
bool phx_timer_choose_cell(phx_timer *own);

/* Gives everybody a new range. */
void phx_timer_range_all(phx_timer *own);

/* The buckets are others, ranges stay. */
void phx_timer_rehash(phx_timer *own);

/* Does it still stand in its range? */
bool phx_timer_in_range(const phx_timer *own, uint32_t slot);

/* Into the range around where it stands, and out of it. */
void phx_timer_range(phx_timer *own, uint32_t slot);

void phx_timer_unrange(phx_timer *own, uint32_t slot);

/* How many cells an observer looks; above PHX_TIMER_REACH_MAX it has no plan. */
int32_t phx_timer_reach(const phx_timer *own, uint32_t slot);

/* Slots whose ranges are in a square of cells. */
typedef struct phx_timer_walk {
    const phx_timer *own;
    int32_t x0, y0, x1, y1;
    int32_t x, y;  /* the cell */
    uint32_t slot; /* the next one in its bucket, or of all */
    bool all;      /* there are fewer slots than cells */
    uint64_t visited;
} phx_timer_walk;

phx_timer_walk phx_timer_walk_of(const phx_timer *own, int64_t x0, int64_t y0, int64_t x1, int64_t y1);

/* The next one, or PHX_SLOT_NONE. */
uint32_t phx_timer_next(phx_timer_walk *walk);

/* The cell of a coordinate, up to `off` cells beside it. */
int64_t phx_timer_cell(const phx_timer *own, float p, double off);

bool phx_timer_ranges_valid(const phx_timer *own);

#endif
