/*
 * Far items of a block: the targets with a reach that may come into the lists of the block's observers, or leave them,
 * from beyond the observers' views. Each has its positions at the end of this tick and of the last one, side by side.
 * Collected with the tile of the block (tile.h), by its worker, in the interest phase.
 */
#ifndef PHX_SHARDS_INTEREST_FAR_ITEMS_H
#define PHX_SHARDS_INTEREST_FAR_ITEMS_H

#include <math.h>

#include "shards/state/shard.h"

typedef struct phx_far_item {
    float x, y, old_x, old_y;
    float reach;
    uint32_t slot;
} phx_far_item;

typedef struct phx_far_items {
    phx_far_item *items;
    uint32_t count, capacity;
    bool moved; /* one of them moved in this tick */
} phx_far_items;

void phx_far_items_free(phx_far_items *items, phx_mem *mem);

/*
 * Collects the items of a block, in a tick in which no far target is discontinuous (phx_shard.far_dirty). false = no
 * memory.
 */
bool phx_far_items_collect(phx_far_items *items, phx_mem *mem, const phx_shard *shard, const phx_block *block);

/*
 * May an item have an event with the observer of a row, whose list was right at the last tick's end? It came within its
 * reach, or left reach + margin behind.
 */
static inline bool phx_far_item_crosses(const phx_far_item *item, const phx_grid_rows *rows, uint32_t row, bool square,
                                        float margin)
{
    const float r = item->reach, keep = r + margin;
    const float dx = item->x - rows->x[row], dy = item->y - rows->y[row];
    const float old_dx = item->old_x - rows->ox[row], old_dy = item->old_y - rows->oy[row];
    if (square) {
        const float now = fmaxf(fabsf(dx), fabsf(dy)), old = fmaxf(fabsf(old_dx), fabsf(old_dy));
        return (now <= r && !(old <= r)) || (old <= keep && !(now <= keep));
    }
    const float now = dx * dx + dy * dy, old = old_dx * old_dx + old_dy * old_dy;
    return (now <= r * r && !(old <= r * r)) || (old <= keep * keep && !(now <= keep * keep));
}

#endif
