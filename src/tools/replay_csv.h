/*
 * --csv and --definition: a trace with the same events as an image and the journal behind it. The commands come from
 * the world that replays them, at the end of each apply and tick; the entities of the image come as capsules. Called by
 * replay_store.c and replay_run.c.
 */
#ifndef PHX_TOOLS_REPLAY_CSV_H
#define PHX_TOOLS_REPLAY_CSV_H

#include "tools/replay_tick.h"

/* The image was loaded. false = the run is over: failed. */
bool phx_replay_csv_open(phx_replay_state *replay);
/* Before the first record, if one comes at all: the entities of the image are written. false = failed. */
bool phx_replay_csv_begin(phx_replay_state *replay);
/* After a tick. false = the trace can not be written, or is too long. */
bool phx_replay_csv_tick(phx_replay_state *replay);
/* Before the world ends: its last rows, and the files get their names, if all is well. */
void phx_replay_csv_close(phx_replay_state *replay);

#endif
