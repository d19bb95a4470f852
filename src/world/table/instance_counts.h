/*
 * How many entities are in each instance but 0, so that a number that no entity has any more leaves nothing behind.
 * Written by the ticking thread, where an entity enters, leaves or changes instances; read by stats between ticks.
 */
#ifndef PHX_WORLD_TABLE_INSTANCE_COUNTS_H
#define PHX_WORLD_TABLE_INSTANCE_COUNTS_H

#include "base/idmap.h"

/* Room for one more instance. false = no memory, unchanged. */
bool phx_instances_reserve(phx_idmap *instances);
/* One entity more; room was reserved. */
void phx_instances_add(phx_idmap *instances, uint32_t instance);
/* One entity less. */
void phx_instances_remove(phx_idmap *instances, uint32_t instance);
/* How many instances have entities; the `entities` of all that are counted nowhere else are in 0. */
uint32_t phx_instances_live(const phx_idmap *instances, uint64_t entities);

#endif
