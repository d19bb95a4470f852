/*
 * Targets of higher ranks than the one that a cap cut are listed while in view: the events of such a target are at the
 * border of the view, or of the target's reach.
 *
 * Interest phase, by the worker of the observer. Called by delta_cut.c.
 */
#ifndef PHX_SHARDS_INTEREST_CUT_RANKS_H
#define PHX_SHARDS_INTEREST_CUT_RANKS_H

#include "shards/interest/cut_undecided.h"

/* Finds the events of higher ranks. false: the shape is another one. */
bool phx_cut_find_higher(phx_cut_list *at);

#endif
