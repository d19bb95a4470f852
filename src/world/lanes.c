/*
 * Rings between shards; see lanes.h.
 */
#include "world/lanes.h"

bool phx_lanes_init(phx_lanes *lanes, phx_mem *mem, uint32_t shard_count)
{
    *lanes = (phx_lanes){.count = shard_count};
    if (shard_count == 1) return true;
    lanes->ring = phx_alloc_zero(mem, (size_t)shard_count * shard_count * sizeof *lanes->ring, PHX_CACHE_LINE);
    return lanes->ring != NULL;
}

void phx_lanes_free(phx_lanes *lanes, phx_mem *mem)
{
    size_t count = (size_t)lanes->count * lanes->count;
    if (!lanes->ring) return;
    for (size_t i = 0; i < count; i++)
        if (lanes->ring[i]) phx_ring_destroy(mem, lanes->ring[i]);
    phx_free(mem, lanes->ring, count * sizeof *lanes->ring, PHX_CACHE_LINE);
    *lanes = (phx_lanes){0};
}

bool phx_lanes_send(phx_lanes *lanes, phx_mem *mem, uint32_t source, phx_outbox *outbox, uint32_t *sent)
{
    for (; *sent < outbox->used; ++*sent) {
        phx_record_block *block = &outbox->blocks[*sent];
        phx_ring **ring = &lanes->ring[(size_t)source * lanes->count + block->destination];
        if (!*ring && !(*ring = phx_ring_create(mem, PHX_LANE_BLOCKS))) return false;
        bool put = phx_ring_put(*ring, block);
        PHX_ASSERT(put);
        (void)put;
    }
    return true;
}

const phx_record_block *phx_lanes_take(phx_lanes *lanes, uint32_t source, uint32_t destination)
{
    phx_ring *ring = lanes->ring[(size_t)source * lanes->count + destination];
    return ring ? phx_ring_take(ring) : NULL;
}
