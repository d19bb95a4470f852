/*
 * src/world/monitor/shown.h: the place of an entity in a view, and the view's cells.
 */
#include "unit/shards/shard_case.h"

#include "world/monitor/shown.h"

enum { PLACES = 65536, VIEWS = 200, POINTS = 200 };

static ph_monitor_view any_view(uint64_t *rng)
{
    ph_monitor_view view = {.x0 = float_between(rng, -1e5f, 1e5f), .y0 = float_between(rng, -1e3f, 1e3f)};
    view.x1 = view.x0 + float_between(rng, 1, 1e5f);
    view.y1 = view.y0 + float_between(rng, 0.5f, 1e3f);
    return view;
}

Test(shown, places_cover_the_view_in_its_order)
{
    uint64_t rng = 41;
    for (uint32_t v = 0; v < VIEWS; v++) {
        const ph_monitor_view view = any_view(&rng);
        const phx_shown shown = phx_shown_of(&view);
        cr_assert_eq(phx_shown_x(&shown, view.x0), 0);
        cr_assert_eq(phx_shown_y(&shown, view.y0), 0);
        cr_assert_eq(phx_shown_x(&shown, view.x1), PLACES - 1);
        cr_assert_eq(phx_shown_y(&shown, view.y1), PLACES - 1);
        for (uint32_t p = 0; p < POINTS; p++) {
            const float x = float_between(&rng, view.x0, view.x1);
            const double place = ((double)x - view.x0) / ((double)view.x1 - view.x0) * PLACES;
            cr_assert_leq(fabs(phx_shown_x(&shown, x) - place), 2, "x %a of [%a, %a]", x, view.x0, view.x1);
            cr_assert_geq(phx_shown_x(&shown, nextafterf(x, INFINITY)), phx_shown_x(&shown, x));
        }
    }
}

Test(shown, no_position_outside_leaves_the_range_of_a_place)
{
    const ph_monitor_view view = {.x0 = -10, .y0 = 5, .x1 = 20, .y1 = 6};
    const phx_shown shown = phx_shown_of(&view);
    const float far[] = {-FLT_MAX, -1e9f, -10.1f, FLT_MAX, 1e9f, 20.1f};
    for (int i = 0; i < 6; i++) cr_assert_eq(phx_shown_x(&shown, far[i]), i < 3 ? 0 : PLACES - 1);
}

Test(shown, every_cell_has_the_same_number_of_places)
{
    static uint32_t places[PH_MONITOR_CELLS * PH_MONITOR_CELLS];
    const uint32_t step = 64; /* of x and y */
    for (uint32_t y = 0; y < PLACES; y += step)
        for (uint32_t x = 0; x < PLACES; x += step) {
            const uint32_t cell = phx_shown_cell((uint16_t)x, (uint16_t)y);
            cr_assert_lt(cell, PH_MONITOR_CELLS * PH_MONITOR_CELLS);
            cr_assert_eq(cell % PH_MONITOR_CELLS, x * PH_MONITOR_CELLS / PLACES);
            places[cell]++;
        }
    for (uint32_t cell = 1; cell < PH_MONITOR_CELLS * PH_MONITOR_CELLS; cell++)
        cr_assert_eq(places[cell], places[0], "cell %u", cell);
}
