/*
 * Updates of an observer are found by positions alone where as many targets came into its view as entered its list.
 * Here as many did, but others. One target was in the list and is in a view only now: the view became less, or the
 * target's link ended. One entered that is not in view: it is in the updates, the first one only if its turn has come.
 */
#include <criterion/criterion.h>

#include "unit/api/banded_world.h"

enum { OBSERVER = 1, NEAR_ID = 2, FAR_ID = 3, LINKED = 4, VIEW = 100, NARROW = 40, SIDE = 10000, QUIET_TICKS = 12 };

typedef struct told {
    uint32_t entered, updates, updates_of_near, updates_of_far;
} told;

/* What the observer is told in a tick. */
static told tick(ph_world world, ph_consumer consumer)
{
    const ph_batch *batch;
    told of = {0};
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    if (ph_batch_take(consumer, &batch) != PH_OK) return of;
    for (uint32_t i = 0; i < batch->change_count; i++)
        if (batch->changes[i].observer == OBSERVER) of.entered += batch->changes[i].enter_count;
    for (uint32_t i = 0; i < batch->update_count; i++)
        for (uint32_t k = 0; batch->updates[i].observer == OBSERVER && k < batch->updates[i].count; k++) {
            const uint64_t id = batch->moved[batch->due[batch->updates[i].first + k]].id;
            of.updates_of_near += id == NEAR_ID;
            of.updates_of_far += id == FAR_ID;
            of.updates++;
        }
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    return of;
}

/* linked: the near one is listed by a link alone, which ends in the tick in which the observer's attributes change. */
static void run_case(uint32_t shards, bool linked, uint32_t turn)
{
    const ph_world world = banded_world_create(
        &(banded_world){.shards = shards, .side = SIDE, .view = VIEW, .band = {.radius = VIEW, .every = 8}});
    ph_producer producer;
    ph_consumer consumer;
    told of;
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    const float x = SIDE / 4, beyond = linked ? VIEW + 10 : NARROW + 10, within = linked ? VIEW - 1 : NARROW - 1;
    const float at[] = {0, x, x + beyond, x + SIDE / 8, x - SIDE / 8};
    for (uint64_t id = OBSERVER; id <= LINKED; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND, .x = at[id], .y = x, .kind = id == OBSERVER};
        cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
    }
    cr_assert_eq(ph_link(producer, OBSERVER, LINKED), PH_OK); /* in both cases relations are read */
    if (linked) cr_assert_eq(ph_link(producer, OBSERVER, NEAR_ID), PH_OK);
    for (uint32_t i = 0; i < QUIET_TICKS + turn; i++) of = tick(world, consumer);
    cr_assert_eq(of.updates, 0, "none moves");

    const ph_attrs narrow = {.given = PH_VIEW, .view = NARROW}, sees = {.given = PH_SEES, .sees = 1};
    cr_assert_eq(ph_set(producer, OBSERVER, linked ? &sees : &narrow), PH_OK);
    if (linked) cr_assert_eq(ph_unlink(producer, OBSERVER, NEAR_ID), PH_OK);
    cr_assert_eq(ph_move(producer, NEAR_ID, x + within, x, 0), PH_OK);
    cr_assert_eq(ph_link(producer, OBSERVER, FAR_ID), PH_OK);
    of = tick(world, consumer);
    cr_assert_eq(of.entered, 1, "%u shards, %s: %u entered", shards, linked ? "link" : "view", of.entered);
    cr_assert_eq(of.updates_of_far, 1, "%u shards, %s, turn %u: the one that entered is not in the updates", shards,
                 linked ? "link" : "view", turn);
    cr_assert_leq(of.updates, 2);
    uint32_t later = of.updates_of_near;
    for (uint32_t i = 0; i < QUIET_TICKS; i++) later += tick(world, consumer).updates_of_near;
    cr_assert_eq(later, 1, "%u shards, %s, turn %u: the one that moved is told %u times", shards,
                 linked ? "link" : "view", turn, later);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

static void run_cases(bool linked)
{
    for (uint32_t shards = 1; shards <= 2; shards++)
        for (uint32_t turn = 0; turn < 8; turn++) run_case(shards, linked, turn);
}

Test(told_by_positions, a_view_that_becomes_less)
{
    run_cases(false);
}

Test(told_by_positions, a_link_that_ends)
{
    run_cases(true);
}
