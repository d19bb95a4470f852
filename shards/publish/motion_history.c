/*
 * Motion histories; see motion_history.h.
 */
#include "shards/publish/motion_history.h"

#include <string.h>

#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

bool phx_bands_ready(phx_shard *shard)
{
    phx_bands *bands = &shard->bands;
    uint32_t slots = shard->store.slots, histories = bands->histories_capacity, deferred = bands->deferred_capacity;
    if (!shard->rules->banded) return true;
    if (!phx_grow(shard->mem, (void **)&bands->histories, &bands->histories_capacity, histories, slots,
                  sizeof(phx_motion_history)))
        return false;
    for (; histories < bands->histories_capacity; histories++) bands->histories[histories] = (phx_motion_history){0};
    if (!phx_grow(shard->mem, (void **)&bands->deferred, &bands->deferred_capacity, deferred, slots, sizeof(phx_list)))
        return false;
    for (; deferred < bands->deferred_capacity; deferred++) bands->deferred[deferred] = phx_list_empty();
    return true;
}

bool phx_bands_has_history(const phx_shard *shard, uint32_t slot)
{
    return shard->rules->banded && slot < shard->bands.histories_capacity && shard->bands.histories[slot].known;
}

bool phx_bands_history_due(const phx_shard *shard, uint32_t slot)
{
    return phx_bands_has_history(shard, slot) &&
           phx_bands_age(&shard->bands.histories[slot], &shard->store.body[slot], shard->tick) < PH_BAND_EVERY_MAX;
}

void phx_bands_fill_history(const phx_shard *shard, uint32_t slot, phx_record *record)
{
    const phx_motion_history *history = &shard->bands.histories[slot];
    record->id = shard->store.name[slot].id;
    record->type = PHX_RECORD_MOTION_HISTORY;
    record->as.history = (phx_motion_record){history->x, history->y, history->z, history->moved, history->kind, 0};
}

bool phx_bands_read_history(phx_shard *shard, uint32_t slot, const phx_record *record)
{
    const phx_motion_record *from = &record->as.history;
    if (!phx_bands_ready(shard)) return false;
    phx_motion_history *history = &shard->bands.histories[slot];
    history->x = from->x;
    history->y = from->y;
    history->z = from->z;
    history->moved = from->moved;
    history->kind = from->kind;
    history->known = true;
    history->hash = phx_band_hash(record->id);
    if (from->moved != 0 && shard->bands.last_move < shard->tick) shard->bands.last_move = shard->tick;
    return true;
}

void phx_bands_make_all_due(phx_shard *shard, uint32_t slot)
{
    enum { NO_KIND = UINT16_MAX };
    _Static_assert((int)NO_KIND >= (int)PH_KINDS_MAX, "no class has it");
    PHX_ASSERT(phx_bands_has_history(shard, slot));
    shard->bands.histories[slot].kind = NO_KIND;
}

bool phx_bands_busy(const phx_shard *shard)
{
    const phx_bands *bands = &shard->bands;
    if (!shard->rules->banded || shard->observing_count == 0 || shard->blind) return false;
    return shard->changed || bands->waiting > 0 ||
           (bands->last_move > 0 && shard->tick - bands->last_move < PH_BAND_EVERY_MAX);
}

/* Has a slot no deferred updates, nor memory of them? */
static bool none_deferred(const phx_bands *bands, uint32_t slot)
{
    return slot >= bands->deferred_capacity || bands->deferred[slot].size_class == PHX_LIST_NONE;
}

static void commit_motion_history(phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    phx_motion_history *history = &shard->bands.histories[slot];
    if (!(body->state & PHX_SLOT_LIVE)) {
        if (history->known) *history = (phx_motion_history){0};
        phx_bands_drop_deferred(&shard->bands, slot);
        return;
    }
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const bool moved = phx_bands_moved(history, body);
    PHX_ASSERT(shard->bands.waiting > 0 || none_deferred(&shard->bands, slot));
    if (shard->bands.waiting > 0 && (!(body->state & PHX_SLOT_OWN) || !phx_attr_observes(attr)))
        phx_bands_drop_deferred(&shard->bands, slot);
    if (history->known && !moved && history->kind == attr->kind) return; /* most where few move, so not written */
    if (moved) {
        history->moved = (uint32_t)shard->tick;
        shard->bands.last_move = shard->tick;
    }
    if (!history->known)
        *history = (phx_motion_history){.hash = phx_band_hash(shard->store.name[slot].id), .known = true};
    history->x = body->x;
    history->y = body->y;
    history->z = body->z;
    history->kind = attr->kind;
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
    if (shard->blind && bands->histories_capacity < shard->store.slots) return; /* none is kept */
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) commit_motion_history(shard, slot);
    bands->live = true;
}
