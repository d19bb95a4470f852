/*
 * A transport of --federation that counts the messages of the one below it. One thread.
 */
#ifndef PHX_BENCH_FEDERATION_TRAFFIC_H
#define PHX_BENCH_FEDERATION_TRAFFIC_H

#include <pharos/cluster.h>

typedef struct bench_fed_traffic {
    uint64_t messages[PHC_TRAFFICS], bytes[PHC_TRAFFICS];
} bench_fed_traffic;

typedef struct bench_fed_counted {
    phc_transport transport; /* below */
    bench_fed_traffic *traffic;
} bench_fed_counted;

/* It is good as long as `counted` is. */
phc_transport bench_fed_count(bench_fed_counted *counted);

#endif
