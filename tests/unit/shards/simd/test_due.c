/*
 * The kernel of updates by distance band, of every instruction set that this machine has, against the rule of ph_update
 * written once more, one target at a time; and no store beyond the promised range.
 */
#include "unit/shards/simd/kernels_case.h"

#include <math.h>

#include "shards/simd/due_rule.h"

enum { LENGTH = ROWS + PHX_KERNEL_PAD, OUT = ROWS + 2 * PHX_KERNEL_PAD };

static float x[LENGTH], y[LENGTH], z[LENGTH], was_x[LENGTH], was_y[LENGTH], was_z[LENGTH];
static uint32_t hash[LENGTH], age[LENGTH], word[LENGTH];
static const phx_motion_columns columns = {x, y, z, was_x, was_y, was_z, hash, age, word};

/* So coarse that distances often equal radii. */
static float place(uint64_t *rng)
{
    return (float)phx_rng_below(rng, 13) - 6;
}

static void draw_targets(uint64_t *rng)
{
    for (uint32_t i = 0; i < LENGTH; i++) {
        x[i] = place(rng), y[i] = place(rng), z[i] = place(rng);
        const bool stands = phx_rng_below(rng, 3) == 0;
        was_x[i] = stands ? x[i] : place(rng), was_y[i] = stands ? y[i] : place(rng), was_z[i] = z[i];
        hash[i] = (uint32_t)phx_rng_next(rng);
        age[i] = phx_rng_below(rng, 4) ? phx_rng_below(rng, 12) : PH_BAND_EVERY_MAX;
        word[i] = phx_rng_below(rng, 1000) | (phx_rng_below(rng, 8) ? 0 : PHX_ROW_SPECIAL);
    }
}

static phx_due_query draw_query(uint64_t *rng, uint64_t tick, uint32_t every[PH_BANDS_MAX])
{
    phx_due_query by = {.x = place(rng), .y = place(rng), .z = place(rng), .hash = (uint32_t)phx_rng_next(rng)};
    by.was_x = place(rng), by.was_y = place(rng), by.was_z = place(rng);
    by.view = phx_rng_below(rng, 4) ? (float)phx_rng_below(rng, 9) : INFINITY;
    by.square = phx_rng_below(rng, 3) == 0;
    by.sphere = !by.square && phx_rng_below(rng, 2);
    by.all = phx_rng_below(rng, 8) == 0;
    by.band_count = 1 + phx_rng_below(rng, PH_BANDS_MAX);
    float radius = 0;
    for (uint32_t b = 0; b < by.band_count; b++) {
        radius += 1 + (float)phx_rng_below(rng, 3);
        every[b] = phx_rng_below(rng, 3) ? 1 + phx_rng_below(rng, 6) : 1 + phx_rng_below(rng, PH_BAND_EVERY_MAX);
        by.squares[b] = radius * radius;
        by.turn[b] = (uint32_t)(tick % every[b]);
        by.share[b] = phx_band_share(every[b]);
        by.every[b] = every[b];
    }
    return by;
}

static uint32_t band_of(const phx_due_query *by, float d2)
{
    for (uint32_t b = 0; b + 1 < by->band_count; b++)
        if (d2 <= by->squares[b]) return b;
    return by->band_count - 1;
}

static bool is_due(const phx_due_query *by, uint64_t tick, const uint32_t *every, uint32_t i, uint32_t *band)
{
    const float dx = x[i] - by->x, dy = y[i] - by->y, dz = by->sphere ? z[i] - by->z : 0;
    const float ox = was_x[i] - by->was_x, oy = was_y[i] - by->was_y, oz = by->sphere ? was_z[i] - by->was_z : 0;
    const uint32_t before = band_of(by, ox * ox + oy * oy + oz * oz);
    *band = band_of(by, dx * dx + dy * dy + dz * dz);
    const bool in =
        by->square ? fabsf(dx) <= by->view && fabsf(dy) <= by->view : dx * dx + dy * dy <= by->view * by->view;
    if (!in) return false;
    if (by->all || before != *band) return true;
    const uint32_t phase = (hash[i] ^ by->hash) * 2654435769u >> 16;
    return age[i] < every[*band] && (tick % every[*band] + phase) % every[*band] == 0;
}

static void finds_due(const phx_kernels *kernels, const char *name)
{
    static uint32_t words[OUT], bands[OUT];
    uint64_t rng = 29;
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t every[PH_BANDS_MAX] = {0}, band, expected = 0;
        const uint64_t tick = phx_rng_next(&rng);
        const uint32_t first = phx_rng_below(&rng, ROWS), end = first + phx_rng_below(&rng, ROWS - first + 1);
        if (round % 16 == 0) draw_targets(&rng);
        const phx_due_query by = draw_query(&rng, tick, every);
        guard(words, OUT), guard(bands, OUT);
        const uint32_t got = kernels->find_due(&columns, (phx_span){first, end}, &by, words, bands);
        for (uint32_t i = first; i < end; i++) {
            if (!is_due(&by, tick, every, i, &band)) continue;
            cr_assert(expected < got && words[expected] == word[i] && bands[expected] == band,
                      "%s, round %u: sample %u of %u..%u, band %u, is due", name, round, i, first, end, band);
            expected++;
        }
        cr_assert_eq(got, expected, "%s, round %u: %u due, not %u", name, round, got, expected);
        check_guard(words, end - first, OUT, name);
        check_guard(bands, end - first, OUT, name);
    }
}

Test(kernels, updates_by_distance_band)
{
    with_each(finds_due);
}
