/*
 * Pins: ids that a node needs at any distance. Each stands at a place, and a peer is told of the places that have
 * changed since the tick of which it has said that it has all of them: so steady pins cost no byte, and what is lost,
 * late or doubled is told again or changes nothing. Called by the halo, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_HALO_HALO_PINS_H
#define PHX_CLUSTER_HALO_HALO_PINS_H

#include "cluster/halo/halo_state.h"

/*
 * An id that this node needs at any distance, as it is related to an own entity; or no more. PH_CAPACITY:
 * PHX_HALO_PINS_MAX are there; PH_NO_MEMORY.
 */
ph_status phx_halo_pin(phx_halo *halo, uint64_t id, bool on);

/* Places that have changed since a tick of this node. */
uint32_t phx_halo_count_pins(const phx_halo *halo, uint64_t since);
/* Writes them. */
void phx_halo_put_pins(const phx_halo *halo, uint64_t since, phx_writer *writer);
/* The first message of a tick of the peer has come: takes the places in it. */
void phx_halo_take_pins(phx_halo *halo, phx_halo_peer *peer, const phx_halo_head *head, const phx_halo_parts *parts);
/* Does the peer need that id? */
bool phx_halo_pins_have(const phx_halo_peer *peer, uint64_t id);
/* The peer is forgotten. */
void phx_halo_forget_pins(phx_halo *halo, phx_halo_peer *peer);

#endif
