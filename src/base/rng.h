/*
 * splitmix64: seeded numbers for tests, the bench and injected stalls; never for the
 * engine's results. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators" (OOPSLA 2014). Also the mixer behind the library's hash tables and hashes.
 */
#ifndef PHX_BASE_RNG_H
#define PHX_BASE_RNG_H

#include <stdint.h>

static inline uint64_t phx_mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t phx_rng_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return phx_mix64(*state);
}

/* Uniform in [0, bound), bound > 0; the bias (below bound / 2^32) does not matter here. */
static inline uint32_t phx_rng_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(((phx_rng_next(state) >> 32) * bound) >> 32);
}

/* Uniform in [0, 1) on a grid of 2^-24. */
static inline float phx_rng_unit(uint64_t *state)
{
    return (float)(phx_rng_next(state) >> 40) * 0x1p-24f;
}

#endif
