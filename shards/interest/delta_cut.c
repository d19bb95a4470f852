/*
 * The delta of a list that a cap cut; see delta_cut.h.
 */
#include "shards/interest/delta_cut.h"

#include <string.h>

#include "base/simd.h"
#include "shards/interest/candidates.h"
#include "shards/interest/change_record.h"
#include "shards/interest/rank_table.h"
#include "shards/state/list_limit.h"
#include "shards/state/related.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* An observer with a list that was cut. */
typedef struct cut_list {
    phx_scratch *scratch;
    phx_shard *shard;
    uint32_t place, row, slot;
    const phx_attr *attr;
    phx_list *list;
    const phx_relation_set *related; /* links that hold and hides alone; or NULL */
    const phx_rank_table *ranks;
    phx_list_cut cut;
    bool by_view;            /* phx_list_cut_by_view() */
    double low, high;        /* the new limit is sought from the one on, below the other */
    uint32_t count;          /* undecided targets: scratch->hits (slots), squares, was, keys */
    uint32_t listed;         /* of these, in the list */
    uint32_t enters, leaves; /* events found: scratch->enter, leave */
} cut_list;

/* ---- memory ---- */

/* Prefetches a list's entries. */
PHX_PREFETCH_INLINE void await_entries(const phx_shard *shard, const phx_list *list)
{
    enum { LINES = 8, LINE = PHX_CACHE_LINE / sizeof(uint32_t) }; /* of more entries the hardware prefetches the rest */
    if (list->derived || list->count == 0) return;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    for (uint32_t i = 0; i < LINES * LINE && i < list->count; i += LINE) __builtin_prefetch(entries + i, 1);
}

void phx_delta_cut_await(const phx_scratch *scratch, const phx_shard *shard, uint32_t own)
{
    enum { NEAR = 4, FAR = 12 }; /* observers ahead */
    const phx_tile *tile = &scratch->tile;
    const uint32_t end = tile->rows.end - tile->rows.first;
    if (own + FAR >= end || shard->list_cuts.count == 0) return;
    const uint32_t far = phx_row_slot(&shard->grid.rows, tile->row[tile->own[own + FAR]]);
    const uint32_t near = phx_row_slot(&shard->grid.rows, tile->row[tile->own[own + NEAR]]);
    __builtin_prefetch(&shard->store.tail[far], 1);
    __builtin_prefetch(&shard->store.set[far]);
    __builtin_prefetch(&shard->store.body[far]);
    if (far < shard->list_cuts.count) __builtin_prefetch(&shard->list_cuts.at[far], 1);
    await_entries(shard, &shard->store.tail[near].list);
}

/* ---- may a delta be enough? ---- */

/* Did a far target change that may be, or have been, in the list? */
static bool far_changed(const cut_list *at)
{
    const phx_far_items *far = &at->scratch->tile.far;
    for (uint32_t i = 0; i < far->count; i++)
        if (far->items[i].changed) return true;
    return false;
}

/* Do the observer's relations hold as they are, wherever their targets are? */
static bool relations_hold(cut_list *at)
{
    if (!(at->shard->store.body[at->slot].state & PHX_SLOT_RELATED)) return true;
    if (phx_related_changed(at->shard, at->slot) || phx_related_due(at->shard, at->slot)) return false;
    at->related = phx_related_of(at->shard, at->slot);
    return true;
}

static bool rules_allow(const phx_rules *rules)
{
    return rules->shape == PH_SHAPE_CIRCLE || rules->shape == PH_SHAPE_SQUARE;
}

/* Is the list as it was noted, and did nothing change but by steps? */
static bool delta_allowed(cut_list *at)
{
    const phx_tile *tile = &at->scratch->tile;
    const phx_list *list = at->list;
    const phx_attr *attr = at->attr;
    if (!phx_list_cut_holds(at->shard, at->slot) || !rules_allow(at->shard->rules)) return false;
    if (at->scratch->discontinuous_in_view || tile->bounded) return false;
    if (list->derived || list->owed || list->count == 0 || list->count != attr->cap || !phx_attr_observes(attr))
        return false;
    if (tile->renewed && phx_prev_rows_renewed(&at->shard->previous, at->slot)) return false;
    return !phx_row_discontinuous(&at->shard->grid.rows, at->row) && relations_hold(at);
}

/* Finds the ranks of targets. false = no memory. */
static bool find_ranks(cut_list *at)
{
    phx_scratch *scratch = at->scratch;
    at->ranks = phx_rank_table_of(&scratch->rank_tables, scratch->mem, &at->shard->store, at->attr);
    return at->ranks && phx_candidates_room(scratch, scratch->tile.count, true);
}

/* ---- undecided targets ---- */

/* So far apart in units, squared; less: surely not nearer than that. */
static int32_t square_below(double distance, float scale)
{
    const double units = distance * (double)scale - PHX_TILE_SLACK;
    return units > 0.0 ? (int32_t)(units * units) : 0;
}

static int32_t square_above(double distance, float scale)
{
    const double units = distance * (double)scale + PHX_TILE_SLACK;
    return (int32_t)(units * units) + 1;
}

/* Picks candidates between two distances, and finds those that the borders do not decide. Returns how many. */
static uint32_t find_undecided(cut_list *at, double near, double far, const phx_cut_borders *by, uint32_t *rows)
{
    phx_scratch *scratch = at->scratch;
    phx_tile *tile = &scratch->tile;
    uint32_t spans;
    const uint32_t count = phx_tile_pick_between(tile, tile->cell[at->place], (float)near, (float)far, &spans);
    scratch->counts.ranges_visited += spans;
    scratch->counts.pairs_tested += count;
    return at->shard->kernels->find_undecided(&tile->candidates, count, tile->now[at->place], tile->old[at->place], by,
                                              rows);
}

/* How far the limit's distance may move in a tick, in parts of it: as far as some targets of the rank are. */
static double limit_part(const cut_list *at)
{
    return 0.05 + 1.5 / (at->cut.kept + 1);
}

/* Where the new limit will be, as a distance: as many more targets of the rank are kept as higher ones have left. */
static double likely_limit(const cut_list *at)
{
    const double kept = at->cut.kept, more = kept + at->leaves - at->enters;
    const double distance = sqrt(at->cut.limit);
    return at->leaves == at->enters || !(more > 0.0) ? distance : distance * sqrt(more / kept);
}

/*
 * Finds the undecided targets of the last rank, as rows. No pair may be between `low` and high / sticky and be decided
 * both ways.
 */
static void find_around_limit(cut_list *at)
{
    const double sticky = at->shard->rules->sticky, limit = sqrt(at->cut.limit), part = limit_part(at);
    const double view = (double)at->attr->view, root = 1.0 / sqrt(sticky), likely = likely_limit(at);
    const double most = at->by_view ? view : INFINITY; /* listed ones beyond the view leave */
    const double listed = fmin(limit * root, most), unlisted = fmin(limit, most);
    const double stays = likely * (1.0 - part), joins = fmax(likely * (1.0 + part) * root, stays);
    const float scale = at->scratch->tile.frame.scale;
    const phx_cut_borders by = {.listed = square_below(listed, scale),
                                .unlisted = square_above(unlisted, scale),
                                .stays = square_below(fmin(stays, most), scale),
                                .joins = square_above(fmin(joins, view), scale)};
    at->low = stays * stays;
    at->high = joins * joins * sticky;
    if (!at->by_view) at->high = fmin(at->high, (double)(at->attr->view * at->attr->view));
    at->count =
        find_undecided(at, fmin(listed, fmin(stays, most)), fmin(fmax(unlisted, joins), view), &by, at->scratch->hits);
}

/* A pair's target; ranks and squares tell the rest. */
typedef struct pair_squares {
    float now, old;
} pair_squares;

static inline pair_squares squares_of(const phx_grid_rows *rows, uint32_t observer, uint32_t target)
{
    const float dx = rows->x[target] - rows->x[observer], dy = rows->y[target] - rows->y[observer];
    const float old_dx = rows->ox[target] - rows->ox[observer], old_dy = rows->oy[target] - rows->oy[observer];
    return (pair_squares){dx * dx + dy * dy, old_dx * old_dx + old_dy * old_dy};
}

static inline uint16_t rank_of_word(const cut_list *at, phx_row_word word, uint16_t plain)
{
    if (PHX_LIKELY(!phx_row_word_special(word))) return plain;
    return at->ranks->rank[at->shard->store.set[phx_row_word_slot(word)]];
}

static uint16_t rank_of_plain(const cut_list *at)
{
    return phx_sees_common(at->shard, at->attr) ? 1 : 0; /* priority 0 */
}

/* Looks up targets that may be in the list: so many places of hits[], in scratch->old. */
static void look_up_doubtful(cut_list *at, uint32_t count)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t *entries = phx_list_entries(&at->shard->lists, at->list), *place = scratch->old;
    uint32_t *missing = scratch->enter + at->enters; /* not used yet, and has room */
    for (uint32_t i = 0; i < count; i++) missing[i] = scratch->hits[place[i]];
    const uint32_t left = at->shard->kernels->set_difference(entries, at->list->count, missing, count);
    for (uint32_t i = 0, m = 0; i < count; i++) { /* in the same order */
        const bool lacks = m < left && missing[m] == scratch->hits[place[i]];
        scratch->was[place[i]] = !lacks;
        m += lacks;
    }
}

/*
 * Keeps the undecided ones of the last rank, and finds whether they are listed. false: one of them is discontinuous.
 */
static bool sift_undecided(cut_list *at)
{
    const phx_scratch *scratch = at->scratch;
    const phx_grid_rows copy = at->shard->grid.rows, *rows = &copy; /* was[] may alias the fields */
    const uint16_t plain = rank_of_plain(at), rank = at->cut.rank;
    const double sticky = at->shard->rules->sticky, limit = at->cut.limit;
    const uint32_t count = at->count, own = at->row;
    const float view = at->by_view ? at->attr->view * at->attr->view : INFINITY; /* a listed one was within */
    uint32_t *hits = scratch->hits, *doubtful = scratch->old, n = 0, doubts = 0;
    float *squares = scratch->squares;
    uint8_t *was = scratch->was;
    bool known = true;
    for (uint32_t i = 0; i < count; i++) { /* no branch on a distance: it would be mispredicted */
        const phx_tile_row_word row = phx_tile_row_word_at(hits, i);
        if (PHX_UNLIKELY(phx_tile_row_word_is_previous(row))) return false;
        const uint32_t target = phx_tile_row_word_number(row);
        const phx_row_word word = phx_row_word_at(rows->slot, target);
        const pair_squares square = squares_of(rows, own, target);
        const double old = (double)square.old;
        const uint32_t of_rank = (rank_of_word(at, word, plain) == rank) & (target != own);
        const uint32_t listed = (old * sticky <= limit) & (square.old <= view);
        known &= square.old >= 0.0f;
        hits[n] = phx_row_word_slot(word);
        squares[n] = square.now;
        was[n] = (uint8_t)listed;
        doubtful[doubts] = n;
        doubts += of_rank & (old <= limit) & (square.old <= view) & (listed ^ 1);
        n += of_rank;
    }
    at->count = n;
    look_up_doubtful(at, doubts);
    return known;
}

/* Drops targets of relations, which are listed or not whatever their keys are. */
static void drop_related(cut_list *at)
{
    phx_scratch *scratch = at->scratch;
    const uint64_t filter = at->related ? phx_related_filter(at->shard, at->related) : 0;
    uint32_t n = 0;
    for (uint32_t i = 0; at->related && i < at->count; i++) {
        const uint32_t slot = scratch->hits[i];
        scratch->hits[n] = slot;
        scratch->squares[n] = scratch->squares[i];
        scratch->was[n] = scratch->was[i];
        n += !(phx_related_filter_passes(filter, slot) && phx_related_to(at->shard, at->related, slot));
    }
    if (at->related) at->count = n;
}

/*
 * The keys of the undecided. Beyond the view they are no candidates; but else than with a limit by view, their keys are
 * beyond each new limit, too.
 */
static void find_undecided_keys(cut_list *at)
{
    const double times[] = {at->shard->rules->sticky, 1.0}; /* no branch: it would be mispredicted */
    const float *squares = at->scratch->squares;
    const uint8_t *was = at->scratch->was;
    const uint32_t count = at->count;
    const float view = at->by_view ? at->attr->view * at->attr->view : INFINITY;
    double *keys = at->scratch->keys;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double key = (double)squares[i] * times[was[i]];
        keys[i] = squares[i] <= view ? key : INFINITY;
        listed += was[i];
    }
    at->listed = listed;
}

/* ---- higher ranks ---- */

/*
 * Notes the event, if there is one, of a target that enters within the radius, and leaves beyond radius and margin:
 * between the two the list tells whether it was listed.
 */
static void note_crossing(cut_list *at, uint32_t slot, pair_squares square, float radius)
{
    const float in = radius * radius, keep = (radius + at->attr->margin) * (radius + at->attr->margin);
    const bool is = square.now <= in, stays = square.now <= keep, between = square.old > in && square.old <= keep;
    bool was = square.old <= in;
    if (was ? stays : !between && !is) return;
    if (between) {
        const uint32_t *entries = phx_list_entries(&at->shard->lists, at->list);
        was = at->shard->kernels->find_u32(entries, at->list->count, slot) < at->list->count;
    }
    at->scratch->enter[at->enters] = at->scratch->leave[at->leaves] = slot;
    at->enters += is && !was;
    at->leaves += was && !stays;
}

/* Is a target of this rank in the list while it is in view? Global and linked ones always are. */
static bool rank_is_higher(const cut_list *at, uint16_t rank)
{
    return rank > at->cut.rank && rank <= PHX_RANK_ALWAYS;
}

/* Is the target seen from beyond the view? */
static bool seen_beyond(const cut_list *at, uint32_t slot)
{
    return at->shard->far.levels != 0 && phx_store_attr(&at->shard->store, slot)->reach > at->attr->view;
}

/* Finds the events of targets of higher ranks that are seen from beyond the view. */
static void find_far_events(cut_list *at)
{
    const phx_far_items *far = &at->scratch->tile.far;
    const phx_grid_rows *rows = &at->shard->grid.rows;
    for (uint32_t i = 0; i < far->count; i++) {
        const phx_far_item *item = &far->items[i];
        const uint16_t rank = at->ranks->rank[at->shard->store.set[item->slot]];
        if (item->slot == at->slot || !rank_is_higher(at, rank) || !seen_beyond(at, item->slot)) continue;
        if (at->related && phx_related_to(at->shard, at->related, item->slot)) continue;
        const float dx = item->x - rows->x[at->row], dy = item->y - rows->y[at->row];
        const float old_dx = item->old_x - rows->ox[at->row], old_dy = item->old_y - rows->oy[at->row];
        note_crossing(at, item->slot, (pair_squares){dx * dx + dy * dy, old_dx * old_dx + old_dy * old_dy},
                      item->reach);
    }
}

/* Finds the events of higher ranks. false: a target is discontinuous, or the shape is another one. */
static bool find_higher_ranks(cut_list *at)
{
    phx_scratch *scratch = at->scratch;
    const phx_grid_rows *rows = &at->shard->grid.rows;
    const double view = (double)at->attr->view;
    const float scale = scratch->tile.frame.scale;
    const uint16_t plain = rank_of_plain(at);
    const double keep = (double)(at->attr->view + at->attr->margin);
    const phx_cut_borders by = {.listed = square_below(view, scale),
                                .unlisted = square_above(keep, scale),
                                .stays = square_below(keep, scale),
                                .joins = square_above(view, scale)};
    if (at->shard->rules->shape == PH_SHAPE_SQUARE) return false;
    const uint32_t count = find_undecided(at, view, keep, &by, scratch->hits);
    for (uint32_t i = 0; i < count; i++) {
        const phx_tile_row_word row = phx_tile_row_word_at(scratch->hits, i);
        if (PHX_UNLIKELY(phx_tile_row_word_is_previous(row))) return false;
        const uint32_t target = phx_tile_row_word_number(row);
        const phx_row_word word = phx_row_word_at(rows->slot, target);
        const uint32_t slot = phx_row_word_slot(word);
        if (!rank_is_higher(at, rank_of_word(at, word, plain)) || seen_beyond(at, slot)) continue;
        const pair_squares square = squares_of(rows, at->row, target);
        if (PHX_UNLIKELY(!(square.old >= 0.0f))) return false;
        if (at->related && phx_related_to(at->shard, at->related, slot)) continue;
        note_crossing(at, slot, square, at->attr->view);
    }
    find_far_events(at);
    return true;
}

/* ---- the new limit ---- */

/* How many of the undecided a limit keeps. */
static uint32_t limit_keeps(const cut_list *at, double limit)
{
    return at->shard->kernels->count_within(at->scratch->keys, at->count, limit);
}

#define BELOW_ONE (1.0 - 0x1p-52) /* a limit times this is below it */
#define HALF_KEY 0.5              /* a limit lies in the middle between two keys */

/*
 * Finds a limit that keeps so many of the undecided, mostly near the last one. false: there is none in the range, or
 * some are equally far off.
 */
static bool find_limit(const cut_list *at, uint32_t keep, double *limit)
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
static bool exchange_targets(const cut_list *at)
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
static phx_delta_result record_cut(cut_list *at, double limit)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t kept = at->cut.kept + at->leaves - at->enters; /* higher ranks made room, or took it */
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
    phx_list_cut_note(at->shard, at->slot, limit, at->cut.rank, kept);
    return PHX_DELTA_DONE;
}

phx_delta_result phx_delta_cut(phx_scratch *scratch, phx_shard *shard, uint32_t place)
{
    const uint32_t row = scratch->tile.row[place], slot = phx_row_slot(&shard->grid.rows, row);
    cut_list at = {.scratch = scratch,
                   .shard = shard,
                   .place = place,
                   .row = row,
                   .slot = slot,
                   .attr = phx_store_attr(&shard->store, slot),
                   .list = &shard->store.tail[slot].list};
    double limit;
    if (!delta_allowed(&at)) return PHX_DELTA_EVALUATE;
    if (shard->store.sets.numbers > PHX_RANK_SETS_MAX) return PHX_DELTA_EVALUATE;
    at.cut = shard->list_cuts.at[slot];
    at.by_view = phx_list_cut_by_view(shard, at.attr);
    if (!at.by_view && at.cut.limit >= (double)(at.attr->view * at.attr->view)) return PHX_DELTA_EVALUATE;
    if (!find_ranks(&at)) return PHX_DELTA_NO_MEMORY;
    if (at.cut.rank > at.ranks->top || far_changed(&at)) return PHX_DELTA_EVALUATE;
    if (at.cut.rank < at.ranks->top && !find_higher_ranks(&at)) return PHX_DELTA_EVALUATE;
    find_around_limit(&at);
    if (!sift_undecided(&at)) return PHX_DELTA_EVALUATE;
    drop_related(&at);
    find_undecided_keys(&at);
    const uint32_t keep = at.listed + at.leaves - at.enters;
    if (at.enters > at.listed + at.leaves || keep > at.count || !find_limit(&at, keep, &limit))
        return PHX_DELTA_EVALUATE;
    return record_cut(&at, limit);
}
