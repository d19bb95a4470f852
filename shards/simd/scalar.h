/*
 * Common parts of all kernel sets, for one pair and for one observer's nine cells; see kernels.h. Included by the
 * kernel sets alone. Pure; in any phase.
 */
#ifndef PHX_SHARDS_SIMD_SCALAR_H
#define PHX_SHARDS_SIMD_SCALAR_H

#include "shards/entity/bounds.h"
#include "shards/simd/kernels.h"

/* The distance of two positions, in the measure of the limits. */
static inline int32_t phx_units_apart(uint32_t a, uint32_t b, bool square)
{
    int32_t dx = (int16_t)(uint16_t)(a - b), dy = (int16_t)(uint16_t)((a >> 16) - (b >> 16));
    if (!square)
        return (int32_t)((uint32_t)(dx * dx) +
                         (uint32_t)(dy * dy)); /* wraps for discontinuous rows, as any value may */
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    return dx > dy ? dx : dy;
}

/* The distance of a candidate with this height, from that in the plane; middle: of its border. */
static inline int32_t phx_units_level(int32_t apart, uint32_t height, uint32_t own, const phx_tile_levels *by,
                                      int32_t middle)
{
    const int32_t dz = (int16_t)(uint16_t)(height - own);
    const int32_t level = by->steep * (dz < 0 ? -dz : dz) + by->level + middle;
    if (by->sphere) return (int32_t)((uint32_t)apart + (uint32_t)(dz * dz)); /* wraps as phx_units_apart() */
    return apart > level ? apart : level;
}

/* The same at a cap: one that surely is not level is beyond any border. Sets *unsure if that is open. */
static inline int32_t phx_cut_units_level(int32_t apart, uint32_t height, uint32_t own, const phx_cut_borders *by,
                                          uint32_t *unsure)
{
    const int32_t dz = (int16_t)(uint16_t)(height - own), up = dz < 0 ? -dz : dz;
    if (by->sphere) return (int32_t)((uint32_t)apart + (uint32_t)(dz * dz));
    *unsure |= (up > by->level) & (up < by->beyond);
    return up < by->beyond ? apart : INT32_MAX;
}

/* May a candidate at these distances, now and before, be an event? *flags: of the pair, if so. */
static inline bool phx_units_cross(int32_t d, int32_t e, const phx_tile_limits *limits, uint32_t *flags)
{
    uint32_t enters = (d <= limits->in_low) & (e > limits->in_high);
    uint32_t leaves = (e <= limits->keep_low) & (d > limits->keep_high);
    *flags = leaves * PHX_PAIR_LEAVE | (1 ^ (enters | leaves)) * PHX_PAIR_UNSURE; /* no branch */
    return ((d <= limits->in_high) & (e > limits->in_low)) | ((d > limits->keep_low) & (e <= limits->keep_high));
}

/* The limits of a candidate with this bound. */
static inline phx_tile_limits phx_bounded_limits(const phx_tile_limits *all, float bound)
{
    const float r = bound < all->r ? bound : all->r, far = r + all->margin;
    const int32_t in = (int32_t)(all->square ? r : r * r), keep = (int32_t)(all->square ? far : far * far);
    return (phx_tile_limits){.in_low = in - all->unsure - 1,
                             .in_high = in + all->unsure,
                             .keep_low = keep - all->unsure - 1,
                             .keep_high = keep + all->unsure,
                             .square = all->square};
}

/* The places of three rows of three cells. */
typedef struct phx_stencil_cells {
    phx_span row[3];
    uint32_t count;
} phx_stencil_cells;

static inline phx_stencil_cells phx_cells_around(const phx_tile_cells *cells, uint32_t cell)
{
    const uint32_t *middle = cells->start + cell - 1, *above = middle - cells->columns;
    const uint32_t *below = middle + cells->columns;
    phx_stencil_cells around = {.row = {{above[0], above[3]}, {middle[0], middle[3]}, {below[0], below[3]}}};
    for (uint32_t r = 0; r < 3; r++) around.count += around.row[r].end - around.row[r].first;
    return around;
}

/* An observer with candidates that may be events in its nine cells, as bits of their rows. */
typedef struct phx_found_ninegrid {
    uint64_t mask;
    uint32_t observer;
} phx_found_ninegrid;

/* phx_kernels.set_difference by a find kernel. */
static inline uint32_t phx_missing_by(uint32_t (*find)(const uint32_t *array, uint32_t count, uint32_t value),
                                      const uint32_t *array, uint32_t count, uint32_t *values, uint32_t value_count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < value_count; i++) {
        const uint32_t value = values[i];
        values[n] = value;
        n += find(array, count, value) == count;
    }
    return n;
}

/* Keys of some targets whose kinds are alike: of ids alone. */
static inline void phx_id_keys_of(const phx_sort_key_format *by, const uint32_t *targets, uint32_t count, int32_t *key)
{
    _Static_assert(PHX_ORDER_KEY_BITS == 31, "a key fits the lower half of an id, and the flag of leaves is above it");
    const phx_name *name = by->name;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << by->bits) - 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t leave = targets[i] << 1 & ~(uint32_t)INT32_MAX; /* PHX_TARGET_LEAVE is the bit below */
        key[i] = (int32_t)(((uint32_t)name[targets[i] & PHX_ROW_SLOT].id & mask) | leave);
    }
}

/* Keys of some targets. depths: as of phx_unsorted_events. */
static inline void phx_keys_of(const phx_sort_key_format *by, const uint32_t *targets, const uint32_t *depths,
                               uint32_t count, int32_t *key)
{
    const phx_name *name = by->name;
    const uint32_t bits = by->bits, shift = phx_sort_key_depth_shift(by); /* the stores may alias the fields */
    const uint16_t kinds = (uint16_t)by->kinds;
    if (kinds == 0) phx_id_keys_of(by, targets, count, key);
    for (uint32_t i = 0; kinds != 0 && i < count; i++) {
        const phx_name *of = &name[targets[i] & PHX_ROW_SLOT];
        key[i] = phx_order_key(of->id, of->kind & kinds, bits, !(targets[i] & PHX_TARGET_LEAVE));
    }
    if (PHX_LIKELY(!depths)) return;
    for (uint32_t i = 0; i < count; i++) key[i] |= (int32_t)(depths[i] << shift);
}

#endif
