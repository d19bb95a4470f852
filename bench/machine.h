/*
 * The machine and the build behind the figures; for the reports.
 */
#ifndef PHX_BENCH_MACHINE_H
#define PHX_BENCH_MACHINE_H

#include "base/core.h"

enum { BENCH_MACHINE_TEXT_SIZE = 128 };

typedef struct bench_machine {
    char cpu[BENCH_MACHINE_TEXT_SIZE]; /* the model; "unknown" when the system does not tell */
    char compiler[BENCH_MACHINE_TEXT_SIZE];
    char build[BENCH_MACHINE_TEXT_SIZE]; /* the causes of slowness: build type, assertions, sanitizers */
    uint32_t cpus;                       /* that this program may use */
} bench_machine;

bench_machine bench_machine_look(void);

#endif
