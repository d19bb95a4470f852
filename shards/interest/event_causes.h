/*
 * The causes of events (ph_cause), decided by the marks that observer and target have at the tick's end. Most ticks of
 * most shards have one possible cause for all leaves, and one for all enters: then no target is looked at. In the fill,
 * any worker.
 */
#ifndef PHX_SHARDS_INTEREST_EVENT_CAUSES_H
#define PHX_SHARDS_INTEREST_EVENT_CAUSES_H

#include "shards/state/shard.h"

/* What decides the causes of a tick beside observer and target. Made by the world before the fill. */
typedef struct phx_cause_scope {
    const phx_directory *directory;
    const phx_shard *shards;
    uint32_t incarnations_before; /* the last one given before the tick */
    uint32_t incarnations_given;  /* in it */
    uint8_t traits;               /* PHX_TRAIT_... of all shards' attributes */
    bool several;                 /* shards */
    /*
     * A listed target may be hidden in this tick. It was not at the last tick's end, so only while attributes or
     * relations change. by_relations: no attribute hides, so only by a relation that changed in this tick.
     */
    bool hides, by_relations;
} phx_cause_scope;

/* May a target that left be no own one of this shard at the tick's end? It may be gone, or in another shard. */
static inline bool phx_causes_absent(const phx_cause_scope *scope, const phx_shard *shard)
{
    return scope->several || shard->store.dead_count > 0;
}

/*
 * May a cap have cut the list of an own observer with a change? Not if the rule of each pair alone decides the list
 * now, or if it is below the cap and complete. After the commit.
 */
static inline bool phx_causes_cut(const phx_shard *shard, uint32_t slot)
{
    const phx_list *list = &shard->store.tail[slot].list;
    if (PHX_LIKELY(list->derived)) return false;
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (attr->cap == 0 || !phx_attr_observes(attr)) return false;
    return list->count >= attr->cap || (shard->store.body[slot].state & PHX_SLOT_PARTIAL);
}

/* May a leave of an own observer be hidden, where scope->hides? After the commit. */
static inline bool phx_causes_hide(const phx_cause_scope *scope, const phx_shard *shard, uint32_t slot)
{
    const phx_relation_set *related = phx_relations_of(&shard->relations, slot);
    return !scope->by_relations || (related && related->hides > 0 && related->changed_tick == (uint32_t)shard->tick);
}

/* Prefetches the way to that, or, hop 1, the relations: observers of changes are in no order of memory. */
PHX_PREFETCH_INLINE void phx_causes_await(const phx_cause_scope *scope, const phx_shard *shard, uint32_t slot,
                                          uint32_t hop)
{
    const phx_relations *relations = &shard->relations;
    const phx_relation_set *related = hop == 1 ? phx_relations_of(relations, slot) : NULL;
    if (related) __builtin_prefetch(related);
    if (hop == 1) return;
    if (slot < relations->places) __builtin_prefetch(&relations->place[slot]);
    if (scope->by_relations) return; /* few are looked at further */
    __builtin_prefetch(&shard->store.set[slot]);
    __builtin_prefetch(&shard->store.tail[slot].list);
}

/* May an enter have another cause than that the target came? */
static inline bool phx_causes_of_enters(const phx_cause_scope *scope)
{
    return scope->incarnations_given > 0;
}

/* The side of a leave that all leaves of a change share. */
typedef struct phx_cause_observer {
    const phx_body *body;
    const phx_attr *attr;
    const phx_relation_set *relations; /* NULL: none */
    bool plain;                        /* a target without marks is not hidden from it */
    bool capped;                       /* phx_causes_cut() */
} phx_cause_observer;

phx_cause_observer phx_cause_observer_of(const phx_shard *shard, uint32_t slot);

/* The cause of a leave; the target was in the list at the end of the tick before. */
ph_cause phx_cause_of_leave(const phx_cause_scope *scope, const phx_shard *shard, const phx_cause_observer *observer,
                            uint32_t target);

#endif
