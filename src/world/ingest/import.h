/*
 * The command ph_import(): a family comes from a capsule. Called by the ticking thread in the ingest phase.
 */
#ifndef PHX_WORLD_INGEST_IMPORT_H
#define PHX_WORLD_INGEST_IMPORT_H

#include "world/queue/commands.h"
#include "world/state/world.h"

/* All of the family, or none: PH_EXISTS, PH_CAPACITY, PH_ATTACHED, PH_TOO_DEEP, PH_CYCLE, PH_NO_MEMORY. */
ph_status phx_ingest_import(phx_world *world, const phx_command_import *command);

#endif
