/*
 * Walkers of the tests that compare several nodes with one world: places of a square, goals, and steps to them. Used by
 * federation, cluster_hosts and cluster_says; the random numbers are the caller's.
 */
#ifndef CLUSTER_WALKS_H
#define CLUSTER_WALKS_H

#include <stdint.h>

static const float WALKS_SIZE = 800, WALKS_SPEED = 5; /* the square's side, and the longest step of a tick */

typedef struct spot {
    float x, y;
} spot;

float spot_distance(spot a, spot b);

/* Anywhere in the square. */
spot walks_spot(uint64_t *rng);

/* A walker's next goal: half of them go to and fro around the middle, where regions of several nodes meet. */
spot walks_goal(uint64_t *rng, uint64_t id);

/* The walker's place a tick later; *goal changes once it is reached. */
spot walks_step(uint64_t *rng, uint64_t id, spot now, spot *goal);

#endif
