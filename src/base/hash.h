/*
 * Keyed hashing for tables whose keys come from outside: ids, positions, attributes. A world draws its key from
 * ph_world_def.hash_seed, so nobody outside knows which keys meet in a table, or which differences between keys make
 * them meet: every one is multiplied by a number that is secret. (A seed that is only added, or xored, before a
 * mixer that is known leaves those differences as they are.) One table is apart, the marks of changed cells of
 * `index = hash`: a collision there costs a look at one cell. Pure.
 */
#ifndef PHX_BASE_HASH_H
#define PHX_BASE_HASH_H

#include <stdint.h>

#include "base/rng.h"

typedef struct phx_hash_key {
    uint64_t near; /* odd: multiplies what differs among ids that share a run; see phx_hash_near() */
    uint64_t far;  /* odd: multiplies the numbers of runs, and whatever else */
} phx_hash_key;

/* What tools and tests have, that nobody outside feeds: the golden ratio, and splitmix64's first factor. */
static const phx_hash_key PHX_HASH_KEY_KNOWN = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u};

/* The key of a seed: any number. */
phx_hash_key phx_hash_key_of(uint64_t seed);

/* Ids of one run differ below this bit: as many as a world holds by default, so most worlds have one run alone. */
enum { PHX_HASH_RUN_BITS = 22 };

/*
 * Groups of 2^bits neighbours get one hash. Groups that follow each other in a run are spread nearly as evenly as by
 * multiples of the golden ratio (phx_hash_key_of() sees to that). Runs lie to each other as chance has it.
 */
static inline uint32_t phx_hash_near(phx_hash_key key, uint64_t id, uint32_t bits)
{
    uint64_t run = (id >> PHX_HASH_RUN_BITS) * key.far;
    run ^= run >> 32;
    return (uint32_t)(((id >> bits) + run) * key.near >> 32);
}

/* As chance has it. */
static inline uint64_t phx_hash_any(phx_hash_key key, uint64_t value)
{
    return phx_mix64(value * key.far);
}

#endif
