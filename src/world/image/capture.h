/*
 * Captures a world between two ticks. By a reader, inside the gate: the world is not written.
 */
#ifndef PHX_WORLD_IMAGE_CAPTURE_H
#define PHX_WORLD_IMAGE_CAPTURE_H

#include "world/image/image.h"
#include "world/state/world.h"

/*
 * The image was made by phx_image_init(). PH_OK; PH_BUSY: commands were applied since the last tick, or that one owes
 * something for want of memory; PH_NO_MEMORY.
 */
ph_status phx_image_capture(const phx_world *world, phx_image *image);

#endif
