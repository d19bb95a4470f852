/*
 * The contract of a transport and of a control store as a test: run over the ones within a process and
 * over real servers. Each check prints its failure (support/check.h).
 */
#ifndef CLUSTER_CONFORM_H
#define CLUSTER_CONFORM_H

#include <pharos/cluster.h>

/* Time goes on a little, so that what is on its way comes. */
typedef void (*conform_step)(void *user);

/* Two members that hear each other without faults. */
void conform_transport(phc_transport *a, phc_transport *b, conform_step step, void *user);

/* An answer, copied. */
typedef struct conform_answer {
    bool came;
    phc_outcome outcome;
    uint64_t revision, lease, lease_ms;
    uint32_t count;
    phc_entry last; /* entry; its value is not there any more */
    char key[PHC_KEY_MAX + 1];
    uint64_t value; /* its first bytes, little-endian */
} conform_answer;

/* The answer with that tag; the test ends if there is none in time. */
conform_answer conform_await(phc_store *store, uint64_t tag, conform_step step, void *user);

/* Two members of one store without faults. */
void conform_store(phc_store *a, phc_store *b, conform_step step, void *user);
/* `rounds` times both write under one revision: one wins, and the value is the number of wins. */
void conform_race(phc_store *a, phc_store *b, uint32_t rounds, conform_step step, void *user);
/* Keys of a lease end with it, and not before. */
void conform_lease(phc_store *a, phc_store *b, conform_step step, void *user);
/* A lease whose end is asked for, with other requests before it, ends though `a` is closed at once. */
void conform_close(phc_store *a, phc_store *b, conform_step step, void *user);

#endif
