/*
 * Packets of a batch against a naive regrouping: each observer once, with all that the batch has for it, whatever the
 * sizes and the order of the three arrays.
 */
#include "unit/shards/shard_case.h"

#include "base/rng.h"
#include "world/batch/packets.h"

TestSuite(packets, .init = memory_set_up, .fini = memory_tear_down);

enum { RECORDS_MAX = 300 };

static ph_change changes[RECORDS_MAX];
static ph_delivery deliveries[RECORDS_MAX];
static ph_update updates[RECORDS_MAX];

/* Draws `count` different observers of [1, below], in random order, into ids[]. */
static void draw_observers(uint64_t *rng, uint64_t *ids, uint32_t count, uint64_t below)
{
    uint64_t all[2 * RECORDS_MAX];
    for (uint64_t i = 0; i < below; i++) all[i] = i + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t j = i + phx_rng_below(rng, (uint32_t)(below - i)), drawn = all[j];
        all[j] = all[i];
        all[i] = ids[i] = drawn;
    }
}

static ph_batch random_batch(uint64_t *rng, uint32_t most)
{
    uint64_t ids[RECORDS_MAX];
    const uint64_t below = most + phx_rng_below(rng, RECORDS_MAX);
    ph_batch batch = {.changes = changes, .deliveries = deliveries, .updates = updates};
    batch.change_count = phx_rng_below(rng, most + 1);
    draw_observers(rng, ids, batch.change_count, below);
    for (uint32_t i = 0; i < batch.change_count; i++)
        changes[i] = (ph_change){.observer = ids[i], .user_data = ids[i] * 7, .first = i};
    batch.delivery_count = phx_rng_below(rng, most + 1);
    draw_observers(rng, ids, batch.delivery_count, below);
    for (uint32_t i = 0; i < batch.delivery_count; i++)
        deliveries[i] = (ph_delivery){.observer = ids[i], .user_data = ids[i] * 7, .count = 1, .reserved = {~0u, ~0u}};
    batch.update_count = phx_rng_below(rng, most + 1);
    draw_observers(rng, ids, batch.update_count, below);
    for (uint32_t i = 0; i < batch.update_count; i++)
        updates[i] = (ph_update){.observer = ids[i], .user_data = ids[i] * 7, .count = 1, .reserved = {~0u, ~0u}};
    return batch;
}

static const ph_change *naive_change(const ph_batch *batch, uint64_t observer)
{
    for (uint32_t i = 0; i < batch->change_count; i++)
        if (batch->changes[i].observer == observer) return &batch->changes[i];
    return NULL;
}

static const ph_delivery *naive_delivery(const ph_batch *batch, uint64_t observer)
{
    for (uint32_t i = 0; i < batch->delivery_count; i++)
        if (batch->deliveries[i].observer == observer) return &batch->deliveries[i];
    return NULL;
}

static const ph_update *naive_update(const ph_batch *batch, uint64_t observer)
{
    for (uint32_t i = 0; i < batch->update_count; i++)
        if (batch->updates[i].observer == observer) return &batch->updates[i];
    return NULL;
}

/* One whole walk: each packet is right and comes once, and there are as many as observers. */
static void expect_walk(const ph_batch *batch, phx_hash_key key)
{
    static bool seen[2 * RECORDS_MAX + 1];
    ph_packets packets;
    ph_packet packet;
    uint32_t count = 0, expected = 0;
    memset(seen, 0, sizeof seen);
    phx_packets_begin(batch, key, &packets);
    while (phx_packets_next(&packets, &packet)) {
        cr_assert(packet.observer >= 1 && packet.observer <= 2 * RECORDS_MAX);
        cr_assert(!seen[packet.observer], "observer %d twice", (int)packet.observer);
        seen[packet.observer] = true;
        cr_assert_eq(packet.user_data, packet.observer * 7);
        cr_assert_eq(packet.change, naive_change(batch, packet.observer));
        cr_assert_eq(packet.delivery, naive_delivery(batch, packet.observer));
        cr_assert_eq(packet.update, naive_update(batch, packet.observer));
        cr_assert(packet.change || packet.delivery || packet.update);
        count++;
    }
    cr_assert(!phx_packets_next(&packets, &packet), "behind the last there is none");
    for (uint64_t id = 1; id <= 2 * RECORDS_MAX; id++)
        expected += naive_change(batch, id) || naive_delivery(batch, id) || naive_update(batch, id);
    cr_assert_eq(count, expected);
}

Test(packets, every_observer_once_with_all_that_there_is)
{
    uint64_t rng = 28;
    for (uint32_t round = 0; round < 400; round++) {
        static const uint32_t most[] = {1, 2, 3, 10, RECORDS_MAX};
        ph_batch batch = random_batch(&rng, most[round % 5]);
        expect_walk(&batch, phx_hash_key_of(round));
    }
}

Test(packets, a_walk_may_begin_again_anywhere)
{
    uint64_t rng = 9;
    ph_batch batch = random_batch(&rng, RECORDS_MAX);
    ph_packets packets;
    ph_packet packet;
    for (uint32_t steps = 0; steps < 40; steps += 3) {
        phx_packets_begin(&batch, PHX_HASH_KEY_KNOWN, &packets);
        for (uint32_t i = 0; i < steps; i++) phx_packets_next(&packets, &packet);
        expect_walk(&batch, PHX_HASH_KEY_KNOWN);
    }
}

Test(packets, an_empty_batch_has_none)
{
    const ph_batch batch = {.tick = 1};
    ph_packets packets;
    ph_packet packet = {.observer = 5};
    phx_packets_begin(&batch, PHX_HASH_KEY_KNOWN, &packets);
    cr_assert(!phx_packets_next(&packets, &packet));
    cr_assert(packet.observer == 5, "left as it was");
}

/* One bucket alone is the worst case; all ids in it are found. */
Test(packets, ids_of_one_bucket)
{
    ph_batch batch = {.changes = changes, .deliveries = deliveries, .updates = updates};
    const phx_hash_key key = {1, 0}; /* a key that gives all ids one hash */
    batch.change_count = batch.delivery_count = batch.update_count = 50;
    for (uint32_t i = 0; i < 50; i++) {
        changes[i] = (ph_change){.observer = i + 1, .user_data = (i + 1) * 7};
        deliveries[i] = (ph_delivery){.observer = 100 - i, .user_data = (100 - i) * 7, .count = 1};
        updates[i] = (ph_update){.observer = 25 + i, .user_data = (25 + i) * 7, .count = 1};
    }
    expect_walk(&batch, key);
}
