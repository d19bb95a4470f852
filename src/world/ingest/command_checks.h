/*
 * Refusals that need no tick: the arguments of a command against their ranges. On any thread, in any phase; of the
 * world only the definition is read, which does not change, and the number of classes.
 */
#ifndef PHX_WORLD_INGEST_COMMAND_CHECKS_H
#define PHX_WORLD_INGEST_COMMAND_CHECKS_H

#include "world/state/world.h"

/* The status of a check, and the argument that it refuses. */
typedef struct phx_check {
    ph_status status;
    ph_field field;
} phx_check;

/* Of enter and set; the id is not among the attributes. */
phx_check phx_check_attrs(const phx_world *world, uint16_t op, const ph_attrs *attrs);
/* Bits of fields that are not 0 and not given: they do not count, so their bits may be forgotten. */
uint32_t phx_attrs_ungiven(const ph_attrs *attrs);
phx_check phx_check_move(uint64_t id, const ph_position *position);
/* Of commands with two ids; view and margin count for a pair. */
phx_check phx_check_two_ids(uint16_t op, uint64_t id, uint64_t other, float view, float margin);
ph_status phx_check_broadcast(const phx_world *world, uint32_t bytes, const ph_broadcast_options *options);
ph_status phx_check_area(const phx_world *world, uint64_t id, const ph_area *area);

#endif
