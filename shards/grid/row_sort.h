/*
 * The last part of a sort of rows: rows are put in order by towers that are counted. In the index phase, by the shard's
 * owner.
 */
#ifndef PHX_SHARDS_GRID_ROW_SORT_H
#define PHX_SHARDS_GRID_ROW_SORT_H

#include "shards/grid/grid.h"

static const uint32_t PHX_ROW_GONE = UINT32_MAX; /* the key of a gap, and of a row that ends */

enum { PHX_BLOCK_WORDS = sizeof(phx_block) / sizeof(uint32_t) };
_Static_assert(sizeof(phx_block) % sizeof(uint32_t) == 0, "blocks are words");

/* A grid has no more blocks, so that the keys of all its towers are words, and other ones than PHX_ROW_GONE. */
static const uint32_t PHX_GRID_BLOCKS_MAX = UINT32_MAX / PHX_BLOCK_WORDS;

/*
 * The key of a row in a tower of the block with this number: where the tower's start stands among all words of blocks,
 * so that counts, which are as many as rows, need no product.
 */
static inline uint32_t phx_row_key(uint32_t block, uint32_t tower)
{
    return block * PHX_BLOCK_WORDS + tower;
}

/* start[tower] of the key's block. */
static inline uint32_t *phx_row_start(const phx_grid *grid, uint32_t key)
{
    return (uint32_t *)(void *)((char *)grid->blocks + offsetof(phx_block, start)) + key;
}

/* The gaps that blocks should have for so many rows. */
uint64_t phx_row_gaps_wanted(const phx_grid *grid, uint32_t rows);

/* Memory of the keys: x, which a sort writes anew. */
static inline uint32_t *phx_row_keys(const phx_grid *grid)
{
    return (uint32_t *)(void *)grid->rows.x;
}

/* Asks for the body of a row: each fourth one ends in a second line of memory. */
static inline void phx_row_await_body(const phx_grid_rows *rows, const phx_store *store, uint32_t row)
{
    const phx_body *body = &store->body[phx_row_slot(rows, row)];
    __builtin_prefetch(&body->x, 1);
    __builtin_prefetch(&body->changed, 1);
}

/*
 * Sorts the columns ox, oy, view and slot by the keys of `total` rows and gaps. Towers are as keys have them, their
 * rows in the order of before; gaps are made anew. x and y are lost, summaries are invalid, no row is marked as moved.
 */
void phx_rows_sort(phx_grid *grid, uint32_t total);

#endif
