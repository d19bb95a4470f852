/*
 * The pool behind the interest lists; see list.h. Called by the shard's owner only.
 */
#include "shards/list.h"

static const uint32_t FREE_END = UINT32_MAX;

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
    while ((4u << c) < count) c++;
    PHX_ASSERT(c < PHX_LIST_CLASSES);
    return c;
}

void phx_list_release(phx_list_pool *pool, phx_list *list)
{
    list->count = 0;
    if (list->size_class == PHX_LIST_NONE) return;
    PHX_ASSERT(list->offset + phx_list_capacity(list) <= pool->used);
    pool->entries[list->offset] = pool->free_first[list->size_class];
    pool->free_first[list->size_class] = list->offset;
    pool->free_entries += phx_list_capacity(list);
    list->size_class = PHX_LIST_NONE;
    list->offset = 0;
}

bool phx_list_reserve(phx_list_pool *pool, phx_mem *mem, phx_list *list, uint32_t count)
{
    if (count <= phx_list_capacity(list)) return true;
    uint8_t c = class_of(count);
    uint32_t offset = pool->free_first[c];
    if (offset != FREE_END) {
        pool->free_first[c] = pool->entries[offset];
        pool->free_entries -= 4u << c;
    } else {
        size_t needed = (size_t)pool->used + (4u << c);
        if (!phx_grow(mem, (void **)&pool->entries, &pool->capacity, pool->used, needed, sizeof(uint32_t)))
            return false;
        offset = pool->used;
        pool->used = (uint32_t)needed;
    }
    phx_list_release(pool, list);
    list->offset = offset;
    list->size_class = c;
    return true;
}
