/*
 * The subject of the run harness: the engine through its public API, or, to prove that the
 * harness finds bugs, a copy of the model with a seeded one (mutant.c).
 */
#ifndef SUPPORT_SUBJECT_H
#define SUPPORT_SUBJECT_H

#include <pharos/pharos.h>

#include "support/command.h"

typedef struct subject_type {
    const char *name;
    /* Opens `producers` producers too. NULL and *status when it does not work. */
    void *(*create)(const ph_world_def *def, uint32_t producers, ph_status *status);
    void (*destroy)(void *self);
    ph_status (*submit)(void *self, uint32_t producer, const command *c);
    /* All of one type, which has a bulk form. */
    ph_status (*submit_many)(void *self, uint32_t producer, const command *const *commands, uint32_t count,
                             uint32_t *done);
    ph_status (*sequence)(void *self, uint32_t producer, uint64_t *sequence);
    ph_status (*refusals)(void *self, uint32_t producer, ph_refusal *refusals, uint32_t capacity, uint32_t *count);
    ph_status (*apply)(void *self);
    ph_status (*tick)(void *self, uint64_t *tick);
    ph_status (*reconfigure)(void *self, const ph_world_def *def);
    ph_status (*consumer_open)(void *self, uint32_t consumer);
    ph_status (*consumer_close)(void *self, uint32_t consumer);
    ph_status (*batch_take)(void *self, uint32_t consumer, const ph_batch **batch);
    ph_status (*batch_return)(void *self, uint32_t consumer, const ph_batch *batch);
    ph_status (*get)(void *self, uint64_t id, ph_attrs *attrs);
    ph_status (*sees)(void *self, uint64_t observer, uint64_t target, bool *sees);
    ph_status (*list)(void *self, uint64_t observer, uint64_t *ids, uint32_t capacity, uint32_t *count);
    ph_status (*observers)(void *self, uint64_t target, uint64_t *ids, uint32_t capacity, uint32_t *count);
    ph_status (*find)(void *self, const ph_query *query, ph_hit *hits, uint32_t capacity, uint32_t *count);
    ph_status (*find_many)(void *self, uint32_t count, const ph_query *queries, ph_answer *answers);
    ph_status (*find_visit)(void *self, const ph_query *query, ph_hit_fn visit, void *user);
    ph_status (*explain)(void *self, uint64_t observer, uint64_t target, ph_explanation *why);
    ph_status (*verify)(void *self, uint64_t pairs, ph_verification *progress, ph_difference *difference);
    ph_status (*stats)(void *self, ph_stats *stats);
    ph_status (*hash)(void *self, uint64_t *hash);
    /*
     * Saves the world, loads it in another layout, which the number chooses, and goes on with the new one: producers
     * and consumers are opened anew, counts and sequences go on. Only with all batches taken. Says in `reason` what
     * failed.
     */
    ph_status (*resave)(void *self, uint64_t layout, char *reason, size_t reason_size);
} subject_type;

/* The library. */
const subject_type *subject_engine(void);
/* The world of an engine at present: a save and load makes another one. */
ph_world engine_world(const void *self);
/* One of its producers. */
ph_producer engine_producer(const void *self, uint32_t producer);
/* One command through the public API; also for tests that have no harness. */
ph_status engine_submit(ph_producer producer, const command *c);

#endif
