/*
 * Sources, those who may hear them, and those who do; see audience.h.
 */
#include "shards/audience.h"

#include <string.h>

#include "shards/interest.h"

void phx_audience_free(phx_audience *audience, phx_mem *mem)
{
    phx_release(mem, (void **)&audience->loud, &audience->loud_capacity, sizeof *audience->loud);
    phx_release(mem, (void **)&audience->source, &audience->source_capacity, sizeof *audience->source);
    phx_release(mem, (void **)&audience->towers, &audience->towers_capacity, sizeof *audience->towers);
    phx_release(mem, (void **)&audience->sources.at, &audience->sources.capacity, sizeof *audience->sources.at);
    phx_release(mem, (void **)&audience->members.at, &audience->members.capacity, sizeof *audience->members.at);
}

static uint32_t block_count(const phx_shard *shard)
{
    return phx_shard_nine(shard) ? shard->nine.crowd_count : shard->grid.block_count;
}

static bool reserve_slots(phx_slots *slots, phx_mem *mem, uint32_t count)
{
    return phx_grow(mem, (void **)&slots->at, &slots->capacity, 0, count, sizeof *slots->at);
}

bool phx_audience_begin(phx_audience *audience, const phx_shard *shard, uint32_t sources)
{
    phx_mem *mem = shard->mem;
    uint32_t slots = shard->store.slots, before = audience->loud_capacity, blocks = block_count(shard);
    for (uint32_t i = 0; i < audience->sources.count; i++) audience->loud[audience->sources.at[i]] = 0;
    audience->sources.count = audience->members.count = 0;
    if (!phx_grow(mem, (void **)&audience->loud, &audience->loud_capacity, before, slots, sizeof *audience->loud))
        return false;
    if (audience->loud_capacity > before) memset(audience->loud + before, 0, audience->loud_capacity - before);
    if (!phx_grow(mem, (void **)&audience->source, &audience->source_capacity, 0, slots, sizeof *audience->source) ||
        !phx_grow(mem, (void **)&audience->towers, &audience->towers_capacity, 0, blocks, sizeof *audience->towers) ||
        !reserve_slots(&audience->sources, mem, sources) ||
        !reserve_slots(&audience->members, mem, shard->store.own_count))
        return false;
    if (blocks > 0) memset(audience->towers, 0, blocks * sizeof *audience->towers);
    return true;
}

/* ---- towers ---- */

static void mark_crowds(phx_audience *audience, const phx_nine *nine, phx_rect rect)
{
    phx_crowd_walk walk = phx_nine_walk(nine, rect);
    for (const phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;)
        audience->towers[crowd - nine->crowds] |= phx_crowd_mask(crowd, rect);
}

static void mark_blocks(phx_audience *audience, const phx_grid *grid, phx_rect rect)
{
    if (phx_grid_wide(grid, rect)) {
        for (uint32_t b = 0; b < grid->block_count; b++)
            if (phx_block_meets(&grid->blocks[b], rect))
                audience->towers[b] |= phx_block_mask(rect, grid->blocks[b].bx, grid->blocks[b].by);
        return;
    }
    for (uint32_t by = rect.y0 >> PHX_BLOCK_BITS; by <= rect.y1 >> PHX_BLOCK_BITS; by++) {
        for (uint32_t bx = rect.x0 >> PHX_BLOCK_BITS; bx <= rect.x1 >> PHX_BLOCK_BITS; bx++) {
            const phx_block *block = phx_grid_block(grid, bx, by);
            if (block) audience->towers[block - grid->blocks] |= phx_block_mask(rect, bx, by);
        }
    }
}

static void mark_rect(phx_audience *audience, const phx_shard *shard, phx_rect rect)
{
    if (phx_shard_nine(shard)) mark_crowds(audience, &shard->nine, rect);
    else mark_blocks(audience, &shard->grid, rect);
}

void phx_audience_add(phx_audience *audience, const phx_shard *shard, uint32_t slot, uint32_t source)
{
    const phx_attr *attr = &shard->store.attr[slot];
    PHX_ASSERT(shard->store.body[slot].state & PHX_SLOT_LIVE);
    PHX_ASSERT(!audience->loud[slot] && audience->sources.count < audience->sources.capacity);
    audience->loud[slot] = 1;
    audience->source[slot] = source;
    audience->sources.at[audience->sources.count++] = slot;
    if (attr->global) {
        memset(audience->towers, 0xff, block_count(shard) * sizeof *audience->towers);
        return;
    }
    /* the greatest max(view, reach) + margin of any own observer */
    float far = attr->reach + shard->margin_max;
    float radius = far > shard->radius_max ? far : shard->radius_max;
    mark_rect(audience, shard, phx_interest_rows_rect(shard, &shard->store.body[slot], radius));
}

void phx_audience_add_observer(phx_audience *audience, const phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    phx_rect own = {body->tx, body->ty, body->tx, body->ty};
    mark_rect(audience, shard, phx_shard_nine(shard) ? own : phx_interest_rows_rect(shard, body, 0.0f));
}

/* ---- members ---- */

static void add_member(phx_audience *audience, uint32_t slot)
{
    PHX_ASSERT(audience->members.count < audience->members.capacity);
    audience->members.at[audience->members.count++] = slot;
}

static void gather_crowd(phx_audience *audience, const phx_nine *nine, const phx_crowd *crowd, uint64_t towers)
{
    for (uint64_t left = towers & crowd->watched; left; left &= left - 1) {
        const phx_tower *tower = &crowd->tower[__builtin_ctzll(left)];
        for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
            const phx_card *card = &nine->cards[i];
            if (card->watches != PHX_WATCH_NONE && !(card->flags & PHX_CARD_WENT)) add_member(audience, card->slot);
        }
    }
}

static void gather_block(phx_audience *audience, const phx_grid *grid, const phx_block *block, uint64_t towers)
{
    for (uint64_t left = towers; left; left &= left - 1) {
        uint32_t tower = (uint32_t)__builtin_ctzll(left);
        for (uint32_t row = block->start[tower]; row < block->start[tower + 1]; row++)
            if (grid->rows.view[row] != 0.0f) add_member(audience, grid->rows.slot[row] & PHX_ROW_SLOT);
    }
}

void phx_audience_gather(phx_audience *audience, const phx_shard *shard)
{
    for (uint32_t b = 0; b < block_count(shard); b++) {
        if (phx_shard_nine(shard))
            gather_crowd(audience, &shard->nine, &shard->nine.crowds[b], audience->towers[b]);
        else
            gather_block(audience, &shard->grid, &shard->grid.blocks[b], audience->towers[b]);
    }
}

/* ---- hearing ---- */

static bool implied(const phx_shard *shard, uint32_t slot)
{
    return shard->store.tail[slot].list.flags & PHX_LIST_IMPLIED;
}

uint32_t phx_audience_room(const phx_shard *shard, uint32_t slot)
{
    return implied(shard, slot) ? shard->store.slots : shard->store.tail[slot].list.count;
}

/* An implied list is all who stand in the towers now; see nine.h. */
static uint32_t heard_around(const phx_audience *audience, const phx_shard *shard, uint32_t slot, uint32_t *hits)
{
    const phx_store *store = &shard->store;
    uint32_t ranges = 0, n = 0;
    phx_rect rect = phx_interest_towers(shard->rules, &store->body[slot], 0.0f);
    uint32_t found = phx_nine_scan(&shard->nine, rect, hits, &ranges);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t target = hits[i] & PHX_ROW_SLOT;
        if (!audience->loud[target] || target == slot) continue;
        if ((hits[i] & PHX_ROW_SPECIAL) && !phx_eligible(&store->attr[slot], &store->attr[target])) continue;
        hits[n++] = target;
    }
    return n;
}

uint32_t phx_audience_heard(const phx_audience *audience, const phx_shard *shard, uint32_t slot, uint32_t *hits)
{
    if (implied(shard, slot)) return heard_around(audience, shard, slot, hits);
    const phx_list *list = &shard->store.tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->count; i++) { /* without a branch: hits are few, and anywhere */
        hits[n] = entries[i];
        n += audience->loud[entries[i]];
    }
    return n;
}
