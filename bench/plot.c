/*
 * The plots: the choice of cases for each picture; see plot.h. A picture for which
 * there are no figures is left out.
 */
#include "bench/plot.h"

#include "bench/plot_bars.h"
#include "bench/plot_script.h"
#include "bench/plot_sweeps.h"

bool bench_plot_check(const char *folder, bench_error *error)
{
    return bench_script_check(folder, error);
}

bool bench_plot_write(const char *folder, const bench_plan *plan, const bench_machine *machine, bench_error *error)
{
    bench_plotter self = {.folder = folder, .plan = plan, .machine = machine, .error = error};
    return bench_plot_engines(&self) && bench_plot_indexes(&self) &&
           bench_plot_sweep(&self, BENCH_PLOT_ENTITIES, "entities",
                            "More entities, 3 in view of each: the cost of a move (lower is better)") &&
           bench_plot_sweep(&self, BENCH_PLOT_DENSITY, "density",
                            "Closer together: the cost of a move (lower is better)") &&
           bench_plot_workers(&self);
}
