/*
 * The memory in which a worker collects the updates of a tick: observers, their due targets, deferred ones. Knows no
 * shard and no rule; band_updates.c fills it, and the worker's part of the world (world/publish/updates.h) owns it.
 *
 * Publish phase, by one worker at a time.
 */
#ifndef PHX_SHARDS_PUBLISH_UPDATE_SCRATCH_H
#define PHX_SHARDS_PUBLISH_UPDATE_SCRATCH_H

#include "shards/entity/entity_store.h"
#include "shards/entity/tagged_word.h"
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

typedef struct phx_slot_mark {
    uint32_t epoch, value;
} phx_slot_mark;

/* A target as some observers of a group get it. */
typedef struct phx_update_target {
    uint32_t slot, band;
} phx_update_target;

/* One worker's scratch: memory that is kept, and the updates that it emitted in this tick. */
typedef struct phx_update_scratch {
    phx_mem *mem;
    phx_slot_mark *marks; /* by slot, of the observer at hand: targets with deferred updates, with the tick */
    uint64_t *left_out;   /* a bit for each slot: targets that the list of the observer at hand adds no more */
    /*
     * By slot and band: the place in targets, counted from the group's first, plus place_base. The base grows from
     * group to group, so a smaller number is of another group.
     */
    uint32_t *places;
    phx_ranked *candidates; /* due targets, if there is a budget */
    phx_observer_updates *observers;
    uint32_t *due; /* places in targets, counted from the group's first */
    phx_update_target *targets;
    uint32_t *deferred;
    uint32_t marks_capacity, left_out_capacity, places_capacity, candidates_capacity, observers_capacity;
    uint32_t due_capacity, targets_capacity, deferred_capacity;
    uint32_t observer_count, due_count, target_count, deferred_count;
    uint32_t mark_epoch, place_base, place_last;               /* the last number given, or more */
    uint32_t bands_most;                                       /* of the classes: the row of a slot in places[] */
    uint32_t group_first;                                      /* in targets */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_update_scratch; /* beside other workers' scratches */

void phx_update_scratch_free(phx_update_scratch *scratch);
/* Begins a tick: results of the last one end. */
void phx_update_scratch_reset(phx_update_scratch *scratch);
/* Begins a group: targets are counted from 0 again, each once in each band; bands_most: of a class. */
void phx_update_scratch_group(phx_update_scratch *scratch, uint32_t bands_most);
/*
 * Begins an observer: room for marks, bits and places of every slot, and for its row; no mark holds, no target is left
 * out. false = no memory.
 */
bool phx_update_scratch_ready(phx_update_scratch *scratch, uint32_t slots);
/* Leaves targets out of the observer's list, or takes that back. */
static inline void phx_update_scratch_leave_out(phx_update_scratch *scratch, uint32_t slot)
{
    scratch->left_out[slot / 64] |= UINT64_C(1) << slot % 64;
}

static inline void phx_update_scratch_let_in(phx_update_scratch *scratch, uint32_t slot)
{
    scratch->left_out[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static inline uint32_t phx_update_scratch_has_bit(const uint64_t *left_out, uint32_t slot)
{
    return left_out[slot / 64] >> slot % 64 & 1;
}

/*
 * Adds targets, by slot or row word, and by band, to the observer's due ones, each once for the group; but none that
 * are left out. false = no memory.
 */
bool phx_update_scratch_add(phx_update_scratch *scratch, const uint32_t *words, const uint32_t *bands, uint32_t count);
/*
 * Once all groups are emitted: of the targets of a group keeps only the ones that are still due for these observers, in
 * order, in front; wants no memory. Returns their number.
 */
uint32_t phx_update_scratch_keep(phx_update_scratch *scratch, const phx_observer_updates *observers, uint32_t count,
                                 uint32_t target_first, uint32_t target_count);

#endif
