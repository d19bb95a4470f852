/*
 * Sets of regions: their rectangles, and the regions around one.
 */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "cluster/halo/region_set.h"

enum { SEEDS = 400, SIDE_MAX = 64 };

static phx_region_grid draw_grid(uint64_t *rng)
{
    const uint32_t columns = 1 + phx_rng_below(rng, SIDE_MAX), rows = 1 + phx_rng_below(rng, SIDE_MAX);
    return (phx_region_grid){.origin = {-30, 700},
                             .size = {1 + (float)phx_rng_below(rng, 9000), 1 + (float)phx_rng_below(rng, 9000)},
                             .columns = columns,
                             .rows = rows};
}

/* One in so many regions is out of it. */
static phx_region_set draw_set(uint64_t *rng, const phx_region_grid *grid, uint32_t *outside)
{
    phx_region_set set = {0};
    const uint32_t one_in = 1 + phx_rng_below(rng, 40);
    *outside = 0;
    for (uint32_t i = 0; i < grid->columns * grid->rows; i++) {
        if (phx_rng_below(rng, one_in) == 0) ++*outside;
        else phx_region_set_add(&set, i);
    }
    return set;
}

Test(region_set, its_rectangles_are_all_of_it_and_few)
{
    uint64_t rng = 7;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        const phx_region_grid grid = draw_grid(&rng);
        phx_region_rect rect;
        uint32_t outside, count = 0, regions = 0;
        const phx_region_set set = draw_set(&rng, &grid, &outside);
        phx_region_set left = set, taken = {0};
        while (phx_region_set_take(&left, &grid, &rect)) {
            count++;
            for (uint32_t i = 0; i < rect.columns * rect.rows; i++, regions++) {
                const uint32_t row = rect.row + i / rect.columns, column = rect.column + i % rect.columns;
                cr_assert(row < grid.rows && column < grid.columns);
                cr_assert(!phx_region_set_has(&taken, row * grid.columns + column), "seed %u: taken twice", seed);
                phx_region_set_add(&taken, row * grid.columns + column);
            }
        }
        cr_assert_arr_eq(taken.words, set.words, sizeof set.words, "seed %u", seed);
        cr_assert_eq(regions, phx_region_set_count(&set));
        cr_assert_leq(count, grid.rows + outside, "seed %u", seed);
    }
}

Test(region_set, the_first_one_from_a_region_on)
{
    phx_region_set set = {0};
    cr_assert_eq(phx_region_set_next(&set, 0), PHX_CLUSTER_REGIONS_MAX);
    phx_region_set_add(&set, 5);
    phx_region_set_add(&set, 64);
    phx_region_set_add(&set, PHX_CLUSTER_REGIONS_MAX - 1);
    cr_assert_eq(phx_region_set_next(&set, 0), 5);
    cr_assert_eq(phx_region_set_next(&set, 5), 5);
    cr_assert_eq(phx_region_set_next(&set, 6), 64);
    cr_assert_eq(phx_region_set_next(&set, 65), PHX_CLUSTER_REGIONS_MAX - 1);
    cr_assert_eq(phx_region_set_next(&set, PHX_CLUSTER_REGIONS_MAX), PHX_CLUSTER_REGIONS_MAX);
}

static bool is_in_box(const ph_query *box, const float place[2])
{
    return place[0] >= box->x && place[0] <= box->to_x && place[1] >= box->y && place[1] <= box->to_y;
}

/* A place on a border of regions, or so far from one, or any, also outside of the grid. */
static float draw_place(uint64_t *rng, const phx_region_grid *grid, uint32_t axis, float width)
{
    const uint32_t cells = axis == 0 ? grid->columns : grid->rows;
    const float side = grid->size[axis] / (float)cells;
    const float border = grid->origin[axis] + side * (float)phx_rng_below(rng, cells + 1);
    const float any = grid->origin[axis] + grid->size[axis] * ((float)phx_rng_below(rng, 1500) / 1000.0f - 0.25f);
    const float places[] = {border, border - width, border + width, any};
    return places[phx_rng_below(rng, 4)];
}

Test(region_set, what_is_near_a_region_is_in_one_around_it)
{
    enum { PLACES = 40 };
    uint64_t rng = 9, near = 0;
    for (uint32_t seed = 0; seed < SEEDS / 4; seed++) {
        const phx_region_grid grid = draw_grid(&rng);
        const float width = (float)(1 + phx_rng_below(&rng, 400)) * grid.size[0] / (100.0f * (float)grid.columns);
        for (uint32_t i = 0; i < PLACES; i++) {
            const float place[] = {draw_place(&rng, &grid, 0, width), draw_place(&rng, &grid, 1, width)};
            phx_region_set around = {0};
            phx_region_set_add_around(&around, &grid, phx_halo_region(&grid, place[0], place[1]), width);
            for (uint32_t region = 0; region < grid.columns * grid.rows; region++) {
                const ph_query box = phx_halo_box(&grid, phx_halo_rect_of(&grid, region), width);
                if (!is_in_box(&box, place)) continue;
                near++;
                cr_assert(phx_region_set_has(&around, region), "seed %u: %g %g and region %u", seed, (double)place[0],
                          (double)place[1], region);
            }
        }
    }
    cr_assert_gt(near, SEEDS * PLACES / 4);
}

/* All that is in the box of a rectangle is in one of its regions', and the other way round. */
Test(region_set, the_box_of_a_rectangle_is_that_of_its_regions)
{
    enum { PLACES = 200 };
    uint64_t rng = 11;
    for (uint32_t seed = 0; seed < SEEDS / 4; seed++) {
        const phx_region_grid grid = draw_grid(&rng);
        const float width = (float)phx_rng_below(&rng, 300);
        phx_region_rect rect = {.column = phx_rng_below(&rng, grid.columns), .row = phx_rng_below(&rng, grid.rows)};
        rect.columns = 1 + phx_rng_below(&rng, grid.columns - rect.column);
        rect.rows = 1 + phx_rng_below(&rng, grid.rows - rect.row);
        const ph_query whole = phx_halo_box(&grid, rect, width);
        for (uint32_t i = 0; i < PLACES; i++) {
            const float place[] = {draw_place(&rng, &grid, 0, width), draw_place(&rng, &grid, 1, width)};
            bool in_one = false;
            for (uint32_t k = 0; k < rect.columns * rect.rows && !in_one; k++) {
                const uint32_t row = rect.row + k / rect.columns, column = rect.column + k % rect.columns;
                const phx_region_rect one = {.column = column, .row = row, .columns = 1, .rows = 1};
                const ph_query box = phx_halo_box(&grid, one, width);
                in_one = is_in_box(&box, place);
            }
            cr_assert(!in_one || is_in_box(&whole, place), "seed %u: %g %g", seed, (double)place[0], (double)place[1]);
            cr_assert(in_one || width == 0.0f || !is_in_box(&whole, place), "seed %u",
                      seed); /* 0: gaps of a rounding */
        }
    }
}
