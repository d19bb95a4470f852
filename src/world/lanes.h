/*
 * The lanes between shards: one bounded single-producer single-consumer queue of record
 * blocks per (source, destination) that was ever used. In the exchange phase the
 * source's worker puts, one barrier later the destination's takes, sources in order, so
 * what is received does not depend on who was faster. A lane never overflows: an outbox
 * opens at most PHX_LANE_BLOCKS blocks per destination and round.
 */
#ifndef PHX_WORLD_LANES_H
#define PHX_WORLD_LANES_H

#include "base/ring.h"
#include "shards/outbox.h"

typedef struct phx_lanes {
    phx_ring **ring; /* [source * count + destination], made at the first use by the source's worker */
    uint32_t count;  /* shards */
} phx_lanes;

/* false = no memory. */
bool phx_lanes_init(phx_lanes *lanes, phx_mem *mem, uint32_t shard_count);
void phx_lanes_free(phx_lanes *lanes, phx_mem *mem);
/*
 * Source's worker: puts the outbox's blocks from *sent on, counting it up. false = no
 * memory for a new lane: call again with the same *sent.
 */
bool phx_lanes_send(phx_lanes *lanes, phx_mem *mem, uint32_t source, phx_outbox *outbox, uint32_t *sent);
/* Destination's worker: the next block from `source`, or NULL. */
const phx_record_block *phx_lanes_take(phx_lanes *lanes, uint32_t source, uint32_t destination);

#endif
