/*
 * Columns of the targets of events, side by side, as in a batch. Written in the publish phase, by the worker of the
 * range.
 */
#ifndef PHX_SHARDS_ENTITY_EVENT_COLUMNS_H
#define PHX_SHARDS_ENTITY_EVENT_COLUMNS_H

#include <pharos/types.h>

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

#endif
