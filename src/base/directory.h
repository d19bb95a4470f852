/*
 * Where entities live: a hash map from an entity id (any uint64_t but 0) to its home, a shard
 * and a slot. Open addressing with linear probing, as in idmap.h, over columns, of which a world
 * has only the ones that it needs: buckets of 8 bytes (an id's low half, and the slot), eight to a cache
 * line; the shards, where there are several; the ids' high halves, from the first id on with a high half that is not 0.
 * So an entry takes 10 to 11 bytes in a world of one shard with ids below 2^32, and 18 to 20
 * with all columns. Owned by the world; changed by the ticking thread only.
 *
 * Several threads may find at once, also while others set homes of entries that they found, each
 * its own: a search reads ids only.
 *
 * The hash (hash.h) keeps eight neighbours in one line. Ids in a run, as hosts number them, cost an eighth
 * of the lines and seldom meet. The cost of scattered ids, and of ids that a client chose, is that of chance. At most
 * 4/5 of the buckets are taken; see idmap.h for removing. The table grows by an eighth, in one pass from one end to
 * the other.
 */
#ifndef PHX_BASE_DIRECTORY_H
#define PHX_BASE_DIRECTORY_H

#include "base/mem.h"

/* A home: shard << 32 | slot, slot below 2^31, and this bit for an entity with a parent. */
static const uint64_t PHX_HOME_ATTACHED = UINT64_C(1) << 63;
/* No entity's home: the shard does not exist. */
static const uint64_t PHX_HOME_NONE = UINT64_MAX;

static inline uint64_t phx_home(uint32_t shard, uint32_t slot)
{
    return (uint64_t)shard << 32 | slot;
}

static inline uint32_t phx_home_shard(uint64_t home)
{
    return (uint32_t)(home >> 32) & 0xffff;
}

static inline uint32_t phx_home_slot(uint64_t home)
{
    return (uint32_t)home;
}

typedef struct phx_directory_bucket {
    uint32_t id;   /* its low half */
    uint32_t slot; /* and the top bit for an attached entity */
} phx_directory_bucket;

typedef struct phx_directory {
    phx_directory_bucket *buckets; /* never NULL: one line of empty ones before the first reserve */
    uint32_t *high;                /* of ids; NULL: all are 0. An id of 0 is an empty bucket's */
    uint16_t *shard;               /* NULL: all are 0 */
    uint32_t bucket_count;         /* a multiple of eight */
    uint32_t count;
    uint32_t limit;   /* entries that there is room for */
    bool several;     /* shards */
    phx_hash_key key; /* mem's */
    phx_mem *mem;
} phx_directory;

/* An empty one that holds no memory. */
void phx_directory_init(phx_directory *directory, phx_mem *mem, uint32_t shard_count);
/* Leaves it as after phx_directory_init(). */
void phx_directory_free(phx_directory *directory);

/* Room for this id to come in. The only call that allocates. false = no memory, unchanged. */
bool phx_directory_reserve(phx_directory *directory, uint64_t id);
/* id != 0, absent; room was reserved for it. */
void phx_directory_insert(phx_directory *directory, uint64_t id, uint64_t home);
/* It is there. */
void phx_directory_remove(phx_directory *directory, uint64_t id);

static inline uint32_t phx_directory_count(const phx_directory *directory)
{
    return directory->count;
}

/* The id in a bucket; 0 = it is empty. */
static inline uint64_t phx_directory_id(const phx_directory *directory, uint64_t i)
{
    uint64_t low = directory->buckets[i].id;
    return directory->high ? (uint64_t)directory->high[i] << 32 | low : low;
}

/* Where the search for this id begins. */
static inline uint64_t phx_directory_first(const phx_directory *directory, uint64_t id)
{
    return ((uint64_t)phx_hash_near(directory->key, id, 3) * directory->bucket_count >> 32) ^ (id & 7);
}

/* The next bucket of a search. */
static inline uint64_t phx_directory_after(const phx_directory *directory, uint64_t i)
{
    return PHX_UNLIKELY(i + 1 == directory->bucket_count) ? 0 : i + 1;
}

/* The id's bucket; `first` being where its search begins. bucket_count = it is absent. id 0 always is. */
static inline uint64_t phx_directory_bucket_from(const phx_directory *directory, uint64_t first, uint64_t id)
{
    for (uint64_t i = first;; i = phx_directory_after(directory, i)) {
        uint64_t there = phx_directory_id(directory, i);
        if (PHX_UNLIKELY(there == 0)) return directory->bucket_count;
        if (there == id) return i;
    }
}

/* As phx_directory_find(), `first` being where the id's search begins. */
static inline uint64_t phx_directory_find_from(const phx_directory *directory, uint64_t first, uint64_t id)
{
    uint64_t i = phx_directory_bucket_from(directory, first, id);
    if (PHX_UNLIKELY(i == directory->bucket_count)) return PHX_HOME_NONE;
    uint32_t slot = directory->buckets[i].slot;
    uint64_t home = phx_home(directory->shard ? directory->shard[i] : 0, slot & (UINT32_MAX >> 1));
    return slot >> 31 ? home | PHX_HOME_ATTACHED : home;
}

/* PHX_HOME_NONE = absent. */
static inline uint64_t phx_directory_find(const phx_directory *directory, uint64_t id)
{
    return phx_directory_find_from(directory, phx_directory_first(directory, id), id);
}

static inline bool phx_directory_has(const phx_directory *directory, uint64_t id)
{
    return phx_directory_find(directory, id) != PHX_HOME_NONE;
}

/* Some tens of nanoseconds before a find: brings its first lines near. Returns where the id's search begins. */
static inline uint64_t phx_directory_prefetch(const phx_directory *directory, uint64_t id)
{
    uint64_t first = phx_directory_first(directory, id);
    __builtin_prefetch(&directory->buckets[first]);
    if (directory->shard) __builtin_prefetch(&directory->shard[first]);
    if (directory->high) __builtin_prefetch(&directory->high[first]);
    return first;
}

/* Another home for an id that is there. Any thread, while no other one asks for this id, or sets it. */
void phx_directory_set(phx_directory *directory, uint64_t id, uint64_t home);

#endif
