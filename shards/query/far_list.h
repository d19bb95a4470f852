/*
 * The far part of a derived list: targets that an observer sees from beyond its view, as they have a longer reach, or
 * are global. All other targets are the near part, which rows give (prev_list.h). A derived list has no margin, so the
 * rule gives the far part for any time for which positions and attributes are known: for now by the levels of
 * far_targets.h, for the last tick's end by the places that it noted then.
 *
 * Called as prev_list.h and seen.h, which put both parts together: by the owner in ingest and exchange, by any worker
 * in the interest phase, by any thread between ticks. Nothing is written.
 */
#ifndef PHX_SHARDS_QUERY_FAR_LIST_H
#define PHX_SHARDS_QUERY_FAR_LIST_H

#include "shards/state/related.h"
#include "shards/state/shard.h"

/* Does the observer see the target from beyond its view? */
static inline bool phx_far_seen(const phx_attr *observer, const phx_attr *target)
{
    return target->global || target->reach > observer->view;
}

/* May the target be in the near part of the observer's list, if it is in view? */
static inline bool phx_near_admits(const phx_attr *observer, const phx_attr *target)
{
    return phx_layers_match(observer, target) && !phx_far_seen(observer, target);
}

/* May the target with these attributes, in view of the observer, be in the near part now? By its bound, too. */
static inline bool phx_near_sees_as(const phx_shard *shard, const phx_body *body, const phx_attr *observer,
                                    uint32_t target, const phx_attr *attr)
{
    if (!phx_near_admits(observer, attr)) return false;
    return phx_bound_of(attr) >= observer->view ||
           phx_in_range(shard->rules, body, &shard->store.body[target], phx_bound_of(attr));
}

/* The same of a live slot. */
static inline bool phx_near_sees(const phx_shard *shard, const phx_body *body, const phx_attr *observer,
                                 uint32_t target)
{
    return phx_near_sees_as(shard, body, observer, target, phx_store_attr(&shard->store, target));
}

/* An upper bound of a far part's length, now or at the last tick's end. */
static inline uint32_t phx_far_list_max(const phx_shard *shard)
{
    return shard->far.entry_count > shard->far.before_count ? shard->far.entry_count : shard->far.before_count;
}

/* A walk over the far part of an own observer's list now; from the index phase to the next apply. */
typedef struct phx_far_walk {
    const phx_shard *shard;
    uint32_t slot;
    const phx_relation_set *related; /* of the observer, or NULL: their targets are in no far part */
    uint32_t part;                   /* the next range of entries: 0 global targets, then three for each level */
    uint32_t at, end;                /* entries of the current range */
} phx_far_walk;

static inline phx_far_walk phx_far_walk_open(const phx_shard *shard, uint32_t slot)
{
    return (phx_far_walk){.shard = shard, .slot = slot, .related = phx_related_of(shard, slot)};
}

/* The next target; false = the walk is over. */
bool phx_far_walk_next(phx_far_walk *walk, uint32_t *target);

/* An observer as it was at the last tick's end. */
typedef struct phx_far_observer {
    uint32_t slot;
    const phx_attr *attr;
    float x, y, z;
} phx_far_observer;

/* The same at the last tick's end, from place *at of the noted ones on; false = the walk is over. */
bool phx_far_list_before(const phx_shard *shard, const phx_far_observer *observer, uint32_t *at, uint32_t *target);

#endif
