/*
 * Types of crowd control (ingest/crowd_control.h): the world's part, and each shard's part. Written in the ingest
 * phase, each part by one worker.
 */
#ifndef PHX_WORLD_STATE_CROWD_TYPES_H
#define PHX_WORLD_STATE_CROWD_TYPES_H

#include "base/core.h"
#include "base/idmap.h"

enum { PHX_CROWD_STEPS = 16 }; /* ticks after which a view is at its floor */

typedef struct phx_crowd_view_change {
    uint32_t slot;
    uint32_t step;
} phx_crowd_view_change;

/* One shard's part, written by its worker. */
typedef struct phx_crowd_control_shard {
    phx_idmap towers; /* (instance << 32 | ty << 16 | tx) + 1 -> own entities there */
    phx_crowd_view_change *changes;
    uint32_t change_count, changes_capacity;
    uint64_t most; /* the largest p of an observer */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_crowd_control_shard;

typedef struct phx_crowd_result {
    phx_idmap shrunk; /* id -> step << 32 | bits of the view by its attributes; step above 0 */
    phx_idmap towers; /* of all shards, if there are several */
    phx_crowd_control_shard *shards;
    double share[PHX_CROWD_STEPS + 1], square[PHX_CROWD_STEPS + 1];
    uint32_t shard_at, change_at; /* applied so far */
    uint32_t incarnations;        /* the last incarnation given before this tick, or before a tick that was put off */
    bool put_off;                 /* the tick was finished without memory for a step of views: the next one does it */
    uint64_t most;                /* of the last tick */
    uint64_t narrowed, widened;   /* steps */
} phx_crowd_result;

#endif
