/*
 * Faults that the check on the side (verify.h) found. Owned by its state; read by reports.
 */
#ifndef PHX_BENCH_VERIFY_FAULTS_H
#define PHX_BENCH_VERIFY_FAULTS_H

#include <stdint.h>

/* The first faults are kept as text; of the rest only the number. */
enum { BENCH_FAULTS_KEPT = 8, BENCH_FAULT_SIZE = 192 };

typedef struct bench_faults {
    uint64_t count;
    char text[BENCH_FAULTS_KEPT][BENCH_FAULT_SIZE];
} bench_faults;

typedef struct bench_verify bench_verify; /* verify_state.h */

#endif
