/*
 * src/view/spread.c: in how many parts a page's points are renewed, on frames with made costs: few enough for the view,
 * many enough for the ticks; it comes to rest, follows a world that gets dearer, is not moved by a pause, and begins
 * anew with a view of other points.
 */
#include <stdio.h>

#include "support/check.h"
#include "view/spread.h"

enum { EVERY = 2, LONG = 400, ALL_SLOTS = 1 << 20 };

/* A frame costs `fixed`, and `points` by parts. */
typedef struct costs {
    uint64_t fixed, points, tick;
    uint32_t slots;
} costs;

/* The parts that a monitor has by default: pharos/monitor.h. */
static uint32_t default_parts(uint32_t slots)
{
    uint32_t parts = PH_MONITOR_SPREAD_MAX;
    while (parts > 1 && slots / parts < PH_MONITOR_PART_SLOTS) parts /= 2;
    return parts;
}

/* The parts after many frames; *changes: how often they changed in the second half of them. */
static uint32_t rest(phx_spread *spread, uint32_t parts, const costs *c, uint32_t *changes)
{
    uint64_t last_fill = 0;
    ph_monitor_frame frame = {.tick = spread->tick, .tick_ns = c->tick};
    frame.points.slot_count = c->slots;
    *changes = 0;
    for (uint32_t i = 0; i < LONG; i++) {
        frame.tick += EVERY;
        frame.fill_ns = last_fill;
        frame.view.spread = parts > 0 ? parts : default_parts(c->slots);
        last_fill = c->fixed + c->points / frame.view.spread;
        const uint32_t next = phx_spread_next(spread, parts, &frame);
        CHECK(next >= 1 && next <= PH_MONITOR_SPREAD_MAX && (next & (next - 1)) == 0, "%u parts", next);
        if (next != frame.view.spread) last_fill = c->fixed + c->points; /* all of them are renewed */
        if (next != parts && i >= LONG / 2) ++*changes;
        CHECK(i > 0 || next == frame.view.spread, "%u parts at first", next);
        parts = next;
    }
    return parts;
}

static void comes_to_rest(const costs *c, uint32_t right, const char *what)
{
    phx_spread spread = {0};
    uint32_t changes;
    const uint32_t parts = rest(&spread, 0, c, &changes);
    CHECK(parts == right && changes == 0, "%s: %u parts, %u changes", what, parts, changes);
}

/* A page learns on few points, and then shows many: its frames are in the default's parts at once. */
static void begins_anew(void)
{
    const costs few = {10000, 20000, 5000000, ALL_SLOTS}, many = {10000, 7000000, 55000000, ALL_SLOTS};
    ph_monitor_view view = {0}, wanted = {.x1 = 10, .y1 = 10, .points_max = 1000};
    const ph_monitor_view learned[] = {{.x1 = 11, .y1 = 10, .points_max = 1000},
                                       {.x1 = 10, .y1 = 10, .instance = 1, .points_max = 1000},
                                       {.x1 = 10, .y1 = 10, .flags = PH_MONITOR_GRID, .points_max = 1000},
                                       {.x1 = 10, .y1 = 10, .points_max = 2000}};
    phx_spread spread = {0};
    uint32_t changes;
    for (uint32_t i = 0; i < sizeof learned / sizeof *learned; i++) {
        phx_spread_watch(&spread, &view, &wanted);
        view.spread = rest(&spread, view.spread, &few, &changes);
        CHECK(view.spread == 1, "%u parts of few points", view.spread);
        const ph_monitor_frame late = {.tick = spread.tick + EVERY, .view.spread = 1, .tick_ns = 5000000};
        wanted.focus = i + 7; /* the same points */
        phx_spread_watch(&spread, &view, &wanted);
        CHECK(view.spread == 1 && view.focus == i + 7 && spread.tick != 0, "%u parts of the same view", view.spread);
        phx_spread_watch(&spread, &view, &learned[i]);
        CHECK(view.spread == 0 && view.x1 == learned[i].x1, "%u parts of another view", view.spread);
        CHECK(phx_spread_next(&spread, view.spread, &late) == 1, "a frame of the view before decides");
        const uint32_t parts = rest(&spread, view.spread, &many, &changes);
        CHECK(parts == 8 && changes == 0, "%u parts of many points", parts);
        view = wanted;
    }
}

int main(void)
{
    uint32_t changes;
    comes_to_rest(&(costs){10000, 50000, 5000000, ALL_SLOTS}, 1, "a dear tick");
    comes_to_rest(&(costs){10000, 250000, 2670000, 125000}, 8, "a hundred thousand that walk");
    comes_to_rest(&(costs){10000, 7000000, 55000000, ALL_SLOTS}, 8, "a million that walk");
    comes_to_rest(&(costs){10000, 900000, 100000, ALL_SLOTS}, PH_MONITOR_SPREAD_MAX, "a million that rest");
    comes_to_rest(&(costs){10000, 900000, 100000, 65536}, 8, "parts that are not too small");
    comes_to_rest(&(costs){10000, 2000, 20000, 2000}, 1, "a small world");
    /* dearer frames, and cheap ones again */
    phx_spread spread = {0};
    const costs cheap = {10000, 50000, 5000000, ALL_SLOTS}, dear = {10000, 1000000, 5000000, ALL_SLOTS};
    uint32_t parts = rest(&spread, 1, &cheap, &changes);
    parts = rest(&spread, parts, &dear, &changes);
    CHECK(parts == 8, "%u parts of a dearer frame", parts);
    for (uint32_t i = 0; i < LONG; i++) { /* a pause: the same tick, filled anew */
        const ph_monitor_frame frame = {.tick = spread.tick, .fill_ns = 1, .tick_ns = 1000000};
        CHECK(phx_spread_next(&spread, parts, &frame) == parts, "a pause changes the parts");
    }
    parts = rest(&spread, parts, &cheap, &changes);
    CHECK(parts == 1 && changes == 0, "%u parts of a cheaper frame", parts);
    begins_anew();
    return check_done("view_spread");
}
