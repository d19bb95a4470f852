/*
 * Walkers among areas of all shapes, by steps from next to nothing to a tower's width: the members of the areas, as the
 * edges of all ticks give them, are the rule's. An entity that is far enough from all borders is not tested again. So
 * here many come near to them, some areas move, leave or appear beside walking and standing entities, and kinds and
 * instances change.
 *
 *     areas_vs_brute_force [--seed N] [--count N]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/model.h"

enum { WALKERS = 120, AREAS = 40, TICKS = 40, KINDS = 3, CORNERS = 6, INSTANCES = 3 };

#define SIDE 240.0f

static const uint32_t SHARING = 0xe8b2f51u; /* multiples below 64 times share the cells of shards/zones/areas.h */

typedef struct walk {
    ph_world_def def;
    ph_class classes[KINDS];
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t seed, rng;
    uint32_t tick, calm;       /* of so many ticks one changes areas */
    uint32_t instances, apart; /* how many; by how much their numbers differ */
    float origin, step;
    ph_attrs at[WALKERS];
    ph_area area[AREAS];
    bool there[AREAS];
    bool inside[WALKERS][AREAS]; /* by edges */
    bool before[WALKERS][AREAS]; /* the same, a tick ago */
    uint64_t edges;
} walk;

static walk w;

static float within(float low, float width)
{
    return low + width * phx_rng_unit(&w.rng);
}

/* ---- areas ---- */

static void random_corners(ph_area *area, float x, float y, float radius)
{
    const float turn = within(0, 1), way = phx_rng_below(&w.rng, 2) ? 1.0f : -1.0f;
    area->corner_count = 3 + phx_rng_below(&w.rng, CORNERS - 2);
    for (uint32_t i = 0; i < area->corner_count; i++) {
        const float angle = way * 6.2831853f * ((float)i + turn) / (float)area->corner_count;
        area->corners[i][0] = x + radius * cosf(angle);
        area->corners[i][1] = y + radius * sinf(angle);
    }
}

/* From hardly a step wide to most of the world, here and there out of it. */
static void set_area(uint32_t i)
{
    static const float sizes[] = {1, 8, 30, 120};
    const float x = within(w.origin - 10, SIDE + 20), y = within(w.origin - 10, SIDE + 20);
    const float size = within(0.5f, 1) * sizes[phx_rng_below(&w.rng, 4)];
    ph_area area = {.shape = (ph_area_shape)phx_rng_below(&w.rng, 3), .center = {x, y}, .radius = size};
    area.low[0] = x - size;
    area.low[1] = y - size / 2;
    area.high[0] = x + size / 3;
    area.high[1] = y + size;
    random_corners(&area, x, y, size);
    if (area.shape != PH_AREA_POLYGON && phx_rng_below(&w.rng, 2)) area.margin = within(0, 1) * size;
    if (phx_rng_below(&w.rng, 4) == 0) {
        area.flags |= PH_AREA_HEIGHT;
        area.z_low = within(-1, 2);
        area.z_high = area.z_low + within(0, 3);
    }
    if (w.tick > 1 && phx_rng_below(&w.rng, 4) == 0) { /* around a walker, which has been there before */
        area.flags |= PH_AREA_FOLLOW;
        area.follow = 1 + phx_rng_below(&w.rng, WALKERS);
        area.center[0] = area.center[1] = 0;
        area.low[0] = area.low[1] = -size;
        area.high[0] = area.high[1] = size / 2;
        random_corners(&area, size, 0, size);
    } else if (phx_rng_below(&w.rng, 3) == 0) {
        area.flags |= PH_AREA_IN_INSTANCE;
        area.instance = phx_rng_below(&w.rng, w.instances) * w.apart;
    }
    area.kind_count = phx_rng_below(&w.rng, 3);
    for (uint32_t k = 0; k < area.kind_count; k++) area.kinds[k] = phx_rng_below(&w.rng, KINDS);
    if (w.there[i] && phx_rng_below(&w.rng, 2)) area = w.area[i], area.center[0] += w.step, area.low[0] -= w.step;
    const ph_status status = ph_area_set(w.producer, i + 1, &area);
    if (status == PH_BAD_VALUE && area.shape == PH_AREA_POLYGON) return; /* where float32 is coarse, none is convex */
    CHECK_OK(status);
    w.area[i] = area;
    w.there[i] = true;
}

static void change_areas(void)
{
    for (uint32_t i = 0; i < AREAS; i++) {
        const uint32_t what = phx_rng_below(&w.rng, 10);
        if (what == 0 && w.there[i]) {
            CHECK_OK(ph_area_remove(w.producer, i + 1));
            w.there[i] = false;
        } else if (what < 4) {
            set_area(i);
        }
    }
}

/* ---- walkers ---- */

static void enter(uint32_t i)
{
    w.at[i] = (ph_attrs){.given = PH_X | PH_Y | PH_KIND | PH_INSTANCE, .kind = i % KINDS};
    w.at[i].instance = i % w.instances * w.apart;
    w.at[i].x = within(w.origin, SIDE);
    w.at[i].y = within(w.origin, SIDE);
    CHECK_OK(ph_enter(w.producer, i + 1, &w.at[i]));
}

/* Up to the border of some area, as far as float32 knows it. */
static void step_to_border(uint32_t i)
{
    const ph_area *area = &w.area[phx_rng_below(&w.rng, AREAS)];
    const float angle = within(0, 6.2831853f);
    w.at[i].x = area->shape == PH_AREA_BOX ? area->high[0] : area->center[0] + area->radius * cosf(angle);
    w.at[i].y = area->shape == PH_AREA_BOX ? area->low[1] : area->center[1] + area->radius * sinf(angle);
}

static void act(uint32_t i)
{
    const uint32_t what = phx_rng_below(&w.rng, 100);
    if (what < 20) return;
    if (what < 22) {
        ph_attrs set = {.given = phx_rng_below(&w.rng, 2) ? PH_KIND : PH_INSTANCE,
                        .kind = phx_rng_below(&w.rng, KINDS)};
        set.instance = phx_rng_below(&w.rng, w.instances) * w.apart;
        if (set.given & PH_KIND) w.at[i].kind = set.kind;
        else w.at[i].instance = set.instance;
        CHECK_OK(ph_set(w.producer, i + 1, &set));
        if (what == 20) return;
    }
    w.at[i].x += within(-w.step, 2 * w.step);
    w.at[i].y += within(-w.step, 2 * w.step);
    if (what == 22) step_to_border(i);
    if (what < 60) w.at[i].z += within(-0.2f, 0.4f);
    if (what < 30) w.at[i].z = within(-1, 3);
    CHECK_OK(ph_move(w.producer, i + 1, w.at[i].x, w.at[i].y, w.at[i].z));
}

/* ---- edges ---- */

static void take_edges(void)
{
    const ph_batch *batch;
    while (ph_batch_take(w.consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->crossing_count; i++) {
            const ph_edge *edge = &batch->crossings[i];
            bool *inside = &w.inside[edge->id - 1][edge->area - 1];
            CHECK(*inside != (edge->on != 0), "seed %" PRIu64 ", tick %u: %" PRIu64 " is told of %" PRIu64 " again",
                  w.seed, w.tick, edge->id, edge->area);
            *inside = edge->on != 0;
            w.edges++;
        }
        CHECK_OK(ph_batch_return(w.consumer, batch));
    }
}

/* The area where it is now. */
static ph_area placed_area(uint32_t a)
{
    ph_area area = w.area[a];
    if (!(area.flags & PH_AREA_FOLLOW)) return area;
    const ph_attrs *anchor = &w.at[area.follow - 1];
    const float by[2] = {anchor->x, anchor->y};
    for (int axis = 0; axis < 2; axis++) {
        area.center[axis] += by[axis];
        area.low[axis] += by[axis];
        area.high[axis] += by[axis];
        for (uint32_t i = 0; i < area.corner_count; i++) area.corners[i][axis] += by[axis];
    }
    area.z_low += anchor->z;
    area.z_high += anchor->z;
    area.flags |= PH_AREA_IN_INSTANCE;
    area.instance = anchor->instance;
    return area;
}

static void check_inside(void)
{
    for (uint32_t a = 0; a < AREAS; a++) {
        const ph_area area = placed_area(a);
        for (uint32_t i = 0; i < WALKERS; i++) {
            const bool is = w.there[a] && model_in_area(&area, &w.at[i], w.before[i][a]);
            CHECK(is == w.inside[i][a], "seed %" PRIu64 ", tick %u: %u is %s area %u (shape %d), which is not told",
                  w.seed, w.tick, i + 1, is ? "in" : "out of", a + 1, (int)w.area[a].shape);
        }
    }
    memcpy(w.before, w.inside, sizeof w.before);
}

/* ---- a world ---- */

static void open_world(uint64_t seed)
{
    static const float origins[] = {0, -120, 60000, -2e6f}, steps[] = {0.02f, 0.7f, 3, 15}, towers[] = {12, 40, 100};
    static const char *const names[KINDS] = {"default", "second", "third"};
    memset(&w, 0, sizeof w);
    w.seed = w.rng = seed;
    w.origin = origins[phx_rng_below(&w.rng, 4)];
    w.step = steps[phx_rng_below(&w.rng, 4)];
    w.instances = phx_rng_below(&w.rng, 2) ? 1 : INSTANCES;
    w.apart = phx_rng_below(&w.rng, 2) ? 1 : SHARING;
    w.calm = 1 + 6 * phx_rng_below(&w.rng, 3);
    ph_world_def def = ph_world_def_default();
    for (uint32_t k = 0; k < KINDS; k++) w.classes[k] = ph_class_default(names[k]);
    def.classes = w.classes;
    def.class_count = KINDS;
    def.world_origin[0] = def.world_origin[1] = w.origin;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = towers[phx_rng_below(&w.rng, 3)];
    def.workers = 1 + phx_rng_below(&w.rng, 2);
    def.share_min = 0;
    def.shards[0] = 1 + phx_rng_below(&w.rng, 2);
    def.shards[1] = 1 + phx_rng_below(&w.rng, 2);
    w.def = def;
    REQUIRE(ph_world_create(&def, &w.world) == PH_OK);
    REQUIRE(ph_producer_open(w.world, &w.producer) == PH_OK);
    REQUIRE(ph_consumer_open(w.world, 0, &w.consumer) == PH_OK);
}

/* The rules change, so every entity is tested, in a tick in which areas change, too. */
static void reload(void)
{
    char reason[100];
    w.classes[0].view = w.classes[0].view == 20 ? 30 : 20;
    CHECK_OK(ph_world_reconfigure(w.world, &w.def, reason, sizeof reason));
}

static void run(uint64_t seed, uint64_t *edges)
{
    open_world(seed);
    for (uint32_t i = 0; i < AREAS; i++) set_area(i);
    for (w.tick = 1; w.tick <= TICKS && check_failures() == 0; w.tick++) {
        if (w.tick > 1 && w.tick % w.calm == 0) change_areas();
        if (w.tick > 1 && phx_rng_below(&w.rng, 6) == 0) reload();
        for (uint32_t i = 0; i < WALKERS; i++) {
            if (w.tick == 1) enter(i);
            else act(i);
        }
        uint64_t tick;
        CHECK_OK(ph_tick(w.world, &tick));
        take_edges();
        check_inside();
    }
    *edges += w.edges;
    CHECK_OK(ph_world_destroy(w.world));
}

int main(int argc, char **argv)
{
    const uint64_t first = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(300));
    uint64_t edges = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        run(seed, &edges);
        if (check_failures() > 0) {
            (void)fprintf(stderr, "to repeat it: areas_vs_brute_force --seed %" PRIu64 " --count 1\n", seed);
            break;
        }
    }
    printf("%" PRIu64 " worlds, %" PRIu64 " edges\n", count, edges);
    CHECK(edges > count * 1000, "hardly any edges");
    return check_done("areas_vs_brute_force");
}
