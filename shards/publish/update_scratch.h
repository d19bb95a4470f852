/*
 * The memory in which a worker collects the updates of a tick: observers, their due targets, deferred ones. Knows no
 * shard and no rule; band_updates.c fills it, and the worker's part of the world (world/publish/updates.h) owns it.
 *
 * A target is known by its item (phx_motion_sample: rows near each other have near items) and its band, as a due key:
 * so all that is kept by key stays in the nearest cache while the observers of a block are looked at.
 *
 * Publish phase, by one worker at a time.
 */
#ifndef PHX_SHARDS_PUBLISH_UPDATE_SCRATCH_H
#define PHX_SHARDS_PUBLISH_UPDATE_SCRATCH_H

#include "shards/entity/entity_store.h"
#include "shards/entity/tagged_word.h"
#include "shards/publish/motion_tile.h"
#include "shards/query/far_near.h"
#include "shards/simd/kernels.h"
#include "shards/simd/top_k.h"
#include "shards/state/records.h"

/* An observer with updates in this tick, or with deferred updates. */
typedef struct phx_observer_updates {
    uint32_t slot;
    uint32_t due_first, due_count; /* in the scratch's due[] */
    uint32_t deferred_first,
        deferred_count; /* words in the scratch's deferred[]: they become the observer's deferred updates */
    bool rewaits;       /* it has deferred updates, or had */
} phx_observer_updates;

enum { PHX_LEFT_OUT_BITS = 32 }; /* of a word of left_out[] */

typedef struct phx_slot_mark {
    uint32_t epoch, value;
} phx_slot_mark;

/* One worker's scratch: memory that is kept, and the updates that it emitted in this tick. */
typedef struct phx_update_scratch {
    phx_mem *mem;
    phx_slot_mark *marks; /* by slot, of the observer at hand: targets with deferred updates, with the tick */
    uint32_t *left_out;   /* a bit for each item: targets that the list of the observer at hand adds no more; and pad */
    phx_ranked *candidates; /* due targets, if there is a budget */
    phx_observer_updates *observers;
    uint32_t *due; /* due keys */
    uint32_t *deferred;
    uint32_t marks_capacity, left_out_capacity, candidates_capacity, observers_capacity;
    uint32_t due_capacity, deferred_capacity;
    phx_high_water observers_use, due_use, deferred_use;
    uint32_t observer_count, due_count, deferred_count;
    uint32_t mark_epoch;
    uint32_t band_bits;      /* of a due key: room for every band of a class */
    uint32_t by_change;      /* so many observers more are not tried by positions: see phx_band_emit_in_view() */
    uint32_t listed_count;   /* in this tick: targets of lists that were looked at one by one, not as rows in view */
    uint32_t sifted_count;   /* in this tick: due rows that were looked up among relations */
    uint32_t searched_count; /* in this tick: observers with far parts that were searched for by cells */
    uint64_t compared_count; /* in this tick: rows that observers were compared with */
    phx_motion_tile tile;    /* of the last block that was worth one */
    phx_far_near far;        /* the far targets near the last block */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_update_scratch; /* beside other workers' scratches */

void phx_update_scratch_free(phx_update_scratch *scratch);
/* Begins a tick: results of the last one end; memory that was too much for a while is given back. */
void phx_update_scratch_reset(phx_update_scratch *scratch);
/* Begins a group; bands_most: of a class. */
void phx_update_scratch_group(phx_update_scratch *scratch, uint32_t bands_most);
/*
 * Begins an observer: room for marks of every slot, bits of every item, and for its row; no mark holds, no
 * target is left out. false = no memory.
 */
bool phx_update_scratch_ready(phx_update_scratch *scratch, uint32_t slots, uint32_t items);
/* Leaves targets out of the observer's list, or takes that back. */
static inline void phx_update_scratch_leave_out(phx_update_scratch *scratch, uint32_t item)
{
    scratch->left_out[item / PHX_LEFT_OUT_BITS] |= 1u << item % PHX_LEFT_OUT_BITS;
    phx_motion_tile_leave_out(&scratch->tile, item, true);
}

static inline void phx_update_scratch_let_in(phx_update_scratch *scratch, uint32_t item)
{
    scratch->left_out[item / PHX_LEFT_OUT_BITS] &= ~(1u << item % PHX_LEFT_OUT_BITS);
    phx_motion_tile_leave_out(&scratch->tile, item, false);
}

static inline bool phx_update_scratch_leaves_out(const phx_update_scratch *scratch, uint32_t item)
{
    return scratch->left_out[item / PHX_LEFT_OUT_BITS] >> item % PHX_LEFT_OUT_BITS & 1;
}

static inline uint32_t phx_due_key(const phx_update_scratch *scratch, uint32_t item, uint32_t band)
{
    return item << scratch->band_bits | band;
}

static inline uint32_t phx_due_key_item(const phx_update_scratch *scratch, uint32_t key)
{
    return key >> scratch->band_bits;
}

static inline uint32_t phx_due_key_band(const phx_update_scratch *scratch, uint32_t key)
{
    return key & ((1u << scratch->band_bits) - 1);
}

/* Room for so many further due keys, and pad; they are written behind the due ones. NULL = no memory. */
uint32_t *phx_update_scratch_room(phx_update_scratch *scratch, uint32_t count);

#endif
