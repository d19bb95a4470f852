/*
 * Messages of a halo to the peers: its own entities near their regions, the ones that they need, the ones that are seen
 * from far. Between two ticks, by the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_HALO_HALO_OUT_H
#define PHX_CLUSTER_HALO_HALO_OUT_H

#include "cluster/halo/halo_state.h"

/* Sends a message to a registration. */
typedef void (*phx_halo_send_fn)(void *user, uint64_t target, const void *bytes, size_t size);
/* Writes the messages of the last tick to all peers, between ticks. */
void phx_halo_write(phx_halo *halo, phx_halo_send_fn send, void *user);

#endif
