/*
 * The end of the table: Pharos against each baseline, by scenario, as the time of a
 * baseline's tick divided by the time of Pharos' tick.
 */
#include "bench/report_ratios.h"

#include <inttypes.h>

#include "bench/engines/pharos.h"
#include "bench/engines/table.h"

static bool is_baseline(const bench_case *run)
{
    return run->engine != &bench_engine_pharos;
}

/* The baselines of all cases, in the order of the engines' table. */
static uint32_t find_columns(const bench_plan *plan, const bench_engine *columns[])
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < bench_engine_count() && e < BENCH_LIST_MAX; e++) {
        for (uint32_t i = 0; i < plan->case_count; i++) {
            if (is_baseline(&plan->cases[i]) && plan->cases[i].engine == bench_engine_at(e)) {
                columns[count++] = bench_engine_at(e);
                break;
            }
        }
    }
    return count;
}

static const bench_case *find_case(const bench_plan *plan, uint32_t first, uint32_t end, const bench_engine *engine)
{
    for (uint32_t i = first; i < end; i++) {
        if (plan->cases[i].engine == engine) {
            return &plan->cases[i];
        }
    }
    return NULL;
}

static void ratio_cell(FILE *out, const bench_summary *pharos, const bench_summary *baseline)
{
    char median[32], min[32];
    snprintf(median, sizeof median, "%.2fx", baseline->tick_us.p50 / pharos->tick_us.p50);
    snprintf(min, sizeof min, "%.2fx", baseline->tick_us.min / pharos->tick_us.min);
    fprintf(out, " | %9s %9s", median, min);
}

/* A row for each layout of Pharos in the cases [first, end); none when no baseline runs the scenario. */
static void scenario_rows(FILE *out, const bench_plan *plan, uint32_t first, uint32_t end,
                          const bench_engine *const columns[], uint32_t column_count)
{
    bool alone = true;
    for (uint32_t i = first; i < end; i++) {
        alone = alone && !is_baseline(&plan->cases[i]);
    }
    for (uint32_t i = first; i < end && !alone; i++) {
        const bench_case *run = &plan->cases[i];
        bool apart = run->given_up[0] != '\0' || (run->indexed && run->def.index != PH_INDEX_LIGHTHOUSE);
        if (is_baseline(run) || apart || run->producers > 1) { /* a baseline has one */
            continue;
        }
        char shards[32];
        snprintf(shards, sizeof shards, "%" PRIu32 "x%" PRIu32, run->def.shards[0], run->def.shards[1]);
        bench_summary pharos = bench_samples_summary(&run->samples, plan->mem);
        fprintf(out, "%-15s %8" PRIu64 " %7" PRIu32 " %6s", run->name, run->last.entities, run->def.workers, shards);
        const char *features = run->features == NULL ? NULL : run->features->text;
        for (uint32_t c = 0; c < column_count; c++) {
            const bench_case *other = find_case(plan, first, end, columns[c]);
            if (other == NULL) {
                fprintf(out, " | %9s %9s", "-", "-");
                continue;
            }
            bench_summary baseline = bench_samples_summary(&other->samples, plan->mem);
            ratio_cell(out, &pharos, &baseline);
        }
        fprintf(out, "%s%s\n", features == NULL ? "" : " | with ", features == NULL ? "" : features);
    }
}

void bench_report_ratios(FILE *out, const bench_plan *plan)
{
    const bench_engine *columns[BENCH_LIST_MAX];
    uint32_t count = find_columns(plan, columns);
    bool pharos = find_case(plan, 0, plan->case_count, &bench_engine_pharos) != NULL;
    if (count == 0 || !pharos) {
        return;
    }
    fprintf(out, "\nPharos against the baselines: ticks that it runs while they run one, by median and by minimum\n");
    fprintf(out, "%-15s %8s %7s %6s", "scenario", "entities", "workers", "shards");
    for (uint32_t c = 0; c < count; c++) {
        fprintf(out, " | %-19s", columns[c]->name);
    }
    fprintf(out, "\n%-15s %8s %7s %6s", "", "", "", "");
    for (uint32_t c = 0; c < count; c++) {
        fprintf(out, " | %9s %9s", "median", "min");
    }
    fputc('\n', out);
    for (uint32_t first = 0; first < plan->case_count;) {
        uint32_t end = bench_plan_scenario_end(plan, first);
        scenario_rows(out, plan, first, end, columns, count);
        first = end;
    }
}
