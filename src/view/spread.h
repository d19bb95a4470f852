/*
 * In how many parts a page's points are renewed: as few as keep a frame to PHX_SPREAD_SHARE of the tick that fills it.
 * By the server's thread, for each frame that it takes.
 */
#ifndef PHX_VIEW_SPREAD_H
#define PHX_VIEW_SPREAD_H

#include <pharos/monitor.h>
#include <stdbool.h>

static const double PHX_SPREAD_SHARE = 0.03; /* of the tick's time */

/* Frames since the parts were decided on, and their sums. */
typedef struct phx_spread {
    uint64_t tick; /* of the last frame; 0 = none */
    uint32_t frames;
    double fill_ns, tick_ns;
} phx_spread;

/* The parts for the next frames, 1 to PH_MONITOR_SPREAD_MAX: `now`, 0 = the default as it counted, until some frames
   have told what they cost. */
uint32_t phx_spread_next(phx_spread *spread, uint32_t now, const ph_monitor_frame *frame);

/* Takes over the wanted view. Its points are in the parts of the ones before; in the default, if it may show other
   points: so a page that had few fills no large parts once it has many. */
void phx_spread_watch(phx_spread *spread, ph_monitor_view *view, const ph_monitor_view *wanted);

#endif
