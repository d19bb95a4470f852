/*
 * Types of crowd control (ingest/crowd_control.h): the world's part, and each shard's part. Written in the ingest
 * phase, each part by one worker.
 */
#ifndef PHX_WORLD_STATE_CROWD_TYPES_H
#define PHX_WORLD_STATE_CROWD_TYPES_H

#include "base/core.h"
#include "base/idmap.h"
#include "shards/grid/block_table.h"

enum { PHX_CROWD_STEPS = 16 }; /* ticks after which a view is at its floor */

typedef struct phx_crowd_view_change {
    uint32_t slot;
    uint32_t step;
} phx_crowd_view_change;

/* Of a tower block in which entities are, or were lately. */
typedef struct phx_crowd_block {
    uint32_t instance;
    uint32_t bx, by;
    uint32_t all;                        /* its entities */
    uint32_t entities[PHX_BLOCK_TOWERS]; /* by tower */
} phx_crowd_block;

/* Entities by tower (ingest/crowd_counts.h). */
typedef struct phx_crowd_counts {
    phx_idmap places; /* key of a tower block's instance and place -> its number */
    phx_crowd_block *blocks;
    uint32_t count, capacity;
    phx_mem *mem; /* NULL: not made yet */
} phx_crowd_counts;

/* What a tower asks of the observers in it. */
typedef struct phx_crowd_tower {
    uint32_t entities; /* in it and around it: p */
    uint8_t up, down;  /* wanted(p), wanted(p * 1.25) */
} phx_crowd_tower;

/* One shard's part, written by its worker. */
typedef struct phx_crowd_control_shard {
    phx_crowd_counts counts; /* of own entities */
    phx_crowd_tower *towers; /* of the towers in `counts`, by place */
    uint32_t *place;         /* of an own slot's tower, in `towers`; of others any, or PHX_SLOT_NONE: in none yet */
    uint32_t towers_capacity, place_capacity;
    phx_crowd_view_change *changes;
    uint32_t change_count, changes_capacity;
    uint64_t most;  /* the largest p of an observer */
    uint64_t looks; /* at a tower block and the eight around it, since the world was made */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_crowd_control_shard;

typedef struct phx_crowd_result {
    phx_idmap shrunk;        /* id -> step << 32 | bits of the view by its attributes; step above 0 */
    phx_crowd_counts counts; /* of all shards, if there are several */
    phx_crowd_control_shard *shards;
    double share[PHX_CROWD_STEPS + 1], square[PHX_CROWD_STEPS + 1];
    uint32_t shard_at, change_at; /* applied so far */
    uint32_t incarnations;        /* the last incarnation given before this tick, or before a tick that was put off */
    bool put_off;                 /* the tick was finished without memory for a step of views: the next one does it */
    uint64_t most;                /* of the last tick */
    uint64_t narrowed, widened;   /* steps */
} phx_crowd_result;

#endif
