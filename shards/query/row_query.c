/*
 * Row queries; see row_query.h.
 */
#include "shards/query/row_query.h"

#include "shards/entity/bounds.h"

void phx_row_query_open(phx_row_query *near, const phx_kernels *kernels, const phx_grid *grid, phx_rect rect,
                        phx_range area, bool old)
{
    near->walk = phx_grid_walk(grid, rect);
    near->rows = grid->rows;
    if (old) {
        near->rows.x = grid->rows.ox;
        near->rows.y = grid->rows.oy;
    }
    near->kernels = kernels;
    near->area = area;
    near->span = near->span_count = near->pairs = near->ranges = 0;
}

bool phx_row_query_next(phx_row_query *near, uint32_t *count)
{
    while (near->span == near->span_count) {
        const phx_block *block = phx_grid_next(&near->walk);
        if (!block) return false;
        near->span_count = phx_block_spans(block, near->walk.rect, near->spans);
        near->ranges += near->span_count;
        near->span = 0;
    }
    phx_span *span = &near->spans[near->span];
    uint32_t rows = span->end - span->first < PHX_NEAR_ROWS ? span->end - span->first : PHX_NEAR_ROWS;
    phx_span piece = {span->first, span->first + rows};
    *count = near->kernels->range_scan(&near->rows, piece, &near->area, near->hits, near->squares);
    near->pairs += rows;
    span->first += rows;
    near->span += span->first == span->end;
    return true;
}
