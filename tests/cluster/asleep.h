/*
 * How long calls of this thread sleep: the time in which it neither runs nor is ready to run. A machine with other work
 * makes a call long, and a wait for a server makes it sleep. One thread.
 */
#ifndef CLUSTER_ASLEEP_H
#define CLUSTER_ASLEEP_H

#include <stdint.h>

typedef struct asleep {
    uint64_t begun_ns; /* of the call under way: the time without the times that it ran or was ready to */
    uint64_t longest_ms;
} asleep;

void asleep_begin(asleep *of);
void asleep_end(asleep *of);
/* No call since the last check has slept as one does that waits for a server: those wait for a second and more. */
void asleep_check(asleep *of, const char *what);

#endif
