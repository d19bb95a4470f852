/*
 * Finds the best configuration of a world by trying; see advise.h. First every index, then the side of towers, then
 * workers and shards, each with the best of the earlier trials.
 */
#include "bench/advise.h"

#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "bench/option_lists.h"
#include "bench/options.h"
#include "bench/run.h"
#include "tools/cli.h"

/* How long a candidate is measured, as long as --ticks does not say how many; and the most that a slow one gets. */
enum { MEASURE_S = 2, PATIENCE_S = 10 };
/* With more entities, testing every pair is too much work for a tick. */
enum { PAIRS_ENTITIES_MAX = 25000 };
/* A smaller gain does not count: another run might tell otherwise. */
static const double BETTER = 0.95;

/* ---- candidates ---- */

typedef struct advice {
    FILE *out;
    const bench_plan *plan;
    bench_case first; /* as configured */
    ph_world_def best;
    double first_us, best_us;
    bench_summary figures; /* of the best */
    double bytes;          /* an entity */
    int result;
} advice;

static void no_progress(void *user, uint64_t tick, uint64_t ticks)
{
    (void)user, (void)tick, (void)ticks;
}

static void print_figures(FILE *out, const char *what, const bench_case *run, const bench_summary *figures)
{
    double entities = run->last.entities > 0 ? (double)run->last.entities : 1;
    fprintf(out, "  %-34s %10.1f %10.1f %10.1f %10.0f %8" PRIu32 "\n", what, figures->tick_us.p50, figures->tick_us.p99,
            figures->ns_per_move_median, (double)run->last.bytes / entities, run->samples.count);
}

/* Runs one; false: it was given up, or there is trouble. */
static bool measure(advice *self, const char *what, bench_case *run)
{
    bench_error error = {""};
    bench_run_result result = bench_run(run, self->plan->mem, no_progress, NULL, &error);
    if (result != BENCH_RUN_OK) {
        fprintf(stderr, result == BENCH_RUN_BAD_INPUT ? "%s\n" : "pharos-bench: %s\n", error.text);
        self->result = result == BENCH_RUN_BAD_INPUT ? PHX_EXIT_USAGE : PHX_EXIT_TROUBLE;
        return false;
    }
    if (run->given_up[0] != '\0') {
        fprintf(self->out, "  %-34s given up: %s\n", what, run->given_up);
        return false;
    }
    return true;
}

static void keep(advice *self, const bench_case *run, const bench_summary *figures)
{
    self->best = run->def;
    self->best_us = figures->tick_us.p50;
    self->figures = *figures;
    self->bytes = run->last.entities > 0 ? (double)run->last.bytes / (double)run->last.entities : 0;
}

/* Over the ticks of the first one; kept when it is plainly the best so far. */
static void attempt(advice *self, const char *what, ph_world_def def)
{
    bench_case run = self->first;
    run.samples = (bench_samples){0};
    run.def = def;
    run.ticks = self->first.samples.count;
    run.limit_s = 0;
    run.patience_s = PATIENCE_S;
    if (self->result == PHX_EXIT_OK && ph_world_def_check(&def, NULL, 0) == PH_OK && measure(self, what, &run)) {
        bench_summary figures = bench_samples_summary(&run.samples, self->plan->mem);
        print_figures(self->out, what, &run, &figures);
        if (figures.tick_us.p50 < BETTER * self->best_us) {
            keep(self, &run, &figures);
        }
    }
    bench_samples_free(&run.samples, self->plan->mem);
}

static bool as_configured(advice *self)
{
    bench_case *run = &self->first;
    if (!measure(self, "as configured", run)) {
        return false;
    }
    bench_summary figures = bench_samples_summary(&run->samples, self->plan->mem);
    print_figures(self->out, "as configured", run, &figures);
    keep(self, run, &figures);
    self->first_us = figures.tick_us.p50;
    /* from here on runs begin anew */
    run->rounds = 0;
    run->event_hash = run->events_all = 0;
    return true;
}

static void try_indexes(advice *self)
{
    for (int i = 0; i <= PH_INDEX_TIMER; i++) {
        ph_world_def def = self->first.def;
        const char *word = bench_index_label((ph_index)i) + sizeof "pharos/" - 1;
        char what[64];
        snprintf(what, sizeof what, "index = %s", word);
        def.index = (ph_index)i;
        if (def.index == self->first.def.index) {
            continue;
        }
        if (i == PH_INDEX_BRUTE && self->first.last.entities > PAIRS_ENTITIES_MAX) {
            fprintf(self->out, "  %-34s not tried: more than %d entities, and it looks at every pair\n", what,
                    PAIRS_ENTITIES_MAX);
        } else if (ph_world_def_check(&def, NULL, 0) != PH_OK) {
            fprintf(self->out, "  %-34s not tried: it does not serve this range, or is not built in\n", what);
        } else {
            attempt(self, what, def);
        }
    }
}

/* In range = towers their side decides the lists; most indexes have none. */
static void try_towers(advice *self)
{
    static const float views[] = {0, 0.5f, 1, 2, 4}; /* 0 = as the library chooses */
    const ph_world_def def = self->best;
    float view = bench_view_max(&def);
    bool has_towers = def.index == PH_INDEX_LIGHTHOUSE || def.index == PH_INDEX_TOWERS;
    if (def.range == PH_RANGE_TOWERS || !has_towers || !(view > 0)) {
        return;
    }
    for (uint32_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        ph_world_def next = def;
        char what[64];
        next.tower_size = views[i] * view;
        snprintf(what, sizeof what, "tower_size = %.9g", (double)next.tower_size);
        if (next.tower_size < def.tower_size || next.tower_size > def.tower_size) {
            attempt(self, what, next);
        }
    }
}

static void try_layouts(advice *self, uint32_t cpus)
{
    const ph_world_def def = self->best;
    for (uint32_t workers = 1; workers <= cpus && workers <= PH_WORKERS_MAX; workers *= 2) {
        for (uint32_t side = 1; side <= 4 && (side == 1 || workers > 1); side *= 2) {
            ph_world_def next = def;
            char what[64];
            next.workers = workers;
            next.shards[0] = next.shards[1] = side;
            snprintf(what, sizeof what, "workers = %" PRIu32 ", shards = {%" PRIu32 ", %" PRIu32 "}", workers, side,
                     side);
            bool same = workers == def.workers && side == def.shards[0] && side == def.shards[1];
            if (!same) {
                attempt(self, what, next);
            }
        }
    }
}

static void recommend(const advice *self)
{
    const ph_world_def *best = &self->best;
    FILE *out = self->out;
    fprintf(out,
            "\nRecommendation: a tick of %.1f us (median; p99 %.1f), %.0f bytes an entity; %.2f times as fast as "
            "configured\n\n",
            self->best_us, self->figures.tick_us.p99, self->bytes, self->first_us / self->best_us);
    fprintf(out, "    index = %s\n", bench_index_label(best->index) + sizeof "pharos/" - 1);
    fprintf(out, "    tower_size = %.9g\n", (double)best->tower_size);
    fprintf(out, "    shards = {%" PRIu32 ", %" PRIu32 "}\n", best->shards[0], best->shards[1]);
    fprintf(out, "    workers = %" PRIu32 "\n", best->workers);
    fputs("\nWhat is faster by less than 5 % does not count. The events are the same with all of them. Measure again\n"
          "on the machine that the server is for, with nothing else on it.\n",
          out);
}

int bench_advise(FILE *out, const bench_plan *plan, const bench_machine *machine)
{
    PHX_ASSERT(plan->case_count == 1);
    advice self = {.out = out, .plan = plan, .first = plan->cases[0], .result = PHX_EXIT_OK};
    const ph_world_def *def = &self.first.def;
    if (self.first.path == NULL && !(bench_view_max(def) > 0)) {
        fputs("pharos-bench: --advise: no class has a view, so all lists would be empty: --set view=...\n", stderr);
        return PHX_EXIT_USAGE;
    }
    self.first.limit_s = self.first.limit_s > 0 ? MEASURE_S : 0;
    fprintf(out, "%s, %" PRIu32 " CPUs; %s, %s\n", machine->cpu, machine->cpus, machine->compiler, machine->build);
    fprintf(out, "on %s\n\n", self.first.path != NULL ? self.first.path : self.first.name);
    fprintf(out, "  %-34s %10s %10s %10s %10s %8s\n", "", "tick us", "p99", "ns/move", "bytes/ent.", "ticks");
    if (as_configured(&self)) {
        try_indexes(&self);
        try_towers(&self);
        try_layouts(&self, machine->cpus);
        if (self.result == PHX_EXIT_OK) {
            recommend(&self);
        }
    } else if (self.result == PHX_EXIT_OK) {
        self.result = PHX_EXIT_TROUBLE; /* not even that came to an end */
    }
    bench_samples_free(&self.first.samples, plan->mem);
    return self.result;
}
