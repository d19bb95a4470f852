/*
 * Targets of changes on their way to events: ordered and written many at a time. Between interest phase and end, any
 * worker.
 */
#ifndef PHX_SHARDS_INTEREST_EVENT_NAMING_H
#define PHX_SHARDS_INTEREST_EVENT_NAMING_H

#include "base/simd.h"
#include "shards/entity/event_columns.h"
#include "shards/interest/scratch.h"

/*
 * The targets of changes on their way to events: ordered and written many at a time, for little hangs then on how many
 * a change has.
 */
typedef struct phx_event_writer {
    const phx_shard *shard;
    const uint32_t *targets;                             /* those that wait */
    uint32_t count, changes;                             /* how many, and of how many changes */
    bool mixed;                                          /* these go to more than one's columns */
    phx_event_columns to[PHX_ORDER_MOST];                /* by change, as */
    uint32_t end[PHX_ORDER_MOST], first[PHX_ORDER_MOST]; /* these */
    uint32_t place[PHX_ORDER_MOST + PHX_KERNEL_PAD];
} phx_event_writer;

/* Nothing waits. */
static inline void phx_event_writer_begin(phx_event_writer *naming, const phx_shard *shard)
{
    naming->shard = shard;
    naming->targets = NULL;
    naming->mixed = false;
    naming->count = naming->changes = 0; /* and nothing else */
}

/*
 * The targets of a change, which has some, become events, from the first on: each of the leaves, and each of the
 * enters, by kind, then id. Written now or by phx_event_writer_flush(). Between interest phase and end, any worker.
 */
void phx_event_writer_add(phx_event_writer *naming, const phx_scratch *scratch, const phx_change *change,
                          const phx_event_columns *to, uint32_t first);

/* Writes what waits. */
void phx_event_writer_flush(phx_event_writer *naming);

#endif
