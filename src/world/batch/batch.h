/*
 * The inside of a batch: the part that the host is given and the arrays behind it, writable. Made and recycled by
 * consumer_queue.c, filled in the publish phase by workers (each its own ranges) or by net_changes.c, read by the host
 * between take and return.
 */
#ifndef PHX_WORLD_BATCH_BATCH_H
#define PHX_WORLD_BATCH_BATCH_H

#include <pharos/types.h>

#include "base/mem.h"
#include "shards/entity/event_columns.h"
#include "world/batch/batch_broadcasts.h"
#include "world/batch/batch_updates.h"

/* State of a batch; written by its owner at the time. */
typedef enum phx_batch_state {
    PHX_BATCH_SPARE = 1,   /* owned by the ticking thread, empty */
    PHX_BATCH_FILLING = 2, /* between phx_consumer_begin() and phx_consumer_offer() */
    PHX_BATCH_OUT = 3,     /* handed over: waiting or taken */
} phx_batch_state;

/*
 * given is the first member, so a ph_batch* converts. given.changes, .targets, .kinds, .causes and .positions point to
 * the arrays here; phx_batch_reserve() updates them. Its fields of broadcasts and updates are set from
 * `broadcasts` and `updates` at the hand-over.
 *
 * columns.incarnations[i] belongs to columns.targets[i]: the world-wide number of that incarnation of the target; a
 * later stay of the same id has another one. So a target that left the view and came back (its events cancel in a net
 * difference) differs from one that left the world and entered anew (its events do not).
 */
typedef struct phx_batch {
    ph_batch given;
    ph_change *changes;
    phx_event_columns columns;    /* of targets: parts of `events` */
    void *events;                 /* the columns' memory, one piece: all of them grow, or none does */
    uint32_t incarnations_before; /* the last incarnation that was given before its tick */
    phx_batch_broadcasts broadcasts;
    ph_edge *edges; /* activation edges, then area edges; of each, `off` edges first */
    uint32_t edges_capacity;
    phx_batch_updates updates;
    uint32_t changes_capacity;
    uint32_t events_capacity;
    phx_high_water changes_use, events_use;
    uint32_t magic;
    phx_batch_state state;
    bool positioned; /* its events have positions */
    bool merged;     /* its content is in the net difference already (after an offer that ran out of memory) */
    struct phx_batch *next_spare; /* list of the ticking thread */
    struct phx_batch *next_made;  /* list of all batches of a consumer, to free them */
    struct phx_leg
        *leg; /* the leg of its hand-over; by the ticking thread, read by the consumer's thread after a take */
    struct phx_batch *taken_before, *taken_after; /* list of taken batches, of the consumer's thread */
} phx_batch;

/* Makes an empty batch without arrays; positioned: its events have positions. NULL = no memory. */
phx_batch *phx_batch_create(phx_mem *mem, bool positioned);
/* batch may be NULL. */
void phx_batch_destroy(phx_mem *mem, phx_batch *batch);
/* Room for so many; the content is lost. false = no memory: the arrays are valid, and may have grown, or have no room.
 */
bool phx_batch_reserve(phx_mem *mem, phx_batch *batch, size_t changes, size_t targets);
/* Numbers of edges: by (of an area, on). */
typedef struct phx_edge_size {
    uint32_t count[2][2];
} phx_edge_size;

static inline uint32_t phx_edge_total(phx_edge_size size)
{
    return size.count[0][0] + size.count[0][1] + size.count[1][0] + size.count[1][1];
}

/* Makes room for so many edges, and sets their counts; the content is lost. false = no memory. */
bool phx_batch_size_edges(phx_mem *mem, phx_batch *batch, phx_edge_size size);
/* The place of the next edge of each sort: at first, the first place of each. */
phx_edge_size phx_batch_edge_places(const phx_edge_size *size);

/* Puts an edge into its place. */
static inline void phx_batch_put_edge(phx_batch *batch, phx_edge_size *places, const ph_edge *edge)
{
    batch->edges[places->count[edge->area != 0][edge->on]++] = *edge;
}

/* For a spare batch: gives back memory that was too much for a while; the content, if any, counts as use. */
void phx_batch_trim(phx_mem *mem, phx_batch *batch);
/* For a spare batch: gives back the memory of changes, broadcasts and updates. */
void phx_batch_empty(phx_mem *mem, phx_batch *batch);
/* Has it the mark of a live batch? For assertions. */
bool phx_batch_valid(const phx_batch *batch);

#endif
