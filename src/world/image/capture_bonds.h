/*
 * Captures relations, attachments and areas, once all entities have their places. Between ticks, by a reader; room was
 * reserved.
 */
#ifndef PHX_WORLD_IMAGE_CAPTURE_BONDS_H
#define PHX_WORLD_IMAGE_CAPTURE_BONDS_H

#include "world/image/image.h"
#include "world/state/world.h"

enum { PHX_NO_PLACE = UINT32_MAX };

/* The place of an entity in its table; PHX_NO_PLACE: it is not in the world. */
static inline uint32_t phx_capture_place(const phx_world *world, const phx_image *image, uint64_t id)
{
    const uint64_t home = phx_directory_find(&world->directory, id);
    if (home == PHX_HOME_NONE) return PHX_NO_PLACE;
    return image->places[image->place_first[phx_home_shard(home)] + phx_home_slot(home)];
}

/* An area as it was set, without the fields that its shape and flags do not read. */
void phx_capture_area(phx_saved_area *saved, uint64_t id, const ph_area *area);

void phx_capture_bonds(const phx_world *world, phx_image *image);

#endif
