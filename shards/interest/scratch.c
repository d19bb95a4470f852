/*
 * One worker's memory; see scratch.h.
 */
#include "shards/interest/scratch.h"

#include <string.h>

#include "base/simd.h"
#include "shards/interest/sparse_plan.h"
#include "shards/interest/tile.h"
#include "shards/simd/top_k.h"

enum { ROWS_FEWEST = 64, ROWS_MOST = 1 << 14 }; /* bounds of rows_least */

void phx_interest_counts_add(phx_interest_counts *sum, const phx_interest_counts *now,
                             const phx_interest_counts *before)
{
    sum->evaluated += now->evaluated - before->evaluated;
    sum->by_delta += now->by_delta - before->by_delta;
    sum->ranges_visited += now->ranges_visited - before->ranges_visited;
    sum->pairs_tested += now->pairs_tested - before->pairs_tested;
    sum->pairs_exact += now->pairs_exact - before->pairs_exact;
    sum->enters += now->enters - before->enters;
    sum->leaves += now->leaves - before->leaves;
    sum->dropped += now->dropped - before->dropped;
    sum->held += now->held - before->held;
}

void phx_scratch_init(phx_scratch *scratch, phx_mem *mem)
{
    *scratch = (phx_scratch){.mem = mem, .rows_least = ROWS_FEWEST, .plan.rows_least = ROWS_FEWEST};
}

void phx_scratch_relieve(phx_scratch *scratch)
{
    phx_mem *mem = scratch->mem;
    phx_release(mem, (void **)&scratch->mark, &scratch->mark_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->hits, &scratch->hits_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->places, &scratch->places_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->lone, &scratch->lone_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->squares, &scratch->squares_capacity, sizeof(float));
    phx_release(mem, (void **)&scratch->enter, &scratch->enter_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->leave, &scratch->leave_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->old, &scratch->old_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->related, &scratch->related_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->annulus, &scratch->annulus_capacity, sizeof(uint32_t));
    phx_rank_tables_free(&scratch->rank_tables, mem);
    phx_tower_columns_free(&scratch->tower_columns, mem);
    phx_release(mem, (void **)&scratch->ranks, &scratch->ranks_capacity, sizeof(uint16_t));
    phx_release(mem, (void **)&scratch->keys, &scratch->keys_capacity, sizeof(double));
    phx_release(mem, (void **)&scratch->was, &scratch->was_capacity, sizeof(uint8_t));
    phx_release(mem, (void **)&scratch->ranked, &scratch->ranked_capacity, sizeof(phx_ranked));
    phx_release(mem, (void **)&scratch->sorted, &scratch->sorted_capacity, sizeof(phx_sort_record));
    phx_release(mem, (void **)&scratch->sorted_spare, &scratch->sorted_spare_capacity, sizeof(phx_sort_record));
    phx_release(mem, (void **)&scratch->pair_words, &scratch->pair_words_capacity, sizeof(uint32_t));
    phx_tile_free(&scratch->tile, mem);
    phx_sparse_plan_free(&scratch->plan, mem);
}

void phx_scratch_free(phx_scratch *scratch)
{
    phx_mem *mem = scratch->mem;
    phx_scratch_relieve(scratch);
    phx_release(mem, (void **)&scratch->changes, &scratch->changes_capacity, sizeof(phx_change));
    phx_release(mem, (void **)&scratch->targets, &scratch->targets_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&scratch->overflow, &scratch->overflow_capacity, sizeof(uint32_t));
}

void phx_scratch_reset(phx_scratch *scratch, uint32_t entities)
{
    phx_mem *mem = scratch->mem;
    phx_trim(mem, (void **)&scratch->changes, &scratch->changes_capacity, sizeof *scratch->changes,
             scratch->change_count, &scratch->changes_use);
    phx_trim(mem, (void **)&scratch->targets, &scratch->targets_capacity, sizeof *scratch->targets,
             scratch->target_count, &scratch->targets_use);
    phx_trim(mem, (void **)&scratch->mark, &scratch->mark_capacity, sizeof *scratch->mark,
             scratch->marked ? scratch->mark_capacity : 0, &scratch->mark_use);
    scratch->marked = false;
    phx_rank_tables_reset(&scratch->rank_tables);
    phx_sift_reset(&scratch->sift);
    scratch->tower_columns.of = NULL;
    phx_trim(mem, (void **)&scratch->overflow, &scratch->overflow_capacity, sizeof *scratch->overflow,
             scratch->overflow_count, &scratch->overflow_use);
    for (scratch->rows_least = ROWS_FEWEST; scratch->rows_least < entities && scratch->rows_least < ROWS_MOST;)
        scratch->rows_least *= 2;
    scratch->plan.rows_least = scratch->rows_least;
    scratch->change_count = scratch->commit_count = scratch->target_count = scratch->overflow_count = 0;
}

bool phx_scratch_room(phx_scratch *scratch, size_t count)
{
    const size_t least = phx_rows_least(scratch->rows_least, 1);
    size_t padded = (count > least ? count : least) + PHX_KERNEL_PAD;
    return phx_grow(scratch->mem, (void **)&scratch->old, &scratch->old_capacity, 0, padded, sizeof(uint32_t)) &&
           phx_grow(scratch->mem, (void **)&scratch->hits, &scratch->hits_capacity, 0, padded, sizeof(uint32_t)) &&
           phx_grow(scratch->mem, (void **)&scratch->squares, &scratch->squares_capacity, 0, padded, sizeof(float)) &&
           phx_grow(scratch->mem, (void **)&scratch->enter, &scratch->enter_capacity, 0, padded, sizeof(uint32_t)) &&
           phx_grow(scratch->mem, (void **)&scratch->leave, &scratch->leave_capacity, 0, padded, sizeof(uint32_t));
}

/* Room for the pairs of any one observer in a tile, and for some pairs of many. */
bool phx_scratch_reserve_pairs(phx_scratch *scratch, uint32_t count)
{
    enum { ARRAYS = 7, PAIRS_A_ROW = 8 }; /* few enough to stay in near caches until they are resolved */
    const size_t least = phx_rows_least(scratch->rows_least, PAIRS_A_ROW);
    const uint32_t capacity = count > least ? count : (uint32_t)least;
    const size_t rows_least = phx_rows_least(scratch->rows_least, 1), places = count > rows_least ? count : rows_least;
    size_t step = (size_t)capacity + PHX_KERNEL_PAD;
    if (!phx_grow(scratch->mem, (void **)&scratch->places, &scratch->places_capacity, 0, places, sizeof(uint32_t)))
        return false;
    if ((scratch->tile.annular || scratch->tile.discontinuous_own_count > 0) &&
        !phx_grow(scratch->mem, (void **)&scratch->lone, &scratch->lone_capacity, 0, places, sizeof(uint32_t)))
        return false;
    if (!phx_grow(scratch->mem, (void **)&scratch->pair_words, &scratch->pair_words_capacity, 0, ARRAYS * step,
                  sizeof(uint32_t)))
        return false;
    uint32_t *array = scratch->pair_words;
    scratch->pairs = (phx_pairs){.observer = array, .target = array + step, .capacity = capacity};
    scratch->flagged = array + 2 * step;
    scratch->runs = (phx_observer_runs){array + 3 * step, array + 4 * step, array + 5 * step, array + 6 * step, 0};
    return true;
}
