/*
 * From an image to bytes, column by column. On any thread, in any phase; an image that is written does not change.
 */
#ifndef PHX_WORLD_IMAGE_WRITE_H
#define PHX_WORLD_IMAGE_WRITE_H

#include "world/image/image.h"
#include "world/image/sections.h"

/* false: `write` returned false. */
bool phx_image_write(const phx_image *image, ph_write_fn write, void *user);

#endif
