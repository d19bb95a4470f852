/*
 * A region moves while a member stands still, or does not read the map: which one is waited for before the region's
 * entities go to its new node.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"

/* FEW_ROUNDS: lists, heartbeats and hand-overs of all; LONG_ROUNDS: less than a lease, and more than silent_ticks. */
enum { TICK_NS = 50000000, JOIN_ROUNDS = 80, FEW_ROUNDS = 16, LONG_ROUNDS = 70, NONE = 100, ID = 7 };
/* The first three have a region each; the last one, of the first node, goes to the second. */
enum { OLD, NEXT, THIRD, NODES, GATEWAY = NODES, MEMBERS, REGIONS = NODES + 1 };

static const float WIDTH = 800.0f / REGIONS;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[MEMBERS];
static uint32_t still; /* the member that stands still */
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void run_host(uint32_t k)
{
    phc_event event;
    cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
    while (phc_event_next(hosts[k].member, &event)) continue;
    if (k == GATEWAY) cr_assert_eq(phc_told(hosts[k].member), PH_OK);
    else node_host_end_round(&hosts[k]);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < MEMBERS; k++)
            if (k != still) run_host(k);
        phc_loop_step(loop);
    }
}

static void give(uint32_t region, uint32_t k)
{
    cr_assert_eq(phc_give_region(hosts[OLD].member, region, phc_number(hosts[k].member)), PH_OK);
    run_rounds(FEW_ROUNDS);
}

static void set_up(void)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, 50, 0);
    phc_def def = node_host_def(&world_def, REGIONS, read_clock);
    now_ns = TICK_NS;
    still = NONE;
    node_host_open_ways(&loop, &memory);
    for (uint32_t k = 0; k < NODES; k++) node_host_open(&hosts[k], &def, loop, 1024, memory);
    def.gateway = true;
    node_host *gateway = &hosts[GATEWAY];
    node_host_join(gateway, NULL, loop, 1024, memory);
    cr_assert_eq(phc_open(&def, gateway->world, &gateway->transport, &gateway->store, &gateway->member, NULL, 0),
                 PH_OK);
    run_rounds(JOIN_ROUNDS);
    for (uint32_t region = 0; region < REGIONS; region++) give(region, region % NODES);
    const ph_attrs attrs = {.given = PH_POSITION, .x = (NODES + 0.5f) * WIDTH, .y = 10};
    cr_assert_eq(phc_enter(hosts[OLD].member, ID, &attrs, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
}

static void tear_down(void)
{
    node_host_close_all(hosts, MEMBERS, loop, memory);
}

TestSuite(still_members, .init = set_up, .fini = tear_down);

static bool is_over(void)
{
    return phc_owns(hosts[NEXT].member, ID);
}

/* It goes on, or reads the map again. */
static void expect_over(void)
{
    still = NONE;
    phc_memory_cut(memory, &hosts[GATEWAY].store, false);
    run_rounds(2 * FEW_ROUNDS);
    cr_assert(is_over());
}

Test(still_members, a_gateway_that_is_not_heard_holds_up_no_hand_over)
{
    still = GATEWAY;
    give(NODES, NEXT);
    run_rounds(LONG_ROUNDS - FEW_ROUNDS);
    cr_assert(is_over());
    cr_assert_eq(hosts[OLD].member->node.map.member_count, MEMBERS, "it is not put out yet");
}

/* It might not know the next node, and its clients would see the entity stand still. */
Test(still_members, a_gateway_that_is_heard_reads_the_map_first)
{
    phc_memory_cut(memory, &hosts[GATEWAY].store, true);
    give(NODES, NEXT);
    run_rounds(LONG_ROUNDS - FEW_ROUNDS);
    cr_assert(!is_over() && phc_owns(hosts[OLD].member, ID));
    expect_over();
}

/* It would miss the entity once it goes on, and not know that. */
Test(still_members, a_node_that_stands_still_reads_the_map_first)
{
    still = THIRD;
    give(NODES, NEXT);
    run_rounds(LONG_ROUNDS - FEW_ROUNDS);
    cr_assert(!is_over() && phc_owns(hosts[OLD].member, ID));
    expect_over();
}
