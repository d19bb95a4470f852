/*
 * The zones stage of a shard; see zones_stage.h. A step without work left does nothing, so a phase that stopped for
 * want of memory is run again.
 */
#include "shards/tick/zones_stage.h"

/* Slots to check: changed ones, or all. */
typedef struct going {
    uint32_t count;
    bool every, listed;
} going;

static going changed_slots(const phx_shard *shard, bool every)
{
    const phx_zones *zones = &shard->zones;
    going all = {.count = shard->store.slots, .every = every || !zones->on || zones->put_off || shard->all_dirty};
    if (all.every) return all;
    if (!shard->changed) return (going){0};
    if (shard->dense_tick || zones->missed) return all;
    return (going){.count = zones->dirty_count, .listed = true};
}

/* The i-th of them, or PHX_SLOT_NONE if it did not change. */
static uint32_t slot_at(const phx_shard *shard, const going *all, uint32_t i)
{
    if (all->listed) return shard->zones.dirty[i];
    return all->every || phx_shard_dirty(shard, &shard->store.body[i]) ? i : PHX_SLOT_NONE;
}

static bool place_member(phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    if (body->state & PHX_SLOT_OWN)
        return phx_tower_members_place(&shard->zones.tower_members, shard->mem, slot,
                                       phx_store_instance(&shard->store, slot), body->tx, body->ty);
    phx_tower_members_remove(&shard->zones.tower_members, slot);
    return true;
}

/* Updates area members, and then the tower members. false = no memory. */
static bool update_area_members(phx_shard *shard, const going *all, bool areas)
{
    phx_zones *zones = &shard->zones;
    phx_area_members_input in = {.areas = zones->areas,
                                 .store = &shard->store,
                                 .tower_members = &zones->tower_members,
                                 .rect = shard->rect,
                                 .tick = shard->tick,
                                 .stamp = shard->dirty_stamp,
                                 .edges = &zones->edges};
    if (areas && !phx_area_members_check_areas(&zones->area_members, shard->mem, &in)) return false;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t slot = slot_at(shard, all, i);
        if (slot == PHX_SLOT_NONE) continue;
        if (areas && !phx_area_members_check(&zones->area_members, shard->mem, &in, slot)) return false;
        if (!place_member(shard, slot)) return false;
    }
    return true;
}

static bool update_activation(phx_shard *shard, const going *all)
{
    phx_zones *zones = &shard->zones;
    phx_activation *activation = &zones->activation;
    phx_activation_input in = {.rules = shard->rules,
                               .store = &shard->store,
                               .tower_members = &zones->tower_members,
                               .rect = shard->rect,
                               .tick = shard->tick,
                               .edges = &zones->edges};
    if (activation->span != shard->rules->wake_span)
        phx_activation_recount(activation, shard->mem, shard->rules->wake_span);
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t slot = slot_at(shard, all, i);
        if (slot != PHX_SLOT_NONE && !phx_activation_count(activation, shard->mem, &in, slot)) return false;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t slot = slot_at(shard, all, i);
        if (slot != PHX_SLOT_NONE && !phx_activation_decide(activation, shard->mem, &in, slot)) return false;
    }
    return phx_activation_end_tick(activation, shard->mem, &in);
}

bool phx_shard_zones(phx_shard *shard)
{
    phx_zones *zones = &shard->zones;
    phx_mem *mem = shard->mem;
    uint32_t slots = shard->store.slots;
    bool wakes = shard->rules->wakes || zones->activation.awake_count > 0;
    bool areas = zones->areas && phx_areas_any(zones->areas);
    if (!wakes && zones->activation_on) phx_zones_drop_activation(zones, mem);
    if (!areas && zones->area_members_on) phx_zones_drop_areas(zones, mem);
    if (!wakes && !areas) {
        if (zones->on) phx_zones_drop(zones, mem);
        zones->put_off = false;
        return true;
    }
    if (!phx_tower_members_cover(&zones->tower_members, mem, slots)) return false;
    if (wakes && !phx_activation_cover(&zones->activation, mem, slots)) return false;
    if (areas && !phx_area_members_cover(&zones->area_members, mem, slots)) return false;
    going all = changed_slots(shard, (wakes && !zones->activation_on) || (areas && !zones->area_members_on));
    if (!update_area_members(shard, &all, areas)) return false;
    if (wakes && !update_activation(shard, &all)) return false;
    zones->put_off = false;
    zones->on = true;
    zones->activation_on = wakes;
    zones->area_members_on = areas;
    return true;
}
