/*
 * The heights of a tile's rows; see tile_heights.h. Interest phase, any worker.
 */
#include "shards/interest/tile_heights.h"

#include <math.h>

#define UNITS_MOST 24000.0f /* of a cylinder: from the lowest row to the highest one */
/*
 * Of a sphere, in hundredths of reaches: how far beyond own rows a row is brought, and the most between own rows. The
 * sum of three squares fits 31 bits: x is at most 2^15 (a fake position), y three reaches of 2^13 units, z the own
 * rows' span and what is beyond; where rows of other blocks are matched that is on both sides.
 */
enum { BEYOND_PARTS = 110, SPAN_PARTS = 170, SPAN_PARTS_MIRRORED = 60, PARTS_A_REACH = 100 };
#define SQUARE(length) ((int64_t)(length) * (length))
#define SQUARES(parts) \
    (SQUARE(1 << 15) + SQUARE(3 << 13) + SQUARE((int64_t)(parts)*PHX_TILE_SPHERE_REACH / PARTS_A_REACH + 1))
_Static_assert(SQUARES(SPAN_PARTS + BEYOND_PARTS) <= INT32_MAX, "the kernels' distances");
_Static_assert(SQUARES(SPAN_PARTS_MIRRORED + 2 * BEYOND_PARTS) <= INT32_MAX, "the kernels' distances");
#define SPHERE_BEYOND ((float)BEYOND_PARTS / PARTS_A_REACH)
#define SPAN_MOST ((float)SPAN_PARTS / PARTS_A_REACH)
#define SPAN_MOST_MIRRORED ((float)SPAN_PARTS_MIRRORED / PARTS_A_REACH)
/* How far beyond own rows a row is brought for a cylinder: in heights, and a part of the own rows' span, as a height
 * may be 0. */
#define CYLINDER_BEYOND 1.25f
#define SPAN_PART 0.01f

void phx_tile_heights_free(phx_tile_heights *heights, phx_mem *mem)
{
    phx_release(mem, (void **)&heights->words, &heights->words_capacity, sizeof(uint32_t));
}

bool phx_tile_heights_reserve(phx_tile_heights *heights, phx_mem *mem, size_t rows)
{
    enum { COLUMNS = 4 };
    const size_t column = rows + PHX_KERNEL_PAD;
    if (!phx_grow(mem, (void **)&heights->words, &heights->words_capacity, 0, COLUMNS * column, sizeof(uint32_t)))
        return false;
    heights->by_place = heights->words;
    heights->picked = heights->words + column;
    heights->now = (float *)(heights->words + 2 * column);
    heights->old = (float *)(heights->words + 3 * column);
    return true;
}

/* A height in units above the lowest one. */
static inline uint32_t height_units(float z, phx_height_span span, float scale)
{
    const float within = z < span.low ? span.low : z > span.high ? span.high : z;
    return (uint32_t)(int32_t)((within - span.low) * scale);
}

/* Are the bounds as far from own rows as they should be? Heights far from 0 are coarse. */
static bool bounds_apart(phx_height_span own, phx_height_span bounds, float beyond)
{
    const float least = beyond * 0.95f;
    return beyond > 0.0f && own.low - bounds.low >= least && bounds.high - own.high >= least;
}

bool phx_tile_heights_make(phx_tile_heights *heights, const phx_rules *rules, uint32_t rows, phx_height_span own,
                           phx_height_span all, float longest, float scale, bool mirrored)
{
    const bool sphere = rules->shape == PH_SHAPE_SPHERE;
    const float span = own.high - own.low, up = all.high - own.low, down = own.high - all.low;
    heights->apart = up > down ? up : down;
    heights->count = heights->apart > (sphere ? 0.0f : rules->height);
    if (!heights->count) return true;
    const float part = SPAN_PART * (rules->height > 0.0f ? span : heights->apart); /* a span may be 0, too */
    const float beyond = sphere ? SPHERE_BEYOND * longest : CYLINDER_BEYOND * rules->height + part;
    const phx_height_span bounds = {own.low - beyond, own.high + beyond};
    const float units = sphere ? scale : UNITS_MOST / (bounds.high - bounds.low);
    if (!bounds_apart(own, bounds, beyond) || !(units < INFINITY)) return false;
    if (sphere && span > longest * (mirrored ? SPAN_MOST_MIRRORED : SPAN_MOST)) return false;
    heights->units = rules->height * units;
    heights->levels = (phx_tile_levels){.by_place = heights->by_place, .sphere = sphere};
    for (uint32_t i = 0; i < rows; i++)
        heights->by_place[i] =
            height_units(heights->now[i], bounds, units) | height_units(heights->old[i], bounds, units) << 16;
    return true;
}

void phx_tile_heights_limit(phx_tile_heights *heights, int32_t unsure)
{
    if (heights->levels.sphere) return;
    PHX_ASSERT(unsure >= 2 && unsure / 2 < INT16_MAX);
    heights->levels.steep = unsure / 2;
    heights->levels.level = -(int32_t)((float)heights->levels.steep * heights->units);
}

void phx_tile_heights_cut(const phx_tile_heights *heights, uint32_t place, phx_cut_borders *by)
{
    enum { OFF = 2 }; /* a difference of two heights is off by less than 1 + 1/16 */
    by->height = heights->by_place[place];
    by->sphere = heights->levels.sphere;
    if (by->sphere) return; /* the height of a cylinder may be any number */
    const int32_t units = (int32_t)heights->units;
    by->level = units - OFF;
    by->beyond = units + 1 + OFF;
}

float phx_tile_heights_nearest(const phx_tile_heights *heights, const phx_rules *rules, float view)
{
    if (!heights->count || !(view > 0.0f)) return view; /* of a bound below 0 the square would be far off */
    const float square = view * view * (1 - 1e-5f) - heights->apart * heights->apart * (1 + 1e-5f);
    return rules->shape == PH_SHAPE_SPHERE && square > 0.0f ? sqrtf(square) : 0.0f;
}
