/*
 * Parts of a page's points; see spread.h.
 */
#include "view/spread.h"

enum {
    SETTLE = 3,  /* frames that do not count: the first one in other parts renews all, and the next one says so */
    DECIDES = 16 /* frames that do */
};

static uint32_t most_parts(const ph_monitor_frame *frame)
{
    uint32_t most = 1;
    while (most < PH_MONITOR_SPREAD_MAX && frame->points.slot_count / (2 * most) >= PH_MONITOR_PART_SLOTS) most *= 2;
    return most;
}

static uint32_t decide(double share, uint32_t now, uint32_t most)
{
    static const double LESS = 0.8; /* of the bound: with half of the parts it should stay below it */
    if (now > most) return most;
    if (share > PHX_SPREAD_SHARE && now < most) return 2 * now;
    return now > 1 && 2 * share < LESS * PHX_SPREAD_SHARE ? now / 2 : now;
}

uint32_t phx_spread_next(phx_spread *spread, uint32_t now, const ph_monitor_frame *frame)
{
    const bool follows = spread->tick != 0 && frame->tick > spread->tick; /* no pause */
    if (now == 0) now = frame->view.spread > 0 ? frame->view.spread : 1;
    spread->tick = frame->tick;
    if (!follows) return now;
    spread->frames++;
    if (spread->frames <= SETTLE) return now;
    spread->fill_ns += (double)frame->fill_ns;
    spread->tick_ns += (double)frame->tick_ns;
    if (spread->frames < SETTLE + DECIDES) return now;
    const uint32_t next = spread->tick_ns > 0 ? decide(spread->fill_ns / spread->tick_ns, now, most_parts(frame)) : now;
    *spread = (phx_spread){.tick = frame->tick, .frames = next == now ? SETTLE : 0};
    return next;
}

static bool shows_others(const ph_monitor_view *a, const ph_monitor_view *b)
{
    return a->x0 != b->x0 || a->y0 != b->y0 || a->x1 != b->x1 || a->y1 != b->y1 || a->instance != b->instance ||
           a->flags != b->flags || a->points_max != b->points_max;
}

void phx_spread_watch(phx_spread *spread, ph_monitor_view *view, const ph_monitor_view *wanted)
{
    const bool others = shows_others(view, wanted);
    const uint32_t parts = others ? 0 : view->spread;
    if (others) *spread = (phx_spread){0};
    *view = *wanted;
    view->spread = parts;
}
