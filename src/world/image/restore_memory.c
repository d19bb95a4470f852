/*
 * Restores what ticks remember; see restore_memory.h.
 */
#include "world/image/restore_memory.h"

#include <inttypes.h>
#include <string.h>

#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "world/image/restore_lists.h"

/* ---- awake NPCs ---- */

/* Merges two runs, each in the order of alone_since. */
static void merge_awake(const phx_saved_awake *from, uint32_t middle, uint32_t count, phx_saved_awake *to)
{
    for (uint32_t i = 0, j = middle, n = 0; n < count; n++) {
        const bool left = j == count || (i < middle && from[i].alone_since <= from[j].alone_since);
        to[n] = left ? from[i++] : from[j++];
    }
}

/*
 * Orders NPCs by alone_since, as the queue that they wait in: in any other order each would walk along it.
 * PH_NO_MEMORY.
 */
static ph_status order_awake(phx_image *image)
{
    phx_image_rows *rows = &image->tables[PHX_TABLE_awake];
    phx_saved_awake *spare = NULL;
    uint32_t capacity = 0;
    const uint32_t count = rows->count;
    if (count < 2) return PH_OK;
    if (!phx_grow(&image->mem, (void **)&spare, &capacity, 0, count, sizeof *spare)) return PH_NO_MEMORY;
    for (uint64_t run = 1; run < count; run *= 2) {
        phx_saved_awake *from = rows->at;
        for (uint64_t at = 0; at < count; at += 2 * run) {
            const uint64_t left = count - at, both = left < 2 * run ? left : 2 * run;
            merge_awake(from + at, (uint32_t)(run < both ? run : both), (uint32_t)both, spare + at);
        }
        memcpy(from, spare, count * sizeof *from);
    }
    phx_release(&image->mem, (void **)&spare, &capacity, sizeof *spare);
    return PH_OK;
}

static ph_status restore_awake(phx_restore *restore, uint32_t at)
{
    const phx_saved_awake *saved = &PHX_IMAGE_ROWS(restore->image, awake, awake)[at];
    uint32_t slot;
    if (saved->entity >= PHX_IMAGE_COUNT(restore->image, entities) || saved->alone_since > restore->image->tick)
        return phx_image_refuse(restore->reason, "section AWAK: entity %" PRIu32 " alone since %" PRIu64 " can not be",
                                saved->entity, saved->alone_since);
    phx_shard *shard = phx_restore_find(restore, saved->entity, &slot);
    if (!phx_activation_cover(&shard->zones.activation, shard->mem, shard->store.slots)) return PH_NO_MEMORY;
    if (phx_activation_is(&shard->zones.activation, slot))
        return phx_image_refuse(restore->reason, "section AWAK: entity %" PRIu32 " is there twice", saved->entity);
    phx_activation_carry(&shard->zones.activation, slot, saved->alone_since);
    if (saved->alone_since > 0) phx_activation_wait(&shard->zones.activation, slot);
    restore->world->zoned = true;
    return PH_OK;
}

/* ---- members of areas ---- */

/* Restores the areas of one entity, from record `at` on. *count: how many they are. */
static ph_status restore_members(phx_restore *restore, uint32_t at, uint32_t *count)
{
    const phx_image *image = restore->image;
    const phx_saved_member *saved = &PHX_IMAGE_ROWS(image, members, member)[at];
    const phx_areas *areas = &restore->world->areas;
    const uint32_t end = PHX_IMAGE_COUNT(image, members) - at, entity = saved->entity;
    uint64_t above = 0;
    uint32_t slot;
    for (*count = 0; *count < end && saved[*count].entity == entity;) (*count)++;
    if (entity >= PHX_IMAGE_COUNT(image, entities) || (at > 0 && saved[-1].entity > entity))
        return phx_image_refuse(
            restore->reason,
            "section MEMB: record %" PRIu32 ": entity %" PRIu32 " is not behind the last one, or is none", at, entity);
    phx_shard *shard = phx_restore_find(restore, entity, &slot);
    if (!phx_area_members_cover(&shard->zones.area_members, shard->mem, shard->store.slots)) return PH_NO_MEMORY;
    for (uint32_t i = 0; i < *count; i++) {
        const uint64_t *place = phx_idmap_find(&areas->index, saved[i].area);
        if (!place || *place < above || !areas->at[*place].keeps)
            return phx_image_refuse(restore->reason,
                                    "section MEMB: record %" PRIu32 ": area %" PRIu64
                                    " has no margin, is not behind the last one, or is none",
                                    at + i, saved[i].area);
        above = *place + 1;
        if (!phx_area_members_carry(&shard->zones.area_members, shard->mem, slot, (uint32_t)*place, *count))
            return PH_NO_MEMORY;
    }
    return PH_OK;
}

/* ---- bands ---- */

/* All entities stand where they stood at the last tick's end; some moved lately. */
static ph_status restore_moves(phx_restore *restore)
{
    const phx_image *image = restore->image;
    const phx_saved_moved *moved = PHX_IMAGE_ROWS(image, moved, moved);
    const uint32_t count = PHX_IMAGE_COUNT(image, moved);
    phx_record record = {.type = PHX_RECORD_MOTION_HISTORY};
    uint32_t next = 0;
    for (uint32_t i = 0; restore->world->rules.banded && i < PHX_IMAGE_COUNT(image, entities); i++) {
        const phx_saved_entity *saved = phx_restore_entity(restore, i);
        uint32_t slot;
        phx_shard *shard = phx_restore_find(restore, i, &slot);
        record.id = saved->id;
        record.as.history = (phx_motion_record){
            .x = saved->x, .y = saved->y, .z = saved->z, .kind = phx_store_attr(&shard->store, slot)->kind};
        if (next < count && moved[next].entity == i) record.as.history.moved = moved[next++].tick;
        if (!phx_bands_read_history(shard, slot, &record)) return PH_NO_MEMORY;
    }
    if (next == count) return PH_OK;
    return phx_image_refuse(restore->reason,
                            "section MOVD: record %" PRIu32 ": entity %" PRIu32
                            " is not behind the last one, or is none, or no class has bands",
                            next, moved[next].entity);
}

static ph_status check_moves(const phx_restore *restore)
{
    const phx_saved_moved *moved = PHX_IMAGE_ROWS(restore->image, moved, moved);
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(restore->image, moved); i++)
        if (moved[i].tick == 0 || (uint32_t)restore->image->tick - moved[i].tick >= PH_BAND_EVERY_MAX)
            return phx_image_refuse(restore->reason,
                                    "section MOVD: record %" PRIu32 ": tick %" PRIu32 " is not one of the last %d", i,
                                    moved[i].tick, PH_BAND_EVERY_MAX);
    return PH_OK;
}

static ph_status restore_deferred(phx_restore *restore, uint32_t at, uint32_t *observers)
{
    const phx_image *image = restore->image;
    const phx_saved_deferred *saved = &PHX_IMAGE_ROWS(image, deferred, deferred)[at];
    const uint32_t entities = PHX_IMAGE_COUNT(image, entities);
    uint32_t slot;
    const bool begins = at == 0 || saved[-1].observer != saved->observer;
    if (saved->observer >= entities || saved->target >= entities || !restore->world->rules.banded ||
        (at > 0 && saved[-1].observer > saved->observer))
        return phx_image_refuse(restore->reason,
                                "section DEFR: record %" PRIu32 ": observer %" PRIu32 " target %" PRIu32
                                " can not be, or no class has bands",
                                at, saved->observer, saved->target);
    *observers += begins;
    phx_shard *shard = phx_restore_find(restore, saved->observer, &slot);
    const phx_saved_entity *target = phx_restore_entity(restore, saved->target);
    if (restore->stamps[saved->target] == *observers)
        return phx_image_refuse(restore->reason, "section DEFR: record %" PRIu32 ": entity %" PRIu64 " is there twice",
                                at, target->id);
    restore->stamps[saved->target] = *observers;
    phx_record record = {.type = PHX_RECORD_DEFERRED_UPDATES, .count = 1};
    record.as.waiting[0] =
        (phx_deferred_update){.id = target->id, .incarnation = target->incarnation, .since = saved->since};
    return phx_bands_read_deferred(shard, slot, &record) ? PH_OK : PH_NO_MEMORY;
}

/* ---- all ---- */

/* Updates that wait; their targets are stamped by place. */
static ph_status restore_all_deferred(phx_restore *restore)
{
    phx_image *image = restore->image;
    const uint32_t count = PHX_IMAGE_COUNT(image, deferred), entities = PHX_IMAGE_COUNT(image, entities);
    uint32_t observers = 0;
    ph_status status = PH_OK;
    if (count == 0) return PH_OK;
    if (!phx_grow(&image->mem, (void **)&restore->stamps, &restore->stamps_capacity, 0, (size_t)entities + 1,
                  sizeof *restore->stamps))
        return PH_NO_MEMORY;
    memset(restore->stamps, 0, restore->stamps_capacity * sizeof *restore->stamps);
    for (uint32_t i = 0; status == PH_OK && i < count; i++) status = restore_deferred(restore, i, &observers);
    memset(restore->stamps, 0, restore->stamps_capacity * sizeof *restore->stamps);
    return status;
}

ph_status phx_restore_memory(phx_restore *restore)
{
    phx_image *image = restore->image;
    ph_status status = order_awake(image);
    for (uint32_t i = 0; status == PH_OK && i < PHX_IMAGE_COUNT(image, awake); i++) status = restore_awake(restore, i);
    for (uint32_t i = 0, count = 0; status == PH_OK && i < PHX_IMAGE_COUNT(image, members); i += count)
        status = restore_members(restore, i, &count);
    if (status == PH_OK) status = check_moves(restore);
    if (status == PH_OK) status = restore_moves(restore);
    return status == PH_OK ? restore_all_deferred(restore) : status;
}

/* ---- edges of the zones stage ---- */

static ph_status check_edges(const phx_restore *restore, const phx_shard *shard)
{
    const phx_areas *areas = &restore->world->areas;
    for (uint32_t i = 0; i < shard->zones.edges.count; i++) {
        const ph_edge *edge = &shard->zones.edges.at[i].edge;
        const uint64_t *place = edge->area == PHX_EDGE_AWAKE ? NULL : phx_idmap_find(&areas->index, edge->area);
        if (place && !areas->at[*place].keeps && edge->on) continue; /* such areas follow from positions */
        return phx_image_refuse(restore->reason, "section %s: entity %" PRIu64 " would %s (area %" PRIu64 ")",
                                place ? "MEMB" : "AWAK", edge->id, edge->on ? "come in, or awake" : "go out, or sleep",
                                edge->area);
    }
    return PH_OK;
}

ph_status phx_restore_check_zones(phx_restore *restore)
{
    const phx_image *image = restore->image;
    ph_status status = PH_OK;
    for (uint32_t i = 0; status == PH_OK && i < restore->world->shard_count; i++)
        status = check_edges(restore, &restore->world->shards[i]);
    for (uint32_t i = 0; status == PH_OK && i < PHX_IMAGE_COUNT(image, awake); i++) {
        const phx_saved_awake *saved = &PHX_IMAGE_ROWS(image, awake, awake)[i];
        uint32_t slot;
        const phx_shard *shard = phx_restore_find(restore, saved->entity, &slot);
        if (shard->zones.activation.sleepers[slot].alone_since != saved->alone_since)
            return phx_image_refuse(restore->reason, "section AWAK: entity %" PRIu64 " is not alone since %" PRIu64,
                                    phx_restore_entity(restore, saved->entity)->id, saved->alone_since);
    }
    return status;
}
