/*
 * Attribute sets: the distinct attributes (phx_attr) of entities, each stored once. Most entities of a world share a
 * handful of sets, so an entity costs a number and not 56 bytes. A set has its number while an entity uses it; set 0,
 * all zero, stays.
 *
 * If all entities differ, a set costs about 90 bytes beside the number; the arrays keep their largest size.
 *
 * Owned by a store: written by the shard's owner, read by all workers in the interest phase and by readers. A pointer
 * to a set is valid until the next reserve, or until the last user drops it.
 */
#ifndef PHX_SHARDS_ENTITY_ATTR_INTERN_H
#define PHX_SHARDS_ENTITY_ATTR_INTERN_H

#include "base/idmap.h"
#include "shards/entity/visibility.h"

typedef struct phx_attr_sets {
    phx_attr *attr; /* by number */
    struct phx_attr_use {
        uint32_t users;
        uint32_t next; /* of the same hash, or the next free one; PHX_ATTR_SET_NONE ends */
    } * use;
    uint32_t capacity, use_capacity;
    uint32_t numbers; /* numbers ever given: the arrays are valid below */
    uint32_t free_first, free_count;
    phx_idmap index; /* hash -> the first set of that hash */
} phx_attr_sets;

enum { PHX_ATTR_SET_NONE = UINT32_MAX };

void phx_attr_sets_init(phx_attr_sets *sets, phx_mem *mem);
void phx_attr_sets_free(phx_attr_sets *sets, phx_mem *mem);

/* Room for so many new sets; after the first call set 0 exists. false = no memory, unchanged. */
bool phx_attr_sets_reserve(phx_attr_sets *sets, phx_mem *mem, uint32_t count);
/* The number of this set, which gets one more user; there is room. */
uint32_t phx_attr_sets_acquire(phx_attr_sets *sets, const phx_attr *attr);
/* Drops a user of a set: the last one ends the set. */
void phx_attr_sets_drop(phx_attr_sets *sets, uint32_t number);

/* The number of sets now. */
static inline uint32_t phx_attr_sets_count(const phx_attr_sets *sets)
{
    return sets->numbers - sets->free_count;
}

#endif
