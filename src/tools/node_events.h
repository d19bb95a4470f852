/*
 * Within pharos-node: the events of the member, each to the walkers, the census and the lines. One thread, behind
 * phc_tick().
 */
#ifndef PHX_TOOLS_NODE_EVENTS_H
#define PHX_TOOLS_NODE_EVENTS_H

#include "tools/node_host.h"

/* All events that wait. */
void phx_node_hear(phx_node_host *host);

#endif
