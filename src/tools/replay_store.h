/*
 * The parts of a replay that need a store: an image and the records behind it in place of a trace; images of the world
 * while it runs; a journal of a trace. Without pharos_store, replay_no_store.c refuses them. Called by replay_run.c;
 * false = the run is over: failed.
 */
#ifndef PHX_TOOLS_REPLAY_STORE_H
#define PHX_TOOLS_REPLAY_STORE_H

#include "tools/replay_tick.h"

/* Makes the world of job->trace_path, an image. */
bool phx_replay_image_load(phx_replay_state *replay);
/* Runs the records behind it. */
void phx_replay_image_run(phx_replay_state *replay);

/* Opens the store of job->record_path, if there is one. */
bool phx_replay_record_open(phx_replay_state *replay);
/* Behind a tick of the trace: waits until the disk has kept up. */
bool phx_replay_record_tick(phx_replay_state *replay);

/* Ends both; before the world does. */
void phx_replay_store_close(phx_replay_state *replay);

#endif
