/*
 * What a shard says to others and hears from them: migrants with their lists and relations, out and in, and all else
 * that comes; halo.c has the copies and pins that it sends. Runs in the exchange phase; see state/shard.h for the order
 * and state/records.h for the records.
 */
#include "shards/query/prev_list.h"

#include <string.h>

/* ---- migration, out ---- */

void phx_shard_fill_entity(const phx_shard *shard, uint32_t slot, phx_record_type type, phx_record *record)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[slot];
    record->id = store->name[slot].id;
    record->type = (uint8_t)type;
    record->source = (uint16_t)shard->index;
    phx_entity_record *entity = &record->as.entity;
    entity->user_data = phx_store_user_data(store, slot);
    entity->attr = *phx_store_attr(store, slot);
    entity->x = body->x;
    entity->y = body->y;
    entity->z = body->z;
    entity->incarnation = store->name[slot].incarnation;
    if (type == PHX_RECORD_COPY) return;
    entity->fresh = store->name[slot].fresh;
    entity->owed = store->tail[slot].list.owed;
}

static void fill_relations(phx_shard *shard, uint32_t slot, const phx_relation_set *set, phx_record *record)
{
    record->id = shard->store.name[slot].id;
    record->type = PHX_RECORD_RELATION;
    while (record->count < PHX_RECORD_ITEMS && shard->cursor.item < set->count)
        record->as.relations[record->count++] = set->items[shard->cursor.item++];
}

/* Some of the areas it is in, from cursor.item on. */
static void fill_areas(phx_shard *shard, uint32_t slot, phx_record *record)
{
    const uint32_t *places = NULL;
    uint32_t count = phx_area_members_of(&shard->zones.crossings, slot, &places);
    record->id = shard->store.name[slot].id;
    record->type = PHX_RECORD_AREAS;
    record->slot = count;
    while (record->count < PHX_RECORD_AREA_ITEMS && shard->cursor.item < count)
        record->as.areas[record->count++] = shard->zones.areas->at[places[shard->cursor.item++]].id;
}

static void fill_activation(phx_shard *shard, uint32_t slot, phx_record *record)
{
    record->id = shard->store.name[slot].id;
    record->type = PHX_RECORD_AWAKE;
    record->as.alone_since = shard->zones.awake.sleepers[slot].alone_since;
    shard->cursor.item = 1;
}

enum { PART_ENTITY = 0, PART_RELATIONS, PART_AWAKE, PART_AREAS, PART_TRAIL, PART_WAITS, PART_DONE };

/* The first one of those of leaving[at]. */
static void fill_migrant(const phx_shard *shard, uint32_t at, phx_record *record)
{
    const uint32_t first = shard->emigrant_list_first.at[at], count = shard->emigrant_list_first.at[at + 1] - first;
    PHX_ASSERT(count <= PHX_LIST_COUNT_MAX);
    phx_shard_fill_entity(shard, shard->emigrant_candidates.at[at], PHX_RECORD_MIGRANT, record);
    record->as.entity.list_first = first;
    record->as.entity.list_count = count & PHX_LIST_COUNT_MAX;
}

/* The migrant's records from the cursor on; false = the outbox is full. */
static bool send_migrant(phx_shard *shard, uint32_t slot, uint32_t destination)
{
    phx_cursor *cursor = &shard->cursor;
    const phx_relation_set *set = phx_relations_of(&shard->relations, shard->store.name[slot].id);
    const uint32_t *places;
    uint32_t areas = phx_area_members_of(&shard->zones.crossings, slot, &places);
    while (cursor->part != PART_DONE) {
        bool relations_left = cursor->part == PART_RELATIONS && set && cursor->item < set->count;
        bool awake_left =
            cursor->part == PART_AWAKE && cursor->item == 0 && phx_activation_is(&shard->zones.awake, slot);
        bool areas_left = cursor->part == PART_AREAS && cursor->item < areas;
        bool trail_left = cursor->part == PART_TRAIL && cursor->item == 0 && phx_bands_has_history(shard, slot);
        bool waits_left = cursor->part == PART_WAITS && cursor->item < phx_bands_deferred_words(shard, slot);
        if (cursor->part != PART_ENTITY && !relations_left && !awake_left && !areas_left && !trail_left &&
            !waits_left) {
            cursor->part++;
            cursor->item = 0;
            continue;
        }
        phx_record *record = phx_outbox_put(&shard->outbox, destination);
        if (!record) return false;
        if (cursor->part == PART_ENTITY) {
            fill_migrant(shard, cursor->slot, record);
            cursor->part = PART_RELATIONS;
        } else if (relations_left) {
            fill_relations(shard, slot, set, record);
        } else if (awake_left) {
            fill_activation(shard, slot, record);
        } else if (areas_left) {
            fill_areas(shard, slot, record);
        } else if (trail_left) {
            phx_bands_fill_history(shard, slot, record);
            cursor->item = 1;
        } else {
            phx_bands_fill_deferred(shard, slot, &cursor->item, record);
        }
    }
    return true;
}

/* What stays behind: a ghost, until the halo of its new owner confirms it or not. */
static void turn_own_to_ghost(phx_shard *shard, uint32_t slot, uint32_t destination, uint32_t listed)
{
    phx_store *store = &shard->store;
    phx_relations_drop(&shard->relations, store->name[slot].id);
    shard->counts.entries -= listed;
    phx_list_release(&shard->lists, &store->tail[slot].list);
    phx_bands_drop_deferred(shard, slot);
    phx_shard_count_observer(shard, phx_store_attr(store, slot), -1);
    phx_shard_zones_let_go(shard, slot);
    const phx_ghost_source origin = {.next = PHX_SLOT_NONE, .source = (uint16_t)destination, .emigrated = true};
    phx_store_to_ghost(store, slot, origin);
    phx_shard_flag(shard, slot);
    shard->copies_due = shard->changed = true;
    shard->counts.migrations++;
}

static uint32_t home_of(const phx_body *body, const uint16_t *column_shard, const uint16_t *row_shard, uint32_t columns)
{
    return (uint32_t)row_shard[body->ty] * columns + column_shard[body->tx];
}

/* The slots in the list of one that leaves, kept or not; how many, PHX_SLOT_NONE = no memory. */
static uint32_t list_of(phx_shard *shard, uint32_t slot, const uint32_t **slots)
{
    const phx_list *list = &shard->store.tail[slot].list;
    phx_slot_array *told = &shard->list_scratch;
    uint64_t pairs = 0;
    *slots = phx_list_entries(&shard->lists, list);
    if (!list->derived) return list->count;
    if (!phx_grow(shard->mem, (void **)&told->at, &told->capacity, 0, shard->store.slots, sizeof(uint32_t)))
        return PHX_SLOT_NONE;
    *slots = told->at;
    return phx_shard_ninegrid(shard) ? phx_ninegrid_list(&shard->nine, shard->rules, &shard->store, slot, told->at)
                                     : phx_prev_list(shard, slot, told->at, &pairs);
}

/* The list of one that leaves comes behind those before it in the outbox. false = no memory, or too long a list. */
static bool write_list(phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    const uint32_t *slots, count = list_of(shard, slot, &slots);
    if (count == 0) return true;
    if (count > PHX_LIST_COUNT_MAX) return false; /* PHX_SLOT_NONE too */
    phx_list_record *to = phx_outbox_list(&shard->outbox, count);
    if (!to) return false;
    for (uint32_t i = 0; i < count; i++) {
        const phx_name *name = &store->name[slots[i]];
        to[i] = (phx_list_record){.id = name->id,
                                  .user_data = phx_store_user_data(store, slots[i]),
                                  .incarnation = name->incarnation,
                                  .kind = name->kind};
    }
    return true;
}

/* The lists of all that leave, for the whole tick: records of every round say where theirs begin. false = no memory. */
static bool write_lists(phx_shard *shard, const uint16_t *column_shard, const uint16_t *row_shard, uint32_t columns)
{
    phx_slot_array *travels = &shard->emigrant_list_first;
    const uint32_t count = shard->emigrant_candidates.count;
    if (!phx_grow(shard->mem, (void **)&travels->at, &travels->capacity, 0, (size_t)count + 1, sizeof(uint32_t)))
        return false;
    phx_outbox_lists_begin(&shard->outbox);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = shard->emigrant_candidates.at[i];
        const phx_body *body = &shard->store.body[slot];
        travels->at[i] = shard->outbox.list_count;
        bool leaves = (body->state & PHX_SLOT_OWN) && home_of(body, column_shard, row_shard, columns) != shard->index;
        if (leaves && !write_list(shard, slot)) return false;
    }
    travels->at[count] = shard->outbox.list_count;
    return true;
}

bool phx_shard_send_migrants(phx_shard *shard, const uint16_t *column_shard, const uint16_t *row_shard,
                             uint32_t columns, bool *done)
{
    phx_cursor *cursor = &shard->cursor;
    /* for all at once: a call that stopped after some were packed would begin anew without them */
    uint32_t ghosts_max = phx_idmap_count(&shard->store.ghosts) + (shard->emigrant_candidates.count - cursor->slot);
    if (!phx_idmap_reserve(&shard->store.ghosts, ghosts_max)) return false;
    phx_outbox_reset(&shard->outbox);
    bool begins = cursor->slot == 0 && cursor->part == PART_ENTITY;
    if (begins && !write_lists(shard, column_shard, row_shard, columns)) return false;
    for (*done = false; cursor->slot < shard->emigrant_candidates.count;
         cursor->slot++, cursor->part = cursor->item = 0) {
        uint32_t slot = shard->emigrant_candidates.at[cursor->slot];
        phx_body *body = &shard->store.body[slot];
        if (!(body->state & PHX_SLOT_OWN)) continue;
        uint32_t home = home_of(body, column_shard, row_shard, columns);
        if (home != shard->index) {
            if (!send_migrant(shard, slot, home)) return true;
            turn_own_to_ghost(shard, slot, home,
                              shard->emigrant_list_first.at[cursor->slot + 1] -
                                  shard->emigrant_list_first.at[cursor->slot]);
        }
        body->state = (uint16_t)(body->state & ~PHX_SLOT_LEAVING);
    }
    shard->emigrant_candidates.count = 0;
    *cursor = (phx_cursor){0};
    *done = true;
    return true;
}

/* ---- receiving ---- */

/* Room for this entity in any state, everywhere it may have to stand. */
static bool reserve_one(phx_shard *shard, const phx_entity_record *entity)
{
    phx_slot_array *arrived = &shard->immigrants;
    return phx_store_reserve(&shard->store, shard->mem, 1) &&
           phx_store_reserve_user_data(&shard->store, shard->mem, entity->user_data) &&
           phx_idmap_reserve(&shard->store.ghosts, phx_idmap_count(&shard->store.ghosts) + 1) &&
           phx_deferred_reserve(&shard->deferred, shard->mem, 1) &&
           (!phx_shard_ninegrid(shard) || phx_ninegrid_reserve(&shard->nine, shard->mem)) &&
           (!shard->derives_lists || phx_prev_rows_reserve(&shard->past, shard->mem)) &&
           phx_grow(shard->mem, (void **)&arrived->at, &arrived->capacity, arrived->count, (size_t)arrived->count + 1,
                    sizeof(uint32_t)) &&
           phx_shard_reserve_beginner(shard) && phx_immigrant_lists_ready(&shard->arrivals, shard->mem);
}

/* Are its attributes and user data what the record says? */
static bool dressed_so(const phx_shard *shard, uint32_t slot, const phx_entity_record *entity)
{
    const phx_store *store = &shard->store;
    return memcmp(phx_store_attr(store, slot), &entity->attr, sizeof entity->attr) == 0 &&
           phx_store_user_data(store, slot) == entity->user_data;
}

/* Then the position is all that there is to take. */
static void store_position(phx_shard *shard, uint32_t slot, const phx_entity_record *entity)
{
    phx_body *body = &shard->store.body[slot];
    if (body->x == entity->x && body->y == entity->y && body->z == entity->z) return;
    phx_shard_mark_step(shard, body, entity->x, entity->y);
    phx_shard_place(shard, body, entity->x, entity->y, entity->z);
}

/* Writes what an entity record says over a slot; an unchanged one is not touched. */
static void store_entity(phx_shard *shard, uint32_t slot, const phx_entity_record *entity)
{
    phx_body *body = &shard->store.body[slot];
    if (dressed_so(shard, slot, entity)) {
        store_position(shard, slot, entity);
        return;
    }
    phx_shard_mark_discontinuous(shard, body);
    phx_shard_place(shard, body, entity->x, entity->y, entity->z);
    if (phx_shard_ninegrid(shard)) phx_ninegrid_note_attr(&shard->nine, &shard->store, slot, &entity->attr);
    if (shard->derives_lists) phx_prev_rows_note(&shard->past, &shard->store, slot);
    phx_store_dress(&shard->store, slot, &entity->attr);
    phx_store_set_user_data(&shard->store, slot, entity->user_data);
    phx_shard_flag(shard, slot);
}

/* A fresh slot for an entity that was not here; it waits in the deferred-add queue. */
static uint32_t add_entity(phx_shard *shard, const phx_record *record, uint32_t state)
{
    uint32_t slot = phx_store_take(&shard->store, record->id, state);
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
 * Is all that happened to who migrated here, a ghost until now, one short step? Then it is odd to nobody, and its
 * list, if that is a plain one, is what rows imply, as that of the others; or so it seems: list_handover.c compares.
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
    phx_immigrant_lists_add(&shard->arrivals, (phx_immigrant_list){.observer = slot, .count = listed, .list = list});
    shard->store.name[slot].fresh = entity->fresh || !entity->attr.ready;
    shard->immigrants.at[shard->immigrants.count++] = slot;
    phx_shard_count_observer(shard, phx_store_attr(&shard->store, slot), 1);
    phx_shard_note_beginner(shard, slot);
    phx_shard_flag(shard, slot);
    shard->copies_due = shard->changed = true;
    return true;
}

/* The slot of a migrant of this tick: nearly always the last one that came. */
static uint32_t arrived_slot(const phx_shard *shard, uint64_t id)
{
    for (uint32_t i = shard->immigrants.count; i-- > 0;)
        if (shard->store.name[shard->immigrants.at[i]].id == id) return shard->immigrants.at[i];
    phx_panic(__FILE__, __LINE__, "a relation arrived without its observer");
}

static bool receive_relations(phx_shard *shard, const phx_record *record)
{
    uint32_t slot = arrived_slot(shard, record->id);
    for (uint32_t i = 0; i < record->count; i++)
        if (!phx_relations_put(&shard->relations, shard->mem, record->id, record->as.relations[i])) return false;
    shard->store.body[slot].state |= PHX_SLOT_RELATED;
    phx_shard_flag(shard, slot);
    return true;
}

static bool receive_activation(phx_shard *shard, const phx_record *record)
{
    if (!phx_activation_cover(&shard->zones.awake, shard->mem, shard->store.slots)) return false;
    phx_activation_carry(&shard->zones.awake, arrived_slot(shard, record->id), record->as.alone_since);
    return true;
}

static bool receive_areas(phx_shard *shard, const phx_record *record)
{
    phx_area_members *crossings = &shard->zones.crossings;
    uint32_t slot = arrived_slot(shard, record->id);
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

/* The ghost of a copy's entity, or PHX_SLOT_NONE: mostly the one that came behind the last one the last time, too. */
static uint32_t copied_ghost(const phx_shard *shard, uint64_t id)
{
    const phx_store *store = &shard->store;
    const uint32_t guess = shard->copied_next;
    const bool ghost = guess < store->slots && (store->body[guess].state & PHX_SLOT_GHOST);
    const bool right = ghost && store->name[guess].id == id;
    PHX_VALIDATE(!right || phx_store_ghost(store, id) == guess);
    return right ? guess : phx_store_ghost(store, id);
}

/* A ghost was repeated: the one before it says so from now on, and what came behind it is looked at next. */
static void link_repeated_ghost(phx_shard *shard, uint32_t slot, phx_ghost_source origin)
{
    phx_store *store = &shard->store;
    const uint32_t last = shard->copied, next = store->tail[slot].origin.next;
    origin.next = next;
    store->tail[slot].origin = origin;
    PHX_ASSERT(last == PHX_SLOT_NONE || (store->body[last].state & PHX_SLOT_GHOST)); /* none dies while copies come */
    if (last != PHX_SLOT_NONE && store->tail[last].origin.next != slot) store->tail[last].origin.next = slot;
    shard->copied = slot;
    shard->copied_next = next;
    if (next >= store->slots) return;
    __builtin_prefetch(&store->body[next], 1);
    __builtin_prefetch(&store->name[next]);
    __builtin_prefetch(&store->tail[next], 1);
    __builtin_prefetch(&store->set[next]);
}

/* Does a copy of a ghost, or of nobody here, say no more than one short step? That needs no room made before. */
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
    /* of two copies of a tick the pinned one comes last */
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

/* Of a migrant, or of a ghost that has just been repeated. */
static bool receive_motion_history(phx_shard *shard, const phx_record *record)
{
    uint32_t slot = phx_store_ghost(&shard->store, record->id);
    if (slot == PHX_SLOT_NONE) slot = arrived_slot(shard, record->id);
    return phx_bands_take_history(shard, slot, record);
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
    case PHX_RECORD_TRAIL:
        return receive_motion_history(shard, record);
    case PHX_RECORD_DEFERRED_UPDATES:
        return phx_bands_take_deferred(shard, arrived_slot(shard, record->id), record);
    case PHX_RECORD_BEGIN:
        return receive_begin(shard, record);
    }
    phx_panic(__FILE__, __LINE__, "a record of no known type");
}

bool phx_shard_receive(phx_shard *shard, const phx_record_block *block, const phx_list_record *lists)
{
    PHX_ASSERT(block->destination == shard->index);
    PHX_ASSERT(block->count <= PHX_RECORD_BLOCK_RECORDS);
    for (; shard->received < block->count; shard->received++)
        if (!receive_one(shard, &block->records[shard->received], lists)) return false;
    shard->received = 0;
    return true;
}

void phx_shard_arrivals_told(phx_shard *shard)
{
    shard->immigrants.count = 0;
}
