/*
 * The loop of a node; see node_run.h.
 */
#include "tools/node_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/asleep_clock.h"
#include "tools/cli.h"
#include "tools/node_census.h"
#include "tools/node_events.h"
#include "tools/node_gateway.h"
#include "tools/node_lines.h"
#include "tools/node_metrics.h"
#include "tools/node_servers.h"

/* DRAIN_AGAIN_NS: regions come back when another node dies, so the wish is repeated; of two nodes that drain at once
 * the first has this time to leave. */
enum { NS_IN_MS = 1000000, NS_IN_S = 1000000000, STATUS_NS = NS_IN_S };
static const uint64_t DRAIN_AGAIN_NS = 2000000000;

typedef struct node_run {
    const phx_node_job *job;
    phx_node_signals *signals;
    ph_world world;
    ph_consumer consumer;
    phc_transport transport;
    phc_store store;
    phx_node_servers servers;
    phx_node_feed feed; /* to gateways, or from nodes */
    phc *member;
    phx_node_host host;
    phx_node_gateway gateway;
    phx_node_ticks ticks;
    uint64_t tick_due_ns, status_due_ns;
    uint64_t drain_due_ns, drain_end_ns; /* drain_end_ns: 0 = it does not drain */
    bool metrics_failed;                 /* said once */
} node_run;

/* ---- opening ---- */

static int say_trouble(const char *what, const char *reason, ph_status status)
{
    fprintf(stderr, "pharos-node: %s: %s\n", what, reason[0] != '\0' ? reason : ph_status_text(status));
    return status == PH_BAD_DEF ? PHX_EXIT_USAGE : PHX_EXIT_TROUBLE;
}

static int open_world(node_run *run, phx_mem *mem)
{
    char reason[PHC_REASON_SIZE] = "";
    ph_world_def def = *run->job->world_def;
    if (run->job->member.gateway) return PHX_EXIT_OK;
    def.allocator = mem->allocator;
    def.consumers = 1;
    ph_status status = ph_world_def_check(&def, reason, sizeof reason);
    if (status == PH_OK) status = ph_world_create(&def, &run->world);
    if (status == PH_OK) status = ph_consumer_open(run->world, 0, &run->consumer);
    return status == PH_OK ? PHX_EXIT_OK : say_trouble("the world", reason, status);
}

static int open_servers(node_run *run, phx_mem *mem)
{
    char reason[PHC_REASON_SIZE] = "";
    phc_nats_def nats = run->job->nats;
    phc_etcd_def etcd = run->job->etcd;
    nats.name = "pharos-node";
    nats.allocator = etcd.allocator = mem->allocator;
    ph_status status = phc_nats_open(&nats, &run->transport, reason, sizeof reason);
    if (status == PH_OK && (run->job->feeds || run->job->member.gateway))
        status = phc_nats_open(&nats, &run->feed.transport, reason, sizeof reason);
    if (status != PH_OK) return say_trouble("nats", reason, status);
    status = phc_etcd_open(&etcd, &run->store, reason, sizeof reason);
    return status == PH_OK ? PHX_EXIT_OK : say_trouble("etcd", reason, status);
}

static int open_member(node_run *run, phx_mem *mem)
{
    char reason[PHC_REASON_SIZE] = "";
    const phx_node_job *job = run->job;
    phc_def def = run->job->member;
    def.definition = phx_node_host_definition(run->job);
    def.pack = phx_node_host_pack;
    def.pack_user = &run->host;
    def.allocator = mem->allocator;
    ph_status status = phc_open(&def, run->world, &run->transport, &run->store, &run->member, reason, sizeof reason);
    if (status != PH_OK) return say_trouble("the member", reason, status);
    run->host.member = run->member;
    if (job->member.gateway) {
        status = phx_gateway_open(&run->gateway, &run->host, &run->feed.transport);
        return status == PH_OK ? PHX_EXIT_OK : say_trouble("the feed", "", status);
    }
    status = ph_producer_open(run->world, &run->host.producer); /* behind the member's */
    return status == PH_OK ? PHX_EXIT_OK : say_trouble("a producer", "", status);
}

static int open_run(node_run *run, phx_mem *mem)
{
    int exit_status = open_world(run, mem);
    if (phx_node_host_open(&run->host, mem, run->job) != PH_OK) return say_trouble("walkers", "", PH_NO_MEMORY);
    if (exit_status == PHX_EXIT_OK) exit_status = open_servers(run, mem);
    if (exit_status == PHX_EXIT_OK) exit_status = open_member(run, mem);
    return exit_status;
}

static void close_run(node_run *run)
{
    phc_close(run->member);
    if (run->transport.close) run->transport.close(run->transport.user);
    if (run->feed.transport.close) run->feed.transport.close(run->feed.transport.user);
    phx_gateway_close(&run->gateway);
    if (run->store.close) run->store.close(run->store.user);
    if (run->world.index1 != 0) (void)ph_world_destroy(run->world);
    phx_node_host_close(&run->host);
}

/* ---- a tick ---- */

static void sleep_until(uint64_t due_ns)
{
    const struct timespec due = {.tv_sec = (time_t)(due_ns / NS_IN_S), .tv_nsec = (long)(due_ns % NS_IN_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
    }
}

static void take_batches(node_run *run)
{
    const ph_batch *batch;
    while (ph_batch_take(run->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            run->ticks.enters += batch->changes[i].enter_count;
            run->ticks.leaves += batch->changes[i].leave_count;
        }
        if (run->job->feeds) phx_node_feed_tell(&run->host, &run->feed, batch);
        (void)ph_batch_return(run->consumer, batch);
    }
}

static uint32_t read_signal(const _Atomic uint32_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

/* PH_FENCED: the member has said so by an event. */
static ph_status run_tick(node_run *run)
{
    ph_status status = phc_tick(run->member);
    phx_node_hear(&run->host);
    if (status != PH_OK || run->host.fenced) return status == PH_FENCED ? PH_OK : status;
    phx_census_ask(&run->host);
    if (run->job->feeds) phx_node_feed_hear(&run->host, &run->feed);
    if (!read_signal(&run->signals->rests)) phx_node_host_walk(&run->host);
    if (read_signal(&run->signals->is_slow)) sleep_until(phx_clock_ns() + (uint64_t)run->job->slow_ms * NS_IN_MS);
    status = ph_tick(run->world, NULL);
    if (status != PH_OK) return status;
    phx_node_host_count_refusals(&run->host);
    take_batches(run);
    if (run->job->feeds) phx_node_feed_send(&run->host, &run->feed);
    run->ticks.ticks++;
    status = phc_told(run->member);
    return status == PH_FENCED ? PH_OK : status;
}

static ph_status run_gateway_tick(node_run *run)
{
    ph_status status = phc_tick(run->member);
    phx_node_hear(&run->host);
    phx_gateway_hear(&run->gateway);
    run->ticks.ticks++;
    if (status == PH_OK) status = phc_told(run->member);
    return status == PH_FENCED ? PH_OK : status;
}

static void note_duration(node_run *run, uint64_t ns, uint64_t asleep_ns)
{
    phx_node_ticks *ticks = &run->ticks;
    if (ns > ticks->longest_ns) ticks->longest_ns = ns;
    if (ticks->recent_count == PHX_RECENT_TICKS_MAX) return;
    ticks->recent_asleep_us[ticks->recent_count] = (uint32_t)(asleep_ns / 1000);
    ticks->recent_us[ticks->recent_count++] = (uint32_t)(ns / 1000);
}

/* Since another reading; 0: no status tells it. */
static uint64_t asleep_since(const node_run *run, uint64_t before_ns)
{
    const uint64_t now_ns = run->job->shows_ticks ? phx_asleep_ns() : 0;
    return now_ns > before_ns ? now_ns - before_ns : 0; /* it may go back a little */
}

static void note_lease(node_run *run)
{
    phc_stats stats = {0};
    if (phc_number(run->member) == 0 || phc_stats_get(run->member, &stats) != PH_OK) return;
    if (stats.lease_ns < run->ticks.lease_least_ns) run->ticks.lease_least_ns = stats.lease_ns;
}

static void tell_status(node_run *run, uint64_t now_ns)
{
    if (now_ns < run->status_due_ns) return;
    run->ticks.reconnects = phx_node_servers_reconnects(&run->transport, &run->feed.transport);
    if (run->job->member.gateway) phx_gateway_tell_status(&run->gateway, &run->ticks);
    else phx_line_status(&run->host, run->world, &run->ticks);
    run->ticks.longest_ns = 0;
    run->ticks.recent_count = 0;
    run->ticks.lease_least_ns = (uint64_t)run->job->member.lease_ms * NS_IN_MS;
    run->status_due_ns = now_ns + STATUS_NS;
    phx_node_servers_tell(&run->servers, run->job, run->member, run->ticks.ticks * run->job->tick_ms);
    if (!run->job->metrics_path || phx_write_metrics(&run->host, run->world)) return;
    if (!run->metrics_failed)
        fprintf(stderr, "pharos-node: %s: %s; the node goes on\n", run->job->metrics_path, strerror(errno));
    run->metrics_failed = true;
}

/* ---- the end ---- */

static bool is_alone(const node_run *run)
{
    phc_stats stats = {0};
    return phc_number(run->member) == 0 || (phc_stats_get(run->member, &stats) == PH_OK && stats.nodes <= 1);
}

static void drain(node_run *run, uint64_t now_ns)
{
    if (run->drain_end_ns == 0) run->drain_end_ns = now_ns + (uint64_t)run->job->drain_ms * NS_IN_MS;
    if (now_ns < run->drain_due_ns) return;
    phc_drain(run->member);
    run->drain_due_ns = now_ns + DRAIN_AGAIN_NS;
}

/* Is it time to leave? *exit_status is set then. */
static bool is_over(node_run *run, uint64_t now_ns, int *exit_status)
{
    const uint32_t stops = read_signal(&run->signals->stops);
    const char *how = NULL;
    *exit_status = PHX_EXIT_OK;
    if (run->host.fenced) {
        how = "fenced";
        *exit_status = run->host.fenced_for == PH_OK ? PHX_EXIT_FENCED : PHX_EXIT_KEPT_OUT;
    } else if (run->host.is_drained) {
        how = "drained";
    } else if (stops > 0 && run->job->member.gateway) {
        how = "left";
    } else if (stops > 0 && is_alone(run)) {
        how = "alone"; /* no other node can take its entities: the common world ends */
    } else if (stops > 1 || (run->drain_end_ns != 0 && now_ns >= run->drain_end_ns)) {
        how = "not drained";
        *exit_status = PHX_EXIT_LEFT_ENTITIES;
    } else if (stops > 0) {
        drain(run, now_ns);
    }
    if (how) phx_line_end(&run->host, how);
    return how != NULL;
}

/* A machine that is too slow runs as fast as it can, and does not catch up later. */
static void await_tick(node_run *run)
{
    const uint64_t period_ns = (uint64_t)run->job->tick_ms * NS_IN_MS, now_ns = phx_clock_ns();
    run->tick_due_ns += period_ns;
    if (now_ns > run->tick_due_ns + period_ns) {
        run->ticks.late++;
        run->tick_due_ns = now_ns;
    }
    sleep_until(run->tick_due_ns);
}

static int tick_all(node_run *run)
{
    int exit_status = PHX_EXIT_OK;
    run->tick_due_ns = run->status_due_ns = phx_clock_ns();
    run->ticks.lease_least_ns = (uint64_t)run->job->member.lease_ms * NS_IN_MS;
    for (;;) {
        const uint64_t begin_ns = phx_clock_ns(), asleep_ns = asleep_since(run, 0);
        const ph_status status = run->job->member.gateway ? run_gateway_tick(run) : run_tick(run);
        if (status != PH_OK) return say_trouble("the tick", "", status);
        const uint64_t end_ns = phx_clock_ns();
        note_duration(run, end_ns - begin_ns, asleep_since(run, asleep_ns));
        note_lease(run);
        tell_status(run, end_ns);
        if (is_over(run, end_ns, &exit_status)) return exit_status;
        if (ferror(stdout)) return say_trouble("the standard output", strerror(errno), PH_IO);
        await_tick(run);
    }
}

int phx_node_run(phx_mem *mem, const phx_node_job *job, phx_node_signals *signals)
{
    node_run run = {.job = job, .signals = signals};
    int exit_status = open_run(&run, mem);
    if (exit_status == PHX_EXIT_OK) exit_status = tick_all(&run);
    close_run(&run);
    return exit_status;
}
