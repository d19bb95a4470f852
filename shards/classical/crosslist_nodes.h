/*
 * The two sorted lists of index = crosslist. Written by the shard's owner in the index phase, walked by any worker
 * after it.
 */
#ifndef PHX_SHARDS_CLASSICAL_CROSSLIST_NODES_H
#define PHX_SHARDS_CLASSICAL_CROSSLIST_NODES_H

#include "shards/classical/crosslist_state.h"

/* Empties both lists; room for slots 0 and 1 is there. */
void phx_cross_clear(phx_cross *own);
/*
 * Writes the keys of a slot's nodes, of its centre or its bounds, from its body and radius; the nodes are in no list.
 */
void phx_cross_write_keys(phx_cross *own, uint32_t slot, bool bounds);
/* Inserts nodes into the lists, by the anchors: the centre, or low and high. */
void phx_cross_link(phx_cross *own, uint32_t slot, bool bounds);
void phx_cross_unlink(phx_cross *own, uint32_t slot, bool bounds);
/* Would the centre pass so many nodes that its move is a jump? */
bool phx_cross_jumps(const phx_cross *own, uint32_t slot, float x, float y);
/*
 * Slides all nodes of slots with PHX_CROSS_MOVES to the places of their boxes and bodies, and notes the nodes passed.
 */
void phx_cross_slide(phx_cross *own);
/* Sorts all slots that are in or pending anew; then all are in. false = no memory, nothing changed. */
bool phx_cross_sort(phx_cross *own);
/* Places the anchors at even distances. Only their places change. */
void phx_cross_place_anchors(phx_cross *own, int axis);
/* Ends the tick for the anchors: they are placed anew after much passing or walking since the last time. */
void phx_cross_apply(phx_cross *own);
/* The first node of an axis with at least this key; steps of the walk are added to *walked. */
uint32_t phx_cross_from(const phx_cross *own, int axis, uint32_t key, uint64_t *walked);
/* The axis with fewer nodes between the keys {low x, high x, low y, high y}, by the anchors. */
int phx_cross_narrow(const phx_cross *own, const uint32_t keys[4]);
bool phx_cross_lists_valid(const phx_cross *own);

#endif
