/*
 * Processes of nodes; see live_nodes.h.
 */
#include "cluster/live_nodes.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t live_now_ms(void)
{
    struct timespec now;
    REQUIRE(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void live_forget_events(live_cluster *cluster)
{
    cluster->events.count = 0;
    memset(cluster->last_events, 0, sizeof cluster->last_events);
}

static void add_number(test_server *process, const char *name, uint64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    server_add_option(process, name, text);
}

/* A thousand walkers have the node's own world; more have a larger one, so that each sees as few. */
static void add_world(const live_cluster *cluster, test_server *process)
{
    enum { SIDE = 1000, WALKERS = 1000, STEP = 200 };
    char text[64];
    uint64_t side = SIDE;
    while (side * side * WALKERS < cluster->walkers * SIDE * SIDE) side += STEP;
    (void)snprintf(text, sizeof text, "world_size=%" PRIu64 ",%" PRIu64, side, side);
    if (side > SIDE) server_add_option(process, "--set", text);
}

static void add_node_options(const live_cluster *cluster, test_server *process)
{
    add_number(process, "--slow-ms", cluster->slow_ms);
    add_number(process, "--drain-ms", 60000);
    server_add_text(process, "--feed");
    if (cluster->freezes) server_add_text(process, "--freeze");
    server_add_text(process, cluster->lists ? "--lists" : "--ids");
    server_add_text(process, "--ticks");
}

/* The first machine without a node. */
static const server_place *free_place(const live_cluster *cluster)
{
    bool taken[CABLES] = {false};
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const test_server *process = &cluster->runs[i].process;
        if (process->pid > 0 && process->place) taken[process->place - cluster->cables->places] = true;
    }
    uint32_t machine = 0;
    while (taken[machine]) REQUIRE(++machine < CABLES);
    return &cluster->cables->places[machine];
}

/* On a machine a node speaks to its own broker; a gateway to any. */
static void add_brokers(const live_cluster *cluster, test_server *process)
{
    for (uint32_t i = 0; i < cluster->nats.count; i++)
        if (!process->place || process->place == cluster->nats.servers[i].place)
            server_add_option(process, "--nats", cluster->nats.addresses[i]);
}

live_run *live_start(live_cluster *cluster, bool is_gateway)
{
    REQUIRE(cluster->run_count < LIVE_RUNS_MAX);
    live_run *run = &cluster->runs[cluster->run_count];
    test_server *process = &run->process;
    char metrics[SERVER_TEXT];
    (void)snprintf(process->log, sizeof process->log, "%s/node-%u.log", cluster->folder, cluster->run_count++);
    (void)snprintf(metrics, sizeof metrics, "%s/metrics-%u", cluster->folder, cluster->run_count);
    server_add_text(process, cluster->program);
    if (cluster->cables && !is_gateway) process->place = free_place(cluster);
    add_brokers(cluster, process);
    for (uint32_t i = 0; i < cluster->etcd.count; i++) server_add_option(process, "--etcd", cluster->etcd.addresses[i]);
    add_number(process, "--walkers", cluster->walkers);
    add_world(cluster, process);
    add_number(process, "--seed", cluster->seed);
    add_number(process, "--tick-ms", LIVE_TICK_MS);
    add_number(process, "--lease-ms", cluster->lease_ms);
    server_add_text(process, "--events");
    if (cluster->adopts) server_add_text(process, "--adopt-map");
    run->is_gateway = is_gateway;
    if (is_gateway) server_add_text(process, "--gateway");
    else add_node_options(cluster, process);
    server_add_option(process, "--metrics", metrics);
    FILE *file = fopen(process->log, "w");
    REQUIRE(file && fclose(file) == 0);
    server_launch(process);
    run->log = fopen(process->log, "r");
    REQUIRE(run->log);
    return run;
}

void live_signal_all(live_cluster *cluster, int signal)
{
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_node(&cluster->runs[i])) server_signal(&cluster->runs[i].process, signal);
}

void live_begin_measure(live_cluster *cluster)
{
    live_read(cluster);
    cluster->stall_ms = cluster->disk_ms = 0;
    cluster->passed_ms = 0;
    cluster->excused = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        live_run *run = &cluster->runs[i];
        run->measure = (live_measure){.lease_least_ms = cluster->lease_ms,
                                      .ticks_before = run->ticks,
                                      .reconnects_before = run->reconnects,
                                      .failed_before = run->failed,
                                      .is_whole = true};
    }
}

void live_end(live_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        if (cluster->runs[i].process.pid > 0) server_signal(&cluster->runs[i].process, SIGKILL);
        (void)fclose(cluster->runs[i].log);
        VEC_FREE(&cluster->runs[i].ticks_us);
        VEC_FREE(&cluster->runs[i].asleep_us);
        VEC_FREE(&cluster->runs[i].marks);
    }
    VEC_FREE(&cluster->events);
    temp_remove(cluster->folder);
    servers_end(&cluster->nats);
    servers_end(&cluster->etcd);
}
