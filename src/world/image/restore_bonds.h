/*
 * Restores relations, attachments and areas, by the functions of their commands, in the ingest phase of the restore, by
 * the thread that loads.
 */
#ifndef PHX_WORLD_IMAGE_RESTORE_BONDS_H
#define PHX_WORLD_IMAGE_RESTORE_BONDS_H

#include "world/image/restore_parts.h"

/* As it was set; not checked. */
ph_area phx_restore_area(const phx_saved_area *saved);

ph_status phx_restore_bonds(phx_restore *restore);

#endif
