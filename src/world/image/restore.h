/*
 * Restores a world from an image: entities come into the shards of their towers as migrants do, and one tick runs from
 * the exchange phase to the commit, which has to find no event (docs/adr/0012). By the thread that loads; no other
 * thread knows the world yet.
 */
#ifndef PHX_WORLD_IMAGE_RESTORE_H
#define PHX_WORLD_IMAGE_RESTORE_H

#include "world/image/image.h"
#include "world/image/sections.h"
#include "world/state/world.h"

/*
 * The world was made of the image's definition, and is new. Every field is checked. PH_OK; PH_BAD_IMAGE, PH_NO_MEMORY:
 * the world can only be destroyed.
 */
ph_status phx_image_restore(phx_image *image, phx_world *world, phx_image_reason reason);

/* A journal is replayed: consumers begin anew only where they did so in the saved world. */
void phx_image_keep_consumers(const phx_image *image, phx_world *world);

/* All consumers of a restored world begin anew. */
void phx_image_renew(phx_world *world);

#endif
