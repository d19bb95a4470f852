/*
 * Motion histories; see motion_history.h.
 */
#include "shards/publish/motion_history.h"

#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

bool phx_bands_ready(phx_shard *shard)
{
    phx_bands *bands = &shard->bands;
    uint32_t slots = shard->store.slots, trails = bands->trails_capacity, waits = bands->waits_capacity;
    if (!shard->rules->banded) return true;
    if (!phx_grow(shard->mem, (void **)&bands->trails, &bands->trails_capacity, trails, slots,
                  sizeof(phx_motion_history)))
        return false;
    for (; trails < bands->trails_capacity; trails++) bands->trails[trails] = (phx_motion_history){0};
    if (!phx_grow(shard->mem, (void **)&bands->strides, &bands->strides_capacity, 0, slots, sizeof(phx_motion_sample)))
        return false;
    if (!phx_grow(shard->mem, (void **)&bands->waits, &bands->waits_capacity, waits, slots, sizeof(phx_list)))
        return false;
    for (; waits < bands->waits_capacity; waits++) bands->waits[waits] = phx_list_empty();
    return true;
}

static bool moved_from(const phx_motion_history *trail, const phx_body *body)
{
    return trail->known && (trail->x != body->x || trail->y != body->y || trail->z != body->z);
}

/* Ticks since its last move, 0 for a move in this tick; UINT32_MAX = long ago. */
static uint32_t age_of(const phx_motion_history *trail, const phx_body *body, uint64_t tick)
{
    if (moved_from(trail, body)) return 0;
    return trail->moved != 0 ? (uint32_t)tick - trail->moved : UINT32_MAX;
}

bool phx_bands_has_history(const phx_shard *shard, uint32_t slot)
{
    return shard->rules->banded && slot < shard->bands.trails_capacity && shard->bands.trails[slot].known;
}

bool phx_bands_history_due(const phx_shard *shard, uint32_t slot)
{
    return phx_bands_has_history(shard, slot) &&
           age_of(&shard->bands.trails[slot], &shard->store.body[slot], shard->tick) < PH_BAND_EVERY_MAX;
}

void phx_bands_fill_history(const phx_shard *shard, uint32_t slot, phx_record *record)
{
    const phx_motion_history *trail = &shard->bands.trails[slot];
    record->id = shard->store.name[slot].id;
    record->type = PHX_RECORD_TRAIL;
    record->as.trail = (phx_trail_record){trail->x, trail->y, trail->z, trail->moved, trail->kind, 0};
}

bool phx_bands_take_history(phx_shard *shard, uint32_t slot, const phx_record *record)
{
    const phx_trail_record *from = &record->as.trail;
    if (!phx_bands_ready(shard)) return false;
    phx_motion_history *trail = &shard->bands.trails[slot];
    trail->x = from->x;
    trail->y = from->y;
    trail->z = from->z;
    trail->moved = from->moved;
    trail->kind = from->kind;
    trail->known = true;
    trail->hash = phx_band_hash(record->id);
    if (from->moved != 0 && shard->bands.last_move < shard->tick) shard->bands.last_move = shard->tick;
    return true;
}

bool phx_bands_busy(const phx_shard *shard)
{
    const phx_bands *bands = &shard->bands;
    if (!shard->rules->banded || shard->observing_count == 0 || shard->blind) return false;
    return shard->changed || bands->waiting > 0 ||
           (bands->last_move > 0 && shard->tick - bands->last_move < PH_BAND_EVERY_MAX);
}

void phx_bands_sample(phx_shard *shard)
{
    if (!phx_bands_busy(shard)) return;
    PHX_ASSERT(shard->store.slots <= shard->bands.strides_capacity);
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        const phx_body *body = &shard->store.body[slot];
        const phx_motion_history *trail = &shard->bands.trails[slot];
        shard->bands.strides[slot] = (phx_motion_sample){
            body->x, body->y, body->z, trail->x, trail->y, trail->z, trail->hash, age_of(trail, body, shard->tick)};
    }
}

static void commit_motion_history(phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    phx_motion_history *trail = &shard->bands.trails[slot];
    if (!(body->state & PHX_SLOT_LIVE)) {
        if (trail->known) *trail = (phx_motion_history){0};
        phx_bands_drop_deferred(&shard->bands, slot);
        return;
    }
    if (moved_from(trail, body)) {
        trail->moved = (uint32_t)shard->tick;
        shard->bands.last_move = shard->tick;
    }
    if (!trail->known) *trail = (phx_motion_history){.hash = phx_band_hash(shard->store.name[slot].id), .known = true};
    trail->x = body->x;
    trail->y = body->y;
    trail->z = body->z;
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    trail->kind = attr->kind;
    trail->change = 0;
    if (!(body->state & PHX_SLOT_OWN) || !phx_attr_observes(attr)) phx_bands_drop_deferred(&shard->bands, slot);
}

void phx_bands_end_tick(phx_shard *shard)
{
    phx_bands *bands = &shard->bands;
    if (!shard->rules->banded) {
        if (bands->live) {
            phx_bands_free(bands, shard->mem);
            *bands = (phx_bands){0};
            phx_bands_init(bands);
        }
        return;
    }
    if (bands->live && !shard->changed) return;
    if (shard->blind && bands->trails_capacity < shard->store.slots) return; /* none is kept */
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) commit_motion_history(shard, slot);
    bands->live = true;
}
