/*
 * A batch from inside: the public view and the arrays behind it, writable. Made and
 * recycled by consumer_queue.c, filled by workers in phase "publish" (each its own ranges) or
 * by net_changes.c, read by the host between take and return.
 */
#ifndef PHX_WORLD_BATCH_BATCH_H
#define PHX_WORLD_BATCH_BATCH_H

#include <pharos/types.h>

#include "base/mem.h"
#include "world/batch/batch_broadcasts.h"
#include "world/batch/batch_updates.h"

/* Where a batch is; written by whoever has it. */
typedef enum phx_batch_state {
    PHX_BATCH_SPARE = 1,   /* with the ticking thread, nothing in it */
    PHX_BATCH_FILLING = 2, /* between phx_consumer_begin() and _offer() */
    PHX_BATCH_OUT = 3,     /* handed over: waiting or taken */
} phx_batch_state;

/*
 * view is the first member, so a ph_batch* converts. view.changes, .targets and .kinds
 * point to the arrays here and are kept right by phx_batch_reserve(); what the view says
 * of broadcasts and updates is taken from `mail` and `news` at the hand-over.
 *
 * incarnations[i] belongs to targets[i]: the world-wide number of that incarnation of the
 * target; the same id entering the world anew has another one. It tells "left and came
 * back in sight" (cancels in a net difference) from "died and came anew" (does not).
 */
typedef struct phx_batch {
    ph_batch view;
    ph_change *changes;
    ph_target *targets;
    uint16_t *kinds;
    uint32_t *incarnations;
    phx_batch_broadcasts mail;
    ph_edge *edges; /* activations, then crossings; of each, those that are off first */
    uint32_t edges_capacity;
    phx_batch_updates news;
    uint32_t changes_capacity;
    uint32_t targets_capacity;
    uint32_t kinds_capacity;
    uint32_t incarnations_capacity;
    phx_high_water changes_use, targets_use, kinds_use, incarnations_use;
    uint32_t magic;
    phx_batch_state state;
    bool merged;                  /* its content is in the net difference already (an offer that ran out of memory) */
    struct phx_batch *next_spare; /* list of the ticking thread */
    struct phx_batch *next_made;  /* all of a consumer, for its end */
    struct phx_leg *leg;          /* handed over on; the ticking thread's, read by the consumer's behind a take */
    struct phx_batch *taken_before, *taken_after; /* list of the consumer's thread */
} phx_batch;

/* An empty batch with no arrays. NULL = no memory. */
phx_batch *phx_batch_create(phx_mem *mem);
/* batch may be NULL. */
void phx_batch_destroy(phx_mem *mem, phx_batch *batch);
/* Room for that many; what was in the arrays is lost. false = no memory: arrays are whole, some may have grown. */
bool phx_batch_reserve(phx_mem *mem, phx_batch *batch, size_t changes, size_t targets);
/* How many edges there are of each: by (of an area, on). */
typedef struct phx_edge_size {
    uint32_t count[2][2];
} phx_edge_size;

static inline uint32_t phx_edge_total(phx_edge_size size)
{
    return size.count[0][0] + size.count[0][1] + size.count[1][0] + size.count[1][1];
}

/* Makes room for that many edges, and that many the view has; what was in them is lost. false = no memory. */
bool phx_batch_size_edges(phx_mem *mem, phx_batch *batch, phx_edge_size size);
/* Where the next edge of each sort goes, from the first place of each on. */
phx_edge_size phx_batch_edge_places(const phx_edge_size *size);

/* Puts an edge to its place. */
static inline void phx_batch_put_edge(phx_batch *batch, phx_edge_size *places, const ph_edge *edge)
{
    batch->edges[places->count[edge->area != 0][edge->on]++] = *edge;
}

/* It is spare; what it had in it, if anything, was of use, and what has been too much memory for a while goes. */
void phx_batch_trim(phx_mem *mem, phx_batch *batch);
/* It is spare: memory of its changes, mail and updates goes back. */
void phx_batch_empty(phx_mem *mem, phx_batch *batch);
/* Has it the mark of a live batch? For assertions. */
bool phx_batch_valid(const phx_batch *batch);

#endif
