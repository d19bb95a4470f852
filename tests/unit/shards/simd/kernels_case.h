/*
 * Shared by tests of the kernels: a test is run for every instruction set that this machine has, and checks
 * that no store went beyond the promised range.
 */
#ifndef PHX_TESTS_UNIT_KERNELS_CASE_H
#define PHX_TESTS_UNIT_KERNELS_CASE_H

#include "unit/shards/shard_case.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/simd/dispatch.h"
#include "shards/simd/kernels.h"

enum { ROWS = 200, GUARD = 0x5a5a5a5a };

/* Calls test for each instruction set there is; portable is always one. */
static inline void with_each(void (*test)(const phx_kernels *kernels, const char *name))
{
    static const struct {
        ph_simd simd;
        const char *name;
    } sets[] = {{PH_SIMD_PORTABLE, "portable"}, {PH_SIMD_AVX2, "avx2"}, {PH_SIMD_AVX512, "avx512"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (phx_simd_supported(sets[i].simd)) test(phx_kernels_of(sets[i].simd), sets[i].name);
}

static inline void guard(uint32_t *array, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) array[i] = GUARD;
}

/* Anything may be written up to the pad, and nothing beyond. */
static inline void check_guard(const uint32_t *array, uint32_t count, uint32_t end, const char *name)
{
    for (uint32_t i = count + PHX_KERNEL_PAD; i < end; i++) cr_assert_eq(array[i], GUARD, "%s: stored too far", name);
}

#endif
