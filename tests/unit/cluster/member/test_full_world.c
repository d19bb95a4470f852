/*
 * A node whose world has no room for the copies of another node's entities: they are missing, and its host is told so
 * as of copies that are late.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/halo/halo_table.h"
#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"
#include "support/fail_alloc.h"

enum { TICK_NS = 50000000, NODES = 3, JOIN_ROUNDS = 100, FEW_ROUNDS = 8, ROOM = 10, COPIES = 5, OTHERS = 100 };

static const float WIDTH = 800.0f / NODES; /* of a region */

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES]; /* by their regions from left to right; the one between has little room */
static uint32_t late[NODES];   /* of the one between: ticks of the last lag that it was told of each node; 0 = none */
static fail_alloc allocator;   /* of the world of the one between */
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void hear_events(uint32_t k)
{
    phc_event event;
    while (phc_event_next(hosts[k].member, &event))
        for (uint32_t i = 0; i < NODES && k == 1 && event.kind == PHC_EVENT_LAG; i++)
            if (phc_number(hosts[i].member) == event.number) late[i] = event.ticks;
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
            hear_events(k);
            node_host_end_round(&hosts[k]);
        }
        phc_loop_step(loop);
    }
}

/* Regions are the nodes' in this order. */
static void order_regions(void)
{
    for (uint32_t region = 0; region < NODES; region++) {
        cr_assert_eq(phc_give_region(hosts[0].member, region, phc_number(hosts[region].member)), PH_OK);
        run_rounds(2 * FEW_ROUNDS);
    }
    for (uint32_t region = 0; region < NODES; region++)
        cr_assert_eq(phc_owner_of(hosts[0].member, ((float)region + 0.5f) * WIDTH, 10),
                     phc_number(hosts[region].member));
}

static void open_nodes(uint32_t refusals_max)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, 50, 0);
    const phc_def def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) {
        world_def.allocator = i == 1 ? fail_alloc_hooks(&allocator) : (ph_allocator){0};
        world_def.entities_max = i == 1 ? ROOM : 1000;
        world_def.refusals_max = i == 1 ? refusals_max : ph_world_def_default().refusals_max;
        node_host_open(&hosts[i], &def, loop, 1024, memory);
    }
    run_rounds(JOIN_ROUNDS);
    order_regions();
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(full_world, .fini = tear_down);

static void enter_at(uint32_t i, uint64_t id, float x)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = 10 * (float)(id % 10)};
    cr_assert_eq(phc_enter(hosts[i].member, id, &attrs, 0), PH_OK);
}

static phc_stats stats_of(uint32_t i)
{
    phc_stats stats;
    cr_assert_eq(phc_stats_get(hosts[i].member, &stats), PH_OK);
    return stats;
}

/* The world of the one between has no room left. */
static void fill_world(void)
{
    const uint32_t lag_max = hosts[1].member->def.lag_max;
    for (uint64_t id = 1; id <= ROOM; id++) enter_at(1, OTHERS + id, 1.5f * WIDTH);
    run_rounds(FEW_ROUNDS);
    cr_assert(late[0] == 0 && late[2] == 0 && stats_of(1).lag_ticks <= lag_max);
}

/* It has room for the copies, and its host is told that they are in time. */
static void expect_all_behind_leaves(uint32_t copies)
{
    const uint32_t lag_max = hosts[1].member->def.lag_max;
    for (uint64_t id = 1; id <= copies; id++) cr_assert_eq(phc_leave(hosts[1].member, OTHERS + id), PH_OK);
    run_rounds(2 * lag_max + 2 * FEW_ROUNDS);
    cr_assert(late[0] == 0 && late[2] == 0 && stats_of(1).lag_ticks <= lag_max);
    cr_assert_eq(stats_of(1).remote, copies);
}

Test(full_world, copies_that_find_no_room_are_told_as_a_lag_of_their_node)
{
    open_nodes(ph_world_def_default().refusals_max);
    fill_world();
    const uint32_t lag_max = hosts[1].member->def.lag_max;
    for (uint64_t id = 1; id <= COPIES; id++) enter_at(0, id, WIDTH - 10);
    run_rounds(lag_max + FEW_ROUNDS);
    cr_assert(late[0] > lag_max && late[2] == 0, "%u, %u", late[0], late[2]);
    cr_assert_geq(stats_of(1).lag_ticks, lag_max + FEW_ROUNDS - 3, "all ticks since");
    cr_assert_leq(stats_of(0).lag_ticks, lag_max, "its copies are in time");
    expect_all_behind_leaves(COPIES);
}

/* Of one node's copy the world tells the refusal, of the other one's not. */
Test(full_world, so_are_copies_of_which_the_world_tells_no_refusal)
{
    open_nodes(1);
    fill_world();
    const uint32_t lag_max = hosts[1].member->def.lag_max;
    enter_at(0, 1, WIDTH - 10);
    enter_at(2, 2, 2 * WIDTH + 10);
    run_rounds(lag_max + FEW_ROUNDS);
    cr_assert(late[0] > lag_max && late[2] > lag_max, "%u, %u", late[0], late[2]);
    expect_all_behind_leaves(2);
}

/* The last part of a tick of copies comes a round later than the one with the copy that found no room. */
Test(full_world, the_rest_of_a_tick_makes_it_no_whole_one)
{
    open_nodes(ph_world_def_default().refusals_max);
    enter_at(0, 1, WIDTH - 10);
    run_rounds(FEW_ROUNDS);
    phx_halo *halo = &hosts[1].member->halo;
    phx_halo_peer *peer = phx_halo_peer_find(halo, phc_registration(hosts[0].member));
    cr_assert(!peer->lacks && peer->echoed == peer->echo_taken);
    peer->parts = 1; /* of two */
    phx_halo_note_lack(halo, phx_halo_find(halo, 1));
    phx_halo_end_tick(halo, true);
    cr_assert(peer->lacks && peer->parts != 1);
    run_rounds(1);
    cr_assert(!peer->lacks && peer->echoed == peer->echo_taken, "the next one has found room");
}

/* Its owner stands still behind the move, so no later one sets it right. */
Test(full_world, a_copy_that_found_no_memory_to_move_is_moved_again)
{
    const float far = 700;
    ph_attrs attrs;
    open_nodes(ph_world_def_default().refusals_max);
    enter_at(0, 1, WIDTH - 10);
    run_rounds(FEW_ROUNDS);
    const phx_halo_peer *peer = phx_halo_peer_find(&hosts[1].member->halo, phc_registration(hosts[0].member));
    fail_alloc_order(&allocator, 1, true);
    cr_assert_eq(ph_move(hosts[0].producer, 1, WIDTH - 10, far, 0), PH_OK);
    run_rounds(2);
    cr_assert(stats_of(1).refused > 0 && allocator.failed > 0, "the move finds memory");
    cr_assert(peer->lacks && phx_halo_find(&hosts[1].member->halo, 1));
    fail_alloc_order(&allocator, 0, false);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_entity_get(hosts[1].world, 1, &attrs), PH_OK);
    cr_assert(attrs.y == far && !peer->lacks);
}
