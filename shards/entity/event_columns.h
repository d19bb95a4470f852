/*
 * Columns of the targets of events, side by side, as in a batch. A type alone.
 */
#ifndef PHX_SHARDS_ENTITY_EVENT_COLUMNS_H
#define PHX_SHARDS_ENTITY_EVENT_COLUMNS_H

#include <pharos/types.h>

/* Columns of events' targets, side by side. */
typedef struct phx_event_columns {
    ph_target *targets;
    uint16_t *kinds;
    uint32_t *incarnations;
} phx_event_columns;

#endif
