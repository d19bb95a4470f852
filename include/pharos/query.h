/**
 * @file query.h
 * Pharos: queries between ticks. Spatial ones find the entities in a circle, a box, a sector, a sphere or a camera's
 * quadrangle, and the nearest ones, by their positions at the end of the last tick or apply, seen or not. Others tell
 * why a target is in a list or is not, and verify lists. The lists themselves: ph_list(), ph_observers() and ph_sees()
 * in pharos.h.
 */
#ifndef PHAROS_QUERY_H
#define PHAROS_QUERY_H

#include <pharos/base.h>
#include <pharos/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A query finds every entity at (x, y) for which this holds, in float32, every operation rounded on its
 * own, in the order written; dx = x - query.x, dy = y - query.y, dz = z - query.z, d2 = dx*dx + dy*dy, r =
 * query.radius. The world's bounds have no influence, nor has height, except for a sphere and with
 * PH_QUERY_HEIGHT: then z_low <= z <= z_high too, of every shape; so a box is one in three dimensions.
 *
 *   circle   d2 <= r*r
 *   box      x0 <= x <= x1 and y0 <= y <= y1; x0 is the smaller of query.x and query.to_x, x1 the larger
 *   sector   d2 <= r*r and dx*ax + dy*ay >= c * (sqrt(d2) * sqrt(ax*ax + ay*ay)); (ax, ay) = (to_x, to_y) is
 *            where it looks, c the cosine of half its opening: 1 a ray, 0 half a disc
 *   quad     with corners p0 p1 p2 p3 in turn, p4 = p0: within their bounds (as a box); and of the four
 *            (p[i+1].x - p[i].x) * (y - p[i].y) - (p[i+1].y - p[i].y) * (x - p[i].x)
 *            all are >= 0, or all are <= 0. Two corners may be one: a triangle
 *   nearest  d2 <= r*r; the `nearest` first of them by smaller d2, then smaller id
 *   sphere   d2 + dz*dz <= r*r
 *
 * Two have no place; they are ph_list() and ph_observers() for many queries at once, with ph_find_many():
 *
 *   list       is in the interest list of query.of
 *   observers  has query.of in its list
 */
typedef enum ph_query_shape {
    PH_QUERY_CIRCLE = 0,
    PH_QUERY_BOX = 1,
    PH_QUERY_SECTOR = 2,
    PH_QUERY_QUAD = 3,
    PH_QUERY_NEAREST = 4,
    PH_QUERY_LIST = 5,
    PH_QUERY_OBSERVERS = 6,
    PH_QUERY_SPHERE = 7
} ph_query_shape;

enum {
    PH_QUERY_KINDS_MAX = 16 /* kinds in one query's filter */
};

/** ph_query.flags, ORed together. */
enum {
    PH_QUERY_HEIGHT = 1u << 0,     /* only with z_low <= z <= z_high */
    PH_QUERY_UNORDERED = 1u << 1,  /* in any order, not the same from one layout of shards to another: nothing is
                                     sorted; of an array that is too small any `capacity` of them, but of `nearest`
                                     still the nearest. A visit has no use for it. */
    PH_QUERY_IN_INSTANCE = 1u << 2 /* of one instance alone; without it entities of all instances are found, which
                                     costs a look at every block of 8 x 8 towers where there are several */
};

/** One query. Fields that its shape does not use are not read; a filter that is all 0 lets every entity pass. */
typedef struct ph_query {
    ph_query_shape shape;
    uint32_t nearest;      /* nearest: how many at most, >= 1 */
    float x, y;            /* circle, sphere, sector, nearest: the middle; box: a corner */
    float z;               /* sphere: the middle */
    float to_x, to_y;      /* box: the opposite corner; sector: the direction, its length from 1e-18 to 1e18 */
    float radius;          /* circle, sphere, sector, nearest: 0..PH_LENGTH_MAX, or INFINITY */
    float cosine;          /* sector: -1..1 */
    float corners[4][2];   /* quad: x and y of each; convex, either way round */
    float z_low, z_high;   /* with PH_QUERY_HEIGHT; z_low <= z_high */
    uint64_t layers;       /* only entities on one of these: layers & its layers; 0 = on any */
    uint64_t without;      /* leaves out this entity, mostly the one that asks; 0 = none */
    uint64_t of;           /* list, observers: the entity */
    const uint32_t *kinds; /* only these kinds */
    uint32_t kind_count;   /* 0..PH_QUERY_KINDS_MAX; 0 = all kinds */
    uint32_t flags;        /* PH_QUERY_HEIGHT, PH_QUERY_UNORDERED, PH_QUERY_IN_INSTANCE */
    uint32_t instance;     /* with PH_QUERY_IN_INSTANCE: only entities in this one */
    uint32_t reserved[5];  /* 0 */
} ph_query;

/** One entity that was found. */
typedef struct ph_hit {
    uint64_t id;
    uint64_t user_data;
    float square; /* d2; of spheres d2 + dz*dz; of boxes, quads, lists and observers 0 */
    uint32_t kind;
} ph_hit;

/** Where the answer to one of many queries goes. */
typedef struct ph_answer {
    ph_hit *hits; /* caller's, gets the first `capacity`; may be NULL when capacity is 0 */
    uint32_t capacity;
    uint32_t count;   /* out: the full count; 0 when the query is refused */
    ph_status status; /* out: as of ph_find() */
    uint32_t reserved;
} ph_answer;

/**
 * Finds the entities in a place: ordered by id, nearest ones by distance, then id; each entity once, for any layout of
 * shards. Allocates nothing.
 * @param hits caller's array, gets the first `capacity`; may be NULL when capacity is 0.
 * @param count gets the full count (of nearest at most query->nearest).
 * @return PH_OK; PH_BUSY; PH_BAD_POSITION: a coordinate is beyond
 * PH_COORDINATE_MAX; PH_BAD_RADIUS: neither 0..PH_LENGTH_MAX nor INFINITY;
 * PH_BAD_KIND: of the filter; PH_BAD_VALUE: shape, cosine, direction, nearest, kind_count, flags or reserved out of
 * range, z_low above z_high, or corners that are not convex; PH_UNKNOWN_ID: of query->of; PH_BAD_ARGUMENT: a NULL.
 * @thread reader
 */
PH_NODISCARD PH_API ph_status ph_find(ph_world world, const ph_query *query, ph_hit *hits, uint32_t capacity,
                                      uint32_t *count);

/**
 * The same for queries[i] and answers[i], by all of the world's workers at once; on the caller's thread alone where
 * they are few, or while another such call has the workers. With ph_world_def.tasks these are called from this
 * thread. A query that is refused does not keep others from being answered.
 * @return PH_OK when all are; else the status of the first that is not; PH_BUSY: nothing was done. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_find_many(ph_world world, uint32_t count, const ph_query *queries, ph_answer *answers);

/**
 * Called for one entity that was found: as ph_visit_fn, it may submit, read and end in any way. *hit is gone when it
 * returns.
 * @return false to stop.
 */
typedef bool (*ph_hit_fn)(void *user, const ph_hit *hit);

/**
 * Visits the hits of ph_find(), in its order, with no capacity to guess. Holds nothing of the world while the callback
 * runs, as ph_list_visit(): 256 hits at a time are copied to the stack, so a tick that runs meanwhile, on whichever
 * thread, ends the visit behind the callback that is running (PH_BUSY); all that is visited is as it was at the end of
 * one tick. Nests. Allocates nothing; every 256 hits cost the search anew. query->kinds has to last as long as the
 * visit; *query itself is copied.
 * @return PH_OK: all were visited, or the callback stopped; PH_BUSY; else as ph_find(). @thread reader
 */
PH_NODISCARD PH_API ph_status ph_find_visit(ph_world world, const ph_query *query, ph_hit_fn visit, void *user);

/* ================================= why ================================== */

/**
 * Every reason why a target is in an observer's list or is not: name, number, in the list, sentence. Numbers never
 * change meaning. They stand in the order of the rules; the first that
 * holds is the answer.
 */
#define PH_REASON_LIST(X) \
    X(PH_REASON_NOT_READY, 1, false, "the observer is not ready") \
    X(PH_REASON_NO_VIEW, 2, false, "the observer has no view") \
    X(PH_REASON_SELF, 3, false, "an entity does not see itself") \
    X(PH_REASON_INSTANCE, 20, false, "they are in different instances") \
    X(PH_REASON_HIDDEN, 18, false, "the target is hidden from the observer") \
    X(PH_REASON_LAYERS, 4, false, "the observer looks at none of the target's layers") \
    X(PH_REASON_STEALTH, 5, false, "the target's stealth is above the observer's detect") \
    X(PH_REASON_VEILED, 19, false, "the target is veiled, and was not revealed to the observer") \
    X(PH_REASON_TOWERS_APART, 6, false, "their towers are farther apart than span") \
    X(PH_REASON_TOO_FAR, 7, false, "the target is beyond the radius") \
    X(PH_REASON_TOO_HIGH, 8, false, "the target is within the radius, but too far above or below") \
    X(PH_REASON_CAP, 9, false, "the target is in range, but others come first at the cap") \
    X(PH_REASON_GLOBAL, 10, true, "the target is global") \
    X(PH_REASON_LINK, 11, true, "the observer has a link to the target") \
    X(PH_REASON_TOWERS, 12, true, "their towers are near enough") \
    X(PH_REASON_PAIR, 13, true, "the target is within the view of their pair") \
    X(PH_REASON_VIEW, 14, true, "the target is within the observer's view") \
    X(PH_REASON_REACH, 15, true, \
      "the target is within its own reach, which is more than the observer's view, or than visible") \
    X(PH_REASON_MARGIN, 16, true, "the target is beyond the radius, but was in the list and is within the margin") \
    X(PH_REASON_WAITS, 17, false, "the target passes, but waits for a later tick: adds_max or events_max")

typedef enum ph_reason {
#define PH_REASON_ENUM(name, number, sees, text) name = number,
    PH_REASON_LIST(PH_REASON_ENUM)
#undef PH_REASON_ENUM
        PH_REASON_END = 21 /* one past the largest number */
} ph_reason;

/**
 * The reason that decides about one observer and one target, and all numbers behind it, whatever the reason. The rules
 * are asked anew about the present world; the present list counts as the previous one. If nothing
 * changes, the next tick decides the same. In range = towers radii and pairs have no influence.
 */
typedef struct ph_explanation {
    ph_reason reason;
    bool sees;         /* as ph_sees() answers */
    bool paired;       /* the radii are of a pair */
    float dx, dy, dz;  /* from the observer to the target */
    float square;      /* dx*dx + dy*dy, of spheres + dz*dz: it is compared with radius*radius */
    float radius;      /* enter radius: the larger of reach and the least of view and visible, or the pair's view */
    float margin;      /* of the observer or the pair; counts for targets in the list */
    float height;      /* of shape = cylinder */
    uint32_t towers_x; /* how many towers apart along x */
    uint32_t towers_y;
    uint32_t span;      /* of range = towers */
    uint32_t cap;       /* of the observer; 0 = none */
    uint32_t rank;      /* 1 = first at the cap; 0: there is no cap, or the target does not come so far */
    uint32_t passing;   /* how many come so far, if there is a cap */
    uint64_t sees_mask; /* of the observer */
    uint64_t layers;    /* of the target */
    uint32_t observer_instance;
    uint32_t target_instance;
    uint8_t stealth; /* of the target */
    uint8_t detect;  /* of the observer */
    uint8_t range;   /* ph_range of the world */
    uint8_t shape;   /* ph_shape of the world */
    uint32_t reserved[8];
} ph_explanation;

/**
 * Why is target in observer's list, or why not? An observer with a cap costs a pass over all entities of its shard.
 * PH_UNKNOWN_ID if either is not in the world. @thread reader
 */
PH_NODISCARD PH_API ph_status ph_explain(ph_world world, uint64_t observer, uint64_t target,
                                         ph_explanation *explanation);

/** @return the reason's sentence, static, never NULL. @thread any */
PH_API const char *ph_reason_text(ph_reason reason);

/**
 * One line, as "not seen: the target is beyond the radius (distance 120.5, radius 100)", cut to `size` bytes with its
 * terminator. @return `text`. @thread any
 */
PH_API char *ph_explanation_text(const ph_explanation *explanation, char *text, size_t size);

/* ================================ verify ================================ */

/** How a list differs from the rules' result. */
typedef enum ph_difference_kind {
    PH_DIFFERENCE_NONE = 0,
    PH_DIFFERENCE_MISSING = 1, /* the target should be in the list, and is not */
    PH_DIFFERENCE_EXTRA = 2,   /* it is, and should not be */
    PH_DIFFERENCE_TWICE = 3,   /* it is there more than once */
    PH_DIFFERENCE_GONE = 4     /* no such entity is in the world any more */
} ph_difference_kind;

/** The first difference: of the observer's, that of the smallest target. */
typedef struct ph_difference {
    ph_difference_kind kind; /* NONE: all that was checked is as it should be */
    uint32_t reserved;
    uint64_t observer;
    uint64_t target;
    uint64_t reserved2[2];
} ph_difference;

/** How far a verification has come; the caller's, all zero to begin, else not to be written. */
typedef struct ph_verification {
    uint32_t shard, slot; /* where it goes on */
    uint64_t rounds;      /* through all observers */
    uint64_t observers;   /* checked, all rounds */
    uint64_t pairs;       /* looked at for them */
    uint64_t reserved[2]; /* 0 */
} ph_verification;

/**
 * Checks the next observers' lists (as ph_list() gives them) against brute force: every entity of the world is tested
 * for each, by its position and attributes alone, in whatever shard it lives; nothing of the index is used. Stops
 * after the observer with which `pairs` (observer, entity) have been tested, at a difference, or when the round is
 * over (progress->rounds went up); so with pairs = 1 a call costs one observer, about as many nanoseconds as ten times
 * the entities. Call it between ticks, as time allows; an observer that changes shards between two calls may
 * be checked twice in a round, or not before the next.
 *
 * A round proves: each list is the rules' result when that very list counts as the previous one. So it is
 * exactly right where there is neither margin nor cap. With a margin: all targets within the enter radius are in the
 * list and none beyond radius + margin is; in between either is right. With a cap: the targets in the list are the
 * best, where being in it counts as much as `sticky` says. While targets wait for an observer (PH_CHANGE_MORE), the
 * targets in its list are right, and some may be missing. It proves nothing about events that were published, nor about
 * a consumer's copy.
 *
 * @return PH_OK, and *difference; PH_BUSY; PH_NO_MEMORY (it goes on with the same observer); PH_BAD_ARGUMENT.
 * @thread reader
 */
PH_NODISCARD PH_API ph_status ph_verify(ph_world world, uint64_t pairs, ph_verification *progress,
                                        ph_difference *difference);

#ifdef __cplusplus
}
#endif
#endif
