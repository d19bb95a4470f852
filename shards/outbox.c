/*
 * The bounded pool of a shard's outgoing records; see outbox.h.
 */
#include "shards/outbox.h"

#include <stddef.h>
#include <string.h>

bool phx_outbox_init(phx_outbox *outbox, phx_mem *mem, uint32_t shard_count)
{
    *outbox = (phx_outbox){.shard_count = shard_count};
    outbox->open = phx_alloc_zero(mem, shard_count * sizeof(uint32_t), PHX_CACHE_LINE);
    outbox->taken = phx_alloc_zero(mem, shard_count, PHX_CACHE_LINE);
    if (outbox->open && outbox->taken) return true;
    phx_outbox_free(outbox, mem);
    return false;
}

bool phx_outbox_ready(phx_outbox *outbox, phx_mem *mem, uint32_t bytes)
{
    if (outbox->blocks) return true;
    uint32_t count = bytes / PHX_RECORD_BLOCK_BYTES;
    PHX_ASSERT(count > 0);
    outbox->blocks = phx_alloc(mem, count * sizeof(phx_record_block), PHX_CACHE_LINE);
    if (outbox->blocks) outbox->block_count = count;
    return outbox->blocks != NULL;
}

void phx_outbox_free(phx_outbox *outbox, phx_mem *mem)
{
    phx_free(mem, outbox->blocks, outbox->block_count * sizeof(phx_record_block), PHX_CACHE_LINE);
    phx_free(mem, outbox->open, outbox->shard_count * sizeof(uint32_t), PHX_CACHE_LINE);
    phx_free(mem, outbox->taken, outbox->shard_count, PHX_CACHE_LINE);
    phx_release(mem, (void **)&outbox->lists, &outbox->list_capacity, sizeof *outbox->lists);
    *outbox = (phx_outbox){0};
}

void phx_outbox_reset(phx_outbox *outbox)
{
    for (uint32_t i = 0; i < outbox->used; i++) {
        outbox->open[outbox->blocks[i].destination] = 0;
        outbox->taken[outbox->blocks[i].destination] = 0;
    }
    if (outbox->used > outbox->most) outbox->most = outbox->used;
    outbox->used = 0;
}

void phx_outbox_lists_begin(phx_outbox *outbox)
{
    PHX_ASSERT(outbox->used == 0);
    outbox->list_count = 0;
}

void phx_outbox_lists_end(phx_outbox *outbox, phx_mem *mem)
{
    if (outbox->list_count == 0) return; /* migrants may come in waves, which are to allocate nothing */
    phx_trim(mem, (void **)&outbox->lists, &outbox->list_capacity, sizeof *outbox->lists, outbox->list_count,
             &outbox->list_use);
    outbox->list_count = 0;
}

phx_listed *phx_outbox_list(phx_outbox *outbox, phx_mem *mem, uint32_t count)
{
    const uint32_t had = outbox->list_count;
    PHX_ASSERT(outbox->used == 0); /* records say where lists begin, and they do not move from then on */
    if (!phx_grow(mem, (void **)&outbox->lists, &outbox->list_capacity, had, (size_t)had + count,
                  sizeof *outbox->lists))
        return NULL;
    outbox->list_count += count;
    return outbox->lists + had;
}

phx_record *phx_outbox_put(phx_outbox *outbox, uint32_t destination)
{
    PHX_ASSERT(destination < outbox->shard_count);
    uint32_t open = outbox->open[destination];
    if (open == 0 || outbox->blocks[open - 1].count == PHX_RECORD_BLOCK_RECORDS) {
        if (outbox->used == outbox->block_count || outbox->taken[destination] == PHX_LANE_BLOCKS) return NULL;
        open = ++outbox->used;
        outbox->open[destination] = open;
        outbox->taken[destination]++;
        outbox->blocks[open - 1].destination = (uint16_t)destination;
        outbox->blocks[open - 1].count = 0;
    }
    phx_record_block *block = &outbox->blocks[open - 1];
    phx_record *record = &block->records[block->count++];
    memset(record, 0, offsetof(phx_record, as)); /* to clear all of it took as long as to fill it */
#ifdef PHX_VALIDATE_ON
    memset(&record->as, 0xa5, sizeof record->as); /* shows who reads what no filler wrote */
#endif
    return record;
}
