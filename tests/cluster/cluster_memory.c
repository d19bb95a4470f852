/*
 * Do processes of a cluster grow? Three nodes and two gateways over real servers, with walkers that cross all the time;
 * in turn a broker and a member of etcd are killed and started again, so that connections are made anew. The memory of
 * each process, of libnats and libcurl too, is read from /proc behind each of these: the least of the last sixth of the
 * time is not above the most of the sixth before the middle, but for a slack.
 *
 * The slack is for what allocators keep, of which none has more than one arena here. A leak of so many bytes a tick is
 * found: the slack, by the ticks of a third of the time; it is printed.
 *
 * usage: cluster_memory --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S] [--minutes M, default 2]
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/live_waits.h"

enum {
    SERVERS = 3,
    NODES = 3,
    GATEWAYS = 2,
    RUNS = NODES + GATEWAYS,
    WALKERS = 90,
    LEASE_MS = 10000, /* an election of etcd, beside other work, ends none */
    AWAY_MS = 1500,
    BACK_MS = 1500,
    SLACK_KB = 256,
    MS_OF_MINUTE = 60000,
    PARTS = 6 /* of the time: in the third and in the last one memory is compared */
};

/* Of one process. */
typedef struct grown {
    uint64_t before_kb, after_kb; /* most, and least */
} grown;

static uint64_t own_memory_kb(const live_run *run)
{
    static const char name[] = "RssAnon:";
    char path[64], line[256];
    uint64_t kb = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)run->process.pid);
    FILE *file = fopen(path, "re");
    REQUIRE(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, sizeof name - 1) == 0) kb = strtoull(line + sizeof name - 1, NULL, 10);
    (void)fclose(file);
    REQUIRE(kb > 0);
    return kb;
}

static void read_memory(const live_cluster *cluster, grown *of, uint64_t part)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const uint64_t kb = own_memory_kb(&cluster->runs[i]);
        if (part == PARTS / 2 - 1 && kb > of[i].before_kb) of[i].before_kb = kb;
        if (part == PARTS - 1 && (of[i].after_kb == 0 || kb < of[i].after_kb)) of[i].after_kb = kb;
    }
}

static void replace_server(live_cluster *cluster, server_group *group, uint64_t *random)
{
    test_server *server = &group->servers[phx_rng_below(random, group->count)];
    server_signal(server, SIGKILL);
    live_pass(cluster, AWAY_MS);
    server_start_again(server);
    live_pass(cluster, BACK_MS);
}

static void check_memory(const live_cluster *cluster, const grown *of, uint64_t total_ms)
{
    const uint64_t ticks = total_ms * 2 / PARTS / LIVE_TICK_MS;
    REQUIRE(ticks > 0);
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        (void)printf("run %u, %s: %" PRIu64 " KB, then %" PRIu64 "\n", i,
                     cluster->runs[i].is_gateway ? "a gateway" : "a node", of[i].before_kb, of[i].after_kb);
        CHECK(of[i].before_kb > 0 && of[i].after_kb > 0, "seed %" PRIu64 ": run %u was not read", cluster->seed, i);
        CHECK(of[i].after_kb <= of[i].before_kb + SLACK_KB, "seed %" PRIu64 ": run %u grows: %" PRIu64 " KB, %" PRIu64,
              cluster->seed, i, of[i].before_kb, of[i].after_kb);
    }
    (void)printf("a leak of %" PRIu64 " bytes a tick, in %" PRIu64 " ticks, is found\n",
                 (uint64_t)SLACK_KB * 1024 / ticks, ticks);
}

static void run_cluster(live_cluster *cluster, uint64_t total_ms)
{
    uint64_t random = cluster->seed, turns = 0;
    grown of[RUNS] = {0};
    const uint64_t begin_ms = live_now_ms();
    for (uint32_t i = 0; i < GATEWAYS; i++) (void)live_start(cluster, true);
    for (uint32_t i = 0; i < NODES; i++) (void)live_start(cluster, false);
    if (!live_await_owned(cluster, "all walkers are owned, by three nodes", begin_ms)) return;
    const uint64_t since_ms = live_now_ms();
    for (uint64_t ms = 0; ms < total_ms && check_failures() == 0; ms = live_now_ms() - since_ms, turns++) {
        replace_server(cluster, turns % 2 == 0 ? &cluster->nats : &cluster->etcd, &random);
        REQUIRE(cluster->run_count == RUNS);
        read_memory(cluster, of, ms * PARTS / total_ms);
        live_forget_events(cluster); /* not this test's */
    }
    if (check_failures() == 0 && live_await_crossings(cluster)) check_memory(cluster, of, total_ms);
    (void)printf("seed %" PRIu64 ": %" PRIu64 " servers were killed\n", cluster->seed, turns);
}

int main(int argc, char **argv)
{
    const char *node = option_text(argc, argv, "--node"), *nats = option_text(argc, argv, "--nats"),
               *etcd = option_text(argc, argv, "--etcd");
    const uint64_t minutes = option_number(argc, argv, "--minutes", 2);
    if (!node || !nats || !etcd || minutes == 0) {
        (void)fprintf(stderr, "usage: cluster_memory --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S] "
                              "[--minutes M]\n");
        return 2;
    }
    REQUIRE(setenv("MALLOC_ARENA_MAX", "1", 1) == 0); /* else each new thread may have one of its own */
    live_cluster *cluster = check_zalloc(sizeof *cluster);
    *cluster = (live_cluster){.program = node,
                              .seed = option_number(argc, argv, "--seed", 1),
                              .walkers = WALKERS,
                              .lease_ms = LEASE_MS,
                              .stops_etcd = true};
    temp_folder(cluster->folder, "nodes");
    servers_start_nats(&cluster->nats, nats, SERVERS, NULL);
    servers_start_etcd(&cluster->etcd, etcd, SERVERS, NULL);
    run_cluster(cluster, minutes * MS_OF_MINUTE);
    live_end(cluster);
    free(cluster);
    return check_done("cluster_memory");
}
