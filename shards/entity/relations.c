/*
 * Per-observer arrays of pairs, links, hides and reveals; see relations.h.
 */
#include "shards/entity/relations.h"

#include <string.h>

#include "base/few.h"

static const uint32_t SET_NONE = UINT32_MAX, SLOT_NONE = UINT32_MAX;

void phx_relations_init(phx_relations *relations)
{
    *relations = (phx_relations){.free_first = SET_NONE};
}

void phx_relations_free(phx_relations *relations, phx_mem *mem)
{
    for (uint32_t i = 0; i < relations->set_count; i++) {
        phx_relation_set *set = &relations->sets[i];
        phx_few_release(mem, (void **)&set->items, &set->capacity, sizeof(phx_relation));
    }
    phx_release(mem, (void **)&relations->sets, &relations->sets_capacity, sizeof(phx_relation_set));
    phx_release(mem, (void **)&relations->place, &relations->places, sizeof(uint32_t));
    phx_release(mem, (void **)&relations->changed, &relations->changed_capacity, sizeof(uint32_t));
    phx_relations_init(relations);
}

phx_relation *phx_relation_find(const phx_relation_set *set, uint64_t target)
{
    for (uint32_t i = 0; set && i < set->count; i++)
        if (set->items[i].target == target && set->items[i].bits != 0) return &set->items[i];
    return NULL;
}

/* As phx_grow(), but by an eighth, as the tables of entities grow: unused capacity stays for ever. */
static bool grow_by_part(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, size_t needed, size_t item)
{
    enum { PART = 8 };
    if (PHX_LIKELY(needed <= *capacity)) return true;
    const size_t wanted = (size_t)*capacity + *capacity / PART;
    void *more = NULL, *less;
    uint32_t more_capacity = 0;
    if (!phx_grow(mem, &more, &more_capacity, 0, wanted < needed ? needed : wanted, item)) return false;
    memcpy(&less, array, sizeof less); /* as bytes: it is a typed pointer */
    if (keep > 0) memcpy(more, less, keep * item);
    phx_release(mem, array, capacity, item);
    memcpy(array, &more, sizeof more);
    *capacity = more_capacity;
    return true;
}

/* Places for slots up to this one. false = no memory. */
static bool reserve_set_places(phx_relations *relations, phx_mem *mem, uint32_t slot)
{
    const uint32_t had = relations->places;
    if (!grow_by_part(mem, (void **)&relations->place, &relations->places, had, (size_t)slot + 1, sizeof(uint32_t)))
        return false;
    if (relations->places > had) memset(relations->place + had, 0, (relations->places - had) * sizeof(uint32_t));
    return true;
}

/* A set for an observer that has none; NULL = no memory. */
static phx_relation_set *set_make(phx_relations *relations, phx_mem *mem, phx_relation_observer observer)
{
    if (!reserve_set_places(relations, mem, observer.slot)) return NULL;
    if (!grow_by_part(mem, (void **)&relations->changed, &relations->changed_capacity, relations->changed_count,
                      (size_t)relations->changed_count + relations->used + 1, sizeof(uint32_t)))
        return NULL;
    uint32_t at = relations->free_first;
    if (at == SET_NONE) {
        if (!grow_by_part(mem, (void **)&relations->sets, &relations->sets_capacity, relations->set_count,
                          (size_t)relations->set_count + 1, sizeof(phx_relation_set)))
            return NULL;
        at = relations->set_count;
    }
    PHX_ASSERT(relations->sets != NULL);
    if (at == relations->set_count) relations->sets[at] = (phx_relation_set){0};
    phx_relation_set *set = &relations->sets[at];
    if (!phx_few_grow(mem, (void **)&set->items, &set->capacity, 0, 1, sizeof(phx_relation))) return NULL;
    if (at == relations->set_count) relations->set_count++;
    else relations->free_first = set->slot[0];
    set->observer = observer.id;
    set->count = set->measured = set->hides = set->listed = 0;
    memset(set->slot, UINT8_MAX, sizeof set->slot); /* each is SLOT_NONE: the next free set is no target */
    relations->place[observer.slot] = at + 1;
    relations->used++;
    return set;
}

/* Counts the relations of the two kinds, as one of them comes, goes or changes. */
static void count_kinds(phx_relations *relations, uint32_t slot, uint32_t before, uint32_t now)
{
    phx_relation_set *set = phx_relations_of(relations, slot);
    relations->measured_sets -= set->measured > 0;
    set->measured += (now & PHX_RELATION_MEASURED) != 0;
    set->measured -= (before & PHX_RELATION_MEASURED) != 0;
    relations->measured_sets += set->measured > 0;
    const uint32_t hides = (now & PHX_RELATION_HIDE) != 0, hid = (before & PHX_RELATION_HIDE) != 0;
    set->hides += hides - hid;
    relations->hides += hides - hid;
    relations->place[slot] &= ~(uint32_t)PHX_RELATIONS_MEASURED;
    relations->place[slot] |= set->measured > 0 ? (uint32_t)PHX_RELATIONS_MEASURED : 0;
}

void phx_relations_note_slots(phx_relation_set *set)
{
    set->listed = 0;
    for (uint32_t i = 0; i < PHX_RELATION_SLOTS; i++) {
        set->slot[i] = i < set->count ? set->items[i].slot : SLOT_NONE;
        set->listed |= (uint32_t)(i < set->count && set->items[i].listed) << i;
    }
}

/* A new relation of the observer, without bits, or NULL: no memory. */
static phx_relation *add_relation(phx_relations *relations, phx_mem *mem, phx_relation_observer observer)
{
    phx_relation_set *set = phx_relations_of(relations, observer.slot);
    if (!set && !(set = set_make(relations, mem, observer))) return NULL;
    if (!phx_few_grow(mem, (void **)&set->items, &set->capacity, set->count, set->count + 1, sizeof(phx_relation))) {
        if (set->count == 0) phx_relations_drop(relations, observer.slot);
        return NULL;
    }
    phx_relation *relation = &set->items[set->count++];
    *relation = (phx_relation){0};
    return relation;
}

bool phx_relations_put(phx_relations *relations, phx_mem *mem, phx_relation_observer observer, phx_relation item,
                       uint64_t tick)
{
    phx_relation_set *set = phx_relations_of(relations, observer.slot);
    PHX_ASSERT(!set || set->observer == observer.id);
    PHX_ASSERT(!phx_relations_tell_ended(relations, observer.slot));
    phx_relation *old = phx_relation_find(set, item.target);
    if (item.bits == 0) {
        PHX_ASSERT(old);
        count_kinds(relations, observer.slot, old->bits, 0);
        *old = set->items[--set->count];
        set->changed_tick = (uint32_t)tick;
        if (set->count == 0) phx_relations_drop(relations, observer.slot);
        return true;
    }
    if (old) {
        count_kinds(relations, observer.slot, old->bits, item.bits);
        *old = item;
        set->changed_tick = (uint32_t)tick;
        return true;
    }
    phx_relation *added = add_relation(relations, mem, observer);
    if (!added) return false;
    count_kinds(relations, observer.slot, 0, item.bits);
    *added = item;
    phx_relations_of(relations, observer.slot)->changed_tick = (uint32_t)tick;
    return true;
}

/* The relation to the entity of a slot, or one that ended, or NULL. Another entity may have had the id before. */
static phx_relation *relation_to(const phx_relation_set *set, const phx_relation *item)
{
    for (uint32_t i = 0; set && i < set->count; i++) {
        phx_relation *relation = &set->items[i];
        if (relation->target == item->target && (relation->bits != 0 || relation->slot == item->slot)) return relation;
    }
    return NULL;
}

bool phx_relations_change(phx_relations *relations, phx_mem *mem, phx_relation_observer observer, phx_relation item,
                          uint64_t tick)
{
    phx_relation *relation = relation_to(phx_relations_of(relations, observer.slot), &item);
    if (!relation && !(relation = add_relation(relations, mem, observer))) return false;
    phx_relation_set *set = phx_relations_of(relations, observer.slot);
    PHX_ASSERT(set && set->observer == observer.id);
    count_kinds(relations, observer.slot, relation->bits, item.bits);
    *relation = item;
    set->changed_tick = (uint32_t)tick;
    phx_relations_note_slots(set);
    if (relations->place[observer.slot] & PHX_RELATIONS_CHANGED) return true;
    relations->place[observer.slot] |= PHX_RELATIONS_CHANGED;
    PHX_ASSERT(relations->changed_count < relations->changed_capacity);
    relations->changed[relations->changed_count++] = observer.slot;
    return true;
}

void phx_relations_shed(phx_relation_set *set)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        set->items[kept] = set->items[i];
        kept += set->items[i].bits != 0;
    }
    set->count = kept;
    phx_relations_note_slots(set);
}

bool phx_relations_settle(phx_relations *relations, uint32_t *slot)
{
    while (relations->changed_count > 0) {
        *slot = relations->changed[--relations->changed_count];
        if (!(relations->place[*slot] & PHX_RELATIONS_CHANGED)) continue; /* it left */
        relations->place[*slot] &= ~(uint32_t)PHX_RELATIONS_CHANGED;
        phx_relation_set *set = phx_relations_of(relations, *slot);
        phx_relations_shed(set);
        if (set->count == 0) phx_relations_drop(relations, *slot);
        return true;
    }
    return false;
}

void phx_relations_drop(phx_relations *relations, uint32_t slot)
{
    phx_relation_set *set = phx_relations_of(relations, slot);
    if (!set) return;
    relations->measured_sets -= set->measured > 0;
    relations->hides -= set->hides;
    relations->used--;
    set->observer = 0;
    set->count = set->measured = set->hides = 0;
    set->slot[0] = relations->free_first;
    relations->free_first = (uint32_t)(set - relations->sets);
    relations->place[slot] = 0;
}
