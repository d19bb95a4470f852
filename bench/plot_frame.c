/*
 * The common part of all plots; see plot_frame.h.
 */
#include "bench/plot_frame.h"

#include <inttypes.h>
#include <stdarg.h>
#include <time.h>

enum { COLOURS = 9 };

static const char *const colours[COLOURS] = {"#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b",
                                             "#ff7f0e", "#17becf", "#7f7f7f", "#bcbd22"};

void bench_plot_add(bench_plot_command *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(to->text + to->used, sizeof to->text - to->used, format, arguments);
    va_end(arguments);
    PHX_ASSERT(size >= 0 && to->used + (size_t)size < sizeof to->text);
    to->used += (size_t)size;
}

const char *bench_plot_separator(const bench_plot_command *draw)
{
    return draw->used == 0 ? "plot " : ", ";
}

bool bench_plot_begin(const bench_plotter *self, bench_script *script, const char *name, const char *title,
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

void bench_bounds_widen(bench_bounds *of, double value)
{
    of->low = of->high == 0 || value < of->low ? value : of->low;
    of->high = value > of->high ? value : of->high;
}

const char *bench_plot_colour(uint32_t number)
{
    return colours[number % COLOURS];
}
