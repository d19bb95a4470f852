/*
 * Places and regions; see halo_region.h.
 */
#include "cluster/halo/halo_region.h"

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

ph_query phx_halo_box(const phx_region_grid *grid, uint32_t region, float width)
{
    const uint32_t cells[] = {grid->columns, grid->rows}, cell[] = {region % grid->columns, region / grid->columns};
    float low[2], high[2];
    for (uint32_t axis = 0; axis < 2; axis++) {
        const float side = grid->size[axis] / (float)cells[axis];
        const float first = grid->origin[axis] + side * (float)cell[axis];
        low[axis] = cell[axis] == 0 ? -PH_COORDINATE_MAX : first - width;
        high[axis] = cell[axis] + 1 == cells[axis] ? PH_COORDINATE_MAX : first + side + width;
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
