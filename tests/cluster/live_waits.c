/*
 * Waits of a test of processes; see live_waits.h.
 */
#include "cluster/live_waits.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/live_check.h"

/*
 * FELT_MS: behind a fault, until a status tells of it. Each member asks each server of etcd in turn, in some ten
 * seconds. No more: a busy machine loses a connection in a minute without a fault.
 */
enum { DISK_MS = 100, PATIENCE_MS = 60000, FELT_MS = 6000, HAND_OVERS = 30, STALE_STATUS_MS = 2000 };

typedef bool (*wait_condition)(live_cluster *cluster, const void *argument);

/* A run that ended by no fault of its own has another one in its place, as an operator's supervisor would do it. */
static void replace_ended(live_cluster *cluster)
{
    const uint32_t count = cluster->run_count;
    for (uint32_t i = 0; i < count; i++) {
        live_run *run = &cluster->runs[i];
        int status;
        if (!live_is_up(run) || !run->is_excused || !server_has_ended(&run->process, &status)) continue;
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == LIVE_EXIT_FENCED,
              "seed %" PRIu64 ": run %u, excused: status %d", cluster->seed, i, status);
        live_start(cluster, run->is_gateway)->may_say = true; /* etcd may be away */
    }
}

/* As a member of etcd does it with each write, on the same disk. */
static void write_to_disk(const live_cluster *cluster)
{
    char path[TEMP_PATH_SIZE + 8];
    (void)snprintf(path, sizeof path, "%s/disk", cluster->folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    REQUIRE(file >= 0 && write(file, "", 1) == 1 && fdatasync(file) == 0 && close(file) == 0);
}

/* A machine that is busy wakes this process late, and the nodes as well; and a busy disk is late for etcd. */
static void pass_step(live_cluster *cluster)
{
    const uint64_t before_ms = live_now_ms();
    (void)usleep(LIVE_STEP_MS * 1000);
    const uint64_t woken_ms = live_now_ms(), late_ms = woken_ms - before_ms - LIVE_STEP_MS;
    if (late_ms > cluster->stall_ms) cluster->stall_ms = late_ms;
    if (before_ms / DISK_MS != woken_ms / DISK_MS) write_to_disk(cluster);
    const uint64_t disk_ms = live_now_ms() - woken_ms;
    if (disk_ms > cluster->disk_ms) cluster->disk_ms = disk_ms;
    live_read(cluster);
    replace_ended(cluster);
    cluster->passed_ms += live_now_ms() - before_ms - (late_ms > LIVE_TICK_MS ? late_ms : 0);
}

void live_pass(live_cluster *cluster, uint64_t ms)
{
    const uint64_t end_ms = live_now_ms() + ms;
    while (live_now_ms() < end_ms) pass_step(cluster);
}

static void show_logs(const live_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        (void)fprintf(stderr, "-- run %u --\n", i);
        server_show_log(&cluster->runs[i].process);
    }
}

static bool await_for(live_cluster *cluster, const char *what, wait_condition holds, const void *argument, uint64_t ms)
{
    const uint64_t end_ms = live_now_ms() + ms;
    live_read(cluster);
    while (check_failures() == 0) {
        if (holds(cluster, argument)) return true;
        if (live_now_ms() >= end_ms) break;
        pass_step(cluster);
    }
    if (check_failures() > 0) return false;
    show_logs(cluster);
    return CHECK(false,
                 "seed %" PRIu64 ": not in time: %s; this process was once late by %" PRIu64
                 " ms, and a write by %" PRIu64 ": members end if it was a lease",
                 cluster->seed, what, cluster->stall_ms, cluster->disk_ms);
}

static bool await_condition(live_cluster *cluster, const char *what, wait_condition holds, const void *argument)
{
    return await_for(cluster, what, holds, argument, PATIENCE_MS);
}

/* ---- owners ---- */

static bool all_are_owned(live_cluster *cluster, const void *argument)
{
    const uint64_t *since_ms = argument;
    bool owned[LIVE_WALKERS_MAX + 1] = {0};
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (!live_is_node(run)) continue;
        uint32_t count = 0;
        for (uint64_t id = 1; id <= cluster->walkers; id++) {
            owned[id] |= run->owns[id];
            count += run->owns[id];
        }
        if (count == 0 || run->status_ms < *since_ms) return false;
    }
    for (uint64_t id = 1; id <= cluster->walkers; id++)
        if (!owned[id]) return false;
    return true;
}

bool live_await_owned(live_cluster *cluster, const char *what, uint64_t since_ms)
{
    return await_condition(cluster, what, all_are_owned, &since_ms);
}

uint32_t live_count_gained(const live_cluster *cluster)
{
    uint32_t count = 0;
    for (size_t i = 0; i < cluster->events.count; i++) count += cluster->events.items[i].kind == LIVE_GAINED;
    return count;
}

static bool many_are_gained(live_cluster *cluster, const void *argument)
{
    const uint32_t *count = argument;
    return live_count_gained(cluster) >= *count;
}

bool live_await_crossings(live_cluster *cluster)
{
    const uint32_t count = live_count_gained(cluster) + HAND_OVERS;
    return await_condition(cluster, "walkers cross regions", many_are_gained, &count);
}

/* ---- members ---- */

static bool has_joined(live_cluster *cluster, const void *argument)
{
    (void)cluster;
    const live_run *run = argument;
    return run->joined_ms != 0 || run->is_excused;
}

bool live_await_joined(live_cluster *cluster, const live_run *run, const char *what)
{
    return await_condition(cluster, what, has_joined, run);
}

static bool all_commit(live_cluster *cluster, const void *argument)
{
    (void)argument;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_node(&cluster->runs[i]) && !cluster->runs[i].commits) return false;
    return true;
}

bool live_await_commits(live_cluster *cluster, const char *what)
{
    return await_condition(cluster, what, all_commit, NULL);
}

/* ---- servers ---- */

static bool has_reconnected(live_cluster *cluster, const void *argument)
{
    uint64_t count = 0;
    (void)argument;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (cluster->runs[i].measure.is_whole && !cluster->runs[i].is_gateway)
            count += cluster->runs[i].reconnects - cluster->runs[i].measure.reconnects_before;
    return count > 0;
}

bool live_await_reconnects(live_cluster *cluster, const char *what)
{
    return await_for(cluster, what, has_reconnected, NULL, FELT_MS);
}

static bool has_failures(live_cluster *cluster, const void *argument)
{
    uint64_t count = 0;
    (void)argument;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (cluster->runs[i].measure.is_whole)
            count += cluster->runs[i].failed - cluster->runs[i].measure.failed_before;
    return count > 0;
}

bool live_await_failures(live_cluster *cluster, const char *what)
{
    return await_for(cluster, what, has_failures, NULL, FELT_MS);
}

/* ---- rest ---- */

/* The lists that clients of each gateway are shown are those of the nodes, by their sums. */
static bool clients_agree(const live_cluster *cluster)
{
    uint64_t listed = 0, list_sum = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        if (!live_is_node(&cluster->runs[i])) continue;
        listed += cluster->runs[i].listed;
        list_sum += cluster->runs[i].list_sum;
    }
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (live_is_up(run) && run->is_gateway && (run->listed != listed || run->list_sum != list_sum)) return false;
    }
    return listed > 0;
}

/* No node has had news for some statuses, all of them behind since_ms. */
static bool all_are_settled(live_cluster *cluster, const void *argument)
{
    const uint64_t *since_ms = argument;
    uint32_t owned = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (!live_is_node(run)) continue;
        if (run->status_ms < *since_ms || run->same_statuses < LIVE_SAME_STATUSES || run->transit != 0) return false;
        for (uint64_t id = 1; id <= cluster->walkers; id++) owned += run->owns[id];
    }
    return owned == cluster->walkers && clients_agree(cluster);
}

bool live_await_rest(live_cluster *cluster, const char *when)
{
    live_signal_all(cluster, SIGUSR1);
    const uint64_t since_ms = live_now_ms() + STALE_STATUS_MS;
    const bool settled = await_condition(cluster, when, all_are_settled, &since_ms);
    if (settled) live_check_owners(cluster);
    live_signal_all(cluster, SIGUSR1);
    return settled;
}

/* ---- ends ---- */

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

bool live_await_end(live_cluster *cluster, live_run *run, const char *what, int exit_status)
{
    ended end = {.run = run}, *argument = &end;
    if (!await_condition(cluster, what, has_ended, &argument)) return false;
    live_read(cluster);
    if (CHECK(WIFEXITED(end.status) && WEXITSTATUS(end.status) == exit_status, "seed %" PRIu64 ": %s: status %d",
              cluster->seed, what, end.status))
        return true;
    show_logs(cluster);
    return false;
}
