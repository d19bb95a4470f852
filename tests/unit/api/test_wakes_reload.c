/*
 * A class that begins to wake by ph_world_reconfigure(), while nothing moves: its entity wakes an NPC in the next tick,
 * also one beyond a border of shards, and whether or not another class woke before.
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

enum { SLEEPER = 0, WAKER = 1, OTHER = 2, CLASSES = 3 };

static uint64_t count_awake(ph_world world)
{
    ph_stats stats;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(ph_world_stats(world, &stats), PH_OK);
    return stats.awake;
}

static void run_case(bool other_wakes, bool is_sharded, ph_range range)
{
    ph_class classes[CLASSES] = {ph_class_default("default"), ph_class_default("waker"), ph_class_default("other")};
    ph_world_def def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    classes[SLEEPER].sleeps = true;
    classes[OTHER].wakes = other_wakes;
    def.classes = classes;
    def.class_count = CLASSES;
    def.world_size[0] = def.world_size[1] = 120;
    def.tower_size = 20;
    def.shards[0] = def.shards[1] = is_sharded ? 6 : 1;
    def.range = range;
    def.span = 0;
    def.activation_span = 2;
    def.consumers = 0;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    const ph_attrs waker = {.given = PH_X | PH_Y | PH_KIND | PH_VIEW, .x = 42, .y = 59, .kind = WAKER, .view = 6};
    const ph_attrs sleeper = {.given = PH_X | PH_Y | PH_KIND | PH_VIEW, .x = 45, .y = 63, .kind = SLEEPER};
    cr_assert_eq(ph_enter(producer, 1, &waker), PH_OK);
    cr_assert_eq(ph_enter(producer, 2, &sleeper), PH_OK);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(count_awake(world), 0);
    classes[WAKER].wakes = true;
    cr_assert_eq(ph_world_reconfigure(world, &def, NULL, 0), PH_OK);
    cr_assert_eq(count_awake(world), 1, "other class wakes: %d, shards: %d, range: %d", other_wakes, is_sharded, range);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

Test(wakes_reload, an_entity_wakes_npcs_as_its_class_begins_to)
{
    for (uint32_t i = 0; i < 8; i++) run_case(i & 1, i & 2, i & 4 ? PH_RANGE_TOWERS : PH_RANGE_RADIUS);
}
