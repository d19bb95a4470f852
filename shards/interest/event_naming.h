/*
 * Event naming: the targets of changes are ordered and written as events, many at a time. From the end of the interest
 * phase to the tick's end, any worker.
 */
#ifndef PHX_SHARDS_INTEREST_EVENT_NAMING_H
#define PHX_SHARDS_INTEREST_EVENT_NAMING_H

#include "shards/interest/event_writer.h"

/*
 * Adds the targets of a change, at least one; the columns stay until they are flushed. They become events from the
 * first place on: leaves by depth, the largest first, then kind, then id; enters by depth, the smallest first, then
 * kind, then id. They are written now or by
 * phx_event_writer_flush(). From the end of the interest phase to the tick's end, any worker.
 */
void phx_event_writer_add(phx_event_writer *writer, const phx_scratch *scratch, const phx_change *change,
                          const phx_event_columns *to, uint32_t first);

/* Writes the targets that wait. */
void phx_event_writer_flush(phx_event_writer *writer);

#endif
