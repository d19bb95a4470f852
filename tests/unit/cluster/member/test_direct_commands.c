/*
 * Commands that a host gives to its node's world by itself, where it has calls of cluster.h: own entities that leave by
 * ph_leave(), local ones that enter by ph_enter(), remote ones; and regions that it gives away. Two nodes, one region
 * each.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <pharos/cluster.h>

#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, ROUNDS = 60, FEW_ROUNDS = 6, LOOK_TICKS = 256, LEASE_TICKS = 300, IDS = 1024 };

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static phc_def def;
static ph_world_def world_def;
static ph_class class;
static uint64_t now_ns;
static uint32_t lost[IDS], drained; /* events of the first node */
static ph_status lost_why;

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
    memset(lost, 0, sizeof lost);
    drained = 0;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, 64, memory);
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(direct_commands, .init = set_up, .fini = tear_down);

static void hear_event(const phc_event *event)
{
    drained += event->kind == PHC_EVENT_DRAINED;
    if (event->kind != PHC_EVENT_LOST || event->status == PH_OK) return;
    cr_assert_eq(event->number, 0);
    lost[event->id]++;
    lost_why = event->status;
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            phc_event event;
            if (!hosts[k].member) continue;
            const ph_status status = phc_tick(hosts[k].member);
            bool is_drained = false;
            while (phc_event_next(hosts[k].member, &event)) {
                is_drained |= event.kind == PHC_EVENT_DRAINED;
                if (k == 0) hear_event(&event);
            }
            cr_assert_eq(status, is_drained ? PH_FENCED : PH_OK);
            if (is_drained) node_host_close(&hosts[k]);
            if (is_drained) continue;
            node_host_end_round(&hosts[k]);
        }
        phc_loop_step(loop);
    }
}

/* A place of the first node, or one of the second. */
static ph_attrs place_of(uint32_t node)
{
    const bool is_left = phc_owner_of(hosts[node].member, 0, 0) == phc_number(hosts[node].member);
    return (ph_attrs){.given = PH_X | PH_Y, .x = is_left ? 10 : 790, .y = 400};
}

static void enter_first(uint64_t first, uint64_t count)
{
    const ph_attrs place = place_of(0);
    for (uint64_t id = first; id < first + count; id++) cr_assert_eq(phc_enter(hosts[0].member, id, &place, 0), PH_OK);
}

Test(direct_commands, an_own_entity_that_leaves_without_the_member_is_lost_and_its_node_drains)
{
    run_rounds(ROUNDS);
    enter_first(7, 1);
    run_rounds(FEW_ROUNDS);
    cr_assert(phc_owns(hosts[0].member, 7));
    cr_assert_eq(ph_leave(hosts[0].producer, 7), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(lost[7], 1);
    cr_assert_eq(lost_why, PH_UNKNOWN_ID);
    cr_assert_not(phc_owns(hosts[0].member, 7));
    enter_first(7, 1);
    run_rounds(FEW_ROUNDS);
    cr_assert(phc_owns(hosts[0].member, 7));
    cr_assert_eq(ph_leave(hosts[0].producer, 7), PH_OK);
    phc_drain(hosts[0].member);
    run_rounds(ROUNDS);
    cr_assert_eq(lost[7], 2);
    cr_assert_eq(drained, 1);
}

Test(direct_commands, of_many_that_leave_so_each_is_told_once_within_the_ticks_of_a_look)
{
    enum { LEAVING = 600, STAYING = 100 };
    run_rounds(ROUNDS);
    enter_first(1, LEAVING + STAYING);
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= LEAVING; id++) cr_assert_eq(ph_leave(hosts[0].producer, id), PH_OK);
    run_rounds(LOOK_TICKS + FEW_ROUNDS);
    for (uint64_t id = 1; id <= LEAVING + STAYING; id++) {
        cr_assert_eq(lost[id], id <= LEAVING, "%d", (int)id);
        cr_assert_eq(phc_owns(hosts[0].member, id), id > LEAVING);
    }
}

/* What was looked for and not found comes behind that tick: by the next one it is there. */
Test(direct_commands, one_that_is_there_again_before_the_next_tick_stays_own)
{
    const ph_batch *batch;
    run_rounds(ROUNDS);
    enter_first(7, 1);
    run_rounds(FEW_ROUNDS);
    const ph_attrs place = place_of(0);
    for (uint32_t i = 0; i < FEW_ROUNDS; i++) {
        cr_assert_eq(ph_leave(hosts[0].producer, 7), PH_OK);
        run_rounds(1);
        cr_assert_eq(ph_enter(hosts[0].producer, 7, &place), PH_OK);
        run_rounds(1);
    }
    while (ph_batch_take(hosts[0].consumer, &batch) == PH_OK) continue;
    cr_assert_eq(lost[7], 0);
    cr_assert(phc_owns(hosts[0].member, 7));
}

Test(direct_commands, an_entity_of_the_host_alone_is_local_and_stands_in_the_way_of_its_id)
{
    ph_attrs attrs;
    run_rounds(ROUNDS);
    const ph_attrs place = place_of(0), other = place_of(1);
    cr_assert_eq(ph_enter(hosts[0].producer, 7, &place), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert_not(phc_owns(hosts[0].member, 7));
    cr_assert_eq(ph_move(hosts[0].producer, 7, other.x, other.y, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_entity_get(hosts[0].world, 7, &attrs), PH_OK, "it stays, wherever it goes");
    cr_assert_eq(ph_entity_get(hosts[1].world, 7, &attrs), PH_UNKNOWN_ID);
    enter_first(7, 1);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(lost[7], 1);
    cr_assert_eq(lost_why, PH_EXISTS);
    cr_assert_not(phc_owns(hosts[0].member, 7));
}

Test(direct_commands, a_member_has_no_remote_entities_but_its_own)
{
    char reason[PHC_REASON_SIZE] = "";
    run_rounds(ROUNDS);
    ph_attrs attrs = place_of(0);
    attrs.given |= PH_REMOTE;
    attrs.remote = true;
    cr_assert_eq(phc_enter(hosts[0].member, 7, &attrs, 0), PH_BAD_VALUE);
    attrs.remote = false;
    cr_assert_eq(phc_enter(hosts[0].member, 7, &attrs, 0), PH_OK);
    node_host_close(&hosts[1]);
    node_host_join(&hosts[1], &world_def, loop, 64, memory);
    cr_assert_eq(ph_producer_open(hosts[1].world, &hosts[1].producer), PH_OK);
    attrs.remote = true;
    cr_assert_eq(ph_enter(hosts[1].producer, 8, &attrs), PH_OK);
    cr_assert_eq(ph_tick(hosts[1].world, NULL), PH_OK);
    cr_assert_eq(
        phc_open(&def, hosts[1].world, &hosts[1].transport, &hosts[1].store, &hosts[1].member, reason, sizeof reason),
        PH_BAD_DEF);
    cr_assert_str_eq(reason, "the world has 1 remote entities: of an image, or of a member before");
    cr_assert_null(hosts[1].member);
}

Test(direct_commands, an_entity_on_its_way_is_pending_for_all_calls)
{
    phc_feed feed;
    run_rounds(ROUNDS);
    enter_first(7, 1);
    run_rounds(FEW_ROUNDS);
    phc *member = hosts[0].member;
    const ph_attrs other = place_of(1);
    cr_assert_eq(ph_move(hosts[0].producer, 7, other.x, other.y, 0), PH_OK);
    phc_loop_cut(loop, &hosts[0].transport, true, true); /* its offer is lost, and comes again */
    run_rounds(2);
    cr_assert_not(phc_owns(member, 7));
    cr_assert_eq(phc_leave(member, 7), PH_PENDING);
    cr_assert_eq(phc_look(member, 7), PH_PENDING);
    cr_assert_eq(phc_feed_next(member, 7, &feed), PH_PENDING);
    cr_assert_eq(phc_feed_last(member, 7, &feed), PH_PENDING);
    cr_assert_eq(phc_broadcast(member, hosts[0].producer, 7, "hi", 2, NULL), PH_PENDING);
    cr_assert_eq(phc_enter(member, 7, &other, 0), PH_TAKEN);
    phc_loop_cut(loop, &hosts[0].transport, false, false);
    run_rounds(FEW_ROUNDS);
    cr_assert(phc_owns(hosts[1].member, 7));
    cr_assert_eq(phc_feed_last(member, 7, &feed), PH_UNKNOWN_ID);
}

Test(direct_commands, a_member_that_is_none_any_more_says_so_for_all_calls)
{
    const uint64_t id = 7;
    phc_feed feed;
    run_rounds(ROUNDS);
    phc *member = hosts[0].member;
    const ph_attrs place = place_of(0);
    phc_memory_cut(memory, &hosts[0].store, true);
    for (uint32_t i = 0; i < LEASE_TICKS; i++) { /* the other one puts it out */
        phc_memory_step(memory, now_ns += TICK_NS);
        cr_assert_eq(phc_tick(hosts[1].member), PH_OK);
        phc_loop_step(loop);
    }
    phc_memory_cut(memory, &hosts[0].store, false);
    for (uint32_t i = 0; i < LEASE_TICKS && phc_tick(member) == PH_OK; i++) phc_memory_step(memory, now_ns += TICK_NS);
    cr_assert_eq(phc_tick(member), PH_FENCED);
    cr_assert_eq(phc_told(member), PH_FENCED);
    cr_assert_eq(phc_enter(member, id, &place, 0), PH_FENCED);
    cr_assert_eq(phc_leave(member, id), PH_FENCED);
    cr_assert_eq(phc_look(member, id), PH_FENCED);
    cr_assert_eq(phc_pin(member, id, true), PH_FENCED);
    cr_assert_eq(phc_who_has(member, &id, 1), PH_FENCED);
    cr_assert_eq(phc_give_region(member, 0, 1), PH_FENCED);
    cr_assert_eq(phc_restored(member, 0, 1), PH_FENCED);
    cr_assert_eq(phc_feed_next(member, id, &feed), PH_FENCED);
    cr_assert_eq(phc_feed_last(member, id, &feed), PH_FENCED);
    cr_assert_eq(phc_broadcast(member, hosts[0].producer, id, "hi", 2, NULL), PH_FENCED);
    cr_assert_not(phc_may_commit(member));
}

/* The wish would be dropped without a word. */
Test(direct_commands, a_region_is_given_to_nodes_of_the_map_alone)
{
    cr_assert_eq(phc_give_region(hosts[0].member, 0, 1), PH_BUSY, "it is in no map yet");
    run_rounds(ROUNDS);
    const uint16_t number = phc_number(hosts[1].member);
    const uint32_t region = phc_owner_of(hosts[0].member, 0, 0) == number; /* the first node's */
    cr_assert_eq(phc_give_region(hosts[0].member, region, 63), PH_BAD_VALUE);
    cr_assert_eq(phc_give_region(hosts[0].member, region, number), PH_OK);
    run_rounds(ROUNDS);
    cr_assert_eq(phc_owner_of(hosts[0].member, 0, 0), number);
    cr_assert_eq(phc_owner_of(hosts[0].member, 790, 0), number);
    phc_drain(hosts[1].member);
    run_rounds(ROUNDS);
    cr_assert_eq(phc_give_region(hosts[0].member, region, number), PH_BAD_VALUE, "it has left");
}
