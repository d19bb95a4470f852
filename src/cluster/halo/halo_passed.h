/*
 * Entities that this node has given away and copies to peers still. One is copied while it is on its way: else no node
 * would do so. And for `passed_ticks` more: a peer may hear this node's newest messages, from behind the hand-over, and
 * the receiver's last ones from before it, and all between them are lost. It would have no copy then, and no node would
 * be late. With more ticks than a copy may be old, either the peer has heard of the entity from one of both, or one of
 * both is late. A part of the halo, on its thread.
 */
#ifndef PHX_CLUSTER_HALO_HALO_PASSED_H
#define PHX_CLUSTER_HALO_HALO_PASSED_H

#include "cluster/halo/halo_state.h"

/* An entity is on its way from now on; phx_halo_reserve_copies() has made room. */
void phx_halo_note_passed(phx_halo *halo, const phx_halo_entity *entity);
/* Is it on its way, not known to be its receiver's? */
bool phx_halo_is_sending(const phx_halo *halo, uint64_t id);
/* Is an entity that is not own copied to peers? */
bool phx_halo_passes(const phx_halo *halo, const phx_halo_entity *entity);
/* Is any copied still? Also where no messages are written any more, as the node may not act. */
bool phx_halo_passes_any(const phx_halo *halo);
/*
 * Before the messages of a tick are written: forgets the ones that are copied no more, adds the regions where the
 * others stand, and notes halo->settled_version.
 */
void phx_halo_mend_passed(phx_halo *halo, phx_region_set *stood);

#endif
