/*
 * Commands as the check on the side (verify.h) follows them: as the contract says, not as the library does it. Before
 * the frame's tick, by verify.c.
 */
#ifndef PHX_BENCH_VERIFY_COMMANDS_H
#define PHX_BENCH_VERIFY_COMMANDS_H

#include "bench/base/engine.h"
#include "bench/verify_faults.h"

void bench_verify_apply(bench_verify *verify, const bench_frame *frame);

#endif
