/*
 * --federation: measures and reports; see federation.h. Times are CPU times of the one thread that ticks all nodes: a
 * node's round is phc_tick(), its world's tick and phc_told(), as a host has it, without the host's own work. Messages
 * go through the transport within a process, so a figure has their encoding, their copy and their reading, but no
 * network.
 */
#include "bench/federation.h"

#include <inttypes.h>
#include <math.h>

#include "bench/base/memory.h"
#include "bench/federation_cost.h"
#include "bench/federation_lag.h"
#include "bench/federation_nodes.h"
#include "bench/federation_report.h"
#include "tools/cli.h"

enum { ENTITIES = 90000, ROUNDS = 5, WARMUP_TICKS = 20, HAND_OVER_TICKS_MAX = 1000, NS_IN_S = 1000000000 };

/* From a border: beyond the margin of hand-overs, and within sight. */
static const float CROSS_MIN = 20.0f, CROSS_MAX = 120.0f;

typedef struct federation_bench {
    FILE *out;
    const bench_options *options;
    uint32_t entities, rounds;
    phx_mem mem;
} federation_bench;

/*
 * Entities that stand near the first border go to the mirrored place beyond it, the ones of one node in one tick.
 * @return how many
 */
static uint32_t cross(bench_fed_crowd *crowd, uint32_t from)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const float beyond = crowd->homes[i].x - crowd->side;
        const bool is_near = fabsf(beyond) > CROSS_MIN && fabsf(beyond) < CROSS_MAX;
        if (crowd->node[i] != from || !is_near || (beyond > 0) != (from == 1)) continue;
        crowd->homes[i].x = crowd->side - beyond;
        moved++;
    }
    return moved;
}

typedef struct handed {
    double quiet_ns; /* of a tick */
    double extra_ns; /* of all ticks until the last one has come */
    uint64_t count, ticks, crossings;
} handed;

static bool tick_nodes(bench_federation *federation, double *ns)
{
    const ph_status status = bench_federation_round(federation, ns);
    return status == PH_OK || bench_federation_fails("a tick", ph_status_text(status));
}

static bool hand_over(federation_bench *self, bench_federation *federation, handed *result)
{
    double ns, sum_ns = 0;
    for (uint32_t i = 0; i < WARMUP_TICKS; i++) {
        if (!tick_nodes(federation, &ns)) return false;
        if (i == 0 || ns < result->quiet_ns) result->quiet_ns = ns;
    }
    for (uint32_t round = 0; round < self->rounds; round++) {
        const uint64_t before = federation->gained;
        const uint32_t movers = cross(federation->crowd, round % 2);
        result->crossings++;
        for (uint32_t tick = 0; federation->gained - before < movers; tick++) {
            if (tick == HAND_OVER_TICKS_MAX) return bench_federation_fails("hand-overs", "they do not come to an end");
            if (!tick_nodes(federation, &ns)) return false;
            sum_ns += ns;
            result->ticks++;
        }
    }
    result->count = federation->gained;
    result->extra_ns = sum_ns - result->quiet_ns * (double)result->ticks;
    return result->count > 0;
}

static bool measure_hand_overs(federation_bench *self)
{
    bench_fed_crowd crowd;
    bench_federation *federation = bench_alloc(&self->mem, sizeof *federation);
    handed result = {0};
    bench_fed_crowd_make(&crowd, &self->mem, self->entities, BENCH_FED_SPREAD, self->options->seed);
    bool good = bench_federation_open(federation, &self->mem, &crowd, BENCH_FED_NODES, BENCH_FED_LOOP, NULL) ||
                bench_federation_fails("nodes", federation->reason);
    good = good && hand_over(self, federation, &result);
    if (good) {
        fprintf(self->out, "\n%" PRIu64 " hand-overs, in %" PRIu64 " crossings of many at once\n", result.count,
                result.crossings);
        bench_federation_figure(self->out, "CPU of both nodes for a hand-over, with its lists",
                                result.extra_ns / (double)result.count / 1e3, "us");
        bench_federation_figure(self->out, "hand-overs a second of CPU",
                                (double)result.count / result.extra_ns * NS_IN_S, "");
        bench_federation_figure(self->out, "ticks from a crossing to the last entity that has come",
                                (double)result.ticks / (double)result.crossings, "");
    }
    bench_federation_close(federation);
    bench_fed_crowd_free(&crowd, &self->mem);
    phx_free(&self->mem, federation, sizeof *federation, PHX_CACHE_LINE);
    return good;
}

int bench_federation_run(FILE *out, const bench_options *options, const bench_machine *machine)
{
    federation_bench self = {.out = out,
                             .options = options,
                             .entities = options->entities > 0 ? options->entities : ENTITIES,
                             .rounds = options->rounds > 0 ? options->rounds : ROUNDS};
    phx_mem_init(&self.mem, (ph_allocator){0});
    fprintf(out, "%s, %" PRIu32 " CPUs; %s, %s; three nodes in one thread, view 100, %d targets an observer\n",
            machine->cpu, machine->cpus, machine->compiler, machine->build, BENCH_FED_TARGETS);
    const bench_federation_cost_def cost = {
        .out = out, .seed = options->seed, .entities = self.entities, .periods = self.rounds, .mem = &self.mem};
    bool good = bench_federation_cost(&cost) && measure_hand_overs(&self);
    if (good && options->nats) good = bench_federation_lag(out, options, &self.mem);
    return good ? PHX_EXIT_OK : PHX_EXIT_TROUBLE;
}
