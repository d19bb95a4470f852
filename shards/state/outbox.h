/*
 * The records that a shard sends in one round of an exchange: a bounded pool of blocks,
 * filled per destination. Full is normal: the sender stops, the receivers read after
 * the barrier, and the next round goes on where it stopped. A receiver reads its blocks
 * here; after the round's second barrier all are free again. Blocks are made when first
 * needed, and stay: a shard that sends nothing has none. No memory for a further block is
 * as if the pool were full.
 * Beside them are the lists of all that migrate in a tick, as many as there are: made before the first record, read
 * by their receivers in the index phase.
 * Written by the shard's owner in the exchange phase.
 */
#ifndef PHX_SHARDS_STATE_OUTBOX_H
#define PHX_SHARDS_STATE_OUTBOX_H

#include "base/mem.h"
#include "shards/state/records.h"

typedef struct phx_outbox {
    phx_mem *mem;
    phx_record_block **blocks;
    uint32_t made, blocks_capacity; /* blocks that there are, and room for pointers to them */
    uint32_t block_count;           /* most in the pool */
    uint32_t used;                  /* of this round, in the order of opening */
    uint32_t most;                  /* used in a round so far */
    uint32_t shard_count;
    uint32_t *open;                     /* per destination: its last block + 1, or 0; NULL: nothing was ever sent */
    phx_list_record *lists;             /* of this tick's migrants, one after the other */
    uint32_t list_count, list_capacity; /* targets in them */
    phx_high_water list_use;
} phx_outbox;

/* Holds no memory yet. */
void phx_outbox_init(phx_outbox *outbox, phx_mem *mem, uint32_t shard_count);
/* At most bytes / 4 KiB blocks, and one of them is there. false = no memory. */
bool phx_outbox_ready(phx_outbox *outbox, uint32_t bytes);
void phx_outbox_free(phx_outbox *outbox);
/* A new round: every block is free. */
void phx_outbox_reset(phx_outbox *outbox);
/* No list is there yet. */
void phx_outbox_lists_begin(phx_outbox *outbox);
/* The tick ends: nobody reads them any more. What a storm took goes some ticks with fewer migrants after it. */
void phx_outbox_lists_end(phx_outbox *outbox);
/* One of so many targets behind the others; before the tick's first record. NULL = no memory, unchanged. */
phx_list_record *phx_outbox_list(phx_outbox *outbox, uint32_t count);
/*
 * A record to fill, behind the destination's earlier ones; NULL = full for this round. All but `as` is cleared: of that
 * a filler writes what the type says, and nobody reads more.
 */
phx_record *phx_outbox_put(phx_outbox *outbox, uint32_t destination);

/* Another shard's owner, between the round's barriers: its first block, or NULL. */
static inline const phx_record_block *phx_outbox_first(const phx_outbox *outbox, uint32_t destination)
{
    if (outbox->used == 0 || outbox->open[destination] == 0) return NULL;
    return outbox->blocks[outbox->blocks[outbox->open[destination] - 1]->next - 1];
}

/* The one behind it, or NULL. */
static inline const phx_record_block *phx_outbox_after(const phx_outbox *outbox, const phx_record_block *block)
{
    bool last = block == outbox->blocks[outbox->open[block->destination] - 1];
    return last ? NULL : outbox->blocks[block->next - 1];
}

#endif
