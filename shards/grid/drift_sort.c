/*
 * Rows sorted anew by old positions; see drift_sort.h. In the index phase, by the shard's owner.
 */
#include "shards/grid/drift_sort.h"

#include "shards/grid/row_sort.h"

/* The key of a row of the block, wherever it was; without an old position that of its body. */
static uint32_t find_key(const phx_grid *grid, const phx_rules *rules, const phx_store *store, uint32_t number,
                         uint32_t row)
{
    const phx_grid_rows *rows = &grid->rows;
    const phx_body *body = &store->body[phx_row_slot(rows, row)];
    const bool known = !phx_row_discontinuous(rows, row);
    const uint16_t tx = known ? phx_tower_index(rules, 0, rows->ox[row]) : body->tx;
    const uint16_t ty = known ? phx_tower_index(rules, 1, rows->oy[row]) : body->ty;
    const uint32_t instance = grid->blocks[number].instance;
    const phx_block *block = phx_grid_block(grid, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    PHX_ASSERT(block); /* made when the entity went there */
    return phx_row_key((uint32_t)(block - grid->blocks), phx_block_tower(tx, ty));
}

enum { AT_ONCE = 64 }; /* rows: among so few there is mostly none that left the block */

/*
 * Finds the keys of up to AT_ONCE rows of a block, side by side, as most did not leave it; divides as
 * phx_tower_index().
 */
static void find_some_keys(const phx_grid *grid, const phx_rules *rules, const phx_store *store, uint32_t number,
                           phx_span span, uint32_t *key)
{
    const float *x = grid->rows.ox + span.first, *y = grid->rows.oy + span.first;
    const phx_block *block = &grid->blocks[number];
    const uint32_t x0 = (uint32_t)block->bx << PHX_BLOCK_BITS, y0 = (uint32_t)block->by << PHX_BLOCK_BITS;
    const float side = rules->tower_size, origin_x = rules->origin[0], origin_y = rules->origin[1];
    const float last_x = (float)(rules->towers[0] - 1), last_y = (float)(rules->towers[1] - 1);
    const uint32_t count = span.end - span.first, first_key = phx_row_key(number, 0);
    uint32_t off[AT_ONCE], any = 0;
    for (uint32_t i = 0; i < count; i++) {
        float qx = (x[i] - origin_x) / side, qy = (y[i] - origin_y) / side;
        qx = qx > 0.0f ? qx : 0.0f; /* NaN, too */
        qy = qy > 0.0f ? qy : 0.0f;
        qx = qx < last_x ? qx : last_x;
        qy = qy < last_y ? qy : last_y;
        const uint32_t tx = (uint32_t)(int32_t)qx - x0, ty = (uint32_t)(int32_t)qy - y0;
        off[i] = (tx | ty) >> PHX_BLOCK_BITS | (x[i] != x[i]);
        any |= off[i];
        key[i] = first_key + (ty << PHX_BLOCK_BITS) + tx;
    }
    for (uint32_t i = 0; any && i < count; i++)
        if (off[i]) key[i] = find_key(grid, rules, store, number, span.first + i);
}

static void find_drifted_keys(const phx_grid *grid, const phx_rules *rules, const phx_store *store, uint32_t *key)
{
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const uint32_t end = grid->blocks[b].start[PHX_BLOCK_TOWERS], gaps_end = phx_grid_block_end(grid, b);
        for (uint32_t row = grid->blocks[b].start[0]; row < end; row += AT_ONCE) {
            const phx_span some = {row, end - row < AT_ONCE ? end : row + AT_ONCE};
            find_some_keys(grid, rules, store, b, some, key + row);
        }
        for (uint32_t row = end; row < gaps_end; row++) key[row] = PHX_ROW_GONE;
    }
}

/* Writes the bodies' positions to sorted rows, and the rows' numbers to bodies. */
static void follow_drifted(phx_grid *grid, phx_store *store)
{
    enum { AHEAD = 24 };
    const phx_grid_rows *rows = &grid->rows;
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const uint32_t end = grid->blocks[b].start[PHX_BLOCK_TOWERS];
        for (uint32_t row = grid->blocks[b].start[0]; row < end; row++) {
            if (row + AHEAD < grid->row_end) phx_row_await_body(rows, store, row + AHEAD);
            phx_body *body = &store->body[phx_row_slot(rows, row)];
            rows->x[row] = body->x;
            rows->y[row] = body->y;
            body->row = row;
        }
    }
}

void phx_grid_sort_drifted(phx_grid *grid, const phx_rules *rules, phx_store *store)
{
    PHX_ASSERT(grid->positions_stale && !grid->needs_rebuild && !grid->sorting);
    find_drifted_keys(grid, rules, store, phx_row_keys(grid));
    phx_rows_sort(grid, grid->row_end);
    follow_drifted(grid, store);
    grid->drift_bound = 0.0f;
    grid->positions_stale = false;
}
