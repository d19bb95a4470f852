/*
 * shards/query/find.h: the first ones of an order in an array of any room, whatever comes in whatever order.
 */
#include "unit/shards/shard_case.h"

#include "shards/query/find.h"
#include "shards/simd/dispatch.h"

enum { MOST = 2000 };

static int by_id(const void *a, const void *b)
{
    const ph_hit *l = a, *r = b;
    return l->id < r->id ? -1 : l->id > r->id;
}

static int by_square(const void *a, const void *b)
{
    const ph_hit *l = a, *r = b;
    if (l->square != r->square) return l->square < r->square ? -1 : 1;
    return by_id(a, b);
}

/* Orders that quicksorts like, and orders that they do not. */
static uint64_t id_of(uint32_t pattern, uint32_t i, uint32_t count, uint64_t *rng)
{
    switch (pattern) {
    case 0:
        return 1 + i;
    case 1:
        return count - i;
    case 2:
        return 1 + (i % 2 ? i : count + i); /* two runs */
    case 3:
        return i < count / 2 ? 1 + 2 * i : 2 * (count - i); /* up and down */
    default:
        return phx_rng_next(rng);
    }
}

static void check(const phx_kernels *kernels, uint32_t count, uint32_t room, uint32_t pattern, bool squares,
                  uint64_t *rng)
{
    static ph_hit all[MOST], kept[MOST];
    phx_hits hits = {.at = kept, .room = room, .by_square = squares};
    for (uint32_t i = 0; i < count; i++) {
        all[i] = (ph_hit){.id = id_of(pattern, i, count, rng), .user_data = i, .square = (float)phx_rng_below(rng, 50)};
        phx_hits_add(&hits, all[i]);
    }
    phx_hits_sort(kernels, &hits);
    qsort(all, count, sizeof *all, squares ? by_square : by_id);
    cr_assert_eq(hits.count, count);
    cr_assert_eq(hits.kept, room < count ? room : count);
    for (uint32_t i = 0; i < hits.kept; i++)
        cr_assert(kept[i].id == all[i].id && kept[i].user_data == all[i].user_data, "pattern %u, %u of %u, room %u",
                  pattern, i, count, room);
}

static void check_counts(const phx_kernels *kernels)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 16, 17, 18, 40, 48, 49, 100, MOST};
    uint64_t rng = 1;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (uint32_t pattern = 0; pattern < 6; pattern++) {
            for (int squares = 0; squares < 2; squares++) {
                check(kernels, counts[c], MOST, pattern, squares, &rng);
                check(kernels, counts[c], counts[c], pattern, squares, &rng);
                check(kernels, counts[c], counts[c] / 2, pattern, squares, &rng);
            }
            check(kernels, counts[c], 1, pattern, pattern % 2 == 0, &rng);
            check(kernels, counts[c], 0, pattern, false, &rng);
        }
    }
}

Test(find, keeps_the_first)
{
    for (ph_simd simd = PH_SIMD_PORTABLE; simd <= PH_SIMD_AVX512; simd++)
        if (phx_simd_supported(simd)) check_counts(phx_kernels_of(simd));
}
