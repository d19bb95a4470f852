/*
 * The table, --list and the faults; the formats for programs are in report_data.c.
 */
#include "bench/report.h"

#include <inttypes.h>
#include <string.h>

#include "bench/engines/table.h"
#include "bench/report_features.h"
#include "bench/report_indexes.h"
#include "bench/report_ratios.h"
#include "bench/report_tail.h"
#include "bench/scenarios/scenarios.h"
#include "bench/scenarios/table.h"

static const char rule[] = "-------------------------------------------------------------------------------------------"
                           "------------------------------------------------------";

static void print_wrapped_keys(FILE *out, const bench_scenario *scenario)
{
    fprintf(out, "    %" PRIu32 " entities, %.0f x %.0f", scenario->entities, (double)scenario->side,
            (double)scenario->side);
    for (uint32_t i = 0; scenario->keys[i] != NULL; i++) {
        fprintf(out, ", %s", scenario->keys[i]);
    }
    fprintf(out, "; %" PRIu32 " ticks after %" PRIu32 " of warm-up\n", scenario->ticks, scenario->warmup);
}

void bench_report_list(FILE *out)
{
    fputs("Scenarios (--scenario)\n", out);
    for (uint32_t i = 0; i < bench_scenario_count(); i++) {
        const bench_scenario *scenario = bench_scenario_at(i);
        fprintf(out, "  %s\n    %s\n", scenario->name, scenario->doc);
        print_wrapped_keys(out, scenario);
    }
    fprintf(out, "  trace (--trace FILE)\n    %s\n", bench_scenario_trace.doc);
    fputs("\nEngines (--engine)\n", out);
    for (uint32_t i = 0; i < bench_engine_count(); i++) {
        fprintf(out, "  %s\n    %s\n", bench_engine_at(i)->name, bench_engine_at(i)->doc);
    }
    bench_report_feature_list(out);
}

void bench_report_skips(FILE *out, const bench_plan *plan)
{
    for (uint32_t i = 0; i < plan->skip_count; i++) {
        const bench_skip *skip = &plan->skips[i];
        fprintf(out, "pharos-bench: %s skipped in %s: %s\n", skip->label, skip->names, skip->reason);
    }
}

void bench_report_title(const bench_case *run, char title[BENCH_TITLE_SIZE])
{
    char producers[32] = "";
    if (run->producers > 1) {
        snprintf(producers, sizeof producers, ", producers %" PRIu32, run->producers);
    }
    const char *features = run->features == NULL ? "" : run->features->text;
    snprintf(title, BENCH_TITLE_SIZE, "%s%s%.100s on %s, workers %" PRIu32 ", shards %" PRIu32 "x%" PRIu32 "%s",
             run->name, *features == '\0' ? "" : " with ", features, run->label, run->def.workers, run->def.shards[0],
             run->def.shards[1], producers);
}

static void table_head(FILE *out, const bench_machine *machine, uint32_t hz)
{
    const char *what = hz > 0 ? "late us" : "tick us";
    fprintf(out, "%s, %" PRIu32 " CPUs; %s, %s\n\n", machine->cpu, machine->cpus, machine->compiler, machine->build);
    static const char columns[] = "%-15s %-17s %8s %7s %6s %5s | %8s %8s | %9s %9s %9s %9s | %6s %7s | %7s %6s\n";
    fprintf(out, columns, "scenario", "engine", "entities", "workers", "shards", "prod-", "ns/move", "", what, "", "",
            "cpu us", "moves", "events", "bytes", "times");
    fprintf(out, columns, "", "", "", "", "", "ucers", "min", "median", "median", "p99", "max", "median", "M/s", "M/s",
            "/entity", "faster");
    fprintf(out, "%s\n", rule);
}

static void cell(FILE *out, int width, int digits, double value, bool known)
{
    if (known) {
        fprintf(out, "%*.*f", width, digits, value);
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

static double per_second_m(uint64_t count, uint64_t ns)
{
    return ns == 0 ? 0 : (double)count * 1e3 / (double)ns;
}

/* first_us: the median tick of the scenario's first row. */
static void table_row(FILE *out, const bench_case *run, const bench_summary *summary, double first_us)
{
    char shards[16];
    bool moved = run->moves > 0;
    snprintf(shards, sizeof shards, "%" PRIu32 "x%" PRIu32, run->def.shards[0], run->def.shards[1]);
    fprintf(out, "%-15s %-17s %8" PRIu64 " %7" PRIu32 " %6s %5" PRIu32 " | ", run->name, run->label, run->last.entities,
            run->def.workers, shards, run->producers);
    cell(out, 8, 1, summary->ns_per_move_min, moved);
    fputc(' ', out);
    cell(out, 8, 1, summary->ns_per_move_median, moved);
    bool late = run->hz > 0;
    fprintf(out, " | %9.1f %9.1f %9.1f %9.1f | ", late ? summary->latency_us.p50 : summary->tick_us.p50,
            late ? summary->latency_us.p99 : summary->tick_us.p99,
            late ? summary->latency_us.max : summary->tick_us.max, summary->cpu_us.p50);
    cell(out, 6, 2, per_second_m(run->moves, run->total_ns), moved);
    fputc(' ', out);
    cell(out, 7, 2, per_second_m(run->enters + run->leaves, run->total_ns), run->enters + run->leaves > 0);
    fputs(" | ", out);
    cell(out, 7, 0, (double)run->last.bytes / (double)run->last.entities, run->last.entities > 0);
    fprintf(out, " %6.2f\n", first_us / summary->tick_us.p50);
}

/* The common part of all rows of a scenario. */
static void table_end(FILE *out, const bench_case *run)
{
    fprintf(out, "%-15s event hash %016" PRIx64 ", %" PRIu64 " events with the warm-up", "", run->event_hash,
            run->events_all);
    if (run->verify_every > 0) {
        fprintf(out, "; %" PRIu64 " lists compared", run->lists_compared);
    }
    if (run->last.refused > 0) {
        fprintf(out, "; %" PRIu64 " commands refused (pharos-replay names them)", run->last.refused);
    }
    fputs("\n", out);
}

static void report_producers(FILE *out, const bench_plan *plan)
{
    bool begun = false;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        const bench_case *run = &plan->cases[i];
        if (!run->scenario->spreads || run->engine->single || run->given_up[0] != '\0') {
            continue;
        }
        if (!begun) {
            static const char columns[] = "%-15s %8s %7s %6s %5s | %9s %9s %9s %9s | %9s %9s %9s\n";
            fputs("\nMoves from several threads at once: handing them over, and the rest of the tick\n", out);
            fprintf(out, columns, "scenario", "entities", "workers", "shards", "prod-", "submit us", "", "", "moves",
                    "rest us", "", "");
            fprintf(out, columns, "", "", "", "", "ucers", "median", "p99", "max", "M/s", "median", "p99", "max");
        }
        begun = true;
        char shards[32];
        bench_summary summary = bench_samples_summary(&run->samples, plan->mem);
        double moves = (double)run->moves / run->samples.count;
        snprintf(shards, sizeof shards, "%" PRIu32 "x%" PRIu32, run->def.shards[0], run->def.shards[1]);
        fprintf(out, "%-15s %8" PRIu64 " %7" PRIu32 " %6s %5" PRIu32 " | %9.1f %9.1f %9.1f %9.1f | %9.1f %9.1f %9.1f\n",
                run->name, run->last.entities, run->def.workers, shards, run->producers, summary.submit_us.p50,
                summary.submit_us.p99, summary.submit_us.max, moves / summary.submit_us.p50, summary.rest_us.p50,
                summary.rest_us.p99, summary.rest_us.max);
    }
}

static void report_talk(FILE *out, const bench_plan *plan)
{
    bool begun = false;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        const bench_case *run = &plan->cases[i];
        if (!run->scenario->talks || run->given_up[0] != '\0') {
            continue;
        }
        if (!begun) {
            static const char columns[] = "%-15s %8s %7s %6s | %10s %10s | %10s %12s\n";
            fputs("\nBroadcasts by deliveries, in whole ticks; queries between ticks\n", out);
            fprintf(out, columns, "scenario", "entities", "workers", "shards", "deliveries", "deliveries", "ph_list",
                    "ph_observers");
            fprintf(out, columns, "", "", "", "", "a tick", "M/s", "ns/id", "ns/id");
        }
        begun = true;
        char shards[32];
        snprintf(shards, sizeof shards, "%" PRIu32 "x%" PRIu32, run->def.shards[0], run->def.shards[1]);
        fprintf(out, "%-15s %8" PRIu64 " %7" PRIu32 " %6s | %10.0f %10.1f | %10.1f %12.1f\n", run->name,
                run->last.entities, run->def.workers, shards, (double)run->heard / run->samples.count,
                per_second_m(run->heard, run->total_ns), run->queries.list_ns_per_id, run->queries.observers_ns_per_id);
    }
}

static void report_places(FILE *out, const bench_plan *plan)
{
    static const char *const names[] = {"circle", "box", "sector", "quad", "nearest", "list", "sees it", "any order"};
    bool begun = false;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        const bench_case *run = &plan->cases[i];
        if (!run->scenario->asks || run->engine->places == NULL || run->given_up[0] != '\0') {
            continue;
        }
        if (!begun) {
            fputs("\nQueries of places and lists (in any order, too) after the ticks, thousands a second; ph_verify, "
                  "ns a pair\n",
                  out);
            fprintf(out, "%-15s %8s %7s %6s %9s | %8s %8s %8s %8s %8s\n", "scenario", "entities", "workers", "shards",
                    "shape", "found", "single", "batched", "ns/id", "batched");
        }
        begun = true;
        char shards[32];
        snprintf(shards, sizeof shards, "%" PRIu32 "x%" PRIu32, run->def.shards[0], run->def.shards[1]);
        for (uint32_t what = 0; what < sizeof names / sizeof *names; what++) {
            const double found = run->places.found[what], least = found > 0 ? found : 1;
            const double single_ns = run->places.single_ns[what], batched_ns = run->places.batched_ns[what];
            fprintf(out, "%-15s %8" PRIu64 " %7" PRIu32 " %6s %9s | %8.1f %8.0f %8.0f %8.1f %8.1f\n", run->name,
                    run->last.entities, run->def.workers, shards, names[what], found, 1e6 / single_ns, 1e6 / batched_ns,
                    single_ns / least, batched_ns / least);
        }
        fprintf(out, "%-15s %8" PRIu64 " %7" PRIu32 " %6s %9s | %8.1f\n", run->name, run->last.entities,
                run->def.workers, shards, "verify", run->places.verify_ns_per_pair);
    }
}

static void report_turns(FILE *out, const bench_plan *plan)
{
    bool begun = false;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        const bench_case *run = &plan->cases[i];
        if (!(run->applies.apply_ns > 0) || run->given_up[0] != '\0') continue;
        if (!begun) {
            fputs("\nA move and a query that sees it, ns a turn: with ph_apply(), and with a tick\n", out);
            fprintf(out, "%-15s %8s %7s | %9s %11s\n", "scenario", "entities", "workers", "apply", "tick");
        }
        begun = true;
        fprintf(out, "%-15s %8" PRIu64 " %7" PRIu32 " | %9.0f %11.0f\n", run->name, run->last.entities,
                run->def.workers, run->applies.apply_ns, run->applies.tick_ns);
    }
}

/* One line for all that Ctrl-C left out. */
static void report_stopped(FILE *out, const bench_plan *plan)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        const bench_case *run = &plan->cases[i];
        if (!run->stopped || (name != NULL && strcmp(name, run->name) == 0)) continue;
        fprintf(out, "%s%s", name == NULL ? "not run, because of Ctrl-C: " : ", ", run->name);
        name = run->name;
    }
    if (name != NULL) fputc('\n', out);
}

void bench_report_table(FILE *out, const bench_plan *plan, const bench_machine *machine)
{
    uint32_t hz = plan->cases[0].hz;
    table_head(out, machine, hz);
    for (uint32_t first = 0; first < plan->case_count;) {
        uint32_t end = bench_plan_scenario_end(plan, first);
        if (plan->cases[first].features != NULL) { /* in a table of their own */
            first = end;
            continue;
        }
        double first_us = 0;
        for (uint32_t i = first; i < end; i++) {
            const bench_case *run = &plan->cases[i];
            if (run->stopped) continue; /* told behind all */
            if (run->given_up[0] != '\0') {
                fprintf(out, "%-15s %-17s given up: %s\n", run->name, run->label, run->given_up);
                continue;
            }
            bench_summary summary = bench_samples_summary(&run->samples, plan->mem);
            first_us = first_us <= 0 ? summary.tick_us.p50 : first_us;
            table_row(out, run, &summary, first_us);
        }
        if (!bench_plan_model(plan, first, end)->stopped) table_end(out, bench_plan_model(plan, first, end));
        first = end;
    }
    report_stopped(out, plan);
    fputs("times faster: the median tick of the scenario's first row, divided by this row's\n", out);
    if (hz > 0) fprintf(out, "late: from when the tick was due, %" PRIu32 " times a second, to its end\n", hz);
    report_producers(out, plan);
    report_talk(out, plan);
    report_places(out, plan);
    report_turns(out, plan);
    bench_report_tail(out, plan);
    bench_report_features(out, plan);
    bench_report_ratios(out, plan);
    bench_report_indexes(out, plan);
}

bool bench_report_faults(FILE *out, const bench_plan *plan)
{
    bool any = false;
    for (uint32_t i = 0; i < plan->case_count; i++) {
        const bench_case *run = &plan->cases[i];
        char name[BENCH_TITLE_SIZE];
        bench_report_title(run, name);
        if (run->hash_differs) {
            fprintf(out,
                    "pharos-bench: %s, seed %" PRIu64 ": other events than an earlier run of the scenario: "
                    "hash %016" PRIx64 ", %" PRIu64 " events\n",
                    name, run->seed, run->event_hash, run->events_all);
        }
        for (uint32_t f = 0; f < run->faults.count && f < BENCH_FAULTS_KEPT; f++) {
            fprintf(out, "pharos-bench: %s, seed %" PRIu64 ": %s\n", name, run->seed, run->faults.text[f]);
        }
        if (run->faults.count > BENCH_FAULTS_KEPT) {
            fprintf(out, "pharos-bench: %s: %" PRIu64 " faults in all\n", name, run->faults.count);
        }
        any = any || run->hash_differs || run->faults.count > 0;
    }
    return any;
}
