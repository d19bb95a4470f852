/*
 * Rows of held targets that may join; see held_rows.h.
 */
#include "shards/interest/held_rows.h"

#include "shards/state/view_reach.h"

/* More than the roundings of two distances to float32, of their squares and of the ones of pairs. */
#define DISTANCE_SLACK 1e-6

static phx_block_walk walk_held_rows(const phx_shard *shard, uint32_t row, float radius)
{
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    return phx_grid_walk(&shard->grid, phx_store_instance(&shard->store, slot),
                         phx_interest_rows_rect(shard, &shard->store.body[slot], radius));
}

uint32_t phx_held_rows_most(const phx_shard *shard, uint32_t row, float view)
{
    phx_block_walk walk = walk_held_rows(shard, row, view);
    uint32_t most = 0;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) most += phx_block_rows(block);
    return most;
}

/* Keeps, in place, rows that came so near; others were as near before, and are farther off. */
static uint32_t keep_near_rows(uint32_t *found, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be mispredicted */
        const phx_sparse_word word = phx_sparse_word_of_row(phx_pair_word_at(found, i));
        found[n] = phx_sparse_word_number(word);
        n += !phx_sparse_word_leaves(word);
    }
    return n;
}

uint32_t phx_held_rows_find(phx_scratch *scratch, const phx_shard *shard, uint32_t row, double near, double far,
                            uint32_t *rows, uint32_t *spare)
{
    const phx_view_range range = {.r = (float)(far * (1 + DISTANCE_SLACK)),
                                  .before = (float)(near * (1 - DISTANCE_SLACK))};
    uint32_t by[PHX_BLOCK_SIDE], first[PHX_BLOCK_SIDE], end[PHX_BLOCK_SIDE], n = 0;
    phx_block_walk walk = walk_held_rows(shard, row, range.r);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        phx_span spans[PHX_BLOCK_SIDE] = {{0, 0}}; /* clang's analyser does not see that all are written */
        phx_row_ranges ranges = {.row = by, .first = first, .end = end};
        ranges.count = phx_block_spans(block, walk.rect, spans);
        for (uint32_t s = 0; s < ranges.count; s++) {
            by[s] = row, first[s] = spans[s].first, end[s] = spans[s].end;
            ranges.length += spans[s].end - spans[s].first;
        }
        const phx_view_changes out = {.by = spare, .row = rows + n};
        scratch->counts.ranges_visited += ranges.count;
        scratch->counts.pairs_tested += ranges.length;
        n += keep_near_rows(rows + n, shard->kernels->find_view_changes(&shard->grid.rows, &ranges,
                                                                        (phx_span){0, ranges.count}, &range, &out));
    }
    return n;
}
