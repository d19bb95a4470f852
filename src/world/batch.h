/*
 * A batch from inside: the public view and the arrays behind it, writable. Made and
 * recycled by consumer.c, filled by workers in phase "publish" (each its own ranges) or
 * by coalesce.c, read by the host between take and return.
 */
#ifndef PHX_WORLD_BATCH_H
#define PHX_WORLD_BATCH_H

#include <pharos/types.h>

#include "base/mem.h"
#include "world/mail.h"

/* Where a batch is; written by whoever has it. */
typedef enum phx_batch_state {
    PHX_BATCH_SPARE = 1,   /* with the ticking thread, nothing in it */
    PHX_BATCH_FILLING = 2, /* between phx_consumer_begin() and _offer() */
    PHX_BATCH_OUT = 3,     /* handed over: waiting or taken */
} phx_batch_state;

/*
 * view is the first member, so a ph_batch* converts. view.changes, .targets and .kinds
 * point to the arrays here and are kept right by phx_batch_reserve(); what the view says
 * of broadcasts is taken from `mail` at the hand-over.
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
    phx_mail mail;
    uint32_t changes_capacity;
    uint32_t targets_capacity;
    uint32_t kinds_capacity;
    uint32_t incarnations_capacity;
    uint32_t magic;
    phx_batch_state state;
    bool merged;                  /* its content is in the net difference already (an offer that ran out of memory) */
    struct phx_batch *next_spare; /* list of the ticking thread */
    struct phx_batch *next_made;  /* all of a consumer, for its end */
} phx_batch;

/* An empty batch with no arrays. NULL = no memory. */
phx_batch *phx_batch_create(phx_mem *mem);
/* batch may be NULL. */
void phx_batch_destroy(phx_mem *mem, phx_batch *batch);
/* Room for that many; what was in the arrays is lost. false = no memory: arrays are whole, some may have grown. */
bool phx_batch_reserve(phx_mem *mem, phx_batch *batch, size_t changes, size_t targets);
/* Has it the mark of a live batch? For assertions. */
bool phx_batch_valid(const phx_batch *batch);

#endif
