/*
 * At the bounds of lengths and places: larger ones than PH_COORDINATE_MAX and PH_LENGTH_MAX are refused, and up to them
 * every index and layout agrees with brute force, for lists as for queries. Two entities at a time on a grid of places
 * and views; then seeded scripts at that scale against the model, with all indexes.
 *
 * options: --seed S, --count N scripts an index
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/indexes.h"
#include "support/run.h"
#include "support/script_gen.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SCRIPTS = 60 };

/* The bound, a rounding below it, and others; behind them values beyond it. */
static const float values[] = {0,    1e18f,           0x1.bc16d4p+59f, 7e17f, 5e17f,  2e17f,
                               1e9f, 0x1.bc16d8p+59f, 1e19f,           1e20f, 3.3e21f};
static const float views[] = {1e18f,   0x1.bc16d4p+59f, 7.0710678e17f, 5e17f, 0x1.bc16d8p+59f,
                              1.9e19f, 2e19f,           4e20f,         3e38f};

typedef struct layout {
    uint32_t shards[2];
    float origin, size;
} layout;

static const layout layouts[] = {{{1, 1}, 0, 1e18f}, {{3, 2}, -1e18f, 1e18f}, {{2, 2}, -5e17f, 1e18f}};

static bool is_place(float v)
{
    return fabsf(v) <= 1e18f;
}

static bool in_range(ph_shape shape, const float o[3], const float t[3], float r)
{
    float dx = t[0] - o[0], dy = t[1] - o[1], dz = t[2] - o[2];
    float dx2 = dx * dx, dy2 = dy * dy, dz2 = dz * dz, r2 = r * r;
    float flat = dx2 + dy2;
    switch (shape) {
    case PH_SHAPE_SQUARE:
        return fabsf(dx) <= r && fabsf(dy) <= r;
    case PH_SHAPE_SPHERE:
        return flat + dz2 <= r2;
    case PH_SHAPE_CYLINDER:
        return flat <= r2 && fabsf(dz) <= 1e18f;
    default:
        return flat <= r2;
    }
}

typedef struct place {
    ph_world world;
    ph_producer producer;
    ph_shape shape;
    uint64_t compared, refused;
} place;

/* 1 observes 2, in every pair of places on the grid; places beyond the bound are refused, and change nothing. */
static void look(place *p, float view, const float o[3], const float t[3])
{
    ph_attrs one = {.given = PH_POSITION | PH_VIEW, .x = o[0], .y = o[1], .z = o[2], .view = view};
    bool good = is_place(o[0]) && is_place(o[1]) && is_place(o[2]);
    bool there = is_place(t[0]) && is_place(t[1]) && is_place(t[2]);
    bool may = good && view <= 1e18f && there;
    CHECK_STATUS(ph_set(p->producer, 1, &one), !good ? PH_BAD_POSITION : view <= 1e18f ? PH_OK : PH_BAD_RADIUS);
    CHECK_STATUS(ph_move(p->producer, 2, t[0], t[1], t[2]), there ? PH_OK : PH_BAD_POSITION);
    p->refused += !may;
    if (!may) {
        return;
    }
    bool sees = false;
    bool expected = in_range(p->shape, o, t, view);
    CHECK_OK(ph_tick(p->world, NULL));
    CHECK_OK(ph_sees(p->world, 1, 2, &sees));
    CHECK(sees == expected, "(%g, %g, %g) with view %g %s (%g, %g, %g), shape %d", (double)o[0], (double)o[1],
          (double)o[2], (double)view, expected ? "does not see" : "sees", (double)t[0], (double)t[1], (double)t[2],
          (int)p->shape);
    uint64_t ids[2];
    uint32_t count = 0;
    CHECK_OK(ph_list(p->world, 1, ids, 2, &count));
    CHECK(count == expected && (count == 0 || ids[0] == 2), "the list has %" PRIu32, count);
    ph_query circle = {.shape = PH_QUERY_CIRCLE, .x = o[0], .y = o[1], .radius = view, .without = 1};
    ph_hit hit;
    CHECK_OK(ph_find(p->world, &circle, &hit, 1, &count));
    CHECK(count == in_range(PH_SHAPE_CIRCLE, o, t, view), "a circle has %" PRIu32, count);
    circle.radius = INFINITY;
    CHECK_OK(ph_find(p->world, &circle, &hit, 1, &count));
    CHECK(count == 1 && isfinite(hit.square), "a circle without end has %" PRIu32, count);
    p->compared++;
}

static void grid(ph_index index, const layout *l, ph_shape shape)
{
    place p = {.shape = shape};
    ph_world_def def = ph_world_def_default();
    def.index = index;
    def.shape = shape;
    def.height = PH_LENGTH_MAX;
    for (int axis = 0; axis < 2; axis++) {
        def.shards[axis] = l->shards[axis];
        def.world_origin[axis] = l->origin;
        def.world_size[axis] = l->size;
    }
    def.tower_size = 1e17f;
    if (!index_serves(&def, index)) {
        return;
    }
    REQUIRE(ph_world_create(&def, &p.world) == PH_OK && ph_producer_open(p.world, &p.producer) == PH_OK);
    ph_attrs start = {.given = PH_X | PH_Y};
    CHECK_OK(ph_enter(p.producer, 1, &start));
    CHECK_OK(ph_enter(p.producer, 2, &start));
    for (size_t v = 0; v < COUNT(views); v++) {
        for (size_t a = 0; a < COUNT(values) * COUNT(values); a++) {
            float x = values[a % COUNT(values)], y = values[a / COUNT(values)];
            const float o[3] = {x, -y, 0}, t[3] = {-values[(a + v) % COUNT(values)], y, a % 3 == 0 ? x : 0};
            look(&p, views[v], o, t);
        }
    }
    CHECK(p.compared > 100 && p.refused > 100, "%" PRIu64 " compared, %" PRIu64 " refused", p.compared, p.refused);
    ph_verification progress = {0};
    ph_difference difference;
    CHECK_OK(ph_verify(p.world, UINT64_MAX, &progress, &difference));
    CHECK(difference.kind == PH_DIFFERENCE_NONE, "ph_verify() tells a difference");
    CHECK_OK(ph_world_destroy(p.world));
}

/* Just beyond the bound no definition is taken, just below it any is. */
static void definitions(void)
{
    ph_class kind = ph_class_default("default");
    const ph_world_def plain = ph_world_def_default();
    ph_world_def def = plain;
    ph_world world;
    float *const fields[] = {&def.world_origin[0], &def.world_origin[1], &def.world_size[0], &def.world_size[1],
                             &def.height,          &def.tower_size,      &def.cell_size,     &kind.view,
                             &kind.margin,         &kind.reach,          &kind.visible,      &kind.bands[0].radius};
    kind.band_count = 1;
    kind.bands[0].every = 1;
    for (size_t i = 0; i < COUNT(fields); i++) {
        for (size_t v = 1; v < COUNT(values); v++) {
            def = plain;
            def.classes = &kind;
            def.class_count = 1;
            kind.view = kind.margin = kind.reach = kind.visible = 0;
            kind.bands[0].radius = 1;
            def.tower_size = 1e17f;
            *fields[i] = values[v];
            CHECK_STATUS(ph_world_def_check(&def, NULL, 0), values[v] <= 1e18f ? PH_OK : PH_BAD_DEF);
        }
        *fields[i] = i < 2 ? -FLT_MAX : FLT_MAX;
        CHECK_STATUS(ph_world_create(&def, &world), PH_BAD_DEF);
    }
}

/* Everything else, and everything together: the model's word, for every index. */
static void scripts(uint64_t seed, uint64_t count)
{
    static const char *const profiles[] = {"far", "far_plain", "huge"};
    run_result *result = check_zalloc(sizeof *result);
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        const char *profile = profiles[i % COUNT(profiles)];
        script *s = ops_script(seed + i, (uint32_t)ops_profile_find(profile));
        for (int index = PH_INDEX_LIGHTHOUSE; index <= PH_INDEX_TIMER && check_failures() == 0; index++) {
            const run_options options = {0};
            s->def.index = (ph_index)index;
            if (index_serves(&s->def, s->def.index)) {
                run_script(s, &options, result);
                CHECK(!result->failed, "diff_model --seed %" PRIu64 " --profile %s --index %s --count 1\n%s", seed + i,
                      profile, index_name(s->def.index), result->report);
            }
        }
        script_free(s);
    }
    free(result);
}

int main(int argc, char **argv)
{
    definitions();
    for (int index = PH_INDEX_LIGHTHOUSE; index <= PH_INDEX_TIMER; index++) {
        for (size_t l = 0; l < COUNT(layouts); l++) {
            for (int shape = PH_SHAPE_CIRCLE; shape <= PH_SHAPE_SPHERE; shape++) {
                grid((ph_index)index, &layouts[l], (ph_shape)shape);
            }
        }
    }
    scripts(option_number(argc, argv, "--seed", 1), option_number(argc, argv, "--count", test_amount(SCRIPTS)));
    return check_done("coordinate_bounds");
}
