/*
 * Summaries of blocks: observers and views, and the bits of rows with a view; see grid.h. Called by the shard's owner:
 * where attributes change, and in the index phase, once rows are as in the interest phase.
 */
#include "shards/grid/block_summary.h"

#include <string.h>

#include "shards/grid/grid.h"

/* A view as a word that sorts as views do: no view is negative but by its sign, which comes first. */
static int32_t view_word(float view)
{
    int32_t word;
    memcpy(&word, &view, sizeof word);
    return word;
}

static float view_of_word(int32_t word)
{
    float view;
    memcpy(&view, &word, sizeof view);
    return view;
}

/* Computes the summary of the views of a block with different ones. */
static void sum_up_views(const phx_grid *grid, phx_block *block)
{
    const float *view = grid->rows.view;
    const int32_t none = view_word(INFINITY);
    int32_t reach = 0, reach_min = none, least = none;
    for (uint32_t i = block->start[0]; i < block->start[PHX_BLOCK_TOWERS]; i++) {
        int32_t own = view_word(view[i]), far = own & INT32_MAX;
        int32_t some = far != 0 ? far : none;
        own = far != 0 ? own : none;
        reach = far > reach ? far : reach;
        reach_min = some < reach_min ? some : reach_min;
        least = own < least ? own : least;
    }
    block->reach = view_of_word(reach);
    block->reach_min = view_of_word(reach_min);
    block->view_min = least > 0 ? view_of_word(least) : 0.0f;
}

/* Computes the summary of a block. As a rule its observers have one view, which needs no comparison of two. */
static void sum_up_block(const phx_grid *grid, phx_block *block)
{
    const float *view = grid->rows.view;
    int32_t any = 0, each = -1; /* bits that a view has, and bits that each one has */
    uint32_t slots = 0, observers = 0;
    for (uint32_t i = block->start[0]; i < block->start[PHX_BLOCK_TOWERS]; i++) {
        const int32_t own = view_word(view[i]), observes = (own & INT32_MAX) != 0 ? -1 : 0;
        any |= own;
        each &= own | ~observes;
        observers -= (uint32_t)observes;
        slots |= grid->rows.slot[i];
    }
    block->observers = observers;
    block->special = phx_row_word_special((phx_row_word){slots});
    if (observers > 0 && any != each) {
        sum_up_views(grid, block);
        return;
    }
    block->reach = view_of_word(any & INT32_MAX);
    block->reach_min = observers > 0 ? block->reach : INFINITY;
    block->view_min = any > 0 ? block->reach : 0.0f;
}

/* Bits of eight rows from one on that have a view: bytes of 0 and 1, put together by a product. */
static uint64_t watching_eight(const float *view)
{
    enum { ROWS = 8, TOP = 56 };
    uint8_t has[ROWS];
    uint64_t bytes;
    for (uint32_t i = 0; i < ROWS; i++) has[i] = view[i] != 0.0f;
    memcpy(&bytes, has, sizeof bytes);
    return bytes * UINT64_C(0x0102040810204080) >> TOP;
}

/* Bits of up to 64 rows from one on that have a view; columns have a pad behind them. */
static uint64_t watching_from(const phx_grid *grid, uint32_t first)
{
    enum { AT_ONCE = 8 };
    const float *view = grid->rows.view + first;
    const uint32_t left = grid->row_end - first, count = left < PHX_WORD_ROWS ? left : PHX_WORD_ROWS;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < PHX_WORD_ROWS; i += AT_ONCE) bits |= watching_eight(view + i) << i;
    return count < PHX_WORD_ROWS ? bits & ((UINT64_C(1) << count) - 1) : bits;
}

bool phx_block_summary_valid(const phx_grid *grid)
{
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const phx_block *block = &grid->blocks[b];
        phx_block now = *block;
        sum_up_block(grid, &now);
        if (now.reach != block->reach || now.reach_min != block->reach_min || now.observers != block->observers ||
            now.special != block->special || now.view_min != block->view_min)
            return false;
    }
    for (uint32_t row = 0; row < grid->row_end; row += PHX_WORD_ROWS)
        if (grid->observer_bits[row / PHX_WORD_ROWS] != watching_from(grid, row)) return false;
    return true;
}

void phx_grid_changed_block(phx_grid *grid, uint32_t number)
{
    PHX_ASSERT(number < grid->block_count);
    for (uint32_t i = 0; i < grid->change_count; i++)
        if (grid->changes[i] == number) return;
    if (grid->change_count < PHX_BLOCK_STALE_MAX) grid->changes[grid->change_count++] = number;
    else grid->summaries_valid = false;
}

void phx_block_summary_add(phx_grid *grid, uint32_t number, float view, phx_row_word word)
{
    phx_block *block = &grid->blocks[number];
    if (view < 0.0f || block->observers == 0) { /* or the block is new */
        phx_grid_changed_block(grid, number);
        return;
    }
    block->special |= phx_row_word_special(word);
    if (view == 0.0f) return;
    block->observers++;
    if (view > block->reach) block->reach = view;
    if (view < block->reach_min) block->reach_min = view;
    if (view < block->view_min) block->view_min = view;
}

void phx_block_summary_remove(phx_grid *grid, uint32_t number, float view, phx_row_word word)
{
    phx_block *block = &grid->blocks[number];
    const bool alike = block->reach == block->view_min; /* all views are one and the same */
    const bool others = alike ? block->observers > 1 : view > block->reach_min && view < block->reach;
    if (phx_row_word_special(word) || (view != 0.0f && !others)) phx_grid_changed_block(grid, number);
    else block->observers -= view != 0.0f;
}

void phx_grid_changed(phx_grid *grid, uint32_t row, float view, phx_row_word word)
{
    if (!grid->summaries_valid) return; /* the rows may not be in order either */
    const uint32_t number = phx_grid_block_at(grid, row);
    phx_row_set_bit(grid->observer_bits, row, grid->rows.view[row] != 0.0f);
    phx_block_summary_remove(grid, number, view, word);
    phx_block_summary_add(grid, number, grid->rows.view[row], phx_row_word_at(grid->rows.slot, row));
}

void phx_block_summary_update(phx_grid *grid)
{
    const bool all = !grid->summaries_valid;
    const uint32_t count = all ? grid->block_count : grid->change_count;
    PHX_VALIDATE(all || count > 0 || phx_block_summary_valid(grid));
    grid->summaries_valid = true;
    for (uint32_t i = 0; i < count; i++) {
        phx_block *block = &grid->blocks[all ? i : grid->changes[i]];
        sum_up_block(grid, block);
        /* leftover lists may end from the interest phase on, where workers write views */
        if (block->reach_min <= -PHX_VIEW_LEFTOVER) grid->summaries_valid = false;
    }
    for (uint32_t row = 0; all && row < grid->row_end; row += PHX_WORD_ROWS)
        grid->observer_bits[row / PHX_WORD_ROWS] = watching_from(grid, row);
    grid->change_count = 0;
    PHX_VALIDATE(phx_block_summary_valid(grid));
}
