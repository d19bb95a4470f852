/*
 * Levels on a monitor's points: which stealth is above the detect of the chosen entity, in parts of the points too: a
 * focus that is another one, gets another detect, comes or goes makes all points anew.
 */
#include <stdio.h>

#include <pharos/pharos.h>

#include "support/check.h"

enum { ENTITIES = 20000, SIDE = 1000, PARTS = 4, LEVELS = 5, FIRST = 101 };

static ph_world world;
static ph_producer producer;
static ph_consumer consumer;
static ph_monitor monitor;

static void run_tick(void)
{
    const ph_batch *batch;
    CHECK_OK(ph_tick(world, NULL));
    while (ph_batch_take(consumer, &batch) == PH_OK) CHECK_OK(ph_batch_return(consumer, batch));
}

static void watch(uint64_t focus)
{
    const ph_monitor_view view = {.x1 = SIDE, .y1 = SIDE, .flags = PH_MONITOR_POINTS, .spread = PARTS, .focus = focus};
    CHECK_OK(ph_monitor_watch(monitor, &view));
}

/* Points above the detect, in a frame of this tick. */
static uint32_t count_stealthy(uint32_t *all)
{
    const ph_monitor_frame *frame = NULL;
    uint32_t count = 0;
    run_tick();
    CHECK_OK(ph_monitor_take(monitor, &frame));
    REQUIRE(frame != NULL);
    for (uint32_t i = 0; i < frame->points.count; i++) count += (frame->points.steps[i] & PH_POINT_STEP_STEALTHY) != 0;
    *all = frame->points.count;
    CHECK_OK(ph_monitor_return(monitor, frame));
    return count;
}

/* Entities have the stealth id % LEVELS; of the focus, 1, the detect is `detect`. */
static void expect(uint32_t detect, const char *when)
{
    for (uint32_t frame = 0; frame < PARTS + 2; frame++) {
        uint32_t all, above = 0;
        for (uint32_t i = 0; i < ENTITIES; i++) above += (FIRST + i) % LEVELS > detect;
        const uint32_t count = count_stealthy(&all);
        CHECK(all >= ENTITIES && count == above, "%s, frame %u: %u of %u points are above %u, not %u", when, frame,
              count, all, detect, above);
    }
}

static void set_detect(uint8_t detect)
{
    CHECK_OK(ph_set(producer, 1, &(ph_attrs){.given = PH_DETECT, .detect = detect}));
}

int main(void)
{
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = 50;
    def.shards[0] = 2;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    REQUIRE(ph_consumer_open(world, 0, &consumer) == PH_OK);
    REQUIRE(ph_monitor_open(world, &(ph_monitor_def){0}, &monitor) == PH_OK);
    for (uint32_t i = 0; i < ENTITIES; i++)
        CHECK_OK(ph_enter(producer, FIRST + i,
                          &(ph_attrs){.given = PH_X | PH_Y | PH_STEALTH,
                                      .x = (float)(i % SIDE),
                                      .y = (float)(i % 977),
                                      .stealth = (uint8_t)((FIRST + i) % LEVELS)}));
    watch(1);
    expect(0, "a focus that is not in the world");
    CHECK_OK(ph_enter(producer, 1, &(ph_attrs){.given = PH_X | PH_Y | PH_DETECT, .x = 500, .y = 500, .detect = 2}));
    expect(2, "a focus that came");
    set_detect(3);
    expect(3, "another detect");
    set_detect(1);
    expect(1, "a lower detect");
    watch(0);
    expect(0, "no focus");
    watch(1);
    expect(1, "the focus again");
    CHECK_OK(ph_leave(producer, 1));
    expect(0, "a focus that left");
    CHECK_OK(ph_world_destroy(world));
    return check_done("monitor_levels");
}
