/*
 * Sleep of calls; see asleep.h.
 */
#include "cluster/asleep.h"

#include <inttypes.h>
#include <stdio.h>

#include "support/check.h"
#include "tools/asleep_clock.h"

/* SLEEP_MS_MAX: a call may wait for a mutex while its holder waits for a processor, or for a page. */
enum { SLEEP_MS_MAX = 500, NS_IN_MS = 1000000 };

void asleep_begin(asleep *of)
{
    of->begun_ns = phx_asleep_ns();
}

void asleep_end(asleep *of)
{
    const int64_t ns = (int64_t)(phx_asleep_ns() - of->begun_ns); /* three clocks, so it may be a little below 0 */
    if (ns > 0 && (uint64_t)ns / NS_IN_MS > of->longest_ms) of->longest_ms = (uint64_t)ns / NS_IN_MS;
}

void asleep_check(asleep *of, const char *what)
{
    (void)printf("%s: no call slept for more than %" PRIu64 " ms\n", what, of->longest_ms);
    CHECK(of->longest_ms < SLEEP_MS_MAX, "%s: a call waits for a server: it slept for %" PRIu64 " ms", what,
          of->longest_ms);
    of->longest_ms = 0;
}
