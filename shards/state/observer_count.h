/*
 * Own observers of a shard: how many there are, and how far the farthest looks. Counted by the shard's owner where one
 * comes, goes or changes (ingest, exchange); measured anew at the exchange phase where the farthest one went.
 */
#ifndef PHX_SHARDS_STATE_OBSERVER_COUNT_H
#define PHX_SHARDS_STATE_OBSERVER_COUNT_H

#include "shards/state/shard.h"

/* An own observer came (sign 1) or went (-1): how far the shard looks. */
void phx_shard_count_observer(phx_shard *shard, const phx_attr *attr, int sign);

/* Finds anew how far the farthest looks, which is not known while radius_stale. */
void phx_shard_measure_radius(phx_shard *shard);

#endif
