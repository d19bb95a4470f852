/*
 * Commands on own entities; see commands.h.
 */
#include "shards/ingest/commands.h"

#include <string.h>

#include "shards/query/seen.h"
#include "shards/state/annulus.h"
#include "shards/state/beginners.h"
#include "shards/state/dirty_marks.h"
#include "shards/state/entity_change.h"
#include "shards/state/observer_count.h"
#include "shards/state/related.h"
#include "shards/state/storage.h"

uint32_t phx_shard_enter(phx_shard *shard, uint64_t id, uint32_t incarnation, uint64_t user_data, const phx_attr *attr,
                         float x, float y, float z)
{
    PHX_ASSERT(shard->deferred.depth > 0);
    if (!phx_store_reserve(&shard->store, shard->mem, 1)) return PHX_SLOT_NONE;
    if (!phx_store_reserve_user_data(&shard->store, shard->mem, user_data)) return PHX_SLOT_NONE;
    if (!phx_deferred_reserve(&shard->deferred, shard->mem, 1)) return PHX_SLOT_NONE;
    if (!phx_shard_reserve_beginner(shard)) return PHX_SLOT_NONE;
    phx_shard_same_ghost(shard, phx_store_ghost(&shard->store, id), incarnation);
    uint32_t slot = phx_store_add(&shard->store, id, PHX_SLOT_OWN);
    phx_body *body = &shard->store.body[slot];
    body->x = x;
    body->y = y;
    body->z = z;
    shard->heights = phx_height_span_with(shard->heights, z);
    body->tx = phx_tower_index(shard->rules, 0, x);
    body->ty = phx_tower_index(shard->rules, 1, y);
    phx_store_set_outside(&shard->store, body, phx_outside_towers(shard->rules, x, y));
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

enum {
    SILENCED_MOST = 2
}; /* of one command: one for an observer that is not ready any more, one for a changed consumer */

bool phx_shard_ready(phx_shard *shard, uint32_t commands)
{
    phx_slot_array *leaving = &shard->emigrant_candidates;
    if (!shard->storage->reserve_note(shard)) return false;
    if (shard->derives_lists && !phx_prev_rows_reserve(&shard->previous, shard->mem)) return false;
    uint32_t leaves =
        commands < shard->store.own_count ? commands : shard->store.own_count; /* an entity leaves only once */
    return phx_store_reserve(&shard->store, shard->mem, 0) && phx_shard_reserve_beginner(shard) &&
           phx_grow(shard->mem, (void **)&shard->silenced, &shard->silenced_capacity, shard->silenced_count,
                    (size_t)shard->silenced_count + SILENCED_MOST, sizeof(phx_silenced)) &&
           phx_grow(shard->mem, (void **)&leaving->at, &leaving->capacity, leaving->count,
                    (size_t)leaving->count + leaves, sizeof(uint32_t));
}

bool phx_shard_ready_again(phx_shard *shard, uint32_t sets)
{
    return phx_attr_sets_reserve(&shard->store.sets, shard->mem, sets) &&
           phx_grow(shard->mem, (void **)&shard->silenced, &shard->silenced_capacity, shard->silenced_count,
                    (size_t)shard->silenced_count + (size_t)sets * SILENCED_MOST, sizeof(phx_silenced));
}

static void add_silenced(phx_shard *shard, phx_silenced item)
{
    PHX_ASSERT(shard->silenced_count < shard->silenced_capacity);
    shard->silenced[shard->silenced_count++] = item;
}

void phx_shard_leave(phx_shard *shard, uint32_t slot)
{
    phx_store *store = &shard->store;
    PHX_ASSERT(store->body[slot].state & PHX_SLOT_OWN);
    phx_shard_count_observer(shard, phx_store_attr(store, slot), -1);
    shard->counts.entries -= phx_shard_list_count(shard, slot);
    phx_relations_drop(&shard->relations, slot);
    phx_list_release(&shard->lists, &store->tail[slot].list);
    phx_annulus_release(shard, slot);
    phx_shard_kill(shard, slot);
}

/* Makes the whole list owed, unless the observer never had one. */
static void owe_list(phx_shard *shard, uint32_t slot)
{
    phx_list *list = &shard->store.tail[slot].list;
    const bool observes = phx_attr_observes(phx_store_attr(&shard->store, slot));
    if (observes || phx_shard_list_count(shard, slot) > 0) list->owed = true;
    shard->store.name[slot].fresh = true;
}

/* Ends a list: an observer that is not ready has none, so one that is ready again in the same tick begins anew. */
static void end_list(phx_shard *shard, uint32_t slot)
{
    phx_list *list = &shard->store.tail[slot].list;
    owe_list(shard, slot);
    shard->counts.entries -= phx_shard_list_count(shard, slot);
    list->derived = false;
    phx_list_release(&shard->lists, list);
    phx_annulus_release(shard, slot);
    phx_bands_drop_deferred(&shard->bands, slot);
}

/* A change of consumer or readiness ends the observer's list, or begins it anew; the consumer gets it later. */
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

/* Is an entity the same target with both attributes? Then they differ in attributes of observers at most. */
static bool same_target(const phx_attr *one, const phx_attr *other)
{
    phx_attr as = *one;
    as.sees = other->sees;
    as.view = other->view;
    as.margin = other->margin;
    as.cap = other->cap;
    as.given = other->given;
    as.consumer = other->consumer;
    as.detect = other->detect;
    as.ready = other->ready;
    as.ready_given = other->ready_given;
    as.spreads = other->spreads;
    as.banded = other->banded;
    as.crowd_step = other->crowd_step;
    return memcmp(&as, other, sizeof as) == 0; /* as bytes: a set of attributes has no padding */
}

/* Sets the attributes, the same ones too: the entity is evaluated in any case. */
static void change_attr(phx_shard *shard, uint32_t slot, const phx_attr *attr)
{
    phx_store *store = &shard->store;
    const phx_attr *now = phx_store_attr(store, slot);
    PHX_ASSERT(store->body[slot].state & PHX_SLOT_OWN);
    /* a far target's attributes are looked up with its old and new place */
    const bool renewed = same_target(now, attr) && !(store->body[slot].state & PHX_SLOT_FAR);
    if (renewed) phx_shard_mark_renewed(shard, &store->body[slot]);
    else phx_shard_mark_discontinuous(shard, &store->body[slot]);
    follow_attr(shard, slot, attr);
    shard->storage->note_attr(shard, slot, attr);
    if (shard->derives_lists) phx_prev_rows_note(&shard->previous, store, slot);
    phx_shard_count_observer(shard, now, -1);
    const bool elsewhere = attr->instance != now->instance;
    shard->sight_changed = true; /* of layers, say */
    phx_store_dress(store, slot, attr);
    phx_shard_count_observer(shard, attr, 1);
    phx_shard_note_beginner(shard, slot);
    phx_shard_flag(shard, slot);
    if (elsewhere && (store->body[slot].state & PHX_SLOT_ROW)) shard->storage->change_instance(shard, slot);
}

void phx_shard_set(phx_shard *shard, uint32_t slot, const phx_attr *attr)
{
    /* as bytes: a set of attributes has no padding */
    if (memcmp(phx_store_attr(&shard->store, slot), attr, sizeof *attr) != 0) change_attr(shard, slot, attr);
}

void phx_shard_resend(phx_shard *shard, uint32_t slot)
{
    const phx_attr attr = *phx_store_attr(&shard->store, slot);
    owe_list(shard, slot);
    change_attr(shard, slot, &attr);
}

/* Writes the list of the last tick's end, which is derived, into its own memory. false = no memory, unchanged. */
static bool store_derived_list(phx_shard *shard, uint32_t slot)
{
    phx_list *list = &shard->store.tail[slot].list, stored = phx_list_empty();
    phx_slot_array *previous = &shard->list_scratch;
    uint64_t pairs = 0;
    if (!phx_grow(shard->mem, (void **)&previous->at, &previous->capacity, 0, shard->store.slots, sizeof(uint32_t)))
        return false;
    const uint32_t count = shard->storage->list_before(shard, slot, previous->at, &pairs);
    if (count > 0 && !phx_list_reserve(&shard->lists, shard->mem, &stored, count)) return false;
    if (count > 0) memcpy(phx_list_entries(&shard->lists, &stored), previous->at, count * sizeof(uint32_t));
    phx_list_set_count(&shard->lists, &stored, count);
    stored.owed = list->owed;
    *list = stored;
    phx_annulus_release(shard, slot);
    return true;
}

/*
 * May relations of an observer change while its list stays as it is? The slot of a target is known in a world of one
 * shard alone.
 */
static bool relates_in_place(const phx_shard *shard)
{
    return shard->derives_lists && phx_related_slots_noted(shard);
}

bool phx_shard_ready_to_relate(phx_shard *shard, uint32_t slot)
{
    phx_body *body = &shard->store.body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    if (!shard->derives_lists || !shard->store.tail[slot].list.derived || relates_in_place(shard)) return true;
    if (!store_derived_list(shard, slot)) return false;
    body->state |= PHX_SLOT_RELATED; /* until it is evaluated */
    phx_shard_mark_dirty(shard, body);
    phx_shard_refresh_row(shard, slot);
    return true;
}

/* Changes a relation beside a list that stays as it is. false = no memory, nothing changed. */
static bool relate_in_place(phx_shard *shard, uint32_t slot, phx_relation item)
{
    phx_body *body = &shard->store.body[slot];
    const bool derived = shard->store.tail[slot].list.derived;
    item.listed = derived && shard->storage->list_had(shard, slot, item.slot);
    if (!phx_relations_change(&shard->relations, shard->mem, (phx_relation_observer){slot, shard->store.name[slot].id},
                              item, shard->tick))
        return false;
    phx_annulus_remove(shard, slot, item.slot); /* the relation tells of it */
    phx_shard_mark_dirty(shard, body);
    body->state |= PHX_SLOT_RELATED;
    if (!derived) phx_shard_refresh_row(shard, slot);
    return true;
}

bool phx_shard_relate(phx_shard *shard, uint32_t slot, phx_relation item)
{
    phx_store *store = &shard->store;
    const phx_relation_observer observer = {slot, store->name[slot].id};
    PHX_ASSERT(store->body[slot].state & PHX_SLOT_OWN);
    shard->sight_changed = true; /* a hide, say */
    if (relates_in_place(shard)) return relate_in_place(shard, slot, item);
    /* the relations of the last tick's end, which were a part of the list, are not known any more from here on */
    if (!phx_shard_ready_to_relate(shard, slot)) return false;
    if (!phx_relations_put(&shard->relations, shard->mem, observer, item, shard->tick)) return false;
    if (shard->storage->has_deltas) { /* only its own list may change; it stays related until that is evaluated */
        phx_shard_mark_dirty(shard, &store->body[slot]);
        store->body[slot].state |= PHX_SLOT_RELATED;
    } else {
        phx_shard_mark_discontinuous(shard, &store->body[slot]);
        if (phx_relations_of(&shard->relations, slot)) store->body[slot].state |= PHX_SLOT_RELATED;
        else store->body[slot].state = (uint16_t)(store->body[slot].state & ~PHX_SLOT_RELATED);
    }
    phx_shard_refresh_row(shard, slot);
    return true;
}

void phx_shard_rules_changed(phx_shard *shard)
{
    shard->all_dirty = shard->changed = true;
    shard->copies_due = true; /* a class may have begun to wake: its entities are copied beyond the border */
    shard->far.stale = true;
    shard->radius_stale = true;
}
