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

#include <pharos/types.h>

enum { PHX_FAR_LANES = 16 };

/*
 * Positions at the end of this tick and of the last one, and reaches as of a phx_far_change. Unused lanes have a reach
 * that no view is below.
 */
typedef struct phx_far_lanes {
    float x[PHX_FAR_LANES], y[PHX_FAR_LANES], z[PHX_FAR_LANES];
    float old_x[PHX_FAR_LANES], old_y[PHX_FAR_LANES], old_z[PHX_FAR_LANES];
    float reach[PHX_FAR_LANES], old_reach[PHX_FAR_LANES];
    uint32_t changed[PHX_FAR_LANES]; /* 0 or 1 */
} phx_far_lanes;

/* An observer: its places at the end of this tick and of the last one, view and margin. */
typedef struct phx_far_query {
    float x, y, z, old_x, old_y, old_z; /* old_x, old_y may be NaN: nothing is near them */
    float view, margin;
    ph_shape shape; /* a circle where heights decide nothing */
    float height;   /* of a cylinder */
} phx_far_query;

/* The difference of two places. */
typedef struct phx_far_offset {
    float x, y, z;
} phx_far_offset;

/* Is the difference within a distance, that is not below 0? By the rule of a shape. Not if x or y is NaN. */
static inline __attribute__((always_inline)) uint32_t phx_far_offset_within(phx_far_offset off, float distance,
                                                                            ph_shape shape, float height)
{
    if (shape == PH_SHAPE_SQUARE) return (uint32_t)(fabsf(off.x) <= distance) & (uint32_t)(fabsf(off.y) <= distance);
    float square = off.x * off.x + off.y * off.y;
    if (shape == PH_SHAPE_SPHERE) square = square + off.z * off.z;
    const uint32_t within = square <= distance * distance;
    return shape == PH_SHAPE_CYLINDER ? within & (uint32_t)(fabsf(off.z) <= height) : within;
}

/* The same by any distance: nothing is within one below 0, and an infinite one is of a target that all see. */
static inline bool phx_far_within(phx_far_offset off, float distance, ph_shape shape, float height)
{
    if (!(distance >= 0.0f)) return false;
    return phx_far_offset_within(off, distance, distance < INFINITY ? shape : PH_SHAPE_CIRCLE, height);
}

/* The lanes that may have an event: a bit each. They are seen from beyond the view, and came, went, or changed. */
static inline __attribute__((always_inline)) uint32_t phx_far_lanes_due(const phx_far_lanes *lanes,
                                                                        const phx_far_query *by, ph_shape shape)
{
    uint32_t due = 0;
    for (uint32_t i = 0; i < PHX_FAR_LANES; i++) {
        const phx_far_offset now = {lanes->x[i] - by->x, lanes->y[i] - by->y, lanes->z[i] - by->z};
        const phx_far_offset old = {lanes->old_x[i] - by->old_x, lanes->old_y[i] - by->old_y,
                                    lanes->old_z[i] - by->old_z};
        const float in = lanes->reach[i], keep = in + by->margin;
        const uint32_t comes = phx_far_offset_within(now, in, shape, by->height) &
                               (phx_far_offset_within(old, in, shape, by->height) ^ 1u);
        const uint32_t goes = phx_far_offset_within(old, keep, shape, by->height) &
                              (phx_far_offset_within(now, keep, shape, by->height) ^ 1u);
        const uint32_t counts = (uint32_t)(in > by->view) | (uint32_t)(lanes->old_reach[i] > by->view);
        due |= ((comes | goes | lanes->changed[i]) & counts) << i;
    }
    return due;
}

/* The same; a loop for each shape. */
static inline __attribute__((always_inline)) uint32_t phx_far_lanes_due_in(const phx_far_lanes *lanes,
                                                                           const phx_far_query *by)
{
    if (by->shape == PH_SHAPE_SQUARE) return phx_far_lanes_due(lanes, by, PH_SHAPE_SQUARE);
    if (by->shape == PH_SHAPE_SPHERE) return phx_far_lanes_due(lanes, by, PH_SHAPE_SPHERE);
    if (by->shape == PH_SHAPE_CYLINDER) return phx_far_lanes_due(lanes, by, PH_SHAPE_CYLINDER);
    return phx_far_lanes_due(lanes, by, PH_SHAPE_CIRCLE);
}

/* The kernel of a set; see phx_kernels.find_far. */
static inline __attribute__((always_inline)) uint32_t phx_far_find(const phx_far_lanes *lanes, uint32_t count,
                                                                   const phx_far_query *by, uint32_t *which)
{
    const phx_far_query at = *by; /* stores below may alias it */
    uint32_t n = 0;
    for (uint32_t first = 0; first < count; first += PHX_FAR_LANES, lanes++) {
        uint32_t due = phx_far_lanes_due_in(lanes, &at);
        for (; due != 0; due &= due - 1) which[n++] = first + (uint32_t)__builtin_ctz(due);
    }
    return n;
}

#endif
