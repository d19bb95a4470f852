/*
 * Updates by distance band, for the observers of one shard: for which observers an update is due (ph_update has the
 * rule). Nothing is kept for a pair except deferred updates, for want of budget (updates_max; deferred_updates.h). The
 * rule needs nothing but the motion history of each target (motion_history.h).
 *
 * publish, after the interest phase: the owner writes motion samples; any worker emits the updates of observers
 * (phx_band_emit()); then the owner writes deferred updates.
 */
#ifndef PHX_SHARDS_PUBLISH_BAND_UPDATES_H
#define PHX_SHARDS_PUBLISH_BAND_UPDATES_H

#include "shards/simd/top_k.h"
#include "shards/state/records.h"

struct phx_shard;

/* An observer with updates in this tick, or with deferred updates. */
typedef struct phx_observer_updates {
    uint32_t slot;
    uint32_t due_first, due_count; /* in the scratch's due[] */
    uint32_t deferred_first,
        deferred_count; /* words in the scratch's deferred[]: they become the observer's deferred updates */
    bool rewaits;       /* it has deferred updates, or had */
} phx_observer_updates;

typedef struct phx_slot_mark {
    uint32_t epoch, value;
} phx_slot_mark;

/* One worker's scratch: memory that is kept, and the updates that it emitted in this tick. */
typedef struct phx_update_scratch {
    phx_mem *mem;
    phx_slot_mark
        *marks; /* by slot, of the observer at hand: targets that entered, and deferred ones (with the tick) */
    phx_slot_mark
        *places; /* by slot, since phx_update_scratch_group(): its place in targets, counted from the group's first */
    phx_ranked *candidates; /* due targets, if there is a budget */
    phx_observer_updates *observers;
    uint32_t *due;     /* places in targets, counted from the group's first */
    uint32_t *targets; /* slots */
    uint32_t *deferred;
    uint32_t marks_capacity, places_capacity, candidates_capacity, observers_capacity;
    uint32_t due_capacity, targets_capacity, deferred_capacity;
    uint32_t observer_count, due_count, target_count, deferred_count;
    uint32_t mark_epoch, place_epoch;
    uint32_t group_first;                                      /* in targets */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_update_scratch; /* beside other workers' scratches */

/* A number that finds multiples of a period: 2^32 / every, rounded up; 0 for 1. */
static inline uint32_t phx_band_share(uint32_t every)
{
    return UINT32_MAX / every + 1;
}

/*
 * Is n, below 2^17, a multiple of the period (up to 255)? n times the share is n / every in units of 2^-32, too large
 * by less than n units. The fraction of a multiple is less than the share, any other fraction is at least the share.
 */
static inline bool phx_band_multiple(uint32_t n, uint32_t share)
{
    return n * share <= share - 1;
}

void phx_update_scratch_free(phx_update_scratch *scratch);
/* Begins a tick: results of the last one end. */
void phx_update_scratch_reset(phx_update_scratch *scratch);
/* Begins a group: targets are counted from 0 again, each once. */
void phx_update_scratch_group(phx_update_scratch *scratch);
/*
 * Emits the updates of an own observer: targets that entered its list, and other targets with a due update. Appends to
 * the scratch, and a row to observers[] if there is any. false = no memory, nothing appended.
 */
bool phx_band_emit(phx_update_scratch *scratch, const struct phx_shard *shard, uint32_t slot, const uint32_t *entered,
                   uint32_t entered_count);

/* By the owner. Stores the deferred updates of the observers in observers[]. false = no memory: call again. */
bool phx_bands_commit(struct phx_shard *shard, const phx_update_scratch *scratch, const phx_observer_updates *updates,
                      uint32_t count);

#endif
