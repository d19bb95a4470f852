/*
 * shards/zones/areas.c: how far a point may go before it comes into an area, or out of it, by float32's own rule, near
 * borders, far from the origin and among sizes of all orders.
 */
#include "unit/shards/shard_case.h"

#include "shards/zones/areas.h"

TestSuite(areas, .init = memory_set_up, .fini = memory_tear_down);

static uint64_t rng;

static float between(float low, float high)
{
    return low + (high - low) * phx_rng_unit(&rng);
}

/* A triangle up to a hexagon. */
static void corners_around(ph_area *area, float size)
{
    const float turn = between(0, 6.2831853f);
    area->corner_count = 3 + phx_rng_below(&rng, 4);
    for (uint32_t i = 0; i < area->corner_count; i++) {
        const float angle = turn + 6.2831853f * (float)i / (float)area->corner_count;
        area->corners[i][0] = area->center[0] + size * cosf(angle);
        area->corners[i][1] = area->center[1] + size * sinf(angle) * 0.7f;
    }
}

static ph_area some_area(float far)
{
    /* float32 has hardly any numbers about the first, and no squares of the second, nor sums of squares of the last */
    static const float sizes[] = {2e-44f, 1e-23f, 1e-3f, 0.3f, 10, 777, 1e5f, 1.8e19f};
    const float size = sizes[phx_rng_below(&rng, 8)] * between(0.5f, 1);
    ph_area area = {.shape = (ph_area_shape)phx_rng_below(&rng, 3), .radius = size};
    if (size < 1e-40f) far = 0;
    area.center[0] = between(-far, far);
    area.center[1] = between(-far, far);
    for (int axis = 0; axis < 2; axis++) {
        area.low[axis] = area.center[axis] - size;
        area.high[axis] = area.center[axis] + size * between(0, 2);
    }
    corners_around(&area, size);
    return area;
}

/* Anywhere about it, or as near to its border as float32 has places. */
static void some_point(const ph_area *area, float *x, float *y)
{
    const float angle = between(0, 6.2831853f);
    const float along = phx_rng_below(&rng, 2) ? 1 + between(-2e-6f, 2e-6f) : between(0, 3);
    const uint32_t corner = phx_rng_below(&rng, area->corner_count), next = (corner + 1) % area->corner_count;
    *x = area->center[0] + area->radius * along * cosf(angle);
    *y = area->center[1] + area->radius * along * sinf(angle);
    if (area->shape != PH_AREA_POLYGON || phx_rng_below(&rng, 3) == 0) return;
    const float part = between(0, 1); /* of a side */
    *x = area->corners[corner][0] + part * (area->corners[next][0] - area->corners[corner][0]);
    *y = area->corners[corner][1] + part * (area->corners[next][1] - area->corners[corner][1]);
}

/* As far as float32 has it in a direction, but not farther than clear along either axis as a step is compared. */
static float step_to(float from, float safe_distance)
{
    float to = from + between(-1, 1) * safe_distance;
    if (phx_rng_below(&rng, 2)) to = from + (to < from ? -safe_distance : safe_distance);
    while (!(fabsf(to - from) <= safe_distance)) to = nextafterf(to, from);
    return to;
}

/* One step out of each of many places near many areas. Returns how many places were clear of all borders. */
static uint32_t steps_of(uint64_t seed, float far, uint32_t rounds)
{
    phx_areas table;
    const phx_rules rules = plain_rules(100, 12);
    uint32_t clear_count = 0;
    rng = seed;
    phx_areas_init(&table, &memory, &rules);
    for (uint32_t round = 0; round < rounds; round++) {
        const ph_area area = some_area(far);
        if (phx_areas_set(&table, 1, &area, NULL, 1) != PH_OK) cr_assert_fail("no memory");
        const phx_area_entry *entry = &table.at[0];
        for (int place = 0; place < 50; place++) {
            float x, y;
            some_point(&area, &x, &y);
            const float safe_distance = phx_area_safe_distance(entry, phx_area_has(entry, false, x, y), x, y);
            if (!(safe_distance > 0)) continue;
            clear_count++;
            for (int step = 0; step < 8; step++) {
                const float to_x = step_to(x, safe_distance), to_y = step_to(y, safe_distance);
                cr_assert_eq(phx_area_has(entry, false, x, y),
                             phx_area_has(entry, phx_area_has(entry, false, x, y), to_x, to_y),
                             "seed %lu, round %u, shape %d: from %a, %a to %a, %a", (unsigned long)seed, round,
                             (int)area.shape, (double)x, (double)y, (double)to_x, (double)to_y);
            }
        }
    }
    phx_areas_end_tick(&table);
    phx_areas_free(&table);
    return clear_count;
}

Test(areas, no_step_shorter_than_is_clear_changes_anything)
{
    cr_assert_gt(steps_of(1, 10, 4000), 4000 * 20);
    cr_assert_gt(steps_of(2, 3000, 4000), 4000 * 20);
    cr_assert_gt(steps_of(3, 1e6f, 4000), 4000 * 10);
    cr_assert_gt(steps_of(4, 0, 4000), 4000 * 20);
}

/* Where float32 has no number for how far off it is, nothing is known. */
Test(areas, a_distance_too_long_to_measure_is_not_safe)
{
    phx_areas table;
    const phx_rules rules = plain_rules(100, 12);
    const ph_area box = {.shape = PH_AREA_BOX, .low = {1e38f, -3e38f}, .high = {3e38f, 3e38f}};
    phx_areas_init(&table, &memory, &rules);
    cr_assert_eq(phx_areas_set(&table, 1, &box, NULL, 1), PH_OK);
    cr_assert_eq(phx_area_safe_distance(&table.at[0], false, -3e38f, 0), 0);
    cr_assert_gt(phx_area_safe_distance(&table.at[0], false, -1e38f, 0), 1.9e38f);
    phx_areas_end_tick(&table);
    phx_areas_free(&table);
}

/* It is worth having: of a place half way to a border most of that way is clear. */
Test(areas, most_of_the_way_is_clear)
{
    phx_areas table;
    const phx_rules rules = plain_rules(100, 12);
    const ph_area circle = {.shape = PH_AREA_CIRCLE, .center = {50, 50}, .radius = 20};
    const ph_area box = {.shape = PH_AREA_BOX, .low = {30, 30}, .high = {70, 70}};
    const ph_area square = {
        .shape = PH_AREA_POLYGON, .corner_count = 4, .corners = {{30, 30}, {70, 30}, {70, 70}, {30, 70}}};
    const ph_area all[] = {circle, box, square};
    phx_areas_init(&table, &memory, &rules);
    for (uint64_t i = 0; i < 3; i++) cr_assert_eq(phx_areas_set(&table, i + 1, &all[i], NULL, 3), PH_OK);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_gt(phx_area_safe_distance(&table.at[i], false, 40, 50), 7, "%u", i);
        cr_assert_leq(phx_area_safe_distance(&table.at[i], false, 40, 50), 10, "%u", i);
        cr_assert_gt(phx_area_safe_distance(&table.at[i], false, 10, 50), 19.9f, "%u", i);
        cr_assert_leq(phx_area_safe_distance(&table.at[i], false, 10, 50), 20, "%u", i);
    }
    cr_assert_gt(phx_area_safe_distance(&table.at[0], false, 33, 33), 2.8f, "in the circle's box, out of it");
    phx_areas_end_tick(&table);
    phx_areas_free(&table);
}

/* Several areas of one anchor: each is dropped from its chain, first, last and in the middle, and none is left over. */
Test(areas, follow_their_anchor_until_it_leaves)
{
    phx_areas table;
    const phx_rules rules = plain_rules(100, 12);
    const ph_area circle = {
        .shape = PH_AREA_CIRCLE, .flags = PH_AREA_FOLLOW, .follow = 9, .center = {1, 0}, .radius = 3};
    const ph_area other = {.shape = PH_AREA_CIRCLE, .flags = PH_AREA_FOLLOW, .follow = 8, .radius = 3};
    const phx_anchor_place here = {10, 20, 0, 0}, there = {90, 80, 0, 5};
    phx_areas_init(&table, &memory, &rules);
    for (uint64_t i = 1; i <= 4; i++) cr_assert_eq(phx_areas_set(&table, i, &circle, &here, 9), PH_OK);
    cr_assert_eq(phx_areas_set(&table, 5, &other, &here, 9), PH_OK);
    cr_assert_eq(phx_areas_remove(&table, 2), PH_OK);
    cr_assert_eq(phx_areas_set(&table, 1, &other, &here, 9), PH_OK, "it changes its anchor");
    phx_areas_end_tick(&table);
    for (uint32_t i = 0; i < table.follows.used; i++)
        if (table.follows.at[i].anchor == 9) phx_areas_follow(&table, i, &there);
    cr_assert_eq(table.change_count, 2);
    const phx_area_entry *moved = &table.at[table.changes[0].area];
    cr_assert(phx_area_has(moved, false, 94, 80) && !phx_area_has(moved, false, 94.1f, 80));
    cr_assert(phx_area_admits(moved, 5, 0, 0) && !phx_area_admits(moved, 0, 0, 0));
    phx_areas_anchor_left(&table, 9);
    cr_assert_eq(table.live_count, 2);
    phx_areas_anchor_left(&table, 9);
    cr_assert_eq(table.live_count, 2);
    phx_areas_anchor_left(&table, 8);
    cr_assert_eq(table.live_count, 0);
    cr_assert_eq(table.follows.count, 0);
    phx_areas_end_tick(&table);
    cr_assert_eq(phx_idmap_count(&table.cells), 0);
    phx_areas_free(&table);
}
