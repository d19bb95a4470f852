/*
 * One worker's targets that wait to become events: written by event_places.c and event_naming.c, from the end of the
 * interest phase to the tick's end.
 */
#ifndef PHX_SHARDS_INTEREST_EVENT_WRITER_H
#define PHX_SHARDS_INTEREST_EVENT_WRITER_H

#include "base/simd.h"
#include "shards/entity/attach_depth.h"
#include "shards/entity/event_columns.h"
#include "shards/interest/event_causes.h"
#include "shards/interest/scratch.h"

/* Targets that wait to be ordered and written together: so the cost hardly depends on how many targets a change has. */
typedef struct phx_event_writer {
    const phx_shard *shard;
    const phx_cause_scope *scope;
    const phx_depths *depths;                            /* of attached entities; NULL: none is attached */
    const uint32_t *targets;                             /* targets that wait */
    uint32_t count, changes;                             /* their number, and the number of their changes */
    uint32_t lookups;                                    /* of causes, for the target of a leave */
    uint32_t depth_lookups;                              /* of targets in the depths */
    bool mixed;                                          /* they go to the columns of more than one consumer */
    const phx_event_columns *to[PHX_ORDER_MOST];         /* by change: its columns, */
    uint32_t observer[PHX_ORDER_MOST];                   /* the slot of its observer, */
    uint32_t passing[PHX_ORDER_MOST], passing_count;     /* changes with phx_change.passes */
    uint32_t end[PHX_ORDER_MOST], first[PHX_ORDER_MOST]; /* its end, and its first place */
    uint32_t depth[PHX_ORDER_MOST];                      /* by target: as of phx_unsorted_events, if there are depths */
    uint32_t place[PHX_ORDER_MOST + PHX_KERNEL_PAD];
} phx_event_writer;

/* Begins without waiting targets. depths: NULL while no entity is attached. */
static inline void phx_event_writer_begin(phx_event_writer *writer, const phx_shard *shard,
                                          const phx_cause_scope *scope, const phx_depths *depths)
{
    writer->shard = shard;
    writer->scope = scope;
    writer->depths = depths;
    writer->targets = NULL;
    writer->mixed = false;
    writer->count = writer->changes = writer->passing_count = 0;
    writer->lookups = writer->depth_lookups = 0; /* and nothing else: the arrays are large */
}

#endif
