/*
 * Worlds that leave the side of their towers open (tower_size = 0): the side is the one of the formula of ph_world_def,
 * by classes or by the entities that come first; events are those of any other side, and the work is that of the same
 * side given; what would make events depend on a chosen side is refused; a world that is loaded chooses anew; without
 * memory nothing is lost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>
#include <pharos/query.h>
#include <pharos/save.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/image_bytes.h"

enum { WALKERS = 400, TICKS = 12, SITES_MAX = 1000 };
#define SIDE 2000.0f
#define VIEW 100.0f

static ph_world_def def_of(float tower_size, uint32_t nx, uint32_t ny)
{
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = tower_size;
    def.shards[0] = nx;
    def.shards[1] = ny;
    def.hash_seed = 1;
    return def;
}

static float side_of(ph_world world)
{
    ph_stats stats;
    CHECK_OK(ph_world_stats(world, &stats));
    return (float)stats.tower_size;
}

static bool is(float side, float expected)
{
    return side >= expected && side <= expected;
}

/* ---- by classes ---- */

typedef struct class_case {
    float views[3], world_size;
    uint32_t shards;
    ph_range range;
    uint32_t crowd_entities;
    bool wakes;
    float side;
} class_case;

static const class_case class_cases[] = {
    {{100, 0, 0}, 10000, 1, PH_RANGE_RADIUS, 0, false, 300},
    {{0, 100, 0}, 10000, 1, PH_RANGE_RADIUS, 0, false, 300},
    {{100, 400, 0}, 10000, 1, PH_RANGE_RADIUS, 0, false, 600},
    {{100, 200, 400}, 10000, 1, PH_RANGE_RADIUS, 0, false, 600},
    {{0, 0, 0}, 10000, 1, PH_RANGE_RADIUS, 0, false, 100},
    {{100, 0, 0}, 1000, 4, PH_RANGE_RADIUS, 0, false, 250},  /* a tower a shard */
    {{0, 0, 0}, 1000, 20, PH_RANGE_RADIUS, 0, false, 50},    /* ... without a view, too */
    {{100, 0, 0}, 10000, 1, PH_RANGE_TOWERS, 0, false, 100}, /* towers are a rule */
    {{200, 0, 0}, 10000, 1, PH_RANGE_RADIUS, 5, false, 100}, /* ... of crowd control */
    {{200, 0, 0}, 10000, 1, PH_RANGE_RADIUS, 0, true, 100},  /* ... of activation */
};

static void choose_by_classes(void)
{
    for (size_t i = 0; i < sizeof class_cases / sizeof *class_cases; i++) {
        const class_case *c = &class_cases[i];
        ph_world_def def = def_of(0, c->shards, c->shards);
        ph_class classes[3] = {ph_class_default("default"), ph_class_default("a"), ph_class_default("b")};
        ph_world world;
        for (int kind = 0; kind < 3; kind++) classes[kind].view = c->views[kind];
        classes[2].wakes = c->wakes;
        def.world_size[0] = def.world_size[1] = c->world_size;
        def.classes = classes;
        def.class_count = 3;
        def.range = c->range;
        def.crowd_entities = c->crowd_entities;
        CHECK_OK(ph_world_create(&def, &world));
        CHECK(is(side_of(world), c->side), "case %zu: a side of %g, expected %g", i, (double)side_of(world),
              (double)c->side);
        CHECK_OK(ph_world_destroy(world));
    }
    /* however small the views: towers are numbered with 16 bits */
    ph_world_def def = def_of(0, 1, 1);
    ph_class one = ph_class_default("default");
    ph_world world;
    one.view = 1e-6f;
    def.classes = &one;
    CHECK_OK(ph_world_create(&def, &world));
    CHECK(side_of(world) * PH_TOWERS_AXIS_MAX >= SIDE && side_of(world) * 60000 < SIDE, "a side of %g",
          (double)side_of(world));
    CHECK_OK(ph_world_destroy(world));
}

/* ---- what changes while the world lives ---- */

static void reconfigure(void)
{
    char reason[256];
    ph_class one = ph_class_default("default");
    ph_world_def def = def_of(0, 1, 1), wanted;
    ph_world world;
    one.view = VIEW;
    def.classes = &one;
    CHECK_OK(ph_world_create(&def, &world));
    CHECK_OK(ph_world_reconfigure(world, &def, reason, sizeof reason));
    wanted = def;
    wanted.tower_size = 300; /* as chosen: but then images had it */
    CHECK_STATUS(ph_world_reconfigure(world, &wanted, reason, sizeof reason), PH_NOT_LIVE);
    CHECK(strstr(reason, "tower_size: can not change") != NULL, "%s", reason);
    wanted = def;
    wanted.crowd_entities = 5;
    CHECK_STATUS(ph_world_reconfigure(world, &wanted, reason, sizeof reason), PH_NOT_LIVE);
    CHECK(strstr(reason, "tower_size: was chosen by the views") != NULL, "%s", reason);
    one.view = 10; /* the side stays */
    CHECK_OK(ph_world_reconfigure(world, &def, reason, sizeof reason));
    CHECK_OK(ph_tick(world, NULL));
    CHECK(is(side_of(world), 300), "a side of %g", (double)side_of(world));
    one.wakes = true;
    CHECK_STATUS(ph_world_reconfigure(world, &def, reason, sizeof reason), PH_NOT_LIVE);
    CHECK_OK(ph_world_destroy(world));
    /* towers that decide from the beginning keep their side, whatever is on */
    CHECK_OK(ph_world_create(&def, &world));
    one.wakes = false;
    CHECK_OK(ph_world_reconfigure(world, &def, reason, sizeof reason));
    CHECK_OK(ph_tick(world, NULL));
    one.wakes = true;
    CHECK_OK(ph_world_reconfigure(world, &def, reason, sizeof reason));
    CHECK_OK(ph_tick(world, NULL));
    CHECK(is(side_of(world), 100), "a side of %g", (double)side_of(world));
    CHECK_OK(ph_world_destroy(world));
}

/* ---- a walk ---- */

typedef struct walk {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t rng, events; /* events: a sum over all of them, which has no order */
    float x[WALKERS], y[WALKERS];
} walk;

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t state = a * 0x9E3779B97F4A7C15u + b;
    return phx_rng_next(&state);
}

static void take(walk *w)
{
    const ph_batch *batch;
    while (ph_batch_take(w->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *c = &batch->changes[i];
            for (uint32_t t = 0; t < c->leave_count + c->enter_count; t++)
                w->events +=
                    mix(mix(batch->tick, c->observer), batch->targets[c->first + t].id * 2 + (t < c->leave_count));
        }
        CHECK_OK(ph_batch_return(w->consumer, batch));
    }
}

static void open_walk(walk *w, const ph_world_def *def)
{
    *w = (walk){.rng = 7};
    CHECK_OK(ph_world_create(def, &w->world));
    CHECK_OK(ph_producer_open(w->world, &w->producer));
    CHECK_OK(ph_consumer_open(w->world, 0, &w->consumer));
}

static void enter_all(walk *w)
{
    for (uint32_t i = 0; i < WALKERS; i++) {
        w->x[i] = phx_rng_unit(&w->rng) * SIDE;
        w->y[i] = phx_rng_unit(&w->rng) * SIDE;
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = w->x[i], .y = w->y[i], .view = VIEW};
        CHECK_OK(ph_enter(w->producer, i + 1, &attrs));
    }
}

static void step(walk *w)
{
    for (uint32_t i = 0; i < WALKERS; i++) {
        w->x[i] += phx_rng_unit(&w->rng) * 10 - 5;
        w->y[i] += phx_rng_unit(&w->rng) * 10 - 5;
        CHECK_OK(ph_move(w->producer, i + 1, w->x[i], w->y[i], 0));
    }
}

static void run_walk(walk *w, bool applies)
{
    CHECK_OK(ph_tick(w->world, NULL)); /* nothing comes: the choice stays open */
    enter_all(w);
    if (applies) CHECK_OK(ph_apply(w->world));
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        CHECK_OK(ph_tick(w->world, NULL));
        take(w);
        step(w);
    }
    CHECK_OK(ph_tick(w->world, NULL));
    take(w);
}

/* The same walk with an open side, with the one that it chooses, and with others. */
static void compare_walks(uint32_t nx, uint32_t ny, ph_index index, bool applies)
{
    static const float sides[] = {0, 3 * VIEW, VIEW / 2, VIEW, 20 * VIEW};
    ph_stats open = {0};
    uint64_t events = 0;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        ph_world_def def = def_of(sides[i], nx, ny);
        ph_stats stats;
        walk w;
        def.index = index;
        if (ph_world_def_check(&def, NULL, 0) != PH_OK) continue; /* fewer towers than shards; or without that index */
        open_walk(&w, &def);
        run_walk(&w, applies);
        CHECK_OK(ph_world_stats(w.world, &stats));
        if (i == 0) open = stats, events = w.events;
        CHECK(w.events == events && events != 0, "%u x %u shards, index %d: a side of %g has other events", nx, ny,
              (int)index, (double)sides[i]);
        if (i == 0) CHECK(is((float)stats.tower_size, 3 * VIEW), "a side of %g", stats.tower_size);
        if (i == 1)
            CHECK(stats.pairs_tested == open.pairs_tested && stats.observers_evaluated == open.observers_evaluated &&
                      stats.towers_visited == open.towers_visited &&
                      stats.observers_glanced == open.observers_glanced && stats.index_steps == open.index_steps &&
                      stats.migrations == open.migrations,
                  "%u x %u shards, index %d: an open side has more work than the same one given", nx, ny, (int)index);
        CHECK_OK(ph_world_destroy(w.world));
    }
}

/* ---- which views count ---- */

static void enter_one(const walk *w, uint64_t id, float view)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = 5, .y = 5, .view = view};
    CHECK_OK(ph_enter(w->producer, id, &attrs));
}

static void choose_by_entities(void)
{
    const ph_world_def def = def_of(0, 2, 2);
    const ph_area area = {.shape = PH_AREA_CIRCLE, .center = {50, 50}, .radius = 5};
    walk w;
    open_walk(&w, &def); /* by the shortest and the longest of the first tick, and by no later one */
    CHECK(is(side_of(w.world), 100), "a side of %g", (double)side_of(w.world));
    enter_one(&w, 1, 40);
    enter_one(&w, 2, 0);
    enter_one(&w, 3, 10);
    enter_one(&w, 4, 20);
    CHECK_OK(ph_tick(w.world, NULL));
    CHECK(is(side_of(w.world), 60), "a side of %g", (double)side_of(w.world));
    enter_one(&w, 5, 400);
    CHECK_OK(ph_tick(w.world, NULL));
    CHECK(is(side_of(w.world), 60), "a side of %g", (double)side_of(w.world));
    CHECK_OK(ph_world_destroy(w.world));
    open_walk(&w, &def); /* an area needs towers, too */
    CHECK_OK(ph_area_set(w.producer, 1, &area));
    CHECK_OK(ph_tick(w.world, NULL));
    enter_one(&w, 1, 40);
    CHECK_OK(ph_tick(w.world, NULL));
    CHECK(is(side_of(w.world), 100), "a side of %g", (double)side_of(w.world));
    CHECK_OK(ph_world_destroy(w.world));
}

/* ---- images ---- */

/* A loaded world chooses anew, by the views that there are: its events go on as those of one that was not saved. */
static void load_anew(uint32_t shards)
{
    const ph_world_def def = def_of(0, 1, 1);
    const ph_load_options options = {.given = PH_LOAD_SHARDS, .shards = {shards, shards}};
    walk stays, saved;
    open_walk(&stays, &def);
    open_walk(&saved, &def);
    for (walk *w = &stays; w; w = w == &stays ? &saved : NULL) {
        run_walk(w, false);
        for (uint32_t i = 0; i < WALKERS; i++) {
            const ph_attrs attrs = {.given = PH_VIEW, .view = 20};
            CHECK_OK(ph_set(w->producer, i + 1, &attrs));
        }
        CHECK_OK(ph_tick(w->world, NULL));
        take(w);
    }
    image_bytes image = {0};
    char reason[256];
    CHECK_OK(ph_save(saved.world, image_bytes_write, &image));
    CHECK_OK(ph_world_destroy(saved.world));
    if (!CHECK_OK(ph_load(&options, image_bytes_read, &image, &saved.world, reason, sizeof reason))) return;
    CHECK(is(side_of(stays.world), 3 * VIEW) && is(side_of(saved.world), 60), "sides of %g and %g",
          (double)side_of(stays.world), (double)side_of(saved.world));
    CHECK_OK(ph_producer_open(saved.world, &saved.producer));
    CHECK_OK(ph_consumer_open(saved.world, 0, &saved.consumer));
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        uint64_t hashes[2];
        for (walk *w = &stays; w; w = w == &stays ? &saved : NULL) {
            step(w);
            CHECK_OK(ph_tick(w->world, NULL));
            take(w);
            CHECK_OK(ph_world_hash(w->world, &hashes[w == &saved]));
        }
        CHECK(hashes[0] == hashes[1] && stays.events == saved.events, "tick %u: the loaded world is another one", tick);
    }
    CHECK_OK(ph_world_destroy(stays.world));
    CHECK_OK(ph_world_destroy(saved.world));
    VEC_FREE(&image);
}

/* ---- no memory ---- */

/* The first tick without its n-th allocation, or all from there on: called again, or finished as it is. */
static bool lack_memory(uint64_t site, bool sticky, bool finish, uint64_t events)
{
    fail_alloc memory = {0};
    ph_world_def def = def_of(0, 3, 2);
    walk w;
    def.allocator = fail_alloc_hooks(&memory);
    open_walk(&w, &def);
    CHECK_OK(ph_tick(w.world, NULL));
    enter_all(&w);
    fail_alloc_order(&memory, site, sticky);
    ph_status status = ph_tick(w.world, NULL);
    const bool failed = atomic_load(&memory.failed) != 0;
    if (status == PH_NO_MEMORY && finish) CHECK_OK(ph_tick_finish(w.world, NULL));
    fail_alloc_order(&memory, 0, false);
    if (status == PH_NO_MEMORY && !finish) CHECK_OK(ph_tick(w.world, NULL));
    take(&w);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        step(&w);
        CHECK_OK(ph_tick(w.world, NULL));
        take(&w);
    }
    ph_verification progress = {0};
    ph_difference difference;
    CHECK_OK(ph_verify(w.world, UINT64_MAX, &progress, &difference));
    CHECK(progress.rounds > 0 && difference.kind == PH_DIFFERENCE_NONE, "allocation %" PRIu64 ": wrong lists", site);
    ph_stats stats;
    CHECK_OK(ph_world_stats(w.world, &stats));
    if (!finish) {
        CHECK(w.events == events || stats.refused_in_tick > 0, "allocation %" PRIu64 ": other events", site);
        CHECK(is(side_of(w.world), 3 * VIEW), "allocation %" PRIu64 ": a side of %g", site, (double)side_of(w.world));
    }
    CHECK_OK(ph_world_destroy(w.world));
    CHECK(fail_alloc_clean(&memory), "allocation %" PRIu64 ": memory is left", site);
    return failed;
}

static void lack_all_memory(void)
{
    walk w;
    const ph_world_def def = def_of(0, 3, 2);
    open_walk(&w, &def);
    run_walk(&w, false);
    CHECK_OK(ph_world_destroy(w.world));
    for (int way = 0; way < 4; way++) {
        uint64_t site = 1;
        while (site < SITES_MAX && lack_memory(site, way & 1, way & 2, w.events)) site++;
        CHECK(site > 10 && site < SITES_MAX, "%" PRIu64 " allocations", site);
    }
}

int main(void)
{
    choose_by_classes();
    reconfigure();
    for (int applies = 0; applies < 2; applies++) {
        compare_walks(1, 1, PH_INDEX_LIGHTHOUSE, applies);
        compare_walks(3, 2, PH_INDEX_LIGHTHOUSE, applies);
        compare_walks(2, 2, PH_INDEX_TOWERS, applies);
        compare_walks(1, 1, PH_INDEX_QUADTREE, applies);
    }
    choose_by_entities();
    load_anew(1);
    load_anew(3);
    lack_all_memory();
    return check_done("tower_choice");
}
