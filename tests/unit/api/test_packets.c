/*
 * ph_packets_begin() and ph_packets_next() on the batches of a world: list changes, broadcasts and updates of an
 * observer in one packet. (Against a naive regrouping: unit/world/batch/test_packets.c.)
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include <pharos/pharos.h>

static ph_world world;
static ph_producer producer;
static ph_consumer consumer;
static ph_class kinds[1];

static void setup(void)
{
    ph_world_def def = ph_world_def_default();
    kinds[0] = ph_class_default("default");
    kinds[0].view = 10;
    kinds[0].band_count = 1;
    kinds[0].bands[0] = (ph_band){.radius = 10, .every = 1};
    def.classes = kinds;
    def.class_count = 1;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
}

static void teardown(void)
{
    if (ph_world_destroy(world) != PH_OK) abort(); /* an assertion that fails in a .fini fails no test */
}

TestSuite(packets_of_batch, .init = setup, .fini = teardown);

static void enter(uint64_t id, float x, float y)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_USER_DATA, .x = x, .y = y, .user_data = 100 + id};
    cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
}

static const ph_batch *tick(void)
{
    const ph_batch *batch = NULL;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(ph_batch_take(consumer, &batch), PH_OK);
    return batch;
}

typedef struct packet_counts {
    uint32_t enters, messages, updates;
} packet_counts;

/* What the batch has for one observer; each of its packets has at most one. */
static packet_counts counts_of(const ph_batch *batch, uint64_t observer)
{
    ph_packets packets;
    ph_packet packet;
    packet_counts counts = {0, 0, 0};
    uint32_t found = 0;
    cr_assert_eq(ph_packets_begin(consumer, batch, &packets), PH_OK);
    while (ph_packets_next(&packets, &packet)) {
        cr_assert_eq(packet.user_data, 100 + packet.observer);
        if (packet.observer != observer) continue;
        found++;
        if (packet.change) counts.enters = packet.change->enter_count;
        if (packet.delivery) counts.messages = packet.delivery->count;
        if (packet.update) counts.updates = packet.update->count;
    }
    cr_assert_leq(found, 1);
    return counts;
}

static void expect_counts(const ph_batch *batch, uint64_t observer, packet_counts expected)
{
    packet_counts got = counts_of(batch, observer);
    cr_expect(got.enters == expected.enters && got.messages == expected.messages && got.updates == expected.updates,
              "observer %d: %u enters, %u messages, %u updates", (int)observer, got.enters, got.messages, got.updates);
}

Test(packets_of_batch, all_of_an_observer_is_in_one_packet)
{
    for (uint64_t id = 1; id <= 3; id++) enter(id, (float)id, 0);
    enter(4, 100, 100);
    enter(5, 105, 100);
    cr_assert_eq(ph_broadcast(producer, 1, "hey", 3, NULL), PH_OK);
    const ph_batch *batch = tick();
    expect_counts(batch, 1, (packet_counts){2, 0, 2});
    expect_counts(batch, 2, (packet_counts){2, 1, 2});
    expect_counts(batch, 5, (packet_counts){1, 0, 1});
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);

    enter(6, 2, 1);
    cr_assert_eq(ph_broadcast(producer, 4, "ho", 2, NULL), PH_OK);
    cr_assert_eq(ph_broadcast(producer, 4, "ho", 2, NULL), PH_OK);
    cr_assert_eq(ph_move(producer, 5, 104, 100, 0), PH_OK);
    batch = tick();
    expect_counts(batch, 1, (packet_counts){1, 0, 1}); /* 6 entered */
    expect_counts(batch, 4, (packet_counts){0, 0, 1}); /* 5 moved */
    expect_counts(batch, 5, (packet_counts){0, 2, 0}); /* broadcasts alone */
    expect_counts(batch, 7, (packet_counts){0, 0, 0});
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
}

Test(packets_of_batch, only_a_taken_batch_of_the_consumer_begins)
{
    ph_packets packets;
    enter(1, 0, 0);
    enter(2, 1, 0);
    const ph_batch *batch = tick();
    const ph_batch copy = *batch;
    cr_expect_eq(ph_packets_begin((ph_consumer){0}, batch, &packets), PH_BAD_HANDLE);
    cr_expect_eq(ph_packets_begin(consumer, NULL, &packets), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_packets_begin(consumer, batch, NULL), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_packets_begin(consumer, &copy, &packets), PH_BAD_ARGUMENT, "a copy was not taken");
    cr_expect_eq(ph_packets_begin(consumer, batch, &packets), PH_OK);
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    cr_expect_eq(ph_packets_begin(consumer, batch, &packets), PH_BAD_ARGUMENT, "it is back");
}
