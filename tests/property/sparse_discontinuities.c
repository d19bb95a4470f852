/*
 * Crowds where few moved, or few observe, with discontinuities among them: entities jump, alone or many to one place,
 * enter, leave, change layers and how far off they are seen. No tile is made there, but a sparse plan
 * (interest/sparse_plan.h). Here and there an allocation fails. Lists kept from events equal the float32 rule of
 * positions and attributes after every tick.
 *
 *     sparse_discontinuities [--seed N] [--count N]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"

enum { MOST = 1200, TICKS = 10, PARTY = 60 };

#define SIDE 400.0f

#define TOWER 50.0f

/*
 * Percent of all that observe, and move in a tick; the view; the side of the square in which they stay; the towers; of
 * how many one is not seen by all of a view. In the last ones views are much wider than a block of towers.
 */
static const struct {
    uint32_t all, observers, movers;
    float view, side, tower;
    uint32_t bounded;
} crowds[] = {{300, 100, 3, 60, SIDE, TOWER, 0},   {900, 100, 1, 25, SIDE, TOWER, 0}, {1200, 6, 4, 120, SIDE, TOWER, 0},
              {1200, 7, 90, 110, SIDE, TOWER, 0},  {1200, 6, 15, 120, 150, TOWER, 0}, {60, 50, 10, 300, SIDE, TOWER, 0},
              {300, 100, 3, 60, SIDE, TOWER, 100}, {60, 50, 10, 300, SIDE, 10, 20},   {60, 30, 90, 300, SIDE, 10, 20}};

typedef struct member {
    bool here;
    float x, y, view, visible;
    uint64_t layers, sees;
} member;

typedef struct crowd {
    fail_alloc memory;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t seed, rng;
    uint32_t tick, all, kind;
    member is[MOST];
    bool seen[MOST][MOST];  /* [observer][target], by events */
    uint64_t events, stays; /* each has a number, the user data of the entity that enters */
} crowd;

static crowd c;

static float within(float low, float width)
{
    return low + width * phx_rng_unit(&c.rng);
}

static float any_visible(void)
{
    const uint32_t one = crowds[c.kind].bounded;
    return one > 0 && phx_rng_below(&c.rng, one) == 0 ? within(0, crowds[c.kind].view) : PH_LENGTH_MAX;
}

static void enter(uint32_t i)
{
    member *m = &c.is[i];
    m->here = true;
    m->x = within(0, crowds[c.kind].side);
    m->y = within(0, crowds[c.kind].side);
    m->view = i * 100 < c.all * crowds[c.kind].observers ? crowds[c.kind].view : 0;
    m->visible = any_visible();
    m->layers = 1;
    m->sees = 1;
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW | PH_VISIBLE | PH_LAYERS | PH_SEES | PH_USER_DATA,
                      .user_data = ++c.stays};
    attrs.x = m->x, attrs.y = m->y, attrs.view = m->view, attrs.visible = m->visible, attrs.layers = 1, attrs.sees = 1;
    CHECK_OK(ph_enter(c.producer, i + 1, &attrs));
    memset(c.seen[i], 0, sizeof c.seen[i]);
}

static void move_to(uint32_t i, float x, float y)
{
    c.is[i].x = x;
    c.is[i].y = y;
    CHECK_OK(ph_move(c.producer, i + 1, x, y, 0));
}

/* ---- discontinuities ---- */

static void change_layers(uint32_t i)
{
    ph_attrs attrs = {.given = PH_LAYERS, .layers = 1 + phx_rng_below(&c.rng, 3)};
    c.is[i].layers = attrs.layers;
    CHECK_OK(ph_set(c.producer, i + 1, &attrs));
}

static void change_visible(uint32_t i)
{
    const ph_attrs attrs = {.given = PH_VISIBLE, .visible = any_visible()};
    c.is[i].visible = attrs.visible;
    CHECK_OK(ph_set(c.producer, i + 1, &attrs));
}

static void one_discontinuous(void)
{
    const uint32_t i = phx_rng_below(&c.rng, c.all), what = phx_rng_below(&c.rng, 6);
    if (!c.is[i].here) {
        enter(i);
    } else if (what == 0) {
        c.is[i].here = false;
        CHECK_OK(ph_leave(c.producer, i + 1));
    } else if (what == 1) {
        change_layers(i);
    } else if (what == 2 && crowds[c.kind].bounded > 0) {
        change_visible(i);
    } else if (what == 3) { /* not far: it keeps most of its list */
        move_to(i, within(c.is[i].x - 20, 40), within(c.is[i].y - 20, 40));
    } else {
        move_to(i, within(0, crowds[c.kind].side), within(0, crowds[c.kind].side));
    }
}

/* Some consecutive entities, with observers or without, jump to one place. */
static void party(void)
{
    const uint32_t first = phx_rng_below(&c.rng, 2) ? 0 : phx_rng_below(&c.rng, c.all);
    const uint32_t end = first + (phx_rng_below(&c.rng, 2) ? 5 : PARTY);
    const float x = within(0, crowds[c.kind].side), y = within(0, crowds[c.kind].side);
    for (uint32_t i = first; i < end && i < c.all; i++)
        if (c.is[i].here) move_to(i, within(x, 20), within(y, 20));
}

/* ---- a tick ---- */

static void act(void)
{
    const float step = crowds[c.kind].tower / 5; /* a longer one may be a jump */
    for (uint32_t i = 0; i < c.all; i++)
        if (c.is[i].here && phx_rng_below(&c.rng, 100) < crowds[c.kind].movers)
            move_to(i, within(c.is[i].x - step, 2 * step), within(c.is[i].y - step, 2 * step));
    for (uint32_t n = phx_rng_below(&c.rng, 4); n > 0; n--) one_discontinuous();
    if (phx_rng_below(&c.rng, 3) == 0) party();
}

/* A target that was seen and still is is in no change, be it that it came anew. */
static void take_change(const ph_change *change, const ph_target *targets)
{
    static uint64_t left[MOST]; /* stays */
    memset(left, 0, sizeof left);
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const ph_target *target = &targets[change->first + i];
        bool *seen = &c.seen[change->observer - 1][target->id - 1], leaves = i < change->leave_count;
        CHECK(*seen == leaves && left[target->id - 1] != target->user_data,
              "seed %" PRIu64 ", tick %u: %" PRIu64 " is told of %" PRIu64 " again", c.seed, c.tick, change->observer,
              target->id);
        *seen = !leaves;
        if (leaves) left[target->id - 1] = target->user_data;
        c.events++;
    }
}

static void take_events(void)
{
    const ph_batch *batch;
    while (ph_batch_take(c.consumer, &batch) == PH_OK) {
        for (uint32_t n = 0; n < batch->change_count; n++) take_change(&batch->changes[n], batch->targets);
        CHECK_OK(ph_batch_return(c.consumer, batch));
    }
}

static bool sees(const member *o, const member *t)
{
    const float dx = t->x - o->x, dy = t->y - o->y, d2 = dx * dx + dy * dy, r = fminf(o->view, t->visible);
    return t->here && (o->sees & t->layers) != 0 && d2 <= r * r;
}

static void check_lists(void)
{
    for (uint32_t i = 0; i < c.all; i++) {
        const member *o = &c.is[i];
        for (uint32_t k = 0; o->here && o->view > 0 && k < c.all; k++)
            CHECK(k == i || c.seen[i][k] == sees(o, &c.is[k]),
                  "seed %" PRIu64 ", tick %u: %u sees %u: %d, it was told: %d", c.seed, c.tick, i + 1, k + 1,
                  sees(o, &c.is[k]), c.seen[i][k]);
    }
}

static void run_tick(void)
{
    enum { ATTEMPTS = 9 };
    ph_status status = PH_NO_MEMORY;
    if (c.tick > 1 && c.seed % 2) fail_alloc_order(&c.memory, 1 + phx_rng_below(&c.rng, 30), false);
    for (int i = 0; i < ATTEMPTS && status == PH_NO_MEMORY; i++) status = ph_tick(c.world, NULL);
    CHECK_OK(status);
    fail_alloc_order(&c.memory, 0, false);
}

/* A command that met the end of memory changed nothing, and comes back as a refusal: not the subject of this test. */
static bool all_taken(void)
{
    ph_stats stats;
    CHECK_OK(ph_world_stats(c.world, &stats));
    CHECK(stats.refused_in_tick == 0 || atomic_load(&c.memory.failed) > 0, "seed %" PRIu64 ": refused", c.seed);
    return stats.refused_in_tick == 0;
}

static void open_world(uint64_t seed)
{
    static const ph_simd kinds[] = {PH_SIMD_AUTO, PH_SIMD_AVX2, PH_SIMD_PORTABLE};
    ph_world_def def = ph_world_def_default();
    memset(&c, 0, sizeof c);
    c.seed = c.rng = seed;
    c.kind = phx_rng_below(&c.rng, sizeof crowds / sizeof *crowds);
    c.all = crowds[c.kind].all;
    def.tower_size = crowds[c.kind].tower;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.shards[0] = 1 + phx_rng_below(&c.rng, 2);
    def.workers = 1 + phx_rng_below(&c.rng, 2);
    def.share_min = 0;
    def.simd = kinds[phx_rng_below(&c.rng, 3)];
    def.allocator = fail_alloc_hooks(&c.memory);
    ph_status status = ph_world_create(&def, &c.world);
    if (status != PH_OK && def.simd == PH_SIMD_AVX2) { /* not on this machine */
        def.simd = PH_SIMD_AUTO;
        status = ph_world_create(&def, &c.world);
    }
    REQUIRE(status == PH_OK);
    REQUIRE(ph_producer_open(c.world, &c.producer) == PH_OK);
    REQUIRE(ph_consumer_open(c.world, 0, &c.consumer) == PH_OK);
}

static void run(uint64_t seed, uint64_t *events, uint64_t *failed)
{
    open_world(seed);
    for (uint32_t i = 0; i < c.all; i++) enter(i);
    for (c.tick = 1; c.tick <= TICKS && check_failures() == 0; c.tick++) {
        if (c.tick > 1) act();
        run_tick();
        if (!all_taken()) break;
        take_events();
        check_lists();
    }
    *events += c.events;
    *failed += atomic_load(&c.memory.failed);
    CHECK_OK(ph_world_destroy(c.world));
    CHECK(fail_alloc_clean(&c.memory), "seed %" PRIu64, seed);
}

int main(int argc, char **argv)
{
    const uint64_t first = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(400));
    uint64_t events = 0, failed = 0;
    for (uint64_t seed = first; seed < first + count && check_failures() == 0; seed++) {
        run(seed, &events, &failed);
        if (check_failures() > 0)
            (void)fprintf(stderr, "to repeat it: sparse_discontinuities --seed %" PRIu64 " --count 1\n", seed);
    }
    printf("%" PRIu64 " crowds, %" PRIu64 " events, %" PRIu64 " allocations failed\n", count, events, failed);
    CHECK(events > count * 1000 && (failed > 0 || count < 4), "too little happened");
    return check_done("sparse_discontinuities");
}
