/*
 * Dirty marks: an entity that changed in this tick marks itself, its old tower and its new tower. Later phases evaluate
 * only observers near marks. Called by the shard's owner in the ingest, exchange and index phases.
 */
#ifndef PHX_SHARDS_STATE_DIRTY_MARKS_H
#define PHX_SHARDS_STATE_DIRTY_MARKS_H

#include "shards/state/shard.h"

/* Marks a tower, if it has a block. */
static inline void phx_shard_mark_tower(phx_shard *shard, uint32_t instance, uint16_t tx, uint16_t ty)
{
    if (phx_shard_ninegrid(shard)) phx_ninegrid_mark_dirty(&shard->ninegrid, instance, tx, ty, shard->tick);
    else if (phx_shard_rows(shard)) phx_grid_mark_dirty(&shard->grid, instance, tx, ty, shard->tick, false);
}

/* Marks an entity as changed in this tick, and the tower where it stood at the last tick's end. */
void phx_shard_mark_dirty(phx_shard *shard, phx_body *body);

/* The same for a change that is a discontinuity. */
void phx_shard_mark_discontinuous(phx_shard *shard, phx_body *body);

/*
 * The same for an own entity that is the same target as before, but may have another list than positions tell: as an
 * observer it has other attributes, or targets wait for it. It is evaluated, or, if targets are held, done by
 * interest/delta_held.h; for all others it walked, at most.
 */
void phx_shard_mark_renewed(phx_shard *shard, phx_body *body);

/* A far target came, left, jumped or changed. */
void phx_shard_mark_far_stale(phx_shard *shard);

/*
 * Marks a move to (x, y): discontinuous if it is a jump, seen from the last tick's end, or if the row does not have the
 * position of that time.
 */
void phx_shard_mark_step(phx_shard *shard, phx_body *body, float x, float y);

/* Writes a position and its tower; and the row's position, if the row stays in place. */
void phx_shard_place(phx_shard *shard, phx_body *body, float x, float y, float z);

#endif
