/*
 * shards/simd/far_rule.h: the far items that may have an event with an observer, and the observers of some items, in
 * every instruction set that this machine has, against the rule in whole numbers; and no store beyond the promised
 * range.
 */
#include <math.h>

#include "unit/shards/simd/kernels_case.h"

enum { ITEMS = 3 * PHX_FAR_LANES, GROUPS = ITEMS / PHX_FAR_LANES, SIDE = 60 };

/* A target with a reach, in whole numbers, so that sums and squares are exact in float32 and in int. */
typedef struct far_target {
    int x, y, z, old_x, old_y, old_z, reach, old_reach;
    bool changed;
} far_target;

typedef struct rule {
    ph_shape shape;
    int height, margin;
} rule;

static bool near_place(int dx, int dy, int dz, int distance, const rule *by)
{
    const int square = dx * dx + dy * dy;
    if (by->shape == PH_SHAPE_SQUARE) return abs(dx) <= distance && abs(dy) <= distance;
    if (by->shape == PH_SHAPE_SPHERE) return square + dz * dz <= distance * distance;
    return square <= distance * distance && (by->shape == PH_SHAPE_CIRCLE || abs(dz) <= by->height);
}

/* has_history: the observer was somewhere at the last tick's end. */
static bool may_have_event(const far_target *target, const far_target *observer, const rule *by, bool has_history)
{
    const int dx = target->x - observer->x, dy = target->y - observer->y, dz = target->z - observer->z;
    const int old_dx = target->old_x - observer->old_x, old_dy = target->old_y - observer->old_y;
    const int old_dz = target->old_z - observer->old_z, in = target->reach, keep = in + by->margin;
    if (target->reach <= observer->reach && target->old_reach <= observer->reach) return false;
    if (target->changed) return true;
    const bool was_in = has_history && near_place(old_dx, old_dy, old_dz, in, by);
    const bool was_kept = has_history && near_place(old_dx, old_dy, old_dz, keep, by);
    return (near_place(dx, dy, dz, in, by) && !was_in) || (was_kept && !near_place(dx, dy, dz, keep, by));
}

static int some_place(uint64_t *rng)
{
    return (int)phx_rng_below(rng, SIDE);
}

static far_target some_target(uint64_t *rng)
{
    far_target target = {.x = some_place(rng), .y = some_place(rng), .z = some_place(rng) / 2};
    target.reach = (int)phx_rng_below(rng, SIDE / 2);
    target.old_x = target.x + (int)phx_rng_below(rng, 7) - 3;
    target.old_y = target.y + (int)phx_rng_below(rng, 7) - 3;
    target.old_z = target.z + (int)phx_rng_below(rng, 7) - 3;
    target.changed = phx_rng_below(rng, 16) == 0;
    target.old_reach = target.changed ? (int)phx_rng_below(rng, SIDE / 2) : target.reach;
    return target;
}

static void set_lane(phx_far_lanes *lanes, uint32_t lane, const far_target *target)
{
    lanes->x[lane] = (float)target->x, lanes->y[lane] = (float)target->y, lanes->z[lane] = (float)target->z;
    lanes->old_x[lane] = (float)target->old_x, lanes->old_y[lane] = (float)target->old_y;
    lanes->old_z[lane] = (float)target->old_z;
    lanes->reach[lane] = (float)target->reach, lanes->old_reach[lane] = (float)target->old_reach;
    lanes->changed[lane] = target->changed;
}

static void find_some(const phx_kernels *kernels, const char *name)
{
    enum { LENGTH = ITEMS + 2 * PHX_KERNEL_PAD };
    static const far_target none = {.reach = -1, .old_reach = -1};
    static uint32_t which[LENGTH];
    static phx_far_lanes lanes[GROUPS];
    uint64_t rng = 61;
    uint32_t found_all = 0;
    for (uint32_t round = 0; round < 4000; round++) {
        const uint32_t count = phx_rng_below(&rng, ITEMS + 1);
        const rule is = {(ph_shape)phx_rng_below(&rng, PH_SHAPE_SPHERE + 1), (int)phx_rng_below(&rng, SIDE / 2),
                         (int)phx_rng_below(&rng, 4)};
        const bool has_history = phx_rng_below(&rng, 8) != 0;
        far_target target[ITEMS], observer = some_target(&rng);
        observer.reach /= 4; /* its view */
        const phx_far_query by = {.x = (float)observer.x,
                                  .y = (float)observer.y,
                                  .z = (float)observer.z,
                                  .old_x = has_history ? (float)observer.old_x : NAN,
                                  .old_y = has_history ? (float)observer.old_y : NAN,
                                  .old_z = (float)observer.old_z,
                                  .view = (float)observer.reach,
                                  .margin = (float)is.margin,
                                  .shape = is.shape,
                                  .height = (float)is.height};
        for (uint32_t i = 0; i < ITEMS; i++) {
            target[i] = i < count ? some_target(&rng) : none;
            set_lane(&lanes[i / PHX_FAR_LANES], i % PHX_FAR_LANES, &target[i]);
        }
        guard(which, LENGTH);
        const uint32_t found = kernels->find_far(lanes, count, &by, which);
        uint32_t expected = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (!may_have_event(&target[i], &observer, &is, has_history)) continue;
            cr_assert(expected < found && which[expected] == i, "%s: round %u, item %u is not found", name, round, i);
            expected++;
        }
        cr_assert_eq(found, expected, "%s: round %u", name, round);
        check_guard(which, found, LENGTH, name);
        found_all += found;
    }
    cr_assert_gt(found_all, 10000, "%s: the rounds have hardly an event", name);
}

Test(kernels, far_items_of_an_observer)
{
    with_each(find_some);
}

/* An observer close to a place, as one of a cell's. */
static far_target some_observer(uint64_t *rng, int x, int y)
{
    far_target observer = some_target(rng);
    const int dx = (int)phx_rng_below(rng, 9) - x - observer.x, dy = (int)phx_rng_below(rng, 9) - y - observer.y;
    observer.x += dx, observer.old_x += dx, observer.y += dy, observer.old_y += dy;
    observer.reach /= 4; /* its view */
    return observer;
}

static phx_far_observers lay_observers(const far_target from[PHX_FAR_LANES])
{
    phx_far_observers of;
    for (uint32_t o = 0; o < PHX_FAR_LANES; o++) {
        of.x[o] = (float)from[o].x, of.y[o] = (float)from[o].y, of.z[o] = (float)from[o].z;
        of.old_x[o] = (float)from[o].old_x, of.old_y[o] = (float)from[o].old_y, of.old_z[o] = (float)from[o].old_z;
        of.view[o] = (float)from[o].reach;
    }
    return of;
}

static void find_observers(const phx_kernels *kernels, const char *name)
{
    static phx_far_lanes lanes[GROUPS];
    uint64_t rng = 62;
    uint32_t found[2] = {0};
    for (uint32_t round = 0; round < 4000; round++) {
        const uint32_t count = phx_rng_below(&rng, round % 2 ? 6 : ITEMS + 1);
        const rule is = {(ph_shape)phx_rng_below(&rng, PH_SHAPE_SPHERE + 1), (int)phx_rng_below(&rng, SIDE / 2), 0};
        const int x = -some_place(&rng), y = -some_place(&rng);
        far_target target[ITEMS], observer[PHX_FAR_LANES];
        for (uint32_t i = 0; i < ITEMS; i++) { /* the ones behind are no targets */
            target[i] = some_target(&rng);
            set_lane(&lanes[i / PHX_FAR_LANES], i % PHX_FAR_LANES, &target[i]);
        }
        for (uint32_t o = 0; o < PHX_FAR_LANES; o++) observer[o] = some_observer(&rng, x, y);
        const phx_far_observers of = lay_observers(observer);
        const uint32_t due = kernels->find_far_observers(lanes, count, &of, is.shape, (float)is.height);
        for (uint32_t o = 0; o < PHX_FAR_LANES; o++) {
            bool expected = false;
            for (uint32_t i = 0; i < count; i++) expected |= may_have_event(&target[i], &observer[o], &is, true);
            cr_assert_eq(due >> o & 1, expected, "%s: round %u, observer %u", name, round, o);
            found[expected]++;
        }
    }
    cr_assert(found[0] > 4000 && found[1] > 4000, "%s: %u observers without an event, %u with", name, found[0],
              found[1]);
}

Test(kernels, observers_of_far_items)
{
    with_each(find_observers);
}

/* A place far from the origin, with a fraction: differences are rounded. */
static float far_place(uint64_t *rng)
{
    return 14000.37f + 0.1f * (float)phx_rng_below(rng, 10 * SIDE);
}

static float near_by(uint64_t *rng, float place)
{
    return place + 0.1f * (float)phx_rng_below(rng, 60) - 3.0f;
}

static phx_far_observers far_off_observers(uint64_t *rng)
{
    phx_far_observers of;
    for (uint32_t o = 0; o < PHX_FAR_LANES; o++) {
        of.x[o] = far_place(rng), of.y[o] = far_place(rng), of.z[o] = far_place(rng);
        of.old_x[o] = near_by(rng, of.x[o]), of.old_y[o] = near_by(rng, of.y[o]), of.old_z[o] = near_by(rng, of.z[o]);
        of.view[o] = 0.7f * (float)phx_rng_below(rng, 8);
    }
    return of;
}

/* A target with a reach that is at most an ulp off its distance to one of the observers, now or before. */
static void set_far_off_lane(phx_far_lanes *lanes, uint32_t lane, uint64_t *rng, const phx_far_observers *of)
{
    const uint32_t o = phx_rng_below(rng, PHX_FAR_LANES), ulps = phx_rng_below(rng, 3);
    const bool before = phx_rng_below(rng, 2), level = phx_rng_below(rng, 2);
    lanes->x[lane] = far_place(rng), lanes->y[lane] = far_place(rng), lanes->z[lane] = far_place(rng);
    lanes->old_x[lane] = near_by(rng, lanes->x[lane]), lanes->old_y[lane] = near_by(rng, lanes->y[lane]);
    lanes->old_z[lane] = near_by(rng, lanes->z[lane]);
    const float dx = before ? lanes->old_x[lane] - of->old_x[o] : lanes->x[lane] - of->x[o];
    const float dy = before ? lanes->old_y[lane] - of->old_y[o] : lanes->y[lane] - of->y[o];
    const float dz = before ? lanes->old_z[lane] - of->old_z[o] : lanes->z[lane] - of->z[o];
    const float distance = sqrtf(dx * dx + dy * dy + (level ? dz * dz : 0.0f));
    lanes->reach[lane] = ulps == 1 ? distance : nextafterf(distance, ulps == 0 ? 0.0f : INFINITY);
    lanes->old_reach[lane] = lanes->reach[lane];
    lanes->changed[lane] = 0;
}

/* Bit for bit as each observer by itself, where an ulp decides; and as each instruction set. */
static void find_observers_far_off(const phx_kernels *kernels, const char *name)
{
    enum { FEW = 3 };
    static phx_far_lanes lanes[1];
    const phx_kernels *plain = phx_kernels_of(PH_SIMD_PORTABLE);
    uint32_t which[PHX_FAR_LANES + PHX_KERNEL_PAD], found[2] = {0};
    uint64_t rng = 63;
    for (uint32_t round = 0; round < 8000; round++) {
        const ph_shape shape = (ph_shape)phx_rng_below(&rng, PH_SHAPE_SPHERE + 1);
        const float height = 0.1f * (float)phx_rng_below(&rng, 10 * SIDE);
        const phx_far_observers of = far_off_observers(&rng);
        for (uint32_t i = 0; i < FEW; i++) set_far_off_lane(lanes, i, &rng, &of);
        for (uint32_t i = FEW; i < PHX_FAR_LANES; i++) set_lane(lanes, i, &(far_target){.reach = -1, .old_reach = -1});
        const uint32_t due = kernels->find_far_observers(lanes, FEW, &of, shape, height);
        cr_assert_eq(due, plain->find_far_observers(lanes, FEW, &of, shape, height), "%s: round %u", name, round);
        for (uint32_t o = 0; o < PHX_FAR_LANES; o++) {
            const phx_far_query by = {.x = of.x[o],
                                      .y = of.y[o],
                                      .z = of.z[o],
                                      .old_x = of.old_x[o],
                                      .old_y = of.old_y[o],
                                      .old_z = of.old_z[o],
                                      .view = of.view[o],
                                      .shape = shape,
                                      .height = height};
            const bool expected = kernels->find_far(lanes, FEW, &by, which) > 0;
            cr_assert_eq(due >> o & 1, expected, "%s: round %u, observer %u", name, round, o);
            found[expected]++;
        }
    }
    cr_assert(found[0] > 8000 && found[1] > 8000, "%s: %u observers without an event, %u with", name, found[0],
              found[1]);
}

Test(kernels, observers_of_far_items_at_an_ulp)
{
    with_each(find_observers_far_off);
}
