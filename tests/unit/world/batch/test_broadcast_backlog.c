/*
 * world/batch/broadcast_backlog.c: the mail of a consumer that is behind, against a plain list of pending
 * items; its bound, void items, no memory at every call; then the consumer's use of it.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/rng.h"
#include "support/watched_memory.h"
#include "world/batch/broadcast_backlog.h"
#include "world/batch/consumer_queue.h"

enum { OBSERVERS = 60, MESSAGES_MAX = 5, ITEMS_MAX = 20000, TICKS_MAX = 4000, RANDOM_TICKS = 3000, BOUND = 6000 };

static watched_memory watched;
static phx_mem mem;
static phx_broadcast_backlog *backlog;
static phx_batch_broadcasts in, out;

/* The pending items, oldest first: a message for an observer. */
typedef struct item {
    uint64_t observer, tick;
    uint32_t number; /* of the message in its tick */
} item;

static item items[ITEMS_MAX];
static uint32_t item_count;
static uint64_t tick_bytes[TICKS_MAX]; /* of each tick's mail, while it waits */
static uint64_t pushed, drained, voided, dropped;

static void set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    backlog = phx_broadcast_backlog_create(&mem, BOUND);
    cr_assert_not_null(backlog);
    in = out = (phx_batch_broadcasts){0};
    item_count = 0;
    memset(tick_bytes, 0, sizeof tick_bytes);
    pushed = drained = voided = dropped = 0;
}

static void tear_down(void)
{
    phx_broadcast_backlog_destroy(backlog);
    phx_batch_broadcasts_free(&in, &mem);
    phx_batch_broadcasts_free(&out, &mem);
    cr_assert_eq(atomic_load(&watched.blocks), 0);
}

TestSuite(broadcast_backlog, .init = set_up, .fini = tear_down);

/* ---- mail, by hand and at random ---- */

static uint32_t length_of(uint64_t tick, uint32_t number)
{
    return (uint32_t)(phx_mix64(tick * 64 + number) % 40);
}

static uint64_t word_of(uint64_t tick, uint32_t number, uint32_t at)
{
    return phx_mix64(tick << 32 | number << 16 | at);
}

/* A tick's mail: observer o hears the messages with set bits in heard[o]. */
static void make_broadcasts(phx_batch_broadcasts *broadcasts, uint64_t tick, uint32_t messages, const uint32_t *heard)
{
    phx_batch_broadcasts_size size = {.messages = messages};
    for (uint32_t i = 0; i < messages; i++) {
        size.payload += phx_payload_room(length_of(tick, i));
    }
    for (uint32_t o = 0; o < OBSERVERS; o++) {
        size.deliveries += heard[o] != 0;
        size.heard += (uint32_t)__builtin_popcount(heard[o]);
    }
    cr_assert(phx_batch_broadcasts_reserve(broadcasts, &mem, size));
    uint64_t first = 0;
    for (uint32_t i = 0; i < messages; i++) {
        broadcasts->messages[i] =
            (ph_message){.source = i + 1, .tick = tick, .first = first, .bytes = length_of(tick, i)};
        for (uint32_t w = 0; w < phx_payload_room(length_of(tick, i)) / 8; w++) {
            broadcasts->payload[first / 8 + w] = word_of(tick, i, w);
        }
        first += phx_payload_room(length_of(tick, i));
    }
    uint32_t at = 0;
    uint32_t delivery = 0;
    for (uint32_t o = 0; o < OBSERVERS; o++) {
        if (heard[o] == 0) {
            continue;
        }
        ph_delivery *d = &broadcasts->deliveries[delivery++];
        *d = (ph_delivery){.observer = o + 1,
                           .user_data = tick * 100 + o,
                           .first = at,
                           .count = (uint32_t)__builtin_popcount(heard[o])};
        for (uint32_t i = 0; i < messages; i++) {
            if (heard[o] >> i & 1) {
                broadcasts->heard[at++] = i;
            }
        }
    }
}

/* ---- the plain list ---- */

static uint64_t waiting_bytes(void)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < TICKS_MAX; t++) {
        sum += tick_bytes[t];
    }
    return sum;
}

/* Keeps the items for which `tick` and `observer` are others; 0 matches nothing. */
static uint64_t list_remove(uint64_t tick, uint64_t observer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < item_count; i++) {
        if (items[i].tick != tick && items[i].observer != observer) {
            items[kept++] = items[i];
        }
    }
    uint64_t removed = item_count - kept;
    item_count = kept;
    return removed;
}

static void list_clear(void)
{
    item_count = 0;
    memset(tick_bytes, 0, sizeof tick_bytes);
}

static void list_push(uint64_t tick, uint32_t messages, const uint32_t *heard, uint64_t bytes)
{
    for (uint32_t o = 0; o < OBSERVERS; o++) {
        for (uint32_t i = 0; i < messages; i++) {
            if (heard[o] >> i & 1) {
                cr_assert_lt(item_count, ITEMS_MAX);
                items[item_count++] = (item){o + 1, tick, i};
                pushed++;
            }
        }
    }
    tick_bytes[tick] = bytes;
    for (uint64_t t = 1; waiting_bytes() > BOUND; t++) {
        dropped += tick_bytes[t] != 0 ? list_remove(t, 0) : 0;
        tick_bytes[t] = 0;
    }
}

static void compare_drained(void)
{
    uint32_t seen = 0;
    for (uint32_t d = 0; d < out.size.deliveries; d++) {
        const ph_delivery *got = &out.deliveries[d];
        uint32_t count = 0;
        uint64_t tick = 0;
        for (uint32_t i = 0; i < item_count; i++) {
            if (items[i].observer != got->observer) {
                continue;
            }
            cr_assert_lt(count, got->count);
            const ph_message *m = &out.messages[out.heard[got->first + count++]];
            tick = items[i].tick;
            cr_assert(m->tick == tick && m->source == items[i].number + 1);
            cr_assert_eq(m->bytes, length_of(tick, items[i].number));
            for (uint32_t w = 0; w < phx_payload_room(m->bytes) / 8; w++) {
                cr_assert_eq(out.payload[m->first / 8 + w], word_of(tick, items[i].number, w));
            }
        }
        cr_assert_eq(count, got->count);
        cr_assert_eq(got->user_data, tick * 100 + got->observer - 1, "the last tick's");
        seen += count;
    }
    cr_assert(seen == item_count && seen == out.size.heard);
}

static void compare_counts(void)
{
    phx_broadcast_backlog_counts c = phx_broadcast_backlog_count(backlog);
    cr_assert(c.pushed == pushed && c.drained == drained && c.voided == voided && c.dropped == dropped);
    cr_assert(c.pending == item_count && c.pushed == c.drained + c.voided + c.dropped + c.pending);
}

/* ---- random ticks; with `failing` memory runs out at every allocation in turn ---- */

static void push_at_last(bool failing)
{
    for (uint64_t allowed = 0;; allowed++) {
        watched_memory_fail_after(&watched, failing ? allowed : UINT64_MAX);
        if (phx_broadcast_backlog_reserve_push(backlog, &in)) {
            break;
        }
        compare_counts();
    }
    watched_memory_fail_after(&watched, 0); /* from here on it needs none */
    phx_broadcast_backlog_push(backlog, &in);
    watched_memory_fail_after(&watched, UINT64_MAX);
    cr_assert_eq(in.size.deliveries, 0);
}

static void drain_at_last(bool failing)
{
    for (uint64_t allowed = 0;; allowed++) {
        watched_memory_fail_after(&watched, failing ? allowed : UINT64_MAX);
        if (phx_broadcast_backlog_reserve_drain(backlog, &out)) {
            break;
        }
        compare_counts();
    }
    watched_memory_fail_after(&watched, 0);
    phx_broadcast_backlog_drain(backlog, &out);
    watched_memory_fail_after(&watched, UINT64_MAX);
    compare_drained();
    drained += item_count;
    list_clear();
}

static void random_ticks(bool failing)
{
    uint64_t rng = 7;
    for (uint64_t tick = 1; tick < RANDOM_TICKS; tick++) {
        uint32_t heard[OBSERVERS] = {0};
        uint32_t messages = 1 + phx_rng_below(&rng, MESSAGES_MAX);
        uint32_t listeners = phx_rng_below(&rng, OBSERVERS / 4);
        for (uint32_t i = 0; i < listeners; i++) {
            heard[phx_rng_below(&rng, OBSERVERS)] |= 1u << phx_rng_below(&rng, messages);
        }
        for (uint32_t i = phx_rng_below(&rng, 6); i > 0; i--) {
            uint64_t gone = 1 + phx_rng_below(&rng, OBSERVERS);
            phx_broadcast_backlog_drop_observer(backlog, gone);
            voided += list_remove(0, gone);
            if (item_count == 0) {
                list_clear(); /* the rest has no recipient: it takes no room */
            }
        }
        make_broadcasts(&in, tick, messages, heard);
        uint64_t bytes = listeners > 0 ? phx_batch_broadcasts_bytes(&in) : 0;
        push_at_last(failing);
        list_push(tick, messages, heard, bytes);
        compare_counts();
        if (phx_rng_below(&rng, 12) == 0) {
            drain_at_last(failing);
            compare_counts();
        }
    }
    cr_assert(dropped > 100 && voided > 100 && drained > 100);
}

Test(broadcast_backlog, random_ticks_keep_what_a_list_keeps)
{
    random_ticks(false);
}

Test(broadcast_backlog, random_without_memory)
{
    random_ticks(true);
}

Test(broadcast_backlog, steady_memory)
{
    uint64_t calls = 0;
    for (uint64_t tick = 1; tick < 3000; tick++) {
        uint32_t heard[OBSERVERS] = {0};
        heard[tick % OBSERVERS] = heard[(tick + OBSERVERS / 2) % OBSERVERS] = 7; /* again when they are long dropped */
        make_broadcasts(&in, tick, 3, heard);
        cr_assert(phx_broadcast_backlog_reserve_push(backlog, &in));
        phx_broadcast_backlog_push(backlog, &in);
        if (tick == 1500) {
            calls = atomic_load(&watched.calls);
        }
    }
    cr_assert_eq(atomic_load(&watched.calls), calls, "every mail has been as long as it gets");
    cr_assert_leq(phx_broadcast_backlog_count(backlog).pending, BOUND / sizeof(uint32_t));
}

Test(broadcast_backlog, nothing_fits)
{
    uint32_t heard[OBSERVERS] = {1, 1};
    phx_broadcast_backlog_destroy(backlog);
    backlog = phx_broadcast_backlog_create(&mem, 0);
    cr_assert_not_null(backlog);
    make_broadcasts(&in, 1, 1, heard);
    cr_assert(phx_broadcast_backlog_reserve_push(backlog, &in));
    phx_broadcast_backlog_push(backlog, &in);
    phx_broadcast_backlog_counts c = phx_broadcast_backlog_count(backlog);
    cr_assert(c.pushed == 2 && c.dropped == 2 && c.untold == 2 && c.pending == 0);
    phx_broadcast_backlog_report_drops(backlog);
    cr_assert_eq(phx_broadcast_backlog_count(backlog).untold, 0);
    cr_assert_eq(phx_broadcast_backlog_count(backlog).dropped, 2);
}

Test(backlog_create, no_memory)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    watched_memory_fail_after(&watched, 0);
    cr_assert_null(phx_broadcast_backlog_create(&mem, 1));
    phx_broadcast_backlog_destroy(NULL);
    cr_assert_eq(atomic_load(&watched.blocks), 0);
}

/* ---- the consumer's use of it ---- */

static phx_consumer *consumer;

static void make_consumer(uint32_t bytes)
{
    consumer = phx_consumer_create(&mem, 1, bytes, NULL);
    cr_assert_not_null(consumer);
}

/* A tick in which observers 1 and 2 hear one message, and no list changes. */
static void tell(uint64_t tick)
{
    static const uint32_t heard[OBSERVERS] = {1, 1};
    phx_batch *batch = phx_consumer_begin(consumer, 0, 0);
    cr_assert_not_null(batch);
    make_broadcasts(&batch->broadcasts, tick, 1, heard);
    cr_assert(phx_consumer_offer(consumer, batch, tick));
}

static void take(uint64_t tick_first, uint64_t tick, uint32_t messages, uint64_t lost)
{
    const ph_batch *batch = phx_consumer_take(consumer);
    cr_assert_not_null(batch);
    cr_expect(batch->tick_first == tick_first && batch->tick == tick);
    cr_expect(batch->change_count == 0 && batch->target_count == 0);
    cr_expect(batch->message_count == messages && batch->delivery_count == (messages > 0 ? 2 : 0));
    cr_expect(batch->heard_count == 2 * messages && batch->dropped == lost);
    cr_assert(phx_consumer_return(consumer, batch));
}

Test(broadcast_backlog, consumer_keeps_broadcasts_that_fit)
{
    make_consumer(1 << 20);
    for (uint64_t tick = 1; tick <= 4; tick++) {
        tell(tick);
    }
    take(1, 1, 1, 0);
    cr_assert(phx_consumer_offer(consumer, NULL, 5));
    take(2, 5, 3, 0);
    cr_assert_null(phx_consumer_take(consumer));
    phx_consumer_counts c = phx_consumer_count(consumer);
    cr_expect(c.deliveries == 8 && c.deliveries_dropped == 0 && c.deliveries_pending == 0);
    cr_expect(c.batches == 2 && c.coalesced_ticks == 3);
    phx_consumer_destroy(consumer);
}

Test(broadcast_backlog, consumer_reports_dropped_broadcasts)
{
    make_consumer(0);
    for (uint64_t tick = 1; tick <= 4; tick++) {
        tell(tick);
    }
    take(1, 1, 1, 0);
    cr_assert(phx_consumer_offer(consumer, NULL, 5));
    take(2, 5, 0, 6); /* though there is no other event */
    cr_assert(phx_consumer_offer(consumer, NULL, 6));
    cr_assert_null(phx_consumer_take(consumer), "once");
    tell(7);
    take(7, 7, 1, 0);
    cr_expect_eq(phx_consumer_count(consumer).deliveries_dropped, 6);
    phx_consumer_destroy(consumer);
}

Test(broadcast_backlog, consumer_forgets_with_the_observer)
{
    make_consumer(1 << 20);
    tell(1);
    tell(2);
    phx_consumer_drop_observer(consumer, 1);
    cr_assert(phx_consumer_offer(consumer, NULL, 3));
    phx_consumer_drop_observer(consumer, 2);
    cr_assert(phx_consumer_offer(consumer, NULL, 4));
    tell(5);
    take(1, 1, 1, 0);
    cr_assert(phx_consumer_offer(consumer, NULL, 6));
    take(5, 6, 1, 0);
    cr_expect_eq(phx_consumer_count(consumer).deliveries_void, 2);
    phx_consumer_destroy(consumer);
}
