/*
 * Choices of the features: by index and tick alone, so that a feature makes the same commands whatever runs beside it,
 * and the walks below stay as they are.
 */
#ifndef PHX_BENCH_FEATURE_CHOICES_H
#define PHX_BENCH_FEATURE_CHOICES_H

#include "base/rng.h"
#include "bench/base/scenario.h"

/* Uniform in [0, 1); `choice` separates the choices of one feature from another's. */
static inline float bench_chance(uint32_t choice, uint32_t index, uint64_t tick)
{
    uint64_t mixed = phx_mix64((uint64_t)index * 0x9e3779b97f4a7c15u ^ tick << 32 ^ choice);
    return (float)(mixed >> 40) * 0x1p-24f;
}

/* Anywhere in the world. */
static inline ph_position bench_chance_place(const bench_stream *stream, uint32_t choice, uint32_t index, uint64_t tick)
{
    const bench_area *world = &stream->world;
    return (ph_position){
        world->low[0] + (world->high[0] - world->low[0]) * bench_chance(choice, index, tick * 2),
        world->low[1] + (world->high[1] - world->low[1]) * bench_chance(choice, index, tick * 2 + 1),
        0,
    };
}

#endif
