/*
 * Time asleep; see asleep_clock.h.
 */
#include "tools/asleep_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

enum { NS_IN_S = 1000000000 };

/* That the thread was ready to run, and did not; 0 where the kernel does not say so. */
static uint64_t ready_ns(void)
{
    uint64_t ran_ns = 0, waited_ns = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file) return 0;
    if (fscanf(file, "%" SCNu64 " %" SCNu64, &ran_ns, &waited_ns) != 2) waited_ns = 0;
    (void)fclose(file);
    return waited_ns;
}

uint64_t phx_asleep_ns(void)
{
    struct timespec ran = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return phx_now_ns() - ((uint64_t)ran.tv_sec * NS_IN_S + (uint64_t)ran.tv_nsec) - ready_ns();
}
