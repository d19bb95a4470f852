/*
 * A cluster of processes, and an etcd that is lost for ever: all its members are killed, their data is removed, they
 * start anew and empty. Three etcd, a broker and nodes with walkers, on loopback.
 *
 * Without --adopt-map no node writes its map into the new etcd: all end, and new ones begin another cluster. With it
 * all go on, no walker begins anew, and a new node joins. At a second loss one node stands still meanwhile: it is in
 * the adopted map no more, and ends as it goes on; its walkers are entered anew. No time is asserted, but that nothing
 * takes a minute.
 *
 * usage: cluster_adoption --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S]
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "cluster/live_check.h"
#include "cluster/live_waits.h"

enum { NODES = 3, WALKERS = 60, ETCDS = 3, LEASE_MS = 3000, ERA = 65536, PATIENCE_MS = 60000 };

static live_cluster *cluster;

static bool await_start(const char *what, uint32_t nodes)
{
    const uint64_t since_ms = live_now_ms();
    for (uint32_t i = 0; i < nodes; i++) (void)live_start(cluster, false);
    return live_await_owned(cluster, what, since_ms) && live_await_crossings(cluster);
}

/* Longer than a lease, as an operator takes: none is proven any more. Nodes go on meanwhile, and hand walkers over. */
static bool lose_etcd(void)
{
    const uint64_t since_ms = live_now_ms();
    for (uint32_t i = 0; i < ETCDS; i++) server_signal(&cluster->etcd.servers[i], SIGKILL);
    const bool crossed = live_await_crossings(cluster);
    while (live_now_ms() < since_ms + LEASE_MS + LEASE_MS / 2) live_pass(cluster, LIVE_TICK_MS);
    servers_start_anew(&cluster->etcd);
    return crossed;
}

static uint64_t era_now(void)
{
    uint64_t era = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_up(&cluster->runs[i]) && cluster->runs[i].map_version / ERA > era)
            era = cluster->runs[i].map_version / ERA;
    return era;
}

/* All that are up have a map of that era, and a lease. */
static bool await_era(uint64_t era)
{
    const uint64_t since_ms = live_now_ms();
    uint32_t left = NODES;
    while (left > 0 && live_now_ms() < since_ms + PATIENCE_MS && check_failures() == 0) {
        live_pass(cluster, LIVE_TICK_MS);
        left = 0;
        for (uint32_t i = 0; i < cluster->run_count; i++) {
            const live_run *run = &cluster->runs[i];
            left += live_is_up(run) && (run->map_version / ERA != era || run->lease_ms == 0);
        }
    }
    (void)printf("  era %" PRIu64 ": all go on after %" PRIu64 " ms\n", era, live_now_ms() - since_ms);
    return CHECK(left == 0, "seed %" PRIu64 ": %u nodes have no map of era %" PRIu64, cluster->seed, left, era);
}

/*
 * Nodes that were not told to adopt do not: all end, and nothing is written. One stands still meanwhile. New ones begin
 * another cluster, with registrations of its own: the old one is heard by none as it goes on. Its era is another one,
 * but by 1 of 2048 chances.
 */
static bool begin_anew(void)
{
    if (!await_start("all walkers are owned, by nodes that may not adopt", NODES)) return false;
    const uint64_t era = era_now();
    live_run *late = cluster->runs;
    if (!live_await_crossings(cluster)) return false;
    server_signal(&late->process, SIGSTOP);
    late->paused = true;
    if (!lose_etcd()) return false;
    for (uint32_t i = 1; i < NODES; i++) {
        live_run *run = &cluster->runs[i];
        if (!live_await_end(cluster, run, "a node that may not adopt ends", LIVE_EXIT_FENCED)) return false;
        CHECK(run->map_version / ERA == era, "seed %" PRIu64 ": a map is adopted by itself", cluster->seed);
    }
    if (!await_start("all walkers are owned, by nodes of a new cluster", 2)) return false;
    (void)printf("  a new cluster begins in era %" PRIu64 ", behind one in era %" PRIu64 "\n", era_now(), era);
    server_signal(&late->process, SIGCONT);
    if (!live_await_end(cluster, late, "a node of the cluster before ends", LIVE_EXIT_FENCED)) return false;
    if (!live_await_rest(cluster, "a new cluster behind a lost etcd")) return false;
    for (uint32_t i = NODES; i < cluster->run_count; i++) {
        server_signal(&cluster->runs[i].process, SIGTERM);
        if (!live_await_end(cluster, &cluster->runs[i], "a node leaves", 0)) return false;
    }
    live_read(cluster);
    live_forget_events(cluster); /* ownerships of two clusters are in no order */
    return true;
}

static bool adopt_with_all(void)
{
    const size_t first = cluster->events.count;
    const uint64_t era = era_now();
    live_begin_measure(cluster);
    if (!lose_etcd() || !await_era(era + 1) || !live_await_crossings(cluster)) return false;
    live_check_nothing_lost(cluster, first);
    if (!live_await_rest(cluster, "all members are in an adopted map")) return false;
    return await_start("a new node joins an adopted map", 1);
}

/* The first one that is up stands still from before the loss until the others have adopted a map. */
static bool adopt_without_one(void)
{
    live_run *late = cluster->runs;
    while (!live_is_up(late)) late++;
    const size_t first = cluster->events.count;
    const uint64_t era = era_now();
    server_signal(&late->process, SIGSTOP);
    late->paused = true;
    if (!lose_etcd() || !await_era(era + 1)) return false;
    server_signal(&late->process, SIGCONT);
    if (!live_await_end(cluster, late, "one that came too late ends", LIVE_EXIT_FENCED)) return false;
    if (!live_await_owned(cluster, "its walkers are owned", live_now_ms())) return false;
    live_restored restored;
    live_check_restored(cluster, late, first, &restored);
    (void)printf("  %u walkers entered anew, %u taken back\n", restored.entered, restored.taken_back);
    CHECK(restored.entered + restored.taken_back > 0, "seed %" PRIu64 ": none is restored", cluster->seed);
    return live_await_rest(cluster, "one member was late");
}

static void run_steps(void)
{
    if (!begin_anew()) return;
    cluster->adopts = true;
    if (!await_start("all walkers are owned, by nodes that may adopt", NODES)) return;
    if (!adopt_with_all() || !adopt_without_one()) return;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (cluster->runs[i].process.pid > 0) server_signal(&cluster->runs[i].process, SIGKILL);
    live_read(cluster);
}

int main(int argc, char **argv)
{
    const char *node = option_text(argc, argv, "--node"), *nats = option_text(argc, argv, "--nats"),
               *etcd = option_text(argc, argv, "--etcd");
    if (!node || !nats || !etcd) {
        (void)fprintf(stderr, "usage: cluster_adoption --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S]\n");
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    cluster = check_zalloc(sizeof *cluster);
    cluster->program = node;
    cluster->seed = option_number(argc, argv, "--seed", 1);
    cluster->walkers = WALKERS;
    cluster->lease_ms = LEASE_MS;
    temp_folder(cluster->folder, "adoption");
    servers_start_nats(&cluster->nats, nats, 1, NULL);
    servers_start_etcd(&cluster->etcd, etcd, ETCDS, NULL);
    run_steps();
    live_end(cluster);
    free(cluster);
    return check_done("cluster_adoption");
}
