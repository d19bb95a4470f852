/*
 * The delta of a list that a cap cut; see delta_cut.h.
 */
#include "shards/interest/delta_cut.h"

#include <math.h>

#include "base/simd.h"
#include "shards/interest/candidates.h"
#include "shards/interest/change_record.h"
#include "shards/interest/cut_discontinuous.h"
#include "shards/interest/cut_ranks.h"
#include "shards/interest/cut_related.h"
#include "shards/interest/cut_undecided.h"
#include "shards/interest/rank_table.h"
#include "shards/state/list_limit.h"
#include "shards/state/related.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* ---- memory ---- */

/* Prefetches a list's entries. */
PHX_PREFETCH_INLINE void await_entries(const phx_shard *shard, const phx_list *list)
{
    enum { LINES = 8, LINE = PHX_CACHE_LINE / sizeof(uint32_t) }; /* of more entries the hardware prefetches the rest */
    if (list->derived || list->count == 0) return;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    for (uint32_t i = 0; i < LINES * LINE && i < list->count; i += LINE) __builtin_prefetch(entries + i, 1);
}

void phx_delta_cut_await(const phx_scratch *scratch, const phx_shard *shard, uint32_t own, uint32_t end)
{
    enum { NEAR = 4, FAR = 12 }; /* observers ahead */
    const phx_tile *tile = &scratch->tile;
    if (own + FAR >= end) return;
    const uint32_t far = phx_row_slot(&shard->grid.rows, tile->row[tile->own[own + FAR]]);
    const uint32_t near_row = tile->row[tile->own[own + NEAR]];
    __builtin_prefetch(&shard->store.tail[far], 1);
    __builtin_prefetch(&shard->store.set[far]);
    __builtin_prefetch(&shard->store.body[far]);
    if (far < shard->list_cuts.count) __builtin_prefetch(&shard->list_cuts.at[far], 1);
    if (tile->annular && far < shard->annuli_capacity) __builtin_prefetch(&shard->annuli[far]);
    if (shard->grid.rows.view[near_row] > 0.0f) /* a ghost has no list there */
        await_entries(shard, &shard->store.tail[phx_row_slot(&shard->grid.rows, near_row)].list);
}

/* ---- may a delta be enough? ---- */

/* Finds the relations. false: ones that ended are not known. */
static bool find_relations(phx_cut_list *at)
{
    const phx_shard *shard = at->shard;
    if (!(shard->store.body[at->slot].state & PHX_SLOT_RELATED)) return true;
    if (phx_related_forgot(shard, at->slot)) return false;
    at->related = phx_related_of(shard, at->slot);
    at->related_due = phx_related_due(shard, at->slot);
    return true;
}

/* Is the list as it was noted, and did nothing change but by steps? */
static bool delta_allowed(phx_cut_list *at)
{
    const phx_tile *tile = &at->scratch->tile;
    const phx_list *list = at->list;
    const phx_attr *attr = at->attr;
    if (!phx_list_cut_holds(at->shard, at->slot)) return false;
    if (tile->bounded || (at->scratch->discontinuous_in_view && !phx_cut_discontinuous_few(tile))) return false;
    if (list->derived || list->owed || list->count == 0 || list->count != attr->cap || !phx_attr_observes(attr))
        return false;
    if (tile->renewed && phx_prev_rows_renewed(&at->shard->previous, at->row)) return false;
    return !phx_row_discontinuous(&at->shard->grid.rows, at->row) && find_relations(at);
}

/* Sets how far off a target is in the list, and from which height. */
static void set_radii(phx_cut_list *at)
{
    const phx_shard *shard = at->shard;
    const float view = at->attr->view, keep = view + at->attr->margin;
    const bool square = shard->rules->shape == PH_SHAPE_SQUARE;
    at->most = phx_list_cut_most(shard, at->attr);
    at->in = square ? INFINITY : view * view;
    at->keep = square ? INFINITY : keep * keep;
    at->z = shard->uneven ? shard->store.body[at->slot].z : 0.0f;
    at->old_z = shard->uneven ? shard->old_heights.at[at->slot] : 0.0f;
}

/* Finds the ranks of targets. false = no memory. */
static bool find_ranks(phx_cut_list *at)
{
    phx_scratch *scratch = at->scratch;
    at->ranks = phx_rank_table_of(&scratch->rank_tables, scratch->mem, &at->shard->store, at->attr, false);
    const size_t most = (size_t)scratch->tile.count + (at->related ? at->related->count : 0);
    return at->ranks && phx_scratch_room(scratch, most) && phx_candidates_room(scratch, most, true);
}

/* ---- the new limit ---- */

/* How many of the undecided a limit keeps. */
static uint32_t limit_keeps(const phx_cut_list *at, double limit)
{
    return at->shard->kernels->count_within(at->scratch->keys, at->count, limit);
}

#define BELOW_ONE (1.0 - 0x1p-52) /* a limit times this is below it */
#define HALF_KEY 0.5              /* a limit lies in the middle between two keys */

/*
 * Finds a limit that keeps so many of the undecided, mostly near the last one. false: there is none in the range, or
 * some are equally far off.
 */
static bool find_limit(const phx_cut_list *at, uint32_t keep, double *limit)
{
    enum { STEPS = 8 };
    double low = at->low, high = at->high * BELOW_ONE;
    uint32_t below = limit_keeps(at, low), within = limit_keeps(at, high), step = 0;
    *limit = fmin(fmax(at->cut.limit, low), high);
    for (; step < STEPS && below <= keep && keep <= within; step++) {
        const uint32_t kept = limit_keeps(at, *limit);
        if (kept == keep) return true;
        if (kept < keep) low = *limit, below = kept;
        else high = *limit, within = kept;
        *limit = low + (high - low) * ((keep - below + HALF_KEY) / (within - below + 2 * HALF_KEY));
    }
    return false;
}

/* ---- the new list ---- */

/* Writes the enters in the places of the leaves, which are as many. false: one of them is not listed; untouched. */
static bool exchange_targets(const phx_cut_list *at)
{
    const phx_scratch *scratch = at->scratch;
    uint32_t *entries = phx_list_entries(&at->shard->lists, at->list), *place = scratch->old;
    for (uint32_t i = 0; i < at->leaves; i++) {
        place[i] = at->shard->kernels->find_u32(entries, at->list->count, scratch->leave[i]);
        PHX_ASSERT(place[i] < at->list->count);
        if (PHX_UNLIKELY(place[i] == at->list->count)) return false;
    }
    for (uint32_t i = 0; i < at->leaves; i++) entries[place[i]] = scratch->enter[i];
    return true;
}

/* Records the events, and the new limit. */
static phx_delta_result record_cut(phx_cut_list *at, double limit)
{
    phx_scratch *scratch = at->scratch;
    const phx_cap_split split =
        at->shard->kernels->split_at_limit(scratch->hits, scratch->keys, scratch->was, at->count, limit,
                                           scratch->enter + at->enters, scratch->leave + at->leaves);
    at->enters += split.enter;
    at->leaves += split.leave;
    PHX_ASSERT(at->enters == at->leaves);
    if (phx_limit_holds_back(at->shard, at->slot, at->enters)) return PHX_DELTA_EVALUATE;
    if (at->enters > 0) {
        if (!phx_interest_reserve(scratch, at->enters + at->leaves, 0)) return PHX_DELTA_NO_MEMORY;
        if (!exchange_targets(at)) return PHX_DELTA_EVALUATE;
        phx_interest_record(scratch, at->shard, at->slot, at->enters, at->leaves);
    }
    phx_list_cut_note(at->shard, at->slot, limit, at->cut.rank, at->kept);
    return PHX_DELTA_DONE;
}

phx_delta_result phx_delta_cut(phx_scratch *scratch, phx_shard *shard, uint32_t place)
{
    const uint32_t row = scratch->tile.row[place], slot = phx_row_slot(&shard->grid.rows, row);
    phx_cut_list at = {.scratch = scratch,
                       .shard = shard,
                       .place = place,
                       .row = row,
                       .slot = slot,
                       .attr = phx_store_attr(&shard->store, slot),
                       .list = &shard->store.tail[slot].list};
    double limit;
    if (!delta_allowed(&at)) return PHX_DELTA_EVALUATE;
    if (!phx_rank_table_fits(&shard->store, false)) return PHX_DELTA_EVALUATE;
    at.cut = shard->list_cuts.at[slot];
    set_radii(&at);
    if (at.cut.limit > at.most) return PHX_DELTA_EVALUATE;
    if (!find_ranks(&at)) return PHX_DELTA_NO_MEMORY;
    const uint16_t top = phx_rank_top_of(at.ranks, at.attr->instance);
    if (at.cut.rank > top || phx_cut_far_changed(&scratch->tile)) return PHX_DELTA_EVALUATE;
    if (at.cut.rank < top && !phx_cut_find_higher(&at)) return PHX_DELTA_EVALUATE;
    at.kept = at.cut.kept + at.leaves - at.enters; /* higher ranks made room, or took it */
    if (!phx_cut_find_undecided(&at)) return PHX_DELTA_EVALUATE;
    if (scratch->discontinuous_in_view && !phx_cut_add_discontinuous(&at)) return PHX_DELTA_EVALUATE;
    phx_cut_find_keys(&at);
    if (at.related_due) phx_cut_add_related(&at);
    const uint32_t keep = at.listed + at.leaves - at.enters;
    if (at.enters > at.listed + at.leaves || keep > at.count || !find_limit(&at, keep, &limit))
        return PHX_DELTA_EVALUATE;
    return record_cut(&at, limit);
}
