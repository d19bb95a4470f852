/*
 * An id that two hosts have entered. See live_faults.h.
 */
#ifndef CLUSTER_LIVE_DOUBLES_H
#define CLUSTER_LIVE_DOUBLES_H

#include "cluster/live_nodes.h"

/*
 * Three nodes of another common world, on the same servers: two of them enter the same id, near their border. Each is
 * told so once, within the bound, and counts it; the third one is not.
 */
void live_double_id(live_cluster *cluster, uint64_t *random);

#endif
