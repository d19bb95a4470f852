/*
 * The zones phase of a shard; see zones.h. Every step of it does nothing where nothing is
 * left to do, so a phase that stopped for want of memory is simply run again.
 */
#include "shards/shard.h"

void phx_zones_init(phx_zones *zones, phx_mem *mem)
{
    *zones = (phx_zones){0};
    phx_roster_init(&zones->roster, mem);
    phx_awake_init(&zones->awake, mem);
}

/* All but what the tick has told. */
static void drop(phx_zones *zones, phx_mem *mem)
{
    phx_roster_free(&zones->roster, mem);
    phx_awake_free(&zones->awake, mem);
    phx_release(mem, (void **)&zones->touched, &zones->touched_capacity, sizeof *zones->touched);
    zones->touched_count = 0;
    zones->on = false;
}

void phx_zones_free(phx_zones *zones, phx_mem *mem)
{
    drop(zones, mem);
    phx_release(mem, (void **)&zones->edges.at, &zones->edges.capacity, sizeof *zones->edges.at);
}

void phx_shard_zones_let_go(phx_shard *shard, uint32_t slot)
{
    phx_roster_remove(&shard->zones.roster, slot);
    phx_awake_let_go(&shard->zones.awake, slot);
}

/* Slots to go through: those that changed, or all. */
typedef struct going {
    uint32_t count;
    bool every, listed;
} going;

static going changed_slots(const phx_shard *shard)
{
    const phx_zones *zones = &shard->zones;
    going all = {.count = shard->store.slots, .every = !zones->on || shard->all_dirty};
    if (all.every) return all;
    if (!shard->changed) return (going){0};
    if (shard->many_movers || zones->missed) return all;
    return (going){.count = zones->touched_count, .listed = true};
}

/* The i-th of them, or PHX_SLOT_NONE where it did not change. */
static uint32_t slot_at(const phx_shard *shard, const going *all, uint32_t i)
{
    if (all->listed) return shard->zones.touched[i];
    return all->every || phx_shard_dirty(shard, &shard->store.body[i]) ? i : PHX_SLOT_NONE;
}

static bool stand(phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    if (body->state & PHX_SLOT_OWN)
        return phx_roster_place(&shard->zones.roster, shard->mem, slot, body->tx, body->ty);
    phx_roster_remove(&shard->zones.roster, slot);
    return true;
}

static bool activate(phx_shard *shard, const going *all, const phx_awake_input *in)
{
    phx_awake *awake = &shard->zones.awake;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t slot = slot_at(shard, all, i);
        if (slot != PHX_SLOT_NONE && !phx_awake_count(awake, shard->mem, in, slot)) return false;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t slot = slot_at(shard, all, i);
        if (slot != PHX_SLOT_NONE && !phx_awake_look(awake, shard->mem, in, slot)) return false;
    }
    return phx_awake_settle(awake, shard->mem, in);
}

bool phx_shard_zones(phx_shard *shard)
{
    phx_zones *zones = &shard->zones;
    phx_mem *mem = shard->mem;
    uint32_t slots = shard->store.slots;
    if (!shard->rules->wakes && zones->awake.awake_count == 0) {
        if (zones->on) drop(zones, mem);
        return true;
    }
    if (!phx_roster_cover(&zones->roster, mem, slots) || !phx_awake_cover(&zones->awake, mem, slots)) return false;
    going all = changed_slots(shard);
    if (zones->awake.span != shard->rules->wake_span) phx_awake_recount(&zones->awake, mem, shard->rules->wake_span);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t slot = slot_at(shard, &all, i);
        if (slot != PHX_SLOT_NONE && !stand(shard, slot)) return false;
    }
    phx_awake_input in = {.rules = shard->rules,
                          .store = &shard->store,
                          .roster = &zones->roster,
                          .rect = shard->rect,
                          .tick = shard->tick,
                          .edges = &zones->edges};
    if (!activate(shard, &all, &in)) return false;
    zones->on = true;
    return true;
}
