/*
 * Many at one place: the memory of a tick follows events_max and the lists, not the square of the crowd at once. Lists
 * are filled nearest first and end complete. A world with few bytes to allocate is never stuck: the tick is finished,
 * reads work, and leaves alone make the world small again. By bytes and counters; deterministic.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "support/purse.h"

enum { MIB = 1 << 20, CROWD = 2500, TICKS_MAX = 200 };

typedef struct host {
    purse purse;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t enters, more, fresh; /* published: enters, changes with PH_CHANGE_MORE, and with PH_CHANGE_FRESH */
} host;

static void open_host(host *h, ph_world_def def, uint64_t most)
{
    *h = (host){.purse.most = most};
    def.allocator = purse_hooks(&h->purse);
    def.producer_bytes = 8 * MIB;
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    REQUIRE(ph_consumer_open(h->world, 0, &h->consumer) == PH_OK);
}

/* Ids first .. end - 1 around one place, each a little farther from it than the one before. */
static void enter_crowd(host *h, uint64_t first, uint64_t end)
{
    for (uint64_t id = first; id < end; id++) {
        const ph_attrs attrs = {
            .given = PH_X | PH_Y | PH_VIEW, .x = 500 + (float)(id - first) / 1024, .y = 500, .view = 50};
        CHECK_OK(ph_enter(h->producer, id, &attrs));
    }
}

static void take(host *h)
{
    const ph_batch *batch = NULL;
    h->more = h->fresh = 0;
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            h->enters += batch->changes[i].enter_count;
            h->more += (batch->changes[i].flags & PH_CHANGE_MORE) != 0;
            h->fresh += (batch->changes[i].flags & PH_CHANGE_FRESH) != 0;
        }
        CHECK_OK(ph_batch_return(h->consumer, batch));
    }
}

static ph_stats stats_of(const host *h)
{
    ph_stats stats = {0};
    CHECK_OK(ph_world_stats(h->world, &stats));
    return stats;
}

/* The first observer stands at the end of the line: its nearest targets have the lowest ids. */
static void expect_nearest(const host *h)
{
    uint64_t ids[CROWD];
    uint32_t count = 0;
    CHECK_OK(ph_list(h->world, 1, ids, CROWD, &count));
    for (uint32_t i = 0; i < count; i++)
        CHECK(ids[i] == i + 2, "target %" PRIu32 " of %" PRIu32 " is %" PRIu64, i, count, ids[i]);
}

/* The bound of a tick with all of the crowd; as the words of ph_world_def have it, if 0. */
static uint64_t bound_of(uint32_t events_max)
{
    enum { LEAST = 4194304, EACH = 64 };
    return events_max > 0 ? events_max : LEAST + (uint64_t)EACH * CROWD;
}

/* Each tick has no more events than its bound, and memory for these events and the lists so far. */
static void bounded(uint32_t events_max, uint32_t shards, uint32_t workers)
{
    /*
     * An event in a scratch and in a batch, and beside its target in a batch a cause and a position; a list entry, with
     * the smaller blocks that growing lists left behind. Of the rest are arrays that the first ticks made large: each
     * is trimmed eight ticks behind its last use.
     */
    enum { EVENT_BYTES = 80 + sizeof(uint8_t) + sizeof(ph_position), PAIR_BYTES = 10, REST_BYTES = 18 * MIB };
    const uint64_t pairs = (uint64_t)CROWD * (CROWD - 1), bound = bound_of(events_max);
    ph_world_def def = ph_world_def_default();
    host h;
    CHECK(def.events_max == 0, "the default is a number");
    def.events_max = events_max;
    def.shards[0] = shards;
    def.workers = workers;
    def.share_min = 0;
    open_host(&h, def, UINT64_MAX);
    enter_crowd(&h, 1, 1 + CROWD);
    uint32_t ticks = 0;
    do {
        const uint64_t before = h.enters;
        CHECK_OK(ph_tick(h.world, NULL));
        take(&h);
        CHECK(h.enters - before <= bound, "%" PRIu64 " enters in a tick", h.enters - before);
        CHECK(stats_of(&h).list_entries == h.enters, "lists have %" PRIu64, stats_of(&h).list_entries);
        if (ticks % 8 == 0) expect_nearest(&h);
    } while (h.more > 0 && ++ticks < TICKS_MAX);
    const ph_stats stats = stats_of(&h);
    CHECK(h.enters == pairs, "%" PRIu64 " enters of %" PRIu64, h.enters, pairs);
    CHECK(stats.ticks_spread == ticks && ticks >= pairs / bound, "%" PRIu64 " of %" PRIu32 " ticks were spread",
          stats.ticks_spread, ticks);
    const uint64_t most = pairs * PAIR_BYTES + bound * EVENT_BYTES + REST_BYTES;
    (void)printf("events_max %" PRIu32 ": %" PRIu64 " MiB at most, %" PRIu32 " ticks\n", events_max, h.purse.peak / MIB,
                 ticks + 1);
    CHECK(h.purse.peak <= most, "%" PRIu64 " bytes at once, at most %" PRIu64, h.purse.peak, most);
    CHECK_OK(ph_world_destroy(h.world));
    CHECK(h.purse.held == 0, "%" PRIu64 " bytes leak", h.purse.held);
}

/* With the memory that there is. */
static void tick_somehow(host *h)
{
    ph_status status = ph_tick(h->world, NULL);
    if (status == PH_NO_MEMORY) status = ph_tick_finish(h->world, NULL);
    CHECK(status == PH_OK, "of %" PRIu64 " bytes: %s", h->purse.most, ph_status_name(status));
    take(h);
}

/* No bound that a definition can have spares this world: it gets no more than so many bytes. */
static void short_of_memory(uint64_t bytes)
{
    enum { RESTING = 20 };
    ph_world_def def = ph_world_def_default();
    host h;
    def.events_max = UINT32_C(1) << 31;
    open_host(&h, def, bytes);
    enter_crowd(&h, 1, 1 + RESTING);
    CHECK_OK(ph_tick(h.world, NULL));
    take(&h);
    enter_crowd(&h, 1 + RESTING, 1 + CROWD);
    CHECK_STATUS(ph_tick(h.world, NULL), PH_NO_MEMORY);
    CHECK_OK(ph_tick_finish(h.world, NULL));
    ph_stats stats = stats_of(&h);
    CHECK(stats.ticks_short == 1 && stats.observers_reset > 0, "%" PRIu64 " lists emptied", stats.observers_reset);
    CHECK(stats.entities == CROWD, "%" PRIu64 " entities", stats.entities);
    take(&h);
    CHECK_STATUS(ph_tick_finish(h.world, NULL), PH_EMPTY);
    for (uint64_t id = 1 + RESTING; id < 1 + CROWD; id++) CHECK_OK(ph_leave(h.producer, id));
    tick_somehow(&h);
    tick_somehow(&h);
    stats = stats_of(&h);
    CHECK(stats.entities == RESTING && stats.list_entries == RESTING * (RESTING - 1), "%" PRIu64 " list entries",
          stats.list_entries);
    CHECK_OK(ph_world_destroy(h.world));
    CHECK(h.purse.held == 0, "%" PRIu64 " bytes leak", h.purse.held);
}

/* With memory for most of it, tick by tick more observers have changes; none is stuck. */
static void makes_progress(uint64_t bytes)
{
    ph_world_def def = ph_world_def_default();
    host h;
    uint32_t ticks = 0;
    def.events_max = UINT32_C(1) << 31;
    open_host(&h, def, bytes);
    enter_crowd(&h, 1, 1 + CROWD);
    do {
        tick_somehow(&h);
    } while (stats_of(&h).list_entries < (uint64_t)CROWD * (CROWD - 1) && ++ticks < TICKS_MAX);
    CHECK(ticks < TICKS_MAX && ticks > 0, "%" PRIu32 " ticks", ticks);
    (void)printf("%" PRIu64 " MiB: %" PRIu32 " ticks until all lists are told\n", bytes / MIB, ticks + 1);
    CHECK_OK(ph_world_destroy(h.world));
}

int main(void)
{
    bounded(0, 1, 1); /* the default bites: some thousands at one place */
    bounded(0, 2, 2);
    bounded(600000, 1, 1);
    bounded(900000, 1, 2);
    bounded(1200000, 3, 1);
    for (uint64_t mib = 10; mib <= 50; mib += 10) short_of_memory(mib * MIB);
    makes_progress(UINT64_C(40) * MIB);
    return check_done("crowded");
}
