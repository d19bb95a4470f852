/*
 * Entities of a halo that go to another node, and come from one: each with all that are attached to it, and with the
 * bytes that the host packed. Between ticks, by the thread that ticks the world; called by the rounds of a member.
 */
#ifndef PHX_CLUSTER_HALO_HALO_FAMILY_H
#define PHX_CLUSTER_HALO_HALO_FAMILY_H

#include "cluster/halo/family.h"
#include "cluster/halo/halo_state.h"

/*
 * Hands an own entity over to the node with that number, with its family: they are remote here from now on. Statuses of
 * ph_export() and phx_hand_over_send(): nothing changed. PH_TOO_LARGE too: the family, or the host's bytes. PH_BUSY
 * too: one that arrives, as another one of its id may stand in the world. *family, if it went, has its members; good
 * until the next message of the halo is written.
 */
ph_status phx_halo_give(phx_halo *halo, uint64_t id, uint16_t number, phx_family *family);
/*
 * A family that the node gained, or took back; *family: its members, and the ones that came in place of own ones. Those
 * that were dropped come with it, and leave in the same tick. PH_BAD_VALUE: its state is none; else a status of
 * ph_leave() and ph_import(), to be tried again. waits: it is own, and not imported, as if the world had refused it.
 */
ph_status phx_halo_gain(phx_halo *halo, const phx_node_event *event, bool waits, phx_family *family);
/*
 * Once more, as the world has refused it. Members that are not phx_halo_entity.arrives any more have left meanwhile,
 * and leave again, in the same tick: no id of them is own. Statuses as before.
 */
ph_status phx_halo_gain_again(phx_halo *halo, const phx_node_event *event, phx_family *family);
/*
 * Before phx_halo_gain_again() of a family that the world has refused: what the host has under its ids is remote in
 * the next tick, with no attachment. An entity that changes its side loses all of them; one that was remote changes
 * twice, and stays in all lists. Else a status of ph_set(), to be tried again.
 */
ph_status phx_halo_clear(phx_halo *halo, const phx_offer *offer);

#endif
