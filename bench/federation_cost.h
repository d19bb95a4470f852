/*
 * --federation: the cost of a tick of three nodes beside one world and beside three worlds that know nothing of each
 * other: near borders, elsewhere, and for entities that linger at one. Called by federation.c.
 */
#ifndef PHX_BENCH_FEDERATION_COST_H
#define PHX_BENCH_FEDERATION_COST_H

#include <stdio.h>

#include "base/mem.h"

typedef struct bench_federation_cost_def {
    FILE *out;
    uint64_t seed;
    uint32_t entities, periods;
    phx_mem *mem;
} bench_federation_cost_def;

/* Prints a line for each figure. false: a line is on the standard error. */
bool bench_federation_cost(const bench_federation_cost_def *def);

#endif
