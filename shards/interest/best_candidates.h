/*
 * The best of an observer's candidates, where not all may be in its list: by rank, then by key, then by id. Interest
 * phase, by the worker of the observer. Called at a cap and at adds_max (cap_select.c), and where changes are cut down
 * (spread_change.c).
 */
#ifndef PHX_SHARDS_INTEREST_BEST_CANDIDATES_H
#define PHX_SHARDS_INTEREST_BEST_CANDIDATES_H

#include "shards/interest/evaluation.h"

/* Room to rank so many targets one by one. false = no memory. */
bool phx_scratch_ranks(phx_scratch *scratch, uint32_t count);

/*
 * An upper bound of squared distances of a scan if the view has no end, except for entities outside the world. Guesses
 * begin here.
 */
double phx_farthest_square(const phx_evaluation *at);

/* The best candidates, of more. */
typedef struct phx_choice {
    uint32_t keep;   /* so many */
    uint32_t sure;   /* of them: listed ones that stay, and those of better ranks */
    uint32_t rank;   /* the last rank that is kept */
    phx_split split; /* of that rank; if it is not found, some are equally far off; limit INFINITY: all are kept */
} phx_choice;

/*
 * Chooses by rank and key, as far as they tell: drops candidates of lower ranks; candidates of better ranks are sure to
 * stay. seated: so many are listed and have the key PHX_KEY_SURE, whatever their rank; 0 = listed candidates are like
 * the others. guess: a limit that is tried first; 0 = none.
 */
phx_choice phx_choose_best(phx_evaluation *at, uint32_t keep, uint32_t seated, double guess);

/*
 * Where no limit splits the candidates ids decide; afterwards one does. false = no memory.
 */
bool phx_choose_by_id(phx_evaluation *at, phx_choice *best);

#endif
