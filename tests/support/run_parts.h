/*
 * The inside of the run harness, shared by its own files only: run.c (steps),
 * run_batches.c (changes of consumers), run_broadcasts.c (broadcasts), run_edges.c,
 * run_updates.c (the updates),
 * run_queries.c (lists, attributes, counters), run_places.c (queries of places).
 */
#ifndef SUPPORT_RUN_PARTS_H
#define SUPPORT_RUN_PARTS_H

#include "support/history.h"
#include "support/model.h"
#include "support/run.h"

enum { RUN_HELD_MAX = 3 };

typedef struct run_consumer {
    bool open;
    uint64_t last_tick; /* the last tick of its last batch */
    const ph_batch *held[RUN_HELD_MAX];
    uint32_t held_count;
} run_consumer;

typedef struct expected_refusal {
    uint64_t sequence, id;
    ph_status status;
    bool in_tick;  /* else refused at once, inside a bulk call */
    uint64_t tick; /* the tick that applied it, also before it ended */
    ph_command command;
    ph_field field;
} expected_refusal;

typedef struct run {
    const script *s;
    const run_options *options;
    run_result *result;
    const subject_type *type;
    void *self;
    model *m; /* NULL with no_model */
    history past;
    ph_world_def def; /* as it was last configured */
    ph_class classes[SCRIPT_CLASSES_MAX];
    uint64_t tick;
    bool begun; /* something was applied since */
    run_consumer consumers[SCRIPT_CONSUMERS_MAX];
    VEC(expected_refusal) refusals[SCRIPT_PRODUCERS_MAX]; /* expected refusals of the subject */
    uint64_t untold;                                      /* the ones that it only has to count */
} run;

/* Sets failed and begins the report with the tick; further text may be added by run_note(). Always false. */
bool run_fail(run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_note(run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool run_expect(run *r, const char *what, ph_status got, ph_status expected);

/* Takes up to `most` batches of the consumer, checks each, gives them back (or holds the last). */
void run_drain(run *r, uint32_t consumer, uint32_t most, bool hold);
/* Everything up to now has been delivered. */
void run_caught_up(run *r, uint32_t consumer);
void run_reopen(run *r, uint32_t consumer);

/* The batch's broadcasts, against all deliveries since the consumer's last batch. */
bool run_check_broadcasts(run *r, uint32_t consumer, const ph_batch *batch);
/* No expected delivery is left. */
bool run_broadcasts_missing(run *r, uint32_t consumer);
/* Their number; *heard: the number with broadcasts to observers that left, or were not ready, since. */
size_t run_broadcasts_waiting(run *r, uint32_t consumer, uint64_t *heard);

/* The same of its edges. */
bool run_check_edges(run *r, uint32_t consumer, const ph_batch *batch);
bool run_edges_missing(run *r, uint32_t consumer);
size_t run_edges_waiting(run *r, uint32_t consumer);
/* Likewise for updates: the latest position of each (observer, target) that was sent. */
bool run_check_updates(run *r, uint32_t consumer, const ph_batch *batch);
bool run_updates_missing(run *r, uint32_t consumer);
size_t run_updates_waiting(run *r, uint32_t consumer);

/* Lists, observers, attributes of every id of the pool. */
void run_queries(run *r);
/* Random shapes around entities in the world. */
void run_places(run *r);
void run_stats(run *r);
/* All refusals that wait; behind a tick, its own are noted first. */
void run_refusals(run *r, bool behind_tick);
/* The subject has to report this one, or count it: refusals_max. */
void run_refusal_note(run *r, uint32_t producer, expected_refusal refusal);

#endif
