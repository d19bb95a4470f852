/*
 * Moves that a producer submitted one by one take the form of a bulk call: runs of one move each, one behind the other,
 * become one run with columns, where they are. So one way applies both. By the ticking thread, in the ingest phase,
 * as it collects runs.
 */
#ifndef PHX_WORLD_QUEUE_JOIN_MOVES_H
#define PHX_WORLD_QUEUE_JOIN_MOVES_H

#include "world/queue/command_queue.h"

/* Joins the run that phx_command_queue_next() just gave with those behind it, if it is a single move. */
void phx_join_moves(phx_command_queue *queue, phx_command_run *run);

#endif
