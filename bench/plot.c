/*
 * The plots: the choice of cases for each picture; see plot.h. A picture for which
 * there are no figures is left out.
 */
#include "bench/plot.h"

#include <inttypes.h>
#include <stdarg.h>
#include <time.h>

#include "bench/engines/pharos.h"
#include "bench/engines/table.h"
#include "bench/plot_script.h"

enum { COLOURS = 9 };

/* Of engines in the order of their table, of numbers of workers in theirs, of indexes in that of ph_index. */
static const char *const colours[COLOURS] = {"#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b",
                                             "#ff7f0e", "#17becf", "#7f7f7f", "#bcbd22"};

typedef struct plotter {
    const char *folder;
    const bench_plan *plan;
    const bench_machine *machine;
    bench_error *error;
} plotter;

bool bench_plot_check(const char *folder, bench_error *error)
{
    return bench_script_check(folder, error);
}

/* The plot command, piece by piece; a piece that does not fit any more is a defect. */
typedef struct command {
    char text[8192];
    size_t used;
} command;

static void add(command *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(command *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(to->text + to->used, sizeof to->text - to->used, format, arguments);
    va_end(arguments);
    PHX_ASSERT(size >= 0 && to->used + (size_t)size < sizeof to->text);
    to->used += (size_t)size;
}

static const char *separator(const command *draw)
{
    return draw->used == 0 ? "plot " : ", ";
}

/* Machine, build, Pharos' layout and the day: where the figures hold. */
static bool begin(const plotter *self, bench_script *script, const char *name, const char *title,
                  const bench_case *pharos)
{
    char under[512], layout[64] = "", day[16] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(day, sizeof day, "%Y-%m-%d", &utc);
    }
    if (pharos != NULL) {
        snprintf(layout, sizeof layout, "pharos with %" PRIu32 " x %" PRIu32 " shards, ", pharos->def.shards[0],
                 pharos->def.shards[1]);
    }
    snprintf(under, sizeof under, "%s, %" PRIu32 " CPUs; %s, %s; %s%s", self->machine->cpu, self->machine->cpus,
             self->machine->compiler, self->machine->build, layout, day);
    *script = (bench_script){.folder = self->folder, .name = name, .error = self->error};
    return bench_script_begin(script, title, under);
}

/* ---- lines: the sweeps ---- */

static double targets_in_view(const bench_case *run)
{
    return run->last.observers == 0 ? 0 : (double)run->last.list_entries / (double)run->last.observers;
}

typedef struct bounds {
    double low, high;
} bounds;

static void widen(bounds *of, double value)
{
    of->low = of->high == 0 || value < of->low ? value : of->low;
    of->high = value > of->high ? value : of->high;
}

/* The points of one engine as a data block; false = it has none. */
static bool sweep_line(const plotter *self, FILE *file, bench_plot kind, uint32_t engine, bounds *x, bounds *y)
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
        widen(x, at);
        widen(y, cost);
        fprintf(file, "%.3f %.3f\n", at, cost);
    }
    if (any) {
        fputs("END\n", file);
    }
    return any;
}

/* One line an engine: cost of a move over the entities, or over the targets in view, of the sweep's cases. */
static bool plot_sweep(const plotter *self, bench_plot kind, const char *name, const char *title)
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
    if (!begin(self, &script, name, title, first->engine == &bench_engine_pharos ? first : NULL)) {
        return false;
    }
    bounds x = {0, 0}, y = {0, 0};
    command draw = {.used = 0};
    for (uint32_t e = 0; e < bench_engine_count(); e++) {
        if (sweep_line(self, script.file, kind, e, &x, &y)) {
            add(&draw,
                "%s$d%" PRIu32 " using 1:2 with linespoints linewidth 3 pointtype 7 pointsize 1.2 linecolor "
                "rgb '%s' title '%s'",
                separator(&draw), e, colours[e % COLOURS], bench_engine_at(e)->name);
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

/* ---- bars: a group a scenario ---- */

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
static void engines_data(const plotter *self, FILE *file, uint32_t engines_most, bool used[BENCH_LIST_MAX], bounds *y)
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
            widen(y, cost);
            fprintf(file, " %.3f", cost);
        }
        fputc('\n', file);
    }
    fputs("END\n", file);
}

/* One bar an engine, on one worker. */
static bool plot_engines(const plotter *self)
{
    const bench_plan *plan = self->plan;
    bool used[BENCH_LIST_MAX] = {false};
    bounds y = {0, 0};
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
    if (!begin(self, &script, "engines", "Engines side by side on one worker: the cost of a move (lower is better)",
               pharos)) {
        return false;
    }
    engines_data(self, script.file, engines_most, used, &y);
    bars_style(&script);
    bench_script_set(&script, "ylabel", "nanoseconds per move (median tick)");
    bench_script_log_axis(&script, 'y', y.low / 2, y.high); /* the shortest bar is one, too */
    command draw = {.used = 0};
    for (uint32_t e = 0; e < bench_engine_count(); e++) {
        if (used[e]) {
            add(&draw, "%s$d using %" PRIu32 ":xtic(1) linecolor rgb '%s' title '%s'", separator(&draw), e + 2,
                colours[e % COLOURS], bench_engine_at(e)->name);
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

static void indexes_data(const plotter *self, FILE *file, bool used[], bounds *y)
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
            widen(y, cost);
            fprintf(file, " %.3f", cost);
        }
        fputc('\n', file);
    }
    fputs("END\n", file);
}

/* One bar an index of Pharos. */
static bool plot_indexes(const plotter *self)
{
    const bench_plan *plan = self->plan;
    bool used[PH_INDEX_TIMER + 1] = {false};
    bounds y = {0, 0};
    const bench_case *indexed = NULL;
    for (uint32_t i = 0; i < plan->case_count && indexed == NULL; i++) {
        bool drawn = plan->cases[i].indexed && plan->cases[i].moves > 0;
        indexed = drawn ? &plan->cases[i] : NULL;
    }
    bench_script script;
    if (indexed == NULL) {
        return true;
    }
    if (!begin(self, &script, "indexes", "Indexes of Pharos, the same events: the cost of a move (lower is better)",
               indexed)) {
        return false;
    }
    indexes_data(self, script.file, used, &y);
    bars_style(&script);
    bench_script_set(&script, "ylabel", "nanoseconds per move (median tick)");
    bench_script_log_axis(&script, 'y', y.low / 2, y.high);
    command draw = {.used = 0};
    for (uint32_t index = 0; index <= PH_INDEX_TIMER; index++) {
        if (used[index]) {
            add(&draw, "%s$d using %" PRIu32 ":xtic(1) linecolor rgb '%s' title '%s'", separator(&draw), index + 2,
                colours[index % COLOURS], bench_index_label((ph_index)index) + sizeof "pharos/" - 1);
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

static double median_us(const plotter *self, const bench_case *run)
{
    return bench_samples_summary(&run->samples, self->plan->mem).tick_us.p50;
}

static void workers_data(const plotter *self, FILE *file, const uint32_t counts[], uint32_t count)
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

/* One bar a number of workers: how much faster a tick of Pharos is than with one. */
static bool plot_workers(const plotter *self)
{
    const bench_plan *plan = self->plan;
    uint32_t counts[BENCH_LIST_MAX];
    uint32_t count = worker_counts(plan, counts);
    const bench_case *pharos = find(plan, 0, plan->case_count, &bench_engine_pharos, 1);
    bench_script script;
    if (count == 0 || pharos == NULL) {
        return true;
    }
    if (!begin(self, &script, "workers", "More workers: how many times faster than one (median tick; higher is better)",
               pharos)) {
        return false;
    }
    workers_data(self, script.file, counts, count);
    bars_style(&script);
    bench_script_set(&script, "ylabel", "times faster than one worker");
    fputs("set yrange [0:*]\n", script.file);
    command draw = {.used = 0};
    for (uint32_t w = 0; w < count; w++) {
        const char *colour = colours[(w + 1) % COLOURS];
        add(&draw, "%s$d using %" PRIu32 ":xtic(1) linecolor rgb '%s' title '%" PRIu32 " workers'", separator(&draw),
            w + 2, colour, counts[w]);
        add(&draw, ", %" PRIu32 " with lines dashtype 2 linewidth 2 linecolor rgb '%s' notitle", counts[w], colour);
    }
    add(&draw, ", 1 with lines linewidth 2 linecolor rgb 'black' title 'one worker'");
    return bench_script_draw(&script, draw.text);
}

bool bench_plot_write(const char *folder, const bench_plan *plan, const bench_machine *machine, bench_error *error)
{
    plotter self = {.folder = folder, .plan = plan, .machine = machine, .error = error};
    return plot_engines(&self) && plot_indexes(&self) &&
           plot_sweep(&self, BENCH_PLOT_ENTITIES, "entities",
                      "More entities, 3 in view of each: the cost of a move (lower is better)") &&
           plot_sweep(&self, BENCH_PLOT_DENSITY, "density", "Closer together: the cost of a move (lower is better)") &&
           plot_workers(&self);
}
