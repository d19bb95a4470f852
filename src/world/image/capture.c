/*
 * Captures a world: tables of entities (capture_columns.h), then tables between entities; see capture.h. Slots of a
 * shard's own entities become places, in the order of shards and slots. Then tables by id and by slot follow.
 */
#include "world/image/capture.h"

#include <string.h>

#include "world/image/capture_bonds.h"
#include "world/image/capture_columns.h"
#include "world/image/definition.h"

/* ---- may it be captured? ---- */

/* Sizes of tables, over all shards. */
typedef struct image_sizes {
    uint64_t slots, sets, lists, targets, relations, members, awake, moved, deferred;
} image_sizes;

/* Does the shard owe something that there was no memory for? */
static bool shard_owes(const phx_shard *shard)
{
    return shard->zones.put_off || shard->zones.edges.held > 0 || shard->partial_not_listed ||
           shard->storage != shard->rules_storage;
}

/* Counts a shard's part of all tables. false: it owes something. */
static bool count_shard(const phx_shard *shard, image_sizes *sizes)
{
    if (shard_owes(shard)) return false;
    sizes->slots += shard->store.slots;
    sizes->sets += shard->store.sets.numbers;
    for (uint32_t i = 0; i < shard->relations.set_count; i++)
        if (shard->relations.sets[i].observer != 0) sizes->relations += shard->relations.sets[i].count;
    sizes->awake += shard->zones.activation.awake_count;
    for (uint32_t slot = 0; slot < shard->zones.area_members.slots; slot++)
        sizes->members += shard->zones.area_members.members[slot].inside.count;
    if (!shard->bands.live) return true;
    sizes->moved += shard->store.own_count;
    for (uint32_t slot = 0; slot < shard->bands.deferred_capacity; slot++)
        sizes->deferred += shard->bands.deferred[slot].count / 2;
    return true;
}

static ph_status count_world(const phx_world *world, image_sizes *sizes, phx_captured_columns *columns)
{
    if (world->begun || world->any_outside || world->crowd.put_off || world->reclass) return PH_BUSY;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (!count_shard(&world->shards[i], sizes)) return PH_BUSY;
    const ph_status status = phx_capture_count(columns);
    sizes->lists = columns->lists;
    sizes->targets = columns->targets;
    return status;
}

static bool reserve_tables(const phx_world *world, phx_image *image, const image_sizes *sizes)
{
    phx_mem *mem = &image->mem;
    const uint32_t shards = world->shard_count;
    return sizes->slots <= UINT32_MAX && phx_image_reserve(image, PHX_TABLE_attrs, sizes->sets) &&
           phx_image_reserve(image, PHX_TABLE_entities, phx_directory_count(&world->directory)) &&
           phx_image_reserve(image, PHX_TABLE_lists, sizes->lists) &&
           phx_image_reserve(image, PHX_TABLE_targets, sizes->targets) &&
           phx_image_reserve(image, PHX_TABLE_relations, sizes->relations) &&
           phx_image_reserve(image, PHX_TABLE_attachments, phx_idmap_count(&world->attach.parent_of)) &&
           phx_image_reserve(image, PHX_TABLE_areas, world->areas.live_count) &&
           phx_image_reserve(image, PHX_TABLE_members, sizes->members) &&
           phx_image_reserve(image, PHX_TABLE_awake, sizes->awake) &&
           phx_image_reserve(image, PHX_TABLE_moved, sizes->moved) &&
           phx_image_reserve(image, PHX_TABLE_deferred, sizes->deferred) &&
           phx_image_reserve(image, PHX_TABLE_crowd, phx_idmap_count(&world->crowd.shrunk)) &&
           phx_image_reserve(image, PHX_TABLE_consumers, world->def.consumers) &&
           phx_grow(mem, (void **)&image->places, &image->places_capacity, 0, (size_t)sizes->slots + 1,
                    sizeof *image->places) &&
           phx_grow(mem, (void **)&image->place_first, &image->shard_capacity, 0, (size_t)shards + 1,
                    sizeof *image->place_first) &&
           phx_grow(mem, (void **)&image->list_end, &image->list_end_capacity, 0, shards, sizeof *image->list_end);
}

/* ---- entities ---- */

static void put_attr(phx_image *image, const phx_attr *attr)
{
    phx_saved_attr *saved = phx_image_add(image, PHX_TABLE_attrs);
    *saved = (phx_saved_attr){.layers = attr->layers,
                              .sees = attr->sees,
                              .view = attr->view,
                              .margin = attr->margin,
                              .reach = attr->reach,
                              .visible = attr->visible,
                              .cap = attr->cap,
                              .given = attr->given,
                              .instance = attr->instance,
                              .kind = attr->kind,
                              .consumer = attr->consumer,
                              .stealth = attr->stealth,
                              .detect = attr->detect,
                              .priority = attr->priority,
                              .global = attr->global,
                              .veiled = attr->veiled,
                              .ready = attr->ready_given}; /* given has PH_REMOTE */
}

/* Attribute sets, shard by shard. */
static void put_sets(const phx_world *world, phx_image *image, phx_captured_columns *columns)
{
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_attr_sets *sets = &world->shards[i].store.sets;
        columns->first_set[i] = PHX_IMAGE_COUNT(image, attrs);
        for (uint32_t set = 0; set < sets->numbers; set++) put_attr(image, &sets->attr[set]);
    }
}

/* Places of ghosts: those of their originals. */
static void put_ghosts(const phx_world *world, phx_image *image)
{
    if (world->shard_count == 1) return;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_store *store = &world->shards[i].store;
        uint32_t *places = image->places + image->place_first[i];
        for (uint32_t slot = 0; slot < store->slots; slot++)
            if (store->body[slot].state & PHX_SLOT_GHOST)
                places[slot] = phx_capture_place(world, image, store->name[slot].id);
    }
}

/* ---- memory of ticks ---- */

static void put_awake(phx_image *image, const phx_shard *shard, const uint32_t *places)
{
    const phx_activation *activation = &shard->zones.activation;
    for (uint32_t slot = 0; slot < activation->slots; slot++) {
        if (!activation->sleepers[slot].awake) continue;
        phx_saved_awake *saved = phx_image_add(image, PHX_TABLE_awake);
        *saved = (phx_saved_awake){.entity = places[slot], .alone_since = activation->sleepers[slot].alone_since};
    }
}

/* Last moves that still count, and updates that wait. */
static void put_bands(const phx_world *world, phx_image *image, const phx_shard *shard, const uint32_t *places)
{
    const phx_bands *bands = &shard->bands;
    if (!bands->live) return;
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        const phx_motion_history *history = &bands->histories[slot];
        if (!(shard->store.body[slot].state & PHX_SLOT_OWN)) continue;
        if (history->moved != 0 && (uint32_t)world->tick - history->moved < PH_BAND_EVERY_MAX) {
            phx_saved_moved *saved = phx_image_add(image, PHX_TABLE_moved);
            *saved = (phx_saved_moved){.entity = places[slot], .tick = history->moved};
        }
        const uint32_t *words = phx_list_entries(&bands->pool, &bands->deferred[slot]);
        for (uint32_t i = 0; i < bands->deferred[slot].count; i += 2) {
            if (places[words[i]] == PHX_NO_PLACE) continue; /* it left: nothing is due */
            phx_saved_deferred *saved = phx_image_add(image, PHX_TABLE_deferred);
            *saved = (phx_saved_deferred){.observer = places[slot], .target = places[words[i]], .since = words[i + 1]};
        }
    }
}

static void put_crowd(phx_image *image, const phx_world *world)
{
    const phx_idmap *shrunk = &world->crowd.shrunk;
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, entities) && phx_idmap_count(shrunk) > 0; i++) {
        const uint64_t *value = phx_idmap_find(shrunk, PHX_IMAGE_ROWS(image, entities, entity)[i].id);
        if (!value) continue;
        phx_saved_crowd *saved = phx_image_add(image, PHX_TABLE_crowd);
        const uint32_t bits = (uint32_t)*value;
        saved->entity = i;
        saved->step = (uint32_t)(*value >> 32);
        memcpy(&saved->view, &bits, sizeof bits);
    }
}

static void put_consumers(phx_image *image, const phx_world *world)
{
    for (uint32_t i = 0; i < world->def.consumers; i++) {
        const phx_consumer_counts counts = phx_consumer_count(world->consumers[i].consumer);
        phx_saved_consumer *saved = phx_image_add(image, PHX_TABLE_consumers);
        if (counts.is_pending || counts.waiting > 0) saved->behind = PHX_CONSUMER_BEHIND;
        if (world->consumers[i].renews) saved->behind = PHX_CONSUMER_RENEWS;
    }
}

/* The tables, in a world that owes nothing; room was reserved. */
static void put_tables(const phx_world *world, phx_image *image, phx_captured_columns *columns)
{
    image->tick = world->tick;
    image->incarnations = world->incarnations;
    image->shard_count = world->shard_count;
    put_sets(world, image, columns);
    phx_capture_put(columns, image);
    put_ghosts(world, image);
    phx_capture_bonds(world, image);
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const uint32_t *places = image->places + image->place_first[i];
        put_awake(image, &world->shards[i], places);
        put_bands(world, image, &world->shards[i], places);
    }
    put_crowd(image, world);
    put_consumers(image, world);
}

ph_status phx_image_capture(const phx_world *world, phx_image *image)
{
    image_sizes sizes = {0};
    phx_captured_columns columns;
    if (!phx_capture_begin(&columns, world, &image->mem)) return PH_NO_MEMORY;
    ph_status status = count_world(world, &sizes, &columns);
    const bool put = status == PH_OK && phx_image_put_def(image, PHX_IMAGE_DEF, &world->def) &&
                     (!world->next_classes || phx_image_put_def(image, PHX_IMAGE_NEXT_DEF, &world->next_def)) &&
                     reserve_tables(world, image, &sizes);
    if (put) put_tables(world, image, &columns);
    else if (status == PH_OK) status = PH_NO_MEMORY;
    phx_capture_end(&columns);
    return status;
}
