/*
 * Sets of places of an observer batch (recipients.h): a bit a place. Pure; used in the publish phase.
 */
#ifndef PHX_SHARDS_PUBLISH_PLACE_SET_H
#define PHX_SHARDS_PUBLISH_PLACE_SET_H

#include "base/core.h"

enum { PHX_BATCH_PLACES_MAX = 256, PHX_PLACE_WORDS = PHX_BATCH_PLACES_MAX / 64 };

typedef struct phx_place_set {
    uint64_t word[PHX_PLACE_WORDS];
} phx_place_set;

static inline void phx_place_set_add(phx_place_set *set, uint32_t place)
{
    set->word[place / 64] |= 1ull << (place % 64);
}

static inline bool phx_place_set_has(const phx_place_set *set, uint32_t place)
{
    return set->word[place / 64] >> (place % 64) & 1;
}

static inline bool phx_place_set_is_empty(const phx_place_set *set)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < PHX_PLACE_WORDS; w++) any |= set->word[w];
    return any == 0;
}

static inline uint32_t phx_place_set_count(const phx_place_set *set)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < PHX_PLACE_WORDS; w++) count += (uint32_t)__builtin_popcountll(set->word[w]);
    return count;
}

/* Adds the places [first, end), at least one. */
static inline void phx_place_set_add_span(phx_place_set *set, uint32_t first, uint32_t end)
{
    const uint32_t first_word = first / 64, last_word = (end - 1) / 64;
    PHX_ASSERT(first < end && end <= PHX_BATCH_PLACES_MAX);
    for (uint32_t w = first_word; w <= last_word; w++) {
        const uint64_t from = w == first_word ? ~0ull << (first % 64) : ~0ull;
        const uint64_t until = w == last_word ? ~0ull >> (63 - (end - 1) % 64) : ~0ull;
        set->word[w] |= from & until;
    }
}

#endif
