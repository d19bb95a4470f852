/*
 * How a recorded world goes to a tick, back and forth, and what a changed live key does to the way back: the same for
 * a trace (view_trace.c) and a store (view_store.c). Called by view.c and view_run.c, between ticks.
 */
#ifndef PHX_TOOLS_VIEW_SEEK_H
#define PHX_TOOLS_VIEW_SEEK_H

#include "tools/view_source.h"

/* Goes to the end of a tick, or to the nearest one that is recorded: there may be another world then. Nothing may use
   the one before meanwhile. */
bool phx_view_seek(phx_view_source *source, uint64_t tick);

/* A live key was changed in the present tick: from here on the world is not the recorded one, until a seek to before.
 */
void phx_view_note_change(phx_view_source *source);

#endif
