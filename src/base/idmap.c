/*
 * The changing half of base/idmap.h: reserve, insert, remove. Called by the owner of the
 * map only.
 */
#include "base/idmap.h"

#include <string.h>

enum {
    BUCKETS_MIN = 64, /* 1 KiB: smaller is not worth the growing */
    LOAD_PART = 3,    /* at most 3 of 4 taken */
    LOAD_WHOLE = 4,   /* buckets of one cache line; their count is a multiple of it */
    GROWTH = 4        /* at least a fourth more */
};

/* The buckets of a map without memory. Shared and never written: such a map has limit 0. */
static const phx_idmap_bucket no_buckets[LOAD_WHOLE];

static bool owns_memory(const phx_idmap *map)
{
    return map->buckets != no_buckets;
}

static size_t table_bytes(uint64_t bucket_count)
{
    return (size_t)bucket_count * sizeof(phx_idmap_bucket);
}

static phx_idmap empty(phx_mem *mem, phx_hash_key key)
{
    return (phx_idmap){
        .buckets = (phx_idmap_bucket *)(uintptr_t)no_buckets, .bucket_count = LOAD_WHOLE, .key = key, .mem = mem};
}

void phx_idmap_init(phx_idmap *map, phx_mem *mem)
{
    *map = empty(mem, mem->key);
}

void phx_idmap_free(phx_idmap *map)
{
    if (owns_memory(map)) {
        phx_free(map->mem, map->buckets, table_bytes(map->bucket_count), PHX_CACHE_LINE);
    }
    *map = empty(map->mem, map->key); /* mem is NULL where it never was made */
}

void phx_idmap_clear(phx_idmap *map)
{
    if (owns_memory(map)) {
        memset(map->buckets, 0, table_bytes(map->bucket_count));
    }
    map->count = 0;
}

/* The id is absent and a bucket is free. */
static void place(phx_idmap *map, phx_idmap_bucket entry)
{
    uint64_t i = phx_idmap_home(map, entry.id);

    while (map->buckets[i].id != 0) {
        PHX_ASSERT(map->buckets[i].id != entry.id);
        i = phx_idmap_after(map, i);
    }
    map->buckets[i] = entry;
}

/* The bucket count for `count` entries, of a map that has `buckets` now. */
static uint64_t grown(uint64_t buckets, uint32_t count)
{
    uint64_t needed = ((uint64_t)count + LOAD_PART - 1) / LOAD_PART * LOAD_WHOLE;
    uint64_t wanted = (buckets + buckets / GROWTH) / LOAD_WHOLE * LOAD_WHOLE;

    wanted = wanted < BUCKETS_MIN ? BUCKETS_MIN : wanted;
    return wanted < needed ? needed : wanted;
}

bool phx_idmap_reserve(phx_idmap *map, uint32_t count)
{
    phx_idmap old = *map;
    uint64_t bucket_count;
    phx_idmap_bucket *buckets;

    if (PHX_LIKELY(count <= map->limit)) {
        return true;
    }
    bucket_count = grown(owns_memory(&old) ? old.bucket_count : 0, count);
    if (bucket_count > UINT32_MAX) {
        return false;
    }
    buckets = phx_alloc_zero(map->mem, table_bytes(bucket_count), PHX_CACHE_LINE);
    if (buckets == NULL) {
        return false;
    }
    map->buckets = buckets;
    map->bucket_count = (uint32_t)bucket_count;
    map->limit = (uint32_t)(bucket_count / LOAD_WHOLE * LOAD_PART);
    if (!owns_memory(&old)) {
        return true;
    }
    for (uint64_t i = 0; i < old.bucket_count; i++) {
        if (old.buckets[i].id != 0) {
            place(map, old.buckets[i]);
        }
    }
    phx_free(map->mem, old.buckets, table_bytes(old.bucket_count), PHX_CACHE_LINE);
    return true;
}

void phx_idmap_insert(phx_idmap *map, uint64_t id, uint64_t value)
{
    PHX_ASSERT(id != 0);
    PHX_ASSERT(map->count < map->limit);
    place(map, (phx_idmap_bucket){id, value});
    map->count++;
}

/* How far it is to a bucket, around the end of the table. */
static uint64_t steps(const phx_idmap *map, uint64_t from, uint64_t to)
{
    return to >= from ? to - from : to + map->bucket_count - from;
}

/*
 * Closes the hole: each following entry of the run that may stand in it moves there and
 * leaves the next hole. It may if its home is not after the hole, that is if it stands at
 * least as far from home as from the hole, around the end of the table.
 */
static void shift_back(phx_idmap *map, uint64_t hole)
{
    for (uint64_t i = phx_idmap_after(map, hole); map->buckets[i].id != 0; i = phx_idmap_after(map, i)) {
        uint64_t from_home = steps(map, phx_idmap_home(map, map->buckets[i].id), i);
        uint64_t from_hole = steps(map, hole, i);

        if (from_home >= from_hole) {
            map->buckets[hole] = map->buckets[i];
            hole = i;
        }
    }
    map->buckets[hole] = (phx_idmap_bucket){0, 0};
}

bool phx_idmap_remove(phx_idmap *map, uint64_t id)
{
    uint64_t *value = phx_idmap_find(map, id);
    phx_idmap_bucket *bucket;

    if (value == NULL) {
        return false;
    }
    PHX_ASSERT(map->count > 0);
    bucket = (phx_idmap_bucket *)(void *)((char *)value - offsetof(phx_idmap_bucket, value));
    shift_back(map, (uint64_t)(bucket - map->buckets));
    map->count--;
    return true;
}
