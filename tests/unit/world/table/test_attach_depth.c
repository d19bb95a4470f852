/*
 * Depths of attached entities: the order of events by depth against a stable sort of records, and the filter, which
 * keeps events of other entities away from the map.
 */
#include "unit/shards/shard_case.h"

#include "world/table/attach_depth.h"

TestSuite(attach_depth, .init = memory_set_up, .fini = memory_tear_down);

enum { EVENTS_MAX = 700, ENTITIES = 2000 };

/* Columns of events, each of which is made of the event's number. */
typedef struct columns {
    ph_target targets[EVENTS_MAX];
    uint32_t incarnations[EVENTS_MAX];
    uint16_t kinds[EVENTS_MAX];
    uint8_t causes[EVENTS_MAX];
    ph_position positions[EVENTS_MAX];
} columns;

static columns now;

static void write_event(uint32_t at, uint64_t id, uint32_t number)
{
    now.targets[at] = (ph_target){.id = id, .user_data = number};
    now.incarnations[at] = number * 3;
    now.kinds[at] = (uint16_t)(number * 5);
    now.causes[at] = (uint8_t)(number * 7);
    now.positions[at] = (ph_position){(float)number, (float)number + 1, (float)number + 2};
}

static void check_event(uint32_t at, uint64_t id, uint32_t number, bool positioned)
{
    cr_assert_eq(now.targets[at].id, id, "place %u", at);
    cr_assert_eq(now.targets[at].user_data, number);
    cr_assert_eq(now.incarnations[at], number * 3);
    cr_assert_eq(now.kinds[at], (uint16_t)(number * 5));
    cr_assert_eq(now.causes[at], (uint8_t)(number * 7));
    const float x = (float)(positioned ? number : at); /* else as it was written */
    cr_assert(now.positions[at].x == x && now.positions[at].y == x + 1 && now.positions[at].z == x + 2);
}

/* Arranges random events, and looks for each depth in turn at the events in their first order. */
static void check_order(phx_depths *depths, uint64_t *rng, uint32_t count, bool enters, bool positioned)
{
    static uint64_t ids[EVENTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = 1 + phx_rng_below(rng, ENTITIES);
        write_event(i, ids[i], i);
    }
    const phx_event_columns events = {now.targets, now.incarnations, now.kinds, now.causes,
                                      positioned ? now.positions : NULL};
    phx_depths_arrange(depths, events, count, enters);
    uint32_t at = 0;
    for (uint32_t round = 0; round <= PH_ATTACH_DEPTH_MAX; round++) {
        const uint32_t depth = enters ? round : PH_ATTACH_DEPTH_MAX - round;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t of = enters ? phx_depths_now(depths, ids[i]) : phx_depths_before(depths, ids[i]);
            if (of == depth) check_event(at++, ids[i], i, positioned);
        }
    }
    cr_assert_eq(at, count);
}

Test(attach_depth, events_are_ordered_by_depth)
{
    uint64_t rng = 7;
    for (uint32_t share = 1; share <= 64; share *= 4) { /* one entity in so many is attached */
        phx_depths depths;
        phx_depths_init(&depths, &memory);
        for (uint32_t tick = 0; tick < 40; tick++) {
            for (uint32_t i = 0; i < ENTITIES / 4; i++) {
                const bool attached = phx_rng_below(&rng, share) == 0;
                cr_assert(phx_depths_reserve(&depths));
                phx_depths_set(&depths, 1 + phx_rng_below(&rng, ENTITIES),
                               attached ? 1 + (uint32_t)phx_rng_below(&rng, PH_ATTACH_DEPTH_MAX) : 0);
            }
            for (uint32_t i = 0; phx_depths_any(&depths) && i < 20; i++) {
                const uint32_t count = (uint32_t)phx_rng_below(&rng, i < 10 ? 90 : EVENTS_MAX);
                check_order(&depths, &rng, count, i & 1, i & 2);
            }
            phx_attach_depth_end_tick(&depths);
        }
        phx_depths_free(&depths);
    }
}

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
