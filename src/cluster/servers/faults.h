/*
 * Seeded faults of the transport and the store within a process. Used by their owners' thread.
 */
#ifndef PHX_CLUSTER_SERVERS_FAULTS_H
#define PHX_CLUSTER_SERVERS_FAULTS_H

#include <pharos/cluster.h>

#include "base/rng.h"

enum { PHX_FAULT_ALWAYS = 1000 };

static inline bool phx_faults_are_good(const phc_faults *faults)
{
    return faults->lost <= PHX_FAULT_ALWAYS && faults->doubled <= PHX_FAULT_ALWAYS &&
           faults->late <= PHX_FAULT_ALWAYS && (faults->late == 0 || faults->late_steps > 0) &&
           phx_is_zero(faults->reserved, sizeof faults->reserved);
}

/* A draw of 1000; the seed is its state. */
static inline bool phx_fault_is_drawn(phc_faults *faults, uint32_t chance)
{
    return chance > 0 && phx_rng_below(&faults->seed, PHX_FAULT_ALWAYS) < chance;
}

/* Steps that a message or an answer comes late. */
static inline uint32_t phx_fault_late_steps(phc_faults *faults)
{
    return phx_fault_is_drawn(faults, faults->late) ? 1 + phx_rng_below(&faults->seed, faults->late_steps) : 0;
}

#endif
