/*
 * Crowd control as a host sees it: a square fills and its observers' views shrink, a step
 * a tick, to the share of the crowd and never below the floor; nothing changes while the
 * crowd does not, nor while it grows and shrinks by a few; the crowd leaves, and views are as
 * before; a late observer begins at the step of the others; views set meanwhile count; off, it
 * does nothing. Lists under it are compared with the model by diff_model.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "support/check.h"

enum { CROWD = 200, LIMIT = 31, STEPS = 16, OBSERVER = 1, LATE = 900 };
static const float VIEW = 80, LEAST = 0.4f;

typedef struct host {
    ph_class kind;
    ph_world_def def;
    ph_world world;
    ph_producer producer;
    uint64_t tick;
} host;

static void host_begin(host *h, uint32_t shards, uint32_t workers, uint32_t limit)
{
    *h = (host){.kind = ph_class_default("default"), .def = ph_world_def_default()};
    h->kind.view = VIEW;
    h->def.classes = &h->kind;
    h->def.class_count = 1;
    h->def.world_size[0] = h->def.world_size[1] = 1000;
    h->def.shards[0] = h->def.shards[1] = shards;
    h->def.workers = workers;
    h->def.share_min = 0;
    h->def.consumers = 0;
    h->def.tower_size = 100; /* given, so that crowd control may begin while the world lives */
    h->def.crowd_entities = limit;
    h->def.crowd_floor = LEAST;
    REQUIRE(ph_world_create(&h->def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
}

static void enter(host *h, uint64_t id, float x)
{
    const ph_attrs a = {.given = PH_X | PH_Y, .x = x, .y = 500};
    CHECK_OK(ph_enter(h->producer, id, &a));
}

static ph_stats tick(host *h)
{
    ph_stats stats;
    CHECK_OK(ph_tick(h->world, &h->tick));
    CHECK_OK(ph_world_stats(h->world, &stats));
    return stats;
}

static float view_of(const host *h, uint64_t id)
{
    ph_attrs a = {0};
    CHECK_OK(ph_entity_get(h->world, id, &a));
    return a.view;
}

static float step_view(float view, uint32_t step)
{
    return (float)((double)view * (1.0 - (double)step * (1.0 - (double)LEAST) / STEPS));
}

/* The entities beside the observer go to the square (x = 500 and around, in its nine towers), or far away. */
static void gather(host *h, uint32_t count, bool here)
{
    static const float rows[] = {50, 250, 750, 950};
    for (uint32_t i = 0; i < count; i++) {
        float x = here ? 400.0f + (float)(i % 200) : 50.0f + (float)(i % 10) * 100; /* five a tower, far away */
        CHECK_OK(ph_move(h->producer, OBSERVER + 1 + i, x, here ? 500 : rows[i / 10 % 4], 0));
    }
}

static void play(uint32_t shards, uint32_t workers)
{
    host h;
    host_begin(&h, shards, workers, LIMIT);
    enter(&h, OBSERVER, 500);
    for (uint32_t i = 0; i < CROWD; i++) enter(&h, OBSERVER + 1 + i, (float)(i % 2 ? 950 : 50));
    gather(&h, CROWD, false);
    for (uint32_t t = 0; t < 2 * STEPS; t++) (void)tick(&h);
    CHECK(view_of(&h, OBSERVER) == VIEW, "alone: %g", (double)view_of(&h, OBSERVER));
    gather(&h, CROWD, true);
    for (uint32_t step = 1; step <= STEPS; step++) {
        (void)tick(&h);
        CHECK(view_of(&h, OBSERVER) == step_view(VIEW, step), "step %u: %g, not %g", step,
              (double)view_of(&h, OBSERVER), (double)step_view(VIEW, step));
    }
    ph_stats stats = tick(&h), later = tick(&h);
    CHECK(view_of(&h, OBSERVER) == step_view(VIEW, STEPS), "at the floor");
    CHECK(later.crowd_narrowed == stats.crowd_narrowed && later.enters == stats.enters &&
              later.leaves == stats.leaves && later.observers_evaluated == stats.observers_evaluated,
          "a crowd that stays costs nothing more");
    ph_shard_stats first;
    uint32_t count;
    CHECK_OK(ph_world_shard_stats(h.world, &first, 1, &count));
    CHECK(first.ingest_ns > 0 && first.ingest_ns <= later.ingest_ns * workers, "counting is by shard, and takes time");
    CHECK(stats.crowd_observers == CROWD + 1 && stats.crowd_most == CROWD + 1, "%" PRIu64 " shrunk, %" PRIu64 " around",
          stats.crowd_observers, stats.crowd_most);
    enter(&h, LATE, 505);
    const ph_attrs wide = {.given = PH_VIEW, .view = 2 * VIEW}, blind = {.given = PH_VIEW, .view = 0};
    CHECK_OK(ph_set(h.producer, OBSERVER, &wide));
    CHECK_OK(ph_set(h.producer, OBSERVER + 1, &blind));
    stats = tick(&h);
    CHECK(view_of(&h, LATE) == step_view(VIEW, STEPS), "a newcomer begins at the step of the others");
    CHECK(view_of(&h, OBSERVER) == step_view(2 * VIEW, STEPS) && view_of(&h, OBSERVER + 1) == 0, "a set view counts");
    CHECK(stats.crowd_observers == CROWD + 1, "one more, one less");
    const ph_attrs shrunk = {.given = PH_VIEW, .view = view_of(&h, OBSERVER)};
    CHECK_OK(ph_set(h.producer, OBSERVER, &shrunk));
    (void)tick(&h);
    CHECK(view_of(&h, OBSERVER) == step_view(shrunk.view, STEPS), "a view as it is while shrunk is a narrower one");
    CHECK_OK(ph_set(h.producer, OBSERVER, &wide));
    (void)tick(&h);
    CHECK_OK(ph_leave(h.producer, LATE));
    gather(&h, CROWD, false);
    for (uint32_t step = STEPS; step-- > 0;) {
        stats = tick(&h);
        CHECK(view_of(&h, OBSERVER) == step_view(2 * VIEW, step), "back to step %u: %g", step,
              (double)view_of(&h, OBSERVER));
    }
    uint64_t gone = 2 * STEPS; /* of entities that left, and of blind ones */
    CHECK(stats.crowd_narrowed == stats.crowd_widened + gone && stats.crowd_observers == 0,
          "%" PRIu64 " steps down, %" PRIu64 " up", stats.crowd_narrowed, stats.crowd_widened);
    CHECK_OK(ph_world_destroy(h.world));
}

/* A crowd at the border of a step: some more or less do not make the view go to and fro, and it waits with growing. */
static void slack(void)
{
    host h;
    host_begin(&h, 1, 1, LIMIT);
    enter(&h, OBSERVER, 500);
    for (uint32_t i = 0; i < CROWD; i++) enter(&h, OBSERVER + 1 + i, 50);
    (void)tick(&h);
    gather(&h, 89, true); /* 90 with itself: step 12; 88 want step 11 */
    for (uint32_t t = 0; t < 2 * STEPS; t++) (void)tick(&h);
    float settled = view_of(&h, OBSERVER);
    CHECK(settled < VIEW && settled > step_view(VIEW, STEPS), "in between: %g", (double)settled);
    uint64_t steps = tick(&h).crowd_narrowed;
    for (uint32_t t = 0; t < 20; t++) {
        CHECK_OK(ph_move(h.producer, OBSERVER + 89, t % 2 ? 450 : 50, 500, 0));
        CHECK_OK(ph_move(h.producer, OBSERVER + 88, t % 2 ? 450 : 50, 500, 0));
        (void)tick(&h);
        CHECK(view_of(&h, OBSERVER) == settled, "to and fro: %g, %g", (double)view_of(&h, OBSERVER), (double)settled);
    }
    CHECK(steps > 0, "there were steps");
    for (uint32_t i = 80; i < 89; i++) CHECK_OK(ph_move(h.producer, OBSERVER + 1 + i, 50, 500, 0));
    for (uint32_t t = 0; t < STEPS; t++) (void)tick(&h); /* 81 want step 11, and 101, a quarter more, step 12 */
    CHECK(view_of(&h, OBSERVER) == settled, "81 are no fewer: %g", (double)view_of(&h, OBSERVER));
    for (uint32_t i = 70; i < 80; i++) CHECK_OK(ph_move(h.producer, OBSERVER + 1 + i, 50, 500, 0));
    for (uint32_t t = 0; t < STEPS; t++) (void)tick(&h); /* 71: a quarter more, 89, want step 11 */
    CHECK(view_of(&h, OBSERVER) == step_view(VIEW, 11), "71 are: %g", (double)view_of(&h, OBSERVER));
    CHECK_OK(ph_world_destroy(h.world));
}

/* It is switched on and off while the world lives; in range = towers there is no such thing. */
static void live(void)
{
    host h;
    char reason[160] = "";
    host_begin(&h, 2, 1, 0);
    enter(&h, OBSERVER, 500);
    for (uint32_t i = 0; i < CROWD; i++) enter(&h, OBSERVER + 1 + i, 500);
    ph_stats stats = tick(&h);
    CHECK(view_of(&h, OBSERVER) == VIEW && stats.crowd_narrowed == 0 && stats.crowd_most == 0, "off");
    h.def.crowd_entities = LIMIT;
    CHECK_OK(ph_world_reconfigure(h.world, &h.def, reason, sizeof reason));
    (void)tick(&h);
    CHECK(view_of(&h, OBSERVER) == step_view(VIEW, 1), "on: %g", (double)view_of(&h, OBSERVER));
    (void)tick(&h);
    h.def.crowd_entities = 0;
    CHECK_OK(ph_world_reconfigure(h.world, &h.def, reason, sizeof reason));
    (void)tick(&h);
    CHECK(view_of(&h, OBSERVER) == step_view(VIEW, 1), "off again, step by step");
    stats = tick(&h);
    CHECK(view_of(&h, OBSERVER) == VIEW && stats.crowd_observers == 0, "gone");
    h.def.range = PH_RANGE_TOWERS;
    h.def.crowd_entities = 1;
    CHECK_STATUS(ph_world_def_check(&h.def, reason, sizeof reason), PH_BAD_DEF);
    CHECK_OK(ph_world_destroy(h.world));
}

int main(void)
{
    play(1, 1);
    play(4, 2);
    slack();
    live();
    return check_done("crowd");
}
