/*
 * Mirrors pairs of moved rows; see pair_mirror.h. Interest phase, any worker.
 */
#include "shards/interest/pair_mirror.h"

#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"

/* Does the row's entity stand elsewhere than at the last tick's end? */
static bool row_moved(const phx_shard *shard, uint32_t row)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    if (rows->x[row] != rows->ox[row] || rows->y[row] != rows->oy[row]) return true;
    const uint32_t slot = phx_row_slot(rows, row);
    return shard->uneven && shard->store.body[slot].z != shard->old_heights.at[slot];
}

/* A pair as a sort record, by its observer's place; word: with its flags. */
static phx_sort_record pair_to_sort(phx_pair_word word, uint32_t place, uint32_t target)
{
    return (phx_sort_record){.id = (uint64_t)place << 32 | phx_pair_word_moved_to(word, 0).bits, .slot = target};
}

bool phx_pairs_mirror(phx_scratch *scratch, const phx_shard *shard, uint32_t first, uint32_t last)
{
    const phx_tile *tile = &scratch->tile;
    phx_pairs *pairs = &scratch->pairs;
    const uint32_t length = last - first;
    uint32_t n = 0;
    size_t most = 2 * (size_t)pairs->count;
    if (!phx_grow(scratch->mem, (void **)&scratch->sorted, &scratch->sorted_capacity, 0, most,
                  sizeof(phx_sort_record)) ||
        !phx_grow(scratch->mem, (void **)&scratch->sorted_spare, &scratch->sorted_spare_capacity, 0, most,
                  sizeof(phx_sort_record)))
        return false;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const phx_pair_word word = phx_pair_word_at(pairs->observer, i);
        const uint32_t place = phx_pair_word_place(word), other = pairs->target[i], row = tile->row[other];
        if (place - first <= length && phx_tile_own(tile, tile->row[place]))
            scratch->sorted[n++] = pair_to_sort(word, place, other);
        if (other - first <= length && phx_tile_own(tile, row) && !row_moved(shard, row))
            scratch->sorted[n++] = pair_to_sort(word, other, place);
    }
    phx_order_many(scratch->sorted, scratch->sorted_spare, n);
    PHX_ASSERT(n <= pairs->capacity);
    for (uint32_t i = 0; i < n; i++) {
        pairs->observer[i] = (uint32_t)(scratch->sorted[i].id >> 32) | (uint32_t)scratch->sorted[i].id;
        pairs->target[i] = scratch->sorted[i].slot;
    }
    pairs->count = n;
    return true;
}
