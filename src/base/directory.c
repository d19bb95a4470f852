/*
 * The changing half of base/directory.h. Called by the owner only, except phx_directory_set().
 */
#include "base/directory.h"

#include <string.h>

enum {
    LINE = 8,          /* buckets of one cache line; their count is a multiple of it */
    BUCKETS_MIN = 128, /* 1 KiB: smaller is not worth the growing */
    LOAD_PART = 4,     /* at most 4 of 5 taken: a hit among scattered ids reads 3 buckets on average, a miss 13 */
    LOAD_WHOLE = 5,
    GROWTH = 8 /* at least an eighth more */
};

/* The buckets of a directory without memory. Shared and never written: such a directory has limit 0. */
static const phx_directory_bucket no_buckets[LINE];

static bool owns_memory(const phx_directory *directory)
{
    return directory->buckets != no_buckets;
}

void phx_directory_init(phx_directory *directory, phx_mem *mem, uint32_t shard_count)
{
    *directory = (phx_directory){.buckets = (phx_directory_bucket *)(uintptr_t)no_buckets,
                                 .bucket_count = LINE,
                                 .several = shard_count > 1,
                                 .key = mem->key,
                                 .mem = mem};
}

/* An array of a table's columns. */
static void *column(const phx_directory *directory, size_t item)
{
    return phx_alloc_zero(directory->mem, directory->bucket_count * item, PHX_CACHE_LINE);
}

static void release(const phx_directory *directory)
{
    size_t count = directory->bucket_count;
    if (!owns_memory(directory)) return;
    phx_free(directory->mem, directory->buckets, count * sizeof *directory->buckets, PHX_CACHE_LINE);
    phx_free(directory->mem, directory->high, count * sizeof *directory->high, PHX_CACHE_LINE);
    phx_free(directory->mem, directory->shard, count * sizeof *directory->shard, PHX_CACHE_LINE);
}

void phx_directory_free(phx_directory *directory)
{
    release(directory);
    phx_directory_init(directory, directory->mem, directory->several ? 2 : 1);
}

static void write_home(phx_directory *directory, uint64_t i, uint64_t home)
{
    uint32_t attached = home & PHX_HOME_ATTACHED ? UINT32_C(1) << 31 : 0;
    PHX_ASSERT(phx_home_slot(home) >> 31 == 0);
    PHX_ASSERT(directory->several || phx_home_shard(home) == 0);
    directory->buckets[i].slot = phx_home_slot(home) | attached;
    if (directory->shard) directory->shard[i] = (uint16_t)phx_home_shard(home);
}

/* The id is absent and a bucket is free. */
static uint64_t place(phx_directory *directory, uint64_t id)
{
    uint64_t i = phx_directory_first(directory, id);
    for (uint64_t there; (there = phx_directory_id(directory, i)) != 0; i = phx_directory_after(directory, i))
        PHX_ASSERT(there != id);
    directory->buckets[i].id = (uint32_t)id;
    if (directory->high) directory->high[i] = (uint32_t)(id >> 32);
    return i;
}

/* The bucket count for `count` entries, of a table that has `buckets` now. */
static uint64_t grown(uint64_t buckets, uint32_t count)
{
    uint64_t needed = ((uint64_t)count * LOAD_WHOLE + LOAD_PART - 1) / LOAD_PART, wanted = buckets + buckets / GROWTH;
    if (wanted < BUCKETS_MIN) wanted = BUCKETS_MIN;
    if (wanted < needed) wanted = needed;
    return (wanted + LINE - 1) / LINE * LINE;
}

/* A table for `count`, and the entries of the old one in it. false = no memory. */
static bool grow(phx_directory *directory, uint32_t count, bool high)
{
    const phx_directory old = *directory;
    uint64_t buckets = grown(owns_memory(&old) ? old.bucket_count : 0, count);
    if (buckets > UINT32_MAX) return false;
    phx_directory next = {.bucket_count = (uint32_t)buckets,
                          .limit = (uint32_t)(buckets / LOAD_WHOLE * LOAD_PART),
                          .count = old.count,
                          .several = old.several,
                          .key = old.key,
                          .mem = old.mem};
    next.buckets = column(&next, sizeof *next.buckets);
    next.high = high ? column(&next, sizeof *next.high) : NULL;
    next.shard = next.several ? column(&next, sizeof *next.shard) : NULL;
    if (!next.buckets || (high && !next.high) || (next.several && !next.shard)) {
        release(&next);
        return false;
    }
    for (uint64_t i = 0; i < old.bucket_count; i++) {
        uint64_t id = phx_directory_id(&old, i);
        if (id == 0) continue;
        uint64_t to = place(&next, id);
        next.buckets[to].slot = old.buckets[i].slot;
        if (next.shard) next.shard[to] = old.shard[i];
    }
    release(&old);
    *directory = next;
    return true;
}

bool phx_directory_reserve(phx_directory *directory, uint64_t id)
{
    bool high = directory->high || id > UINT32_MAX;
    if (PHX_UNLIKELY(directory->count == directory->limit)) return grow(directory, directory->count + 1, high);
    if (PHX_LIKELY(!high || directory->high)) return true;
    directory->high = column(directory, sizeof *directory->high);
    return directory->high != NULL;
}

void phx_directory_insert(phx_directory *directory, uint64_t id, uint64_t home)
{
    PHX_ASSERT(id != 0);
    PHX_ASSERT(directory->count < directory->limit);
    PHX_ASSERT(directory->high || id <= UINT32_MAX);
    write_home(directory, place(directory, id), home);
    directory->count++;
}

void phx_directory_set(phx_directory *directory, uint64_t id, uint64_t home)
{
    uint64_t i = phx_directory_bucket_from(directory, phx_directory_first(directory, id), id);
    PHX_ASSERT(i < directory->bucket_count);
    write_home(directory, i, home);
}

/* Copies everything that a bucket holds to another bucket. */
static void copy(phx_directory *directory, uint64_t to, uint64_t from)
{
    directory->buckets[to] = directory->buckets[from];
    if (directory->high) directory->high[to] = directory->high[from];
    if (directory->shard) directory->shard[to] = directory->shard[from];
}

/* How far it is to a bucket, around the end of the table. */
static uint64_t steps(const phx_directory *directory, uint64_t from, uint64_t to)
{
    return to >= from ? to - from : to + directory->bucket_count - from;
}

/*
 * The hole is closed: each following entry of the run that stands at least as far from where its search
 * begins as from the hole moves there and leaves the next hole.
 */
void phx_directory_remove(phx_directory *directory, uint64_t id)
{
    uint64_t hole = phx_directory_bucket_from(directory, phx_directory_first(directory, id), id), there;
    PHX_ASSERT(hole < directory->bucket_count);
    for (uint64_t i = phx_directory_after(directory, hole); (there = phx_directory_id(directory, i)) != 0;
         i = phx_directory_after(directory, i)) {
        if (steps(directory, phx_directory_first(directory, there), i) < steps(directory, hole, i)) continue;
        copy(directory, hole, i);
        hole = i;
    }
    directory->buckets[hole] = (phx_directory_bucket){0};
    if (directory->high) directory->high[hole] = 0;
    if (directory->shard) directory->shard[hole] = 0;
    directory->count--;
}
