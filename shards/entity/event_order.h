/*
 * The order of events in a change: by kind, then id. Few events are ordered by counting the smaller ones of each: no
 * branch depends on a comparison. Many are merged. Pure functions on the caller's arrays, called in any phase.
 */
#ifndef PHX_SHARDS_ENTITY_EVENT_ORDER_H
#define PHX_SHARDS_ENTITY_EVENT_ORDER_H

#include "base/core.h"

enum { PHX_ORDER_SHORT_MAX = 64 }; /* up to here counting is as fast as merging */

/* A record to sort. */
typedef struct phx_sort_record {
    uint64_t id;
    uint32_t slot;
    uint16_t kind;
    uint16_t reserved;
} phx_sort_record;

enum {
    PHX_ORDER_KEY_BITS = 31, /* one bit is left for records that go before all others */
    PHX_ORDER_NO_KEY = PHX_ORDER_KEY_BITS + 1,
    PHX_ORDER_SLOT_BITS = 32 /* of a word, below the key */
};

/* The number of bits up to the highest one that is set. */
static inline uint32_t phx_order_width(uint32_t bits)
{
    return bits ? 32 - (uint32_t)__builtin_clz(bits) : 0;
}

/*
 * ids, kinds: the bits in which any two differ (the lower ones, where hosts count entities up). Returns how many bits
 * of an id make a key with the bits of the kind in front, which halves the time of a comparison; PHX_ORDER_NO_KEY: too
 * many.
 */
static inline uint32_t phx_order_bits(uint64_t ids, uint32_t kinds)
{
    uint32_t of_id = ids ? 64 - (uint32_t)__builtin_clzll(ids) : 0;
    return of_id + phx_order_width(kinds) <= PHX_ORDER_KEY_BITS ? of_id : PHX_ORDER_NO_KEY;
}

/*
 * The key with so many bits; signed, as vectors compare: leaves come first. Bits outside of the key are the same for
 * all.
 */
static inline int32_t phx_order_key(uint64_t id, uint16_t kind, uint32_t bits, bool enter)
{
    uint64_t key = (uint64_t)kind << bits | (id & ((UINT64_C(1) << bits) - 1));
    return (int32_t)(((uint32_t)key & INT32_MAX) | (uint32_t)!enter << PHX_ORDER_KEY_BITS);
}

/* The key as a word, with its slot below. */
static inline uint64_t phx_order_word(uint64_t id, uint16_t kind, uint32_t bits, uint32_t slot)
{
    uint64_t key = (uint64_t)kind << bits | (id & ((UINT64_C(1) << bits) - 1));
    return key << PHX_ORDER_SLOT_BITS | slot;
}

/* Does (kind, id) come before the other? Two comparisons and no branch. */
static inline bool phx_order_before(uint16_t kind, uint64_t id, uint16_t other_kind, uint64_t other_id)
{
    return ((unsigned __int128)kind << 64 | id) < ((unsigned __int128)other_kind << 64 | other_id);
}

/* Orders by kind, then id. spare has room for `count`; the result is in `items`. */
void phx_order_many(phx_sort_record *items, phx_sort_record *spare, uint32_t count);
/* Merges two ordered runs into out. */
typedef void (*phx_merge)(const void *a, uint32_t a_count, const void *b, uint32_t b_count, void *out);
/* The same for words, the smallest first; they take half as much memory. merge: of words, as in simd/kernels.h. */
void phx_order_words(uint64_t *items, uint64_t *spare, uint32_t count, phx_merge merge);
/* Merges words, by any instruction set. */
void phx_merge_words(const void *a, uint32_t a_count, const void *b, uint32_t b_count, void *out);

#endif
