/*
 * Doubles: entities of one id that two hosts have entered. Where two of them meet one stays, and the host there is told
 * of the other one. Which one stays both nodes say alike, so of two that go to each other's node at once one stays.
 * Used by the hand-over, by one thread at a time.
 */
#ifndef PHX_CLUSTER_NODE_DOUBLES_H
#define PHX_CLUSTER_NODE_DOUBLES_H

#include "cluster/node/node.h"

/*
 * Does a void entity of an offer end here? A capsule comes whole: so beside others, where one of its id is own, it
 * comes as any double does.
 */
bool phx_doubles_end_void(const phx_node *node, const phx_offer *offer, uint32_t place);
/* Drops of an offer that came all that end as void, or that phx_rule_drops() for one of their id on its way from here.
 */
void phx_doubles_drop(const phx_node *node, phx_node_event *event);
/*
 * Takes one that was not dropped; room was reserved. Where its id is own here it takes that one's place, and has both
 * owners before it: so its ownership is above both. One that is on its way from here becomes void: unless its receiver
 * has it already, it ends where it comes, or comes back, also where the ack of the one that was taken here came before.
 */
void phx_doubles_take(phx_node *node, phx_holding taken);

#endif
