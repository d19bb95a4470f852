/*
 * Places of events: the order of a change's targets by depth of attachment, kind and id, before they are written as
 * events. Called by event_naming.c, from the end of the interest phase to the tick's end, any worker.
 */
#ifndef PHX_SHARDS_INTEREST_EVENT_PLACES_H
#define PHX_SHARDS_INTEREST_EVENT_PLACES_H

#include "shards/interest/event_writer.h"

/* Finds the places of all targets that wait; their changes are in no order. */
void phx_event_places_find(phx_event_writer *writer);

/* The depth that decides the place of a target that leaves or enters. */
uint32_t phx_event_depth(phx_event_writer *writer, uint32_t slot, bool leaves);

/*
 * Of the leaves or the enters of an ordered change, which begin at a place: finds the first place of each depth. A
 * target's place is the next one of its depth.
 */
void phx_event_places_begin(phx_event_writer *writer, const uint32_t *slots, uint32_t count, bool leaves,
                            uint32_t first, uint32_t at[PH_ATTACH_DEPTH_MAX + 1]);

#endif
