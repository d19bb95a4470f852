/*
 * Updates of an observer whose view spans many blocks of towers: every target within its view that moved gets into its
 * updates, once, and nothing else. Against a walk over all entities.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

/* A view of 24 towers: its left and right edges alone cut some 96 rows of towers, each of them a range of rows. */
enum { ENTITIES = 4000, SIDE = 100, VIEW = 24, OBSERVER = 1, TICKS = 12 };

static float place[ENTITIES + 1][2];
static uint64_t state;

static float random_to(float end)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)(state >> 40) * (end / (float)(1 << 24));
}

static ph_world create(ph_simd simd, uint32_t shards)
{
    static ph_class kinds[2];
    ph_world world;
    ph_world_def def = ph_world_def_default();
    kinds[0] = ph_class_default("default");
    kinds[0].view = 0;
    kinds[1] = ph_class_default("observer");
    kinds[1].view = VIEW;
    kinds[1].band_count = 2;
    kinds[1].bands[0] = (ph_band){.radius = 5, .every = 1};
    kinds[1].bands[1] = (ph_band){.radius = VIEW, .every = 1};
    def.classes = kinds;
    def.class_count = 2;
    def.world_origin[0] = def.world_origin[1] = 0;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = 1;
    def.simd = simd;
    def.shards[0] = shards;
    return ph_world_create(&def, &world) == PH_OK ? world : (ph_world){0};
}

static bool in_view(uint32_t id)
{
    const float dx = place[id][0] - place[OBSERVER][0], dy = place[id][1] - place[OBSERVER][1];
    return id != OBSERVER && dx * dx + dy * dy <= (float)(VIEW * VIEW);
}

/* How often each id is in the observer's updates. */
static void count_updates(const ph_batch *batch, uint32_t counts[ENTITIES + 1])
{
    memset(counts, 0, (ENTITIES + 1) * sizeof *counts);
    for (uint32_t i = 0; i < batch->update_count; i++) {
        const ph_update *update = &batch->updates[i];
        cr_assert_eq(update->observer, OBSERVER);
        for (uint32_t k = 0; k < update->count; k++) counts[batch->moved[batch->due[update->first + k]].id]++;
    }
}

static void run_world(ph_world world, uint64_t seed)
{
    static uint32_t counts[ENTITIES + 1];
    static bool moved[ENTITIES + 1], was_in[ENTITIES + 1];
    ph_producer producer;
    ph_consumer consumer;
    state = seed;
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    for (uint32_t id = 1; id <= ENTITIES; id++) {
        place[id][0] = id == OBSERVER ? SIDE / 2 : random_to(SIDE);
        place[id][1] = id == OBSERVER ? SIDE / 2 : random_to(SIDE);
        const ph_attrs attrs = {
            .given = PH_X | PH_Y | PH_KIND, .x = place[id][0], .y = place[id][1], .kind = id == OBSERVER};
        cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
    }
    for (uint32_t tick = 1; tick <= TICKS; tick++) {
        const ph_batch *batch;
        for (uint32_t id = 1; id <= ENTITIES; id++) {
            was_in[id] = tick > 1 && in_view(id);
            moved[id] = tick > 1 && id != OBSERVER && random_to(1) < 0.5f;
        }
        for (uint32_t id = 1; id <= ENTITIES; id++) {
            if (!moved[id]) continue;
            place[id][0] = SIDE / 2 + (place[id][0] - SIDE / 2) * 0.99f;
            cr_assert_eq(ph_move(producer, id, place[id][0], place[id][1], 0), PH_OK);
        }
        cr_assert_eq(ph_tick(world, NULL), PH_OK);
        cr_assert_eq(ph_batch_take(consumer, &batch), PH_OK);
        count_updates(batch, counts);
        for (uint32_t id = 1; id <= ENTITIES; id++) {
            const uint32_t expected = in_view(id) && (moved[id] || !was_in[id]);
            cr_assert_eq(counts[id], expected, "seed %d, tick %u: target %u is %u times in the updates, not %u",
                         (int)seed, tick, id, counts[id], expected);
        }
        cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    }
}

Test(wide_bands, every_moved_target_of_a_wide_view_is_in_the_updates)
{
    static const ph_simd sets[] = {PH_SIMD_AUTO, PH_SIMD_PORTABLE};
    for (uint32_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (uint32_t shards = 1; shards <= 2; shards++) {
            const ph_world world = create(sets[i], shards);
            run_world(world, 20 + i);
            cr_assert_eq(ph_world_destroy(world), PH_OK);
        }
}
