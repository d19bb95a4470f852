/*
 * The tail of pharos-bench --tail: of each tick the least of all rounds, by nearest rank.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/samples.h"

static phx_mem memory;

static void expect(const char *what, double is, double must)
{
    if (is < must || is > must) {
        printf("%s: %g, expected %g\n", what, is, must);
        exit(1);
    }
}

/* Tick i takes i + 1 us by itself; in each round others are disturbed, the first two in all of them. */
static bench_tail tail_of(uint32_t ticks, uint32_t rounds)
{
    bench_samples samples = {.ticks = NULL};
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t i = 0; i < ticks; i++) {
            bool disturbed = i < 2 || (rounds > 1 && i % rounds == r);
            bench_samples_add(&samples, &memory,
                              (bench_sample){.wall_ns = 1000 * (uint64_t)(disturbed ? 1000000 + i : i + 1)});
        }
    }
    bench_tail tail = bench_samples_tail(&samples, rounds, &memory);
    bench_samples_free(&samples, &memory);
    return tail;
}

int main(void)
{
    phx_mem_init(&memory, (ph_allocator){0});
    bench_tail tail = tail_of(1000, 3); /* 3 ... 1000, then the two that are always slow */
    expect("p50", tail.p50, 502);
    expect("p90", tail.p90, 902);
    expect("p99", tail.p99, 992);
    expect("p99.9", tail.p999, 1000000);
    expect("max", tail.max, 1000001);
    tail = tail_of(10, 1);
    expect("p50 of one round", tail.p50, 7);
    expect("p99.9 of ten ticks", tail.p999, 1000001);
    return 0;
}
