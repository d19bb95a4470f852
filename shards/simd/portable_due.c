/*
 * The kernel of updates by distance band in plain C; see portable_due.h and kernels.h.
 */
#include "shards/simd/portable_due.h"

#include <math.h>

#include "shards/simd/due_rule.h"

enum { TOGETHER = 64 };

/* Some samples, side by side: the loops have no branch, so that compilers vectorize them. */
typedef struct measured_samples {
    float d2[TOGETHER], was[TOGETHER];
    uint32_t in[TOGETHER], was_in[TOGETHER], entered[TOGETHER], band[TOGETHER], was_band[TOGETHER];
} measured_samples;

static void measure_samples(const phx_motion_columns *columns, uint32_t first, uint32_t count, const phx_due_query *by,
                            measured_samples *of)
{
    const float r = by->view, r2 = r * r;
    const bool enters = by->enters && columns->left_out;
    const bool by_level = by->level < INFINITY, tall = by->sphere || by_level;
    for (uint32_t k = 0, i = first; k < count; k++, i++) {
        const float dx = columns->x[i] - by->x, dy = columns->y[i] - by->y;
        const float was_dx = columns->was_x[i] - by->was_x, was_dy = columns->was_y[i] - by->was_y;
        of->d2[k] = dx * dx + dy * dy;
        of->was[k] = was_dx * was_dx + was_dy * was_dy;
        of->in[k] = !by->square || (uint32_t)(fabsf(dx) <= r) & (uint32_t)(fabsf(dy) <= r);
        of->was_in[k] = !by->square || (uint32_t)(fabsf(was_dx) <= r) & (uint32_t)(fabsf(was_dy) <= r);
    }
    for (uint32_t k = 0, i = first; tall && k < count; k++, i++) {
        const float dz = columns->z[i] - by->z, was_dz = columns->was_z[i] - by->was_z;
        of->in[k] &= !by_level || fabsf(dz) <= by->level;
        of->was_in[k] &= !by_level || fabsf(was_dz) <= by->level;
        of->d2[k] += by->sphere ? dz * dz : 0.0f;
        of->was[k] += by->sphere ? was_dz * was_dz : 0.0f;
    }
    for (uint32_t k = 0; k < count; k++) {
        of->in[k] &= by->square || of->d2[k] <= r2;
        of->was_in[k] &= by->square || of->was[k] <= r2;
        of->entered[k] = of->in[k] & (of->was_in[k] ^ 1) & (uint32_t)enters;
    }
}

/* The number of bands before the last of smaller radius than a distance: the first band with it, or the last one. */
static void find_bands(const phx_due_query *by, uint32_t count, measured_samples *of)
{
    for (uint32_t k = 0; k < count; k++) of->band[k] = of->was_band[k] = 0;
    for (uint32_t b = 0; b + 1 < by->band_count; b++) {
        const float limit = by->squares[b];
        for (uint32_t k = 0; k < count; k++) {
            of->band[k] += of->d2[k] > limit;
            of->was_band[k] += of->was[k] > limit;
        }
    }
}

static uint32_t is_left_out(const phx_motion_columns *columns, uint32_t i)
{
    enum { WORD_BITS = 32 };
    return columns->left_out ? columns->left_out[i / WORD_BITS] >> i % WORD_BITS & 1 : 0;
}

/* Adds the due samples of a span. */
static void find_in_span(const phx_motion_columns *columns, phx_span span, const phx_due_query *by, uint32_t *keys,
                         phx_due_found *found)
{
    measured_samples of;
    uint32_t n = found->count;
    for (uint32_t first = span.first; first < span.end; first += TOGETHER) {
        const uint32_t count = span.end - first < TOGETHER ? span.end - first : TOGETHER;
        measure_samples(columns, first, count, by, &of);
        find_bands(by, count, &of);
        for (uint32_t k = 0, i = first; k < count; k++, i++) {
            const uint32_t band = of.band[k], phase = phx_band_phase(columns->hash[i], by->hash);
            const uint32_t turns = phx_band_multiple(by->turn[band] + phase, by->share[band]);
            const uint32_t moved = columns->age[i] < by->every[band];
            const uint32_t changed = (uint32_t)by->all | (band != of.was_band[k]) | of.entered[k];
            const uint32_t due = of.in[k] & (changed | (moved & turns)) & (is_left_out(columns, i) ^ 1);
            keys[n] = (columns->item ? columns->item[i] : i) << by->band_bits | band;
            if (columns->word) found->special |= due && (columns->word[i] & PHX_ROW_SPECIAL);
            found->entered += due & of.entered[k];
            n += due;
        }
    }
    found->count = n;
}

phx_due_found phx_find_due_portable(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                                    const phx_due_query *by, uint32_t *keys)
{
    phx_due_found found = {0, 0, false};
    for (uint32_t s = 0; s < span_count; s++) find_in_span(columns, spans[s], by, keys, &found);
    return found;
}

void phx_gather_samples_portable(const phx_motion_sample *samples, const uint32_t *items, uint32_t count,
                                 phx_gathered_samples *to)
{
    PHX_ASSERT(count <= PHX_SAMPLES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const phx_motion_sample *from = &samples[items[i]];
        if (i + PHX_SAMPLES_AHEAD < count) __builtin_prefetch(&samples[items[i + PHX_SAMPLES_AHEAD]]);
        to->x[i] = from->x, to->y[i] = from->y, to->z[i] = from->z;
        to->was_x[i] = from->ox, to->was_y[i] = from->oy;
        to->hash[i] = from->hash, to->age[i] = from->age;
    }
}

void phx_mark_items_portable(uint8_t *mark, const uint32_t *keys, uint32_t count, uint32_t band_bits)
{
    for (uint32_t i = 0; i < count; i++) mark[keys[i] >> band_bits] = 1;
}

void phx_place_items_portable(const phx_item_places *places, const uint32_t *keys, uint32_t count, uint32_t *due)
{
    const uint8_t *before = places->before;
    const uint32_t *first = places->first;
    const uint32_t at = places->at, band_bits = places->band_bits;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = keys[i] >> band_bits;
        due[i] = at + first[item >> PHX_STRETCH_BITS] + before[item];
    }
}

void phx_place_keys_portable(const phx_item_places *places, const uint32_t *keys, uint32_t count, uint32_t *due,
                             uint8_t *bands)
{
    const uint32_t band_mask = (1u << places->band_bits) - 1;
    phx_place_items_portable(places, keys, count, due);
    for (uint32_t i = 0; i < count; i++) bands[i] = (uint8_t)(keys[i] & band_mask);
}
