/*
 * Plays a script on a subject (the engine) and on the model side by side and compares,
 * every tick: statuses, refusals, events as delivered to the consumers, lists, observers,
 * attributes, counters. Stops at the first difference and reports it.
 */
#ifndef SUPPORT_RUN_H
#define SUPPORT_RUN_H

#include "support/script.h"
#include "support/subject.h"

typedef struct run_options {
    const subject_type *subject; /* NULL: the engine */
    bool no_model;               /* only play and hash: for bigger worlds */
    bool no_queries;             /* compare events and counters only */
    bool heavy;                  /* save and load in another layout after every tick, if the script is eager */
    uint64_t heavy_tick;         /* with heavy: only after this tick; 0 = after every one */
    uint32_t query_every;        /* ask after lists every so many ticks; 0 = every tick */
    const ph_world_def *def;     /* NULL: the script's; else this one (other shards, workers, hooks) */
} run_options;

enum { RUN_REPORT_SIZE = 6000 };

typedef struct run_result {
    bool failed;
    char report[RUN_REPORT_SIZE]; /* the difference and its place */
    uint64_t event_hash;          /* of all events and broadcasts delivered; the same in whatever order */
    uint64_t activation_hash;     /* the same of the activation edges */
    uint64_t world_hash;          /* ph_world_hash() at the end, mixed over all ticks */
    uint64_t ticks, commands, events, batches, coalesced;
    uint64_t heard;   /* broadcasts x observers delivered */
    uint64_t dropped; /* ... and counted as dropped */
    uint64_t edges;   /* activation and areas, delivered */
    uint64_t due;     /* updates delivered */
    ph_stats stats;   /* at the end */
} run_result;

void run_script(const script *s, const run_options *options, run_result *result);

#endif
