/*
 * --federation: measures and reports; see federation.h. Times are CPU times of the one thread that ticks all nodes, the
 * least of all ticks; messages go through the transport within a process, so a figure has their encoding, their copy
 * and their reading, but no network.
 */
#include "bench/federation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bench/base/memory.h"
#include "bench/federation_lag.h"
#include "bench/federation_nodes.h"
#include "tools/cli.h"

enum {
    ENTITIES = 90000,
    ROUNDS = 5,
    TICKS_A_ROUND = 20,
    WARMUP_TICKS = 20,
    HAND_OVER_TICKS_MAX = 1000,
    NS_IN_S = 1000000000
};

/* From a border: beyond the margin of hand-overs, and within sight. */
static const float CROSS_MIN = 20.0f, CROSS_MAX = 120.0f;
static const double MS = 1e6, GOAL_ELSEWHERE_PERCENT = 3;

typedef struct federation_bench {
    FILE *out;
    const bench_options *options;
    uint32_t entities, ticks;
    phx_mem mem;
} federation_bench;

static bool fails(const char *what, const char *reason)
{
    fprintf(stderr, "pharos-bench: --federation: %s: %s\n", what, reason);
    return false;
}

static void print_figure(const federation_bench *self, const char *what, double figure, const char *unit)
{
    fprintf(self->out, "  %-62s %10.2f %s\n", what, figure, unit);
}

/* ---- the cost of a tick ---- */

/* The same crowd: in one world, in three worlds that know nothing of each other, in three nodes. */
enum { ONE, SEPARATE, NODES, WAYS };

typedef struct compared {
    bench_fed_crowd crowds[WAYS]; /* equal ones: a federation keeps owners in its own */
    bench_federation ways[WAYS];
    double least_ns[WAYS]; /* of a tick of all worlds of that way */
} compared;

static bool tick_way(compared *all, uint32_t way, uint64_t tick, bool measured)
{
    bench_federation *federation = &all->ways[way];
    double ns = 0;
    bench_fed_crowd_walk(federation->crowd, tick);
    bench_federation_step(federation);
    for (uint32_t i = 0; i < federation->node_count; i++) {
        const ph_status status = bench_federation_tick(federation, i);
        if (status != PH_OK) return fails("a tick", ph_status_text(status));
        ns += (double)federation->nodes[i].cpu_ns;
    }
    if (measured && ns < all->least_ns[way]) all->least_ns[way] = ns;
    return true;
}

static bool open_ways(federation_bench *self, compared *all, bool is_away)
{
    static const bench_fed_way ways[WAYS] = {BENCH_FED_ALONE, BENCH_FED_ALONE, BENCH_FED_LOOP};
    for (uint32_t way = 0; way < WAYS; way++) {
        bench_fed_crowd_make(&all->crowds[way], &self->mem, self->entities, is_away, self->options->seed);
        all->least_ns[way] = INFINITY;
        if (!bench_federation_open(&all->ways[way], &self->mem, &all->crowds[way], way == ONE ? 1 : BENCH_FED_NODES,
                                   ways[way], NULL))
            return fails("nodes", all->ways[way].reason);
    }
    return true;
}

static void close_ways(federation_bench *self, compared *all)
{
    for (uint32_t way = 0; way < WAYS; way++) {
        if (!all->ways[way].crowd) continue;
        bench_federation_close(&all->ways[way]);
        bench_fed_crowd_free(&all->crowds[way], &self->mem);
    }
}

/* Ways take turns within a tick: a disturbance of the machine hits all of them. */
static bool run_ways(federation_bench *self, compared *all)
{
    for (uint32_t tick = 1; tick <= WARMUP_TICKS + self->ticks; tick++) {
        if (tick == WARMUP_TICKS + 1) all->ways[NODES].traffic = (bench_fed_traffic){0};
        for (uint32_t i = 0; i < WAYS; i++)
            if (!tick_way(all, (i + tick) % WAYS, tick, tick > WARMUP_TICKS)) return false;
    }
    return true;
}

static void print_ways(const federation_bench *self, const compared *all)
{
    print_figure(self, "a tick of one world with all of them", all->least_ns[ONE] / MS, "ms");
    print_figure(self, "ticks of three worlds without a cluster, together", all->least_ns[SEPARATE] / MS, "ms");
    print_figure(self, "ticks of three nodes, together", all->least_ns[NODES] / MS, "ms");
}

static void print_near(const federation_bench *self, const compared *all)
{
    const bench_fed_traffic *traffic = &all->ways[NODES].traffic;
    const double more = all->least_ns[NODES] - all->least_ns[SEPARATE];
    const uint32_t near = bench_fed_crowd_near(&all->crowds[NODES], bench_federation_halo());
    uint64_t remote = 0;
    phc_stats stats = {0};
    for (uint32_t i = 0; i < BENCH_FED_NODES; i++)
        if (phc_stats_get(all->ways[NODES].nodes[i].member, &stats) == PH_OK) remote += stats.remote;
    const double bytes = (double)traffic->bytes[PHC_HALO] / self->ticks;
    print_ways(self, all);
    fprintf(self->out, "  %-62s %10" PRIu32 "\n", "entities near a border", near);
    print_figure(self, "cost for an entity near a border", near > 0 ? more / near : 0, "ns a tick");
    fprintf(self->out, "  %-62s %10" PRIu64 "\n", "copies of them", remote);
    print_figure(self, "bytes of halos a tick, of all nodes", bytes, "bytes");
    print_figure(self, "... for a copy", remote > 0 ? bytes / (double)remote : 0, "bytes");
    print_figure(self, "bytes of channels and heartbeats a tick, of all nodes",
                 (double)traffic->bytes[PHC_CHANNEL] / self->ticks, "bytes");
}

static void print_away(const federation_bench *self, const compared *all)
{
    const double more = all->least_ns[NODES] - all->least_ns[SEPARATE];
    const double percent = more / all->least_ns[SEPARATE] * 100;
    print_ways(self, all);
    print_figure(self, "cost for an entity elsewhere", more / self->entities, "ns a tick");
    fprintf(self->out, "  %-62s %10.2f %% (goal: not above %.0f, which is noise): %s\n", "... of its tick", percent,
            GOAL_ELSEWHERE_PERCENT, percent <= GOAL_ELSEWHERE_PERCENT ? "met" : "MISSED");
}

static bool compare_ways(federation_bench *self, bool is_away)
{
    compared *all = bench_alloc(&self->mem, sizeof *all);
    fprintf(self->out, "\n%" PRIu32 " entities, %s\n", self->entities,
            is_away ? "none near a border" : "spread over three regions in a row");
    const bool good = open_ways(self, all, is_away) && run_ways(self, all);
    if (good && is_away) print_away(self, all);
    else if (good) print_near(self, all);
    close_ways(self, all);
    phx_free(&self->mem, all, sizeof *all, PHX_CACHE_LINE);
    return good;
}

/* ---- hand-overs ---- */

static bool tick_nodes(bench_federation *federation, uint64_t tick, double *ns)
{
    bench_fed_crowd_walk(federation->crowd, tick);
    bench_federation_step(federation);
    *ns = 0;
    for (uint32_t i = 0; i < federation->node_count; i++) {
        const ph_status status = bench_federation_tick(federation, i);
        if (status != PH_OK) return fails("a tick", ph_status_text(status));
        *ns += (double)federation->nodes[i].cpu_ns;
    }
    return true;
}

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

static bool hand_over(federation_bench *self, bench_federation *federation, handed *result)
{
    double ns, sum_ns = 0;
    for (uint32_t i = 0; i < WARMUP_TICKS; i++) {
        if (!tick_nodes(federation, federation->tick, &ns)) return false;
        if (i == 0 || ns < result->quiet_ns) result->quiet_ns = ns;
    }
    for (uint32_t round = 0; round < self->ticks / TICKS_A_ROUND; round++) {
        const uint64_t before = federation->gained;
        const uint32_t movers = cross(federation->crowd, round % 2);
        result->crossings++;
        for (uint32_t tick = 0; federation->gained - before < movers; tick++) {
            if (tick == HAND_OVER_TICKS_MAX) return fails("hand-overs", "they do not come to an end");
            if (!tick_nodes(federation, federation->tick, &ns)) return false;
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
    bench_fed_crowd_make(&crowd, &self->mem, self->entities, false, self->options->seed);
    bool good = bench_federation_open(federation, &self->mem, &crowd, BENCH_FED_NODES, BENCH_FED_LOOP, NULL) ||
                fails("nodes", federation->reason);
    good = good && hand_over(self, federation, &result);
    if (good) {
        fprintf(self->out, "\n%" PRIu64 " hand-overs, in %" PRIu64 " crossings of many at once\n", result.count,
                result.crossings);
        print_figure(self, "CPU of both nodes for a hand-over, with its lists",
                     result.extra_ns / (double)result.count / 1e3, "us");
        print_figure(self, "hand-overs a second of CPU", (double)result.count / result.extra_ns * NS_IN_S, "");
        print_figure(self, "ticks from a crossing to the last entity that has come",
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
                             .ticks = (options->rounds > 0 ? options->rounds : ROUNDS) * TICKS_A_ROUND};
    phx_mem_init(&self.mem, (ph_allocator){0});
    fprintf(out, "%s, %" PRIu32 " CPUs; %s, %s; three nodes in one thread, view 100, %d targets an observer\n",
            machine->cpu, machine->cpus, machine->compiler, machine->build, BENCH_FED_TARGETS);
    bool good = compare_ways(&self, false) && compare_ways(&self, true) && measure_hand_overs(&self);
    if (good && options->nats) good = bench_federation_lag(out, options, &self.mem);
    return good ? PHX_EXIT_OK : PHX_EXIT_TROUBLE;
}
