/*
 * An observer with held targets while its delta is found (delta_held.h), and its pairs: the targets that came into
 * view, or left it, or the border that lies before or beyond it: a bound, or a reach.
 *
 * Interest phase, by the worker of the observer. Called by delta_held.c.
 */
#ifndef PHX_SHARDS_INTEREST_HELD_PAIRS_H
#define PHX_SHARDS_INTEREST_HELD_PAIRS_H

#include "shards/interest/cut_undecided.h"

/* An observer with held targets. */
typedef struct phx_held_list {
    phx_cut_list at;  /* cut.kept: so many were held */
    uint32_t adds;    /* so many may join */
    uint32_t came;    /* targets that came into view */
    uint32_t bounded; /* of these, bounded ones of the noted rank, which may be nearer than its limit: scratch->enter */
    uint32_t left;    /* targets that left the view: scratch->leave */
    uint32_t held;    /* now */
    double limit;     /* the key of the last one that joins; or beyond it, with no other one up to there */
} phx_held_list;

/* Counts the targets of words that came, and collects the ones that left, which the observer sees by attributes. */
void phx_held_pairs_count(phx_held_list *of, phx_span words);

/*
 * The same of targets that are seen from beyond the view, at the border of their reach. In a sparse plan no such target
 * concerns the block. false: one of them changed, and was or is near.
 */
bool phx_held_pairs_count_far(phx_held_list *of);

/* Adds the bounded targets that came up to a squared distance to the hits, if they are no hits yet. */
void phx_held_pairs_add_bounded(phx_held_list *of, float within);

#endif
