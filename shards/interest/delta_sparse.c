/*
 * Events by a sparse plan; see sparse_plan.h for the plan, delta_tile.h for the proof. Interest phase, any worker.
 */
#include "shards/interest/delta_sparse.h"

#include <string.h>

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"
#include "shards/entity/event_order.h"
#include "shards/grid/block_table.h"
#include "shards/grid/grid.h"
#include "shards/grid/prev_rows.h"
#include "shards/interest/change_record.h"
#include "shards/interest/delta_discontinuous.h"
#include "shards/interest/delta_held.h"
#include "shards/interest/evaluate.h"
#include "shards/interest/sparse_plan.h"
#include "shards/query/far_list.h"
#include "shards/state/list_limit.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"

static bool row_in_piece(phx_span span, uint32_t row)
{
    return row - span.first < span.end - span.first;
}

static size_t least_capacity(const phx_sparse_plan *plan, size_t count, uint32_t times)
{
    const size_t least = phx_rows_least(plan->rows_least, times);
    return count > least ? count : least;
}

static bool reserve_sparse_pairs(phx_sparse_plan *plan, phx_mem *mem, size_t count)
{
    return phx_grow(mem, (void **)&plan->pairs, &plan->pairs_capacity, plan->pair_count, least_capacity(plan, count, 8),
                    sizeof *plan->pairs);
}

/* Begins a piece of the plan's block, without pairs. false = no memory. */
static bool begin_piece(phx_sparse_plan *plan, phx_mem *mem, phx_span piece)
{
    const size_t rows = piece.end - piece.first, words = rows / PHX_WORD_ROWS + 1;
    plan->piece = piece;
    plan->pair_count = 0;
    if (!phx_grow(mem, (void **)&plan->has_pairs, &plan->has_pairs_capacity, 0,
                  least_capacity(plan, rows, 1) / PHX_WORD_ROWS + 1, sizeof *plan->has_pairs) ||
        !phx_grow(mem, (void **)&plan->last, &plan->last_capacity, 0, least_capacity(plan, rows, 1),
                  sizeof *plan->last))
        return false;
    memset(plan->has_pairs, 0, words * sizeof *plan->has_pairs);
    return true;
}

/* Adds a pair; there is room. */
static inline void add_pair(phx_sparse_plan *plan, uint32_t observer, phx_sparse_word target)
{
    const uint32_t at = observer - plan->piece.first;
    uint64_t *word = &plan->has_pairs[at / PHX_WORD_ROWS], bit = UINT64_C(1) << at % PHX_WORD_ROWS;
    plan->pairs[plan->pair_count] = (phx_sparse_plan_pair){target, *word & bit ? plan->last[at] : PHX_SPARSE_NO_PAIR};
    *word |= bit;
    plan->last[at] = plan->pair_count++;
}

/*
 * Turns the results of moved rows into pairs of the piece's observers: of the moved row itself, and of observers that
 * stand still. There is room.
 */
static void add_mirrored(phx_sparse_plan *plan, const phx_view_changes *found, uint32_t count)
{
    const phx_grid *grid = &plan->shard->grid;
    const float *view = grid->rows.view;
    const bool mixed = phx_block_mixed(&grid->blocks[plan->block]);
    const phx_span piece = plan->piece;
    for (uint32_t i = 0; i < count; i++) {
        const phx_pair_word word = phx_pair_word_at(found->row, i);
        const uint32_t row = found->by[i], other = phx_pair_word_place(word);
        if (row_in_piece(piece, row) && !(mixed && view[row] == 0.0f))
            add_pair(plan, row, phx_sparse_word_of_row(word));
        if (row_in_piece(piece, other) && !phx_grid_moved(grid, other) && !(mixed && view[other] == 0.0f))
            add_pair(plan, other, phx_sparse_word_of_row(phx_pair_word_moved_to(word, row)));
    }
}

/* Turns results into pairs. false = no memory. */
static bool add_pairs(phx_sparse_plan *plan, phx_mem *mem, const phx_view_changes *found, uint32_t count)
{
    if (!reserve_sparse_pairs(plan, mem, (size_t)plan->pair_count + 2 * (size_t)count)) return false;
    if (plan->way == PHX_SPARSE_BY_MOVERS) add_mirrored(plan, found, count);
    else
        for (uint32_t i = 0; i < count; i++)
            add_pair(plan, found->by[i], phx_sparse_word_of_row(phx_pair_word_at(found->row, i)));
    return true;
}

enum { ROWS = 4096 }; /* rows compared before the results are turned into pairs: there is room for so many results */

/* Returns the end of a batch of ranges from `first` on, with at most ROWS rows, or one range. *rows: rows in it. */
static uint32_t end_pair_batch(const phx_row_ranges *ranges, uint32_t first, uint64_t *rows)
{
    *rows = ranges->length;
    if (PHX_LIKELY(*rows <= ROWS)) return ranges->count;
    uint32_t end = first;
    *rows = 0;
    do *rows += ranges->end[end] - ranges->first[end];
    while (++end < ranges->count && *rows + (ranges->end[end] - ranges->first[end]) <= ROWS);
    return end;
}

static inline uint32_t *beyond_of(const phx_sparse_plan *plan, uint32_t axes)
{
    return plan->beyond + (size_t)axes * plan->beyond_part;
}

/* Up to PHX_SPARSE_AT_ONCE rows query. false = no memory. */
static bool find_pairs_at_once(phx_scratch *scratch, const phx_lookup *lookup, const uint32_t *observer_rows,
                               uint32_t count, const phx_view_range *limit)
{
    phx_sparse_plan *plan = &scratch->plan;
    const phx_shard *shard = plan->shard;
    phx_row_ranges *ranges = &plan->ranges;
    ranges->row = plan->range_words[0], ranges->first = plan->range_words[1], ranges->end = plan->range_words[2];
    for (uint32_t b = 0; b < PHX_BEYONDS; b++) ranges->beyond[b] = beyond_of(plan, b) + plan->beyond_count[b];
    shard->kernels->plan_row_ranges(&shard->grid.rows, lookup, observer_rows, count, ranges);
    scratch->counts.ranges_visited += ranges->count;
    scratch->counts.pairs_tested += ranges->length;
    for (uint32_t i = 0, end; i < ranges->count; i = end) {
        uint64_t rows;
        end = end_pair_batch(ranges, i, &rows);
        size_t room = (rows > ROWS ? rows : ROWS) + PHX_KERNEL_PAD;
        if (!phx_grow(scratch->mem, (void **)&plan->found, &plan->found_capacity, 0, 2 * room, sizeof(uint32_t)))
            return false;
        const phx_span some = {i, end};
        const phx_view_changes found = {plan->found, plan->found + room};
        uint32_t count_found = shard->kernels->find_view_changes(&shard->grid.rows, ranges, some, limit, &found);
        if (!add_pairs(plan, scratch->mem, &found, count_found)) return false;
    }
    return true;
}

static phx_span rows_of(const phx_block *block)
{
    return (phx_span){block->start[0], block->start[PHX_BLOCK_TOWERS]};
}

/*
 * Rows query the rows `at` of a block. around: rows with other blocks in reach are noted in `beyond`. false = no
 * memory.
 */
static bool find_block_pairs(phx_scratch *scratch, const phx_block *block, phx_span at, const uint32_t *observer_rows,
                             uint32_t count, const phx_view_range *limit, bool around)
{
    phx_sparse_plan *plan = &scratch->plan;
    const phx_shard *shard = plan->shard;
    const phx_lookup lookup = {shard->rules, block, at, plan->reach};
    for (uint32_t i = 0; i < count; i += PHX_SPARSE_AT_ONCE) {
        uint32_t n = count - i < PHX_SPARSE_AT_ONCE ? count - i : PHX_SPARSE_AT_ONCE;
        if (!find_pairs_at_once(scratch, &lookup, observer_rows + i, n, limit)) return false;
        for (uint32_t b = 0; around && b < PHX_BEYONDS; b++) plan->beyond_count[b] += plan->ranges.beyond_count[b];
    }
    return true;
}

/* Rows of the block query all rows around. false = no memory. */
static bool find_pairs_around(phx_scratch *scratch, const uint32_t *observer_rows, uint32_t count,
                              const phx_view_range *limit)
{
    phx_sparse_plan *plan = &scratch->plan;
    const phx_grid *grid = &plan->shard->grid;
    const phx_block *own = &grid->blocks[plan->block];
    memset(plan->beyond_count, 0, sizeof plan->beyond_count);
    if (!find_block_pairs(scratch, own, rows_of(own), observer_rows, count, limit, true)) return false;
    phx_block_walk walk = phx_grid_walk(grid, own->instance, plan->around);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        uint32_t axes = block->by == own->by ? PHX_SPILL_X : block->bx == own->bx ? PHX_SPILL_Y : PHX_SPILL_BOTH;
        uint32_t *beyond = beyond_of(plan, axes), beyond_count = plan->beyond_count[axes];
        if (block != own && !find_block_pairs(scratch, block, rows_of(block), beyond, beyond_count, limit, false))
            return false;
    }
    return true;
}

/*
 * A previous row leaves the observers of the piece that saw it: observers with old positions around it. false = no
 * memory.
 */
static bool add_prev_row_pair(phx_scratch *scratch, uint32_t at)
{
    phx_sparse_plan *plan = &scratch->plan;
    const phx_shard *shard = plan->shard;
    const phx_block *block = &shard->grid.blocks[plan->block];
    const phx_prev_rows_row *previous = &shard->previous.rows[at];
    const phx_rect rect = phx_box_towers(shard->rules, phx_box_around(previous->x, previous->y, plan->reach));
    const bool square = shard->rules->shape == PH_SHAPE_SQUARE;
    phx_grid_rows old = shard->grid.rows;
    phx_span spans[PHX_BLOCK_SIDE];
    old.x = old.ox;
    old.y = old.oy;
    if (!phx_block_meets(block, rect)) return true;
    for (uint32_t s = 0, count = phx_block_spans(block, rect, spans); s < count; s++) {
        const uint32_t first = spans[s].first > plan->piece.first ? spans[s].first : plan->piece.first;
        const uint32_t end = spans[s].end < plan->piece.end ? spans[s].end : plan->piece.end;
        if (first >= end) continue;
        if (!reserve_sparse_pairs(plan, scratch->mem, (size_t)plan->pair_count + (end - first))) return false;
        scratch->counts.pairs_tested += end - first;
        for (uint32_t row = first; row < end; row++)
            if (old.view[row] > 0.0f && phx_row_views(&old, row, previous->x, previous->y, square))
                add_pair(plan, row, phx_sparse_word_of_previous(at));
    }
    return true;
}

/* Adds the leaves of all previous rows around. false = no memory. */
static bool add_prev_row_pairs(phx_scratch *scratch)
{
    const phx_sparse_plan *plan = &scratch->plan;
    const phx_grid *grid = &plan->shard->grid;
    phx_block_walk walk = phx_grid_walk(grid, grid->blocks[plan->block].instance, plan->around);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        for (uint32_t at = block->previous.first; at < block->previous.end; at++)
            if (!add_prev_row_pair(scratch, at)) return false;
    return true;
}

/*
 * Writes the words of one observer from its pairs, `last` on backwards, without targets that it may not see. A previous
 * row (only if discontinuous) has a special word. Returns the number of words; *leaves of them are leaves.
 */
static inline __attribute__((always_inline)) uint32_t observer_words(const phx_shard *shard,
                                                                     const phx_sparse_plan_pair *pairs, uint32_t last,
                                                                     uint32_t row, bool discontinuous, uint32_t *to,
                                                                     uint32_t *leaves)
{
    const phx_store *store = &shard->store;
    const uint32_t *slots = shard->grid.rows.slot;
    const bool common = phx_row_sees_common(shard, row);
    uint32_t count = 0, left_count = 0;
    for (uint32_t i = last; i != PHX_SPARSE_NO_PAIR; i = pairs[i].previous) {
        const uint32_t at = phx_sparse_word_number(pairs[i].target), left = phx_sparse_word_leaves(pairs[i].target);
        const bool previous = discontinuous && phx_sparse_word_is_previous(pairs[i].target);
        const phx_row_word word = phx_row_word_at(previous ? shard->previous.word : slots, at);
        const uint32_t target = phx_row_word_slot(word);
        const bool seen = phx_row_word_special(word)
                              ? phx_near_admits(phx_store_attr(store, phx_row_slot(&shard->grid.rows, row)),
                                                previous ? phx_prev_rows_attr_of(&shard->previous, store, target)
                                                         : phx_store_attr(store, target))
                              : common;
        if (!seen) continue;
        to[count++] = phx_target_word_of_event(target, left, previous).bits;
        left_count += left;
    }
    *leaves = left_count;
    return count;
}

/*
 * Emits the events of a discontinuous observer. All targets in its view are new to it, and itself is always among its
 * words.
 */
static phx_delta_result emit_discontinuous_observer(phx_scratch *scratch, phx_shard *shard, uint32_t slot,
                                                    const uint32_t *words, uint32_t count)
{
    uint32_t enters = 0;
    for (uint32_t i = 0; i < count; i++) {
        PHX_ASSERT(!phx_target_word_leaves(phx_target_word_at(words, i)));
        scratch->enter[enters] = words[i];
        enters += words[i] != slot;
    }
    return phx_delta_emit_discontinuous(scratch, shard, slot, enters, false);
}

/* Drops the words of targets of relations, which have no event: no relation is due. Returns the number of words. */
static uint32_t drop_related_targets(const phx_shard *shard, const phx_relation_set *related, uint32_t *words,
                                     uint32_t count, uint32_t *leaves)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const phx_target_word word = phx_target_word_at(words, i);
        words[n] = word.bits;
        if (phx_related_to(shard, related, phx_target_word_slot(word))) *leaves -= phx_target_word_leaves(word);
        else n++;
    }
    return n;
}

/* Does the observer's limit allow these events, for which there is room? Then its list follows. */
static bool within_limit(phx_shard *shard, uint32_t slot, uint32_t enters, uint32_t leaves)
{
    if (!phx_limit_fits(shard, slot, enters, leaves)) return false;
    phx_limit_follow(&shard->store.tail[slot].list, enters, leaves);
    return true;
}

/* Emits the events of a renewed observer, if it has held targets and a delta is enough. As emit_observer_pairs(). */
static phx_delta_result emit_renewed_observer(phx_scratch *scratch, phx_shard *shard, uint32_t row, uint32_t last)
{
    const uint32_t first = scratch->target_count;
    uint32_t leaves;
    if (!scratch->plan.held || !phx_delta_held_due_sparse(shard, row)) return PHX_DELTA_EVALUATE;
    const uint32_t count =
        observer_words(shard, scratch->plan.pairs, last, row, false, scratch->targets + first, &leaves);
    return phx_delta_held_sparse(scratch, shard, row, (phx_span){first, first + count});
}

/*
 * Emits the events of one observer from its pairs, `last` on backwards. There is room for them, and for the targets of
 * a discontinuous observer. Only if PHX_DELTA_DONE an event was emitted.
 */
static phx_delta_result emit_observer_pairs(phx_scratch *scratch, phx_shard *shard, uint32_t row, uint32_t last)
{
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    const phx_sparse_plan_pair *pairs = scratch->plan.pairs;
    const bool discontinuous = scratch->plan.discontinuous;
    uint32_t *to = scratch->targets + scratch->target_count, leaves;
    if (PHX_UNLIKELY(scratch->plan.renewed) && phx_prev_rows_renewed(&shard->previous, row))
        return emit_renewed_observer(scratch, shard, row, last);
    uint32_t count = discontinuous ? observer_words(shard, pairs, last, row, true, to, &leaves)
                                   : observer_words(shard, pairs, last, row, false, to, &leaves);
    const phx_relation_set *related = phx_related_of(shard, slot);
    if (PHX_UNLIKELY(discontinuous && phx_row_discontinuous(&shard->grid.rows, row)))
        return related ? PHX_DELTA_EVALUATE : emit_discontinuous_observer(scratch, shard, slot, to, count);
    if (related) count = drop_related_targets(shard, related, to, count, &leaves);
    PHX_VALIDATE(shard->store.tail[slot].list.derived == 1);
    if (PHX_UNLIKELY(count > PHX_ORDER_SHORT_MAX)) { /* a change of so many is ordered before it is named */
        const uint32_t enters = phx_interest_part(scratch, to, count);
        for (uint32_t i = 0; i < count - enters; i++)
            scratch->leave[i] = phx_target_word_slot(phx_target_word_at(scratch->leave, i));
        if (discontinuous) return phx_delta_emit_both(scratch, shard, slot, enters, count - enters, false);
        if (shard->limited && !within_limit(shard, slot, enters, count - enters)) return PHX_DELTA_EVALUATE;
        phx_interest_record(scratch, shard, slot, enters, count - enters);
        return PHX_DELTA_DONE;
    }
    if (PHX_UNLIKELY(discontinuous)) {
        phx_span words = {0, count};
        leaves -= phx_delta_keep_seen(to, &words);
        count = words.end;
    }
    if (count == 0) return PHX_DELTA_DONE;
    if (shard->limited && !within_limit(shard, slot, count - leaves, leaves)) return PHX_DELTA_EVALUATE;
    phx_interest_add_change(scratch, slot, scratch->target_count, count - leaves, leaves)->passes = discontinuous;
    scratch->target_count += count;
    return PHX_DELTA_DONE;
}

/* The most pairs of one observer; without a discontinuity, an upper bound that is small enough. */
static uint32_t most_pairs(const phx_sparse_plan *plan)
{
    uint32_t most = 0;
    if (!plan->discontinuous) return plan->pair_count;
    for (uint32_t at = 0; at < plan->piece.end - plan->piece.first; at++) {
        if (!phx_row_bit(plan->has_pairs, at)) continue;
        uint32_t count = 0;
        for (uint32_t i = plan->last[at]; i != PHX_SPARSE_NO_PAIR; i = plan->pairs[i].previous) count++;
        if (count > most) most = count;
    }
    return most;
}

/* Room for the changes of all pairs, with `most` pairs of one observer. */
static bool reserve_all(phx_scratch *scratch, uint32_t most)
{
    const phx_sparse_plan *plan = &scratch->plan;
    const uint32_t rows = plan->piece.end - plan->piece.first, pairs = plan->pair_count;
    const uint32_t changes = pairs < rows ? pairs : rows;
    return phx_scratch_room(scratch, (size_t)most + phx_far_list_max(plan->shard)) &&
           phx_interest_reserve_changes(scratch, changes, pairs) && phx_interest_reserve(scratch, most, 0);
}

/* Emits all pairs of a piece, in the order of rows. Returns how many rows are done; fewer = no memory at the next. */
static uint32_t emit_piece_pairs(phx_scratch *scratch, phx_shard *shard)
{
    const phx_sparse_plan *plan = &scratch->plan;
    const uint32_t rows = plan->piece.end - plan->piece.first;
    if (plan->pair_count == 0 && !plan->renewed) return rows;
    const uint32_t most = most_pairs(plan);
    if (!reserve_all(scratch, most)) return 0;
    for (uint32_t word = 0; word * PHX_WORD_ROWS < rows; word++) {
        for (uint64_t bits = plan->has_pairs[word]; bits != 0; bits &= bits - 1) {
            const uint32_t at = word * PHX_WORD_ROWS + (uint32_t)__builtin_ctzll(bits);
            const uint32_t row = plan->piece.first + at;
            const phx_delta_result result = emit_observer_pairs(scratch, shard, row, plan->last[at]);
            const bool over = result == PHX_DELTA_EVALUATE;
            if (result == PHX_DELTA_NO_MEMORY) return at;
            if (over && !phx_evaluate_after_delta(scratch, shard, phx_row_slot(&shard->grid.rows, row))) return at;
            /* an evaluation, held targets, or the previous list of a discontinuous observer have used room of pairs */
            const bool used = plan->discontinuous || plan->renewed || over;
            if (PHX_UNLIKELY(used) && !reserve_all(scratch, most)) return at + 1;
        }
    }
    return rows;
}

/* The number of observers of a piece. */
static uint32_t count_piece_observers(const phx_shard *shard, const phx_block *block, phx_span piece)
{
    const float *view = shard->grid.rows.view;
    uint32_t count = 0;
    if (piece.end - piece.first == phx_block_rows(block)) return block->observers;
    for (uint32_t row = piece.first; row < piece.end; row++) count += view[row] != 0.0f;
    return count;
}

/* How many of some ordered rows come before a row. */
static uint32_t rows_before(const uint32_t *rows, uint32_t count, uint32_t row)
{
    uint32_t n = 0;
    while (n < count && rows[n] < row) n++;
    return n;
}

static phx_view_range limit_of(const phx_sparse_plan *plan, float r)
{
    return (phx_view_range){.r = r, .before = r, .square = plan->shard->rules->shape == PH_SHAPE_SQUARE};
}

/* Moved rows of the piece query all rows around; other moved rows query the piece. false = no memory. */
static bool find_mover_pairs(phx_scratch *scratch)
{
    const phx_sparse_plan *plan = &scratch->plan;
    const phx_block *block = &plan->shard->grid.blocks[plan->block];
    const uint32_t *movers = plan->movers, first = rows_before(movers, plan->own_count, plan->piece.first);
    const uint32_t end = rows_before(movers, plan->own_count, plan->piece.end);
    const phx_view_range limit = limit_of(plan, block->reach);
    return find_pairs_around(scratch, movers + first, end - first, &limit) &&
           find_block_pairs(scratch, block, plan->piece, movers, first, &limit, false) &&
           find_block_pairs(scratch, block, plan->piece, movers + end, plan->mover_count - end, &limit, false);
}

/*
 * Did something change in the towers that the observer of a row sees? Marks are in the towers of entities, old and new,
 * not of rows. If the observer moved itself, its own mark answers.
 */
static bool may_see_change(const phx_sparse_plan *plan, uint32_t row)
{
    const phx_shard *shard = plan->shard;
    const phx_grid *grid = &shard->grid;
    phx_box view_box = phx_box_around(grid->rows.x[row], grid->rows.y[row], grid->blocks[plan->block].reach);
    return phx_grid_dirty(grid, grid->blocks[plan->block].instance, phx_box_towers(shard->rules, view_box),
                          shard->tick);
}

/*
 * Writes the observers of the piece that have to query to scratch->hits; there is room for one more, too. Returns their
 * number.
 */
static uint32_t find_observers(phx_scratch *scratch)
{
    const phx_sparse_plan *plan = &scratch->plan;
    uint32_t *found = scratch->hits, kept = 0;
    const uint32_t n = phx_grid_observers_in(&plan->shard->grid, plan->piece, found);
    if (plan->shard->dense_tick) return n;
    for (uint32_t i = 0; i < n; i++)
        if (may_see_change(plan, found[i])) found[kept++] = found[i];
    return kept;
}

/*
 * The observers of the piece query; observers with equal views together, whether their lists are stored or not. false =
 * no memory.
 */
static bool find_observer_pairs(phx_scratch *scratch)
{
    const phx_sparse_plan *plan = &scratch->plan;
    const float *view = plan->shard->grid.rows.view;
    if (!phx_scratch_room(scratch, (size_t)(plan->piece.end - plan->piece.first) + 1)) return false;
    uint32_t count = find_observers(scratch);
    const uint32_t *observer_rows = scratch->hits;
    for (uint32_t i = 0, end; i < count; i = end) {
        const float own = fabsf(view[observer_rows[i]]);
        for (end = i + 1; end < count && fabsf(view[observer_rows[end]]) == own; end++) continue;
        const phx_view_range limit = limit_of(plan, own);
        if (!find_pairs_around(scratch, observer_rows + i, end - i, &limit)) return false;
    }
    return true;
}

/* The turn of each renewed observer of the piece comes, without a pair, too. */
static void add_renewed_rows(phx_sparse_plan *plan)
{
    for (uint32_t row = plan->piece.first; row < plan->piece.end; row++) {
        const uint32_t at = row - plan->piece.first;
        if (!phx_prev_rows_renewed(&plan->shard->previous, row) || phx_row_bit(plan->has_pairs, at)) continue;
        phx_row_set_bit(plan->has_pairs, at, true);
        plan->last[at] = PHX_SPARSE_NO_PAIR;
    }
}

/* Runs all queries of a piece. false = no memory. */
static bool find_piece_pairs(phx_scratch *scratch, phx_span piece)
{
    phx_sparse_plan *plan = &scratch->plan;
    const bool observers = plan->way == PHX_SPARSE_BY_OBSERVERS;
    const uint32_t most = observers ? piece.end - piece.first : plan->own_count;
    plan->beyond_part = most + PHX_SPARSE_AT_ONCE + PHX_KERNEL_PAD;
    if (!phx_grow(scratch->mem, (void **)&plan->beyond, &plan->beyond_capacity, 0,
                  least_capacity(plan, PHX_BEYONDS * (size_t)plan->beyond_part, 1), sizeof(uint32_t)))
        return false;
    memset(plan->beyond_count, 0, sizeof plan->beyond_count);
    if (!begin_piece(plan, scratch->mem, piece)) return false;
    if (!(observers ? find_observer_pairs(scratch) : find_mover_pairs(scratch))) return false;
    if (plan->discontinuous && !add_prev_row_pairs(scratch)) return false;
    if (plan->renewed) add_renewed_rows(plan);
    return true;
}

uint32_t phx_delta_sparse(phx_scratch *scratch, phx_shard *shard, phx_span piece)
{
    const phx_sparse_plan *plan = &scratch->plan;
    const phx_block *block = &shard->grid.blocks[plan->block];
    const bool quiet =
        plan->way == PHX_SPARSE_BY_MOVERS && plan->mover_count == 0 && !plan->discontinuous && !plan->renewed;
    uint32_t done = piece.end - piece.first;
    if (!quiet) done = find_piece_pairs(scratch, piece) ? emit_piece_pairs(scratch, shard) : 0;
    scratch->counts.by_delta += count_piece_observers(shard, block, (phx_span){piece.first, piece.first + done});
    return done;
}
