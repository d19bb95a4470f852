/*
 * The table of --tail; see report_tail.h.
 */
#include "bench/report_tail.h"

#include <inttypes.h>

static void row(FILE *out, const bench_case *run, phx_mem *mem)
{
    char shards[32];
    bench_tail tail = bench_samples_tail(&run->samples, run->rounds, mem);
    snprintf(shards, sizeof shards, "%" PRIu32 "x%" PRIu32, run->def.shards[0], run->def.shards[1]);
    fprintf(out, "%-15s %-17s %7" PRIu32 " %6s %7" PRIu32 " %6" PRIu32 " | %9.1f %9.1f %9.1f %9.1f %9.1f | %6.2fx",
            run->name, run->label, run->def.workers, shards, run->samples.count / run->rounds, run->rounds, tail.p50,
            tail.p90, tail.p99, tail.p999, tail.max, tail.p999 / tail.p50);
    fprintf(out, "%s%s\n", run->features == NULL ? "" : " | with ", run->features == NULL ? "" : run->features->text);
}

void bench_report_tail(FILE *out, const bench_plan *plan)
{
    static const char columns[] = "%-15s %-17s %7s %6s %7s %6s | %9s %9s %9s %9s %9s | %7s\n";
    if (!plan->cases[0].tail) {
        return;
    }
    fputs("\nTail: of each tick the least of all rounds, in us\n", out);
    fprintf(out, columns, "scenario", "engine", "workers", "shards", "ticks", "rounds", "p50", "p90", "p99", "p99.9",
            "max", "p99.9");
    fprintf(out, columns, "", "", "", "", "", "", "", "", "", "", "", "of p50");
    for (uint32_t i = 0; i < plan->case_count; i++) {
        if (plan->cases[i].given_up[0] == '\0') {
            row(out, &plan->cases[i], plan->mem);
        }
    }
}
