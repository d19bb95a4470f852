/*
 * A target of a relation that enters a list is in the updates of that tick once, whether or not it is in view, and
 * whether its own move is due. Rows of such targets are left out, and so are ones that entered: once for both.
 */
#include <criterion/criterion.h>

#include "unit/api/banded_world.h"

enum { OBSERVER = 1, LINKED = 2, STRANGER = 3, VIEW = 100, SIDE = 10000, QUIET_TICKS = 12 };

/* With a margin positions alone do not tell what entered. */
static ph_world create(uint32_t shards, uint32_t updates_max)
{
    return banded_world_create(&(banded_world){.shards = shards,
                                               .side = SIDE,
                                               .view = VIEW,
                                               .margin = 1,
                                               .updates_max = updates_max,
                                               .band = {.radius = VIEW, .every = 1}});
}

/* Updates of the linked one that the observer gets in a tick. */
static uint32_t tick(ph_world world, ph_consumer consumer)
{
    const ph_batch *batch;
    uint32_t updates = 0;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    if (ph_batch_take(consumer, &batch) != PH_OK) return 0;
    for (uint32_t i = 0; i < batch->update_count; i++)
        for (uint32_t k = 0; batch->updates[i].observer == OBSERVER && k < batch->updates[i].count; k++)
            updates += batch->moved[batch->due[batch->updates[i].first + k]].id == LINKED;
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    return updates;
}

/* It comes from afar to a place that far from the observer, in the tick in which it is linked. */
static void enter_linked(uint32_t shards, uint32_t updates_max, float distance)
{
    const ph_world world = create(shards, updates_max);
    ph_producer producer;
    ph_consumer consumer;
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    const float x = SIDE / 4;
    for (uint64_t id = OBSERVER; id <= STRANGER; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND, .x = x + (id == LINKED ? 2 * VIEW : 0), .y = x};
        cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
    }
    cr_assert_eq(ph_set(producer, OBSERVER, &(ph_attrs){.given = PH_KIND, .kind = 1}), PH_OK);
    for (uint32_t i = 0; i < QUIET_TICKS; i++) cr_assert_eq(tick(world, consumer), 0);
    cr_assert_eq(ph_link(producer, OBSERVER, LINKED), PH_OK);
    cr_assert_eq(ph_move(producer, LINKED, x + distance, x, 0), PH_OK);
    cr_assert_eq(tick(world, consumer), 1, "%u shards, %g from it: as it enters", shards, (double)distance);
    cr_assert_eq(tick(world, consumer), 0);
    cr_assert_eq(ph_move(producer, LINKED, x + distance + 1, x, 0), PH_OK);
    cr_assert_eq(tick(world, consumer), 1, "%u shards, %g from it: in the list", shards, (double)distance);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

Test(related_updates, a_linked_target_that_enters_is_told_once)
{
    for (uint32_t shards = 1; shards <= 2; shards++)
        for (uint32_t updates_max = 0; updates_max <= 4; updates_max += 4) {
            enter_linked(shards, updates_max, VIEW / 2);
            enter_linked(shards, updates_max, 2 * VIEW - 20);
        }
}
