/*
 * Metrics of a node, written into a file for a collector. Called by the loop, on its thread.
 */
#ifndef PHX_TOOLS_NODE_METRICS_H
#define PHX_TOOLS_NODE_METRICS_H

#include "tools/node_host.h"

/* Metrics of the member and of its world, if it has one, whole or not at all. false: the file can not be written, errno
 * says why. */
bool phx_write_metrics(const phx_node_host *host, ph_world world);

#endif
