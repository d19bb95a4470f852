/*
 * Courses; see live_course.h.
 *
 * usage: TEST --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S] [--count N, seeds, each a new cluster]
 *             [--faults N, default: each one once] [--only N|NAME, of the table] [--lease-ms MS, default 5000]
 *             [--walkers N, default 90, of which each node has a third]
 */
#include "cluster/live_course.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/live_bounds.h"
#include "cluster/live_check.h"
#include "cluster/live_server_faults.h"
#include "cluster/live_waits.h"

enum { WALKERS = 90, SERVERS = 3, LEASE_MS = 5000, SLOW_MS = 350 };

static void end_runs(live_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        if (!live_is_up(&cluster->runs[i]) || check_failures() > 0) continue;
        server_signal(&cluster->runs[i].process, SIGTERM);
        (void)live_await_end(cluster, &cluster->runs[i], "a run leaves", 0);
    }
}

/* An order of all faults, by the seed. */
static void draw_order(uint32_t *order, uint32_t count, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = (uint32_t)phx_rng_below(random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
}

static void inflict(live_cluster *cluster, uint64_t *random, const live_fault *fault)
{
    const uint64_t since_ms = live_now_ms();
    if (check_failures() > 0) return;
    (void)printf("%s\n", fault->name);
    cluster->excused_all = 0;
    cluster->stops_etcd = cluster->cables != NULL; /* each of these cuts one off */
    fault->inflict(cluster, random);
    live_check_excused(cluster);
    (void)printf("  (%" PRIu64 " ms, with all waits)\n", live_now_ms() - since_ms);
}

static void run_cluster(const live_course *course, live_cluster *cluster, uint64_t faults, uint64_t only)
{
    uint64_t random = cluster->seed;
    uint32_t *order = check_zalloc(course->fault_count * sizeof *order);
    const uint64_t since_ms = live_now_ms();
    for (uint32_t i = 0; i < LIVE_GATEWAYS; i++) (void)live_start(cluster, true);
    for (uint32_t i = 0; i < LIVE_NODES; i++) (void)live_start(cluster, false);
    draw_order(order, course->fault_count, &random);
    if (live_await_owned(cluster, "all walkers are owned, by three nodes", since_ms) && live_await_crossings(cluster))
        (void)live_await_rest(cluster, "three nodes");
    for (uint64_t i = 0; i < faults; i++)
        inflict(cluster, &random, &course->faults[only > 0 ? only - 1 : order[i % course->fault_count]]);
    if (check_failures() == 0) end_runs(cluster);
    live_read(cluster);
    if (check_failures() == 0) live_check_events(cluster);
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (cluster->runs[i].is_gateway)
            (void)printf("gateway, run %u: %" PRIu64 " changes held, %" PRIu64 " lists asked for\n", i,
                         cluster->runs[i].held, cluster->runs[i].asked);
    (void)printf("seed %" PRIu64 ": %u hand-overs\n", cluster->seed, live_count_gained(cluster));
    free(order);
}

/* A fault's place in the table, from 1 on, by that number or by its name. 0: all; above the count: there is none. */
static uint64_t find_only(const live_course *course, const char *text)
{
    char *end;
    if (!text) return 0;
    for (uint32_t i = 0; i < course->fault_count; i++)
        if (strcmp(text, course->faults[i].name) == 0) return i + 1;
    const uint64_t number = strtoull(text, &end, 10);
    return *end == '\0' && number > 0 ? number : UINT64_MAX;
}

static int show_usage(const live_course *course)
{
    (void)fprintf(stderr,
                  "usage: %s --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S] [--count N] [--faults N] "
                  "[--only N|NAME] [--lease-ms MS] [--walkers N]\nfaults:\n",
                  course->name);
    for (uint32_t i = 0; i < course->fault_count; i++)
        (void)fprintf(stderr, "  %2u  \"%s\"\n", i + 1, course->faults[i].name);
    return 2;
}

int live_course_run(const live_course *course, int argc, char **argv)
{
    const char *node = option_text(argc, argv, "--node"), *nats = option_text(argc, argv, "--nats"),
               *etcd = option_text(argc, argv, "--etcd");
    const uint64_t only = find_only(course, option_text(argc, argv, "--only")),
                   walkers = option_number(argc, argv, "--walkers", WALKERS);
    if (!node || !nats || !etcd || only > course->fault_count || walkers == 0 || walkers > LIVE_WALKERS_MAX)
        return show_usage(course);
    const server_place *places = course->cables ? course->cables->places : NULL;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    const live_cluster def = {.program = node,
                              .cables = course->cables,
                              .walkers = walkers,
                              .lease_ms = option_number(argc, argv, "--lease-ms", LEASE_MS),
                              .slow_ms = SLOW_MS};
    const uint64_t first = option_number(argc, argv, "--seed", 1), count = option_number(argc, argv, "--count", 1);
    const uint64_t faults = option_number(argc, argv, "--faults", only > 0 ? 1 : course->fault_count);
    for (uint64_t seed = first; seed < first + count && check_failures() == 0; seed++) {
        live_cluster *cluster = check_zalloc(sizeof *cluster);
        *cluster = def;
        cluster->seed = seed;
        temp_folder(cluster->folder, "nodes");
        servers_start_nats(&cluster->nats, nats, SERVERS, places);
        servers_start_etcd(&cluster->etcd, etcd, SERVERS, places);
        (void)live_await_leader(cluster); /* without one a node says that etcd does not answer */
        run_cluster(course, cluster, faults, only);
        CHECK(live_count_gained(cluster) > 0, "seed %" PRIu64 ": no walker was handed over", seed);
        live_end(cluster);
        free(cluster);
    }
    live_bounds_end();
    return check_done(course->name);
}
