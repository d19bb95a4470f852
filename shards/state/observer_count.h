/*
 * Own observers of a shard: their number and the longest view. Counted by the shard's owner where an observer enters,
 * leaves, migrates or changes (ingest, exchange). Measured anew in the exchange phase if the observer with the longest
 * view left.
 */
#ifndef PHX_SHARDS_STATE_OBSERVER_COUNT_H
#define PHX_SHARDS_STATE_OBSERVER_COUNT_H

#include "shards/state/shard.h"

/* Counts an own observer in (sign 1) or out (-1). */
void phx_shard_count_observer(phx_shard *shard, const phx_attr *attr, int sign);

/* Measures the longest view anew; it is unknown while radius_stale. */
void phx_shard_measure_radius(phx_shard *shard);

#endif
