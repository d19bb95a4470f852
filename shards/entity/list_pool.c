/*
 * The pool behind the interest lists; see list_pool.h. Called by the shard's owner only.
 */
#include "shards/entity/list_pool.h"

#include <string.h>

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

/* ---- after a storm ---- */

bool phx_list_pool_asks(phx_list_pool *pool)
{
    /* storms come in waves, and longer lists may fill a smaller pool soon: each time it waits twice as long */
    enum { TICKS = 32, DOUBLINGS = 16, LARGE_ENTRIES = (128 << 10) / sizeof(uint32_t) }; /* as phx_trim() */
    if (pool->capacity < LARGE_ENTRIES) {
        pool->large_ticks = 0;
        return false;
    }
    const uint32_t doublings = pool->moves < (uint32_t)DOUBLINGS ? pool->moves : (uint32_t)DOUBLINGS;
    if (++pool->large_ticks < (uint32_t)TICKS << doublings) return false;
    pool->large_ticks = 0;
    return true;
}

uint32_t phx_list_pool_room(const phx_list *list)
{
    const uint32_t slack = 8; /* it may grow by a part where it is */
    if (list->size_class >= (unsigned)PHX_LIST_LARGE || list->count == 0) return 0;
    const uint32_t least = (uint32_t)PHX_LIST_LEAST, room = least << class_of(list->count);
    const bool short_of_room = list->count + list->count / slack > room;
    return short_of_room && room < least << list->size_class ? 2 * room : room;
}

bool phx_list_pool_is_spare(phx_list_pool *pool, phx_mem *mem, uint64_t room, phx_list_pool *next)
{
    enum { PART = 4, TIMES = 2 }; /* lists change their size: a steady tick finds all the room it needs */
    if (room > pool->capacity / PART) return false;
    phx_list_pool_init(next);
    if (!phx_grow(mem, (void **)&next->entries, &next->capacity, 0, TIMES * room, sizeof(uint32_t))) return false;
    pool->moves++;
    return true;
}

void phx_list_pool_move(const phx_list_pool *pool, phx_list_pool *next, phx_list *list)
{
    const uint32_t *from = phx_list_entries(pool, list);
    const uint32_t room = phx_list_pool_room(list);
    if (list->size_class >= (unsigned)PHX_LIST_LARGE) return;
    PHX_ASSERT(next->used + room <= next->capacity);
    list->size_class = PHX_LIST_NONE;
    list->block = 0;
    if (room == 0) return;
    list->size_class = (uint8_t)(class_of(room) & PHX_LIST_NONE);
    list->block = next->used / PHX_LIST_LEAST & BLOCK_MAX;
    next->used += room;
    memcpy(phx_list_entries(next, list), from, list->count * sizeof *from);
}

void phx_list_pool_replace(phx_list_pool *pool, phx_mem *mem, const phx_list_pool *next)
{
    phx_release(mem, (void **)&pool->entries, &pool->capacity, sizeof(uint32_t));
    pool->entries = next->entries;
    pool->capacity = next->capacity;
    pool->used = next->used;
    pool->free_entries = 0;
    for (uint32_t i = 0; i < PHX_LIST_CLASSES; i++) pool->free_first[i] = FREE_END;
}
