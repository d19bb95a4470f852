/*
 * A case: one scenario on one engine with one worker count and shard layout; and its
 * measurements over all rounds. Made by the plan, filled by run.c, read by the reports.
 */
#ifndef PHX_BENCH_CASE_H
#define PHX_BENCH_CASE_H

#include "bench/base/scenario.h"
#include "bench/samples.h"
#include "bench/verify.h"

/* The purpose of a case, besides the table. */
typedef enum bench_plot {
    BENCH_PLOT_NONE,
    BENCH_PLOT_ENTITIES, /* a point of the plot of cost against entities */
    BENCH_PLOT_DENSITY
} bench_plot;

typedef struct bench_case bench_case;

struct bench_case {
    /* the task */
    const char *name; /* in the reports: the scenario's, or a point of a sweep */
    const bench_scenario *scenario;
    const bench_engine *engine;
    const char *label;   /* the engine's name; of Pharos with an index that was asked for pharos/INDEX */
    bool indexed;        /* such an index was asked for */
    uint32_t limit_s;    /* a round ends when it has taken so long; 0 = with its ticks */
    uint32_t patience_s; /* a round that would take longer is given up; 0 = none is */
    const ph_config *config;
    ph_world_def def;               /* config's, with this case's workers and shards */
    uint32_t producers;             /* threads that submit the moves */
    uint32_t group;                 /* cases of one have the same commands and events */
    uint32_t turns;                 /* cases of one take turns: a group, or one scenario with all its features */
    const bench_features *features; /* NULL = none */
    const bench_case *plain;        /* with features: the same case without them, else NULL */
    bench_plot plot;
    const char *path;          /* of the trace, else NULL */
    uint64_t unpack_max_bytes; /* of a gzip trace */
    uint32_t entities;         /* of the scenario; 0 = as the trace has it */
    uint32_t ticks;            /* to measure; 0 = all that the scenario has */
    uint32_t warmup;
    uint32_t verify_every; /* ticks; 0 = no check */
    uint32_t hz;           /* ticks due in a second; 0 = one after the other */
    bool tail;             /* the report has the slow ticks, by the least of all rounds */
    uint64_t seed;
    /* the results */
    uint32_t rounds;
    bench_samples samples;
    bench_samples before; /* with features: of the case without them, in the runs right before this one's */
    uint64_t total_ns;    /* sum of all measured ticks, as the next four lines */
    uint64_t moves;
    uint64_t commands; /* that are no moves: enters, leaves, broadcasts and others */
    uint64_t enters, leaves;
    uint64_t heard; /* deliveries of broadcasts */
    uint64_t phase_ns[BENCH_PHASES];
    uint64_t observers_glanced, observers_evaluated;
    uint64_t towers_visited, pairs_tested, pairs_exact, index_steps, migrations, halo_records;
    uint64_t event_hash;   /* of all events of a round, warm-up included; each round has the same */
    uint64_t events_all;   /* that went into the hash */
    bool hash_differs;     /* from an earlier round's, or from the scenario's first case */
    bench_turns applies;   /* moves and queries in turn, the fastest round's; 0 = not measured */
    bench_places places;   /* of a scenario that asks, the fastest round's; 0 = not measured */
    bench_queries queries; /* of a scenario with broadcasts, the fastest round's; 0 = not measured */
    bench_stats last;      /* at the end of the last round */
    uint64_t rss_bytes;    /* of the whole program then, positions and frames included */
    uint64_t lists_compared;
    bench_faults faults; /* of the check, all rounds */
    bool stopped;        /* by Ctrl-C before it ran: given up, too */
    char given_up[96];   /* the reason; empty = it was not. If given up, there are no results */
};

#endif
