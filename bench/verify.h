/*
 * The check on the side: keeps the events of every observer, and compares its list every few
 * ticks with the brute-force result, for all observers of a small world and for
 * some drawn ones of a large one. Written from the contract alone, without a line of the
 * library. It models all commands and caps, adds_max too; events_max it takes for never reached.
 * Used by run.c between the timed parts.
 */
#ifndef PHX_BENCH_VERIFY_H
#define PHX_BENCH_VERIFY_H

#include "bench/base/engine.h"
#include "bench/verify_faults.h"

/* Up to here all observers are compared, beyond it BENCH_VERIFY_SAMPLES drawn ones. */
enum { BENCH_VERIFY_ALL_MAX = 2000, BENCH_VERIFY_SAMPLES = 128 };

/* def lives longer. Compares at every tick that is a multiple of `every` > 0. */
bench_verify *bench_verify_create(const ph_world_def *def, uint32_t every, uint64_t seed, phx_mem *mem);
void bench_verify_destroy(bench_verify *verify);

/* Before the frame's tick; the first frame is the setup. */
void bench_verify_begin(bench_verify *verify, const bench_frame *frame);
/* For each record of the tick; context is the bench_verify. */
void bench_verify_record(void *context, const bench_record *record);
/* For each broadcast that an observer got in the tick, behind the records; context is the bench_verify. */
void bench_verify_heard(void *context, uint64_t observer, uint64_t source, uint32_t bytes);
/* After the last record of the tick: compares when it is due, or asked for; once a tick at most. */
void bench_verify_end(bench_verify *verify, bool now);

const bench_faults *bench_verify_faults(const bench_verify *verify);
/* Lists compared so far. */
uint64_t bench_verify_compared(const bench_verify *verify);

#endif
