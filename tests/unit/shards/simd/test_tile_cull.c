/*
 * The kernels that read rows of the grid (picking, looking, crossing), of every instruction set that this machine has,
 * against one row at a time with every operation stored.
 */
#include "unit/shards/simd/kernels_case.h"

/* ---- picking ---- */

static float px[ROWS + PHX_KERNEL_PAD], py[ROWS + PHX_KERNEL_PAD], pox[ROWS + PHX_KERNEL_PAD],
    poy[ROWS + PHX_KERNEL_PAD];
static uint32_t slots[ROWS + PHX_KERNEL_PAD];
static uint32_t now[ROWS + 2 * PHX_KERNEL_PAD], old[ROWS + 2 * PHX_KERNEL_PAD], row[ROWS + 2 * PHX_KERNEL_PAD],
    cell[ROWS + 2 * PHX_KERNEL_PAD];

/* A coordinate: in the frame or about it, on its ends, or none at all. */
static float some_coordinate(uint64_t *rng, float zero, float width)
{
    static const float discontinuous[] = {
        NAN,      INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0x1p31f,
        -0x1p31f, 3e9f,     1e20f,     1e6f,    -1e6f,    2e7f}; /* the last are units that an int holds */
    switch (phx_rng_below(rng, 8)) {
    case 0:
        return discontinuous[phx_rng_below(rng, sizeof discontinuous / sizeof *discontinuous)];
    case 1:
        return float_near(rng, zero);
    case 2:
        return float_near(rng, zero + width);
    default:
        return zero + width * float_between(rng, -0.2f, 1.2f);
    }
}

static float in_units(float p, float zero, float scale)
{
    volatile float off = p - zero, q = off * scale;
    return q;
}

static uint32_t low_bits(float q)
{
    return q > -0x1p31f && q < 0x1p31f ? (uint32_t)(int32_t)q & 0xffff : 0;
}

/* The unit of where one was half way, if that was in the frame. */
static bool in_frame(float to, float from, const phx_tile_frame *frame, float end, uint32_t *unit)
{
    volatile float step = from - to, half = step * 0.5f, way = to + half;
    const float q = fabsf(step) <= frame->longest_step ? way : to;
    if (!(q >= frame->low && q < end)) return false;
    *unit = (uint32_t)q;
    return true;
}

/* Steps of all lengths, some longer than the stride; many are 0. */
static float stepped_from(uint64_t *rng, float to, const phx_tile_frame *frame)
{
    const float most = frame->longest_step / frame->scale;
    switch (phx_rng_below(rng, 4)) {
    case 0:
        return to;
    case 1:
        return to + float_between(rng, -3 * most, 3 * most);
    case 2:
        return to + (phx_rng_below(rng, 2) ? most : -most);
    default:
        return to + float_between(rng, -most, most);
    }
}

static void cull_some(const phx_kernels *kernels, const char *name)
{
    const phx_grid_rows rows = {.x = px, .y = py, .ox = pox, .oy = poy, .slot = slots};
    uint64_t rng = 31;
    for (uint32_t round = 0; round < 1500; round++) {
        phx_tile_frame frame = {.x = float_between(&rng, -50, 50),
                                .y = float_between(&rng, -50, 50),
                                .scale = 100,
                                .shift = 11 + phx_rng_below(&rng, 3),
                                .columns = 3 + phx_rng_below(&rng, 5)};
        frame.rows = 3 + phx_rng_below(&rng, 3);
        frame.width = (float)(frame.columns << frame.shift);
        frame.height = (float)(frame.rows << frame.shift);
        frame.longest_step = round % 3 == 0 ? 0.5f : float_between(&rng, 0, 4000);
        frame.low = round % 4 == 0 ? (float)(1u << frame.shift) : 0;
        frame.moved = round % 4 == 0 ? PHX_CELL_MOVED : 0;
        for (uint32_t i = 0; i < ROWS; i++) {
            px[i] = some_coordinate(&rng, frame.x, frame.width / frame.scale);
            py[i] = some_coordinate(&rng, frame.y, frame.height / frame.scale);
            const bool jumped = phx_rng_below(&rng, 4) == 0;
            pox[i] =
                jumped ? some_coordinate(&rng, frame.x, frame.width / frame.scale) : stepped_from(&rng, px[i], &frame);
            poy[i] =
                jumped ? some_coordinate(&rng, frame.y, frame.height / frame.scale) : stepped_from(&rng, py[i], &frame);
            if (isnan(pox[i]) || isnan(poy[i])) pox[i] = poy[i] = NAN;
        }
        uint32_t a = phx_rng_below(&rng, ROWS), b = phx_rng_below(&rng, ROWS + 1), n = 0, x, y;
        phx_span spans[2] = {{0, a < b ? a : b}, {a < b ? b : a, ROWS}};
        uint32_t most = spans[0].end + ROWS - spans[1].first, arrays = ROWS + 2 * PHX_KERNEL_PAD;
        guard(now, arrays), guard(old, arrays), guard(row, arrays), guard(cell, arrays);
        uint32_t count = kernels->cull_rows(&rows, spans, 2, &frame, &(phx_tile_rows){now, old, row, cell});
        for (uint32_t i = 0; i < ROWS; i++) {
            const float fx = in_units(px[i], frame.x, frame.scale), fy = in_units(py[i], frame.y, frame.scale);
            const float gx = in_units(pox[i], frame.x, frame.scale), gy = in_units(poy[i], frame.y, frame.scale);
            const bool moved = px[i] != pox[i] || py[i] != poy[i];
            if ((i >= spans[0].end && i < spans[1].first) || !in_frame(fx, gx, &frame, frame.width, &x) ||
                !in_frame(fy, gy, &frame, frame.height, &y))
                continue;
            cr_assert_lt(n, count, "%s: row %u is not picked", name, i);
            cr_assert_eq(row[n], i, "%s", name);
            cr_assert_eq(now[n], low_bits(fx) | low_bits(fy) << 16, "%s", name);
            cr_assert_eq(cell[n], ((y >> frame.shift) * frame.columns + (x >> frame.shift)) | (moved ? frame.moved : 0),
                         "%s", name);
            uint32_t ox = low_bits(gx), oy = low_bits(gy);
            if (isnan(pox[i]))
                ox = (low_bits(fx) + PHX_TILE_NO_HISTORY_OFFSET) & 0xffff, oy = low_bits(fy); /* it was not here */
            cr_assert_eq(old[n], ox | oy << 16, "%s: %a, %a", name, (double)pox[i], (double)poy[i]);
            n++;
        }
        cr_assert_eq(n, count, "%s", name);
        check_guard(now, most, arrays, name), check_guard(old, most, arrays, name);
        check_guard(row, most, arrays, name), check_guard(cell, most, arrays, name);
    }
}

Test(kernels, picking_from_two_ranges)
{
    with_each(cull_some);
}

/* The ends of a span's positions along an axis, now and half way; the lesser end with sign 1, the greater with -1. */
static float end_along(const float *to, const float *from, phx_span span, float longest_step, float sign)
{
    float end = INFINITY;
    for (uint32_t i = span.first; i < span.end; i++) {
        volatile float step = from[i] - to[i], half = step * 0.5f, way = to[i] + half;
        end = fminf(end, sign * to[i]);
        if (fabsf(step) <= longest_step) end = fminf(end, sign * way);
    }
    return sign * end;
}

static void box_some(const phx_kernels *kernels, const char *name)
{
    const phx_grid_rows rows = {.x = px, .y = py, .ox = pox, .oy = poy};
    const phx_tile_frame frame = {.scale = 1, .longest_step = 7};
    uint64_t rng = 32;
    for (uint32_t round = 0; round < 2000; round++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            const bool none = phx_rng_below(&rng, 8) == 0;
            px[i] = float_between(&rng, -100, 100), py[i] = float_between(&rng, -100, 100);
            pox[i] = none ? NAN : stepped_from(&rng, px[i], &frame), poy[i] = stepped_from(&rng, py[i], &frame);
        }
        const uint32_t first = phx_rng_below(&rng, ROWS), most = round % 2 ? ROWS - first : 1 + (ROWS - first) / 8;
        const phx_span span = {first, first + 1 + phx_rng_below(&rng, most)};
        const phx_box box = kernels->box_rows(&rows, span, frame.longest_step);
        cr_assert(box.x0 == end_along(px, pox, span, frame.longest_step, 1), "%s: %u", name, round);
        cr_assert(box.y0 == end_along(py, poy, span, frame.longest_step, 1), "%s: %u", name, round);
        cr_assert(box.x1 == end_along(px, pox, span, frame.longest_step, -1), "%s: %u", name, round);
        cr_assert(box.y1 == end_along(py, poy, span, frame.longest_step, -1), "%s: %u", name, round);
    }
}

Test(kernels, box_of_rows)
{
    with_each(box_some);
}

static void gather_some(const phx_kernels *kernels, const char *name)
{
    enum { LENGTH = ROWS + 2 * PHX_KERNEL_PAD };
    static uint32_t from[3][ROWS + PHX_KERNEL_PAD], to[3][LENGTH];
    const phx_tile_candidates all = {from[0], from[1], from[2], NULL, NULL};
    for (uint32_t i = 0; i < 3 * ROWS; i++) from[i / ROWS][i % ROWS] = 1000 + i;
    for (uint32_t first = 0; first <= ROWS; first++) {
        phx_span spans[3] = {{first, ROWS}, {first, first}, {0, first}};
        for (uint32_t a = 0; a < 3; a++) guard(to[a], LENGTH);
        cr_assert_eq(kernels->gather(&all, spans, 3, &(phx_tile_candidates){to[0], to[1], to[2], NULL, NULL}), ROWS,
                     "%s", name);
        for (uint32_t i = 0; i < ROWS; i++) {
            uint32_t at = (i + first) % ROWS;
            for (uint32_t a = 0; a < 3; a++)
                cr_assert_eq(to[a][i], from[a][at], "%s: %u from %u, array %u", name, i, first, a);
        }
        for (uint32_t a = 0; a < 3; a++) check_guard(to[a], ROWS, LENGTH, name);
    }
}

Test(kernels, gathering_ranges_side_by_side)
{
    with_each(gather_some);
}

/* ---- where few moved ---- */

static bool in_range(float dx, float dy, float r, bool square)
{
    volatile float xx = dx * dx, yy = dy * dy, d2 = xx + yy, r2 = r * r;
    return square ? fabsf(dx) <= r && fabsf(dy) <= r : d2 <= r2;
}

static void plan_some(const phx_kernels *kernels, const char *name)
{
    enum { PARTS_EACH_TICK = 4, MOST = PARTS_EACH_TICK * ROWS + 2 * PHX_KERNEL_PAD };
    static uint32_t found_by[MOST], found_row[MOST];
    const phx_view_changes found = {found_by, found_row};
    const phx_grid_rows rows = {.x = px, .y = py, .ox = pox, .oy = poy, .slot = slots};
    uint64_t rng = 37;
    for (uint32_t round = 0; round < 1500; round++) {
        const phx_view_range limit = {10, round % 4 < 2 ? 10 : 7, round % 2};
        for (uint32_t i = 0; i < ROWS; i++) {
            px[i] = round % 3 ? roundf(float_between(&rng, -10, 20)) : some_coordinate(&rng, -10, 30);
            py[i] = round % 3 ? roundf(float_between(&rng, -10, 20)) : some_coordinate(&rng, -10, 30);
            pox[i] = phx_rng_below(&rng, 3) > 0 ? px[i] : float_near(&rng, px[i]);
            poy[i] = phx_rng_below(&rng, 3) > 0 ? py[i] : some_coordinate(&rng, -10, 30);
        }
        uint32_t by[PARTS_EACH_TICK], first[PARTS_EACH_TICK], end[PARTS_EACH_TICK], n = 0, most = 0;
        const phx_row_ranges ranges = {.row = by, .first = first, .end = end, .count = PARTS_EACH_TICK};
        for (uint32_t l = 0; l < PARTS_EACH_TICK; l++) {
            by[l] = phx_rng_below(&rng, ROWS);
            first[l] = phx_rng_below(&rng, ROWS);
            end[l] = first[l] + 1 + phx_rng_below(&rng, l % 2 ? ROWS - first[l] : 1);
            most += l > 0 ? end[l] - first[l] : 0;
        }
        guard(found_by, MOST);
        guard(found_row, MOST);
        uint32_t crossed = kernels->find_view_changes(&rows, &ranges, (phx_span){1, PARTS_EACH_TICK}, &limit, &found);
        for (uint32_t l = 1; l < PARTS_EACH_TICK; l++) {
            for (uint32_t i = first[l]; i < end[l]; i++) {
                bool is = in_range(px[i] - px[by[l]], py[i] - py[by[l]], limit.r, limit.square);
                bool was = in_range(pox[i] - pox[by[l]], poy[i] - poy[by[l]], limit.before, limit.square);
                if (is == was) continue;
                cr_assert_eq(found_by[n], by[l], "%s: look %u", name, l);
                cr_assert_eq(found_row[n++], i | (was ? PHX_PAIR_LEAVE : 0), "%s: row %u of look %u", name, i, l);
            }
        }
        cr_assert_eq(n, crossed, "%s", name);
        check_guard(found_by, most, MOST, name);
        check_guard(found_row, most, MOST, name);
    }
}

Test(kernels, view_changes_of_moved_rows)
{
    with_each(plan_some);
}

/* A block of a small world; its towers have some of the rows each, or none. */
static phx_block some_block(uint64_t *rng, const phx_rules *rules)
{
    phx_block block = {.bx = (uint16_t)phx_rng_below(rng, (rules->towers[0] - 1) / PHX_BLOCK_SIDE + 1),
                       .by = (uint16_t)phx_rng_below(rng, (rules->towers[1] - 1) / PHX_BLOCK_SIDE + 1)};
    uint32_t left = ROWS;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
        uint32_t n = phx_rng_below(rng, 3) > 0 ? phx_rng_below(rng, 8) : 0;
        if (n > left) n = left;
        left -= n;
        block.start[t + 1] = block.start[t] + n;
    }
    return block;
}

/* The rows of a block in a row's view, tower by tower; behind the others. */
static void add_ranges(phx_row_ranges *ranges, const phx_lookup *lookup, uint32_t observer_row)
{
    const phx_block *block = lookup->block;
    phx_rect rect = phx_box_towers(lookup->rules, phx_box_around(px[observer_row], py[observer_row], lookup->reach));
    for (uint32_t y = 0; y < PHX_BLOCK_SIDE; y++) {
        uint32_t first = UINT32_MAX, end = 0;
        for (uint32_t x = 0; x < PHX_BLOCK_SIDE; x++) {
            uint32_t tx = block->bx * PHX_BLOCK_SIDE + x, ty = block->by * PHX_BLOCK_SIDE + y;
            if (tx < rect.x0 || tx > rect.x1 || ty < rect.y0 || ty > rect.y1) continue;
            const uint32_t *start = block->start + PHX_BLOCK_SIDE * y + x;
            for (uint32_t i = start[0]; i < start[1]; i++) {
                if (i < lookup->at.first || i >= lookup->at.end) continue;
                first = i < first ? i : first;
                end = i + 1;
            }
        }
        if (first >= end) continue;
        ranges->row[ranges->count] = observer_row;
        ranges->first[ranges->count] = first;
        ranges->end[ranges->count++] = end;
        ranges->length += end - first;
    }
    const uint32_t x = block->bx * PHX_BLOCK_SIDE, y = block->by * PHX_BLOCK_SIDE;
    bool out_x = rect.x0 < x || rect.x1 >= x + PHX_BLOCK_SIDE, out_y = rect.y0 < y || rect.y1 >= y + PHX_BLOCK_SIDE;
    const bool out[PHX_BEYONDS] = {[PHX_SPILL_X] = out_x, [PHX_SPILL_Y] = out_y, [PHX_SPILL_BOTH] = out_x && out_y};
    for (uint32_t b = 0; b < PHX_BEYONDS; b++)
        if (out[b]) ranges->beyond[b][ranges->beyond_count[b]++] = observer_row;
}

static int compare_ranges(const void *a, const void *b)
{
    const uint32_t *one = a, *other = b; /* the row, and the other one: no row is in two */
    if (one[0] != other[0]) return one[0] < other[0] ? -1 : 1;
    return one[1] < other[1] ? -1 : one[1] > other[1];
}

/* In the order of rows, whatever that of the kernel is. */
static void order_ranges(phx_row_ranges *ranges)
{
    static uint32_t words[PHX_BLOCK_SIDE * ROWS][3];
    for (uint32_t i = 0; i < ranges->count; i++)
        words[i][0] = ranges->row[i], words[i][1] = ranges->first[i], words[i][2] = ranges->end[i];
    qsort(words, ranges->count, sizeof *words, compare_ranges);
    for (uint32_t i = 0; i < ranges->count; i++)
        ranges->row[i] = words[i][0], ranges->first[i] = words[i][1], ranges->end[i] = words[i][2];
}

static void look_about(const phx_kernels *kernels, const char *name)
{
    enum { PARTS_EACH_TICK = PHX_BLOCK_SIDE * ROWS, LENGTH = PARTS_EACH_TICK + 2 * PHX_KERNEL_PAD };
    enum { ARRAYS = 3 + PHX_BEYONDS };
    static uint32_t got_words[ARRAYS][LENGTH], words[ARRAYS][LENGTH], observer_rows[ROWS];
    static const float reaches[] = {0, 1, 30, 100, 1000, 1e19f, 1e30f, INFINITY};
    const phx_grid_rows rows = {.x = px, .y = py};
    uint64_t rng = 41;
    for (uint32_t round = 0; round < 1500; round++) {
        const phx_rules rules = {.tower_size = 1 + (float)phx_rng_below(&rng, 100),
                                 .origin = {float_between(&rng, -2000, 10), float_between(&rng, -2000, 10)},
                                 .towers = {1 + phx_rng_below(&rng, 40), 1 + phx_rng_below(&rng, 40)}};
        const phx_block block = some_block(&rng, &rules);
        uint32_t begin = phx_rng_below(&rng, ROWS), count = 0;
        const phx_span all = {0, ROWS}, some = {begin, begin + phx_rng_below(&rng, ROWS - begin)};
        const phx_lookup lookup = {&rules, &block, round % 2 ? all : some,
                                   reaches[phx_rng_below(&rng, sizeof reaches / sizeof *reaches)]};
        for (uint32_t i = 0; i < ROWS; i++) {
            float wide = phx_rng_below(&rng, 8) ? 1.5f : 1e15f;
            px[i] = rules.origin[0] + rules.tower_size * (float)rules.towers[0] * float_between(&rng, -0.2f, wide);
            py[i] = rules.origin[1] + rules.tower_size * (float)rules.towers[1] * float_between(&rng, -0.2f, 1.2f);
            observer_rows[count] = i;
            count += phx_rng_below(&rng, 3) == 0;
        }
        phx_row_ranges got = {.row = got_words[0], .first = got_words[1], .end = got_words[2]};
        phx_row_ranges expected = {.row = words[0], .first = words[1], .end = words[2]};
        for (uint32_t a = 0; a < ARRAYS; a++) guard(got_words[a], LENGTH);
        for (uint32_t b = 0; b < PHX_BEYONDS; b++) got.beyond[b] = got_words[3 + b], expected.beyond[b] = words[3 + b];
        for (uint32_t i = 0; i < count; i++) add_ranges(&expected, &lookup, observer_rows[i]);
        kernels->plan_row_ranges(&rows, &lookup, observer_rows, count, &got);
        cr_assert(got.count == expected.count && got.length == expected.length,
                  "%s: %u looks at %" PRIu64 " rows, not %u, %" PRIu64, name, got.count, got.length, expected.count,
                  expected.length);
        cr_assert_arr_eq(got.beyond_count, expected.beyond_count, sizeof expected.beyond_count, "%s", name);
        order_ranges(&got);
        for (uint32_t a = 0; a < ARRAYS; a++) {
            uint32_t length = a < 3 ? expected.count : expected.beyond_count[a - 3];
            cr_assert_arr_eq(got_words[a], words[a], length * sizeof(uint32_t), "%s: array %u", name, a);
            check_guard(got_words[a], a < 3 ? PHX_BLOCK_SIDE * count : count, LENGTH, name);
        }
    }
}

Test(kernels, row_ranges_in_a_block)
{
    with_each(look_about);
}
