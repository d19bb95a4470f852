/*
 * The tile delta; see delta_tile.h. In the interest phase, any worker.
 */
#include "shards/interest/delta_tile.h"

#include <string.h>

#include "shards/interest/change_record.h"
#include "shards/interest/delta_annulus.h"
#include "shards/interest/delta_discontinuous.h"
#include "shards/interest/delta_far.h"
#include "shards/interest/delta_held.h"
#include "shards/interest/delta_related.h"
#include "shards/interest/evaluate.h"
#include "shards/interest/lone_observers.h"
#include "shards/interest/pair_mirror.h"
#include "shards/interest/pair_sift.h"
#include "shards/query/far_list.h"
#include "shards/simd/flagged_pairs.h"
#include "shards/state/list_limit.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* Turns words into slots. */
static void name_slots(uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) words[i] = phx_target_word_slot(phx_target_word_at(words, i));
}

enum { TAKEN_AT_ONCE = 16 }; /* entries removed from a list together: more than most changes leave */

/* Removes the entries at these places, which are all different, from the list. */
static void remove_entries(phx_list *list, uint32_t *entries, uint32_t at[TAKEN_AT_ONCE], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t hole = at[i], last = --list->count;
        PHX_ASSERT(hole <= last);
        entries[hole] = entries[last];
        for (uint32_t j = i + 1; j < count; j++) at[j] = at[j] == last ? hole : at[j]; /* the last one moved */
    }
}

/*
 * Removes leaving candidates from the list. A candidate that is not in the list (it was in the margin) has no leave.
 * All are searched before the first is removed, as vector loads of just written memory stall.
 */
static void collect_leaves(phx_shard *shard, uint32_t slot, phx_delta_hits *hits)
{
    const phx_store *store = &shard->store;
    const phx_attr *own = phx_store_attr(store, slot);
    phx_list *list = &shard->store.tail[slot].list;
    uint32_t *entries = phx_list_entries(&shard->lists, list), n = 0;
    for (uint32_t i = 0; i < hits->leave_count;) {
        uint32_t at[TAKEN_AT_ONCE], taken = 0, end = i + TAKEN_AT_ONCE;
        for (; i < end && i < hits->leave_count; i++) {
            const phx_target_word word = phx_target_word_at(hits->leave, i);
            uint32_t target = phx_target_word_slot(word);
            const bool special = phx_target_word_special(word), previous = phx_delta_leave_is_previous(shard, word);
            if (special && !previous && phx_far_seen(own, phx_store_attr(store, target))) continue;
            at[taken] = shard->kernels->find_u32(entries, list->count, target);
            if (PHX_UNLIKELY(previous && at[taken] < list->count && phx_delta_keeps_listed(shard, slot, target)))
                continue;
            hits->leave[n] = target;
            n += at[taken] < list->count;
            taken += at[taken] < list->count;
        }
        remove_entries(list, entries, at, taken);
    }
    hits->leave_count = n;
}

/*
 * Keeps the candidates that may be seen, and are not in the list (may_be_listed: with a margin, or after a jump, they
 * may be). The events of a global target come from evaluation, as it is discontinuous when it changes; delta_far.h has
 * the events of one with a reach. revealed: targets of reveals, which are passed on as common ones, may be among them.
 */
static void sift_enters(const phx_shard *shard, uint32_t slot, bool may_be_listed, bool revealed, phx_delta_hits *hits)
{
    const phx_store *store = &shard->store;
    const phx_list *list = &store->tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    const phx_attr *own = phx_store_attr(store, slot);
    const bool common = phx_sees_common(shard, own);
    uint32_t n = 0;
    for (uint32_t i = 0; i < hits->enter_count; i++) {
        const phx_target_word word = phx_target_word_at(hits->enter, i);
        uint32_t target = phx_target_word_slot(word);
        if (phx_target_word_special(word)) {
            if (!phx_near_admits(own, phx_store_attr(store, target))) continue;
        } else if (!common && !(revealed && (own->sees & phx_store_attr(store, target)->layers))) {
            continue;
        }
        hits->enter[n++] = target;
    }
    hits->enter_count = may_be_listed ? shard->kernels->set_difference(entries, list->count, hits->enter, n) : n;
}

/* Turns the enters and the candidates to leave into events and updates the stored list; room is reserved. */
static void record_hits(phx_scratch *scratch, phx_shard *shard, uint32_t slot, phx_delta_hits *hits)
{
    phx_list *list = &shard->store.tail[slot].list;
    collect_leaves(shard, slot, hits);
    if (hits->enter_count + hits->leave_count == 0) return;
    phx_change *change = phx_interest_record(scratch, shard, slot, hits->enter_count, hits->leave_count);
    uint32_t *entries = phx_list_entries(&shard->lists, list), count = list->count + hits->enter_count;
    if (count <= phx_list_capacity(&shard->lists, list)) {
        for (uint32_t i = 0; i < hits->enter_count; i++) entries[list->count + i] = hits->enter[i];
        phx_list_set_count(&shard->lists, list, count);
        return;
    }
    uint32_t *next = phx_interest_overflow(scratch, change, count);
    if (list->count > 0) memcpy(next, entries, list->count * sizeof *next);
    memcpy(next + list->count, hits->enter, hits->enter_count * sizeof *next);
}

/* Counts the pairs that were just tested. */
static void count_pairs(phx_scratch *scratch)
{
    scratch->counts.pairs_tested += scratch->pairs.tested;
    scratch->pairs.tested = 0;
}

/* The exact test: now in r and not before is an enter, now beyond R and not before a leave. */
typedef struct exact_test {
    float in, keep; /* r and R, squared for circles */
    float r;
    bool square;
} exact_test;

/* The measure of distance that is compared: the square, or the longer of the two axes. */
static inline float compared_distance(float dx, float dy, bool square)
{
    if (!square) return dx * dx + dy * dy;
    dx = fabsf(dx), dy = fabsf(dy);
    return dx > dy ? dx : dy;
}

static exact_test make_exact_test(const phx_tile *tile, float r, float far)
{
    bool square = tile->limits.square;
    return (exact_test){.in = square ? r : r * r, .keep = square ? far : far * far, .r = r, .square = square};
}

/* Position of a target at the end of this tick, and of the last one; NaN: it was not there. */
typedef struct standing {
    float x, y, ox, oy;
} standing;

/* The previous row of a word in a tile. A search is cheap enough: units can seldom not decide about a previous row. */
static phx_tile_row_word find_prev_row(const phx_tile *tile, uint32_t target)
{
    for (uint32_t i = 0; i < tile->discontinuous_count; i++) {
        const uint32_t place = tile->discontinuous_places[i];
        const phx_tile_row_word row = phx_tile_row_word_at(tile->row, place);
        if (phx_tile_row_word_is_previous(row) && tile->target[place] == target) return row;
    }
    phx_panic(__FILE__, __LINE__, "a target that is in no place");
}

/* The row of a pair's target: a place, or the target word if the tile is named. */
static inline phx_tile_row_word target_row(const phx_tile *tile, uint32_t target)
{
    const phx_target_word word = {target};
    if (!tile->named) return phx_tile_row_word_at(tile->row, target);
    if (PHX_UNLIKELY(phx_target_word_leaves(word))) return find_prev_row(tile, target);
    return (phx_tile_row_word){tile->shard->store.body[phx_target_word_slot(word)].row};
}

/* The positions of a pair's target. */
static inline standing standing_of(const phx_tile *tile, uint32_t target)
{
    const phx_grid_rows *rows = &tile->shard->grid.rows;
    const phx_tile_row_word row = target_row(tile, target);
    const uint32_t t = phx_tile_row_word_number(row);
    if (PHX_LIKELY(!phx_tile_row_word_is_previous(row)))
        return (standing){rows->x[t], rows->y[t], rows->ox[t], rows->oy[t]};
    const phx_prev_rows_row *previous = &tile->shard->previous.rows[t];
    return (standing){NAN, NAN, previous->x, previous->y};
}

/* Prefetches relations that are due, so many hops from their observer, each of which needs the one before. */
PHX_PREFETCH_INLINE void await_relation(const phx_shard *shard, uint32_t slot, uint32_t hops)
{
    const phx_relation_set *related = phx_relations_due(&shard->relations, slot) ? phx_related_of(shard, slot) : NULL;
    if (!related) return;
    if (hops < 2) __builtin_prefetch(hops == 0 ? (const void *)related : related->items);
    if (hops < 2 || related->items[0].slot >= shard->store.slots) return;
    __builtin_prefetch(&shard->store.body[related->items[0].slot]);
    __builtin_prefetch(&shard->store.set[related->items[0].slot]);
}

/*
 * Prefetches the relations of observers ahead, each hop of the way to a target. Most observers have none and are soon
 * done, so these are many.
 */
PHX_PREFETCH_INLINE void await_related_places(const phx_scratch *scratch, const phx_shard *shard, const uint32_t *place,
                                              uint32_t left)
{
    enum { NEAR = 16, FAR = 32, FARTHEST = 48 };
    const uint32_t *row = scratch->tile.row;
    if (left <= FARTHEST) return;
    await_relation(shard, phx_row_slot(&shard->grid.rows, row[place[FARTHEST]]), 0);
    await_relation(shard, phx_row_slot(&shard->grid.rows, row[place[FAR]]), 1);
    await_relation(shard, phx_row_slot(&shard->grid.rows, row[place[NEAR]]), 2);
}

/* Has one of these observers events with targets of its relations, or may it, as its list is stored? */
static bool any_related_place(const phx_scratch *scratch, const phx_shard *shard, phx_tile_observers of)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    if (!scratch->tile.related_due) return false;
    for (uint32_t w = 0; w < of.count; w++) {
        await_related_places(scratch, shard, of.place + w, of.count - w);
        const uint32_t row = scratch->tile.row[of.place[w]], slot = phx_row_slot(rows, row);
        if (!phx_related_due(shard, slot)) continue;
        if (rows->view[row] < 0.0f || phx_related_changes(scratch, shard, slot, phx_related_of(shard, slot)))
            return true;
    }
    return false;
}

/* The test of one pair in a tile with bounds: a bounded target has radii of its own. */
static exact_test bounded_test(const phx_tile *tile, const exact_test *test, uint32_t observer_row, uint32_t target)
{
    const phx_shard *shard = tile->shard;
    const phx_target_word word = tile->named ? (phx_target_word){target} : phx_tile_word(tile, target);
    const uint32_t slot = phx_target_word_slot(word);
    if (!phx_target_word_special(word)) return *test;
    const float bound =
        phx_bound_of(phx_target_word_leaves(word) ? phx_prev_rows_attr_of(&shard->previous, &shard->store, slot)
                                                  : phx_store_attr(&shard->store, slot));
    if (bound >= test->r) return *test;
    if (test->in == test->keep) return make_exact_test(tile, bound, bound); /* delta_annulus.h looks at the margin */
    const float margin = phx_store_attr(&shard->store, phx_row_slot(&shard->grid.rows, observer_row))->margin;
    return make_exact_test(tile, bound, bound + margin);
}

/* Distances of a pair, now and before, from those in the ground plane, as heights count. */
static inline void raise_pair(const phx_tile *tile, uint32_t observer_row, uint32_t target, float *now, float *old)
{
    const phx_shard *shard = tile->shard;
    const phx_tile_row_word word = target_row(tile, target);
    const uint32_t number = phx_tile_row_word_number(word), slot = phx_row_slot(&shard->grid.rows, observer_row);
    const bool previous = phx_tile_row_word_is_previous(word);
    const uint32_t other = previous ? shard->previous.rows[number].slot : phx_row_slot(&shard->grid.rows, number);
    const float *heights = shard->old_heights.at;
    *now = phx_measure_level(shard->rules, *now, shard->store.body[other].z - shard->store.body[slot].z);
    if (*old == *old) *old = phx_measure_level(shard->rules, *old, heights[other] - heights[slot]); /* else not here */
}

/* Decides unsure pairs by the float32 rule. A pair without an event stays unsure. */
static void decide_unsure_pairs(phx_scratch *scratch, const phx_shard *shard, const exact_test *test)
{
    exact_test own = *test;
    const phx_grid_rows *rows = &shard->grid.rows;
    const phx_tile *tile = &scratch->tile;
    const phx_pairs *pairs = &scratch->pairs;
    uint32_t count = phx_collect_unsure(shard->kernels, pairs, scratch->flagged);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t pair = scratch->flagged[i];
        const uint32_t place = phx_pair_word_place(phx_pair_word_at(pairs->observer, pair)), o = tile->row[place];
        const standing t = standing_of(tile, pairs->target[pair]);
        if (PHX_UNLIKELY(tile->bounded)) own = bounded_test(tile, test, o, pairs->target[pair]);
        float now = compared_distance(t.x - rows->x[o], t.y - rows->y[o], own.square);
        float old = compared_distance(t.ox - rows->ox[o], t.oy - rows->oy[o], own.square);
        if (PHX_UNLIKELY(tile->heights.count)) raise_pair(tile, o, pairs->target[pair], &now, &old);
        uint32_t is_in = now <= own.in, was_in = old <= own.in, is_kept = now <= own.keep;
        uint32_t was_kept = old <= own.keep, leave = was_kept & ~is_kept, enter = is_in & ~was_in;
        uint32_t both_entered =
            (t.ox != t.ox) & phx_row_discontinuous(rows, o); /* such a pair is found by add_rows_without_history() */
        uint32_t none = both_entered | (~(leave | enter) & 1);
        pairs->observer[pair] = phx_pair_word_of(place, leave, none).bits; /* no branch: it would be mispredicted */
    }
    scratch->counts.pairs_exact += count;
}

/* The words of one observer. */
typedef struct run {
    phx_span words;
    uint32_t leaves, place, row, slot;
} run;

/* May the observer see the special target of a word by its view, or might it before, if the target leaves? */
static bool admits_special(const phx_shard *shard, const phx_attr *own, phx_target_word word)
{
    const uint32_t slot = phx_target_word_slot(word);
    return phx_near_admits(own, phx_target_word_leaves(word)
                                    ? phx_prev_rows_attr_of(&shard->previous, &shard->store, slot)
                                    : phx_store_attr(&shard->store, slot));
}

/* Drops special targets of a run that its observer may not see; the last word takes the place. */
static void drop_unseen_specials(const phx_scratch *scratch, const phx_shard *shard, run *of, phx_span specials)
{
    uint32_t *words = scratch->targets;
    const phx_attr *own = phx_store_attr(&shard->store, of->slot);
    for (uint32_t s = specials.end; s-- > specials.first;) {
        const uint32_t at = scratch->word_first + scratch->runs.special[s];
        const phx_target_word word = phx_target_word_at(words, at);
        if (admits_special(shard, own, word)) continue;
        of->leaves -= phx_target_word_leaves(word);
        words[at] = words[--of->words.end];
    }
}

/* Keeps special targets of a run that its observer may see, and no other: it does not see layer 0. */
static void keep_seen_specials(const phx_scratch *scratch, const phx_shard *shard, run *of, phx_span specials)
{
    uint32_t *words = scratch->targets, end = of->words.first;
    const phx_attr *own = phx_store_attr(&shard->store, of->slot);
    of->leaves = 0;
    for (uint32_t s = specials.first; s < specials.end; s++) {
        const phx_target_word word = phx_target_word_at(words, scratch->word_first + scratch->runs.special[s]);
        if (!admits_special(shard, own, word)) continue;
        of->leaves += phx_target_word_leaves(word);
        words[end++] = word.bits;
    }
    of->words.end = end;
}

/* Parts the words of one observer into enters and leaves. */
static phx_delta_hits collect_run_words(phx_scratch *scratch, phx_span words)
{
    const uint32_t count = words.end - words.first;
    if (count == 0) return (phx_delta_hits){scratch->enter, scratch->leave, 0, 0}; /* there may be no memory of words */
    const uint32_t enters = phx_interest_part(scratch, scratch->targets + words.first, count);
    return (phx_delta_hits){scratch->enter, scratch->leave, enters, count - enters};
}

/*
 * Records the words of one observer as they stand. Words that are not behind the targets of the last change move there,
 * as names are ordered many at a time where targets follow each other. There is room.
 */
static inline __attribute__((always_inline)) void record_run_words(phx_scratch *scratch, const run *of, uint32_t count)
{
    const uint32_t first = scratch->target_count;
    uint32_t *words = scratch->targets;
    if (PHX_UNLIKELY(first != of->words.first)) memmove(words + first, words + of->words.first, count * sizeof *words);
    phx_change *change = phx_interest_add_change(scratch, of->slot, first, count - of->leaves, of->leaves);
    if (PHX_UNLIKELY(phx_tile_passes(&scratch->tile, of->place))) change->passes = true;
    scratch->target_count = first + count;
}

/*
 * The words of one observer with a derived list become the targets of a change as they stand: of the observer's memory
 * only the row is read, unless the shard has limits. They are at most PHX_ORDER_SHORT_MAX. There is room.
 */
static phx_delta_result emit_run_words(phx_scratch *scratch, phx_shard *shard, const run *of)
{
    const uint32_t count = of->words.end - of->words.first;
    PHX_VALIDATE(shard->store.tail[of->slot].list.derived == 1);
    PHX_ASSERT(of->leaves <= count && count <= PHX_ORDER_SHORT_MAX);
    if (PHX_UNLIKELY(count == 0)) return PHX_DELTA_DONE;
    if (shard->limited) {
        if (!phx_limit_fits(shard, of->slot, count - of->leaves, of->leaves)) return PHX_DELTA_EVALUATE;
        phx_limit_follow(&shard->store.tail[of->slot].list, count - of->leaves, of->leaves);
    }
    record_run_words(scratch, of, count);
    return PHX_DELTA_DONE;
}

/*
 * Adds the rows without old position that are in view now, except the observer itself: slots, behind the other enters.
 * Returns the new number of enters.
 */
static uint32_t add_rows_without_history(phx_scratch *scratch, const phx_shard *shard, const run *of, float r,
                                         uint32_t enters)
{
    const phx_tile *tile = &scratch->tile;
    const phx_grid_rows *rows = &shard->grid.rows;
    const phx_range area = {rows->x[of->row], rows->y[of->row], r, tile->limits.square};
    const phx_attr *own = phx_store_attr(&shard->store, of->slot);
    const bool common = phx_sees_common(shard, own);
    const phx_span span = phx_tile_without_history(tile, tile->cell[of->place]);
    uint32_t *hits = scratch->old,
             count = shard->kernels->range_scan(&tile->rows_without_history, span, &area, hits, scratch->squares);
    scratch->counts.pairs_tested += span.end - span.first;
    for (uint32_t i = 0; i < count; i++) {
        const phx_row_word word = phx_row_word_at(hits, i);
        const uint32_t target = phx_row_word_slot(word);
        const bool seen =
            phx_row_word_special(word) ? phx_near_sees(shard, &shard->store.body[of->slot], own, target) : common;
        const bool level =
            !shard->uneven || phx_in_range(shard->rules, &shard->store.body[of->slot], &shard->store.body[target], r);
        if (target != of->slot && seen && level) scratch->enter[enters++] = target;
    }
    return enters;
}

/*
 * A discontinuous observer. As it has no old position, its words are all targets in view but rows without old position.
 */
static phx_delta_result emit_discontinuous_run(phx_scratch *scratch, phx_shard *shard, const run *of, float r)
{
    const uint32_t count = of->words.end - of->words.first;
    PHX_ASSERT(of->leaves == 0);
    if (count > 0) memcpy(scratch->enter, scratch->targets + of->words.first, count * sizeof(uint32_t));
    name_slots(scratch->enter, count);
    const uint32_t enters = add_rows_without_history(scratch, shard, of, r, count);
    return phx_delta_emit_discontinuous(scratch, shard, of->slot, enters, true);
}

static run run_at(const phx_scratch *scratch, const phx_shard *shard, uint32_t r)
{
    const phx_observer_runs *runs = &scratch->runs;
    uint32_t row = scratch->tile.row[runs->place[r]], first = scratch->word_first;
    return (run){.words = {first + runs->first[r], first + runs->first[r + 1]},
                 .leaves = runs->leaves[r + 1] - runs->leaves[r],
                 .place = runs->place[r],
                 .row = row,
                 .slot = phx_row_slot(&shard->grid.rows, row)};
}

/* Room for the change of an observer with a stored list. apart: the words of later runs need room behind it, too. */
static bool reserve_stored(phx_scratch *scratch, const phx_list *list, const phx_delta_hits *hits, bool apart)
{
    const phx_observer_runs *runs = &scratch->runs;
    const uint32_t targets = hits->enter_count + hits->leave_count, later = apart ? runs->first[runs->count] : 0;
    return phx_interest_reserve(scratch, targets, list->count + hits->enter_count) &&
           phx_interest_reserve_changes(scratch, apart ? 1 + runs->count : 1, targets + later);
}

/* Drops the words of targets of relations; the last word takes the place. */
static void drop_related_words(phx_scratch *scratch, const phx_shard *shard, const phx_relation_set *related, run *of)
{
    uint32_t *words = scratch->targets;
    const uint64_t filter = phx_related_filter(shard, related);
    for (uint32_t at = of->words.end; at-- > of->words.first;) {
        const phx_target_word word = phx_target_word_at(words, at);
        if (PHX_LIKELY(!phx_related_filter_passes(filter, phx_target_word_slot(word)))) continue;
        if (!phx_related_to(shard, related, phx_target_word_slot(word))) continue;
        of->leaves -= phx_target_word_leaves(word);
        words[at] = words[--of->words.end];
    }
}

/* Records the events of one observer whose list is stored, from the words of its run and its relations, if any. */
static phx_delta_result emit_stored_run(phx_scratch *scratch, phx_shard *shard, run *of, const phx_radii *radii,
                                        bool apart)
{
    const phx_relation_set *related = phx_related_of(shard, of->slot);
    const phx_list *list = &shard->store.tail[of->slot].list;
    PHX_ASSERT(!list->derived);
    if (phx_delta_renewed(&scratch->tile, shard, of->row)) return phx_delta_held(scratch, shard, of->place, of->words);
    if (related && !phx_related_due(shard, of->slot) && scratch->tile.far.crossing == 0) {
        drop_related_words(scratch, shard, related, of);
        related = NULL; /* links hold, and hides hide, wherever their targets are */
    }
    const uint32_t more = of->words.end - of->words.first + scratch->tile.far.crossing;
    if (related ? !phx_related_find(scratch, shard, related, more) : !phx_scratch_room(scratch, more))
        return PHX_DELTA_NO_MEMORY;
    phx_delta_hits hits = collect_run_words(scratch, of->words);
    if (related) phx_related_sift(scratch, shard, of->slot, related, &hits);
    const bool may_be_listed =
        radii->keep != radii->in || scratch->tile.previous_count > 0 || scratch->tile.far.crossing > 0;
    sift_enters(shard, of->slot, may_be_listed, related && related->measured > 0, &hits);
    if (related) phx_related_decide(scratch, shard, of->slot, related, &hits);
    if (scratch->tile.far.crossing > 0) phx_delta_far_decide(scratch, shard, of->row, related, &hits);
    if (!phx_limit_stored_fits(shard, of->slot, hits.enter_count)) return PHX_DELTA_EVALUATE;
    if (!reserve_stored(scratch, list, &hits, apart)) return PHX_DELTA_NO_MEMORY;
    record_hits(scratch, shard, of->slot, &hits);
    return PHX_DELTA_DONE;
}

/*
 * Records the events of an observer with a derived list beside its words: targets with a reach came, or left; or
 * targets of its relations did. The words have no target of a relation. phx_far_items_find_due() was called.
 */
static phx_delta_result emit_derived_run(phx_scratch *scratch, phx_shard *shard, const run *of)
{
    phx_relation_set *related = phx_related_of(shard, of->slot);
    const uint32_t more = of->words.end - of->words.first + scratch->tile.far.crossing;
    if (related ? !phx_related_find(scratch, shard, related, more) : !phx_scratch_room(scratch, more))
        return PHX_DELTA_NO_MEMORY;
    phx_delta_hits hits = collect_run_words(scratch, of->words);
    name_slots(hits.enter, hits.enter_count);
    name_slots(hits.leave, hits.leave_count);
    phx_delta_far_derive(&scratch->tile, of->row, related, &hits);
    if (related) phx_related_derive(scratch, shard, of->slot, related, &hits);
    const phx_delta_result result =
        phx_delta_emit_both(scratch, shard, of->slot, hits.enter_count, hits.leave_count, true);
    if (related && result == PHX_DELTA_DONE) phx_related_follow(related);
    return result;
}

/* Records the events of an observer with a margin, and its annulus, as they were found; there is no room yet. */
static phx_delta_result record_annular(phx_scratch *scratch, phx_shard *shard, uint32_t slot,
                                       const phx_delta_hits *hits, const phx_annulus_change *annulus)
{
    const uint32_t enters = hits->enter_count, leaves = hits->leave_count, targets = enters + leaves;
    const uint32_t count = phx_delta_annulus_count(shard, slot, annulus);
    const bool fits = phx_interest_annulus_fits(shard, slot, count);
    phx_change *change = NULL;
    if (!phx_limit_fits(shard, slot, enters, leaves)) return PHX_DELTA_EVALUATE;
    if (targets > 0 || !fits) {
        const phx_observer_runs *runs = &scratch->runs;
        if (!phx_interest_reserve(scratch, targets, fits ? 0 : count) ||
            !phx_interest_reserve_changes(scratch, 1 + runs->count, targets + runs->first[runs->count]))
            return PHX_DELTA_NO_MEMORY;
        change = phx_interest_record(scratch, shard, slot, enters, leaves);
    }
    phx_delta_annulus_write(scratch, shard, slot, annulus, change);
    phx_limit_follow(&shard->store.tail[slot].list, enters, leaves);
    return PHX_DELTA_DONE;
}

/* Records the events of an observer with a margin and a derived list. The words have no target of a relation. */
static phx_delta_result emit_annular_run(phx_scratch *scratch, phx_shard *shard, const run *of, float view)
{
    phx_relation_set *related = phx_related_due(shard, of->slot) ? phx_related_of(shard, of->slot) : NULL;
    phx_far_items *far = &scratch->tile.far;
    /* of this observer alone: those that cross its group of places depend on the group, and that on the worker */
    const uint32_t due = far->crossing > 0 ? phx_far_items_find(far, shard, of->row, view, 0.0f) : 0;
    const uint32_t more = of->words.end - of->words.first + due;
    if (more == 0 && !related && phx_delta_annulus_rests(scratch, shard, of->row, of->slot)) return PHX_DELTA_DONE;
    if (!phx_delta_annulus_room(scratch, shard, of->slot, more)) return PHX_DELTA_NO_MEMORY;
    if (related && !phx_related_find(scratch, shard, related, more + phx_annulus_of(shard, of->slot).count))
        return PHX_DELTA_NO_MEMORY;
    phx_delta_hits hits = collect_run_words(scratch, of->words);
    name_slots(hits.enter, hits.enter_count);
    name_slots(hits.leave, hits.leave_count);
    if (due > 0) phx_delta_far_derive(&scratch->tile, of->row, phx_related_of(shard, of->slot), &hits);
    phx_annulus_change annulus = phx_delta_annulus_look(scratch, shard, of->row, of->slot, &hits);
    const bool changed = related && phx_related_changed(shard, related);
    if (related) phx_related_derive(scratch, shard, of->slot, related, &hits);
    if (changed) phx_delta_annulus_take_ended(scratch, shard, of->row, of->slot, related, &annulus);
    const phx_delta_result result = record_annular(scratch, shard, of->slot, &hits, &annulus);
    if (result != PHX_DELTA_DONE || !related) return result;
    phx_related_follow(related);
    if (changed) phx_relations_shed(related); /* from now on the annulus tells of their targets */
    return PHX_DELTA_DONE;
}

/* Prefetches the annuli of observers ahead. */
PHX_PREFETCH_INLINE void await_annuli(const phx_scratch *scratch, const phx_shard *shard, phx_tile_observers of)
{
    enum { NEAR = 3, FAR = 7 }; /* observers ahead: each hop of the way to a target is prefetched */
    const uint32_t *row = scratch->tile.row;
    if (of.count <= FAR) return;
    phx_delta_annulus_await(shard, phx_row_slot(&shard->grid.rows, row[of.place[FAR]]), 0);
    phx_delta_annulus_await(shard, phx_row_slot(&shard->grid.rows, row[of.place[NEAR]]), 1);
}

/* Prefetches the relations of observers ahead. */
PHX_PREFETCH_INLINE void await_relations(const phx_scratch *scratch, const phx_shard *shard, uint32_t r)
{
    enum { NEAREST = 2, NEARER = 4, NEAR = 8, FAR = 20 }; /* observers ahead */
    const phx_relations *relations = &shard->relations;
    if (r + FAR >= scratch->runs.count) return;
    await_relation(shard, run_at(scratch, shard, r + NEAREST).slot, 2);
    await_relation(shard, run_at(scratch, shard, r + NEARER).slot, 1);
    const uint32_t slot = run_at(scratch, shard, r + FAR).slot;
    if (slot < relations->places) __builtin_prefetch(&relations->place[slot]);
    const phx_relation_set *related = phx_related_of(shard, run_at(scratch, shard, r + NEAR).slot);
    if (related) __builtin_prefetch(related);
}

/*
 * Prefetches stored lists, which are in no order of memory, of observers ahead: first the list, then its entries; of
 * many entries the hardware prefetches the rest.
 */
PHX_PREFETCH_INLINE void await_list(const phx_scratch *scratch, const phx_shard *shard, uint32_t r)
{
    enum { NEAR = 4, FAR = 8, LINES = 4 }; /* observers ahead */
    if (r + FAR >= scratch->runs.count) return;
    __builtin_prefetch(&shard->store.tail[run_at(scratch, shard, r + FAR).slot]);
    const phx_list *list = &shard->store.tail[run_at(scratch, shard, r + NEAR).slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list), line = PHX_CACHE_LINE / sizeof *entries;
    uint32_t room = entries ? phx_list_capacity(&shard->lists, list) : 0;
    for (uint32_t i = 0; i < LINES && i * line < room; i++) __builtin_prefetch(entries + i * line, 1);
}

/*
 * Takes the pairs found so far, and turns them into runs of words behind the targets. apart: there is room for changes
 * behind the words, too. false = no memory.
 */
static bool resolve_pairs(phx_scratch *scratch, const phx_shard *shard, float r, float far, bool apart)
{
    const phx_tile *tile = &scratch->tile;
    const exact_test test = make_exact_test(tile, r, far);
    const uint32_t count = scratch->pairs.count;
    scratch->runs.count = scratch->runs.first[0] = 0;
    if (count == 0) return true;
    if (!phx_interest_reserve_changes(scratch, count, apart ? 2 * count : count)) {
        scratch->pairs.count = 0;
        return false;
    }
    decide_unsure_pairs(scratch, shard, &test);
    scratch->sifted = phx_sift_allowed(scratch, shard);
    const bool words = tile->named || tile->previous_count > 0 || scratch->sifted;
    for (uint32_t i = 0; !tile->named && words && i < count; i++)
        scratch->pairs.target[i] = phx_tile_word(tile, scratch->pairs.target[i]).bits;
    if (PHX_UNLIKELY(scratch->sifted)) phx_sift_pairs(scratch, shard);
    shard->kernels->pairs_to_runs(&scratch->pairs, words ? NULL : tile->row, shard->grid.rows.slot,
                                  scratch->targets + scratch->target_count, &scratch->runs);
    scratch->pairs.count = 0;
    scratch->word_first = scratch->target_count;
    return true;
}

/*
 * Turns the words of the i-th run into the change of its observer. Only if PHX_DELTA_DONE the observer was touched.
 */
static phx_delta_result emit_run(phx_scratch *scratch, phx_shard *shard, uint32_t i, phx_span specials, float view,
                                 const phx_radii *radii, bool apart)
{
    enum { COMPARED = 256 }; /* words: up to here phx_delta_keep_seen() is as fast as marks */
    run of = run_at(scratch, shard, i);
    const bool annular = view < 0.0f && shard->store.tail[of.slot].list.derived, derived = view > 0.0f || annular;
    const bool special = derived && specials.first < specials.end && !(scratch->sifted && view > 0.0f);
    const bool unseen = shard->store.traits & (PHX_TRAIT_HIDES | PHX_TRAIT_FAR); /* else all are admitted */
    if (PHX_UNLIKELY(derived && !phx_row_sees_common(shard, of.row))) keep_seen_specials(scratch, shard, &of, specials);
    else if (PHX_UNLIKELY(special && unseen)) drop_unseen_specials(scratch, shard, &of, specials);
    const bool discontinuous = derived && phx_row_discontinuous(&shard->grid.rows, of.row);
    const phx_relation_set *related = derived ? phx_related_of(shard, of.slot) : NULL;
    if (PHX_UNLIKELY(discontinuous))
        return related ? PHX_DELTA_EVALUATE : emit_discontinuous_run(scratch, shard, &of, radii->in);
    if (related) drop_related_words(scratch, shard, related, &of);
    if (annular) return emit_annular_run(scratch, shard, &of, radii->in);
    const uint32_t far = derived ? phx_far_items_find_due(&scratch->tile.far, shard, of.row, radii->in, 0.0f) : 0;
    if (PHX_UNLIKELY(apart && related && scratch->tile.related_due && phx_related_due(shard, of.slot)) &&
        phx_related_changes(scratch, shard, of.slot, related))
        return emit_derived_run(scratch, shard, &of);
    if (PHX_UNLIKELY(far > 0)) return emit_derived_run(scratch, shard, &of);
    const uint32_t count = of.words.end - of.words.first;
    const bool previous = special && scratch->tile.previous_count > 0;
    const bool is_short =
        count <= PHX_ORDER_SHORT_MAX && (!previous || (specials.end - specials.first) * count <= COMPARED);
    if (PHX_LIKELY(derived && is_short)) {
        if (PHX_UNLIKELY(previous)) of.leaves -= phx_delta_keep_seen(scratch->targets, &of.words);
        return emit_run_words(scratch, shard, &of);
    }
    if (!derived) await_list(scratch, shard, i);
    if (!derived) return emit_stored_run(scratch, shard, &of, radii, apart);
    phx_delta_hits hits = collect_run_words(scratch, of.words);
    name_slots(hits.enter, hits.enter_count);
    name_slots(hits.leave, hits.leave_count);
    return phx_delta_emit_both(scratch, shard, of.slot, hits.enter_count, hits.leave_count, apart);
}

/* May the words of one flush be events of some observers as they stand? Not while a rule may drop or add targets. */
static bool words_may_stand(const phx_scratch *scratch, const phx_shard *shard)
{
    const bool unseen = shard->store.traits & (PHX_TRAIT_HIDES | PHX_TRAIT_FAR);
    return !unseen && !shard->limited && shard->relations.used == 0 && scratch->tile.previous_count == 0 &&
           scratch->tile.discontinuous_own_count == 0 && scratch->tile.far.crossing == 0;
}

/*
 * Where words may stand: records the i-th run if those of its observer do. What emit_run() asks of each observer is
 * left out, which is 3 % of the instructions of a plain tick. false = emit_run() does it.
 */
static inline bool emit_standing_run(phx_scratch *scratch, const phx_shard *shard, uint32_t i, float view)
{
    const run of = run_at(scratch, shard, i);
    const uint32_t count = of.words.end - of.words.first;
    const bool special = phx_row_word_special(phx_row_word_at(shard->grid.rows.slot, of.row));
    if (PHX_UNLIKELY(!(view > 0.0f) || special || count > PHX_ORDER_SHORT_MAX)) return false;
    PHX_VALIDATE(!phx_row_discontinuous(&shard->grid.rows, of.row) && !shard->limited);
    PHX_VALIDATE(shard->store.tail[of.slot].list.derived == 1);
    PHX_ASSERT(0 < count && of.leaves <= count);
    record_run_words(scratch, &of, count);
    return true;
}

/*
 * Finishes an observer after its delta: it is evaluated if its limit does not allow the events. Then changes go behind
 * the words of all runs, for which there is room again. false = no memory, it is untouched.
 */
static bool finish_run(phx_scratch *scratch, phx_shard *shard, uint32_t slot, phx_delta_result result)
{
    const phx_observer_runs *runs = &scratch->runs;
    if (PHX_LIKELY(result != PHX_DELTA_EVALUATE)) return result == PHX_DELTA_DONE;
    const phx_relation_set *related = phx_related_of(shard, slot);
    const size_t targets =
        shard->storage->targets_max(shard, slot, related ? related->count : 0) + runs->first[runs->count];
    return phx_interest_reserve_changes(scratch, 1 + runs->count, (uint32_t)targets) &&
           phx_evaluate_after_delta(scratch, shard, slot);
}

/* May the limit of an observer be exceeded by its words? */
static bool any_near_limit(const phx_scratch *scratch, const phx_shard *shard)
{
    enum { AHEAD = 8 };
    const phx_observer_runs *runs = &scratch->runs;
    if (!shard->limited) return false;
    for (uint32_t i = 0; i < runs->count; i++) {
        if (i + AHEAD < runs->count) __builtin_prefetch(&shard->store.tail[run_at(scratch, shard, i + AHEAD).slot], 1);
        const run of = run_at(scratch, shard, i);
        const uint32_t enters = of.words.end - of.words.first - of.leaves;
        const phx_list *list = &shard->store.tail[of.slot].list;
        if (!list->derived && !phx_limit_stored_fits(shard, of.slot, enters)) return true;
        if (phx_list_below_limit(list) && phx_limit_near(shard, list, enters)) return true;
    }
    return false;
}

/*
 * Emits the events of an observer without pairs that may have some nevertheless: discontinuous, related, or with
 * targets in sight that have a reach.
 */
static phx_delta_result emit_lone_observer(phx_scratch *scratch, phx_shard *shard, run *none, const phx_radii *radii)
{
    if (phx_row_discontinuous(&shard->grid.rows, none->row))
        return phx_related_of(shard, none->slot) ? PHX_DELTA_EVALUATE
                                                 : emit_discontinuous_run(scratch, shard, none, radii->in);
    const float view = shard->grid.rows.view[none->row];
    const bool derived = view > 0.0f;
    if (view == 0.0f) return PHX_DELTA_DONE; /* a mere target */
    if (!derived && shard->store.tail[none->slot].list.derived)
        return emit_annular_run(scratch, shard, none, radii->in);
    const bool related = phx_related_due(shard, none->slot);
    const float margin = derived ? 0.0f : phx_store_attr(&shard->store, none->slot)->margin;
    const bool far = phx_far_items_find_due(&scratch->tile.far, shard, none->row, radii->in, margin) > 0;
    const bool changes =
        related && (!derived || phx_related_changes(scratch, shard, none->slot, phx_related_of(shard, none->slot)));
    if (!far && !changes && !phx_delta_renewed(&scratch->tile, shard, none->row)) return PHX_DELTA_DONE;
    return derived ? emit_derived_run(scratch, shard, none) : emit_stored_run(scratch, shard, none, radii, true);
}

/* Emits such observers, up to place `end`. As flush_pairs(). */
static uint32_t emit_lone_observers(phx_scratch *scratch, phx_shard *shard, phx_tile_observers *observers, uint32_t end,
                                    const phx_radii *radii)
{
    for (; observers->count > 0 && observers->place[0] < end; observers->place++, observers->count--) {
        if (scratch->tile.annular) await_annuli(scratch, shard, *observers);
        const uint32_t place = observers->place[0], row = scratch->tile.row[place];
        run none = {.place = place, .row = row, .slot = phx_row_slot(&shard->grid.rows, row)};
        if (scratch->tile.related_due) await_related_places(scratch, shard, observers->place, observers->count);
        const phx_delta_result result = emit_lone_observer(scratch, shard, &none, radii);
        if (!finish_run(scratch, shard, none.slot, result)) return place;
    }
    return PHX_SLOT_NONE;
}

/*
 * Turns the pairs found so far, of these observers, into changes, observer by observer. The targets of a change are its
 * words, or take their place: there are never more targets than words, except for observers that are discontinuous or
 * related, or evaluated as their limit is exceeded. Then changes stand behind all words. Returns PHX_SLOT_NONE, or the
 * place where memory ended.
 */
static uint32_t flush_pairs(phx_scratch *scratch, phx_shard *shard, phx_tile_observers of, const phx_radii *radii)
{
    const phx_observer_runs *runs = &scratch->runs;
    const uint32_t *special = runs->special, pairs = scratch->pairs.count;
    const phx_block *block = &shard->grid.blocks[scratch->tile.block];
    const float view_all =
        phx_block_mixed(block) ? 0.0f : block->view_min; /* above 0: the view column of a row needs no look-up */
    /* then observers without pairs may have events, too */
    const bool far = phx_delta_far_any(&scratch->tile, of);
    const bool held = phx_delta_may_hold(&scratch->tile, shard);
    const bool any = far || held || any_related_place(scratch, shard, of);
    const bool lone = any || scratch->tile.annular || phx_lone_any_discontinuous(&scratch->tile, of);
    if (pairs == 0 && !lone) return PHX_SLOT_NONE;
    const uint32_t first =
        of.count > 0 ? of.place[0] : phx_pair_word_place(phx_pair_word_at(scratch->pairs.observer, 0));
    if (!any) of = lone ? phx_lone_keep(scratch, shard, of) : (phx_tile_observers){0};
    if (!resolve_pairs(scratch, shard, radii->in, radii->keep, lone || shard->limited)) return first;
    const bool apart = lone || any_near_limit(scratch, shard);
    if (apart) scratch->target_count += runs->first[runs->count];
    const bool stand = !apart && words_may_stand(scratch, shard);
    for (uint32_t i = 0, specials = 0; i < runs->count; i++) {
        const uint32_t place = runs->place[i], end = scratch->word_first + runs->first[i + 1];
        float view = view_all > 0.0f ? view_all : shard->grid.rows.view[scratch->tile.row[place]];
        if (PHX_LIKELY(stand) && emit_standing_run(scratch, shard, i, view)) continue;
        while (PHX_UNLIKELY(special[specials] < runs->first[i])) specials++; /* of runs before */
        const uint32_t s = specials;
        while (PHX_UNLIKELY(special[specials] < runs->first[i + 1])) specials++;
        PHX_ASSERT(apart || scratch->target_count <= scratch->word_first + runs->first[i]);
        if (PHX_UNLIKELY(shard->relations.used > 0)) await_relations(scratch, shard, i);
        if (of.count > 0 && of.place[0] < place) {
            const uint32_t stopped = emit_lone_observers(scratch, shard, &of, place, radii);
            if (stopped != PHX_SLOT_NONE) return stopped;
        }
        if (of.count > 0 && of.place[0] == place) of.place++, of.count--;
        else PHX_ASSERT(!any); /* it has events by its pairs alone */
        if (view == 0.0f) continue;
        const phx_delta_result result = emit_run(scratch, shard, i, (phx_span){s, specials}, view, radii, apart);
        PHX_ASSERT(apart || result != PHX_DELTA_EVALUATE);
        if (!finish_run(scratch, shard, run_at(scratch, shard, i).slot, result)) return place;
        PHX_ASSERT(apart || scratch->target_count <= end); /* targets did not grow: they would overwrite words */
    }
    return emit_lone_observers(scratch, shard, &of, PHX_SLOT_NONE, radii);
}

/*
 * Matches these observers with the picked candidates while there is room for pairs. Returns how many observers are
 * done.
 */
static uint32_t match_candidates(phx_scratch *scratch, phx_shard *shard, phx_tile_observers observers)
{
    const phx_tile *tile = &scratch->tile;
    uint32_t done =
        shard->kernels->match(&tile->candidates, tile->candidate_count, &observers, &tile->limits, &scratch->pairs);
    scratch->counts.pairs_tested += (uint64_t)done * tile->candidate_count;
    return done;
}

/* Matches observers place by place, each with the nine cells around it. */
static uint32_t match_sparse(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count)
{
    const phx_tile *tile = &scratch->tile;
    phx_tile_cells cells = {.now = tile->now,
                            .old = tile->old,
                            .cell = tile->cell,
                            .bound = tile->bounded ? tile->bounds.by_place : NULL,
                            .start = tile->start,
                            .stencil = tile->stencil,
                            .columns = tile->frame.columns};
    phx_tile_observers observers = {place, count, tile->now, tile->old};
    uint32_t done = shard->kernels->match_stencil(&cells, &observers, &tile->limits, &scratch->pairs);
    scratch->counts.ranges_visited += 3 * (uint64_t)done;
    return done;
}

/* Matches observers cell by cell, each with the candidates of its cell. */
static uint32_t match_by_cells(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count)
{
    phx_tile *tile = &scratch->tile;
    const uint32_t *cell = tile->cell;
    uint32_t next = count > 0 ? phx_tile_next_discontinuous(tile, place[0]) : UINT32_MAX;
    for (uint32_t i = 0, n; i < count; i += n) {
        uint32_t spans;
        for (n = 1; i + n < count && cell[place[i + n]] == cell[place[i]]; n++) continue;
        const phx_tile_observers observers = {place + i, n, tile->now, tile->old};
        if (PHX_UNLIKELY(next < place[i])) next = phx_tile_next_discontinuous(tile, place[i]);
        tile->candidate_count = phx_tile_pick(tile, cell[place[i]], next <= place[i + n - 1], &spans);
        scratch->counts.ranges_visited += spans;
        uint32_t done = match_candidates(scratch, shard, observers);
        if (done < n) return i + done;
    }
    return count;
}

/* Matches observers with these radii, by the way that the tile prefers, while there is room for pairs. */
static uint32_t match_some(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count,
                           const phx_radii *radii)
{
    phx_tile *tile = &scratch->tile;
    if (tile->limits_in != radii->in || tile->limits_keep != radii->keep) phx_tile_limit(tile, radii->in, radii->keep);
    uint32_t done =
        tile->sparse ? match_sparse(scratch, shard, place, count) : match_by_cells(scratch, shard, place, count);
    count_pairs(scratch);
    return done;
}

/* Matches observers with these radii, and emits their events. Returns as flush_pairs(). */
static uint32_t emit_matched_places(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count,
                                    const phx_radii *radii)
{
    for (uint32_t i = 1; i < count; i++) PHX_ASSERT(place[i - 1] < place[i]);
    for (uint32_t i = 0, n; i < count; i += n) {
        n = match_some(scratch, shard, place + i, count - i, radii);
        uint32_t stopped = flush_pairs(scratch, shard, (phx_tile_observers){.place = place + i, .count = n}, radii);
        if (stopped != PHX_SLOT_NONE) return stopped;
    }
    return PHX_SLOT_NONE;
}

/* How many of the places come before place `stopped`; all if it is PHX_SLOT_NONE. */
static uint32_t places_before(const uint32_t *place, uint32_t count, uint32_t stopped)
{
    uint32_t n = 0;
    if (stopped == PHX_SLOT_NONE) return count;
    while (n < count && place[n] < stopped) n++;
    return n;
}

/* ---- few rows moved ---- */

/* The tile's moved rows in the rows of cells that observers in places first .. last reach. */
static phx_span movers_around(const phx_tile *tile, uint32_t first, uint32_t last)
{
    const uint32_t columns = tile->frame.columns, fine = tile->fine;
    uint32_t low = tile->cell[first] / columns - fine, high = tile->cell[last] / columns + fine + 1;
    PHX_ASSERT(tile->cell[first] / columns >= fine && high <= tile->frame.rows);
    return (phx_span){phx_tile_places_below(tile->movers, tile->mover_count, tile->start[low * columns]),
                      phx_tile_places_below(tile->movers, tile->mover_count, tile->start[high * columns])};
}

/* Moved rows are matched, and their pairs are mirrored. false: nothing was done; *done as of phx_delta_all(). */
static bool emit_mirrored_movers(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count,
                                 uint32_t *done)
{
    const phx_tile *tile = &scratch->tile;
    uint32_t first = place[0], last = place[count - 1], room = scratch->pairs.capacity / 2;
    const phx_radii radii = {tile->alike_in, tile->alike_keep};
    phx_span movers = movers_around(tile, first, last);
    uint32_t querying = movers.end - movers.first;
    bool all = match_some(scratch, shard, tile->movers + movers.first, querying, &radii) == querying;
    if (!all || scratch->pairs.count > room) { /* then it costs less to match each observer */
        scratch->pairs.count = 0;
        return false;
    }
    *done = 0;
    if (!phx_pairs_mirror(scratch, shard, first, last)) {
        scratch->pairs.count = 0;
        return true;
    }
    /* an annulus is looked at without a pair, too */
    const phx_tile_observers observers = {.place = place, .count = tile->annular ? count : 0};
    *done = places_before(place, count, flush_pairs(scratch, shard, observers, &radii));
    return true;
}

/* ---- in general ---- */

bool phx_delta_simple(const phx_scratch *scratch, const phx_shard *shard)
{
    const phx_tile *tile = &scratch->tile;
    /* the observers of moved rows' pairs are no list of all observers, which far items or relations may concern */
    const bool beside = (tile->far.count > 0 || tile->related_due) && !shard->dense_tick;
    if (tile->renewed && !shard->dense_tick) return false;
    return tile->all_by_delta || (tile->alike && !tile->discontinuous && !beside);
}

uint32_t phx_delta_all(phx_scratch *scratch, phx_shard *shard, phx_span range)
{
    const phx_tile *tile = &scratch->tile;
    const uint32_t *place = tile->own + range.first;
    uint32_t count = range.end - range.first, done;
    if (count > 0 && tile->frame.moved && emit_mirrored_movers(scratch, shard, place, count, &done)) return done;
    const phx_radii radii = {tile->alike_in, tile->alike_keep};
    bool mixed = phx_block_mixed(&shard->grid.blocks[tile->block]);
    if (!mixed) return places_before(place, count, emit_matched_places(scratch, shard, place, count, &radii));
    uint32_t *matched = scratch->places, n = 0; /* a mere target is not matched */
    for (uint32_t i = 0; i < count; i++) {
        matched[n] = place[i];
        n += shard->grid.rows.view[tile->row[place[i]]] != 0.0f;
    }
    return places_before(place, count, emit_matched_places(scratch, shard, matched, n, &radii));
}

bool phx_delta_begin(phx_scratch *scratch, uint32_t cell)
{
    const phx_tile *tile = &scratch->tile;
    const phx_shard *shard = tile->shard;
    PHX_ASSERT(tile->marked);
    scratch->discontinuous_in_view = tile->marks[cell] & PHX_TILE_DISCONTINUOUS;
    return shard->dense_tick || tile->far.moved || (tile->marks[cell] & PHX_TILE_DIRTY);
}

bool phx_delta_enough(const phx_scratch *scratch, const phx_shard *shard, uint32_t place, phx_radii *radii)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t row = scratch->tile.row[place], slot = phx_row_slot(rows, row);
    const float view = rows->view[row];
    *radii = (phx_radii){view, view};
    if (!(view > 0.0f) && !phx_tile_plain(shard, slot, view, &radii->in, &radii->keep)) return false;
    if (phx_delta_renewed(&scratch->tile, shard, row)) return phx_delta_held_due(&scratch->tile, shard, place);
    if (!scratch->discontinuous_in_view) return true;
    const phx_list *list = &shard->store.tail[slot].list;
    const bool related = shard->store.body[slot].state & PHX_SLOT_RELATED;
    if (!phx_row_discontinuous(rows, row)) return list->derived || !related || phx_related_slots_noted(shard);
    return rows->view[row] > 0.0f && phx_list_holds_no_memory(list);
}

uint32_t phx_delta_even(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count,
                        const phx_radii *radii)
{
    return places_before(place, count, emit_matched_places(scratch, shard, place, count, radii));
}

phx_delta_result phx_delta_quiet(const phx_shard *shard, uint32_t row)
{
    float r, far;
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    const bool plain = phx_tile_plain(shard, slot, shard->grid.rows.view[row], &r, &far);
    return plain && !phx_related_due(shard, slot) ? PHX_DELTA_DONE : PHX_DELTA_EVALUATE;
}
