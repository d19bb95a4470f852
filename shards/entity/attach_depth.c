/*
 * Depths of attached entities; see attach_depth.h.
 */
#include "shards/entity/attach_depth.h"

#include <string.h>

_Static_assert(PH_ATTACH_DEPTH_MAX < 16, "a depth has four bits");

enum {
    FILTER_PART = 16,    /* bits for each entry that there is room for: one id of 16 passes by chance */
    FILTER_BITS_MIN = 10 /* 128 bytes, as a power of two */
};

static size_t filter_bytes(uint32_t shift)
{
    return ((size_t)1 << (64 - shift)) / 8;
}

static void free_filter(phx_depths *depths)
{
    phx_free(depths->of.mem, depths->filter, depths->filter ? filter_bytes(depths->filter_shift) : 0, PHX_CACHE_LINE);
    depths->filter = NULL;
}

void phx_depths_init(phx_depths *depths, phx_mem *mem)
{
    *depths = (phx_depths){0};
    phx_idmap_init(&depths->of, mem);
}

void phx_depths_free(phx_depths *depths)
{
    free_filter(depths);
    phx_idmap_free(&depths->of);
}

static void set_filter_bit(phx_depths *depths, uint64_t id)
{
    const uint64_t bit = phx_depths_bit(depths, id);
    depths->filter[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

/* Sets the bits of all ids in a filter that is empty. */
static void fill_filter(phx_depths *depths)
{
    for (uint64_t i = 0; i < phx_idmap_bucket_count(&depths->of); i++) {
        const uint64_t id = phx_idmap_bucket_at(&depths->of, i)->id;
        if (id != 0) set_filter_bit(depths, id);
    }
}

/* Makes the filter fit the map's room. false = no memory, unchanged. */
static bool fit_filter(phx_depths *depths)
{
    uint32_t shift = 64 - FILTER_BITS_MIN;
    while ((uint64_t)depths->of.limit * FILTER_PART >> (64 - shift)) shift--;
    if (depths->filter && depths->filter_shift <= shift) return true;
    uint64_t *filter = phx_alloc_zero(depths->of.mem, filter_bytes(shift), PHX_CACHE_LINE);
    if (!filter) return false;
    free_filter(depths);
    depths->filter = filter;
    depths->filter_shift = shift;
    fill_filter(depths);
    return true;
}

bool phx_depths_reserve(phx_depths *depths)
{
    return phx_idmap_reserve(&depths->of, phx_idmap_count(&depths->of) + 1) && fit_filter(depths);
}

void phx_depths_set(phx_depths *depths, uint64_t id, uint32_t depth)
{
    uint64_t *of = phx_idmap_find(&depths->of, id);
    PHX_ASSERT(depth <= PH_ATTACH_DEPTH_MAX);
    depths->changed = true;
    if (depth > depths->deepest) depths->deepest = depth;
    if (of) {
        *of = (*of & ~(uint64_t)15) | depth;
    } else if (depth > 0) {
        phx_idmap_insert(&depths->of, id, depth);
        set_filter_bit(depths, id);
    }
}

void phx_attach_depth_end_tick(phx_depths *depths)
{
    if (!depths->changed) return;
    depths->changed = false;
    depths->deepest = 0;
    for (uint64_t i = 0; i < phx_idmap_bucket_count(&depths->of);) {
        uint64_t id = phx_idmap_bucket_at(&depths->of, i)->id;
        uint64_t now = id != 0 ? phx_depths_now(depths, id) : 0;
        if (id != 0 && now == 0) {
            phx_idmap_remove(&depths->of, id); /* another entry may move into its bucket: the bucket is visited again */
            continue;
        }
        if (id != 0) *phx_idmap_find(&depths->of, id) = now << 4 | now;
        if (now > depths->deepest) depths->deepest = (uint32_t)now;
        i++;
    }
    if (!depths->filter) return;
    memset(depths->filter, 0, filter_bytes(depths->filter_shift));
    fill_filter(depths);
}
