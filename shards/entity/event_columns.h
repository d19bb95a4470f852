/*
 * Columns of the targets of events, side by side, as in a batch. Written in the publish phase, by the worker of the
 * range.
 */
#ifndef PHX_SHARDS_ENTITY_EVENT_COLUMNS_H
#define PHX_SHARDS_ENTITY_EVENT_COLUMNS_H

#include <pharos/types.h>

#include "base/core.h"

/* Columns of events' targets, side by side. */
typedef struct phx_event_columns {
    ph_target *targets;
    uint32_t *incarnations;
    uint16_t *kinds;
    uint8_t *causes;        /* ph_cause */
    ph_position *positions; /* NULL: left out */
} phx_event_columns;

/* Was this incarnation one of the `given` ones that followed `before`? Incarnations wrap. */
static inline bool phx_incarnation_since(uint32_t incarnation, uint32_t before, uint32_t given)
{
    return incarnation - before - 1 < given;
}

/* The columns from a place on. */
static inline phx_event_columns phx_event_columns_from(const phx_event_columns *columns, uint32_t first)
{
    return (phx_event_columns){columns->targets + first, columns->incarnations + first, columns->kinds + first,
                               columns->causes + first, columns->positions ? columns->positions + first : NULL};
}

/*
 * Prefetches the lines where the events first .. end go, once each if ranges follow each other: stores in five columns
 * wait for their lines one by one.
 */
PHX_PREFETCH_INLINE void phx_event_columns_await(const phx_event_columns *to, uint32_t first, uint32_t end)
{
    enum { LINE = PHX_CACHE_LINE, GROUP = LINE / sizeof *to->incarnations }; /* events with one line of these */
    for (uint32_t at = (first + GROUP - 1) / GROUP * GROUP; at < end; at += GROUP) {
        const char *targets = (const char *)&to->targets[at], *positions = (const char *)to->positions;
        for (uint32_t i = 0; i < GROUP * sizeof *to->targets; i += LINE) __builtin_prefetch(targets + i, 1);
        for (uint32_t i = 0; positions && i < GROUP * sizeof *to->positions; i += LINE)
            __builtin_prefetch(positions + at * sizeof *to->positions + i, 1);
        __builtin_prefetch(&to->incarnations[at], 1);
        __builtin_prefetch(&to->kinds[at], 1);
        __builtin_prefetch(&to->causes[at], 1);
    }
}

#endif
