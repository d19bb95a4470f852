/*
 * The limit of an observer, a cap or an adds_max, and lists below it. As long as the limit cuts nothing, the rule of
 * each pair alone decides a list, so it is derived (entity/list_pool.h) and a delta finds its events. The list's count
 * says how many targets may join. Once the events of a tick are known they are compared with it: if they fit, the count
 * follows them; else the observer is evaluated, and its list is stored until the limit cuts nothing again. Interest
 * phase, by the worker of the observer.
 */
#ifndef PHX_SHARDS_STATE_LIST_LIMIT_H
#define PHX_SHARDS_STATE_LIST_LIMIT_H

#include "shards/state/shard.h"

/* The most targets of a list below the observer's limit. */
static inline uint32_t phx_limit_targets(const phx_attr *attr)
{
    return attr->cap == 0 || attr->cap > PHX_LIST_LIMIT_MAX ? PHX_LIST_LIMIT_MAX : attr->cap;
}

/* Would so many enters at once be more than the observer's adds_max? */
static inline bool phx_limit_holds_back(const phx_shard *shard, uint32_t slot, uint32_t enters)
{
    if (PHX_LIKELY(enters <= shard->rules->adds_least)) return false;
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const uint32_t most = attr->spreads ? shard->rules->classes[attr->kind].adds_max : 0;
    return most > 0 && enters > most;
}

/* May the limit be exceeded by so many enters, if no target leaves? Lists without a limit have count 0. */
static inline bool phx_limit_near(const phx_shard *shard, const phx_list *list, uint32_t enters)
{
    return list->count > 0 && (enters >= list->count || enters > shard->rules->adds_least);
}

/* Is a derived list still below its limit after these events? */
static inline bool phx_limit_fits(const phx_shard *shard, uint32_t slot, uint32_t enters, uint32_t leaves)
{
    const phx_list *list = &shard->store.tail[slot].list;
    if (!phx_list_below_limit(list)) return true;
    return enters < list->count + leaves && !phx_limit_holds_back(shard, slot, enters);
}

/* These events, which fit, are recorded: the count follows. */
static inline void phx_limit_follow(phx_list *list, uint32_t enters, uint32_t leaves)
{
    if (!phx_list_below_limit(list)) return;
    PHX_ASSERT(enters < list->count + leaves && list->count + leaves - enters <= PHX_LIST_COUNT_MAX);
    list->count = (list->count + leaves - enters) & PHX_LIST_COUNT_MAX;
}

/* The count of a derived list of so many targets: 0 without a limit. */
static inline uint32_t phx_limit_count(const phx_attr *attr, uint32_t targets)
{
    return phx_list_unlimited(attr) ? 0 : 1 + phx_limit_targets(attr) - targets;
}

/*
 * May a delta find the events of an observer with a stored list? Below its cap the list is not cut. (An observer with
 * held targets is renewed: evaluated, or done by interest/delta_held.h.)
 */
static inline bool phx_limit_stored_below(const phx_attr *attr, const phx_list *list)
{
    return attr->cap == 0 || list->count < attr->cap;
}

/* Does such a list stay within its limit with so many enters, whatever leaves? */
static inline bool phx_limit_stored_fits(const phx_shard *shard, uint32_t slot, uint32_t enters)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (PHX_LIKELY(phx_list_unlimited(attr))) return true;
    if (attr->cap != 0 && (uint64_t)shard->store.tail[slot].list.count + enters > attr->cap) return false;
    return !phx_limit_holds_back(shard, slot, enters);
}

#endif
