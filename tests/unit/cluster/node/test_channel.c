/*
 * Items of a channel: the queue against a list, and the sequence of a pair of channels over messages that are lost,
 * doubled and late.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/node/channel.h"
#include "support/fail_alloc.h"

static fail_alloc allocator;
static phx_mem memory;

static void memory_begins(void)
{
    allocator = (fail_alloc){0};
    phx_mem_init(&memory, fail_alloc_hooks(&allocator));
}

static void memory_ends(void)
{
    if (!fail_alloc_clean(&allocator)) abort();
}

TestSuite(channel, .init = memory_begins, .fini = memory_ends);

/* Item n has n % 300 bytes, which follow from n. */
static void check_item(phx_item item, uint64_t n)
{
    cr_assert_eq(item.size, n % 300);
    for (uint32_t i = 0; i < item.size; i++) cr_assert_eq(item.bytes[i], (unsigned char)(n + i));
}

Test(channel, a_queue_gives_items_back_in_order)
{
    phx_item_queue queue;
    uint64_t rng = 1, first = 0, end = 0;
    phx_item_queue_init(&queue, &memory);
    for (uint32_t round = 0; round < 20000; round++) {
        const bool grows = round / 2000 % 2 == 0;
        if (phx_rng_below(&rng, 10) < (grows ? 6u : 4u)) {
            unsigned char *bytes = phx_item_queue_push(&queue, (uint32_t)(end % 300));
            cr_assert(bytes);
            for (uint32_t i = 0; i < end % 300; i++) bytes[i] = (unsigned char)(end + i);
            end++;
        } else if (first < end) {
            check_item(phx_item_queue_first(&queue), first++);
            phx_item_queue_pop(&queue);
        }
        cr_assert_eq(queue.count, end - first);
        if (round % 500 != 0 || first == end) continue;
        phx_item item = phx_item_queue_first(&queue);
        check_item(item, first);
        for (uint64_t n = first + 1; n < end; n++) check_item(item = phx_item_queue_after(item), n);
    }
    phx_item_queue_free(&queue);
}

Test(channel, a_queue_with_a_steady_flow_keeps_its_memory)
{
    phx_item_queue queue;
    uint64_t calls = 0;
    phx_item_queue_init(&queue, &memory);
    for (uint32_t round = 0; round < 10000; round++) {
        cr_assert(phx_item_queue_push(&queue, 100));
        if (round >= 20) phx_item_queue_pop(&queue);
        if (round == 100) calls = allocator.calls;
    }
    cr_assert_eq(calls, allocator.calls);
    phx_item_queue_free(&queue);
}

Test(channel, a_queue_without_memory_is_as_before)
{
    phx_item_queue queue;
    phx_item_queue_init(&queue, &memory);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_not(phx_item_queue_push(&queue, 10));
    cr_assert_eq(queue.count, 0);
    cr_assert(phx_item_queue_push(&queue, 10));
    fail_alloc_order(&allocator, 1, false);
    cr_assert_not(phx_item_queue_push(&queue, 100000));
    cr_assert_eq(queue.count, 1);
    phx_item_queue_free(&queue);
}

/* A message on its way between two channels. */
typedef struct flight {
    unsigned char bytes[2000];
    size_t size;
} flight;

static void send_message(phx_channel *channel, flight *to)
{
    phx_wire_head head = {.format = PHX_FORMAT_MAX, .kind = PHX_WIRE_CHANNEL, .source = 1, .target = 2, .version = 1};
    phx_wire_message message;
    phx_wire_begin(&message, to->bytes, sizeof to->bytes);
    phx_channel_write(channel, &message, &head);
    to->size = phx_wire_end(&message, &head);
}

static void hear_message(phx_channel *channel, const flight *from)
{
    phx_wire_head head;
    phx_wire_items items;
    cr_assert_eq(phx_wire_open(&head, &items, PHX_FORMATS, from->bytes, from->size), PHX_WIRE_GOOD);
    cr_assert(phx_channel_hear(channel, head.ack, head.confirmed));
    while (channel->acked < head.ack) phx_channel_pop(channel);
    for (uint32_t i = 0; i < head.item_count; i++) {
        const phx_offer offer = phx_wire_next(&items).offer;
        if (head.first + i != channel->taken + 1) continue;
        phx_channel_take(channel);
        cr_assert_eq(offer.id, channel->taken);
        cr_assert_eq(offer.state_bytes, offer.id % 90);
    }
}

Test(channel, every_item_is_taken_once_and_in_order)
{
    enum { ITEMS = 3000, IN_FLIGHT = 6 };
    static flight flights[2][IN_FLIGHT];
    static const unsigned char state[90], feed[PHX_WIRE_FEED_BYTES];
    phx_channel channels[2];
    uint64_t rng = 5;
    for (uint32_t i = 0; i < 2; i++) phx_channel_init(&channels[i], &memory);
    for (uint32_t round = 0; channels[1].confirmed < ITEMS; round++) {
        cr_assert(round < 200000);
        for (uint32_t n = phx_rng_below(&rng, 4); n > 0 && channels[0].sent < ITEMS; n--) {
            const uint64_t id = channels[0].sent + 1;
            const phx_offer offer = {
                .id = id, .ownership = 1, .feeds = feed, .state = state, .state_bytes = (uint32_t)(id % 90)};
            unsigned char *item = phx_channel_push(&channels[0], PHX_WIRE_OFFER_BYTES + offer.state_bytes);
            cr_assert(item);
            phx_wire_put_offer(item, &offer);
        }
        for (uint32_t from = 0; from < 2; from++) {
            if (phx_channel_is_due(&channels[from]) || phx_rng_below(&rng, 8) == 0)
                send_message(&channels[from], &flights[from][phx_rng_below(&rng, IN_FLIGHT)]); /* loses one */
            const flight *heard = &flights[from][phx_rng_below(&rng, IN_FLIGHT)];              /* late, or again */
            if (heard->size > 0) hear_message(&channels[1 - from], heard);
        }
        cr_assert(channels[1].confirmed <= channels[0].acked && channels[0].acked <= channels[1].taken);
    }
    cr_assert_eq(channels[1].taken, ITEMS);
    cr_assert_eq(channels[0].unacked.count, 0);
    for (uint32_t i = 0; i < 2; i++) phx_channel_free(&channels[i]);
}

Test(channel, numbers_that_can_not_be_change_nothing)
{
    phx_channel channel;
    phx_channel_init(&channel, &memory);
    cr_assert(phx_channel_push(&channel, 4));
    phx_channel_take(&channel);
    cr_assert_not(phx_channel_hear(&channel, 2, 0));
    cr_assert_not(phx_channel_hear(&channel, 0, 2));
    cr_assert_eq(channel.confirmed, 0);
    cr_assert(phx_channel_hear(&channel, 1, 1));
    cr_assert_eq(channel.confirmed, 1);
    cr_assert(phx_channel_hear(&channel, 0, 0));
    cr_assert_eq(channel.confirmed, 1);
    phx_channel_free(&channel);
}

Test(channel, a_repetition_has_few_items_until_an_ack_comes)
{
    phx_channel channel;
    static unsigned char bytes[PHX_WIRE_BYTES_MAX], feed[PHX_WIRE_FEED_BYTES];
    const phx_offer offer = {.id = 1, .ownership = 1, .feeds = feed};
    const uint32_t expected[] = {100, 4, 10, 4, 108}, first[] = {1, 1, 101, 1, 3};
    phx_channel_init(&channel, &memory);
    for (uint32_t i = 0; i < 100; i++) phx_wire_put_offer(phx_channel_push(&channel, PHX_WIRE_OFFER_BYTES), &offer);
    for (uint32_t i = 0; i < 5; i++) {
        phx_wire_head head = {.format = PHX_FORMAT_MAX};
        phx_wire_message message;
        for (uint32_t k = 0; k < 10 && i == 2; k++) /* new ones go on, until an ack is overdue */
            phx_wire_put_offer(phx_channel_push(&channel, PHX_WIRE_OFFER_BYTES), &offer);
        if (i == 4) {
            phx_channel_pop(&channel);
            phx_channel_pop(&channel);
        }
        phx_wire_begin(&message, bytes, sizeof bytes);
        phx_channel_write(&channel, &message, &head);
        cr_assert_eq(message.item_count, expected[i]);
        cr_assert_eq(head.first, first[i]);
    }
    phx_channel_free(&channel);
}
