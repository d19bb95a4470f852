/*
 * Messages of peers that come to a halo. Called on the thread that ticks the world, between phx_halo_try_again() and
 * phx_halo_begin_tick().
 */
#ifndef PHX_CLUSTER_HALO_HALO_IN_H
#define PHX_CLUSTER_HALO_HALO_IN_H

#include "cluster/halo/halo_state.h"

/* Takes one message, of any bytes. */
void phx_halo_receive(phx_halo *halo, const void *bytes, size_t size);

#endif
