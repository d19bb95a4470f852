/*
 * The common part of all baselines: entities, commands, records and counters. A baseline
 * embeds this as its first member; the functions of the same names stand in its
 * bench_engine. Each is one world on one thread, for entities that are all alike.
 */
#ifndef PHX_BENCH_BASELINE_H
#define PHX_BENCH_BASELINE_H

#include "bench/base/engine.h"
#include "bench/baselines/net_log.h"
#include "bench/baselines/population.h"
#include "bench/baselines/sent_lists.h"

typedef struct baseline {
    phx_mem mem; /* of its own: its bytes are known exactly */
    phx_mem *outer;
    const ph_world_def *def;
    population people;
    sent sent;
    bench_stats stats; /* phases, refused, pairs_tested and list_entries are kept up to date in here */
} baseline;

/* The hooks of an immediate baseline, called at each command; any may be NULL. */
typedef struct baseline_hooks {
    void (*entered)(baseline *self, uint32_t slot);
    void (*moved)(baseline *self, uint32_t slot); /* its position is the new one */
    void (*left)(baseline *self, uint32_t slot);
} baseline_hooks;

/* A cleared block of so many bytes that begins with a baseline. */
void *baseline_create(size_t bytes, const ph_world_def *def, phx_mem *mem);
void baseline_destroy(baseline *self, size_t bytes);

/* Applies all commands in order; hooks may be NULL. */
void baseline_apply(baseline *self, const bench_frame *frame, const baseline_hooks *hooks);
/* Ends a phase that began at `begin`; returns the time. */
uint64_t baseline_phase(baseline *self, bench_phase phase, uint64_t begin);
/* The tick of an immediate baseline: all commands with their hooks, then the net difference of the log, walked. */
void baseline_tick_at_once(baseline *self, const bench_frame *frame, const baseline_hooks *hooks, net_log *log);
/* A tick without commands: no phase had anything to do. */
void baseline_quiet(baseline *self);

void baseline_records(void *self, bench_record_fn record, void *context);
bool baseline_release(void *self, bench_error *error);
bool baseline_stats(void *self, bench_stats *stats, bench_error *error);

/*
 * Why this world is none for a baseline with circles, with circles and margins and caps, or with nine-grids of span 1;
 * NULL = it is one.
 */
const char *baseline_refuse_limited_circle(const ph_world_def *def, bool trace);
const char *baseline_refuse_circle(const ph_world_def *def, bool trace);
const char *baseline_refuse_towers(const ph_world_def *def, bool trace);

#endif
