/*
 * Cell blocks of the nine-grid: made where an entity comes, with memory for the entries of each tower in powers of two.
 * Index phase and tick's end, by the shard's owner.
 */
#ifndef PHX_SHARDS_NINEGRID_CELL_BLOCKS_H
#define PHX_SHARDS_NINEGRID_CELL_BLOCKS_H

#include "shards/ninegrid/ninegrid.h"

/* The cell block of a tower, made if there is none. NULL = no memory. */
phx_cell_block *phx_cell_block_ensure(phx_ninegrid *ninegrid, phx_mem *mem, uint32_t instance, uint16_t tx,
                                      uint16_t ty);
/* Makes room for one more cell entry in a tower of the block. false = no memory. */
bool phx_cell_block_reserve(phx_ninegrid *ninegrid, phx_mem *mem, phx_cell_block *cell_block, uint32_t t);
/* Gives the memory of a tower's entries back. */
void phx_cell_block_release(phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint32_t t);

/* Notes that a tower has an observer of this kind. */
static inline void phx_cell_block_mark_observer(phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint32_t t,
                                                uint8_t observer_kind)
{
    if (observer_kind == PHX_OBSERVER_KIND_EVALUATED) {
        cell_block->may_evaluate |= 1ull << t;
        ninegrid->marking = true;
    }
    if (observer_kind != PHX_OBSERVER_KIND_NONE) cell_block->observed |= 1ull << t;
}

/* The order of entries in a tower with many. */
static inline bool phx_cell_name_before(const phx_name *a, const phx_name *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
}

#endif
