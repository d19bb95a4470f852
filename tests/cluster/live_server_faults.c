/*
 * Faults of servers; see live_server_faults.h. None of them may cost a walker or a member.
 */
#include "cluster/live_server_faults.h"

#include <inttypes.h>
#include <signal.h>

#include "base/rng.h"
#include "cluster/live_bounds.h"
#include "cluster/live_check.h"
#include "cluster/live_waits.h"

enum {
    ANY_TICK_MS = 1000,
    BROKER_KILLED_MS =
        1000, /* bound of silence, of nodes and of walkers at gateways: clients of a dead broker go to the next one */
    BROKER_HANGS_MS = 3000,
    BROKER_HUNG_MS = 2500,  /* ... that does not answer for a second, and two more tries at it */
    BROKERS_AWAY_MS = 8000, /* longer than link_timeout_ms: without a connection a node does not count silence */
    BROKERS_BACK_MS = 3000,
    ETCD_AWAY_MS = 6000,
    ETCD_KILLED_MS = 500, /* bound of silence: as of a machine that has other work */
    JOINED_MS = 3000,     /* beside a lease: an election, and rounds of lists */
    /* for an election, and no longer than a lease has left at least: a leader of etcd before 3.4.31 and 3.5.13 that
     * goes on ends leases that were renewed meanwhile */
    ETCD_LEADER_HANGS_MS = 2500,
    BACK_MS = 3000,
    ELECTION_PATIENCE_MS = 60000
};

static size_t begin_fault(live_cluster *cluster, uint64_t *random)
{
    live_pass(cluster, phx_rng_below(random, ANY_TICK_MS));
    live_begin_measure(cluster);
    return cluster->events.count;
}

/* No walker and no member was lost. */
static void end_fault(live_cluster *cluster, size_t first, const char *when)
{
    live_check_nothing_lost(cluster, first);
    if (live_await_crossings(cluster)) (void)live_await_rest(cluster, when);
}

static test_server *choose_server(server_group *group, uint64_t *random)
{
    return &group->servers[phx_rng_below(random, group->count)];
}

/* ---- brokers ---- */

static void check_silence(const live_cluster *cluster, uint64_t bound_ms)
{
    live_bound(cluster, "silence of a node, at another one", live_longest_silence_ms(cluster), bound_ms);
    live_bound(cluster, "silence of a walker, at a gateway", live_longest_gap_ms(cluster), bound_ms);
}

static bool has_node(const live_cluster *cluster, const test_server *broker)
{
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_node(&cluster->runs[i]) && server_has_client(broker, cluster->runs[i].process.pid)) return true;
    return false;
}

/* One that a node is connected to: its fault is felt. The clients of one that died stay where they went. */
static test_server *choose_broker(live_cluster *cluster, uint64_t *random)
{
    test_server *brokers[SERVERS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < cluster->nats.count; i++)
        if (has_node(cluster, &cluster->nats.servers[i])) brokers[count++] = &cluster->nats.servers[i];
    if (count == 0) check_give_up(__FILE__, __LINE__, "no node is connected to a broker");
    return brokers[phx_rng_below(random, count)];
}

void live_kill_broker(live_cluster *cluster, uint64_t *random)
{
    test_server *broker = choose_broker(cluster, random);
    const size_t first = begin_fault(cluster, random);
    server_signal(broker, SIGKILL);
    live_pass(cluster, BACK_MS);
    check_silence(cluster, BROKER_KILLED_MS);
    (void)live_await_reconnects(cluster, "clients of a broker that died go to another one");
    server_start_again(broker);
    end_fault(cluster, first, "behind the death of a broker");
}

void live_hang_broker(live_cluster *cluster, uint64_t *random)
{
    test_server *broker = choose_broker(cluster, random);
    const size_t first = begin_fault(cluster, random);
    server_signal(broker, SIGSTOP);
    live_pass(cluster, BROKER_HANGS_MS);
    server_signal(broker, SIGCONT);
    live_pass(cluster, BACK_MS);
    check_silence(cluster, BROKER_HUNG_MS);
    (void)live_await_reconnects(cluster, "clients of a broker that hung go to another one");
    end_fault(cluster, first, "behind a broker that hung");
}

/* Each run says so, and none does while there is a broker. */
static void check_says_so(const live_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (!live_is_up(run)) continue;
        CHECK(run->measure.unconnected == 1, "seed %" PRIu64 ": run %u says %u times that it has no connection to NATS",
              cluster->seed, i, run->measure.unconnected);
    }
}

void live_kill_brokers(live_cluster *cluster, uint64_t *random)
{
    const size_t first = begin_fault(cluster, random);
    cluster->kills_brokers = true;
    for (uint32_t i = 0; i < cluster->nats.count; i++) server_signal(&cluster->nats.servers[i], SIGKILL);
    live_pass(cluster, BROKERS_AWAY_MS);
    live_check_ticks(cluster, "without brokers");
    for (uint32_t i = 0; i < cluster->nats.count; i++) server_start_again(&cluster->nats.servers[i]);
    live_pass(cluster, BROKERS_BACK_MS + BACK_MS);
    cluster->kills_brokers = false;
    check_says_so(cluster);
    live_check_silence(cluster, BROKERS_AWAY_MS / 2);
    check_silence(cluster, BROKERS_AWAY_MS + BROKERS_BACK_MS);
    end_fault(cluster, first, "behind a time without brokers");
}

/* ---- etcd ---- */

test_server *live_await_leader(live_cluster *cluster)
{
    const uint64_t end_ms = live_now_ms() + ELECTION_PATIENCE_MS;
    uint32_t leader;
    while ((leader = servers_etcd_leader(&cluster->etcd)) == cluster->etcd.count) {
        if (live_now_ms() >= end_ms) check_give_up(__FILE__, __LINE__, "no member of etcd leads, for a minute");
        live_pass(cluster, 100); /* an election */
    }
    return &cluster->etcd.servers[leader];
}

/* The lease is renewed three times in its time; 0: for some time hosts might not commit. No bound: no member was put
 * out. */
static void print_lease(live_cluster *cluster)
{
    const uint64_t least_ms = live_least_lease_ms(cluster);
    (void)printf("  %-50s %6" PRIu64 " ms of %" PRIu64 "\n", "the lease was proven for at least", least_ms,
                 cluster->lease_ms);
}

/* A gateway that starts as a member of etcd dies: it is in the map once that is written again. Then it leaves. */
static void check_writes(live_cluster *cluster, live_run *joiner, uint64_t since_ms)
{
    const bool has_joined = live_await_joined(cluster, joiner, "a gateway joins without a member of etcd");
    if (joiner->is_excused) return;
    if (has_joined)
        live_bound_written(cluster, "the map is written again after", joiner->joined_ms - since_ms,
                           cluster->lease_ms + JOINED_MS);
    server_signal(&joiner->process, SIGTERM);
    (void)live_await_end(cluster, joiner, "the gateway leaves", 0);
    live_leave_out(cluster, joiner);
}

/* A gateway, without a majority of etcd, or while a member of it dies. */
static live_run *start_joiner(live_cluster *cluster)
{
    live_run *joiner = live_start(cluster, true);
    joiner->may_say = true;
    return joiner;
}

/* Nodes hear each other by brokers, so none is silent meanwhile. */
static void kill_etcd(live_cluster *cluster, test_server *server, size_t first)
{
    const uint64_t since_ms = live_now_ms();
    server_signal(server, SIGKILL);
    live_run *joiner = start_joiner(cluster);
    live_pass(cluster, ETCD_AWAY_MS);
    live_check_ticks(cluster, "without a member of etcd");
    check_silence(cluster, ETCD_KILLED_MS);
    print_lease(cluster);
    (void)live_await_failures(cluster, "a member asks the server of etcd that died"); /* each has its turn */
    check_writes(cluster, joiner, since_ms);
    server_start_again(server);
    end_fault(cluster, first, "behind the death of a member of etcd");
}

void live_kill_etcd(live_cluster *cluster, uint64_t *random)
{
    test_server *server = choose_server(&cluster->etcd, random);
    kill_etcd(cluster, server, begin_fault(cluster, random));
}

void live_kill_etcd_leader(live_cluster *cluster, uint64_t *random)
{
    const size_t first = begin_fault(cluster, random);
    kill_etcd(cluster, live_await_leader(cluster), first);
}

static void hang_etcd(live_cluster *cluster, test_server *server, size_t first, uint64_t hangs_ms)
{
    cluster->stops_etcd = true;
    server_signal(server, SIGSTOP);
    live_pass(cluster, hangs_ms);
    if (hangs_ms > cluster->lease_ms) {
        (void)live_await_failures(cluster, "a member asks the server of etcd that hangs"); /* each has its turn */
        live_check_ticks(cluster, "while a member of etcd hangs");
    }
    server_signal(server, SIGCONT);
    live_pass(cluster, BACK_MS);
    print_lease(cluster);
    end_fault(cluster, first, "behind a member of etcd that hung");
}

void live_hang_etcd_leader(live_cluster *cluster, uint64_t *random)
{
    const size_t first = begin_fault(cluster, random);
    hang_etcd(cluster, live_await_leader(cluster), first, ETCD_LEADER_HANGS_MS);
}

/* Members ask the next one, behind the time of an attempt. */
void live_hang_etcd_follower(live_cluster *cluster, uint64_t *random)
{
    const size_t first = begin_fault(cluster, random);
    const test_server *leader = live_await_leader(cluster);
    test_server *server = choose_server(&cluster->etcd, random);
    while (server == leader) server = choose_server(&cluster->etcd, random);
    hang_etcd(cluster, server, first, cluster->lease_ms + 1000);
}

/* For longer than a lease no member can be put out, and the walkers go on and cross. No host may commit. */
static void check_without_etcd(live_cluster *cluster, size_t first)
{
    live_pass(cluster, cluster->lease_ms + 1000);
    live_check_ticks(cluster, "without etcd");
    (void)live_await_crossings(cluster);
    live_check_nothing_lost(cluster, first);
    for (uint32_t i = 0; i < cluster->run_count; i++)
        CHECK(!live_is_node(&cluster->runs[i]) || !cluster->runs[i].commits,
              "seed %" PRIu64 ": run %u may commit, and its lease is over", cluster->seed, i);
}

/* Since etcd has its majority again: the last node's phc_may_commit(). */
static void check_commits(live_cluster *cluster, uint64_t since_ms)
{
    uint64_t last_ms = since_ms;
    if (!live_await_commits(cluster, "hosts may commit again")) return;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_node(&cluster->runs[i]) && cluster->runs[i].commits_ms > last_ms)
            last_ms = cluster->runs[i].commits_ms;
    live_bound_written(cluster, "all hosts may commit again after", last_ms - since_ms, cluster->lease_ms + JOINED_MS);
}

/* It is in no map until there is a majority, and then it is. */
static void check_joiner(live_cluster *cluster, live_run *joiner, uint64_t since_ms)
{
    if (!live_await_joined(cluster, joiner, "a gateway joins once etcd has its majority") || joiner->is_excused) return;
    CHECK(joiner->joined_ms > since_ms, "seed %" PRIu64 ": a gateway joins without a majority", cluster->seed);
    live_bound_written(cluster, "a process that waited is in the map after", joiner->joined_ms - since_ms,
                       2 * cluster->lease_ms + JOINED_MS);
}

/* Behind it all have read a map without the gateway, also where etcd has not heard that it left. */
static void end_joiner(live_cluster *cluster, live_run *joiner)
{
    if (joiner->is_excused) return;
    server_signal(&joiner->process, SIGTERM);
    if (live_await_end(cluster, joiner, "the gateway leaves", 0)) live_pass(cluster, cluster->lease_ms + BACK_MS);
}

static void choose_majority(live_cluster *cluster, uint64_t *random, test_server *majority[2])
{
    majority[0] = live_await_leader(cluster);
    do majority[1] = choose_server(&cluster->etcd, random);
    while (majority[1] == majority[0]);
}

/* All leases end at one moment once etcd goes on, unless it has elected another leader: all members come back. */
void live_hang_etcd_majority(live_cluster *cluster, uint64_t *random)
{
    const size_t first = begin_fault(cluster, random);
    test_server *majority[2];
    choose_majority(cluster, random, majority);
    cluster->stops_etcd = true;
    for (uint32_t i = 0; i < 2; i++) server_signal(majority[i], SIGSTOP);
    live_run *joiner = start_joiner(cluster);
    check_without_etcd(cluster, first);
    const uint64_t since_ms = live_now_ms();
    for (uint32_t i = 0; i < 2; i++) server_signal(majority[i], SIGCONT);
    check_commits(cluster, since_ms);
    check_joiner(cluster, joiner, since_ms);
    live_pass(cluster, 2 * cluster->lease_ms + BACK_MS);
    end_fault(cluster, first, "behind a time in which etcd hung");
    end_joiner(cluster, joiner);
}

void live_kill_etcd_majority(live_cluster *cluster, uint64_t *random)
{
    const size_t first = begin_fault(cluster, random);
    test_server *majority[2];
    choose_majority(cluster, random, majority);
    for (uint32_t i = 0; i < 2; i++) server_signal(majority[i], SIGKILL);
    live_run *joiner = start_joiner(cluster);
    check_without_etcd(cluster, first);
    const uint64_t since_ms = live_now_ms();
    for (uint32_t i = 0; i < 2; i++) server_start_again(majority[i]);
    check_commits(cluster, since_ms);
    check_joiner(cluster, joiner, since_ms);
    live_pass(cluster, cluster->lease_ms + BACK_MS);
    end_fault(cluster, first, "behind a time without etcd");
    end_joiner(cluster, joiner);
}

void live_freeze_node(live_cluster *cluster, uint64_t *random)
{
    test_server *majority[2];
    const uint64_t begun_ms = live_now_ms();
    cluster->freezes = true;
    live_run *frozen = live_start(cluster, false);
    cluster->freezes = false;
    if (!live_await_owned(cluster, "a node that freezes owns walkers", begun_ms)) return;
    const size_t first = begin_fault(cluster, random);
    choose_majority(cluster, random, majority);
    for (uint32_t i = 0; i < 2; i++) server_signal(majority[i], SIGKILL);
    check_without_etcd(cluster, first);
    CHECK(frozen->ids == 0, "seed %" PRIu64 ": a node that freezes owns %u walkers without etcd", cluster->seed,
          frozen->ids);
    const uint64_t since_ms = live_now_ms();
    for (uint32_t i = 0; i < 2; i++) server_start_again(majority[i]);
    check_commits(cluster, since_ms);
    (void)live_await_owned(cluster, "a node that was frozen owns its walkers again", live_now_ms());
    end_fault(cluster, first, "behind a node that was frozen");
    server_signal(&frozen->process, SIGTERM);
    if (!live_await_end(cluster, frozen, "the node that freezes is drained", 0)) return;
    (void)live_await_rest(cluster, "without the node that freezes");
}
