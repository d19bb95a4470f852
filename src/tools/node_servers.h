/*
 * What a node says of its servers: NATS and etcd.
 */
#ifndef PHX_TOOLS_NODE_SERVERS_H
#define PHX_TOOLS_NODE_SERVERS_H

#include "tools/node_host.h"

typedef struct phx_node_servers {
    uint64_t failed;         /* requests, as the first list came */
    bool answers;            /* a list has come */
    bool joined;             /* it is a member, or was: its store has taken writes */
    bool is_silent, refuses; /* said once each */
    uint32_t unconnected;    /* calls in a row */
} phx_node_servers;

/*
 * Lines on the standard error of a node that has run for so long, called once a second: it has no connection to NATS,
 * reaches no etcd, or etcd takes no write. Then the node waits for ever, and its other lines look well.
 */
void phx_node_servers_tell(phx_node_servers *of, const phx_node_job *job, const phc *member, uint64_t ran_ms);
/* Connections to NATS that came back, of both transports; a node without --feed has one. */
uint64_t phx_node_servers_reconnects(const phc_transport *member, const phc_transport *feed);

#endif
