/*
 * base/ring.c between threads: a ring per (producer, consumer), more threads than CPUs,
 * counters that pass 2^32 on the way. Every message carries sender, receiver and its
 * number; loss, doubling and disorder all show as a wrong number. Messages are malloc'ed
 * by the one side and freed by the other, so that TSan and ASan see every slip.
 *
 * stress_ring [--seed N] [--messages N]
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ring.h"
#include "base/rng.h"
#include "support/check.h"

enum { SIDE_MAX = 8, MAGIC = 0x52494e47, MAGIC_FREED = 0x44454144 };

typedef struct message {
    uint32_t magic;
    uint32_t producer;
    uint32_t consumer;
    bool last; /* number is then how many came before */
    uint64_t number;
    uint64_t sum;
} message;

typedef struct mesh {
    phx_ring *rings[SIDE_MAX][SIDE_MAX]; /* [producer][consumer] */
    uint32_t producers;
    uint32_t consumers;
    uint64_t messages; /* per producer */
    uint64_t seed;
    pthread_barrier_t start;
} mesh;

typedef struct side {
    mesh *of;
    uint32_t index;
    uint64_t refused; /* full, or empty */
    uint64_t passed;
} side;

static uint64_t message_sum(const message *it)
{
    return phx_mix64(it->number ^ ((uint64_t)it->producer << 40) ^ ((uint64_t)it->consumer << 50) ^ it->last);
}

static void send(side *from, uint32_t consumer, uint64_t number, bool last)
{
    message *it = malloc(sizeof(*it));

    REQUIRE(it != NULL);
    *it = (message){MAGIC, from->index, consumer, last, number, 0};
    it->sum = message_sum(it);
    while (!phx_ring_put(from->of->rings[from->index][consumer], it)) {
        from->refused++;
        sched_yield();
    }
    from->passed++;
}

static void *produce(void *argument)
{
    side *self = argument;
    mesh *of = self->of;
    uint64_t sent[SIDE_MAX] = {0};
    uint64_t rng = phx_mix64(of->seed + self->index);

    pthread_barrier_wait(&of->start);
    for (uint64_t i = 0; i < of->messages; i++) {
        uint32_t consumer = phx_rng_below(&rng, of->consumers);

        send(self, consumer, sent[consumer]++, false);
    }
    for (uint32_t consumer = 0; consumer < of->consumers; consumer++) {
        send(self, consumer, sent[consumer], true);
    }
    return NULL;
}

/* true = it was the lane's last. */
static bool receive(side *self, uint32_t producer, message *it, uint64_t *expected)
{
    bool last = it->last;

    CHECK(it->magic == MAGIC, "magic %" PRIx32 ", seed %" PRIu64, it->magic, self->of->seed);
    CHECK(it->sum == message_sum(it), "message torn, seed %" PRIu64, self->of->seed);
    CHECK(it->producer == producer && it->consumer == self->index, "lane %u-%u brought %u-%u", producer, self->index,
          it->producer, it->consumer);
    CHECK(it->number == *expected, "lane %u-%u: number %" PRIu64 " in place of %" PRIu64 ", seed %" PRIu64, producer,
          self->index, it->number, *expected, self->of->seed);
    *expected = it->number + 1;
    self->passed++;
    it->magic = MAGIC_FREED;
    free(it);
    return last;
}

static void *consume(void *argument)
{
    side *self = argument;
    mesh *of = self->of;
    uint64_t expected[SIDE_MAX] = {0};
    bool ended[SIDE_MAX] = {false};
    uint32_t open = of->producers;

    pthread_barrier_wait(&of->start);
    for (uint32_t producer = 0; open > 0; producer = (producer + 1) % of->producers) {
        phx_ring *ring = of->rings[producer][self->index];
        message *it = ended[producer] ? NULL : phx_ring_take(ring);

        if (it == NULL) {
            self->refused++;
            sched_yield();
            continue;
        }
        if (receive(self, producer, it, &expected[producer])) {
            ended[producer] = true;
            open--;
        }
    }
    return NULL;
}

static void make_rings(mesh *of, phx_mem *mem, uint32_t capacity)
{
    uint64_t rng = of->seed;

    for (uint32_t p = 0; p < of->producers; p++) {
        for (uint32_t c = 0; c < of->consumers; c++) {
            of->rings[p][c] = phx_ring_create(mem, capacity);
            REQUIRE(of->rings[p][c] != NULL);
            phx_ring_start_at(of->rings[p][c], 0xfffffff0u - phx_rng_below(&rng, 64));
        }
    }
}

static void check_empty(mesh *of, phx_mem *mem)
{
    for (uint32_t p = 0; p < of->producers; p++) {
        for (uint32_t c = 0; c < of->consumers; c++) {
            CHECK(phx_ring_count(of->rings[p][c]) == 0, "ring %u-%u holds something after the last", p, c);
            CHECK(phx_ring_take(of->rings[p][c]) == NULL, "ring %u-%u gives something after the last", p, c);
            phx_ring_destroy(mem, of->rings[p][c]);
        }
    }
    CHECK(atomic_load(&mem->bytes) == 0, "memory is held");
}

/* Any thread may look at the count, whatever the two sides do. */
static void watch_counts(const mesh *of)
{
    for (uint32_t i = 0; i < 1000; i++) {
        const phx_ring *ring = of->rings[i % of->producers][i % of->consumers];

        CHECK(phx_ring_count(ring) <= phx_ring_capacity(ring), "more inside than there is room for");
    }
}

static void run_mesh(uint32_t producers, uint32_t consumers, uint32_t capacity, uint64_t messages, uint64_t seed)
{
    mesh of = {.producers = producers, .consumers = consumers, .messages = messages, .seed = seed};
    side makers[SIDE_MAX];
    side takers[SIDE_MAX];
    pthread_t threads[2 * SIDE_MAX];
    uint64_t full = 0;
    uint64_t empty = 0;
    uint64_t received = 0;
    phx_mem mem;

    phx_mem_init(&mem, phx_allocator_libc());
    make_rings(&of, &mem, capacity);
    REQUIRE(pthread_barrier_init(&of.start, NULL, producers + consumers) == 0);
    for (uint32_t i = 0; i < producers; i++) {
        makers[i] = (side){.of = &of, .index = i};
        REQUIRE(pthread_create(&threads[i], NULL, produce, &makers[i]) == 0);
    }
    for (uint32_t i = 0; i < consumers; i++) {
        takers[i] = (side){.of = &of, .index = i};
        REQUIRE(pthread_create(&threads[producers + i], NULL, consume, &takers[i]) == 0);
    }
    watch_counts(&of);
    for (uint32_t i = 0; i < producers + consumers; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    for (uint32_t i = 0; i < producers; i++) {
        full += makers[i].refused;
    }
    for (uint32_t i = 0; i < consumers; i++) {
        empty += takers[i].refused;
        received += takers[i].passed;
    }
    CHECK(received == producers * (messages + consumers), "%" PRIu64 " received, seed %" PRIu64, received, seed);
    check_empty(&of, &mem);
    pthread_barrier_destroy(&of.start);
    printf("%u x %u, capacity %u: %" PRIu64 " messages, %" PRIu64 " times full, %" PRIu64 " times empty\n", producers,
           consumers, capacity, received, full, empty);
}

/* ---- one side goes from thread to thread, each time with a join between ---- */

enum { RELAYS = 50, RELAY_MESSAGES = 7 };

typedef struct relay {
    phx_ring *ring;
    uint64_t next;
} relay;

static void *put_some(void *argument)
{
    relay *it = argument;

    for (uint32_t i = 0; i < RELAY_MESSAGES; i++) {
        message *one = malloc(sizeof(*one));

        REQUIRE(one != NULL);
        *one = (message){.magic = MAGIC, .number = it->next++};
        REQUIRE(phx_ring_put(it->ring, one));
    }
    return NULL;
}

static void *take_some(void *argument)
{
    relay *it = argument;

    for (uint32_t i = 0; i < RELAY_MESSAGES; i++) {
        message *one = phx_ring_take(it->ring);

        REQUIRE(one != NULL);
        CHECK(one->number == it->next, "number %" PRIu64 " in place of %" PRIu64, one->number, it->next);
        it->next++;
        free(one);
    }
    return NULL;
}

static void run_relay(void)
{
    phx_mem mem;
    relay in = {NULL, 0};
    relay out = {NULL, 0};

    phx_mem_init(&mem, phx_allocator_libc());
    in.ring = phx_ring_create(&mem, 2 * RELAY_MESSAGES);
    out.ring = in.ring;
    REQUIRE(in.ring != NULL);
    phx_ring_start_at(in.ring, 0u - 100);
    put_some(&in);
    for (uint32_t i = 0; i < RELAYS; i++) {
        pthread_t putter;
        pthread_t taker;

        REQUIRE(pthread_create(&putter, NULL, put_some, &in) == 0);
        REQUIRE(pthread_create(&taker, NULL, take_some, &out) == 0);
        REQUIRE(pthread_join(putter, NULL) == 0);
        REQUIRE(pthread_join(taker, NULL) == 0);
    }
    take_some(&out);
    CHECK(phx_ring_take(in.ring) == NULL, "something is left");
    phx_ring_destroy(&mem, in.ring);
}

int main(int argc, char **argv)
{
    static const uint32_t capacities[] = {1, 3, 7, 255};
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t messages = option_number(argc, argv, "--messages", test_amount(20000));

    for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
        run_mesh(1, 1, capacities[i], messages, seed + i);
        run_mesh(3, 3, capacities[i], messages / 3 + 1, seed + i);
        run_mesh(SIDE_MAX, 2, capacities[i], messages / SIDE_MAX + 1, seed + i);
        run_mesh(1, SIDE_MAX, capacities[i], messages, seed + i);
    }
    run_relay();
    return check_done("stress_ring");
}
