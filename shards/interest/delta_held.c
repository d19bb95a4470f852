/*
 * The delta of a list that adds_max holds back; see delta_held.h.
 */
#include "shards/interest/delta_held.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "shards/interest/candidates.h"
#include "shards/interest/change_record.h"
#include "shards/interest/cut_undecided.h"
#include "shards/interest/held_pairs.h"
#include "shards/interest/held_rows.h"
#include "shards/interest/rank_table.h"
#include "shards/simd/top_k.h"
#include "shards/state/list_limit.h"
#include "shards/state/storage.h"

/* ---- may a delta be enough? ---- */

/* Few observers share the candidates of a cell: each would pick some of its own, which costs as much as evaluation. */
static bool few_observe(const phx_tile *tile)
{
    enum { OBSERVERS_PART = 4 }; /* of the block's rows; in mmo one in ten observes */
    return tile->shard->grid.blocks[tile->block].observers < (tile->rows.end - tile->rows.first) / OBSERVERS_PART;
}

bool phx_delta_held_due_sparse(const phx_shard *shard, uint32_t row)
{
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    if (!phx_list_cut_holds(shard, slot) || shard->list_cuts.at[slot].kept == UINT16_MAX) return false;
    const phx_list *list = &shard->store.tail[slot].list;
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (!attr->spreads || attr->cap > 0 || attr->margin > 0.0f || !phx_attr_observes(attr)) return false;
    if (list->derived || list->owed || list->count == 0 || shard->rules->shape == PH_SHAPE_SQUARE) return false;
    if (shard->store.body[slot].state & PHX_SLOT_RELATED) return false;
    return !phx_row_discontinuous(&shard->grid.rows, row) && !phx_prev_rows_noted(&shard->previous, slot);
}

bool phx_delta_held_due(const phx_tile *tile, const phx_shard *shard, uint32_t place)
{
    if (phx_tile_passes(tile, place)) return false;
    return phx_delta_held_due_sparse(shard, tile->row[place]);
}

/* ---- the ones that join ---- */

/* Finds rows that were farther off than `near` and are as near as `far`: scratch->hits. Returns how many. */
static uint32_t pick_joinable(phx_held_list *of, double near, double far)
{
    phx_cut_list *at = &of->at;
    phx_scratch *scratch = at->scratch;
    const phx_tile *tile = &scratch->tile;
    if (at->place == PHX_SLOT_NONE)
        return phx_held_rows_find(scratch, at->shard, at->row, near, far, scratch->hits, scratch->old);
    const phx_cut_borders by = {.listed = phx_cut_square_below(near, tile),
                                .unlisted = -1, /* no listed one is sought */
                                .stays = INT32_MAX,
                                .joins = phx_cut_square_above(far, tile)};
    if (few_observe(tile)) return phx_cut_scan(at, fmin(near, far), fmax(near, far), &by, scratch->hits);
    return phx_cut_pick(at, fmin(near, far), fmax(near, far), &by, scratch->hits);
}

/*
 * Finds held targets of the rank up to a squared distance, with their keys, and which of the targets that left are
 * listed.
 */
static void find_joinable(phx_held_list *of, float within)
{
    phx_cut_list *at = &of->at;
    const phx_scratch *scratch = at->scratch;
    const double view = (double)at->attr->view;
    uint32_t *hits = scratch->hits, *place = scratch->old, n = 0;
    at->count =
        pick_joinable(of, fmin(sqrt(at->cut.limit / at->shard->rules->sticky), view), fmin(sqrt((double)within), view));
    phx_cut_sift_near(at, within);
    if (of->bounded > 0) phx_held_pairs_add_bounded(of, within);
    memcpy(hits + at->count, scratch->leave, of->left * sizeof *hits); /* beyond the view: none of them is a hit */
    phx_cut_find_listed(at, hits, at->count + of->left, place);
    for (uint32_t i = 0; i < at->count; i++) {
        hits[n] = hits[i];
        scratch->keys[n] = (double)scratch->squares[i] * at->shard->rules->sticky;
        n += place[i] == PHX_SLOT_NONE;
    }
    memmove(place, place + at->count, of->left * sizeof *place);
    at->count = n;
}

/* Keeps the leaves of listed targets, with their places in the list: scratch->old. */
static void keep_leaves(phx_held_list *of)
{
    phx_cut_list *at = &of->at;
    const phx_scratch *scratch = at->scratch;
    for (uint32_t i = 0; i < of->left; i++) {
        scratch->leave[at->leaves] = scratch->leave[i];
        scratch->old[at->leaves] = scratch->old[i];
        at->leaves += scratch->old[i] != PHX_SLOT_NONE;
    }
    of->held = at->cut.kept + of->came + at->leaves - of->left;
}

/* The key up to which so many join, probably: they are as close to each other as listed ones within the last limit. */
static double joining_limit(const phx_held_list *of, double joining)
{
    const double listed = of->at.list->count;
    return of->at.cut.limit * (listed + joining) / listed;
}

/* Finds the targets that join: scratch->enter, and the leaves. false: that needs an evaluation. */
static bool find_held_events(phx_held_list *of)
{
    phx_cut_list *at = &of->at;
    const phx_scratch *scratch = at->scratch;
    const double slack = 1.6; /* of the ones that join: less often fails, and costs a second look, */
    const float wider = 1.5f; /* at so much more area */
    const bool may_end = at->cut.kept + of->came <= of->adds + of->left;
    const double sticky = at->shard->rules->sticky;
    float within = may_end ? at->in : fminf((float)(joining_limit(of, slack * of->adds) / sticky), at->in);
    find_joinable(of, within);
    while (at->count < of->adds && within < at->in) find_joinable(of, within = fminf(within * wider, at->in));
    keep_leaves(of);
    const bool all = of->held <= of->adds;
    if (all ? at->count != of->held : at->count < of->adds) return false; /* the others have lower ranks */
    of->limit = (double)within * sticky;
    if (at->count > of->adds) {
        const phx_split_bounds by = {
            .keep = of->adds, .most = nextafter(of->limit, INFINITY), .guess = joining_limit(of, of->adds)};
        const phx_split split = phx_rank_split(at->shard->kernels, scratch->keys, at->count, by);
        if (!split.found) return false; /* some are equally far off */
        of->limit = split.limit;
    }
    for (uint32_t i = 0; i < at->count; i++) {
        scratch->enter[at->enters] = scratch->hits[i];
        at->enters += scratch->keys[i] <= of->limit;
    }
    of->held -= at->enters;
    return true;
}

/* ---- the new list ---- */

/* Writes the list, of so many entries with the leaves, at `to`: enters take the places of leaves. */
static void swap_targets(const phx_cut_list *at, uint32_t *to, uint32_t count)
{
    const phx_scratch *scratch = at->scratch;
    const uint32_t *place = scratch->old, both = at->enters < at->leaves ? at->enters : at->leaves;
    uint32_t n = 0;
    for (uint32_t i = 0; i < both; i++) to[place[i]] = scratch->enter[i];
    memcpy(to + count, scratch->enter + both, (at->enters - both) * sizeof *to);
    if (at->leaves == both) return;
    for (uint32_t i = both; i < at->leaves; i++) to[place[i]] = PHX_SLOT_NONE;
    for (uint32_t i = 0; i < count; i++) {
        to[n] = to[i];
        n += to[i] != PHX_SLOT_NONE;
    }
}

/* Writes the list of a change, with held targets left. */
static void write_held_list(phx_held_list *of, phx_change *change, bool in_place)
{
    phx_cut_list *at = &of->at;
    phx_scratch *scratch = at->scratch;
    const phx_list_pool *pool = &at->shard->lists;
    const uint32_t count = at->list->count, left = count + at->enters - at->leaves;
    uint32_t *entries = phx_list_entries(pool, at->list);
    if (!in_place) entries = memcpy(phx_interest_overflow(scratch, change, left), entries, count * sizeof *entries);
    swap_targets(at, entries, count);
    if (in_place) phx_list_set_count(pool, at->list, left);
    change->flags |= PH_CHANGE_MORE;
    scratch->counts.held += of->held;
    phx_list_cut_note(at->shard, at->slot, of->limit, at->cut.rank, of->held);
}

/* Room for the change and the list, and for the words of a tile's later runs behind them. false = no memory. */
static bool reserve_held(const phx_held_list *of, uint32_t listed)
{
    phx_scratch *scratch = of->at.scratch;
    const phx_observer_runs *runs = &scratch->runs;
    const uint32_t targets = of->at.enters + of->at.leaves;
    if (!phx_interest_reserve(scratch, targets, listed)) return false;
    if (of->at.place == PHX_SLOT_NONE) return phx_interest_reserve_changes(scratch, 1, targets);
    return phx_interest_reserve_changes(scratch, 1 + runs->count, targets + runs->first[runs->count]);
}

/* Records the events and the list, which is derived if no target is held any more. */
static phx_delta_result record_held(phx_held_list *of)
{
    phx_cut_list *at = &of->at;
    phx_list *list = at->list;
    const bool derived = of->held == 0;
    const uint32_t left = list->count + at->enters - at->leaves, most = left > list->count ? left : list->count;
    const bool in_place = derived || most <= phx_list_capacity(&at->shard->lists, list);
    if (derived && !at->shard->storage->derives_uncut(at->shard, at->slot)) return PHX_DELTA_EVALUATE;
    if (!reserve_held(of, in_place ? 0 : most)) return PHX_DELTA_NO_MEMORY;
    phx_change *change = phx_interest_record(at->scratch, at->shard, at->slot, at->enters, at->leaves);
    phx_interest_commits(at->scratch, change); /* the list's memory goes back there, or it is partial */
    if (!derived) {
        write_held_list(of, change, in_place);
        return PHX_DELTA_DONE;
    }
    list->derived = true;
    list->count = phx_limit_count(at->attr, left) & PHX_LIST_COUNT_MAX;
    return PHX_DELTA_DONE;
}

/* Room for the targets of so many words, and for the rows that may join. false = no memory. */
static bool held_room(const phx_held_list *of, uint32_t words)
{
    const phx_cut_list *at = &of->at;
    phx_scratch *scratch = at->scratch;
    if (at->place != PHX_SLOT_NONE) {
        const size_t most = (size_t)scratch->tile.count + scratch->tile.far.crossing;
        return phx_scratch_room(scratch, most) && phx_candidates_room(scratch, most, true);
    }
    const size_t most = (size_t)words + phx_held_rows_most(at->shard, at->row, at->attr->view);
    return phx_scratch_room(scratch, most) && phx_candidates_room(scratch, most, true);
}

/* An observer, at a place of the tile or at none. */
static phx_held_list held_list_of(phx_scratch *scratch, phx_shard *shard, uint32_t row, uint32_t place)
{
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    return (phx_held_list){.adds = shard->rules->classes[attr->kind].adds_max,
                           .at = {.scratch = scratch,
                                  .shard = shard,
                                  .place = place,
                                  .row = row,
                                  .slot = slot,
                                  .attr = attr,
                                  .in = attr->view * attr->view,
                                  .z = shard->uneven ? shard->store.body[slot].z : 0.0f,
                                  .cut = shard->list_cuts.at[slot],
                                  .list = &shard->store.tail[slot].list}};
}

static phx_delta_result run_held(phx_held_list *of, phx_span words)
{
    phx_cut_list *at = &of->at;
    phx_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    if (of->adds == 0 || !phx_rank_table_fits(store, false)) return PHX_DELTA_EVALUATE;
    at->ranks = phx_rank_table_of(&scratch->rank_tables, scratch->mem, store, at->attr, false);
    if (!at->ranks || !held_room(of, words.end - words.first)) return PHX_DELTA_NO_MEMORY;
    if (at->cut.rank != phx_rank_near_top_of(at->ranks, at->attr->instance)) return PHX_DELTA_EVALUATE;
    phx_held_pairs_count(of, words);
    if (!phx_held_pairs_count_far(of)) return PHX_DELTA_EVALUATE;
    return find_held_events(of) ? record_held(of) : PHX_DELTA_EVALUATE;
}

phx_delta_result phx_delta_held(phx_scratch *scratch, phx_shard *shard, uint32_t place, phx_span words)
{
    phx_held_list of = held_list_of(scratch, shard, scratch->tile.row[place], place);
    return run_held(&of, words);
}

phx_delta_result phx_delta_held_sparse(phx_scratch *scratch, phx_shard *shard, uint32_t row, phx_span words)
{
    phx_held_list of = held_list_of(scratch, shard, row, PHX_SLOT_NONE);
    return run_held(&of, words);
}
