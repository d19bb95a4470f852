/*
 * Observers of a tile that may have events without a pair: one that is discontinuous leaves all that it saw, and an
 * annulus is left without a pair of two rows. Interest phase, by the worker of the tile. Called by delta_tile.c.
 */
#ifndef PHX_SHARDS_INTEREST_LONE_OBSERVERS_H
#define PHX_SHARDS_INTEREST_LONE_OBSERVERS_H

#include "shards/interest/scratch.h"

/* Is one of these observers discontinuous, or one between them, as where only some of a tile's are run? */
static inline bool phx_lone_any_discontinuous(const phx_tile *tile, phx_tile_observers of)
{
    if (PHX_LIKELY(tile->discontinuous_own_count == 0) || of.count == 0) return false;
    return phx_tile_next_discontinuous(tile, of.place[0]) <= of.place[of.count - 1];
}

/*
 * Of these observers, the ones that are discontinuous or have an annulus that is not empty: no other has an event
 * without a pair, unless a far target, a relation or a held target is due. They stand in scratch->lone.
 */
phx_tile_observers phx_lone_keep(const phx_scratch *scratch, const phx_shard *shard, phx_tile_observers of);

#endif
