/*
 * Entities by tower, for crowd control: counts in blocks of towers, and of each counted tower the entities in it and
 * the eight around it. Made anew in each tick with crowd control, in the ingest phase: a shard's by its worker, the
 * world's by the ticking thread. Blocks keep their numbers from tick to tick, so that an entity finds its block by the
 * last number, without a search. A look at the nine towers belongs to a tower, so that it is done once for all its
 * observers.
 */
#ifndef PHX_WORLD_INGEST_CROWD_COUNTS_H
#define PHX_WORLD_INGEST_CROWD_COUNTS_H

#include "world/state/crowd_types.h"

void phx_crowd_counts_init(phx_crowd_counts *counts, phx_mem *mem);
void phx_crowd_counts_free(phx_crowd_counts *counts);
/* No entity is counted any more. Blocks stay, unless more than half of them had none. */
void phx_crowd_counts_clear(phx_crowd_counts *counts);

/* Counts an entity of a tower of the block with this number. Returns the tower's place. */
static inline uint32_t phx_crowd_counts_put(phx_crowd_counts *counts, uint32_t number, uint32_t tx, uint32_t ty)
{
    const uint32_t tower = (ty & (PHX_BLOCK_SIDE - 1)) << PHX_BLOCK_BITS | (tx & (PHX_BLOCK_SIDE - 1));
    counts->blocks[number].all++;
    counts->blocks[number].entities[tower]++;
    return number * PHX_BLOCK_TOWERS + tower;
}

/* phx_crowd_counts_add() without a guess. */
uint32_t phx_crowd_counts_search(phx_crowd_counts *counts, uint32_t instance, uint32_t tx, uint32_t ty);
/*
 * Counts an entity of a tower. guess: its last place, or any number. Returns the tower's place: block *
 * PHX_BLOCK_TOWERS + tower; PHX_SLOT_NONE = no memory. Inline: each entity is counted in each tick.
 */
static inline uint32_t phx_crowd_counts_add(phx_crowd_counts *counts, uint32_t guess, uint32_t instance, uint32_t tx,
                                            uint32_t ty)
{
    const uint32_t bx = tx >> PHX_BLOCK_BITS, by = ty >> PHX_BLOCK_BITS, last = guess / PHX_BLOCK_TOWERS;
    if (PHX_LIKELY(last < counts->count)) {
        const phx_crowd_block *block = &counts->blocks[last];
        if (PHX_LIKELY(block->instance == instance && block->bx == bx && block->by == by))
            return phx_crowd_counts_put(counts, last, tx, ty);
    }
    return phx_crowd_counts_search(counts, instance, tx, ty);
}

/* Adds what another table counted. false = no memory. */
bool phx_crowd_counts_merge(phx_crowd_counts *counts, const phx_crowd_counts *from);
/* Sums of nine towers from `all`, for each tower of a block at the same place. */
void phx_crowd_counts_around(const phx_crowd_counts *all, const phx_crowd_block *block,
                             uint32_t around[PHX_BLOCK_TOWERS]);

#endif
