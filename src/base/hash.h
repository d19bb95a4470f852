/*
 * Keyed hashing for tables with keys from outside: ids, positions, attributes. A world draws its key from
 * ph_world_def.hash_seed, so no client knows which keys collide in a table, or which differences between keys make
 * them collide: every key is multiplied by a secret number. (A seed that is only added, or xored, before a
 * known mixer keeps such differences.) One table has no key, the marks of changed cells of
 * `index = hash`: a collision there costs a test of one cell. Pure.
 */
#ifndef PHX_BASE_HASH_H
#define PHX_BASE_HASH_H

#include <stdint.h>

#include "base/rng.h"

typedef struct phx_hash_key {
    uint64_t near; /* odd: multiplies the part in which ids of one run differ; see phx_hash_near() */
    uint64_t far;  /* odd: multiplies the numbers of runs, and all other keys */
} phx_hash_key;

/* The key of tools and tests, which take no ids from clients: the golden ratio, and splitmix64's first factor. */
static const phx_hash_key PHX_HASH_KEY_KNOWN = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u};

/* The key of a seed: any number. */
phx_hash_key phx_hash_key_of(uint64_t seed);

/* Ids of one run differ below this bit: as many as a world holds by default, so most worlds have one run alone. */
enum { PHX_HASH_RUN_BITS = 22 };

/*
 * Groups of 2^bits neighbours get one hash. Groups that follow each other in a run are spread nearly as evenly as by
 * multiples of the golden ratio (phx_hash_key_of() ensures that). Runs lie to each other as chance has it.
 */
static inline uint32_t phx_hash_near(phx_hash_key key, uint64_t id, uint32_t bits)
{
    uint64_t run = (id >> PHX_HASH_RUN_BITS) * key.far;
    run ^= run >> 32;
    return (uint32_t)(((id >> bits) + run) * key.near >> 32);
}

/* Spread as by chance. */
static inline uint64_t phx_hash_any(phx_hash_key key, uint64_t value)
{
    return phx_mix64(value * key.far);
}

/* The same for a key of two parts: one factor for both would let a client choose parts with the same sum. */
static inline uint64_t phx_hash_both(phx_hash_key key, uint64_t first, uint64_t second)
{
    return phx_mix64(first * key.far + second * key.near);
}

#endif
