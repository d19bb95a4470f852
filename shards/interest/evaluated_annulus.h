/*
 * The annulus (state/annulus.h) of an observer that is evaluated: the targets of its new list that the rule would not
 * admit if they were not listed. Interest phase, by the worker of the observer.
 */
#ifndef PHX_SHARDS_INTEREST_EVALUATED_ANNULUS_H
#define PHX_SHARDS_INTEREST_EVALUATED_ANNULUS_H

#include "shards/interest/evaluation.h"

/* Finds it, if the new list is derived, into scratch->annulus; *count entries. false = no memory. */
bool phx_evaluated_annulus_find(const phx_evaluation *at, bool derived, uint32_t *count);

/* Writes it. change: of the observer, or NULL if it fits in place. */
void phx_evaluated_annulus_write(const phx_evaluation *at, phx_change *change, uint32_t count);

#endif
