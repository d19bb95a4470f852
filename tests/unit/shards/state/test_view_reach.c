/*
 * shards/state/view_reach.c: the towers that an observer tests hold all that can pass, and not many more.
 */
#include "shards/state/view_reach.h"
#include "unit/shards/shards_fixture.h"

static bool holds(phx_rect rect, const phx_body *body)
{
    return body->tx >= rect.x0 && body->tx <= rect.x1 && body->ty >= rect.y0 && body->ty <= rect.y1;
}

static void stand(const phx_rules *rules, phx_body *body, float x, float y)
{
    *body = (phx_body){.x = x, .y = y, .tx = phx_tower_index(rules, 0, x), .ty = phx_tower_index(rules, 1, y)};
}

/* A coordinate about `off` away from `from`. */
static float off_by(uint64_t *rng, float from, float off)
{
    float p = phx_rng_below(rng, 2) ? from + off : from - off;
    return float_near(rng, fabsf(p) <= FLT_MAX ? p : from);
}

/* Targets at the very end of the radius in one direction, or anywhere inside. */
static uint32_t check_rect(uint64_t *rng, const phx_rules *rules, const phx_body *o, float radius)
{
    phx_rect rect = phx_interest_rect(rules, o->x, o->y, radius);
    uint32_t passed = 0;
    cr_assert(rect.x1 < rules->towers[0] && rect.y1 < rules->towers[1]);
    cr_assert(holds(rect, o));
    for (int i = 0; i < 12; i++) {
        phx_body t;
        float share = phx_rng_unit(rng), x = off_by(rng, o->x, i % 3 == 0 ? radius : radius * share);
        float y = off_by(rng, o->y, i % 3 == 1 ? radius : i % 3 == 0 ? 0 : radius * phx_rng_unit(rng));
        stand(rules, &t, x, i % 3 == 1 ? y : i % 2 ? o->y : y);
        if (i % 3 == 1) stand(rules, &t, o->x, y);
        if (!phx_in_range(rules, o, &t, radius)) continue;
        passed++;
        cr_assert(holds(rect, &t), "%a, %a from %a, %a by %a; towers of %a", (double)t.x, (double)t.y, (double)o->x,
                  (double)o->y, (double)radius, (double)rules->tower_size);
    }
    return passed;
}

Test(interest, the_rectangle_holds_all_that_can_pass)
{
    uint64_t rng = 17;
    uint32_t passed = 0;
    for (int i = 0; i < 60000; i++) {
        float size = i % 4 == 0 ? fmaxf(fabsf(float_any(&rng)), FLT_MIN) : float_between(&rng, 0.5f, 100);
        phx_rules rules = plain_rules(size, 1 + phx_rng_below(&rng, 65535));
        rules.shape = i % 2 ? PH_SHAPE_CIRCLE : PH_SHAPE_SQUARE;
        rules.origin[0] = i % 3 == 0 ? float_any(&rng) : -100;
        phx_body o;
        float border = rules.origin[0] + size * (float)phx_rng_below(&rng, rules.towers[0]);
        float x = i % 5 == 0 || !(fabsf(border) <= FLT_MAX) ? float_any(&rng) : float_near(&rng, border);
        stand(&rules, &o, x, i % 7 == 0 ? float_any(&rng) : float_between(&rng, 0, 1000));
        float radius = size * (float)phx_rng_below(&rng, 9) + size * phx_rng_unit(&rng);
        if (i % 4 == 1) radius = fabsf(float_any(&rng));
        passed += check_rect(&rng, &rules, &o, radius <= FLT_MAX ? radius : FLT_MAX);
    }
    cr_assert_gt(passed, 200000);
}

Test(interest, the_rectangle_of_a_tiny_or_an_endless_radius)
{
    uint64_t rng = 18;
    static const float radii[] = {0,      FLT_TRUE_MIN, 1e-40f,  FLT_MIN, 1e-30f,  1e-22f,  1e-19f,
                                  1e-18f, 1.8e19f,      1.9e19f, 1e30f,   FLT_MAX, INFINITY};
    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
        for (int i = 0; i < 3000; i++) {
            phx_rules rules = plain_rules(i % 2 ? FLT_MIN * (float)(1 + i) : 1e-19f, 65535);
            phx_body o;
            float unit = rules.tower_size;
            stand(&rules, &o, unit * (float)phx_rng_below(&rng, 60000), unit * (float)phx_rng_below(&rng, 60000));
            (void)check_rect(&rng, &rules, &o, radii[r]);
            /* an underflow passes a circle of radius 0 */
            phx_body t;
            stand(&rules, &t, o.x + 1e-23f * phx_rng_unit(&rng), o.y);
            if (!phx_in_range(&rules, &o, &t, radii[r])) continue;
            cr_assert(holds(phx_interest_rect(&rules, o.x, o.y, radii[r]), &t));
        }
    }
}

Test(interest, a_radius_without_a_square_reaches_everything)
{
    phx_rules rules = plain_rules(1e34f, 30000);
    phx_body o, t;
    stand(&rules, &o, 0, 0);
    stand(&rules, &t, 1e38f, 2e38f);
    cr_assert(phx_in_range(&rules, &o, &t, 2e19f), "inf <= inf");
    cr_assert(holds(phx_interest_rect(&rules, o.x, o.y, 2e19f), &t));
    cr_assert(holds(phx_interest_rect(&rules, t.x, t.y, 2e19f), &o));
}

Test(interest, the_rectangle_is_no_larger_than_it_has_to_be)
{
    phx_rules rules = plain_rules(10, 1000);
    phx_body o;
    stand(&rules, &o, 5005, 2005);
    phx_rect rect = phx_interest_towers(&rules, &o, 24);
    cr_assert(rect.x0 == 498 && rect.x1 == 502 && rect.y0 == 198 && rect.y1 == 202);
    rect = phx_interest_towers(&rules, &o, 4);
    cr_assert(rect.x0 == 500 && rect.x1 == 500 && rect.y0 == 200 && rect.y1 == 200);
    rules.range = PH_RANGE_TOWERS;
    rules.span = 300;
    rect = phx_interest_towers(&rules, &o, 4);
    cr_assert(rect.x0 == 200 && rect.x1 == 800 && rect.y0 == 0 && rect.y1 == 500);
    rules.span = 65535;
    rect = phx_interest_towers(&rules, &o, 4);
    cr_assert(rect.x0 == 0 && rect.x1 == 999 && rect.y0 == 0 && rect.y1 == 999);
}
