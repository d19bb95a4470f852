/*
 * Applied entities by tower; see applied_map.h.
 */
#include "shards/entity/applied_map.h"

#include <string.h>

void phx_applied_free(phx_applied_map *map, phx_mem *mem)
{
    phx_release(mem, (void **)&map->entries, &map->entries_capacity, sizeof *map->entries);
    phx_release(mem, (void **)&map->place, &map->places_capacity, sizeof *map->place);
    phx_release(mem, (void **)&map->buckets, &map->buckets_capacity, sizeof *map->buckets);
    *map = (phx_applied_map){0};
}

static uint32_t *bucket_of(const phx_applied_map *map, phx_hash_key key, uint32_t instance, uint32_t tx, uint32_t ty)
{
    const uint64_t tower = (uint64_t)instance << 32 | ty << 16 | tx;
    return &map->buckets[(uint32_t)(phx_hash_any(key, tower) >> 32) & (map->bucket_count - 1)];
}

static void link_entry(phx_applied_map *map, phx_hash_key key, uint32_t number)
{
    phx_applied_entry *entry = &map->entries[number - 1];
    uint32_t *first = bucket_of(map, key, entry->instance, entry->tx, entry->ty);
    entry->before = 0;
    entry->next = *first;
    if (*first != 0) map->entries[*first - 1].before = number;
    *first = number;
}

static void unlink_entry(phx_applied_map *map, phx_hash_key key, const phx_applied_entry *entry)
{
    if (entry->next != 0) map->entries[entry->next - 1].before = entry->before;
    if (entry->before != 0) map->entries[entry->before - 1].next = entry->next;
    else *bucket_of(map, key, entry->instance, entry->tx, entry->ty) = entry->next;
}

/* As many buckets as entries, or more. false = no memory, unchanged. */
static bool reserve_buckets(phx_applied_map *map, phx_mem *mem, uint64_t entries)
{
    enum { LEAST = 64 };
    uint64_t wanted = LEAST;
    while (wanted < entries) wanted *= 2;
    if (wanted <= map->bucket_count) return true;
    if (!phx_grow(mem, (void **)&map->buckets, &map->buckets_capacity, 0, wanted, sizeof *map->buckets)) return false;
    map->bucket_count = (uint32_t)wanted;
    memset(map->buckets, 0, wanted * sizeof *map->buckets);
    for (uint32_t number = 1; number <= map->count; number++) link_entry(map, mem->key, number);
    return true;
}

static bool reserve_places(phx_applied_map *map, phx_mem *mem, uint32_t slots)
{
    const uint32_t before = map->places_capacity;
    if (!phx_grow(mem, (void **)&map->place, &map->places_capacity, before, slots, sizeof *map->place)) return false;
    memset(map->place + before, 0, (map->places_capacity - before) * sizeof *map->place);
    return true;
}

bool phx_applied_reserve(phx_applied_map *map, phx_mem *mem, const phx_store *store, uint32_t more)
{
    uint64_t entries = (uint64_t)map->count + more;
    if (entries > store->slots) entries = store->slots;
    return phx_grow(mem, (void **)&map->entries, &map->entries_capacity, map->count, entries, sizeof *map->entries) &&
           (store->slots <= map->places_capacity || reserve_places(map, mem, store->slots)) &&
           reserve_buckets(map, mem, entries);
}

void phx_applied_put(phx_applied_map *map, phx_mem *mem, const phx_store *store, uint32_t slot)
{
    const phx_body *body = &store->body[slot];
    const uint32_t instance = phx_store_instance(store, slot);
    uint32_t number = map->place[slot];
    if (number != 0) {
        const phx_applied_entry *entry = &map->entries[number - 1];
        if (entry->tx == body->tx && entry->ty == body->ty && entry->instance == instance) return;
        unlink_entry(map, mem->key, entry);
    } else {
        PHX_ASSERT(map->count < map->entries_capacity);
        map->place[slot] = number = ++map->count;
    }
    map->entries[number - 1] = (phx_applied_entry){.slot = slot, .instance = instance, .tx = body->tx, .ty = body->ty};
    map->apart |= instance != 0;
    link_entry(map, mem->key, number);
}

phx_applied_walk phx_applied_begin(const phx_applied_map *map, const phx_mem *mem, const uint32_t *instance,
                                   phx_rect rect)
{
    const uint64_t towers = (uint64_t)(rect.x1 - rect.x0 + 1) * (uint64_t)(rect.y1 - rect.y0 + 1);
    const bool any = !instance && map->apart, every = any || towers > map->count;
    return (phx_applied_walk){.map = map,
                              .key = mem->key,
                              .rect = rect,
                              .instance = instance ? *instance : 0,
                              .next = every && map->count > 0,
                              .tx = rect.x0,
                              .ty = rect.y0,
                              .every = every,
                              .any = any};
}

/* The next entry of all. */
static uint32_t next_entry(phx_applied_walk *walk)
{
    const phx_applied_map *map = walk->map;
    while (walk->next != 0) {
        const phx_applied_entry *entry = &map->entries[walk->next - 1];
        walk->next = walk->next < map->count ? walk->next + 1 : 0;
        if ((walk->any || entry->instance == walk->instance) && phx_rect_has(walk->rect, entry->tx, entry->ty))
            return entry->slot;
    }
    return PHX_SLOT_NONE;
}

uint32_t phx_applied_next(phx_applied_walk *walk)
{
    const phx_applied_map *map = walk->map;
    if (walk->every) return next_entry(walk);
    for (;;) {
        while (walk->next != 0) {
            const phx_applied_entry *entry = &map->entries[walk->next - 1];
            const bool here = entry->tx + 1u == walk->tx && entry->ty == walk->ty && entry->instance == walk->instance;
            walk->next = entry->next;
            if (here) return entry->slot;
        }
        if (walk->tx > walk->rect.x1) {
            walk->tx = walk->rect.x0;
            walk->ty++;
        }
        if (walk->ty > walk->rect.y1) return PHX_SLOT_NONE;
        walk->next = *bucket_of(map, walk->key, walk->instance, walk->tx, walk->ty);
        walk->tx++;
    }
}

/*
 * Memory that ticks in a row made no use of goes back: all of it; the next apply allocates anew. The places of
 * slots count only where no entity is applied any more.
 */
static void trim_map(phx_applied_map *map, phx_mem *mem, uint32_t used)
{
    enum { TICKS = 8, LARGE_BYTES = 128 << 10 }; /* as phx_trim() */
    uint64_t bytes =
        (uint64_t)map->entries_capacity * sizeof *map->entries + (uint64_t)map->buckets_capacity * sizeof *map->buckets;
    if (used == 0) bytes += (uint64_t)map->places_capacity * sizeof *map->place;
    if (bytes < LARGE_BYTES || used > map->entries_capacity / 4) map->idle_ticks = 0;
    else if (++map->idle_ticks >= TICKS) phx_applied_free(map, mem);
}

void phx_applied_end_tick(phx_applied_map *map, phx_mem *mem)
{
    const uint32_t used = map->count;
    for (uint32_t i = 0; i < used; i++) map->place[map->entries[i].slot] = 0;
    if (used > 0) memset(map->buckets, 0, map->bucket_count * sizeof *map->buckets);
    map->count = 0;
    map->apart = false;
    if (map->places_capacity > 0) trim_map(map, mem, used);
}
