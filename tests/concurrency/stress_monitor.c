/*
 * Threads of monitors beside a ticking thread: each opens and closes its monitor, looks elsewhere, asks, takes and
 * returns frames, while entities move, definitions change and readers read. For TSan; without it, that every status is
 * one that the manual allows, and that each frame is of one tick.
 *
 * Plain program: exit status 0 or 1, prints failures. Bounded by ticks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "support/check.h"

enum { TICKS = 600, MOVERS = 300, VIEWERS = 3, SIDE = 400, RELOAD_EVERY = 10, LONGER = 100 /* on a busy machine */ };

static ph_world world;
static ph_producer producer;
static _Atomic int stop;
static _Atomic uint64_t frames;

static void expect(bool ok, const char *what, ph_status status)
{
    if (!ok) (void)check_fail(__FILE__, __LINE__, "%s: %s", what, ph_status_name(status));
}

static void look(ph_monitor monitor, uint64_t i)
{
    const ph_monitor_view view = {.x1 = (float)(1 + i % SIDE),
                                  .y1 = SIDE,
                                  .flags = PH_MONITOR_FLAGS_ALL,
                                  .spread = (uint32_t)(i % 4),
                                  .focus = i % (MOVERS + 2),
                                  .points_max = (uint32_t)(i % 200)};
    expect(ph_monitor_watch(monitor, &view) == PH_OK, "watch", PH_OK);
    const ph_monitor_question question = {
        .kind = (ph_monitor_ask_kind)(i % 5), .most = 20, .id = 1 + i % MOVERS, .other = 1 + i % 7, .radius = 30};
    const ph_status status = ph_monitor_ask(monitor, &question);
    expect(status == PH_OK || status == PH_FULL, "ask", status);
}

static void read_frame(ph_monitor monitor)
{
    const ph_monitor_frame *frame;
    uint64_t sum = 0;
    const ph_status status = ph_monitor_take(monitor, &frame);
    expect(status == PH_OK || status == PH_EMPTY, "take", status);
    if (status != PH_OK) return;
    for (uint32_t i = 0; i < frame->points.count; i++) sum += frame->points.x[i] + frame->points.slots[i];
    for (uint32_t i = 0; i < frame->focus.target_count; i++) sum += frame->focus.targets[i].rank;
    for (uint32_t i = 0; i < frame->hit_count; i++) sum += frame->hits[i].id;
    (void)sum;
    CHECK(frame->points.count <= frame->points.matched && frame->stats && frame->stats->ticks == frame->tick,
          "a frame of two ticks");
    atomic_fetch_add(&frames, 1);
    expect(ph_monitor_return(monitor, frame) == PH_OK, "return", PH_OK);
}

static void *view_world(void *number)
{
    const uint64_t seed = *(const uint64_t *)number;
    for (uint64_t i = seed; !atomic_load(&stop); i++) {
        ph_monitor monitor;
        ph_monitor_stats stats;
        const ph_monitor_def def = {.every = 1 + (uint32_t)(i % 3), .points_max = 200, .targets_max = 50};
        const ph_status status = ph_monitor_open(world, &def, &monitor);
        expect(status == PH_OK, "open", status);
        if (status != PH_OK) continue;
        for (uint64_t n = 0; n < 40 && !atomic_load(&stop); n++) {
            if (n % 8 == 0) look(monitor, i + n); /* so that frames between keep parts of their points */
            read_frame(monitor);
            expect(ph_monitor_stats_get(monitor, &stats) == PH_OK, "stats", PH_OK);
        }
        expect(ph_monitor_close(monitor) == PH_OK, "close", PH_OK);
    }
    return NULL;
}

static void world_def(ph_world_def *def, ph_class *kind)
{
    *kind = ph_class_default("default");
    kind->view = 20;
    *def = ph_world_def_default();
    def->classes = kind;
    def->class_count = 1;
    def->world_size[0] = def->world_size[1] = SIDE;
    def->tower_size = 20;
    def->shards[0] = def->shards[1] = 2;
    def->workers = 2;
    def->share_min = 0;
    def->consumers = 0;
}

static void open_world(void)
{
    ph_class kind;
    ph_world_def def;
    world_def(&def, &kind);
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint64_t id = 1; id <= MOVERS; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = (float)(id % SIDE), .y = (float)(id * 7 % SIDE)};
        CHECK_OK(ph_enter(producer, id, &attrs));
    }
}

int main(void)
{
    pthread_t threads[VIEWERS];
    uint64_t numbers[VIEWERS];
    open_world();
    for (uint64_t i = 0; i < VIEWERS; i++) {
        numbers[i] = 1000 * i;
        REQUIRE(pthread_create(&threads[i], NULL, view_world, &numbers[i]) == 0);
    }
    ph_world_def def;
    ph_class kind;
    world_def(&def, &kind);
    for (uint64_t t = 0; t < TICKS || (t < LONGER * TICKS && atomic_load(&frames) == 0); t++) {
        kind.view = (float)(20 + t / RELOAD_EVERY % 5);
        if (t % RELOAD_EVERY == 0) CHECK_OK(ph_world_reconfigure(world, &def, NULL, 0));
        for (uint64_t id = 1; id <= MOVERS; id++)
            CHECK_OK(ph_move(producer, id, (float)((id + t) % SIDE), (float)((id * 7 + t) % SIDE), 0));
        CHECK_OK(ph_tick(world, NULL));
    }
    atomic_store(&stop, 1);
    for (uint64_t i = 0; i < VIEWERS; i++) (void)pthread_join(threads[i], NULL);
    CHECK(atomic_load(&frames) > 0, "no frame");
    CHECK_OK(ph_world_destroy(world));
    return check_done("stress_monitor");
}
