/*
 * shards/tick/flat_ground.c, and the heights that it reads: their bounds, which are measured only where they may not be
 * flat, and the heights of the last tick's end, of which flat ground has one alone.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/tick/flat_ground.h"

static fleet *open_cylinders(float height)
{
    phx_rules rules = plain_rules(10, 16);
    rules.shape = PH_SHAPE_CYLINDER;
    rules.height = height;
    return fleet_open(rules, 1, 1, 64);
}

static void enter_row(fleet *f, uint64_t first, uint64_t end)
{
    for (uint64_t id = first; id < end; id++) fleet_enter(f, id, plain_attr(20, 0), 20 + (float)(id % 100), 50);
}

/* All to heights that differ by less than the cylinder's. */
static void fly_all(fleet *f, uint64_t end, float hill)
{
    for (uint64_t id = 1; id < end; id++) fleet_fly(f, id, 20 + (float)(id % 100), 50, hill + (float)(id % 8));
}

static bool bounds_are(const phx_shard *shard, float low, float high)
{
    return shard->heights.low == low && shard->heights.high == high;
}

/* Is the height of the last tick's end the same in all slots that there is room for, and one of the bounds? */
static bool one_old_height(const phx_shard *shard)
{
    const phx_old_heights *old = &shard->old_heights;
    for (uint32_t slot = 0; slot < old->capacity; slot++)
        if (old->at[slot] != old->at[0]) return false;
    return old->known && old->capacity >= shard->store.slots && phx_height_span_has(shard->heights, old->at[0]);
}

Test(flat_ground, heights_are_measured_only_where_their_bounds_may_not_be_flat)
{
    fleet *f = open_cylinders(10);
    const phx_shard *shard = &f->shard[0];
    fleet_begin(f);
    enter_row(f, 1, 6);
    fleet_end(f);
    fleet_begin(f);
    fleet_fly(f, 2, 22, 50, 8);
    fleet_end(f);
    cr_assert(shard->flat && bounds_are(shard, 0, 8));
    fleet_begin(f);
    fleet_fly(f, 2, 22, 50, 0);
    fleet_end(f);
    cr_assert(shard->flat && bounds_are(shard, 0, 8), "bounds that are flat are not measured");
    fleet_begin(f);
    fleet_fly(f, 1, 21, 50, -5);
    fleet_end(f);
    cr_assert(shard->flat && bounds_are(shard, -5, 0), "these were measured");
    fleet_begin(f);
    fleet_fly(f, 2, 22, 50, 20);
    fleet_end(f);
    cr_assert(!shard->flat && bounds_are(shard, -5, 20));
    cr_assert_eq(shard->old_heights.at[fleet_slot(f, 0, 2)], 20);
    fleet_begin(f);
    for (uint64_t id = 1; id < 6; id++) fleet_leave(f, id);
    fleet_end(f);
    cr_assert(shard->flat && bounds_are(shard, 0, 0), "no entity is left");
    fleet_close(f);
}

Test(flat_ground, flat_ground_has_one_old_height_whatever_the_heights)
{
    fleet *f = open_cylinders(10);
    const phx_shard *shard = &f->shard[0];
    fleet_begin(f);
    enter_row(f, 1, 30);
    fleet_end(f);
    for (uint32_t round = 0; round < 3; round++) {
        const float hill = 100.0f * (float)round;
        const uint64_t end = 30 + 150 * round;
        for (uint32_t rise = 0; rise < 2; rise++) { /* from flat ground to flat ground */
            fleet_begin(f);
            fly_all(f, end, hill + 50.0f * (float)(1 - rise));
            fleet_end(f);
        }
        cr_assert(shard->flat && one_old_height(shard), "round %u", round);
        fleet_begin(f); /* more slots than before */
        enter_row(f, end, end + 150);
        fly_all(f, end + 150, hill);
        fleet_end(f);
        cr_assert(shard->flat && one_old_height(shard), "round %u", round);
        fleet_begin(f); /* some rise out of view, and one comes back */
        for (uint64_t id = 3; id < 30; id += 9) fleet_fly(f, id, 20 + (float)id, 50, hill + 40);
        fleet_end(f);
        cr_assert(!shard->flat && f->leaves > 0, "round %u", round);
        fleet_begin(f);
        fleet_fly(f, 3, 23, 50, hill);
        fleet_end(f);
        cr_assert(!shard->flat && f->enters > 0, "round %u", round);
    }
    fleet_close(f);
}

/* The one old height of before is that of the ground again, but the hill's own old height is not. */
Test(flat_ground, flat_ground_forgets_the_hills_before_it)
{
    fleet *f = open_cylinders(10);
    fleet_begin(f);
    enter_row(f, 1, 30);
    fleet_end(f);
    cr_assert(one_old_height(&f->shard[0]));
    fleet_begin(f);
    fleet_fly(f, 3, 23, 50, 40);
    fleet_end(f);
    cr_assert(!f->shard[0].flat && !one_old_height(&f->shard[0]));
    fleet_begin(f);
    fleet_fly(f, 3, 23, 50, 0);
    fleet_end(f);
    cr_assert(f->shard[0].flat && one_old_height(&f->shard[0]));
    fleet_close(f);
}

Test(flat_ground, bounds_keep_any_height_after_a_rise_of_so_much)
{
    uint64_t rng = 5;
    for (uint32_t i = 0; i < 20000; i++) {
        const float low = float_any(&rng), from = i % 3 ? float_near(&rng, low) : float_any(&rng);
        const float to = i % 5 ? float_any(&rng) : float_near(&rng, from), rise = fabsf(to - from);
        const phx_height_span span = phx_height_span_with((phx_height_span){low, low}, from);
        const phx_height_span wider = phx_height_span_wider(span, rise);
        cr_assert(phx_height_span_has(wider, to), "%g to %g", (double)from, (double)to);
        if (to == from) cr_assert(wider.low == span.low && wider.high == span.high);
    }
}
