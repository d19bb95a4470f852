/*
 * The best of the candidates; see best_candidates.h. No candidate is looked at one by one, but where the limit falls
 * between some that are equally far off.
 */
#include "shards/interest/best_candidates.h"

#include "base/simd.h"
#include "shards/simd/top_k.h"

bool phx_scratch_ranks(phx_scratch *scratch, uint32_t count)
{
    return phx_grow(scratch->mem, (void **)&scratch->ranked, &scratch->ranked_capacity, 0, count, sizeof(phx_ranked));
}

/* ---- the last rank that is kept ---- */

static uint32_t count_from_rank(const phx_evaluation *at, uint32_t rank)
{
    const uint16_t *ranks = at->scratch->ranks;
    uint32_t n = 0;
    for (uint32_t i = 0; i < at->count; i++) n += ranks[i] >= rank;
    return n;
}

/* The ranks of the candidates, from..to. */
typedef struct rank_range {
    uint32_t low, high;
} rank_range;

/* Where no rank is above 1, only candidates beside the scan are looked at: links. */
static rank_range range_of_ranks(const phx_evaluation *at)
{
    const uint16_t *ranks = at->scratch->ranks;
    const bool alike = at->top == 1 && at->scanned > 0;
    uint16_t low = alike ? 1 : UINT16_MAX, high = alike ? 1 : 0; /* of the ranks' width: more of them fit a vector */
    for (uint32_t i = alike ? at->scanned : 0; i < at->count; i++) {
        low = ranks[i] < low ? ranks[i] : low;
        high = ranks[i] > high ? ranks[i] : high;
    }
    return (rank_range){low, high};
}

/* The greatest rank such that the candidates from it on are not fewer than `keep`. */
static uint32_t find_last_rank(const phx_evaluation *at, rank_range of, uint32_t keep)
{
    while (of.low < of.high) {
        const uint32_t middle = (of.low + of.high + 1) / 2;
        if (count_from_rank(at, middle) >= keep) of.low = middle;
        else of.high = middle - 1;
    }
    return of.low;
}

/* No rank is above that of a listed target. Returns the ranks. */
static rank_range seat_listed(phx_evaluation *at)
{
    const rank_range ranks = range_of_ranks(at);
    const uint8_t *was = at->scratch->was;
    uint16_t *rank = at->scratch->ranks;
    for (uint32_t i = 0; ranks.low < ranks.high && i < at->count; i++) rank[i] |= (uint16_t)-was[i];
    return ranks;
}

/* Drops candidates of lower ranks; candidates of higher ranks are sure to stay. Returns how many are sure. */
static uint32_t part_by_rank(phx_evaluation *at, uint32_t rank)
{
    phx_scratch *scratch = at->scratch;
    const phx_rank_part part = at->shard->kernels->part_at_rank(scratch->hits, scratch->keys, scratch->was,
                                                                scratch->ranks, at->count, (uint16_t)rank);
    at->count = part.kept;
    return part.sure;
}

/* ---- the limit within that rank ---- */

double phx_farthest_square(const phx_evaluation *at)
{
    const phx_rules *rules = at->shard->rules;
    const double side = (double)rules->tower_size, span = side * (rules->span + 1);
    const double width = side * rules->towers[0], height = side * rules->towers[1];
    const bool in_towers = rules->range == PH_RANGE_TOWERS && at->radius >= at->attr->view;
    const double square = in_towers ? 2.0 * span * span : (double)phx_evaluation_square(at);
    return fmin(square, width * width + height * height);
}

/* So many of the last candidates may be farther off than the view, as they were beside the scan. */
static double farthest_key(const phx_evaluation *at, uint32_t beside)
{
    double most = phx_farthest_square(at) * at->shard->rules->sticky;
    for (uint32_t i = at->count > beside ? at->count - beside : 0; i < at->count; i++)
        most = fmax(most, at->scratch->keys[i]);
    return nextafter(most, INFINITY);
}

phx_choice phx_choose_best(phx_evaluation *at, uint32_t keep, uint32_t seated, double guess)
{
    const rank_range ranks = seated > 0 ? seat_listed(at) : range_of_ranks(at);
    phx_choice best = {.keep = keep, .sure = seated, .rank = find_last_rank(at, ranks, keep)};
    const uint32_t beside = at->count - at->scanned;
    if (ranks.low < ranks.high) best.sure = part_by_rank(at, best.rank);
    const double most = farthest_key(at, beside); /* without linked targets, which may be anywhere, but are sure */
    const phx_split_bounds of = {.sure = best.sure, .keep = keep, .most = most, .guess = guess};
    best.split = at->count == keep ? (phx_split){.limit = INFINITY, .found = true}
                                   : phx_rank_split(at->shard->kernels, at->scratch->keys, at->count, of);
    PHX_ASSERT(best.sure < keep && at->count >= keep);
    return best;
}

bool phx_choose_by_id(phx_evaluation *at, phx_choice *best)
{
    phx_scratch *scratch = at->scratch;
    const phx_split *split = &best->split;
    const uint32_t count = at->count, keep = best->keep - split->within;
    const double low = split->low, high = split->high;
    double *keys = scratch->keys;
    uint32_t n = 0;
    if (split->found) return true;
    if (!phx_scratch_ranks(scratch, count)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (keys[i] > low && keys[i] <= high)
            scratch->ranked[n++] =
                (phx_ranked){.id = at->shard->store.name[scratch->hits[i]].id, .key = keys[i], .slot = i};
    PHX_ASSERT(n > keep);
    phx_rank_best(scratch->ranked, n, keep);
    for (uint32_t i = 0; i < n; i++) keys[scratch->ranked[i].slot] = i < keep ? low : INFINITY;
    best->split.limit = low;
    return true;
}
