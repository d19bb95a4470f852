/*
 * Crowd control as the check on the side (verify.h) computes it, once the commands of a frame are applied.
 */
#ifndef PHX_BENCH_VERIFY_CROWD_H
#define PHX_BENCH_VERIFY_CROWD_H

#include "bench/verify_faults.h"

/* The rule of ph_world_def, where no entity gets a view or loses it. */
void bench_verify_shrink_views(bench_verify *verify);

#endif
