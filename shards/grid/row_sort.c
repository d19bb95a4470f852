/*
 * Rows put in order by counts and keys; see row_sort.h. In the index phase, by the shard's owner.
 */
#include "shards/grid/row_sort.h"

/* Row edits need a gap near: so many rows for each gap in a crowded block, and one gap for any block. */
enum { GAP_ROWS = 32 };

uint64_t phx_row_gaps_wanted(const phx_grid *grid, uint32_t rows)
{
    return (uint64_t)grid->block_count + rows / GAP_ROWS;
}

/*
 * Counts rows into start[tower + 1], and notes the rank of each in its tower; returns all that are kept. Rows of a
 * tower keep their order: at first that of slots, so of memory, which saves 3 % of a tick of observers with bands.
 */
static uint32_t count_rows(phx_grid *grid, uint32_t total, const uint32_t *key, uint32_t *rank)
{
    uint32_t rows = 0;
    for (uint32_t b = 0; b < grid->block_count; b++) memset(grid->blocks[b].start, 0, sizeof grid->blocks[b].start);
    for (uint32_t i = 0; i < total; i++) {
        if (PHX_UNLIKELY(key[i] == PHX_ROW_GONE)) continue;
        rank[i] = phx_row_start(grid, key[i])[1]++;
        rows++;
    }
    return rows;
}

/*
 * Turns counts into starts, which are final, as each row has its rank in the tower. Free room, as far as it is of use,
 * becomes gaps behind blocks.
 */
static void starts_from_counts(phx_grid *grid, uint32_t rows)
{
    const uint64_t wanted = phx_row_gaps_wanted(grid, rows), spare = grid->rows_capacity - rows;
    const uint64_t gaps = wanted < spare ? wanted : spare, weight_all = (uint64_t)grid->block_count * GAP_ROWS + rows;
    uint64_t weight = 0, given = 0;
    uint32_t sum = 0;
    for (uint32_t b = 0; b < grid->block_count; b++) {
        uint32_t *start = grid->blocks[b].start, first = sum;
        start[0] = sum;
        for (uint32_t t = 1; t <= PHX_BLOCK_TOWERS; t++) start[t] = sum += start[t];
        weight += GAP_ROWS + (sum - first);
        uint64_t due = gaps * weight / weight_all;
        sum += (uint32_t)(due - given);
        given = due;
    }
    grid->row_end = sum;
    grid->row_count = rows;
    PHX_ASSERT(sum <= grid->rows_capacity);
}

/* Writes the gaps behind blocks. */
static void mark_gaps(phx_grid *grid)
{
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const uint32_t end = phx_grid_block_end(grid, b);
        for (uint32_t row = grid->blocks[b].start[PHX_BLOCK_TOWERS]; row < end; row++) {
            grid->rows.slot[row] = phx_row_word_gap().bits;
            grid->rows.view[row] = 0.0f;
        }
    }
}

/* Turns keys into places; rows that are not kept get a place in the pad. */
static void place_rows(const phx_grid *grid, uint32_t total, uint32_t *key, const uint32_t *rank)
{
    for (uint32_t i = 0; i < total; i++)
        key[i] = key[i] == PHX_ROW_GONE ? grid->rows_capacity : *phx_row_start(grid, key[i]) + rank[i];
}

/* Moves a column to the places, in *spare; its old memory becomes the spare. */
static void sort_floats(float **column, float **spare, const uint32_t *place, uint32_t total)
{
    float *from = *column, *sorted = *spare;
    for (uint32_t i = 0; i < total; i++) sorted[place[i]] = from[i];
    *column = sorted;
    *spare = from;
}

static void sort_words(uint32_t **column, float **spare, const uint32_t *place, uint32_t total)
{
    uint32_t *from = *column, *sorted = (uint32_t *)(void *)*spare;
    for (uint32_t i = 0; i < total; i++) sorted[place[i]] = from[i];
    *column = sorted;
    *spare = (float *)(void *)from;
}

void phx_rows_sort(phx_grid *grid, uint32_t total)
{
    phx_grid_rows *rows = &grid->rows;
    uint32_t *key = phx_row_keys(grid), *rank = (uint32_t *)(void *)rows->y;
    starts_from_counts(grid, count_rows(grid, total, key, rank));
    place_rows(grid, total, key, rank);
    sort_floats(&rows->ox, &rows->y, key, total);
    sort_floats(&rows->oy, &rows->y, key, total);
    sort_floats(&rows->view, &rows->y, key, total);
    sort_words(&rows->slot, &rows->y, key, total);
    mark_gaps(grid);
    phx_grid_clear_bits(grid);
    grid->pause -= grid->pause > 0;
    grid->summaries_valid = false;
}
