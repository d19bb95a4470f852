/*
 * Interest lists: one per observer, an array of target slots in a block of a per-shard pool. Blocks have 4, 8, 16, ...
 * entries; a freed block goes to the free list of its size. The pool is one growing array, so a list is an offset, not
 * a pointer. Above PHX_LIST_SMALL_MAX entries a list is large: it has memory of its own, hardly more than it needs,
 * which is given back at once when it is released. Otherwise long lists that grow side by side would leave blocks of
 * every size behind. Allocated and freed by the shard's owner (ingest, commit). The entries and the count of one list
 * are written in the interest phase by the worker that covers its observer.
 */
#ifndef PHX_SHARDS_ENTITY_LIST_POOL_H
#define PHX_SHARDS_ENTITY_LIST_POOL_H

#include "base/mem.h"

enum {
    PHX_LIST_LEAST = 4,   /* entries of the smallest block; each block begins at a multiple of it */
    PHX_LIST_CLASSES = 9, /* up to PHX_LIST_LEAST << 8 entries: */
    PHX_LIST_SMALL_MAX = PHX_LIST_LEAST << (PHX_LIST_CLASSES - 1),
    PHX_LIST_COUNT_MAX = (1 << 27) - 1,
    PHX_LIST_LARGE = 30, /* size class of a list with memory of its own */
    PHX_LIST_NONE = 31
};

/* 8 bytes in all, as there is one for each entity. */
typedef struct phx_list {
    uint32_t
        block : 30; /* the begin of its block, in PHX_LIST_LEAST entries; of a large list its number in pool.large */
    /*
     * Not stored: the rule gives it. See ninegrid/ninegrid.h, query/prev_list.h. In range = radius it has no block
     * either, and grid/prev_rows.h uses `block`. The count is 0; below a limit (a cap, adds_max) it is 1 + the number
     * of targets that may join before the cap cuts.
     */
    uint32_t derived : 1;
    /*
     * The whole list is due to its observer (PH_CHANGE_FRESH), also an empty one: the host asked for it, the observer
     * begins anew, or the list was set aside for want of memory.
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
    uint32_t free_first[PHX_LIST_CLASSES]; /* `block` of the first free one; its first entry is the next free one */
    uint64_t free_entries;                 /* in all free lists */
    phx_mem *mem;                          /* of large lists; NULL = there was none yet */
    phx_list_large *large;
    uint32_t large_count, large_capacity, large_free; /* large_free: the first free one, or UINT32_MAX */
    uint32_t large_ticks, moves; /* ticks since the pool is large, or since its last question; moves to less memory */
} phx_list_pool;

static inline phx_list phx_list_empty(void)
{
    return (phx_list){.size_class = PHX_LIST_NONE};
}

enum { PHX_LIST_LIMIT_MAX = PHX_LIST_COUNT_MAX - 1 }; /* a longer list is not derived below a limit */

/* Is it derived although its observer has a limit, as the limit did not cut it, nor hold a target back? */
static inline bool phx_list_below_limit(const phx_list *list)
{
    return list->derived && list->count > 0;
}

/* May the list have entries, or is it owed? */
static inline bool phx_list_holds(const phx_list *list)
{
    return list->count > 0 || list->derived || list->owed;
}

static inline uint32_t phx_list_capacity(const phx_list_pool *pool, const phx_list *list)
{
    if (PHX_UNLIKELY(list->size_class == PHX_LIST_LARGE)) return pool->large[list->block].capacity;
    return list->size_class == PHX_LIST_NONE ? 0 : (uint32_t)PHX_LIST_LEAST << list->size_class;
}

/* Is it derived, or without entries, without a block, and not owed? */
static inline bool phx_list_holds_no_memory(const phx_list *list)
{
    return !list->owed && (list->derived || list->size_class == PHX_LIST_NONE);
}

/* Sets the count; the entries are written, within the capacity. */
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
 * Gives the list a block for `count` entries; its old block and entries are released. false = no memory, or more than
 * PHX_LIST_COUNT_MAX; unchanged.
 */
bool phx_list_reserve(phx_list_pool *pool, phx_mem *mem, phx_list *list, uint32_t count);
/*
 * In the interest phase, by the worker of the observer: room for so many entries without the pool; entries are not
 * kept. false = it needs the pool, or there is no memory; unchanged.
 */
bool phx_list_widen(phx_list_pool *pool, phx_list *list, uint32_t count);
/* Gives the block back; count 0. Other fields stay. */
void phx_list_release(phx_list_pool *pool, phx_list *list);

/*
 * Once a tick: is it time to ask whether the lists of a large pool would do with a quarter of it? Lists keep long
 * blocks as they shrink. Then the owner adds up phx_list_pool_room() of all lists with a block, and
 * phx_list_pool_is_spare() answers. If so, *next is a pool with twice that room; each such list is moved there, and
 * phx_list_pool_replace() ends it.
 */
bool phx_list_pool_asks(phx_list_pool *pool);
/* The entries of the block that the list would get; of a large list 0, as of one without a block. */
uint32_t phx_list_pool_room(const phx_list *list);
/* false = it is not, or there is no memory. */
bool phx_list_pool_is_spare(phx_list_pool *pool, phx_mem *mem, uint64_t room, phx_list_pool *next);
void phx_list_pool_move(const phx_list_pool *pool, phx_list_pool *next, phx_list *list);
void phx_list_pool_replace(phx_list_pool *pool, phx_mem *mem, const phx_list_pool *next);

#endif
