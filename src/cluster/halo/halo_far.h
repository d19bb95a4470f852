/*
 * Own entities that are seen from far: global ones, and ones with a reach beyond the halo's width. They are written for
 * all peers. Between two ticks, by the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_HALO_HALO_FAR_H
#define PHX_CLUSTER_HALO_HALO_FAR_H

#include "cluster/halo/halo_state.h"

/* Within so many ticks an entity is seen from far that the host has set so. New ones are at once. */
enum { PHX_HALO_LOOK_TICKS = 256 };
/* The same at once, with the next messages. PH_UNKNOWN_ID: it is not own; PH_NO_MEMORY. */
ph_status phx_halo_look(phx_halo *halo, uint64_t id);
/* Before the messages of a tick are written: which ones are in phx_halo.far, and in phx_halo.missed. */
void phx_halo_find_far(phx_halo *halo);

#endif
