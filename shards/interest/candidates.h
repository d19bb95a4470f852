/*
 * Candidates of an evaluation: the targets that the rule of each pair lets in, before the cap. Most come from the scan
 * and are decided by vectors: position by the scan, attributes by the rank table. The others are decided one by one:
 * targets of relations, listed targets in the margin, far and global targets. Interest phase, by the worker of the
 * observer.
 */
#ifndef PHX_SHARDS_INTEREST_CANDIDATES_H
#define PHX_SHARDS_INTEREST_CANDIDATES_H

#include "shards/interest/evaluation.h"

/* Room for so many candidates. false = no memory. */
bool phx_candidates_room(phx_scratch *scratch, size_t count, bool keyed);

/* Marks the old list. No other mark is of the observer. */
void phx_candidates_mark_old(phx_evaluation *at);

/*
 * Finds the candidates, from a scan within at->radius; a second call for an observer begins anew. false = no memory.
 */
bool phx_candidates_find(phx_evaluation *at);

#endif
