/*
 * The cost of a tick; see federation_cost.h. Each figure three times: the least of all ticks, which has no periodic
 * work; the mean of a period, each tick of it the least of its like in all periods, which has all of it and few
 * disturbances; and the mean of all ticks, with all disturbances of processor time by the machine.
 */
#include "bench/federation_cost.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/base/memory.h"
#include "bench/federation_nodes.h"
#include "bench/federation_report.h"

/* Two periods: behind the first reports. */
enum { WARMUP_TICKS = 2 * BENCH_FED_PERIOD_TICKS };

static const double MS = 1e6, GOAL_ELSEWHERE_PERCENT = 3;

typedef enum cost_kind { LEAST, PERIOD, MEAN, COST_KINDS } cost_kind;

typedef struct cost {
    double ns[COST_KINDS];
} cost;

/* The same crowd in each way; the last two of a comparison are the ones that its figures are of. */
enum { WAYS = 3 };

typedef struct way_def {
    const char *what;
    uint32_t node_count;
    bench_fed_way way;
    bool lingers; /* lingerers walk over their border */
} way_def;

static const way_def spread_ways[WAYS] = {
    {"a tick of one world with all of them", 1, BENCH_FED_ALONE, false},
    {"ticks of three worlds without a cluster, together", BENCH_FED_NODES, BENCH_FED_ALONE, false},
    {"ticks of three nodes, together", BENCH_FED_NODES, BENCH_FED_LOOP, false}};
static const way_def lingering_ways[WAYS] = {
    {"ticks of three worlds without a cluster, together", BENCH_FED_NODES, BENCH_FED_ALONE, true},
    {"ticks of three nodes, lingerers beside a border", BENCH_FED_NODES, BENCH_FED_LOOP, false},
    {"ticks of three nodes, lingerers walk over it", BENCH_FED_NODES, BENCH_FED_LOOP, true}};

typedef struct way_run {
    bench_fed_crowd crowd; /* equal ones: a federation keeps owners in its own */
    bench_federation federation;
    double least_ns[BENCH_FED_PERIOD_TICKS]; /* by tick of the period */
    double sum_ns;
    uint64_t beyond; /* entities in another node's part, of all measured ticks */
} way_run;

typedef struct compared {
    const bench_federation_cost_def *def;
    const way_def *ways;
    way_run runs[WAYS];
    uint32_t ticks;
    cost costs[WAYS];
} compared;

static bool tick_way(way_run *run, uint32_t measured)
{
    double ns;
    const ph_status status = bench_federation_round(&run->federation, &ns);
    if (status != PH_OK) return bench_federation_fails("a tick", ph_status_text(status));
    if (measured == 0) return true;
    double *least = &run->least_ns[measured % BENCH_FED_PERIOD_TICKS];
    if (ns < *least) *least = ns;
    run->sum_ns += ns;
    run->beyond += bench_fed_crowd_beyond(&run->crowd);
    return true;
}

static bool open_way(const compared *all, const way_def *way, way_run *run, bench_fed_crowd_kind kind)
{
    const bench_federation_cost_def *def = all->def;
    bench_fed_crowd_make(&run->crowd, def->mem, def->entities, kind, def->seed);
    for (uint32_t i = 0; i < BENCH_FED_PERIOD_TICKS; i++) run->least_ns[i] = INFINITY;
    if (!bench_federation_open(&run->federation, def->mem, &run->crowd, way->node_count, way->way, NULL))
        return bench_federation_fails("nodes", run->federation.reason);
    if (way->lingers) bench_fed_crowd_linger(&run->crowd);
    return true;
}

static void close_ways(compared *all)
{
    for (uint32_t i = 0; i < WAYS; i++) {
        way_run *run = &all->runs[i];
        if (!run->federation.crowd) continue;
        bench_federation_close(&run->federation);
        bench_fed_crowd_free(&run->crowd, all->def->mem);
    }
}

static cost cost_of(const way_run *run, uint32_t ticks)
{
    cost result = {.ns = {[LEAST] = INFINITY, [MEAN] = run->sum_ns / ticks}};
    for (uint32_t i = 0; i < BENCH_FED_PERIOD_TICKS; i++) {
        result.ns[LEAST] = fmin(result.ns[LEAST], run->least_ns[i]);
        result.ns[PERIOD] += run->least_ns[i] / BENCH_FED_PERIOD_TICKS;
    }
    return result;
}

/* Ways take turns within a tick: a disturbance of the machine hits all of them. */
static bool run_ways(compared *all)
{
    for (uint32_t tick = 1; tick <= WARMUP_TICKS + all->ticks; tick++) {
        for (uint32_t i = 0; i < WAYS && tick == WARMUP_TICKS + 1; i++)
            all->runs[i].federation.traffic = (bench_fed_traffic){0};
        for (uint32_t i = 0; i < WAYS; i++)
            if (!tick_way(&all->runs[(i + tick) % WAYS], tick > WARMUP_TICKS ? tick - WARMUP_TICKS : 0)) return false;
    }
    for (uint32_t i = 0; i < WAYS; i++) all->costs[i] = cost_of(&all->runs[i], all->ticks);
    return true;
}

/* ---- lines ---- */

static void print_costs(FILE *out, const char *what, const cost *figure, double divisor, const char *unit)
{
    fprintf(out, "  %-62s %10.2f %10.2f %10.2f %s\n", what, figure->ns[LEAST] / divisor, figure->ns[PERIOD] / divisor,
            figure->ns[MEAN] / divisor, unit);
}

static void print_count(FILE *out, const char *what, uint64_t count)
{
    fprintf(out, "  %-62s %10" PRIu64 "\n", what, count);
}

static void print_ways(const compared *all)
{
    fprintf(all->def->out, "  %-62s %10s %10s %10s\n", "CPU time", "least", "period", "mean");
    for (uint32_t i = 0; i < WAYS; i++) print_costs(all->def->out, all->ways[i].what, &all->costs[i], MS, "ms");
}

/* What the last way costs above the one before. */
static cost more_of(const compared *all)
{
    cost more;
    for (uint32_t i = 0; i < COST_KINDS; i++) more.ns[i] = all->costs[WAYS - 1].ns[i] - all->costs[WAYS - 2].ns[i];
    return more;
}

static void print_near(const compared *all, const cost *more)
{
    FILE *out = all->def->out;
    const way_run *nodes = &all->runs[WAYS - 1];
    const bench_fed_traffic *traffic = &nodes->federation.traffic;
    const uint32_t near = bench_fed_crowd_near(&nodes->crowd, bench_federation_halo());
    uint64_t remote = 0;
    phc_stats stats = {0};
    for (uint32_t i = 0; i < BENCH_FED_NODES; i++)
        if (phc_stats_get(nodes->federation.nodes[i].member, &stats) == PH_OK) remote += stats.remote;
    const double bytes = (double)traffic->bytes[PHC_HALO] / all->ticks;
    print_count(out, "entities near a border", near);
    print_costs(out, "cost for an entity near a border", more, near > 0 ? near : 1, "ns a tick");
    print_count(out, "copies of them", remote);
    bench_federation_figure(out, "bytes of halos a tick, of all nodes", bytes, "bytes");
    bench_federation_figure(out, "... for a copy", remote > 0 ? bytes / (double)remote : 0, "bytes");
    bench_federation_figure(out, "bytes of channels and heartbeats a tick, of all nodes",
                            (double)traffic->bytes[PHC_CHANNEL] / all->ticks, "bytes");
}

/* The goal counts with all periodic work. */
static void print_away(const compared *all, const cost *more)
{
    const double percent = more->ns[PERIOD] / all->costs[WAYS - 2].ns[PERIOD] * 100;
    print_costs(all->def->out, "cost for an entity elsewhere", more, all->def->entities, "ns a tick");
    fprintf(all->def->out, "  %-62s %10.2f %% (goal: not above %.0f, which is noise): %s\n", "... of its period",
            percent, GOAL_ELSEWHERE_PERCENT, percent <= GOAL_ELSEWHERE_PERCENT ? "met" : "MISSED");
}

static void print_lingering(const compared *all, const cost *more)
{
    const way_run *nodes = &all->runs[WAYS - 1];
    const uint32_t lingerers = bench_fed_crowd_lingerers(&nodes->crowd);
    print_count(all->def->out, "lingerers", lingerers);
    bench_federation_figure(all->def->out, "... of them beyond their border, in a tick",
                            (double)nodes->beyond / all->ticks, "");
    print_costs(all->def->out, "cost for a lingerer, above one beside the border", more, lingerers, "ns a tick");
}

/* ---- comparisons ---- */

typedef struct comparison {
    const char *what;
    bench_fed_crowd_kind kind;
    const way_def *ways;
    void (*print)(const compared *all, const cost *more);
} comparison;

static const comparison comparisons[] = {
    {"spread over three regions in a row", BENCH_FED_SPREAD, spread_ways, print_near},
    {"none near a border", BENCH_FED_AWAY, spread_ways, print_away},
    {"some linger at a border", BENCH_FED_LINGER, lingering_ways, print_lingering}};

static bool is_over(const compared *all)
{
    return all->runs[WAYS - 1].federation.gained == 0 || bench_federation_fails("a tick", "entities were handed over");
}

static bool compare(const bench_federation_cost_def *def, const comparison *one)
{
    compared *all = bench_alloc(def->mem, sizeof *all);
    memset(all, 0, sizeof *all);
    all->def = def;
    all->ways = one->ways;
    all->ticks = def->periods * BENCH_FED_PERIOD_TICKS;
    fprintf(def->out, "\n%" PRIu32 " entities, %s\n", def->entities, one->what);
    bool good = true;
    for (uint32_t i = 0; i < WAYS && good; i++) good = open_way(all, &one->ways[i], &all->runs[i], one->kind);
    good = good && run_ways(all) && is_over(all);
    if (good) {
        const cost more = more_of(all);
        print_ways(all);
        one->print(all, &more);
    }
    close_ways(all);
    phx_free(def->mem, all, sizeof *all, PHX_CACHE_LINE);
    return good;
}

bool bench_federation_cost(const bench_federation_cost_def *def)
{
    for (uint32_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (!compare(def, &comparisons[i])) return false;
    return true;
}
