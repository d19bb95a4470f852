/*
 * Types of moves (ingest/moves.h): the runs of commands of a tick, and the runs that all workers share. Written in the
 * ingest phase.
 */
#ifndef PHX_WORLD_STATE_MOVE_TYPES_H
#define PHX_WORLD_STATE_MOVE_TYPES_H

#include <stdatomic.h>

#include "base/core.h"
#include "world/queue/command_queue.h"

/* A run of one producer's snapshot. */
typedef struct phx_producer_run {
    phx_command_run commands;
    uint32_t producer;
    uint32_t reserved;
    size_t record_at; /* its first byte in the record of a journal */
} phx_producer_run;

/* A stretch of moves that all workers share. */
typedef struct phx_move_span {
    uint32_t first, end;    /* of world->runs */
    uint64_t commands;      /* in these runs; valid until the next stretch */
    _Atomic uint64_t *left; /* bit i % 64 of word i / 64 of a run's words: move i is left to the ticking thread */
    uint32_t left_capacity;
} phx_move_span;

#endif
