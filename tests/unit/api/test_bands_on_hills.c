/*
 * Bands in a world of spheres: an observer on a hill comes down to flat ground, and is nearer to its targets than
 * before, also where the hill is in another shard.
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

enum { SIDE = 1000, TOWER = 100, STILL_TICKS = 300, EVERY = 4, TARGET = 1, OBSERVER = 2, TARGETS_KIND = 1 };

static const float hill = 100, border = SIDE / 2, near_band = 30, view = 200;

static ph_world create(uint32_t shards)
{
    ph_class classes[] = {ph_class_default("default"), ph_class_default("target")};
    ph_world_def def = ph_world_def_default();
    ph_world world;
    classes[0].view = view;
    classes[0].bands[0] = (ph_band){.radius = near_band, .every = EVERY};
    classes[0].bands[1] = (ph_band){.radius = view, .every = EVERY};
    classes[0].band_count = 2;
    classes[TARGETS_KIND].view = 0;
    def.classes = classes;
    def.class_count = 2;
    def.shape = PH_SHAPE_SPHERE;
    def.tower_size = TOWER;
    def.shards[0] = shards;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.world_origin[0] = def.world_origin[1] = 0;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    return world;
}

/* Returns the updates of a tick. */
static uint32_t tick_and_count(ph_world world, ph_consumer consumer, uint32_t *band)
{
    const ph_batch *batch;
    uint32_t count = 0;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->update_count; i++) {
            count += batch->updates[i].count;
            if (batch->updates[i].count > 0) *band = batch->bands[batch->updates[i].first];
        }
        cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    }
    return count;
}

static void come_down(uint32_t shards)
{
    ph_producer producer;
    ph_consumer consumer;
    uint32_t band = UINT32_MAX;
    const ph_world world = create(shards);
    const ph_attrs target = {.given = PH_X | PH_Y | PH_KIND, .x = border + 4, .y = SIDE / 2, .kind = TARGETS_KIND};
    const ph_attrs observer = {.given = PH_X | PH_Y | PH_Z | PH_KIND, .x = border - 1, .y = SIDE / 2, .z = hill};
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    cr_assert_eq(ph_enter(producer, TARGET, &target), PH_OK);
    cr_assert_eq(ph_enter(producer, OBSERVER, &observer), PH_OK);
    for (uint32_t i = 0; i < STILL_TICKS; i++) (void)tick_and_count(world, consumer, &band);
    cr_assert_eq(tick_and_count(world, consumer, &band), 0); /* the target stands still */
    cr_assert_eq(ph_move(producer, OBSERVER, border + 1, SIDE / 2, 0), PH_OK);
    cr_assert_eq(tick_and_count(world, consumer, &band), 1, "%u shards: the target is in a nearer band", shards);
    cr_assert_eq(band, 0);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

Test(bands_on_hills, an_observer_that_comes_down_has_its_targets_in_a_nearer_band)
{
    come_down(1);
}

Test(bands_on_hills, one_that_comes_down_from_another_shard_has)
{
    come_down(2);
}
