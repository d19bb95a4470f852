/*
 * Restores relations, attachments and areas; see restore_bonds.h.
 */
#include "world/image/restore_bonds.h"

#include <inttypes.h>
#include <string.h>

#include "base/lengths.h"
#include "world/ingest/area_anchors.h"
#include "world/ingest/command_checks.h"
#include "world/ingest/ingest_relations.h"
#include "world/queue/commands.h"

static ph_status restore_relation(phx_restore *restore, uint32_t at)
{
    static const struct {
        uint32_t bit;
        phx_op op;
    } ops[] = {{PHX_RELATION_PAIR, PHX_OP_PAIR},
               {PHX_RELATION_LINK, PHX_OP_LINK},
               {PHX_RELATION_HIDE, PHX_OP_HIDE},
               {PHX_RELATION_REVEAL, PHX_OP_REVEAL}};
    const phx_saved_relation *saved = &PHX_IMAGE_ROWS(restore->image, relations, relation)[at];
    const uint32_t entities = PHX_IMAGE_COUNT(restore->image, entities);
    const uint32_t kinds = PHX_RELATION_PAIR | PHX_RELATION_LINK | PHX_RELATION_HIDE | PHX_RELATION_REVEAL;
    if (saved->observer >= entities || saved->target >= entities || saved->observer == saved->target ||
        !(saved->bits & kinds) || (saved->bits & ~(kinds | PHX_SAVED_LISTED)) || !phx_is_length(saved->view) ||
        !phx_is_length(saved->margin))
        return phx_image_refuse(restore->reason,
                                "section RELA: record %" PRIu32 ": observer %" PRIu32 " target %" PRIu32
                                " bits 0x%x view %g margin %g can not be",
                                at, saved->observer, saved->target, saved->bits, (double)saved->view,
                                (double)saved->margin);
    const phx_command_two_ids command = {.id = phx_restore_entity(restore, saved->observer)->id,
                                         .other = phx_restore_entity(restore, saved->target)->id,
                                         .view = saved->view,
                                         .margin = saved->margin};
    ph_status status = PH_OK;
    for (uint32_t i = 0; status == PH_OK && i < sizeof ops / sizeof *ops; i++)
        if (saved->bits & ops[i].bit) status = phx_ingest_relate(restore->world, ops[i].op, &command);
    return status;
}

static ph_status restore_attachment(phx_restore *restore, uint32_t at)
{
    const phx_saved_attachment *saved = &PHX_IMAGE_ROWS(restore->image, attachments, attachment)[at];
    const uint32_t entities = PHX_IMAGE_COUNT(restore->image, entities);
    if (saved->child >= entities || saved->parent >= entities)
        return phx_image_refuse(restore->reason,
                                "section ATCH: record %" PRIu32 ": child %" PRIu32 " parent %" PRIu32
                                " are not both below %" PRIu32,
                                at, saved->child, saved->parent, entities);
    const phx_saved_entity *child = phx_restore_entity(restore, saved->child),
                           *parent = phx_restore_entity(restore, saved->parent);
    uint32_t slot, there;
    const phx_shard *own = phx_restore_find(restore, saved->child, &slot);
    const phx_shard *other = phx_restore_find(restore, saved->parent, &there);
    const bool together = child->x == parent->x && child->y == parent->y && child->z == parent->z &&
                          phx_store_instance(&own->store, slot) == phx_store_instance(&other->store, there);
    if (!together || phx_attach_parent(&restore->world->attach, child->id) != 0)
        return phx_image_refuse(restore->reason,
                                "section ATCH: record %" PRIu32 ": entity %" PRIu64 " is not where its parent %" PRIu64
                                " is, or has two parents",
                                at, child->id, parent->id);
    const ph_status status =
        phx_ingest_attach(restore->world, &(phx_command_two_ids){.id = child->id, .other = parent->id});
    if (status == PH_OK || status == PH_NO_MEMORY) return status;
    return phx_image_refuse(restore->reason, "section ATCH: record %" PRIu32 ": entity %" PRIu64 ": %s", at, child->id,
                            ph_status_text(status));
}

ph_area phx_restore_area(const phx_saved_area *saved)
{
    ph_area area = {.shape = (ph_area_shape)saved->shape,
                    .radius = saved->radius,
                    .corner_count = saved->corner_count,
                    .kind_count = saved->kind_count,
                    .flags = saved->flags,
                    .margin = saved->margin,
                    .z_low = saved->z_low,
                    .z_high = saved->z_high,
                    .layers = saved->layers,
                    .follow = saved->follow,
                    .instance = saved->instance};
    memcpy(area.center, saved->center, sizeof area.center);
    memcpy(area.low, saved->low, sizeof area.low);
    memcpy(area.high, saved->high, sizeof area.high);
    memcpy(area.corners, saved->corners, sizeof area.corners);
    for (uint32_t i = 0; i < PH_AREA_KINDS_MAX; i++) area.kinds[i] = saved->kinds[i];
    return area;
}

static ph_status restore_area(phx_restore *restore, uint32_t at)
{
    const phx_saved_area *saved = &PHX_IMAGE_ROWS(restore->image, areas, area)[at];
    phx_world *world = restore->world;
    const ph_area area = phx_restore_area(saved);
    ph_status status = saved->shape > PH_AREA_POLYGON ? PH_BAD_VALUE : phx_check_area(world, saved->id, &area);
    if (status == PH_OK && phx_idmap_find(&world->areas.index, saved->id)) status = PH_EXISTS;
    const bool follows = area.flags & PH_AREA_FOLLOW;
    phx_anchor_place anchor;
    if (status == PH_OK && follows && !phx_area_anchor_find(world, area.follow, &anchor)) status = PH_UNKNOWN_ID;
    if (status == PH_OK)
        status = phx_areas_set(&world->areas, saved->id, &area, follows ? &anchor : NULL, world->def.areas_max);
    if (status == PH_OK || status == PH_NO_MEMORY) return status;
    return phx_image_refuse(restore->reason, "section AREA: record %" PRIu32 ": area %" PRIu64 ": %s", at, saved->id,
                            ph_status_name(status));
}

ph_status phx_restore_bonds(phx_restore *restore)
{
    const phx_image *image = restore->image;
    ph_status status = PH_OK;
    for (uint32_t i = 0; status == PH_OK && i < PHX_IMAGE_COUNT(image, relations); i++)
        status = restore_relation(restore, i);
    for (uint32_t i = 0; status == PH_OK && i < PHX_IMAGE_COUNT(image, attachments); i++)
        status = restore_attachment(restore, i);
    for (uint32_t i = 0; status == PH_OK && i < PHX_IMAGE_COUNT(image, areas); i++) status = restore_area(restore, i);
    return status;
}
