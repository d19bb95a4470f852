/*
 * Event naming: the targets of changes are ordered and written as events, many at a time. From the end of the interest
 * phase to the tick's end, any worker.
 */
#ifndef PHX_SHARDS_INTEREST_EVENT_NAMING_H
#define PHX_SHARDS_INTEREST_EVENT_NAMING_H

#include "base/simd.h"
#include "shards/entity/event_columns.h"
#include "shards/interest/event_causes.h"
#include "shards/interest/scratch.h"

/* Targets that wait to be ordered and written together: so the cost hardly depends on how many targets a change has. */
typedef struct phx_event_writer {
    const phx_shard *shard;
    const phx_cause_scope *scope;
    const uint32_t *targets;                             /* targets that wait */
    uint32_t count, changes;                             /* their number, and the number of their changes */
    uint32_t lookups;                                    /* leaves whose target was looked at for its cause */
    bool mixed;                                          /* they go to the columns of more than one consumer */
    const phx_event_columns *to[PHX_ORDER_MOST];         /* by change: its columns, */
    uint32_t observer[PHX_ORDER_MOST];                   /* the slot of its observer, */
    uint32_t end[PHX_ORDER_MOST], first[PHX_ORDER_MOST]; /* its end, and its first place */
    uint32_t place[PHX_ORDER_MOST + PHX_KERNEL_PAD];
} phx_event_writer;

/* Begins without waiting targets. */
static inline void phx_event_writer_begin(phx_event_writer *writer, const phx_shard *shard,
                                          const phx_cause_scope *scope)
{
    writer->shard = shard;
    writer->scope = scope;
    writer->targets = NULL;
    writer->mixed = false;
    writer->count = writer->changes = writer->lookups = 0; /* and nothing else: the arrays are large */
}

/*
 * Adds the targets of a change, at least one; the columns stay until they are flushed. They become events from the
 * first place on: leaves by kind, then id; enters by kind, then id. They are written now or by
 * phx_event_writer_flush(). From the end of the interest phase to the tick's end, any worker.
 */
void phx_event_writer_add(phx_event_writer *writer, const phx_scratch *scratch, const phx_change *change,
                          const phx_event_columns *to, uint32_t first);

/* Writes the targets that wait. */
void phx_event_writer_flush(phx_event_writer *writer);

#endif
