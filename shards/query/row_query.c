/*
 * Row queries; see row_query.h.
 */
#include "shards/query/row_query.h"

#include "shards/entity/bounds.h"

void phx_row_query_open(phx_row_query *query, const phx_kernels *kernels, phx_block_walk walk, phx_range area, bool old)
{
    const phx_grid *grid = walk.grid;
    query->walk = walk;
    query->rows = grid->rows;
    if (old) {
        query->rows.x = grid->rows.ox;
        query->rows.y = grid->rows.oy;
    }
    query->kernels = kernels;
    query->area = area;
    query->span = query->span_count = query->pairs = query->ranges = 0;
}

bool phx_row_query_next(phx_row_query *query, uint32_t *count)
{
    while (query->span == query->span_count) {
        const phx_block *block = phx_grid_next(&query->walk);
        if (!block) return false;
        query->span_count = phx_block_spans(block, query->walk.rect, query->spans);
        query->ranges += query->span_count;
        query->span = 0;
    }
    phx_span *span = &query->spans[query->span];
    uint32_t rows = span->end - span->first < PHX_QUERY_ROWS ? span->end - span->first : PHX_QUERY_ROWS;
    phx_span piece = {span->first, span->first + rows};
    *count = query->kernels->range_scan(&query->rows, piece, &query->area, query->hits, query->squares);
    query->pairs += rows;
    span->first += rows;
    query->span += span->first == span->end;
    return true;
}
