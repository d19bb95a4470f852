/*
 * Refusals between two threads: the ticking one puts, and counts a full queue; the
 * producer's takes. Every refusal that was put comes whole, once, in order.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "base/rng.h"
#include "world/queue/refusals.h"

enum { BOUND = 300, COUNT = 200000 }; /* of several legs */

static phx_refusals refusals;
static _Atomic uint64_t put_count; /* relaxed until `ended` */
static _Atomic uint32_t ended;     /* release by the putting thread, acquire by the taking one */

static ph_refusal numbered(uint64_t n)
{
    uint64_t mixed = phx_mix64(n);
    return (ph_refusal){.sequence = n, .tick = mixed, .id = mixed >> 7, .status = (ph_status)(mixed % PH_STATUS_COUNT)};
}

static void *put_all(void *unused)
{
    uint64_t put = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        bool room = phx_refusals_reserve(&refusals, 1, 0) && phx_refusals_put(&refusals, numbered(put + 1));
        put += room;
        if (!room) (void)sched_yield(); /* else it may be over before the reader has begun */
    }
    atomic_store_explicit(&put_count, put, memory_order_relaxed);
    atomic_store_explicit(&ended, 1, memory_order_release);
    return unused;
}

static bool same(const ph_refusal *a, const ph_refusal *b)
{
    return a->sequence == b->sequence && a->tick == b->tick && a->id == b->id && a->status == b->status;
}

int main(void)
{
    phx_mem mem;
    pthread_t thread;
    uint64_t taken = 0;
    phx_mem_init(&mem, (ph_allocator){0});
    if (!phx_refusals_init(&refusals, &mem, BOUND) || pthread_create(&thread, NULL, put_all, NULL) != 0) {
        printf("could not begin\n");
        return 1;
    }
    for (bool last = false; !last;) {
        last = atomic_load_explicit(&ended, memory_order_acquire) != 0;
        for (ph_refusal refusal; phx_refusals_take(&refusals, &refusal);) {
            ph_refusal expected = numbered(++taken);
            if (same(&refusal, &expected)) continue;
            printf("number %" PRIu64 " came torn or out of order, as %" PRIu64 "\n", taken, refusal.sequence);
            return 1;
        }
    }
    pthread_join(thread, NULL);
    uint64_t put = atomic_load_explicit(&put_count, memory_order_relaxed);
    phx_refusals_free(&refusals);
    printf("%" PRIu64 " put, %" PRIu64 " taken, %" PRIu64 " times full\n", put, taken, COUNT - put);
    return put == taken && put > 0 ? 0 : 1;
}
