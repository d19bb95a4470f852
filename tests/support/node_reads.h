/*
 * Reads of a node that tests share: its next event, as hosts take them, and may its host save states now?
 */
#ifndef PHX_TESTS_SUPPORT_NODE_READS_H
#define PHX_TESTS_SUPPORT_NODE_READS_H

#include "cluster/node/node.h"

/* Takes the event; its bytes stay until the next one comes. false: there is none. */
static inline bool take_next_event(phx_node *node, phx_node_event *event)
{
    if (node->events.count == 0) return false;
    *event = phx_events_of(phx_item_queue_first(&node->events));
    phx_item_queue_pop(&node->events);
    return true;
}

static inline bool may_save_now(const phx_node *node)
{
    return node->now < phx_node_saves_until(node);
}

#endif
