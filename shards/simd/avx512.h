/*
 * The set of kernels for AVX-512: a table. Chosen by dispatch.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_SIMD_AVX512_H
#define PHX_SHARDS_SIMD_AVX512_H

#include "shards/simd/kernels.h"

extern const phx_kernels phx_kernels_avx512;

#endif
