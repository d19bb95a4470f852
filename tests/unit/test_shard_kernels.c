/*
 * shards/kernels*.c: every instruction set that this machine has, against one row at a
 * time with every operation stored; and no store beyond what was promised.
 */
#include "unit/shard_case.h"

#include "base/simd.h"
#include "shards/kernels.h"

enum { ROWS = 200, GUARD = 0x5a5a5a5a };

/* Calls test for each instruction set there is; portable is always one. */
static void with_each(void (*test)(const phx_kernels *kernels, const char *name))
{
    static const struct {
        ph_simd simd;
        const char *name;
    } sets[] = {{PH_SIMD_PORTABLE, "portable"}, {PH_SIMD_AVX2, "avx2"}, {PH_SIMD_AVX512, "avx512"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (phx_simd_supported(sets[i].simd)) test(phx_kernels_of(sets[i].simd), sets[i].name);
}

static void order_some(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 29, id[PHX_ORDER_FEW];
    uint16_t kind[PHX_ORDER_FEW];
    uint32_t place[PHX_ORDER_FEW + 1];
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t count = 1 + round % PHX_ORDER_FEW, kinds = round % 3 ? 1 : 3;
        for (uint32_t i = 0; i < count; i++) {
            id[i] = phx_rng_below(&rng, 2) ? i + 1 : UINT64_MAX - i;
            kind[i] = (uint16_t)(phx_rng_below(&rng, 2) ? phx_rng_below(&rng, kinds) : UINT16_MAX - kinds);
        }
        place[count] = GUARD;
        kernels->order(id, kind, count, place);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < count; j++)
                before += kind[j] < kind[i] || (kind[j] == kind[i] && id[j] < id[i]);
            cr_assert_eq(place[i], before, "%s: %u of %u", name, i, count);
        }
        cr_assert_eq(place[count], GUARD, "%s: stored too far", name);
    }
}

Test(kernels, order_of_few)
{
    with_each(order_some);
}

static void find_all(const phx_kernels *kernels, const char *name)
{
    static uint32_t array[ROWS];
    uint64_t rng = 28;
    for (uint32_t count = 0; count <= ROWS; count++) { /* what stands behind the end is not to be found */
        for (uint32_t i = 0; i < ROWS; i++) array[i] = i < count ? 1000 + i : i == count ? 78 : 77;
        cr_assert_eq(kernels->find(array, count, 77), count, "%s: absent of %u", name, count);
        for (uint32_t at = 0; at < count; at++)
            cr_assert_eq(kernels->find(array, count, 1000 + at), at, "%s: %u of %u", name, at, count);
        if (count < 2) continue;
        uint32_t first = phx_rng_below(&rng, count), second = phx_rng_below(&rng, count);
        array[first] = array[second] = UINT32_MAX;
        cr_assert_eq(kernels->find(array, count, UINT32_MAX), first < second ? first : second, "the first of two");
    }
    cr_assert_eq(kernels->find(NULL, 0, 5), 0);
}

Test(kernels, finding_in_lists_of_any_length)
{
    with_each(find_all);
}

Test(kernels, what_is_chosen_is_supported)
{
    cr_assert(phx_simd_supported(PH_SIMD_PORTABLE));
    cr_assert_neq(phx_simd_choose(PH_SIMD_AUTO), PH_SIMD_AUTO);
    cr_assert(phx_simd_supported(phx_simd_choose(PH_SIMD_AUTO)));
    cr_assert_eq(phx_simd_choose(PH_SIMD_PORTABLE), PH_SIMD_PORTABLE);
}
