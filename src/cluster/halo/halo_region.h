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

/* Regions side by side: from a column and row on. */
typedef struct phx_region_rect {
    uint32_t column, row, columns, rows;
} phx_region_rect;

/* The region of a place; places outside of the grid belong to the nearest one. */
uint32_t phx_halo_region(const phx_region_grid *grid, float x, float y);
/* How far a place is from a region along each axis; one at the grid's edge goes on for ever. */
void phx_halo_distance(const phx_region_grid *grid, uint32_t region, float x, float y, float distance[2]);
/* A region alone. */
phx_region_rect phx_halo_rect_of(const phx_region_grid *grid, uint32_t region);
/* All regions that something in that one may be nearer to than `width`; with slack for roundings. */
phx_region_rect phx_halo_rect_around(const phx_region_grid *grid, uint32_t region, float width);
/* More than the roundings of places of borders. */
float phx_halo_slack(const phx_region_grid *grid);
/* All entities nearer than `width` to a rectangle of regions; at the grid's edge it goes on for ever. */
ph_query phx_halo_box(const phx_region_grid *grid, phx_region_rect rect, float width);

#endif
