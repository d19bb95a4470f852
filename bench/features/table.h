/*
 * The table of features, in the order in which they work on a frame, and the presets. Read by the options and by
 * --list.
 */
#ifndef PHX_BENCH_FEATURE_TABLE_H
#define PHX_BENCH_FEATURE_TABLE_H

#include "bench/base/scenario.h"

typedef struct bench_preset {
    const char *name;
    const char *doc;
    const char *text; /* features: a+b+c */
} bench_preset;

uint32_t bench_feature_count(void);
const bench_feature *bench_feature_at(uint32_t index);

uint32_t bench_preset_count(void);
const bench_preset *bench_preset_at(uint32_t index);

/* Combinations that --features each runs behind the single features: as asked for on the command line. NULL at the end.
 */
extern const char *const bench_feature_mixes[];

#endif
