/*
 * Marks in a tile's cells: which have something dirty or discontinuous in sight. In the interest phase, by the worker
 * whose tile it is.
 */
#ifndef PHX_SHARDS_INTEREST_TILE_MARKS_H
#define PHX_SHARDS_INTEREST_TILE_MARKS_H

#include "shards/interest/tile.h"

/*
 * Finds the marks of all cells that have own observers. Where most move, and nothing odd is in sight of these, the tile
 * is not odd from then on.
 */
void phx_tile_mark(phx_tile *tile);

#endif
