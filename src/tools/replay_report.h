/*
 * The summary of a replay, for people and as JSON. Called by the program pharos-replay
 * at its end.
 */
#ifndef PHX_TOOLS_REPLAY_REPORT_H
#define PHX_TOOLS_REPLAY_REPORT_H

#include <stdio.h>

#include "tools/replay_run.h"

void phx_replay_report_text(FILE *out, const phx_replay_job *job, const phx_replay_summary *summary);

/* One object on one line. Counts and ids are whole numbers, times have their unit in the key. */
void phx_replay_report_json(FILE *out, const phx_replay_job *job, const phx_replay_summary *summary);

#endif
