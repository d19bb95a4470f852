/*
 * shards/interest/rank_table.c: ranks of hits, by tables and, of a store with many attribute sets, by the
 * attributes of each hit, against the rule of one pair (phx_rank_of()).
 */
#include "unit/shards/shard_case.h"

#include "base/simd.h"
#include "shards/interest/rank_table.h"
#include "shards/simd/dispatch.h"

enum { HITS_MAX = 600, ROOM = HITS_MAX + PHX_KERNEL_PAD, OBSERVERS = 20, ROUNDS = 30 };

static phx_store store;
static phx_rank_tables tables;

static void set_up(void)
{
    memory_set_up();
    phx_store_init(&store, &memory);
    memset(&tables, 0, sizeof tables);
    phx_rank_tables_reset(&tables);
}

static void tear_down(void)
{
    phx_rank_tables_free(&tables, &memory);
    phx_store_free(&store, &memory);
    memory_tear_down();
}

TestSuite(rank_table, .init = set_up, .fini = tear_down);

static phx_attr any_attr(uint64_t *rng)
{
    phx_attr attr = plain_attr(0, 0);
    attr.layers = 1 + phx_rng_below(rng, 7);
    attr.sees = 1 + phx_rng_below(rng, 7);
    attr.stealth = (uint8_t)phx_rng_below(rng, 3);
    attr.detect = (uint8_t)phx_rng_below(rng, 3);
    attr.instance = phx_rng_below(rng, 2);
    attr.global = phx_rng_below(rng, 8) == 0;
    attr.priority = (uint8_t)phx_rng_below(rng, 256);
    attr.visible = phx_rng_below(rng, 2) ? PH_LENGTH_MAX : float_between(rng, 0, 10);
    return attr;
}

/* Entities, each with attributes of its own, all but every fourth one, which is common. */
static void add_entities(uint64_t *rng, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cr_assert(phx_store_reserve(&store, &memory, 1));
        const uint32_t slot = phx_store_add(&store, i + 1, PHX_SLOT_OWN);
        set_attr(&store, slot, i % 4 == 0 ? plain_attr(0, 0) : any_attr(rng));
    }
}

static bool is_common(uint32_t slot)
{
    return slot % 4 == 0; /* slots are dealt in order */
}

/* The rank of a hit, 0 = dropped. */
static uint16_t expected_rank(const phx_attr *observer, uint32_t slot, float square, bool bounded)
{
    const phx_attr *target = phx_store_attr(&store, slot);
    if (bounded && !(square <= target->visible * target->visible)) return 0;
    return phx_rank_of(observer, target);
}

static void check_hits(const phx_kernels *kernels, uint64_t *rng, const phx_attr *observer, bool mixed, bool bounded)
{
    uint32_t slots[ROOM], words[ROOM], n = 0;
    float squares[ROOM], kept_squares[ROOM];
    uint16_t ranks[ROOM];
    const uint32_t count = phx_rng_below(rng, HITS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        do slots[i] = phx_rng_below(rng, store.slots);
        while (!mixed && phx_store_attr(&store, slots[i])->instance != observer->instance);
        words[i] = phx_row_word_of(slots[i], !is_common(slots[i])).bits;
        squares[i] = kept_squares[i] = float_between(rng, 0, 150);
    }
    const phx_attr common = plain_attr(0, 0);
    phx_rank_columns hits = {words, squares, ranks, count, phx_rank_of(observer, &common), mixed, bounded, 0, 0};
    cr_assert(phx_rank_hits(&tables, &memory, kernels, &store, observer, &hits));
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t rank = expected_rank(observer, slots[i], kept_squares[i], bounded);
        if (rank == 0) continue;
        cr_assert(n < hits.count && words[n] == slots[i] && ranks[n] == rank && squares[n] == kept_squares[i],
                  "hit %u of %u, slot %u: rank %u, not %u", i, count, slots[i], ranks[n], rank);
        cr_assert_leq(rank, hits.top);
        cr_assert(rank > PHX_RANK_ALWAYS || rank <= hits.near_top);
        n++;
    }
    cr_assert_eq(n, hits.count);
}

static void check_rounds(const phx_kernels *kernels, uint64_t *rng)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        phx_rank_tables_reset(&tables);
        set_attr(&store, 1 + 4 * phx_rng_below(rng, store.slots / 4), any_attr(rng)); /* no common one */
        for (uint32_t i = 0; i < OBSERVERS; i++) {
            phx_attr observer = any_attr(rng);
            if (i % 2) observer.instance = 0;
            check_hits(kernels, rng, &observer, phx_rng_below(rng, 2), phx_rng_below(rng, 2));
        }
    }
}

Test(rank_table, ranks_are_of_the_rule_by_tables_and_by_attributes)
{
    const ph_simd all[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    uint64_t rng = 71;
    add_entities(&rng, 400);
    cr_assert_lt(store.sets.numbers, PHX_RANK_SETS_MAX_MIXED);
    for (uint32_t s = 0; s < 3; s++)
        if (phx_simd_supported(all[s])) check_rounds(phx_kernels_of(all[s]), &rng);
    phx_rank_tables_free(&tables, &memory);
    add_entities(&rng, 2000);
    cr_assert_gt(store.sets.numbers, PHX_RANK_SETS_MAX_MIXED);
    check_rounds(phx_kernels_of(PH_SIMD_PORTABLE), &rng);
    for (uint32_t i = 0; i < PHX_RANK_TABLES; i++)
        cr_assert_not(tables.table[i].mixed, "of one instance, so many sets");
    phx_rank_tables_free(&tables, &memory);
    add_entities(&rng, 9000);
    cr_assert_gt(store.sets.numbers, PHX_RANK_SETS_MAX);
    check_rounds(phx_kernels_of(PH_SIMD_PORTABLE), &rng);
    for (uint32_t i = 0; i < PHX_RANK_TABLES; i++) cr_assert_null(tables.table[i].rank, "no table of so many sets");
}

/* The highest rank is an instance's own, of a table that all instances share. */
Test(rank_table, each_instance_has_its_top)
{
    enum { INSTANCES = 40 };
    const phx_attr observer = plain_attr(10, 0);
    for (uint32_t i = 0; i < 2 * INSTANCES; i++) {
        phx_attr attr = plain_attr(0, 0);
        attr.instance = i / 2 * 1000003;
        attr.priority = (uint8_t)(i % 2 * (i / 2));
        attr.veiled = i / 2 == 5; /* not seen */
        cr_assert(phx_store_reserve(&store, &memory, 1));
        set_attr(&store, phx_store_add(&store, i + 1, PHX_SLOT_OWN), attr);
    }
    const phx_rank_table *table = phx_rank_table_of(&tables, &memory, &store, &observer, false);
    for (uint32_t i = 0; i < INSTANCES; i++)
        cr_assert_eq(phx_rank_top_of(table, i * 1000003), i == 5 ? 0 : 1 + i, "instance %u", i);
    cr_assert_eq(phx_rank_top_of(table, 7), 0, "nothing is there");
    phx_attr other = observer;
    other.instance = 1000003;
    cr_assert_eq(phx_rank_table_of(&tables, &memory, &store, &other, false), table);
}

/* Tables are kept side by side for observers that differ by stealth detected, or by instance. */
Test(rank_table, observers_that_see_differently_have_tables_of_their_own)
{
    phx_attr observer = plain_attr(10, 0);
    uint64_t rng = 72;
    add_entities(&rng, 50);
    for (int mixed = 0; mixed <= 1; mixed++) {
        phx_rank_tables_reset(&tables);
        for (uint32_t i = 0; i < PHX_RANK_TABLES; i++) {
            if (mixed) observer.instance = i;
            else observer.detect = (uint8_t)i;
            cr_assert(phx_rank_table_of(&tables, &memory, &store, &observer, mixed));
        }
        for (uint32_t i = 0; i < PHX_RANK_TABLES; i++)
            cr_assert_eq(tables.table[i].round, tables.round, "two share a place, and %u is left empty", i);
    }
}

Test(rank_table, without_memory_the_hits_are_as_they_were)
{
    const phx_attr observer = plain_attr(10, 0);
    uint64_t rng = 73;
    add_entities(&rng, 50);
    for (uint64_t calls = 0; calls < 3; calls++) {
        uint32_t words[ROOM] = {phx_row_word_of(1, true).bits, phx_row_word_of(0, false).bits};
        float squares[ROOM] = {1, 2};
        uint16_t ranks[ROOM] = {0};
        phx_rank_columns hits = {words, squares, ranks, 2, 1, false, false, 0, 0};
        memory_for(calls);
        cr_assert_not(phx_rank_hits(&tables, &memory, phx_kernels_of(PH_SIMD_PORTABLE), &store, &observer, &hits));
        memory_enough();
        cr_assert(hits.count == 2 && words[0] == phx_row_word_of(1, true).bits && squares[1] == 2);
        cr_assert(phx_rank_hits(&tables, &memory, phx_kernels_of(PH_SIMD_PORTABLE), &store, &observer, &hits));
        phx_rank_tables_free(&tables, &memory);
    }
}
