/*
 * Restores entities; see restore_entities.h. The slots of a shard are given in the order of the table, so that the
 * image's places by slot can be written before.
 */
#include "world/image/restore_entities.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/lengths.h"
#include "shards/exchange/receive.h"
#include "world/ingest/command_checks.h"
#include "world/ingest/crowd_control.h"
#include "world/queue/commands.h"
#include "world/table/attr_resolve.h"
#include "world/table/instance_counts.h"

/* ---- attribute sets ---- */

/* Bits of fields that have no default by class, but are not the entity's alone. */
static const uint32_t ALWAYS_GIVEN = PH_KIND | PH_INSTANCE | PH_CONSUMER;
static const uint32_t NEVER_GIVEN = PH_POSITION | PH_USER_DATA;

static ph_attrs attrs_of(const phx_saved_attr *saved)
{
    return (ph_attrs){.given = (saved->given & ~NEVER_GIVEN) | ALWAYS_GIVEN,
                      .view = saved->view,
                      .margin = saved->margin,
                      .reach = saved->reach,
                      .visible = saved->visible,
                      .kind = saved->kind,
                      .cap = saved->cap,
                      .consumer = saved->consumer,
                      .instance = saved->instance,
                      .layers = saved->layers,
                      .sees = saved->sees,
                      .stealth = saved->stealth,
                      .detect = saved->detect,
                      .priority = saved->priority,
                      .global = saved->global != 0,
                      .veiled = saved->veiled != 0,
                      .ready = saved->ready != 0,
                      .remote = (saved->given & PH_REMOTE) != 0};
}

/* Resolves a set as a command would. */
static ph_status resolve_attr(const phx_restore *restore, uint32_t at, phx_attr *attr)
{
    const phx_saved_attr *saved = &PHX_IMAGE_ROWS(restore->image, attrs, attr)[at];
    const ph_attrs given = attrs_of(saved);
    if (saved->global > 1 || saved->veiled > 1 || saved->ready > 1 || (saved->given & NEVER_GIVEN))
        return phx_image_refuse(restore->reason,
                                "section ATTR: record %" PRIu32 ": a flag is neither 0 nor 1, or given "
                                "= 0x%" PRIx32 " has bits of the entity itself",
                                at, saved->given);
    const phx_check check = phx_check_attrs(restore->world, PHX_OP_SET, &given);
    if (check.status != PH_OK)
        return phx_image_refuse(restore->reason, "section ATTR: record %" PRIu32 ": %s: %s", at,
                                ph_field_name(check.field), ph_status_text(check.status));
    *attr = (phx_attr){0};
    phx_attr_apply(&restore->world->rules, &given, attr);
    attr->given = saved->given;
    return PH_OK;
}

/* ---- entities ---- */

static uint32_t shard_of(const phx_world *world, const phx_saved_entity *saved)
{
    return phx_partition_shard(&world->partition, phx_tower_index(&world->rules, 0, saved->x),
                               phx_tower_index(&world->rules, 1, saved->y));
}

static ph_status check_entity(const phx_restore *restore, uint32_t at)
{
    const phx_saved_entity *saved = phx_restore_entity(restore, at);
    if (saved->id == 0)
        return phx_image_refuse(restore->reason, "section ENTY: record %" PRIu32 ": id 0 is not an entity", at);
    if (!phx_is_coordinate(saved->x) || !phx_is_coordinate(saved->y) || !phx_is_coordinate(saved->z))
        return phx_image_refuse(restore->reason,
                                "section ENTY: record %" PRIu32 ": entity %" PRIu64
                                ": a coordinate is not a number from -1e18 to 1e18",
                                at, saved->id);
    if (saved->set >= PHX_IMAGE_COUNT(restore->image, attrs))
        return phx_image_refuse(restore->reason,
                                "section ENTY: record %" PRIu32 ": entity %" PRIu64 ": set %" PRIu32
                                " is none of %" PRIu32,
                                at, saved->id, saved->set, PHX_IMAGE_COUNT(restore->image, attrs));
    const bool both = (saved->flags & PHX_SAVED_PARTIAL) && (saved->flags & PHX_SAVED_DERIVED);
    if ((saved->flags & ~PHX_SAVED_FLAGS) || both)
        return phx_image_refuse(restore->reason,
                                "section ENTY: record %" PRIu32 ": entity %" PRIu64 ": flags 0x%x can not be", at,
                                saved->id, saved->flags);
    return PH_OK;
}

/* Checks all entities, and writes the places by shard and slot. */
static ph_status plan_places(phx_restore *restore)
{
    phx_image *image = restore->image;
    const phx_world *world = restore->world;
    const uint32_t count = PHX_IMAGE_COUNT(image, entities), shards = world->shard_count;
    if (count > world->def.entities_max)
        return phx_image_refuse(restore->reason, "section ENTY: %" PRIu32 " entities, and entities_max = %" PRIu32,
                                count, world->def.entities_max);
    if (!phx_grow(&image->mem, (void **)&image->places, &image->places_capacity, 0, (size_t)count + 1,
                  sizeof *image->places) ||
        !phx_grow(&image->mem, (void **)&image->place_first, &image->shard_capacity, 0, (size_t)shards + 1,
                  sizeof *image->place_first) ||
        !phx_grow(&image->mem, (void **)&restore->slots, &restore->slots_capacity, 0, (size_t)count + 1,
                  sizeof *restore->slots))
        return PH_NO_MEMORY;
    image->shard_count = shards;
    memset(image->place_first, 0, (shards + 1) * sizeof *image->place_first);
    for (uint32_t i = 0; i < count; i++) {
        const ph_status status = check_entity(restore, i);
        if (status != PH_OK) return status;
        image->place_first[shard_of(world, phx_restore_entity(restore, i)) + 1]++;
    }
    for (uint32_t i = 0; i < shards; i++) image->place_first[i + 1] += image->place_first[i];
    return PH_OK;
}

static ph_status restore_views(const phx_restore *restore)
{
    phx_image *image = restore->image;
    phx_idmap *shrunk = &restore->world->crowd.shrunk;
    const uint32_t count = PHX_IMAGE_COUNT(image, crowd);
    if (!phx_idmap_reserve(shrunk, count)) return PH_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const phx_saved_crowd *saved = &PHX_IMAGE_ROWS(image, crowd, crowd)[i];
        uint32_t bits;
        const bool ordered = i == 0 || saved[-1].entity < saved->entity;
        if (!ordered || saved->entity >= PHX_IMAGE_COUNT(image, entities) || saved->step < 1 ||
            saved->step > PHX_CROWD_STEPS || !phx_is_length(saved->view))
            return phx_image_refuse(restore->reason,
                                    "section CROW: record %" PRIu32 ": entity %" PRIu32 " step %" PRIu32
                                    " view %g can not be",
                                    i, saved->entity, saved->step, (double)saved->view);
        memcpy(&bits, &saved->view, sizeof bits);
        const uint64_t id = phx_restore_entity(restore, saved->entity)->id;
        if (phx_idmap_find(shrunk, id)) continue; /* an id that is there twice is found below */
        phx_idmap_insert(shrunk, id, (uint64_t)saved->step << 32 | bits);
    }
    return PH_OK;
}

/* Brings an entity into its shard, by the record of a migrant. PH_NO_MEMORY, PH_BAD_IMAGE. */
static ph_status restore_entity(const phx_restore *restore, uint32_t at, const phx_attr *attr, phx_record_block *block)
{
    phx_world *world = restore->world;
    phx_image *image = restore->image;
    const phx_saved_entity *saved = phx_restore_entity(restore, at);
    if (phx_directory_has(&world->directory, saved->id))
        return phx_image_refuse(restore->reason, "section ENTY: record %" PRIu32 ": entity %" PRIu64 " is there twice",
                                at, saved->id);
    if (!phx_directory_reserve(&world->directory, saved->id) || !phx_instances_reserve(&world->instances))
        return PH_NO_MEMORY;
    const uint32_t index = shard_of(world, saved);
    phx_shard *shard = &world->shards[index];
    block->destination = (uint16_t)index;
    block->count = 1;
    block->records[0] = (phx_record){.id = saved->id, .type = PHX_RECORD_MIGRANT};
    block->records[0].as.entity = (phx_entity_record){.user_data = saved->user_data,
                                                      .attr = *attr,
                                                      .x = saved->x,
                                                      .y = saved->y,
                                                      .z = saved->z,
                                                      .incarnation = saved->incarnation,
                                                      .fresh = (saved->flags & PHX_SAVED_FRESH) != 0};
    if (!phx_shard_receive(shard, block, NULL)) return PH_NO_MEMORY;
    const uint32_t slot = shard->immigrants.at[0];
    PHX_ASSERT(slot == shard->store.own_count - 1);
    phx_shard_immigrants_reported(shard);
    shard->immigrant_lists.count = 0;
    phx_directory_insert(&world->directory, saved->id, phx_home(index, slot));
    phx_instances_add(&world->instances, attr->instance);
    image->places[image->place_first[index] + slot] = at;
    restore->slots[at] = slot;
    if (saved->flags & PHX_SAVED_PARTIAL) shard->store.body[slot].state |= PHX_SLOT_PARTIAL;
    return PH_OK;
}

ph_status phx_restore_entities(phx_restore *restore)
{
    phx_image *image = restore->image;
    phx_world *world = restore->world;
    const uint32_t sets = PHX_IMAGE_COUNT(image, attrs), count = PHX_IMAGE_COUNT(image, entities);
    phx_attr *attrs = NULL;
    uint32_t capacity = 0;
    static const phx_record_block nothing;
    phx_record_block block = nothing;
    ph_status status = plan_places(restore);
    if (status == PH_OK) status = restore_views(restore);
    if (status == PH_OK && !phx_grow(&image->mem, (void **)&attrs, &capacity, 0, sets, sizeof *attrs))
        status = PH_NO_MEMORY;
    for (uint32_t i = 0; status == PH_OK && i < sets; i++) status = resolve_attr(restore, i, &attrs[i]);
    for (uint32_t i = 0; status == PH_OK && i < count; i++) {
        const uint32_t set = phx_restore_entity(restore, i)->set;
        PHX_ASSERT(set < sets); /* plan_places() refused all others */
        phx_attr attr = attrs[set];
        phx_crowd_attrs(world, phx_restore_entity(restore, i)->id, NULL, &attr);
        status = restore_entity(restore, i, &attr, &block);
    }
    phx_release(&image->mem, (void **)&attrs, &capacity, sizeof *attrs);
    return status;
}
