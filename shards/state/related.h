/*
 * Own observers with relations (PHX_SLOT_RELATED). Interest phase and later, any worker; nothing is written but
 * guesses.
 */
#ifndef PHX_SHARDS_STATE_RELATED_H
#define PHX_SHARDS_STATE_RELATED_H

#include "shards/state/shard.h"

/* The relations of an own observer, or NULL: it has none, or the last one ended in this tick and is not told of. */
static inline phx_relation_set *phx_related_of(const phx_shard *shard, uint32_t slot)
{
    if (PHX_LIKELY(shard->relations.used == 0)) return NULL;
    return phx_relations_of(&shard->relations, slot);
}

/* In a world of one shard each target is here, in a slot that is noted when its relation is evaluated. */
static inline bool phx_related_slots_noted(const phx_shard *shard)
{
    return shard->outbox.shard_count == 1;
}

/* Do the slots of these relations tell their targets, without a look at names? */
static inline bool phx_related_by_slot(const phx_shard *shard, const phx_relation_set *related)
{
    return phx_related_slots_noted(shard) && related->count <= PHX_RELATION_SLOTS;
}

/*
 * Did attributes of the observer or of one of its targets change in this tick? Where slots do not tell the targets,
 * those of any entity of the shard.
 */
static inline bool phx_related_noted(const phx_shard *shard, uint32_t slot)
{
    const phx_prev_rows *previous = &shard->previous;
    if (PHX_LIKELY(previous->attr_count == 0)) return false;
    const phx_relation_set *related = phx_related_of(shard, slot);
    if (!related || !phx_related_by_slot(shard, related)) return related != NULL;
    bool noted = phx_prev_rows_noted(previous, slot);
    for (uint32_t i = 0; i < PHX_RELATION_SLOTS; i++) noted |= phx_prev_rows_noted(previous, related->slot[i]);
    return noted;
}

/*
 * May a tick change whether an observer with a derived list sees targets of its relations? A link holds wherever its
 * target is, unless attributes of one of the two or relations changed. In the interest phase.
 */
static inline bool phx_related_due(const phx_shard *shard, uint32_t slot)
{
    return phx_relations_due(&shard->relations, slot) || phx_related_noted(shard, slot);
}

/* May there be an observer for which phx_related_due() is true? */
static inline bool phx_related_any_due(const phx_shard *shard)
{
    const phx_relations *relations = &shard->relations;
    return relations->measured_sets > 0 || relations->changed_count > 0 ||
           (relations->used > 0 && shard->previous.attr_count > 0);
}

/* Is it so for the observer of one of these rows? */
static inline bool phx_related_due_rows(const phx_shard *shard, phx_span rows)
{
    if (PHX_LIKELY(!phx_related_any_due(shard))) return false;
    for (uint32_t row = rows.first; row < rows.end; row++)
        if (phx_related_due(shard, phx_row_slot(&shard->grid.rows, row))) return true;
    return false;
}

/* The relation of an own observer, whose list was found since, to the entity of a slot, or NULL. related may be NULL.
 */
static inline phx_relation *phx_related_to(const phx_shard *shard, const phx_relation_set *related, uint32_t slot)
{
    const phx_name *name = shard->store.name;
    const bool noted = phx_related_slots_noted(shard);
    if (!related) return NULL;
    if (PHX_LIKELY(noted && related->count <= PHX_RELATION_SLOTS)) {
        bool found = false;
        for (uint32_t i = 0; i < PHX_RELATION_SLOTS; i++) found |= related->slot[i] == slot;
        if (PHX_LIKELY(!found)) return NULL;
    }
    for (uint32_t i = 0; i < related->count; i++) {
        phx_relation *relation = &related->items[i];
        if ((relation->slot == slot || !noted) && relation->target == name[slot].id) return relation;
    }
    return NULL;
}

/*
 * A filter of the slots of the targets of these relations: phx_related_to() finds nothing for a slot that does not pass
 * it. One bit for six of a slot's; most slots do not pass.
 */
static inline uint64_t phx_related_filter(const phx_shard *shard, const phx_relation_set *related)
{
    uint64_t filter = 0;
    if (!phx_related_slots_noted(shard) || related->count > PHX_RELATION_SLOTS) return UINT64_MAX;
    for (uint32_t i = 0; i < related->count; i++) filter |= UINT64_C(1) << (related->slot[i] & 63);
    return filter;
}

static inline bool phx_related_filter_passes(uint64_t filter, uint32_t slot)
{
    return filter >> (slot & 63) & 1;
}

/* Tells slots of the targets of these relations that are in a derived list, from *at on. false = no more. */
static inline bool phx_related_listed(const phx_relation_set *related, uint32_t *at, uint32_t *target)
{
    while (related && *at < related->count) {
        const uint32_t i = (*at)++;
        const bool noted = i < PHX_RELATION_SLOTS; /* then items are not read */
        if (!(noted ? related->listed >> i & 1 : related->items[i].listed)) continue;
        *target = noted ? related->slot[i] : related->items[i].slot;
        return true;
    }
    return false;
}

/* Is the target in this slot in a derived list, as one of the first of these relations says? */
static inline bool phx_related_lists(const phx_relation_set *related, uint32_t slot)
{
    bool lists = false;
    for (uint32_t i = 0; related && i < PHX_RELATION_SLOTS; i++)
        lists |= (related->slot[i] == slot) & (related->listed >> i & 1);
    return lists;
}

/* Did these relations change in this tick? */
static inline bool phx_related_changed(const phx_shard *shard, const phx_relation_set *related)
{
    return related->changed_tick == (uint32_t)shard->tick;
}

/*
 * Did the relations of a related observer with a stored list change in this tick, so that ended ones are not known? It
 * is evaluated then.
 */
static inline bool phx_related_forgot(const phx_shard *shard, uint32_t slot)
{
    const phx_relation_set *related = phx_related_of(shard, slot);
    return !related || (phx_related_changed(shard, related) && !phx_relations_tell_ended(&shard->relations, slot));
}

/*
 * The slot of a relation's target, or PHX_SLOT_NONE: it is not here. Interest phase, by the worker of the observer: the
 * slot is kept as a guess, as it seldom changes, and a look-up costs a cache miss or two.
 */
static inline uint32_t phx_related_slot(const phx_shard *shard, const phx_directory *directory, phx_relation *relation)
{
    const phx_store *store = &shard->store;
    const uint32_t guess = relation->slot;
    if (guess < store->slots && store->name[guess].id == relation->target && (store->body[guess].state & PHX_SLOT_LIVE))
        return guess;
    if (relation->bits == 0) return PHX_SLOT_NONE; /* it ended with its target, which may have come again */
    const uint32_t slot = phx_shard_find(shard, directory, relation->target);
    if (slot != guess && !relation->listed) relation->slot = slot; /* else its leave needs the old one */
    return slot;
}

#endif
