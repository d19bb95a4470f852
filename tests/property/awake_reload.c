/*
 * Activation while its keys change: the waking kind stops waking and wakes again, span and linger change, a kind stops
 * sleeping, with NPCs and wakers that walk from shard to shard meanwhile. The NPCs awake, by the edges, are
 * are the ones of the formula of pharos.h, "Activation", computed here from nothing but places.
 *
 *     awake_reload [--seed N] [--count N]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"

enum { WAKERS = 3, NPCS = 40, ENTITIES = WAKERS + NPCS, TICKS = 120, WAKING = 0, SLEEPING = 1, KINDS = 2 };
enum { TOWERS = 24, SPAN_MAX = 2, LINGER_MAX = 7 };

#define TOWER_SIZE 10.0f

typedef struct run {
    ph_world_def def;
    ph_class classes[KINDS];
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t rng, tick;
    float x[ENTITIES], y[ENTITIES]; /* wakers first */
    uint64_t near_tick[ENTITIES];   /* the last tick with a waker near; 0 = none */
    bool awake[ENTITIES];           /* by the formula */
    bool told[ENTITIES];            /* by the edges */
    uint64_t edges, alone;          /* alone: NPC-ticks awake while no class wakes */
} run;

static bool one_in(run *r, uint32_t n)
{
    return phx_rng_below(&r->rng, n) == 0;
}

static int tower_of(float at)
{
    int tower = (int)(at / TOWER_SIZE);
    return tower < TOWERS ? tower : TOWERS - 1;
}

static bool waker_near(const run *r, uint32_t npc)
{
    int span = (int)r->def.activation_span;
    for (uint32_t i = 0; r->classes[WAKING].wakes && i < WAKERS; i++) {
        int dx = tower_of(r->x[i]) - tower_of(r->x[npc]), dy = tower_of(r->y[i]) - tower_of(r->y[npc]);
        if (dx <= span && -dx <= span && dy <= span && -dy <= span) return true;
    }
    return false;
}

/* The formula, at the end of a tick. */
static void expect(run *r)
{
    for (uint32_t i = WAKERS; i < ENTITIES; i++) {
        bool npc = r->classes[SLEEPING].sleeps, near = npc && waker_near(r, i);
        bool lately = r->near_tick[i] > 0 && r->tick - r->near_tick[i] <= r->def.activation_linger;
        r->awake[i] = npc && (near || (r->awake[i] && lately));
        if (near) r->near_tick[i] = r->tick;
        r->alone += r->awake[i] && !r->classes[WAKING].wakes;
    }
}

static void place(run *r, uint32_t i, bool anywhere)
{
    float side = TOWERS * TOWER_SIZE, step = anywhere ? side : 2 * TOWER_SIZE;
    float *at[2] = {&r->x[i], &r->y[i]};
    for (int axis = 0; axis < 2; axis++) {
        float to = anywhere ? 0 : *at[axis] - step / 2;
        to += phx_rng_unit(&r->rng) * step;
        *at[axis] = to < 0 ? 0 : to > side ? side : to;
    }
}

static void reload(run *r)
{
    if (one_in(r, 2)) r->classes[WAKING].wakes = !r->classes[WAKING].wakes;
    if (one_in(r, 8)) r->classes[SLEEPING].sleeps = !r->classes[SLEEPING].sleeps;
    if (one_in(r, 4)) r->def.activation_span = phx_rng_below(&r->rng, SPAN_MAX + 1);
    if (one_in(r, 4)) r->def.activation_linger = phx_rng_below(&r->rng, LINGER_MAX + 1);
    CHECK_OK(ph_world_reconfigure(r->world, &r->def, NULL, 0));
}

static void take_edges(run *r)
{
    const ph_batch *batch;
    while (ph_batch_take(r->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->activation_count; i++) {
            const ph_edge *edge = &batch->activations[i];
            CHECK(edge->id > WAKERS && edge->id <= ENTITIES && r->told[edge->id - 1] != (edge->on != 0),
                  "tick %" PRIu64 ": %" PRIu64 " is told twice", r->tick, edge->id);
            r->told[edge->id - 1] = edge->on != 0;
            r->edges++;
        }
        CHECK_OK(ph_batch_return(r->consumer, batch));
    }
}

static void tick(run *r)
{
    ph_stats stats;
    uint64_t awake = 0;
    CHECK_OK(ph_tick(r->world, &r->tick));
    expect(r);
    take_edges(r);
    for (uint32_t i = WAKERS; i < ENTITIES; i++) {
        CHECK(r->told[i] == r->awake[i], "tick %" PRIu64 ": NPC %" PRIu32 " is told %s", r->tick, i + 1,
              r->told[i] ? "awake" : "asleep");
        awake += r->awake[i];
    }
    CHECK_OK(ph_world_stats(r->world, &stats));
    CHECK(stats.awake == awake, "tick %" PRIu64 ": %" PRIu64 " are counted, %" PRIu64 " awake", r->tick, stats.awake,
          awake);
}

static void begin(run *r, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    r->rng = seed;
    r->classes[WAKING] = ph_class_default("default");
    r->classes[WAKING].view = 15;
    r->classes[WAKING].wakes = true;
    r->classes[SLEEPING] = ph_class_default("npc");
    r->classes[SLEEPING].sleeps = true;
    r->def = ph_world_def_default();
    r->def.classes = r->classes;
    r->def.class_count = KINDS;
    r->def.world_size[0] = r->def.world_size[1] = TOWERS * TOWER_SIZE;
    r->def.tower_size = TOWER_SIZE;
    r->def.shards[0] = 1 + phx_rng_below(&r->rng, 5);
    r->def.shards[1] = 1 + phx_rng_below(&r->rng, 3);
    r->def.workers = 1 + phx_rng_below(&r->rng, 2);
    r->def.share_min = 0;
    r->def.activation_span = 1;
    r->def.activation_linger = 4;
    REQUIRE(ph_world_create(&r->def, &r->world) == PH_OK && ph_producer_open(r->world, &r->producer) == PH_OK);
    REQUIRE(ph_consumer_open(r->world, 0, &r->consumer) == PH_OK);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        place(r, i, true);
        ph_attrs a = {.given = PH_X | PH_Y | PH_KIND, .x = r->x[i], .y = r->y[i]};
        a.kind = i < WAKERS ? WAKING : SLEEPING;
        CHECK_OK(ph_enter(r->producer, i + 1, &a));
    }
}

int main(int argc, char **argv)
{
    static run r;
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    enum { WORLDS = 100, WORLDS_LEAST = 8 }; /* fewer have too few edges for the check at the end */
    const uint64_t amount = test_amount(WORLDS), worlds = amount > WORLDS_LEAST ? amount : WORLDS_LEAST;
    uint64_t count = option_number(argc, argv, "--count", worlds), edges = 0, alone = 0;
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        begin(&r, seed + i);
        for (uint32_t t = 0; t < TICKS && check_failures() == 0; t++) {
            tick(&r);
            if (one_in(&r, 4)) reload(&r);
            for (uint32_t e = 0; e < ENTITIES; e++) {
                if (!one_in(&r, 3)) continue;
                place(&r, e, e < WAKERS && one_in(&r, 6));
                CHECK_OK(ph_move(r.producer, e + 1, r.x[e], r.y[e], 0));
            }
        }
        CHECK_OK(ph_world_destroy(r.world));
        edges += r.edges;
        alone += r.alone;
        if (check_failures() > 0) (void)fprintf(stderr, "repeat: --seed %" PRIu64 " --count 1\n", seed + i);
    }
    CHECK(edges > count * 15 && alone > count * 10, "only %" PRIu64 " edges, %" PRIu64 " awake while no class wakes",
          edges, alone);
    return check_done("awake_reload");
}
