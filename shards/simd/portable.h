/*
 * The set of kernels in plain C: a table. Chosen by dispatch.h. A constant, read in any phase.
 */
#ifndef PHX_SHARDS_SIMD_PORTABLE_H
#define PHX_SHARDS_SIMD_PORTABLE_H

#include "shards/simd/kernels.h"

extern const phx_kernels phx_kernels_portable;

#endif
