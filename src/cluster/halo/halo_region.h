/*
 * Regions as places of the world: a grid. Pure.
 */
#ifndef PHX_CLUSTER_HALO_HALO_REGION_H
#define PHX_CLUSTER_HALO_HALO_REGION_H

#include <pharos/pharos.h>

/* The regions: a grid of columns * rows, numbered row by row. */
typedef struct phx_region_grid {
    float origin[2], size[2]; /* of the whole */
    uint32_t columns, rows;
} phx_region_grid;

/* The region of a place; places outside of the grid belong to the nearest one. */
uint32_t phx_halo_region(const phx_region_grid *grid, float x, float y);
/* How far a place is from a region along each axis; one at the grid's edge goes on for ever. */
void phx_halo_distance(const phx_region_grid *grid, uint32_t region, float x, float y, float distance[2]);
/* All entities nearer than `width` to a region; one at the grid's edge goes on for ever. */
ph_query phx_halo_box(const phx_region_grid *grid, uint32_t region, float width);

#endif
