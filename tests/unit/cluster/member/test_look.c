/*
 * Own entities that are seen from far, by the calls of cluster.h: two nodes, and an entity of one of them far from the
 * border to the other one. And which ones are copied for an entity that stands over the border.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, ROUNDS = 60, FEW_ROUNDS = 6 };

static const float VIEW = 60, MARGIN = 10, HAND_OVER = 5, SPEED = 5;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void set_up(void)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, VIEW, MARGIN);
    phc_def def = phc_def_default();
    def.name = "unit";
    def.world_def = &world_def;
    def.regions[0] = NODES;
    def.regions[1] = 1;
    def.hand_over_margin = HAND_OVER;
    def.speed_max = SPEED;
    def.lag_max = 4;
    def.clock = read_clock;
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, 64, memory);
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(look, .init = set_up, .fini = tear_down);

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            phc_event event;
            cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
            while (phc_event_next(hosts[k].member, &event)) continue;
            node_host_end_round(&hosts[k]);
        }
        phc_loop_step(loop);
    }
}

/* Some ticks after the host has set it, and said so: does the other node have it? */
static bool is_known_with_reach(uint64_t id, float reach)
{
    ph_attrs attrs = {.given = PH_REACH, .reach = reach};
    cr_assert_eq(ph_set(hosts[0].producer, id, &attrs), PH_OK);
    cr_assert_eq(phc_look(hosts[0].member, id), PH_OK);
    run_rounds(FEW_ROUNDS);
    return ph_entity_get(hosts[1].world, id, &attrs) == PH_OK;
}

/* The width is view and margin, and twice the hand-over margin and the way of lag_max ticks: 120. */
Test(look, a_reach_that_the_halo_has_no_room_for_is_known_to_all_nodes)
{
    run_rounds(ROUNDS);
    const phc *first = hosts[0].member;
    const float x = phc_owner_of(first, 0, 0) == phc_number(first) ? 10 : 790;
    cr_assert_eq(phc_enter(hosts[0].member, 7, &(ph_attrs){.given = PH_X | PH_Y, .x = x, .y = 400}, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(phc_look(NULL, 7), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_look(hosts[0].member, 8), PH_UNKNOWN_ID);
    cr_assert(!is_known_with_reach(7, VIEW - 1));
    cr_assert(is_known_with_reach(7, VIEW + 1));
}

static uint64_t copies_of_a_round(uint32_t i)
{
    phc_stats before, after;
    cr_assert_eq(phc_stats_get(hosts[i].member, &before), PH_OK);
    run_rounds(1);
    cr_assert_eq(phc_stats_get(hosts[i].member, &after), PH_OK);
    return after.copies_out - before.copies_out;
}

/* One step over a border an entity sees nothing that the width has no room for: the other region is not copied whole.
 */
Test(look, an_entity_over_a_border_has_a_strip_copied_and_no_region)
{
    enum { FAR = 200, OTHERS = 100, ID = 7, NEAR_COUNT = 3 };
    run_rounds(ROUNDS);
    const bool is_left = phc_owner_of(hosts[0].member, 0, 0) == phc_number(hosts[0].member);
    const float border = 400, side = is_left ? 1 : -1; /* of the second node, behind the border */
    const ph_attrs lingerer = {.given = PH_X | PH_Y, .x = border - side * 10, .y = 400};
    cr_assert_eq(phc_enter(hosts[0].member, ID, &lingerer, 0), PH_OK);
    for (uint64_t i = 0; i < OTHERS + NEAR_COUNT; i++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = border + side * (i < OTHERS ? FAR : 50), .y = (float)i};
        cr_assert_eq(phc_enter(hosts[1].member, 100 + i, &attrs, 0), PH_OK);
    }
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(copies_of_a_round(1), NEAR_COUNT);
    cr_assert_eq(ph_move(hosts[0].producer, ID, border + side * (HAND_OVER - 1), 400, 0), PH_OK);
    run_rounds(2 * FEW_ROUNDS);
    cr_assert(phc_owns(hosts[0].member, ID));
    cr_assert_eq(copies_of_a_round(1), NEAR_COUNT);
    cr_assert_eq(ph_move(hosts[0].producer, ID, border + side * (HAND_OVER + 1), 400, 0), PH_OK);
    run_rounds(2 * FEW_ROUNDS);
    cr_assert(phc_owns(hosts[1].member, ID));
}
