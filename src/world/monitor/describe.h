/*
 * The points that a worker has at hand, on its stack: it finds some slots' places, describes them, and hands them over
 * when there are enough. Called by points.c, at the end of a tick.
 */
#ifndef PHX_WORLD_MONITOR_DESCRIBE_H
#define PHX_WORLD_MONITOR_DESCRIBE_H

#include "base/simd.h"
#include "world/state/world.h"

enum {
    PHX_STAGE_POINTS = 1024, /* on a worker's stack: 12 KiB, as threads of the host may have a small one */
    PHX_STAGE_SETS = 64      /* a world has few attribute sets; a power of two */
};

/* The look of the points with an attribute set: the same for all of them. */
typedef struct phx_set_point {
    uint32_t set; /* UINT32_MAX: none yet */
    uint32_t look;
} phx_set_point;

typedef struct phx_staged_points {
    uint32_t slots[PHX_STAGE_POINTS + PHX_KERNEL_PAD], places[PHX_STAGE_POINTS + PHX_KERNEL_PAD];
    uint32_t looks[PHX_STAGE_POINTS];
    uint32_t count;
    uint8_t detect;                     /* of the focus */
    phx_set_point sets[PHX_STAGE_SETS]; /* by the lower bits of the set's number, of one shard */
} phx_staged_points;

/* Begins with the points of a shard, as a focus with this detect has them. */
void phx_describe_begin(phx_staged_points *staged, uint8_t detect);

/* Sets the looks of the points from this one on; their slots become numbers of the frame. */
void phx_describe_points(const phx_world *world, const phx_shard *shard, uint32_t slot_first, uint32_t first,
                         phx_staged_points *staged);

#endif
