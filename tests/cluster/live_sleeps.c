/*
 * Sleeps of many processes; see live_sleeps.h. All leases end, and no member is there that puts the others out: so all
 * come back, and no walker is lost.
 */
#include "cluster/live_sleeps.h"

#include <inttypes.h>
#include <signal.h>

#include "base/rng.h"
#include "cluster/live_bounds.h"
#include "cluster/live_check.h"
#include "cluster/live_waits.h"

enum {
    ANY_TICK_MS = 1000,
    BEYOND_MS = 2000, /* etcd has ended all leases by then */
    WALK_MS = 2000    /* from the end of the sleep to a round of lists, and an election of etcd */
};

void live_pause(live_run *run)
{
    server_signal(&run->process, SIGSTOP);
    run->paused = true;
    run->unheard_ms = live_now_ms();
}

void live_wake(live_run *run)
{
    server_signal(&run->process, SIGCONT);
    run->paused = false;
    run->unheard_ms = 0;
}

static void signal_servers(server_group *group, int signal)
{
    for (uint32_t i = 0; i < group->count; i++) server_signal(&group->servers[i], signal);
}

/* Pauses all runs that are up, and wakes the same ones. */
static void sleep_runs(live_cluster *cluster, bool with_servers)
{
    bool slept[LIVE_RUNS_MAX] = {false};
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        slept[i] = live_is_up(&cluster->runs[i]);
        if (slept[i]) live_pause(&cluster->runs[i]);
    }
    if (with_servers) {
        cluster->stops_etcd = true;
        signal_servers(&cluster->nats, SIGSTOP);
        signal_servers(&cluster->etcd, SIGSTOP);
    }
    live_pass(cluster, cluster->lease_ms + BEYOND_MS);
    if (with_servers) {
        signal_servers(&cluster->etcd, SIGCONT);
        signal_servers(&cluster->nats, SIGCONT);
    }
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (slept[i]) live_wake(&cluster->runs[i]);
}

static void sleep_and_wake(live_cluster *cluster, uint64_t *random, bool with_servers, const char *when)
{
    live_pass(cluster, phx_rng_below(random, ANY_TICK_MS));
    live_begin_measure(cluster);
    const size_t first = cluster->events.count;
    sleep_runs(cluster, with_servers);
    const uint64_t woken_ms = live_now_ms();
    if (!live_await_crossings(cluster)) return;
    live_bound_written(cluster, "walkers cross again after", live_now_ms() - woken_ms, WALK_MS + cluster->lease_ms);
    live_pass(cluster, 2 * cluster->lease_ms); /* who is to be put out is out by then */
    live_check_nothing_lost(cluster, first);
    (void)live_await_rest(cluster, when);
}

void live_sleep_members(live_cluster *cluster, uint64_t *random)
{
    sleep_and_wake(cluster, random, false, "behind a sleep of all members");
}

void live_sleep_all(live_cluster *cluster, uint64_t *random)
{
    sleep_and_wake(cluster, random, true, "behind a sleep of the machine");
}
