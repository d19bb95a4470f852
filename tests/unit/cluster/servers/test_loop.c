/*
 * Transport and control store within a process: without faults they keep the contract; with them the promise of each,
 * by seed, and the same again for the same seed; without memory.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/conform.h"
#include "support/check.h"
#include "support/fail_alloc.h"

static fail_alloc allocator;

static void memory_begins(void)
{
    allocator = (fail_alloc){0};
}

static void memory_ends(void)
{
    if (!fail_alloc_clean(&allocator)) abort();
}

TestSuite(loop, .init = memory_begins, .fini = memory_ends);
TestSuite(memory, .init = memory_begins, .fini = memory_ends);

static void step_loop(void *user)
{
    phc_loop_step(user);
}

Test(loop, without_faults_it_is_a_transport)
{
    phc_loop *loop;
    phc_transport a, b;
    cr_assert_eq(phc_loop_create((phc_faults){0}, fail_alloc_hooks(&allocator), &loop), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 1000, &a), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 1000, &b), PH_OK);
    conform_transport(&a, &b, step_loop, loop);
    cr_assert_eq(check_failures(), 0);
    a.close(a.user);
    b.close(b.user);
    phc_loop_destroy(loop);
}

/* Whichever side is cut off: one for each that would have heard it, so none where none listens. */
Test(loop, a_cut_drops_a_message_for_each_listener)
{
    enum { OUT = 0, LISTENERS = 2 };
    phc_loop *loop;
    phc_transport members[1 + LISTENERS];
    phc_transport_state state;
    cr_assert_eq(phc_loop_create((phc_faults){0}, fail_alloc_hooks(&allocator), &loop), PH_OK);
    for (uint32_t i = 0; i <= LISTENERS; i++) cr_assert_eq(phc_loop_join(loop, 2, &members[i]), PH_OK);
    for (uint32_t i = 1; i <= LISTENERS; i++) cr_assert_eq(members[i].listen(members[i].user, PHC_HALO, "a.b"), PH_OK);
    phc_loop_cut(loop, &members[OUT], true, false);
    cr_assert_eq(members[OUT].send(members[OUT].user, PHC_HALO, "a.b", "", 0), PH_OK);
    cr_assert_eq(members[OUT].send(members[OUT].user, PHC_HALO, "a.c", "", 0), PH_OK);
    members[OUT].state(members[OUT].user, &state);
    cr_assert(state.sent == 2 && state.dropped == LISTENERS, "%u dropped", (unsigned)state.dropped);
    for (uint32_t i = 0; i <= LISTENERS; i++) members[i].close(members[i].user);
    phc_loop_destroy(loop);
}

enum { MESSAGES = 20000, LATE_STEPS = 5 };

typedef struct arrivals {
    uint32_t now; /* step, in which a message of that number was sent */
    uint32_t seen[MESSAGES], count, behind, newest, latest;
    uint64_t digest;
} arrivals;

static void note_arrival(void *user, const char *subject, const void *bytes, size_t size)
{
    arrivals *of = user;
    uint32_t number;
    cr_assert_eq(size, sizeof number);
    cr_assert_eq(strcmp(subject, "a.b"), 0);
    memcpy(&number, bytes, size);
    of->seen[number]++;
    of->count++;
    if (number < of->newest) of->behind++;
    else of->newest = number;
    if (of->now - number > of->latest) of->latest = of->now - number;
    of->digest = phx_mix64(of->digest ^ number);
}

/* One message a step. */
static void run_faults(phc_faults faults, arrivals *got)
{
    phc_loop *loop;
    phc_transport a, b;
    memset(got, 0, sizeof *got);
    cr_assert_eq(phc_loop_create(faults, fail_alloc_hooks(&allocator), &loop), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 1000, &a), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 1000, &b), PH_OK);
    cr_assert_eq(b.listen(b.user, PHC_HALO, "a.*"), PH_OK);
    for (uint32_t i = 0; i < MESSAGES + LATE_STEPS + 1; i++) {
        if (i < MESSAGES) cr_assert_eq(a.send(a.user, PHC_HALO, "a.b", &i, sizeof i), PH_OK);
        phc_loop_step(loop);
        got->now = i;
        (void)b.poll(b.user, UINT32_MAX, note_arrival, got);
    }
    a.close(a.user);
    b.close(b.user);
    phc_loop_destroy(loop);
}

static uint32_t count_seen(const arrivals *got, uint32_t times)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MESSAGES; i++) count += got->seen[i] == times;
    return count;
}

Test(loop, faults_come_as_often_as_asked_and_by_seed)
{
    static arrivals got, again, other;
    const phc_faults faults = {.seed = 7, .lost = 100, .doubled = 50, .late = 200, .late_steps = LATE_STEPS};
    run_faults(faults, &got);
    run_faults(faults, &again);
    run_faults((phc_faults){.seed = 8, .lost = 100, .doubled = 50, .late = 200, .late_steps = LATE_STEPS}, &other);
    cr_assert_eq(got.digest, again.digest);
    cr_assert_neq(got.digest, other.digest);
    cr_assert(count_seen(&got, 0) > MESSAGES / 12 && count_seen(&got, 0) < MESSAGES / 8, "%u", count_seen(&got, 0));
    cr_assert(count_seen(&got, 2) > MESSAGES / 30 && count_seen(&got, 2) < MESSAGES / 16, "%u", count_seen(&got, 2));
    cr_assert_eq(count_seen(&got, 0) + count_seen(&got, 1) + count_seen(&got, 2), MESSAGES);
    cr_assert(got.behind > MESSAGES / 20, "%u come behind newer ones", got.behind);
    cr_assert_eq(got.latest, LATE_STEPS);
}

Test(loop, a_cut_is_one_way_and_a_full_queue_loses)
{
    phc_loop *loop;
    phc_transport a, b;
    phc_transport_state state;
    static arrivals got;
    uint32_t number = 1;
    cr_assert_eq(phc_loop_create((phc_faults){0}, fail_alloc_hooks(&allocator), &loop), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 2, &a), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 2, &b), PH_OK);
    cr_assert_eq(a.listen(a.user, PHC_HALO, "a.b"), PH_OK);
    cr_assert_eq(b.listen(b.user, PHC_HALO, "a.b"), PH_OK);
    phc_loop_cut(loop, &a, true, false);
    cr_assert_eq(a.send(a.user, PHC_HALO, "a.b", &number, sizeof number), PH_OK);
    cr_assert_eq(b.send(b.user, PHC_HALO, "a.b", &number, sizeof number), PH_OK);
    cr_assert_eq(b.poll(b.user, 9, note_arrival, &got), 0);
    cr_assert_eq(a.poll(a.user, 9, note_arrival, &got), 0, "not before the next step");
    phc_loop_step(loop);
    cr_assert_eq(a.poll(a.user, 9, note_arrival, &got), 1);
    cr_assert_eq(b.poll(b.user, 9, note_arrival, &got), 0);
    a.state(a.user, &state);
    cr_assert(!state.connected[PHC_HALO] && state.sent == 1 && state.dropped == 1 && state.received == 1);
    phc_loop_cut(loop, &a, false, true);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(a.send(a.user, PHC_HALO, "a.b", &number, sizeof number), PH_OK);
    cr_assert_eq(b.send(b.user, PHC_HALO, "a.b", &number, sizeof number), PH_OK);
    phc_loop_step(loop);
    cr_assert_eq(a.poll(a.user, 9, note_arrival, &got), 0);
    cr_assert_eq(b.poll(b.user, 1, note_arrival, &got), 1);
    cr_assert_eq(b.poll(b.user, 9, note_arrival, &got), 1);
    b.state(b.user, &state);
    cr_assert_eq(state.overrun, 1);
    cr_assert_eq(state.dropped, 1, "its one to a, which was cut off");
    a.close(a.user);
    b.close(b.user);
    phc_loop_destroy(loop);
}

typedef struct answering {
    phc_transport *with;
    uint32_t heard;
} answering;

static void answer_once(void *user, const char *subject, const void *bytes, size_t size)
{
    answering *of = user;
    (void)bytes;
    (void)size;
    if (of->heard++ == 0) cr_assert_eq(of->with->send(of->with->user, PHC_HALO, subject, "y", 1), PH_OK);
}

Test(loop, a_message_that_is_sent_in_the_middle_of_a_poll_comes_later)
{
    phc_loop *loop;
    phc_transport a, b;
    cr_assert_eq(phc_loop_create((phc_faults){0}, fail_alloc_hooks(&allocator), &loop), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 10, &a), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 10, &b), PH_OK);
    cr_assert_eq(b.listen(b.user, PHC_HALO, "x"), PH_OK);
    answering of = {.with = &a};
    cr_assert_eq(a.send(a.user, PHC_HALO, "x", "x", 1), PH_OK);
    phc_loop_step(loop);
    cr_assert_eq(b.poll(b.user, 10, answer_once, &of), 1);
    phc_loop_step(loop);
    cr_assert_eq(b.poll(b.user, 10, answer_once, &of), 1);
    a.close(a.user);
    b.close(b.user);
    phc_loop_destroy(loop);
}

Test(loop, arguments_are_checked_and_memory_may_fail)
{
    const ph_allocator half = {.allocate = fail_alloc_hooks(&allocator).allocate};
    phc_loop *loop;
    phc_transport a, b;
    phc_transport_state state;
    cr_assert_eq(phc_loop_create((phc_faults){.lost = 1001}, (ph_allocator){0}, &loop), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_loop_create((phc_faults){.late = 1}, (ph_allocator){0}, &loop), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_loop_create((phc_faults){0}, (ph_allocator){0}, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_loop_create((phc_faults){.reserved = {0, 1}}, (ph_allocator){0}, &loop), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_loop_create((phc_faults){0}, (ph_allocator){.reserved = {1}}, &loop), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_loop_create((phc_faults){0}, half, &loop), PH_BAD_ARGUMENT);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(phc_loop_create((phc_faults){0}, fail_alloc_hooks(&allocator), &loop), PH_NO_MEMORY);
    cr_assert_eq(phc_loop_create((phc_faults){0}, fail_alloc_hooks(&allocator), &loop), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 0, &a), PH_BAD_ARGUMENT);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(phc_loop_join(loop, 8, &a), PH_NO_MEMORY);
    cr_assert_eq(phc_loop_join(loop, 8, &a), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 8, &b), PH_OK);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(b.listen(b.user, PHC_HALO, "a"), PH_NO_MEMORY);
    cr_assert_eq(b.listen(b.user, PHC_HALO, "a"), PH_OK);
    for (uint32_t n = 1; n <= 2; n++) {
        fail_alloc_order(&allocator, n, false);
        cr_assert_eq(a.send(a.user, PHC_HALO, "a", "x", 1), PH_OK);
    }
    b.state(b.user, &state);
    cr_assert_eq(state.overrun, 2);
    a.close(a.user);
    b.close(b.user);
    phc_loop_destroy(loop);
    phc_loop_destroy(NULL);
}

/* ---- store ---- */

typedef struct timed {
    phc_memory *memory;
    uint64_t now_ns;
} timed;

static void step_memory(void *user)
{
    timed *of = user;
    phc_memory_step(of->memory, of->now_ns += 50000000);
}

static timed begin_memory(phc_faults faults, phc_store *a, phc_store *b)
{
    timed made = {0};
    cr_assert_eq(phc_memory_create(faults, fail_alloc_hooks(&allocator), &made.memory), PH_OK);
    cr_assert_eq(phc_memory_join(made.memory, a), PH_OK);
    cr_assert_eq(phc_memory_join(made.memory, b), PH_OK);
    return made;
}

static void end_memory(timed of, phc_store *a, phc_store *b)
{
    a->close(a->user);
    b->close(b->user);
    phc_memory_destroy(of.memory);
}

Test(memory, without_faults_it_is_a_store)
{
    phc_store a, b;
    timed of = begin_memory((phc_faults){0}, &a, &b);
    conform_store(&a, &b, step_memory, &of);
    conform_race(&a, &b, 500, step_memory, &of);
    conform_lease(&a, &b, step_memory, &of);
    conform_close(&a, &b, step_memory, &of);
    cr_assert_eq(phc_memory_join(of.memory, &a), PH_OK);
    cr_assert_eq(check_failures(), 0);
    end_memory(of, &a, &b);
}

/* A counter of two writers that do not know whether a failed write was done: it never goes back. */
Test(memory, a_failed_write_may_have_been_done)
{
    phc_store members[2];
    timed of =
        begin_memory((phc_faults){.seed = 3, .lost = 200, .late = 300, .late_steps = 4}, &members[0], &members[1]);
    uint64_t written = 0, done_unheard = 0, failed = 0, tag = 0, revision = 0, wins = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        phc_store *member = &members[i % 2];
        const uint64_t value = written + 1;
        cr_assert_eq(member->cas(member->user, ++tag, "counter", revision, &value, sizeof value, 0), PH_OK);
        const conform_answer put = conform_await(member, tag, step_memory, &of);
        wins += put.outcome == PHC_DONE;
        failed += put.outcome == PHC_FAILED;
        conform_answer read = {.outcome = PHC_FAILED};
        while (read.outcome == PHC_FAILED) {
            cr_assert_eq(member->get(member->user, ++tag, "counter"), PH_OK);
            read = conform_await(member, tag, step_memory, &of);
        }
        const uint64_t now = read.count == 1 ? read.value : 0;
        cr_assert(now == written || now == value);
        cr_assert(put.outcome != PHC_DONE || now == value);
        done_unheard += put.outcome == PHC_FAILED && now == value;
        written = now;
        revision = read.count == 1 ? read.last.revision : 0;
    }
    cr_assert_eq(check_failures(), 0);
    cr_assert_eq(written, wins + done_unheard);
    cr_assert(failed > 600 && failed < 1000, "%u", (unsigned)failed);
    cr_assert(done_unheard > failed / 3 && done_unheard < failed * 2 / 3, "%u of %u", (unsigned)done_unheard,
              (unsigned)failed);
    end_memory(of, &members[0], &members[1]);
}

Test(memory, a_member_that_is_cut_off_loses_its_lease)
{
    phc_store a, b;
    uint64_t tag = 0;
    timed of = begin_memory((phc_faults){0}, &a, &b);
    cr_assert_eq(a.lease_open(a.user, ++tag, 1000), PH_OK);
    const uint64_t lease = conform_await(&a, tag, step_memory, &of).lease;
    cr_assert_eq(a.cas(a.user, ++tag, "nodes/1", 0, "x", 1, lease), PH_OK);
    cr_assert_eq(conform_await(&a, tag, step_memory, &of).outcome, PHC_DONE);
    phc_memory_cut(of.memory, &a, true);
    for (uint32_t i = 0; i < 30; i++) {
        cr_assert_eq(a.lease_renew(a.user, ++tag, lease), PH_OK);
        cr_assert_eq(conform_await(&a, tag, step_memory, &of).outcome, PHC_FAILED);
    }
    phc_memory_cut(of.memory, &a, false);
    cr_assert_eq(a.lease_renew(a.user, ++tag, lease), PH_OK);
    cr_assert_eq(conform_await(&a, tag, step_memory, &of).outcome, PHC_GONE);
    cr_assert_eq(b.list(b.user, ++tag, "nodes/"), PH_OK);
    cr_assert_eq(conform_await(&b, tag, step_memory, &of).count, 0);
    end_memory(of, &a, &b);
}

Test(memory, requests_are_bounded_and_memory_may_fail)
{
    phc_store a, b;
    phc_memory *memory;
    phc_store_state state;
    uint64_t tag = 0;
    const ph_allocator half = {.allocate = fail_alloc_hooks(&allocator).allocate};
    cr_assert_eq(phc_memory_create((phc_faults){.doubled = 1}, (ph_allocator){0}, &memory), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_memory_create((phc_faults){.reserved = {1}}, (ph_allocator){0}, &memory), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_memory_create((phc_faults){0}, half, &memory), PH_BAD_ARGUMENT);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(phc_memory_create((phc_faults){0}, fail_alloc_hooks(&allocator), &memory), PH_NO_MEMORY);
    timed of = begin_memory((phc_faults){0}, &a, &b);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(phc_memory_join(of.memory, &b), PH_NO_MEMORY);
    for (uint32_t n = 1; n <= 3; n++) { /* the request's value, the key's value, the keys */
        fail_alloc_order(&allocator, n, false);
        const ph_status status = a.cas(a.user, ++tag, "k", 0, "v", 1, 0);
        cr_assert_eq(status, n == 1 ? PH_NO_MEMORY : PH_OK);
        if (n > 1) cr_assert_eq(conform_await(&a, tag, step_memory, &of).outcome, PHC_FAILED);
    }
    cr_assert_eq(a.cas(a.user, ++tag, "k", 0, "v", 1, 0), PH_OK);
    cr_assert_eq(conform_await(&a, tag, step_memory, &of).outcome, PHC_DONE);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(a.get(a.user, ++tag, "k"), PH_OK);
    cr_assert_eq(conform_await(&a, tag, step_memory, &of).outcome, PHC_FAILED);
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(a.lease_open(a.user, ++tag, 1000), PH_OK);
    cr_assert_eq(conform_await(&a, tag, step_memory, &of).outcome, PHC_FAILED);
    a.state(a.user, &state);
    cr_assert(state.attempts == 5 && state.failed == 4, "%u of %u failed", (unsigned)state.failed,
              (unsigned)state.attempts);
    uint32_t taken = 0;
    while (a.get(a.user, ++tag, "k") == PH_OK) taken++;
    cr_assert_eq(taken, 64);
    cr_assert_eq(a.cas(a.user, ++tag, "k", 0, "v", 1, 0), PH_FULL);
    step_memory(&of); /* answers that are not taken */
    end_memory(of, &a, &b);
    phc_memory_destroy(NULL);
}
