/*
 * Events as items of a queue: the event, the followers, the state; see events.h.
 */
#include "cluster/node/events.h"

#include <string.h>

void phx_event_drop(phx_node_event *event, uint32_t place)
{
    phx_place_set_add(&event->dropped, place);
    if (event->dropped_count++ == event->offer.follower_count) event->kind = PHX_NODE_DUPLICATE;
}

bool phx_event_drops(const phx_node_event *event, uint64_t id)
{
    if (event->dropped_count == 0) return false;
    for (uint32_t i = 0; i <= event->offer.follower_count; i++)
        if (phx_wire_offer_id(&event->offer, i) == id) return phx_place_set_has(&event->dropped, i);
    return false;
}

phx_events_answer phx_events_drop(const phx_item_queue *events, uint64_t id)
{
    phx_item item = {0};
    phx_events_answer answer = PHX_EVENTS_DROP_NONE;
    for (uint32_t i = 0; i < events->count; i++) {
        item = i == 0 ? phx_item_queue_first(events) : phx_item_queue_after(item);
        const phx_node_event event = phx_events_of(item);
        if (event.kind == PHX_NODE_DUPLICATE || event.dropped_count == 0) continue;
        if (phx_event_drops(&event, id)) return PHX_EVENTS_DROP_IT;
        answer = PHX_EVENTS_DROP_OTHERS;
    }
    return answer;
}

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
