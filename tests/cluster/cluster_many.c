/*
 * The largest cluster: 64 nodes in one process, over the library's calls alone (cluster.h), 16 x 16 regions, walkers
 * that cross their borders. By an even seed all nodes open in the same tick, so that all look at the control store at
 * the same times, and no message is lost. By an odd one they open in four ticks, and messages and requests are lost,
 * doubled and late until all stand still. In order:
 *
 *  - all join, and each has regions, while the map is written for many of them at a time; then a node has sent one
 * message of its halo to each other one in each tick;
 *  - one more is refused, for the number of nodes, and no map changes for it;
 *  - while all walk some nodes die, and some are drained and close: then the map has the others alone, and the one that
 *    was refused may join. Entities of dead nodes are entered anew, once no other node has them;
 *  - once all stand still, and no map changes any more, each entity has one owner, the node of its region, and all
 *    lists are as in one world; nodes go on without an allocation.
 *
 * What the client of each entity was told, by whichever node, is its list: nothing twice, nothing lost. It prints
 * ticks, messages, bytes, memory and times; no time is checked.
 *
 * options: --seed S the first seed, --count N clusters
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/clock.h"
#include "base/rng.h"
#include "cluster/counted_ways.h"
#include "cluster/duties.h"
#include "cluster/node_host.h"
#include "cluster/walks.h"
#include "support/check.h"
#include "support/fail_alloc.h"

enum {
    NODES = 64,        /* as many as there can be */
    HOSTS = NODES + 2, /* the one that is refused, and its next process */
    WALKERS = 640,
    SIDE = 16, /* regions */
    LEASE_MS = 2000,
    TICK_NS = 50000000,
    JOIN_TICKS = 700, /* the most until all nodes have regions, */
    MAP_WRITES =
        NODES * 3 / 4, /* and writes of the map that are tried: one and a half for all that come in a list's time */
    NUMBERS_LOST = NODES * 12, /* tries to take a number: 32 for each where each tries the next one */
    NUMBER_MOST = 2 * NODES,
    WALK_TICKS = 100,
    LEAVE_TICKS = 300, /* the most until the dead and the drained are out */
    CALM_TICKS = 500,  /* the most until no map changes any more, */
    QUIET_TICKS = 60,  /* as none has for so long: above the time of a lag with its grace */
    STEADY_TICKS = 20, /* behind these */
    OPEN_TICKS = 4,    /* by an odd seed: one look at the control store */
    DEAD = 3,
    DRAINED = 3,
    LEAVE_EVERY = 8, /* ticks between two of these */
    CLUSTERS = 2
};

static const float APART = 100, VIEW = 60, MARGIN = 5, SLACK = 1e-3f; /* APART: the side of a region */

/* The host's state of an entity, as it goes to another node. */
typedef struct packed {
    uint64_t id, steps;
    spot at;
} packed;

typedef struct host {
    struct cluster *all;
    node_host node;
    counted_ways ways;
    fail_alloc memory; /* of the member, not of its world */
    duties duties;
    bool dead, drained;
    ph_status refused; /* PH_OK: it is not */
    char reason[PHC_REASON_SIZE];
    uint64_t steps[WALKERS + 1]; /* the host's state of its entities */
} host;

typedef struct cluster {
    uint64_t seed, rng, tick;
    float side;
    bool enter, calm; /* walkers enter, or stand still */
    host hosts[HOSTS];
    phc_loop *loop;
    phc_memory *keys;
    ph_world one; /* all entities, all the time */
    ph_producer producer;
    spot at[WALKERS + 1], goal[WALKERS + 1];
    uint64_t steps[WALKERS + 1];
    bool entered[WALKERS + 1];
    clients clients;
    char when[64];
    uint64_t gained, restored;
    VEC(uint64_t) times; /* of phc_tick() and phc_told() without the transport's send(), a round each */
} cluster;

static uint64_t read_clock(void *user)
{
    return ((const cluster *)user)->tick * TICK_NS;
}

static size_t pack_state(void *user, uint64_t id, void *bytes, size_t size)
{
    const host *h = user;
    const packed state = {.id = id, .steps = h->steps[id], .at = h->all->at[id]};
    REQUIRE(size >= sizeof state);
    memcpy(bytes, &state, sizeof state);
    return sizeof state;
}

/* ---- life ---- */

static ph_world_def world_def_of(const cluster *c, ph_class *class)
{
    ph_world_def def = node_host_world_def(class, VIEW, 0);
    def.world_size[0] = def.world_size[1] = c->side;
    return def;
}

static bool is_alive(const host *h)
{
    return h->node.member && !h->dead;
}

static void open_node(cluster *c, host *h)
{
    ph_class class;
    const ph_world_def world_def = world_def_of(c, &class);
    phc_def def = phc_def_default();
    h->all = c;
    def.name = "many";
    def.world_def = &world_def;
    def.regions[0] = def.regions[1] = SIDE;
    def.hand_over_margin = MARGIN;
    def.speed_max = WALKS_SPEED;
    def.lease_ms = LEASE_MS;
    def.pack = pack_state;
    def.pack_user = h;
    def.clock = read_clock;
    def.clock_user = c;
    def.allocator = fail_alloc_hooks(&h->memory);
    node_host_join(&h->node, &world_def, c->loop, 8192, c->keys);
    counted_ways_begin(&h->ways, &h->node.transport, &h->node.store);
    REQUIRE(phc_open(&def, h->node.world, &h->node.transport, &h->node.store, &h->node.member, NULL, 0) == PH_OK);
    REQUIRE(ph_producer_open(h->node.world, &h->node.producer) == PH_OK &&
            ph_consumer_open(h->node.world, 0, &h->node.consumer) == PH_OK);
}

static void open_cluster(cluster *c, uint64_t seed)
{
    const bool has_faults = seed % 2 != 0;
    const phc_faults messages = {.seed = seed, .lost = 20, .doubled = 30, .late = 50, .late_steps = 2};
    const phc_faults requests = {.seed = seed + 1, .lost = 30, .late = 200, .late_steps = 4};
    ph_class class;
    c->seed = c->rng = seed;
    c->tick = 1;
    c->side = SIDE * APART;
    REQUIRE(phc_loop_create(has_faults ? messages : (phc_faults){0}, (ph_allocator){0}, &c->loop) == PH_OK);
    REQUIRE(phc_memory_create(has_faults ? requests : (phc_faults){0}, (ph_allocator){0}, &c->keys) == PH_OK);
    const ph_world_def def = world_def_of(c, &class);
    REQUIRE(ph_world_create(&def, &c->one) == PH_OK && ph_producer_open(c->one, &c->producer) == PH_OK);
    for (uint64_t id = 1; id <= WALKERS; id++) {
        c->at[id] = spot_random(&c->rng, c->side);
        c->goal[id] = spot_random(&c->rng, c->side);
    }
}

static void close_cluster(cluster *c)
{
    for (uint32_t i = 0; i < HOSTS; i++) {
        node_host_close(&c->hosts[i].node);
        CHECK(fail_alloc_clean(&c->hosts[i].memory), "%s: memory is not given back", c->when);
    }
    phc_loop_destroy(c->loop);
    phc_memory_destroy(c->keys);
    CHECK_OK(ph_world_destroy(c->one));
    VEC_FREE(&c->times);
}

/* ---- a round of a host ---- */

static bool enter_walker(void *of, uint64_t id)
{
    host *h = of;
    cluster *c = h->all;
    const ph_attrs attrs = {.given = PH_POSITION, .x = c->at[id].x, .y = c->at[id].y};
    const ph_status status = phc_enter(h->node.member, id, &attrs, 0);
    CHECK(status == PH_OK || status == PH_BUSY || status == PH_TAKEN, "%s: enter: %s", c->when, ph_status_name(status));
    if (status != PH_OK) return false;
    clients_forget(&c->clients, id); /* its client is a new one */
    h->steps[id] = c->steps[id];
    c->restored += c->entered[id];
    if (!c->entered[id]) CHECK_OK(ph_enter(c->producer, id, &attrs));
    c->entered[id] = true;
    return true;
}

/* A node has died: which entities of these regions does no other one have? */
static void ask_missing(cluster *c, host *h)
{
    uint64_t ids[WALKERS];
    uint32_t count = 0;
    if (!duties_begin(&h->duties)) return;
    for (uint64_t id = 1; id <= WALKERS; id++)
        if (c->entered[id] && h->duties.asked[spot_region(c->at[id], c->side, SIDE)] != 0 &&
            !phc_owns(h->node.member, id))
            ids[count++] = id;
    duties_ask(&h->duties, h->node.member, ids, count);
}

static void gain_entity(cluster *c, host *h, const phc_event *event)
{
    packed state;
    REQUIRE(event->size == sizeof state);
    memcpy(&state, event->bytes, sizeof state);
    if (event->kind == PHC_EVENT_RESTORED) { /* the dead node's work with it is void */
        c->steps[event->id] = state.steps;
        c->at[event->id] = state.at;
        clients_forget(&c->clients, event->id);
        CHECK_OK(ph_resend(h->node.producer, event->id));
    }
    CHECK(state.id == event->id && state.steps == c->steps[event->id], "%s: %" PRIu64 " comes with another state",
          c->when, event->id);
    h->steps[event->id] = state.steps;
    c->gained++;
}

static void take_events(cluster *c, host *h)
{
    phc_event event;
    while (phc_event_next(h->node.member, &event)) {
        duties_hear(&h->duties, &event);
        h->drained |= event.kind == PHC_EVENT_DRAINED;
        if (event.kind == PHC_EVENT_GAINED || event.kind == PHC_EVENT_RESTORED) gain_entity(c, h, &event);
        if (event.kind == PHC_EVENT_WHO_HAS) duties_answer(&h->duties, h->node.member, &event, enter_walker, h);
        if (event.kind == PHC_EVENT_FENCED) {
            h->refused = event.status;
            (void)snprintf(h->reason, sizeof h->reason, "%s", event.reason);
            CHECK(h == &c->hosts[NODES], "%s: a node is put out: %s", c->when, event.reason);
        }
        CHECK(event.kind != PHC_EVENT_DUPLICATE && event.kind != PHC_EVENT_DOUBLE_ID &&
                  event.kind != PHC_EVENT_CLEARED && (event.kind != PHC_EVENT_LOST || event.status == PH_OK),
              "%s: event %d of %" PRIu64, c->when, (int)event.kind, event.id);
    }
}

static void move_own(cluster *c, host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        if (!c->entered[id] && c->enter) (void)enter_walker(h, id);
        else if (phc_owns(h->node.member, id)) {
            c->steps[id] = ++h->steps[id];
            if (!c->calm) c->at[id] = spot_step(&c->rng, c->at[id], &c->goal[id], c->side);
            CHECK_OK(ph_move(h->node.producer, id, c->at[id].x, c->at[id].y, 0));
        }
    }
}

static void round_of(cluster *c, host *h)
{
    ph_refusal refusal;
    uint32_t count = 0;
    const uint64_t began = phx_now_ns(), sending = h->ways.send_ns;
    const ph_status status = phc_tick(h->node.member);
    uint64_t ns = phx_now_ns() - began;
    take_events(c, h);
    CHECK_STATUS(status, h->refused != PH_OK || h->drained ? PH_FENCED : PH_OK);
    if (h->drained) return; /* it closes now */
    ask_missing(c, h);
    move_own(c, h);
    CHECK_OK(ph_tick(h->node.world, NULL));
    CHECK_OK(ph_producer_refusals(h->node.producer, &refusal, 1, &count));
    CHECK(count == 0, "%s: %s of %" PRIu64 " is refused: %s", c->when, ph_command_name((ph_command)refusal.command),
          refusal.id, ph_status_name(refusal.status));
    clients_take(&c->clients, &h->node, c->when);
    const uint64_t told = phx_now_ns();
    CHECK_STATUS(phc_told(h->node.member), h->refused == PH_OK ? PH_OK : PH_FENCED);
    ns += phx_now_ns() - told;
    VEC_PUSH(&c->times, ns - (h->ways.send_ns - sending));
}

static void step(cluster *c)
{
    (void)snprintf(c->when, sizeof c->when, "seed %" PRIu64 " tick %" PRIu64, c->seed, c->tick);
    phc_memory_step(c->keys, c->tick * TICK_NS);
    for (uint32_t i = 0; i < HOSTS; i++) {
        host *h = &c->hosts[(i + c->seed) % HOSTS];
        if (is_alive(h)) round_of(c, h);
        if (is_alive(h) && h->drained) node_host_close(&h->node);
    }
    for (uint64_t id = 1; id <= WALKERS; id++)
        if (c->entered[id]) CHECK_OK(ph_move(c->producer, id, c->at[id].x, c->at[id].y, 0));
    CHECK_OK(ph_tick(c->one, NULL));
    phc_loop_step(c->loop);
    c->tick++;
}

static void steps(cluster *c, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks && check_failures() == 0; i++) step(c);
}

/* ---- what is seen of nodes ---- */

static phc_stats stats_of(const host *h)
{
    phc_stats stats = {0};
    CHECK_OK(phc_stats_get(h->node.member, &stats));
    return stats;
}

/* Do all that live know so many nodes, and have regions, and nothing to wait for? */
static bool is_whole(const cluster *c, uint64_t nodes)
{
    uint32_t whole = 0;
    for (uint32_t i = 0; i < HOSTS; i++) {
        if (!is_alive(&c->hosts[i])) continue;
        const phc_stats stats = stats_of(&c->hosts[i]);
        whole += stats.nodes == nodes && stats.regions > 0 && stats.barrier_ns == 0;
    }
    return whole == nodes;
}

static uint64_t steps_until_whole(cluster *c, uint64_t nodes, uint32_t ticks_max)
{
    uint32_t ticks = 0;
    for (; ticks < ticks_max && check_failures() == 0 && !is_whole(c, nodes); ticks++) step(c);
    CHECK(is_whole(c, nodes), "%s: not all know the %" PRIu64 " nodes in %u ticks", c->when, nodes, ticks_max);
    return ticks;
}

/* Sums over nodes. */
typedef struct sums {
    uint64_t sent[PHC_TRAFFICS], bytes[PHC_TRAFFICS], taken, map_writes, map_conflicts, number_conflicts;
    uint64_t allocations, memory;
    uint64_t copies;
} sums;

static sums sum_up(const cluster *c)
{
    sums all = {0};
    for (uint32_t i = 0; i < HOSTS; i++) {
        const host *h = &c->hosts[i];
        for (uint32_t k = 0; k < PHC_TRAFFICS; k++) all.sent[k] += h->ways.sent[k], all.bytes[k] += h->ways.bytes[k];
        all.taken += h->ways.taken;
        all.map_writes += h->ways.map_writes;
        all.map_conflicts += h->ways.map_conflicts;
        all.number_conflicts += h->ways.number_conflicts;
        all.allocations += atomic_load_explicit(&h->memory.calls, memory_order_relaxed);
        all.memory += atomic_load_explicit(&h->memory.bytes, memory_order_relaxed);
        all.copies += is_alive(h) ? stats_of(h).remote : 0;
    }
    return all;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* Of the sorted times: so many of a hundred are shorter. */
static double time_us(const cluster *c, uint64_t percent)
{
    const uint64_t place = (c->times.count - 1) * percent / 100;
    return (double)c->times.items[place] / 1e3;
}

static void print_times(cluster *c, const char *of)
{
    if (c->times.count == 0) return;
    qsort(c->times.items, c->times.count, sizeof *c->times.items, by_size);
    (void)printf("  %s: phc_tick() and phc_told(), us: median %.0f, p90 %.0f, p99 %.0f, most %.0f\n", of,
                 time_us(c, 50), time_us(c, 90), time_us(c, 99), time_us(c, 100));
    c->times.count = 0;
}

/* In each of these ticks each node has sent one message of its halo to each other one. */
static void check_messages(cluster *c, const sums *before, uint64_t nodes, uint32_t ticks, const char *of)
{
    const sums now = sum_up(c);
    const uint64_t halo = now.sent[PHC_HALO] - before->sent[PHC_HALO];
    const double rounds = (double)nodes * ticks;
    CHECK(halo == nodes * (nodes - 1) * ticks, "%s: %" PRIu64 " messages of halos in %u ticks of %" PRIu64 " nodes",
          c->when, halo, ticks, nodes);
    (void)printf("  %s, a node and tick: %.1f messages of the halo of %.0f bytes, %.1f of the channel of %.0f bytes; "
                 "%.1f come; %.1f copies a node\n",
                 of, (double)halo / rounds, (double)(now.bytes[PHC_HALO] - before->bytes[PHC_HALO]) / (double)halo,
                 (double)(now.sent[PHC_CHANNEL] - before->sent[PHC_CHANNEL]) / rounds,
                 (double)(now.bytes[PHC_CHANNEL] - before->bytes[PHC_CHANNEL]) /
                     (double)(now.sent[PHC_CHANNEL] - before->sent[PHC_CHANNEL] + 1),
                 (double)(now.taken - before->taken) / rounds, (double)now.copies / (double)nodes);
}

/* ---- the course ---- */

static void join_all(cluster *c)
{
    const uint32_t in_ticks = c->seed % 2 != 0 ? OPEN_TICKS : 1;
    for (uint32_t i = 0; i < NODES; i++) {
        if (i > 0 && i % (NODES / in_ticks) == 0) step(c);
        open_node(c, &c->hosts[i]);
    }
    const uint64_t ticks = steps_until_whole(c, NODES, JOIN_TICKS);
    const sums all = sum_up(c);
    (void)printf("seed %" PRIu64 ": %" PRIu64 " ticks until all have regions; the map was tried to be written %" PRIu64
                 " times, %" PRIu64 " of these and %" PRIu64 " of numbers came too late; a node has %" PRIu64 " KiB\n",
                 c->seed, ticks, all.map_writes, all.map_conflicts, all.number_conflicts, all.memory / NODES / 1024);
    CHECK(all.map_writes <= MAP_WRITES, "%s: %" PRIu64 " writes of the map", c->when, all.map_writes);
    CHECK(all.number_conflicts <= NUMBERS_LOST, "%s: %" PRIu64 " numbers lost", c->when, all.number_conflicts);
    for (uint32_t i = 0; i < NODES; i++)
        CHECK(phc_number(c->hosts[i].node.member) <= NUMBER_MOST, "%s: a node has number %u", c->when,
              phc_number(c->hosts[i].node.member));
    print_times(c, "joining");
}

/* One more opens as the others walk. */
static void walk_and_refuse(cluster *c)
{
    host *more = &c->hosts[NODES];
    const uint64_t version = stats_of(&c->hosts[0]).map_version;
    c->enter = true;
    steps(c, 2);
    open_node(c, more);
    const sums before = sum_up(c);
    steps(c, WALK_TICKS);
    check_messages(c, &before, NODES, WALK_TICKS, "walking");
    print_times(c, "walking");
    CHECK(more->refused == PH_CAPACITY && strcmp(more->reason, "the cluster has 64 nodes, which is the most") == 0,
          "%s: one more: %s, %s", c->when, ph_status_name(more->refused), more->reason);
    for (uint32_t i = 0; i < NODES; i++)
        CHECK(stats_of(&c->hosts[i]).map_version == version, "%s: the map has changed", c->when);
    node_host_close(&more->node);
}

/* The same number dies and is drained, in turn. */
static void leave_some(cluster *c)
{
    for (uint32_t i = 0; i < DEAD + DRAINED; i++) {
        host *h = &c->hosts[1 + i * 9];
        if (i % 2 == 0) h->dead = true;
        else phc_drain(h->node.member);
        steps(c, LEAVE_EVERY);
    }
    const uint64_t ticks = steps_until_whole(c, NODES - DEAD - DRAINED, LEAVE_TICKS);
    print_times(c, "leaving");
    open_node(c, &c->hosts[NODES + 1]);
    const uint64_t more = steps_until_whole(c, NODES - DEAD - DRAINED + 1, JOIN_TICKS);
    (void)printf("  %" PRIu64 " ticks until %u dead and %u drained ones were out, %" PRIu64
                 " until the next one had joined\n",
                 ticks, DEAD, DRAINED, more);
}

/* ---- the end ---- */

/* Is the place within a region of that node, or as near as hand_over_margin? */
static bool is_near_regions(const cluster *c, const host *h, spot at)
{
    const float far = MARGIN + SLACK, side = c->side / SIDE;
    for (uint32_t region = 0; region < SIDE * SIDE; region++) {
        const uint32_t column = region % SIDE, row = region / SIDE;
        const float x = (float)column * side, y = (float)row * side;
        if (phc_owner_of(h->node.member, x + side / 2, y + side / 2) == phc_number(h->node.member) && at.x >= x - far &&
            at.x <= x + side + far && at.y >= y - far && at.y <= y + side + far)
            return true;
    }
    return false;
}

static void check_entity(cluster *c, uint64_t id)
{
    bool listed[CLIENTS_IDS], of_one[CLIENTS_IDS];
    uint32_t owners = 0;
    (void)clients_list(c->one, id, of_one);
    for (uint32_t i = 0; i < HOSTS; i++) {
        const host *h = &c->hosts[i];
        if (!is_alive(h) || !phc_owns(h->node.member, id)) continue;
        owners++;
        CHECK(is_near_regions(c, h, c->at[id]), "%s: %" PRIu64 " is not at its region's node", c->when, id);
        (void)clients_compare(&c->clients, h->node.world, id, listed, c->when);
        CHECK(memcmp(listed, of_one, sizeof listed) == 0, "%s: the list of %" PRIu64 " is not that of one world",
              c->when, id);
    }
    CHECK(owners == 1, "%s: %" PRIu64 " has %u owners", c->when, id, owners);
}

static uint64_t newest_map(const cluster *c)
{
    uint64_t newest = 0;
    for (uint32_t i = 0; i < HOSTS; i++) {
        const uint64_t version = is_alive(&c->hosts[i]) ? stats_of(&c->hosts[i]).map_version : 0;
        newest = version > newest ? version : newest;
    }
    return newest;
}

/* Returns the ticks until the last map. */
static uint32_t steps_until_settled(cluster *c)
{
    uint64_t version = newest_map(c);
    uint32_t ticks = 0, changed = 0;
    for (; ticks < CALM_TICKS && ticks < changed + QUIET_TICKS && check_failures() == 0; ticks++) {
        step(c);
        const uint64_t newest = newest_map(c);
        changed = newest == version ? changed : ticks + 1;
        version = newest;
    }
    CHECK(ticks < CALM_TICKS, "%s: maps do not end", c->when);
    return changed;
}

static void stand_still(cluster *c)
{
    const uint32_t nodes = NODES - DEAD - DRAINED + 1;
    const sums first = sum_up(c);
    CHECK_OK(phc_loop_set_faults(c->loop, (phc_faults){0}));
    CHECK_OK(phc_memory_set_faults(c->keys, (phc_faults){0}));
    c->calm = true;
    const uint32_t ticks = steps_until_settled(c);
    c->times.count = 0;
    const sums before = sum_up(c);
    (void)printf("  %u ticks until the last map, as regions are restored; %" PRIu64
                 " writes of it came too late since the nodes were whole\n",
                 ticks, before.map_conflicts - first.map_conflicts);
    steps(c, STEADY_TICKS);
    if (check_failures() > 0) return;
    check_messages(c, &before, nodes, STEADY_TICKS, "standing");
    print_times(c, "standing");
    CHECK(sum_up(c).allocations == before.allocations, "%s: members that stand still allocate", c->when);
    for (uint64_t id = 1; id <= WALKERS; id++) check_entity(c, id);
    (void)printf("  %" PRIu64 " entities gained, %" PRIu64 " entered anew, %" PRIu64 " events of clients\n", c->gained,
                 c->restored, c->clients.events);
    CHECK(c->gained > WALKERS && c->restored > 0, "%s: too few hand-overs or deaths", c->when);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(CLUSTERS));
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        cluster *c = check_zalloc(sizeof *c);
        open_cluster(c, seed + i);
        join_all(c);
        if (check_failures() == 0) walk_and_refuse(c);
        if (check_failures() == 0) leave_some(c);
        if (check_failures() == 0) stand_still(c);
        close_cluster(c);
        free(c);
    }
    return check_done("cluster_many");
}
