/*
 * Walkers of the tests that compare several nodes with one world: places of a square, goals, and steps to them, and the
 * trail of all of them in the last ticks, with their owners. The random numbers are the caller's.
 */
#ifndef CLUSTER_WALKS_H
#define CLUSTER_WALKS_H

#include <stdbool.h>
#include <stdint.h>

static const float WALKS_SIZE = 800, WALKS_SPEED = 5; /* the square's side, and the longest step of a tick */

typedef struct spot {
    float x, y;
} spot;

float spot_distance(spot a, spot b);
/* Anywhere in a square of that side, which begins at 0. */
spot spot_random(uint64_t *rng, float side);
/* A step of WALKS_SPEED to the goal; where it is that near, another goal in the square, and no step. */
spot spot_step(uint64_t *rng, spot now, spot *goal, float side);
/* The region of a place: as many columns as rows. */
uint32_t spot_region(spot at, float side, uint32_t columns);

/* Anywhere in the square. */
spot walks_spot(uint64_t *rng);

/* A walker's next goal: half of them go to and fro around the middle, where regions of several nodes meet. */
spot walks_goal(uint64_t *rng, uint64_t id);

/* The walker's place a tick later; *goal changes once it is reached. */
spot walks_step(uint64_t *rng, uint64_t id, spot now, spot *goal);

/* ---- trails ---- */

enum { TRAIL_TICKS = 64, TRAIL_IDS = 161 };

/* Where each walker was in the last ticks, by id, and which node had it. */
typedef struct walker_trail {
    uint64_t tick; /* now; from TRAIL_TICKS on, so that each tick has ones before it */
    spot at[TRAIL_TICKS][TRAIL_IDS];
    uint32_t owner[TRAIL_TICKS][TRAIL_IDS]; /* 0: none, it is on its way */
    uint64_t kept_since[TRAIL_IDS];         /* the tick since which its owner is the same one */
} walker_trail;

/* It stands there, and has stood there all the time. */
void trail_begin(walker_trail *trail, uint64_t id, spot at);
/* In one of the last TRAIL_TICKS ticks. */
spot *trail_spot(walker_trail *trail, uint64_t tick, uint64_t id);
/* The node that has it at the end of this tick. */
void trail_note_owner(walker_trail *trail, uint64_t id, uint32_t owner);
/* Did the same node have it for more than so many ticks? */
bool trail_is_kept(const walker_trail *trail, uint64_t id, uint64_t ticks);
/* The least and the largest distance of a place to a walker, now and in the ticks before. */
void trail_distances(walker_trail *trail, spot from, uint64_t id, uint64_t ticks, float *least, float *most);
/* The next tick: all stand where they were. */
void trail_step(walker_trail *trail);

#endif
