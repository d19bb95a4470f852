/*
 * Searches of the world for a halo: which regions are searched, and for which entities. They cost what stands near the
 * border of the own regions, and beyond it; of regions, the rectangles that they make count, and not the regions.
 * Between ticks, by the thread that ticks the world; called by the halo and its owner.
 */
#ifndef PHX_CLUSTER_HALO_HALO_SEARCH_H
#define PHX_CLUSTER_HALO_HALO_SEARCH_H

#include "cluster/halo/halo_state.h"

/* Reads the node's map, unless that was done: a map that is another one has another version. */
void phx_halo_read_map(phx_halo *halo);
/* The regions of a peer with that number, by the map that was read. */
const phx_region_set *phx_halo_regions_of(phx_halo *halo, phx_halo_peer *peer, uint16_t number);
/*
 * Is a place so far from all regions of this node, or farther? An own entity is given away once it is some way beyond:
 * the width of the halo counts on that. Along the border of two other nodes it is not deep in either. Looks at the
 * regions around alone.
 */
bool phx_halo_is_beyond(const phx_halo *halo, float x, float y, float distance);
/* false: it has no memory for it. */
typedef bool (*phx_halo_away_fn)(void *user, uint64_t id);
/*
 * Own entities in regions of peers, beyond the margin in which they stay: notes these regions in halo->needs, before
 * the messages of the tick are written, and visits each one; visit: may be NULL. Without memory some are left out, but
 * none of the regions of the tick before.
 */
void phx_halo_find_away(phx_halo *halo, phx_halo_away_fn visit, void *user);
/*
 * Regions near which entities that this node copies to peers may stand: its own regions with the margin, the ones of
 * `halo->needs`, and where the ones are that were given away, with all around. Before the messages of a tick are
 * written: see phx_halo_mend_passed().
 */
phx_region_set phx_halo_reached(phx_halo *halo);
/*
 * All entities nearer than `width` to a rectangle of regions, in halo->hits: once each, in no order. false: no memory.
 */
bool phx_halo_search(phx_halo *halo, phx_region_rect rect, float width);

#endif
