/*
 * The run of pharos-view: ticks a source at its pace, obeys the page's requests between ticks, and tells the page.
 */
#ifndef PHX_TOOLS_VIEW_RUN_H
#define PHX_TOOLS_VIEW_RUN_H

#include <pharos/view.h>
#include <signal.h>

#include "tools/view_source.h"

typedef struct phx_view_run {
    phx_view_source *source;
    ph_view *view;
    bool replay; /* a recorded world */
    bool paused;
    double speed;
    uint32_t tick_ms; /* of one tick at speed 1 */
} phx_view_run;

/* Until *stopped is set. Returns the exit status of the program. */
int phx_view_run_all(phx_view_run *run, const volatile sig_atomic_t *stopped);

#endif
