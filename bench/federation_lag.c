/*
 * The lag of copies; see federation_lag.h. An entity's place on its circle says in which tick it was there.
 */
#include "bench/federation_lag.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "bench/base/memory.h"
#include "bench/federation_nodes.h"
#include "tools/cli.h"
#include "tools/tick_times.h"

enum { LAG_ENTITIES = 3000, LAG_TICKS = 300, WARMUP_TICKS = 40, NS_IN_S = 1000000000 };

typedef struct lag_run {
    bench_federation federation;
    bench_fed_crowd crowd;
    uint64_t began_ns[BENCH_FED_CIRCLE_TICKS][BENCH_FED_NODES]; /* of the last ticks, by tick and node */
    phx_tick_times ages;
} lag_run;

static void sleep_until(uint64_t due_ns)
{
    const struct timespec due = {.tv_sec = (time_t)(due_ns / NS_IN_S), .tv_nsec = (long)(due_ns % NS_IN_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
    }
}

/* The copy of entity i at this node, within the tick that has just been run. */
static void note_age(lag_run *run, uint32_t node, uint32_t i, uint64_t tick, uint64_t now_ns)
{
    ph_attrs attrs;
    const uint32_t owner = run->crowd.node[i];
    if (owner == node || ph_entity_get(run->federation.nodes[node].world, i + 1, &attrs) != PH_OK) return;
    for (uint64_t age = 0; age < BENCH_FED_CIRCLE_TICKS && age <= tick; age++) {
        const ph_position was = bench_fed_crowd_place(&run->crowd, i, tick - age);
        const uint64_t began_ns = run->began_ns[(tick - age) % BENCH_FED_CIRCLE_TICKS][owner];
        if (was.x != attrs.x || was.y != attrs.y || began_ns > now_ns) continue;
        phx_tick_times_add(&run->ages, now_ns - began_ns);
        return;
    }
}

static ph_status run_tick(lag_run *run, uint32_t node, uint64_t tick)
{
    const uint64_t now_ns = phx_clock_ns();
    const ph_status status = bench_federation_tick(&run->federation, node);
    run->began_ns[tick % BENCH_FED_CIRCLE_TICKS][node] = now_ns;
    for (uint32_t i = 0; i < run->crowd.count && status == PH_OK && tick > WARMUP_TICKS; i++)
        note_age(run, node, i, tick, now_ns);
    return status;
}

static ph_status run_ticks(lag_run *run)
{
    const uint64_t first_ns = phx_clock_ns();
    ph_status status = PH_OK;
    for (uint64_t tick = 1; tick <= WARMUP_TICKS + LAG_TICKS && status == PH_OK; tick++) {
        bench_fed_crowd_walk(&run->crowd, tick);
        bench_federation_step(&run->federation);
        for (uint32_t node = 0; node < BENCH_FED_NODES && status == PH_OK; node++) {
            sleep_until(first_ns + tick * BENCH_FED_TICK_NS + node * (BENCH_FED_TICK_NS / BENCH_FED_NODES));
            status = run_tick(run, node, tick);
        }
    }
    return status;
}

static void print_ages(FILE *out, const lag_run *run)
{
    static const uint32_t percents[] = {50, 99, 100};
    fprintf(out, "\nlag over NATS, %d nodes with 20 ticks a second: %" PRIu64 " copies in %d ticks\n", BENCH_FED_NODES,
            run->ages.count, LAG_TICKS);
    for (uint32_t i = 0; i < sizeof percents / sizeof *percents; i++)
        fprintf(out, "  age of a copy in a tick that sees it: p%-24" PRIu32 " %10.2f ms\n", percents[i],
                (double)phx_tick_times_ns(&run->ages, percents[i]) / 1e6);
}

bool bench_federation_lag(FILE *out, const bench_options *options, phx_mem *mem)
{
    lag_run *run = bench_alloc(mem, sizeof *run);
    bench_fed_crowd_make(&run->crowd, mem, LAG_ENTITIES, BENCH_FED_SPREAD, options->seed);
    bool good =
        bench_federation_open(&run->federation, mem, &run->crowd, BENCH_FED_NODES, BENCH_FED_NATS, options->nats);
    const char *reason = run->federation.reason;
    if (good) {
        const ph_status status = run_ticks(run);
        good = status == PH_OK && run->ages.count > 0;
        reason = status == PH_OK ? "no node hears another one" : ph_status_text(status);
    }
    if (good) print_ages(out, run);
    else fprintf(stderr, "pharos-bench: --federation: --nats %s: %s\n", options->nats, reason);
    bench_federation_close(&run->federation);
    bench_fed_crowd_free(&run->crowd, mem);
    phx_free(mem, run, sizeof *run, PHX_CACHE_LINE);
    return good;
}
