/*
 * State of index = timer, of one shard: the ranges in which entities move, and for every observer the pairs that may
 * meet while both stay in their ranges, each with the earliest time. timer.c is the index, timer_ranges.c the ranges,
 * timer_plans.c the pairs. See README.md for the idea and its costs. Written in the index phase by the shard's owner,
 * read by any worker later.
 *
 * Time is the way of the fastest entity: in each tick it advances by the longest step, jumps left out. So a pair at
 * some distance from a border of a view can not have passed it before half of that distance in time.
 */
#ifndef PHX_SHARDS_CLASSICAL_TIMER_STATE_H
#define PHX_SHARDS_CLASSICAL_TIMER_STATE_H

#include "shards/classical/index_parts.h"
#include "shards/entity/list_pool.h"

enum {
    /* Ranges: cells of half the median radius; an entity may stand half a cell outside of its own. */
    PHX_TIMER_CELLS_PER_RADIUS = 2,
    PHX_TIMER_CELL_MAX = 1 << 30, /* cells farther off along an axis are one */
    /*
     * An observer with a longer reach in cells, or with more pairs than fit, has no plan: it is evaluated every tick.
     */
    PHX_TIMER_REACH_MAX = 16,
    PHX_TIMER_PAIRS_MAX = 4096,
    /* Of the changes of a tick 1 in PHX_TIMER_JUMP_PART, but at least ..._JUMP_LEAST, may count as jumps: the longest
       steps. */
    PHX_TIMER_JUMP_PART = 64,
    PHX_TIMER_JUMP_LEAST = 16
};

/* By slot: its position, its attributes as a target, and its range. */
typedef struct phx_timer_mover {
    float x, y, z;
    float radius; /* phx_index_radius() */
    float view;   /* the borders of its view: this, and radius */
    float bound;  /* phx_bound_of(): while a target has one, all observers are evaluated; but for the tick of its end */
    uint8_t stealth;
    uint32_t instance;
    bool veiled;
    uint64_t layers;
    int32_t cx, cy; /* the cell of its range */
    uint32_t next;  /* next slot of the cell's bucket, or PHX_SLOT_NONE */
} phx_timer_mover;

/* A time of a pair or plan: the bits of a float >= 0, which are in the order of their values. */
typedef uint32_t phx_timer_time;

typedef struct phx_timer_pair {
    uint32_t target;
    phx_timer_time due; /* the earliest time of a difference between the two */
} phx_timer_pair;

/*
 * By slot, an observer's pairs: first pairs due in this tick, then pairs due before the horizon, then all other pairs.
 */
typedef struct phx_timer_plan {
    phx_list block; /* of two words for each pair */
    uint32_t count, soon, fresh;
    phx_timer_time next;    /* earliest due time of the pairs before the horizon */
    phx_timer_time horizon; /* at this time all pairs are visited */
} phx_timer_plan;

/* By slot. */
enum {
    PHX_TIMER_IN = 1,
    PHX_TIMER_TURNED = 2,   /* in this tick it entered, left, jumped, left its range, or changed as a target */
    PHX_TIMER_AFRESH = 4,   /* its plan is made anew in this tick */
    PHX_TIMER_MADE = 8,     /* and was made */
    PHX_TIMER_CHANGED = 32, /* in this tick, in any way */
    PHX_TIMER_NO_PLAN = 16  /* it has no plan: its radius is too long, or it has too many pairs */
};

/* A change of one slot in this tick. */
typedef struct phx_timer_change {
    uint32_t slot;
    float step;     /* at least the length of its step */
    int32_t cx, cy; /* its range before */
    uint32_t what;  /* PHX_TIMER_ENTERED ... */
} phx_timer_change;

enum { PHX_TIMER_ENTERED = 1, PHX_TIMER_LEFT = 2, PHX_TIMER_OTHER = 4, PHX_TIMER_JUMPED = 8, PHX_TIMER_RANGED = 16 };

typedef struct phx_timer {
    phx_index index;
    phx_timer_mover *movers;
    phx_timer_plan *plans;
    uint8_t *flags;
    uint32_t movers_capacity, plans_capacity, flags_capacity;
    uint32_t slots; /* reserved */
    uint32_t in_count, observer_count;
    phx_list_pool pool;

    uint32_t *buckets; /* by cell, hashed: first slot */
    uint32_t buckets_capacity, bucket_mask;
    double cell, per_cell; /* side, and 1 / side */
    ph_shape shape;        /* of the rules by which the plans were made */
    float height;
    uint32_t chosen_for; /* number of observers when the side was chosen */
    int32_t reach_max;   /* in cells; at least the reach of every observer with a plan */

    double way;         /* the time, since it was last set back */
    phx_timer_time now; /* the same, rounded up */

    phx_timer_change *changes;
    uint32_t change_count, changes_capacity;
    bool moved_on; /* the tick's changes are applied, except plans from `at` on */
    uint32_t at;
} phx_timer;

static const phx_timer_time PHX_TIMER_NEVER = 0x7f800000; /* the bits of infinity */

static inline phx_timer_time phx_timer_bits(float f)
{
    union {
        float f;
        uint32_t bits;
    } u = {.f = f};
    return u.bits;
}

/* A time that is not later than `when`. */
static inline phx_timer_time phx_timer_down(double when)
{
    if (!(when > 0.0)) return 0;
    if (when > (double)FLT_MAX) return phx_timer_bits(FLT_MAX);
    float f = (float)when;
    return phx_timer_bits((double)f > when ? nextafterf(f, 0.0f) : f);
}

#endif
