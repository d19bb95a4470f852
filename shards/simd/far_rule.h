/*
 * Targets with a reach side by side, and the rule of which of them may have an event with one observer
 * (interest/far_items.h). Each set of kernels compiles the rule for its instructions; the compiler makes vectors of its
 * loop. Pure; by any worker, in the interest phase.
 */
#ifndef PHX_SHARDS_SIMD_FAR_RULE_H
#define PHX_SHARDS_SIMD_FAR_RULE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { PHX_FAR_LANES = 16 };

/*
 * Positions at the end of this tick and of the last one, and reaches as of a phx_far_change. Unused lanes have a reach
 * that no view is below.
 */
typedef struct phx_far_lanes {
    float x[PHX_FAR_LANES], y[PHX_FAR_LANES], old_x[PHX_FAR_LANES], old_y[PHX_FAR_LANES];
    float reach[PHX_FAR_LANES], old_reach[PHX_FAR_LANES];
    uint32_t changed[PHX_FAR_LANES]; /* 0 or 1 */
} phx_far_lanes;

/* An observer: its places at the end of this tick and of the last one, view and margin. */
typedef struct phx_far_query {
    float x, y, old_x, old_y; /* the old ones may be NaN: nothing is near them */
    float view, margin;
    bool square;
} phx_far_query;

/* Is the difference within a distance, that is not below 0? Not if a part of it is NaN. */
static inline __attribute__((always_inline)) uint32_t phx_far_lane_within(float dx, float dy, float distance,
                                                                          bool square)
{
    return square ? (uint32_t)(fabsf(dx) <= distance) & (uint32_t)(fabsf(dy) <= distance)
                  : (uint32_t)(dx * dx + dy * dy <= distance * distance);
}

/* The lanes that may have an event: a bit each. They are seen from beyond the view, and came, went, or changed. */
static inline __attribute__((always_inline)) uint32_t phx_far_lanes_due(const phx_far_lanes *lanes,
                                                                        const phx_far_query *by, bool square)
{
    uint32_t due = 0;
    for (uint32_t i = 0; i < PHX_FAR_LANES; i++) {
        const float dx = lanes->x[i] - by->x, dy = lanes->y[i] - by->y;
        const float old_dx = lanes->old_x[i] - by->old_x, old_dy = lanes->old_y[i] - by->old_y;
        const float in = lanes->reach[i], keep = in + by->margin;
        const uint32_t comes =
            phx_far_lane_within(dx, dy, in, square) & (phx_far_lane_within(old_dx, old_dy, in, square) ^ 1u);
        const uint32_t goes =
            phx_far_lane_within(old_dx, old_dy, keep, square) & (phx_far_lane_within(dx, dy, keep, square) ^ 1u);
        const uint32_t counts = (uint32_t)(in > by->view) | (uint32_t)(lanes->old_reach[i] > by->view);
        due |= ((comes | goes | lanes->changed[i]) & counts) << i;
    }
    return due;
}

/* The kernel of a set; see phx_kernels.find_far. */
static inline __attribute__((always_inline)) uint32_t phx_far_find(const phx_far_lanes *lanes, uint32_t count,
                                                                   const phx_far_query *by, uint32_t *which)
{
    const phx_far_query at = *by; /* stores below may alias it */
    uint32_t n = 0;
    for (uint32_t first = 0; first < count; first += PHX_FAR_LANES, lanes++) {
        uint32_t due = at.square ? phx_far_lanes_due(lanes, &at, true) : phx_far_lanes_due(lanes, &at, false);
        for (; due != 0; due &= due - 1) which[n++] = first + (uint32_t)__builtin_ctz(due);
    }
    return n;
}

#endif
