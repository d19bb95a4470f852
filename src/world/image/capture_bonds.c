/*
 * Captures relations, attachments and areas; see capture_bonds.h.
 */
#include "world/image/capture_bonds.h"

#include <math.h>
#include <string.h>

static void put_relations(const phx_world *world, phx_image *image, const phx_relations *relations)
{
    for (uint32_t i = 0; i < relations->set_count; i++) {
        const phx_relation_set *set = &relations->sets[i];
        if (set->observer == 0) continue;
        const uint32_t observer = phx_capture_place(world, image, set->observer);
        const bool derived = PHX_IMAGE_ROWS(image, entities, entity)[observer].flags & PHX_SAVED_DERIVED;
        for (uint32_t j = 0; j < set->count; j++) {
            const phx_relation *item = &set->items[j];
            const bool paired = item->bits & PHX_RELATION_PAIR, listed = derived && item->listed;
            phx_saved_relation *saved = phx_image_add(image, PHX_TABLE_relations);
            *saved = (phx_saved_relation){.observer = observer,
                                          .target = phx_capture_place(world, image, item->target),
                                          .view = paired ? item->view : 0.0f,
                                          .margin = paired ? item->margin : 0.0f,
                                          .bits = (uint8_t)(item->bits | (listed ? PHX_SAVED_LISTED : 0))};
        }
    }
}

static void put_attachments(const phx_world *world, phx_image *image)
{
    const phx_attach *attach = &world->attach;
    for (uint32_t i = 0; i < attach->family_count; i++)
        for (uint32_t j = 0; j < attach->families[i].count; j++) {
            const uint64_t child = attach->families[i].children[j];
            phx_saved_attachment *saved = phx_image_add(image, PHX_TABLE_attachments);
            *saved =
                (phx_saved_attachment){.child = phx_capture_place(world, image, child),
                                       .parent = phx_capture_place(world, image, phx_attach_parent(attach, child))};
        }
}

/* A placed area as it was set. */
static ph_area shape_as_set(const phx_area_entry *area)
{
    const bool heights = area->filtered && (isfinite(area->z_low) || isfinite(area->z_high));
    ph_area shape = {.shape = (ph_area_shape)area->shape,
                     .layers = area->layers,
                     .flags = (heights ? PH_AREA_HEIGHT : 0u) | (area->in_instance ? PH_AREA_IN_INSTANCE : 0u),
                     .instance = area->in_instance ? area->instance : 0,
                     .margin = area->keeps ? area->margin : 0.0f,
                     .corner_count = area->corner_count,
                     .kind_count = area->kind_count};
    if (heights) {
        shape.z_low = area->z_low;
        shape.z_high = area->z_high;
    }
    for (uint32_t i = 0; i < area->kind_count; i++) shape.kinds[i] = area->kinds[i];
    if (area->shape == PH_AREA_CIRCLE) {
        memcpy(shape.center, area->center, sizeof shape.center);
        shape.radius = area->radius;
    } else if (area->shape == PH_AREA_BOX) {
        memcpy(shape.low, (float[]){area->box.x0, area->box.y0}, sizeof shape.low);
        memcpy(shape.high, (float[]){area->box.x1, area->box.y1}, sizeof shape.high);
    } else {
        memcpy(shape.corners, area->corners, area->corner_count * sizeof *area->corners);
    }
    return shape;
}

void phx_capture_area(phx_saved_area *saved, uint64_t id, const ph_area *area)
{
    const bool polygon = area->shape == PH_AREA_POLYGON;
    *saved = (phx_saved_area){.id = id};
    saved->layers = area->layers;
    saved->follow = area->flags & PH_AREA_FOLLOW ? area->follow : 0;
    saved->shape = area->shape;
    saved->flags = area->flags;
    saved->instance = area->flags & PH_AREA_IN_INSTANCE ? area->instance : 0;
    saved->corner_count = polygon ? area->corner_count : 0;
    saved->kind_count = area->kind_count;
    saved->margin = area->margin;
    if (area->flags & PH_AREA_HEIGHT) {
        saved->z_low = area->z_low;
        saved->z_high = area->z_high;
    }
    if (area->shape == PH_AREA_CIRCLE) {
        saved->radius = area->radius;
        memcpy(saved->center, area->center, sizeof saved->center);
    } else if (area->shape == PH_AREA_BOX) {
        memcpy(saved->low, area->low, sizeof saved->low);
        memcpy(saved->high, area->high, sizeof saved->high);
    }
    memcpy(saved->corners, area->corners, saved->corner_count * sizeof *area->corners);
    for (uint32_t i = 0; i < area->kind_count; i++) saved->kinds[i] = (uint16_t)area->kinds[i];
}

/* Areas; of an area with a margin the entities inside too. */
static void put_areas(const phx_world *world, phx_image *image)
{
    const phx_areas *areas = &world->areas;
    for (uint32_t i = 0; i < areas->count; i++) {
        const phx_area_entry *area = &areas->at[i];
        if (!area->live) continue;
        const bool follows = area->follow != PHX_FOLLOW_NONE;
        const ph_area shape = follows ? areas->follows.at[area->follow].shape : shape_as_set(area);
        phx_capture_area(phx_image_add(image, PHX_TABLE_areas), area->id, &shape);
    }
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_shard *shard = &world->shards[i];
        for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
            const uint32_t *inside = NULL, count = phx_area_members_of(&shard->zones.area_members, slot, &inside);
            if (!(shard->store.body[slot].state & PHX_SLOT_OWN)) continue;
            for (uint32_t j = 0; j < count; j++) {
                if (!areas->at[inside[j]].keeps) continue;
                phx_saved_member *saved = phx_image_add(image, PHX_TABLE_members);
                saved->entity = image->places[image->place_first[i] + slot];
                saved->area = areas->at[inside[j]].id;
            }
        }
    }
}

void phx_capture_bonds(const phx_world *world, phx_image *image)
{
    for (uint32_t i = 0; i < world->shard_count; i++) put_relations(world, image, &world->shards[i].relations);
    put_attachments(world, image);
    put_areas(world, image);
}
