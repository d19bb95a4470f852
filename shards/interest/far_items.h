/*
 * Far items of a block: the targets with a reach that may come into the lists of the block's observers, or leave them,
 * from beyond the observers' views. Each has its positions at the end of this tick and of the last one, side by side.
 * So has a discontinuous far target, even a global one (phx_far_change), with its reach at both times.
 * Collected with the tile of the block (tile.h), by its worker, in the interest phase.
 */
#ifndef PHX_SHARDS_INTEREST_FAR_ITEMS_H
#define PHX_SHARDS_INTEREST_FAR_ITEMS_H

#include <math.h>

#include "shards/simd/far_rule.h"
#include "shards/state/shard.h"

typedef struct phx_far_item {
    float x, y, z, old_x, old_y, old_z;
    float reach, old_reach; /* as of a phx_far_change; both alike if it is not discontinuous */
    uint32_t slot;
    bool changed; /* it is discontinuous: layers and more may be others, so it is decided wherever it is or was seen */
} phx_far_item;

typedef struct phx_far_items {
    phx_far_item *items; /* the first ones are `crossing` */
    uint32_t count, capacity;
    phx_far_lanes *lanes; /* of the crossing ones */
    uint32_t *due;        /* numbers of items that phx_far_items_find() found */
    uint32_t due_count, lanes_capacity, due_capacity;
    /*
     * Of them, the number whose border, at its reach or up to the longest margin behind, may lie between two of the
     * observers that were given to phx_far_items_pick(): no other item has an event with one of these observers.
     */
    uint32_t crossing;
    /*
     * By row of the block, from first_row on: 0 if its observer, which was given to phx_far_items_pick(), has no event
     * with a crossing item. 1: perhaps; so of all with a margin or a stored list.
     */
    uint8_t *due_row;
    uint32_t first_row, due_row_capacity;
    phx_span picked; /* all places of the tile between these were given; empty: perhaps others */
    bool moved;      /* one of them moved or changed in this tick */
} phx_far_items;

/* The observers of some rows stand and stood in it. Heights are of ticks alone in which they may decide. */
typedef struct phx_far_box {
    float x0, y0, x1, y1;
    phx_height_span heights;
} phx_far_box;

void phx_far_items_free(phx_far_items *items, phx_mem *mem);

/*
 * Collects the items that may have an event with an observer of a block, in a tick with deltas. false = no memory.
 */
bool phx_far_items_collect(phx_far_items *items, phx_mem *mem, const phx_shard *shard, const phx_block *block);

/* May there be such an item? No item is collected. */
bool phx_far_items_near(const phx_shard *shard, const phx_block *block);

/* Widens the box by the place of a row, now and at the last tick's end. */
static inline void phx_far_box_add(phx_far_box *box, const phx_shard *shard, uint32_t row)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const float x = rows->x[row], y = rows->y[row], ox = rows->ox[row], oy = rows->oy[row]; /* ox, oy may be NaN */
    /* of the row alone first: then it waits once for the box of the row before */
    const float x0 = ox < x ? ox : x, x1 = ox > x ? ox : x, y0 = oy < y ? oy : y, y1 = oy > y ? oy : y;
    box->x0 = x0 < box->x0 ? x0 : box->x0, box->x1 = x1 > box->x1 ? x1 : box->x1;
    box->y0 = y0 < box->y0 ? y0 : box->y0, box->y1 = y1 > box->y1 ? y1 : box->y1;
    if (!shard->uneven) return;
    const uint32_t slot = phx_row_slot(rows, row);
    box->heights = phx_height_span_with(box->heights, shard->store.body[slot].z);
    if (!phx_row_discontinuous(rows, row))
        box->heights = phx_height_span_with(box->heights, shard->old_heights.at[slot]);
}

static inline phx_far_box phx_far_box_empty(void)
{
    return (phx_far_box){INFINITY, INFINITY, -INFINITY, -INFINITY, phx_height_span_none()};
}

/* Finds the items for observers in a box: sets items->crossing. */
void phx_far_items_pick(phx_far_items *items, const phx_shard *shard, const phx_far_box *box);

/* May the observer of a row have an event with a crossing item? */
static inline bool phx_far_items_due(const phx_far_items *items, uint32_t row)
{
    return items->crossing > 0 && items->due_row[row - items->first_row];
}

/*
 * Finds the crossing items that may have an event with the observer of a row, of this view and margin, whose list was
 * right at the last tick's end: they are seen from beyond the view, and came within their reach, or left reach + margin
 * behind; or they changed, and are or were so near. Sets items->due; returns their number.
 */
uint32_t phx_far_items_find(phx_far_items *items, const phx_shard *shard, uint32_t row, float view, float margin);

/* The same, or at once none, if its observer has no event with a crossing item. */
static inline uint32_t phx_far_items_find_due(phx_far_items *items, const phx_shard *shard, uint32_t row, float view,
                                              float margin)
{
    items->due_count = 0;
    return phx_far_items_due(items, row) ? phx_far_items_find(items, shard, row, view, margin) : 0;
}

#endif
