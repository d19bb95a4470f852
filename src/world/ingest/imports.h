/*
 * The load of capsules beside entities: lists, areas, the memory of NPCs and bands. It waits for the exchange
 * (import_arrival.h). By the ticking thread, from the ingest phase to the end of a tick.
 */
#ifndef PHX_WORLD_INGEST_IMPORTS_H
#define PHX_WORLD_INGEST_IMPORTS_H

#include "world/queue/capsule.h"
#include "world/state/world.h"

void phx_imports_init(phx_imports *imports, phx_mem *mem);
void phx_imports_free(phx_imports *imports, phx_mem *mem);

/* Room for one more import with the records of this member. false = no memory, nothing changed. */
bool phx_imports_reserve(phx_world *world, const phx_capsule_member *member);
/* Adds the import of an entity that is in the world now; room was reserved. */
phx_import *phx_imports_add(phx_world *world, const phx_capsule_view *view, bool entered);
/* The same for its relations as they were. */
bool phx_imports_reserve_relations(phx_world *world, uint32_t count);
/* All of a family are in the world, and their imports begin at place `first`: targets get their names here. */
void phx_imports_name(phx_world *world, uint32_t first);
/* Takes the last import back. */
void phx_imports_drop_last(phx_imports *imports);

/* The entity was imported in this tick. */
bool phx_imports_has(const phx_imports *imports, uint64_t id);
/* The same, in this stay in the world. */
bool phx_imports_has_stay(const phx_imports *imports, uint64_t id, uint32_t incarnation);
/* It leaves the world: it was in that slot of its shard, which is dead until the tick's end. */
void phx_imports_end(phx_imports *imports, uint64_t id, uint32_t slot);
/* Its whole list is due. */
void phx_imports_owe(phx_imports *imports, uint64_t id);
/* It gets other attributes. */
void phx_imports_follow(phx_world *world, uint64_t id, const phx_attr *before, const phx_attr *after);

/* The tick ended. */
void phx_imports_clear(phx_world *world);

#endif
