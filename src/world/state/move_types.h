/*
 * Types of moves (ingest/moves.h): the runs of commands of a tick, and those that are shared out.
 */
#ifndef PHX_WORLD_STATE_MOVE_TYPES_H
#define PHX_WORLD_STATE_MOVE_TYPES_H

#include <stdatomic.h>

#include "base/core.h"
#include "world/queue/command_queue.h"

/* A run of one producer's snapshot. */
typedef struct phx_command_run {
    phx_cmd_run commands;
    uint32_t producer;
    uint32_t reserved;
} phx_command_run;

/* The runs of moves that are shared out. */
typedef struct phx_move_span {
    uint32_t first, end;    /* of world->runs */
    uint64_t commands;      /* in them */
    _Atomic uint64_t *left; /* bit i % 64 of word i / 64 of a run's words: the i-th is left to the ticking thread */
    uint32_t left_capacity;
} phx_move_span;

#endif
