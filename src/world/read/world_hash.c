/*
 * Hashes a world, between ticks; see world_hash.h.
 */
#include "world/read/world_hash.h"

#include <string.h>

#include "base/rng.h"
#include "shards/query/seen.h"
#include "shards/state/update_bands.h"

static uint64_t mix_into_hash(uint64_t hash, uint64_t value)
{
    return phx_mix64((hash ^ value) + 0x9e3779b97f4a7c15u);
}

static uint64_t float_bits(float f)
{
    uint32_t bits;
    float positive_zero = f + 0.0f; /* -0 and 0 are one position */
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits;
}

static uint64_t hash_attr(uint64_t h, const phx_attr *a)
{
    h = mix_into_hash(mix_into_hash(h, a->layers), a->sees);
    h = mix_into_hash(mix_into_hash(mix_into_hash(h, float_bits(a->view)), float_bits(a->margin)),
                      float_bits(a->reach));
    h = mix_into_hash(h, float_bits(a->visible));
    h = mix_into_hash(mix_into_hash(mix_into_hash(mix_into_hash(h, a->cap), a->given), a->kind), a->consumer);
    if (a->instance != 0) h = mix_into_hash(h, a->instance);
    return mix_into_hash(h, (uint64_t)a->stealth << 24 | (uint64_t)a->detect << 16 | (uint64_t)a->priority << 8 |
                                (uint64_t)a->veiled << 2 | (uint64_t)a->global << 1 |
                                a->ready_given); /* given has PH_REMOTE */
}

/* Sum over an observer's list. */
typedef struct list_sum {
    const phx_store *store;
    uint64_t id, sum;
} list_sum;

static bool add_to_sum(void *user, const uint32_t *targets, uint32_t count)
{
    list_sum *at = user;
    for (uint32_t i = 0; i < count; i++) at->sum += mix_into_hash(at->id, at->store->name[targets[i]].id);
    return true;
}

/* Hash of its motion history and deferred updates, from which later updates follow. An applied slot may have neither.
 */
static uint64_t hash_updates(const phx_world *world, const phx_shard *shard, uint32_t slot)
{
    const phx_bands *bands = &shard->bands;
    if (!world->rules.banded || !bands->live || slot >= bands->histories_capacity) return 0;
    const phx_motion_history *history = &bands->histories[slot];
    uint64_t id = shard->store.name[slot].id, sum = 0;
    uint32_t age = (uint32_t)phx_world_ended_tick(world) - history->moved;
    if (history->moved != 0 && age < PH_BAND_EVERY_MAX) sum += mix_into_hash(id, 1 + age);
    if (slot >= bands->deferred_capacity) return sum;
    const uint32_t *words = phx_list_entries(&bands->pool, &bands->deferred[slot]);
    for (uint32_t i = 0; i < bands->deferred[slot].count; i += 2)
        sum += mix_into_hash(mix_into_hash(id, shard->store.name[words[i]].id), words[i + 1]);
    return sum;
}

/* Hash of an entity. Hashes are added up, so that the order of slots and shards has no effect. */
static uint64_t hash_entity(const phx_world *world, const phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[slot];
    uint64_t id = store->name[slot].id;
    uint64_t h =
        mix_into_hash(mix_into_hash(mix_into_hash(mix_into_hash(0, id), float_bits(body->x)), float_bits(body->y)),
                      float_bits(body->z));
    h = hash_attr(mix_into_hash(h, phx_store_user_data(store, slot)), phx_store_attr(store, slot));
    h = mix_into_hash(h, phx_attach_parent(&world->attach, id));
    if (phx_activation_is(&shard->zones.activation, slot))
        h = mix_into_hash(h, 1 + shard->zones.activation.sleepers[slot].alone_since);
    const uint64_t *shrunk = phx_idmap_find(&world->crowd.shrunk, id);
    if (shrunk) h = mix_into_hash(h, *shrunk); /* its view by its attributes, and its crowd step */
    list_sum seen = {.store = store, .id = id};
    phx_shard_list_targets(shard, slot, add_to_sum, &seen);
    uint64_t sum = seen.sum + hash_updates(world, shard, slot);
    const uint32_t *areas = NULL;
    uint32_t inside = phx_area_members_of(&shard->zones.area_members, slot, &areas);
    for (uint32_t i = 0; i < inside; i++)
        sum += mix_into_hash(mix_into_hash(id, 0x61726561), world->areas.at[areas[i]].id);
    const phx_relation_set *set = phx_relations_of(&shard->relations, slot);
    for (uint32_t i = 0; set && i < set->count; i++) {
        const phx_relation *r = &set->items[i];
        if (r->bits == 0) continue; /* it ended since the last tick */
        bool paired = r->bits & PHX_RELATION_PAIR;
        uint64_t radii = paired ? float_bits(r->view) << 32 | float_bits(r->margin) : 0;
        sum += mix_into_hash(mix_into_hash(mix_into_hash(id, r->target), r->bits), radii);
    }
    return mix_into_hash(h, sum);
}

/* Hash of kinds, heights, layers, instance and margin. */
static uint64_t hash_area_rules(const phx_area_entry *area, uint64_t h)
{
    if (area->filtered) {
        h = mix_into_hash(mix_into_hash(h, float_bits(area->z_low)), float_bits(area->z_high));
        h = mix_into_hash(mix_into_hash(h, area->layers), (uint64_t)area->in_instance << 32 | area->instance);
    }
    if (area->keeps) h = mix_into_hash(h, float_bits(area->margin));
    for (uint32_t i = 0; i < area->kind_count; i++) h = mix_into_hash(h, area->kinds[i]);
    return h;
}

/* Hash of an area's shape and filters; fields of other shapes are not set. */
static uint64_t hash_area_shape(const phx_area_entry *area, uint64_t h)
{
    uint64_t form = (uint64_t)area->shape << 16 | (uint64_t)area->corner_count << 8 | area->kind_count;
    h = hash_area_rules(area, mix_into_hash(h, form));
    for (uint32_t i = 0; i < area->corner_count; i++)
        h = mix_into_hash(mix_into_hash(h, float_bits(area->corners[i][0])), float_bits(area->corners[i][1]));
    if (area->shape == PH_AREA_CIRCLE)
        return mix_into_hash(mix_into_hash(mix_into_hash(h, float_bits(area->center[0])), float_bits(area->center[1])),
                             float_bits(area->radius));
    h = mix_into_hash(mix_into_hash(h, float_bits(area->box.x0)), float_bits(area->box.y0));
    return mix_into_hash(mix_into_hash(h, float_bits(area->box.x1)), float_bits(area->box.y1));
}

static uint64_t hash_area(const phx_areas *areas, const phx_area_entry *area)
{
    const uint64_t h = mix_into_hash(0, area->id);
    if (area->follow == PHX_FOLLOW_NONE) return hash_area_shape(area, h);
    const phx_area_follow *follow = &areas->follows.at[area->follow];
    phx_area_entry relative = {.follow = PHX_FOLLOW_NONE};
    phx_area_shape_of(&relative, &follow->shape);
    return hash_area_shape(&relative, mix_into_hash(h, follow->anchor));
}

uint64_t phx_query_hash(const phx_world *world)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < world->areas.count; i++)
        if (world->areas.at[i].live) sum += hash_area(&world->areas, &world->areas.at[i]);
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_shard *shard = &world->shards[i];
        for (uint32_t slot = 0; slot < shard->store.slots; slot++)
            if (shard->store.body[slot].state & PHX_SLOT_OWN) sum += hash_entity(world, shard, slot);
    }
    return sum;
}
