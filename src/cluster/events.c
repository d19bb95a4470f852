/*
 * Events as items of a queue: the event, then the state; see events.h.
 */
#include "cluster/events.h"

#include <string.h>

bool phx_events_push(phx_item_queue *events, const phx_node_event *event)
{
    unsigned char *item = phx_item_queue_push(events, (uint32_t)sizeof *event + event->state_bytes);
    if (!item) return false;
    memcpy(item, event, sizeof *event);
    if (event->state_bytes > 0) memcpy(item + sizeof *event, event->state, event->state_bytes);
    return true;
}

phx_node_event phx_events_first(const phx_item_queue *events)
{
    const phx_item item = phx_item_queue_first(events);
    phx_node_event event;
    memcpy(&event, item.bytes, sizeof event);
    event.state = item.bytes + sizeof event;
    return event;
}
