/*
 * The parts of index = timer, of one shard: the ranges in which entities move, and for every observer the pairs that
 * may ever meet while both stay in theirs, each with the time at which it could. timer.c is the index, timer_ranges.c
 * the ranges, timer_plans.c the pairs. See README.md for the idea and its costs.
 *
 * Time is the way of the fastest: what it says rises each tick by the longest step that anybody made, jumps left out.
 * So two entities whose distance is so much from a border of a view can not have passed it before half of that.
 */
#ifndef PHX_SHARDS_INDEX_TIMER_H
#define PHX_SHARDS_INDEX_TIMER_H

#include "shards/entity/list_pool.h"
#include "shards/index/index.h"

enum {
    /* Ranges: cells of half the median radius; an entity may stand half a cell outside of its own. */
    PHX_TIMER_CELLS_PER_RADIUS = 2,
    PHX_TIMER_CELL_MAX = 1 << 30, /* cells farther off along an axis are one */
    /* Who looks farther than so many cells, or would have more pairs, has none: it looks around every tick. */
    PHX_TIMER_REACH_MAX = 16,
    PHX_TIMER_PAIRS_MAX = 4096,
    /* Of the changes of a tick 1 in JUMP_PART, but at least JUMP_LEAST, may be left out as jumps: the longest steps. */
    PHX_TIMER_JUMP_PART = 64,
    PHX_TIMER_JUMP_LEAST = 16
};

/* By slot: where the entity stands, what matters of it as a target, and its range. */
typedef struct phx_timer_mover {
    float x, y, z;
    float radius; /* phx_index_radius() */
    float view;   /* with it, the borders of its view */
    uint8_t stealth;
    bool veiled;
    uint64_t layers;
    int32_t cx, cy; /* the cell of its range */
    uint32_t next;  /* in the bucket of the cell, or PHX_SLOT_NONE */
} phx_timer_mover;

/* A time of a pair or plan: the bits of a float >= 0, which are in the order of their values. */
typedef uint32_t phx_timer_time;

typedef struct phx_timer_pair {
    uint32_t target;
    phx_timer_time due; /* not before that may anything have changed between the two */
} phx_timer_pair;

/* By slot, an observer's pairs: first those due in this tick, then those due before the horizon, then all else. */
typedef struct phx_timer_plan {
    phx_list block; /* of two words a pair */
    uint32_t count, soon, fresh;
    phx_timer_time next;    /* of the soon ones */
    phx_timer_time horizon; /* then all are looked through */
} phx_timer_plan;

/* By slot. */
enum {
    PHX_TIMER_IN = 1,
    PHX_TIMER_TURNED = 2,   /* in this tick it came, went, jumped, left its range, or became another as a target */
    PHX_TIMER_AFRESH = 4,   /* its plan was made in this tick, or is to be */
    PHX_TIMER_MADE = 8,     /* and it has been */
    PHX_TIMER_CHANGED = 32, /* in this tick, in any way */
    PHX_TIMER_LOOKS = 16    /* it has no plan: it looks too far, or at too many */
};

/* What the index was told of one slot in this tick. */
typedef struct phx_timer_change {
    uint32_t slot;
    float step;     /* at least its way */
    int32_t cx, cy; /* its range before */
    uint32_t what;  /* PHX_TIMER_CAME ... */
} phx_timer_change;

enum { PHX_TIMER_CAME = 1, PHX_TIMER_WENT = 2, PHX_TIMER_OTHER = 4, PHX_TIMER_JUMPED = 8, PHX_TIMER_RANGED = 16 };

typedef struct phx_timer {
    phx_index index;
    phx_timer_mover *movers;
    phx_timer_plan *plans;
    uint8_t *flags;
    uint32_t movers_capacity, plans_capacity, flags_capacity;
    uint32_t slots; /* reserved */
    uint32_t in_count, observer_count;
    phx_list_pool pool;

    uint32_t *buckets; /* by cell, hashed: the first slot */
    uint32_t buckets_capacity, bucket_mask;
    double cell, per_cell; /* side, and 1 / side */
    ph_shape shape;        /* of the rules that the plans were made by */
    float height;
    uint32_t chosen_for; /* observers that there were when the side was chosen */
    int32_t reach_max;   /* cells; at least that of every observer with a plan */

    double way;         /* the time, since it was last set back */
    phx_timer_time now; /* the same, rounded up */

    phx_timer_change *changes;
    uint32_t change_count, changes_capacity;
    bool moved_on; /* the tick's changes are through; what is left is plans from `at` on */
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

/* A time that is not later than this. */
static inline phx_timer_time phx_timer_down(double when)
{
    if (!(when > 0.0)) return 0;
    if (when > (double)FLT_MAX) return phx_timer_bits(FLT_MAX);
    float f = (float)when;
    return phx_timer_bits((double)f > when ? nextafterf(f, 0.0f) : f);
}

/* ---- timer_ranges.c ---- */

/* The side of cells follows what observers see, when they are twice or half as many. true = it changed. */
bool phx_timer_choose_cell(phx_timer *own);
/* Gives everybody a new range. */
void phx_timer_range_all(phx_timer *own);
/* The buckets are others, ranges stay. */
void phx_timer_rehash(phx_timer *own);
/* Does it still stand in its range? */
bool phx_timer_in_range(const phx_timer *own, uint32_t slot);
/* Into the range around where it stands, and out of it. */
void phx_timer_range(phx_timer *own, uint32_t slot);
void phx_timer_unrange(phx_timer *own, uint32_t slot);
/* How many cells an observer looks; above PHX_TIMER_REACH_MAX it has no plan. */
int32_t phx_timer_reach(const phx_timer *own, uint32_t slot);

/* Slots whose ranges are in a square of cells. */
typedef struct phx_timer_walk {
    const phx_timer *own;
    int32_t x0, y0, x1, y1;
    int32_t x, y;  /* the cell */
    uint32_t slot; /* the next one in its bucket, or of all */
    bool all;      /* there are fewer slots than cells */
    uint64_t visited;
} phx_timer_walk;

phx_timer_walk phx_timer_walk_of(const phx_timer *own, int64_t x0, int64_t y0, int64_t x1, int64_t y1);
/* The next one, or PHX_SLOT_NONE. */
uint32_t phx_timer_next(phx_timer_walk *walk);
/* The cell of a coordinate, up to `off` cells beside it. */
int64_t phx_timer_cell(const phx_timer *own, float p, double off);
bool phx_timer_ranges_valid(const phx_timer *own);

/* ---- timer_plans.c ---- */

/* The plan is to be made anew. */
void phx_timer_refresh(phx_timer *own, uint32_t observer);
/* No plan. */
void phx_timer_forget(phx_timer *own, uint32_t slot);
/* A target went, or is not to be told from where it was: its pairs with all near its old range are due. */
void phx_timer_report_left(phx_timer *own, const phx_timer_change *change);
/* A target has a new range: its pairs with all near that, and not near the old one, are made and due. */
void phx_timer_announce_came(phx_timer *own, const phx_timer_change *change);
/* Makes the plan or goes on with it, as is due. false = no memory: call again. */
bool phx_timer_run(phx_timer *own, uint32_t observer);
/* Time starts from 0 again. */
void phx_timer_set_back(phx_timer *own);
bool phx_timer_plans_valid(const phx_timer *own);

#endif
