/*
 * The kernel of places for AVX2, and for AVX-512, which has no better one; and the choice of a kernel. Called by
 * points.c at the end of a tick, by any worker.
 */
#ifndef PHX_WORLD_MONITOR_PLACES_AVX2_H
#define PHX_WORLD_MONITOR_PLACES_AVX2_H

#include "base/simd.h"
#include "world/monitor/places.h"

#if defined(__x86_64__)
uint32_t phx_places_avx2(const phx_places_of *of, const phx_body *bodies, phx_span slots, phx_places to);
#endif

static inline phx_places_kernel *phx_places_kernel_of(ph_simd simd)
{
#if defined(__x86_64__)
    if (simd != PH_SIMD_PORTABLE) return phx_places_avx2;
#endif
    (void)simd;
    return phx_places_portable;
}

#endif
