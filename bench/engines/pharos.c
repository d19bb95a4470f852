/*
 * Pharos behind the bench's engine interface: the public API only, as a server would use
 * it. One thread is producer, ticker and every consumer; with more producers than one the
 * moves of a tick come from as many threads. Called by run.c.
 */
#include "bench/engines/pharos.h"

#include <pharos/pharos.h>

#include "bench/base/memory.h"
#include "bench/engines/batches.h"
#include "bench/engines/kept_lists.h"
#include "bench/engines/producers.h"
#include "bench/engines/queries.h"
#include "bench/engines/submit.h"
#include "tools/cli.h"

typedef struct pharos {
    phx_mem *mem;
    ph_world world;
    ph_producer producer; /* the first; of all that are no moves the only one */
    bench_producers *producers;
    ph_consumer consumers[PH_CONSUMERS_MAX];
    uint32_t consumer_count;
    uint32_t held_count;
    uint32_t held_room;
    uint32_t from_room;
    const ph_batch **held; /* taken, not yet returned */
    uint32_t *held_from;   /* the consumer of each */
    bench_walked walked;
    uint64_t submit_ns;
    ph_monitor monitor; /* of the engine that has one */
    uint32_t seen;      /* parts of its points; 0 = there is none */
    bool asks;          /* it is a page's, with a chosen entity: */
    uint64_t chosen;    /* the first one that moves; 0 = none yet */
    bool keeps;         /* whole lists: */
    bench_kept_lists kept;
} pharos;

static bool open_all(pharos *self, const ph_world_def *def, uint32_t producers, bench_error *error)
{
    self->producers = bench_producers_open(self->world, producers, self->mem, error);
    if (self->producers == NULL) {
        return false;
    }
    self->producer = bench_producers_first(self->producers);
    PHX_ASSERT(def->consumers >= 1 && def->consumers <= PH_CONSUMERS_MAX);
    self->consumer_count = def->consumers;
    for (uint32_t i = 0; i < def->consumers; i++) {
        ph_status status = ph_consumer_open(self->world, i, &self->consumers[i]);
        if (status != PH_OK) {
            return bench_fail(error, "ph_consumer_open: %s", ph_status_text(status));
        }
    }
    return true;
}

static void pharos_destroy(void *engine)
{
    pharos *self = engine;
    bench_producers_close(self->producers);
    ph_world_destroy(self->world); /* batches still held, after an error, end with it */
    phx_release(self->mem, (void **)&self->held, &self->held_room, sizeof *self->held);
    phx_release(self->mem, (void **)&self->held_from, &self->from_room, sizeof *self->held_from);
    bench_kept_lists_free(&self->kept);
    phx_free(self->mem, self, sizeof *self, PHX_CACHE_LINE);
}

static void *pharos_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    pharos *self = bench_alloc(mem, sizeof *self);
    self->mem = mem;
    bench_kept_lists_init(&self->kept, mem);
    ph_status status = ph_world_create(def, &self->world);
    if (status != PH_OK) {
        bench_fail(error, "ph_world_create: %s", ph_status_text(status));
        phx_free(mem, self, sizeof *self, PHX_CACHE_LINE);
        return NULL;
    }
    if (!open_all(self, def, producers, error)) {
        pharos_destroy(self);
        return NULL;
    }
    return self;
}

static pharos *create_with_monitor(const ph_world_def *def, uint32_t producers, const ph_monitor_def *monitor,
                                   phx_mem *mem, bench_error *error)
{
    pharos *self = pharos_create(def, producers, mem, error);
    if (self == NULL) {
        return NULL;
    }
    ph_status status = ph_monitor_open(self->world, monitor, &self->monitor);
    if (status != PH_OK) {
        bench_fail(error, "ph_monitor_open: %s", ph_status_text(status));
        pharos_destroy(self);
        return NULL;
    }
    self->seen = 1;
    return self;
}

/* The same with a monitor that shows the whole world, all parts, in each tick. */
static void *seen_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    return create_with_monitor(def, producers, &(ph_monitor_def){.points_max = PH_MONITOR_POINTS_MAX}, mem, error);
}

/* The same, in as many parts as by default. */
static void *spread_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    pharos *self = seen_create(def, producers, mem, error);
    if (self != NULL) {
        self->seen = PH_MONITOR_SPREAD_MAX + 1; /* no choice of parts */
    }
    return self;
}

/* The same as a page of pharos-view has it, beside 20 ticks a second: 10 frames, a chosen entity, its questions. */
static void *chosen_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    const ph_monitor_def monitor = {.every = 2, .points_max = PH_MONITOR_POINTS_MAX, .questions = 128};
    pharos *self = create_with_monitor(def, producers, &monitor, mem, error);
    if (self != NULL) {
        self->seen = PH_MONITOR_SPREAD_MAX + 1;
        self->asks = true;
    }
    return self;
}

/* The library with a consumer that keeps whole lists. */
static void *kept_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    pharos *self = pharos_create(def, producers, mem, error);
    if (self != NULL) {
        self->keeps = true;
    }
    return self;
}

/* What a page asks each second with the tab of observers open: what is near, why it is not seen, what sees the chosen
   one. More than there is room for waits, as there. */
static void ask_as_page(const pharos *self, const ph_monitor_frame *frame)
{
    enum { FRAMES = 10, NEAR = 32, OBSERVERS = 400 };
    const ph_monitor_focus *focus = &frame->focus;
    if (!focus->found || frame->sequence % FRAMES != 0) {
        return;
    }
    const ph_monitor_question near = {.kind = PH_ASK_NEAREST,
                                      .most = NEAR,
                                      .x = focus->attrs.x,
                                      .y = focus->attrs.y,
                                      .radius = focus->attrs.view * 1.5f};
    const ph_monitor_question observers = {.kind = PH_ASK_OBSERVERS, .id = focus->id, .most = OBSERVERS};
    (void)!ph_monitor_ask(self->monitor, &near);
    (void)!ph_monitor_ask(self->monitor, &observers);
    for (uint32_t i = 0; i < NEAR && i < focus->target_count; i++) {
        const ph_monitor_question why = {.kind = PH_ASK_EXPLAIN, .id = focus->id, .other = focus->targets[i].id};
        (void)!ph_monitor_ask(self->monitor, &why);
    }
}

/* As the thread of a viewer does, beside the ticks. */
static void return_frame(const pharos *self)
{
    const ph_monitor_frame *frame;
    if (ph_monitor_take(self->monitor, &frame) == PH_OK) {
        ph_monitor_view view = frame->view; /* of the whole world, as it is at first */
        view.spread = self->seen <= PH_MONITOR_SPREAD_MAX ? self->seen : view.spread;
        view.focus = self->chosen;
        if (frame->view.spread != view.spread || frame->view.focus != view.focus) {
            (void)!ph_monitor_watch(self->monitor, &view);
        }
        if (self->asks) {
            ask_as_page(self, frame);
        }
        ph_monitor_return(self->monitor, frame);
    }
}

/* Takes every batch that waits. */
static bool take(pharos *self, bench_error *error)
{
    for (uint32_t i = 0; i < self->consumer_count; i++) {
        const ph_batch *batch;
        ph_status status;
        while ((status = ph_batch_take(self->consumers[i], &batch)) == PH_OK) {
            uint32_t n = self->held_count;
            bench_grow(self->mem, (void **)&self->held, &self->held_room, n, (size_t)n + 1, sizeof *self->held);
            bench_grow(self->mem, (void **)&self->held_from, &self->from_room, n, (size_t)n + 1,
                       sizeof *self->held_from);
            self->held[n] = batch;
            self->held_from[n] = i;
            self->held_count++;
        }
        if (status != PH_EMPTY && status != PH_PENDING) {
            return bench_fail(error, "ph_batch_take: %s", ph_status_text(status));
        }
    }
    return true;
}

static bool tick_and_walk(pharos *self, bench_error *error)
{
    ph_status status = ph_tick(self->world, NULL);
    if (status != PH_OK) {
        return bench_fail(error, "ph_tick: %s", ph_status_text(status));
    }
    if (!take(self, error)) {
        return false;
    }
    for (uint32_t i = 0; i < self->held_count; i++) {
        bench_batch_walk(self->held[i], &self->walked);
        if (self->keeps && !bench_kept_lists_apply(&self->kept, self->held[i], error)) {
            return false;
        }
    }
    return true;
}

static void pharos_ready(void *engine)
{
    const pharos *self = engine;
    if (self->seen) {
        return_frame(self);
    }
    bench_producers_wake(self->producers);
}

static ph_status submit_in_tick(pharos *self, const bench_frame *frame, const bench_span *span)
{
    uint32_t done;
    if (span->op == BENCH_MOVE && !frame->singly) {
        PHX_ASSERT(bench_producers_count(self->producers) == 1 || frame->span_count == 1); /* no order to be kept */
        return bench_producers_move(self->producers, span->count, &frame->move_ids[span->first],
                                    &frame->move_positions[span->first]);
    }
    return bench_submit_span(self->producer, frame, span, 0, &done);
}

static void end_lists(pharos *self, const bench_frame *frame, const bench_span *span)
{
    if (self->keeps && span->op == BENCH_LEAVE) {
        for (uint32_t i = 0; i < span->count; i++) {
            bench_kept_lists_end(&self->kept, frame->leave_ids[span->first + i]);
        }
    }
}

/* A refused command is no error here: stats() counts it and the run decides. */
static bool pharos_tick(void *engine, const bench_frame *frame, bench_error *error)
{
    pharos *self = engine;
    PHX_ASSERT(self->held_count == 0); /* all of the last tick was released */
    uint64_t begin = phx_clock_ns();
    for (uint32_t i = 0; i < frame->span_count; i++) {
        if (self->asks && self->chosen == 0 && frame->spans[i].op == BENCH_MOVE) {
            self->chosen = frame->move_ids[frame->spans[i].first];
        }
        if (submit_in_tick(self, frame, &frame->spans[i]) == PH_FULL) {
            return bench_fail(error, "the producer's queue is full in one tick: raise producer_bytes (--set)");
        }
        end_lists(self, frame, &frame->spans[i]);
    }
    self->submit_ns = phx_clock_ns() - begin;
    return tick_and_walk(self, error);
}

static void pharos_records(void *engine, bench_record_fn record, void *context)
{
    const pharos *self = engine;
    for (uint32_t i = 0; i < self->held_count; i++) {
        bench_batch_records(self->held[i], record, context);
    }
}

static void pharos_heard(void *engine, bench_heard_fn heard, void *context)
{
    const pharos *self = engine;
    for (uint32_t i = 0; i < self->held_count; i++) {
        bench_batch_heard(self->held[i], heard, context);
    }
}

static bool pharos_queries(void *engine, uint32_t count, bench_queries *times, bench_error *error)
{
    pharos *self = engine;
    return bench_queries_measure(self->world, count, self->mem, times, error);
}

static bool pharos_turns(void *engine, const ph_world_def *def, bench_turns *times, bench_error *error)
{
    pharos *self = engine;
    return bench_turns_measure(self->world, self->producer, def, times, error);
}

static bool pharos_places(void *engine, const ph_world_def *def, bench_places *times, bench_error *error)
{
    pharos *self = engine;
    return bench_places_measure(self->world, def, self->mem, times, error);
}

static bool pharos_release(void *engine, bench_error *error)
{
    pharos *self = engine;
    for (uint32_t i = 0; i < self->held_count; i++) {
        ph_status status = ph_batch_return(self->consumers[self->held_from[i]], self->held[i]);
        if (status != PH_OK) {
            return bench_fail(error, "ph_batch_return: %s", ph_status_text(status));
        }
    }
    self->held_count = 0;
    return true;
}

/* One tick of the setup, to empty the producer's queue or to end it. */
static bool setup_tick(pharos *self, bench_record_fn record, void *context, bench_error *error)
{
    if (!tick_and_walk(self, error)) {
        return false;
    }
    pharos_records(self, record, context);
    return pharos_release(self, error);
}

static bool pharos_setup(void *engine, const bench_frame *frame, bench_record_fn record, void *context,
                         bench_error *error)
{
    pharos *self = engine;
    for (uint32_t i = 0; i < frame->span_count; i++) {
        const bench_span *span = &frame->spans[i];
        for (uint32_t from = 0; from < span->count;) {
            uint32_t done = 0;
            ph_status status = bench_submit_span(self->producer, frame, span, from, &done);
            from += done;
            if (status == PH_FULL && i == 0 && from == 0) {
                return bench_fail(error, "the producer's queue is full before the first command");
            }
            if (status == PH_FULL && !setup_tick(self, record, context, error)) {
                return false;
            }
        }
    }
    return setup_tick(self, record, context, error);
}

static bool pharos_stats(void *engine, bench_stats *stats, bench_error *error)
{
    const pharos *self = engine;
    ph_stats world;
    ph_status status = ph_world_stats(self->world, &world);
    if (status != PH_OK) {
        return bench_fail(error, "ph_world_stats: %s", ph_status_text(status));
    }
    if (self->keeps && self->kept.entries != world.list_entries) {
        return bench_fail(error, "%llu entries of lists are kept from events, the world has %llu",
                          (unsigned long long)self->kept.entries, (unsigned long long)world.list_entries);
    }
    *stats = (bench_stats){.submit_ns = self->submit_ns};
    bench_stats_add_world(stats, &world);
    bench_stats_add_walked(stats, &self->walked);
    return true;
}

/* An engine of the library; they differ in how they are made. */
#define LIBRARY_ENGINE(engine_name, engine_create, engine_doc) \
    { \
        .name = (engine_name), .doc = (engine_doc), .create = (engine_create), .setup = pharos_setup, \
        .ready = pharos_ready, .tick = pharos_tick, .records = pharos_records, .heard = pharos_heard, \
        .release = pharos_release, .stats = pharos_stats, .queries = pharos_queries, .places = pharos_places, \
        .turns = pharos_turns, .destroy = pharos_destroy \
    }

const bench_engine bench_engine_pharos =
    LIBRARY_ENGINE("pharos", pharos_create,
                   "the library, through its public calls: ph_move_many, ph_tick, ph_batch_take and ph_batch_return");

const bench_engine bench_engine_kept = LIBRARY_ENGINE(
    "kept", kept_create, "pharos with a consumer that keeps the whole lists of all observers from events");

const bench_engine bench_engine_seen = LIBRARY_ENGINE(
    "seen", seen_create, "pharos with a monitor open, which gets a frame of the whole world in each tick");

const bench_engine bench_engine_spread =
    LIBRARY_ENGINE("spread", spread_create, "as seen, and a frame renews a part of the points, as by default");

const bench_engine bench_engine_chosen = LIBRARY_ENGINE(
    "chosen", chosen_create, "as spread, in each second tick, with a chosen entity and the questions of a page");

bool bench_engine_adds(const bench_engine *engine)
{
    return engine == &bench_engine_kept || engine == &bench_engine_seen || engine == &bench_engine_spread ||
           engine == &bench_engine_chosen;
}
