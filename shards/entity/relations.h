/*
 * Pairs, links, hides and reveals of the shard's own observers: a small array per observer that has any,
 * found by the observer's slot. They travel with the observer when it migrates. Written by the shard's owner (ingest,
 * exchange); read in the interest phase, in which the worker of the observer notes which targets are listed.
 *
 * In a world of one shard a relation that ends stays until the tick's end, without bits (phx_relations_change()): it
 * rules nothing any more, but says that distances do not tell of its target; and beside a derived list, whether it was
 * listed.
 */
#ifndef PHX_SHARDS_ENTITY_RELATIONS_H
#define PHX_SHARDS_ENTITY_RELATIONS_H

#include "base/mem.h"
#include "shards/entity/visibility.h"

enum { PHX_RELATION_SLOTS = 6 }; /* so that a set has a cache line; a party has as many */

typedef struct phx_relation_set {
    uint64_t observer;     /* its id; 0 = free */
    uint32_t changed_tick; /* of the last change, or of the migration of its observer: the low bits */
    uint32_t listed;       /* by place in slot[], a bit: as its item says, without a line of memory more */
    phx_relation *items;
    uint32_t count, capacity;
    uint32_t measured; /* pairs and reveals: the target's distance counts in every tick */
    uint32_t hides;    /* of them: targets that it must not see */
    /*
     * Since its list was found, in a world of one shard: the slots of the items' targets, the rest
     * UINT32_MAX; not of more items. The first one of a free set is the next free set.
     */
    uint32_t slot[PHX_RELATION_SLOTS];
} phx_relation_set;
_Static_assert(sizeof(phx_relation_set) == PHX_CACHE_LINE, "an observer's relations cost one line of memory");

enum {
    PHX_RELATIONS_MEASURED = 1u << 31, /* of a place: of its relations some are measured */
    PHX_RELATIONS_CHANGED = 1u << 30,  /* of a place: its slot is in phx_relations.changed */
    PHX_RELATIONS_FLAGS = PHX_RELATIONS_MEASURED | PHX_RELATIONS_CHANGED
};

typedef struct phx_relations {
    uint32_t *place; /* by slot: of the observer's set in sets, and 1; 0 = it has none. And the flags */
    uint32_t places; /* slots that have one; the others have none */
    phx_relation_set *sets;
    uint32_t set_count, sets_capacity, free_first;
    uint32_t used;                            /* sets that are not free */
    uint32_t measured_sets;                   /* sets with such relations */
    uint32_t hides;                           /* in all sets */
    uint32_t *changed;                        /* slots of observers that phx_relations_change() was for in this tick, */
    uint32_t changed_count, changed_capacity; /* perhaps of some that left; there is room for all others */
} phx_relations;

typedef struct phx_relation_observer {
    uint32_t slot;
    uint64_t id;
} phx_relation_observer;

void phx_relations_init(phx_relations *relations);
void phx_relations_free(phx_relations *relations, phx_mem *mem);

/* The observer's set, or NULL. Valid until the next put. */
static inline phx_relation_set *phx_relations_of(const phx_relations *relations, uint32_t slot)
{
    const uint32_t place = slot < relations->places ? relations->place[slot] & ~(uint32_t)PHX_RELATIONS_FLAGS : 0;
    return place > 0 ? &relations->sets[place - 1] : NULL;
}

/* Has the target of one of these relations one back? relations: or NULL. */
static inline bool phx_relations_any_back(const phx_relation_set *relations)
{
    for (uint32_t i = 0; relations && i < relations->count; i++)
        if (relations->items[i].bits != 0 && relations->items[i].back) return true;
    return false;
}

/* Has the observer pairs or reveals? */
static inline bool phx_relations_measured(const phx_relations *relations, uint32_t slot)
{
    return slot < relations->places && (relations->place[slot] & PHX_RELATIONS_MEASURED);
}

/* Do pairs or reveals, or relations that changed in this tick, have to be decided by the rule? */
static inline bool phx_relations_due(const phx_relations *relations, uint32_t slot)
{
    return slot < relations->places && (relations->place[slot] & PHX_RELATIONS_FLAGS);
}

/* Do the relations of an observer that changed in this tick tell of the ones that ended? */
static inline bool phx_relations_tell_ended(const phx_relations *relations, uint32_t slot)
{
    return slot < relations->places && (relations->place[slot] & PHX_RELATIONS_CHANGED);
}

/* The relation to target that holds, or NULL. set may be NULL. */
phx_relation *phx_relation_find(const phx_relation_set *set, uint64_t target);

/*
 * Adds or replaces the relation to item.target (bits 0 removes it), of an observer with a stored list or none, which is
 * evaluated in this tick. false = no memory, unchanged.
 */
bool phx_relations_put(phx_relations *relations, phx_mem *mem, phx_relation_observer observer, phx_relation item,
                       uint64_t tick);

/*
 * The same for any observer that has a list or may get one, if the slots of targets are known: item.slot is the
 * target's. Beside a derived list item.listed is right; else it is false. Needs no memory where the relation is there
 * already.
 */
bool phx_relations_change(phx_relations *relations, phx_mem *mem, phx_relation_observer observer, phx_relation item,
                          uint64_t tick);

/* Notes in the set the slots of its targets, and which are listed: it is in its relations. */
void phx_relations_note_slots(phx_relation_set *set);

/* Removes the relations that ended from a set. Also in the interest phase, by the worker of the observer. */
void phx_relations_shed(phx_relation_set *set);

/*
 * Takes an observer with relations that changed in this tick: ended ones are forgotten, with a set that has
 * nothing else. false = there is none.
 */
bool phx_relations_settle(phx_relations *relations, uint32_t *slot);

/* Drops all relations of an observer. The memory of the set is kept for the next one. */
void phx_relations_drop(phx_relations *relations, uint32_t slot);

#endif
