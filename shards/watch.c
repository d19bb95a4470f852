/*
 * The reverse of the interest lists, found on demand: an observer that has a target in
 * its list by view and margin stands within the shard's greatest radius of it. Readers,
 * between ticks; nothing is written.
 */
#include "shards/interest.h"

static bool holds(const phx_shard *shard, uint32_t observer, uint32_t target)
{
    const phx_list *list = &shard->store.tail[observer].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    for (uint32_t i = 0; i < list->count; i++)
        if (entries[i] == target) return true;
    return false;
}

static void visit_row(const phx_shard *shard, uint32_t row, uint32_t target,
                      void (*visit)(void *user, uint32_t observer), void *user)
{
    uint32_t observer = shard->grid.rows.slot[row] & PHX_ROW_SLOT;
    if (shard->grid.rows.view[row] != 0.0f && holds(shard, observer, target)) visit(user, observer);
}

static void visit_block(const phx_shard *shard, const phx_block *block, uint32_t target,
                        void (*visit)(void *user, uint32_t observer), void *user)
{
    for (uint32_t row = block->start[0]; row < block->start[PHX_BLOCK_TOWERS]; row++)
        visit_row(shard, row, target, visit, user);
}

void phx_shard_watchers(const phx_shard *shard, uint32_t slot, bool everywhere,
                        void (*visit)(void *user, uint32_t observer), void *user)
{
    const phx_grid *grid = &shard->grid;
    phx_rect rect = phx_interest_towers(shard->rules, &shard->store.body[slot], shard->radius_max);
    if (everywhere) {
        for (uint32_t row = 0; row < grid->row_count; row++) visit_row(shard, row, slot, visit, user);
        return;
    }
    if (phx_grid_wide(grid, rect)) {
        for (uint32_t b = 0; b < grid->block_count; b++)
            if (phx_block_meets(&grid->blocks[b], rect)) visit_block(shard, &grid->blocks[b], slot, visit, user);
        return;
    }
    for (uint32_t by = rect.y0 >> PHX_BLOCK_BITS; by <= rect.y1 >> PHX_BLOCK_BITS; by++) {
        for (uint32_t bx = rect.x0 >> PHX_BLOCK_BITS; bx <= rect.x1 >> PHX_BLOCK_BITS; bx++) {
            const phx_block *block = phx_grid_block(grid, bx, by);
            if (block) visit_block(shard, block, slot, visit, user);
        }
    }
}
