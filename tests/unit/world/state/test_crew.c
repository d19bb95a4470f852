/*
 * src/world/state/crew.c: one thread at a time has a crew's workers; a crew that can not be made leaves nothing behind.
 */
#include "unit/shards/shard_case.h"

#include "world/state/crew.h"

enum { WORKERS = 3 };

TestSuite(crew, .init = memory_set_up, .fini = memory_tear_down);

static void count_piece(void *counts, uint32_t worker, uint32_t piece)
{
    cr_assert_lt(worker, WORKERS);
    atomic_fetch_add(&((_Atomic uint32_t *)counts)[piece], 1);
}

Test(crew, a_second_thread_is_turned_away_until_the_first_gives_it_back)
{
    phx_crew *crew = phx_crew_create(watched_memory_allocator(&watched), WORKERS, (ph_task_hooks){0});
    cr_assert_not_null(crew);
    cr_assert_eq(crew->count, WORKERS);
    for (int round = 0; round < 3; round++) {
        cr_assert(phx_crew_acquire(crew));
        cr_assert_not(phx_crew_acquire(crew));
        cr_assert_not(phx_crew_acquire(crew), "a refused call took nothing");
        phx_crew_release(crew);
    }
    phx_crew_destroy(crew);
    cr_assert_eq(atomic_load(&watched.blocks), 0);
}

Test(crew, the_crew_of_one_world_is_counted_in_the_memory_of_the_world)
{
    phx_crew *crew = phx_crew_create_own(&memory, WORKERS, (ph_task_hooks){0});
    cr_assert_not_null(crew);
    cr_assert_gt(atomic_load(&memory.bytes), sizeof *crew, "its workers are counted too");
    cr_assert_eq(atomic_load(&memory.bytes), atomic_load(&watched.bytes));
    phx_crew_destroy(crew);
    cr_assert_eq(atomic_load(&memory.bytes), 0);
    phx_crew_destroy(NULL);
}

Test(crew, the_memory_of_a_shared_crew_is_no_worlds_memory)
{
    phx_crew *crew = phx_crew_create(watched_memory_allocator(&watched), 1, (ph_task_hooks){0});
    cr_assert_not_null(crew);
    cr_assert_eq(atomic_load(&memory.bytes), 0);
    phx_crew_destroy(crew);
}

Test(crew, without_memory_there_is_none_and_nothing_is_kept)
{
    uint64_t calls = 0;
    for (phx_crew *crew = NULL; !crew; calls++) {
        memory_for(calls);
        crew = phx_crew_create(watched_memory_allocator(&watched), WORKERS, (ph_task_hooks){0});
        if (!crew) cr_assert_eq(atomic_load(&watched.blocks), 0, "%zu calls", (size_t)calls);
        else phx_crew_destroy(crew);
    }
    cr_assert_gt(calls, 1);
}

Test(crew, its_workers_do_every_piece_once)
{
    enum { PIECES = 1000 };
    static _Atomic uint32_t done[PIECES];
    phx_crew *crew = phx_crew_create(watched_memory_allocator(&watched), WORKERS, (ph_task_hooks){0});
    cr_assert_not_null(crew);
    cr_assert(phx_crew_acquire(crew));
    phx_parallel_for(crew->workers, PIECES, count_piece, done);
    phx_crew_release(crew);
    for (uint32_t i = 0; i < PIECES; i++) cr_assert_eq(atomic_load(&done[i]), 1, "piece %u", i);
    phx_crew_destroy(crew);
}
