/*
 * world/queue/command_queue.c from one thread: runs, block ends, snapshots, full, no memory, going back,
 * wrap, and random use against a plain list. Two threads are in concurrency/stress_command_queue.c.
 */
#include <criterion/criterion.h>

#include <signal.h>
#include <string.h>

#include "base/rng.h"
#include "support/watched_memory.h"
#include "world/queue/command_queue.h"

enum { BLOCK = PHX_COMMAND_QUEUE_BLOCK_BYTES, HEADER = PHX_COMMAND_QUEUE_RUN_HEADER_BYTES };
/* Records of 8 bytes that one run can fill a block with. */
enum { WORDS_MAX = (PHX_COMMAND_QUEUE_DATA_BYTES - HEADER) / 8 };

static watched_memory watched;
static phx_mem mem;
static phx_command_queue *q;
static uint64_t sequence; /* of the last record */
static ph_status status;

static void set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    sequence = 0;
}

static void tear_down(void)
{
    phx_command_queue_destroy(q);
    q = NULL;
    watched_memory_all_back(&watched);
}

TestSuite(command_queue, .init = set_up, .fini = tear_down);

static void make(uint32_t blocks)
{
    q = phx_command_queue_create(&mem, blocks * (uint32_t)BLOCK);
    cr_assert_not_null(q);
}

/* Puts up to `count` words, each its own sequence number, in one run. */
static uint32_t put(uint32_t count)
{
    void *records;
    uint32_t room = phx_command_queue_reserve(q, 7, 8, sequence + 1, count, &records, &status);
    cr_assert_eq(room > 0, status == PH_OK);
    if (room == 0) {
        return 0;
    }
    cr_assert_leq(room, count);
    cr_assert_eq((uintptr_t)records % 8, 0);
    for (uint32_t i = 0; i < room; i++) {
        ((uint64_t *)records)[i] = ++sequence;
    }
    phx_command_queue_publish(q, room);
    return room;
}

static uint64_t next_expected; /* of the reader */

/* One more run; its words must go on where the last ended. Returns its count, 0 at the end. */
static uint32_t take(void)
{
    phx_command_run run;
    if (!phx_command_queue_next(q, &run)) {
        return 0;
    }
    cr_assert_eq(run.op, 7);
    cr_assert_eq(run.record_bytes, 8);
    cr_assert_eq(run.sequence_first, next_expected);
    for (uint32_t i = 0; i < run.count; i++) {
        cr_assert_eq(((const uint64_t *)run.records)[i], next_expected);
        next_expected++;
    }
    return run.count;
}

static uint32_t take_all(void)
{
    uint32_t count = 0;
    for (uint32_t more = take(); more > 0; more = take()) {
        count += more;
    }
    return count;
}

/* A tick that reads all there is. */
static uint32_t tick(void)
{
    phx_command_queue_snapshot(q);
    uint32_t count = take_all();
    phx_command_queue_release(q);
    return count;
}

static void begin(uint32_t blocks)
{
    make(blocks);
    next_expected = 1;
}

Test(command_queue, an_empty_one_has_no_block_and_nothing)
{
    begin(16);
    uint64_t calls = atomic_load(&mem.calls);
    cr_assert_lt(atomic_load(&mem.bytes), BLOCK);
    cr_assert_eq(tick(), 0);
    phx_command_queue_snapshot(q);
    phx_command_queue_rewind(q);
    cr_assert_eq(take(), 0);
    phx_command_queue_release(q);
    cr_assert_eq(atomic_load(&mem.calls), calls);
}

Test(command_queue, bytes_are_rounded_up_to_blocks)
{
    q = phx_command_queue_create(&mem, 2 * BLOCK + 1);
    next_expected = 1;
    cr_assert_eq(put(WORDS_MAX + 5), WORDS_MAX);
    cr_assert_eq(put(WORDS_MAX + 5), WORDS_MAX);
    cr_assert_eq(put(WORDS_MAX + 5), WORDS_MAX);
    cr_assert_eq(put(1), 0);
    cr_assert_eq(status, PH_FULL);
}

Test(command_queue, a_run_comes_as_it_went)
{
    struct {
        uint64_t id;
        float x, y, z;
        uint32_t pad;
    } * move;
    phx_command_run run;
    void *records;
    begin(1);
    uint32_t room = phx_command_queue_reserve(q, 513, sizeof(*move), 1000, 3, &records, &status);
    cr_assert_eq(room, 3);
    move = records;
    for (uint32_t i = 0; i < 2; i++) {
        move[i].id = 50 + i;
        move[i].x = (float)i;
    }
    phx_command_queue_publish(q, 2); /* the third was refused, say */
    phx_command_queue_snapshot(q);
    cr_assert(phx_command_queue_next(q, &run));
    cr_assert_eq(run.op, 513);
    cr_assert_eq(run.record_bytes, sizeof(*move));
    cr_assert_eq(run.count, 2);
    cr_assert_eq(run.sequence_first, 1000);
    cr_assert_eq(run.records, move); /* in place: nothing is copied */
    cr_assert_eq(move[1].id, 51);
    cr_assert(!phx_command_queue_next(q, &run));
    phx_command_queue_release(q);
}

/* A run's bytes are rounded up: whatever its records, the next one begins aligned, and a block's end is found. */
Test(command_queue, records_of_any_size_follow_each_other)
{
    begin(2);
    uint32_t runs = 0;
    for (uint32_t bytes = 1; bytes <= 1200; bytes++) {
        for (uint32_t count = 3, some; count > 0; count -= some) {
            void *records;
            some = phx_command_queue_reserve(q, 1, (uint16_t)bytes, sequence + 1, count, &records, &status);
            if (some == 0) break;
            cr_assert_eq((uintptr_t)records % 8, 0);
            memset(records, (int)(bytes & 0xff), (size_t)some * bytes);
            phx_command_queue_publish(q, some);
            sequence += some;
            runs++;
        }
        if (status == PH_FULL) break;
    }
    cr_assert_eq(status, PH_FULL);
    phx_command_queue_snapshot(q);
    uint64_t expected = 1;
    for (phx_command_run run; phx_command_queue_next(q, &run); runs--) {
        cr_assert_eq(run.sequence_first, expected);
        expected += run.count;
        const unsigned char *at = run.records;
        for (uint32_t i = 0; i < run.count * run.record_bytes; i++) cr_assert_eq(at[i], run.record_bytes & 0xff);
    }
    cr_assert_eq(runs, 0);
    cr_assert_eq(expected, sequence + 1);
    phx_command_queue_release(q);
}

Test(command_queue, published_nothing_is_nothing)
{
    void *first, *second;
    begin(1);
    cr_assert_eq(phx_command_queue_reserve(q, 1, 16, 1, 5, &first, &status), 5);
    phx_command_queue_publish(q, 0);
    cr_assert_eq(tick(), 0);
    cr_assert_eq(phx_command_queue_count(q).accepted, 0);
    cr_assert_eq(phx_command_queue_reserve(q, 1, 16, 1, 5, &second, &status), 5);
    cr_assert_eq(first, second);
    phx_command_queue_publish(q, 0);
}

Test(command_queue, reserved_and_not_published_is_not_seen)
{
    void *records;
    begin(1);
    cr_assert_eq(put(2), 2);
    cr_assert_eq(phx_command_queue_reserve(q, 7, 8, 3, 1, &records, &status), 1);
    cr_assert_eq(tick(), 2);
    *(uint64_t *)records = ++sequence;
    phx_command_queue_publish(q, 1);
    cr_assert_eq(tick(), 1);
}

Test(command_queue, an_open_block_is_readable_and_goes_on)
{
    begin(1);
    for (uint32_t i = 1; i < 25; i++) {
        cr_assert_eq(put(i), i);
        cr_assert_eq(tick(), i);
        cr_assert_eq(tick(), 0);
    }
}

Test(command_queue, a_snapshot_is_fixed)
{
    begin(8);
    put(10);
    phx_command_queue_snapshot(q);
    put(10);
    cr_assert_eq(take(), 10);
    while (put(5000) > 0) { /* also into blocks opened behind it */
    }
    cr_assert_eq(take(), 0);
    phx_command_queue_release(q);
    phx_command_queue_snapshot(q);
    cr_assert_eq(take_all(), sequence - 10);
    phx_command_queue_release(q);
}

Test(command_queue, at_a_blocks_end_a_run_is_cut)
{
    begin(3);
    cr_assert_eq(put(WORDS_MAX - 10), WORDS_MAX - 10);
    enum { LEFT = 10 - HEADER / 8 }; /* of the ten words, behind a header */
    cr_assert_eq(put(20), LEFT);
    cr_assert_eq(put(12), 12);
    phx_command_queue_snapshot(q);
    cr_assert_eq(take(), WORDS_MAX - 10);
    cr_assert_eq(take(), LEFT);
    cr_assert_eq(take(), 12);
    cr_assert_eq(take(), 0);
    phx_command_queue_release(q);
}

/* Every rest that a block can end with. */
Test(command_queue, every_rest_of_a_block_is_skipped)
{
    for (uint32_t rest = 0; rest <= 40; rest++) {
        set_up();
        begin(2);
        cr_assert_eq(put(WORDS_MAX - rest), WORDS_MAX - rest);
        uint32_t fits = rest > HEADER / 8 ? rest - HEADER / 8 : 0; /* behind a header */
        cr_assert_eq(put(30), fits > 0 && fits < 30 ? fits : 30, "rest %u", rest);
        uint32_t three = put(3); /* may be cut too */
        three += three < 3 ? put(3 - three) : 0;
        cr_assert_eq(three, 3);
        cr_assert_eq(tick(), sequence);
        tear_down();
    }
}

Test(command_queue, the_largest_record_fills_a_block)
{
    void *records;
    phx_command_run run;
    begin(2);
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 2; i++) {
            cr_assert_eq(phx_command_queue_reserve(q, 1, PHX_COMMAND_QUEUE_RECORD_BYTES_MAX, i, 9, &records, &status),
                         1);
            memset(records, (int)i + 1, PHX_COMMAND_QUEUE_RECORD_BYTES_MAX);
            phx_command_queue_publish(q, 1);
        }
        cr_assert_eq(phx_command_queue_reserve(q, 1, PHX_COMMAND_QUEUE_RECORD_BYTES_MAX, 2, 1, &records, &status), 0);
        cr_assert_eq(status, PH_FULL);
        phx_command_queue_snapshot(q);
        for (uint64_t i = 0; i < 2; i++) {
            cr_assert(phx_command_queue_next(q, &run));
            cr_assert_eq(run.sequence_first, i);
            const unsigned char *bytes = run.records;
            cr_assert_eq(bytes[0], i + 1);
            cr_assert_eq(bytes[PHX_COMMAND_QUEUE_RECORD_BYTES_MAX - 1], i + 1);
        }
        cr_assert(!phx_command_queue_next(q, &run));
        phx_command_queue_release(q);
    }
}

/* ---- full ---- */

static void fills_and_recovers(uint32_t blocks)
{
    begin(blocks);
    for (int round = 0; round < 5; round++) {
        uint64_t first = sequence;
        while (put(1000) > 0) {
        }
        cr_assert_eq(status, PH_FULL);
        cr_assert_geq(sequence - first, (uint64_t)(blocks - (round > 0)) * WORDS_MAX * 9 / 10);
        uint64_t accepted = phx_command_queue_count(q).accepted;
        cr_assert_eq(put(1), 0); /* and again */
        cr_assert_eq(status, PH_FULL);
        cr_assert_eq(phx_command_queue_count(q).accepted, accepted);
        cr_assert_eq(tick(), sequence - first);
        cr_assert_gt(put(1), 0); /* a tick is enough */
        cr_assert_eq(tick(), 1);
    }
}

Test(command_queue, one_block_is_full_and_comes_back)
{
    fills_and_recovers(1);
}

Test(command_queue, some_blocks_are_full_and_come_back)
{
    fills_and_recovers(2);
    tear_down();
    set_up();
    fills_and_recovers(3);
    tear_down();
    set_up();
    fills_and_recovers(17);
}

/* The block was read to its end before anyone knew that it is closed. */
Test(command_queue, full_with_nothing_queued_is_over_after_a_tick)
{
    begin(1);
    cr_assert_eq(put(WORDS_MAX), WORDS_MAX);
    cr_assert_eq(tick(), WORDS_MAX);
    cr_assert_eq(put(1), 0);
    cr_assert_eq(status, PH_FULL);
    cr_assert_eq(tick(), 0);
    cr_assert_eq(put(1), 1);
    cr_assert_eq(tick(), 1);
}

Test(command_queue, blocks_come_back_only_at_release)
{
    begin(2);
    while (put(1000) > 0) {
    }
    phx_command_queue_snapshot(q);
    take_all();
    cr_assert_eq(put(1), 0); /* a worker may be reading */
    phx_command_queue_release(q);
    cr_assert_eq(put(1), 1);
}

Test(command_queue, no_memory_is_not_full)
{
    begin(4);
    cr_assert_eq(put(1000), 1000); /* in a block of full size */
    watched_memory_fail_after(&watched, 0);
    uint32_t more = put(WORDS_MAX);
    cr_assert_gt(more, 0);
    cr_assert_eq(put(1), 0);
    cr_assert_eq(status, PH_NO_MEMORY);
    cr_assert_eq(put(1), 0);
    cr_assert_eq(status, PH_NO_MEMORY);
    cr_assert_eq(tick(), 1000 + more); /* the closed block comes back and does without memory */
    cr_assert_eq(put(1), 1);
    cr_assert_eq(put(WORDS_MAX), WORDS_MAX - 1 - HEADER / 8); /* one word and two headers */
    cr_assert_eq(put(1), 0);
    cr_assert_eq(status, PH_NO_MEMORY);
    watched_memory_fail_after(&watched, UINT64_MAX);
    cr_assert_eq(put(1), 1);
    cr_assert_eq(tick(), WORDS_MAX + 1 - HEADER / 8);
}

Test(command_queue, without_memory_no_queue_is_made)
{
    for (uint64_t allowed = 0;; allowed++) {
        watched_memory_fail_after(&watched, allowed);
        q = phx_command_queue_create(&mem, 4 * BLOCK);
        if (q != NULL) {
            cr_assert_eq(allowed, 3); /* itself and two rings */
            break;
        }
        cr_assert_eq(atomic_load(&watched.blocks), 0);
    }
}

Test(command_queue, a_full_queue_is_destroyed_without_a_leak)
{
    begin(5);
    while (put(777) > 0) {
    }
    phx_command_queue_snapshot(q);
    take();
}

/* ---- going back ---- */

Test(command_queue, rewind_gives_the_same_again)
{
    begin(6);
    put(20);
    tick(); /* so that the snapshot starts inside a block */
    uint64_t from = next_expected;
    while (sequence < 4 * WORDS_MAX) {
        cr_assert_gt(put(1000), 0);
    }
    phx_command_queue_snapshot(q);
    for (uint32_t runs = 0; runs < 15; runs++) {
        for (uint32_t i = 0; i < runs; i++) {
            cr_assert_gt(take(), 0);
        }
        phx_command_queue_rewind(q);
        next_expected = from;
    }
    put(5); /* is not part of it */
    uint64_t in_snapshot = sequence - 5 - 20;
    cr_assert_eq(take_all(), in_snapshot);
    phx_command_queue_rewind(q);
    next_expected = from;
    cr_assert_eq(take_all(), in_snapshot);
    phx_command_queue_release(q);
    cr_assert_eq(phx_command_queue_count(q).released, 20 + in_snapshot); /* counted once */
    cr_assert_eq(tick(), 5);
}

/* Released after every possible number of runs: the rest comes first the next time. */
Test(command_queue, unread_commands_stay)
{
    for (uint32_t runs = 0; runs < 14; runs++) {
        set_up();
        begin(6);
        for (uint32_t i = 0; i < 12; i++) {
            cr_assert_eq(put(i % 3 == 2 ? WORDS_MAX : 1000), i % 3 == 2 ? WORDS_MAX - 2000 - 2 * HEADER / 8 : 1000);
        }
        phx_command_queue_snapshot(q);
        for (uint32_t i = 0; i < runs; i++) {
            take();
        }
        phx_command_queue_release(q);
        cr_assert_eq(phx_command_queue_count(q).released, next_expected - 1);
        put(10);
        uint64_t left = sequence - phx_command_queue_count(q).released;
        cr_assert_eq(tick(), left);
        tear_down();
    }
}

Test(command_queue, counts_follow_publish_and_release)
{
    begin(2);
    put(100);
    cr_assert_eq(phx_command_queue_count(q).accepted, 100);
    cr_assert_eq(phx_command_queue_count(q).released, 0);
    phx_command_queue_snapshot(q);
    take_all();
    cr_assert_eq(phx_command_queue_count(q).released, 0);
    put(5);
    phx_command_queue_release(q);
    cr_assert_eq(phx_command_queue_count(q).accepted, 105);
    cr_assert_eq(phx_command_queue_count(q).released, 100);
}

Test(command_queue, warm_it_allocates_nothing)
{
    begin(8);
    while (put(900) > 0) {
    }
    tick();
    uint64_t calls = atomic_load(&mem.calls);
    for (uint32_t i = 0; i < 500; i++) {
        for (uint32_t j = 0; j < i % 30; j++) {
            cr_assert_gt(put(900), 0);
        }
        tick();
    }
    cr_assert_eq(atomic_load(&mem.calls), calls);
}

/* ---- small blocks ---- */

/* A few commands a tick, for ever: two small blocks do. */
Test(command_queue, few_commands_take_small_blocks)
{
    enum { TICKS = 3000, EACH = 60 };
    begin(1000);
    uint64_t bare = atomic_load(&mem.bytes);
    for (uint32_t i = 0; i < TICKS; i++) {
        for (uint32_t n = EACH; n > 0;) {
            uint32_t some = put(n);
            cr_assert_gt(some, 0);
            n -= some;
        }
        cr_assert_eq(tick(), EACH);
    }
    cr_assert_leq(atomic_load(&mem.bytes) - bare, 2 * PHX_COMMAND_QUEUE_SMALL_BLOCK_BYTES);
}

/* A third block, or a long run, is of full size; then small blocks go as they come back. */
static void outgrow_small_blocks(uint32_t run)
{
    begin(3);
    uint64_t bare = atomic_load(&mem.bytes), first = sequence;
    while (put(run) > 0) {
        if (sequence % 7 == 0 && sequence < WORDS_MAX) tick();
    }
    cr_assert_eq(status, PH_FULL);
    tick();
    for (uint32_t i = 0; i < 4 * WORDS_MAX; i++) {
        if (put(1) == 0) tick();
    }
    tick();
    cr_assert_eq(next_expected, sequence + 1);
    cr_assert_gt(sequence - first, 2 * WORDS_MAX);
    cr_assert_eq((atomic_load(&mem.bytes) - bare) % BLOCK, 0, "blocks of full size alone");
}

Test(command_queue, small_blocks_are_outgrown)
{
    outgrow_small_blocks(40);
    tear_down();
    set_up();
    outgrow_small_blocks(1000);
}

/* Without memory for a block of full size small blocks go on. */
Test(command_queue, small_blocks_go_on_without_memory)
{
    begin(3);
    cr_assert_eq(put(10), 10);
    watched_memory_fail_after(&watched, 0);
    while (put(1000) > 0) {
    }
    cr_assert_eq(status, PH_NO_MEMORY);
    uint64_t all = sequence;
    cr_assert_eq(tick(), all);
    for (uint32_t i = 0; i < 2000; i++) {
        if (put(1) == 0) { /* the block was read to its end before it was closed */
            cr_assert_eq(tick(), 0);
            cr_assert_eq(put(1), 1);
        }
        cr_assert_eq(tick(), 1);
    }
    watched_memory_fail_after(&watched, UINT64_MAX);
    cr_assert_gt(put(1000), 0);
    cr_assert_gt(put(WORDS_MAX), 0);
}

/* It holds no more blocks than it ever needed at once. */
Test(command_queue, blocks_are_used_again)
{
    begin(1000);
    for (uint32_t i = 0; i < 3000; i++) {
        put(WORDS_MAX / 2);
        tick();
    }
    cr_assert_lt(atomic_load(&mem.bytes), 4 * BLOCK);
}

/* After a storm unneeded blocks go, one at a time; blocks in use stay, however many a tick takes. */
static void settle_after_storm(uint32_t storm, uint32_t busy)
{
    enum { TICKS = 100 };
    begin(1000);
    for (uint32_t i = 0; i < storm; i++) {
        put(WORDS_MAX);
    }
    tick();
    for (uint32_t i = 0; i < TICKS; i++) {
        for (uint32_t j = 0; j < busy; j++) {
            cr_assert_gt(put(WORDS_MAX), 0);
        }
        tick();
    }
    uint64_t bytes = atomic_load(&mem.bytes), calls = atomic_load(&mem.calls);
    cr_assert_lt(bytes, (busy + busy / 7 + 4) * (uint64_t)BLOCK);
    for (uint32_t i = 0; i < TICKS; i++) {
        for (uint32_t j = 0; j < busy; j++) {
            cr_assert_gt(put(WORDS_MAX), 0);
        }
        tick();
    }
    cr_assert_eq(atomic_load(&mem.bytes), bytes);
    cr_assert_eq(atomic_load(&mem.calls), calls);
}

Test(command_queue, a_storms_blocks_go)
{
    settle_after_storm(200, 10);
}

Test(command_queue, a_storms_blocks_go_from_a_busy_queue)
{
    settle_after_storm(200, 100);
}

Test(command_queue, counters_wrap)
{
    begin(3);
    phx_command_queue_start_at(q, UINT32_MAX - 10);
    for (uint32_t i = 0; i < 200; i++) {
        while (put(WORDS_MAX / 3) > 0) {
        }
        cr_assert_eq(status, PH_FULL);
        cr_assert_gt(tick(), 0);
    }
}

#ifndef NDEBUG
Test(command_queue, two_reservations_are_caught, .signal = SIGABRT)
{
    void *records;
    begin(1);
    (void)phx_command_queue_reserve(q, 1, 8, 1, 1, &records, &status);
    (void)phx_command_queue_reserve(q, 1, 8, 1, 1, &records, &status);
}

Test(command_queue, more_published_than_reserved_is_caught, .signal = SIGABRT)
{
    void *records;
    begin(1);
    phx_command_queue_publish(q, phx_command_queue_reserve(q, 1, 8, 1, 1, &records, &status) + 1);
}

Test(command_queue, reading_without_a_snapshot_is_caught, .signal = SIGABRT)
{
    phx_command_run run;
    begin(1);
    (void)phx_command_queue_next(q, &run);
}
#endif

/* ---- random use against a plain list ---- */

enum { RUNS_MAX = 1 << 15 };

/* The published words, in order; [read, known) is in the snapshot, the rest behind it. */
typedef struct model {
    struct {
        uint16_t op;
        uint32_t record_bytes;
        uint32_t count;
        uint64_t sequence;
    } runs[RUNS_MAX];
    uint32_t written, read, known, released;
    uint64_t accepted;
    uint64_t bytes; /* of runs not released */
    uint32_t full;
    bool small; /* only records of up to SMALL_WORDS */
} model;

enum { SMALL_WORDS = 12 };

static uint64_t word_of(uint64_t at, uint64_t place)
{
    return phx_mix64(at * 977 + place);
}

static void model_put(model *m, uint64_t *random, uint32_t blocks)
{
    void *records;
    uint16_t op = (uint16_t)phx_rng_next(random);
    uint32_t words = m->small || phx_rng_below(random, 50) > 0
                         ? 1 + phx_rng_below(random, SMALL_WORDS)
                         : 1 + phx_rng_below(random, PHX_COMMAND_QUEUE_RECORD_BYTES_MAX / 8);
    uint32_t wanted = phx_rng_below(random, 4) == 0 ? 1 + phx_rng_below(random, 20000) : 1 + phx_rng_below(random, 9);
    uint32_t room = phx_command_queue_reserve(q, op, words * 8, sequence + 1, wanted, &records, &status);
    if (room == 0) {
        cr_assert_eq(status, PH_FULL);
        /* all blocks but the one read last are full, but for less than a small run at their ends */
        uint64_t least = (uint64_t)(blocks - 1) * (PHX_COMMAND_QUEUE_DATA_BYTES - HEADER - SMALL_WORDS * 8);
        cr_assert(!m->small || m->bytes >= least, "full with %lu bytes in %u blocks", m->bytes, blocks);
        m->full++;
        return;
    }
    uint32_t used = phx_rng_below(random, 3) == 0 ? phx_rng_below(random, room + 1) : room;
    for (uint64_t i = 0; i < (uint64_t)used * words; i++) {
        ((uint64_t *)records)[i] = word_of(m->written, i);
    }
    phx_command_queue_publish(q, used);
    if (used > 0) {
        cr_assert_lt(m->written, RUNS_MAX);
        m->runs[m->written].op = op;
        m->runs[m->written].record_bytes = words * 8;
        m->runs[m->written].count = used;
        m->runs[m->written].sequence = sequence + 1;
        m->written++;
        m->accepted += used;
        m->bytes += HEADER + (uint64_t)used * words * 8;
        sequence += used;
    }
}

static void model_take(model *m)
{
    phx_command_run run;
    bool more = phx_command_queue_next(q, &run);
    cr_assert_eq(more, m->read < m->known);
    if (!more) {
        return;
    }
    cr_assert_eq(run.op, m->runs[m->read].op);
    cr_assert_eq(run.record_bytes, m->runs[m->read].record_bytes);
    cr_assert_eq(run.count, m->runs[m->read].count);
    cr_assert_eq(run.sequence_first, m->runs[m->read].sequence);
    const uint64_t *words = run.records;
    for (uint64_t i = 0; i < (uint64_t)run.count * run.record_bytes / 8; i++) {
        cr_assert(words[i] == word_of(m->read, i));
    }
    m->read++;
}

static void model_tick(model *m, uint64_t *random, uint32_t blocks)
{
    phx_command_queue_snapshot(q);
    m->known = m->written;
    m->read = m->released;
    bool all = phx_rng_below(random, 3) > 0;
    uint32_t steps = all ? UINT32_MAX : phx_rng_below(random, 40);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t what = phx_rng_below(random, 30);
        if (what == 0) {
            phx_command_queue_rewind(q);
            m->read = m->released;
        } else if (what < 5 && m->written < RUNS_MAX) {
            model_put(m, random, blocks);
        } else {
            model_take(m);
        }
        if (all && m->read == m->known) {
            model_take(m);
            break;
        }
    }
    phx_command_queue_release(q);
    for (; m->released < m->read; m->released++) {
        m->bytes -= HEADER + (uint64_t)m->runs[m->released].count * m->runs[m->released].record_bytes;
    }
}

static model the_model;

static void random_use(uint64_t seed)
{
    uint64_t random = seed;
    uint32_t blocks = 1 + phx_rng_below(&random, 5);
    uint32_t puts = 1 + phx_rng_below(&random, 40);
    model *m = &the_model;
    memset(m, 0, sizeof(*m));
    m->small = seed % 2 == 0;
    begin(blocks);
    phx_command_queue_start_at(q, (uint32_t)phx_rng_next(&random));
    for (uint32_t round = 0; round < 300; round++) {
        for (uint32_t i = phx_rng_below(&random, puts); i > 0; i--) {
            model_put(m, &random, blocks);
        }
        model_tick(m, &random, blocks);
        cr_assert_eq(phx_command_queue_count(q).accepted, m->accepted);
    }
    cr_assert_leq(phx_command_queue_count(q).released, m->accepted);
}

Test(command_queue, random_use_agrees_with_a_list)
{
    uint32_t full = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        set_up();
        random_use(seed);
        full += the_model.full;
        tear_down();
    }
    cr_assert_gt(full, 100); /* it was met */
}
