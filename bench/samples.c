/*
 * The durations of all measured ticks of a case, and their percentiles: exact ones, by
 * nearest rank. Filled between ticks; summed up at the end.
 */
#include <stdlib.h>

#include "bench/case.h"
#include "bench/memory.h"

void bench_samples_add(bench_samples *samples, phx_mem *mem, uint64_t ns, uint32_t moves)
{
    uint32_t n = samples->count;
    bench_grow(mem, (void **)&samples->tick_ns, &samples->tick_ns_room, n, (size_t)n + 1, sizeof *samples->tick_ns);
    bench_grow(mem, (void **)&samples->moves, &samples->moves_room, n, (size_t)n + 1, sizeof *samples->moves);
    samples->tick_ns[n] = ns;
    samples->moves[n] = moves;
    samples->count++;
}

void bench_samples_free(bench_samples *samples, phx_mem *mem)
{
    phx_release(mem, (void **)&samples->tick_ns, &samples->tick_ns_room, sizeof *samples->tick_ns);
    phx_release(mem, (void **)&samples->moves, &samples->moves_room, sizeof *samples->moves);
    samples->count = 0;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* The least of the sorted values that `percent` of all do not exceed. */
static double percentile(const double *sorted, uint32_t count, uint32_t percent)
{
    PHX_ASSERT(count > 0 && percent <= 100);
    uint64_t rank = ((uint64_t)count * percent + 99) / 100;
    return sorted[rank == 0 ? 0 : rank - 1];
}

bench_summary bench_samples_summary(const bench_samples *samples, phx_mem *mem)
{
    PHX_ASSERT(samples->count > 0);
    PHX_ASSERT(samples->count <= samples->tick_ns_room && samples->count <= samples->moves_room);
    size_t bytes = samples->count * sizeof(double);
    double *sorted = bench_alloc(mem, bytes);
    bench_summary summary = { 0 };
    for (uint32_t i = 0; i < samples->count; i++) {
        sorted[i] = (double)samples->tick_ns[i] / 1e3;
    }
    qsort(sorted, samples->count, sizeof *sorted, compare);
    summary.tick_us_min = sorted[0];
    summary.tick_us_p50 = percentile(sorted, samples->count, 50);
    summary.tick_us_p99 = percentile(sorted, samples->count, 99);
    summary.tick_us_max = sorted[samples->count - 1];
    uint32_t moving = 0;
    for (uint32_t i = 0; i < samples->count; i++) {
        if (samples->moves[i] > 0) {
            sorted[moving++] = (double)samples->tick_ns[i] / samples->moves[i];
        }
    }
    if (moving > 0) {
        qsort(sorted, moving, sizeof *sorted, compare);
        summary.ns_per_move_min = sorted[0];
        summary.ns_per_move_median = percentile(sorted, moving, 50);
    }
    phx_free(mem, sorted, bytes, PHX_CACHE_LINE);
    return summary;
}
