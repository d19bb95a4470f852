/*
 * Faults of networks between machines (cables.h): each one harms a running cluster, checks and prints its bounds, and
 * leaves a whole cluster behind. See live_faults.h.
 */
#ifndef CLUSTER_LIVE_CABLES_H
#define CLUSTER_LIVE_CABLES_H

#include "cluster/live_faults.h"

extern const live_fault live_cable_faults[];
extern const uint32_t live_cable_fault_count;

#endif
