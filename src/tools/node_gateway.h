/*
 * A gateway within pharos-node: the newest state of each walker, as its clients would see it. A state of a lower
 * ownership, or of fewer steps with the same one, is dropped: it is late, or of a node that is no owner any more. And
 * the list of each walker, as its client is shown it: see client_feed.h. Behind a map that was lost all of them begin
 * anew. One thread, between phc_tick() and phc_told().
 */
#ifndef PHX_TOOLS_NODE_GATEWAY_H
#define PHX_TOOLS_NODE_GATEWAY_H

#include "tools/node_feed.h"

typedef struct phx_gateway_walker {
    phx_walker_state state; /* id 0 = not heard of */
    uint64_t heard_ms;      /* 0 = never */
    phx_client_feed client;
} phx_gateway_walker;

typedef struct phx_node_gateway {
    const phx_node_host *host; /* without walkers */
    phc_transport feed;
    phx_gateway_walker *walkers; /* by id - 1 */
    phx_gateway_counts counts;
    char changes_subject[PHC_SUBJECT_MAX + 1];
    uint64_t version;    /* of the map; 0: it has none yet */
    uint32_t listens;    /* to so many kinds: to states, then to changes */
    uint32_t next_asked; /* place of the walker that questions of the next round begin with */
} phx_node_gateway;

struct phx_node_ticks;

/* The host has its member. PH_NO_MEMORY: phx_gateway_close() is still called, as for one that was never opened. */
PH_NODISCARD ph_status phx_gateway_open(phx_node_gateway *gateway, const phx_node_host *host,
                                        const phc_transport *feed);
/*
 * States and changes that came, at most some thousand messages: a round that takes as many is counted as full, and more
 * may wait. Messages of a node that is in no map are dropped. Where a client misses a change, its walker's owner is
 * asked for the list; of more than a round asks for, the next round goes on behind the last one.
 */
void phx_gateway_hear(phx_node_gateway *gateway);
/* The line of a status; gaps of the next one begin anew. */
void phx_gateway_tell_status(phx_node_gateway *gateway, const struct phx_node_ticks *ticks);
void phx_gateway_close(phx_node_gateway *gateway);

#endif
