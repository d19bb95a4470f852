/*
 * Faults of nodes and gateways, and the table of all; see live_faults.h. Faults of servers are live_server_faults.c.
 */
#include "cluster/live_faults.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/live_bounds.h"
#include "cluster/live_check.h"
#include "cluster/live_doubles.h"
#include "cluster/live_server_faults.h"
#include "cluster/live_sleeps.h"
#include "cluster/live_slow.h"
#include "cluster/live_waits.h"

enum {
    ANY_TICK_MS = 1000, /* a fault comes at any moment of so many */
    RESTORE_MS = 1000,  /* from the new map to the last walker, for each question of a host (PHC_ASKED_MAX) */
    SHORT_PAUSE_MS = 1000
};

static bool any_is_up(const live_cluster *cluster, bool is_gateway, const live_run *but)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (run != but && live_is_up(run) && run->is_gateway == is_gateway) return true;
    }
    return false;
}

live_run *live_choose_run(live_cluster *cluster, uint64_t *random, bool is_gateway, const live_run *but)
{
    if (!any_is_up(cluster, is_gateway, but))
        check_give_up(__FILE__, __LINE__, is_gateway ? "no gateway is up for a fault" : "no node is up for a fault");
    for (;;) {
        live_run *run = &cluster->runs[phx_rng_below(random, cluster->run_count)];
        if (run != but && live_is_up(run) && run->is_gateway == is_gateway) return run;
    }
}

void live_pass_some_time(live_cluster *cluster, uint64_t *random)
{
    live_pass(cluster, phx_rng_below(random, ANY_TICK_MS));
    live_begin_measure(cluster);
}

void live_start_again(live_cluster *cluster, bool is_gateway)
{
    const uint64_t since_ms = live_now_ms();
    (void)live_start(cluster, is_gateway);
    if (!is_gateway && live_await_owned(cluster, "a new node owns walkers", since_ms))
        (void)live_await_crossings(cluster);
}

static void kill_run(live_run *run)
{
    run->unheard_ms = live_now_ms();
    server_signal(&run->process, SIGKILL);
    run->killed = true;
}

/* ---- a node that is gone ---- */

/* When the last one of the others read a map without it. */
static uint64_t last_down_ms(const live_cluster *cluster, const live_run *dead)
{
    uint64_t last_ms = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const uint64_t ms = cluster->runs[i].measure.peer_down_ms[dead->number];
        if (ms > last_ms) last_ms = ms;
    }
    return last_ms;
}

bool live_check_death(live_cluster *cluster, const live_run *dead, uint64_t since_ms, size_t first, uint64_t bound_ms)
{
    live_restored restored;
    const uint64_t questions = (cluster->walkers + PHC_ASKED_MAX - 1) / PHC_ASKED_MAX;
    const uint64_t stale_ms = since_ms + 1500; /* statuses from before the death do not count */
    if (!live_await_owned(cluster, "the walkers of a dead node are owned", stale_ms)) return false;
    live_check_restored(cluster, dead, first, &restored);
    live_bound_written(cluster, "put out of the map by all after", last_down_ms(cluster, dead) - since_ms, bound_ms);
    live_bound_written(cluster, "the last of its walkers is entered after", restored.last_ms - since_ms,
                       bound_ms + RESTORE_MS * questions);
    (void)printf("  %u walkers entered anew, %u taken back from their way to it\n", restored.entered,
                 restored.taken_back);
    return CHECK(restored.entered + restored.taken_back > 0, "seed %" PRIu64 ": no walker was restored", cluster->seed);
}

static void kill_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    const uint64_t since_ms = live_now_ms();
    kill_run(run);
    if (live_check_death(cluster, run, since_ms, first, cluster->lease_ms + LIVE_LEASE_SLACK_MS) &&
        live_await_rest(cluster, "behind the death of a node"))
        live_start_again(cluster, false);
}

/* Longer than its lease: it is put out, hears so once it goes on, and ends. */
static void pause_node_for_long(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    const uint64_t since_ms = live_now_ms();
    live_pause(run);
    if (!live_check_death(cluster, run, since_ms, first, cluster->lease_ms + LIVE_LEASE_SLACK_MS)) return;
    server_signal(&run->process, SIGCONT);
    if (!live_await_end(cluster, run, "a node that was put out ends", LIVE_EXIT_FENCED)) return;
    CHECK(run->is_fenced, "seed %" PRIu64 ": it does not say that it is fenced", cluster->seed);
    if (live_await_rest(cluster, "behind the return of a node")) live_start_again(cluster, false);
}

/* The map barrier waits for the gateway until that is put out, too. */
static void kill_node_beside_paused_gateway(live_cluster *cluster, uint64_t *random)
{
    live_run *gateway = live_choose_run(cluster, random, true, NULL),
             *node = live_choose_run(cluster, random, false, NULL);
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    const uint64_t since_ms = live_now_ms();
    live_pause(gateway);
    kill_run(node);
    if (!live_check_death(cluster, node, since_ms, first, cluster->lease_ms + LIVE_LEASE_SLACK_MS)) return;
    server_signal(&gateway->process, SIGCONT);
    if (!live_await_end(cluster, gateway, "a gateway that was put out ends", LIVE_EXIT_FENCED)) return;
    if (!live_await_rest(cluster, "behind the death of a node and a gateway")) return;
    live_start_again(cluster, true);
    live_start_again(cluster, false);
}

/* The node that enters a walker of the dead one, or takes one back, first. NULL: none in time. */
static live_run *await_restoring(live_cluster *cluster, size_t first)
{
    const uint64_t end_ms = live_now_ms() + cluster->lease_ms + 10 * RESTORE_MS;
    while (live_now_ms() < end_ms) {
        live_pass(cluster, 1);
        for (; first < cluster->events.count; first++) {
            const live_event *event = &cluster->events.items[first];
            if (event->kind == LIVE_ENTERED || event->kind == LIVE_RESTORED) return &cluster->runs[event->run];
        }
    }
    (void)CHECK(false, "seed %" PRIu64 ": no walker of a dead node is entered", cluster->seed);
    return NULL;
}

/* The third node: neither of these. NULL: it has ended. */
static live_run *other_node(live_cluster *cluster, const live_run *than)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        live_run *run = &cluster->runs[i];
        if (live_is_node(run) && run != than) return run;
    }
    return NULL;
}

/* A second node dies as the first one's walkers are entered: the node that enters them, or the one beside it. */
static void kill_restoring_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    const bool is_beside = phx_rng_below(random, 2) == 1;
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    kill_run(run);
    live_run *second = await_restoring(cluster, first);
    if (!second) return;
    if (is_beside) second = other_node(cluster, second);
    if (!CHECK(second, "seed %" PRIu64 ": no third node is up", cluster->seed)) return;
    const uint64_t since_ms = live_now_ms();
    kill_run(second);
    run->is_first = true;
    (void)printf("  the second one is %s\n",
                 is_beside ? "beside the one that enters walkers" : "the one that enters them");
    const bool is_good = live_check_death(cluster, second, since_ms, first, cluster->lease_ms + LIVE_LEASE_SLACK_MS) &&
                         live_await_rest(cluster, "behind the death of two nodes");
    run->is_first = false;
    if (!is_good) return;
    (void)live_start(cluster, false);
    live_start_again(cluster, false);
}

/* ---- a node that comes back ---- */

static void pause_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    const uint64_t since_ms = live_now_ms();
    live_pause(run);
    live_pass(cluster, SHORT_PAUSE_MS);
    live_wake(run);
    const uint64_t paused_ms = live_now_ms() - since_ms;
    live_pass(cluster, 2 * SHORT_PAUSE_MS);
    live_check_silence(cluster, SHORT_PAUSE_MS / 2);
    live_bound(cluster, "silence of the node beyond its pause",
               live_longest_silence_ms(cluster) -
                   (live_longest_silence_ms(cluster) < paused_ms ? live_longest_silence_ms(cluster) : paused_ms),
               500);
    live_check_nothing_lost(cluster, first);
    (void)live_await_rest(cluster, "behind a pause of a node");
}

static uint64_t count_restores(const live_cluster *cluster)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) count += cluster->runs[i].restores;
    return count;
}

static void drain_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    live_pass_some_time(cluster, random);
    const uint64_t restores = count_restores(cluster);
    const size_t first = cluster->events.count;
    const uint64_t since_ms = live_now_ms();
    server_signal(&run->process, SIGTERM);
    if (!live_await_end(cluster, run, "a node is drained", 0)) return;
    (void)printf("  drained after %" PRIu64 " ms\n", live_now_ms() - since_ms);
    CHECK(run->is_drained, "seed %" PRIu64 ": it does not say that it is drained", cluster->seed);
    live_leave_out(cluster, run);
    live_check_nothing_lost(cluster, first);
    const bool is_at_rest = live_await_rest(cluster, "without the drained node");
    CHECK(count_restores(cluster) == restores, "seed %" PRIu64 ": regions are lost with a drained node", cluster->seed);
    if (is_at_rest) live_start_again(cluster, false);
}

/* ---- gateways ---- */

/* Gone, or cut off, since then: the others have read a map without it, in time. */
static void check_gateway_out(live_cluster *cluster, const live_run *run, uint64_t since_ms)
{
    const uint64_t down_ms = last_down_ms(cluster, run);
    if (CHECK(down_ms > since_ms, "seed %" PRIu64 ": the gateway is not put out", cluster->seed))
        live_bound_written(cluster, "put out of the map by all after", down_ms - since_ms,
                           cluster->lease_ms + LIVE_LEASE_SLACK_MS);
}

static void kill_gateway(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, true, NULL);
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    const uint64_t since_ms = live_now_ms();
    kill_run(run);
    live_pass(cluster, cluster->lease_ms + 2 * LIVE_LEASE_SLACK_MS);
    check_gateway_out(cluster, run, since_ms);
    live_leave_out(cluster, run);
    live_check_nothing_lost(cluster, first);
    live_start_again(cluster, true);
    (void)live_await_rest(cluster, "behind the death of a gateway");
}

static void pause_gateway_for_long(live_cluster *cluster, uint64_t *random)
{
    live_run *run = live_choose_run(cluster, random, true, NULL);
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    const uint64_t since_ms = live_now_ms();
    live_pause(run);
    live_pass(cluster, cluster->lease_ms + 2 * LIVE_LEASE_SLACK_MS);
    check_gateway_out(cluster, run, since_ms);
    server_signal(&run->process, SIGCONT);
    if (!live_await_end(cluster, run, "a gateway that was put out ends", LIVE_EXIT_FENCED)) return;
    live_leave_out(cluster, run);
    live_check_nothing_lost(cluster, first);
    live_start_again(cluster, true);
    (void)live_await_rest(cluster, "behind the return of a gateway");
}

const live_fault live_faults[] = {
    {"a node is killed", kill_node},
    {"a node stands still beyond its lease", pause_node_for_long},
    {"a node is killed while a gateway stands still", kill_node_beside_paused_gateway},
    {"a second node is killed while the walkers of the first one are entered", kill_restoring_node},
    {"a node stands still for a second", pause_node},
    {"a node is drained", drain_node},
    {"a node is slow", live_slow_node},
    {"a gateway is killed", kill_gateway},
    {"a gateway stands still beyond its lease", pause_gateway_for_long},
    {"a broker is killed", live_kill_broker},
    {"a broker hangs", live_hang_broker},
    {"all nodes and gateways stand still beyond their leases", live_sleep_members},
    {"the whole machine stands still beyond all leases", live_sleep_all},
    {"all brokers are away", live_kill_brokers},
    {"a member of etcd is killed", live_kill_etcd},
    {"the leader of etcd is killed", live_kill_etcd_leader},
    {"the leader of etcd hangs", live_hang_etcd_leader},
    {"a follower of etcd hangs beyond all leases", live_hang_etcd_follower},
    {"the majority of etcd is away", live_kill_etcd_majority},
    {"the majority of etcd hangs beyond all leases", live_hang_etcd_majority},
    {"two nodes of another world enter one id", live_double_id},
    {"the majority of etcd is away, and a node freezes", live_freeze_node},
};

const uint32_t live_fault_count = sizeof live_faults / sizeof *live_faults;
