/*
 * The filter of depths, which keeps events of entities that are not attached away from the map. The order of events by
 * depth is tested in interest/test_event_naming.c.
 */
#include "unit/shards/shard_case.h"

#include "shards/entity/attach_depth.h"

TestSuite(attach_depth, .init = memory_set_up, .fini = memory_tear_down);

/* Ids that pass the filter, of `count` ids from `first` on. */
static uint32_t count_passed(const phx_depths *depths, uint64_t first, uint32_t count)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < count; i++) passed += phx_depths_may_have(depths, first + i);
    return passed;
}

Test(attach_depth, the_filter_passes_attached_entities_and_few_others)
{
    enum { ATTACHED = 30000, OTHERS = 100000, MOST = OTHERS / 10 };
    phx_depths depths;
    phx_depths_init(&depths, &memory);
    for (uint64_t id = 1; id <= ATTACHED; id++) {
        cr_assert(phx_depths_reserve(&depths));
        phx_depths_set(&depths, id, 1);
    }
    phx_attach_depth_end_tick(&depths);
    cr_assert_eq(count_passed(&depths, 1, ATTACHED), ATTACHED);
    const uint32_t others = count_passed(&depths, ATTACHED + 1, OTHERS);
    cr_assert_lt(others, MOST, "%u of %u others pass", others, OTHERS);
    for (uint64_t id = 1; id < ATTACHED; id++) phx_depths_set(&depths, id, 0);
    cr_assert_eq(count_passed(&depths, 1, ATTACHED), ATTACHED, "their leaves have a depth until the tick's end");
    phx_attach_depth_end_tick(&depths);
    cr_assert(phx_depths_may_have(&depths, ATTACHED));
    cr_assert_lt(count_passed(&depths, 1, ATTACHED - 1), 10, "bits of ids that are gone are cleared");
    phx_depths_free(&depths);
}

Test(attach_depth, a_reserve_without_memory_leaves_the_filter)
{
    enum { ATTACHED = 500 };
    phx_depths depths;
    phx_depths_init(&depths, &memory);
    for (uint64_t id = 1; id <= ATTACHED; id++) {
        for (uint32_t calls = 0;; calls++) { /* the map's allocation fails, then the filter's */
            memory_for(calls);
            if (phx_depths_reserve(&depths)) break;
            cr_assert_lt(calls, 2);
            cr_assert(!phx_depths_any(&depths) || count_passed(&depths, 1, (uint32_t)id - 1) == id - 1);
        }
        memory_for(UINT64_MAX);
        phx_depths_set(&depths, id, 1);
        cr_assert(phx_depths_may_have(&depths, id));
    }
    phx_depths_free(&depths);
}
