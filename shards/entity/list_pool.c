/*
 * The pool behind the interest lists; see list_pool.h. Called by the shard's owner only.
 */
#include "shards/entity/list_pool.h"

static const uint32_t FREE_END = UINT32_MAX, LARGE_END = UINT32_MAX, BLOCK_MAX = UINT32_MAX / PHX_LIST_LEAST;

void phx_list_pool_init(phx_list_pool *pool)
{
    *pool = (phx_list_pool){0};
    for (uint32_t i = 0; i < PHX_LIST_CLASSES; i++) pool->free_first[i] = FREE_END;
    pool->large_free = LARGE_END;
}

/* ---- large lists ---- */

/* The capacity of a large list of so many entries: some more than it needs, as most grow. */
static uint32_t large_room(uint32_t count)
{
    enum { PART = 16, UNIT = 1024 }; /* 4 KiB */
    return (count + count / PART + UNIT - 1) / UNIT * UNIT;
}

static void free_large(phx_list_pool *pool, uint32_t place)
{
    phx_list_large *large = &pool->large[place];
    phx_release(pool->mem, (void **)&large->entries, &large->capacity, sizeof(uint32_t));
}

/* Replaces the memory of a large list. false = no memory, unchanged. */
static bool renew_large(const phx_list_pool *pool, phx_list_large *large, uint32_t count)
{
    phx_list_large next = {.next = LARGE_END};
    if (!phx_grow(pool->mem, (void **)&next.entries, &next.capacity, 0, large_room(count), sizeof(uint32_t)))
        return false;
    phx_release(pool->mem, (void **)&large->entries, &large->capacity, sizeof(uint32_t));
    *large = next;
    return true;
}

/* Takes a free place for a large list. false = no memory. */
static bool reserve_large(phx_list_pool *pool, phx_mem *mem, uint32_t count, uint32_t *place)
{
    pool->mem = mem;
    if (pool->large_free == LARGE_END) {
        if (!phx_grow(mem, (void **)&pool->large, &pool->large_capacity, pool->large_count,
                      (size_t)pool->large_count + 1, sizeof *pool->large))
            return false;
        pool->large[pool->large_count] = (phx_list_large){.next = LARGE_END};
        pool->large_free = pool->large_count++;
    }
    phx_list_large *large = &pool->large[pool->large_free];
    const uint32_t next = large->next;
    if (!renew_large(pool, large, count)) return false;
    *place = pool->large_free;
    pool->large_free = next;
    return true;
}

bool phx_list_widen(phx_list_pool *pool, phx_list *list, uint32_t count)
{
    if (count <= phx_list_capacity(pool, list)) return true;
    if (list->size_class != PHX_LIST_LARGE || count > PHX_LIST_COUNT_MAX) return false;
    return renew_large(pool, &pool->large[list->block], count);
}

/* ---- the pool ---- */

void phx_list_pool_free(phx_list_pool *pool, phx_mem *mem)
{
    phx_release(mem, (void **)&pool->entries, &pool->capacity, sizeof(uint32_t));
    for (uint32_t i = 0; i < pool->large_count; i++)
        if (pool->large[i].entries) free_large(pool, i);
    phx_release(mem, (void **)&pool->large, &pool->large_capacity, sizeof *pool->large);
    phx_list_pool_init(pool);
}

static uint8_t class_of(uint32_t count)
{
    uint8_t c = 0;
    while (((uint32_t)PHX_LIST_LEAST << c) < count) c++;
    PHX_ASSERT(c < PHX_LIST_CLASSES);
    return c;
}

void phx_list_release(phx_list_pool *pool, phx_list *list)
{
    list->count = 0;
    if (list->size_class == PHX_LIST_NONE) return;
    if (list->size_class == PHX_LIST_LARGE) {
        free_large(pool, list->block);
        pool->large[list->block].next = pool->large_free;
        pool->large_free = list->block;
        list->size_class = PHX_LIST_NONE;
        list->block = 0;
        return;
    }
    uint32_t *block = phx_list_entries(pool, list);
    PHX_ASSERT((size_t)(block - pool->entries) + phx_list_capacity(pool, list) <= pool->used);
    *block = pool->free_first[list->size_class];
    pool->free_first[list->size_class] = list->block;
    pool->free_entries += phx_list_capacity(pool, list);
    list->size_class = PHX_LIST_NONE;
    list->block = 0;
}

/* false = no memory, unchanged. */
static bool become_large(phx_list_pool *pool, phx_mem *mem, phx_list *list, uint32_t count)
{
    uint32_t place;
    if (!reserve_large(pool, mem, count, &place)) return false;
    phx_list_release(pool, list);
    list->block = place & BLOCK_MAX;
    list->size_class = PHX_LIST_LARGE;
    return true;
}

bool phx_list_reserve(phx_list_pool *pool, phx_mem *mem, phx_list *list, uint32_t count)
{
    if (count > PHX_LIST_COUNT_MAX) return false;
    if (phx_list_widen(pool, list, count)) return true;
    if (list->size_class == PHX_LIST_LARGE) return false;
    if (count > PHX_LIST_SMALL_MAX) return become_large(pool, mem, list, count);
    phx_list to = {.size_class = (uint8_t)(class_of(count) & PHX_LIST_NONE)};
    uint32_t room = phx_list_capacity(pool, &to), first = pool->free_first[to.size_class];
    if (first != FREE_END) {
        to.block = first & BLOCK_MAX;
        pool->free_first[to.size_class] = *phx_list_entries(pool, &to);
        pool->free_entries -= room;
    } else {
        size_t needed = (size_t)pool->used + room;
        if (!phx_grow(mem, (void **)&pool->entries, &pool->capacity, pool->used, needed, sizeof(uint32_t)))
            return false;
        to.block = pool->used / PHX_LIST_LEAST & BLOCK_MAX;
        pool->used = (uint32_t)needed;
    }
    phx_list_release(pool, list);
    list->block = to.block;
    list->size_class = to.size_class;
    return true;
}
