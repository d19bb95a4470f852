/*
 * The choice of the towers' side in a world that leaves it open (tower_size = 0) and whose classes have no view: by the
 * views of the entities that come first. By the ticking thread. Phase ingest, before the first command that needs a
 * tower; and when a world is restored.
 */
#ifndef PHX_WORLD_TICK_CHOOSE_TOWERS_H
#define PHX_WORLD_TICK_CHOOSE_TOWERS_H

#include "base/tower_choice.h"
#include "world/state/world.h"

/* By the collected commands, if the choice is open and one needs a tower. false = no memory, nothing changed. */
bool phx_choose_towers(phx_world *world);

/* By these views; the world has no entity, no area and an open choice. false = no memory, nothing changed. */
bool phx_choose_towers_by(phx_world *world, phx_views views);

#endif
