/*
 * The common part of the baselines; see baseline.h.
 */
#include "bench/baselines/baseline.h"

#include <math.h>

#include "bench/base/memory.h"
#include "tools/cli.h"

void *baseline_create(size_t bytes, const ph_world_def *def, phx_mem *mem)
{
    PHX_ASSERT(bytes >= sizeof(baseline));
    baseline *self = bench_alloc(mem, bytes);
    phx_mem_init(&self->mem, mem->allocator);
    self->outer = mem;
    self->def = def;
    self->sent.mem = &self->mem;
    population_init(&self->people, &self->mem);
    return self;
}

void baseline_destroy(baseline *self, size_t bytes)
{
    population_free(&self->people);
    sent_free(&self->sent);
    PHX_ASSERT(atomic_load_explicit(&self->mem.bytes, memory_order_relaxed) == 0);
    phx_free(self->outer, self, bytes, PHX_CACHE_LINE);
}

static void apply_enters(baseline *self, const bench_frame *frame, const bench_span *span, const baseline_hooks *hooks)
{
    for (uint32_t i = span->first; i < span->first + span->count; i++) {
        const ph_attrs *attrs = &frame->enter_attrs[i];
        bool plain = (attrs->given & ~(uint32_t)(PH_POSITION | PH_KIND | PH_CONSUMER)) == 0 &&
                     fabsf(attrs->x) <= PH_COORDINATE_MAX && fabsf(attrs->y) <= PH_COORDINATE_MAX;
        uint32_t slot = POPULATION_NONE;
        if (plain) {
            slot = population_enter(&self->people, frame->enter_ids[i], (point){attrs->x, attrs->y});
        }
        if (slot == POPULATION_NONE) {
            self->stats.refused++;
        } else if (hooks != NULL) {
            hooks->entered(self, slot);
        }
    }
}

static void apply_leaves(baseline *self, const bench_frame *frame, const bench_span *span, const baseline_hooks *hooks)
{
    for (uint32_t i = span->first; i < span->first + span->count; i++) {
        uint32_t slot = population_leave(&self->people, frame->leave_ids[i]);
        if (slot == POPULATION_NONE) {
            self->stats.refused++;
        } else if (hooks != NULL) {
            hooks->left(self, slot);
        }
    }
}

static void apply_moves(baseline *self, const bench_frame *frame, const bench_span *span, const baseline_hooks *hooks)
{
    population *people = &self->people;
    for (uint32_t i = span->first; i < span->first + span->count; i++) {
        const ph_position *to = &frame->move_positions[i];
        uint32_t slot = population_find(people, frame->move_ids[i]);
        if (slot == POPULATION_NONE || !(fabsf(to->x) <= PH_COORDINATE_MAX) || !(fabsf(to->y) <= PH_COORDINATE_MAX)) {
            self->stats.refused++;
            continue;
        }
        people->at[slot] = (point){to->x, to->y};
        if (hooks != NULL) {
            hooks->moved(self, slot);
        }
    }
}

void baseline_apply(baseline *self, const bench_frame *frame, const baseline_hooks *hooks)
{
    population_begin(&self->people);
    sent_begin(&self->sent);
    for (uint32_t i = 0; i < frame->span_count; i++) {
        const bench_span *span = &frame->spans[i];
        switch (span->op) {
        case BENCH_ENTER:
            apply_enters(self, frame, span, hooks);
            break;
        case BENCH_LEAVE:
            apply_leaves(self, frame, span, hooks);
            break;
        case BENCH_MOVE:
            apply_moves(self, frame, span, hooks);
            break;
        case BENCH_SAY: /* not run with it: see bench_engine.heard */
        case BENCH_OTHER:
            self->stats.refused += span->count;
            break;
        }
    }
}

uint64_t baseline_phase(baseline *self, bench_phase phase, uint64_t begin)
{
    uint64_t now = phx_clock_ns();
    self->stats.phase_ns[phase] = now - begin;
    return now;
}

void baseline_tick_at_once(baseline *self, const bench_frame *frame, const baseline_hooks *hooks, net_log *log)
{
    uint64_t clock = phx_clock_ns();
    baseline_apply(self, frame, hooks);
    clock = baseline_phase(self, BENCH_INTEREST, clock);
    net_log_emit(log, &self->people, &self->sent);
    sent_walk(&self->sent);
    baseline_phase(self, BENCH_PUBLISH, clock);
}

void baseline_quiet(baseline *self)
{
    for (uint32_t i = 0; i < BENCH_PHASES; i++) {
        self->stats.phase_ns[i] = 0;
    }
}

void baseline_records(void *engine, bench_record_fn record, void *context)
{
    const baseline *self = engine;
    sent_records(&self->sent, record, context);
}

bool baseline_release(void *engine, bench_error *error)
{
    baseline *self = engine;
    (void)error;
    sent_begin(&self->sent);
    return true;
}

bool baseline_stats(void *engine, bench_stats *stats, bench_error *error)
{
    baseline *self = engine;
    (void)error;
    *stats = self->stats;
    stats->bytes = atomic_load_explicit(&self->mem.bytes, memory_order_relaxed);
    stats->entities = self->people.live_count;
    stats->observers = self->people.live_count;
    stats->enters = self->sent.enters;
    stats->leaves = self->sent.leaves;
    return true;
}

static const char *refuse(const ph_world_def *def, bool trace)
{
    const ph_class *class = &def->classes[0];
    if (trace) {
        return "it does not know all commands of a trace";
    }
    if (def->crowd_entities > 0) {
        return "it has no crowd control";
    }
    if (def->class_count != 1) {
        return "it has one class of entities only";
    }
    if (!(class->view > 0) || class->global || !class->ready || (class->sees & class->layers) == 0 ||
        class->stealth > class->detect || class->veiled || class->adds_max > 0) {
        return "it has observers with a plain view only: no layers, stealth, veil, adds_max, global or not ready ones";
    }
    return NULL;
}

const char *baseline_refuse_limited_circle(const ph_world_def *def, bool trace)
{
    const ph_class *class = &def->classes[0];
    if (def->range != PH_RANGE_RADIUS || def->shape != PH_SHAPE_CIRCLE) {
        return "it has circles only";
    }
    if (class->reach > class->view || class->visible < class->view) {
        return "it has one radius only: no reach beyond the view, no visible below it";
    }
    return refuse(def, trace);
}

const char *baseline_refuse_circle(const ph_world_def *def, bool trace)
{
    const ph_class *class = &def->classes[0];
    return class->margin > 0 || class->cap > 0 ? "it has neither margin nor cap"
                                               : baseline_refuse_limited_circle(def, trace);
}

const char *baseline_refuse_towers(const ph_world_def *def, bool trace)
{
    if (def->range != PH_RANGE_TOWERS || def->span != 1) {
        return "it is for range = towers with span = 1";
    }
    if (def->classes[0].cap > 0) {
        return "it has no cap";
    }
    return refuse(def, trace);
}
