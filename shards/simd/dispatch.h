/*
 * Dispatch: the kernels of an instruction set, chosen once for a world, when it is made. Pure; in any phase.
 */
#ifndef PHX_SHARDS_SIMD_DISPATCH_H
#define PHX_SHARDS_SIMD_DISPATCH_H

#include "shards/simd/kernels.h"

/* The kernels for the result of phx_simd_choose(). */
const phx_kernels *phx_kernels_of(ph_simd simd);

#endif
