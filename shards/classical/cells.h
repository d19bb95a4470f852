/*
 * Square cells, for the indexes grid and hash: their side, the cell of a position, and the chains of slots in one cell.
 * Written in the index phase by the shard's owner; see index.h.
 */
#ifndef PHX_SHARDS_CLASSICAL_CELLS_H
#define PHX_SHARDS_CLASSICAL_CELLS_H

#include "shards/classical/index_parts.h"

/* The slots of a cell, or of a bucket of cells, and the tick of its last change. */
typedef struct phx_chain {
    uint32_t first;   /* slot + 1; 0 = none */
    uint32_t changed; /* low half of the last tick in which a slot entered, left or changed */
} phx_chain;

/* A slot in its chain. */
typedef struct phx_link {
    uint32_t next, prev; /* slot + 1; 0 = the last, the first */
    int32_t x, y;        /* its cell */
} phx_link;

/* The side of cells, chosen by the entities that exist. */
typedef struct phx_uniform_cells {
    float side;   /* 0: not chosen yet */
    float wanted; /* the side that was chosen; the index may have a wider one */
    float origin[2];
    uint32_t count;        /* slots that are in */
    uint32_t chosen_at;    /* the count when the side was chosen */
    uint64_t chosen_moves; /* counts.moves then */
} phx_uniform_cells;

/* Cells are numbered up to this, both ways; a position farther out is in the last cell. */
enum { PHX_CELL_LAST = 1 << 30 };

/* Monotone in p, so the cells of a box's ends bound the cells of all positions in it. */
static inline int32_t phx_cell_of(const phx_uniform_cells *cells, int axis, float p)
{
    float q = floorf((p - cells->origin[axis]) / cells->side);
    if (!(q > (float)-PHX_CELL_LAST)) return -PHX_CELL_LAST;
    return q >= (float)PHX_CELL_LAST ? PHX_CELL_LAST : (int32_t)q;
}

/*
 * Chooses the side: `cell_size`, or the median view of the own observers, or the side of a tower if there is no
 * observer. Chosen anew when the number of entities has doubled or halved, or every entity has changed some 64 times
 * since. A small change of the wanted side is ignored. *side: set if the side changes. false = it stays.
 */
bool phx_cells_choose(phx_uniform_cells *cells, const phx_index *index, float *side);

static inline void phx_chain_put(phx_chain *chain, phx_link *links, uint32_t slot)
{
    links[slot].next = chain->first;
    links[slot].prev = 0;
    if (chain->first) links[chain->first - 1].prev = slot + 1;
    chain->first = slot + 1;
}

static inline void phx_chain_remove(phx_chain *chain, phx_link *links, uint32_t slot)
{
    uint32_t next = links[slot].next, prev = links[slot].prev;
    if (prev) links[prev - 1].next = next;
    else chain->first = next;
    if (next) links[next - 1].prev = prev;
}

/* Gives every slot in the box, by testing all slots: for a box with so many cells that this is cheaper. */
void phx_cells_all(const phx_index *index, phx_box box, phx_sink *sink);

/* The number of cells in [x0, x1] x [y0, y1]. */
static inline uint64_t phx_cells_in(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    return (uint64_t)((int64_t)x1 - x0 + 1) * (uint64_t)((int64_t)y1 - y0 + 1);
}

#endif
