/*
 * How a world's hash key follows from its seed; see hash.h.
 */
#include "base/hash.h"

/*
 * key.near / 2^64 is a number with a continued fraction that begins with terms of 1 to TERM_MOST. So it is far from
 * every fraction with a denominator below DENOMINATOR. For the same reason multiples of the golden ratio (all terms
 * are 1) spread evenly (Knuth, vol. 3, 6.4). The terms are drawn, and so is the rest: some 48 bits in all are secret.
 */
static uint64_t spreading(uint64_t *rng)
{
    enum { TERM_MOST = 3, DENOMINATOR = 1 << 20 };
    __extension__ typedef unsigned __int128 wide;
    uint64_t p_before = 1, q_before = 0, p = 0, q = 1; /* the last two convergents, p / q */
    while (q < DENOMINATOR) {
        uint64_t term = 1 + phx_rng_below(rng, TERM_MOST), p_now = term * p + p_before, q_now = term * q + q_before;
        p_before = p;
        q_before = q;
        p = p_now;
        q = q_now;
    }
    uint64_t rest = (UINT64_C(1) << 32) + (uint32_t)(phx_rng_next(rng) >> 32); /* in 2^-32: from 1 to 2 */
    wide numerator = (wide)p * rest + ((wide)p_before << 32), denominator = (wide)q * rest + ((wide)q_before << 32);
    return (uint64_t)((numerator << 64) / denominator) | 1;
}

phx_hash_key phx_hash_key_of(uint64_t seed)
{
    phx_hash_key key = {.far = phx_rng_next(&seed) | 1};
    key.near = spreading(&seed);
    return key;
}
