/**
 * @file query.h
 * Pharos: questions about places, between ticks: who is in a circle, a box, a sector or a camera's
 * quadrangle, and who is nearest. They are about where entities are at the end of the last tick, whoever
 * sees them; about lists, see ph_list(), ph_observers() and ph_sees() in pharos.h.
 */
#ifndef PHAROS_QUERY_H
#define PHAROS_QUERY_H

#include <pharos/base.h>
#include <pharos/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a query asks for: every entity at (x, y) for which this holds, in float32, every operation rounded on its
 * own, in the order written; dx = x - query.x, dy = y - query.y, d2 = dx*dx + dy*dy, r = query.radius. Height
 * plays no part, nor does whether it is in the world's bounds.
 *
 *   circle   d2 <= r*r
 *   box      x0 <= x <= x1 and y0 <= y <= y1; x0 is the smaller of query.x and query.to_x, x1 the larger
 *   sector   d2 <= r*r and dx*ax + dy*ay >= c * (sqrt(d2) * sqrt(ax*ax + ay*ay)); (ax, ay) = (to_x, to_y) is
 *            where it looks, of any length, c the cosine of half its opening: 1 a ray, 0 half a disc
 *   quad     with corners p0 p1 p2 p3 in turn, p4 = p0: within their bounds (as a box); and of the four
 *            (p[i+1].x - p[i].x) * (y - p[i].y) - (p[i+1].y - p[i].y) * (x - p[i].x)
 *            all are >= 0, or all are <= 0. Two corners may be one: a triangle
 *   nearest  d2 <= r*r; of those the `nearest` first by smaller d2, then smaller id
 */
typedef enum ph_query_shape {
    PH_QUERY_CIRCLE = 0,
    PH_QUERY_BOX = 1,
    PH_QUERY_SECTOR = 2,
    PH_QUERY_QUAD = 3,
    PH_QUERY_NEAREST = 4
} ph_query_shape;

enum {
    PH_QUERY_KINDS_MAX = 16 /* kinds in one query's filter */
};

/** One question. Fields that its shape has no use for are not looked at; all that is 0 filters nobody. */
typedef struct ph_query {
    ph_query_shape shape;
    uint32_t nearest;     /* nearest: how many at most, >= 1 */
    float x, y;           /* circle, sector, nearest: the middle; box: a corner */
    float to_x, to_y;     /* box: the opposite corner; sector: the direction, its length from 1e-18 to 1e18 */
    float radius;         /* circle, sector, nearest: >= 0; INFINITY is as far as there is anybody */
    float cosine;         /* sector: -1..1 */
    float corners[4][2];  /* quad: x and y of each; convex, either way round */
    uint64_t layers;      /* only who is on one of these: layers & its layers; 0 = whatever it is on */
    uint64_t without;     /* not this entity (who asks, mostly); 0 = nobody is left out */
    const uint32_t *kinds; /* only these kinds */
    uint32_t kind_count;  /* 0..PH_QUERY_KINDS_MAX; 0 = all kinds */
    uint32_t reserved;
} ph_query;

/** One entity that was found. */
typedef struct ph_hit {
    uint64_t id;
    uint64_t user_data;
    float square; /* d2; of boxes and quads 0 */
    uint32_t kind;
} ph_hit;

/** Where the answer to one of many queries goes. */
typedef struct ph_answer {
    ph_hit *hits;      /* caller's, gets the first `capacity`; may be NULL when capacity is 0 */
    uint32_t capacity;
    uint32_t count;    /* out: the full count; 0 when the query is refused */
    ph_status status;  /* out: as of ph_find() */
    uint32_t reserved;
} ph_answer;

/**
 * Finds who is in a place: ordered by id, nearest ones by distance, then id; each entity once, for any layout of
 * shards. Allocates nothing.
 * @param hits caller's array, gets the first `capacity`; may be NULL when capacity is 0.
 * @param count gets the full count (of nearest at most query->nearest).
 * @return PH_OK; PH_BUSY; PH_BAD_POSITION: a coordinate is not finite; PH_BAD_RADIUS: negative or not a number;
 * PH_BAD_KIND: of the filter; PH_BAD_VALUE: shape, cosine, direction, nearest or kind_count out of range, or
 * corners that are not convex; PH_BAD_ARGUMENT: a NULL. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_find(ph_world world, const ph_query *query, ph_hit *hits, uint32_t capacity,
                                      uint32_t *count);

/**
 * The same for queries[i] and answers[i], by all of the world's workers at once; on the caller's thread alone where
 * they are few, or while another such call has the workers. With ph_world_def.tasks these are called from this
 * thread. A query that is refused does not keep others from being answered.
 * @return PH_OK when all are; else the status of the first that is not; PH_BUSY: nothing was done. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_find_many(ph_world world, uint32_t count, const ph_query *queries,
                                           ph_answer *answers);

#ifdef __cplusplus
}
#endif
#endif
