/*
 * The interface of an engine, so that several can run the same scenarios side by
 * side. Timed are tick() and release() only; an engine is used by one thread and may
 * have workers of its own.
 */
#ifndef PHX_BENCH_ENGINE_H
#define PHX_BENCH_ENGINE_H

#include <pharos/types.h>

#include "bench/base/frame.h"

typedef struct bench_error {
    char text[512]; /* one line without a newline */
} bench_error;

/* The events of one observer in one tick. */
typedef struct bench_record {
    uint64_t observer;
    const ph_target *leaves;
    const ph_target *enters;
    const uint16_t *leave_kinds; /* NULL: the engine knows no kinds */
    const uint16_t *enter_kinds;
    uint32_t leave_count;
    uint32_t enter_count;
    bool fresh; /* its list was empty before, because it is new or was not ready */
} bench_record;

/*
 * The least work of a host with the targets of a record, in the timed part, whatever the engine: it reads each, one
 * after the other. A sum that the compiler may make of several at a time costs more, as most records are short, and
 * would be no host's.
 */
static inline uint64_t bench_look_at(const ph_target *target, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < count; t++) {
        sum += target[t].id;
        __asm__("" : "+r"(sum));
    }
    return sum;
}

/* Called once for every record of a tick, outside the timed part. */
typedef void (*bench_record_fn)(void *context, const bench_record *record);

/* Called once for every broadcast that an observer got in a tick, outside the timed part. */
typedef void (*bench_heard_fn)(void *context, uint64_t observer, uint64_t source, uint32_t bytes);

/* Times of list queries, in nanoseconds for each id that they bring. */
typedef struct bench_queries {
    double list_ns_per_id;      /* the targets of an entity */
    double observers_ns_per_id; /* the observers of an entity */
} bench_queries;

/* Queries of places and lists. */
typedef enum bench_asked {
    BENCH_ASK_CIRCLE,
    BENCH_ASK_BOX,
    BENCH_ASK_SECTOR,
    BENCH_ASK_QUAD,
    BENCH_ASK_NEAREST,
    BENCH_ASK_LIST,
    BENCH_ASK_OBSERVERS,
    BENCH_ASK_UNORDERED, /* a list, in any order */
    BENCH_ASKED
} bench_asked;

/* Their times, in nanoseconds for each query, one by one and many in one call; and how many each finds. */
typedef struct bench_places {
    double single_ns[BENCH_ASKED];
    double batched_ns[BENCH_ASKED];
    double found[BENCH_ASKED];
    double verify_ns_per_pair; /* an observer's list against all entities */
} bench_places;

/* A move, and a query that sees it, in nanoseconds: with ph_apply() between them, and with a tick. */
typedef struct bench_turns {
    double apply_ns, tick_ns;
} bench_turns;

/* The phases of a tick that an engine may report; 0 where it has none of that kind. */
typedef enum bench_phase {
    BENCH_INGEST,
    BENCH_EXCHANGE,
    BENCH_INDEX,
    BENCH_INTEREST,
    BENCH_PUBLISH,
    BENCH_PHASES
} bench_phase;

typedef struct bench_stats {
    uint64_t submit_ns;              /* of the last tick: handing over its commands; 0 = not measured apart */
    uint64_t phase_ns[BENCH_PHASES]; /* of the last tick */
    uint64_t bytes;                  /* held now */
    uint64_t entities;               /* now, as the rest */
    uint64_t observers;
    uint64_t list_entries;
    uint64_t refused;   /* commands, since create, as the rest */
    uint64_t coalesced; /* ticks without a batch of their own */
    uint64_t migrations;
    uint64_t halo_records;
    uint64_t observers_glanced, observers_evaluated;
    uint64_t towers_visited;
    uint64_t pairs_tested, pairs_exact;
    uint64_t index_steps;    /* of an index other than the lighthouse */
    uint64_t enters, leaves; /* counted by the walk over the delivered records, as the next */
    uint64_t heard;          /* deliveries of broadcasts */
    uint64_t deliveries;     /* the same by the engine's own count */
} bench_stats;

typedef struct bench_engine {
    const char *name;
    const char *doc;
    bool single; /* one thread, one shard: run once, whatever --workers and --shards say */
    /* NULL, or gives the reason why it can not run this world (trace: commands from a file); NULL when it can. */
    const char *(*refuse)(const ph_world_def *def, bool trace);
    /* NULL: see error. def lives longer than the engine. producers: threads that submit the moves, 1 if single. */
    void *(*create)(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error);
    /* Not timed: brings the first entities in and reports their events, in as many ticks as it needs; NULL: in one. */
    bool (*setup)(void *self, const bench_frame *frame, bench_record_fn record, void *context, bench_error *error);
    /* NULL, or not timed, just before tick(): wakes the threads that submit; a host's are awake when they have to. */
    void (*ready)(void *self);
    /* Timed: submits the frame, ticks, takes the results and walks over every event once. */
    bool (*tick)(void *self, const bench_frame *frame, bench_error *error);
    /* Not timed: the results of that tick once more, for the hash and the check. */
    void (*records)(void *self, bench_record_fn record, void *context);
    /* NULL: it has no broadcasts. Not timed: the broadcasts of that tick, for the check. */
    void (*heard)(void *self, bench_heard_fn heard, void *context);
    /* Timed: gives the results back. */
    bool (*release)(void *self, bench_error *error);
    /* Not timed. */
    bool (*stats)(void *self, bench_stats *stats, bench_error *error);
    /* NULL, or between ticks: the times of list queries for entities with ids 1..count. */
    bool (*queries)(void *self, uint32_t count, bench_queries *times, bench_error *error);
    /* NULL, or between ticks: the times of queries of places, anywhere in the world of that definition. */
    bool (*places)(void *self, const ph_world_def *def, bench_places *times, bench_error *error);
    /* NULL, or behind the last tick: the times of moves and queries in turn. */
    bool (*turns)(void *self, const ph_world_def *def, bench_turns *times, bench_error *error);
    void (*destroy)(void *self);
} bench_engine;

/* printf into error; returns false, for `return bench_fail(...)`. */
bool bench_fail(bench_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
