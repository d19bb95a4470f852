/*
 * A replay: a trace run through a world of its own, tick by tick, all events counted,
 * hashed and (if asked for) written. Called by the program pharos-replay; prints errors of
 * the input on stderr.
 */
#ifndef PHX_TOOLS_REPLAY_RUN_H
#define PHX_TOOLS_REPLAY_RUN_H

#include "base/mem.h"
#include "tools/replay_job.h"

/* Returns the exit status of the program; on PHX_EXIT_OK *summary is filled and the events file is there. */
int phx_run_replay(phx_mem *mem, const phx_replay_job *job, phx_replay_summary *summary);

#endif
