/*
 * Plots of lines; see plot_sweeps.h.
 */
#include "bench/plot_sweeps.h"

#include <inttypes.h>

#include "bench/engines/pharos.h"
#include "bench/engines/table.h"

static double targets_in_view(const bench_case *run)
{
    return run->last.observers == 0 ? 0 : (double)run->last.list_entries / (double)run->last.observers;
}

/* The points of one engine as a data block; false = it has none. */
static bool sweep_line(const bench_plotter *self, FILE *file, bench_plot kind, uint32_t engine, bench_bounds *x,
                       bench_bounds *y)
{
    bool any = false;
    for (uint32_t i = 0; i < self->plan->case_count; i++) {
        const bench_case *run = &self->plan->cases[i];
        if (run->plot != kind || run->engine != bench_engine_at(engine)) {
            continue;
        }
        if (!any) {
            fprintf(file, "$d%" PRIu32 " << END\n", engine);
        }
        any = true;
        double cost = bench_samples_summary(&run->samples, self->plan->mem).ns_per_move_median;
        double at = kind == BENCH_PLOT_ENTITIES ? (double)run->last.entities : targets_in_view(run);
        bench_bounds_widen(x, at);
        bench_bounds_widen(y, cost);
        fprintf(file, "%.3f %.3f\n", at, cost);
    }
    if (any) {
        fputs("END\n", file);
    }
    return any;
}

bool bench_plot_sweep(const bench_plotter *self, bench_plot kind, const char *name, const char *title)
{
    const bench_plan *plan = self->plan;
    const bench_case *first = NULL;
    for (uint32_t i = 0; i < plan->case_count && first == NULL; i++) {
        first = plan->cases[i].plot == kind ? &plan->cases[i] : NULL;
    }
    bench_script script;
    if (first == NULL) {
        return true;
    }
    if (!bench_plot_begin(self, &script, name, title, first->engine == &bench_engine_pharos ? first : NULL)) {
        return false;
    }
    bench_bounds x = {0, 0}, y = {0, 0};
    bench_plot_command draw = {.used = 0};
    for (uint32_t e = 0; e < bench_engine_count(); e++) {
        if (sweep_line(self, script.file, kind, e, &x, &y)) {
            bench_plot_add(&draw,
                           "%s$d%" PRIu32 " using 1:2 with linespoints linewidth 3 pointtype 7 pointsize 1.2 linecolor "
                           "rgb '%s' title '%s'",
                           bench_plot_separator(&draw), e, bench_plot_colour(e), bench_engine_at(e)->name);
        }
    }
    char among[64];
    snprintf(among, sizeof among, "others in view, on average, among %" PRIu32 " entities", first->entities);
    bench_script_set(&script, "xlabel", kind == BENCH_PLOT_ENTITIES ? "entities" : among);
    bench_script_set(&script, "ylabel", "nanoseconds per move (median tick)");
    bench_script_log_axis(&script, 'x', x.low, x.high);
    bench_script_log_axis(&script, 'y', y.low, y.high);
    return bench_script_draw(&script, draw.text);
}
