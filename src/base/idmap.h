/*
 * A hash map from an entity id (any uint64_t but 0) to a uint64_t: open addressing with
 * linear probing over buckets of 16 bytes, four to a cache line. Owned by one shard or
 * table; changed by its owner only, in the phases in which it owns it.
 *
 * Several threads may find at once. A pointer to a value is good until the next insert, remove
 * or reserve. The homes of all entities of a world, the most used table, are in directory.h.
 *
 * The hash (hash.h) keeps neighbours together: four ids that differ in their last two bits
 * share a cache line, and successive quads are spread evenly. Ids in a run, as hosts
 * number them, so cost a quarter of the lines, and seldom meet. The cost of scattered ids, and of ids
 * that a client chose, is that of chance.
 *
 * At most 3/4 of the buckets are taken: then a hit reads 2.5 buckets on average and a
 * miss at 8.5 (Knuth, vol. 3, 6.4: (1 + 1/(1-a))/2 and (1 + 1/(1-a)^2)/2), mostly in one
 * line; at 7/8 a miss would be at 32.5, at 1/2 the table would be half as large again for
 * the same count. Buckets are any multiple of four, as the hash is scaled and not masked: so
 * a map grows by a quarter, and holds 21 to 27 bytes an entry. Scaling keeps the order of
 * hashes, so growing reads and writes from one end to the other. Removing shifts the entries behind back,
 * so there are no tombstones, and the speed of the map depends on its count alone.
 */
#ifndef PHX_BASE_IDMAP_H
#define PHX_BASE_IDMAP_H

#include "base/mem.h"

typedef struct phx_idmap_bucket {
    uint64_t id; /* 0 = empty */
    uint64_t value;
} phx_idmap_bucket;

typedef struct phx_idmap {
    phx_idmap_bucket *buckets; /* never NULL: one line of empty buckets before the first reserve */
    uint32_t bucket_count;     /* a multiple of four */
    uint32_t count;
    uint32_t limit;   /* entries that there is room for */
    phx_hash_key key; /* mem's */
    phx_mem *mem;
} phx_idmap;

/* An empty map that holds no memory. */
void phx_idmap_init(phx_idmap *map, phx_mem *mem);
/* Leaves it as after phx_idmap_init(). */
void phx_idmap_free(phx_idmap *map);

/* Room for `count` entries in all. The only call that allocates. false = no memory, unchanged. */
bool phx_idmap_reserve(phx_idmap *map, uint32_t count);
/* id != 0, absent; room was reserved. */
void phx_idmap_insert(phx_idmap *map, uint64_t id, uint64_t value);
/* false = was absent. */
bool phx_idmap_remove(phx_idmap *map, uint64_t id);
/* Empties it and keeps the room. */
void phx_idmap_clear(phx_idmap *map);

static inline uint32_t phx_idmap_count(const phx_idmap *map)
{
    return map->count;
}

/* Where the search for this id begins. */
static inline uint64_t phx_idmap_home(const phx_idmap *map, uint64_t id)
{
    return ((uint64_t)phx_hash_near(map->key, id, 2) * map->bucket_count >> 32) ^ (id & 3);
}

/* The next bucket of a search. */
static inline uint64_t phx_idmap_after(const phx_idmap *map, uint64_t index)
{
    return PHX_UNLIKELY(index + 1 == map->bucket_count) ? 0 : index + 1;
}

/* Prefetches the line where the search for an id begins. */
static inline void phx_idmap_prefetch(const phx_idmap *map, uint64_t id)
{
    __builtin_prefetch(&map->buckets[phx_idmap_home(map, id)]);
}

/* NULL = absent. id 0 is always absent. */
static inline uint64_t *phx_idmap_find(const phx_idmap *map, uint64_t id)
{
    for (uint64_t i = phx_idmap_home(map, id);; i = phx_idmap_after(map, i)) {
        phx_idmap_bucket *bucket = &map->buckets[i];

        if (PHX_UNLIKELY(bucket->id == 0)) {
            return NULL;
        }
        if (bucket->id == id) {
            return &bucket->value;
        }
    }
}

/*
 * Iteration: for i below phx_idmap_bucket_count(), the buckets with id != 0, in no order that means
 * anything. Values may be written meanwhile; inserting or removing moves entries about.
 */
static inline uint64_t phx_idmap_bucket_count(const phx_idmap *map)
{
    return map->bucket_count;
}

static inline const phx_idmap_bucket *phx_idmap_bucket_at(const phx_idmap *map, uint64_t index)
{
    PHX_ASSERT(index < map->bucket_count);
    return &map->buckets[index];
}

#endif
