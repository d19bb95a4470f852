/*
 * Shapes of queries: the float32 rules of pharos/query.h, each operation rounded on its own, and boxes that contain
 * every entity that may pass. Pure functions, called between ticks.
 */
#ifndef PHX_SHARDS_QUERY_SHAPES_H
#define PHX_SHARDS_QUERY_SHAPES_H

#include <pharos/query.h>

#include "shards/entity/bounds.h"

static inline phx_box phx_box_of_points(const float (*points)[2], uint32_t count)
{
    phx_box box = {points[0][0], points[0][1], points[0][0], points[0][1]};
    for (uint32_t i = 1; i < count; i++) {
        if (points[i][0] < box.x0) box.x0 = points[i][0];
        if (points[i][0] > box.x1) box.x1 = points[i][0];
        if (points[i][1] < box.y0) box.y0 = points[i][1];
        if (points[i][1] > box.y1) box.y1 = points[i][1];
    }
    return box;
}

/* The reach of a sector of cosine `c` around the unit vector (u, v) along u's axis, for radius 1, at least 0. */
static inline double phx_sector_reach(double u, double v, double c)
{
    double s = sqrt(1.0 - c * c), one = u * c - v * s, other = u * c + v * s; /* the ends of its arc */
    double far = one > other ? one : other;
    return u >= c ? 1.0 : far > 0.0 ? far : 0.0;
}

/*
 * The box of a sector, often far smaller than its circle's. The rule's roundings move a cosine by less than 1e-6, so a
 * sector with a cosine 1e-5 less contains all that pass. Roundings of lengths are less than the slack of 1e-5 of the
 * radius and 1e-6 of the ends. Where products underflow, |d| is less than 1e-12.
 */
static inline phx_box phx_sector_box(const ph_query *query)
{
    phx_box box = phx_box_around(query->x, query->y, query->radius);
    double c = (double)query->cosine - 1e-5, r = query->radius;
    if (!(box.x1 - box.x0 <= FLT_MAX) || c <= -1.0) return box;
    double length = sqrt((double)query->to_x * query->to_x + (double)query->to_y * query->to_y);
    double u = query->to_x / length, v = query->to_y / length;
    double x = query->x, y = query->y, sx = 1e-5 * r + (fabs(x) + r) * 1e-6 + 1e-12;
    double sy = 1e-5 * r + (fabs(y) + r) * 1e-6 + 1e-12;
    phx_box own = {(float)(x - r * phx_sector_reach(-u, v, c) - sx), (float)(y - r * phx_sector_reach(-v, u, c) - sy),
                   (float)(x + r * phx_sector_reach(u, v, c) + sx), (float)(y + r * phx_sector_reach(v, u, c) + sy)};
    return own;
}

/* The box of all entities that the query may find. */
static inline phx_box phx_query_box(const ph_query *query)
{
    const float box[2][2] = {{query->x, query->y}, {query->to_x, query->to_y}};
    if (query->shape == PH_QUERY_BOX) return phx_box_of_points(box, 2);
    if (query->shape == PH_QUERY_QUAD) return phx_box_of_points(query->corners, 4);
    if (query->shape == PH_QUERY_SECTOR) return phx_sector_box(query);
    return phx_box_around(query->x, query->y, query->radius);
}

static inline bool phx_in_quad(const ph_query *query, float x, float y)
{
    bool left = true, right = true;
    for (uint32_t i = 0; i < 4; i++) {
        const float *p = query->corners[i], *q = query->corners[(i + 1) & 3];
        float side = (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
        left = left && side >= 0.0f;
        right = right && side <= 0.0f;
    }
    return left || right;
}

static inline bool phx_in_sector(const ph_query *query, float dx, float dy, float d2)
{
    float ax = query->to_x, ay = query->to_y;
    return dx * ax + dy * ay >= query->cosine * (sqrtf(d2) * sqrtf(ax * ax + ay * ay));
}

/*
 * Is the position in the shape? box: phx_query_box(). *square: as in ph_hit. The height range is a filter, not a part
 * of the shape.
 */
static inline bool phx_in_query(const ph_query *query, phx_box box, float x, float y, float z, float *square)
{
    *square = 0.0f;
    if (query->shape == PH_QUERY_BOX) return phx_box_has(box, x, y);
    if (query->shape == PH_QUERY_QUAD) return phx_box_has(box, x, y) && phx_in_quad(query, x, y);
    float dx = x - query->x, dy = y - query->y, d2 = dx * dx + dy * dy;
    if (query->shape == PH_QUERY_SPHERE) {
        float dz = z - query->z;
        d2 = d2 + dz * dz;
    }
    *square = d2;
    if (!(d2 <= query->radius * query->radius)) return false;
    return query->shape != PH_QUERY_SECTOR || phx_in_sector(query, dx, dy, d2);
}

#endif
