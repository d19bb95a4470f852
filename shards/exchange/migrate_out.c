/*
 * Emigrants; see migrate_out.h.
 */
#include "shards/exchange/migrate_out.h"

#include "shards/exchange/entity_record.h"
#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "shards/state/annulus.h"
#include "shards/state/entity_change.h"
#include "shards/state/observer_count.h"
#include "shards/state/storage.h"

enum { PART_ENTITY = 0, PART_RELATIONS, PART_AWAKE, PART_AREAS, PART_HISTORY, PART_DEFERRED, PART_DONE };

static void fill_relations(phx_shard *shard, uint32_t slot, const phx_relation_set *set, phx_record *record)
{
    record->id = shard->store.name[slot].id;
    record->type = PHX_RECORD_RELATION;
    while (record->count < PHX_RECORD_ITEMS && shard->cursor.item < set->count)
        record->as.relations[record->count++] = set->items[shard->cursor.item++];
}

/* Fills in some of the entity's areas, from cursor.item on. */
static void fill_areas(phx_shard *shard, uint32_t slot, phx_record *record)
{
    const uint32_t *places = NULL;
    uint32_t count = phx_area_members_of(&shard->zones.area_members, slot, &places);
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
    record->as.alone_since = shard->zones.activation.sleepers[slot].alone_since;
    shard->cursor.item = 1;
}

/* Fills the first record of an emigrant. */
static void fill_migrant(const phx_shard *shard, uint32_t at, phx_record *record)
{
    const uint32_t first = shard->emigrant_list_first.at[at], count = shard->emigrant_list_first.at[at + 1] - first;
    PHX_ASSERT(count <= PHX_LIST_COUNT_MAX);
    phx_shard_fill_entity(shard, shard->emigrant_candidates.at[at], PHX_RECORD_MIGRANT, record);
    record->as.entity.list_first = first;
    record->as.entity.list_count = count & PHX_LIST_COUNT_MAX;
}

/* Sends the emigrant's records from the cursor on. false = the outbox is full. */
static bool send_migrant(phx_shard *shard, uint32_t slot, uint32_t destination)
{
    phx_cursor *cursor = &shard->cursor;
    const phx_relation_set *set = phx_relations_of(&shard->relations, slot);
    const uint32_t *places;
    uint32_t areas = phx_area_members_of(&shard->zones.area_members, slot, &places);
    while (cursor->part != PART_DONE) {
        bool relations_left = cursor->part == PART_RELATIONS && set && cursor->item < set->count;
        bool awake_left =
            cursor->part == PART_AWAKE && cursor->item == 0 && phx_activation_is(&shard->zones.activation, slot);
        bool areas_left = cursor->part == PART_AREAS && cursor->item < areas;
        bool history_left = cursor->part == PART_HISTORY && cursor->item == 0 && phx_bands_has_history(shard, slot);
        bool deferred_left = cursor->part == PART_DEFERRED && cursor->item < phx_bands_deferred_words(shard, slot);
        if (cursor->part != PART_ENTITY && !relations_left && !awake_left && !areas_left && !history_left &&
            !deferred_left) {
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
        } else if (history_left) {
            phx_bands_fill_history(shard, slot, record);
            cursor->item = 1;
        } else {
            phx_bands_fill_deferred(shard, slot, &cursor->item, record);
        }
    }
    return true;
}

/* Turns an emigrant into a ghost, until the halo of its new owner repeats it or not. */
static void turn_own_to_ghost(phx_shard *shard, uint32_t slot, uint32_t destination, uint32_t listed)
{
    phx_store *store = &shard->store;
    phx_relations_drop(&shard->relations, slot);
    shard->counts.entries -= listed;
    phx_list_release(&shard->lists, &store->tail[slot].list);
    phx_annulus_release(shard, slot);
    phx_bands_drop_deferred(&shard->bands, slot);
    phx_shard_count_observer(shard, phx_store_attr(store, slot), -1);
    phx_zones_let_go(&shard->zones, slot);
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

/* The slots in the list of an emigrant, stored or derived. Returns how many; PHX_SLOT_NONE = no memory. */
static uint32_t list_of(phx_shard *shard, uint32_t slot, const uint32_t **slots)
{
    const phx_list *list = &shard->store.tail[slot].list;
    phx_slot_array *previous = &shard->list_scratch;
    uint64_t pairs = 0;
    *slots = phx_list_entries(&shard->lists, list);
    if (!list->derived) return list->count;
    if (!phx_grow(shard->mem, (void **)&previous->at, &previous->capacity, 0, shard->store.slots, sizeof(uint32_t)))
        return PHX_SLOT_NONE;
    *slots = previous->at;
    return shard->storage->list_before(shard, slot, previous->at, &pairs);
}

/* Writes the list of an emigrant behind the earlier ones in the outbox. false = no memory, or the list is too long. */
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

/* Writes the lists of all emigrants of the tick: records of every round name their lists' places. false = no memory. */
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
        bool leaves = (body->state & PHX_SLOT_OWN) && home_of(body, column_shard, row_shard, columns) != shard->number;
        if (leaves && !write_list(shard, slot)) return false;
    }
    travels->at[count] = shard->outbox.list_count;
    return true;
}

bool phx_shard_send_migrants(phx_shard *shard, const uint16_t *column_shard, const uint16_t *row_shard,
                             uint32_t columns, bool *done)
{
    phx_cursor *cursor = &shard->cursor;
    const uint32_t ghosts_max = phx_idmap_count(&shard->store.ghosts) + shard->emigrant_candidates.count;
    if (!phx_idmap_reserve(&shard->store.ghosts, ghosts_max)) return false; /* for phx_shard_let_go() */
    phx_outbox_reset(&shard->outbox);
    bool begins = cursor->slot == 0 && cursor->part == PART_ENTITY;
    if (begins && !write_lists(shard, column_shard, row_shard, columns)) return false;
    for (*done = false; cursor->slot < shard->emigrant_candidates.count;
         cursor->slot++, cursor->part = cursor->item = 0) {
        uint32_t slot = shard->emigrant_candidates.at[cursor->slot];
        const phx_body *body = &shard->store.body[slot];
        if (!(body->state & PHX_SLOT_OWN)) continue;
        uint32_t home = home_of(body, column_shard, row_shard, columns);
        if (home != shard->number && !send_migrant(shard, slot, home)) return true;
    }
    *cursor = (phx_cursor){0};
    *done = true;
    return true;
}

void phx_shard_let_go(phx_shard *shard, const uint16_t *column_shard, const uint16_t *row_shard, uint32_t columns)
{
    const uint32_t *first = shard->emigrant_list_first.at;
    for (uint32_t i = 0; i < shard->emigrant_candidates.count; i++) {
        const uint32_t slot = shard->emigrant_candidates.at[i];
        phx_body *body = &shard->store.body[slot];
        body->state = (uint16_t)(body->state & ~PHX_SLOT_LEAVING);
        if (!(body->state & PHX_SLOT_OWN)) continue;
        const uint32_t home = home_of(body, column_shard, row_shard, columns);
        if (home != shard->number) turn_own_to_ghost(shard, slot, home, first[i + 1] - first[i]);
    }
    shard->emigrant_candidates.count = 0;
}

void phx_shard_keep_emigrants(phx_shard *shard)
{
    phx_slot_array *candidates = &shard->emigrant_candidates;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const uint32_t slot = candidates->at[i];
        if (shard->store.body[slot].state & PHX_SLOT_OWN) candidates->at[kept++] = slot;
    }
    candidates->count = kept;
}
