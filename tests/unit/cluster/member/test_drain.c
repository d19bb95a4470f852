/*
 * A node that is drained: its entities go to others, it leaves the map, and no region is lost with it.
 */
#include <criterion/criterion.h>

#include "cluster/member/phc_state.h"
#include "cluster/membership/membership.h"
#include "cluster/node/map_barrier.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, JOIN_ROUNDS = 60, DRAIN_ROUNDS = 60, WALKER = 7 };

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static ph_world_def world_def;
static ph_class class;
static phc_def def;
static uint64_t now_ns;
static uint32_t drained[NODES], restores; /* events */
static bool takes_events;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void set_up(void)
{
    world_def = node_host_world_def(&class, 60, 10);
    def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    restores = drained[0] = drained[1] = 0;
    takes_events = true;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, 64, memory);
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(drain, .init = set_up, .fini = tear_down);

static void run_node(uint32_t k)
{
    phc_event event;
    const ph_batch *batch;
    const ph_status status = phc_tick(hosts[k].member);
    while (takes_events && phc_event_next(hosts[k].member, &event)) {
        cr_assert_neq(event.kind, PHC_EVENT_FENCED);
        drained[k] += event.kind == PHC_EVENT_DRAINED;
        restores += event.kind == PHC_EVENT_RESTORE;
    }
    cr_assert_eq(status, drained[k] > 0 ? PH_FENCED : PH_OK);
    cr_assert_eq(ph_tick(hosts[k].world, NULL), PH_OK);
    while (ph_batch_take(hosts[k].consumer, &batch) == PH_OK)
        cr_assert_eq(ph_batch_return(hosts[k].consumer, batch), PH_OK);
    cr_assert_eq(phc_told(hosts[k].member), status);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++)
            if (hosts[k].member) run_node(k);
        phc_loop_step(loop);
    }
}

static void enter_first(void)
{
    const phc *member = hosts[0].member;
    const bool is_left = phc_owner_of(member, 0, 0) == phc_number(member);
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = is_left ? 10 : 790, .y = 400};
    cr_assert_eq(phc_enter(hosts[0].member, WALKER, &attrs, 0), PH_OK);
}

/* It is out of the map as it hears so: no region is lost with it, and no node has to look for entities. */
Test(drain, a_drained_node_leaves_and_no_region_is_lost)
{
    run_rounds(JOIN_ROUNDS);
    enter_first();
    run_rounds(2);
    const phx_cluster_map *map = &hosts[1].member->node.map;
    const uint16_t number = phc_number(hosts[0].member);
    phc_drain(hosts[0].member);
    run_rounds(DRAIN_ROUNDS);
    cr_assert_eq(drained[0], 1, "once");
    cr_assert_eq(phc_number(hosts[0].member), 0);
    cr_assert(phc_owns(hosts[1].member, WALKER));
    cr_assert_null(phx_cluster_map_numbered(map, number), "no lease has to run out for it");
    for (uint32_t i = 0; i < map->region_count; i++) cr_assert_eq(map->regions[i].lost, 0);
    cr_assert_eq(restores, 0);
}

/* Its calls are those of a member no more. But rows of entities that left it may be due still. */
Test(drain, a_node_that_has_left_is_fenced_and_may_commit_for_its_last_lease)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = 10, .y = 10};
    run_rounds(JOIN_ROUNDS);
    phc_drain(hosts[0].member);
    for (uint32_t i = 0; i < DRAIN_ROUNDS && drained[0] == 0; i++) run_rounds(1);
    cr_assert_eq(drained[0], 1);
    cr_assert_eq(phc_enter(hosts[0].member, WALKER, &attrs, 0), PH_FENCED);
    cr_assert(phc_may_commit(hosts[0].member));
    run_rounds(def.lease_ms / (TICK_NS / PHX_NODE_NS_IN_MS));
    cr_assert_not(phc_may_commit(hosts[0].member));
}

/* It waits for the event, and so for what the host has to do by it. */
Test(drain, a_node_whose_host_takes_no_event_does_not_leave)
{
    run_rounds(JOIN_ROUNDS);
    phc_drain(hosts[0].member);
    takes_events = false;
    run_rounds(DRAIN_ROUNDS);
    cr_assert(hosts[0].member->events.count > 0 && hosts[0].member->node.own_regions == 0);
    cr_assert_not(hosts[0].member->node.leaves);
    takes_events = true;
    run_rounds(DRAIN_ROUNDS);
    cr_assert_eq(drained[0], 1);
}

/* All others know then that it has no region: an offer to it would wait until it is out of the map. */
Test(drain, a_node_leaves_once_the_others_have_read_that_it_has_no_region)
{
    run_rounds(JOIN_ROUNDS);
    phx_node *node = &hosts[0].member->node;
    phc_drain(hosts[0].member);
    while (node->own_regions > 0) run_rounds(1);
    for (uint32_t i = 0; i < node->peer_count; i++) node->peers[i].shown = node->map.moved - 1;
    node->leaves = false;
    phx_map_barrier_leave(node);
    cr_assert_not(node->leaves);
    for (uint32_t i = 0; i < node->peer_count; i++) node->peers[i].shown = node->map.moved;
    phx_map_barrier_leave(node);
    cr_assert(node->leaves);
}

/* It did not leave by its own word, so it may not be told that none of its regions is lost. */
Test(drain, a_node_that_ends_while_it_leaves_is_fenced)
{
    run_rounds(JOIN_ROUNDS);
    hosts[0].member->membership.drains = hosts[0].member->node.leaves = true;
    phx_membership_end(&hosts[0].member->membership, PH_OK, "the lease ran out");
    cr_assert_eq(phc_tick(hosts[0].member), PH_FENCED);
    phc_event event;
    cr_assert(phc_event_next(hosts[0].member, &event) && event.kind == PHC_EVENT_FENCED);
    cr_assert_not(phc_may_commit(hosts[0].member));
}

/* One that is the only node has regions, until another one joins. */
Test(drain, the_only_node_drains_once_another_one_has_joined)
{
    run_rounds(JOIN_ROUNDS);
    enter_first();
    node_host_close(&hosts[1]);
    run_rounds(DRAIN_ROUNDS);
    phc_drain(hosts[0].member);
    run_rounds(DRAIN_ROUNDS);
    cr_assert_eq(drained[0], 0);
    cr_assert_eq(phc_owner_of(hosts[0].member, 790, 10), phc_number(hosts[0].member));
    node_host_open(&hosts[1], &def, loop, 64, memory);
    run_rounds(JOIN_ROUNDS + DRAIN_ROUNDS);
    cr_assert_eq(drained[0], 1);
    cr_assert(phc_owns(hosts[1].member, WALKER));
}

/* Third nodes may hear its last words, of entities that it handed over, in any of these ticks. */
Test(drain, a_drained_node_tells_of_its_last_hand_overs_before_it_leaves)
{
    uint32_t rounds = 0;
    run_rounds(JOIN_ROUNDS);
    enter_first();
    run_rounds(2);
    phc_drain(hosts[0].member);
    while (hosts[0].member->node.holdings.count > 0) {
        cr_assert_not(hosts[0].member->node.leaves);
        run_rounds(1);
    }
    for (; !hosts[0].member->node.leaves; rounds++) run_rounds(1);
    const uint32_t passed = hosts[0].member->halo.def.passed_ticks;
    cr_assert(rounds >= passed && rounds <= passed + 3, "%u rounds", rounds);
}
