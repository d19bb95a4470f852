/*
 * A shard's life and the commands on its own entities; see shard.h. The exchange is in
 * exchange/receive.c and exchange/halo.c, the index phase in tick/reindex.c, lists in interest/evaluate.c.
 */
#include "shards/state/shard.h"

#include <string.h>

bool phx_shard_init(phx_shard *shard, phx_mem *mem, const phx_rules *rules, uint32_t index, uint32_t shard_count,
                    phx_rect rect)
{
    *shard = (phx_shard){.mem = mem, .rules = rules, .index = index, .rect = rect};
    shard->kernels = phx_kernels_of(rules->simd);
    shard->drift_limit = rules->tower_size / 4;
    shard->step_limit = rules->tower_size / 4; /* farther, and every look would have to go a tower farther */
    phx_store_init(&shard->store, mem);
    phx_list_pool_init(&shard->lists);
    phx_relations_init(&shard->relations, mem);
    phx_prev_rows_init(&shard->past, mem);
    phx_zones_init(&shard->zones, mem);
    phx_bands_init(&shard->bands);
    shard->past.shape = rules->shape;
    phx_outbox_init(&shard->outbox, mem, shard_count);
    bool made = phx_grid_init(&shard->grid, mem, rules->towers);
    if (made && rules->index != PH_INDEX_LIGHTHOUSE) {
        phx_index_env env = {.mem = mem, .rules = rules, .store = &shard->store, .rect = rect};
        shard->alt = phx_index_make(rules->index, &env);
        made = shard->alt;
    }
    if (made && phx_shard_ninegrid(shard)) made = phx_ninegrid_init(&shard->nine, mem, rules);
    shard->move_frame = phx_move_constants_of(shard);
    if (made) return true;
    phx_shard_free(shard, shard_count);
    return false;
}

void phx_shard_free(phx_shard *shard, uint32_t shard_count)
{
    phx_mem *mem = shard->mem;
    phx_store_free(&shard->store, mem);
    phx_grid_free(&shard->grid, mem);
    phx_ninegrid_free(&shard->nine, mem);
    phx_index_free(shard->alt);
    shard->alt = NULL;
    phx_prev_rows_free(&shard->past, mem);
    phx_zones_free(&shard->zones, mem);
    phx_list_pool_free(&shard->lists, mem);
    phx_deferred_free(&shard->deferred, mem);
    phx_relations_free(&shard->relations, mem);
    phx_far_free(&shard->far, mem);
    phx_bands_free(&shard->bands, mem);
    phx_outbox_free(&shard->outbox);
    phx_release(mem, (void **)&shard->emigrant_candidates.at, &shard->emigrant_candidates.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->beginners.at, &shard->beginners.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->partial_observers.at, &shard->partial_observers.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->emigrant_list_first.at, &shard->emigrant_list_first.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->list_scratch.at, &shard->list_scratch.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->immigrants.at, &shard->immigrants.capacity, sizeof(uint32_t));
    phx_immigrant_lists_free(&shard->arrivals, mem);
    phx_release(mem, (void **)&shard->pins, &shard->pins_capacity, sizeof(phx_pin));
    phx_release(mem, (void **)&shard->pins_before, &shard->pins_before_capacity, sizeof(phx_pin));
    phx_release(mem, (void **)&shard->forgets, &shard->forgets_capacity, sizeof(phx_silenced));
    phx_free(mem, shard->begun, shard_count, PHX_CACHE_LINE);
    phx_free(mem, shard->sent, shard_count, PHX_CACHE_LINE);
    phx_free(mem, shard->refreshed, shard_count, PHX_CACHE_LINE);
    phx_release(mem, (void **)&shard->neighbour_halos, &shard->near_capacity, sizeof *shard->neighbour_halos);
    shard->begun = shard->sent = shard->refreshed = NULL;
}

void phx_shard_begin(phx_shard *shard, uint64_t tick)
{
    PHX_ASSERT(shard->store.dead_count == 0);
    PHX_ASSERT(shard->deferred.depth == 0);
    shard->tick = tick;
    shard->dirty_stamp = (uint16_t)(tick % UINT16_MAX + 1);
    for (uint32_t slot = 0; shard->dirty_stamp == 1 && slot < shard->store.slots; slot++)
        shard->store.body[slot].changed = 0;
    shard->zones.edges.count = 0;
    shard->dirty_count = 0;
    phx_deferred_begin(&shard->deferred);
}

/* The row's marks follow attributes and state. */
static void copy_row_position(phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    if (!(body->state & PHX_SLOT_ROW)) return;
    if (phx_shard_ninegrid(shard)) phx_ninegrid_note(&shard->nine, &shard->store, slot);
    if (!phx_shard_rows(shard)) return;
    uint32_t *row = &shard->grid.rows.slot[body->row];
    *row = (*row & PHX_ROW_SLOT) | (body->state & PHX_SLOT_SPECIAL ? PHX_ROW_SPECIAL : 0);
    shard->grid.rows.view[body->row] = phx_grid_view(&shard->store, slot);
    phx_grid_changed(&shard->grid, body->row);
}

void phx_shard_flag(phx_shard *shard, uint32_t slot)
{
    phx_body *body = &shard->store.body[slot];
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    uint32_t old = body->state, state = old & ~(uint32_t)(PHX_SLOT_FAR | PHX_SLOT_SPECIAL | PHX_SLOT_BOUNDED);
    bool reaches = attr->reach > 0.0f && shard->rules->range == PH_RANGE_RADIUS;
    if (attr->global || reaches) state |= PHX_SLOT_FAR;
    if (phx_has_bound(attr) && shard->rules->range == PH_RANGE_RADIUS) state |= PHX_SLOT_BOUNDED;
    bool seen_by_all = attr->layers == 1 && attr->stealth == 0 && !attr->veiled;
    if (!seen_by_all || attr->priority > 0 || (state & (PHX_SLOT_FAR | PHX_SLOT_BOUNDED))) state |= PHX_SLOT_SPECIAL;
    if ((old | state) & PHX_SLOT_FAR) shard->far_dirty = shard->far.stale = true;
    if ((state & PHX_SLOT_BOUNDED) && !shard->bounded)
        shard->bounded = shard->far_dirty = true; /* lists are kept now */
    body->state = (uint16_t)state;
    phx_store_rename(&shard->store, slot);
    copy_row_position(shard, slot);
}

void phx_shard_kill(phx_shard *shard, uint32_t slot)
{
    phx_body *body = &shard->store.body[slot];
    phx_shard_mark_discontinuous(shard, body);
    if (phx_shard_ninegrid(shard)) phx_ninegrid_note(&shard->nine, &shard->store, slot);
    else if ((body->state & PHX_SLOT_ROW) && phx_shard_rows(shard)) phx_grid_misplace(&shard->grid, body, slot);
    phx_store_kill(&shard->store, slot);
}

uint32_t phx_shard_same_ghost(phx_shard *shard, uint32_t slot, uint32_t incarnation)
{
    if (slot == PHX_SLOT_NONE || shard->store.name[slot].incarnation == incarnation) return slot;
    phx_shard_kill(shard, slot);
    return PHX_SLOT_NONE;
}

uint32_t phx_shard_enter(phx_shard *shard, uint64_t id, uint32_t incarnation, uint64_t user_data, const phx_attr *attr,
                         float x, float y, float z)
{
    PHX_ASSERT(shard->deferred.depth > 0);
    if (!phx_store_reserve(&shard->store, shard->mem, 1)) return PHX_SLOT_NONE;
    if (!phx_store_reserve_user_data(&shard->store, shard->mem, user_data)) return PHX_SLOT_NONE;
    if (!phx_deferred_reserve(&shard->deferred, shard->mem, 1)) return PHX_SLOT_NONE;
    if (!phx_shard_reserve_beginner(shard)) return PHX_SLOT_NONE;
    phx_shard_same_ghost(shard, phx_store_ghost(&shard->store, id), incarnation);
    uint32_t slot = phx_store_take(&shard->store, id, PHX_SLOT_OWN);
    phx_body *body = &shard->store.body[slot];
    body->x = x;
    body->y = y;
    body->z = z;
    body->tx = phx_tower_index(shard->rules, 0, x);
    body->ty = phx_tower_index(shard->rules, 1, y);
    phx_shard_mark_discontinuous(shard, body);
    phx_store_dress(&shard->store, slot, attr);
    phx_store_set_user_data(&shard->store, slot, user_data);
    shard->store.name[slot].incarnation = incarnation;
    phx_shard_flag(shard, slot);
    phx_shard_count_observer(shard, attr, 1);
    phx_shard_note_beginner(shard, slot);
    phx_deferred_add(&shard->deferred, slot);
    return slot;
}

bool phx_shard_reserve_beginner(phx_shard *shard)
{
    phx_slot_array *beginners = &shard->beginners;
    return phx_grow(shard->mem, (void **)&beginners->at, &beginners->capacity, beginners->count,
                    (size_t)beginners->count + 1, sizeof(uint32_t));
}

bool phx_shard_begins(const phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    return (store->body[slot].state & PHX_SLOT_OWN) && store->name[slot].fresh &&
           phx_attr_observes(phx_store_attr(store, slot));
}

void phx_shard_note_beginner(phx_shard *shard, uint32_t slot)
{
    phx_slot_array *beginners = &shard->beginners;
    if (!phx_shard_begins(shard, slot)) return;
    PHX_ASSERT(beginners->count < beginners->capacity);
    beginners->at[beginners->count++] = slot;
}

enum { FORGETS_MOST = 2 }; /* of one command: one for an observer that is no longer ready, one for a changed consumer */

bool phx_shard_ready(phx_shard *shard, uint32_t commands)
{
    phx_slot_array *leaving = &shard->emigrant_candidates;
    if (phx_shard_ninegrid(shard) && !phx_ninegrid_reserve(&shard->nine, shard->mem)) return false;
    if (shard->derives_lists && !phx_prev_rows_reserve(&shard->past, shard->mem)) return false;
    uint32_t leaves = commands < shard->store.own_count ? commands : shard->store.own_count; /* each only once */
    return phx_store_reserve(&shard->store, shard->mem, 0) && phx_shard_reserve_beginner(shard) &&
           phx_grow(shard->mem, (void **)&shard->forgets, &shard->forgets_capacity, shard->forget_count,
                    (size_t)shard->forget_count + FORGETS_MOST, sizeof(phx_silenced)) &&
           phx_grow(shard->mem, (void **)&leaving->at, &leaving->capacity, leaving->count,
                    (size_t)leaving->count + leaves, sizeof(uint32_t));
}

static void add_silenced(phx_shard *shard, phx_silenced item)
{
    PHX_ASSERT(shard->forget_count < shard->forgets_capacity);
    shard->forgets[shard->forget_count++] = item;
}

void phx_shard_leave(phx_shard *shard, uint32_t slot)
{
    phx_store *store = &shard->store;
    PHX_ASSERT(store->body[slot].state & PHX_SLOT_OWN);
    add_silenced(shard, (phx_silenced){store->name[slot].id, phx_store_attr(store, slot)->consumer, PHX_SLOT_NONE});
    phx_shard_count_observer(shard, phx_store_attr(store, slot), -1);
    phx_relations_drop(&shard->relations, store->name[slot].id);
    shard->counts.entries -= phx_shard_list_count(shard, slot);
    phx_list_release(&shard->lists, &store->tail[slot].list);
    phx_shard_kill(shard, slot);
}

/* The list is told anew, unless there never was any. */
static void owe_list(phx_shard *shard, uint32_t slot)
{
    phx_list *list = &shard->store.tail[slot].list;
    const bool observes = phx_attr_observes(phx_store_attr(&shard->store, slot));
    if (observes || phx_shard_list_count(shard, slot) > 0) list->owed = true;
    shard->store.name[slot].fresh = true;
}

/* An observer that is not ready has no list, so one that is ready again in the same tick begins anew. */
static void end_list(phx_shard *shard, uint32_t slot)
{
    phx_list *list = &shard->store.tail[slot].list;
    owe_list(shard, slot);
    shard->counts.entries -= phx_shard_list_count(shard, slot);
    list->derived = false;
    phx_list_release(&shard->lists, list);
    phx_bands_drop_deferred(shard, slot);
}

/* A change of consumer or readiness ends the observer's list, or begins it anew; the consumer is told later. */
static void follow_attr(phx_shard *shard, uint32_t slot, const phx_attr *attr)
{
    const phx_attr *now = phx_store_attr(&shard->store, slot);
    const uint64_t id = shard->store.name[slot].id;
    if (now->consumer != attr->consumer) {
        add_silenced(shard, (phx_silenced){id, now->consumer, PHX_SLOT_NONE});
        owe_list(shard, slot);
    }
    if (now->ready && !attr->ready) {
        add_silenced(shard, (phx_silenced){id, now->consumer, slot});
        end_list(shard, slot);
    }
}

void phx_shard_set(phx_shard *shard, uint32_t slot, const phx_attr *attr)
{
    phx_store *store = &shard->store;
    const phx_attr *now = phx_store_attr(store, slot);
    PHX_ASSERT(store->body[slot].state & PHX_SLOT_OWN);
    phx_shard_mark_discontinuous(shard, &store->body[slot]);
    follow_attr(shard, slot, attr);
    if (phx_shard_ninegrid(shard)) phx_ninegrid_note_attr(&shard->nine, store, slot, attr);
    if (shard->derives_lists) phx_prev_rows_note(&shard->past, store, slot);
    phx_shard_count_observer(shard, now, -1);
    phx_store_dress(store, slot, attr);
    phx_shard_count_observer(shard, attr, 1);
    phx_shard_note_beginner(shard, slot);
    phx_shard_flag(shard, slot);
}

void phx_shard_resend(phx_shard *shard, uint32_t slot)
{
    const phx_attr attr = *phx_store_attr(&shard->store, slot);
    owe_list(shard, slot);
    phx_shard_set(shard, slot, &attr);
}

bool phx_shard_relate(phx_shard *shard, uint32_t slot, phx_relation item)
{
    phx_store *store = &shard->store;
    PHX_ASSERT(store->body[slot].state & PHX_SLOT_OWN);
    if (!phx_relations_put(&shard->relations, shard->mem, store->name[slot].id, item)) return false;
    phx_shard_mark_discontinuous(shard, &store->body[slot]);
    if (phx_relations_of(&shard->relations, store->name[slot].id)) store->body[slot].state |= PHX_SLOT_RELATED;
    else store->body[slot].state = (uint16_t)(store->body[slot].state & ~PHX_SLOT_RELATED);
    copy_row_position(shard, slot);
    return true;
}

void phx_shard_partial(phx_shard *shard, uint32_t slot, bool partial)
{
    phx_body *body = &shard->store.body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    if (partial) body->state |= PHX_SLOT_PARTIAL;
    else body->state = (uint16_t)(body->state & ~PHX_SLOT_PARTIAL);
    if (phx_shard_ninegrid(shard) && partial) phx_ninegrid_look(&shard->nine, &shard->store, slot);
    else copy_row_position(shard, slot);
}

static bool count_listed(void *user, const uint32_t *targets, uint32_t count)
{
    (void)targets;
    *(uint64_t *)user += count;
    return true;
}

void phx_shard_set_aside(phx_shard *shard, uint32_t slot, bool told)
{
    phx_list *list = &shard->store.tail[slot].list;
    uint64_t seen = 0;
    PHX_ASSERT(shard->store.body[slot].state & PHX_SLOT_OWN);
    if (told) phx_shard_list_targets(shard, slot, count_listed, &seen);
    else seen = phx_shard_list_count(shard, slot);
    shard->counts.entries -= seen;
    list->derived = false;
    phx_list_release(&shard->lists, list);
    list->owed = true;
    shard->owes_lists = shard->partial_not_listed = true;
    shard->store.name[slot].fresh = true;
    phx_bands_drop_deferred(shard, slot);
    phx_shard_partial(shard, slot, true);
}

void phx_shard_rules_changed(phx_shard *shard)
{
    shard->all_dirty = shard->changed = true;
    shard->far.stale = true;
    shard->radius_stale = true;
}

bool phx_shard_lists_valid(const phx_shard *shard)
{
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        const phx_list *list = &shard->store.tail[slot].list;
        bool own = shard->store.body[slot].state & PHX_SLOT_OWN, implied = own && (list->derived);
        if (own && phx_shard_derives(shard, slot) != implied) return false;
        if (implied && (list->count > 0 || list->size_class != PHX_LIST_NONE)) return false;
    }
    return true;
}

void phx_shard_end(phx_shard *shard)
{
    PHX_ASSERT(shard->deferred.depth == 0);
    /* an observer that was not ready in this tick begins anew */
    for (uint32_t i = 0; i < shard->forget_count; i++) {
        uint32_t slot = shard->forgets[i].slot;
        if (slot == PHX_SLOT_NONE || !(shard->store.body[slot].state & PHX_SLOT_OWN)) continue;
        if (!phx_store_attr(&shard->store, slot)->ready) shard->store.name[slot].fresh = true;
    }
    if (phx_shard_ninegrid(shard)) phx_ninegrid_end_tick(&shard->nine, shard->rules, &shard->store);
    phx_prev_rows_end(&shard->past, &shard->store, &shard->grid, shard->rules->shape);
    phx_bands_end_tick(shard);
    PHX_VALIDATE(phx_shard_ninegrid(shard) || phx_shard_lists_valid(shard));
    PHX_VALIDATE(!phx_shard_ninegrid(shard) || phx_ninegrid_valid(&shard->nine, shard->rules, &shard->store));
    phx_store_bury(&shard->store);
    phx_outbox_lists_end(&shard->outbox);
    shard->forget_count = shard->beginners.count = 0;
    shard->zones.touched_count = 0;
    shard->zones.missed = false;
    if (shard->changed) phx_grid_end_tick(&shard->grid, !shard->dense_tick);
    PHX_VALIDATE(!shard->changed || !phx_shard_rows(shard) || phx_grid_in_order(&shard->grid));
    shard->dense_tick = phx_shard_expects_dense_tick(shard);
    shard->step_max = shard->step2_max = 0.0f;
    shard->all_dirty = shard->far_dirty = shard->global_moved = shard->changed = shard->any_discontinuous =
        shard->owes_lists = false;
}
