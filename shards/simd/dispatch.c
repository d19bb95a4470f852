/*
 * The sets of kernels; see dispatch.h.
 */
#include "shards/simd/dispatch.h"

#include "shards/simd/avx2.h"
#include "shards/simd/avx512.h"
#include "shards/simd/portable.h"

const phx_kernels *phx_kernels_of(ph_simd simd)
{
#if defined(__x86_64__)
    if (simd == PH_SIMD_AVX512) return &phx_kernels_avx512;
    if (simd == PH_SIMD_AVX2) return &phx_kernels_avx2;
#endif
    PHX_ASSERT(simd == PH_SIMD_PORTABLE);
    return &phx_kernels_portable;
}
