/*
 * The targets of a list at a cap (ph_class.cap): the best ones of the candidates, by rank and distance, and at most
 * adds_max new ones. An observer with no rule but its cap scans a part of its view first, as far as the last such
 * observer had to. Interest phase, by the worker of the observer.
 */
#ifndef PHX_SHARDS_INTEREST_CAP_SELECT_H
#define PHX_SHARDS_INTEREST_CAP_SELECT_H

#include "shards/interest/evaluation.h"

/* Room to rank so many candidates. false = no memory. */
bool phx_scratch_ranks(phx_scratch *scratch, uint32_t count);

/* Has the observer no rule but its cap, so that distance alone ranks plain targets? */
bool phx_cap_cuts_plainly(const phx_evaluation *at);
/*
 * The radius of the first scan for an observer with a plain cap: the radius that the last such observer needed, with
 * slack. Whether it is enough is known after the ranking.
 */
float phx_cap_likely_radius(const phx_evaluation *at);
/* The next radius after so many failed scans: all failed scans together add less than half to the work. */
float phx_cap_wider_radius(const phx_evaluation *at, uint32_t before);
/* Finds the list and the events of an observer with a plain cap, if no hit of a scan needs a check of its own. */
phx_scan_result phx_cap_select(phx_evaluation *at, uint32_t found, phx_cap_split *events);

/* Cuts the new list at the cap. false = no memory. */
bool phx_cap_cut(phx_evaluation *at);
/* Cuts the new targets to adds_max: the others are held. false = no memory. */
bool phx_cap_cut_adds(phx_evaluation *at);

#endif
