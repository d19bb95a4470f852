/*
 * The halo of a node: copies of other nodes' entities near its own ones. They are remote entities of its world, moved
 * by commands; and its own entities near a peer's regions are written for that peer in each tick. State, not
 * differences: the newest message counts, so lost, late and double ones heal. Entities go to another node in capsules,
 * by the node's hand-over.
 *
 * A round, by the thread that ticks the world: phx_halo_try_again(), phx_halo_receive() (halo_in.h) for each message,
 * phx_halo_begin_tick(), phx_halo_gain() for each entity that came and phx_halo_hear() for each broadcast, in their
 * order, the host's commands, ph_tick(), phx_halo_end_tick() (halo_table.h), phx_halo_write() to each peer,
 * phx_halo_give() for each entity beyond the regions of this node (halo_family.h). Commands go through a producer of
 * the halo's own.
 */
#ifndef PHX_CLUSTER_HALO_HALO_H
#define PHX_CLUSTER_HALO_HALO_H

#include "cluster/halo/halo_region.h"
#include "cluster/halo/halo_state.h"

void phx_halo_init(phx_halo *halo, const phx_halo_def *def);
void phx_halo_free(phx_halo *halo);

/* A new own entity, which the node holds: gives it a stay. A copy of its id leaves. Statuses of ph_enter(). */
ph_status phx_halo_enter(phx_halo *halo, uint64_t id, const ph_attrs *attrs);
/* An own entity leaves the world; the node held it. */
ph_status phx_halo_leave(phx_halo *halo, uint64_t id);
/*
 * Before the messages of a round, which may fill a small producer in each: leaves and other commands for copies that
 * found no room in the last one.
 */
void phx_halo_try_again(phx_halo *halo);
/* A tick begins: copies that were not repeated leave. */
void phx_halo_begin_tick(phx_halo *halo);
#endif
