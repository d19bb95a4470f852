/*
 * Attachments, as a host relies on them: a ship with its crew and a chain as deep as it
 * may be sail over the borders of shards. In the tick of the command all of them stand
 * where the root does, in one shard; an observer that sees one sees all from that tick on; a
 * parent enters before its children and leaves after them, whatever kinds and ids they
 * have, also when all leave the world in one tick, the ship first, and in net differences.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "support/check.h"

enum {
    CREW = 40,
    MASTS = 8, /* a chain: each on the one before, the first on the ship */
    SHIP = 5000,
    MAST = 4000, /* ids of masts go down, of the crew up; kinds are the other way round */
    CREW_ID = 100,
    WATCHER = 1,
    ABOARD = 1 + MASTS + CREW,
    TICKS = 60
};

typedef struct host {
    ph_class kinds[3];
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t tick;
    bool seen;
} host;

static uint64_t mast(uint32_t i)
{
    return MAST - i;
}

/* The parent of an entity aboard; 0: of the ship. */
static uint64_t parent_of(uint64_t id)
{
    if (id == SHIP) return 0;
    if (id <= MAST && id > MAST - MASTS) return id == MAST ? SHIP : id + 1;
    return id % 2 == 0 ? SHIP : mast((uint32_t)(id - CREW_ID) % (MASTS - 1)); /* some sit up the masts */
}

static void host_begin(host *h, uint32_t shards, uint32_t workers)
{
    static const char *const names[] = {"default", "mast", "sailor"};
    ph_world_def def = ph_world_def_default();
    *h = (host){0};
    for (uint32_t k = 0; k < 3; k++) h->kinds[k] = ph_class_default(names[k]);
    h->kinds[0].view = 200;
    def.classes = h->kinds;
    def.class_count = 3;
    def.world_size[0] = def.world_size[1] = 1000;
    def.tower_size = 50;
    def.shards[0] = def.shards[1] = shards;
    def.workers = workers;
    def.share_min = 0;
    def.consumer_batches = 2;
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    REQUIRE(ph_consumer_open(h->world, 0, &h->consumer) == PH_OK);
}

static void enter(host *h, uint64_t id, uint32_t kind, float x, float y, float view)
{
    const ph_attrs a = {.given = PH_X | PH_Y | PH_KIND | PH_VIEW, .x = x, .y = y, .kind = kind, .view = view};
    CHECK_OK(ph_enter(h->producer, id, &a));
}

/* All stand somewhere and go aboard. The ship is of the last kind: by kinds alone it would come last. */
static void embark(host *h, float x, float y)
{
    enter(h, SHIP, 2, x, y, 0);
    for (uint32_t i = 0; i < MASTS; i++) enter(h, mast(i), 1, 20 * (float)i, 900, 0);
    for (uint32_t i = 0; i < CREW; i++) enter(h, CREW_ID + i, i % 3, 900 - (float)i, 3 * (float)i, 0);
    for (uint32_t i = 0; i < MASTS; i++) CHECK_OK(ph_attach(h->producer, mast(i), parent_of(mast(i))));
    for (uint32_t i = 0; i < CREW; i++) CHECK_OK(ph_attach(h->producer, CREW_ID + i, parent_of(CREW_ID + i)));
}

static bool before(const ph_batch *batch, uint32_t first, uint32_t count, uint64_t a, uint64_t b)
{
    uint32_t at_a = count, at_b = count;
    for (uint32_t i = 0; i < count; i++) {
        if (batch->targets[first + i].id == a) at_a = i;
        if (batch->targets[first + i].id == b) at_b = i;
    }
    return at_a == count || at_b == count || at_a < at_b;
}

/* All entities aboard or none of them, in order. Returns whether there were any. */
static bool check_side(const host *h, const ph_batch *batch, uint32_t first, uint32_t count, bool enters)
{
    uint32_t aboard = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = batch->targets[first + i].id, parent = parent_of(id);
        if (id == WATCHER) continue;
        aboard++;
        uint64_t one = enters ? parent : id, other = enters ? id : parent;
        CHECK(parent == 0 || before(batch, first, count, one, other),
              "tick %" PRIu64 ": %" PRIu64 " and its parent %" PRIu64 " %s in the wrong order", h->tick, id, parent,
              enters ? "enter" : "leave");
    }
    CHECK(aboard == 0 || aboard == ABOARD, "tick %" PRIu64 ": %u of %d are told", h->tick, aboard, ABOARD);
    return aboard > 0;
}

static void check_batches(host *h)
{
    const ph_batch *batch;
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        for (uint32_t c = 0; c < batch->change_count; c++) {
            const ph_change *change = &batch->changes[c];
            if (change->observer != WATCHER) continue;
            if (check_side(h, batch, change->first, change->leave_count, false)) h->seen = false;
            if (check_side(h, batch, change->first + change->leave_count, change->enter_count, true)) h->seen = true;
        }
        CHECK_OK(ph_batch_return(h->consumer, batch));
    }
}

/* All stand where the ship does, and are all seen or not at all. */
static void check_aboard(host *h, float x, float y)
{
    for (uint64_t id = 1; id <= SHIP; id++) {
        ph_attrs a;
        bool sees = false;
        if (ph_entity_get(h->world, id, &a) != PH_OK || id == WATCHER) continue;
        CHECK(a.x == x && a.y == y, "tick %" PRIu64 ": %" PRIu64 " is at (%g, %g), the ship at (%g, %g)", h->tick, id,
              (double)a.x, (double)a.y, (double)x, (double)y);
        CHECK_OK(ph_sees(h->world, WATCHER, id, &sees));
        CHECK(sees == h->seen, "tick %" PRIu64 ": %" PRIu64 " is %sseen alone", h->tick, id, sees ? "" : "not ");
    }
}

static uint64_t migrations(const host *h)
{
    ph_stats stats;
    CHECK_OK(ph_world_stats(h->world, &stats));
    return stats.migrations;
}

/* Over borders of shards all go in one tick. */
static void voyage(host *h, uint32_t shards)
{
    uint32_t came = 0, went = 0, crossings = 0;
    for (uint32_t t = 0; t < TICKS; t++) {
        bool seen = h->seen;
        uint64_t migrated = migrations(h);
        float x = (float)(97 * t % 1000), y = (float)(101 * t % 1000);
        CHECK_OK(ph_move(h->producer, SHIP, x, y, 0));
        CHECK_STATUS(ph_move(h->producer, mast(3), x, y, 0), PH_OK); /* refused in the tick */
        CHECK_OK(ph_tick(h->world, &h->tick));
        migrated = migrations(h) - migrated;
        CHECK(migrated == 0 || migrated == ABOARD, "tick %" PRIu64 ": %" PRIu64 " of %d migrate", h->tick, migrated,
              ABOARD);
        crossings += migrated > 0;
        check_batches(h);
        check_aboard(h, x, y);
        came += !seen && h->seen;
        went += seen && !h->seen;
    }
    CHECK(came > 2 && went > 2 && (crossings > 5) == (shards > 1), "%u times in sight, %u borders", came, crossings);
}

/* In one tick, in whatever order: the crew is gone before the ship. */
static void sink(host *h)
{
    CHECK_OK(ph_move(h->producer, SHIP, 500, 500, 0));
    CHECK_OK(ph_tick(h->world, &h->tick));
    check_batches(h);
    CHECK(h->seen, "in sight");
    CHECK_OK(ph_leave(h->producer, SHIP));
    for (uint32_t i = 0; i < CREW; i++) CHECK_OK(ph_leave(h->producer, CREW_ID + i));
    for (uint32_t i = 0; i < MASTS; i++) CHECK_OK(ph_leave(h->producer, mast(i)));
    CHECK_OK(ph_tick(h->world, &h->tick));
    check_batches(h);
    CHECK(!h->seen, "sunk");
}

/* A consumer that stood for a while: its net difference is in order too. */
static void stand(host *h, bool ends_in_sight)
{
    for (uint32_t t = 0; t < 12; t++) {
        bool here = t % 2 == (ends_in_sight ? 1 : 0);
        CHECK_OK(ph_move(h->producer, SHIP, here ? 500 : 50, here ? 500 : 50, 0));
        CHECK_OK(ph_tick(h->world, &h->tick));
    }
    check_batches(h);
    CHECK_OK(ph_tick(h->world, &h->tick));
    check_batches(h);
    CHECK(h->seen == ends_in_sight, "the net difference");
}

static void play(uint32_t shards, uint32_t workers)
{
    host h;
    ph_stats stats;
    host_begin(&h, shards, workers);
    enter(&h, WATCHER, 0, 500, 500, 200);
    embark(&h, 10, 10);
    CHECK_OK(ph_tick(h.world, &h.tick));
    check_batches(&h);
    voyage(&h, shards);
    stand(&h, true);
    stand(&h, false);
    sink(&h);
    embark(&h, 500, 500); /* new incarnations of the same ids */
    CHECK_OK(ph_tick(h.world, &h.tick));
    check_batches(&h);
    CHECK(h.seen, "in sight again");
    CHECK_OK(ph_detach(h.producer, mast(0)));
    CHECK_OK(ph_move(h.producer, SHIP, 50, 50, 0));
    CHECK_OK(ph_tick(h.world, &h.tick));
    bool sees = false;
    CHECK_OK(ph_sees(h.world, WATCHER, mast(MASTS - 1), &sees));
    CHECK(sees, "the chain stays where it was let go");
    CHECK_OK(ph_sees(h.world, WATCHER, SHIP, &sees));
    CHECK(!sees, "the ship is gone");
    CHECK_OK(ph_world_stats(h.world, &stats));
    CHECK(stats.refused[PH_ATTACHED] == TICKS && stats.coalesced_ticks > 0, "the counters");
    CHECK_OK(ph_world_destroy(h.world));
}

int main(void)
{
    play(1, 1);
    play(2, 2);
    play(5, 1);
    play(5, 3);
    return check_done("attachments");
}
