/*
 * Discontinuous targets of an observer with a list that a cap cut: they came, left, jumped or have other attributes.
 * The list tells whether such a target is in it, as old and new positions do not. What it is now follows from the
 * target itself: it leaves, it is listed as one of a higher rank, or it is one more undecided target.
 *
 * Interest phase, by the worker of the observer. Called by delta_cut.c.
 */
#ifndef PHX_SHARDS_INTEREST_CUT_DISCONTINUOUS_H
#define PHX_SHARDS_INTEREST_CUT_DISCONTINUOUS_H

#include "shards/interest/cut_undecided.h"

/* Are so few near that a look at each of them costs less than an evaluation? */
bool phx_cut_discontinuous_few(const phx_tile *tile);

/*
 * Adds the discontinuous targets of the tile to the undecided, and the events that are certain. Once the undecided are
 * sifted. false: a view from beyond, or between shards a relation, decides about one of them.
 */
bool phx_cut_add_discontinuous(phx_cut_list *at);

#endif
