/*
 * Interest lists: one per observer, an array of target slots in a block of a per-shard
 * pool. Blocks come in sizes 4, 8, 16, ...; a freed block waits in the free list of its
 * size. The pool is one growing array, so a list is an offset, not a pointer. Past
 * PHX_LIST_SMALL_MAX entries a list has memory of its own, hardly more than it needs, which
 * goes back as soon as it is released: long lists that grow side by side would leave blocks
 * of every size behind.
 * Allocated and freed by the shard's owner (apply, commit); the entries and the count of
 * one list are written in the interest phase by whoever evaluates its observer.
 */
#ifndef PHX_SHARDS_ENTITY_LIST_POOL_H
#define PHX_SHARDS_ENTITY_LIST_POOL_H

#include "base/mem.h"

enum {
    PHX_LIST_LEAST = 4,   /* entries of the smallest block; all begin at a multiple of it */
    PHX_LIST_CLASSES = 9, /* up to PHX_LIST_LEAST << 8 entries: */
    PHX_LIST_SMALL_MAX = PHX_LIST_LEAST << (PHX_LIST_CLASSES - 1),
    PHX_LIST_COUNT_MAX = (1 << 27) - 1,
    PHX_LIST_LARGE = 30, /* size class of a list with memory of its own */
    PHX_LIST_NONE = 31
};

/* All in 8 bytes, as there is one for each entity. */
typedef struct phx_list {
    uint32_t block : 30; /* where its block begins, in PHX_LIST_LEAST entries; of a large one its place in pool.large */
    /*
     * Not kept: it is what the rule says; count 0. See ninegrid/ninegrid.h, query/prev_list.h. In range = radius it has
     * no block either, and `block` is what grid/prev_rows.h says.
     */
    uint32_t derived : 1;
    /*
     * Its observer is told the whole list anew (PH_CHANGE_FRESH), also an empty one: it asked for that, or begins anew,
     * or the list was emptied for want of memory.
     */
    uint32_t owed : 1;
    uint32_t count : 27;
    uint32_t size_class : 5; /* PHX_LIST_NONE = no block */
} phx_list;

/* Memory of one large list. */
typedef struct phx_list_large {
    uint32_t *entries; /* NULL: free */
    uint32_t capacity;
    uint32_t next; /* of free ones */
} phx_list_large;

typedef struct phx_list_pool {
    uint32_t *entries;
    uint32_t capacity;
    uint32_t used;                         /* entries handed out so far, free blocks included */
    uint32_t free_first[PHX_LIST_CLASSES]; /* `block` of the first free one; its first entry is the next */
    uint64_t free_entries;                 /* in all free lists */
    phx_mem *mem;                          /* of large lists; NULL = there was none yet */
    phx_list_large *large;
    uint32_t large_count, large_capacity, large_free; /* free: the first one, or PHX_LIST_LARGE_END */
} phx_list_pool;

static inline phx_list phx_list_empty(void)
{
    return (phx_list){.size_class = PHX_LIST_NONE};
}

/* May it have any entries, or is its observer to be told that it has none? */
static inline bool phx_list_holds(const phx_list *list)
{
    return list->count > 0 || list->derived || list->owed;
}

static inline uint32_t phx_list_capacity(const phx_list_pool *pool, const phx_list *list)
{
    if (PHX_UNLIKELY(list->size_class == PHX_LIST_LARGE)) return pool->large[list->block].capacity;
    return list->size_class == PHX_LIST_NONE ? 0 : (uint32_t)PHX_LIST_LEAST << list->size_class;
}

/* Implied, or as good as that: without an entry, a block to be given back, or anything owed. */
static inline bool phx_list_holds_no_memory(const phx_list *list)
{
    return !list->owed && (list->derived || list->size_class == PHX_LIST_NONE);
}

/* There is room for so many, and they are there. */
static inline void phx_list_set_count(const phx_list_pool *pool, phx_list *list, uint32_t count)
{
    PHX_ASSERT(count <= phx_list_capacity(pool, list));
    (void)pool;
    list->count = count & PHX_LIST_COUNT_MAX;
}

/* NULL for a list that never had an entry. */
static inline uint32_t *phx_list_entries(const phx_list_pool *pool, const phx_list *list)
{
    if (PHX_UNLIKELY(list->size_class == PHX_LIST_LARGE)) return pool->large[list->block].entries;
    return list->size_class == PHX_LIST_NONE ? NULL : pool->entries + (size_t)list->block * PHX_LIST_LEAST;
}

void phx_list_pool_init(phx_list_pool *pool);
void phx_list_pool_free(phx_list_pool *pool, phx_mem *mem);
/*
 * Gives the list a block for `count` entries (its old one goes back, entries are not
 * kept). false = no memory, or more than PHX_LIST_COUNT_MAX; unchanged.
 */
bool phx_list_reserve(phx_list_pool *pool, phx_mem *mem, phx_list *list, uint32_t count);
/*
 * In the interest phase, whoever evaluates the observer: room for so many, entries are not kept, if that goes without
 * the pool. false = it does not, or there is no memory; unchanged.
 */
bool phx_list_widen(phx_list_pool *pool, phx_list *list, uint32_t count);
/* Gives the block back; count 0. What else it is stays. */
void phx_list_release(phx_list_pool *pool, phx_list *list);

#endif
