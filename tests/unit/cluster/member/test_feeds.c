/*
 * Numbers of messages to clients by the calls of cluster.h, on one node, and the registrations that a gateway's host
 * asks for; and enters above an ownership. That numbers go on through hand-overs is cluster_hosts' part.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include <pharos/cluster.h>

#include "cluster/map/eras.h"
#include "cluster/node/node.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, ROUNDS = 20 };

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[2];
static phc *node, *gateway;
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static phc *open_member(node_host *host, const ph_world_def *world_def, bool is_gateway)
{
    phc_def def = phc_def_default();
    def.name = "unit";
    def.world_def = world_def;
    def.gateway = is_gateway;
    def.store_loss = PHC_FREEZE;
    def.clock = read_clock;
    node_host_join(host, is_gateway ? NULL : world_def, loop, 64, memory);
    cr_assert_eq(phc_open(&def, host->world, &host->transport, &host->store, &host->member, NULL, 0), PH_OK);
    return host->member;
}

static void run_round(void)
{
    phc_event event;
    phc_memory_step(memory, now_ns += TICK_NS);
    phc_loop_step(loop);
    cr_assert(phc_tick(node) == PH_OK && phc_tick(gateway) == PH_OK);
    while (phc_event_next(node, &event) || phc_event_next(gateway, &event)) {
    }
    cr_assert_eq(ph_tick(hosts[0].world, NULL), PH_OK);
    cr_assert(phc_told(node) == PH_OK && phc_told(gateway) == PH_OK);
}

static void run_rounds(void)
{
    for (uint32_t i = 0; i < ROUNDS; i++) run_round();
}

static void set_up(void)
{
    static ph_world_def def;
    now_ns = 1;
    def = ph_world_def_default();
    node_host_open_ways(&loop, &memory);
    node = open_member(&hosts[0], &def, false);
    gateway = open_member(&hosts[1], &def, true);
}

static void tear_down(void)
{
    node_host_close_all(hosts, 2, loop, memory);
}

TestSuite(feeds, .init = set_up, .fini = tear_down);

Test(feeds, a_client_has_numbers_from_1_on_and_another_feed_behind_a_new_enter)
{
    phc_feed feed, first;
    const ph_attrs attrs = {.given = PH_X | PH_Y};
    run_rounds();
    cr_assert_eq(phc_feed_next(node, 7, &feed), PH_UNKNOWN_ID);
    cr_assert_eq(phc_enter(node, 7, &attrs, 0), PH_OK);
    cr_assert(phc_feed_next(NULL, 7, &feed) == PH_BAD_ARGUMENT && phc_feed_next(node, 7, NULL) == PH_BAD_ARGUMENT);
    cr_assert(phc_feed_last(NULL, 7, &feed) == PH_BAD_ARGUMENT && phc_feed_last(node, 7, NULL) == PH_BAD_ARGUMENT);
    cr_assert_eq(phc_feed_last(node, 7, &first), PH_OK);
    cr_assert(first.number == 0 && first.begun == phc_ownership(node, 7) && first.ownership == first.begun);
    for (uint64_t number = 1; number <= 3; number++) {
        cr_assert_eq(phc_feed_next(node, 7, &feed), PH_OK);
        cr_assert(feed.number == number && feed.begun == first.begun);
    }
    run_rounds();
    cr_assert(phc_feed_last(node, 7, &feed) == PH_OK && feed.number == 3);
    cr_assert_eq(phc_leave(node, 7), PH_OK);
    cr_assert_eq(phc_feed_last(node, 7, &feed), PH_UNKNOWN_ID);
    run_rounds();
    cr_assert_eq(phc_enter(node, 7, &attrs, first.ownership), PH_OK);
    cr_assert(phc_feed_last(node, 7, &feed) == PH_OK && feed.number == 0 && feed.begun > first.begun);
}

Test(feeds, a_gateway_hears_members_of_its_map_alone)
{
    cr_assert_eq(phc_registration(node), 0, "it is in no map yet");
    run_rounds();
    const uint64_t registration = phc_registration(node);
    cr_assert(registration != 0 && registration != phc_registration(gateway) && phc_registration(NULL) == 0);
    cr_assert(phc_hears(gateway, registration) && phc_hears(node, phc_registration(gateway)));
    cr_assert(!phc_hears(gateway, 0) && !phc_hears(gateway, registration + 1000) && !phc_hears(NULL, registration));
}

Test(feeds, calls_of_nodes_are_no_gateways)
{
    const uint64_t id = 7;
    phc_feed feed;
    run_rounds();
    cr_assert(phc_may_commit(node) && !phc_may_commit(gateway) && !phc_may_commit(NULL));
    cr_assert_eq(phc_enter(gateway, id, &(ph_attrs){.given = PH_X | PH_Y}, 0), PH_BAD_ARGUMENT, "never, not later");
    cr_assert_eq(phc_leave(gateway, id), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_look(gateway, id), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_pin(gateway, id, true), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_who_has(gateway, &id, 1), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_restored(gateway, 0, 1), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_feed_next(gateway, id, &feed), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_feed_last(gateway, id, &feed), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_give_region(node, 0, phc_number(gateway)), PH_BAD_VALUE);
    cr_assert_eq(phc_give_region(gateway, 0, phc_number(node)), PH_OK);
}

/* The control store began anew, and the database did not. */
Test(feeds, an_entity_enters_above_an_ownership_of_a_map_before)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = 10};
    const uint64_t after = (uint64_t)PHX_CLUSTER_FIRST_ERAS << PHX_CLUSTER_ERA_SHIFT << PHX_OWNERSHIP_VERSION_SHIFT | 7;
    phc_feed feed;
    run_rounds();
    cr_assert_eq(phc_enter(node, 1, &attrs, after), PH_BUSY);
    run_rounds();
    cr_assert_eq(phc_enter(node, 1, &attrs, after), PH_OK);
    cr_assert_gt(phc_ownership(node, 1), after);
    cr_assert_eq(phc_feed_last(node, 1, &feed), PH_OK);
    cr_assert_eq(feed.begun, phc_ownership(node, 1), "so no client takes it for a feed that began before");
    cr_assert_eq(phc_enter(node, 2, &attrs, UINT64_MAX), PH_BAD_VALUE);
}

/* Until no lease is proven: the node may not act. The store still has the lease. */
static void freeze_node(void)
{
    phc_memory_cut(memory, &hosts[0].store, true);
    while (phc_may_commit(node)) run_round();
    phc_memory_cut(memory, &hosts[0].store, false);
}

static uint64_t era_of(uint64_t id)
{
    return phc_ownership(node, id) >> PHX_OWNERSHIP_VERSION_SHIFT >> PHX_CLUSTER_ERA_SHIFT;
}

Test(feeds, a_frozen_node_wishes_for_no_map_above_an_ownership_of_its_own)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = 10};
    run_rounds();
    cr_assert_eq(phc_enter(node, 1, &attrs, 0), PH_OK);
    freeze_node();
    cr_assert_eq(phc_enter(node, 2, &attrs, phc_ownership(node, 1)), PH_BUSY);
    run_rounds();
    cr_assert_eq(phc_enter(node, 2, &attrs, phc_ownership(node, 1)), PH_OK);
    cr_assert_eq(era_of(2), era_of(1));
}

/* So a passing refusal is not taken for one that lasts. */
Test(feeds, a_frozen_node_is_busy_in_the_last_era_too)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = 10};
    const uint64_t version = (PHX_CLUSTER_EXCEEDED_ERAS - 1) << PHX_CLUSTER_ERA_SHIFT;
    cr_assert_eq(phc_enter(node, 1, &attrs, UINT64_MAX), PH_BUSY, "it has read no map");
    run_rounds();
    cr_assert_eq(phc_enter(node, 1, &attrs, version << PHX_OWNERSHIP_VERSION_SHIFT), PH_BUSY);
    run_rounds();
    cr_assert_eq(phc_enter(node, 1, &attrs, version << PHX_OWNERSHIP_VERSION_SHIFT), PH_OK);
    cr_assert_eq(era_of(1), PHX_CLUSTER_EXCEEDED_ERAS);
    freeze_node();
    cr_assert_eq(phc_enter(node, 2, &attrs, phc_ownership(node, 1)), PH_BUSY);
}
