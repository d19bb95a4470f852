/*
 * Many moves in one call: what goes in, what is added up, and the state of an entity whose moves the kernel may do.
 */
#ifndef PHX_SHARDS_INGEST_MOVE_BATCH_H
#define PHX_SHARDS_INGEST_MOVE_BATCH_H

#include "shards/entity/entity_store.h"

/* What phx_shards_move() did to one shard as a whole; a vector. */
typedef struct phx_move_stats {
    float step_max[2]; /* along x and along y; or the longer one in either */
    float step2_max;   /* the square of the longest as it is */
    uint32_t moved;
} phx_move_stats;

/* State of an entity whose moves may be of the common kind: these bits of it are those. */
enum {
    PHX_MOVE_PLAIN = PHX_SLOT_OWN | PHX_SLOT_ROW,
    PHX_MOVE_PLAIN_BITS = PHX_MOVE_PLAIN | PHX_SLOT_FAR | PHX_SLOT_MOVES_GENERAL
};

/* Moves of several shards. A place that is no shard's index is nowhere. */
typedef struct phx_move_batch {
    const uint32_t *places, *slots;
    bool mixed; /* not all places are the same */
    const phx_place *to;
    const float *z; /* NULL: all are 0 */
    uint32_t count;
} phx_move_batch;

#endif
