/*
 * The bounded pool of a shard's outgoing records; see outbox.h.
 */
#include "shards/state/outbox.h"

#include <stddef.h>
#include <string.h>

void phx_outbox_init(phx_outbox *outbox, phx_mem *mem, uint32_t shard_count)
{
    *outbox = (phx_outbox){.mem = mem, .shard_count = shard_count};
}

/* Allocates one more block. false = no memory, or the pool has all its blocks. */
static bool make_outbox_block(phx_outbox *outbox)
{
    if (outbox->made == outbox->block_count) return false;
    if (!phx_grow(outbox->mem, (void **)&outbox->blocks, &outbox->blocks_capacity, outbox->made,
                  (size_t)outbox->made + 1, sizeof *outbox->blocks))
        return false;
    phx_record_block *block = phx_alloc(outbox->mem, sizeof *block, PHX_CACHE_LINE);
    if (!block) return false;
    outbox->blocks[outbox->made++] = block;
    return true;
}

bool phx_outbox_ready(phx_outbox *outbox, uint32_t bytes)
{
    const size_t open_bytes = outbox->shard_count * sizeof *outbox->open;
    if (!outbox->open) outbox->open = phx_alloc_zero(outbox->mem, open_bytes, PHX_CACHE_LINE);
    outbox->block_count = bytes / PHX_RECORD_BLOCK_BYTES;
    PHX_ASSERT(outbox->block_count > 0);
    return outbox->open && (outbox->made > 0 || make_outbox_block(outbox));
}

void phx_outbox_free(phx_outbox *outbox)
{
    phx_mem *mem = outbox->mem;
    for (uint32_t i = 0; i < outbox->made; i++)
        phx_free(mem, outbox->blocks[i], sizeof *outbox->blocks[i], PHX_CACHE_LINE);
    phx_release(mem, (void **)&outbox->blocks, &outbox->blocks_capacity, sizeof *outbox->blocks);
    phx_free(mem, outbox->open, outbox->shard_count * sizeof(uint32_t), PHX_CACHE_LINE);
    phx_release(mem, (void **)&outbox->lists, &outbox->list_capacity, sizeof *outbox->lists);
    phx_outbox_init(outbox, mem, outbox->shard_count);
}

void phx_outbox_reset(phx_outbox *outbox)
{
    for (uint32_t i = 0; i < outbox->used; i++) outbox->open[outbox->blocks[i]->destination] = 0;
    if (outbox->used > outbox->most) outbox->most = outbox->used;
    outbox->used = 0;
}

void phx_outbox_lists_begin(phx_outbox *outbox)
{
    PHX_ASSERT(outbox->used == 0);
    outbox->list_count = 0;
}

void phx_outbox_lists_end(phx_outbox *outbox)
{
    if (outbox->list_count == 0) return; /* migrants may come in waves, and a wave should allocate nothing */
    phx_trim(outbox->mem, (void **)&outbox->lists, &outbox->list_capacity, sizeof *outbox->lists, outbox->list_count,
             &outbox->list_use);
    outbox->list_count = 0;
}

phx_list_record *phx_outbox_list(phx_outbox *outbox, uint32_t count)
{
    const uint32_t had = outbox->list_count;
    PHX_ASSERT(outbox->used == 0); /* records hold where lists begin, so lists do not move from then on */
    if (!phx_grow(outbox->mem, (void **)&outbox->lists, &outbox->list_capacity, had, (size_t)had + count,
                  sizeof *outbox->lists))
        return NULL;
    outbox->list_count += count;
    return outbox->lists + had;
}

/* Opens a block as the last of the destination's circle of blocks. NULL = full. */
static phx_record_block *open_block(phx_outbox *outbox, uint32_t destination)
{
    if (outbox->used == outbox->made && !make_outbox_block(outbox)) return NULL;
    phx_record_block *block = outbox->blocks[outbox->used];
    const uint32_t number1 = ++outbox->used, last1 = outbox->open[destination];
    block->destination = (uint16_t)destination;
    block->count = 0;
    block->next = number1;
    if (last1) {
        block->next = outbox->blocks[last1 - 1]->next;
        outbox->blocks[last1 - 1]->next = number1;
    }
    outbox->open[destination] = number1;
    return block;
}

phx_record *phx_outbox_put(phx_outbox *outbox, uint32_t destination)
{
    PHX_ASSERT(destination < outbox->shard_count);
    const uint32_t open = outbox->open[destination];
    phx_record_block *block = open ? outbox->blocks[open - 1] : NULL;
    if (!block || block->count == PHX_RECORD_BLOCK_RECORDS) block = open_block(outbox, destination);
    if (!block) return NULL;
    phx_record *record = &block->records[block->count++];
    memset(record, 0, offsetof(phx_record, as)); /* clearing the whole record took as long as filling it */
#ifdef PHX_VALIDATE_ON
    memset(&record->as, 0xa5, sizeof record->as); /* shows a reader of a member that no filler wrote */
#endif
    return record;
}
