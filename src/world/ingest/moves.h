/*
 * Moves, which are most of what a world is told: looked up in the directory and applied
 * many at once, by the ticking thread, or, when a stretch of them is long, by all workers,
 * whatever the shards: each takes the moves of the ids that are its own, so that no two
 * write one entity, and the order per entity is kept. What is not of the common kind, and
 * what concerns a shard as a whole, is left to the ticking thread. In the ingest phase,
 * called by ingest.c.
 */
#ifndef PHX_WORLD_INGEST_MOVES_H
#define PHX_WORLD_INGEST_MOVES_H

#include "shards/state/shard.h"
#include "world/queue/command_queue.h"

struct phx_world;

/*
 * With less moves than these, waiting for the workers to wake and carrying bodies between processors costs what it
 * saves; with less than the others, it is no use waking them for later stages: moves take less time than that.
 */
enum { PHX_MOVES_WORTH_SHARING = 16384, PHX_MOVES_WORTH_ROUSING = 8192 };

/* A run of one producer's snapshot. */
typedef struct phx_command_run {
    phx_cmd_run commands;
    uint32_t producer;
    uint32_t reserved;
} phx_command_run;

/* The runs of moves that are shared out. */
typedef struct phx_move_span {
    uint32_t first, end;    /* of world->runs */
    uint64_t commands;      /* in them; stays until the next one */
    bool shared;            /* all workers are through with it */
    _Atomic uint64_t *left; /* bit i % 64 of word i / 64 of a run's words: the i-th is left to the ticking thread */
    uint32_t left_capacity;
    uint32_t run, word; /* the ticking thread got this far: run and first word of its */
} phx_move_span;

/* false = no memory. */
bool phx_moves_init(struct phx_world *world);
void phx_moves_free(struct phx_world *world);

/* Applies a run of moves. */
void phx_moves_apply(struct phx_world *world, const phx_command_run *run);

/* Applies the runs [first, end) by all workers. false = no memory: call again with the same range. */
bool phx_moves_share(struct phx_world *world, uint32_t first, uint32_t end);

/* All commands of the tick are applied: the shards are told what the moves did to them as a whole. */
void phx_moves_report(struct phx_world *world);

#endif
