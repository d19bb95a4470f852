/*
 * Where few moved: who moved looks around among the grid's rows, old positions and new ones, and what it finds it
 * also tells those who stand still. No list is read and no tile is made. Moves leave a bit for each row
 * (phx_grid_mark_moved()), so all that rows cost whose entities stand is a look at 64 of them at once. Where few
 * observe, however many move, these look around so, each for itself.
 *
 * For blocks whose observers are all plain ones, whose lists are implied: then a pair is an
 * event if exactly one of its old and its new distance is in range, and, where all have the same view, what is so for
 * the one is for the other. Pairs are decided by the float32 rule at once. Many look at a time: first the kernels find
 * at which ranges of rows, then what is there.
 *
 * Who is odd has moved, from nowhere: its old position is NaN, so it finds all who are in range now as new, and they
 * find it so. Where it was, its past row is compared with the old positions of those around, for whom it leaves; who is
 * both to one observer was seen and still is. As an observer it is told of who is new and not in the list that it had.
 *
 * A stir is made for a block in the interest phase by one worker, in its own memory; what it says follows from the
 * tick alone, so all workers that take a piece of the block go the same way. Its arrays stay as large as they ever
 * were: as many as a block and what is around it has of rows that moved, or observe, and some times that for
 * PHX_SPARSE_ODD_MOST odd ones, which find all in range.
 */
#ifndef PHX_SHARDS_INTEREST_SPARSE_PLAN_H
#define PHX_SHARDS_INTEREST_SPARSE_PLAN_H

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"
#include "shards/state/shard.h"

/* What may be so, and is the least work. */
typedef enum phx_sparse_plan_way {
    PHX_SPARSE_NONE = 0,    /* a tile, or each observer's whole list; nothing else of the stir means anything */
    PHX_SPARSE_BY_MOVERS,   /* those who moved look around, and tell the others */
    PHX_SPARSE_BY_OBSERVERS /* each observer looks around for itself */
} phx_sparse_plan_way;

enum {
    PHX_SPARSE_ODD_MOST = 16, /* rows and past rows of who is odd around a block: with more each finds too much */
    PHX_SPARSE_AT_ONCE = 64,  /* who looks: that many's looks stay in the nearest cache */
    PHX_SPARSE_LOOKS = PHX_SPARSE_AT_ONCE * PHX_BLOCK_SIDE + PHX_KERNEL_PAD
};

/* In an event's target: it is a past row, which leaves. */
static const uint32_t PHX_SPARSE_PAST = 1u << 30; /* not of PHX_PAIR_PLACE */

/* An event of an observer, if the target's attributes let it see it. */
typedef struct phx_sparse_plan_pair {
    uint32_t target;   /* its row, with PHX_PAIR_LEAVE; or its past row, with PHX_SPARSE_PAST, too */
    uint32_t previous; /* the observer's one before, or PHX_SPARSE_NO_PAIR */
} phx_sparse_plan_pair;

static const uint32_t PHX_SPARSE_NO_PAIR = UINT32_MAX;

typedef struct phx_sparse_plan {
    const phx_shard *shard; /* of this block of this shard in this tick; NULL = nothing yet */
    uint64_t tick;
    uint32_t block;
    phx_sparse_plan_way way;
    bool odd;         /* something odd is in sight of the block's observers, or was; then past rows count */
    float reach;      /* how far along an axis from who looks there are towers with rows that may be an event with it */
    phx_rect around;  /* the towers where all rows stand that may be one with the block's */
    uint32_t *movers; /* rows of all who were touched in reach of the block's rows, or not far off: first its own */
    uint32_t mover_count, own_count, movers_capacity;
    uint32_t
        *beyond; /* of those who look around, who has other blocks in reach: a part for each phx_row_ranges.beyond */
    uint32_t beyond_part, beyond_count[PHX_BEYONDS], beyond_capacity;
    phx_row_ranges looks; /* of up to PHX_SPARSE_AT_ONCE, in: */
    uint32_t look_words[3][PHX_SPARSE_LOOKS];
    uint32_t *found; /* what they find: the two arrays of phx_view_changes */
    uint32_t found_capacity;
    phx_span piece; /* rows whose observers are told, from these pairs: */
    phx_sparse_plan_pair *pairs;
    uint32_t pair_count, pairs_capacity;
    uint64_t *told; /* a bit for each row of the piece: it has pairs, */
    uint32_t *last; /* ... of which this is the last one; nothing else of it means anything */
    uint32_t told_capacity, last_capacity;
} phx_sparse_plan;

void phx_sparse_plan_free(phx_sparse_plan *stir, phx_mem *mem);

/* May those who moved look, in this tick? */
static inline bool phx_sparse_plan_movers(const phx_shard *shard)
{
    return shard->delta_allowed && shard->derives_lists && !shard->dense_tick;
}

/* The stir of a block; the one that is there if it is that. false = no memory. */
bool phx_sparse_plan_open(phx_sparse_plan *stir, phx_mem *mem, const phx_shard *shard, uint32_t block);

#endif
