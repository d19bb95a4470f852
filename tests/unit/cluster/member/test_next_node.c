/*
 * Entities that go to their next node: when it is ready for them, by the maps that it and the others have, and how
 * often they were handed over.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/halo/halo_table.h"
#include "cluster/member/phc_state.h"
#include "cluster/member/reports.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, WARM_ROUNDS = 60, FEW_ROUNDS = 8, NODES = 2, ID = 7, FOLLOWER };

static const float WIDTH = 800.0f / NODES; /* of a region: one is beside the other */

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES]; /* by their regions from left to right */
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void end_round(uint32_t k)
{
    cr_assert_eq(ph_tick(hosts[k].world, NULL), PH_OK);
    cr_assert_eq(phc_told(hosts[k].member), PH_OK);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
            end_round(k);
        }
        phc_loop_step(loop);
    }
}

static void set_up(void)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, 50, 0);
    const phc_def def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, 1024, memory);
    run_rounds(WARM_ROUNDS);
    for (uint32_t region = 0; region < NODES; region++) {
        cr_assert_eq(phc_give_region(hosts[0].member, region, phc_number(hosts[region].member)), PH_OK);
        run_rounds(2 * FEW_ROUNDS);
    }
    for (uint32_t k = 0; k < NODES; k++)
        cr_assert_eq(phc_owner_of(hosts[0].member, ((float)k + 0.5f) * WIDTH, 10), phc_number(hosts[k].member));
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(next_node, .init = set_up, .fini = tear_down);

static void enter_at(uint64_t id, float x)
{
    const ph_attrs attrs = {.given = PH_POSITION, .x = x, .y = 10};
    const ph_status status = phc_enter(hosts[0].member, id, &attrs, 0);
    cr_assert_eq(status, PH_OK, "%s", ph_status_name(status));
}

static void move_to(uint32_t k, float x)
{
    cr_assert_eq(ph_move(hosts[k].producer, ID, x, 10, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
}

static uint32_t turn_at(uint32_t k, uint64_t id)
{
    const phx_halo_entity *entity = phx_halo_find(&hosts[k].member->halo, id);
    cr_assert(entity && entity->own);
    return entity->turn;
}

Test(next_node, each_hand_over_is_a_turn_of_all_that_go)
{
    enter_at(ID, WIDTH - 10);
    enter_at(FOLLOWER, WIDTH - 10);
    run_rounds(1);
    cr_assert_eq(ph_attach(hosts[0].producer, FOLLOWER, ID), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert(turn_at(0, ID) == 0 && turn_at(0, FOLLOWER) == 0);
    move_to(0, WIDTH + 50);
    cr_assert(turn_at(1, ID) == 1 && turn_at(1, FOLLOWER) == 1);
    move_to(1, WIDTH - 50);
    cr_assert(turn_at(0, ID) == 2 && turn_at(0, FOLLOWER) == 2);
}

/* By its map, which this node has not read yet, the region may be a third node's. */
Test(next_node, a_node_that_is_ahead_gets_nothing_until_its_map_is_here)
{
    phc *member = hosts[0].member;
    enter_at(ID, WIDTH - 10);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_move(hosts[0].producer, ID, WIDTH + 50, 10, 0), PH_OK);
    phx_halo_peer *peer = phx_halo_peer_find(&member->halo, phc_registration(hosts[1].member));
    for (uint32_t i = 0; i < FEW_ROUNDS; i++) {
        cr_assert_eq(phc_tick(member), PH_OK);
        peer->heard_version = member->node.map.version + 1;
        end_round(0);
        cr_assert(phc_owns(member, ID), "round %u", i);
    }
    cr_assert_eq(phc_tick(member), PH_OK);
    peer->heard_version = member->node.map.moved;
    end_round(0);
    cr_assert_not(phc_owns(member, ID));
}

/* It may have been another node's in the map between. */
Test(next_node, behind_a_map_that_was_skipped_a_region_is_its_nodes_anew)
{
    phc *member = hosts[0].member;
    const phx_cluster_map *map = &member->node.map;
    member->regions[1].since = 1;
    member->map_told = map->version - 1;
    phx_report_map(member);
    cr_assert_eq(member->regions[1].since, 1, "none was skipped");
    member->map_told = map->version - 2;
    phx_report_map(member);
    cr_assert(member->regions[1].since == map->moved && member->map_told == map->version);
}
