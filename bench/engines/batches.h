/*
 * Batches and statistics of a world in the bench's own terms. Used by the engines that are the library itself, in the
 * tick (bench_batch_walk) and behind it.
 */
#ifndef PHX_BENCH_BATCHES_H
#define PHX_BENCH_BATCHES_H

#include <pharos/pharos.h>

#include "bench/base/engine.h"

/* The totals of all walks. */
typedef struct bench_walked {
    uint64_t enters, leaves, heard;
    uint64_t id_sum; /* makes the walk read every event */
} bench_walked;

/* The least work of a host with a batch: it reads every change, every target and every message once. */
void bench_batch_walk(const ph_batch *batch, bench_walked *walked);
void bench_batch_records(const ph_batch *batch, bench_record_fn record, void *context);
void bench_batch_heard(const ph_batch *batch, bench_heard_fn heard, void *context);

/* Adds up over worlds. */
void bench_stats_add_world(bench_stats *stats, const ph_stats *world);
void bench_stats_add_walked(bench_stats *stats, const bench_walked *walked);

#endif
