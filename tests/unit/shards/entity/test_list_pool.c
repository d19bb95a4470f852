/*
 * shards/entity/list_pool.c: size classes, blocks that come back, and that no two lists ever share
 * an entry.
 */
#include "unit/shards/shard_case.h"

#include "shards/entity/list_pool.h"

static phx_list_pool pool;

static void set_up(void)
{
    memory_set_up();
    phx_list_pool_init(&pool);
}

static void tear_down(void)
{
    phx_list_pool_free(&pool, &memory);
    memory_tear_down();
}

TestSuite(lists, .init = set_up, .fini = tear_down);

static phx_list made(uint32_t count)
{
    phx_list list = phx_list_empty();
    cr_assert(phx_list_reserve(&pool, &memory, &list, count));
    return list;
}

Test(lists, an_empty_one_takes_nothing)
{
    phx_list list = phx_list_empty();
    cr_assert_eq(phx_list_capacity(&pool, &list), 0);
    cr_assert_eq(list.count, 0);
    cr_assert_not(list.derived);
    cr_assert(phx_list_reserve(&pool, &memory, &list, 0));
    phx_list_release(&pool, &list);
    cr_assert_eq(pool.used, 0);
    cr_assert_eq(atomic_load(&watched.calls), 0);
}

Test(lists, sizes_double_from_four)
{
    uint32_t used = 0;
    for (uint32_t count = 1; count <= PHX_LIST_SMALL_MAX; count = count * 5 / 4 + 1) {
        uint32_t size = 4;
        while (size < count) size *= 2;
        phx_list list = made(count);
        cr_assert_eq(phx_list_capacity(&pool, &list), size, "%u entries", count);
        cr_assert_eq(list.block * PHX_LIST_LEAST, used);
        used += size;
        cr_assert_eq(pool.used, used);
    }
    cr_assert_geq(pool.capacity, used);
}

Test(lists, a_list_that_fits_stays_where_it_is)
{
    phx_list list = made(5);
    uint32_t block = list.block;
    list.derived = true;
    for (uint32_t count = 0; count <= 8; count++) cr_assert(phx_list_reserve(&pool, &memory, &list, count));
    cr_assert_eq(list.block, block);
    cr_assert_eq(pool.used, 8);
    cr_assert(list.derived);
}

Test(lists, a_block_that_went_back_is_the_next_of_its_size)
{
    phx_list a = made(8), b = made(8), c = made(16);
    uint32_t first = a.block, second = b.block, used = pool.used;
    a.count = 3;
    phx_list_release(&pool, &a);
    phx_list_release(&pool, &b);
    cr_assert_eq(a.count, 0);
    cr_assert_eq(a.size_class, PHX_LIST_NONE);
    cr_assert_eq(pool.free_entries, 16);
    phx_list d = made(6), e = made(7), f = made(16);
    cr_assert_eq(d.block, second);
    cr_assert_eq(e.block, first);
    cr_assert_eq(f.block * PHX_LIST_LEAST, used, "another size has its own free blocks");
    cr_assert_eq(pool.free_entries, 0);
    cr_assert_neq(c.block, f.block);
}

Test(lists, growing_gives_the_old_block_back)
{
    phx_list list = made(4);
    uint32_t first = list.block;
    list.count = 4;
    cr_assert(phx_list_reserve(&pool, &memory, &list, 5));
    cr_assert_eq(phx_list_capacity(&pool, &list), 8);
    cr_assert_neq(list.block, first);
    cr_assert_eq(pool.free_entries, 4);
    phx_list other = made(1);
    cr_assert_eq(other.block, first);
}

Test(lists, without_memory_nothing_changes)
{
    phx_list list = made(4);
    while (pool.used < pool.capacity) (void)made(4);
    uint32_t *entries = phx_list_entries(&pool, &list);
    for (uint32_t i = 0; i < 4; i++) entries[i] = 70 + i;
    list.count = 4;
    phx_list before = list;
    phx_list_pool pool_before = pool;
    memory_for(0);
    cr_assert_not(phx_list_reserve(&pool, &memory, &list, 9));
    memory_enough();
    cr_assert_arr_eq(&list, &before, sizeof list);
    cr_assert_arr_eq(&pool, &pool_before, sizeof pool);
    for (uint32_t i = 0; i < 4; i++) cr_assert_eq(phx_list_entries(&pool, &list)[i], 70 + i);
    cr_assert(phx_list_reserve(&pool, &memory, &list, 9));
}

Test(lists, a_long_one_has_memory_of_its_own_hardly_more_than_it_needs)
{
    phx_list list = made(PHX_LIST_SMALL_MAX), other = made(4);
    uint32_t used = pool.used, block = other.block;
    for (uint32_t count = PHX_LIST_SMALL_MAX + 1; count < 100000; count = count * 5 / 4) {
        cr_assert(phx_list_reserve(&pool, &memory, &list, count));
        uint32_t room = phx_list_capacity(&pool, &list);
        cr_assert(room >= count && room <= count + count / 8 + 1024, "%u for %u entries", room, count);
        phx_list_set_count(&pool, &list, count);
        for (uint32_t i = 0; i < count; i++) phx_list_entries(&pool, &list)[i] = i;
    }
    cr_assert_eq(pool.used, used, "nothing of it is in the pool");
    cr_assert_eq(pool.free_entries, PHX_LIST_SMALL_MAX, "its first block went back");
    phx_list_release(&pool, &list);
    cr_assert_eq(list.size_class, PHX_LIST_NONE);
    uint64_t held = atomic_load(&memory.bytes);
    phx_list again = made(5000);
    cr_assert_eq(pool.large_count, 1, "its place is taken again");
    phx_list_release(&pool, &again);
    cr_assert_eq(atomic_load(&memory.bytes), held, "its memory went back at once");
    cr_assert_eq(other.block, block);
}

Test(lists, widening_needs_no_pool)
{
    phx_list small = made(5), large = made(3000);
    phx_list_pool before = pool;
    uint64_t calls = atomic_load(&watched.calls);
    cr_assert(phx_list_widen(&pool, &small, 8));
    cr_assert_not(phx_list_widen(&pool, &small, 9));
    cr_assert_eq(atomic_load(&watched.calls), calls);
    cr_assert(phx_list_widen(&pool, &large, 10000));
    cr_assert_geq(phx_list_capacity(&pool, &large), 10000);
    cr_assert_arr_eq(&pool, &before, sizeof pool);
    memory_for(0);
    cr_assert_not(phx_list_widen(&pool, &large, 20000));
    cr_assert_not(phx_list_reserve(&pool, &memory, &large, 20000));
    memory_enough();
    cr_assert_geq(phx_list_capacity(&pool, &large), 10000);
}

Test(lists, more_than_can_be_counted_is_no_memory)
{
    phx_list list = made(4), before = list;
    cr_assert_not(phx_list_reserve(&pool, &memory, &list, PHX_LIST_COUNT_MAX + 1));
    cr_assert_arr_eq(&list, &before, sizeof list);
}

Test(lists, none_ever_overwrites_another)
{
    enum { LISTS = 200, ROUNDS = 30000 };
    static phx_list lists[LISTS];
    uint64_t rng = 3, room = 0;
    for (uint32_t i = 0; i < LISTS; i++) lists[i] = phx_list_empty();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t i = phx_rng_below(&rng, LISTS);
        phx_list *list = &lists[i];
        for (uint32_t k = 0; k < list->count; k++)
            cr_assert_eq(phx_list_entries(&pool, list)[k], i << 16 | k, "round %u", round);
        room -= phx_list_capacity(&pool, list);
        if (phx_rng_below(&rng, 3) == 0) phx_list_release(&pool, list);
        uint32_t count = phx_rng_below(&rng, 1u << phx_rng_below(&rng, 9));
        cr_assert(phx_list_reserve(&pool, &memory, list, count));
        phx_list_set_count(&pool, list, count);
        for (uint32_t k = 0; k < count; k++) phx_list_entries(&pool, list)[k] = i << 16 | k;
        room += phx_list_capacity(&pool, list);
        cr_assert_eq(pool.free_entries + room, pool.used, "no entry is lost or counted twice");
    }
    cr_assert_lt(pool.used, LISTS * 512u * 2u, "free blocks are used again");
}

/* A crowd's lists, then short ones in long blocks. */
Test(lists, short_lists_of_a_large_pool_move_to_less_memory)
{
    enum { LISTS = 300, LONG = 500, SHORT = 9, TICKS = 32 };
    static phx_list lists[LISTS];
    phx_list_pool next;
    uint64_t room = 0;
    for (uint32_t i = 0; i < LISTS; i++) {
        lists[i] = made(LONG);
        phx_list_set_count(&pool, &lists[i], i % 4 == 0 ? 0 : SHORT);
        for (uint32_t k = 0; k < lists[i].count; k++) phx_list_entries(&pool, &lists[i])[k] = i << 16 | k;
        room += phx_list_pool_room(&lists[i]);
    }
    for (uint32_t tick = 1; tick < TICKS; tick++) cr_assert_not(phx_list_pool_asks(&pool), "tick %u", tick);
    cr_assert(phx_list_pool_asks(&pool));
    cr_assert_not(phx_list_pool_is_spare(&pool, &memory, pool.capacity / 4 + 1, &next));
    watched_memory_fail_after(&watched, 0);
    cr_assert_not(phx_list_pool_is_spare(&pool, &memory, room, &next), "no memory: all stays");
    watched_memory_fail_after(&watched, UINT64_MAX);
    cr_assert(phx_list_pool_is_spare(&pool, &memory, room, &next));
    for (uint32_t i = 0; i < LISTS; i++) phx_list_pool_move(&pool, &next, &lists[i]);
    phx_list_pool_replace(&pool, &memory, &next);
    cr_assert_eq(pool.used, room);
    cr_assert_eq(room, (LISTS - LISTS / 4) * 16u);
    for (uint32_t i = 0; i < LISTS; i++) {
        cr_assert_eq(phx_list_capacity(&pool, &lists[i]), i % 4 == 0 ? 0 : 16);
        for (uint32_t k = 0; k < lists[i].count; k++)
            cr_assert_eq(phx_list_entries(&pool, &lists[i])[k], i << 16 | k, "list %u", i);
    }
    phx_list more = made(LONG);
    phx_list_release(&pool, &more);
    cr_assert_not(phx_list_pool_asks(&pool), "a small pool is not asked");
}
