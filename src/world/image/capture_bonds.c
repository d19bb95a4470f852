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
        for (uint32_t j = 0; set->observer != 0 && j < set->count; j++) {
            const phx_relation *item = &set->items[j];
            const bool paired = item->bits & PHX_RELATION_PAIR;
            phx_saved_relation *saved = phx_image_add(image, PHX_TABLE_relations);
            *saved = (phx_saved_relation){.observer = phx_capture_place(world, image, set->observer),
                                          .target = phx_capture_place(world, image, item->target),
                                          .view = paired ? item->view : 0.0f,
                                          .margin = paired ? item->margin : 0.0f,
                                          .bits = (uint8_t)item->bits};
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

static void put_area(phx_image *image, const phx_area_entry *area)
{
    phx_saved_area *saved = phx_image_add(image, PHX_TABLE_areas);
    const bool heights = area->filtered && (isfinite(area->z_low) || isfinite(area->z_high));
    saved->id = area->id;
    saved->layers = area->layers;
    saved->shape = area->shape;
    saved->flags = (heights ? PH_AREA_HEIGHT : 0u) | (area->in_instance ? PH_AREA_IN_INSTANCE : 0u);
    saved->instance = area->in_instance ? area->instance : 0;
    saved->z_low = heights ? area->z_low : 0.0f;
    saved->z_high = heights ? area->z_high : 0.0f;
    saved->margin = area->keeps ? area->margin : 0.0f;
    saved->kind_count = area->kind_count;
    memcpy(saved->kinds, area->kinds, area->kind_count * sizeof *area->kinds);
    if (area->shape == PH_AREA_CIRCLE) {
        memcpy(saved->center, area->center, sizeof saved->center);
        saved->radius = area->radius;
    } else if (area->shape == PH_AREA_BOX) {
        memcpy(saved->low, (float[]){area->box.x0, area->box.y0}, sizeof saved->low);
        memcpy(saved->high, (float[]){area->box.x1, area->box.y1}, sizeof saved->high);
    } else {
        saved->corner_count = area->corner_count;
        memcpy(saved->corners, area->corners, area->corner_count * sizeof *area->corners);
    }
}

/* Areas, and of those with a margin the entities inside. */
static void put_areas(const phx_world *world, phx_image *image)
{
    const phx_areas *areas = &world->areas;
    for (uint32_t i = 0; i < areas->count; i++)
        if (areas->at[i].live) put_area(image, &areas->at[i]);
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
