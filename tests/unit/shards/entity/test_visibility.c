/*
 * shards/entity/visibility.h: the tower of a position, range by every shape, and the table of
 * visibility, each float32 operation rounded on its own.
 */
#include "unit/shards/shard_case.h"

/* ---- towers ---- */

static uint16_t tower(float origin, float size, uint32_t towers, float p)
{
    phx_rules rules = plain_rules(size, towers);
    rules.origin[0] = origin;
    rules.origin[1] = 12345.0f; /* of the other axis */
    return phx_tower_index(&rules, 0, p);
}

Test(rules, a_tower_has_its_lower_border_and_not_its_upper_one)
{
    cr_assert_eq(tower(0, 100, 10, 0.0f), 0);
    cr_assert_eq(tower(0, 100, 10, -0.0f), 0);
    for (uint16_t i = 1; i < 10; i++) {
        float border = 100.0f * i;
        cr_assert_eq(tower(0, 100, 10, border), i);
        cr_assert_eq(tower(0, 100, 10, nextafterf(border, INFINITY)), i);
        cr_assert_eq(tower(0, 100, 10, nextafterf(border, 0)), i - 1);
    }
}

Test(rules, outside_the_world_is_the_first_or_the_last_tower)
{
    static const float below[] = {-FLT_TRUE_MIN, -1.0f, -100.0f, -1e30f, -FLT_MAX};
    static const float above[] = {1000.0f, 1100.0f, 1e30f, FLT_MAX};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) cr_assert_eq(tower(0, 100, 10, below[i]), 0);
    for (size_t i = 0; i < sizeof above / sizeof *above; i++) cr_assert_eq(tower(0, 100, 10, above[i]), 9);
    cr_assert_eq(tower(0, 100, 10, nextafterf(1000.0f, 0)), 9);
}

Test(rules, a_quotient_that_overflows_is_clamped)
{
    cr_assert_eq(tower(0, FLT_MIN, 65535, FLT_MAX), 65534);
    cr_assert_eq(tower(0, FLT_MIN, 65535, -FLT_MAX), 0);
    cr_assert_eq(tower(-FLT_MAX, 1, 65535, FLT_MAX), 65534); /* p - origin is infinite already */
    cr_assert_eq(tower(FLT_MAX, 1, 65535, -FLT_MAX), 0);
    cr_assert_eq(tower(0, FLT_MAX, 1, FLT_MAX), 0);
    cr_assert_eq(tower(0, FLT_MAX, 2, FLT_MAX), 1);
    cr_assert_eq(tower(0, FLT_MIN, 65535, FLT_MIN * 3), 3);
    cr_assert_eq(tower(0, FLT_MIN, 65535, FLT_TRUE_MIN), 0);
}

Test(rules, the_origin_may_be_negative_and_each_axis_has_its_own)
{
    cr_assert_eq(tower(-5000, 100, 100, -5000.0f), 0);
    cr_assert_eq(tower(-5000, 100, 100, -4900.0f), 1);
    cr_assert_eq(tower(-5000, 100, 100, nextafterf(-4900.0f, -INFINITY)), 0);
    cr_assert_eq(tower(-5000, 100, 100, 0.0f), 50);
    cr_assert_eq(tower(-5000, 100, 100, 4999.0f), 99);
    phx_rules rules = plain_rules(10, 7);
    rules.origin[1] = 1000;
    rules.towers[1] = 3;
    cr_assert_eq(phx_tower_index(&rules, 0, 1020), 6);
    cr_assert_eq(phx_tower_index(&rules, 1, 1020), 2);
    cr_assert_eq(phx_tower_index(&rules, 1, 1019), 1);
}

Test(rules, a_world_of_65535_towers_reaches_its_last)
{
    cr_assert_eq(tower(0, 1, 65535, 65533.5f), 65533);
    cr_assert_eq(tower(0, 1, 65535, 65534.0f), 65534);
    cr_assert_eq(tower(0, 1, 65535, 65535.0f), 65534);
}

Test(rules, outside_is_beyond_all_towers_along_an_axis)
{
    phx_rules rules = plain_rules(10, 7);
    rules.origin[1] = 1000;
    rules.towers[1] = 3;
    const struct {
        float at, below, origin, end; /* at: along the other axis, in the middle */
    } axis[2] = {{1015, -0x1p-140f, 0, 70}, {35, nextafterf(1000, 0), 1000, 1030}};
    for (int a = 0; a < 2; a++) {
        const float beyond[] = {axis[a].below, axis[a].end, nextafterf(axis[a].end, INFINITY), -FLT_MAX, FLT_MAX};
        const float within[] = {axis[a].origin, nextafterf(axis[a].origin, INFINITY), nextafterf(axis[a].end, 0)};
        for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
            cr_assert(a == 0 ? phx_outside_towers(&rules, beyond[i], axis[a].at)
                             : phx_outside_towers(&rules, axis[a].at, beyond[i]),
                      "axis %d: %a", a, (double)beyond[i]);
        for (size_t i = 0; i < sizeof within / sizeof *within; i++)
            cr_assert_not(a == 0 ? phx_outside_towers(&rules, within[i], axis[a].at)
                                 : phx_outside_towers(&rules, axis[a].at, within[i]),
                          "axis %d: %a", a, (double)within[i]);
    }
    cr_assert_not(phx_outside_towers(&rules, -0.0f, 1015));
    rules.tower_size = 1e-30f; /* the quotient has no end */
    cr_assert(phx_outside_towers(&rules, 1e30f, 1000));
}

Test(rules, the_tower_index_is_the_floored_quotient_and_monotone)
{
    uint64_t rng = 1;
    for (int i = 0; i < 200000; i++) {
        phx_rules rules = plain_rules(fabsf(float_any(&rng)), 1 + phx_rng_below(&rng, 65535));
        if (rules.tower_size < FLT_MIN) rules.tower_size = FLT_MIN;
        rules.origin[1] = phx_rng_below(&rng, 2) ? float_any(&rng) : 0.0f;
        float border = rules.origin[1] + rules.tower_size * (float)phx_rng_below(&rng, 70000);
        float p = phx_rng_below(&rng, 2) && fabsf(border) <= FLT_MAX ? float_near(&rng, border) : float_any(&rng);
        volatile float offset = p - rules.origin[1];
        volatile float quotient = offset / rules.tower_size;
        double index = floor((double)quotient), last = rules.towers[1] - 1;
        index = index < 0 ? 0 : index > last ? last : index;
        cr_assert_eq(phx_tower_index(&rules, 1, p), index, "round %d: %a", i, (double)p);
        float q = float_near(&rng, p);
        cr_assert(q >= p ? phx_tower_index(&rules, 1, q) >= index : phx_tower_index(&rules, 1, q) <= index);
    }
}

/* ---- range ---- */

static bool ranges(ph_shape shape, float dx, float dy, float dz, float r)
{
    phx_rules rules = plain_rules(100, 10);
    rules.shape = shape;
    rules.height = 10;
    phx_body o = {.x = 0}, t = {.x = dx, .y = dy, .z = dz};
    return phx_in_range(&rules, &o, &t, r);
}

Test(rules, a_circle_holds_its_border)
{
    cr_assert(ranges(PH_SHAPE_CIRCLE, 3, 4, 1e9f, 5));
    cr_assert(ranges(PH_SHAPE_CIRCLE, -3, -4, 0, 5));
    cr_assert_not(ranges(PH_SHAPE_CIRCLE, 3, 4, 0, nextafterf(5, 0)));
    cr_assert_not(ranges(PH_SHAPE_CIRCLE, 5, nextafterf(4, 5), 0, 5));
    cr_assert(ranges(PH_SHAPE_CIRCLE, 0, 5, 0, 5));
    cr_assert_not(ranges(PH_SHAPE_CIRCLE, 0, nextafterf(5, 6), 0, 5));
    cr_assert(ranges(PH_SHAPE_CIRCLE, 0, 0, 0, 0));
}

Test(rules, a_square_holds_its_corners)
{
    cr_assert(ranges(PH_SHAPE_SQUARE, 5, -5, 1e9f, 5));
    cr_assert_not(ranges(PH_SHAPE_SQUARE, nextafterf(5, 6), 0, 0, 5));
    cr_assert_not(ranges(PH_SHAPE_SQUARE, 0, -nextafterf(5, 6), 0, 5));
}

Test(rules, a_cylinder_is_a_circle_and_a_height)
{
    cr_assert(ranges(PH_SHAPE_CYLINDER, 3, 4, -10, 5));
    cr_assert(ranges(PH_SHAPE_CYLINDER, 3, 4, 10, 5));
    cr_assert_not(ranges(PH_SHAPE_CYLINDER, 3, 4, nextafterf(10, 11), 5));
    cr_assert_not(ranges(PH_SHAPE_CYLINDER, 3, 4, -nextafterf(10, 11), 5));
    cr_assert_not(ranges(PH_SHAPE_CYLINDER, 5, 4, 0, 5));
}

Test(rules, a_sphere_counts_the_height)
{
    cr_assert(ranges(PH_SHAPE_SPHERE, 2, 3, 6, 7));
    cr_assert(ranges(PH_SHAPE_SPHERE, 2, 3, -6, 7));
    cr_assert_not(ranges(PH_SHAPE_SPHERE, 2, 3, nextafterf(6, 7), 7));
    cr_assert_not(ranges(PH_SHAPE_SPHERE, 3, 4, 1, 5));
}

Test(rules, infinities_compare_as_ieee_says)
{
    cr_assert(ranges(PH_SHAPE_CIRCLE, 1e30f, 0, 0, 2e19f), "inf <= inf");
    cr_assert_not(ranges(PH_SHAPE_CIRCLE, 1e30f, 0, 0, 1e19f));
    cr_assert(ranges(PH_SHAPE_CIRCLE, FLT_MAX, FLT_MAX, 0, INFINITY));
    cr_assert(ranges(PH_SHAPE_SPHERE, 0, 0, 1e30f, 2e19f));
    cr_assert_not(ranges(PH_SHAPE_SPHERE, 0, 0, 1e30f, 1e19f));
    cr_assert_not(ranges(PH_SHAPE_CYLINDER, 1e30f, 0, FLT_MAX, INFINITY), "the height is finite");
    cr_assert_not(ranges(PH_SHAPE_SQUARE, 1e30f, 0, 0, 2e19f), "a square does not overflow");
    cr_assert(ranges(PH_SHAPE_SQUARE, FLT_MAX, FLT_MAX, 0, INFINITY));
    phx_rules rules = plain_rules(100, 10);
    phx_body o = {.x = -FLT_MAX}, t = {.x = FLT_MAX}; /* dx itself is infinite */
    cr_assert(phx_in_range(&rules, &o, &t, 2e19f));
    rules.shape = PH_SHAPE_SQUARE;
    cr_assert_not(phx_in_range(&rules, &o, &t, FLT_MAX));
    cr_assert(phx_in_range(&rules, &o, &t, INFINITY));
}

Test(rules, a_square_that_underflows_is_distance_zero)
{
    cr_assert(ranges(PH_SHAPE_CIRCLE, 1e-30f, 0, 0, 1e-38f), "0 <= 0");
    cr_assert(ranges(PH_SHAPE_CIRCLE, 1e-30f, 0, 0, 0));
    cr_assert_not(ranges(PH_SHAPE_SQUARE, 1e-30f, 0, 0, 1e-38f));
    cr_assert_not(ranges(PH_SHAPE_CIRCLE, 1e-20f, 0, 0, 1e-21f));
}

/* Every operation stored before the next one: no compiler can join two. */
static bool ranges_slowly(const phx_rules *rules, const phx_body *o, const phx_body *t, float r)
{
    volatile float dx = t->x - o->x, dy = t->y - o->y, dz = t->z - o->z;
    volatile float xx = dx * dx, yy = dy * dy, zz = dz * dz, rr = r * r;
    volatile float xy = xx + yy, xyz = xy + zz;
    switch (rules->shape) {
    case PH_SHAPE_CIRCLE:
        return xy <= rr;
    case PH_SHAPE_SQUARE:
        return (dx < 0 ? -dx : dx) <= r && (dy < 0 ? -dy : dy) <= r;
    case PH_SHAPE_CYLINDER:
        return xy <= rr && (dz < 0 ? -dz : dz) <= rules->height;
    case PH_SHAPE_SPHERE:
        return xyz <= rr;
    }
    return false;
}

Test(rules, each_operation_is_rounded_on_its_own)
{
    uint64_t rng = 2;
    uint32_t told_apart = 0; /* pairs that a fused multiply-add would answer otherwise */
    for (int i = 0; i < 400000; i++) {
        phx_rules rules = plain_rules(100, 10);
        rules.shape = (ph_shape)(i % 4);
        phx_body o = {.x = float_between(&rng, -1e4f, 1e4f), .y = float_between(&rng, -1e4f, 1e4f)};
        phx_body t = {.x = o.x + float_between(&rng, -100, 100), .y = o.y + float_between(&rng, -100, 100)};
        o.z = float_between(&rng, 0, 100);
        t.z = o.z + float_between(&rng, -120, 120);
        float dx = t.x - o.x, dy = t.y - o.y, dz = t.z - o.z;
        float d2 = rules.shape == PH_SHAPE_SPHERE ? dx * dx + dy * dy + dz * dz : dx * dx + dy * dy;
        float r = float_near(&rng, rules.shape == PH_SHAPE_SQUARE ? fmaxf(fabsf(dx), fabsf(dy)) : sqrtf(d2));
        bool slowly = ranges_slowly(&rules, &o, &t, r);
        cr_assert_eq(phx_in_range(&rules, &o, &t, r), slowly, "round %d", i);
        if (rules.shape == PH_SHAPE_CIRCLE) told_apart += (fmaf(dx, dx, dy * dy) <= r * r) != slowly;
    }
    cr_assert_gt(told_apart, 100);
}

Test(rules, towers_in_range_lie_within_the_span)
{
    phx_rules rules = plain_rules(100, 65535);
    static const struct {
        uint32_t span;
        uint16_t ox, oy, tx, ty;
        bool in;
    } rows[] = {
        {0, 5, 5, 5, 5, true},          {0, 5, 5, 6, 5, false},
        {0, 5, 5, 5, 4, false},         {1, 5, 5, 6, 4, true},
        {1, 5, 5, 4, 6, true},          {1, 5, 5, 7, 5, false},
        {1, 5, 5, 3, 5, false},         {1, 5, 5, 5, 7, false},
        {1, 5, 5, 5, 3, false},         {3, 0, 0, 3, 3, true},
        {3, 0, 0, 4, 0, false},         {65535, 0, 0, 65534, 65534, true},
        {65533, 0, 0, 65534, 0, false}, {65534, 65534, 0, 0, 65534, true},
        {1, 0, 0, 65534, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rules.span = rows[i].span;
        phx_body o = {.tx = rows[i].ox, .ty = rows[i].oy}, t = {.tx = rows[i].tx, .ty = rows[i].ty};
        cr_assert_eq(phx_in_towers(&rules, &o, &t), rows[i].in, "row %zu", i);
    }
}

Test(rules, only_a_sphere_ranks_by_height)
{
    phx_rules rules = plain_rules(100, 10);
    phx_body o = {.x = 1, .y = 2, .z = 3}, t = {.x = 3, .y = 5, .z = 9};
    for (int shape = 0; shape < 4; shape++) {
        rules.shape = (ph_shape)shape;
        cr_assert_eq(phx_rank_d2(&rules, &o, &t), shape == PH_SHAPE_SPHERE ? 49.0f : 13.0f);
    }
}

/* ---- SPEC section 3 ---- */

/* One pair as the table says: an observer of view 10, margin 2 at 0, a target at (x, 0), unless changed. */
typedef struct pair_case {
    const char *what;
    float x, reach;
    uint64_t sees, layers;
    uint8_t detect, stealth;
    bool global, in_list;
    uint32_t bits; /* of the relation */
    float pair_view, pair_margin;
    bool seen;
} pair_case;

#define EVERYONE .sees = UINT64_MAX, .layers = 1
static const pair_case pair_cases[] = {
    {"inside the view", 10, EVERYONE, .seen = true},
    {"outside it", 10.5f, EVERYONE},
    {"held by the margin", 12, EVERYONE, .in_list = true, .seen = true},
    {"beyond the margin", 12.5f, EVERYONE, .in_list = true},
    {"the margin is for old targets only", 12, EVERYONE},
    {"no common layer", 1, .sees = 6, .layers = 1},
    {"one common layer of many", 1, .sees = 6, .layers = 3, .seen = true},
    {"too stealthy", 1, EVERYONE, .detect = 4, .stealth = 5},
    {"detect as good as stealth", 1, EVERYONE, .detect = 5, .stealth = 5, .seen = true},
    {"reach beyond the view", 50, 50, EVERYONE, .seen = true},
    {"reach and not further", 50.5f, 50, EVERYONE},
    {"a reach below the view adds nothing", 10.5f, 5, EVERYONE},
    {"a reach has the margin too", 52, 50, EVERYONE, .in_list = true, .seen = true},
    {"and ends behind it", 52.5f, 50, EVERYONE, .in_list = true},
    {"global", 1e6f, EVERYONE, .global = true, .seen = true},
    {"global but on another layer", 1, .sees = 2, .layers = 1, .global = true},
    {"global but hidden", 1, EVERYONE, .stealth = 255, .global = true},
    {"linked", 1e6f, EVERYONE, .bits = PHX_RELATION_LINK, .seen = true},
    {"linked but on another layer", 1, .sees = 2, .layers = 1, .bits = PHX_RELATION_LINK},
    {"linked but hidden", 1, EVERYONE, .stealth = 255, .bits = PHX_RELATION_LINK},
    {"paired farther", 30, EVERYONE, .bits = PHX_RELATION_PAIR, .pair_view = 30, .seen = true},
    {"paired nearer", 9, EVERYONE, .bits = PHX_RELATION_PAIR, .pair_view = 8},
    {"a pair replaces the reach", 40, 50, EVERYONE, .bits = PHX_RELATION_PAIR, .pair_view = 30},
    {"a pair's margin", 35, EVERYONE, .bits = PHX_RELATION_PAIR, .pair_view = 30, .pair_margin = 5, .in_list = true,
     .seen = true},
    {"in the observer's place", 31, EVERYONE, .bits = PHX_RELATION_PAIR, .pair_view = 30, .in_list = true},
    {"a pair of 0 sees a target at its place", 0, EVERYONE, .bits = PHX_RELATION_PAIR, .seen = true},
    {"paired, but hidden", 1, EVERYONE, .stealth = 1, .bits = PHX_RELATION_PAIR, .pair_view = 30},
    {"linked and paired", 1e6f, EVERYONE, .bits = PHX_RELATION_PAIR | PHX_RELATION_LINK, .pair_view = 1, .seen = true},
};

static bool pair_seen(const phx_rules *rules, const pair_case *c)
{
    phx_body ob = {.x = 0}, tb = {.x = c->x};
    tb.tx = phx_tower_index(rules, 0, tb.x);
    phx_attr oa = plain_attr(10, 2), ta = plain_attr(0, 1000); /* a target's margin plays no part */
    oa.sees = c->sees;
    oa.detect = c->detect;
    oa.stealth = 255; /* nor do an observer's layers and stealth */
    oa.layers = 0;
    ta.sees = 0;
    ta.layers = c->layers;
    ta.stealth = c->stealth;
    ta.visible = PH_LENGTH_MAX;
    ta.global = c->global;
    ta.reach = c->reach;
    phx_relation relation = {.target = 2, .view = c->pair_view, .margin = c->pair_margin, .bits = (uint8_t)c->bits};
    return phx_rule_sees(rules, &ob, &oa, &tb, &ta, c->bits ? &relation : NULL, c->in_list);
}

Test(rules, visibility_of_a_pair)
{
    phx_rules rules = plain_rules(10, 10);
    for (size_t i = 0; i < sizeof pair_cases / sizeof *pair_cases; i++)
        cr_assert_eq(pair_seen(&rules, &pair_cases[i]), pair_cases[i].seen, "%s", pair_cases[i].what);
}

Test(rules, by_towers_radii_margins_and_pairs_play_no_part)
{
    phx_rules rules = plain_rules(10, 10);
    rules.range = PH_RANGE_TOWERS;
    for (size_t i = 0; i < sizeof pair_cases / sizeof *pair_cases; i++) {
        const pair_case *c = &pair_cases[i];
        bool eligible = (c->sees & c->layers) && c->stealth <= c->detect;
        bool always = c->global || (c->bits & PHX_RELATION_LINK);
        cr_assert_eq(pair_seen(&rules, c), eligible && (always || c->x < 20), "%s", c->what);
    }
}

Test(rules, only_the_ready_with_a_view_observe)
{
    phx_attr attr = plain_attr(FLT_TRUE_MIN, 0);
    cr_assert(phx_attr_observes(&attr));
    attr.ready = false;
    cr_assert_not(phx_attr_observes(&attr));
    attr.ready = true;
    attr.view = 0;
    cr_assert_not(phx_attr_observes(&attr));
}
