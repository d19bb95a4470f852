/*
 * src/world/publish/address_broadcasts.c and the sampling of motion through the public API, where there is enough for
 * all workers: each observer gets the messages of the entities in its list and of its links, each once, in the order of
 * the commands, and the updates of all that moved near it; by one worker as by several, in one shard as in four.
 */
#include "unit/shards/shard_case.h"

#include <pharos/pharos.h>

enum { COLUMNS = 40, ROWS = 25, IDS = COLUMNS * ROWS, STEP = 40, VIEW = 50, LINKED_EVERY = 3, LINKED_BY = 499 };

typedef struct host {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
} host;

TestSuite(address_broadcasts, .init = memory_set_up, .fini = memory_tear_down);

static float x_of(uint64_t id)
{
    return 100.0f + (float)STEP * (float)((id - 1) % COLUMNS);
}

static float y_of(uint64_t id)
{
    return 100.0f + (float)STEP * (float)((id - 1) / COLUMNS);
}

/* The target of an observer's link, or 0. */
static uint64_t link_of(uint64_t id)
{
    return id % LINKED_EVERY == 0 ? (id + LINKED_BY - 1) % IDS + 1 : 0;
}

static bool sees(uint64_t observer, uint64_t target)
{
    const float dx = x_of(observer) - x_of(target), dy = y_of(observer) - y_of(target);
    if (observer == target) return false;
    return dx * dx + dy * dy <= (float)VIEW * VIEW || link_of(observer) == target;
}

static void open_host(host *h, uint32_t workers, uint32_t shards)
{
    ph_class class = ph_class_default("default");
    class.view = VIEW;
    class.bands[0] = (ph_band){VIEW, 1};
    class.band_count = 1;
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 2000;
    def.shards[0] = def.shards[1] = shards;
    def.workers = workers;
    def.share_min = 0;
    def.classes = &class;
    def.class_count = 1;
    def.allocator = watched_memory_allocator(&watched);
    *h = (host){0};
    cr_assert_eq(ph_world_create(&def, &h->world), PH_OK);
    cr_assert_eq(ph_producer_open(h->world, &h->producer), PH_OK);
    cr_assert_eq(ph_consumer_open(h->world, 0, &h->consumer), PH_OK);
    for (uint64_t id = 1; id <= IDS; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = x_of(id) + 1, .y = y_of(id), .view = VIEW};
        cr_assert_eq(ph_enter(h->producer, id, &attrs), PH_OK);
    }
    for (uint64_t id = LINKED_EVERY; id <= IDS; id += LINKED_EVERY)
        cr_assert_eq(ph_link(h->producer, id, link_of(id)), PH_OK);
}

static void close_host(host *h)
{
    cr_assert_eq(ph_consumer_close(h->consumer), PH_OK);
    cr_assert_eq(ph_producer_close(h->producer), PH_OK);
    cr_assert_eq(ph_world_destroy(h->world), PH_OK);
}

/* All move to their places and say their ids, the last one first. */
static void move_and_say(host *h)
{
    for (uint64_t id = IDS; id > 0; id--) {
        cr_assert_eq(ph_move(h->producer, id, x_of(id), y_of(id), 0), PH_OK);
        cr_assert_eq(ph_broadcast(h->producer, id, &id, sizeof id, NULL), PH_OK);
    }
}

static uint32_t seen_by(uint64_t observer)
{
    uint32_t count = 0;
    for (uint64_t id = 1; id <= IDS; id++) count += sees(observer, id);
    return count;
}

static void check_delivery(const ph_batch *batch, const ph_delivery *delivery)
{
    uint64_t last = IDS + 1;
    cr_assert_eq(delivery->count, seen_by(delivery->observer), "observer %lu", (unsigned long)delivery->observer);
    for (uint32_t i = 0; i < delivery->count; i++) {
        const ph_message *message = &batch->messages[batch->heard[delivery->first + i]];
        cr_assert(sees(delivery->observer, message->source));
        cr_assert_lt(message->source, last, "in the order of the commands");
        last = message->source;
    }
}

static void check_update(const ph_batch *batch, const ph_update *update)
{
    cr_assert_eq(update->count, seen_by(update->observer), "observer %lu", (unsigned long)update->observer);
    for (uint32_t i = 0; i < update->count; i++) {
        const ph_moved *moved = &batch->moved[batch->due[update->first + i]];
        cr_assert(sees(update->observer, moved->id));
        cr_assert(moved->x == x_of(moved->id) && moved->y == y_of(moved->id));
    }
}

static void check_ticks(uint32_t workers, uint32_t shards)
{
    host h;
    const ph_batch *batch;
    open_host(&h, workers, shards);
    cr_assert_eq(ph_tick(h.world, NULL), PH_OK);
    cr_assert_eq(ph_batch_take(h.consumer, &batch), PH_OK);
    ph_batch_return(h.consumer, batch);
    move_and_say(&h);
    cr_assert_eq(ph_tick(h.world, NULL), PH_OK);
    cr_assert_eq(ph_batch_take(h.consumer, &batch), PH_OK);
    cr_assert_eq(batch->message_count, IDS);
    cr_assert_eq(batch->delivery_count, IDS);
    for (uint32_t d = 0; d < batch->delivery_count; d++) check_delivery(batch, &batch->deliveries[d]);
    cr_assert_eq(batch->update_count, IDS);
    for (uint32_t u = 0; u < batch->update_count; u++) check_update(batch, &batch->updates[u]);
    ph_batch_return(h.consumer, batch);
    close_host(&h);
}

Test(address_broadcasts, by_one_worker)
{
    check_ticks(1, 1);
}

Test(address_broadcasts, all_workers_share_one_shard)
{
    check_ticks(3, 1);
}

Test(address_broadcasts, all_workers_share_four_shards)
{
    check_ticks(3, 2);
}
