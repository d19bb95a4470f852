/*
 * Spawn storms and teleports at full size: 50,000 enter in one tick by one bulk call, then
 * 10,000 of them jump anywhere in one tick, twice; all observe. The same of fewer which are all seen from beyond a
 * view: up to PHX_FAR_CHANGES_MAX jump, or more. The batches are compared with a sweep over all entities near along x,
 * without model or harness: the lists, and that no event is of a pair that did not change.
 *
 * options: --entities N, --jumps N
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "shards/grid/far_targets.h"
#include "support/check.h"

enum { ENTITIES = 50000, JUMPS = 10000, SIDE = 10000, VIEW = 60, STORMS = 2, REACH = 150, FAR_PART = 5 };

typedef struct storm {
    uint32_t count;
    float radius;
    uint64_t rng;
    ph_position *now, *before;
    uint32_t *by_x; /* of `now` */
    uint64_t *ids;
    ph_attrs *attrs;
} storm;

/* The number of pairs, and a sum over them that depends on each. */
typedef struct pairs {
    uint64_t count, sum;
} pairs;

static const storm *sorting;

static int by_x(const void *a, const void *b)
{
    float l = sorting->now[*(const uint32_t *)a].x;
    float r = sorting->now[*(const uint32_t *)b].x;
    return l < r ? -1 : l > r;
}

static uint64_t pair_hash(uint64_t observer, uint64_t target)
{
    return phx_mix64(phx_mix64(observer) + target);
}

static void add(pairs *p, uint64_t observer, uint64_t target)
{
    p->count++;
    p->sum += pair_hash(observer, target);
}

static bool near(const storm *s, const ph_position *o, const ph_position *t)
{
    float dx = t->x - o->x;
    float dy = t->y - o->y;
    float xx = dx * dx;
    float yy = dy * dy;
    return xx + yy <= s->radius * s->radius;
}

/* All pairs in sight at `at` and not at `other` (NULL: all in sight at `at`). */
static pairs sweep(storm *s, ph_position *at, const ph_position *other)
{
    pairs found = {0};
    ph_position *keep = s->now;
    s->now = at;
    for (uint32_t i = 0; i < s->count; i++) {
        s->by_x[i] = i;
    }
    sorting = s;
    qsort(s->by_x, s->count, sizeof *s->by_x, by_x);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t o = s->by_x[i];
        for (uint32_t j = i + 1; j < s->count && at[s->by_x[j]].x - at[o].x <= s->radius + 1; j++) {
            uint32_t t = s->by_x[j];
            if (near(s, &at[o], &at[t]) && (other == NULL || !near(s, &other[o], &other[t]))) {
                add(&found, s->ids[o], s->ids[t]);
                add(&found, s->ids[t], s->ids[o]);
            }
        }
    }
    s->now = keep;
    return found;
}

static ph_position anywhere(storm *s)
{
    float x = phx_rng_unit(&s->rng) * SIDE;
    float y = phx_rng_unit(&s->rng) * SIDE;
    return (ph_position){x, y, 0};
}

static void take(ph_consumer consumer, pairs *enters, pairs *leaves)
{
    const ph_batch *batch = NULL;
    memset(enters, 0, sizeof *enters);
    memset(leaves, 0, sizeof *leaves);
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *c = &batch->changes[i];
            for (uint32_t j = 0; j < c->leave_count + c->enter_count; j++) {
                add(j < c->leave_count ? leaves : enters, c->observer, batch->targets[c->first + j].id);
            }
        }
        CHECK_OK(ph_batch_return(consumer, batch));
    }
}

static void expect(const char *what, pairs got, pairs expected)
{
    CHECK(got.count == expected.count && got.sum == expected.sum,
          "%s: %" PRIu64 " pairs, expected %" PRIu64 ", or others", what, got.count, expected.count);
}

static void play(uint32_t entities, uint32_t jumps, uint32_t shards, uint32_t workers, float reach)
{
    storm s = {.count = entities, .radius = reach > VIEW ? reach : VIEW, .rng = shards * 100 + workers};
    ph_world_def def = ph_world_def_default();
    ph_class kind = ph_class_default("default");
    ph_world world = {0};
    ph_producer producer = {0};
    ph_consumer consumer = {0};
    pairs enters;
    pairs leaves;
    s.now = check_zalloc(entities * sizeof *s.now);
    s.before = check_zalloc(entities * sizeof *s.before);
    s.by_x = check_zalloc(entities * sizeof *s.by_x);
    s.ids = check_zalloc(entities * sizeof *s.ids);
    s.attrs = check_zalloc(entities * sizeof *s.attrs);
    kind.view = VIEW;
    kind.reach = reach;
    def.classes = &kind;
    def.tower_size = 100;
    def.shards[0] = shards;
    def.shards[1] = shards;
    def.workers = workers;
    def.share_min = 0;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    REQUIRE(ph_consumer_open(world, 0, &consumer) == PH_OK);
    for (uint32_t i = 0; i < entities; i++) {
        s.now[i] = anywhere(&s);
        s.ids[i] = (uint64_t)i + 1;
        s.attrs[i] = (ph_attrs){.given = PH_X | PH_Y, .x = s.now[i].x, .y = s.now[i].y};
    }
    CHECK_OK(ph_enter_many(producer, entities, s.ids, s.attrs, NULL));
    CHECK_OK(ph_tick(world, NULL));
    take(consumer, &enters, &leaves);
    expect("spawn: enters", enters, sweep(&s, s.now, NULL));
    expect("spawn: leaves", leaves, (pairs){0});
    for (uint32_t round = 0; round < STORMS; round++) {
        uint32_t first = phx_rng_below(&s.rng, entities - jumps + 1);
        memcpy(s.before, s.now, entities * sizeof *s.now);
        for (uint32_t i = 0; i < jumps; i++) {
            s.now[first + i] = anywhere(&s);
        }
        CHECK_OK(ph_move_many(producer, jumps, s.ids + first, s.now + first, NULL));
        CHECK_OK(ph_tick(world, NULL));
        take(consumer, &enters, &leaves);
        expect("jumps: enters", enters, sweep(&s, s.now, s.before));
        expect("jumps: leaves", leaves, sweep(&s, s.before, s.now));
    }
    CHECK_OK(ph_world_destroy(world));
    free(s.now);
    free(s.before);
    free(s.by_x);
    free(s.ids);
    free(s.attrs);
}

int main(int argc, char **argv)
{
    uint32_t entities = (uint32_t)option_number(argc, argv, "--entities", ENTITIES);
    uint32_t jumps = (uint32_t)option_number(argc, argv, "--jumps", JUMPS);
    play(entities, jumps, 1, 1, 0);
    play(entities, jumps, 3, 2, 0);
    play(entities / FAR_PART, PHX_FAR_CHANGES_MAX < jumps ? PHX_FAR_CHANGES_MAX : jumps / FAR_PART, 1, 1, REACH);
    play(entities / FAR_PART, jumps / 2, 1, 1, REACH);
    return check_done("mass_enter_and_teleport");
}
