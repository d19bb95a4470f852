/*
 * The sparse plan: where few rows of a block moved, each moved row queries the grid's rows in its range, with old and
 * new positions, and its events are also emitted for observers that stand still. No list is read and no tile is made. A
 * move sets a bit for its row (phx_grid_mark_moved()), so 64 rows that stand still cost one word. Where few rows are
 * observers, each observer queries instead, however many rows moved.
 *
 * For blocks with plain observers only: without relations and without a limit that cuts, so lists are derived. Then a
 * pair is an event if exactly one of its old and its new distance is in range. Where all observers have the same view,
 * the event of one side is the event of the other side. Pairs are decided by the float32 rule at once. Rows query many
 * at a time: first the kernels find the ranges of rows to compare, then the events in them. Beside them renewed
 * observers may have stored lists: the ones with held targets have pairs, too (delta_held.h), others are evaluated.
 *
 * A discontinuous row has NaN as old position, so every pair in range now is an enter, from both sides. Its previous
 * row is compared with the old positions of the rows around: it leaves their observers. An observer that gets both had
 * the target and still has it. A discontinuous observer gets the targets that are not in its previous list.
 *
 * A plan is made for a block in the interest phase by one worker, in its own memory. It follows from the tick alone, so
 * all workers with a part of the block choose the same way. Its arrays keep their largest size: as many rows as moved,
 * or observe, in a block and around it, and some times that for PHX_SPARSE_DISCONTINUOUS_MAX discontinuous rows, which
 * find all rows in range.
 */
#ifndef PHX_SHARDS_INTEREST_SPARSE_PLAN_H
#define PHX_SHARDS_INTEREST_SPARSE_PLAN_H

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"
#include "shards/state/shard.h"

/* The cheapest way that is possible. */
typedef enum phx_sparse_plan_way {
    PHX_SPARSE_NONE = 0,    /* a tile, or evaluation of each observer; no other field of the plan is valid */
    PHX_SPARSE_BY_MOVERS,   /* moved rows query, and emit for observers that stand still, too */
    PHX_SPARSE_BY_OBSERVERS /* each observer queries for itself */
} phx_sparse_plan_way;

enum {
    PHX_SPARSE_DISCONTINUOUS_MAX =
        16, /* discontinuous rows and previous rows around a block: with more, each query finds too much */
    PHX_SPARSE_AT_ONCE = 64, /* rows that query together: so many queries stay in the nearest cache */
    PHX_SPARSE_RANGES = PHX_SPARSE_AT_ONCE * PHX_BLOCK_SIDE + PHX_KERNEL_PAD
};

/* An event of an observer, if the target's attributes let the observer see it. */
typedef struct phx_sparse_plan_pair {
    phx_sparse_word target;
    uint32_t previous; /* the observer's pair before this one, or PHX_SPARSE_NO_PAIR */
} phx_sparse_plan_pair;

static const uint32_t PHX_SPARSE_NO_PAIR = UINT32_MAX;

/*
 * The first size of arrays of rows (times 1) or of pairs (times 8): rarely exceeded, so that a steady tick allocates
 * nothing, but no larger than a small world has use for.
 */
static inline size_t phx_rows_least(uint32_t rows_least, uint32_t times)
{
    enum { MOST = 4096 };
    return (size_t)rows_least * times < MOST ? (size_t)rows_least * times : MOST;
}

typedef struct phx_sparse_plan {
    const phx_shard *shard; /* of this block of this shard in this tick; NULL = nothing yet */
    uint64_t tick;
    uint32_t block;
    phx_sparse_plan_way way;
    bool discontinuous; /* a discontinuous entity is in view of the block's observers, or was; then previous rows count
                         */
    bool renewed;       /* an observer of the block is: phx_prev_rows_renew() */
    bool held;          /* nothing forbids that a delta does the ones with held targets; their pairs are found, too */
    float reach; /* how far along an axis from a querying row the towers are with rows that may be an event with it */
    uint32_t rows_least; /* of the scratch; see phx_rows_least() */
    phx_rect around;     /* the towers of all rows that may be an event with the block's rows */
    uint32_t *movers;    /* moved rows that may be in reach of the block's rows; the block's own rows first */
    uint32_t mover_count, own_count, movers_capacity;
    uint32_t *beyond; /* querying rows with other blocks in reach: a part for each phx_row_ranges.beyond */
    uint32_t beyond_part, beyond_count[PHX_BEYONDS], beyond_capacity;
    phx_row_ranges ranges; /* ranges of up to PHX_SPARSE_AT_ONCE queries, in: */
    uint32_t range_words[3][PHX_SPARSE_RANGES];
    uint32_t *found; /* results of the queries: the two arrays of phx_view_changes */
    uint32_t found_capacity;
    phx_span piece; /* rows whose observers get events, from these pairs: */
    phx_sparse_plan_pair *pairs;
    uint32_t pair_count, pairs_capacity;
    uint64_t *has_pairs; /* a bit for each row of the piece: it has pairs, */
    uint32_t *last;      /* ... of which this is the last one; undefined for other rows */
    uint32_t has_pairs_capacity, last_capacity;
} phx_sparse_plan;

void phx_sparse_plan_free(phx_sparse_plan *plan, phx_mem *mem);

/* May moved rows query in this tick? */
static inline bool phx_sparse_plan_movers(const phx_shard *shard)
{
    return shard->delta_allowed && !shard->dense_tick;
}

/* Makes the plan of a block, unless it is made already. false = no memory. */
bool phx_sparse_plan_open(phx_sparse_plan *plan, phx_mem *mem, const phx_shard *shard, uint32_t block);

#endif
