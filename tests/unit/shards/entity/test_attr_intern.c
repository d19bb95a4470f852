/*
 * shards/entity/attr_intern.c: equal entities share one set, the last one ends it, and without memory nothing changes.
 */
#include "unit/shards/shard_case.h"

#include "shards/entity/attr_intern.h"

static phx_attr_sets sets;

static void set_up(void)
{
    memory_set_up();
    phx_attr_sets_init(&sets, &memory);
}

static void tear_down(void)
{
    phx_attr_sets_free(&sets, &memory);
    memory_tear_down();
}

TestSuite(attr_sets, .init = set_up, .fini = tear_down);

static uint32_t take(phx_attr attr)
{
    cr_assert(phx_attr_sets_reserve(&sets, &memory, 1));
    return phx_attr_sets_acquire(&sets, &attr);
}

static bool same(const phx_attr *a, phx_attr b)
{
    return memcmp(a, &b, sizeof b) == 0;
}

Test(attr_sets, set_0_is_there_and_stays)
{
    uint32_t zero = take((phx_attr){0});
    cr_assert_eq(zero, 0);
    phx_attr_sets_drop(&sets, zero);
    cr_assert_eq(phx_attr_sets_count(&sets), 1);
    cr_assert(same(&sets.attr[0], (phx_attr){0}));
}

Test(attr_sets, equal_attributes_share_one_set)
{
    uint32_t player = take(plain_attr(50, 5)), other = take(plain_attr(50, 5)), npc = take(plain_attr(0, 0));
    cr_assert_eq(player, other);
    cr_assert_neq(player, npc);
    cr_assert_eq(phx_attr_sets_count(&sets), 3);
    phx_attr_sets_drop(&sets, player);
    cr_assert(same(&sets.attr[other], plain_attr(50, 5)), "one has it still");
    phx_attr_sets_drop(&sets, other);
    cr_assert_eq(phx_attr_sets_count(&sets), 2);
    cr_assert_eq(take(plain_attr(7, 0)), player, "a free number is taken before a new one");
}

/* Any field that differs makes another set. */
Test(attr_sets, every_field_makes_a_difference)
{
    static const phx_attr different[] = {{.layers = 1},    {.sees = 1},     {.view = 1},       {.margin = 1},
                                         {.reach = 1},     {.cap = 1},      {.given = 1},      {.kind = 1},
                                         {.consumer = 1},  {.stealth = 1},  {.detect = 1},     {.priority = 1},
                                         {.global = true}, {.ready = true}, {.spreads = true}, {.visible = 1},
                                         {.veiled = true}, {.instance = 1}, {.banded = true}};
    enum { N = sizeof different / sizeof *different };
    uint32_t number[N];
    for (size_t i = 0; i < N; i++) number[i] = take(different[i]);
    cr_assert_eq(phx_attr_sets_count(&sets), N + 1);
    for (size_t i = 0; i < N; i++) cr_assert(same(&sets.attr[number[i]], different[i]));
}

/* Entities come, change and go; each has its given attributes, and there are as many sets as distinct ones. */
Test(attr_sets, random_lives_against_the_given_attributes)
{
    enum { ENTITIES = 300, KINDS = 40 };
    static uint32_t number[ENTITIES], users[KINDS];
    static uint16_t kind[ENTITIES];
    static bool has[ENTITIES];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t rng = seed;
        uint32_t most = 0;
        for (uint32_t step = 0; step < 4000; step++) {
            uint32_t i = phx_rng_below(&rng, ENTITIES), before = number[i];
            uint16_t next = (uint16_t)(1 + phx_rng_below(&rng, 1 + phx_rng_below(&rng, KINDS - 1)));
            bool had = has[i], goes = phx_rng_below(&rng, step < 2000 ? 4 : 2) == 0;
            if (!goes) {
                number[i] = take((phx_attr){.kind = next, .view = 5});
                users[next]++;
            }
            if (had) {
                phx_attr_sets_drop(&sets, before);
                users[kind[i]]--;
            }
            has[i] = !goes;
            kind[i] = next;
            uint32_t distinct = 1;
            for (uint32_t k = 0; k < KINDS; k++) distinct += users[k] > 0;
            cr_assert_eq(phx_attr_sets_count(&sets), distinct, "seed %u", (uint32_t)seed);
            if (sets.numbers > most) most = sets.numbers;
        }
        for (uint32_t i = 0; i < ENTITIES; i++)
            if (has[i]) cr_assert_eq(sets.attr[number[i]].kind, kind[i], "seed %u", (uint32_t)seed);
        cr_assert_leq(most, KINDS + 2, "numbers are taken again");
    }
}

/* All differ: found by hash, however many. */
Test(attr_sets, as_many_as_there_are_entities)
{
    enum { COUNT = 20000 };
    for (uint32_t i = 1; i <= COUNT; i++) cr_assert_eq(take((phx_attr){.cap = i}), i);
    for (uint32_t i = 1; i <= COUNT; i++) cr_assert_eq(take((phx_attr){.cap = i}), i);
    cr_assert_leq(atomic_load(&memory.bytes), COUNT * 120u, "%zu bytes", (size_t)atomic_load(&memory.bytes));
    for (uint32_t i = 1; i <= COUNT; i++) {
        phx_attr_sets_drop(&sets, i);
        phx_attr_sets_drop(&sets, i);
    }
    cr_assert_eq(phx_attr_sets_count(&sets), 1);
}

Test(attr_sets, a_failed_reserve_changes_nothing)
{
    memory_for(0);
    cr_assert_not(phx_attr_sets_reserve(&sets, &memory, 1));
    for (uint64_t calls = 1;; calls++) {
        memory_for(calls);
        if (phx_attr_sets_reserve(&sets, &memory, 1)) break;
        cr_assert_eq(sets.numbers, 0);
    }
    cr_assert_eq(take(plain_attr(50, 0)), 1);
    memory_for(0);
    cr_assert_not(phx_attr_sets_reserve(&sets, &memory, 1000));
    cr_assert_eq(phx_attr_sets_count(&sets), 2);
    cr_assert(same(&sets.attr[1], plain_attr(50, 0)));
    memory_enough();
}
