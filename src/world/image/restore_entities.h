/*
 * Restores entities with their attributes, in the ingest phase of the restore, by the thread that loads.
 */
#ifndef PHX_WORLD_IMAGE_RESTORE_ENTITIES_H
#define PHX_WORLD_IMAGE_RESTORE_ENTITIES_H

#include "world/image/restore_parts.h"

ph_status phx_restore_entities(phx_restore *restore);

#endif
