/*
 * Restores the state of entities that ticks keep beside lists: awake NPCs, members of areas with a margin, last moves,
 * updates that wait. Before the exchange phase of the restore, and behind its zones stage, by the thread that loads.
 */
#ifndef PHX_WORLD_IMAGE_RESTORE_MEMORY_H
#define PHX_WORLD_IMAGE_RESTORE_MEMORY_H

#include "world/image/restore_parts.h"

/* Before the exchange: copies of entities have their last move. */
ph_status phx_restore_memory(phx_restore *restore);
/* Behind the zones stage: it found no edge of an NPC or of such an area. */
ph_status phx_restore_check_zones(phx_restore *restore);

#endif
