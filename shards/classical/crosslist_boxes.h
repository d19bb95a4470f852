/*
 * Boxes of index = crosslist: the entities in the box of each observer. Written by the shard's owner in the index
 * phase.
 */
#ifndef PHX_SHARDS_CLASSICAL_CROSSLIST_BOXES_H
#define PHX_SHARDS_CLASSICAL_CROSSLIST_BOXES_H

#include "shards/classical/crosslist_state.h"

/* Notes a pass; without room for it, the notes so far are applied first. */
void phx_cross_note(phx_cross *own, uint32_t observer, uint32_t target);
/*
 * Applies all passes: a target inside the box is added, a target outside is removed. A box without memory for that is
 * filled anew.
 */
void phx_cross_flush(phx_cross *own);
/* Empties the observer's box, to be filled by phx_cross_fill(). */
void phx_cross_refresh(phx_cross *own, uint32_t observer);
/* Drops the box. */
void phx_cross_drop(phx_cross *own, uint32_t slot);
/* Notes a target that was just linked as a pass for all observers that may have it in the box. */
void phx_cross_announce(phx_cross *own, uint32_t target);
/* Removes targets that left or jumped from all boxes. */
void phx_cross_sweep(phx_cross *own);
/* Fills the emptied boxes. false = no memory: call again. */
bool phx_cross_fill(phx_cross *own);
/* Do the boxes of some observers, other ones each time, agree with brute force? */
bool phx_cross_boxes_valid(const phx_cross *own);

#endif
