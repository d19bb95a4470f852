/*
 * One list that there is no memory for takes none from the others: observers that see a few, of several consumers, and
 * one that sees all, in a world with room for so many bytes and no more. Targets walk and speak, so packets have
 * changes, deliveries and updates. In each tick the lists as told are the lists of the world; once there is memory
 * again, all lists are whole. By bytes and counters; deterministic but for the threads that meet the bound first.
 *
 * options: --every N   each Nth of the amounts of memory
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/purse.h"

enum {
    MIB = 1 << 20,
    SIDE = 1000,
    TARGETS = 40000,
    SPECTATORS = 200,
    LARGE = TARGETS + 1,       /* the observer of all; spectators have the ids behind it */
    WATCHERS = SPECTATORS + 1, /* LARGE, and they */
    MOVERS = 400,              /* targets that walk in each tick */
    SPEAKERS = 20,             /* ... that speak */
    FEW = WATCHERS / 4,        /* lists: of one worker's batches and bands */
    ROOM_OF_WORKER =
        512 * 1024, /* bytes: marks of updates take 8 for each slot, rows without old position of a tile 20 */
    CONSUMERS_MAX = 3,
    WARM = 6, /* ticks, before the observer of all enters */
    TICKS = 6,
    WHOLE_MAX = 40 /* ticks until all lists are whole, once there is memory */
};

/* The list of an observer, as its consumer was told. */
typedef struct copy {
    uint64_t sum; /* of the targets' hashes */
    uint32_t count;
} copy;

typedef struct host {
    purse purse;
    ph_world world;
    ph_producer producer;
    ph_consumer consumers[CONSUMERS_MAX];
    uint32_t consumer_count;
    uint64_t rng;
    copy copies[WATCHERS];
    uint64_t batch_of[WATCHERS]; /* the last batch with a packet for the observer */
    uint64_t batches, more, deliveries, updates;
} host;

/* One way of dividing the work: shards along x, workers, consumers; and the bands of the class. */
typedef struct layout {
    uint32_t shards, workers, consumers, bands;
} layout;

static float any_place(host *h)
{
    return (float)phx_rng_below(&h->rng, SIDE);
}

static void open_host(host *h, layout way)
{
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    *h = (host){.purse.most = UINT64_MAX, .consumer_count = way.consumers, .rng = 1};
    class.band_count = way.bands;
    class.bands[0] = (ph_band){10, 1};
    class.bands[1] = (ph_band){30, 4};
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.shards[0] = way.shards;
    def.workers = way.workers;
    def.share_min = 0;
    def.consumers = way.consumers;
    def.producer_bytes = 8 * MIB;
    def.allocator = purse_hooks(&h->purse);
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    for (uint32_t i = 0; i < way.consumers; i++) REQUIRE(ph_consumer_open(h->world, i, &h->consumers[i]) == PH_OK);
}

static void enter_targets(host *h)
{
    for (uint64_t id = 1; id <= TARGETS; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = any_place(h), .y = any_place(h)};
        CHECK_OK(ph_enter(h->producer, id, &attrs));
    }
    CHECK_OK(ph_tick(h->world, NULL));
}

/* From LARGE + first on. */
static void enter_watchers(host *h, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW | PH_CONSUMER,
                                .x = any_place(h),
                                .y = any_place(h),
                                .view = i == 0 ? 2 * SIDE : 30,
                                .consumer = i % h->consumer_count};
        CHECK_OK(ph_enter(h->producer, LARGE + i, &attrs));
    }
}

static void walk_and_speak(host *h)
{
    for (uint32_t i = 0; i < MOVERS; i++)
        CHECK_OK(ph_move(h->producer, 1 + phx_rng_below(&h->rng, TARGETS), any_place(h), any_place(h), 0));
    for (uint32_t i = 0; i < SPEAKERS; i++)
        CHECK_OK(ph_broadcast(h->producer, 1 + phx_rng_below(&h->rng, TARGETS), "here", 4, NULL));
}

static void apply_change(copy *list, const ph_batch *batch, const ph_change *change)
{
    if (change->flags & PH_CHANGE_FRESH) *list = (copy){0};
    for (uint32_t i = 0; i < change->leave_count; i++) list->sum -= phx_mix64(batch->targets[change->first + i].id);
    for (uint32_t i = 0; i < change->enter_count; i++)
        list->sum += phx_mix64(batch->targets[change->first + change->leave_count + i].id);
    list->count += change->enter_count - change->leave_count;
}

/* Each observer has one packet, and all of the batch is in packets. */
static void take_packets(host *h, uint32_t consumer, const ph_batch *batch)
{
    ph_packets packets;
    ph_packet packet;
    uint32_t changes = 0, deliveries = 0, updates = 0;
    h->batches++;
    CHECK_OK(ph_packets_begin(h->consumers[consumer], batch, &packets));
    while (ph_packets_next(&packets, &packet)) {
        REQUIRE(packet.observer >= LARGE && packet.observer < LARGE + WATCHERS);
        const uint32_t i = (uint32_t)(packet.observer - LARGE);
        CHECK(i % h->consumer_count == consumer, "a packet of another consumer's observer");
        CHECK(h->batch_of[i] != h->batches, "%" PRIu64 " has two packets of a batch", packet.observer);
        h->batch_of[i] = h->batches;
        if (packet.change) {
            apply_change(&h->copies[i], batch, packet.change);
            h->more += (packet.change->flags & PH_CHANGE_MORE) != 0;
        }
        changes += packet.change != NULL;
        deliveries += packet.delivery != NULL;
        updates += packet.update != NULL;
    }
    CHECK(changes == batch->change_count && deliveries == batch->delivery_count && updates == batch->update_count,
          "packets have %" PRIu32 " changes of %" PRIu32 ", %" PRIu32 " deliveries of %" PRIu32 ", %" PRIu32
          " updates of %" PRIu32,
          changes, batch->change_count, deliveries, batch->delivery_count, updates, batch->update_count);
    h->deliveries += deliveries;
    h->updates += updates;
}

/*
 * Are the lists as told the lists of the world? An observer that was set aside has an empty list, and its consumer the
 * copy of before, until it is told the whole list; if `whole`, none is. Returns the entries of the spectators.
 */
static uint64_t compare_lists(host *h, bool whole)
{
    static uint64_t ids[TARGETS + WATCHERS];
    const uint64_t most = h->purse.most;
    uint64_t entries = 0;
    h->purse.most = UINT64_MAX; /* a read may want memory too */
    for (uint32_t i = 0; i < WATCHERS; i++) {
        copy list = {0};
        const ph_status status = ph_list(h->world, LARGE + i, ids, TARGETS + WATCHERS, &list.count);
        CHECK(status == PH_OK || (i == 0 && status == PH_UNKNOWN_ID), "ph_list: %s", ph_status_name(status));
        for (uint32_t t = 0; t < list.count; t++) list.sum += phx_mix64(ids[t]);
        CHECK((list.sum == h->copies[i].sum && list.count == h->copies[i].count) || (list.count == 0 && !whole),
              "%" PRIu32 " was told %" PRIu32 " targets, its list has %" PRIu32, LARGE + i, h->copies[i].count,
              list.count);
        entries += i == 0 ? 0 : list.count;
    }
    h->purse.most = most;
    return entries;
}

/* A tick in which targets walk and speak, with the memory that there is. Returns the entries of the spectators. */
static uint64_t tick_somehow(host *h)
{
    walk_and_speak(h);
    ph_status status = ph_tick(h->world, NULL);
    if (status == PH_NO_MEMORY) status = ph_tick_finish(h->world, NULL);
    CHECK(status == PH_OK, "of %" PRIu64 " bytes: %s", h->purse.most, ph_status_name(status));
    h->more = 0;
    for (uint32_t i = 0; i < h->consumer_count; i++) {
        const ph_batch *batch = NULL;
        while (ph_batch_take(h->consumers[i], &batch) == PH_OK) {
            take_packets(h, i, batch);
            CHECK_OK(ph_batch_return(h->consumers[i], batch));
        }
    }
    return compare_lists(h, false);
}

static void verify(const host *h)
{
    ph_verification progress = {0};
    ph_difference difference = {0};
    while (progress.rounds == 0) {
        REQUIRE(ph_verify(h->world, WATCHERS, &progress, &difference) == PH_OK);
        REQUIRE(difference.kind == PH_DIFFERENCE_NONE);
    }
}

/* A world at rest but for its walkers, and the large one about to enter. */
static void begin(host *h, layout way)
{
    open_host(h, way);
    enter_targets(h);
    enter_watchers(h, 1, WATCHERS);
    for (uint32_t tick = 0; tick < WARM; tick++) (void)tick_somehow(h);
    enter_watchers(h, 0, 1);
}

/* The entries of the spectators after each tick, with all memory. */
static void play_unbounded(layout way, uint64_t entries[TICKS])
{
    static host h;
    begin(&h, way);
    for (uint32_t tick = 0; tick < TICKS; tick++) entries[tick] = tick_somehow(&h);
    CHECK(h.deliveries > 0 && (h.updates > 0) == (way.bands > 0), "packets without broadcasts or updates");
    CHECK(h.copies[0].count == TARGETS + SPECTATORS, "the large list has %" PRIu32, h.copies[0].count);
    CHECK_OK(ph_world_destroy(h.world));
}

/*
 * So many bytes more, in the first ticks too few for the large list. In one shard with one worker few other lists are
 * emptied, and all are whole again at the end; with more workers, of which another one may meet the bound first, they
 * are at the end of some tick. Without room for arrays of one worker, which are as large as a tile or a shard, a group
 * or a tile loses its lists in each tick. With more shards there is no room for copies of all targets, and shards are
 * blind. With all memory, all is whole.
 */
static void play_bounded(layout way, uint64_t room, const uint64_t entries[TICKS])
{
    static host h;
    const bool one = way.shards == 1 && room >= ROOM_OF_WORKER, alone = one && way.workers == 1;
    uint32_t ticks = 0, whole = 0;
    ph_stats stats = {0};
    begin(&h, way);
    h.purse.most = h.purse.held + room;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        const uint64_t seen = tick_somehow(&h);
        CHECK(seen <= entries[tick] && (seen == entries[tick] || tick + 1 < TICKS || !alone),
              "tick %" PRIu32 ": %" PRIu64 " entries of %" PRIu64, tick, seen, entries[tick]);
        whole += seen == entries[tick];
    }
    CHECK(whole > 0 || !one, "in no tick the others have all of their targets");
    CHECK_OK(ph_world_stats(h.world, &stats));
    (void)printf("%" PRIu32 " shards, %" PRIu32 " workers, %" PRIu32 " consumers, %" PRIu64 " KiB: %" PRIu64
                 " short ticks, %" PRIu32 " of the large list, %" PRIu64 " lists emptied\n",
                 way.shards, way.workers, way.consumers, room / 1024, stats.ticks_short, h.copies[0].count,
                 stats.observers_reset);
    CHECK(stats.ticks_short > 0 || room > MIB, "there is memory for all");
    h.purse.most = UINT64_MAX;
    do (void)tick_somehow(&h); /* the last tick may have emptied others */
    while (h.copies[0].count < TARGETS + SPECTATORS && ++ticks < WHOLE_MAX);
    CHECK(ticks < WHOLE_MAX, "the large list is not whole");
    (void)compare_lists(&h, true);
    CHECK(stats.observers_reset <= (alone ? FEW : TICKS * WATCHERS), "%" PRIu64 " lists emptied",
          stats.observers_reset);
    verify(&h);
    CHECK_OK(ph_world_destroy(h.world));
    CHECK(h.purse.held == 0, "%" PRIu64 " bytes leak", h.purse.held);
}

int main(int argc, char **argv)
{
    const size_t every = option_number(argc, argv, "--every", 1);
    static const layout layouts[] = {{1, 1, 1, 2}, {1, 1, 1, 0}, {1, 2, 3, 2}, {1, 2, 2, 0},
                                     {1, 4, 1, 2}, {3, 1, 2, 2}, {4, 2, 3, 0}};
    static const uint32_t rooms[] = {16, 64, 512, 768, 1024, 1280, 1536, 1712, 1792, 2048}; /* KiB */
    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
        uint64_t entries[TICKS];
        play_unbounded(layouts[l], entries);
        for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i += every)
            play_bounded(layouts[l], (uint64_t)rooms[i] * 1024, entries);
    }
    return check_done("one_too_large");
}
