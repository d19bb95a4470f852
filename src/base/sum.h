/*
 * A sum of 64 bits that finds damage in bytes of images, records and capsules; it is no signature. Called by their
 * writers and readers, on any thread.
 */
#ifndef PHX_BASE_SUM_H
#define PHX_BASE_SUM_H

#include "base/core.h"

/* Four sums side by side, of every fourth word each: one would wait for its own multiplications. */
enum { PHX_SUM_LANES = 4 };
typedef struct phx_sum {
    uint64_t lanes[PHX_SUM_LANES];
    uint64_t words;
} phx_sum;

phx_sum phx_sum_begin(void);
/* bytes: a multiple of 8. A changed bit changes the sum. */
void phx_sum_add(phx_sum *sum, const void *bytes, size_t size);
uint64_t phx_sum_end(const phx_sum *sum);

#endif
