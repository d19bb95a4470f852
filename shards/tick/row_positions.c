/*
 * Copies positions to rows; see row_positions.h.
 */
#include "shards/tick/row_positions.h"

void phx_rows_copy_positions(phx_shard *shard, uint32_t part, uint32_t parts)
{
    enum { AHEAD = 32, LINE_ROWS = PHX_CACHE_LINE / sizeof(float) };
    phx_grid *grid = &shard->grid;
    PHX_ASSERT(grid->positions_stale && !grid->needs_rebuild);
    uint64_t lines = (grid->row_end + LINE_ROWS - 1) / LINE_ROWS;
    uint32_t first = (uint32_t)(lines * part / parts * LINE_ROWS);
    uint32_t end = (uint32_t)(lines * (part + 1) / parts * LINE_ROWS);
    if (end > grid->row_end) end = grid->row_end;
    for (uint32_t row = first; row < end; row++) { /* gaps are written too: that costs less than a test */
        if (row + AHEAD < end) __builtin_prefetch(&shard->store.body[phx_row_slot(&grid->rows, row + AHEAD)]);
        const phx_body *body = &shard->store.body[phx_row_slot(&grid->rows, row)];
        grid->rows.x[row] = body->x;
        grid->rows.y[row] = body->y;
    }
}

void phx_rows_copied(phx_shard *shard)
{
    shard->grid.positions_stale = false;
}
