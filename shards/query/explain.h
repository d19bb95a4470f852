/*
 * Explanation: the reason why a target is in an observer's list or not, by the rules of ph_attrs (types.h), one after
 * the other. Between ticks, any thread.
 */
#ifndef PHX_SHARDS_QUERY_EXPLAIN_H
#define PHX_SHARDS_QUERY_EXPLAIN_H

#include <pharos/query.h>

#include "shards/state/shard.h"

/* An entity of any shard. */
typedef struct phx_explain_side {
    uint64_t id;
    const phx_body *body;
    const phx_attr *attr;
} phx_explain_side;

/*
 * Fills *why for an own observer. slot: the target's slot in this shard, own or ghost; PHX_SLOT_NONE: it is too far off
 * to have a copy.
 */
void phx_shard_explain(const phx_shard *shard, uint32_t observer, uint32_t slot, phx_explain_side target,
                       ph_explanation *why);

/* Why is a target, which is in the own observer's list, there? The rules without the cap, which it passed. */
ph_reason phx_shard_reason_listed(const phx_shard *shard, uint32_t observer, phx_explain_side target);

#endif
