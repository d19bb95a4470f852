/*
 * Beginnings and ends: worlds destroyed with full queues and batches taken, handles that
 * are null, closed, closed twice, or of a world that is gone or was made anew in its
 * place; every call on every dead handle; as many worlds at once as there may be; definitions out of range.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "support/fail_alloc.h"

typedef struct handles {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
} handles;

static ph_world_def small_def(fail_alloc *memory)
{
    static ph_class kind;
    ph_world_def def = ph_world_def_default();
    kind = ph_class_default("default");
    kind.view = 50;
    def.classes = &kind;
    def.class_count = 1;
    def.producer_bytes = 128u << 10;
    def.producers_max = 4;
    def.consumers = 2;
    def.consumer_batches = 2;
    def.entities_max = 4096;
    if (memory != NULL) {
        def.allocator = fail_alloc_hooks(memory);
    }
    return def;
}

static handles handles_make(const ph_world_def *def)
{
    handles h;
    REQUIRE(ph_world_create(def, &h.world) == PH_OK && ph_producer_open(h.world, &h.producer) == PH_OK &&
            ph_consumer_open(h.world, 0, &h.consumer) == PH_OK);
    return h;
}

/* ---- dead handles ---- */

static bool never(void *user, uint64_t id, uint64_t user_data)
{
    (void)user;
    (void)user_data;
    CHECK(id == 0, "visited through a dead handle");
    return false;
}

static bool no_hit(void *user, const ph_hit *hit)
{
    (void)user;
    CHECK(hit == NULL, "found through a dead handle");
    return false;
}

static void dead_producer(ph_producer producer)
{
    const uint64_t id = 1;
    const ph_attrs attrs = {.given = PH_X | PH_Y};
    const ph_position position = {0};
    const ph_broadcast_place place = {.radius = 1};
    const ph_area area = {.radius = 1};
    ph_refusal refusal;
    uint64_t sequence = 0;
    uint32_t count = 0;
    CHECK_STATUS(ph_enter(producer, 1, &attrs), PH_BAD_HANDLE);
    CHECK_STATUS(ph_leave(producer, 1), PH_BAD_HANDLE);
    CHECK_STATUS(ph_move(producer, 1, 0, 0, 0), PH_BAD_HANDLE);
    CHECK_STATUS(ph_set(producer, 1, &attrs), PH_BAD_HANDLE);
    CHECK_STATUS(ph_pair(producer, 1, 2, 0, 0), PH_BAD_HANDLE);
    CHECK_STATUS(ph_unpair(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_link(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_unlink(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_hide(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_hide_many(producer, 1, &id, &id, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_unhide(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_unhide_many(producer, 1, &id, &id, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_reveal(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_reveal_many(producer, 1, &id, &id, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_unreveal(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_unreveal_many(producer, 1, &id, &id, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_resend(producer, 1), PH_BAD_HANDLE);
    CHECK_STATUS(ph_broadcast(producer, 1, "a", 1, NULL), PH_BAD_HANDLE);
    CHECK_STATUS(ph_broadcast_at(producer, &place, "a", 1), PH_BAD_HANDLE);
    CHECK_STATUS(ph_area_set(producer, 1, &area), PH_BAD_HANDLE);
    CHECK_STATUS(ph_area_remove(producer, 1), PH_BAD_HANDLE);
    CHECK_STATUS(ph_attach(producer, 1, 2), PH_BAD_HANDLE);
    CHECK_STATUS(ph_detach(producer, 1), PH_BAD_HANDLE);
    CHECK_STATUS(ph_enter_many(producer, 1, &id, &attrs, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_move_many(producer, 1, &id, &position, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_leave_many(producer, 1, &id, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_producer_sequence(producer, &sequence), PH_BAD_HANDLE);
    CHECK_STATUS(ph_producer_refusals(producer, &refusal, 1, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_producer_close(producer), PH_BAD_HANDLE);
}

static void dead_consumer(ph_consumer consumer)
{
    const ph_batch *batch = NULL;
    const ph_batch forged = {.tick = 1};
    ph_packets packets;
    CHECK_STATUS(ph_batch_take(consumer, &batch), PH_BAD_HANDLE);
    CHECK_STATUS(ph_batch_return(consumer, &forged), PH_BAD_HANDLE);
    CHECK_STATUS(ph_packets_begin(consumer, &forged, &packets), PH_BAD_HANDLE);
    CHECK_STATUS(ph_consumer_close(consumer), PH_BAD_HANDLE);
}

static void dead_world(ph_world world)
{
    ph_world_def def = small_def(NULL);
    ph_producer producer;
    ph_consumer consumer;
    ph_stats stats;
    size_t length = 0;
    ph_attrs attrs;
    uint64_t number = 0;
    uint32_t count = 0;
    bool sees = false;
    ph_status each = PH_OK;
    const ph_query query = {.shape = PH_QUERY_CIRCLE, .radius = 1};
    ph_answer answer = {.count = 0};
    ph_explanation why;
    ph_verification progress = {0};
    ph_difference difference;
    CHECK_STATUS(ph_tick(world, &number), PH_BAD_HANDLE);
    CHECK_STATUS(ph_tick_finish(world, &number), PH_BAD_HANDLE);
    CHECK_STATUS(ph_tick_many(&world, 1, &each), PH_BAD_HANDLE);
    CHECK_STATUS(each, PH_BAD_HANDLE);
    CHECK_STATUS(ph_apply(world), PH_BAD_HANDLE);
    CHECK_STATUS(ph_world_reconfigure(world, &def, NULL, 0), PH_BAD_HANDLE);
    CHECK_STATUS(ph_world_stats(world, &stats), PH_BAD_HANDLE);
    CHECK_STATUS(ph_world_shard_stats(world, NULL, 0, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_stats_prometheus(world, NULL, 0, &length), PH_BAD_HANDLE);
    CHECK_STATUS(ph_world_hash(world, &number), PH_BAD_HANDLE);
    CHECK_STATUS(ph_producer_open(world, &producer), PH_BAD_HANDLE);
    CHECK_STATUS(ph_consumer_open(world, 0, &consumer), PH_BAD_HANDLE);
    CHECK_STATUS(ph_entity_get(world, 1, &attrs), PH_BAD_HANDLE);
    CHECK_STATUS(ph_sees(world, 1, 2, &sees), PH_BAD_HANDLE);
    CHECK_STATUS(ph_list(world, 1, NULL, 0, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_observers(world, 1, NULL, 0, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_list_visit(world, 1, never, NULL), PH_BAD_HANDLE);
    CHECK_STATUS(ph_observers_visit(world, 1, never, NULL), PH_BAD_HANDLE);
    CHECK_STATUS(ph_find(world, &query, NULL, 0, &count), PH_BAD_HANDLE);
    CHECK_STATUS(ph_find_many(world, 1, &query, &answer), PH_BAD_HANDLE);
    CHECK_STATUS(ph_find_visit(world, &query, no_hit, NULL), PH_BAD_HANDLE);
    CHECK_STATUS(ph_explain(world, 1, 2, &why), PH_BAD_HANDLE);
    CHECK_STATUS(ph_verify(world, 1, &progress, &difference), PH_BAD_HANDLE);
    CHECK_STATUS(ph_world_destroy(world), PH_BAD_HANDLE);
}

static void all_dead(handles h)
{
    dead_producer(h.producer);
    dead_consumer(h.consumer);
    dead_world(h.world);
}

static void null_and_gone(void)
{
    const handles null = {{0}, {0}, {0}};
    all_dead(null);
    ph_world_def def = small_def(NULL);
    handles old = handles_make(&def);
    CHECK_OK(ph_world_destroy(old.world));
    all_dead(old);
    handles anew = handles_make(&def); /* as likely as not in the same place */
    all_dead(old);
    CHECK_OK(ph_leave(anew.producer, 1));
    CHECK_OK(ph_tick(anew.world, NULL));
    CHECK_OK(ph_world_destroy(anew.world));
    handles wild = anew;
    wild.world.index1 = UINT16_MAX;
    wild.producer.world.index1 = UINT16_MAX;
    wild.consumer.world.index1 = UINT16_MAX;
    all_dead(wild);
}

/* A null crew in a definition is none; any other dead one is refused. */
static void dead_crew(ph_crew crew)
{
    ph_world_def def = small_def(NULL);
    ph_world world = {1, 1};
    def.crew = crew;
    CHECK_STATUS(ph_crew_destroy(crew), PH_BAD_HANDLE);
    if (crew.index1 == 0) return;
    CHECK_STATUS(ph_world_create(&def, &world), PH_BAD_DEF);
    CHECK(world.index1 == 0, "a world by a dead crew");
}

static void crews_gone(void)
{
    const ph_crew_def two = {.workers = 2};
    ph_world_def def = small_def(NULL);
    ph_crew old, anew;
    dead_crew((ph_crew){0});
    CHECK_OK(ph_crew_create(&two, &old));
    CHECK_OK(ph_crew_destroy(old));
    dead_crew(old);
    CHECK_OK(ph_crew_create(&two, &anew)); /* as likely as not in the same place */
    dead_crew(old);
    def.crew = anew;
    handles h = handles_make(&def);
    CHECK_STATUS(ph_crew_destroy(anew), PH_BUSY);
    CHECK_OK(ph_tick(h.world, NULL));
    CHECK_OK(ph_world_destroy(h.world));
    CHECK_OK(ph_crew_destroy(anew));
    dead_crew(anew);
    dead_crew((ph_crew){.index1 = UINT16_MAX, .generation = 1});
}

/* Closed, and closed and opened by another, in a living world. */
static void closed(void)
{
    ph_world_def def = small_def(NULL);
    handles h = handles_make(&def);
    ph_producer producer = h.producer;
    ph_consumer consumer = h.consumer;
    ph_consumer twice;
    CHECK_STATUS(ph_consumer_open(h.world, 0, &twice), PH_TAKEN);
    CHECK_STATUS(ph_consumer_open(h.world, 2, &twice), PH_BAD_ARGUMENT);
    CHECK_OK(ph_producer_close(producer));
    CHECK_OK(ph_consumer_close(consumer));
    dead_producer(producer);
    dead_consumer(consumer);
    CHECK_OK(ph_tick(h.world, NULL)); /* its queue is read out: its place is free */
    CHECK_OK(ph_producer_open(h.world, &h.producer));
    CHECK_OK(ph_consumer_open(h.world, 0, &h.consumer));
    dead_producer(producer);
    dead_consumer(consumer);
    ph_producer more[4];
    CHECK_OK(ph_producer_open(h.world, &more[0]));
    CHECK_OK(ph_producer_open(h.world, &more[1]));
    CHECK_OK(ph_producer_open(h.world, &more[2]));
    CHECK_STATUS(ph_producer_open(h.world, &more[3]), PH_TAKEN);
    CHECK_OK(ph_producer_close(more[1]));
    CHECK_OK(ph_apply(h.world));
    CHECK_STATUS(ph_producer_open(h.world, &more[3]), PH_TAKEN); /* the tick may still refuse what the apply took */
    CHECK_OK(ph_tick(h.world, NULL));
    CHECK_OK(ph_producer_open(h.world, &more[3]));
    CHECK_OK(ph_world_destroy(h.world));
}

/* Commands that a producer submitted before it closed are still applied. */
static void closed_with_commands(void)
{
    ph_world_def def = small_def(NULL);
    handles h = handles_make(&def);
    const ph_attrs at = {.given = PH_X | PH_Y, .x = 5};
    ph_attrs attrs;
    CHECK_OK(ph_enter(h.producer, 9, &at));
    CHECK_OK(ph_producer_close(h.producer));
    CHECK_OK(ph_tick(h.world, NULL));
    CHECK_OK(ph_entity_get(h.world, 9, &attrs));
    CHECK(attrs.x == 5, "x is %g", (double)attrs.x);
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- ends with work left ---- */

static uint32_t fill_queue(ph_producer producer)
{
    uint32_t accepted = 0;
    ph_status status = PH_OK;
    uint64_t first = 0;
    uint64_t before = 0;
    uint64_t after = 0;
    CHECK_OK(ph_producer_sequence(producer, &first));
    while (status == PH_OK) {
        ph_attrs a = {.given = PH_X | PH_Y, .x = (float)(accepted % 100), .y = 1};
        status = ph_enter(producer, accepted + 1, &a);
        accepted += status == PH_OK;
        REQUIRE(accepted < 1u << 20);
    }
    CHECK_STATUS(status, PH_FULL);
    CHECK_OK(ph_producer_sequence(producer, &before));
    CHECK_STATUS(ph_leave(producer, 1), PH_FULL);
    CHECK_OK(ph_producer_sequence(producer, &after));
    CHECK(before == first + accepted && after == before,
          "sequence %" PRIu64 ", %" PRIu64 ", %" PRIu64 " around a full queue; %" PRIu32 " accepted", first, before,
          after, accepted);
    return accepted;
}

static void destroy_full(uint32_t ticks, bool hold)
{
    fail_alloc memory = {0};
    ph_world_def def = small_def(&memory);
    handles h = handles_make(&def);
    const ph_batch *held = NULL;
    for (uint32_t i = 0; i < ticks; i++) {
        uint32_t accepted = fill_queue(h.producer);
        CHECK_OK(ph_tick(h.world, NULL));
        CHECK(accepted > 100, "only %" PRIu32 " commands fit", accepted);
        CHECK_OK(ph_leave(h.producer, 1)); /* there is room again */
        if (hold) {
            ph_status status = ph_batch_take(h.consumer, &held);
            CHECK(status == PH_OK || status == PH_EMPTY || status == PH_PENDING, "%s", ph_status_name(status));
        }
    }
    CHECK_OK(ph_world_destroy(h.world));
    all_dead(h);
    (void)fail_alloc_clean(&memory);
}

static void destroy_with_threads(void)
{
    fail_alloc memory = {0};
    ph_world_def def = small_def(&memory);
    def.workers = 3;
    def.share_min = 0;
    def.shards[0] = 4;
    def.shards[1] = 4;
    handles h = handles_make(&def);
    CHECK_OK(ph_world_destroy(h.world)); /* before any tick */
    h = handles_make(&def);
    (void)fill_queue(h.producer);
    CHECK_OK(ph_tick(h.world, NULL));
    (void)fill_queue(h.producer);
    CHECK_OK(ph_world_destroy(h.world));
    (void)fail_alloc_clean(&memory);
}

static void batches_come_back(void)
{
    ph_world_def def = small_def(NULL);
    handles h = handles_make(&def);
    const ph_attrs at = {.given = PH_X | PH_Y};
    const ph_batch *batch = NULL;
    CHECK_OK(ph_enter(h.producer, 1, &at));
    CHECK_OK(ph_enter(h.producer, 2, &at));
    CHECK_OK(ph_tick(h.world, NULL));
    const ph_batch forged = {.tick = 1};
    CHECK_STATUS(ph_batch_return(h.consumer, &forged), PH_BAD_ARGUMENT);
    CHECK_OK(ph_batch_take(h.consumer, &batch));
    CHECK(batch->change_count == 2 && batch->tick == 1, "batch of tick %" PRIu64, batch->tick);
    CHECK_OK(ph_batch_return(h.consumer, batch));
    CHECK_STATUS(ph_batch_return(h.consumer, batch), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_batch_take(h.consumer, &batch), PH_EMPTY);
    CHECK_OK(ph_leave(h.producer, 1));
    CHECK_OK(ph_tick(h.world, NULL));
    CHECK_OK(ph_batch_take(h.consumer, &batch));
    CHECK_OK(ph_consumer_close(h.consumer)); /* taken, not returned */
    CHECK_OK(ph_leave(h.producer, 2));
    CHECK_OK(ph_enter(h.producer, 1, &at));
    CHECK_OK(ph_enter(h.producer, 2, &at));
    CHECK_OK(ph_tick(h.world, NULL));
    CHECK_OK(ph_consumer_open(h.world, 0, &h.consumer));
    CHECK_OK(ph_batch_take(h.consumer, &batch));
    CHECK(batch->tick == 3, "a batch that was not taken waits: tick %" PRIu64, batch->tick);
    CHECK_OK(ph_world_destroy(h.world));
}

/* ---- many worlds ---- */

_Static_assert(PH_WORLDS_MAX >= 4096, "a process has thousands of worlds");

static void many_worlds(void)
{
    fail_alloc memory = {0};
    ph_world_def def = small_def(&memory);
    ph_world worlds[PH_WORLDS_MAX];
    ph_world more = {1, 1};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PH_WORLDS_MAX; i++) {
            REQUIRE(ph_world_create(&def, &worlds[i]) == PH_OK);
            CHECK_OK(ph_tick(worlds[i], NULL));
        }
        CHECK_STATUS(ph_world_create(&def, &more), PH_TAKEN);
        CHECK(more.index1 == 0, "a world that was not made is not null");
        CHECK_OK(ph_world_destroy(worlds[7]));
        CHECK_OK(ph_world_create(&def, &worlds[7]));
        for (int i = PH_WORLDS_MAX - 1; i >= 0; i--) {
            CHECK_OK(ph_world_destroy(worlds[i]));
        }
    }
    (void)fail_alloc_clean(&memory);
}

/* Handles of one world mean nothing in another. */
static void two_worlds(void)
{
    ph_world_def def = small_def(NULL);
    handles a = handles_make(&def);
    handles b = handles_make(&def);
    const ph_attrs at = {.given = PH_X | PH_Y};
    ph_attrs attrs;
    const ph_batch *batch = NULL;
    CHECK_OK(ph_enter(a.producer, 1, &at));
    CHECK_OK(ph_enter(a.producer, 2, &at));
    CHECK_OK(ph_tick(a.world, NULL));
    CHECK_OK(ph_tick(b.world, NULL));
    CHECK_OK(ph_entity_get(a.world, 1, &attrs));
    CHECK_STATUS(ph_entity_get(b.world, 1, &attrs), PH_UNKNOWN_ID);
    CHECK_STATUS(ph_batch_take(b.consumer, &batch), PH_EMPTY);
    CHECK_OK(ph_batch_take(a.consumer, &batch));
    CHECK_STATUS(ph_batch_return(b.consumer, batch), PH_BAD_ARGUMENT);
    CHECK_OK(ph_batch_return(a.consumer, batch));
    CHECK_OK(ph_world_destroy(a.world));
    CHECK_OK(ph_tick(b.world, NULL));
    CHECK_OK(ph_world_destroy(b.world));
}

/* ---- definitions ---- */

static void expect_bad(const ph_world_def *def, const char *field)
{
    char reason[256] = "";
    ph_world world = {1, 1};
    ph_status check = ph_world_def_check(def, reason, sizeof reason);
    CHECK(check == PH_BAD_DEF && strstr(reason, field) != NULL, "%s: %s \"%s\"", field, ph_status_name(check), reason);
    CHECK_STATUS(ph_world_create(def, &world), PH_BAD_DEF);
    CHECK(world.index1 == 0, "a world that was not made is not null");
}

static void bad_definitions(void)
{
    const ph_world_def good = small_def(NULL);
    ph_class kinds[2];
    char reason[64] = "x";
    CHECK_OK(ph_world_def_check(&good, reason, sizeof reason));
#define EXPECT_BAD(field, value) \
    do { \
        ph_world_def def = good; \
        def.field = (value); \
        expect_bad(&def, #field); \
    } while (0)
    EXPECT_BAD(height, -1);
    EXPECT_BAD(height, NAN);
    EXPECT_BAD(tower_size, -1);
    EXPECT_BAD(tower_size, INFINITY);
    EXPECT_BAD(sticky, 0.5);
    EXPECT_BAD(sticky, (double)NAN);
    EXPECT_BAD(span, 65536);
    EXPECT_BAD(workers, 0);
    EXPECT_BAD(workers, 257);
    EXPECT_BAD(entities_max, 0);
    EXPECT_BAD(producers_max, 257);
    EXPECT_BAD(producer_bytes, 1024);
    EXPECT_BAD(refusals_max, 0);
    EXPECT_BAD(consumers, 257);
    EXPECT_BAD(consumer_batches, 0);
    EXPECT_BAD(consumer_bytes, (1u << 30) + 1);
    EXPECT_BAD(exchange_bytes, 1);
    EXPECT_BAD(range, (ph_range)7);
    EXPECT_BAD(shape, (ph_shape)7);
    EXPECT_BAD(index, (ph_index)9);
    EXPECT_BAD(quadtree_capacity, 0);
    EXPECT_BAD(quadtree_depth, 17);
    EXPECT_BAD(class_count, 0);
    EXPECT_BAD(cookie, 0);
#undef EXPECT_BAD
    ph_world_def def = good;
    def.world_size[1] = 0;
    expect_bad(&def, "world_size");
    def = good;
    def.world_origin[0] = NAN;
    expect_bad(&def, "world_origin");
    def = good;
    def.tower_size = 100;
    def.shards[0] = 1000; /* more than towers */
    expect_bad(&def, "shards");
    def = good;
    def.tower_size = 0.01f; /* more than 65535 towers */
    expect_bad(&def, "tower_size");
    kinds[0] = ph_class_default("default");
    kinds[1] = ph_class_default("default");
    def = good;
    def.classes = kinds;
    def.class_count = 2;
    expect_bad(&def, "class");
    kinds[1] = ph_class_default("other");
    kinds[1].margin = -1;
    expect_bad(&def, "margin");
    (void)snprintf(kinds[1].name, sizeof kinds[1].name, "a b");
    kinds[1].margin = 0;
    expect_bad(&def, "name");
}

int main(void)
{
    null_and_gone();
    crews_gone();
    closed();
    closed_with_commands();
    for (uint32_t ticks = 0; ticks < 4; ticks++) {
        destroy_full(ticks, false);
        destroy_full(ticks, true);
    }
    destroy_with_threads();
    batches_come_back();
    if (!test_threads_alone()) many_worlds(); /* of one thread */
    two_worlds();
    bad_definitions();
    return check_done("lifecycle");
}
