/*
 * Bounds on coordinates that contain all positions in range of a position, in any shape. Every position in range in
 * float32 is in the box of the radius; so a search for candidates compares coordinates and needs no proof about
 * roundings. Also x and y as one vector. Pure functions, called in any phase.
 */
#ifndef PHX_SHARDS_ENTITY_BOUNDS_H
#define PHX_SHARDS_ENTITY_BOUNDS_H

#include <float.h>
#include <string.h>

#include "shards/entity/visibility.h"

/* A range of rows or of other places. */
typedef struct phx_span {
    uint32_t first, end;
} phx_span;

/* A rectangle of towers, inclusive. */
typedef struct phx_rect {
    uint16_t x0, y0, x1, y1;
} phx_rect;

static inline bool phx_rect_has(phx_rect rect, uint16_t tx, uint16_t ty)
{
    return tx >= rect.x0 && tx <= rect.x1 && ty >= rect.y0 && ty <= rect.y1;
}

/* The towers within a span of a tower, inside the world. */
static inline phx_rect phx_ninegrid_rect(const phx_rules *rules, uint32_t span, uint16_t tx, uint16_t ty)
{
    uint32_t last_x = rules->towers[0] - 1, last_y = rules->towers[1] - 1;
    return (phx_rect){(uint16_t)(tx > span ? tx - span : 0), (uint16_t)(ty > span ? ty - span : 0),
                      (uint16_t)(tx + span < last_x ? tx + span : last_x),
                      (uint16_t)(ty + span < last_y ? ty + span : last_y)};
}

/* Inclusive; a bound may be infinite. */
typedef struct phx_box {
    float x0, y0, x1, y1;
} phx_box;

static inline bool phx_box_has(phx_box box, float x, float y)
{
    return (x >= box.x0) & (x <= box.x1) & (y >= box.y0) & (y <= box.y1);
}

static inline phx_box phx_box_all(void)
{
    return (phx_box){-INFINITY, -INFINITY, INFINITY, INFINITY};
}

/* x and y side by side; the upper lanes are unused, and computed without a trap. */
typedef float phx_vec2 __attribute__((vector_size(16)));
typedef int32_t phx_pair_bits __attribute__((vector_size(16)));

/* Two floats side by side: x, y of a body or a position. */
static inline phx_vec2 phx_pair_at(const float *x)
{
    typedef double doubles __attribute__((vector_size(16)));
    double both;
    memcpy(&both, x, sizeof both);
    return (phx_vec2)(doubles){both, 0.0};
}

/* Is the mask set for x and for y? */
static inline bool phx_pair_both(phx_pair_bits mask)
{
    typedef int64_t halves __attribute__((vector_size(16)));
    return ((halves)mask)[0] == -1;
}

/* The four bounds side by side. */
typedef float phx_bounds __attribute__((vector_size(16)));
typedef int32_t phx_bound_bits __attribute__((vector_size(16)));

static inline phx_box phx_box_of_bounds(phx_bounds bounds)
{
    phx_box box;
    memcpy(&box, &bounds, sizeof box);
    return box;
}

static inline phx_bounds phx_bounds_of(phx_box box)
{
    phx_bounds bounds;
    memcpy(&bounds, &box, sizeof bounds);
    return bounds;
}

#define PHX_BOX_ROUNDING 3e-7f /* of an end: for its own roundings; see phx_box_around() */

/* A length with slack for the roundings of distances. */
static inline float phx_box_longer(float length)
{
    return length + length * 1e-6f + 1e-18f;
}

/* A box wider by a length along each axis, with slack for its own roundings. */
static inline phx_box phx_box_wider(phx_box box, float length)
{
    const phx_bounds outward = {-1, -1, 1, 1};
    const phx_bound_bits sign = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    float r = phx_box_longer(length);
    phx_bounds p = phx_bounds_of(box), far = (phx_bounds)((phx_bound_bits)p & ~sign);
    return phx_box_of_bounds(p + (r + (far + r) * PHX_BOX_ROUNDING) * outward);
}

/*
 * The box of all positions in range of (x, y), in any shape. A position passes only if its distance along each axis is
 * at most the radius times 1 + 2^-22 (three roundings), plus underflow in a square. The ends are computed in float32
 * with slack for their own roundings: each loses less than 2^-23 of |p| + r, the slack is 3e-7 > 2 * 2^-23 of it.
 */
static inline phx_box phx_box_around(float x, float y, float radius)
{
    if (!(radius * radius <= FLT_MAX)) return phx_box_all();
    return phx_box_wider((phx_box){x, y, x, y}, radius);
}

/* The distance of its ends from (x, y), but for their rounding. */
static inline float phx_box_reach(float radius)
{
    return radius * radius <= FLT_MAX ? phx_box_longer(radius) : INFINITY;
}

/*
 * The end of towers below (sign -1) or above (1) tower `n`'s border, n >= 1. The quotient has two roundings of 2^-24
 * each.
 */
static inline float phx_box_border(const phx_rules *rules, int axis, uint32_t n, int sign)
{
    double off = (double)n * (double)rules->tower_size * (1.0 + (double)sign * 4e-7);
    double p = (double)rules->origin[axis] + off;
    if (!(fabs(p) < (double)FLT_MAX)) return p > 0.0 ? (sign > 0 ? INFINITY : FLT_MAX) : -INFINITY;
    return nextafterf((float)p, (float)sign * INFINITY);
}

/* The box of all positions in the rectangle's towers: the outermost towers have no end. */
static inline phx_box phx_box_of_towers(const phx_rules *rules, phx_rect rect)
{
    phx_box box = phx_box_all();
    if (rect.x0 > 0) box.x0 = phx_box_border(rules, 0, rect.x0, -1);
    if (rect.y0 > 0) box.y0 = phx_box_border(rules, 1, rect.y0, -1);
    if (rect.x1 + 1u < rules->towers[0]) box.x1 = phx_box_border(rules, 0, rect.x1 + 1u, 1);
    if (rect.y1 + 1u < rules->towers[1]) box.y1 = phx_box_border(rules, 1, rect.y1 + 1u, 1);
    return box;
}

/*
 * The towers of all positions in a box: the tower index is monotone in the position. Four times phx_tower_index(), side
 * by side.
 */
static inline phx_rect phx_box_towers(const phx_rules *rules, phx_box box)
{
    const float last_x = (float)(rules->towers[0] - 1), last_y = (float)(rules->towers[1] - 1);
    const phx_bounds none = {0, 0, 0, 0}, last = {last_x, last_y, last_x, last_y};
    const phx_bounds origin = {rules->origin[0], rules->origin[1], rules->origin[0], rules->origin[1]};
    phx_bounds q = (phx_bounds_of(box) - origin) / rules->tower_size;
    q = (phx_bounds)((phx_bound_bits)q & (q > none));
    phx_bound_bits beyond = q >= last;
    q = (phx_bounds)(((phx_bound_bits)last & beyond) | ((phx_bound_bits)q & ~beyond));
    phx_bound_bits at = __builtin_convertvector(q, phx_bound_bits);
    return (phx_rect){(uint16_t)at[0], (uint16_t)at[1], (uint16_t)at[2], (uint16_t)at[3]};
}

#endif
