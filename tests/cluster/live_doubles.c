/*
 * An id that two hosts have entered; see live_doubles.h. The nodes are of this process, so that they enter it in one
 * moment: the walkers of pharos-node have ids that no second one enters.
 */
#include "cluster/live_doubles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/live_bounds.h"
#include "cluster/live_check.h"
#include "cluster/live_waits.h"
#include "cluster/node_host.h"
#include "cluster/walks.h"

enum {
    NODES = 3,
    COLUMNS = 4,
    ROWS = 4,
    JOIN_MS = 20000,
    LOOK_MS = 10000,   /* for the event, at most */
    BEYOND_MS = 500,   /* of ticks beyond silent_ticks: the first copies, and the last ones */
    BEHIND_TICKS = 60, /* more than silent_ticks: nothing is told again */
    IDS = 1000000,
    METRICS_SIZE = 1 << 16
};

static const float VIEW = 60, APART = 10; /* APART: of both entities along each axis, at most */

typedef struct doubles_node {
    ph_world world;
    phc_transport transport;
    phc_store store;
    phc *member;
    uint32_t told, told_tick;
} doubles_node;

typedef struct doubles {
    live_cluster *cluster;
    doubles_node nodes[NODES];
    uint64_t id;
    uint32_t owners[2];           /* places of nodes */
    uint32_t silent_ticks, ticks; /* ticks: since both have entered it */
} doubles;

static void open_node(doubles *all, doubles_node *node)
{
    const live_cluster *cluster = all->cluster;
    char reason[PHC_REASON_SIZE] = "";
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, VIEW, 0);
    phc_def def = phc_def_default();
    world_def.consumers = 0;
    def.name = "doubles";
    def.world_def = &world_def;
    def.regions[0] = COLUMNS;
    def.regions[1] = ROWS;
    all->silent_ticks = def.silent_ticks;
    REQUIRE(def.lag_max == LIVE_LAG_MAX);
    const phc_nats_def nats = {.servers = cluster->nats.addresses, .server_count = cluster->nats.count};
    const phc_etcd_def etcd = {.servers = cluster->etcd.addresses, .server_count = cluster->etcd.count};
    REQUIRE(ph_world_create(&world_def, &node->world) == PH_OK);
    REQUIRE(phc_nats_open(&nats, &node->transport, reason, sizeof reason) == PH_OK);
    REQUIRE(phc_etcd_open(&etcd, &node->store, reason, sizeof reason) == PH_OK);
    const ph_status status =
        phc_open(&def, node->world, &node->transport, &node->store, &node->member, reason, sizeof reason);
    if (status != PH_OK) check_give_up(__FILE__, __LINE__, reason);
}

static void close_node(doubles_node *node)
{
    phc_close(node->member);
    node->transport.close(node->transport.user);
    node->store.close(node->store.user);
    CHECK_OK(ph_world_destroy(node->world));
}

static uint16_t number_of(const doubles *all, uint32_t at)
{
    return phc_number(all->nodes[at].member);
}

static void hear_events(doubles *all, uint32_t at)
{
    doubles_node *node = &all->nodes[at];
    phc_event event;
    while (phc_event_next(node->member, &event)) {
        CHECK(event.kind != PHC_EVENT_FENCED, "a node of the test is fenced: %s", event.reason);
        if (event.kind != PHC_EVENT_DOUBLE_ID) continue;
        const uint32_t other = at == all->owners[0] ? all->owners[1] : all->owners[0];
        CHECK(event.id == all->id && event.number == number_of(all, other),
              "node %u is told of id %" PRIu64 " at node %u", number_of(all, at), event.id, event.number);
        node->told++;
        node->told_tick = all->ticks;
    }
}

static void tick_nodes(doubles *all)
{
    for (uint32_t at = 0; at < NODES && check_failures() == 0; at++) {
        doubles_node *node = &all->nodes[at];
        CHECK_OK(phc_tick(node->member));
        hear_events(all, at);
        CHECK_OK(ph_tick(node->world, NULL));
        CHECK_OK(phc_told(node->member));
    }
    live_pass(all->cluster, LIVE_TICK_MS);
    all->ticks++;
}

static phc_stats stats_of(const doubles *all, uint32_t at)
{
    phc_stats stats = {0};
    CHECK_OK(phc_stats_get(all->nodes[at].member, &stats));
    return stats;
}

static bool have_joined(const doubles *all)
{
    for (uint32_t at = 0; at < NODES; at++) {
        const phc_stats stats = stats_of(all, at);
        if (stats.nodes < NODES || stats.regions == 0) return false;
    }
    return true;
}

/* The node that owns a place, by the maps of all; NODES: they differ. */
static uint32_t owner_of(const doubles *all, spot at)
{
    uint32_t owner = NODES;
    const uint16_t number = phc_owner_of(all->nodes[0].member, at.x, at.y);
    for (uint32_t i = 0; i < NODES; i++) {
        if (phc_owner_of(all->nodes[i].member, at.x, at.y) != number) return NODES;
        if (number_of(all, i) == number) owner = i;
    }
    return owner;
}

/* Two places beside each other that two nodes own, and an id. Both enter it. */
static bool enter_twice(doubles *all, uint64_t *random)
{
    enum { TRIES = 10000 };
    all->id = 1 + phx_rng_below(random, IDS);
    for (uint32_t i = 0; i < TRIES; i++) {
        const spot first = walks_spot(random);
        const float x = first.x + APART * (2 * phx_rng_unit(random) - 1);
        const spot places[2] = {first, {x, first.y + APART * (2 * phx_rng_unit(random) - 1)}};
        for (uint32_t k = 0; k < 2; k++) all->owners[k] = owner_of(all, places[k]);
        if (all->owners[0] == all->owners[1] || all->owners[0] == NODES || all->owners[1] == NODES) continue;
        for (uint32_t k = 0; k < 2; k++) {
            const ph_attrs attrs = {.given = PH_X | PH_Y, .x = places[k].x, .y = places[k].y};
            CHECK_OK(phc_enter(all->nodes[all->owners[k]].member, all->id, &attrs, 0));
        }
        all->ticks = 0;
        return true;
    }
    return CHECK(false, "no border of two nodes was found");
}

static void check_metrics(const doubles *all, uint32_t at, uint32_t count)
{
    static char text[METRICS_SIZE];
    char line[96];
    size_t length;
    (void)snprintf(line, sizeof line, "pharos_cluster_double_ids_total{world=\"doubles\"} %" PRIu32 "\n", count);
    CHECK_OK(phc_prometheus(all->nodes[at].member, text, sizeof text, &length));
    CHECK(length < sizeof text && strstr(text, line), "node %u: no metric %s", number_of(all, at), line);
    CHECK(stats_of(all, at).double_ids == count, "node %u counts %" PRIu64 " double ids", number_of(all, at),
          stats_of(all, at).double_ids);
}

static void check_told(doubles *all)
{
    for (uint32_t at = 0; at < NODES; at++) {
        const uint32_t owns = at == all->owners[0] || at == all->owners[1];
        CHECK(all->nodes[at].told == owns, "node %u is told %u times", number_of(all, at), all->nodes[at].told);
        check_metrics(all, at, owns);
    }
}

static bool are_both_told(const doubles *all)
{
    return all->nodes[all->owners[0]].told > 0 && all->nodes[all->owners[1]].told > 0;
}

static void find_double(doubles *all, uint64_t *random)
{
    uint64_t end_ms = live_now_ms() + JOIN_MS;
    while (!have_joined(all) && live_now_ms() < end_ms && check_failures() == 0) tick_nodes(all);
    if (!CHECK(have_joined(all), "three nodes of the test do not join") || !enter_twice(all, random)) return;
    end_ms = live_now_ms() + LOOK_MS;
    while (!are_both_told(all) && live_now_ms() < end_ms && check_failures() == 0) tick_nodes(all);
    if (!CHECK(are_both_told(all), "not both nodes are told of id %" PRIu64, all->id)) return;
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t ticks = all->nodes[all->owners[k]].told_tick;
        if (!CHECK(ticks > all->silent_ticks, "told after %u ticks", ticks)) return;
        live_bound(all->cluster, k == 0 ? "one node is told behind silent_ticks by" : "and the other one by",
                   (uint64_t)(ticks - all->silent_ticks) * LIVE_TICK_MS, BEYOND_MS);
    }
    check_told(all);
    CHECK_OK(phc_leave(all->nodes[all->owners[0]].member, all->id));
    for (uint32_t i = 0; i < BEHIND_TICKS && check_failures() == 0; i++) tick_nodes(all);
    for (uint32_t at = 0; at < NODES; at++)
        CHECK(phc_owns(all->nodes[at].member, all->id) == (at == all->owners[1]), "node %u owns it, or not",
              number_of(all, at));
    check_told(all);
}

void live_double_id(live_cluster *cluster, uint64_t *random)
{
    doubles *all = check_zalloc(sizeof *all);
    all->cluster = cluster;
    live_begin_measure(cluster);
    const size_t first = cluster->events.count;
    for (uint32_t i = 0; i < NODES; i++) open_node(all, &all->nodes[i]);
    find_double(all, random);
    for (uint32_t i = 0; i < NODES; i++) close_node(&all->nodes[i]);
    free(all);
    live_check_nothing_lost(cluster, first);
}
