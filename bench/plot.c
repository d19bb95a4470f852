/*
 * The plots; see plot.h. A plot is a gnuplot script with its figures inside, one block a
 * line, and is drawn twice: PNG and SVG.
 */
#include "bench/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = "gnuplot";

enum { COLOURS = 12 };

/* In the order of the engines, or of the scenarios. */
static const char *const colours[COLOURS] = { "#d62728", "#1f77b4", "#2ca02c", "#9467bd",
                                              "#8c564b", "#e377c2", "#7f7f7f", "#17becf",
                                              "#ff7f0e", "#bcbd22", "#000000", "#aec7e8" };

typedef struct plotter {
    const char *folder;
    const bench_plan *plan;
    const bench_machine *machine;
    bench_error *error;
    FILE *script;
} plotter;

/* ---- gnuplot ---- */

static bool find_program(void)
{
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char file[PATH_MAX];
        int length = (int)strcspn(path, ":");
        int size = snprintf(file, sizeof file, "%.*s/%s", length, path, program);
        if (size > 0 && (size_t)size < sizeof file && access(file, X_OK) == 0) {
            return true;
        }
        path += length;
        path += *path == ':' ? 1 : 0;
    }
    return false;
}

bool bench_plot_check(const char *folder, bench_error *error)
{
    if (!find_program()) {
        return bench_fail(error, "--plot: there is no gnuplot in PATH; install it (package gnuplot-nox) or leave "
                                 "--plot out");
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return bench_fail(error, "--plot: %s: %s", folder, strerror(errno));
    }
    struct stat is;
    if (stat(folder, &is) == 0 && !S_ISDIR(is.st_mode)) {
        return bench_fail(error, "--plot: %s: %s", folder, strerror(ENOTDIR));
    }
    if (access(folder, W_OK | X_OK) != 0) {
        return bench_fail(error, "--plot: %s: %s", folder, strerror(errno));
    }
    return true;
}

/* In the folder, so that the script's own names hold. */
static bool run_script(const plotter *self, const char *name)
{
    pid_t child = fork();
    if (child < 0) {
        return bench_fail(self->error, "--plot: fork: %s", strerror(errno));
    }
    if (child == 0) {
        if (chdir(self->folder) == 0) {
            execlp(program, program, name, (char *)NULL);
        }
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return bench_fail(self->error, "--plot: gnuplot could not draw %s/%s", self->folder, name);
    }
    return true;
}

static bool begin(plotter *self, const char *name, const char *title)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.gp", self->folder, name);
    self->script = fopen(path, "w");
    if (self->script == NULL) {
        return bench_fail(self->error, "--plot: %s: %s", path, strerror(errno));
    }
    fprintf(self->script,
            "set title \"%s\\n{/*0.75 %s, %s}\"\n"
            "set grid\nset border 3\nset tics nomirror\nset key noenhanced\nset datafile missing '-'\n",
            title, self->machine->cpu, self->machine->build);
    return true;
}

/* `draw` = the plot command; draws it into both formats. */
static bool end(plotter *self, const char *name, const char *draw)
{
    static const char *const formats[][2] = {
        { "png", "pngcairo size 1200,700 font 'Sans,15' background 'white'" },
        { "svg", "svg size 1200,700 font 'Sans,15' background 'white'" },
    };
    for (uint32_t i = 0; i < 2; i++) {
        fprintf(self->script, "set terminal %s\nset output '%s.%s'\n%s\n", formats[i][1], name, formats[i][0], draw);
    }
    bool bad = ferror(self->script) != 0;
    bad = fclose(self->script) != 0 || bad;
    self->script = NULL;
    if (bad) {
        return bench_fail(self->error, "--plot: %s/%s.gp: %s", self->folder, name, strerror(errno));
    }
    char file[64];
    snprintf(file, sizeof file, "%s.gp", name);
    return run_script(self, file);
}

/* ---- lines ---- */

/* The plot command, piece by piece; a piece that does not fit any more is a defect. */
typedef struct command {
    char text[4096];
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

static void add_line(command *to, uint32_t block, const char *title, uint32_t colour)
{
    add(to, "%s$d%" PRIu32 " using 1:2 with linespoints linewidth 3 pointtype 7 pointsize 1.2 linecolor rgb '%s' "
        "title '%s'", to->used == 0 ? "plot " : ", ", block, colours[colour % COLOURS], title);
}

static double targets_in_view(const bench_case *run)
{
    return run->last.observers == 0 ? 0 : (double)run->last.list_entries / (double)run->last.observers;
}

/* One line an engine: cost of a move over the entities, or over the targets in view, of the sweep's cases. */
static bool plot_sweep(plotter *self, bench_plot kind, const char *name, const char *title, const char *x_label)
{
    command draw = { .used = 0 };
    bool begun = false;
    for (uint32_t e = 0; e < bench_engine_count(); e++) {
        bool any = false;
        for (uint32_t i = 0; i < self->plan->case_count; i++) {
            const bench_case *run = &self->plan->cases[i];
            if (run->plot != kind || run->engine != bench_engine_at(e)) {
                continue;
            }
            if (!begun && !begin(self, name, title)) {
                return false;
            }
            begun = true;
            if (!any) {
                fprintf(self->script, "$d%" PRIu32 " << END\n", e);
            }
            any = true;
            bench_summary summary = bench_samples_summary(&run->samples, self->plan->mem);
            fprintf(self->script, "%.3f %.3f\n",
                    kind == BENCH_PLOT_ENTITIES ? (double)run->last.entities : targets_in_view(run),
                    summary.ns_per_move_median);
        }
        if (any) {
            fputs("END\n", self->script);
            add_line(&draw, e, bench_engine_at(e)->name, e);
        }
    }
    if (!begun) {
        return true;
    }
    fprintf(self->script, "set xlabel '%s'\nset ylabel 'nanoseconds per move (median tick)'\n"
            "set logscale xy\nset key top left\n", x_label);
    return end(self, name, draw.text);
}

/* ---- workers ---- */

static const bench_case *one_worker(const bench_plan *plan, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        if (!plan->cases[i].engine->single && plan->cases[i].def.workers == 1) {
            return &plan->cases[i];
        }
    }
    return NULL;
}

static bool same_layout(const bench_case *a, const bench_case *b)
{
    return a->engine == b->engine && a->producers == b->producers && a->def.shards[0] == b->def.shards[0]
        && a->def.shards[1] == b->def.shards[1];
}

/* One line a scenario: how much faster a tick is than with one worker. */
static bool plot_workers(plotter *self)
{
    command draw = { .used = 0 };
    uint32_t workers_max = 1, block = 0;
    for (uint32_t i = 0; i < self->plan->case_count; i++) {
        uint32_t workers = self->plan->cases[i].def.workers;
        workers_max = workers > workers_max ? workers : workers_max;
    }
    if (workers_max == 1) {
        return true;
    }
    if (!begin(self, "workers", "More workers: how many times faster than one (median tick; higher is better)")) {
        return false;
    }
    for (uint32_t first = 0; first < self->plan->case_count;) {
        uint32_t next = bench_plan_scenario_end(self->plan, first);
        const bench_case *model = one_worker(self->plan, first, next);
        if (model != NULL && model->plot == BENCH_PLOT_NONE && model->moves > 0 && block < COLOURS) {
            double alone = bench_samples_summary(&model->samples, self->plan->mem).tick_us.p50;
            fprintf(self->script, "$d%" PRIu32 " << END\n", block);
            for (uint32_t i = first; i < next; i++) {
                const bench_case *run = &self->plan->cases[i];
                if (same_layout(run, model)) {
                    double tick = bench_samples_summary(&run->samples, self->plan->mem).tick_us.p50;
                    fprintf(self->script, "%" PRIu32 " %.3f\n", run->def.workers, alone / tick);
                }
            }
            fputs("END\n", self->script);
            add_line(&draw, block, model->name, block);
            block++;
        }
        first = next;
    }
    add(&draw, "%sx with lines dashtype 2 linecolor rgb 'black' title 'as many times as workers'",
        draw.used == 0 ? "plot " : ", ");
    fprintf(self->script, "set xlabel 'workers'\nset ylabel 'times faster than one worker'\n"
            "set xrange [1:%" PRIu32 "]\nset xtics 1\nset yrange [0:]\nset key outside right\n", workers_max);
    return end(self, "workers", draw.text);
}

/* ---- engines ---- */

static const bench_case *of_engine(const bench_plan *plan, uint32_t first, uint32_t end, const bench_engine *engine)
{
    for (uint32_t i = first; i < end; i++) {
        const bench_case *run = &plan->cases[i];
        if (run->engine == engine && run->def.workers == 1) {
            return run;
        }
    }
    return NULL;
}

/* One group of bars a scenario, one bar an engine, on one worker. */
static bool plot_engines(plotter *self)
{
    const bench_plan *plan = self->plan;
    bool used[BENCH_LIST_MAX] = { false };
    if (!begin(self, "engines", "Engines side by side on one worker: the cost of a move (lower is better)")) {
        return false;
    }
    fputs("$d << END\n", self->script);
    for (uint32_t first = 0; first < plan->case_count;) {
        uint32_t next = bench_plan_scenario_end(plan, first);
        const bench_case *model = &plan->cases[first];
        if (model->plot == BENCH_PLOT_NONE && model->moves > 0) {
            fprintf(self->script, "\"%s\"", model->name);
            for (uint32_t e = 0; e < bench_engine_count(); e++) {
                const bench_case *run = of_engine(plan, first, next, bench_engine_at(e));
                if (run == NULL) {
                    fputs(" -", self->script);
                    continue;
                }
                used[e] = true;
                fprintf(self->script, " %.3f", bench_samples_summary(&run->samples, plan->mem).ns_per_move_median);
            }
            fputc('\n', self->script);
        }
        first = next;
    }
    fputs("END\nset style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9 noborder\n"
          "set logscale y\nset ylabel 'nanoseconds per move (median tick)'\nset xtics rotate by -20 noenhanced\n"
          "set key top left\n", self->script);
    command draw = { .used = 0 };
    for (uint32_t e = 0; e < bench_engine_count(); e++) {
        if (used[e]) {
            add(&draw, "%s$d using %" PRIu32 ":xtic(1) linecolor rgb '%s' title '%s'", draw.used == 0 ? "plot " : ", ",
                e + 2, colours[e % COLOURS], bench_engine_at(e)->name);
        }
    }
    if (draw.used == 0) {
        fclose(self->script);
        return true;
    }
    return end(self, "engines", draw.text);
}

bool bench_plot_write(const char *folder, const bench_plan *plan, const bench_machine *machine, bench_error *error)
{
    plotter self = { .folder = folder, .plan = plan, .machine = machine, .error = error };
    return plot_engines(&self)
        && plot_sweep(&self, BENCH_PLOT_ENTITIES, "entities",
                      "More entities, 3 in view of each: the cost of a move (lower is better)", "entities")
        && plot_sweep(&self, BENCH_PLOT_DENSITY, "density",
                      "Closer together: the cost of a move (lower is better)", "others in view, on average")
        && plot_workers(&self);
}
