/*
 * Plots of bars; see plot_bars.h.
 */
#include "bench/plot_bars.h"

#include <inttypes.h>

#include "bench/engines/pharos.h"
#include "bench/engines/table.h"
#include "bench/option_lists.h"

static void bars_style(bench_script *script)
{
    fputs("set style data histograms\nset style histogram clustered gap 1.5\nset style fill solid 0.9 noborder\n"
          "set boxwidth 1\nset xtics rotate by 25 right noenhanced scale 0\nset bmargin 6\n",
          script->file);
}

static const bench_case *find(const bench_plan *plan, uint32_t first, uint32_t end, const bench_engine *engine,
                              uint32_t workers)
{
    for (uint32_t i = first; i < end; i++) {
        const bench_case *run = &plan->cases[i];
        bool other = run->given_up[0] != '\0' || (run->indexed && run->def.index != PH_INDEX_LIGHTHOUSE);
        if (!other && run->engine == engine && run->def.workers == workers) {
            return run;
        }
    }
    return NULL;
}

static uint32_t engines_in(const bench_plan *plan, uint32_t first, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < bench_engine_count(); e++) {
        count += find(plan, first, end, bench_engine_at(e), 1) != NULL ? 1 : 0;
    }
    return count;
}

static bool is_bar_group(const bench_plan *plan, uint32_t first)
{
    const bench_case *run = bench_plan_model(plan, first, bench_plan_scenario_end(plan, first));
    return run->plot == BENCH_PLOT_NONE && run->moves > 0;
}

/* A row a scenario; without scenarios that one engine runs alone, unless there is only one engine. */
static void engines_data(const bench_plotter *self, FILE *file, uint32_t engines_most, bool used[BENCH_LIST_MAX],
                         bench_bounds *y)
{
    const bench_plan *plan = self->plan;
    fputs("$d << END\n", file);
    for (uint32_t first = 0, next; first < plan->case_count; first = next) {
        next = bench_plan_scenario_end(plan, first);
        uint32_t count = engines_in(plan, first, next);
        if (!is_bar_group(plan, first) || count == 0 || (count == 1 && engines_most > 1)) {
            continue;
        }
        fprintf(file, "\"%s\"", plan->cases[first].name);
        for (uint32_t e = 0; e < bench_engine_count(); e++) {
            const bench_case *run = find(plan, first, next, bench_engine_at(e), 1);
            if (run == NULL) {
                fputs(" -", file);
                continue;
            }
            used[e] = true;
            double cost = bench_samples_summary(&run->samples, plan->mem).ns_per_move_median;
            bench_bounds_widen(y, cost);
            fprintf(file, " %.3f", cost);
        }
        fputc('\n', file);
    }
    fputs("END\n", file);
}

bool bench_plot_engines(const bench_plotter *self)
{
    const bench_plan *plan = self->plan;
    bool used[BENCH_LIST_MAX] = {false};
    bench_bounds y = {0, 0};
    uint32_t engines_most = 0;
    for (uint32_t first = 0; first < plan->case_count; first = bench_plan_scenario_end(plan, first)) {
        uint32_t count = engines_in(plan, first, bench_plan_scenario_end(plan, first));
        engines_most = is_bar_group(plan, first) && count > engines_most ? count : engines_most;
    }
    if (engines_most == 0) {
        return true;
    }
    bench_script script;
    const bench_case *pharos = find(plan, 0, plan->case_count, &bench_engine_pharos, 1);
    if (!bench_plot_begin(self, &script, "engines",
                          "Engines side by side on one worker: the cost of a move (lower is better)", pharos)) {
        return false;
    }
    engines_data(self, script.file, engines_most, used, &y);
    bars_style(&script);
    bench_script_set(&script, "ylabel", "nanoseconds per move (median tick)");
    bench_script_log_axis(&script, 'y', y.low / 2, y.high); /* the shortest bar is one, too */
    bench_plot_command draw = {.used = 0};
    for (uint32_t e = 0; e < bench_engine_count(); e++) {
        if (used[e]) {
            bench_plot_add(&draw, "%s$d using %" PRIu32 ":xtic(1) linecolor rgb '%s' title '%s'",
                           bench_plot_separator(&draw), e + 2, bench_plot_colour(e), bench_engine_at(e)->name);
        }
    }
    return bench_script_draw(&script, draw.text);
}

static const bench_case *find_index(const bench_plan *plan, uint32_t first, uint32_t end, uint32_t index)
{
    for (uint32_t i = first; i < end; i++) {
        const bench_case *run = &plan->cases[i];
        if (run->indexed && run->given_up[0] == '\0' && run->def.index == (ph_index)index) {
            return run;
        }
    }
    return NULL;
}

static void indexes_data(const bench_plotter *self, FILE *file, bool used[], bench_bounds *y)
{
    const bench_plan *plan = self->plan;
    fputs("$d << END\n", file);
    for (uint32_t first = 0, next; first < plan->case_count; first = next) {
        next = bench_plan_scenario_end(plan, first);
        if (!is_bar_group(plan, first)) {
            continue;
        }
        fprintf(file, "\"%s\"", plan->cases[first].name);
        for (uint32_t index = 0; index <= PH_INDEX_TIMER; index++) {
            const bench_case *run = find_index(plan, first, next, index);
            if (run == NULL) {
                fputs(" -", file);
                continue;
            }
            used[index] = true;
            double cost = bench_samples_summary(&run->samples, plan->mem).ns_per_move_median;
            bench_bounds_widen(y, cost);
            fprintf(file, " %.3f", cost);
        }
        fputc('\n', file);
    }
    fputs("END\n", file);
}

bool bench_plot_indexes(const bench_plotter *self)
{
    const bench_plan *plan = self->plan;
    bool used[PH_INDEX_TIMER + 1] = {false};
    bench_bounds y = {0, 0};
    const bench_case *indexed = NULL;
    for (uint32_t i = 0; i < plan->case_count && indexed == NULL; i++) {
        bool drawn = plan->cases[i].indexed && plan->cases[i].moves > 0;
        indexed = drawn ? &plan->cases[i] : NULL;
    }
    bench_script script;
    if (indexed == NULL) {
        return true;
    }
    if (!bench_plot_begin(self, &script, "indexes",
                          "Indexes of Pharos, the same events: the cost of a move (lower is better)", indexed)) {
        return false;
    }
    indexes_data(self, script.file, used, &y);
    bars_style(&script);
    bench_script_set(&script, "ylabel", "nanoseconds per move (median tick)");
    bench_script_log_axis(&script, 'y', y.low / 2, y.high);
    bench_plot_command draw = {.used = 0};
    for (uint32_t index = 0; index <= PH_INDEX_TIMER; index++) {
        if (used[index]) {
            bench_plot_add(&draw, "%s$d using %" PRIu32 ":xtic(1) linecolor rgb '%s' title '%s'",
                           bench_plot_separator(&draw), index + 2, bench_plot_colour(index),
                           bench_index_label((ph_index)index) + sizeof "pharos/" - 1);
        }
    }
    return bench_script_draw(&script, draw.text);
}

/* The numbers of workers of all cases, each once, in the order of the command line. */
static uint32_t worker_counts(const bench_plan *plan, uint32_t counts[BENCH_LIST_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        uint32_t workers = plan->cases[i].def.workers, known = 0;
        while (known < count && counts[known] != workers) {
            known++;
        }
        if (known == count && workers > 1 && count < BENCH_LIST_MAX) {
            counts[count++] = workers;
        }
    }
    return count;
}

static double median_us(const bench_plotter *self, const bench_case *run)
{
    return bench_samples_summary(&run->samples, self->plan->mem).tick_us.p50;
}

static void workers_data(const bench_plotter *self, FILE *file, const uint32_t counts[], uint32_t count)
{
    const bench_plan *plan = self->plan;
    fputs("$d << END\n", file);
    for (uint32_t first = 0, next; first < plan->case_count; first = next) {
        next = bench_plan_scenario_end(plan, first);
        const bench_case *alone = find(plan, first, next, &bench_engine_pharos, 1);
        if (alone == NULL || !is_bar_group(plan, first)) {
            continue;
        }
        fprintf(file, "\"%s\"", alone->name);
        for (uint32_t w = 0; w < count; w++) {
            const bench_case *run = find(plan, first, next, &bench_engine_pharos, counts[w]);
            if (run == NULL) {
                fputs(" -", file);
            } else {
                fprintf(file, " %.3f", median_us(self, alone) / median_us(self, run));
            }
        }
        fputc('\n', file);
    }
    fputs("END\n", file);
}

bool bench_plot_workers(const bench_plotter *self)
{
    const bench_plan *plan = self->plan;
    uint32_t counts[BENCH_LIST_MAX];
    uint32_t count = worker_counts(plan, counts);
    const bench_case *pharos = find(plan, 0, plan->case_count, &bench_engine_pharos, 1);
    bench_script script;
    if (count == 0 || pharos == NULL) {
        return true;
    }
    if (!bench_plot_begin(self, &script, "workers",
                          "More workers: how many times faster than one (median tick; higher is better)", pharos)) {
        return false;
    }
    workers_data(self, script.file, counts, count);
    bars_style(&script);
    bench_script_set(&script, "ylabel", "times faster than one worker");
    fputs("set yrange [0:*]\n", script.file);
    bench_plot_command draw = {.used = 0};
    for (uint32_t w = 0; w < count; w++) {
        const char *colour = bench_plot_colour((w + 1));
        bench_plot_add(&draw, "%s$d using %" PRIu32 ":xtic(1) linecolor rgb '%s' title '%" PRIu32 " workers'",
                       bench_plot_separator(&draw), w + 2, colour, counts[w]);
        bench_plot_add(&draw, ", %" PRIu32 " with lines dashtype 2 linewidth 2 linecolor rgb '%s' notitle", counts[w],
                       colour);
    }
    bench_plot_add(&draw, ", 1 with lines linewidth 2 linecolor rgb 'black' title 'one worker'");
    return bench_script_draw(&script, draw.text);
}
