/*
 * The choice of targets at a cap; see cap_select.h. No target is looked at one by one, but where the limit falls
 * between targets that are equally far off.
 */
#include "shards/interest/cap_select.h"

#include "base/simd.h"
#include "shards/interest/rank_table.h"
#include "shards/simd/top_k.h"

/* Key of a candidate with a better rank than the last kept one: below any square. */
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

/* The greatest rank such that the candidates from it on are not fewer than the cap. */
static uint32_t find_last_rank(const phx_evaluation *at, rank_range of)
{
    while (of.low < of.high) {
        const uint32_t middle = (of.low + of.high + 1) / 2;
        if (count_from_rank(at, middle) >= at->attr->cap) of.low = middle;
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

/*
 * No limit splits the candidates, as some are equally far off: ids decide. Afterwards the limit 0 splits them. false =
 * no memory.
 */
static bool split_by_id(phx_evaluation *at, uint32_t sure)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t keep = at->attr->cap - sure;
    uint32_t n = 0;
    if (!phx_scratch_ranks(scratch, at->count)) return false;
    for (uint32_t i = 0; i < at->count; i++)
        if (scratch->keys[i] >= 0.0)
            scratch->ranked[n++] =
                (phx_ranked){.id = at->shard->store.name[scratch->hits[i]].id, .key = scratch->keys[i], .slot = i};
    PHX_ASSERT(n == at->count - sure && n > keep);
    phx_rank_best(scratch->ranked, n, keep);
    for (uint32_t i = 0; i < n; i++) scratch->keys[scratch->ranked[i].slot] = i < keep ? KEY_SURE : INFINITY;
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

/* Splits the candidates at the limit. */
static void split_candidates(phx_evaluation *at, double limit, bool all_listed)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t others = all_listed ? 0 : leave_others(at);
    at->events = at->shard->kernels->split_at_limit(scratch->hits, scratch->keys, scratch->was, at->count, limit,
                                                    scratch->enter, scratch->leave + others);
    at->events.leave += others;
    at->count = at->events.stay;
}

/* Without a cap all candidates are the list. */
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
    phx_scratch *scratch = at->scratch;
    const rank_range ranks = range_of_ranks(at);
    const uint32_t cap = at->attr->cap, all = at->count, rank = find_last_rank(at, ranks);
    const double most = farthest_key(at);
    const bool in_part = at->radius < at->attr->view;
    double limit = INFINITY;
    const uint32_t sure = ranks.low < ranks.high ? part_by_rank(at, rank) : 0;
    const bool split =
        at->count == cap || phx_rank_split(at->shard->kernels, scratch->keys, at->count, sure, cap, most, &limit);
    PHX_ASSERT(sure < cap && at->count >= cap);
    if (in_part && !has_best(at, rank, split ? limit : INFINITY)) return PHX_SCAN_TOO_SHORT;
    /* the nearest guess, if it was not found; of a lower rank the whole view is needed */
    scratch->square_each = (rank < at->top || limit == INFINITY ? farthest_square(at) : limit) / (cap - sure);
    if (!split && !split_by_id(at, sure)) return PHX_SCAN_NO_MEMORY;
    at->cut = true;
    split_candidates(at, split ? limit : 0.0, at->listed == at->old_count && at->count == all);
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

/* Holds all enters but the best ones. false = no memory. */
static bool hold_enters(phx_evaluation *at, uint32_t most)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t enters = at->events.enter, tag = phx_scratch_epoch(scratch);
    uint32_t n = 0;
    if (!phx_scratch_ranks(scratch, enters)) return false;
    for (uint32_t i = 0; i < enters; i++)
        scratch->ranked[i] = phx_rank_enter(at->shard, at->slot, at->relations, scratch->enter[i]);
    if (most > 0) phx_rank_best(scratch->ranked, enters, most);
    for (uint32_t i = 0; i < enters; i++) {
        if (i < most) scratch->enter[i] = scratch->ranked[i].slot;
        else scratch->mark[scratch->ranked[i].slot] = tag;
    }
    for (uint32_t i = 0; i < at->count; i++) {
        scratch->hits[n] = scratch->hits[i];
        n += scratch->mark[scratch->hits[i]] != tag;
    }
    at->count = n;
    at->events.enter = most;
    at->held = enters - most;
    return true;
}

/* Cuts the enters to adds_max; of a partial list that is restored none may join. false = no memory. */
static bool cut_enters(phx_evaluation *at)
{
    if (PHX_UNLIKELY(at->shard->restoring)) {
        if (!(at->body->state & PHX_SLOT_PARTIAL)) return true;
        if (at->events.enter > 0) return hold_enters(at, 0);
        /* a resent list may have lost targets in the margin that do not pass again: the next tick finds none is left */
        at->held = 1;
        return true;
    }
    if (!at->attr->spreads) return true;
    const uint32_t most = at->shard->rules->classes[at->attr->kind].adds_max;
    /* most = 0: the entity does not follow its changed class yet, for want of memory */
    return most == 0 || at->events.enter <= most || hold_enters(at, most);
}

/* The candidates at the cap, if there are so many. */
static phx_scan_result select_capped(phx_evaluation *at)
{
    if (at->count > at->attr->cap) return cut_candidates(at);
    if (at->radius < at->attr->view) return PHX_SCAN_TOO_SHORT;
    at->scratch->square_each = farthest_square(at) / (at->count + 1);
    split_candidates(at, INFINITY, at->listed == at->old_count);
    return PHX_SCAN_DONE;
}

phx_scan_result phx_cap_select(phx_evaluation *at)
{
    phx_scan_result result = PHX_SCAN_DONE;
    if (at->attr->cap > 0) result = select_capped(at);
    else take_candidates(at);
    if (result != PHX_SCAN_DONE) return result;
    return cut_enters(at) ? PHX_SCAN_DONE : PHX_SCAN_NO_MEMORY;
}
