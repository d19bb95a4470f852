/*
 * Targets of the relations of an observer with a list that a cap cut, in a tick in which one of them may come or go
 * otherwise than by a step of an unrelated target: it has a pair or a reveal, relations changed, or attributes of
 * targets did. The rule decides about each, also about the target of a relation that ended in this tick. The list tells
 * whether it is in it.
 *
 * Interest phase, by the worker of the observer. Called by delta_cut.c.
 */
#ifndef PHX_SHARDS_INTEREST_CUT_RELATED_H
#define PHX_SHARDS_INTEREST_CUT_RELATED_H

#include "shards/interest/cut_undecided.h"

/*
 * Adds these targets to the undecided, with their keys, and the events that are certain. Once the keys of all others
 * are known, of which none is a target of a relation.
 */
void phx_cut_add_related(phx_cut_list *at);

#endif
