/*
 * The end of the table: the indexes of Pharos side by side, one row a scenario, and their work. Only of cases
 * for which indexes were asked; see report.h.
 */
#include "bench/report_indexes.h"

#include <inttypes.h>

#include "bench/option_lists.h"

static bool has_figures(const bench_case *run)
{
    return run->indexed && run->plot == BENCH_PLOT_NONE && run->given_up[0] == '\0' && run->samples.count > 0;
}

/* The indexes of all cases, in the order of ph_index. */
static uint32_t find_columns(const bench_plan *plan, ph_index columns[])
{
    uint32_t count = 0;
    for (uint32_t index = 0; index <= PH_INDEX_TIMER; index++) {
        bool used = false;
        for (uint32_t i = 0; i < plan->case_count; i++) {
            used = used || (plan->cases[i].indexed && plan->cases[i].def.index == (ph_index)index);
        }
        columns[count] = (ph_index)index;
        count += used ? 1 : 0;
    }
    return count;
}

/* The first with this index, of cases [first, end): of their first layout. */
static const bench_case *find_index(const bench_plan *plan, uint32_t first, uint32_t end, ph_index index)
{
    for (uint32_t i = first; i < end; i++) {
        const bench_case *run = &plan->cases[i];
        if (has_figures(run) && run->def.index == index) {
            return run;
        }
    }
    return NULL;
}

static const char *word_of(ph_index index)
{
    return bench_index_label(index) + sizeof "pharos/" - 1;
}

/* Nanoseconds per move; where no entity moves, microseconds per tick. */
static void cost_table(FILE *out, const bench_plan *plan, const ph_index columns[], uint32_t count)
{
    fputs("\nIndexes: the cost of a move in ns, median tick (idle: of a tick in us); - not run, or given up\n", out);
    fprintf(out, "%-15s", "scenario");
    for (uint32_t c = 0; c < count; c++) {
        fprintf(out, " %10s", word_of(columns[c]));
    }
    fputc('\n', out);
    for (uint32_t first = 0, end; first < plan->case_count; first = end) {
        end = bench_plan_scenario_end(plan, first);
        fprintf(out, "%-15s", plan->cases[first].name);
        for (uint32_t c = 0; c < count; c++) {
            const bench_case *run = find_index(plan, first, end, columns[c]);
            if (run == NULL) {
                fprintf(out, " %10s", "-");
                continue;
            }
            bench_summary summary = bench_samples_summary(&run->samples, plan->mem);
            fprintf(out, " %10.1f", run->moves > 0 ? summary.ns_per_move_median : summary.tick_us.p50);
        }
        fputc('\n', out);
    }
}

/* The work of a tick, on average. */
static void work_row(FILE *out, const bench_case *run)
{
    double ticks = run->samples.count, entities = (double)run->last.entities;
    fprintf(out, "%-15s %-10s | %10.1f %10.1f | %12.0f %12.0f %12.0f | %8.0f\n", run->name, word_of(run->def.index),
            (double)run->phase_ns[BENCH_INDEX] / 1e3 / ticks, (double)run->phase_ns[BENCH_INTEREST] / 1e3 / ticks,
            (double)run->index_steps / ticks, (double)run->towers_visited / ticks, (double)run->pairs_tested / ticks,
            entities > 0 ? (double)run->last.bytes / entities : 0);
}

static void work_table(FILE *out, const bench_plan *plan, const ph_index columns[], uint32_t count)
{
    static const char head[] = "%-15s %-10s | %10s %10s | %12s %12s %12s | %8s\n";
    fputs("\nTheir work in a tick, on average\n", out);
    fprintf(out, head, "scenario", "index", "index us", "interest", "steps", "visited", "pairs", "bytes");
    fprintf(out, head, "", "", "", "us", "", "", "", "/entity");
    for (uint32_t first = 0, end; first < plan->case_count; first = end) {
        end = bench_plan_scenario_end(plan, first);
        for (uint32_t c = 0; c < count; c++) {
            const bench_case *run = find_index(plan, first, end, columns[c]);
            if (run != NULL) {
                work_row(out, run);
            }
        }
    }
    fputs("steps: of keeping the index in order; visited: towers, cells, nodes; pairs: candidates that were decided\n",
          out);
}

void bench_report_indexes(FILE *out, const bench_plan *plan)
{
    ph_index columns[PH_INDEX_TIMER + 1];
    uint32_t count = find_columns(plan, columns);
    if (count == 0) {
        return;
    }
    cost_table(out, plan, columns, count);
    work_table(out, plan, columns, count);
}
