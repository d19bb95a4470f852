/*
 * Faults of networks; see live_cables.h.
 */
#include "cluster/live_cables.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/rng.h"
#include "cluster/live_bounds.h"
#include "cluster/live_check.h"
#include "cluster/live_sleeps.h"
#include "cluster/live_waits.h"

enum {
    SHORT_PULL_MS = 1000,
    /* clients give up a broker that does not answer for a second, and what was sent meanwhile is sent again later and
     * later: as behind a broker that hangs */
    MENDED_MS = 2500,
    BACK_MS = 4000,
    HEARD_MS = 3000, /* etcd hears renewals that it can not answer: a request of a second to each of its members */
    /* Where the leader of etcd is cut off leases begin anew behind an election, of two rounds at most, and a second. */
    ELECTION_MS = 5000,
    LINK_TIMEOUT_MS = 5000, /* of pharos-node */
    NOTICED_MS = 3000,      /* links count as silent, and the proposal is made by the next look at the list */
    /* The node that has to leave asks a member of etcd which it does not hear, before the next one: for the map, and as
     * it ends its lease. */
    REQUEST_MS = 1000,
    PATIENCE_MS = 60000
};

static uint32_t machine_of(const live_cluster *cluster, const live_run *run)
{
    return (uint32_t)(run->process.place - cluster->cables->places);
}

typedef void (*change_way)(const cables *of, uint32_t from, uint32_t to);

/* All that the machine sends, or all that it is sent. */
static void change_sent(const live_cluster *cluster, uint32_t machine, change_way change)
{
    for (uint32_t to = 0; to <= CABLES; to++)
        if (to != machine) change(cluster->cables, machine, to);
}

static void change_received(const live_cluster *cluster, uint32_t machine, change_way change)
{
    for (uint32_t from = 0; from <= CABLES; from++)
        if (from != machine) change(cluster->cables, from, machine);
}

/* ---- a machine ---- */

static void pull_shortly(live_cluster *cluster, uint64_t *random)
{
    const uint32_t machine = machine_of(cluster, live_choose_run(cluster, random, false, NULL));
    live_pass_some_time(cluster, random);
    const size_t first = cluster->events.count;
    cables_pull(cluster->cables, machine);
    live_pass(cluster, SHORT_PULL_MS);
    cables_put_back(cluster->cables, machine);
    live_pass(cluster, BACK_MS);
    live_check_silence(cluster, SHORT_PULL_MS / 2);
    live_bound(cluster, "silence of a node, at another one", live_longest_silence_ms(cluster),
               SHORT_PULL_MS + MENDED_MS);
    live_check_nothing_lost(cluster, first);
    if (live_await_crossings(cluster)) (void)live_await_rest(cluster, "behind a cable that was pulled shortly");
}

typedef void (*change_machine)(const live_cluster *cluster, uint32_t machine);

/* Its node goes on without being heard, is put out, hears so once it is back, and ends. */
static void cut_off(live_cluster *cluster, uint64_t *random, change_machine cut, change_machine mend, uint64_t heard_ms)
{
    live_run *run = live_choose_run(cluster, random, false, NULL);
    const uint32_t machine = machine_of(cluster, run);
    live_pass_some_time(cluster, random);
    const bool leads = servers_etcd_leader(&cluster->etcd) == machine;
    const uint64_t bound_ms = cluster->lease_ms + LIVE_LEASE_SLACK_MS + heard_ms + (leads ? ELECTION_MS : 0);
    const size_t first = cluster->events.count;
    if (leads) (void)printf("  it is the machine of the leader of etcd\n");
    run->unheard_ms = live_now_ms();
    cut(cluster, machine);
    const uint64_t since_ms = live_now_ms(); /* it is cut off by the last of some commands */
    run->paused = true;
    const bool restored = live_check_death(cluster, run, since_ms, first, bound_ms);
    mend(cluster, machine);
    if (!restored || !live_await_end(cluster, run, "a node that was put out ends", LIVE_EXIT_FENCED)) return;
    CHECK(run->is_fenced, "seed %" PRIu64 ": it does not say that it is fenced", cluster->seed);
    live_pass(cluster, BACK_MS);
    if (live_await_rest(cluster, "behind the return of a node")) live_start_again(cluster, false);
}

static void pull(const live_cluster *cluster, uint32_t machine)
{
    cables_pull(cluster->cables, machine);
}

static void put_back(const live_cluster *cluster, uint32_t machine)
{
    cables_put_back(cluster->cables, machine);
}

static void lose_sent(const live_cluster *cluster, uint32_t machine)
{
    change_sent(cluster, machine, cables_lose);
}

static void find_sent(const live_cluster *cluster, uint32_t machine)
{
    change_sent(cluster, machine, cables_find);
}

static void lose_received(const live_cluster *cluster, uint32_t machine)
{
    change_received(cluster, machine, cables_lose);
}

static void find_received(const live_cluster *cluster, uint32_t machine)
{
    change_received(cluster, machine, cables_find);
}

static void pull_for_long(live_cluster *cluster, uint64_t *random)
{
    cut_off(cluster, random, pull, put_back, 0);
}

static void lose_what_it_sends(live_cluster *cluster, uint64_t *random)
{
    cut_off(cluster, random, lose_sent, find_sent, 0);
}

static void lose_what_it_gets(live_cluster *cluster, uint64_t *random)
{
    cut_off(cluster, random, lose_received, find_received, HEARD_MS);
}

/* ---- two machines ---- */

static live_run *await_either(live_cluster *cluster, live_run *runs[2], int *status)
{
    const uint64_t end_ms = live_now_ms() + PATIENCE_MS;
    while (live_now_ms() < end_ms && check_failures() == 0) {
        for (uint32_t i = 0; i < 2; i++)
            if (server_has_ended(&runs[i]->process, status)) return runs[i];
        live_pass(cluster, 1);
    }
    return NULL;
}

/*
 * A gateway at the broker of one of the two does not hear members of the other one, and goes by the same rule, if its
 * links are silent as long as the links of the nodes.
 */
static void replace_gateways(live_cluster *cluster)
{
    const uint32_t count = cluster->run_count;
    for (uint32_t i = 0; i < count; i++) {
        live_run *run = &cluster->runs[i];
        if (!run->is_gateway || !live_is_up(run) || !run->is_fenced) continue;
        if (live_await_end(cluster, run, "a gateway that was put out ends", LIVE_EXIT_FENCED))
            (void)live_start(cluster, true);
    }
}

/* Their brokers do not hear each other; both reach the third machine, and by it etcd: one of their nodes is put out. */
static void part_two(live_cluster *cluster, uint64_t *random)
{
    live_run *runs[2] = {live_choose_run(cluster, random, false, NULL)};
    int status = 0;
    runs[1] = live_choose_run(cluster, random, false, runs[0]);
    const uint32_t a = machine_of(cluster, runs[0]), b = machine_of(cluster, runs[1]);
    live_pass_some_time(cluster, random);
    /* a member of etcd that does not hear the leader asks for an election, until another one leads */
    const bool leads = servers_etcd_leader(&cluster->etcd) == a;
    if (leads) (void)printf("  the leader of etcd is not heard\n");
    const size_t first = cluster->events.count;
    const uint64_t since_ms = runs[0]->unheard_ms = runs[1]->unheard_ms = live_now_ms();
    cables_lose(cluster->cables, a, b);
    const live_run *out = await_either(cluster, runs, &status);
    live_read(cluster);
    cables_find(cluster->cables, a, b);
    runs[out == runs[0]]->unheard_ms = 0;
    if (!CHECK(out, "seed %" PRIu64 ": none of two that do not hear each other is put out", cluster->seed)) return;
    CHECK(out->is_fenced && WIFEXITED(status) && WEXITSTATUS(status) == LIVE_EXIT_FENCED,
          "seed %" PRIu64 ": the one that is put out ends with status %d", cluster->seed, status);
    const uint64_t bound_ms =
        LINK_TIMEOUT_MS + cluster->lease_ms + NOTICED_MS + 2 * REQUEST_MS + (leads ? ELECTION_MS : 0);
    if (!live_check_death(cluster, out, since_ms, first, bound_ms)) return;
    live_pass(cluster, BACK_MS);
    replace_gateways(cluster);
    if (live_await_rest(cluster, "behind two machines that did not hear each other")) live_start_again(cluster, false);
}

const live_fault live_cable_faults[] = {
    {"a machine's cable is pulled for a second", pull_shortly},
    {"a machine's cable is pulled beyond its node's lease", pull_for_long},
    {"all that a machine sends is lost beyond its node's lease", lose_what_it_sends},
    {"all that a machine is sent is lost beyond its node's lease", lose_what_it_gets},
    {"what one machine sends to another one is lost", part_two},
};

const uint32_t live_cable_fault_count = sizeof live_cable_faults / sizeof *live_cable_faults;
