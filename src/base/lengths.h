/*
 * The bounds of a coordinate and a length, tested by their bits alone: the same whatever the host's floating-point
 * environment, and nothing traps. NaN and infinity are outside. Stateless.
 */
#ifndef PHX_BASE_LENGTHS_H
#define PHX_BASE_LENGTHS_H

#include <string.h>

#include <pharos/types.h>

static inline uint32_t phx_float_bits(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* |v| <= PH_COORDINATE_MAX */
static inline bool phx_is_coordinate(float v)
{
    return (phx_float_bits(v) & INT32_MAX) <= phx_float_bits(PH_COORDINATE_MAX);
}

/* 0 <= v <= PH_LENGTH_MAX; -0 is 0. */
static inline bool phx_is_length(float v)
{
    return phx_float_bits(v) <= phx_float_bits(PH_LENGTH_MAX) || phx_float_bits(v) == phx_float_bits(-0.0f);
}

/* Is a length not 0? One that the host's floating-point environment takes for 0, a denormal one, is not. */
static inline bool phx_is_long(float v)
{
    return (phx_float_bits(v) & INT32_MAX) != 0;
}

#endif
