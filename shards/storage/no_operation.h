/*
 * Operations of storages that have nothing to do, shared by the tables of this room. Pure functions, called in any
 * phase.
 */
#ifndef PHX_SHARDS_STORAGE_NO_OPERATION_H
#define PHX_SHARDS_STORAGE_NO_OPERATION_H

#include "shards/publish/recipients.h"
#include "shards/state/shard.h"
#include "shards/state/storage.h"

/* Nothing has to be made, or there is room. */
static inline bool phx_storage_ready(phx_shard *shard)
{
    (void)shard;
    return true;
}

static inline void phx_storage_no_work(phx_shard *shard)
{
    (void)shard;
}

static inline void phx_storage_no_slot_work(phx_shard *shard, uint32_t slot)
{
    (void)shard;
    (void)slot;
}

/* No work is counted here. */
static inline void phx_storage_no_counts(const phx_shard *shard, phx_index_counts *to)
{
    (void)shard;
    (void)to;
}

static inline void phx_storage_no_attr_note(phx_shard *shard, uint32_t slot, const phx_attr *next)
{
    (void)shard;
    (void)slot;
    (void)next;
}

/* There is no such property of an observer. */
static inline bool phx_storage_never(const phx_shard *shard, uint32_t slot)
{
    (void)shard;
    (void)slot;
    return false;
}

/* Any live slot may be a target, each once, from whichever source it comes. */
static inline size_t phx_storage_all_slots(const phx_shard *shard, uint32_t observer, uint32_t related)
{
    (void)observer;
    (void)related;
    return shard->store.slots;
}

/* Items have no groups. */
static inline uint32_t phx_storage_any_chunk(const phx_shard *shard, uint32_t first, uint32_t left, uint32_t wanted)
{
    (void)shard;
    (void)first;
    return left < wanted ? left : wanted;
}

/* No list is derived. */
static inline uint32_t phx_storage_no_list_before(const phx_shard *shard, uint32_t slot, uint32_t *out, uint64_t *pairs)
{
    (void)shard;
    (void)slot;
    (void)out;
    (void)pairs;
    return 0;
}

static inline void phx_storage_no_list_visit(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user)
{
    (void)shard;
    (void)slot;
    (void)visit;
    (void)user;
}

static inline bool phx_storage_no_list_had(const phx_shard *shard, uint32_t slot, uint32_t target)
{
    (void)shard;
    (void)slot;
    (void)target;
    return false;
}

/* Every block message names its observer. */
static inline uint32_t phx_storage_no_filter(const phx_shard *shard, const phx_observer_batch *batch,
                                             const phx_block_message *block_message, const phx_broadcast_range *range,
                                             bool self, uint32_t *out)
{
    (void)shard;
    (void)batch;
    (void)block_message;
    (void)range;
    (void)self;
    (void)out;
    phx_panic(__FILE__, __LINE__, "a call to all observers of a block of slots");
}

#endif
