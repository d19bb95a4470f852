/*
 * Command queues under threads: producers that submit as fast as they can, each through
 * its own queue, and one thread that ticks: snapshot, read (at times twice, as after a
 * want of memory), release. Every record carries a magic, its producer, its sequence
 * number and a hash of them. Found must be: no loss, nothing twice, order per producer,
 * nothing half written, and in each snapshot all that was published before it.
 *
 *   stress_command_queue [--seed N] [--commands N per producer] [--producers N] [--blocks N]
 *
 * Without options it runs a table of cases; producers are more than the processors in some.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/watched_memory.h"
#include "world/queue/command_queue.h"

enum { PRODUCERS_MAX = 16, WORDS_MAX = 64 };
#define MAGIC UINT64_C(0x70687863716d6463)

typedef struct test_case {
    uint32_t producers;
    uint32_t blocks;
    uint32_t run_max; /* records wanted at once */
    uint64_t commands;
    uint64_t seed;
} test_case;

typedef struct producer {
    const test_case *run;
    phx_command_queue *queue;
    uint64_t number;
    _Atomic uint64_t published; /* sequence; read before a snapshot */
    uint64_t full;
    uint64_t next;     /* the reader's: the sequence number that must come */
    uint64_t released; /* the reader's */
    pthread_t thread;
} producer;

static atomic_uint waiting; /* the start barrier */

static uint64_t word_of(uint64_t number, uint64_t sequence, uint64_t place)
{
    return phx_mix64((sequence << 8 | number) * WORDS_MAX + place);
}

/* A record: magic, producer, sequence, then words; its operation says how many. */
static void write_record(uint64_t *record, uint64_t number, uint64_t sequence, uint32_t words)
{
    record[0] = MAGIC;
    record[1] = number;
    record[2] = sequence;
    for (uint32_t i = 3; i < words; i++) {
        record[i] = word_of(number, sequence, i);
    }
}

static void *produce(void *context)
{
    producer *p = context;
    uint64_t random = p->run->seed * 131 + p->number;
    uint64_t sequence = 1;
    atomic_fetch_sub(&waiting, 1);
    while (atomic_load(&waiting) > 0) {
        sched_yield();
    }
    while (sequence <= p->run->commands) {
        /* often as many as before, so that single records can be joined */
        uint32_t words = phx_rng_below(&random, 4) > 0 ? 3 : 3 + phx_rng_below(&random, WORDS_MAX - 3);
        uint64_t left = p->run->commands - sequence + 1;
        uint32_t wanted = 1 + phx_rng_below(&random, p->run->run_max);
        void *records;
        ph_status status;
        wanted = wanted < left ? wanted : (uint32_t)left;
        uint32_t room = phx_command_queue_reserve(p->queue, (uint16_t)words, (uint16_t)(words * 8), sequence, wanted,
                                                  &records, &status);
        if (room == 0) {
            REQUIRE(status == PH_FULL);
            p->full++;
            sched_yield(); /* the reader goes on whatever happens here */
            continue;
        }
        uint32_t used = phx_rng_below(&random, 16) == 0 ? phx_rng_below(&random, room + 1) : room;
        for (uint32_t i = 0; i < used; i++) {
            write_record((uint64_t *)records + (size_t)i * words, p->number, sequence + i, words);
        }
        phx_command_queue_publish(p->queue, used);
        sequence += used;
        atomic_store_explicit(&p->published, sequence - 1, memory_order_release);
    }
    return NULL;
}

enum { JOINED_MAX = 8 };

/* Joins a run of one record with some like it: what they have now follows from their numbers. */
static void join_run(const producer *p, phx_command_run *run)
{
    static uint64_t joined[(1 + JOINED_MAX) * WORDS_MAX];
    const uint32_t alike = phx_command_queue_alike(p->queue, run, JOINED_MAX), words = run->record_bytes / 8;
    for (uint32_t i = 0; i <= alike && alike > 0; i++)
        write_record(joined + (size_t)i * words, p->number, run->sequence_first + i, words);
    if (alike > 0) phx_command_queue_join(p->queue, run, alike, joined);
}

static bool read_run(const producer *p, const phx_command_run *run, uint64_t expected)
{
    if (!CHECK(run->sequence_first == expected && run->count > 0, "producer %lu: run of %u from %lu where %lu was due",
               p->number, run->count, run->sequence_first, expected)) {
        return false;
    }
    for (uint32_t i = 0; i < run->count; i++) {
        uint64_t copy[WORDS_MAX];
        write_record(copy, p->number, expected + i, run->op);
        const unsigned char *record = (const unsigned char *)run->records + (size_t)i * run->record_bytes;
        if (!CHECK(run->record_bytes == run->op * 8 && memcmp(record, copy, run->record_bytes) == 0,
                   "producer %lu: record %lu is not the written one", p->number, expected + i)) {
            return false;
        }
    }
    return true;
}

/* Reads a snapshot to its end, or at most `runs_max` runs; the sequence number after it. */
static uint64_t read_snapshot(producer *p, uint32_t runs_max, bool *end)
{
    phx_command_run run;
    uint64_t expected = p->next;
    *end = false;
    for (uint32_t runs = 0; runs < runs_max; runs++) {
        if (!phx_command_queue_next(p->queue, &run)) {
            *end = true;
            break;
        }
        if (runs % 2 == 0) join_run(p, &run);
        if (!read_run(p, &run, expected)) {
            exit(check_done("stress_command_queue")); /* all that follows is wrong too */
        }
        expected += run.count;
    }
    return expected;
}

static void tick(producer *p, uint64_t *random)
{
    bool end;
    uint64_t before = atomic_load_explicit(&p->published, memory_order_acquire);
    phx_command_queue_snapshot(p->queue);
    uint64_t next = read_snapshot(p, UINT32_MAX, &end);
    CHECK(next > before, "producer %lu: %lu was published before the snapshot, read up to %lu", p->number, before,
          next - 1);
    if (phx_rng_below(random, 4) == 0) { /* begun again: the same must come, though more was published meanwhile */
        phx_command_queue_rewind(p->queue);
        uint64_t again = read_snapshot(p, UINT32_MAX, &end);
        CHECK(again == next, "producer %lu: read up to %lu, the second time up to %lu", p->number, next, again);
    }
    if (phx_rng_below(random, 8) == 0) { /* not all is used */
        phx_command_queue_rewind(p->queue);
        next = read_snapshot(p, phx_rng_below(random, 5), &end);
    }
    p->released += next - p->next;
    p->next = next;
    phx_command_queue_release(p->queue);
    phx_command_queue_counts counts = phx_command_queue_count(p->queue);
    CHECK(counts.released == p->released, "released %lu, counted %lu", p->released, counts.released);
    CHECK(counts.accepted >= counts.released, "released %lu of %lu", counts.released, counts.accepted);
}

static void run_case(const test_case *run)
{
    producer producers[PRODUCERS_MAX];
    watched_memory memory;
    phx_mem mem;
    uint64_t random = run->seed, ticks = 0, full = 0;
    watched_memory_init(&memory);
    phx_mem_init(&mem, watched_memory_allocator(&memory));
    memset(producers, 0, sizeof(producers));
    atomic_store(&waiting, run->producers);
    for (uint32_t i = 0; i < run->producers; i++) {
        producer *p = &producers[i];
        *p = (producer){.run = run, .number = i, .next = 1};
        p->queue = phx_command_queue_create(&mem, run->blocks * (uint32_t)PHX_COMMAND_QUEUE_BLOCK_BYTES);
        REQUIRE(p->queue != NULL);
        phx_command_queue_start_at(p->queue, UINT32_MAX - phx_rng_below(&random, 64));
    }
    for (uint32_t i = 0; i < run->producers; i++) {
        REQUIRE(pthread_create(&producers[i].thread, NULL, produce, &producers[i]) == 0);
    }
    for (bool more = true; more; ticks++) {
        more = false;
        for (uint32_t i = 0; i < run->producers; i++) {
            tick(&producers[i], &random);
            more |= producers[i].next <= run->commands;
        }
        if (phx_rng_below(&random, 8) == 0) {
            sched_yield();
        }
    }
    for (uint32_t i = 0; i < run->producers; i++) {
        producer *p = &producers[i];
        REQUIRE(pthread_join(p->thread, NULL) == 0);
        tick(p, &random);
        CHECK(p->next == run->commands + 1, "producer %lu: %lu commands came, of %lu", p->number, p->next - 1,
              run->commands);
        full += p->full;
        phx_command_queue_destroy(p->queue);
    }
    CHECK(atomic_load(&memory.blocks) == 0, "memory was not given back");
    printf("%u producers, %u blocks, runs of up to %u: %lu commands each, %lu ticks, full %lu times\n", run->producers,
           run->blocks, run->run_max, run->commands, ticks, full);
}

int main(int argc, char **argv)
{
    const test_case cases[] = {
        {1, 1, 64, 0, 0},    {1, 2, 64, 0, 0},  {1, 3, 1, 0, 0},      {2, 16, 8, 0, 0},
        {4, 4, 10000, 0, 0}, {12, 2, 20, 0, 0}, {3, 1024, 500, 0, 0},
    };
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t commands = option_number(argc, argv, "--commands", test_amount(1000000));
    uint32_t producers = (uint32_t)option_number(argc, argv, "--producers", 0);
    printf("seed %lu\n", seed);
    if (producers > 0) {
        REQUIRE(producers <= PRODUCERS_MAX);
        test_case one = {producers, (uint32_t)option_number(argc, argv, "--blocks", 4), 64, commands, seed};
        run_case(&one);
        return check_done("stress_command_queue");
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_case one = cases[i];
        one.seed = seed + i;
        one.commands = commands / one.producers;
        run_case(&one);
    }
    return check_done("stress_command_queue");
}
