/*
 * Interest lists for readers: the targets of an own observer, now and at the last tick's end. Between ticks by any
 * threads; in a tick once its lists stand. Nothing is written.
 */
#ifndef PHX_SHARDS_QUERY_SEEN_H
#define PHX_SHARDS_QUERY_SEEN_H

#include "shards/state/shard.h"

/*
 * Tells visit() all in an own observer's list, up to PHX_LIST_PIECE_MAX slots at a time, in no order, until it says
 * false. Between ticks, and in a tick once its lists stand.
 */
enum { PHX_LIST_PIECE_MAX = 256 };

typedef bool (*phx_list_fn)(void *user, const uint32_t *targets, uint32_t count);

void phx_shard_list_targets(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);

/* How many those were at the last tick's end. */
uint32_t phx_shard_list_count(const phx_shard *shard, uint32_t slot);

/* Is the target in the own observer's list? By the rule of one pair, where that decides. Also once lists stand. */
bool phx_shard_is_in_list(const phx_shard *shard, uint32_t observer, uint32_t target);

/* Once lists stand: do targets wait for the own observer, which gets on with them in the next tick? */
bool phx_shard_has_deferred(const phx_shard *shard, uint32_t observer);

#endif
