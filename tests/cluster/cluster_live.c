/*
 * A cluster of processes: nats-server and etcd on loopback, three pharos-node. Walkers cross regions; by seed a node is
 * killed, started again, another one paused beyond its lease, one drained. Checked from the lines of the nodes: at each
 * time when all stand still, each walker has exactly one owner; over all lines, the rules of live_check.h; exit
 * statuses. No time is asserted, but that nothing takes two minutes; how long the walkers of a dead node were away is
 * printed.
 *
 * usage: cluster_live --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S]
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "cluster/live_check.h"

enum { NODES = 3, WALKERS = 90, STEP_US = 20000, PATIENCE_MS = 120000, HAND_OVERS = 30, EXIT_FENCED = 3 };

typedef bool (*condition)(live_cluster *cluster, const void *argument);

/* Reads along until the condition holds; false: not in time, which is a failure. */
static bool await(live_cluster *cluster, const char *what, condition holds, const void *argument)
{
    const uint64_t end_ms = live_now_ms() + PATIENCE_MS;
    do {
        live_read(cluster);
        if (holds(cluster, argument)) return true;
        (void)usleep(STEP_US);
    } while (live_now_ms() < end_ms && check_failures() == 0);
    if (check_failures() > 0) return false;
    for (uint32_t i = 0; i < cluster->run_count; i++) server_show_log(&cluster->runs[i].process);
    return CHECK(false, "seed %" PRIu64 ": not in time: %s", cluster->seed, what);
}

/* ---- conditions ---- */

/* Each walker is owned by a node that is up, as of the last statuses; each node that is up owns some. */
static bool all_are_owned(live_cluster *cluster, const void *argument)
{
    const uint64_t *since_ms = argument;
    bool owned[WALKERS + 1] = {0};
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (!live_is_up(run)) continue;
        uint32_t count = 0;
        for (uint64_t id = 1; id <= WALKERS; id++) {
            owned[id] |= run->owns[id];
            count += run->owns[id];
        }
        if (count == 0 || run->status_ms < *since_ms) return false;
    }
    for (uint64_t id = 1; id <= WALKERS; id++)
        if (!owned[id]) return false;
    return true;
}

/* No node has had news for some statuses, all of them behind since_ms. */
static bool all_are_settled(live_cluster *cluster, const void *argument)
{
    const uint64_t *since_ms = argument;
    uint32_t owned = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (!live_is_up(run)) continue;
        if (run->status_ms < *since_ms || run->same_statuses < LIVE_SAME_STATUSES || run->transit != 0) return false;
        for (uint64_t id = 1; id <= WALKERS; id++) owned += run->owns[id];
    }
    return owned == WALKERS;
}

static uint32_t count_gained(const live_cluster *cluster)
{
    uint32_t count = 0;
    for (size_t i = 0; i < cluster->events.count; i++) count += cluster->events.items[i].kind == LIVE_GAINED;
    return count;
}

static bool many_are_gained(live_cluster *cluster, const void *argument)
{
    const uint32_t *count = argument;
    return count_gained(cluster) >= *count;
}

typedef struct ended {
    live_run *run;
    int status;
} ended;

static bool has_ended(live_cluster *cluster, const void *argument)
{
    (void)cluster;
    ended *end = *(ended *const *)argument;
    return server_has_ended(&end->run->process, &end->status);
}

/* ---- steps ---- */

/* Waits for the end of a process, which has this exit status. */
static void await_end(live_cluster *cluster, live_run *run, const char *what, int exit_status)
{
    ended end = {.run = run}, *argument = &end;
    if (!await(cluster, what, has_ended, &argument)) return;
    live_read(cluster);
    if (!CHECK(WIFEXITED(end.status) && WEXITSTATUS(end.status) == exit_status, "seed %" PRIu64 ": %s: status %d",
               cluster->seed, what, end.status))
        for (uint32_t i = 0; i < cluster->run_count; i++) server_show_log(&cluster->runs[i].process);
}

static void await_crossings(live_cluster *cluster)
{
    const uint32_t count = count_gained(cluster) + HAND_OVERS;
    (void)await(cluster, "walkers cross regions", many_are_gained, &count);
}

/* All stand still; then they go on. */
static void check_settled(live_cluster *cluster, const char *when)
{
    live_signal_all(cluster, SIGUSR1);
    const uint64_t since_ms = live_now_ms() + 2000; /* statuses before it do not count */
    if (await(cluster, when, all_are_settled, &since_ms)) live_check_owners(cluster);
    live_signal_all(cluster, SIGUSR1);
    (void)printf("%s: %u hand-overs so far, each walker has one owner\n", when, count_gained(cluster));
}

static live_run *choose_run(live_cluster *cluster, uint64_t *random)
{
    for (;;) {
        live_run *run = &cluster->runs[phx_rng_below(random, cluster->run_count)];
        if (live_is_up(run)) return run;
    }
}

/* A walker's last owner before that moment, by its ownership; NULL: none. */
static const live_event *owner_before(const live_cluster *cluster, uint64_t id, uint64_t ms)
{
    const live_event *last = NULL;
    for (size_t i = 0; i < cluster->events.count; i++) {
        const live_event *event = &cluster->events.items[i];
        if (event->id == id && event->kind != LIVE_LOST && event->ms < ms &&
            (!last || event->ownership > last->ownership))
            last = event;
    }
    return last;
}

/* Was it the dead node's, or on its way to it? The dead node has not said all that it took. */
static bool was_with(const live_cluster *cluster, const live_run *dead, const live_event *again)
{
    const live_event *owner = owner_before(cluster, again->id, again->ms);
    if (!owner || &cluster->runs[owner->run] == dead) return owner != NULL;
    for (size_t i = 0; i < cluster->events.count; i++) {
        const live_event *event = &cluster->events.items[i];
        if (event->id == again->id && event->kind == LIVE_LOST && event->run == owner->run && event->ms >= owner->ms &&
            event->ms <= again->ms && event->peer == dead->number)
            return true;
    }
    return false;
}

/* Only walkers of the dead node were entered anew, and ones on their way to it taken back. How long were they away? */
static void check_restoring(const live_cluster *cluster, const char *what, const live_run *dead, uint64_t since_ms)
{
    uint64_t last_ms = since_ms, down_ms = since_ms;
    uint32_t count = 0, restored = 0;
    for (size_t i = 0; i < cluster->events.count; i++) {
        const live_event *event = &cluster->events.items[i];
        if (event->ms < since_ms || (event->kind != LIVE_ENTERED && event->kind != LIVE_RESTORED)) continue;
        count++;
        restored += event->kind == LIVE_RESTORED;
        CHECK(was_with(cluster, dead, event),
              "seed %" PRIu64 ": walker %" PRIu64 " is entered anew, and was no dead node's", cluster->seed, event->id);
        if (event->ms > last_ms) last_ms = event->ms;
    }
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (cluster->runs[i].peer_down_ms > down_ms) down_ms = cluster->runs[i].peer_down_ms;
    (void)printf("%s, lease of 3000 ms: put out after %" PRIu64
                 " ms, %u walkers entered anew and %u taken back, the last after %" PRIu64 " ms\n",
                 what, down_ms - since_ms, count - restored, restored, last_ms - since_ms);
    CHECK(count > 0, "seed %" PRIu64 ": %s: no walker was restored", cluster->seed, what);
}

static void kill_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = choose_run(cluster, random);
    (void)usleep(phx_rng_below(random, 1000) * 1000); /* at any tick */
    const uint64_t since_ms = live_now_ms();
    server_signal(&run->process, SIGKILL);
    run->killed = true;
    const uint64_t wait_ms = since_ms + 1500; /* statuses from before the death do not count */
    if (!await(cluster, "the walkers of a killed node are owned", all_are_owned, &wait_ms)) return;
    check_restoring(cluster, "a node is killed", run, since_ms);
    check_settled(cluster, "behind the death of a node");
}

static void start_again(live_cluster *cluster)
{
    (void)live_start(cluster);
    const uint64_t since_ms = live_now_ms();
    (void)await(cluster, "a new node owns walkers", all_are_owned, &since_ms);
    await_crossings(cluster);
}

/* Longer than its lease: it is put out, hears so once it goes on, and ends. */
static void pause_node(live_cluster *cluster, uint64_t *random)
{
    live_run *run = choose_run(cluster, random);
    const uint64_t since_ms = live_now_ms();
    server_signal(&run->process, SIGSTOP);
    run->paused = true;
    const uint64_t wait_ms = since_ms + 1500;
    if (!await(cluster, "the walkers of a paused node are owned", all_are_owned, &wait_ms)) return;
    check_restoring(cluster, "a node stands still", run, since_ms);
    server_signal(&run->process, SIGCONT);
    await_end(cluster, run, "a node that was put out ends", EXIT_FENCED);
    CHECK(run->is_fenced, "seed %" PRIu64 ": it does not say that it is fenced", cluster->seed);
    check_settled(cluster, "behind the return of a node");
}

static void drain_node(live_cluster *cluster, uint64_t *random)
{
    size_t entered = 0;
    live_run *run = choose_run(cluster, random);
    const uint64_t since_ms = live_now_ms();
    server_signal(&run->process, SIGTERM);
    await_end(cluster, run, "a node is drained", 0);
    CHECK(run->is_drained, "seed %" PRIu64 ": it does not say that it is drained", cluster->seed);
    check_settled(cluster, "without the drained node");
    for (size_t i = 0; i < cluster->events.count; i++)
        entered += cluster->events.items[i].kind != LIVE_LOST && cluster->events.items[i].kind != LIVE_GAINED &&
                   cluster->events.items[i].ms >= since_ms;
    CHECK(entered == 0, "seed %" PRIu64 ": %zu walkers were lost by a drain", cluster->seed, entered);
}

/* One after the other; the last one is alone. */
static void end_nodes(live_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        if (!live_is_up(&cluster->runs[i]) || check_failures() > 0) continue;
        server_signal(&cluster->runs[i].process, SIGTERM);
        await_end(cluster, &cluster->runs[i], "a node leaves", 0);
    }
}

static void run_cluster(live_cluster *cluster)
{
    uint64_t random = cluster->seed;
    const uint64_t since_ms = live_now_ms();
    for (uint32_t i = 0; i < NODES; i++) (void)live_start(cluster);
    void (*const steps[])(live_cluster *, uint64_t *) = {kill_node, pause_node, drain_node};
    if (!await(cluster, "all walkers are owned, by three nodes", all_are_owned, &since_ms)) return;
    await_crossings(cluster);
    check_settled(cluster, "three nodes");
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps && check_failures() == 0; i++) {
        if (i > 0) start_again(cluster);
        if (check_failures() == 0) steps[i](cluster, &random);
    }
    if (check_failures() == 0) end_nodes(cluster);
    live_read(cluster);
    if (check_failures() == 0) live_check_events(cluster);
}

int main(int argc, char **argv)
{
    const char *node = option_text(argc, argv, "--node"), *nats = option_text(argc, argv, "--nats"),
               *etcd = option_text(argc, argv, "--etcd");
    if (!node || !nats || !etcd) {
        (void)fprintf(stderr, "usage: cluster_live --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S]\n");
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    live_cluster *cluster = check_zalloc(sizeof *cluster);
    cluster->program = node;
    cluster->seed = option_number(argc, argv, "--seed", 1);
    cluster->walkers = WALKERS;
    temp_folder(cluster->folder, "nodes");
    servers_start_nats(&cluster->nats, nats, 1);
    servers_start_etcd(&cluster->etcd, etcd, 1);
    run_cluster(cluster);
    CHECK(count_gained(cluster) > 0, "no walker was handed over");
    live_end(cluster);
    free(cluster);
    return check_done("cluster_live");
}
