/*
 * Captures of shards with more slots than one piece of a capture has: several workers copy one shard, with
 * free slots, ghosts and stored lists in it. The loaded world has the same hash; a load refuses other lists by itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pharos/pharos.h>
#include <pharos/save.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/image_bytes.h"

enum { ENTITIES = 40000, GONE_EVERY = 7, REASON = 256 };

static ph_world make_world(float margin, const uint32_t shards[2], uint64_t seed)
{
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    ph_producer producer;
    ph_world world;
    class.view = 20;
    class.margin = margin;
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = 2000;
    def.tower_size = 20;
    def.workers = 4;
    def.shards[0] = shards[0];
    def.shards[1] = shards[1];
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs attrs = {.given = PH_X | PH_Y | PH_USER_DATA, .user_data = id * 3};
        attrs.x = phx_rng_unit(&seed) * 2000;
        attrs.y = phx_rng_unit(&seed) * 2000;
        CHECK_OK(ph_enter(producer, id, &attrs));
    }
    CHECK_OK(ph_tick(world, NULL));
    for (uint64_t id = GONE_EVERY; id <= ENTITIES; id += GONE_EVERY) CHECK_OK(ph_leave(producer, id));
    CHECK_OK(ph_tick(world, NULL));
    return world;
}

static uint64_t hash_of(ph_world world)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(world, &hash));
    return hash;
}

static void save_and_load(float margin, const uint32_t shards[2])
{
    const ph_world world = make_world(margin, shards, 11);
    image_bytes bytes = {0};
    ph_stats stats;
    ph_world again;
    char reason[REASON] = "";
    CHECK_OK(ph_world_stats(world, &stats));
    CHECK(stats.list_entries > ENTITIES * 2, "%" PRIu64 " list entries", stats.list_entries);
    CHECK_OK(ph_save(world, image_bytes_write, &bytes));
    const ph_status status = ph_load(NULL, image_bytes_read, &bytes, &again, reason, sizeof reason);
    if (CHECK(status == PH_OK, "margin %g, %" PRIu32 " x %" PRIu32 " shards: %s", (double)margin, shards[0], shards[1],
              reason)) {
        CHECK(hash_of(world) == hash_of(again), "margin %g, %" PRIu32 " x %" PRIu32 " shards: another world",
              (double)margin, shards[0], shards[1]);
        CHECK_OK(ph_world_destroy(again));
    }
    free(bytes.items);
    CHECK_OK(ph_world_destroy(world));
}

int main(void)
{
    static const float margins[] = {0, 4};
    static const uint32_t layouts[][2] = {{1, 1}, {2, 1}, {3, 4}};
    for (size_t m = 0; m < sizeof margins / sizeof *margins; m++)
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) save_and_load(margins[m], layouts[l]);
    return check_done("save_pieces");
}
