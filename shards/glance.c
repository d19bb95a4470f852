/*
 * Glances; see glance.h. Runs in the interest phase on any worker.
 */
#include "shards/glance.h"

#include <float.h>
#include <string.h>

enum { BLOCKS_MAX = 16 }; /* blocks that a glance goes over; a wider view takes the long way */

/* Has the observer only what a glance can tell? Its radii then. */
static bool plain(const phx_shard *shard, uint32_t slot, float view, float *r, float *far)
{
    *r = *far = view;
    if (view > 0.0f) return true;
    const phx_attr *attr = &shard->store.attr[slot];
    if (!phx_observes(attr) || attr->cap > 0 || !(attr->sees & 1)) return false;
    if (shard->store.body[slot].state & PHX_SLOT_RELATED) return false;
    *r = attr->view;
    *far = attr->view + attr->margin;
    return true;
}

/* The blocks that the rectangle meets; false = too many, or something odd in it. *due: something in it changed. */
static bool gather(const phx_shard *shard, phx_rect rect, const phx_block **blocks, uint32_t *count, bool *due)
{
    uint32_t bx0 = rect.x0 >> PHX_BLOCK_BITS, bx1 = rect.x1 >> PHX_BLOCK_BITS;
    uint32_t by0 = rect.y0 >> PHX_BLOCK_BITS, by1 = rect.y1 >> PHX_BLOCK_BITS;
    uint64_t dirty = 0;
    *count = 0;
    if ((uint64_t)(bx1 - bx0 + 1) * (by1 - by0 + 1) > BLOCKS_MAX) return false;
    for (uint32_t by = by0; by <= by1; by++) {
        for (uint32_t bx = bx0; bx <= bx1; bx++) {
            const phx_block *block = phx_grid_block(&shard->grid, bx, by);
            if (!block) continue;
            if (block->dirty_tick == shard->tick && block->dirty != 0) {
                uint64_t mask = phx_block_mask(rect, bx, by);
                if (block->odd & mask) return false;
                dirty |= block->dirty & mask;
            }
            blocks[(*count)++] = block;
        }
    }
    *due = dirty != 0 || shard->many_movers;
    return true;
}

static void scan_block(phx_scratch *scratch, const phx_shard *shard, const phx_block *block, phx_rect rect,
                       const phx_probe *probe, phx_hits *hits)
{
    uint32_t x = (uint32_t)block->bx << PHX_BLOCK_BITS, y = (uint32_t)block->by << PHX_BLOCK_BITS;
    uint32_t x0 = rect.x0 > x ? rect.x0 - x : 0, y0 = rect.y0 > y ? rect.y0 - y : 0;
    uint32_t x1 = rect.x1 - x < PHX_BLOCK_SIDE ? rect.x1 - x : PHX_BLOCK_SIDE - 1;
    uint32_t y1 = rect.y1 - y < PHX_BLOCK_SIDE ? rect.y1 - y : PHX_BLOCK_SIDE - 1;
    bool whole = x0 == 0 && x1 == PHX_BLOCK_SIDE - 1;
    for (uint32_t row = y0; row <= y1; row = whole ? y1 + 1 : row + 1) {
        uint32_t first = block->start[row << PHX_BLOCK_BITS | x0];
        uint32_t end = block->start[((whole ? y1 : row) << PHX_BLOCK_BITS | x1) + 1];
        if (first == end) continue;
        scratch->counts.ranges_visited++;
        scratch->counts.pairs_tested += end - first;
        shard->kernels->glance(&shard->grid.rows, first, end, probe, hits);
    }
}

/* Is it the far targets' business? They are odd when they change, so here they stay as they are. */
static bool is_far(const phx_attr *target, float r)
{
    return target->global || target->reach > r;
}

/* Takes the candidates that left out of the list; one that is not in it (it was in the margin) has not left. */
static void take_leaves(phx_shard *shard, uint32_t slot, float r, phx_hits *hits)
{
    const phx_store *store = &shard->store;
    phx_list *list = &shard->store.tail[slot].list;
    uint32_t *entries = phx_list_entries(&shard->lists, list), n = 0;
    for (uint32_t i = 0; i < hits->leave_count; i++) {
        uint32_t target = hits->leave[i] & PHX_ROW_SLOT;
        if ((hits->leave[i] & PHX_ROW_SPECIAL) && is_far(&store->attr[target], r)) continue;
        uint32_t at = shard->kernels->find(entries, list->count, target);
        if (at == list->count) continue;
        entries[at] = entries[--list->count];
        hits->leave[n++] = target;
    }
    hits->leave_count = n;
}

/* Of the candidates, those that may be seen, and are not in the list (in the margin they may be). */
static void sift_enters(const phx_shard *shard, uint32_t slot, float r, bool margin, phx_hits *hits)
{
    const phx_store *store = &shard->store;
    const phx_list *list = &store->tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < hits->enter_count; i++) {
        uint32_t target = hits->enter[i] & PHX_ROW_SLOT;
        if (hits->enter[i] & PHX_ROW_SPECIAL) {
            const phx_attr *attr = &store->attr[target];
            if (is_far(attr, r) || !phx_eligible(&store->attr[slot], attr)) continue;
        }
        if (margin && shard->kernels->find(entries, list->count, target) < list->count) continue;
        hits->enter[n++] = target;
    }
    hits->enter_count = n;
}

/* The candidates become events and a list; room is reserved. */
static void settle(phx_scratch *scratch, phx_shard *shard, uint32_t slot, float r, bool margin, phx_hits *hits)
{
    phx_list *list = &shard->store.tail[slot].list;
    take_leaves(shard, slot, r, hits);
    sift_enters(shard, slot, r, margin, hits);
    if (hits->enter_count + hits->leave_count == 0) return;
    phx_change *change = phx_interest_record(scratch, shard, slot, hits->enter_count, hits->leave_count);
    uint32_t *entries = phx_list_entries(&shard->lists, list), count = list->count + hits->enter_count;
    if (count <= phx_list_capacity(list)) {
        for (uint32_t i = 0; i < hits->enter_count; i++) entries[list->count + i] = hits->enter[i];
        list->count = count;
        return;
    }
    uint32_t *next = scratch->overflow + scratch->overflow_count;
    if (list->count > 0) memcpy(next, entries, list->count * sizeof *next);
    memcpy(next + list->count, hits->enter, hits->enter_count * sizeof *next);
    change->list_first = scratch->overflow_count;
    change->list_count = count;
    scratch->overflow_count += count;
}

phx_glance_result phx_glance(phx_scratch *scratch, phx_shard *shard, uint32_t row)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    uint32_t slot = rows->slot[row] & PHX_ROW_SLOT;
    const phx_block *blocks[BLOCKS_MAX];
    uint32_t block_count;
    float r, far;
    bool due;
    if (!shard->glances || !plain(shard, slot, rows->view[row], &r, &far)) return PHX_GLANCE_LOOK;
    phx_probe probe = {.x = rows->x[row], .y = rows->y[row], .ox = rows->ox[row], .oy = rows->oy[row]};
    bool moved = probe.x != probe.ox || probe.y != probe.oy;
    if (moved && shard->far.levels != 0) return PHX_GLANCE_LOOK; /* it may come into somebody's reach */
    float reach = far + shard->step_max * (moved ? 2.0f : 1.0f);
    if (!(reach * reach <= FLT_MAX)) return PHX_GLANCE_LOOK;
    phx_rect rect = phx_interest_rect(shard->rules, probe.x, probe.y, reach);
    if (!gather(shard, rect, blocks, &block_count, &due)) return PHX_GLANCE_LOOK;
    scratch->counts.glanced++;
    if (!moved && !due) return PHX_GLANCE_DONE;
    probe.square = shard->rules->shape == PH_SHAPE_SQUARE;
    probe.in = probe.square ? r : r * r;
    probe.near = probe.square ? far : far * far;
    phx_hits hits = {.enter = scratch->enter, .leave = scratch->leave};
    for (uint32_t i = 0; i < block_count; i++) scan_block(scratch, shard, blocks[i], rect, &probe, &hits);
    if (hits.enter_count + hits.leave_count == 0) return PHX_GLANCE_DONE;
    if (!phx_interest_reserve(scratch, hits.enter_count + hits.leave_count,
                              shard->store.tail[slot].list.count + hits.enter_count))
        return PHX_GLANCE_NO_MEMORY;
    settle(scratch, shard, slot, r, far != r, &hits);
    return PHX_GLANCE_DONE;
}
