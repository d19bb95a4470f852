/*
 * Own rows of a tile put in groups by their views, where these are mixed: observers with equal views side by side, as
 * mixed ones would leave one or two observers to a company (run_rows.c). Then mere targets. Of other observers only
 * attributes are read, which no worker writes, so the order is the same for all workers of the block. In the interest
 * phase, by the worker of the tile.
 */
#ifndef PHX_SHARDS_INTEREST_VIEW_GROUPS_H
#define PHX_SHARDS_INTEREST_VIEW_GROUPS_H

#include "shards/state/shard.h"

/* Places in a tile that are put in groups. */
typedef struct phx_grouped_places {
    const uint32_t *row; /* by place: its row in the grid */
    uint32_t *own;       /* the places, in order */
    uint32_t *spare[2];  /* room for as many */
    uint32_t count;
} phx_grouped_places;

/*
 * Puts own places in groups: of the first few views, then other observers and renewed ones, then mere targets; each in
 * order. mixed: there may be mere targets; renewed: there may be renewed observers. *grouped_end: where observers of
 * the few views end; *watching_end: where all observers do.
 */
void phx_view_groups_make(const phx_shard *shard, const phx_grouped_places *of, bool mixed, bool renewed,
                          uint32_t *grouped_end, uint32_t *watching_end);

#endif
