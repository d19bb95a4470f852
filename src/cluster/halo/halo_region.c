/*
 * Places and regions; see halo_region.h.
 */
#include "cluster/halo/halo_region.h"

#include <float.h>
#include <math.h>

static uint32_t cell_of(float place, float origin, float size, uint32_t cells)
{
    const float at = floorf((place - origin) / size * (float)cells);
    if (!(at > 0.0f)) return 0;
    return at >= (float)cells ? cells - 1 : (uint32_t)at;
}

uint32_t phx_halo_region(const phx_region_grid *grid, float x, float y)
{
    return cell_of(y, grid->origin[1], grid->size[1], grid->rows) * grid->columns +
           cell_of(x, grid->origin[0], grid->size[0], grid->columns);
}

phx_region_rect phx_halo_rect_of(const phx_region_grid *grid, uint32_t region)
{
    return (phx_region_rect){.column = region % grid->columns, .row = region / grid->columns, .columns = 1, .rows = 1};
}

/* The cells around one, as many as the width may reach to: *first, and how many. */
static uint32_t span_around(float size, uint32_t cells, uint32_t cell, float width, uint32_t *first)
{
    const float slack = 0.01f, way = width / (size / (float)cells) + slack; /* in cells */
    const uint32_t reach = way < (float)cells ? 1 + (uint32_t)way : cells;
    const uint32_t end = cells - cell > reach ? cell + reach + 1 : cells;
    *first = cell > reach ? cell - reach : 0;
    return end - *first;
}

phx_region_rect phx_halo_rect_around(const phx_region_grid *grid, uint32_t region, float width)
{
    phx_region_rect rect;
    rect.columns = span_around(grid->size[0], grid->columns, region % grid->columns, width, &rect.column);
    rect.rows = span_around(grid->size[1], grid->rows, region / grid->columns, width, &rect.row);
    return rect;
}

float phx_halo_slack(const phx_region_grid *grid)
{
    const float roundings = 8.0f * FLT_EPSILON;
    const float x = fabsf(grid->origin[0]) + grid->size[0], y = fabsf(grid->origin[1]) + grid->size[1];
    return fmaxf(x, y) * roundings;
}

ph_query phx_halo_box(const phx_region_grid *grid, phx_region_rect rect, float width)
{
    const uint32_t cells[] = {grid->columns, grid->rows}, first[] = {rect.column, rect.row};
    const uint32_t end[] = {rect.column + rect.columns, rect.row + rect.rows};
    float low[2], high[2];
    for (uint32_t axis = 0; axis < 2; axis++) {
        const float side = grid->size[axis] / (float)cells[axis], origin = grid->origin[axis];
        const float last = origin + side * (float)(end[axis] - 1);
        low[axis] = first[axis] == 0 ? -PH_COORDINATE_MAX : origin + side * (float)first[axis] - width;
        high[axis] = end[axis] == cells[axis] ? PH_COORDINATE_MAX : last + side + width;
    }
    return (ph_query){
        .shape = PH_QUERY_BOX, .flags = PH_QUERY_UNORDERED, .x = low[0], .y = low[1], .to_x = high[0], .to_y = high[1]};
}

/* How far a place is from a cell along one axis; a cell at the grid's edge goes on for ever. */
static float distance_along(float place, float origin, float size, uint32_t cells, uint32_t cell)
{
    const float side = size / (float)cells, low = origin + side * (float)cell;
    if (place < low && cell > 0) return low - place;
    return place > low + side && cell + 1 < cells ? place - low - side : 0.0f;
}

void phx_halo_distance(const phx_region_grid *grid, uint32_t region, float x, float y, float distance[2])
{
    distance[0] = distance_along(x, grid->origin[0], grid->size[0], grid->columns, region % grid->columns);
    distance[1] = distance_along(y, grid->origin[1], grid->size[1], grid->rows, region / grid->columns);
}
