/*
 * The pool behind the interest lists; see list.h. Called by the shard's owner only.
 */
#include "shards/list.h"

static const uint32_t FREE_END = UINT32_MAX, BLOCK_MAX = UINT32_MAX / PHX_LIST_LEAST;

void phx_list_pool_init(phx_list_pool *pool)
{
    *pool = (phx_list_pool){0};
    for (uint32_t i = 0; i < PHX_LIST_CLASSES; i++) pool->free_first[i] = FREE_END;
}

void phx_list_pool_free(phx_list_pool *pool, phx_mem *mem)
{
    phx_release(mem, (void **)&pool->entries, &pool->capacity, sizeof(uint32_t));
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
    uint32_t *block = phx_list_entries(pool, list);
    PHX_ASSERT((size_t)(block - pool->entries) + phx_list_capacity(list) <= pool->used);
    *block = pool->free_first[list->size_class];
    pool->free_first[list->size_class] = list->block;
    pool->free_entries += phx_list_capacity(list);
    list->size_class = PHX_LIST_NONE;
    list->block = 0;
}

bool phx_list_reserve(phx_list_pool *pool, phx_mem *mem, phx_list *list, uint32_t count)
{
    if (count <= phx_list_capacity(list)) return true;
    if (count > PHX_LIST_COUNT_MAX) return false;
    phx_list to = {.size_class = (uint8_t)(class_of(count) & PHX_LIST_NONE)};
    uint32_t room = phx_list_capacity(&to), first = pool->free_first[to.size_class];
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
