/*
 * The vector instructions of this machine. Asked once per world; the choice
 * decides only how fast the answer comes.
 */
#ifndef PHX_BASE_SIMD_H
#define PHX_BASE_SIMD_H

#include <pharos/types.h>

#include "base/core.h"

enum { PHX_KERNEL_PAD = 64 }; /* words that a kernel may write, or read and drop, beyond the last */

/* Can this machine run it? AUTO and PORTABLE always. AVX-512 without VBMI2, VNNI and VPOPCNTDQ is not used. */
static inline bool phx_simd_supported(ph_simd simd)
{
#if defined(__x86_64__)
    if (simd == PH_SIMD_AVX2) return __builtin_cpu_supports("avx2");
    if (simd == PH_SIMD_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vnni") &&
               __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("popcnt");
#endif
    return simd == PH_SIMD_AUTO || simd == PH_SIMD_PORTABLE;
}

/* The instruction set that AUTO stands for here. */
static inline ph_simd phx_simd_choose(ph_simd wanted)
{
    if (wanted != PH_SIMD_AUTO) return wanted;
    if (phx_simd_supported(PH_SIMD_AVX512)) return PH_SIMD_AVX512;
    return phx_simd_supported(PH_SIMD_AVX2) ? PH_SIMD_AVX2 : PH_SIMD_PORTABLE;
}

#endif
