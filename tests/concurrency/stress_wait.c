/*
 * Threads that wait for batches: ph_world_def.batches writes to an eventfd, consumer threads sleep in epoll_wait()
 * without a time limit. A wake-up that is lost leaves a thread asleep for ever, and the test runs into its time limit.
 * First one thread alone, where each call of the hook is counted.
 *
 *   stress_wait [--seed N] [--ticks N]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"

enum { CONSUMERS = 3, TARGETS = 8 };

typedef struct waiter {
    int event, poll;
    ph_consumer consumer;
    _Atomic uint64_t offered; /* calls of the hook */
    uint64_t batches;         /* taken */
    uint64_t tick;            /* of the last batch */
    uint64_t naps;
} waiter;

typedef struct scene {
    ph_world world;
    ph_producer producer;
    waiter waiters[CONSUMERS];
    _Atomic uint64_t last; /* the tick that ends the test; 0 = not known yet */
} scene;

static void wake_waiter(void *user, uint32_t consumer)
{
    scene *s = user;
    const uint64_t one = 1;
    REQUIRE(consumer < CONSUMERS);
    atomic_fetch_add_explicit(&s->waiters[consumer].offered, 1, memory_order_relaxed);
    REQUIRE(write(s->waiters[consumer].event, &one, sizeof one) == sizeof one);
}

static void open_waiter(scene *s, uint32_t index)
{
    waiter *w = &s->waiters[index];
    struct epoll_event wanted = {.events = EPOLLIN};
    w->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    w->poll = epoll_create1(EPOLL_CLOEXEC);
    REQUIRE(w->event >= 0 && w->poll >= 0 && epoll_ctl(w->poll, EPOLL_CTL_ADD, w->event, &wanted) == 0);
    CHECK_OK(ph_consumer_open(s->world, index, &w->consumer));
}

/* An observer for each consumer, and targets around it. */
static scene *scene_make(uint32_t batches)
{
    scene *s = check_zalloc(sizeof *s);
    ph_world_def def = ph_world_def_default();
    def.consumers = CONSUMERS;
    def.consumer_batches = batches;
    def.batches = (ph_batch_hook){.offered = wake_waiter, .user = s};
    REQUIRE(ph_world_create(&def, &s->world) == PH_OK && ph_producer_open(s->world, &s->producer) == PH_OK);
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        ph_attrs observer = {.given = PH_X | PH_Y | PH_VIEW | PH_CONSUMER, .x = 1000, .y = 1000, .view = 50};
        observer.x *= (float)(i + 1);
        observer.consumer = i;
        open_waiter(s, i);
        CHECK_OK(ph_enter(s->producer, i + 1, &observer));
        for (uint32_t j = 0; j < TARGETS; j++) {
            const ph_attrs target = {.given = PH_X | PH_Y, .x = observer.x, .y = 1000};
            CHECK_OK(ph_enter(s->producer, 100 * (i + 1) + j, &target));
        }
    }
    return s;
}

static void scene_free(scene *s)
{
    CHECK_OK(ph_world_destroy(s->world));
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        close(s->waiters[i].event);
        close(s->waiters[i].poll);
    }
    free(s);
}

/* The calls that the eventfd has counted since the last read; 0 if epoll does not find it ready. */
static uint64_t take_calls(const waiter *w, int timeout_ms)
{
    struct epoll_event ready;
    uint64_t calls = 0;
    if (epoll_wait(w->poll, &ready, 1, timeout_ms) != 1) return 0;
    REQUIRE(read(w->event, &calls, sizeof calls) == sizeof calls && calls > 0);
    return calls;
}

static ph_status take_batches(waiter *w)
{
    const ph_batch *batch;
    ph_status status;
    while ((status = ph_batch_take(w->consumer, &batch)) == PH_OK) {
        CHECK(batch->tick > w->tick && batch->change_count == 1, "tick %" PRIu64 " behind %" PRIu64, batch->tick,
              w->tick);
        w->tick = batch->tick;
        w->batches++;
        CHECK_OK(ph_batch_return(w->consumer, batch));
    }
    return status;
}

/* Target j of a consumer's observer goes out of its view, or comes back. */
static void send_target(scene *s, uint32_t index, uint32_t j, bool away)
{
    CHECK_OK(ph_move(s->producer, 100 * (index + 1) + j, 1000.0f * (float)(index + 1), away ? 2000 : 1000, 0));
}

/* ---- one thread ---- */

static void each_batch_is_one_call(void)
{
    scene *s = scene_make(4);
    for (uint32_t i = 0; i < CONSUMERS; i++) CHECK(take_calls(&s->waiters[i], 0) == 0, "no tick yet");
    CHECK_OK(ph_tick(s->world, NULL));
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        CHECK(take_calls(&s->waiters[i], 0) == 1, "the first lists");
        CHECK(take_batches(&s->waiters[i]) == PH_EMPTY && s->waiters[i].batches == 1, "one batch");
    }
    CHECK_OK(ph_tick(s->world, NULL));
    for (uint32_t i = 0; i < CONSUMERS; i++) CHECK(take_calls(&s->waiters[i], 0) == 0, "a tick of nothing");
    for (uint32_t tick = 0; tick < 3; tick++) {
        send_target(s, 1, tick, true);
        CHECK_OK(ph_tick(s->world, NULL));
    }
    CHECK(take_calls(&s->waiters[0], 0) == 0 && take_calls(&s->waiters[2], 0) == 0, "of another consumer");
    CHECK(take_calls(&s->waiters[1], 0) == 3, "three batches");
    CHECK(take_batches(&s->waiters[1]) == PH_EMPTY && s->waiters[1].batches == 4, "three more");
    scene_free(s);
}

/* While the bound is reached nothing is offered and nothing calls; the net difference is one batch, and one call. */
static void net_difference_is_one_call(void)
{
    scene *s = scene_make(1);
    waiter *w = &s->waiters[0];
    const ph_batch *held;
    CHECK_OK(ph_tick(s->world, NULL));
    CHECK(take_calls(w, 0) == 1, "the first list");
    CHECK_OK(ph_batch_take(w->consumer, &held));
    for (uint32_t tick = 0; tick < 3; tick++) {
        send_target(s, 0, tick, true);
        CHECK_OK(ph_tick(s->world, NULL));
    }
    CHECK(take_calls(w, 0) == 0, "behind the bound");
    CHECK(take_batches(w) == PH_PENDING, "pending");
    CHECK_OK(ph_batch_return(w->consumer, held));
    CHECK(take_calls(w, 0) == 0 && take_batches(w) == PH_PENDING, "a return offers nothing: a tick does");
    CHECK_OK(ph_tick(s->world, NULL));
    CHECK(take_calls(w, 0) == 1 && take_batches(w) == PH_EMPTY && w->batches == 1, "the net difference");
    scene_free(s);
}

/* ---- threads ---- */

typedef struct consumer_job {
    scene *s;
    uint32_t index;
} consumer_job;

static void *wait_and_take(void *argument)
{
    const consumer_job *job = argument;
    waiter *w = &job->s->waiters[job->index];
    for (;;) {
        ph_status status = take_batches(w);
        CHECK(status == PH_EMPTY, "%s", ph_status_name(status));
        uint64_t last = atomic_load_explicit(&job->s->last, memory_order_acquire);
        if (last != 0 && w->tick == last) return NULL;
        w->naps++;
        (void)take_calls(w, -1);
    }
}

static void no_wake_up_is_lost(uint64_t seed, uint64_t ticks)
{
    scene *s = scene_make(65536);
    pthread_t threads[CONSUMERS];
    consumer_job jobs[CONSUMERS];
    bool away[CONSUMERS][TARGETS] = {{false}};
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        jobs[i] = (consumer_job){s, i};
        REQUIRE(pthread_create(&threads[i], NULL, wait_and_take, &jobs[i]) == 0);
    }
    for (uint64_t tick = 1; tick < ticks; tick++) {
        for (uint32_t i = 0; i < CONSUMERS; i++) {
            uint32_t j = phx_rng_below(&seed, TARGETS);
            if (phx_rng_below(&seed, 2) == 0) continue;
            away[i][j] = !away[i][j];
            send_target(s, i, j, away[i][j]);
        }
        CHECK_OK(ph_tick(s->world, NULL));
    }
    for (uint32_t i = 0; i < CONSUMERS; i++) CHECK_OK(ph_resend(s->producer, i + 1));
    atomic_store_explicit(&s->last, ticks, memory_order_release); /* before its batches are there */
    CHECK_OK(ph_tick(s->world, NULL));
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        const waiter *w = &s->waiters[i];
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        CHECK(w->batches == atomic_load_explicit(&w->offered, memory_order_relaxed), "%" PRIu64 " batches", w->batches);
        CHECK(w->batches > ticks / 4, "consumer %" PRIu32 " had %" PRIu64 " batches", i, w->batches);
    }
    scene_free(s);
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 28);
    each_batch_is_one_call();
    net_difference_is_one_call();
    no_wake_up_is_lost(seed, option_number(argc, argv, "--ticks", 4000));
    return check_done("stress_wait");
}
