/*
 * Many small worlds with one crew behind the bench's engine interface: each has a producer and a consumer of its own,
 * and one ph_tick_many() ticks them all. One thread is producer, ticker and every consumer. Called by run.c.
 */
#include "bench/engines/worlds.h"

#include <pharos/pharos.h>

#include "bench/base/memory.h"
#include "bench/base/scenario.h"
#include "bench/engines/batches.h"
#include "bench/engines/submit.h"
#include "tools/cli.h"

typedef struct small_world {
    ph_producer producer;
    ph_consumer consumer;
    const ph_batch *held; /* taken, not yet returned; NULL = none */
} small_world;

typedef struct worlds {
    phx_mem *mem;
    ph_world_def def; /* of each world; `workers` is the crew's */
    ph_world *handles;
    ph_status *statuses;
    small_world *worlds;
    uint32_t count, handles_room, statuses_room, worlds_room;
    bench_walked walked;
    uint64_t submit_ns;
} worlds;

static void worlds_destroy(void *engine)
{
    worlds *self = engine;
    for (uint32_t i = 0; i < self->count; i++) {
        ph_world_destroy(self->handles[i]); /* batches still held, after an error, end with it */
    }
    ph_status status = ph_crew_destroy(self->def.crew);
    PHX_ASSERT(status == PH_OK);
    (void)status;
    phx_release(self->mem, (void **)&self->handles, &self->handles_room, sizeof *self->handles);
    phx_release(self->mem, (void **)&self->statuses, &self->statuses_room, sizeof *self->statuses);
    phx_release(self->mem, (void **)&self->worlds, &self->worlds_room, sizeof *self->worlds);
    phx_free(self->mem, self, sizeof *self, PHX_CACHE_LINE);
}

static void *worlds_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    PHX_ASSERT(producers == 1); /* such a scenario does not spread its moves */
    (void)producers;
    const ph_crew_def crew = {.workers = def->workers};
    ph_world_def small = *def;
    small.consumers = 1;
    ph_status status = ph_crew_create(&crew, &small.crew);
    if (status != PH_OK) {
        bench_fail(error, "ph_crew_create: %s", ph_status_text(status));
        return NULL;
    }
    worlds *self = bench_alloc(mem, sizeof *self);
    self->mem = mem;
    self->def = small;
    return self;
}

static bool add_world(worlds *self, bench_error *error)
{
    uint32_t n = self->count;
    bench_grow(self->mem, (void **)&self->handles, &self->handles_room, n, (size_t)n + 1, sizeof *self->handles);
    bench_grow(self->mem, (void **)&self->statuses, &self->statuses_room, n, (size_t)n + 1, sizeof *self->statuses);
    bench_grow(self->mem, (void **)&self->worlds, &self->worlds_room, n, (size_t)n + 1, sizeof *self->worlds);
    ph_status status = ph_world_create(&self->def, &self->handles[n]);
    if (status != PH_OK) {
        return bench_fail(error, "ph_world_create, of world %u: %s", n + 1, ph_status_text(status));
    }
    self->count++; /* destroy has it from here on */
    small_world *world = &self->worlds[n];
    *world = (small_world){.held = NULL};
    status = ph_producer_open(self->handles[n], &world->producer);
    if (status == PH_OK) {
        status = ph_consumer_open(self->handles[n], 0, &world->consumer);
    }
    return status == PH_OK ||
           bench_fail(error, "a producer or consumer of world %u: %s", n + 1, ph_status_text(status));
}

/* The instance is what tells worlds apart in the check; in a world of its own it is needless. */
static ph_status submit_enters(ph_producer producer, const bench_frame *frame, uint32_t first, uint32_t count)
{
    ph_status result = PH_OK;
    for (uint32_t i = first; i < first + count && result == PH_OK; i++) {
        ph_attrs attrs = frame->enter_attrs[i];
        attrs.given &= ~(uint32_t)PH_INSTANCE;
        result = ph_enter(producer, frame->enter_ids[i], &attrs);
    }
    return result;
}

/* The part of a span that begins at this place and is of one world; *count gets its size. */
static bool submit_part(worlds *self, const bench_frame *frame, const bench_span *span, uint32_t from, uint32_t *count,
                        bench_error *error)
{
    PHX_ASSERT(span->op == BENCH_ENTER || span->op == BENCH_MOVE);
    const uint64_t *ids = (span->op == BENCH_ENTER ? frame->enter_ids : frame->move_ids) + span->first;
    const uint64_t of = (ids[from] - 1) / BENCH_WORLD_ENTITIES;
    uint32_t n = 1;
    while (from + n < span->count && (ids[from + n] - 1) / BENCH_WORLD_ENTITIES == of) {
        n++;
    }
    while (self->count <= of) {
        if (!add_world(self, error)) {
            return false;
        }
    }
    *count = n;
    const bench_span part = {.op = span->op, .first = span->first + from, .count = n};
    ph_producer producer = self->worlds[of].producer;
    uint32_t done;
    ph_status status = span->op == BENCH_ENTER ? submit_enters(producer, frame, part.first, n)
                                               : bench_submit_span(producer, frame, &part, 0, &done);
    return status != PH_FULL ||
           bench_fail(error, "a producer's queue is full in one tick: raise producer_bytes (--set)");
}

static bool take_all(worlds *self, bench_error *error)
{
    for (uint32_t i = 0; i < self->count; i++) {
        small_world *world = &self->worlds[i];
        ph_status status = ph_batch_take(world->consumer, &world->held);
        if (status != PH_OK) {
            world->held = NULL;
        } else {
            bench_batch_walk(world->held, &self->walked);
        }
        if (status != PH_OK && status != PH_EMPTY && status != PH_PENDING) {
            return bench_fail(error, "ph_batch_take: %s", ph_status_text(status));
        }
    }
    return true;
}

/* A refused command is no error here: stats() counts it and the run decides. */
static bool worlds_tick(void *engine, const bench_frame *frame, bench_error *error)
{
    worlds *self = engine;
    uint64_t begin = phx_clock_ns();
    for (uint32_t s = 0; s < frame->span_count; s++) {
        for (uint32_t from = 0, count = 0; from < frame->spans[s].count; from += count) {
            if (!submit_part(self, frame, &frame->spans[s], from, &count, error)) {
                return false;
            }
        }
    }
    self->submit_ns = phx_clock_ns() - begin;
    ph_status status = ph_tick_many(self->handles, self->count, self->statuses);
    if (status != PH_OK) {
        return bench_fail(error, "ph_tick_many: %s", ph_status_text(status));
    }
    return take_all(self, error);
}

static void worlds_records(void *engine, bench_record_fn record, void *context)
{
    const worlds *self = engine;
    for (uint32_t i = 0; i < self->count; i++) {
        if (self->worlds[i].held != NULL) {
            bench_batch_records(self->worlds[i].held, record, context);
        }
    }
}

static bool worlds_release(void *engine, bench_error *error)
{
    worlds *self = engine;
    for (uint32_t i = 0; i < self->count; i++) {
        small_world *world = &self->worlds[i];
        ph_status status = world->held == NULL ? PH_OK : ph_batch_return(world->consumer, world->held);
        if (status != PH_OK) {
            return bench_fail(error, "ph_batch_return: %s", ph_status_text(status));
        }
        world->held = NULL;
    }
    return true;
}

static bool worlds_stats(void *engine, bench_stats *stats, bench_error *error)
{
    const worlds *self = engine;
    *stats = (bench_stats){.submit_ns = self->submit_ns};
    for (uint32_t i = 0; i < self->count; i++) {
        ph_stats world;
        ph_status status = ph_world_stats(self->handles[i], &world);
        if (status != PH_OK) {
            return bench_fail(error, "ph_world_stats: %s", ph_status_text(status));
        }
        bench_stats_add_world(stats, &world);
    }
    bench_stats_add_walked(stats, &self->walked);
    return true;
}

const bench_engine bench_engine_worlds = {
    .name = "pharos",
    .doc = "the library as many worlds: ph_move_many for each, ph_tick_many for all",
    .create = worlds_create,
    .tick = worlds_tick,
    .records = worlds_records,
    .release = worlds_release,
    .stats = worlds_stats,
    .destroy = worlds_destroy,
};
