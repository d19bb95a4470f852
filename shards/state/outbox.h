/*
 * The records that a shard sends in one round of an exchange: a bounded pool of blocks, filled for each destination. A
 * full pool is normal: the sender stops, the receivers read after the barrier, and the next round goes on where the
 * sender stopped. After the second barrier of a round all blocks are free again. A block is allocated when it is first
 * needed, and kept: a shard that sends nothing has no blocks. If a block can not be allocated, the pool counts as full.
 *
 * Beside the blocks are the lists of this tick's emigrants, in any number. They are written before the first record,
 * and read by their receivers in the index phase. Written by the shard's owner in the exchange phase.
 */
#ifndef PHX_SHARDS_STATE_OUTBOX_H
#define PHX_SHARDS_STATE_OUTBOX_H

#include "base/mem.h"
#include "shards/state/records.h"

typedef struct phx_outbox {
    phx_mem *mem;
    phx_record_block **blocks;
    uint32_t made, blocks_capacity; /* allocated blocks; capacity of the array of pointers */
    uint32_t block_count;           /* the pool's bound */
    uint32_t used;                  /* blocks of this round, in the order of opening */
    uint32_t most;                  /* most blocks used in a round so far */
    uint32_t shard_count;
    uint32_t *open;                     /* per destination: its last block + 1, or 0; NULL: nothing was ever sent */
    phx_list_record *lists;             /* of this tick's emigrants, one after the other */
    uint32_t list_count, list_capacity; /* targets in all lists */
    phx_high_water list_use;
} phx_outbox;

/* Holds no memory yet. */
void phx_outbox_init(phx_outbox *outbox, phx_mem *mem, uint32_t shard_count);
/* Bounds the pool to bytes / 4 KiB blocks, and allocates the first one. false = no memory. */
bool phx_outbox_ready(phx_outbox *outbox, uint32_t bytes);
void phx_outbox_free(phx_outbox *outbox);
/* Begins a round: all blocks are free. */
void phx_outbox_reset(phx_outbox *outbox);
/* Begins the lists of a tick: there are none. */
void phx_outbox_lists_begin(phx_outbox *outbox);
/* The tick ends, and the lists with it. Memory of a storm of migrants is given back after some ticks with fewer. */
void phx_outbox_lists_end(phx_outbox *outbox);
/* A list of so many targets behind the other lists; before the tick's first record. NULL = no memory, unchanged. */
phx_list_record *phx_outbox_list(phx_outbox *outbox, uint32_t count);
/*
 * A record to fill, behind the destination's earlier ones. NULL = the pool is full for this round. All of the record is
 * cleared but `as`. The filler writes the members that the type has; readers read no others.
 */
phx_record *phx_outbox_put(phx_outbox *outbox, uint32_t destination);

/* The destination's first block, or NULL. For the owner of another shard, between the round's barriers. */
static inline const phx_record_block *phx_outbox_first(const phx_outbox *outbox, uint32_t destination)
{
    if (outbox->used == 0 || outbox->open[destination] == 0) return NULL;
    return outbox->blocks[outbox->blocks[outbox->open[destination] - 1]->next - 1];
}

/* The block behind this one, or NULL. */
static inline const phx_record_block *phx_outbox_after(const phx_outbox *outbox, const phx_record_block *block)
{
    bool last = block == outbox->blocks[outbox->open[block->destination] - 1];
    return last ? NULL : outbox->blocks[block->next - 1];
}

#endif
