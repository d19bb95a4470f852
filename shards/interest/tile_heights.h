/*
 * The heights of a tile's rows, in a world of spheres or cylinders, where heights may decide. With them the kernels
 * find the pairs that crossed the border of a sphere or a cylinder. Where no two heights of the tile, an own row's and
 * another's, differ so that they decide, the tile is as one of circles.
 *
 * A height is a number of units, rounded down, above the lowest one. Rows that are farther from all own rows than any
 * border are brought nearer, so that all differences fit 16 bits; they stay beyond the border.
 *
 * A sphere has the units of the plane. A difference of two heights is off by less than 1 + 1/16, so a distance by less
 * than sqrt(2 * 1.25^2 + (1 + 1/16)^2) < 2.07 (see tile.h). The border of a sphere has a slack of 2.1, and its tile a
 * reach of fewer units, as kernels compare 16 bits.
 *
 * A cylinder has units of its own, for its height. |dz| is turned into the measure of circles, so that its border is at
 * the circle's, and two units are as far as units of the circle can not decide. Then the longer one of both decides.
 *
 * Made in the interest phase by the worker of the tile.
 */
#ifndef PHX_SHARDS_INTEREST_TILE_HEIGHTS_H
#define PHX_SHARDS_INTEREST_TILE_HEIGHTS_H

#include "base/mem.h"
#include "shards/simd/kernels.h"
#include "shards/state/height_span.h"

enum { PHX_TILE_SPHERE_REACH = 7600 }; /* units to the reach of a tile of spheres */
#define PHX_TILE_SPHERE_SLACK 2.1f     /* units that a distance in a sphere may be off, rounded up */

typedef struct phx_tile_heights {
    bool count;         /* they may decide about pairs of the tile; else only `apart` is valid */
    float apart;        /* no own row and another row are farther apart in height, now or before */
    float units;        /* a cylinder's height */
    uint32_t *by_place; /* of each row: height now, and before in the upper half */
    uint32_t *picked;   /* of candidates */
    float *now, *old;   /* by place, as they are */
    uint32_t *words;    /* memory of all */
    uint32_t words_capacity;
    phx_tile_levels levels; /* for the kernels, with the limits of the tile */
} phx_tile_heights;

void phx_tile_heights_free(phx_tile_heights *heights, phx_mem *mem);

/* Room for so many rows. false = no memory. */
bool phx_tile_heights_reserve(phx_tile_heights *heights, phx_mem *mem, size_t rows);

/*
 * Finds out whether heights now[] and old[] count, and turns them into units. own, all: the heights of own rows, and of
 * all; longest: no own row is an event with a row that is farther off, if it is a sphere. mirrored: rows of other
 * blocks are matched, too. false: heights are too far apart for units.
 */
bool phx_tile_heights_make(phx_tile_heights *heights, const phx_rules *rules, uint32_t rows, phx_height_span own,
                           phx_height_span all, float longest, float scale, bool mirrored);

/* Sets the levels of a cylinder, for borders so far from which units can not decide. */
void phx_tile_heights_limit(phx_tile_heights *heights, int32_t unsure);

/* Adds the heights around the own row at a place to the borders of its cut list, where heights count. */
void phx_tile_heights_cut(const phx_tile_heights *heights, uint32_t place, phx_cut_borders *by);

/*
 * How near to an observer a row may be in the plane, and yet be at the border of its view: where heights count, nearer
 * than the view is.
 */
float phx_tile_heights_nearest(const phx_tile_heights *heights, const phx_rules *rules, float view);

#endif
