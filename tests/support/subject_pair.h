/*
 * Two worlds as one subject of the run harness. Each entity is simulated in one of them, and is a remote one in the
 * other; both get every command. Between ticks entities go from one to the other in capsules, at random, and families
 * that a tick's commands join go to one world before. So the two together tell the same as one world would: the model
 * does not know of them.
 */
#ifndef SUPPORT_SUBJECT_PAIR_H
#define SUPPORT_SUBJECT_PAIR_H

#include "support/script.h"
#include "support/subject.h"

/* How the next pair of worlds does it. */
typedef struct pair_options {
    uint64_t seed;
    const script
        *played; /* where a command attaches, none of its tick is an apply, or makes an entity leave or remote */
    uint32_t shards[2][2]; /* of each world */
    uint32_t often;        /* of so many entities one moves in a tick, about */
} pair_options;

/* Sums over all pairs since the last call. */
typedef struct pair_counts {
    uint64_t moved, families; /* capsules; ones with children */
    uint64_t gathered;        /* ... that went as they are to be attached in the other world */
    uint64_t left;            /* entities that leave in the tick in which they go there */
    uint64_t bytes;
} pair_counts;

const subject_type *subject_pair(const pair_options *options);
pair_counts pair_counts_take(void);

#endif
