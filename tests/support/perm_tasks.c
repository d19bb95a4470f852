/*
 * Permuted and stalled task hooks; see perm_tasks.h.
 */
#include "support/perm_tasks.h"

#include <pthread.h>
#include <time.h>

#include "base/rng.h"
#include "support/check.h"

enum { STALL_ONE_IN = 4, STALL_NS_MAX = 100000 };

static void shuffle(uint64_t *rng, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = phx_rng_below(rng, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

static void serial(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    perm_tasks *tasks = user;
    uint32_t order[PH_WORKERS_MAX];
    REQUIRE(count <= PH_WORKERS_MAX);
    tasks->calls++;
    shuffle(&tasks->rng, order, count);
    for (uint32_t i = 0; i < count; i++) {
        body(context, order[i]);
    }
}

typedef struct threaded_body {
    pthread_t thread;
    void (*body)(void *context, uint32_t index);
    void *context;
    uint32_t index;
    long stall_ns;
} threaded_body;

static void *run_body(void *user)
{
    threaded_body *b = user;
    const struct timespec stall = {0, b->stall_ns};
    if (b->stall_ns != 0) {
        (void)nanosleep(&stall, NULL);
    }
    b->body(b->context, b->index);
    return NULL;
}

static void threads(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    perm_tasks *tasks = user;
    threaded_body bodies[PH_WORKERS_MAX];
    REQUIRE(count <= PH_WORKERS_MAX);
    tasks->calls++;
    for (uint32_t i = 0; i < count; i++) {
        bool stalled = phx_rng_below(&tasks->rng, STALL_ONE_IN) == 0;
        long stall_ns = stalled ? (long)phx_rng_below(&tasks->rng, STALL_NS_MAX) : 0;
        bodies[i] = (threaded_body){.body = body, .context = context, .index = i, .stall_ns = stall_ns};
        REQUIRE(pthread_create(&bodies[i].thread, NULL, run_body, &bodies[i]) == 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(pthread_join(bodies[i].thread, NULL) == 0);
    }
}

ph_task_hooks perm_tasks_serial(perm_tasks *tasks)
{
    ph_task_hooks hooks = {.parallel_for = serial, .user = tasks};
    return hooks;
}

ph_task_hooks perm_tasks_threads(perm_tasks *tasks)
{
    ph_task_hooks hooks = {.parallel_for = threads, .user = tasks};
    return hooks;
}
