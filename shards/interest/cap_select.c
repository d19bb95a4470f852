/*
 * The choice of targets at a cap; see cap_select.h. No target is looked at one by one, but where the limit falls
 * between targets that are equally far off.
 */
#include "shards/interest/cap_select.h"

#include "base/simd.h"
#include "shards/interest/rank_table.h"
#include "shards/simd/top_k.h"

/* Key of a candidate that is sure to stay: below any square. */
static const double KEY_SURE = -1.0;

/*
 * An upper bound of squared distances of a scan if the view has no end, except for entities outside the world. Guesses
 * begin here.
 */
static double farthest_square(const phx_evaluation *at)
{
    const phx_rules *rules = at->shard->rules;
    double width = (double)rules->towers[0] * (double)rules->tower_size;
    double height = (double)rules->towers[1] * (double)rules->tower_size;
    return fmin((double)phx_evaluation_square(at), width * width + height * height);
}

float phx_cap_likely_radius(const phx_evaluation *at)
{
    const double slack = 1.35; /* of the area: less often fails, and costs a second scan */
    const double radius = sqrt(at->scratch->square_each * at->attr->cap * slack);
    const float view = at->attr->view;
    const bool in_part = radius > 0.0 && radius < (double)view && at->shard->storage->scans_in_part;
    const ph_shape shape = at->shard->rules->shape;
    const bool flat = shape == PH_SHAPE_CIRCLE || shape == PH_SHAPE_SQUARE;
    return in_part && flat && at->attr->cap > 0 && !at->shard->restoring ? (float)radius : view;
}

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

static rank_range range_of_ranks(const phx_evaluation *at)
{
    const uint16_t *ranks = at->scratch->ranks;
    uint16_t low = UINT16_MAX, high = 0; /* of the ranks' width: more of them fit a vector */
    for (uint32_t i = 0; i < at->count; i++) {
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

/* Drops candidates of lower ranks; candidates of higher ranks are sure to stay. Returns how many are sure. */
static uint32_t part_by_rank(phx_evaluation *at, uint32_t rank)
{
    const phx_scratch *scratch = at->scratch;
    const uint16_t *ranks = scratch->ranks;
    uint32_t *hits = scratch->hits;
    uint8_t *was = scratch->was;
    double *keys = scratch->keys;
    const uint32_t count = at->count;
    uint32_t n = 0, sure = 0;
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be mispredicted */
        const bool above = ranks[i] > rank;
        const double key = keys[i];
        hits[n] = hits[i];
        was[n] = was[i];
        keys[n] = above ? KEY_SURE : key;
        sure += above;
        n += ranks[i] >= rank;
    }
    at->count = n;
    return sure;
}

/* ---- the limit within that rank ---- */

/* Candidates beside the scan may be farther off than the view. */
static double farthest_key(const phx_evaluation *at)
{
    double most = farthest_square(at) * at->shard->rules->sticky;
    for (uint32_t i = at->scanned; i < at->count; i++) most = fmax(most, at->scratch->keys[i]);
    return nextafter(most, INFINITY);
}

/* The best candidates, of more. */
typedef struct choice {
    uint32_t keep; /* so many */
    uint32_t sure; /* of them by rank, or as they are listed */
    uint32_t rank; /* the last rank that is kept */
    bool split;    /* the limit splits the candidates of that rank; else some are equally far off */
    double limit;
} choice;

/* Chooses by rank and key, as far as they tell. The candidates of lower ranks are dropped. */
static choice choose_best(phx_evaluation *at, rank_range ranks, uint32_t keep, uint32_t sure)
{
    choice best = {.keep = keep, .sure = sure, .rank = find_last_rank(at, ranks, keep), .limit = INFINITY};
    const double most = farthest_key(at);
    if (ranks.low < ranks.high) best.sure = part_by_rank(at, best.rank);
    best.split = at->count == keep || phx_rank_split(at->shard->kernels, at->scratch->keys, at->count, best.sure, keep,
                                                     most, &best.limit);
    PHX_ASSERT(best.sure < keep && at->count >= keep);
    return best;
}

/*
 * If no limit splits the candidates, as some are equally far off, ids decide. Afterwards the limit 0 splits them. false
 * = no memory.
 */
static bool split_by_id(phx_evaluation *at, choice *best)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t keep = best->keep - best->sure;
    uint32_t n = 0;
    if (best->split) return true;
    if (!phx_scratch_ranks(scratch, at->count)) return false;
    for (uint32_t i = 0; i < at->count; i++)
        if (scratch->keys[i] >= 0.0)
            scratch->ranked[n++] =
                (phx_ranked){.id = at->shard->store.name[scratch->hits[i]].id, .key = scratch->keys[i], .slot = i};
    PHX_ASSERT(n == at->count - best->sure && n > keep);
    phx_rank_best(scratch->ranked, n, keep);
    for (uint32_t i = 0; i < n; i++) scratch->keys[scratch->ranked[i].slot] = i < keep ? KEY_SURE : INFINITY;
    best->limit = 0.0;
    return true;
}

/* ---- the list ---- */

/* Listed targets that are no candidates become leaves. Returns how many. */
static uint32_t leave_others(const phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t *old = at->old, *hits = scratch->hits, tag = at->tag;
    uint32_t *mark = scratch->mark, *leave = scratch->leave, leaves = 0;
    for (uint32_t i = 0; i < at->count; i++) mark[hits[i]] = tag;
    for (uint32_t i = 0; i < at->old_count; i++) {
        leave[leaves] = old[i];
        leaves += mark[old[i]] != tag;
    }
    return leaves;
}

/* Splits the candidates at the limit; so many leaves were found before. */
static void split_candidates(phx_evaluation *at, double limit, uint32_t leaves)
{
    phx_scratch *scratch = at->scratch;
    at->events = at->shard->kernels->split_at_limit(scratch->hits, scratch->keys, scratch->was, at->count, limit,
                                                    scratch->enter, scratch->leave + leaves);
    at->events.leave += leaves;
    at->count = at->events.stay;
}

/* Without a limit all candidates are the list. */
static void take_candidates(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    uint32_t enters = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        scratch->enter[enters] = scratch->hits[i];
        enters += !(phx_evaluation_mark(at, scratch->hits[i]) & PHX_MARK_OLD);
    }
    at->events = (phx_cap_split){.stay = at->count, .enter = enters, .leave = leave_others(at)};
}

/* Are the best targets among the candidates, though the radius is a part of the view? */
static bool has_best(const phx_evaluation *at, uint32_t rank, double limit)
{
    const double square = (double)(at->radius * at->radius), below = nextafter(square, 0.0);
    if (rank < at->top || !(square > 0.0)) return false;
    return limit < square || at->shard->kernels->count_within(at->scratch->keys, at->count, below) >= at->attr->cap;
}

/* Cuts the candidates, which are more than the cap. */
static phx_scan_result cut_candidates(phx_evaluation *at)
{
    const uint32_t cap = at->attr->cap, all = at->count;
    choice best = choose_best(at, range_of_ranks(at), cap, 0);
    if (at->radius < at->attr->view && !has_best(at, best.rank, best.split ? best.limit : INFINITY)) return PHX_SCAN_TOO_SHORT;
    /* the nearest guess, if it was not found; of a lower rank the whole view is needed */
    at->scratch->square_each =
        (best.rank < at->top || best.limit == INFINITY ? farthest_square(at) : best.limit) / (cap - best.sure);
    if (!split_by_id(at, &best)) return PHX_SCAN_NO_MEMORY;
    at->cut = true;
    const bool all_listed = at->listed == at->old_count && at->count == all;
    split_candidates(at, best.limit, all_listed ? 0 : leave_others(at));
    PHX_ASSERT(at->count == cap);
    return PHX_SCAN_DONE;
}

/* ---- adds_max ---- */

phx_ranked phx_rank_enter(const phx_shard *shard, uint32_t observer, const phx_relation_set *relations, uint32_t target)
{
    const phx_store *store = &shard->store;
    const phx_attr *attr = phx_store_attr(store, target);
    const uint64_t id = store->name[target].id;
    const phx_relation *relation = phx_relation_find(relations, id);
    return (phx_ranked){.id = id,
                        .key = (double)phx_rank_d2(shard->rules, &store->body[observer], &store->body[target]),
                        .slot = target,
                        .first = phx_rank_of_target(attr, relation && (relation->bits & PHX_RELATION_LINK))};
}

uint32_t phx_adds_allowed(const phx_evaluation *at)
{
    if (PHX_UNLIKELY(at->shard->restoring)) return at->body->state & PHX_SLOT_PARTIAL ? 0 : PHX_ADDS_ALL;
    const uint32_t most = at->attr->spreads ? at->shard->rules->classes[at->attr->kind].adds_max : 0;
    /* 0: the entity does not follow its changed class yet, for want of memory */
    return most > 0 ? most : PHX_ADDS_ALL;
}

/* After a cut the candidates are the new list, in their order: their columns anew. */
static void rank_enters(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    for (uint32_t i = 0, entered = 0; i < at->count; i++) {
        const uint32_t slot = scratch->hits[i];
        const bool enters = entered < at->events.enter && slot == scratch->enter[entered];
        const phx_ranked as = enters ? phx_rank_enter(at->shard, at->slot, at->relations, slot) : (phx_ranked){0};
        scratch->ranks[i] = (uint16_t)as.first;
        scratch->keys[i] = as.key;
        scratch->was[i] = !enters;
        entered += enters;
    }
}

/* Listed targets are sure to stay, whatever their rank. Returns the ranks of the others. */
static rank_range seat_listed(phx_evaluation *at)
{
    uint16_t *ranks = at->scratch->ranks, low = UINT16_MAX, high = 0;
    double *keys = at->scratch->keys;
    const uint8_t *was = at->scratch->was;
    for (uint32_t i = 0; i < at->count; i++) {
        const uint16_t listed = (uint16_t)-was[i], rank = ranks[i] | listed; /* no branch: it would be mispredicted */
        const uint16_t other = rank & (uint16_t)~listed;
        ranks[i] = rank;
        low = rank < low ? rank : low;
        high = other > high ? other : high;
    }
    for (uint32_t i = 0; i < at->count; i++) keys[i] = was[i] ? KEY_SURE : keys[i];
    return (rank_range){low, high};
}

/*
 * Of the candidates that are not listed, the best join, `adds` of more; the others are held. So many leaves were found
 * before. false = no memory.
 */
static bool hold_enters(phx_evaluation *at, uint32_t enters, uint32_t leaves)
{
    const uint32_t listed = at->count - enters;
    const rank_range ranks = seat_listed(at);
    double limit = KEY_SURE;
    if (at->adds > 0) {
        choice best = choose_best(at, ranks, listed + at->adds, listed);
        if (!split_by_id(at, &best)) return false;
        limit = best.limit;
    }
    split_candidates(at, limit, leaves);
    PHX_ASSERT(at->count == listed + at->adds);
    at->held = enters - at->adds;
    return true;
}

/* Cuts the candidates to the cap, and then the enters among them to `adds`. */
static phx_scan_result select_cut(phx_evaluation *at)
{
    const phx_scan_result result = cut_candidates(at);
    if (result != PHX_SCAN_DONE || at->events.enter <= at->adds) return result;
    rank_enters(at);
    return hold_enters(at, at->events.enter, at->events.leave) ? PHX_SCAN_DONE : PHX_SCAN_NO_MEMORY;
}

/* The candidates are not more than the cap. */
static phx_scan_result select_uncut(phx_evaluation *at)
{
    const uint32_t enters = at->count - at->listed;
    if (at->attr->cap > 0) {
        if (at->radius < at->attr->view) return PHX_SCAN_TOO_SHORT;
        at->scratch->square_each = farthest_square(at) / (at->count + 1);
    }
    const uint32_t leaves = at->listed == at->old_count ? 0 : leave_others(at);
    if (enters > at->adds) return hold_enters(at, enters, leaves) ? PHX_SCAN_DONE : PHX_SCAN_NO_MEMORY;
    split_candidates(at, INFINITY, leaves);
    return PHX_SCAN_DONE;
}

phx_scan_result phx_cap_select(phx_evaluation *at)
{
    const uint32_t cap = at->attr->cap;
    phx_scan_result result = PHX_SCAN_DONE;
    if (!at->keyed) take_candidates(at);
    else result = cap > 0 && at->count > cap ? select_cut(at) : select_uncut(at);
    /* a resent list may have lost targets in the margin that do not pass again: the next tick finds none is left */
    if (PHX_UNLIKELY(at->adds == 0) && at->held == 0) at->held = 1;
    return result;
}
