/*
 * Entities of another member, by the calls of cluster.h: ones that come, and broadcast before the world has them; and
 * copies of a member that is silent, and not put out.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, ROUNDS = 60, FEW_ROUNDS = 6 };

static phc_loop *loop;
static phc_memory *memory;
static node_host all[NODES];
static phc_def def;
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void finish_tick(node_host *host)
{
    const ph_batch *batch;
    cr_assert_eq(ph_tick(host->world, NULL), PH_OK);
    while (ph_batch_take(host->consumer, &batch) == PH_OK) cr_assert_eq(ph_batch_return(host->consumer, batch), PH_OK);
    cr_assert_eq(phc_told(host->member), PH_OK);
}

static void begin_round(void)
{
    phc_memory_step(memory, now_ns += TICK_NS);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        begin_round();
        for (uint32_t k = 0; k < NODES; k++) {
            cr_assert_eq(phc_tick(all[k].member), PH_OK);
            finish_tick(&all[k]);
        }
        phc_loop_step(loop);
    }
}

/* The next event of that kind; others are passed over. */
static bool find_event(phc *member, phc_event_kind kind, phc_event *event)
{
    while (phc_event_next(member, event))
        if (event->kind == kind) return true;
    return false;
}

static float own_place(uint32_t i, float from_border)
{
    const phc *member = all[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? 400 - from_border : 400 + from_border;
}

/* An entity of the first node. */
static void enter_far(float from_border)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(0, from_border), .y = 10};
    cr_assert_eq(phc_enter(all[0].member, 7, &attrs, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
}

static void set_up(void)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, 50, 10);
    def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&all[i], &def, loop, 64, memory);
    def.world_def = NULL;
    run_rounds(ROUNDS);
}

static void tear_down(void)
{
    node_host_close_all(all, NODES, loop, memory);
}

TestSuite(peers, .init = set_up, .fini = tear_down);

/* ---- broadcasts ---- */

/* Until the second member has gained it. @return its broadcast in that round */
static ph_status broadcast_of_gained(uint64_t id)
{
    phc_event event;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        begin_round();
        for (uint32_t k = 0; k < NODES; k++) {
            ph_status status = PH_OK;
            cr_assert_eq(phc_tick(all[k].member), PH_OK);
            const bool is_gained = k == 1 && find_event(all[k].member, PHC_EVENT_GAINED, &event);
            if (is_gained) status = phc_broadcast(all[k].member, all[k].producer, id, "hi", 2, NULL);
            finish_tick(&all[k]);
            if (is_gained) return status;
        }
        phc_loop_step(loop);
    }
    cr_assert(false, "it did not come");
    return PH_OK;
}

static uint64_t broadcasts_of(uint32_t i, bool in)
{
    phc_stats stats;
    cr_assert_eq(phc_stats_get(all[i].member, &stats), PH_OK);
    return in ? stats.broadcasts_in : stats.broadcasts_out;
}

/* A teleport: its copy comes with it, so it is in the world of its new owner with the tick. */
Test(peers, what_has_come_and_is_not_in_the_world_broadcasts_a_round_later)
{
    enter_far(300);
    cr_assert_eq(ph_move(all[0].producer, 7, own_place(1, 20), 10, 0), PH_OK);
    cr_assert_eq(broadcast_of_gained(7), PH_PENDING);
    cr_assert_eq(broadcasts_of(1, false), 0, "no peer has it");
    cr_assert_eq(phc_broadcast(all[1].member, all[1].producer, 7, "hi", 2, NULL), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert(broadcasts_of(1, false) == 1 && broadcasts_of(0, true) == 1);
}

Test(peers, a_copy_that_becomes_own_broadcasts_at_once)
{
    enter_far(1);
    cr_assert_eq(ph_move(all[0].producer, 7, own_place(1, 10), 10, 0), PH_OK);
    cr_assert_eq(broadcast_of_gained(7), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert(broadcasts_of(1, false) == 1 && broadcasts_of(0, true) == 1);
}

/* Its copy leaves with it, and is at another place. */
Test(peers, what_enters_in_the_place_of_a_copy_is_heard_here_alone)
{
    enter_far(10);
    begin_round();
    cr_assert_eq(phc_tick(all[1].member), PH_OK);
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(1, 10), .y = 10};
    cr_assert_eq(phc_enter(all[1].member, 7, &attrs, 0), PH_OK);
    cr_assert_eq(phc_broadcast(all[1].member, all[1].producer, 7, "hi", 2, NULL), PH_OK);
    cr_assert_eq(broadcasts_of(1, false), 0);
    finish_tick(&all[1]);
    phc_loop_step(loop);
}

/* ---- silence ---- */

/* It is alive, and in the map: the control store hears it. Its messages are lost. */
Test(peers, copies_of_a_silent_member_stand_still_and_leave_while_it_is_in_the_map)
{
    ph_attrs attrs;
    phc_event event;
    uint32_t lagged = 0, left = 0;
    enter_far(10);
    cr_assert_eq(ph_entity_get(all[1].world, 7, &attrs), PH_OK);
    const float y = attrs.y;
    while (phc_event_next(all[1].member, &event)) continue;
    phc_loop_cut(loop, &all[0].transport, true, false);
    for (uint32_t i = 1; left == 0 && i <= 2 * def.silent_ticks; i++) {
        cr_assert_eq(ph_move(all[0].producer, 7, own_place(0, 10), y + (float)i, 0), PH_OK);
        run_rounds(1);
        if (lagged == 0 && find_event(all[1].member, PHC_EVENT_LAG, &event)) lagged = i;
        if (ph_entity_get(all[1].world, 7, &attrs) != PH_OK) left = i;
        cr_assert(left > 0 || attrs.y < y + 2, "it stands where it was heard last");
    }
    cr_assert(lagged > 0 && lagged <= def.lag_max + 2, "told after %u ticks", lagged);
    cr_assert(left >= def.silent_ticks && left <= def.silent_ticks + 3, "left after %u ticks", left);
    cr_assert(phc_hears(all[1].member, phc_registration(all[0].member)), "it was not put out");
    phc_loop_cut(loop, &all[0].transport, false, false);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_entity_get(all[1].world, 7, &attrs), PH_OK);
}
