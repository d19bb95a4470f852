/*
 * The parts of a restore, in the order of their calls; see restore.h. Each checks its tables, and names the mistake.
 * PH_OK, PH_BAD_IMAGE, PH_NO_MEMORY. By the thread that loads, between ticks, and in the phases of the restoring tick
 * that their own headers name.
 */
#ifndef PHX_WORLD_IMAGE_RESTORE_PARTS_H
#define PHX_WORLD_IMAGE_RESTORE_PARTS_H

#include "world/image/image.h"
#include "world/image/sections.h"
#include "world/state/world.h"

typedef struct phx_restore {
    phx_image *image;
    phx_world *world;
    phx_image_reason reason;
    uint32_t *stamps; /* by slot: 1 + the last list or observer that has it as a target */
    uint32_t stamps_capacity;
    uint32_t *slots; /* by place: the slot of an entity in its own shard */
    uint32_t slots_capacity;
} phx_restore;

static inline const phx_saved_entity *phx_restore_entity(const phx_restore *restore, uint32_t place)
{
    return &PHX_IMAGE_ROWS(restore->image, entities, entity)[place];
}

/* The shard and slot of an entity that is in the world already. */
static inline phx_shard *phx_restore_find(const phx_restore *restore, uint32_t place, uint32_t *slot)
{
    phx_shard *shard = NULL;
    *slot = PHX_SLOT_NONE;
    bool known = phx_world_find(restore->world, phx_restore_entity(restore, place)->id, &shard, slot);
    PHX_ASSERT(known);
    (void)known;
    return shard;
}

#endif
