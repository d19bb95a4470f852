/*
 * A clock of the time in which a thread neither runs nor is ready to run: a machine with other work makes a call long,
 * and a wait for another process makes it sleep. Of the calling thread; two readings count, not one.
 */
#ifndef PHX_TOOLS_ASLEEP_CLOCK_H
#define PHX_TOOLS_ASLEEP_CLOCK_H

#include <stdint.h>

/*
 * Of three clocks, so it may go back a little. Where the kernel does not say how long a thread was ready to run
 * (/proc/thread-self/schedstat), that is sleep as well.
 */
uint64_t phx_asleep_ns(void);

#endif
