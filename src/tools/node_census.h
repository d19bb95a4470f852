/*
 * The census within pharos-node: asks all nodes which of the walkers they have. A walker that none has is entered at
 * its home by the node of that place, or, where regions of a dead node are to be restored, in such a region. One
 * thread, between ticks. Its state is the host's.
 */
#ifndef PHX_TOOLS_NODE_CENSUS_H
#define PHX_TOOLS_NODE_CENSUS_H

#include "tools/node_host.h"

/* The next question, if a census is wanted; behind phx_node_hear(). */
void phx_census_ask(phx_node_host *host);
/* An answer: PHC_EVENT_WHO_HAS. */
void phx_census_take(phx_node_host *host, const phc_event *event);

#endif
