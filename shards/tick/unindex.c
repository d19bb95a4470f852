/*
 * Shards without memory for the index phase; see unindex.h.
 */
#include "shards/tick/unindex.h"

#include "shards/index/bare.h"
#include "shards/index/registry.h"
#include "shards/state/dirty_marks.h"

/* No slot has a row, or is to have another one. */
static void drop_rows_of_slots(phx_store *store)
{
    const uint32_t bits = PHX_SLOT_ROW | PHX_SLOT_ROW_MISPLACED | PHX_SLOT_NOTED;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        store->body[slot].state = (uint16_t)(store->body[slot].state & ~bits);
}

/* The list of an own observer is emptied and owed; false: it has none. */
static bool owe_empty_list(phx_shard *shard, uint32_t slot)
{
    phx_store *store = &shard->store;
    phx_body *body = &store->body[slot];
    if (!(body->state & PHX_SLOT_OWN)) return false;
    phx_list *list = &store->tail[slot].list;
    if (!phx_attr_observes(phx_store_attr(store, slot)) && !phx_list_holds(list) && !list->owed) return false;
    const bool ends = !list->owed || list->count > 0 || list->derived;
    list->derived = false;
    phx_list_release(&shard->lists, list);
    list->owed = true;
    store->name[slot].fresh = true;
    body->state |= PHX_SLOT_PARTIAL;
    phx_bands_drop_deferred(&shard->bands, slot);
    return ends;
}

/* A list that came with an observer, and is not in its slot yet, is owed. */
static uint64_t owe_immigrant_lists(phx_shard *shard)
{
    uint64_t ended = 0;
    for (uint32_t i = 0; i < shard->arrivals.count; i++) {
        const phx_immigrant_list *arrival = &shard->arrivals.at[i];
        phx_list *list = &shard->store.tail[arrival->observer].list;
        if (arrival->count == 0) continue;
        ended += !list->owed;
        list->owed = true;
    }
    shard->arrivals.count = 0;
    return ended;
}

/* Motion histories end where there is no room for all of them. */
static void drop_bands(phx_shard *shard)
{
    phx_bands *bands = &shard->bands;
    bands->arrival_count = 0;
    if (bands->trails_capacity >= shard->store.slots && bands->waits_capacity >= shard->store.slots) return;
    phx_bands_free(bands, shard->mem);
    *bands = (phx_bands){0};
    phx_bands_init(bands);
}

static void free_index(phx_shard *shard)
{
    phx_mem *mem = shard->mem;
    phx_grid_free(&shard->grid, mem);
    phx_ninegrid_free(&shard->nine, mem);
    phx_prev_rows_free(&shard->past, mem);
    phx_prev_rows_init(&shard->past, mem);
    shard->past.shape = shard->rules->shape;
    if (shard->alt && shard->alt != &shard->bare) {
        shard->bare.counts = shard->alt->counts;
        phx_index_free(shard->alt);
    }
    shard->alt = NULL;
    shard->derives_lists = shard->delta_allowed = false;
    drop_rows_of_slots(&shard->store);
}

static phx_index_env index_env(phx_shard *shard)
{
    return (phx_index_env){.mem = shard->mem, .rules = shard->rules, .store = &shard->store, .rect = shard->rect};
}

/* The index that needs no memory, with all live slots in it. */
static void go_bare(phx_shard *shard)
{
    phx_store *store = &shard->store;
    const phx_index_env env = index_env(shard);
    free_index(shard);
    phx_index_bare(&shard->bare, &env);
    shard->alt = &shard->bare;
    shard->move_frame = phx_move_constants_of(shard);
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if (store->body[slot].state & PHX_SLOT_LIVE) store->body[slot].state |= PHX_SLOT_ROW;
}

uint64_t phx_shard_unindex(phx_shard *shard)
{
    uint64_t ended = owe_immigrant_lists(shard);
    go_bare(shard);
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) ended += owe_empty_list(shard, slot);
    shard->partial_observers.count = shard->deferred.count = 0;
    drop_bands(shard);
    shard->owes_lists = shard->partial_not_listed = shard->blind = shard->far.stale = true;
    phx_deferred_end(&shard->deferred);
    return ended;
}

/* The index by the world's definition, empty. false = no memory. */
static bool make_index(phx_shard *shard)
{
    const phx_index_env env = index_env(shard);
    bool made = phx_grid_init(&shard->grid, shard->mem, shard->rules->towers);
    if (made && shard->rules->index != PH_INDEX_LIGHTHOUSE) {
        shard->alt = phx_index_make(shard->rules->index, &env);
        made = shard->alt;
        if (made) shard->alt->counts = shard->bare.counts;
    }
    return made && (!phx_shard_ninegrid(shard) || phx_ninegrid_init(&shard->nine, shard->mem, shard->rules));
}

bool phx_shard_restore_index(phx_shard *shard)
{
    phx_store *store = &shard->store;
    phx_deferred *deferred = &shard->deferred;
    const uint32_t live = store->own_count + store->ghost_count;
    if (!phx_grow(shard->mem, (void **)&deferred->slots, &deferred->capacity, deferred->count, live, sizeof(uint32_t)))
        return false;
    free_index(shard);
    if (!make_index(shard)) {
        go_bare(shard);
        return false;
    }
    shard->move_frame = phx_move_constants_of(shard);
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
