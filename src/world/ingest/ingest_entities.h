/*
 * Commands of one entity: it enters, leaves, gets attributes, or its whole list is due. By the ticking thread, in the
 * ingest phase. Each returns PH_OK, or why it is refused: then nothing has changed.
 */
#ifndef PHX_WORLD_INGEST_INGEST_ENTITIES_H
#define PHX_WORLD_INGEST_INGEST_ENTITIES_H

#include "world/queue/commands.h"
#include "world/state/world.h"

ph_status phx_ingest_enter(phx_world *world, const phx_command_attrs *command);
/* Only these bits of `given` are kept: the other attributes follow the class. */
ph_status phx_ingest_enter_as(phx_world *world, uint64_t id, const ph_attrs *given, uint32_t keeps);
/* An entity without children leaves without memory: a world that lacks memory is made smaller. */
ph_status phx_ingest_leave(phx_world *world, const phx_command_id *command);
ph_status phx_ingest_set(phx_world *world, const phx_command_attrs *command);
ph_status phx_ingest_resend(phx_world *world, const phx_command_id *command);

#endif
