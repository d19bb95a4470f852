/*
 * base/workers.c: every index once, visible writes before and after, hooks, failures.
 * Linked with --wrap=pthread_create, so that the n-th thread can be refused.
 * Many runs under load and TSan are in concurrency/stress_workers.c.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* pthread_getname_np() */
#endif
#include <criterion/criterion.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/workers.h"
#include "support/watched_memory.h"

static watched_memory watched;
static phx_mem mem;
static const ph_task_hooks no_hooks;

static void watch(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
}

static void all_given_back(void)
{
    watched_memory_all_back(&watched);
}

/* ---- the n-th thread can not be made ---- */

static uint32_t threads_made;
static uint32_t threads_good = UINT32_MAX;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument)
{
    if (threads_made == threads_good) {
        return EAGAIN;
    }
    threads_made++;
    return __real_pthread_create(thread, attr, run, argument);
}

/* ---- every index once, and the writes that it sees ---- */

typedef struct tally {
    uint32_t calls[PH_WORKERS_MAX];
    uint64_t results[PH_WORKERS_MAX];
    uint64_t input;
} tally;

static void note(void *context, uint32_t worker)
{
    tally *it = context;

    it->calls[worker]++;
    it->results[worker] = it->input + worker;
}

/* Sums over the values that all workers wrote in the run before: the barrier has to hold for them too. */
static void note_others(void *context, uint32_t worker)
{
    tally *it = context;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < PH_WORKERS_MAX; i++) {
        sum += it->calls[i];
    }
    it->results[worker] = sum;
}

static void many_runs(uint32_t count, ph_task_hooks hooks)
{
    phx_workers *workers = phx_workers_create(&mem, count, hooks);
    tally it = {.input = 0};

    cr_assert_not_null(workers);
    cr_assert_eq(phx_workers_count(workers), count);
    for (uint32_t run = 1; run <= 50; run++) {
        it.input = run * 1000;
        phx_workers_run(workers, note, &it);
        for (uint32_t i = 0; i < PH_WORKERS_MAX; i++) {
            cr_assert_eq(it.calls[i], i < count ? run : 0, "worker %u of %u, run %u", i, count, run);
            cr_assert_eq(it.results[i], i < count ? it.input + i : 0);
        }
        phx_workers_run(workers, note_others, &it);
        for (uint32_t i = 0; i < count; i++) {
            cr_assert_eq(it.results[i], run * count);
        }
    }
    phx_workers_destroy(&mem, workers);
}

Test(workers, every_index_once, .init = watch, .fini = all_given_back)
{
    const uint32_t counts[] = {1, 2, 3, 4, 7, 16, 61, PH_WORKERS_MAX}; /* from below to far above the CPUs */

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        threads_made = 0;
        many_runs(counts[i], no_hooks);
        cr_assert_eq(threads_made, counts[i] - 1, "the caller is a worker: %u threads", threads_made);
    }
}

static void sleep_a_little(void)
{
    usleep(2000);
}

static void dawdle(void *context, uint32_t worker)
{
    if (worker == 1) {
        sleep_a_little();
    }
    note(context, worker);
}

/* Spinning is over long before: threads and caller sleep, and are woken. */
Test(workers, wakes_a_sleeping_worker, .init = watch, .fini = all_given_back)
{
    phx_workers *workers = phx_workers_create(&mem, 2, no_hooks);
    tally it = {.input = 5};

    for (uint32_t run = 1; run <= 20; run++) {
        sleep_a_little();
        phx_workers_run(workers, dawdle, &it);
        cr_assert_eq(it.calls[0], run);
        cr_assert_eq(it.calls[1], run);
    }
    phx_workers_destroy(&mem, workers);
}

/* Woken early once, twice, in vain, and just before the end; where there are more than CPUs, nothing is done. */
Test(workers, workers_woken_early_run_as_others, .init = watch, .fini = all_given_back)
{
    for (uint32_t count = 1; count <= 4; count++) {
        phx_workers *workers = phx_workers_create(&mem, count, no_hooks);
        tally it = {.input = 5};

        for (uint32_t run = 1; run <= 200; run++) {
            if (run % 20 == 0) {
                sleep_a_little();
            }
            for (uint32_t i = 0; i < run % 3; i++) {
                phx_workers_wake_early(workers);
            }
            if (run % 7 == 0) {
                sleep_a_little();
            }
            phx_workers_run(workers, run % 5 == 0 ? dawdle : note, &it);
            for (uint32_t i = 0; i < count; i++) {
                cr_assert_eq(it.calls[i], run);
            }
        }
        phx_workers_wake_early(workers);
        phx_workers_destroy(&mem, workers);
    }
}

Test(workers, never_run_and_null, .init = watch, .fini = all_given_back)
{
    for (uint32_t count = 1; count < 10; count++) {
        phx_workers_destroy(&mem, phx_workers_create(&mem, count, no_hooks));
    }
    phx_workers_destroy(&mem, NULL);
}

/* ---- threads of one's own ---- */

static void look_at_thread(void *context, uint32_t worker)
{
    uint32_t *wrong = context;
    sigset_t blocked;
    char name[32] = "";

    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    pthread_getname_np(pthread_self(), name, sizeof(name));
    if (worker == 0) {
        wrong[0] = (uint32_t)(sigismember(&blocked, SIGUSR1) + sigismember(&blocked, SIGINT));
        return;
    }
    for (int number = 1; number <= 31; number++) {
        if (number != SIGKILL && number != SIGSTOP && sigismember(&blocked, number) != 1) {
            wrong[worker]++;
        }
    }
    if (strncmp(name, "pharos-", 7) != 0) {
        wrong[worker]++;
    }
}

Test(workers, threads_block_signals_and_have_a_name, .init = watch, .fini = all_given_back)
{
    phx_workers *workers = phx_workers_create(&mem, 4, no_hooks);
    uint32_t wrong[4] = {0};

    phx_workers_run(workers, look_at_thread, wrong);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(wrong[i], 0, "worker %u", i);
    }
    phx_workers_destroy(&mem, workers);
}

Test(workers, create_fails_cleanly_without_memory, .init = watch, .fini = all_given_back)
{
    watched_memory_fail_after(&watched, 0);
    cr_assert_null(phx_workers_create(&mem, 4, no_hooks));
    cr_assert_eq(threads_made, 0);
}

static uint32_t threads_now(void)
{
    char line[256];
    uint32_t threads = 0;
    FILE *status = fopen("/proc/self/status", "r");

    while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
        if (strncmp(line, "Threads:", 8) == 0) {
            threads = (uint32_t)strtoul(line + 8, NULL, 10);
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return threads;
}

Test(workers, create_fails_cleanly_without_threads, .init = watch, .fini = all_given_back)
{
    sigset_t before;
    sigset_t after;
    uint32_t threads_before = threads_now();

    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (uint32_t good = 0; good < 7; good++) {
        threads_made = 0;
        threads_good = good;
        cr_assert_null(phx_workers_create(&mem, 8, no_hooks), "%u threads are not 7", good);
        cr_assert_eq(threads_made, good);
        cr_assert_eq(atomic_load(&watched.blocks), 0);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number <= 31; number++) {
        cr_assert_eq(sigismember(&after, number), sigismember(&before, number), "the caller's signals are as before");
    }
    cr_assert_eq(threads_now(), threads_before, "the threads that were made have ended");
    threads_made = 0;
    threads_good = 7;
    many_runs(8, no_hooks);
}

/* The parent's threads are not in a forked child. */
Test(workers, forked_child_runs_alone_and_ends, .init = watch, .fini = all_given_back)
{
    phx_workers *workers = phx_workers_create(&mem, 2, no_hooks);
    tally it = {.input = 9};
    pid_t child;
    int status = -1;

    phx_workers_run(workers, note, &it);
    phx_workers_wake_early(workers);
    child = fork();
    if (child == 0) {
        bool right = true;

        alarm(20); /* a child that hangs ends as well */
        phx_workers_run(workers, note, &it);
        for (uint32_t i = 0; i < 2; i++) {
            right = right && it.calls[i] == 2;
        }
        phx_workers_destroy(&mem, workers);
        _exit(right ? 0 : 1);
    }
    cr_assert_gt(child, 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    phx_workers_run(workers, note, &it);
    cr_assert_eq(it.calls[1], 2);
    phx_workers_destroy(&mem, workers);
}

/* ---- the host's threads ---- */

static void forwards(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    ++*(uint32_t *)user;
    for (uint32_t i = 0; i < count; i++) {
        body(context, i);
    }
}

static void backwards(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    ++*(uint32_t *)user;
    for (uint32_t i = count; i > 0; i--) {
        body(context, i - 1);
    }
}

typedef struct host_call {
    void (*body)(void *context, uint32_t index);
    void *context;
    uint32_t index;
} host_call;

static void *host_thread(void *argument)
{
    host_call *call = argument;

    call->body(call->context, call->index);
    return NULL;
}

static void a_thread_each(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    static pthread_t threads[PH_WORKERS_MAX];
    static host_call calls[PH_WORKERS_MAX];

    ++*(uint32_t *)user;
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = (host_call){body, context, i};
        cr_assert_eq(__real_pthread_create(&threads[i], NULL, host_thread, &calls[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

Test(workers, hooks_do_the_work, .init = watch, .fini = all_given_back)
{
    void (*hooks[])(void *, uint32_t, void (*)(void *, uint32_t), void *) = {forwards, backwards, a_thread_each};

    for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
        for (uint32_t count = 1; count <= 9; count += 4) {
            uint32_t calls = 0;

            many_runs(count, (ph_task_hooks){.parallel_for = hooks[i], .user = &calls});
            cr_assert_eq(calls, 100);
            cr_assert_eq(threads_made, 0, "with hooks the library makes no thread");
        }
    }
}

static void leaves_one_out(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    (void)user;
    for (uint32_t i = 1; i < count; i++) {
        body(context, i);
    }
}

static void does_one_twice(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        body(context, i);
    }
    body(context, count - 1);
}

static void goes_too_far(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    (void)user;
    for (uint32_t i = 0; i <= count; i++) {
        body(context, i);
    }
}

static void run_with(void (*hook)(void *, uint32_t, void (*)(void *, uint32_t), void *))
{
    tally it = {.input = 0};

    phx_workers_run(phx_workers_create(&mem, 4, (ph_task_hooks){.parallel_for = hook}), note, &it);
}

Test(workers, a_hook_that_leaves_one_out_is_stopped, .init = watch, .signal = SIGABRT)
{
    run_with(leaves_one_out);
}

Test(workers, a_hook_that_does_one_twice_is_stopped, .init = watch, .signal = SIGABRT)
{
    run_with(does_one_twice);
}

Test(workers, a_hook_that_goes_too_far_is_stopped, .init = watch, .signal = SIGABRT)
{
    run_with(goes_too_far);
}

/* ---- pieces ---- */

enum { PIECES_MAX = 1000 };

typedef struct shared {
    _Atomic uint32_t times[PIECES_MAX];
    uint32_t worker_of[PIECES_MAX];
    uint32_t order[PIECES_MAX]; /* in which a host that calls one after the other has them done */
    uint32_t done;
    uint32_t input;
} shared;

static void note_piece(void *context, uint32_t worker, uint32_t piece)
{
    shared *it = context;

    if (piece >= PIECES_MAX) {
        abort(); /* other threads can not assert */
    }
    atomic_fetch_add(&it->times[piece], it->input);
    it->worker_of[piece] = worker;
}

static void share_pieces(uint32_t count, uint32_t pieces, ph_task_hooks hooks)
{
    static shared it;
    phx_workers *workers = phx_workers_create(&mem, count, hooks);

    memset(&it, 0, sizeof(it));
    cr_assert_not_null(workers);
    for (it.input = 1; it.input <= 20; it.input++) {
        phx_parallel_for(workers, pieces, note_piece, &it);
        for (uint32_t i = 0; i < PIECES_MAX; i++) {
            uint32_t expected = i < pieces ? it.input * (it.input + 1) / 2 : 0;

            cr_assert_eq(it.times[i], expected, "%u workers, %u pieces, piece %u", count, pieces, i);
            cr_assert_lt(it.worker_of[i], count);
        }
    }
    phx_workers_destroy(&mem, workers);
}

Test(workers, every_piece_once, .init = watch, .fini = all_given_back)
{
    const uint32_t counts[] = {1, 2, 3, 7, 16};
    const uint32_t pieces[] = {0, 1, 2, 3, 5, 16, 17, 100, PIECES_MAX};
    uint32_t calls = 0;

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
            share_pieces(counts[c], pieces[p], no_hooks);
            share_pieces(counts[c], pieces[p], (ph_task_hooks){.parallel_for = a_thread_each, .user = &calls});
        }
    }
}

static void note_order(void *context, uint32_t worker, uint32_t piece)
{
    shared *it = context;

    it->order[it->done++] = piece;
    it->worker_of[piece] = worker;
}

/* One after the other, so the first has to do all: its own lot in order, then the last ones of the fullest. */
Test(workers, own_pieces_first_then_the_last_of_the_fullest, .init = watch, .fini = all_given_back)
{
    const uint32_t expected[] = {0, 1, 2, 9, 5, 8, 4, 7, 3, 6};
    uint32_t calls = 0;
    phx_workers *workers = phx_workers_create(&mem, 3, (ph_task_hooks){.parallel_for = forwards, .user = &calls});
    static shared it;

    it.done = 0;
    phx_parallel_for(workers, 10, note_order, &it);
    cr_assert_eq(it.done, 10);
    for (uint32_t i = 0; i < 10; i++) {
        cr_assert_eq(it.order[i], expected[i], "the %u-th was %u", i, it.order[i]);
        cr_assert_eq(it.worker_of[i], 0);
    }
    phx_workers_destroy(&mem, workers);
}

#ifndef NDEBUG

static phx_workers *nested;

static void run_again(void *context, uint32_t worker)
{
    if (worker == 0) {
        phx_workers_run(nested, note, context);
    }
}

Test(workers, a_run_in_a_run_is_a_bug, .init = watch, .signal = SIGABRT)
{
    tally it = {.input = 0};

    nested = phx_workers_create(&mem, 2, no_hooks);
    phx_workers_run(nested, run_again, &it);
}

Test(workers, no_worker_is_a_bug, .init = watch, .signal = SIGABRT)
{
    (void)phx_workers_create(&mem, 0, no_hooks);
}

#endif
