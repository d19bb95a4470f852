/*
 * The order in which held targets join at adds_max, by deltas: a bounded target that comes into its bound joins before
 * farther ones that waited longer. The expected order is stated.
 */
#include <inttypes.h>

#include <pharos/pharos.h>

#include "support/check.h"

enum { OBSERVER = 1, BOUNDED = 2, FIRST = 10, WAITING = 8, TICKS = 4 };

/* The one target that joined in the last tick, or 0. */
static uint64_t joined(ph_consumer consumer)
{
    const ph_batch *batch = NULL;
    uint64_t target = 0;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *change = &batch->changes[i];
            CHECK(change->observer == OBSERVER && change->enter_count == 1 && change->leave_count == 0, "%u enters",
                  change->enter_count);
            target = batch->targets[change->first].id;
        }
        CHECK_OK(ph_batch_return(consumer, batch));
    }
    return target;
}

int main(void)
{
    static const uint64_t expected[TICKS] = {FIRST, FIRST + 1, BOUNDED, FIRST + 2};
    ph_world_def def = ph_world_def_default();
    ph_class kind = ph_class_default("default");
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_stats stats;
    kind.view = 100;
    kind.adds_max = 1;
    def.classes = &kind;
    def.class_count = 1;
    def.tower_size = 100;
    def.world_size[0] = def.world_size[1] = 1000;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK &&
            ph_consumer_open(world, 0, &consumer) == PH_OK);
    const ph_attrs observer = {.given = PH_X | PH_Y, .x = 500, .y = 500};
    const ph_attrs bounded = {.given = PH_X | PH_Y | PH_VIEW | PH_VISIBLE, .x = 500, .y = 524, .visible = 20};
    CHECK_OK(ph_enter(producer, OBSERVER, &observer));
    CHECK_OK(ph_enter(producer, BOUNDED, &bounded));
    for (uint32_t i = 0; i < WAITING; i++) {
        const ph_attrs waits = {.given = PH_X | PH_Y | PH_VIEW, .x = 550 + 5 * (float)i, .y = 500};
        CHECK_OK(ph_enter(producer, FIRST + i, &waits));
    }
    uint64_t evaluated = 0;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        CHECK_OK(ph_move(producer, BOUNDED, 500, 524 - 3 * (float)tick, 0)); /* within its bound in the third one */
        CHECK_OK(ph_tick(world, NULL));
        const uint64_t target = joined(consumer);
        CHECK(target == expected[tick], "tick %u: %" PRIu64 " joined, not %" PRIu64, tick, target, expected[tick]);
        CHECK_OK(ph_world_stats(world, &stats));
        if (tick == 0) evaluated = stats.observers_evaluated;
        CHECK(stats.observers_evaluated == evaluated, "tick %u: evaluated", tick);
    }
    CHECK_OK(ph_world_destroy(world));
    return check_done("held_order");
}
