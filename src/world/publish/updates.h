/*
 * The updates of a tick (the rule is at ph_update), once its lists stand: all workers look after the observers of every
 * shard where anything may be due (shards/publish/band_updates.h), up to 256 places of a block at a time; who waits is
 * put down by shard; news (batch/batch_updates.h) of every consumer's observers go into its batch. Nothing of it runs
 * in a world without bands.
 */
#ifndef PHX_WORLD_PUBLISH_UPDATES_H
#define PHX_WORLD_PUBLISH_UPDATES_H

#include "shards/publish/band_updates.h"
#include "shards/publish/broadcast_audience.h"
#include "world/batch/batch_updates.h"

struct phx_world;

/* The observers of one consumer in one piece. */
typedef struct phx_update_group {
    uint32_t consumer;
    uint32_t notice_first, notice_count; /* in the lookout's notices[] */
    uint32_t due_first, due_count;       /* likewise */
    uint32_t target_first, target_count;
    phx_batch_updates_size at; /* where its part of the consumer's news begins */
} phx_update_group;

/* Some places of one block. */
typedef struct phx_update_piece {
    uint32_t shard, block;
    uint32_t first, count;             /* places */
    uint32_t worker;                   /* whose lookout has the results; PHX_SLOT_NONE = not done */
    uint32_t group_first, group_count; /* of that worker's */
    uint64_t ns;                       /* its workers' time */
} phx_update_piece;

/* One worker's. */
typedef struct phx_update_worker {
    phx_update_scratch lookout;
    phx_update_group *groups;
    uint32_t group_count, groups_capacity;
    uint64_t held; /* since the world was made: times that an update had to wait */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_update_worker; /* written all the time, side by side with others' */

typedef struct phx_updates {
    phx_update_worker *workers;
    phx_update_piece *pieces;
    uint32_t piece_count, pieces_capacity;
    phx_batch_updates_size *sizes; /* [consumer]: of this tick, once planned */
} phx_updates;

/* Does some class have bands, and is there a consumer to tell? */
bool phx_def_banded(const ph_world_def *def);
/* Has a class of the first definition other bands in the second one? */
bool phx_bands_differ(const ph_world_def *before, const ph_world_def *after);

/* false = no memory; to be freed in any case. */
bool phx_updates_init(struct phx_world *world);
void phx_updates_free(struct phx_world *world);

/* Is there anybody to be told, of whom? Else none of the following is called in this tick. */
bool phx_updates_due(const struct phx_world *world);
/* Where everybody of one shard is, and was. */
bool phx_step_strides(struct phx_world *world, uint32_t shard);
/* Cuts the shards into pieces, and tells them what entered whose list. false = no memory: call again, as all below. */
bool phx_updates_plan(struct phx_world *world);
/* Looks after the observers of the pieces that are undone. */
bool phx_updates_look(struct phx_world *world);
/* What waits in one shard. */
bool phx_step_defer_updates(struct phx_world *world, uint32_t shard);
/* Gives every group its place in its consumer's news: sizes. */
bool phx_updates_place(struct phx_world *world);
/* The same for one consumer, some of whose observers were set aside: these get nothing. */
void phx_updates_replace(struct phx_world *world, uint32_t consumer);
/* Into world->batches, whose news have those sizes. */
void phx_updates_fill(struct phx_world *world);

#endif
