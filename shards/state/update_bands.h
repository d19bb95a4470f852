/*
 * Memory of updates by distance band, of one shard: per slot the motion history, and the deferred updates of an own
 * observer; per item (simd/due_search.h) the motion sample of this tick. Owned by the shard's owner;
 * publish/band_updates.h has the rule and every write, from the exchange phase to the tick's end.
 */
#ifndef PHX_SHARDS_STATE_UPDATE_BANDS_H
#define PHX_SHARDS_STATE_UPDATE_BANDS_H

#include "shards/entity/list_pool.h"
#include "shards/simd/kernels.h"
#include "shards/state/records.h"

typedef struct phx_motion_history {
    float x, y, z;  /* at the last tick's end */
    uint32_t hash;  /* of the id */
    uint32_t moved; /* last tick, before this one, in which it moved, cut to 32 bits; 0 = not since its history began */
    uint16_t kind;  /* at the last tick's end */
    bool known;     /* it was in the world at the last tick's end; else all fields are zero */
} phx_motion_history;

/* The change of an observer in this tick, if it has enters. */
typedef struct phx_entered {
    uint32_t change; /* number + 1 in the changes of the worker; 0 = none */
    uint32_t worker;
} phx_entered;

/* Motion samples (simd/due_search.h) by row, side by side, while lists are derived: columns of equal length in each
 * array. */
typedef struct phx_motion_rows {
    float *was;    /* ox, oy, and oz, z (phx_shard_bands_tall()): of spheres, and if heights may decide */
    uint32_t *key; /* hash, age, row words; special also: the row has no old position */
    uint32_t was_capacity, key_capacity;
} phx_motion_rows;

/* A deferred update of an immigrant observer: its target is found by id, once all immigrants are here. */
typedef struct phx_immigrant_deferred_update {
    uint32_t observer; /* slot */
    phx_deferred_update waiting;
} phx_immigrant_deferred_update;

typedef struct phx_bands {
    phx_motion_history *histories; /* by slot */
    uint32_t *items;               /* by slot: its item in this tick */
    phx_motion_sample *samples;    /* by item */
    phx_entered *entered;          /* by item */
    phx_motion_rows rows;
    phx_due_query *queries; /* by class: all that its observers have in common in this tick */
    phx_list
        *deferred; /* by slot, of own observers: pairs of a target's slot and the tick in which its update was due */
    phx_list_pool pool;
    phx_immigrant_deferred_update *unresolved;
    uint32_t histories_capacity, items_capacity, samples_capacity, entered_capacity, queries_capacity,
        deferred_capacity, unresolved_capacity, unresolved_count;
    uint32_t waiting;   /* observers with deferred updates */
    uint64_t last_move; /* no history has a later move */
    uint64_t sampled;   /* the tick of the samples */
    bool live;          /* histories were committed at the last tick's end */
} phx_bands;

void phx_bands_init(phx_bands *bands);

void phx_bands_free(phx_bands *bands, phx_mem *mem);

/* The deferred updates of an own observer end: it has left, or emigrated. */
void phx_bands_drop_deferred(phx_bands *bands, uint32_t slot);

#endif
