/*
 * --federation --nats URL: how old the copies are that a tick sees. Three nodes in this process over a NATS server,
 * each with 20 ticks a second, which begin a third of a tick apart. Called by federation.c.
 */
#ifndef PHX_BENCH_FEDERATION_LAG_H
#define PHX_BENCH_FEDERATION_LAG_H

#include <stdio.h>

#include "bench/options.h"

/* false: a line is on the standard error. */
bool bench_federation_lag(FILE *out, const bench_options *options, phx_mem *mem);

#endif
