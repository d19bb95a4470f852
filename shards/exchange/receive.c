/*
 * Receives records of other shards: migrants with their lists and relations, copies and pins. Runs in the exchange
 * phase; see state/shard.h for the order and state/records.h for the records.
 */
#include "shards/exchange/receive.h"

#include <string.h>

#include "shards/entity/deferred_adds.h"
#include "shards/entity/entity_store.h"
#include "shards/entity/relations.h"
#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "shards/state/beginners.h"
#include "shards/state/dirty_marks.h"
#include "shards/state/entity_change.h"
#include "shards/state/immigrant_lists.h"
#include "shards/state/observer_count.h"
#include "shards/state/storage.h"

/* Room for this entity in any state, in all tables. */
static bool reserve_one(phx_shard *shard, const phx_entity_record *entity)
{
    phx_slot_array *immigrant = &shard->immigrants;
    return phx_store_reserve(&shard->store, shard->mem, 1) &&
           phx_store_reserve_user_data(&shard->store, shard->mem, entity->user_data) &&
           phx_idmap_reserve(&shard->store.ghosts, phx_idmap_count(&shard->store.ghosts) + 1) &&
           phx_deferred_reserve(&shard->deferred, shard->mem, 1) && shard->storage->reserve_note(shard) &&
           (!shard->derives_lists || phx_prev_rows_reserve(&shard->previous, shard->mem)) &&
           phx_grow(shard->mem, (void **)&immigrant->at, &immigrant->capacity, immigrant->count,
                    (size_t)immigrant->count + 1, sizeof(uint32_t)) &&
           phx_shard_reserve_beginner(shard) && phx_immigrant_lists_ready(&shard->immigrant_lists, shard->mem);
}

/* Are its attributes and user data equal to the record's? */
static bool dressed_so(const phx_shard *shard, uint32_t slot, const phx_entity_record *entity)
{
    const phx_store *store = &shard->store;
    return memcmp(phx_store_attr(store, slot), &entity->attr, sizeof entity->attr) == 0 &&
           phx_store_user_data(store, slot) == entity->user_data;
}

/* Stores a position, if nothing else changed. */
static void store_position(phx_shard *shard, uint32_t slot, const phx_entity_record *entity)
{
    phx_body *body = &shard->store.body[slot];
    if (body->x == entity->x && body->y == entity->y && body->z == entity->z) return;
    phx_shard_mark_step(shard, body, entity->x, entity->y);
    phx_shard_place(shard, body, entity->x, entity->y, entity->z);
}

/* Stores an entity record in a slot; if nothing changed the slot is not marked. */
static void store_entity(phx_shard *shard, uint32_t slot, const phx_entity_record *entity)
{
    phx_body *body = &shard->store.body[slot];
    if (dressed_so(shard, slot, entity)) {
        store_position(shard, slot, entity);
        return;
    }
    phx_shard_mark_discontinuous(shard, body);
    phx_shard_place(shard, body, entity->x, entity->y, entity->z);
    shard->storage->note_attr(shard, slot, &entity->attr);
    if (shard->derives_lists) phx_prev_rows_note(&shard->previous, &shard->store, slot);
    phx_store_dress(&shard->store, slot, &entity->attr);
    phx_store_set_user_data(&shard->store, slot, entity->user_data);
    phx_shard_flag(shard, slot);
}

/* Takes a new slot for an entity that was not here; its add is deferred. */
static uint32_t add_entity(phx_shard *shard, const phx_record *record, uint32_t state)
{
    uint32_t slot = phx_store_add(&shard->store, record->id, state);
    const phx_entity_record *entity = &record->as.entity;
    phx_body *body = &shard->store.body[slot];
    phx_store_dress(&shard->store, slot, &entity->attr);
    phx_store_set_user_data(&shard->store, slot, entity->user_data);
    shard->store.name[slot].incarnation = entity->incarnation;
    phx_shard_place(shard, body, entity->x, entity->y, entity->z);
    phx_shard_mark_discontinuous(shard, body);
    phx_shard_flag(shard, slot);
    phx_deferred_add(&shard->deferred, slot);
    return slot;
}

/*
 * Is one short step the only change of an immigrant that was a ghost until now? Then it is not discontinuous, and its
 * list, if it is plain, is derived as other observers' lists; list_handover.c compares it.
 */
static bool just_walked(const phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    return shard->derives_lists && (body->state & PHX_SLOT_ROW) && !(body->state & PHX_SLOT_DISCONTINUOUS) &&
           phx_grid_view(&shard->store, slot) > 0.0f;
}

static bool receive_migrant(phx_shard *shard, const phx_record *record, const phx_list_record *lists)
{
    const phx_entity_record *entity = &record->as.entity;
    const uint32_t listed = entity->list_count;
    if (!reserve_one(shard, entity)) return false;
    uint32_t slot = phx_shard_same_ghost(shard, phx_store_ghost(&shard->store, record->id), entity->incarnation);
    if (slot != PHX_SLOT_NONE) {
        store_entity(shard, slot, entity);
        phx_shard_mark_dirty(shard, &shard->store.body[slot]);
        phx_store_to_own(&shard->store, slot);
        if (entity->owed || !just_walked(shard, slot)) phx_shard_mark_discontinuous(shard, &shard->store.body[slot]);
    } else {
        slot = add_entity(shard, record, PHX_SLOT_OWN);
    }
    shard->store.tail[slot].list = phx_list_empty();
    shard->store.tail[slot].list.owed = entity->owed;
    shard->counts.entries += listed;
    const phx_list_record *list = listed > 0 ? lists + entity->list_first : NULL;
    phx_immigrant_lists_add(&shard->immigrant_lists,
                            (phx_immigrant_list){.observer = slot, .count = listed, .list = list});
    shard->store.name[slot].fresh = entity->fresh || !entity->attr.ready;
    shard->immigrants.at[shard->immigrants.count++] = slot;
    phx_shard_count_observer(shard, phx_store_attr(&shard->store, slot), 1);
    phx_shard_note_beginner(shard, slot);
    phx_shard_flag(shard, slot);
    shard->copies_due = shard->changed = true;
    return true;
}

/* The slot of a migrant of this tick: nearly always the last one that came. */
static uint32_t immigrant_slot(const phx_shard *shard, uint64_t id)
{
    for (uint32_t i = shard->immigrants.count; i-- > 0;)
        if (shard->store.name[shard->immigrants.at[i]].id == id) return shard->immigrants.at[i];
    phx_panic(__FILE__, __LINE__, "a relation arrived without its observer");
}

static bool receive_relations(phx_shard *shard, const phx_record *record)
{
    const uint32_t slot = immigrant_slot(shard, record->id);
    const phx_relation_observer observer = {slot, record->id};
    for (uint32_t i = 0; i < record->count; i++)
        if (!phx_relations_put(&shard->relations, shard->mem, observer, record->as.relations[i], shard->tick))
            return false;
    shard->store.body[slot].state |= PHX_SLOT_RELATED;
    phx_shard_flag(shard, slot);
    return true;
}

static bool receive_activation(phx_shard *shard, const phx_record *record)
{
    if (!phx_activation_cover(&shard->zones.activation, shard->mem, shard->store.slots)) return false;
    phx_activation_carry(&shard->zones.activation, immigrant_slot(shard, record->id), record->as.alone_since);
    return true;
}

static bool receive_areas(phx_shard *shard, const phx_record *record)
{
    phx_area_members *crossings = &shard->zones.area_members;
    uint32_t slot = immigrant_slot(shard, record->id);
    if (!phx_area_members_cover(crossings, shard->mem, shard->store.slots)) return false;
    for (uint32_t i = 0; i < record->count; i++) {
        const uint64_t *place = phx_idmap_find(&shard->zones.areas->index, record->as.areas[i]);
        PHX_ASSERT(place);
        if (!phx_area_members_carry(crossings, shard->mem, slot, (uint32_t)*place, record->slot)) return false;
    }
    return true;
}

static bool receive_pin(phx_shard *shard, const phx_record *record)
{
    if (!phx_grow(shard->mem, (void **)&shard->pins, &shard->pins_capacity, shard->pin_count,
                  (size_t)shard->pin_count + 1, sizeof(phx_pin)))
        return false;
    PHX_ASSERT(record->slot < shard->store.slots);
    shard->pins[shard->pin_count++] = (phx_pin){record->slot, record->source};
    return true;
}

/* The ghost of a copy's entity, or PHX_SLOT_NONE: mostly the ghost that followed the last one in the last refresh. */
static uint32_t copied_ghost(const phx_shard *shard, uint64_t id)
{
    const phx_store *store = &shard->store;
    const uint32_t guess = shard->copied_next;
    const bool ghost = guess < store->slots && (store->body[guess].state & PHX_SLOT_GHOST);
    const bool right = ghost && store->name[guess].id == id;
    PHX_VALIDATE(!right || phx_store_ghost(store, id) == guess);
    return right ? guess : phx_store_ghost(store, id);
}

/* Notes that a ghost was repeated: the ghost before it links to it from now on, and its own link is the next guess. */
static void link_repeated_ghost(phx_shard *shard, uint32_t slot, phx_ghost_source origin)
{
    phx_store *store = &shard->store;
    const uint32_t last = shard->copied, next = store->tail[slot].origin.next;
    origin.next = next;
    store->tail[slot].origin = origin;
    PHX_ASSERT(last == PHX_SLOT_NONE ||
               (store->body[last].state & PHX_SLOT_GHOST)); /* no ghost dies while copies come */
    if (last != PHX_SLOT_NONE && store->tail[last].origin.next != slot) store->tail[last].origin.next = slot;
    shard->copied = slot;
    shard->copied_next = next;
    if (next >= store->slots) return;
    __builtin_prefetch(&store->body[next], 1);
    __builtin_prefetch(&store->name[next]);
    __builtin_prefetch(&store->tail[next], 1);
    __builtin_prefetch(&store->set[next]);
}

/* Does a copy hold only a step of its ghost? That needs no room. */
static bool only_steps(const phx_shard *shard, uint32_t slot, const phx_entity_record *entity)
{
    if (slot == PHX_SLOT_NONE || phx_shard_ninegrid(shard)) return false;
    const phx_body *body = &shard->store.body[slot];
    const float dx = fabsf(entity->x - body->x), dy = fabsf(entity->y - body->y);
    return dx <= shard->step_limit && dy <= shard->step_limit && !phx_shard_dirty(shard, body) &&
           shard->store.name[slot].incarnation == entity->incarnation && dressed_so(shard, slot, entity);
}

static bool receive_copy(phx_shard *shard, const phx_record *record)
{
    const phx_entity_record *entity = &record->as.entity;
    uint32_t slot = copied_ghost(shard, record->id);
    if (PHX_LIKELY(only_steps(shard, slot, entity))) {
        store_position(shard, slot, entity);
    } else {
        if (!reserve_one(shard, entity)) return false;
        slot = phx_shard_same_ghost(shard, slot, entity->incarnation);
        if (slot != PHX_SLOT_NONE) store_entity(shard, slot, entity);
        else slot = add_entity(shard, record, PHX_SLOT_GHOST);
    }
    PHX_ASSERT(shard->refreshed[record->source]);
    /* of two copies in a tick the pinned one comes last */
    link_repeated_ghost(shard, slot,
                        (phx_ghost_source){.source = record->source, .repeated = true, .pinned = record->slot != 0});
    shard->counts.copies++;
    return true;
}

static bool receive_begin(phx_shard *shard, const phx_record *record)
{
    if (!shard->refreshed) shard->refreshed = phx_alloc_zero(shard->mem, shard->outbox.shard_count, PHX_CACHE_LINE);
    if (!shard->refreshed) return false;
    shard->refreshed[record->source] = shard->refreshed_any = true;
    shard->copied = shard->copied_next = PHX_SLOT_NONE;
    return true;
}

/* Takes the history of a migrant, or of a ghost that was just repeated. */
static bool receive_motion_history(phx_shard *shard, const phx_record *record)
{
    uint32_t slot = phx_store_ghost(&shard->store, record->id);
    if (slot == PHX_SLOT_NONE) slot = immigrant_slot(shard, record->id);
    return phx_bands_read_history(shard, slot, record);
}

static bool receive_one(phx_shard *shard, const phx_record *record, const phx_list_record *lists)
{
    switch ((phx_record_type)record->type) {
    case PHX_RECORD_MIGRANT:
        return receive_migrant(shard, record, lists);
    case PHX_RECORD_RELATION:
        return receive_relations(shard, record);
    case PHX_RECORD_AWAKE:
        return receive_activation(shard, record);
    case PHX_RECORD_AREAS:
        return receive_areas(shard, record);
    case PHX_RECORD_PIN:
        return receive_pin(shard, record);
    case PHX_RECORD_COPY:
        return receive_copy(shard, record);
    case PHX_RECORD_MOTION_HISTORY:
        return receive_motion_history(shard, record);
    case PHX_RECORD_DEFERRED_UPDATES:
        return phx_bands_read_deferred(shard, immigrant_slot(shard, record->id), record);
    case PHX_RECORD_BEGIN:
        return receive_begin(shard, record);
    }
    phx_panic(__FILE__, __LINE__, "a record of no known type");
}

bool phx_shard_receive(phx_shard *shard, const phx_record_block *block, const phx_list_record *lists)
{
    PHX_ASSERT(block->destination == shard->number);
    PHX_ASSERT(block->count <= PHX_RECORD_BLOCK_RECORDS);
    for (; shard->received < block->count; shard->received++)
        if (!receive_one(shard, &block->records[shard->received], lists)) return false;
    shard->received = 0;
    return true;
}

void phx_shard_immigrants_reported(phx_shard *shard)
{
    shard->immigrants.count = 0;
}

void phx_shard_return_immigrants(phx_shard *shard)
{
    phx_store *store = &shard->store;
    if (shard->immigrants.count == 0) return;
    for (uint32_t i = 0; i < shard->immigrant_lists.count; i++)
        shard->counts.entries -= shard->immigrant_lists.at[i].count;
    for (uint32_t i = 0; i < shard->immigrants.count; i++) {
        const uint32_t slot = shard->immigrants.at[i];
        phx_relations_drop(&shard->relations, slot);
        phx_shard_count_observer(shard, phx_store_attr(store, slot), -1);
        phx_zones_let_go(&shard->zones, slot);
        phx_store_kill(store, slot); /* the index ends, too: it needs no note of this */
    }
    shard->immigrant_lists.count = shard->immigrants.count = 0;
}
