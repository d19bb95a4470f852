/*
 * Batches under threads: one thread ticks a toy world (support/model_lists) and offers every
 * tick's changes; consumer threads, one after the other, take them, keep some for a while,
 * return them in any order, are slow, stop altogether, close and leave the rest to the
 * next. Every batch is checked against the earlier ones. It must hold: no event is lost
 * or doubled, ticks come in order, never more than the bound are out, no write goes to a batch that
 * is taken, and at the end the client's copies equal the world's lists.
 *
 *   stress_consumer [--seed N] [--ticks N] [--bound N]
 *
 * Without options it runs a table of cases.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/model_lists.h"
#include "support/watched_memory.h"
#include "world/batch/consumer_queue.h"

enum { KEPT_MAX = 64, CONSUMER_THREADS = 4 };

typedef struct test_case {
    uint32_t bound;
    uint32_t observers;
    uint32_t targets;
    uint32_t churn; /* of 1000 list entries in a tick */
    uint32_t naps;  /* of 1000 takes: how often the consumer sleeps */
    uint32_t ticks;
    uint64_t seed;
} test_case;

typedef struct stage {
    const test_case *run;
    phx_consumer *consumer;
    toy_client client;
    uint64_t random;
    _Atomic uint32_t begun; /* the tick under way, or the last one */
    _Atomic uint32_t done;  /* the last tick that ended, doubled, + 1 when something was pending then */
    uint32_t to;            /* the last tick of this consumer thread's shift */
} stage;

/* A batch that is kept, and a sum of its content. */
typedef struct kept_batch {
    const ph_batch *batch;
    uint64_t sum;
} kept_batch;

static uint64_t sum_of(const ph_batch *batch)
{
    uint64_t sum = phx_mix64(batch->tick) + batch->change_count;
    for (uint32_t i = 0; i < batch->change_count; i++) {
        sum = phx_mix64(sum + batch->changes[i].observer + batch->changes[i].first);
    }
    for (uint32_t i = 0; i < batch->target_count; i++) {
        sum = phx_mix64(sum + batch->targets[i].id + batch->targets[i].user_data + batch->kinds[i]);
    }
    return sum;
}

static void give_back(stage *s, kept_batch *kept, uint32_t *count, uint32_t which)
{
    CHECK(sum_of(kept[which].batch) == kept[which].sum, "tick %lu: the batch changed while it was taken",
          kept[which].batch->tick);
    CHECK(phx_consumer_return(s->consumer, kept[which].batch), "a taken batch was not taken back");
    kept[which] = kept[--*count];
}

/* Sleeps for up to 2 ms, so that the ticking thread runs into the bound; nothing waits for it. */
static void nap(stage *s)
{
    struct timespec length = {0, 1 + (long)phx_rng_below(&s->random, 2000000)};
    nanosleep(&length, NULL);
}

/*
 * The next batch. When there is none, the status has to tell whether something is pending: as at the end of the last
 * tick, unless another one has begun meanwhile. `last`: no more ticks are to come.
 */
static const ph_batch *take_one(stage *s, bool *last)
{
    uint32_t done = atomic_load_explicit(&s->done, memory_order_acquire);
    bool pending = phx_consumer_pending(s->consumer);
    const ph_batch *batch = phx_consumer_take(s->consumer);
    bool same = atomic_load_explicit(&s->begun, memory_order_relaxed) == done / 2; /* the status came behind it */
    CHECK(batch != NULL || !same || pending == (done % 2 != 0), "behind tick %u: %s is pending", done / 2,
          pending ? "something" : "nothing");
    *last = done / 2 >= s->to;
    return batch;
}

static void *consume(void *context)
{
    stage *s = context;
    kept_batch kept[KEPT_MAX];
    uint32_t count = 0;
    uint32_t keep_max = 1 + phx_rng_below(&s->random, s->run->bound < KEPT_MAX ? s->run->bound : KEPT_MAX);
    for (;;) {
        bool last;
        const ph_batch *batch = take_one(s, &last);
        if (batch != NULL) {
            const char *wrong = toy_client_play(&s->client, batch);
            if (!CHECK(wrong == NULL, "tick %lu to %lu: %s", batch->tick_first, batch->tick, wrong)) {
                exit(check_done("stress_consumer")); /* all that follows is wrong too */
            }
            kept[count++] = (kept_batch){batch, sum_of(batch)};
        } else if (last) {
            break;
        } else {
            sched_yield();
        }
        while (count >= keep_max || (count > 0 && phx_rng_below(&s->random, 4) == 0)) {
            give_back(s, kept, &count, phx_rng_below(&s->random, count));
        }
        if (phx_rng_below(&s->random, 1000) < s->run->naps) {
            nap(s);
        }
    }
    CHECK(phx_consumer_close(s->consumer) == count, "%u were kept, other many closed", count);
    return NULL;
}

static uint64_t tick(stage *s, toy_world *world, uint64_t number)
{
    uint32_t changes, targets;
    toy_world_step(world, s->run->churn);
    for (uint32_t o = 0; o < world->observers; o++) {
        if (world->discarded[o]) {
            phx_consumer_drop_observer(s->consumer, toy_observer_id(o));
        }
    }
    toy_world_changes(world, &changes, &targets);
    phx_batch *batch = NULL;
    if (changes > 0) {
        batch = phx_consumer_begin(s->consumer, changes, targets);
        REQUIRE(batch != NULL);
        toy_world_fill(world, batch);
    }
    atomic_store_explicit(&s->begun, (uint32_t)number, memory_order_relaxed); /* the offer's releases are behind it */
    REQUIRE(phx_consumer_offer(s->consumer, batch, number));
    phx_consumer_counts counts = phx_consumer_count(s->consumer);
    CHECK(counts.out <= s->run->bound, "more than the bound are out");
    CHECK(!counts.is_pending || counts.out == s->run->bound, "tick %lu: pending, with room", number);
    atomic_store_explicit(&s->done, (uint32_t)number * 2 + counts.is_pending, memory_order_release);
    return targets;
}

/* All that is still on its way, when no thread is left. */
static void play_the_rest(stage *s, uint64_t number)
{
    for (uint32_t i = 0; i < 2; i++) { /* once for waiting batches, once for the net difference */
        for (const ph_batch *b = phx_consumer_take(s->consumer); b != NULL; b = phx_consumer_take(s->consumer)) {
            const char *wrong = toy_client_play(&s->client, b);
            CHECK(wrong == NULL, "at the end: %s", wrong);
            CHECK(phx_consumer_return(s->consumer, b), "a taken batch was not taken back");
        }
        CHECK(i == 0 || !phx_consumer_pending(s->consumer), "pending without end");
        REQUIRE(phx_consumer_offer(s->consumer, NULL, number + i));
    }
    CHECK(phx_consumer_take(s->consumer) == NULL, "batches without end");
}

static void check_counts(const stage *s, uint64_t events)
{
    phx_consumer_counts counts = phx_consumer_count(s->consumer);
    uint64_t told = s->client.enters + s->client.leaves;
    CHECK(counts.batches == s->client.batches, "%lu batches handed over, %lu came", counts.batches, s->client.batches);
    CHECK(counts.events == told, "%lu events handed over, %lu came", counts.events, told);
    CHECK(events == counts.events + counts.cancelled + counts.discarded,
          "%lu events made, %lu handed over, %lu cancelled, %lu forgotten", events, counts.events, counts.cancelled,
          counts.discarded);
    CHECK(counts.out == 0 && counts.pending == 0, "%u out, %lu pending at the end", counts.out, counts.pending);
    printf("bound %u, %u x %u: %u ticks, %lu coalesced, %lu batches, %lu of %lu events told\n", s->run->bound,
           s->run->observers, s->run->targets, s->run->ticks, counts.coalesced_ticks, counts.batches, told, events);
}

static void run_case(const test_case *run)
{
    watched_memory memory;
    phx_mem mem;
    toy_world world;
    stage s = {.run = run, .random = run->seed};
    uint64_t number = 1, events = 0;
    watched_memory_init(&memory);
    phx_mem_init(&mem, watched_memory_allocator(&memory));
    toy_world_create(&world, run->observers, run->targets, run->seed);
    toy_client_create(&s.client, &world);
    s.consumer = phx_consumer_create(&mem, run->bound, 1 << 20, NULL);
    REQUIRE(s.consumer != NULL);
    phx_consumer_start_at(s.consumer, UINT32_MAX - phx_rng_below(&s.random, 100));
    for (uint32_t shift = 0; shift < CONSUMER_THREADS; shift++) {
        pthread_t thread;
        s.to = run->ticks / CONSUMER_THREADS * (shift + 1);
        REQUIRE(pthread_create(&thread, NULL, consume, &s) == 0);
        for (; number <= s.to; number++) {
            events += tick(&s, &world, number);
        }
        REQUIRE(pthread_join(thread, NULL) == 0);
        for (uint32_t alone = 0; alone < run->bound + 3; alone++, number++) { /* no thread takes */
            events += tick(&s, &world, number);
        }
    }
    play_the_rest(&s, number);
    const char *differs = toy_client_compare(&s.client, &world);
    CHECK(differs == NULL, "the client does not know the world: %s", differs);
    check_counts(&s, events);
    phx_consumer_destroy(s.consumer);
    toy_client_destroy(&s.client);
    toy_world_destroy(&world);
    CHECK(atomic_load(&memory.blocks) == 0, "memory was not given back");
}

int main(int argc, char **argv)
{
    const test_case cases[] = {
        {1, 4, 20, 100, 0, 0, 0},   {1, 8, 40, 30, 20, 0, 0},  {2, 8, 40, 100, 5, 0, 0},    {64, 8, 40, 100, 0, 0, 0},
        {64, 8, 40, 100, 40, 0, 0}, {8, 30, 100, 20, 3, 0, 0}, {1000, 2, 10, 300, 1, 0, 0},
    };
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint32_t ticks = (uint32_t)option_number(argc, argv, "--ticks", test_amount(20000));
    uint32_t bound = (uint32_t)option_number(argc, argv, "--bound", 0);
    printf("seed %lu\n", seed);
    if (bound > 0) {
        test_case one = {bound, 8, 40, 100, 10, ticks, seed};
        run_case(&one);
        return check_done("stress_consumer");
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_case one = cases[i];
        one.seed = seed + i;
        one.ticks = ticks;
        run_case(&one);
    }
    return check_done("stress_consumer");
}
