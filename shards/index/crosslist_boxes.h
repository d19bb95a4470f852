/*
 * Boxes of index = crosslist: which entities stand in the box of each observer. Written by the shard's owner in the
 * index phase.
 */
#ifndef PHX_SHARDS_INDEX_CROSSLIST_BOXES_H
#define PHX_SHARDS_INDEX_CROSSLIST_BOXES_H

#include "shards/index/crosslist_state.h"

/* Notes a pass; when there is no room, what was noted is settled first. */
void phx_cross_note(phx_cross *own, uint32_t observer, uint32_t target);
/* Settles all passes: who is in the box comes in, who is not goes. Whose box finds no memory is afresh. */
void phx_cross_flush(phx_cross *own);
/* The observer's box is empty and to be filled by phx_cross_fill(). */
void phx_cross_refresh(phx_cross *own, uint32_t observer);
/* The box is no more. */
void phx_cross_forget(phx_cross *own, uint32_t slot);
/* Notes a target, just linked, as a pass for all who may have it in the box. */
void phx_cross_announce(phx_cross *own, uint32_t target);
/* Takes those that are gone out of all boxes. */
void phx_cross_sweep(phx_cross *own);
/* Fills the boxes that are to be. false = no memory: call again. */
bool phx_cross_fill(phx_cross *own);
/* Are the boxes of some observers, others every time, what comparing everybody says? */
bool phx_cross_boxes_valid(const phx_cross *own);

#endif
