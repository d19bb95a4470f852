/*
 * Marks of a tile's cells: which cells have a dirty tower or a discontinuous entity in view. In the interest phase, by
 * the worker of the tile.
 */
#ifndef PHX_SHARDS_INTEREST_TILE_MARKS_H
#define PHX_SHARDS_INTEREST_TILE_MARKS_H

#include "shards/interest/tile.h"

/*
 * Finds the marks of all cells with own observers. In a dense tick, tile->discontinuous is cleared if no discontinuous
 * entity is in view of them.
 */
void phx_tile_mark(phx_tile *tile);

#endif
