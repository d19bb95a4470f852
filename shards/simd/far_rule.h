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
#include <string.h>

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

/* Some observers side by side, with places as of a query, but none is NaN. Of one with a margin the answer is void. */
typedef struct phx_far_observers {
    float x[PHX_FAR_LANES], y[PHX_FAR_LANES], z[PHX_FAR_LANES];
    float old_x[PHX_FAR_LANES], old_y[PHX_FAR_LANES], old_z[PHX_FAR_LANES];
    float view[PHX_FAR_LANES];
} phx_far_observers;

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

/* The observers that may have an event with one target: a bit each. Without a margin a border is one. */
static inline __attribute__((always_inline)) uint32_t phx_far_observers_of(const phx_far_lanes *lanes, uint32_t lane,
                                                                           const phx_far_observers *of, ph_shape shape,
                                                                           float height)
{
    const float x = lanes->x[lane], y = lanes->y[lane], z = lanes->z[lane];
    const float old_x = lanes->old_x[lane], old_y = lanes->old_y[lane], old_z = lanes->old_z[lane];
    const float in = lanes->reach[lane], old_in = lanes->old_reach[lane];
    const uint32_t changed = lanes->changed[lane];
    uint32_t due = 0;
    for (uint32_t o = 0; o < PHX_FAR_LANES; o++) {
        const phx_far_offset now = {x - of->x[o], y - of->y[o], z - of->z[o]};
        const phx_far_offset old = {old_x - of->old_x[o], old_y - of->old_y[o], old_z - of->old_z[o]};
        const uint32_t crosses =
            phx_far_offset_within(now, in, shape, height) ^ phx_far_offset_within(old, in, shape, height);
        due |= ((crosses | changed) & ((uint32_t)(in > of->view[o]) | (uint32_t)(old_in > of->view[o]))) << o;
    }
    return due;
}

/* The least and the largest of some numbers. */
static inline __attribute__((always_inline)) void phx_far_limits(const float at[PHX_FAR_LANES], float *low, float *high)
{
    float least[PHX_FAR_LANES / 2], most[PHX_FAR_LANES / 2];
    for (uint32_t i = 0; i < PHX_FAR_LANES / 2; i++) {
        const float a = at[i], b = at[i + PHX_FAR_LANES / 2];
        least[i] = a < b ? a : b, most[i] = a > b ? a : b;
    }
    *low = least[0], *high = most[0];
    for (uint32_t i = 1; i < PHX_FAR_LANES / 2; i++) {
        *low = least[i] < *low ? least[i] : *low;
        *high = most[i] > *high ? most[i] : *high;
    }
}

/* Some observers stand, or stood, in it. */
typedef struct phx_far_square {
    float x0, y0, x1, y1;
} phx_far_square;

/* The larger one, in bits: the compiler makes no branch of it. */
static inline __attribute__((always_inline)) float phx_far_larger(float a, float b)
{
    uint32_t of_a, of_b;
    memcpy(&of_a, &a, sizeof of_a);
    memcpy(&of_b, &b, sizeof of_b);
    const uint32_t first = 0u - (uint32_t)(a > b);
    of_a = (of_a & first) | (of_b & ~first);
    memcpy(&a, &of_a, sizeof a);
    return a;
}

/*
 * Squares of the least and the largest distance from a place, as the rule rounds them: differences, squares and sums
 * rise with their terms, and so does what they are rounded to. So a comparison with them holds for all of the
 * observers.
 */
static inline __attribute__((always_inline)) void phx_far_distances(float x, float y, const phx_far_square *box,
                                                                    ph_shape shape, float *least, float *most)
{
    const float left = box->x0 - x, right = x - box->x1, below = box->y0 - y, above = y - box->y1;
    const float dx = phx_far_larger(phx_far_larger(left, right), 0.0f);
    const float dy = phx_far_larger(phx_far_larger(below, above), 0.0f);
    const float far_x = phx_far_larger(-left, -right), far_y = phx_far_larger(-below, -above);
    if (shape == PH_SHAPE_SQUARE) {
        *least = phx_far_larger(dx, dy);
        *most = phx_far_larger(far_x, far_y);
    } else {
        *least = dx * dx + dy * dy;
        *most = far_x * far_x + far_y * far_y;
    }
}

/*
 * The lanes whose border may lie between two of the places: a bit each. Heights only make distances longer, so they
 * decide nothing about a target that is too far off.
 */
static inline __attribute__((always_inline)) uint32_t
phx_far_lanes_between(const phx_far_lanes *lanes, const phx_far_square *now, const phx_far_square *old, ph_shape shape)
{
    const bool level = shape == PH_SHAPE_CIRCLE || shape == PH_SHAPE_SQUARE;
    uint32_t between = 0;
    for (uint32_t i = 0; i < PHX_FAR_LANES; i++) {
        const float in = lanes->reach[i], limit = shape == PH_SHAPE_SQUARE ? in : in * in;
        float least, most, old_least, old_most;
        phx_far_distances(lanes->x[i], lanes->y[i], now, shape, &least, &most);
        phx_far_distances(lanes->old_x[i], lanes->old_y[i], old, shape, &old_least, &old_most);
        const uint32_t outside = (uint32_t)(least > limit) & (uint32_t)(old_least > limit);
        const uint32_t inside = (uint32_t)level & (uint32_t)(most <= limit) & (uint32_t)(old_most <= limit);
        between |= (lanes->changed[i] | ((outside | inside) ^ 1u)) << i;
    }
    return between;
}

/* The observers that may have an event with any of `count` targets. */
static inline __attribute__((always_inline)) uint32_t phx_far_observers_due(const phx_far_lanes *lanes, uint32_t count,
                                                                            const phx_far_observers *of, ph_shape shape,
                                                                            float height)
{
    phx_far_square now, old;
    uint32_t due = 0;
    phx_far_limits(of->x, &now.x0, &now.x1);
    phx_far_limits(of->y, &now.y0, &now.y1);
    phx_far_limits(of->old_x, &old.x0, &old.x1);
    phx_far_limits(of->old_y, &old.y0, &old.y1);
    for (uint32_t first = 0; first < count; first += PHX_FAR_LANES, lanes++) {
        const uint32_t used = count - first < PHX_FAR_LANES ? (1u << (count - first)) - 1 : UINT32_MAX;
        uint32_t between = phx_far_lanes_between(lanes, &now, &old, shape) & used;
        for (; between != 0; between &= between - 1)
            due |= phx_far_observers_of(lanes, (uint32_t)__builtin_ctz(between), of, shape, height);
    }
    return due;
}

/* The kernel of a set; see phx_kernels.find_far_observers. A loop for each shape. */
static inline __attribute__((always_inline)) uint32_t phx_far_find_observers(const phx_far_lanes *lanes, uint32_t count,
                                                                             const phx_far_observers *of,
                                                                             ph_shape shape, float height)
{
    if (shape == PH_SHAPE_SQUARE) return phx_far_observers_due(lanes, count, of, PH_SHAPE_SQUARE, height);
    if (shape == PH_SHAPE_SPHERE) return phx_far_observers_due(lanes, count, of, PH_SHAPE_SPHERE, height);
    if (shape == PH_SHAPE_CYLINDER) return phx_far_observers_due(lanes, count, of, PH_SHAPE_CYLINDER, height);
    return phx_far_observers_due(lanes, count, of, PH_SHAPE_CIRCLE, height);
}

#endif
