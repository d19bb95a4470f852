/*
 * Lattices of index = hex: levels of hexagonal towers, and the light of each. See hex.c. Written in the index phase by
 * the shard's owner, read by any worker later.
 */
#ifndef PHX_SHARDS_CLASSICAL_HEX_LATTICE_H
#define PHX_SHARDS_CLASSICAL_HEX_LATTICE_H

#include "base/idmap.h"
#include "shards/entity/bounds.h"

enum {
    PHX_HEX_LEVELS = 24,
    PHX_HEX_COVERS = 4 /* at most so many towers of a level have a position in their light: hex_lattice.c */
};

static const uint32_t PHX_HEX_NONE = UINT32_MAX;
static const uint8_t PHX_HEX_NO_LEVEL = UINT8_MAX;

/* Axial coordinates of a tower in its level's lattice: q along x, r along rows. */
typedef struct phx_hex_at {
    int32_t q, r;
} phx_hex_at;

/* The world's lattices. */
typedef struct phx_hex_lattice {
    double low[2], high[2];      /* of the world: positions beyond are clamped */
    double half[PHX_HEX_LEVELS]; /* half the side of a box that a level is for; a hexagon's corners are 2 * half from
                                    its centre */
} phx_hex_lattice;

/*
 * The towers with a position in their light: the tower with the position in its hexagon, and neighbours in the order of
 * their bits.
 */
typedef struct phx_hex_covers {
    phx_hex_at at[PHX_HEX_COVERS];
    uint32_t count;
    uint32_t mask; /* of the six neighbours */
} phx_hex_covers;

/* A box for the lattice: inside the world, by its middle and half its longer side. */
typedef struct phx_hex_box {
    double x, y, half;
    double x0, y0, x1, y1;
} phx_hex_box;

/* `usual`: half the side of boxes that one level is to fit exactly. */
phx_hex_lattice phx_hex_lattice_of(const phx_rules *rules, double usual);
phx_hex_box phx_hex_box_of(const phx_hex_lattice *lattice, phx_box box);
/* The lowest level for boxes of this size. */
uint8_t phx_hex_level(const phx_hex_lattice *lattice, double half);
/* The hexagon of a position in the world. */
phx_hex_at phx_hex_cell(const phx_hex_lattice *lattice, uint32_t level, double x, double y);
/* The towers of any position. */
phx_hex_covers phx_hex_covers_of(const phx_hex_lattice *lattice, uint32_t level, float x, float y);

/* The hexagons that a box may meet: rows first .. last, and of each row columns. */
typedef struct phx_hex_range {
    int32_t first, last;
} phx_hex_range;

phx_hex_range phx_hex_rows(const phx_hex_lattice *lattice, uint32_t level, const phx_hex_box *box);
phx_hex_range phx_hex_columns(const phx_hex_lattice *lattice, uint32_t level, const phx_hex_box *box, int32_t row);

#endif
