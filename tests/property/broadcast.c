/*
 * Promises of broadcasts that scripts do not reach: a queue that is full of
 * payloads, a consumer that stood too long, the order of several producers, links of
 * observers on the way from tower to tower. Recipients in general are compared with
 * the model by diff_model and diff_layout.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"

typedef struct host {
    ph_class kind;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t tick;
} host;

static ph_world_def def_of(host *h)
{
    ph_world_def def = ph_world_def_default();
    h->kind = ph_class_default("default");
    h->kind.view = 50;
    def.classes = &h->kind;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = 1000;
    def.tower_size = 50;
    return def;
}

static void host_begin(host *h, const ph_world_def *def)
{
    REQUIRE(ph_world_create(def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    REQUIRE(def->consumers == 0 || ph_consumer_open(h->world, 0, &h->consumer) == PH_OK);
}

static void enter(host *h, uint64_t id, float x, float y)
{
    const ph_attrs a = {.given = PH_X | PH_Y, .x = x, .y = y};
    CHECK_OK(ph_enter(h->producer, id, &a));
}

static void say(ph_producer producer, uint64_t source, uint64_t number)
{
    CHECK_OK(ph_broadcast(producer, source, &number, sizeof number, NULL));
}

static uint64_t number_of(const ph_batch *batch, uint32_t heard)
{
    uint64_t number;
    memcpy(&number, batch->payload + batch->messages[batch->heard[heard]].first, sizeof number);
    return number;
}

static const ph_batch *take(host *h)
{
    const ph_batch *batch = NULL;
    REQUIRE(ph_batch_take(h->consumer, &batch) == PH_OK);
    return batch;
}

static void give(host *h, const ph_batch *batch)
{
    CHECK_OK(ph_batch_return(h->consumer, batch));
}

/* ---- a full queue takes nothing and returns PH_FULL; commands that it took are delivered ---- */

static void full_queue(void)
{
    static uint8_t payload[PH_PAYLOAD_MAX];
    host h;
    ph_world_def def = def_of(&h);
    def.producer_bytes = 512 << 10;
    for (uint32_t i = 0; i < sizeof payload; i++) payload[i] = (uint8_t)(i * 7 + i / 251);
    host_begin(&h, &def);
    enter(&h, 1, 10, 10);
    enter(&h, 2, 20, 10);
    CHECK_OK(ph_tick(h.world, &h.tick));
    give(&h, take(&h));
    for (uint32_t round = 0; round < 5; round++) {
        uint64_t before = 0, after = 0;
        uint32_t taken = 0;
        ph_status status;
        CHECK_OK(ph_producer_sequence(h.producer, &before));
        while ((status = ph_broadcast(h.producer, 1, payload, sizeof payload, NULL)) == PH_OK) taken++;
        CHECK_STATUS(status, PH_FULL);
        CHECK_STATUS(ph_broadcast(h.producer, 1, payload, sizeof payload, NULL), PH_FULL);
        CHECK_OK(ph_producer_sequence(h.producer, &after));
        CHECK(taken >= 3 && after - before == taken, "%u were taken, %" PRIu64 " numbers", taken, after - before);
        CHECK_OK(ph_tick(h.world, &h.tick));
        const ph_batch *batch = take(&h);
        CHECK(batch->heard_count == taken && batch->message_count == taken && batch->delivery_count == 1,
              "%u heard of %u", batch->heard_count, taken);
        for (uint32_t i = 0; i < batch->message_count; i++)
            CHECK(batch->messages[i].bytes == sizeof payload &&
                      memcmp(batch->payload + batch->messages[i].first, payload, sizeof payload) == 0,
                  "payload %u", i);
        give(&h, batch);
    }
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- a tick carries so many bytes; broadcasts beyond are refused by number, the rest is delivered ---- */

static void full_tick(void)
{
    static const uint8_t payload[PH_PAYLOAD_MAX];
    static const struct {
        uint64_t source;
        uint32_t bytes;
        ph_status status;
    } says[] = {{1, 40000, PH_OK}, {1, 40000, PH_TICK_FULL}, {9, 40000, PH_UNKNOWN_ID},
                {1, 25536, PH_OK}, {1, 1, PH_TICK_FULL},     {1, 0, PH_OK}};
    enum { SAYS = sizeof says / sizeof says[0] };
    host h;
    ph_stats stats;
    ph_world_def def = def_of(&h);
    def.broadcast_bytes = PH_PAYLOAD_MAX;
    host_begin(&h, &def);
    enter(&h, 1, 10, 10);
    enter(&h, 2, 20, 10);
    CHECK_OK(ph_tick(h.world, &h.tick));
    give(&h, take(&h));
    for (uint32_t round = 0; round < 3; round++) {
        ph_refusal refusals[SAYS + 1];
        uint64_t first = 0;
        uint32_t count = 0, told = 0, heard = 0;
        CHECK_OK(ph_producer_sequence(h.producer, &first));
        for (uint32_t i = 0; i < SAYS; i++) {
            CHECK_OK(ph_broadcast(h.producer, says[i].source, payload, says[i].bytes, NULL));
            heard += says[i].status == PH_OK;
        }
        CHECK_OK(ph_tick(h.world, &h.tick));
        CHECK_OK(ph_producer_refusals(h.producer, refusals, SAYS + 1, &count));
        for (uint32_t i = 0; i < SAYS; i++) {
            if (says[i].status == PH_OK) continue;
            CHECK(told < count && refusals[told].status == says[i].status && refusals[told].sequence == first + 1 + i,
                  "round %u: broadcast %u is told as %s", round, i, ph_status_name(says[i].status));
            told++;
        }
        const ph_batch *batch = take(&h);
        CHECK(told == count && batch->heard_count == heard && batch->payload_bytes == PH_PAYLOAD_MAX, "%u are heard",
              batch->heard_count);
        give(&h, batch);
    }
    CHECK_OK(ph_world_stats(h.world, &stats));
    CHECK(stats.refused[PH_TICK_FULL] == 6, "counted");
    CHECK_OK(ph_world_destroy(h.world));
}

/* What an apply took in under a higher bound stands; nothing more is taken in that tick. */
static void lowered_bound(void)
{
    enum { APPLIED = 2, MORE = 40 };
    static const uint8_t payload[PH_PAYLOAD_MAX];
    char reason[200];
    host h;
    ph_stats stats;
    ph_world_def def = def_of(&h);
    def.broadcast_bytes = 4 * PH_PAYLOAD_MAX;
    host_begin(&h, &def);
    enter(&h, 1, 10, 10);
    enter(&h, 2, 20, 10);
    CHECK_OK(ph_tick(h.world, &h.tick));
    give(&h, take(&h));
    def.broadcast_bytes = PH_PAYLOAD_MAX;
    CHECK_OK(ph_world_reconfigure(h.world, &def, reason, sizeof reason));
    for (uint32_t i = 0; i < APPLIED; i++) CHECK_OK(ph_broadcast(h.producer, 1, payload, sizeof payload, NULL));
    CHECK_OK(ph_apply(h.world));
    for (uint32_t i = 0; i < MORE; i++) CHECK_OK(ph_broadcast(h.producer, 1, payload, sizeof payload, NULL));
    CHECK_OK(ph_tick(h.world, &h.tick));
    const ph_batch *batch = take(&h);
    CHECK(batch->payload_bytes == APPLIED * PH_PAYLOAD_MAX, "%llu bytes", (unsigned long long)batch->payload_bytes);
    give(&h, batch);
    CHECK_OK(ph_world_stats(h.world, &stats));
    CHECK(stats.refused[PH_TICK_FULL] == MORE, "%llu refused", (unsigned long long)stats.refused[PH_TICK_FULL]);
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- a consumer that stood: the newest are kept, and the others are counted ---- */

static void slow_consumer(void)
{
    enum { LISTENERS = 4, TICKS = 200, SAYS = 3, TOTAL = TICKS * SAYS, BYTES = 4000 };
    const uint32_t tick_bytes =
        SAYS * (sizeof(ph_message) + 8) + LISTENERS * (sizeof(ph_delivery) + SAYS * sizeof(uint32_t));
    host h;
    ph_stats stats;
    ph_world_def def = def_of(&h);
    def.consumer_batches = 1;
    def.consumer_bytes = BYTES;
    host_begin(&h, &def);
    for (uint64_t id = 1; id <= LISTENERS + 1; id++) enter(&h, id, 10 + (float)id, 10);
    CHECK_OK(ph_tick(h.world, &h.tick));
    for (uint64_t i = 0; i < TICKS; i++) {
        for (uint64_t j = 0; j < SAYS; j++) say(h.producer, 1, i * SAYS + j);
        CHECK_OK(ph_tick(h.world, &h.tick));
    }
    const ph_batch *first = take(&h);
    CHECK(first->tick == 1 && first->heard_count == 0 && first->change_count == LISTENERS + 1, "the first batch");
    give(&h, first);
    CHECK_OK(ph_tick(h.world, &h.tick));
    const ph_batch *batch = take(&h);
    uint32_t kept = batch->message_count;
    CHECK(kept == BYTES / tick_bytes * SAYS && batch->delivery_count == LISTENERS, "%u messages are kept", kept);
    CHECK(batch->dropped == (uint64_t)(TOTAL - kept) * LISTENERS, "%" PRIu64 " dropped", batch->dropped);
    for (uint32_t d = 0; d < batch->delivery_count; d++) {
        const ph_delivery *delivery = &batch->deliveries[d];
        CHECK(delivery->count == kept, "an observer hears %u", delivery->count);
        for (uint32_t i = 0; i < delivery->count; i++)
            CHECK(number_of(batch, delivery->first + i) == TOTAL - kept + i, "not the newest, or not in order");
    }
    CHECK_OK(ph_world_stats(h.world, &stats));
    CHECK(stats.deliveries == (uint64_t)TOTAL * LISTENERS && stats.deliveries_dropped == batch->dropped &&
              stats.deliveries_void == 0,
          "the counters");
    give(&h, batch);
    say(h.producer, 1, TOTAL);
    CHECK_OK(ph_tick(h.world, &h.tick));
    batch = take(&h);
    CHECK(batch->dropped == 0 && batch->heard_count == LISTENERS && batch->tick_first == batch->tick, "told once");
    give(&h, batch);
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- nothing is kept, and there is no other event: the number of dropped ones comes with the next tick ---- */

static void only_dropped(void)
{
    enum { LISTENERS = 3, TICKS = 5 };
    host h;
    const ph_batch *batch = NULL;
    ph_world_def def = def_of(&h);
    def.consumer_batches = 1;
    def.consumer_bytes = 0;
    host_begin(&h, &def);
    for (uint64_t id = 1; id <= LISTENERS + 1; id++) enter(&h, id, 10 + (float)id, 10);
    for (uint64_t i = 0; i < TICKS; i++) {
        CHECK_OK(ph_tick(h.world, &h.tick));
        say(h.producer, 1, i);
    }
    CHECK_OK(ph_tick(h.world, &h.tick));
    give(&h, take(&h));
    CHECK_STATUS(ph_batch_take(h.consumer, &batch), PH_PENDING);
    CHECK_OK(ph_tick(h.world, &h.tick));
    batch = take(&h);
    CHECK(batch->dropped == TICKS * LISTENERS && batch->heard_count == 0 && batch->change_count == 0,
          "%" PRIu64 " dropped, %u heard", batch->dropped, batch->heard_count);
    give(&h, batch);
    CHECK_STATUS(ph_batch_take(h.consumer, &batch), PH_EMPTY);
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- by producer, then in the order of submitting, whatever the source ---- */

static void several_producers(void)
{
    static const uint64_t expected[] = {1, 4, 5, 2, 3, 6};
    host h;
    ph_producer second;
    ph_world_def def = def_of(&h);
    host_begin(&h, &def);
    CHECK_OK(ph_producer_open(h.world, &second));
    for (uint64_t id = 1; id <= 3; id++) enter(&h, id, 10 + (float)id, 10);
    CHECK_OK(ph_tick(h.world, &h.tick));
    give(&h, take(&h));
    say(h.producer, 1, 1);
    say(second, 2, 2);
    say(second, 1, 3);
    say(h.producer, 2, 4);
    say(h.producer, 1, 5);
    say(second, 2, 6);
    CHECK_OK(ph_tick(h.world, &h.tick));
    const ph_batch *batch = take(&h);
    for (uint32_t d = 0; d < batch->delivery_count; d++) {
        const ph_delivery *delivery = &batch->deliveries[d];
        uint32_t at = 0;
        for (uint32_t i = 0; i < 6 && delivery->observer == 3; i++)
            CHECK(delivery->count == 6 && number_of(batch, delivery->first + at++) == expected[i], "place %u", i);
    }
    CHECK(batch->delivery_count == 3 && batch->heard_count == 6 + 3 + 3, "%u heard", batch->heard_count);
    give(&h, batch);
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- observers linked to a far source, each on its way over the borders of towers, in short steps ---- */

static void linked_walkers(uint32_t shards)
{
    enum { WALKERS = 60, TICKS = 120 };
    host h;
    ph_world_def def = def_of(&h);
    def.shards[0] = def.shards[1] = shards;
    host_begin(&h, &def);
    enter(&h, 1000, 990, 990);
    for (uint64_t id = 1; id <= WALKERS; id++) {
        enter(&h, id, 100 + (float)id * 7, 300);
        CHECK_OK(ph_link(h.producer, id, 1000));
    }
    CHECK_OK(ph_tick(h.world, &h.tick));
    give(&h, take(&h));
    for (uint32_t t = 0; t < TICKS; t++) {
        for (uint64_t id = 1; id <= WALKERS; id++) {
            float way = (float)t * 0.9f;
            CHECK_OK(ph_move(h.producer, id, 100 + (float)id * 7 + (id % 2 ? way : -way), 300 + (id % 3 ? way : 0), 0));
        }
        say(h.producer, 1000, t);
        CHECK_OK(ph_tick(h.world, &h.tick));
        const ph_batch *batch = take(&h);
        CHECK(batch->delivery_count == WALKERS && batch->heard_count == WALKERS && batch->message_count == 1 &&
                  batch->payload_bytes == sizeof(uint64_t),
              "tick %" PRIu64 ", shards %u: %u of %d hear it", h.tick, shards, batch->delivery_count, WALKERS);
        give(&h, batch);
    }
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- no recipients, no payload ---- */

static void no_consumers(void)
{
    host h;
    ph_stats stats;
    ph_world_def def = def_of(&h);
    def.consumers = 0;
    host_begin(&h, &def);
    enter(&h, 1, 10, 10);
    enter(&h, 2, 10, 10);
    say(h.producer, 1, 1);
    CHECK_STATUS(ph_broadcast(h.producer, 1, NULL, 1, NULL), PH_BAD_ARGUMENT);
    const ph_broadcast_options no_kinds = {.kind_count = 1};
    CHECK_STATUS(ph_broadcast(h.producer, 1, NULL, 0, &no_kinds), PH_BAD_ARGUMENT);
    CHECK_OK(ph_broadcast(h.producer, 1, NULL, 0, NULL));
    CHECK_OK(ph_tick(h.world, &h.tick));
    CHECK_OK(ph_world_stats(h.world, &stats));
    CHECK(stats.applied == 4 && stats.deliveries == 0, "applied without consumers");
    CHECK_OK(ph_world_destroy(h.world));
}

int main(void)
{
    full_queue();
    full_tick();
    lowered_bound();
    slow_consumer();
    only_dropped();
    several_producers();
    linked_walkers(1);
    linked_walkers(3);
    no_consumers();
    return check_done("broadcast");
}
