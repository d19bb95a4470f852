/*
 * Lines of JSON of pharos-node on the standard output, one object each: events of the cluster, of entities, and the
 * status of each second; and the file of metrics. One thread, between ticks. A reader that is too slow makes the node
 * wait.
 */
#ifndef PHX_TOOLS_NODE_LINES_H
#define PHX_TOOLS_NODE_LINES_H

#include "tools/node_host.h"

/* Numbers of the loop, since the start or, where it is said, since the last status. */
typedef struct phx_node_ticks {
    uint64_t ticks, enters, leaves;
    uint64_t late;       /* ticks that began more than a tick too late */
    uint64_t longest_ns; /* tick of the last second */
} phx_node_ticks;

/* An event of the member, if the job shows it. */
void phx_line_event(const phx_node_host *host, const phc_event *event);
/* An event of a walker, of whose peer: 0 = none; if the job shows it. */
void phx_line_entity(const phx_node_host *host, const char *what, uint64_t id, uint16_t peer);
void phx_line_status(const phx_node_host *host, const phx_node_ticks *ticks);
/* The last line: how it ended. */
void phx_line_end(const phx_node_host *host, const char *how);

/* Metrics of the member and of its world, whole or not at all. false: the file can not be written, errno says why. */
bool phx_write_metrics(const phx_node_host *host, ph_world world);

#endif
