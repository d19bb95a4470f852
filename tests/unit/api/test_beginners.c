/*
 * An observer that comes has one change in its first tick, which is fresh, with its targets or, where there are none,
 * without: wherever its row is among those of a world with many, of which only some are looked at for it.
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

enum { AXIS = 60, STAND = AXIS * AXIS, SPACE = 20, SIDE = 4000, COME = 40, FAR_OFF = 3900, ROUNDS = 30 };

static ph_world open_world(uint32_t workers, ph_range range)
{
    ph_class kind = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    ph_world world;
    kind.view = 50;
    def.classes = &kind;
    def.class_count = 1;
    def.workers = workers;
    def.consumers = 1;
    def.range = range;
    def.tower_size = 48;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.world_origin[0] = def.world_origin[1] = 0;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    return world;
}

static void enter(ph_producer producer, uint64_t id, float x, float y)
{
    const ph_attrs attrs = {.given = PH_POSITION, .x = x, .y = y};
    cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
}

/* All that stand step, so that there are changes all over the world. */
static void step(ph_producer producer, uint32_t round)
{
    for (uint32_t i = 0; i < STAND; i++)
        cr_assert_eq(ph_move(producer, i + 1, (float)(i % AXIS * SPACE + (i * 7 + round * 5) % 9),
                             (float)(i / AXIS * SPACE + (i * 3 + round * 4) % 11), 0),
                     PH_OK);
}

/* Of the ids from the first one on each has one change, a fresh one; no other has such. */
static void expect_fresh(ph_consumer consumer, uint64_t first, bool with_targets)
{
    const ph_batch *batch;
    uint32_t fresh = 0, seen[COME] = {0};
    cr_assert_eq(ph_batch_take(consumer, &batch), PH_OK);
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        const uint64_t number = change->observer - first;
        fresh += (change->flags & PH_CHANGE_FRESH) != 0;
        if (number >= COME) continue;
        cr_assert_eq(seen[number]++, 0, "two changes");
        cr_assert(change->flags & PH_CHANGE_FRESH);
        cr_assert(change->leave_count == 0 && (change->enter_count > 0) == with_targets);
    }
    cr_assert_eq(fresh, COME);
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
}

static void check_world(uint32_t workers, ph_range range)
{
    ph_producer producer;
    ph_consumer consumer;
    const ph_batch *batch;
    const ph_world world = open_world(workers, range);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    for (uint32_t i = 0; i < STAND; i++) enter(producer, i + 1, (float)(i % AXIS * SPACE), (float)(i / AXIS * SPACE));
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(ph_batch_take(consumer, &batch), PH_OK);
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint64_t first = STAND + 1 + (uint64_t)round * COME;
        const bool near = round % 2 == 0;
        step(producer, round);
        for (uint32_t i = 0; i < COME; i++) { /* among the others, or each one alone */
            const uint32_t place = (round * 977 + i * 89) % STAND;
            if (near) enter(producer, first + i, (float)(place % AXIS * SPACE), (float)(place / AXIS * SPACE));
            else enter(producer, first + i, (float)FAR_OFF, (float)(i * 97));
        }
        cr_assert_eq(ph_tick(world, NULL), PH_OK);
        expect_fresh(consumer, first, near);
        for (uint32_t i = 0; i < COME; i++) cr_assert_eq(ph_leave(producer, first + i), PH_OK);
    }
    ph_producer_close(producer);
    ph_consumer_close(consumer);
    ph_world_destroy(world);
}

Test(beginners, each_has_one_change_wherever_its_row_is)
{
    check_world(1, PH_RANGE_RADIUS);
    check_world(2, PH_RANGE_RADIUS);
}

/* There a piece of work has no rows. */
Test(beginners, each_has_one_change_in_another_range)
{
    check_world(1, PH_RANGE_TOWERS);
}
