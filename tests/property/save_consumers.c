/*
 * Consumers of a loaded world: the mirror of the changes that a client got is its list, whether the consumer had taken
 * all its batches before the save (then differences go on, and none is fresh), some, or none, and whether clients start
 * anew (PH_LOAD_FRESH, with an empty mirror).
 *
 * options: --seed S, --count N worlds
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/image_bytes.h"

enum { WORLDS = 200, ENTITIES = 24, TICKS = 14, SIDE = 60 };

typedef struct client {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    bool seen[ENTITIES + 1][ENTITIES + 1]; /* the mirror */
    uint64_t rng, fresh;                   /* fresh: changes so far */
} client;

static float place(client *c)
{
    return phx_rng_unit(&c->rng) * SIDE;
}

static void enter_all(client *c)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW | PH_MARGIN, .view = 15, .margin = (float)(id % 3)};
        attrs.x = place(c);
        attrs.y = place(c);
        CHECK_OK(ph_enter(c->producer, id, &attrs));
    }
}

static void run_tick(client *c)
{
    for (uint64_t id = 1; id <= ENTITIES; id++)
        if (phx_rng_below(&c->rng, 3) == 0) CHECK_OK(ph_move(c->producer, id, place(c), place(c), 0));
    CHECK_OK(ph_tick(c->world, NULL));
}

static void take_change(client *c, const ph_batch *batch, const ph_change *change)
{
    const ph_target *target = batch->targets + change->first;
    if (change->flags & PH_CHANGE_FRESH) {
        memset(c->seen[change->observer], 0, sizeof c->seen[change->observer]);
        c->fresh++;
    }
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++)
        c->seen[change->observer][target[i].id] = i >= change->leave_count;
}

/* Takes up to so many batches. */
static void take(client *c, uint32_t most)
{
    const ph_batch *batch;
    for (; most > 0 && ph_batch_take(c->consumer, &batch) == PH_OK; most--) {
        for (uint32_t i = 0; i < batch->change_count; i++) take_change(c, batch, &batch->changes[i]);
        CHECK_OK(ph_batch_return(c->consumer, batch));
    }
}

static void check_mirror(client *c, const char *when, uint64_t seed)
{
    uint64_t ids[ENTITIES];
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        uint32_t count = 0, mirrored = 0;
        CHECK_OK(ph_list(c->world, id, ids, ENTITIES, &count));
        for (uint32_t i = 0; i <= ENTITIES; i++) mirrored += c->seen[id][i];
        bool same = mirrored == count;
        for (uint32_t i = 0; i < count; i++) same &= c->seen[id][ids[i]];
        CHECK(same, "seed %" PRIu64 " %s: observer %" PRIu64 ": %u mirrored, %u listed", seed, when, id, mirrored,
              count);
    }
}

static void open_ends(client *c)
{
    REQUIRE(ph_producer_open(c->world, &c->producer) == PH_OK && ph_consumer_open(c->world, 0, &c->consumer) == PH_OK);
}

static void reload(client *c, bool anew, uint64_t seed)
{
    const ph_load_options options = {.given = anew ? PH_LOAD_FRESH : 0};
    image_bytes bytes = {0};
    char reason[256] = "";
    CHECK_OK(ph_save(c->world, image_bytes_write, &bytes));
    CHECK_OK(ph_world_destroy(c->world));
    REQUIRE(CHECK(ph_load(&options, image_bytes_read, &bytes, &c->world, reason, sizeof reason) == PH_OK,
                  "seed %" PRIu64 ": %s", seed, reason));
    free(bytes.items);
    if (anew) memset(c->seen, 0, sizeof c->seen);
    open_ends(c);
}

static void test_world(uint64_t seed)
{
    client c = {.rng = seed};
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = 10;
    def.consumer_batches = 1 + (uint32_t)(seed % 3);
    REQUIRE(ph_world_create(&def, &c.world) == PH_OK);
    open_ends(&c);
    enter_all(&c);
    for (uint32_t tick = 0; tick < 1 + seed % TICKS; tick++) {
        run_tick(&c);
        take(&c, phx_rng_below(&c.rng, 3));
    }
    const bool anew = seed % 4 == 0, all = !anew && seed % 2 == 0;
    if (all) {
        for (uint32_t i = 0; i < 2; i++) { /* a tick brings events that wait behind the bound */
            take(&c, UINT32_MAX);
            run_tick(&c);
        }
        take(&c, UINT32_MAX);
        check_mirror(&c, "before", seed);
    }
    reload(&c, anew, seed);
    if (seed % 8 == 1) reload(&c, anew, seed); /* before the tick that tells the lists */
    c.fresh = 0;
    for (uint32_t tick = 0; tick < 4; tick++) {
        run_tick(&c);
        take(&c, UINT32_MAX);
    }
    check_mirror(&c, "behind", seed);
    CHECK(all ? c.fresh == 0 : !anew || c.fresh >= ENTITIES, "seed %" PRIu64 ": %" PRIu64 " fresh changes", seed,
          c.fresh);
    CHECK_OK(ph_world_destroy(c.world));
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t count = option_number(argc, argv, "--count", test_amount(WORLDS));
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) test_world(seed + i);
    return check_done("save_consumers");
}
