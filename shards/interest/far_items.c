/*
 * Far items of a block; see far_items.h.
 */
#include "shards/interest/far_items.h"

void phx_far_items_free(phx_far_items *items, phx_mem *mem)
{
    phx_release(mem, (void **)&items->items, &items->capacity, sizeof *items->items);
    *items = (phx_far_items){0};
}

static phx_far_item make_item(const phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    phx_far_item item = {.x = body->x,
                         .y = body->y,
                         .old_x = body->x,
                         .old_y = body->y,
                         .reach = phx_store_attr(&shard->store, slot)->reach,
                         .slot = slot};
    if (body->state & PHX_SLOT_ROW) { /* a ghost without a row stands still: else it is discontinuous */
        item.old_x = shard->grid.rows.ox[body->row];
        item.old_y = shard->grid.rows.oy[body->row];
    }
    return item;
}

/* Adds the targets of entries first .. end. false = no memory. */
static bool add_items(phx_far_items *items, phx_mem *mem, const phx_shard *shard, uint32_t first, uint32_t end)
{
    if (!phx_grow(mem, (void **)&items->items, &items->capacity, items->count, (size_t)items->count + end - first,
                  sizeof *items->items))
        return false;
    for (uint32_t i = first; i < end; i++) {
        const phx_far_item item = make_item(shard, shard->far.entries[i].slot);
        items->moved |= item.x != item.old_x || item.y != item.old_y;
        items->items[items->count++] = item;
    }
    return true;
}

/*
 * The towers that targets of a level may stand in: a cell is as wide as their reach, and margin, drift of the
 * observers' rows and the last step come on top.
 */
static phx_rect level_towers(const phx_shard *shard, const phx_block *block, uint32_t level)
{
    const phx_rules *rules = shard->rules;
    const float more = block->reach + shard->grid.drift_bound + shard->step_max;
    const uint32_t off = (1u << level) + phx_length_towers(rules, more) + 1;
    const uint32_t x = (uint32_t)block->bx << PHX_BLOCK_BITS, y = (uint32_t)block->by << PHX_BLOCK_BITS;
    const uint32_t x1 = x + PHX_BLOCK_SIDE - 1 + off, y1 = y + PHX_BLOCK_SIDE - 1 + off;
    return (phx_rect){(uint16_t)(x > off ? x - off : 0), (uint16_t)(y > off ? y - off : 0),
                      (uint16_t)(x1 < rules->towers[0] ? x1 : rules->towers[0] - 1),
                      (uint16_t)(y1 < rules->towers[1] ? y1 : rules->towers[1] - 1)};
}

bool phx_far_items_collect(phx_far_items *items, phx_mem *mem, const phx_shard *shard, const phx_block *block)
{
    const phx_far *far = &shard->far;
    items->count = 0;
    items->moved = false;
    PHX_ASSERT(!shard->far_dirty);
    for (uint32_t level = 0; far->levels >> level; level++) {
        if (!(far->levels >> level & 1)) continue;
        const phx_rect towers = level_towers(shard, block, level);
        for (uint32_t y = towers.y0 >> level; y <= (uint32_t)towers.y1 >> level; y++) {
            uint32_t first, end;
            phx_far_cells(far, block->instance, level, (uint32_t)towers.x0 >> level, (uint32_t)towers.x1 >> level, y,
                          &first, &end);
            if (!add_items(items, mem, shard, first, end)) return false;
        }
    }
    return true;
}
