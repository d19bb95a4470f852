/*
 * The events file: the events of a tick, out of the engine's batches, sorted by observer,
 * event (leave, enter, out, in, asleep, awake) and target, one CSV line each. Owned by a replay; used
 * between ticks.
 */
#ifndef PHX_TOOLS_REPLAY_EVENTS_H
#define PHX_TOOLS_REPLAY_EVENTS_H

#include <pharos/types.h>

#include "base/mem.h"
#include "tools/out_file.h"

/* All the leaves, or all the enters, of one observer in one record of a batch. */
typedef struct phx_event_group {
    uint64_t observer;
    uint32_t event; /* PHX_EVENT_LEAVE, PHX_EVENT_ENTER, or of an edge */
    uint32_t first; /* in rows */
    uint32_t count;
} phx_event_group;

/* A target, or an area; what its event has beside is written only if the sheet shows it. */
typedef struct phx_event_row {
    uint64_t id;
    ph_position at;
    uint8_t cause;
} phx_event_row;

/* The columns of events behind the first four. */
typedef struct phx_event_shows {
    bool causes, positions;
} phx_event_shows;

/* The events of one tick. All zero but mem and shows = empty. */
typedef struct phx_event_sheet {
    phx_mem *mem;
    phx_event_group *groups;
    phx_event_shows shows;
    phx_event_row *rows;   /* as they came */
    phx_event_row *sorted; /* as they are written */
    uint32_t group_count, group_capacity;
    uint32_t row_count, row_capacity;
    uint32_t sorted_capacity;
} phx_event_sheet;

void phx_event_header(phx_event_shows shows, phx_out *out);

/* Copies the batch's events. false = no memory. */
PH_NODISCARD bool phx_event_sheet_add(phx_event_sheet *sheet, const ph_batch *batch);

/* Writes the added events, sorted, as events of `tick`, and drops them. false = no memory. */
PH_NODISCARD bool phx_event_sheet_write(phx_event_sheet *sheet, uint64_t tick, phx_out *out);

void phx_event_sheet_release(phx_event_sheet *sheet);

#endif
