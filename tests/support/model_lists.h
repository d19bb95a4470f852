/*
 * A toy world of interest lists for the tests of batches and net differences: targets
 * that die and come anew, observers that see a random part of them, are ready or not,
 * leave and enter again. It makes a tick's changes as the engine does, and a client plays
 * batches back, checking every record against the earlier ones. Plain sets and loops, no
 * code of the library. One thread each.
 */
#ifndef SUPPORT_TOY_LISTS_H
#define SUPPORT_TOY_LISTS_H

#include "world/batch/batch.h"

enum { TOY_KINDS = 5 };

typedef struct toy_world {
    uint32_t observers;
    uint32_t targets;
    uint64_t random;
    uint32_t incarnations; /* numbers given out */
    uint32_t *alive;       /* per target: its incarnation; 0 = not in the world */
    uint32_t *now;         /* per observer and target: the incarnation in the list; 0 = none */
    uint32_t *before;      /* the same at the end of the tick before */
    bool *ready;
    bool *owes_fresh;     /* its next change has to say FRESH */
    bool *discarded;      /* in this tick: left the world, or is not ready */
    uint32_t events_made; /* of this tick */
} toy_world;

void toy_world_create(toy_world *world, uint32_t observers, uint32_t targets, uint64_t seed);
void toy_world_destroy(toy_world *world);
/* One tick; `churn` of 1000 entries of the lists change on average, so do the rarer things in proportion. */
void toy_world_step(toy_world *world, uint32_t churn);
uint64_t toy_observer_id(uint32_t observer);
/* The tick's changes: how many, and into a batch with room for them. */
void toy_world_changes(const toy_world *world, uint32_t *changes, uint32_t *targets);
void toy_world_fill(toy_world *world, phx_batch *batch);

typedef struct toy_client {
    uint32_t observers;
    uint32_t targets;
    uint32_t *list; /* as told */
    uint64_t *seen; /* per observer: the last tick of the last batch with a change of it */
    uint64_t tick;  /* covered so far */
    uint64_t enters, leaves, batches;
} toy_client;

void toy_client_create(toy_client *client, const toy_world *world);
void toy_client_destroy(toy_client *client);
/*
 * Plays one batch. NULL, or its fault: ticks out of order, an observer twice, a change of
 * nothing, order, kinds, user data, a leave of a target that is not in the list, an enter of
 * one that is, leave and enter of one incarnation.
 */
const char *toy_client_play(toy_client *client, const ph_batch *batch);
/* NULL when the client's lists are the world's, else the difference. */
const char *toy_client_compare(const toy_client *client, const toy_world *world);

#endif
