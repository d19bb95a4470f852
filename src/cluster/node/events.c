/*
 * Events as items of a queue: the event, the followers, the state; see events.h.
 */
#include "cluster/node/events.h"

#include <string.h>

bool phx_events_push(phx_item_queue *events, const phx_node_event *event)
{
    const phx_offer *offer = &event->offer;
    const size_t followers = offer->follower_count * sizeof(uint64_t);
    unsigned char *item = phx_item_queue_push(events, (uint32_t)(sizeof *event + followers + offer->state_bytes));
    if (!item) return false;
    memcpy(item, event, sizeof *event);
    if (followers > 0) memcpy(item + sizeof *event, offer->followers, followers);
    if (offer->state_bytes > 0) memcpy(item + sizeof *event + followers, offer->state, offer->state_bytes);
    return true;
}

phx_node_event phx_events_of(phx_item item)
{
    phx_node_event event;
    memcpy(&event, item.bytes, sizeof event);
    event.offer.followers = item.bytes + sizeof event;
    event.offer.feeds = NULL; /* the holdings have them */
    event.offer.state = event.offer.followers + event.offer.follower_count * sizeof(uint64_t);
    return event;
}

phx_node_event phx_events_first(const phx_item_queue *events)
{
    return phx_events_of(phx_item_queue_first(events));
}
