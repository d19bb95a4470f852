/*
 * src/store/ring.c: records come to the reader whole, in order, with their heads, across the end of the ring; a full
 * ring refuses and nothing is lost. Two threads are in the property test store_journal.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/rng.h"
#include "store/ring.h"

enum { RING_BYTES = 2048, ROUNDS = 20000, WAITING_MAX = 128, WORDS_MAX = 40, LARGEST = 8 * WORDS_MAX + 32 };

/* Records that wait, kept plainly. */
static struct {
    uint64_t tick[WAITING_MAX], bytes[WAITING_MAX];
    uint32_t first, count;
    uint64_t held; /* bytes of their frames */
} waiting;

static unsigned char byte_of(uint64_t tick, uint64_t at)
{
    return (unsigned char)(tick * 31 + at * 7 + 1);
}

/* false: the ring is full. */
static bool put_record(phx_store_ring *ring, uint64_t tick, uint64_t bytes)
{
    unsigned char *record = phx_store_ring_begin(ring, bytes);
    if (!record) return false;
    cr_assert_eq((uintptr_t)record % 8, 0);
    for (uint64_t i = 0; i < bytes; i++) record[i] = byte_of(tick, i);
    phx_store_ring_end(
        ring, (phx_journal_frame_head){
                  .magic = PHX_JOURNAL_FRAME_MAGIC, .kind = PHX_JOURNAL_FRAME_RECORD, .tick = tick, .bytes = bytes});
    const uint32_t at = (waiting.first + waiting.count++) % WAITING_MAX;
    waiting.tick[at] = tick;
    waiting.bytes[at] = bytes;
    waiting.held += phx_journal_frame_bytes(bytes);
    return true;
}

static void take_record(phx_store_ring *ring)
{
    const phx_journal_frame_head *frame = phx_store_ring_next(ring);
    if (waiting.count == 0) {
        cr_assert_null(frame);
        return;
    }
    cr_assert_not_null(frame);
    const uint64_t tick = waiting.tick[waiting.first], bytes = waiting.bytes[waiting.first];
    const unsigned char *record = (const unsigned char *)(frame + 1);
    cr_assert_eq(frame->kind, PHX_JOURNAL_FRAME_RECORD);
    cr_assert_eq(frame->tick, tick);
    cr_assert_eq(frame->bytes, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        cr_assert_eq(record[i], byte_of(tick, i), "tick %zu, byte %zu", (size_t)tick, (size_t)i);
    cr_assert_eq(phx_store_ring_next(ring), frame, "it stays until it is passed");
    phx_store_ring_pass(ring, frame);
    waiting.first = (waiting.first + 1) % WAITING_MAX;
    waiting.count--;
    waiting.held -= phx_journal_frame_bytes(bytes);
}

Test(store_ring, records_come_whole_and_in_order_and_a_full_ring_refuses)
{
    phx_store_ring ring;
    uint64_t rng = 61, tick = 0;
    uint32_t refused = 0;
    cr_assert(phx_store_ring_init(&ring, RING_BYTES));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (phx_rng_below(&rng, 2) == 0) {
            take_record(&ring);
            continue;
        }
        const uint64_t bytes = 8 * (uint64_t)phx_rng_below(&rng, WORDS_MAX);
        if (put_record(&ring, tick + 1, bytes)) tick++;
        else {
            refused++; /* the end of the ring, too short for a frame, may be lost twice: behind what waits, and before
                          it */
            cr_assert_gt(waiting.held + phx_journal_frame_bytes(bytes) + 2 * LARGEST, RING_BYTES, "%zu bytes, %zu held",
                         (size_t)bytes, (size_t)waiting.held);
        }
        cr_assert_leq(waiting.held, RING_BYTES);
    }
    while (waiting.count > 0) take_record(&ring);
    take_record(&ring);
    cr_assert(refused > ROUNDS / 100 && tick > ROUNDS / 10);
    phx_store_ring_free(&ring);
}

Test(store_ring, a_record_that_is_begun_and_not_ended_is_not_seen)
{
    phx_store_ring ring;
    cr_assert(phx_store_ring_init(&ring, RING_BYTES));
    cr_assert_not_null(phx_store_ring_begin(&ring, 64));
    cr_assert_null(phx_store_ring_next(&ring));
    phx_store_ring_end(&ring,
                       (phx_journal_frame_head){
                           .magic = PHX_JOURNAL_FRAME_MAGIC, .kind = PHX_JOURNAL_FRAME_RECORD, .tick = 1, .bytes = 64});
    cr_assert_not_null(phx_store_ring_next(&ring));
    phx_store_ring_free(&ring);
}

/* Records of one size, each taken before the next one: whatever the size, the place of the one before is in no way. */
Test(store_ring, an_empty_ring_has_room_for_a_record_as_large_as_itself)
{
    phx_store_ring ring;
    const uint64_t most = RING_BYTES - phx_journal_frame_bytes(0);
    cr_assert(phx_store_ring_init(&ring, RING_BYTES));
    for (uint64_t bytes = 8, tick = 1; bytes <= most; bytes += 8, tick++) {
        cr_assert(put_record(&ring, tick, most - bytes), "%zu bytes", (size_t)(most - bytes));
        take_record(&ring);
        cr_assert(put_record(&ring, tick, bytes), "%zu bytes", (size_t)bytes);
        take_record(&ring);
    }
    cr_assert_null(phx_store_ring_begin(&ring, most + 8));
    phx_store_ring_free(&ring);
}

Test(store_ring, no_record_larger_than_the_ring_is_begun)
{
    phx_store_ring ring;
    cr_assert(phx_store_ring_init(&ring, RING_BYTES));
    cr_assert_null(phx_store_ring_begin(&ring, RING_BYTES));
    cr_assert_null(phx_store_ring_begin(&ring, UINT64_MAX - 7));
    cr_assert_not_null(phx_store_ring_begin(&ring, 8), "a refusal leaves the ring as it was");
    phx_store_ring_free(&ring);
}
