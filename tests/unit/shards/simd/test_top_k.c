/*
 * shards/simd/top_k.c: the best K of many and the order of events, against a full sort; the due targets of a tick
 * (publish/band_updates.h).
 */
#include "base/simd.h"
#include "unit/shards/shard_case.h"

#include <stdlib.h>

#include "shards/simd/dispatch.h"
#include "shards/simd/due_rule.h"
#include "shards/simd/top_k.h"

enum { MOST = 2000 };

static phx_ranked ranked[MOST], sorted_ranked[MOST];
static phx_sort_record items[MOST], spare[MOST], sorted_items[MOST];

/* SPEC section 3, cap: always-seen first, priority, distance, id. */
static int better_first(const void *left, const void *right)
{
    const phx_ranked *a = left, *b = right;
    if (a->first >> 8 != b->first >> 8) return a->first >> 8 ? -1 : 1;
    if ((a->first & 255) != (b->first & 255)) return (a->first & 255) > (b->first & 255) ? -1 : 1;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int by_id(const void *left, const void *right)
{
    const phx_ranked *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* `values` of each part of the key: 1 = all are equal, and the id decides. */
static void check_best(uint64_t *rng, uint32_t count, uint32_t keep, uint32_t values)
{
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = (phx_ranked){.id = i * 7919u % 65521u,
                                 .key = phx_rng_below(rng, 20) == 0 ? INFINITY : phx_rng_below(rng, values) * 0.5,
                                 .slot = i,
                                 .first = phx_rng_below(rng, values < 2 ? values : 2) << 8 |
                                          phx_rng_below(rng, values < 256 ? values : 256)};
    memcpy(sorted_ranked, ranked, count * sizeof *ranked);
    qsort(sorted_ranked, count, sizeof *ranked, better_first);
    qsort(sorted_ranked, keep, sizeof *ranked, by_id);
    qsort(sorted_ranked + keep, count - keep, sizeof *ranked, by_id);
    phx_rank_best(ranked, count, keep);
    qsort(ranked, keep, sizeof *ranked, by_id);
    qsort(ranked + keep, count - keep, sizeof *ranked, by_id);
    cr_assert_arr_eq(ranked, sorted_ranked, count * sizeof *ranked, "%u of %u", keep, count);
}

Test(top_k, the_best_few_are_those_of_a_full_sort)
{
    uint64_t rng = 14;
    static const uint32_t values[] = {1, 2, 5, 1000};
    for (uint32_t count = 2; count <= 40; count++)
        for (uint32_t keep = 1; keep < count; keep++) check_best(&rng, count, keep, values[(count + keep) % 4]);
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t count = 2 + phx_rng_below(&rng, MOST - 1), keep = 1 + phx_rng_below(&rng, count - 1);
        check_best(&rng, count, keep, values[i % 4]);
    }
    check_best(&rng, MOST, 1, 1000);
    check_best(&rng, MOST, MOST - 1, 1000);
}

Test(top_k, each_rule_comes_before_the_next)
{
    phx_ranked pair[2];
    static const phx_ranked better = {.id = 9, .key = 9, .first = 1 << 8};
    static const phx_ranked rows[] = {
        {.id = 1, .key = 1, .first = 255}, /* not always seen */
        {.id = 1, .key = 1, .first = 0},
        {.id = 1, .key = 9.5, .first = 1 << 8},
        {.id = 10, .key = 9, .first = 1 << 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int turn = 0; turn < 2; turn++) {
            pair[turn] = better;
            pair[1 - turn] = rows[i];
            phx_rank_best(pair, 2, 1);
            cr_assert_eq(pair[0].id, 9, "row %zu", i);
            cr_assert_eq(pair[1].id, rows[i].id, "the other one is still there");
        }
    }
}

Test(top_k, multiples_of_periods_agree_with_division)
{
    for (uint32_t every = 1; every <= PH_BAND_EVERY_MAX; every++) {
        uint32_t share = phx_band_share(every), wrong = 0;
        for (uint32_t n = 0; n < 1 << 17; n++) wrong += phx_band_multiple(n, share) != (n % every == 0);
        cr_assert_eq(wrong, 0, "of %u", every);
    }
}

static int event_order(const void *left, const void *right)
{
    const phx_sort_record *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Some of them in a row are in order, then some more, as towers give them. */
static void sort_runs(void *at, uint32_t count, size_t size, int (*order)(const void *, const void *), uint64_t *rng)
{
    for (uint32_t first = 0; first < count;) {
        uint32_t run = 1 + phx_rng_below(rng, count - first);
        qsort((char *)at + first * size, run, size, order);
        first += run;
    }
}

Test(top_k, events_are_ordered_by_kind_then_id)
{
    uint64_t rng = 15;
    for (uint32_t round = 0; round < 600; round++) {
        uint32_t count = round < 100 ? round : phx_rng_below(&rng, MOST + 1);
        uint32_t kinds = 1 + phx_rng_below(&rng, 1u << phx_rng_below(&rng, 12));
        for (uint32_t i = 0; i < count; i++) /* ids beyond 32 bit; each slot's own */
            items[i] = (phx_sort_record){.id = phx_rng_next(&rng) >> phx_rng_below(&rng, 56),
                                         .slot = i,
                                         .kind = (uint16_t)phx_rng_below(&rng, kinds)};
        for (uint32_t i = 0; i < count; i++) items[i].slot = (uint32_t)items[i].id; /* equal keys are one item here */
        if (round % 10 == 0) qsort(items, count, sizeof *items, event_order);
        if (round % 10 == 1) sort_runs(items, count, sizeof *items, event_order, &rng);
        memcpy(sorted_items, items, count * sizeof *items);
        qsort(sorted_items, count, sizeof *items, event_order);
        phx_order_many(items, spare, count);
        if (count > 0) cr_assert_arr_eq(items, sorted_items, count * sizeof *items, "%u items", count);
    }
}

static uint32_t count_up_to(const double *keys, uint32_t count, double limit)
{
    return phx_kernels_of(PH_SIMD_PORTABLE)->count_within(keys, count, limit);
}

/* Either the limit splits the keys, or the last of the best ones is between low and high. Returns the keys there. */
static uint32_t check_split(const double *keys, uint32_t count, uint32_t keep, const phx_split *split)
{
    const uint32_t to_high = count_up_to(keys, count, split->high);
    if (split->found) cr_assert_eq(count_up_to(keys, count, split->limit), keep, "%u of %u", keep, count);
    cr_assert_eq(count_up_to(keys, count, split->low), split->within, "%u of %u", keep, count);
    cr_assert(split->within < keep && to_high >= keep, "%u of %u: %u to %u", keep, count, split->within, to_high);
    return to_high - split->within;
}

/* Different keys, the greatest anywhere, of any number. */
Test(top_k, any_number_of_keys_is_split)
{
    static double keys[MOST + PHX_KERNEL_PAD];
    const phx_kernels *kernels = phx_kernels_of(PH_SIMD_PORTABLE);
    uint64_t rng = 18;
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t count = 2 + round % 40, keep = 1 + phx_rng_below(&rng, count - 1), from = phx_rng_below(&rng, count);
        const double most = 999.0 + count + (round % 3) * 500.0,
                     guess = phx_rng_unit(&rng) * (round % 2 ? 1100.0 : 0.0);
        const phx_split_bounds of = {.keep = keep, .most = most, .guess = guess};
        for (uint32_t i = 0; i < count; i++) keys[(from + i) % count] = 1000.0 + i;
        const phx_split split = phx_rank_split(kernels, keys, count, of);
        check_split(keys, count, keep, &split);
    }
}

/* Entities far outside the world are beyond the bound: all keys may be. */
Test(top_k, keys_beyond_the_bound_are_among_those_between)
{
    enum { COUNT = 40, KEEP = 25 };
    static double keys[COUNT + PHX_KERNEL_PAD];
    for (uint32_t within = 0; within < COUNT; within++) {
        for (uint32_t i = 0; i < COUNT; i++) keys[i] = i < within ? 1.0 + i : 1e9 + i;
        const phx_split split = phx_rank_split(phx_kernels_of(PH_SIMD_PORTABLE), keys, COUNT,
                                               (phx_split_bounds){.keep = KEEP, .most = 100.0});
        check_split(keys, COUNT, KEEP, &split);
    }
}

static uint32_t counts; /* of keys, since a split began */

static uint32_t count_within_counted(const double *all, uint32_t count, double limit)
{
    counts++;
    return phx_kernels_of(PH_SIMD_PORTABLE)->count_within(all, count, limit);
}

/*
 * How often the keys are counted in so many splits. Listed targets fill the middle of a view, so the others begin far
 * from it: keys lie far up, between the bounds.
 */
static uint32_t count_of_counts(bool guessed, uint32_t rounds)
{
    enum { COUNT = 500, SURE = 200, JOIN = 20 };
    static double keys[MOST + PHX_KERNEL_PAD];
    phx_kernels kernels = *phx_kernels_of(PH_SIMD_PORTABLE);
    uint64_t rng = 19;
    phx_split_bounds of = {.sure = SURE, .keep = SURE + JOIN, .most = 10000.0};
    kernels.count_within = count_within_counted;
    uint32_t unsplit = 0;
    counts = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < COUNT; i++) keys[i] = i < SURE ? PHX_KEY_SURE : 5000.0 + 5000.0 * phx_rng_unit(&rng);
        const phx_split split = phx_rank_split(&kernels, keys, COUNT, of);
        check_split(keys, COUNT, SURE + JOIN, &split);
        unsplit += !split.found;
        if (guessed) of.guess = split.limit;
    }
    cr_assert(unsplit <= rounds / 50, "%u of %u", unsplit, rounds);
    return counts;
}

Test(top_k, keys_far_from_both_bounds_are_split_soon)
{
    enum { ROUNDS = 1000 };
    const uint32_t alone = count_of_counts(false, ROUNDS), guessed = count_of_counts(true, ROUNDS);
    cr_assert(alone <= 12 * ROUNDS, "%u counts for %u splits", alone, ROUNDS);
    cr_assert(guessed <= 5 * ROUNDS, "%u counts for %u splits by a guess", guessed, ROUNDS);
}

/* As on tiles of a board, where many are equally far: the search ends soon, and not many more than those are left. */
Test(top_k, equal_keys_are_not_split)
{
    enum { ROUNDS = 500, COUNT = 2000, TILES = 13 };
    static double keys[COUNT + PHX_KERNEL_PAD];
    phx_kernels kernels = *phx_kernels_of(PH_SIMD_PORTABLE);
    uint64_t rng = 20;
    uint32_t between = 0, equal = 0;
    kernels.count_within = count_within_counted;
    counts = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t keep = 1 + phx_rng_below(&rng, COUNT - 1);
        uint32_t alike[2 * TILES * TILES] = {0}, square = 0; /* by square */
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t dx = phx_rng_below(&rng, TILES), dy = phx_rng_below(&rng, TILES);
            alike[dx * dx + dy * dy]++;
            keys[i] = dx * dx + dy * dy;
        }
        const phx_split split = phx_rank_split(&kernels, keys, COUNT, (phx_split_bounds){.keep = keep, .most = 400.0});
        between += check_split(keys, COUNT, keep, &split);
        for (uint32_t before = 0; before + alike[square] < keep; square++) before += alike[square];
        equal += alike[square];
    }
    cr_assert(counts <= 16 * ROUNDS, "%u counts", counts);
    cr_assert(between <= 4 * equal, "%u between, %u equal", between, equal);
}

static int word_order(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

Test(top_k, the_least_words_come_first)
{
    static uint64_t words[MOST], room[MOST], sorted_words[MOST];
    uint64_t rng = 16;
    for (uint32_t round = 0; round < 600; round++) {
        uint32_t count = round < 100 ? round : phx_rng_below(&rng, MOST + 1), bits = phx_rng_below(&rng, 64);
        for (uint32_t i = 0; i < count; i++) words[i] = phx_rng_next(&rng) >> bits;
        if (round % 4 == 1) sort_runs(words, count, sizeof *words, word_order, &rng);
        memcpy(sorted_words, words, count * sizeof *words);
        qsort(sorted_words, count, sizeof *words, word_order);
        phx_order_words(words, room, count, phx_merge_words);
        if (count > 0) cr_assert_arr_eq(words, sorted_words, count * sizeof *words, "%u words", count);
    }
}

Test(top_k, words_of_events_are_in_their_order)
{
    uint64_t rng = 17;
    for (uint32_t round = 0; round < 10000; round++) {
        uint32_t width = phx_rng_below(&rng, 32), kinds = 1 + phx_rng_below(&rng, 1u << phx_rng_below(&rng, 16));
        uint64_t high = phx_rng_next(&rng) << 32, mask = (UINT64_C(1) << width) - 1;
        uint64_t a = high | (phx_rng_next(&rng) & mask), b = high | (phx_rng_next(&rng) & mask);
        uint16_t ka = (uint16_t)phx_rng_below(&rng, kinds), kb = (uint16_t)phx_rng_below(&rng, kinds);
        uint32_t bits = phx_order_bits(a ^ b, (uint32_t)(ka ^ kb));
        if (bits == PHX_ORDER_NO_KEY) continue;
        bool before = phx_order_word(a, ka, bits, 7) < phx_order_word(b, kb, bits, 7);
        cr_assert_eq(before, phx_order_before(ka, a, kb, b), "%u bits", bits);
    }
}
