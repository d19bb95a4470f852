/*
 * Events that a node has for its host, in order. Filled by the node's calls, taken by the host between them, by one
 * thread at a time.
 */
#ifndef PHX_CLUSTER_NODE_EVENTS_H
#define PHX_CLUSTER_NODE_EVENTS_H

#include "cluster/wire/item_queue.h"
#include "cluster/wire/wire.h"

typedef enum phx_node_event_kind {
    PHX_NODE_GAINED = 1, /* an entity came from a peer: own from now on, in place of an own one of its id */
    PHX_NODE_TAKEN_BACK =
        2, /* an entity was on its way to a peer that is dead: own again, with the state it was sent with */
    PHX_NODE_DUPLICATE = 3, /* as one of the two above, but all of the offer were dropped */
    PHX_NODE_RESTORE = 4,   /* a node is dead, and heard no more: entities of a region may have been lost with it */
    PHX_NODE_SAID = 5       /* a peer broadcasts: the item is the offer's state, and the offer has nothing else */
} phx_node_event_kind;

typedef struct phx_node_event {
    phx_node_event_kind kind;
    uint32_t region, lost; /* PHX_NODE_RESTORE: the region, and phx_region.lost */
    uint64_t peer;         /* the registration that an entity came from, or was on its way to, */
    uint16_t number;       /* ... and its number, as the peer may be forgotten before the event is taken */
    uint64_t sequence;     /* of the item that it came in; 0: taken back */
    uint64_t taking;       /* phx_holding.taking of what it brought */
    phx_place_set dropped; /* of the offer: another one of their id, on its way from here or taken for it, stays */
    uint32_t dropped_count;
    phx_offer offer; /* the entity, its followers and its state; good until the next call with this node */
} phx_node_event;

/* Drops one of its entities; PHX_NODE_DUPLICATE once it was all of them. */
void phx_event_drop(phx_node_event *event, uint32_t place);
/* Was the one of that id among its entities dropped? */
bool phx_event_drops(const phx_node_event *event, uint64_t id);
/* Has any of them dropped one of that id from a family? It comes with the others, and leaves. Looks at all of them. */
typedef enum phx_events_answer {
    PHX_EVENTS_DROP_NONE = 0, /* nor any other one */
    PHX_EVENTS_DROP_OTHERS = 1,
    PHX_EVENTS_DROP_IT = 2
} phx_events_answer;
phx_events_answer phx_events_drop(const phx_item_queue *events, uint64_t id);
/* Copies the event, with followers and state. false: no memory, unchanged. */
bool phx_events_push(phx_item_queue *events, const phx_node_event *event);
/* The event of an item. */
phx_node_event phx_events_of(phx_item item);

#endif
