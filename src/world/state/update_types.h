/*
 * Types of updates by distance band (publish/updates.h): pieces of work, and the results of each worker. Written in the
 * publish phase.
 */
#ifndef PHX_WORLD_STATE_UPDATE_TYPES_H
#define PHX_WORLD_STATE_UPDATE_TYPES_H

#include "base/core.h"
#include "shards/publish/band_updates.h"
#include "world/batch/batch_updates.h"

/* The observers of one consumer in one piece. */
typedef struct phx_update_group {
    uint32_t consumer;
    uint32_t observer_first, observer_count; /* in the scratch's observers[] */
    uint32_t due_first, due_count;           /* in the scratch's due[] */
    uint32_t update_at, due_at;              /* where its part of the consumer's updates begins */
} phx_update_group;

/* The targets that one consumer is told of in one shard (publish/moved_tables.h). */
typedef struct phx_moved_table {
    uint8_t *marks;  /* by item: it is due for an observer; once counted, how many before it in its stretch are */
    uint32_t *first; /* by stretch: how many items before it are marked; and one behind the last stretch */
    uint32_t marks_capacity, first_capacity;
    uint32_t parts; /* of the marks, each by one worker at a time; places are in the first one */
    uint32_t items; /* in this tick; 0 = the consumer has no updates in this shard */
    uint32_t count; /* of marked ones */
    uint32_t at;    /* where they begin in the consumer's batch */
} phx_moved_table;

/* Some places of one block. */
typedef struct phx_update_piece {
    uint32_t shard, block;
    uint32_t first, count;             /* places */
    uint32_t number;                   /* among the pieces of its shard */
    uint32_t worker;                   /* worker with the results in its scratch; PHX_SLOT_NONE = not done */
    uint32_t group_first, group_count; /* of that worker's groups */
    uint64_t ns;                       /* its workers' time */
} phx_update_piece;

/* The pieces of one shard, side by side. */
typedef struct phx_shard_pieces {
    uint32_t first, count;
} phx_shard_pieces;

/* One worker's part. */
typedef struct phx_update_worker {
    phx_update_scratch update_scratch;
    phx_update_group *groups;
    uint32_t group_count, groups_capacity;
    uint64_t held; /* since the world was made: deferred updates, counted each tick */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_update_worker; /* written all the time, beside other workers' parts */

typedef struct phx_updates {
    phx_update_worker *workers;
    phx_update_piece *pieces;
    uint32_t piece_count, pieces_capacity;
    phx_batch_updates_size *sizes;  /* [consumer]: sizes of this tick, once planned */
    phx_moved_table *tables;        /* [shard * consumers + consumer] */
    phx_shard_pieces *shard_pieces; /* [shard] */
    uint32_t parts;                 /* of each table */
    uint32_t bands_most;            /* of a class */
} phx_updates;

#endif
