/*
 * Inputs and results of the kernels of updates by distance band (kernels.h: find_due, gather_samples, mark_items,
 * place_keys).
 * Pure types, of the publish phase, used by any worker.
 */
#ifndef PHX_SHARDS_SIMD_DUE_SEARCH_H
#define PHX_SHARDS_SIMD_DUE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include <pharos/types.h>

#include "base/simd.h"

/*
 * All that updates read of a target or an observer, in half a cache line. Valid for one tick, from the end of the
 * interest phase on. Samples are found by item: the entity's row while lists are derived, so that samples of entities
 * near each other are side by side; else its slot.
 */
typedef struct phx_motion_sample {
    float x, y, z; /* now */
    float ox, oy;  /* at the last tick's end; the height of then: phx_bands_old_z() */
    uint32_t hash;
    uint16_t age; /* ticks since its last move, 0 for a move in this tick, at most PH_BAND_EVERY_MAX; or it is new */
    uint16_t as_observer; /* PHX_SAMPLE_...; kernels read it beside the age, and drop it */
    uint32_t set;         /* the number of its attributes */
} phx_motion_sample;

/* Of an own observer without one of these, its row gives all of the list but far targets: its slot leads to none. */
enum {
    PHX_SAMPLE_NEW = 1u << 0,       /* it was not here at the last tick's end */
    PHX_SAMPLE_NEW_BANDS = 1u << 1, /* it was, but with the bands of another class */
    PHX_SAMPLE_RELATED = 1u << 2,   /* it has relations, or had when its list was found */
    PHX_SAMPLE_KEPT = 1u << 3       /* its list is stored, or has an annulus */
};

enum {
    PHX_SAMPLES_MAX = 256,
    PHX_SAMPLES_ROOM = PHX_SAMPLES_MAX + PHX_KERNEL_PAD,
    PHX_SAMPLES_AHEAD = 16 /* that are prefetched */
};

/* Samples of some items, side by side. The old heights are not gathered. */
typedef struct phx_gathered_samples {
    float x[PHX_SAMPLES_ROOM], y[PHX_SAMPLES_ROOM], z[PHX_SAMPLES_ROOM];
    float was_x[PHX_SAMPLES_ROOM], was_y[PHX_SAMPLES_ROOM], was_z[PHX_SAMPLES_ROOM];
    uint32_t hash[PHX_SAMPLES_ROOM], age[PHX_SAMPLES_ROOM];
} phx_gathered_samples;

/*
 * Columns of motion samples: the position now and at the last tick's end, and the hash of the
 * id. The heights are read if a query is of a sphere or has a level. Samples of rows are found by row, and have row
 * words. Samples of a stored list, and of rows in another order, say in a column which items they are.
 */
typedef struct phx_motion_columns {
    const float *x, *y, *z;
    const float *was_x, *was_y, *was_z;
    const uint32_t *hash;
    const uint32_t *age;  /* ticks since the last move, PH_BAND_EVERY_MAX at most */
    const uint32_t *item; /* NULL = samples of rows in their order */
    const uint32_t *word; /* of rows alone: row words */
    /* By place, a bit for each one that is not found; and pad. NULL = of a list, not of rows. */
    const uint32_t *left_out;
} phx_motion_columns;

/* An observer with bands, and the tick; by band what phx_band_multiple() wants. */
typedef struct phx_due_query {
    float x, y, z;
    float was_x, was_y, was_z;
    uint32_t hash;
    float view;                     /* targets beyond are left out; INFINITY: none is */
    float level;                    /* of rows: targets farther off in height are left out; INFINITY: none is */
    bool square;                    /* the view is one */
    bool sphere;                    /* the view and the bands are */
    bool all;                       /* all in view are due */
    bool enters;                    /* of rows: rows out of view at the last tick's end are due */
    uint32_t band_count, band_bits; /* of its bands; the bits of a band in a due key */
    uint32_t tick;                  /* cut to 32 bits */
    float squares[PH_BANDS_MAX];    /* of the bands' radii, which ascend */
    uint32_t turn[PH_BANDS_MAX], share[PH_BANDS_MAX], every[PH_BANDS_MAX];
} phx_due_query;

/* Result of a search for due samples. */
typedef struct phx_due_found {
    uint32_t count;
    uint32_t entered; /* of them, samples that were out of view; if it was asked for */
    bool special;     /* the row word of one is */
} phx_due_found;

/* Items are numbered by stretches of so many: a byte counts the items of one. */
enum { PHX_STRETCH_BITS = 8, PHX_STRETCH = 1 << PHX_STRETCH_BITS };

/* By due key: the band, and the bits above it, the item. Where the items of due keys stand: */
typedef struct phx_item_places {
    const uint8_t *before; /* by item: how many before it in its stretch; and pad */
    const uint32_t *first; /* by stretch */
    uint32_t at;           /* beside all of them */
    uint32_t band_bits;    /* of a due key */
} phx_item_places;

#endif
