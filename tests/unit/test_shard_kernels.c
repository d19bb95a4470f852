/*
 * shards/kernels*.c: every instruction set that this machine has, against one row at a
 * time with every operation stored; and no store beyond what was promised.
 */
#include "unit/shard_case.h"

#include "base/simd.h"
#include "shards/kernels.h"

enum { ROWS = 200, PAD = 16, GUARD = 0x5a5a5a5a };

static float columns[4][ROWS + PAD];
static uint32_t slots[ROWS + PAD];
static const phx_grid_rows rows = {
    .x = columns[0], .y = columns[1], .ox = columns[2], .oy = columns[3], .slot = slots};

/* Calls test for each instruction set there is; portable is always one. */
static void with_each(void (*test)(const phx_kernels *kernels, const char *name))
{
    static const struct {
        ph_simd simd;
        const char *name;
    } sets[] = {{PH_SIMD_PORTABLE, "portable"}, {PH_SIMD_AVX2, "avx2"}, {PH_SIMD_AVX512, "avx512"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (phx_simd_supported(sets[i].simd)) test(phx_kernels_of(sets[i].simd), sets[i].name);
}

static bool within(float x, float y, float px, float py, float limit, bool square)
{
    volatile float dx = x - px, dy = y - py;
    volatile float xx = dx * dx, yy = dy * dy;
    volatile float d2 = xx + yy;
    if (square) return (dx < 0 ? -dx : dx) <= limit && (dy < 0 ? -dy : dy) <= limit;
    return d2 <= limit;
}

static void check_glance(const phx_kernels *kernels, const char *name, uint32_t first, uint32_t end,
                         const phx_probe *p, uint32_t *entered, uint32_t *left)
{
    static uint32_t enter[2 * ROWS + PAD + 1], leave[2 * ROWS + PAD + 1];
    uint32_t before = first % 5, count = end - first; /* some are there from ranges before */
    for (uint32_t i = 0; i < 2 * ROWS + PAD + 1; i++) enter[i] = leave[i] = GUARD;
    phx_hits hits = {.enter = enter, .leave = leave, .enter_count = before, .leave_count = before};
    kernels->glance(&rows, first, end, p, &hits);
    uint32_t enters = before, leaves = before;
    for (uint32_t i = first; i < end; i++) {
        bool in = within(rows.x[i], rows.y[i], p->x, p->y, p->in, p->square);
        bool was_in = within(rows.ox[i], rows.oy[i], p->ox, p->oy, p->in, p->square);
        bool near = within(rows.x[i], rows.y[i], p->x, p->y, p->near, p->square);
        bool was_near = within(rows.ox[i], rows.oy[i], p->ox, p->oy, p->near, p->square);
        if (in && !was_in) cr_assert_eq(enter[enters++], slots[i], "%s: row %u of %u..%u", name, i, first, end);
        if (was_near && !near) cr_assert_eq(leave[leaves++], slots[i], "%s: row %u of %u..%u", name, i, first, end);
    }
    cr_assert_eq(hits.enter_count, enters, "%s", name);
    cr_assert_eq(hits.leave_count, leaves, "%s", name);
    for (uint32_t i = 0; i < before; i++) cr_assert(enter[i] == GUARD && leave[i] == GUARD);
    for (uint32_t i = before + count + PAD; i < 2 * ROWS + PAD + 1; i++)
        cr_assert(enter[i] == GUARD && leave[i] == GUARD, "%s: stored too far", name);
    *entered += enters - before;
    *left += leaves - before;
}

/* Rows about the borders of a probe's circles or squares, before and after, some of them new. */
static void fill_rows(uint64_t *rng, const phx_probe *p, float r, float far)
{
    for (uint32_t i = 0; i < ROWS + PAD; i++) {
        float angle = phx_rng_unit(rng) * 6.2831853f, d = phx_rng_below(rng, 2) ? r : far;
        float ex = p->square && i % 3 ? d : d * cosf(angle), ey = p->square && i % 3 == 1 ? -d : d * sinf(angle);
        if (i % 4 == 0) ex = float_between(rng, -2 * far, 2 * far);
        columns[0][i] = float_near(rng, p->x + ex);
        columns[1][i] = float_near(rng, p->y + ey);
        columns[2][i] = phx_rng_below(rng, 3) ? float_near(rng, p->ox + ex) : float_between(rng, -far, far);
        columns[3][i] = float_near(rng, p->oy + ey);
        if (phx_rng_below(rng, 16) == 0) columns[2][i] = columns[3][i] = NAN;
        if (phx_rng_below(rng, 16) == 0) columns[phx_rng_below(rng, 2)][i] = float_any(rng);
        slots[i] = i * 3 | (phx_rng_below(rng, 2) ? PHX_ROW_SPECIAL : 0);
    }
}

static void glance_random(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 27;
    uint32_t entered = 0, left = 0;
    for (int round = 0; round < 4000; round++) {
        float r = round % 7 == 0 ? fabsf(float_any(&rng)) : float_between(&rng, 1, 100);
        float far = round % 2 ? r : r + float_between(&rng, 0, 20);
        phx_probe p = {.x = float_between(&rng, -1000, 1000), .y = float_between(&rng, -1000, 1000),
                       .square = round % 3 == 0};
        bool moved = phx_rng_below(&rng, 2);
        p.ox = moved ? p.x + float_between(&rng, -2, 2) : p.x;
        p.oy = moved ? p.y + float_between(&rng, -2, 2) : p.y;
        p.in = p.square ? r : r * r;
        p.near = p.square ? far : far * far;
        fill_rows(&rng, &p, r, far);
        uint32_t first = phx_rng_below(&rng, ROWS), count = phx_rng_below(&rng, round % 2 ? 40 : ROWS);
        uint32_t end = first + count < ROWS ? first + count : ROWS;
        check_glance(kernels, name, first, end, &p, &entered, &left);
    }
    cr_assert_gt(entered, 10000, "%s", name);
    cr_assert_gt(left, 10000, "%s", name);
}

Test(kernels, glances_row_by_row)
{
    with_each(glance_random);
}

static void glance_all(const phx_kernels *kernels, const char *name)
{
    phx_probe p = {.in = 100, .near = 100};
    uint32_t entered = 0, left = 0;
    for (uint32_t i = 0; i < ROWS + PAD; i++) {
        columns[0][i] = columns[1][i] = 1;
        columns[2][i] = columns[3][i] = 50;
        slots[i] = i;
    }
    for (uint32_t end = 0; end <= ROWS; end++) check_glance(kernels, name, end / 3, end, &p, &entered, &left);
    cr_assert_eq(left, 0);
    p = (phx_probe){.ox = 50, .oy = 50, .x = 90, .y = 90, .in = 100, .near = 100};
    for (uint32_t end = 0; end <= ROWS; end++) check_glance(kernels, name, end / 3, end, &p, &entered, &left);
    cr_assert_eq(entered, left, "all came, all went");
}

Test(kernels, every_row_of_every_length)
{
    with_each(glance_all);
}

/* What stands behind the last row is read perhaps, and never taken. */
static void glance_tail(const phx_kernels *kernels, const char *name)
{
    phx_probe p = {.in = 100, .near = 100};
    uint32_t entered = 0, left = 0;
    for (uint32_t end = 1; end <= 40; end++) {
        for (uint32_t i = 0; i < ROWS + PAD; i++) {
            columns[0][i] = columns[1][i] = i < end ? 50 : 1;
            columns[2][i] = columns[3][i] = 50;
        }
        check_glance(kernels, name, 0, end, &p, &entered, &left);
    }
    cr_assert_eq(entered, 0);
}

Test(kernels, rows_behind_the_end_do_not_count)
{
    with_each(glance_tail);
}

static void find_all(const phx_kernels *kernels, const char *name)
{
    static uint32_t array[ROWS];
    uint64_t rng = 28;
    for (uint32_t count = 0; count <= ROWS; count++) { /* what stands behind the end is not to be found */
        for (uint32_t i = 0; i < ROWS; i++) array[i] = i < count ? 1000 + i : i == count ? 78 : 77;
        cr_assert_eq(kernels->find(array, count, 77), count, "%s: absent of %u", name, count);
        for (uint32_t at = 0; at < count; at++)
            cr_assert_eq(kernels->find(array, count, 1000 + at), at, "%s: %u of %u", name, at, count);
        if (count < 2) continue;
        uint32_t first = phx_rng_below(&rng, count), second = phx_rng_below(&rng, count);
        array[first] = array[second] = UINT32_MAX;
        cr_assert_eq(kernels->find(array, count, UINT32_MAX), first < second ? first : second, "the first of two");
    }
    cr_assert_eq(kernels->find(NULL, 0, 5), 0);
}

Test(kernels, finding_in_lists_of_any_length)
{
    with_each(find_all);
}

Test(kernels, what_is_chosen_is_supported)
{
    cr_assert(phx_simd_supported(PH_SIMD_PORTABLE));
    cr_assert_neq(phx_simd_choose(PH_SIMD_AUTO), PH_SIMD_AUTO);
    cr_assert(phx_simd_supported(phx_simd_choose(PH_SIMD_AUTO)));
    cr_assert_eq(phx_simd_choose(PH_SIMD_PORTABLE), PH_SIMD_PORTABLE);
}
