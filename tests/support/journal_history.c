/*
 * A world that can be repeated; see journal_history.h.
 */
#include "support/journal_history.h"

#include <inttypes.h>

#include "base/rng.h"
#include "support/check.h"

ph_world history_world(const ph_allocator *memory)
{
    ph_world world;
    ph_world_def def = ph_world_def_default();
    def.consumers = 1;
    if (memory) def.allocator = *memory;
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    return world;
}

void history_tick(ph_world world, ph_producer producer, uint64_t tick)
{
    uint64_t rng = tick * 977;
    for (uint32_t i = 0; i < 12; i++) {
        const uint64_t id = 1 + phx_rng_below(&rng, HISTORY_ENTITIES);
        const uint32_t what = phx_rng_below(&rng, 10);
        const float x = 300.0f * phx_rng_unit(&rng), y = 300.0f * phx_rng_unit(&rng);
        const ph_attrs attrs = {
            .given = PH_X | PH_Y | PH_VIEW | PH_MARGIN, .x = x, .y = y, .view = 40.0f, .margin = 8.0f};
        if (what < 3) CHECK_OK(ph_enter(producer, id, &attrs));
        else if (what < 4) CHECK_OK(ph_leave(producer, id));
        else if (what < 5) CHECK_OK(ph_link(producer, id, id % HISTORY_ENTITIES + 1));
        else CHECK_OK(ph_move(producer, id, x, y, 0.0f));
        if (i == 5 && tick % 7 == 0) CHECK_OK(ph_apply(world));
    }
    CHECK_OK(ph_tick(world, NULL));
}

uint64_t history_hash(ph_world world)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(world, &hash));
    return hash;
}

uint64_t *history_hashes(void)
{
    uint64_t *hashes = check_zalloc((HISTORY_TICKS + 1) * sizeof *hashes);
    const ph_world world = history_world(NULL);
    ph_producer producer;
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    hashes[0] = history_hash(world);
    for (uint64_t tick = 1; tick <= HISTORY_TICKS; tick++) {
        history_tick(world, producer, tick);
        hashes[tick] = history_hash(world);
    }
    CHECK_OK(ph_world_destroy(world));
    return hashes;
}

ph_world history_recover(const ph_store_def *def, const uint64_t *hashes, uint64_t *tick, char *reason)
{
    const ph_load_options options = {
        .given = PH_LOAD_FRESH | PH_LOAD_SHARDS | PH_LOAD_WORKERS, .shards = {1, 2}, .workers = 1};
    ph_world world;
    const ph_status status = ph_store_recover(def, &options, &world, tick, reason, PH_STORE_REASON_SIZE);
    if (status == PH_EMPTY) return history_world(NULL);
    CHECK(status == PH_OK, "%s %s", ph_status_name(status), reason);
    REQUIRE(status == PH_OK && *tick <= HISTORY_TICKS);
    CHECK(history_hash(world) == hashes[*tick], "the world of tick %" PRIu64 " is another one; %s", *tick, reason);
    return world;
}

void history_expect(const ph_store_def *def, const uint64_t *hashes, uint64_t least, uint64_t most)
{
    uint64_t tick = 0;
    char reason[PH_STORE_REASON_SIZE];
    const ph_world world = history_recover(def, hashes, &tick, reason);
    CHECK(tick >= least && tick <= most, "recovered tick %" PRIu64 " is outside [%" PRIu64 ", %" PRIu64 "]; %s", tick,
          least, most, reason);
    CHECK_OK(ph_world_destroy(world));
}

ph_store_stats history_stats(const ph_store *store)
{
    ph_store_stats stats = {0};
    CHECK_OK(ph_store_stats_get(store, &stats));
    return stats;
}

uint64_t history_durable(const ph_store *store)
{
    const ph_store_stats stats = history_stats(store);
    return stats.journal_tick > stats.durable_tick ? stats.journal_tick : stats.durable_tick;
}
