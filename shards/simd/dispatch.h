/*
 * The set of kernels for a set of instructions: chosen once for a world.
 */
#ifndef PHX_SHARDS_SIMD_DISPATCH_H
#define PHX_SHARDS_SIMD_DISPATCH_H

#include "shards/simd/kernels.h"

/* The kernels for what phx_simd_choose() gave. */
const phx_kernels *phx_kernels_of(ph_simd simd);

#endif
