/*
 * The histogram of tick durations; see tick_times.h.
 */
#include "tools/tick_times.h"

enum { SUB_COUNT = 1 << PHX_TIMES_SUB_BITS };

static uint32_t bucket_of(uint64_t ns)
{
    if (ns < SUB_COUNT) return (uint32_t)ns;
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(ns) - PHX_TIMES_SUB_BITS;
    uint32_t bucket = ((shift + 1) << PHX_TIMES_SUB_BITS) + (uint32_t)(ns >> shift) - SUB_COUNT;
    PHX_ASSERT(bucket < PHX_TIMES_BUCKETS);
    return bucket;
}

/* The greatest duration that falls into the bucket. */
static uint64_t bucket_end(uint32_t bucket)
{
    if (bucket < SUB_COUNT) return bucket;
    uint32_t shift = (bucket >> PHX_TIMES_SUB_BITS) - 1;
    uint64_t first = (uint64_t)(bucket % SUB_COUNT + SUB_COUNT) << shift;
    return first + (((uint64_t)1 << shift) - 1);
}

void phx_tick_times_add(phx_tick_times *times, uint64_t ns)
{
    times->count++;
    times->sum_ns += ns;
    if (ns > times->max_ns) times->max_ns = ns;
    times->buckets[bucket_of(ns)]++;
}

uint64_t phx_tick_times_ns(const phx_tick_times *times, uint32_t percent)
{
    PHX_ASSERT(percent <= 100);
    uint64_t below = times->count / 100 * percent + (times->count % 100 * percent + 99) / 100;
    uint64_t met = 0;
    for (uint32_t i = 0; i < PHX_TIMES_BUCKETS; i++) {
        met += times->buckets[i];
        if (met > 0 && met >= below) return bucket_end(i) < times->max_ns ? bucket_end(i) : times->max_ns;
    }
    PHX_ASSERT(times->count == 0);
    return 0;
}
