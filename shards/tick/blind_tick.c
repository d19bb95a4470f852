/*
 * Blind ticks; see blind_tick.h.
 */
#include "shards/tick/blind_tick.h"

#include <string.h>

#include "shards/state/dirty_marks.h"
#include "shards/state/storage.h"
#include "shards/tick/set_aside.h"

/* ---- the index ---- */

/* Frees the entries and the previous rows; no slot has an entry. */
static void free_index(phx_shard *shard)
{
    const uint32_t bits = PHX_SLOT_ROW | PHX_SLOT_ROW_MISPLACED | PHX_SLOT_NOTED;
    phx_store *store = &shard->store;
    shard->storage->add_counts(shard, &shard->counts.index);
    shard->rules_storage->free(shard);
    phx_grid_free(&shard->grid, shard->mem);
    phx_prev_rows_free(&shard->previous, shard->mem);
    phx_prev_rows_init(&shard->previous, shard->mem);
    shard->previous.shape = shard->rules->shape;
    shard->previous.height = shard->rules->height;
    shard->derives_lists = shard->delta_allowed = shard->flat = shard->heights_fit = false;
    shard->old_heights.known = false;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        store->body[slot].state = (uint16_t)(store->body[slot].state & ~bits);
}

/* Takes the storage without entries: all live slots are in it. */
static void go_bare(phx_shard *shard, const phx_storage *bare)
{
    phx_store *store = &shard->store;
    free_index(shard);
    shard->storage = bare;
    shard->move_constants = phx_move_constants_of(shard);
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if (store->body[slot].state & PHX_SLOT_LIVE) store->body[slot].state |= PHX_SLOT_ROW;
    shard->deferred.count = 0;
}

bool phx_shard_restore_index(phx_shard *shard)
{
    const phx_storage *bare = shard->storage;
    phx_store *store = &shard->store;
    phx_deferred *deferred = &shard->deferred;
    const uint32_t live = store->own_count + store->ghost_count;
    if (!phx_grow(shard->mem, (void **)&deferred->slots, &deferred->capacity, deferred->count, live, sizeof(uint32_t)))
        return false;
    free_index(shard);
    if (!phx_grid_init(&shard->grid, shard->mem, shard->rules->towers) || !shard->rules_storage->make(shard)) {
        go_bare(shard, bare);
        return false;
    }
    shard->storage = shard->rules_storage;
    shard->move_constants = phx_move_constants_of(shard);
    deferred->count = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        if (!(store->body[slot].state & PHX_SLOT_LIVE)) continue;
        phx_shard_mark_discontinuous(shard, &store->body[slot]);
        phx_deferred_add(deferred, slot);
    }
    shard->all_dirty = shard->changed = shard->far.stale = true;
    shard->grid.needs_rebuild = true;
    return true;
}

void phx_shard_take_towers(phx_shard *shard, phx_rect rect, const phx_storage *bare)
{
    PHX_ASSERT(shard->store.own_count == 0 && shard->store.ghost_count == 0);
    shard->storage->add_counts(shard, &shard->counts.index);
    shard->rules_storage->free(shard);
    phx_grid_free(&shard->grid, shard->mem);
    phx_shard_set_rect(shard, rect);
    if (phx_grid_init(&shard->grid, shard->mem, shard->rules->towers) && shard->rules_storage->make(shard)) return;
    go_bare(shard, bare);
}

/* ---- lists ---- */

/* Sets all own observers aside, immigrants among them, with lists that are not in their slots yet. */
static void set_all_aside(phx_shard *shard)
{
    phx_store *store = &shard->store;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        store->body[slot].state = (uint16_t)(store->body[slot].state & ~PHX_SLOT_PARTIAL);
    for (uint32_t i = 0; i < shard->immigrant_lists.count; i++)
        if (shard->immigrant_lists.at[i].count > 0) phx_shard_set_aside(shard, shard->immigrant_lists.at[i].observer);
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        if (!(store->body[slot].state & PHX_SLOT_OWN)) continue;
        if (phx_attr_lists(phx_store_attr(store, slot), &store->tail[slot].list)) phx_shard_set_aside(shard, slot);
    }
    shard->immigrant_lists.count = shard->partial_observers.count = 0;
    shard->partial_not_listed = true;
}

/* Motion histories end where there is no room for all of them. */
static void drop_histories(phx_shard *shard)
{
    phx_bands *bands = &shard->bands;
    bands->unresolved_count = 0;
    if (bands->histories_capacity >= shard->store.slots && bands->deferred_capacity >= shard->store.slots) return;
    phx_bands_free(bands, shard->mem);
    *bands = (phx_bands){0};
    phx_bands_init(bands);
}

/* Ghosts stay as they are until the next refresh, which repeats all of them that are not gone. */
static void leave_ghosts(phx_shard *shard)
{
    phx_store *store = &shard->store;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if (store->body[slot].state & PHX_SLOT_GHOST) store->tail[slot].origin.repeated = false;
    if (shard->refreshed) memset(shard->refreshed, 0, shard->outbox.shard_count * sizeof *shard->refreshed);
    shard->refreshed_any = false;
}

void phx_shard_index_blind(phx_shard *shard, const phx_storage *bare)
{
    if (shard->lacks_copies) leave_ghosts(shard);
    go_bare(shard, bare);
    set_all_aside(shard);
    drop_histories(shard);
    shard->far.stale = true;
    phx_deferred_end(&shard->deferred);
}
