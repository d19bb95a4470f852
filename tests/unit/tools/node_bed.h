/*
 * A common world of one node and one gateway within the process, for tests of pharos-node's parts: both are members of
 * its map. One thread.
 */
#ifndef UNIT_TOOLS_NODE_BED_H
#define UNIT_TOOLS_NODE_BED_H

#include "tools/node_host.h"

typedef struct node_bed {
    phc_loop *loop;
    phc_memory *memory;
    ph_world world;
    phc *node, *gateway;
    phc_transport transports[2];
    phc_store stores[2];
    uint64_t now_ns;
} node_bed;

void node_bed_open(node_bed *bed);
/* Some rounds of both members, and of the world. */
void node_bed_run(node_bed *bed);
void node_bed_close(node_bed *bed);

#endif
