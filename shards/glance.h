/*
 * A glance at one observer: what entered and left its view, from the old and the new
 * positions of the rows around it, without a list of what it sees now.
 *
 * It is enough while nothing odd (PHX_SLOT_ODD) has happened in the towers around: then
 * every target there was there at the last tick's end with the same attributes, not more
 * than shard->step_max away along each axis, and the list holds exactly what the rule
 * said of the old positions. With r the view and R = view + margin, new positions decide
 *   in range r: in;  beyond R: out;  between: as it was;
 * so only a row that changed between "in r" and "not in r", or between "in R" and "beyond
 * R", can be an event; where the old position was between the two, the list itself tells.
 * (No margin: R is r, nothing is between.)
 *
 * Circles and squares; caps, relations and the nine-grid take the long way.
 */
#ifndef PHX_SHARDS_GLANCE_H
#define PHX_SHARDS_GLANCE_H

#include "shards/interest.h"

typedef enum phx_glance_result {
    PHX_GLANCE_DONE = 0,  /* the observer is through */
    PHX_GLANCE_LOOK,      /* the whole list has to be found */
    PHX_GLANCE_NO_MEMORY  /* nothing was changed */
} phx_glance_result;

phx_glance_result phx_glance(phx_scratch *scratch, phx_shard *shard, uint32_t row);

#endif
