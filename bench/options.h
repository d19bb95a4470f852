/*
 * The command line of pharos-bench. Filled once by parse_options.c, read by the plan and the
 * reports.
 */
#ifndef PHX_BENCH_OPTIONS_H
#define PHX_BENCH_OPTIONS_H

#include "bench/base/engine.h"
#include "bench/base/scenario.h"

/* Longest list that an option takes: more columns no table shows. */
enum { BENCH_LIST_MAX = 64, BENCH_FEATURE_LISTS_MAX = 96 };

typedef struct bench_options {
    const char *config; /* files: NULL = none */
    const char *trace;
    uint64_t unpack_max_bytes; /* of a gzip trace */
    const char *json;
    const char *csv;
    const char *plot;  /* folder */
    const char **sets; /* assignments, in the order given */
    uint32_t set_count;
    const bench_scenario *scenarios[BENCH_LIST_MAX];
    uint32_t scenario_count;
    bench_features features[BENCH_FEATURE_LISTS_MAX]; /* each runs beside the scenario without any */
    uint32_t features_count;
    const bench_engine *engines[BENCH_LIST_MAX];
    uint32_t engine_count;
    ph_index indexes[BENCH_LIST_MAX];
    uint32_t index_count; /* 0 = as configured */
    uint32_t workers[BENCH_LIST_MAX];
    uint32_t worker_count; /* 0 = as configured */
    uint32_t producers[BENCH_LIST_MAX];
    uint32_t producer_count; /* 0 = the scenario's */
    uint32_t shards[BENCH_LIST_MAX][2];
    uint32_t shard_count; /* 0 = as configured */
    uint32_t entities;    /* 0 = the scenario's */
    uint32_t ticks;       /* 0 = the scenario's */
    uint32_t warmup;
    bool warmup_given;
    uint32_t rounds;       /* 0 = as the mode has it */
    uint32_t verify_every; /* 0 = no check */
    uint32_t hz;           /* ticks due in a second; 0 = one after the other */
    uint64_t seed;
    bool tail; /* of each tick the least of all rounds */
    bool list;
    bool advise;
    bool saving;
    bool federation;
    const char *nats; /* URL for --federation; NULL = none */
} bench_options;

#endif
