/*
 * Many moves in one call: input, sums, and the state of entities whose moves are common. In the ingest
 * phase, for the ticking thread or the worker of the ids.
 */
#ifndef PHX_SHARDS_INGEST_MOVE_BATCH_H
#define PHX_SHARDS_INGEST_MOVE_BATCH_H

#include "shards/entity/entity_store.h"

/* Sums of the moves that phx_shards_move() applied to one shard; of the longest ones: a vector. */
typedef struct phx_move_stats {
    float step_max[2]; /* longest step along x and along y; or the longer one in either */
    float rise_max;    /* longest rise or fall */
    float step2_max;   /* square of the longest step in the ground plane */
    uint32_t moved;
    float step2_sum; /* of the squares of all steps in the ground plane */
} phx_move_stats;

/* A move of an entity is common only if these bits of its state have this value; a kernel's are all outside or none. */
enum {
    PHX_MOVE_COMMON = PHX_SLOT_OWN | PHX_SLOT_ROW,
    PHX_MOVE_COMMON_BITS = PHX_MOVE_COMMON | PHX_SLOT_FAR | PHX_SLOT_MOVES_GENERAL,
    PHX_MOVE_KERNEL_BITS = PHX_MOVE_COMMON_BITS | PHX_SLOT_OUTSIDE
};

/* Moves of entities of several shards. A number in places[] that is no shard's is skipped. */
typedef struct phx_move_batch {
    const uint32_t *places, *slots;
    bool mixed; /* places[] has more than one shard */
    const phx_place *to;
    const float *z; /* NULL: every z is 0 */
    uint32_t count;
} phx_move_batch;

#endif
