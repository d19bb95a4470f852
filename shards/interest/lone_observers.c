/*
 * Observers that may have events without a pair; see lone_observers.h.
 */
#include "shards/interest/lone_observers.h"

#include "shards/state/annulus.h"

/* Of these observers, the discontinuous ones. Both are in order, and no two places are one. */
static uint32_t keep_discontinuous(const phx_tile *tile, phx_tile_observers of, uint32_t *kept)
{
    const uint32_t *own = tile->discontinuous_own, count = tile->discontinuous_own_count;
    uint32_t n = 0, w = 0;
    for (uint32_t d = phx_tile_places_below(own, count, of.place[0]); d < count && own[d] <= of.place[of.count - 1];
         d++) {
        const uint32_t apart = own[d] - of.place[w], left = of.count - w; /* no more observers than places between */
        w += phx_tile_places_below(of.place + w, apart < left ? apart : left, own[d]);
        kept[n] = own[d];
        n += of.place[w] == own[d];
    }
    return n;
}

/* Of these observers, the ones that are discontinuous, or have an annulus that is not empty. */
static uint32_t keep_holders(const phx_scratch *scratch, const phx_shard *shard, phx_tile_observers of, uint32_t *kept)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    uint32_t n = 0;
    for (uint32_t w = 0; w < of.count; w++) { /* no branch: reads of many observers overlap */
        const uint32_t place = of.place[w], row = scratch->tile.row[place];
        const uint32_t holds = phx_annulus_of(shard, phx_row_slot(rows, row)).count > 0;
        const uint32_t discontinuous = phx_row_discontinuous(rows, row);
        kept[n] = place;
        n += holds | discontinuous;
    }
    return n;
}

phx_tile_observers phx_lone_keep(const phx_scratch *scratch, const phx_shard *shard, phx_tile_observers of)
{
    const phx_tile *tile = &scratch->tile;
    uint32_t *kept = scratch->lone, n = 0;
    PHX_ASSERT(of.count <= scratch->lone_capacity);
    if (of.count > 0) n = tile->annular ? keep_holders(scratch, shard, of, kept) : keep_discontinuous(tile, of, kept);
    return (phx_tile_observers){.place = kept, .count = n};
}
