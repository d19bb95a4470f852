/*
 * The model against hand-made vectors: visibility (every range, shape and attribute),
 * hysteresis, pairs, links, caps.
 */
#include <float.h>

#include "unit/support/model_fixture.h"

/* One observer at the origin, one target at (x, y, z); does it come into sight? */
static bool sees_at(ph_shape shape, float height, float view, float x, float y, float z)
{
    fixture f = fixture_def();
    f.def.shape = shape;
    f.def.height = height;
    fixture_make(&f);
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_VIEW, .view = view}));
    OK(enter_as(&f, 2, x, y, (ph_attrs){.given = PH_KIND | PH_Z, .kind = 2, .z = z}));
    (void)model_tick(f.m);
    bool sees = false;
    OK(model_sees(f.m, 1, 2, &sees));
    fixture_end(&f);
    return sees;
}

Test(model, circle_is_closed)
{
    float out = nextafterf(5, 6);
    cr_assert(sees_at(PH_SHAPE_CIRCLE, 0, 5, 3, 4, 1000));
    cr_assert(sees_at(PH_SHAPE_CIRCLE, 0, 5, -3, -4, 0));
    cr_assert(sees_at(PH_SHAPE_CIRCLE, 0, 5, 5, 0, 0));
    cr_assert(!sees_at(PH_SHAPE_CIRCLE, 0, 5, out, 0, 0));
    cr_assert(!sees_at(PH_SHAPE_CIRCLE, 0, 5, 0, -out, 0));
    cr_assert(!sees_at(PH_SHAPE_CIRCLE, 0, 5, 4, 4, 0));
    cr_assert(!sees_at(PH_SHAPE_CIRCLE, 0, 0, 0, 0, 0), "view 0 is no observer");
}

Test(model, square_is_closed)
{
    float out = nextafterf(5, 6);
    cr_assert(sees_at(PH_SHAPE_SQUARE, 0, 5, 5, -5, 1000));
    cr_assert(!sees_at(PH_SHAPE_SQUARE, 0, 5, out, 0, 0));
    cr_assert(!sees_at(PH_SHAPE_SQUARE, 0, 5, 0, -out, 0));
}

Test(model, cylinder_is_a_circle_with_a_height)
{
    float out = nextafterf(7, 8);
    cr_assert(sees_at(PH_SHAPE_CYLINDER, 7, 5, 3, 4, 7));
    cr_assert(sees_at(PH_SHAPE_CYLINDER, 7, 5, 3, 4, -7));
    cr_assert(!sees_at(PH_SHAPE_CYLINDER, 7, 5, 3, 4, out));
    cr_assert(!sees_at(PH_SHAPE_CYLINDER, 7, 5, 4, 4, 0));
}

Test(model, sphere_counts_z)
{
    cr_assert(sees_at(PH_SHAPE_SPHERE, 0, 3, 2, 2, 1));
    cr_assert(sees_at(PH_SHAPE_SPHERE, 0, 3, 0, 0, -3));
    cr_assert(!sees_at(PH_SHAPE_SPHERE, 0, 3, 2, 2, 1.001f));
}

/* Every operation is rounded to float32: pairs on which doubles, or a fused multiply-add, decide otherwise. */
Test(model, every_operation_rounds)
{
    uint64_t differs_double = 0;
    uint64_t differs_fma = 0;
    for (uint32_t i = 1; i < 4000; i++) {
        float x = (float)i * 0.0123f;
        float y = (float)(4000 - i) * 0.0077f;
        volatile float xx = x * x;
        volatile float yy = y * y;
        volatile float sum = xx + yy;
        float r = sqrtf(sum);
        volatile float rr = r * r;
        bool expected = sum <= rr;
        cr_assert_eq(sees_at(PH_SHAPE_CIRCLE, 0, r, x, y, 0), expected, "i %" PRIu32, i);
        differs_double += ((double)x * x + (double)y * y <= (double)r * r) != expected;
        differs_fma += (fmaf(x, x, yy) <= rr) != expected;
    }
    cr_assert(differs_double > 0 && differs_fma > 0, "the vectors do not tell the ways of rounding apart");
}

Test(model, the_largest_and_the_smallest_compare_as_any)
{
    cr_assert(sees_at(PH_SHAPE_CIRCLE, 0, PH_LENGTH_MAX, PH_COORDINATE_MAX, 0, 0));
    cr_assert(!sees_at(PH_SHAPE_CIRCLE, 0, nextafterf(PH_LENGTH_MAX, 0), PH_COORDINATE_MAX, 0, 0));
    cr_assert(!sees_at(PH_SHAPE_CIRCLE, 0, PH_LENGTH_MAX, PH_COORDINATE_MAX, 1e17f, 0));
    cr_assert(sees_at(PH_SHAPE_SQUARE, 0, PH_LENGTH_MAX, PH_COORDINATE_MAX, -PH_COORDINATE_MAX, 0));
    cr_assert(sees_at(PH_SHAPE_CIRCLE, 0, 1e-45f, 1e-45f, 0, 0), "both squares underflow to 0");
    cr_assert(sees_at(PH_SHAPE_CIRCLE, 0, 1e-45f, -0.0f, 0, 0));
}

Test(model, towers_in_range)
{
    fixture f = fixture_def();
    f.def.range = PH_RANGE_TOWERS;
    f.def.span = 1;
    fixture_make(&f);
    OK(enter(&f, 1, 15, 15)); /* tower 1, 1 */
    OK(enter_as(&f, 2, 29.99f, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    OK(enter_as(&f, 3, 30, 15, (ph_attrs){.given = PH_KIND, .kind = 2}));       /* tower 3 */
    OK(enter_as(&f, 4, -500, -1e18f, (ph_attrs){.given = PH_KIND, .kind = 2})); /* clamped to 0, 0 */
    TICK(&f, "1*:+2+4");
    OK(pair(&f, 1, 3, 1000, 0));
    OK(set(&f, 1, (ph_attrs){.given = PH_VIEW, .view = 0.5f}));
    TICK(&f, "");                  /* radii and pairs play no part */
    OK(move(&f, 1, 1e18f, 1e18f)); /* tower 99, 99 */
    OK(move(&f, 3, 985, 2000));    /* tower 98, 99 */
    TICK(&f, "1:-2-4+3");
    OK(set(&f, 1, (ph_attrs){.given = PH_VIEW, .view = 0}));
    TICK(&f, "1:-3");
    fixture_end(&f);
}

Test(model, tower_index_is_float32)
{
    /* 0.7f / 0.1f rounds to 7 in float32, and is below 7 in real numbers. */
    fixture f = fixture_def();
    f.def.range = PH_RANGE_TOWERS;
    f.def.span = 0;
    f.def.tower_size = 0.1f;
    f.def.world_size[0] = 2;
    f.def.world_size[1] = 2;
    fixture_make(&f);
    OK(enter(&f, 1, 0.7f, 0));
    OK(enter_as(&f, 2, 0.75f, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    TICK(&f, "1*:+2");
    fixture_end(&f);
}

Test(model, margin_is_for_targets_in_the_list)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_MARGIN, .margin = 5}));
    OK(enter_as(&f, 2, 12, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    TICK(&f, "1*:");
    OK(move(&f, 2, 10, 0));
    TICK(&f, "1:+2");
    OK(move(&f, 2, 15, 0));
    TICK(&f, "");
    OK(move(&f, 2, nextafterf(15, 16), 0));
    TICK(&f, "1:-2");
    OK(move(&f, 2, 15, 0));
    TICK(&f, "");
    fixture_end(&f);
}

Test(model, a_new_incarnation_has_no_margin)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_MARGIN, .margin = 5}));
    OK(enter_as(&f, 2, 10, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    TICK(&f, "1*:+2");
    OK(leave(&f, 2));
    OK(enter_as(&f, 2, 12, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    TICK(&f, "1:-2");
    fixture_end(&f);
}

Test(model, reach_is_seen_from_afar)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter_as(&f, 2, 50, 0, (ph_attrs){.given = PH_REACH | PH_KIND, .reach = 50, .kind = 2}));
    OK(enter_as(&f, 3, 0, 0, (ph_attrs){.given = PH_KIND, .kind = 2})); /* no observer: reach helps no list */
    TICK(&f, "1*:+2+3");
    OK(set(&f, 2, (ph_attrs){.given = PH_REACH, .reach = 49}));
    TICK(&f, "1:-2");
    OK(set(&f, 2, (ph_attrs){.given = PH_REACH, .reach = 5}));
    OK(move(&f, 2, 10, 0));
    TICK(&f, "1:+2"); /* the larger of view and reach */
    fixture_end(&f);
}

Test(model, layers_and_stealth_hide)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_SEES | PH_DETECT, .sees = 6, .detect = 3}));
    OK(enter_as(&f, 2, 1, 0, (ph_attrs){.given = PH_LAYERS | PH_KIND, .layers = 3, .kind = 2}));
    OK(enter_as(&f, 3, 2, 0, (ph_attrs){.given = PH_LAYERS | PH_KIND, .layers = 9, .kind = 2}));
    OK(enter_as(&f, 4, 3, 0,
                (ph_attrs){.given = PH_LAYERS | PH_STEALTH | PH_KIND, .layers = 4, .stealth = 3, .kind = 2}));
    OK(enter_as(&f, 5, 4, 0,
                (ph_attrs){.given = PH_LAYERS | PH_STEALTH | PH_KIND | PH_GLOBAL,
                           .layers = 4,
                           .stealth = 4,
                           .global = true,
                           .kind = 2}));
    TICK(&f, "1*:+2+4"); /* global does not help against stealth */
    OK(set(&f, 1, (ph_attrs){.given = PH_SEES | PH_DETECT, .sees = 0, .detect = 255}));
    TICK(&f, "1:-2-4");
    fixture_end(&f);
}

Test(model, global_and_link_see_at_any_distance)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter_as(&f, 2, 900, 900, (ph_attrs){.given = PH_GLOBAL | PH_KIND, .global = true, .kind = 2}));
    OK(enter_as(&f, 3, 1e18f, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    OK(enter_as(&f, 4, 500, 500, (ph_attrs){.given = PH_KIND, .kind = 2})); /* view 0: sees nothing */
    TICK(&f, "1*:+2");
    OK(act(&f, COMMAND_LINK, 1, 3));
    OK(act(&f, COMMAND_LINK, 4, 3));
    TICK(&f, "1:+3");
    OK(act(&f, COMMAND_LINK, 1, 3));
    OK(act(&f, COMMAND_UNLINK, 1, 3));
    TICK(&f, "1:-3");
    OK(act(&f, COMMAND_LINK, 1, 3));
    OK(leave(&f, 3));
    OK(enter_as(&f, 3, 1e18f, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    TICK(&f, ""); /* the link ended with it */
    fixture_end(&f);
}

Test(model, a_pair_replaces_the_radii)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_MARGIN, .margin = 100}));
    OK(enter_as(&f, 2, 8, 0, (ph_attrs){.given = PH_KIND | PH_REACH, .kind = 2, .reach = 30}));
    OK(pair(&f, 1, 2, 5, 2));
    TICK(&f, "1*:");
    OK(move(&f, 2, 5, 0));
    TICK(&f, "1:+2");
    OK(move(&f, 2, 7, 0));
    TICK(&f, "");
    OK(move(&f, 2, 7.5f, 0));
    TICK(&f, "1:-2");
    OK(pair(&f, 1, 2, 8, 0));
    TICK(&f, "1:+2");
    OK(pair(&f, 1, 2, 0, 0));
    TICK(&f, "1:-2");
    OK(act(&f, COMMAND_UNPAIR, 1, 2));
    TICK(&f, "1:+2");
    OK(pair(&f, 1, 2, 0, 0));
    OK(leave(&f, 1));
    OK(enter(&f, 1, 0, 0));
    TICK(&f, "1*:+2"); /* the pair ended with the observer */
    fixture_end(&f);
}

/* ---- caps ---- */

static const ph_attrs PLAIN = {.given = PH_KIND, .kind = 2};

Test(model, cap_keeps_the_nearest_then_the_smaller_id)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_CAP, .cap = 2}));
    OK(enter_as(&f, 2, 5, 0, PLAIN));
    OK(enter_as(&f, 3, 0, 5, PLAIN));
    OK(enter_as(&f, 4, -5, 0, PLAIN));
    OK(enter_as(&f, 5, 4, 0, PLAIN));
    TICK(&f, "1*:+2+5");
    OK(leave(&f, 5));
    TICK(&f, "1:-5+3");
    OK(set(&f, 1, (ph_attrs){.given = PH_CAP, .cap = 0}));
    TICK(&f, "1:+4");
    OK(set(&f, 1, (ph_attrs){.given = PH_CAP, .cap = 1}));
    TICK(&f, "1:-3-4");
    fixture_end(&f);
}

Test(model, cap_is_sticky)
{
    fixture f = fixture_def();
    f.def.sticky = 2;
    fixture_make(&f);
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_CAP, .cap = 1}));
    OK(enter_as(&f, 2, 4, 0, PLAIN));
    TICK(&f, "1*:+2");
    OK(enter_as(&f, 3, 3, 0, PLAIN)); /* 9 * 2 > 16 */
    TICK(&f, "");
    OK(move(&f, 2, 0, 4.5f)); /* 9 * 2 < 20.25 */
    TICK(&f, "1:-2+3");
    OK(move(&f, 3, 4, 4)); /* 32 in the list */
    OK(move(&f, 2, 0, 4)); /* 16 * 2 = 32: the smaller id */
    TICK(&f, "1:-3+2");
    fixture_end(&f);
}

Test(model, cap_ranks_forced_then_priority)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_CAP, .cap = 2}));
    OK(enter_as(&f, 2, 1, 0, PLAIN));
    OK(enter_as(&f, 3, 9, 0, (ph_attrs){.given = PH_KIND | PH_PRIORITY, .kind = 2, .priority = 1}));
    OK(enter_as(&f, 4, 900, 0, (ph_attrs){.given = PH_KIND | PH_GLOBAL, .kind = 2, .global = true}));
    TICK(&f, "1*:+3+4");
    OK(enter_as(&f, 5, 800, 0, PLAIN));
    OK(act(&f, COMMAND_LINK, 1, 5));
    TICK(&f, "1:-3+5"); /* linked and global count and come first */
    OK(enter_as(&f, 6, 700, 0, (ph_attrs){.given = PH_KIND | PH_GLOBAL, .kind = 2, .global = true}));
    TICK(&f, "1:-4+6"); /* and are cut too: 700^2 * 1.1 < 900^2 */
    fixture_end(&f);
}

Test(model, cap_of_a_sphere_counts_z)
{
    fixture f = fixture_def();
    f.def.shape = PH_SHAPE_SPHERE;
    fixture_make(&f);
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_CAP, .cap = 1}));
    OK(enter_as(&f, 2, 1, 0, (ph_attrs){.given = PH_KIND | PH_Z, .kind = 2, .z = 5}));
    OK(enter_as(&f, 3, 4, 0, PLAIN));
    TICK(&f, "1*:+3");
    fixture_end(&f);
}

Test(model, cap_of_a_cylinder_does_not)
{
    fixture f = fixture_def();
    f.def.shape = PH_SHAPE_CYLINDER;
    f.def.height = 100;
    fixture_make(&f);
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_CAP, .cap = 1}));
    OK(enter_as(&f, 2, 1, 0, (ph_attrs){.given = PH_KIND | PH_Z, .kind = 2, .z = 5}));
    OK(enter_as(&f, 3, 4, 0, PLAIN));
    TICK(&f, "1*:+2");
    fixture_end(&f);
}
