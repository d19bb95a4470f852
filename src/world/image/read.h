/*
 * From bytes to the tables of an image. Numbers are as they were read; the parts of a restore (restore_parts.h) check
 * them. In no phase, by the thread that loads: no world exists yet.
 */
#ifndef PHX_WORLD_IMAGE_READ_H
#define PHX_WORLD_IMAGE_READ_H

#include "world/image/image.h"
#include "world/image/sections.h"

/* The image was made by phx_image_init(). PH_OK, PH_IO, PH_BAD_IMAGE, PH_NO_MEMORY. */
ph_status phx_image_read(phx_image *image, ph_read_fn read, void *user, phx_image_reason reason);

#endif
