/*
 * The durations of all measured ticks of a case, and their percentiles: exact ones, by
 * nearest rank. Filled between ticks; summed up at the end.
 */
#include "bench/samples.h"

#include <stdlib.h>

#include "bench/base/memory.h"

void bench_samples_add(bench_samples *samples, phx_mem *mem, bench_sample sample)
{
    bench_grow(mem, (void **)&samples->ticks, &samples->room, samples->count, (size_t)samples->count + 1,
               sizeof *samples->ticks);
    samples->ticks[samples->count++] = sample;
}

void bench_samples_free(bench_samples *samples, phx_mem *mem)
{
    phx_release(mem, (void **)&samples->ticks, &samples->room, sizeof *samples->ticks);
    samples->count = 0;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* The least of the sorted values that so many of a thousand do not exceed. */
static double per_mille(const double *sorted, uint32_t count, uint32_t mille)
{
    PHX_ASSERT(count > 0 && mille <= 1000);
    uint64_t rank = ((uint64_t)count * mille + 999) / 1000;
    return sorted[rank == 0 ? 0 : rank - 1];
}

static double percentile(const double *sorted, uint32_t count, uint32_t percent)
{
    return per_mille(sorted, count, percent * 10);
}

static void sort(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare);
}

static double wall(const bench_sample *tick)
{
    return (double)tick->wall_ns;
}

static double submit(const bench_sample *tick)
{
    return (double)tick->submit_ns;
}

static double rest(const bench_sample *tick)
{
    return (double)tick->wall_ns - (double)tick->submit_ns;
}

static double latency(const bench_sample *tick)
{
    return (double)tick->latency_ns;
}

static double cpu(const bench_sample *tick)
{
    return (double)tick->cpu_ns;
}

static bench_spread sum_up(const bench_samples *samples, double *sorted, double (*figure_ns)(const bench_sample *tick))
{
    for (uint32_t i = 0; i < samples->count; i++) {
        sorted[i] = figure_ns(&samples->ticks[i]) / 1e3;
    }
    sort(sorted, samples->count);
    return (bench_spread){
        .min = sorted[0],
        .p50 = percentile(sorted, samples->count, 50),
        .p99 = percentile(sorted, samples->count, 99),
        .max = sorted[samples->count - 1],
    };
}

static void sum_up_moves(const bench_samples *samples, double *sorted, bench_summary *summary)
{
    uint32_t moving = 0;
    for (uint32_t i = 0; i < samples->count; i++) {
        if (samples->ticks[i].moves > 0) {
            sorted[moving++] = (double)samples->ticks[i].wall_ns / samples->ticks[i].moves;
        }
    }
    if (moving > 0) {
        sort(sorted, moving);
        summary->ns_per_move_min = sorted[0];
        summary->ns_per_move_median = percentile(sorted, moving, 50);
    }
}

bench_summary bench_samples_summary(const bench_samples *samples, phx_mem *mem)
{
    PHX_ASSERT(samples->count > 0 && samples->count <= samples->room);
    size_t bytes = samples->count * sizeof(double);
    double *sorted = bench_alloc(mem, bytes);
    bench_summary summary = {
        .tick_us = sum_up(samples, sorted, wall),
        .submit_us = sum_up(samples, sorted, submit),
        .rest_us = sum_up(samples, sorted, rest),
        .latency_us = sum_up(samples, sorted, latency),
        .cpu_us = sum_up(samples, sorted, cpu),
    };
    sum_up_moves(samples, sorted, &summary);
    phx_free(mem, sorted, bytes, PHX_CACHE_LINE);
    return summary;
}

bench_tail bench_samples_tail(const bench_samples *samples, uint32_t rounds, phx_mem *mem)
{
    PHX_ASSERT(rounds > 0 && samples->count > 0 && samples->count % rounds == 0);
    uint32_t ticks = samples->count / rounds;
    size_t bytes = ticks * sizeof(double);
    double *least = bench_alloc(mem, bytes);
    for (uint32_t i = 0; i < ticks; i++) {
        uint64_t ns = samples->ticks[i].wall_ns;
        for (uint32_t r = 1; r < rounds; r++) {
            uint64_t other = samples->ticks[r * ticks + i].wall_ns;
            ns = other < ns ? other : ns;
        }
        least[i] = (double)ns / 1e3;
    }
    sort(least, ticks);
    bench_tail tail = {
        .p50 = percentile(least, ticks, 50),
        .p90 = percentile(least, ticks, 90),
        .p99 = percentile(least, ticks, 99),
        .p999 = per_mille(least, ticks, 999),
        .max = least[ticks - 1],
    };
    phx_free(mem, least, bytes, PHX_CACHE_LINE);
    return tail;
}
