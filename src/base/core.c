/*
 * Ends a process with a broken invariant, and the random stalls of the
 * PHAROS_STALLS build. Used by every layer, in every phase; no state but a thread's own
 * random numbers.
 */
#include "base/core.h"

#include <stdio.h>
#include <stdlib.h>

void phx_panic(const char *file, int line, const char *what)
{
    fprintf(stderr, "pharos: %s:%d: broken: %s\n", file, line, what);
    abort();
}

#ifdef PHX_STALLS_ON

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "base/rng.h"

enum {
    STALL_ONE_IN = 64,    /* rare enough that a run stays usable, common enough that each phase meets some */
    STALL_NS_MAX = 200000 /* many times a phase of a small test world, so that every order of workers happens */
};

/*
 * The state of the calling thread. The n-th thread to come here always gets the same
 * numbers for the same PHAROS_STALL_SEED (decimal, 1 if not set), so a test can be run
 * again with the same stalls; the scheduler's own delays are not repeated.
 */
static uint64_t *stall_rng(void)
{
    static _Atomic uint64_t threads;
    static _Thread_local uint64_t state;
    static _Thread_local bool seeded;

    if (!seeded) {
        const char *text = getenv("PHAROS_STALL_SEED");
        uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
        uint64_t thread = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);

        state = phx_mix64(phx_mix64(seed) + thread);
        seeded = true;
    }
    return &state;
}

void phx_stall_point(void)
{
    uint64_t *rng = stall_rng();
    int saved_errno = errno;
    struct timespec pause = {0, 0};

    if (phx_rng_below(rng, STALL_ONE_IN) != 0) {
        return;
    }
    pause.tv_nsec = (long)phx_rng_below(rng, STALL_NS_MAX);
    nanosleep(&pause, NULL); /* cut short by a signal is a stall too */
    errno = saved_errno;
}

#endif
