/*
 * The kernel of updates by distance band, of every instruction set that this machine has, against the rule of ph_update
 * written once more, one target at a time; marks and places of due keys; and no store beyond the promised range.
 */
#include "unit/shards/simd/kernels_case.h"

#include <math.h>

#include "shards/simd/due_rule.h"

enum { LENGTH = ROWS + PHX_KERNEL_PAD, OUT = ROWS + 2 * PHX_KERNEL_PAD };

static float x[LENGTH], y[LENGTH], z[LENGTH], was_x[LENGTH], was_y[LENGTH], was_z[LENGTH];
static uint32_t hash[LENGTH], age[LENGTH], word[LENGTH];
static uint32_t left_out[LENGTH / 32 + PHX_KERNEL_PAD], item[LENGTH];

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
        was_x[i] = stands ? x[i] : place(rng), was_y[i] = stands ? y[i] : place(rng);
        was_z[i] = phx_rng_below(rng, 2) ? z[i] : place(rng);
        hash[i] = (uint32_t)phx_rng_next(rng);
        age[i] = phx_rng_below(rng, 4) ? phx_rng_below(rng, 12) : PH_BAND_EVERY_MAX;
        word[i] = phx_rng_below(rng, 1000) | (phx_rng_below(rng, 40) ? 0 : PHX_ROW_SPECIAL);
        item[i] = phx_rng_below(rng, 1u << 20);
        if (i % 32 == 0) left_out[i / 32] = phx_rng_below(rng, 2) ? (uint32_t)phx_rng_next(rng) : 0;
    }
}

/* Samples of a list, of rows in another order, or of rows in their order. */
static phx_motion_columns draw_columns(uint64_t *rng)
{
    phx_motion_columns columns = {x, y, z, was_x, was_y, was_z, hash, age, .item = item};
    const uint32_t kind = phx_rng_below(rng, 3);
    if (kind == 0) return columns;
    if (kind == 2) columns.item = NULL;
    columns.word = word;
    columns.left_out = left_out;
    return columns;
}

static phx_due_query draw_query(uint64_t *rng, uint64_t tick, bool rows, uint32_t every[PH_BANDS_MAX])
{
    phx_due_query by = {.x = place(rng), .y = place(rng), .z = place(rng), .hash = (uint32_t)phx_rng_next(rng)};
    by.was_x = place(rng), by.was_y = place(rng), by.was_z = place(rng);
    by.view = phx_rng_below(rng, 4) ? (float)phx_rng_below(rng, 9) : INFINITY;
    by.square = phx_rng_below(rng, 3) == 0;
    by.sphere = !by.square && phx_rng_below(rng, 2);
    by.level = rows && !by.square && !by.sphere && phx_rng_below(rng, 2) ? (float)phx_rng_below(rng, 9) : INFINITY;
    by.all = phx_rng_below(rng, 8) == 0;
    by.enters = phx_rng_below(rng, 2);
    by.band_count = 1 + phx_rng_below(rng, PH_BANDS_MAX);
    for (by.band_bits = phx_rng_below(rng, 4); 1u << by.band_bits < by.band_count;) by.band_bits++;
    by.tick = (uint32_t)tick;
    const bool powers = phx_rng_below(rng, 2);
    float radius = 0;
    for (uint32_t b = 0; b < by.band_count; b++) {
        radius += 1 + (float)phx_rng_below(rng, 3);
        every[b] = phx_rng_below(rng, 3) ? 1 + phx_rng_below(rng, 6) : 1 + phx_rng_below(rng, PH_BAND_EVERY_MAX);
        if (powers) every[b] = 1u << phx_rng_below(rng, 8);
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

static bool in_view(const phx_due_query *by, float dx, float dy, float dz)
{
    if (by->square) return fabsf(dx) <= by->view && fabsf(dy) <= by->view;
    const float square = dx * dx + dy * dy;
    return (by->sphere ? square + dz * dz : square) <= by->view * by->view && fabsf(dz) <= by->level;
}

/* Was a sample out of view? */
static bool has_entered(const phx_due_query *by, uint32_t i)
{
    return !in_view(by, was_x[i] - by->was_x, was_y[i] - by->was_y, was_z[i] - by->was_z);
}

static bool is_due(const phx_due_query *by, uint64_t tick, const uint32_t *every, uint32_t i, bool enters,
                   uint32_t *band)
{
    const float dx = x[i] - by->x, dy = y[i] - by->y, up = z[i] - by->z, dz = by->sphere ? up : 0;
    const float ox = was_x[i] - by->was_x, oy = was_y[i] - by->was_y, oz = by->sphere ? was_z[i] - by->was_z : 0;
    const uint32_t before = band_of(by, ox * ox + oy * oy + oz * oz);
    *band = band_of(by, dx * dx + dy * dy + dz * dz);
    if (!in_view(by, dx, dy, up)) return false;
    if (by->all || before != *band || (enters && has_entered(by, i))) return true;
    const uint32_t phase = (hash[i] ^ by->hash) * 2654435769u >> 16;
    return age[i] < every[*band] && (tick % every[*band] + phase) % every[*band] == 0;
}

/* Draws up to three spans that follow each other, also empty ones; returns the number of samples in them. */
static uint32_t draw_spans(uint64_t *rng, phx_span spans[3], uint32_t *count)
{
    uint32_t from = 0, length = 0;
    *count = phx_rng_below(rng, 4);
    for (uint32_t s = 0; s < *count; s++) {
        const uint32_t first = from + phx_rng_below(rng, ROWS - from),
                       end = first + phx_rng_below(rng, ROWS - first + 1);
        spans[s] = (phx_span){first, end};
        length += end - first;
        from = end < ROWS ? end : first;
    }
    return length;
}

static void finds_due(const phx_kernels *kernels, const char *name)
{
    static uint32_t keys[3 * OUT];
    uint64_t rng = 29;
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t every[PH_BANDS_MAX] = {0}, band, expected = 0, entered = 0, count;
        phx_span spans[3];
        const uint64_t tick = phx_rng_next(&rng);
        const uint32_t length = draw_spans(&rng, spans, &count);
        bool special = false;
        if (round % 16 == 0) draw_targets(&rng);
        const phx_motion_columns columns = draw_columns(&rng);
        const phx_due_query by = draw_query(&rng, tick, columns.left_out != NULL, every);
        guard(keys, 3 * OUT);
        const phx_due_found got = kernels->find_due(&columns, spans, count, &by, keys);
        for (uint32_t s = 0; s < count; s++)
            for (uint32_t i = spans[s].first; i < spans[s].end; i++) {
                if (!is_due(&by, tick, every, i, by.enters && columns.left_out, &band)) continue;
                if (columns.left_out && (left_out[i / 32] >> i % 32 & 1)) continue;
                const uint32_t key = (columns.item ? item[i] : i) << by.band_bits | band;
                cr_assert(expected < got.count && keys[expected] == key, "%s, round %u: sample %u of %u..%u, band %u",
                          name, round, i, spans[s].first, spans[s].end, band);
                special |= columns.word && (word[i] & PHX_ROW_SPECIAL);
                entered += by.enters && columns.left_out && has_entered(&by, i);
                expected++;
            }
        cr_assert_eq(got.count, expected, "%s, round %u: %u due, not %u", name, round, got.count, expected);
        cr_assert_eq(got.entered, entered, "%s, round %u: %u entered, not %u", name, round, got.entered, entered);
        cr_assert_eq(got.special, special, "%s, round %u: a special one", name, round);
        check_guard(keys, length, 3 * OUT, name);
    }
}

Test(kernels, updates_by_distance_band)
{
    with_each(finds_due);
}

static phx_motion_sample samples[ROWS];

/* Gathered samples are the ones of the items, for each number of them. */
static void gathers_samples(const phx_kernels *kernels, const char *name)
{
    static phx_gathered_samples got;
    static uint32_t items[PHX_SAMPLES_MAX];
    uint64_t rng = 37;
    for (uint32_t i = 0; i < ROWS; i++)
        samples[i] = (phx_motion_sample){place(&rng),
                                         place(&rng),
                                         place(&rng),
                                         place(&rng),
                                         place(&rng),
                                         (uint32_t)phx_rng_next(&rng),
                                         (uint16_t)phx_rng_below(&rng, PH_BAND_EVERY_MAX + 1),
                                         (uint16_t)phx_rng_next(&rng),
                                         (uint32_t)phx_rng_next(&rng)};
    for (uint32_t count = 0; count <= PHX_SAMPLES_MAX; count++) {
        for (uint32_t i = 0; i < count; i++) items[i] = phx_rng_below(&rng, ROWS);
        guard(got.age, PHX_SAMPLES_ROOM);
        kernels->gather_samples(samples, items, count, &got);
        for (uint32_t i = 0; i < count; i++) {
            const phx_motion_sample *of = &samples[items[i]];
            cr_assert(got.x[i] == of->x && got.y[i] == of->y && got.z[i] == of->z, "%s: place of %u", name, i);
            cr_assert(got.was_x[i] == of->ox && got.was_y[i] == of->oy, "%s: old place of %u", name, i);
            cr_assert(got.hash[i] == of->hash && got.age[i] == of->age, "%s: %u", name, i);
        }
        check_guard(got.age, count, PHX_SAMPLES_ROOM, name);
    }
}

Test(kernels, samples_of_a_list)
{
    with_each(gathers_samples);
}

enum { KEYS = 400 }; /* that there are */

/* Draws keys, no two alike; returns how many. */
static uint32_t draw_keys(uint64_t *rng, uint32_t keys[KEYS])
{
    const uint32_t some = 1 + phx_rng_below(rng, 4);
    uint32_t count = 0;
    for (uint32_t key = 0; key < KEYS; key++)
        if (phx_rng_below(rng, some) == 0) keys[count++] = key;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = phx_rng_below(rng, i), key = keys[i - 1];
        keys[i - 1] = keys[other];
        keys[other] = key;
    }
    return count;
}

/* Items of keys are marked, and no others. Places are counted by stretches; bands stand beside them. */
static void marks_and_places(const phx_kernels *kernels, const char *name)
{
    enum { ITEMS_MAX = KEYS + PHX_KERNEL_PAD, ROOM = KEYS + 2 * PHX_KERNEL_PAD, BEFORE = UINT8_MAX };
    static uint8_t mark[ITEMS_MAX];
    static uint32_t keys[KEYS], places[ROOM], bands[ROOM];
    const uint32_t first[] = {7, 1000, 3, 5, 9};
    uint64_t rng = 31;
    for (uint32_t round = 0; round < 300; round++) { /* other workers fill a batch behind these */
        const uint32_t band_bits = phx_rng_below(&rng, 4), count = draw_keys(&rng, keys);
        bool has[KEYS] = {false};
        for (uint32_t i = 0; i < ITEMS_MAX; i++) mark[i] = i % 3 == 0;
        kernels->mark_items(mark, keys, count, band_bits);
        for (uint32_t i = 0; i < count; i++) has[keys[i] >> band_bits] = true;
        for (uint32_t i = 0; i < ITEMS_MAX; i++)
            cr_assert_eq(mark[i], i % 3 == 0 || (i < KEYS && has[i]), "%s: mark of %u", name, i);

        for (uint32_t i = 0; i < ITEMS_MAX; i++) mark[i] = (uint8_t)phx_rng_below(&rng, BEFORE + 1);
        guard(places, ROOM);
        guard(bands, ROOM);
        const phx_item_places of = {mark, first, 11, band_bits};
        kernels->place_keys(&of, keys, count, places, (uint8_t *)bands);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t of_mark = keys[i] >> band_bits, stretch = of_mark / PHX_STRETCH;
            cr_assert_eq(places[i], 11 + first[stretch] + mark[of_mark], "%s: place of %u", name, keys[i]);
            cr_assert_eq(((uint8_t *)bands)[i], keys[i] & ((1u << band_bits) - 1), "%s: band of %u", name, keys[i]);
        }
        const uint32_t guarded = GUARD;
        for (uint32_t i = count; i < ROOM; i++)
            cr_assert(places[i] == GUARD && ((uint8_t *)bands)[i] == ((const uint8_t *)&guarded)[i % sizeof guarded],
                      "%s: stored too far", name);
    }
}

Test(kernels, places_of_due_keys)
{
    with_each(marks_and_places);
}
