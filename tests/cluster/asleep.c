/*
 * Sleep of calls; see asleep.h.
 */
#include "cluster/asleep.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "support/check.h"

/* SLEEP_MS_MAX: a call may wait for a mutex, whose holder waits for a processor, or for a page. */
enum { SLEEP_MS_MAX = 500, NS_IN_MS = 1000000, NS_IN_S = 1000000000 };

/* That the thread was ready to run, and did not; 0 where the kernel does not say so. */
static uint64_t ready_ns(void)
{
    uint64_t ran_ns = 0, waited_ns = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file) return 0;
    REQUIRE(fscanf(file, "%" SCNu64 " %" SCNu64, &ran_ns, &waited_ns) == 2);
    (void)fclose(file);
    return waited_ns;
}

static uint64_t slept_ns(void)
{
    struct timespec ran;
    REQUIRE(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran) == 0);
    return phx_now_ns() - ((uint64_t)ran.tv_sec * NS_IN_S + (uint64_t)ran.tv_nsec) - ready_ns();
}

void asleep_begin(asleep *of)
{
    of->begun_ns = slept_ns();
}

void asleep_end(asleep *of)
{
    const int64_t ns = (int64_t)(slept_ns() - of->begun_ns); /* three clocks, so it may be a little below 0 */
    if (ns > 0 && (uint64_t)ns / NS_IN_MS > of->longest_ms) of->longest_ms = (uint64_t)ns / NS_IN_MS;
}

void asleep_check(asleep *of, const char *what)
{
    (void)printf("%s: no call slept for more than %" PRIu64 " ms\n", what, of->longest_ms);
    CHECK(of->longest_ms < SLEEP_MS_MAX, "%s: a call waits for a server: it slept for %" PRIu64 " ms", what,
          of->longest_ms);
    of->longest_ms = 0;
}
