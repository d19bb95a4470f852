/*
 * Times plain: the end of the table with --features; see report_features.h.
 */
#include "bench/report_features.h"

#include <inttypes.h>

#include "bench/features/table.h"

bench_times_plain bench_times_plain_of(const bench_case *run, phx_mem *mem)
{
    PHX_ASSERT(run->plain != NULL && run->samples.count > 0);
    if (run->before.count == 0) return (bench_times_plain){0};
    bench_summary with = bench_samples_summary(&run->samples, mem);
    bench_summary without = bench_samples_summary(&run->before, mem); /* as many: a least of more ticks is less */
    double changes = (double)run->commands / run->samples.count;
    return (bench_times_plain){
        .cpu_min = with.cpu_us.min / without.cpu_us.min,
        .cpu_p50 = with.cpu_us.p50 / without.cpu_us.p50,
        .tick_min = with.tick_us.min / without.tick_us.min,
        .tick_p50 = with.tick_us.p50 / without.tick_us.p50,
        .plain_us_min = without.tick_us.min,
        .plain_us_p50 = without.tick_us.p50,
        .change_us = changes > 0 ? (with.cpu_us.min - without.cpu_us.min) / changes : 0,
    };
}

static void cell(FILE *out, int width, int digits, double value, bool known)
{
    if (known) {
        fprintf(out, " %*.*f", width, digits, value);
    } else {
        fprintf(out, " %*s", width, "-");
    }
}

static void row(FILE *out, const bench_case *run, phx_mem *mem)
{
    char shards[32];
    snprintf(shards, sizeof shards, "%" PRIu32 "x%" PRIu32, run->def.shards[0], run->def.shards[1]);
    fprintf(out, "%-15s %-20s %7" PRIu32 " %6s %-20s", run->name, run->label, run->def.workers, shards,
            run->features->text);
    if (run->given_up[0] != '\0') {
        fprintf(out, " | given up: %s\n", run->given_up);
        return;
    }
    bench_times_plain times = bench_times_plain_of(run, mem);
    bench_summary summary = bench_samples_summary(&run->samples, mem);
    double looks = (double)run->last.observers * run->samples.count;
    fputs(" |", out);
    const bool known = run->before.count > 0;
    cell(out, 7, 2, times.cpu_min, known);
    cell(out, 7, 2, times.cpu_p50, known);
    cell(out, 7, 2, times.tick_min, known);
    cell(out, 7, 2, times.tick_p50, known);
    bench_spread ticks = run->hz > 0 ? summary.latency_us : summary.tick_us;
    fputs(" |", out);
    cell(out, 9, 1, ticks.p50, true);
    cell(out, 9, 1, ticks.p99, true);
    fputs(" |", out);
    cell(out, 8, 1, summary.ns_per_move_min, run->moves > 0);
    cell(out, 9, 1, looks > 0 ? 100 * (double)run->observers_evaluated / looks : 0, looks > 0);
    cell(out, 9, 2, times.change_us, known && run->commands > 0);
    cell(out, 7, 0, (double)run->last.bytes / (double)run->last.entities, run->last.entities > 0);
    fputc('\n', out);
}

void bench_report_features(FILE *out, const bench_plan *plan)
{
    static const char columns[] = "%-15s %-20s %7s %6s %-20s | %7s %7s %7s %7s | %9s %9s | %8s %9s %9s %7s\n";
    bool begun = false;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        const bench_case *run = &plan->cases[i];
        if (run->plain == NULL || run->plain->given_up[0] != '\0' || run->stopped) {
            continue;
        }
        if (!begun) {
            fputs("\nFeatures, in times plain: a tick with them, divided by a tick of the same run without. cpu: by "
                  "processor time, tick: by the clock\n",
                  out);
            fprintf(out, columns, "scenario", "engine", "workers", "shards", "features", "cpu", "", "tick", "",
                    run->hz > 0 ? "late us" : "tick us", "", "ns/move", "evaluated", "us each", "bytes");
            fprintf(out, columns, "", "", "", "", "", "min", "median", "min", "median", "median", "p99", "min", "%",
                    "change", "/entity");
        }
        begun = true;
        row(out, run, plan->mem);
    }
    if (begun) {
        fputs("evaluated: observers in full, of all; change: a command that is no move, by the difference of the "
              "minima\n",
              out);
    }
}

void bench_report_feature_list(FILE *out)
{
    fputs("\nFeatures (--features), to be joined by +\n", out);
    for (uint32_t i = 0; i < bench_feature_count(); i++) {
        const bench_feature *feature = bench_feature_at(i);
        fprintf(out, "  %s\n    %s", feature->name, feature->doc);
        for (uint32_t k = 0; feature->keys != NULL && feature->keys[k] != NULL; k++) {
            fprintf(out, "%s%s", k == 0 ? ": " : ", ", feature->keys[k]);
        }
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < bench_preset_count(); i++) {
        fprintf(out, "  %s\n    %s: %s\n", bench_preset_at(i)->name, bench_preset_at(i)->doc, bench_preset_at(i)->text);
    }
}
