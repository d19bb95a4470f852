/*
 * Lines of JSON of pharos-node on the standard output, one object each: events of the cluster, of entities, and the
 * status of each second; and the file of metrics. One thread, between ticks. A reader that is too slow makes the node
 * wait.
 */
#ifndef PHX_TOOLS_NODE_LINES_H
#define PHX_TOOLS_NODE_LINES_H

#include "tools/client_feed.h"
#include "tools/node_host.h"

enum { PHX_RECENT_TICKS_MAX = 1024 }; /* more in a second are not kept */

/* Numbers of the loop, since the start or, where it is said, since the last status. */
typedef struct phx_node_ticks {
    uint64_t ticks, enters, leaves;
    uint64_t late;           /* ticks that began more than a tick too late */
    uint64_t reconnects;     /* to NATS, of all connections of the process */
    uint64_t longest_ns;     /* tick of the last second */
    uint64_t lease_least_ns; /* that the lease was still proven for, in the last second */
    uint32_t recent_us[PHX_RECENT_TICKS_MAX], recent_count; /* durations of ticks of the last second, */
    uint32_t recent_asleep_us[PHX_RECENT_TICKS_MAX];        /* and of them the time in which the thread slept */
} phx_node_ticks;

/* An event of the member, if the job shows it. */
void phx_line_event(const phx_node_host *host, const phc_event *event);
/* An event of a walker, of whose peer: 0 = none; if the job shows it. */
void phx_line_entity(const phx_node_host *host, const char *what, uint64_t id, uint16_t peer);
void phx_line_status(const phx_node_host *host, ph_world world, const phx_node_ticks *ticks);
/* A gateway's status, and its line of a walker that it hears of from another owner; was: what it had heard before. */
void phx_line_gateway(const phx_node_host *host, const phx_node_ticks *ticks, const phx_gateway_counts *counts);
void phx_line_seen(const phx_node_host *host, const phx_walker_state *state, const phx_walker_state *was,
                   uint64_t gap_ms);
/* A gateway, or a node, is of a version with another format of their messages. */
void phx_line_other_format(const phx_node_host *host, uint32_t format);
/* phc_may_commit() is another one than before. */
void phx_line_commit(const phx_node_host *host);
/* The last line: how it ended. */
void phx_line_end(const phx_node_host *host, const char *how);

#endif
