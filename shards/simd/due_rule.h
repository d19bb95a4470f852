/*
 * The turns of a pair, in the rule of ph_update: in which ticks a band's period ends for it. Pure functions, in any
 * phase; included by the kernels of due updates and by publish/band_updates.c.
 */
#ifndef PHX_SHARDS_SIMD_DUE_RULE_H
#define PHX_SHARDS_SIMD_DUE_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum { PHX_BAND_PHASE_SHIFT = 16 };
static const uint32_t PHX_BAND_PHASE_FACTOR = 2654435769u; /* 2^32 divided by the golden ratio: all bits are mixed up */

/* The phase of a pair, by the hashes of its ids (publish/motion_history.h). */
static inline uint32_t phx_band_phase(uint32_t a, uint32_t b)
{
    return (a ^ b) * PHX_BAND_PHASE_FACTOR >> PHX_BAND_PHASE_SHIFT;
}

/* A number that finds multiples of a period: 2^32 / every, rounded up; 0 for 1. */
static inline uint32_t phx_band_share(uint32_t every)
{
    return UINT32_MAX / every + 1;
}

/*
 * Is n, below 2^17, a multiple of the period (up to 255)? n times the share is n / every in units of 2^-32, too large
 * by less than n units. The fraction of a multiple is less than the share, any other fraction is at least the share.
 */
static inline bool phx_band_multiple(uint32_t n, uint32_t share)
{
    return n * share <= share - 1;
}

#endif
