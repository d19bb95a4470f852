/*
 * The parts of index = hex: levels of hexagonal towers and who is in their light. See hex.c.
 */
#ifndef PHX_SHARDS_INDEX_HEX_LATTICE_H
#define PHX_SHARDS_INDEX_HEX_LATTICE_H

#include "base/idmap.h"
#include "shards/entity/bounds.h"

enum {
    PHX_HEX_LEVELS = 24,
    PHX_HEX_COVERS = 4 /* towers of a level that one place is in the light of, at most: hex_lattice.c */
};

static const uint32_t PHX_HEX_NONE = UINT32_MAX;
static const uint8_t PHX_HEX_NO_LEVEL = UINT8_MAX;

/* Axial coordinates of a tower in its level's lattice: q along x, r along rows. */
typedef struct phx_hex_at {
    int32_t q, r;
} phx_hex_at;

/* The world's lattices. */
typedef struct phx_hex_lattice {
    double low[2], high[2];      /* of the world: places beyond are clamped */
    double half[PHX_HEX_LEVELS]; /* of a box that a level is for; a hexagon's corners are 2 * half from its centre */
} phx_hex_lattice;

/* The towers whose light a place is in: the one in whose hexagon it is, and those around in the order of their bits. */
typedef struct phx_hex_covers {
    phx_hex_at at[PHX_HEX_COVERS];
    uint32_t count;
    uint32_t mask; /* of the six around */
} phx_hex_covers;

/* A box as the lattice takes it: within the world, by its middle and half its longer side. */
typedef struct phx_hex_box {
    double x, y, half;
    double x0, y0, x1, y1;
} phx_hex_box;

/* `usual`: half the side of boxes that one level is to fit just so. */
phx_hex_lattice phx_hex_lattice_of(const phx_rules *rules, double usual);
phx_hex_box phx_hex_box_of(const phx_hex_lattice *lattice, phx_box box);
/* The least level that is made for boxes like this. */
uint8_t phx_hex_level(const phx_hex_lattice *lattice, double half);
/* The hexagon of a place in the world. */
phx_hex_at phx_hex_cell(const phx_hex_lattice *lattice, uint32_t level, double x, double y);
/* Of any position. */
phx_hex_covers phx_hex_covers_of(const phx_hex_lattice *lattice, uint32_t level, float x, float y);

/* The hexagons that a box may meet: rows first .. last, and of each row columns. */
typedef struct phx_hex_range {
    int32_t first, last;
} phx_hex_range;

phx_hex_range phx_hex_rows(const phx_hex_lattice *lattice, uint32_t level, const phx_hex_box *box);
phx_hex_range phx_hex_columns(const phx_hex_lattice *lattice, uint32_t level, const phx_hex_box *box, int32_t row);

#endif
