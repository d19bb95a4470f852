/*
 * The new list at a cap and at adds_max; see cap_select.h.
 */
#include "shards/interest/cap_select.h"

#include <math.h>

#include "base/simd.h"
#include "shards/interest/best_candidates.h"
#include "shards/interest/rank_table.h"
#include "shards/state/list_cut.h"

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

/*
 * Finds a limit that tells for any target of the last rank whether it is kept, also for one that was not scanned, which
 * is farther off than the radius.
 */
static void find_cut_limit(phx_evaluation *at, const phx_choice *best)
{
    const double within = at->radius < at->attr->view ? nextafter((double)(at->radius * at->radius), 0.0)
                                                      : phx_list_cut_most(at->shard, at->attr);
    if (!best->split.found || best->rank >= PHX_RANK_ALWAYS) return;
    at->rank = (uint16_t)best->rank;
    at->kept = best->keep - best->sure;
    if (best->split.limit <= within) at->limit = best->split.limit;
    else if (at->shard->kernels->count_within(at->scratch->keys, at->count, within) == best->keep) at->limit = within;
}

/* Cuts the candidates, which are more than the cap. */
static phx_scan_result cut_candidates(phx_evaluation *at)
{
    const uint32_t cap = at->attr->cap, all = at->count;
    phx_choice best = phx_choose_best(at, cap, 0, 0.0);
    if (at->radius < at->attr->view && !has_best(at, best.rank, best.split.found ? best.split.limit : INFINITY))
        return PHX_SCAN_TOO_SHORT;
    /* the nearest guess, if it was not found; of a lower rank the whole view is needed */
    at->scratch->square_each =
        (best.rank < at->top || best.split.limit == INFINITY ? phx_farthest_square(at) : best.split.limit) /
        (cap - best.sure);
    find_cut_limit(at, &best);
    if (!phx_choose_by_id(at, &best)) return PHX_SCAN_NO_MEMORY;
    at->cut = true;
    const bool all_listed = at->listed == at->old_count && at->count == all;
    split_candidates(at, best.split.limit, all_listed ? 0 : leave_others(at));
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

/*
 * After the cap the candidates are the new list, in their order: the columns anew, as without a cap. No candidate is of
 * the scan then.
 */
static void rank_enters(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    for (uint32_t i = 0, entered = 0; i < at->count; i++) {
        const uint32_t slot = scratch->hits[i];
        const bool enters = entered < at->events.enter && slot == scratch->enter[entered];
        const phx_ranked as = phx_rank_enter(at->shard, at->slot, at->relations, slot);
        scratch->ranks[i] = (uint16_t)as.first;
        scratch->keys[i] = enters ? as.key : PHX_KEY_SURE;
        scratch->was[i] = !enters;
        entered += enters;
    }
    at->scanned = 0;
}

/*
 * Of the candidates that are not listed, the best join, `adds` of more; the others are held. So many leaves were found
 * before. false = no memory.
 */
static bool hold_enters(phx_evaluation *at, uint32_t enters, uint32_t leaves)
{
    const uint32_t listed = at->count - enters;
    double limit = PHX_KEY_SURE;
    if (at->adds > 0) {
        phx_choice best = phx_choose_best(at, listed + at->adds, listed, at->scratch->square_joined);
        if (best.split.limit < INFINITY) at->scratch->square_joined = best.split.limit;
        if (!phx_choose_by_id(at, &best)) return false;
        limit = best.split.limit;
        at->rank = (uint16_t)best.rank;
    }
    split_candidates(at, limit, leaves);
    PHX_ASSERT(at->count == listed + at->adds);
    at->held = enters - at->adds;
    if (at->attr->cap > 0) at->limit = 0.0;                         /* not of all: the cap left out others */
    if (at->attr->cap > 0 || at->rank != at->near_top) return true; /* no delta is enough */
    if (limit > 0.0 && limit < INFINITY) at->limit = limit, at->kept = at->held;
    return true;
}

/* The candidates at the cap, if there are so many. */
static phx_scan_result select_capped(phx_evaluation *at)
{
    if (at->count > at->attr->cap) return cut_candidates(at);
    if (at->radius < at->attr->view) return PHX_SCAN_TOO_SHORT;
    at->scratch->square_each = phx_farthest_square(at) / (at->count + 1);
    split_candidates(at, INFINITY, at->listed == at->old_count ? 0 : leave_others(at));
    return PHX_SCAN_DONE;
}

/* Without a cap. false = no memory. */
static bool select_uncapped(phx_evaluation *at)
{
    const uint32_t enters = at->count - at->listed, leaves = at->listed == at->old_count ? 0 : leave_others(at);
    if (enters > at->adds) return hold_enters(at, enters, leaves);
    split_candidates(at, INFINITY, leaves);
    return true;
}

phx_scan_result phx_cap_select(phx_evaluation *at)
{
    if (!at->keyed) {
        take_candidates(at);
    } else if (at->attr->cap > 0) {
        const phx_scan_result result = select_capped(at);
        if (result != PHX_SCAN_DONE) return result;
        if (at->events.enter > at->adds) {
            rank_enters(at);
            if (!hold_enters(at, at->events.enter, at->events.leave)) return PHX_SCAN_NO_MEMORY;
        }
    } else if (!select_uncapped(at)) {
        return PHX_SCAN_NO_MEMORY;
    }
    /* a resent list may have lost targets in the margin that do not pass again: the next tick finds none is left */
    if (PHX_UNLIKELY(at->adds == 0) && at->held == 0) at->held = 1;
    return PHX_SCAN_DONE;
}
