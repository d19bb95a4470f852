/*
 * Events of a dead node: its number, with entities that come back or were taken from it, and regions to restore. They
 * may wait for memory or for the host, and say how it is by the time that they are told.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/halo/halo_table.h"
#include "cluster/member/reports.h"
#include "cluster/node/hand_over.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 3, JOIN_ROUNDS = 100, FEW_ROUNDS = 8, LEASE_ROUNDS = 200, EVENTS = 64 };

static const float WIDTH = 800.0f / NODES; /* of a region */

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES]; /* the events of the first one are noted */
static phc_event events[EVENTS];
static uint32_t event_count;
static bool takes; /* the first node's host, its events */
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

/* The ones with bytes fill the queue: see fill_events(). */
static void take_events(uint32_t k)
{
    phc_event event;
    while (phc_event_next(hosts[k].member, &event)) {
        if (k > 0 || event.size > 0) continue;
        cr_assert_lt(event_count, EVENTS);
        events[event_count++] = event;
    }
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            if (!hosts[k].member) continue;
            cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
            if (k > 0 || takes) take_events(k);
            node_host_end_round(&hosts[k]);
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
    takes = true;
    event_count = 0;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, 1024, memory);
    run_rounds(JOIN_ROUNDS);
    event_count = 0;
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(dead_nodes, .init = set_up, .fini = tear_down);

static float middle_of(uint32_t region)
{
    return ((float)region + 0.5f) * WIDTH;
}

/* A region of that node. */
static uint32_t region_of(uint32_t i)
{
    uint32_t region = 0;
    while (phc_owner_of(hosts[i].member, middle_of(region), 100) != phc_number(hosts[i].member)) region++;
    cr_assert_lt(region, NODES);
    return region;
}

static void enter_at(uint32_t i, uint64_t id)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = middle_of(region_of(i)), .y = 100};
    cr_assert_eq(phc_enter(hosts[i].member, id, &attrs, 0), PH_OK);
}

static void send_over(uint32_t from, uint32_t to, uint64_t id)
{
    cr_assert_eq(ph_move(hosts[from].producer, id, middle_of(region_of(to)), 100, 0), PH_OK);
}

static const phc_event *event_of(phc_event_kind kind, uint64_t id)
{
    for (uint32_t i = 0; i < event_count; i++)
        if (events[i].kind == kind && events[i].id == id) return &events[i];
    cr_assert_fail("no event of kind %u for %u", (unsigned)kind, (unsigned)id);
    return NULL;
}

static uint32_t count_restore(uint32_t region)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < event_count; i++)
        count += events[i].kind == PHC_EVENT_RESTORE && events[i].region == region;
    return count;
}

/* The first node's host takes no more events, of which there are as many as the member keeps. */
static void fill_events(void)
{
    static const unsigned char blob[PHC_BLOB_MAX];
    const phc_event event = {.kind = PHC_EVENT_GAINED, .id = 1, .bytes = blob, .size = sizeof blob, .reason = ""};
    takes = false;
    while (phx_report(hosts[0].member, &event)) continue;
}

/* There is room for one more, without bytes. */
static void fill_but_one(void)
{
    phc *member = hosts[0].member;
    const phc_event event = {.kind = PHC_EVENT_GAINED, .id = 1, .bytes = "", .size = 1, .reason = ""};
    fill_events();
    while (member->events.end - member->events.first >= PHX_REPORTS_BYTES_MAX) phx_item_queue_pop(&member->events);
    while (member->events.end - member->events.first + phx_report_bytes(event.size) < PHX_REPORTS_BYTES_MAX)
        cr_assert(phx_report(member, &event));
}

static uint64_t count_nodes(void)
{
    phc_stats stats;
    cr_assert_eq(phc_stats_get(hosts[0].member, &stats), PH_OK);
    return stats.nodes;
}

/* One can be read, one can not. */
Test(dead_nodes, what_comes_back_has_the_number_of_the_dead_node)
{
    const uint16_t dead = phc_number(hosts[1].member);
    for (uint64_t id = 1; id <= 2; id++) enter_at(0, id);
    run_rounds(2);
    phc_loop_cut(loop, &hosts[1].transport, true, true);
    send_over(0, 1, 1);
    cr_assert_eq(phx_hand_over_send(&hosts[0].member->node, 2, dead, NULL, 0, "x", 1), PH_OK);
    run_rounds(FEW_ROUNDS);
    node_host_close(&hosts[1]);
    run_rounds(LEASE_ROUNDS);
    cr_assert_eq(event_of(PHC_EVENT_RESTORED, 1)->number, dead);
    const phc_event *unread = event_of(PHC_EVENT_DUPLICATE, 2); /* the own one stays */
    cr_assert(unread->number == dead && unread->status == PH_BAD_VALUE);
}

/*
 * The dead node may have told of it with a turn more than before its hand-over, and others of what they had heard. Of
 * these two the world refuses the first import, as the host has attached their copies.
 */
Test(dead_nodes, what_comes_back_has_a_turn_more_than_with_the_dead_node)
{
    for (uint64_t id = 1; id <= 2; id++) enter_at(0, id);
    run_rounds(2);
    phc_loop_cut(loop, &hosts[1].transport, true, true);
    for (uint64_t id = 1; id <= 2; id++) send_over(0, 1, id);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_attach(hosts[0].producer, 2, 1), PH_OK);
    node_host_close(&hosts[1]);
    run_rounds(LEASE_ROUNDS);
    cr_assert_eq(event_of(PHC_EVENT_CLEARED, 1)->status, PH_ATTACHED);
    for (uint64_t id = 1; id <= 2; id++) {
        const bool went_on = phc_owns(hosts[2].member, id); /* the dead one's region may be the third one's */
        const phx_halo_entity *entity = phx_halo_find(&hosts[went_on ? 2 : 0].member->halo, id);
        (void)event_of(PHC_EVENT_RESTORED, id);
        cr_assert(entity && entity->own, "%u", (unsigned)id);
        cr_assert_eq(entity->turn, 2 + went_on, "%u: %u", (unsigned)id, entity->turn);
    }
}

Test(dead_nodes, what_was_taken_from_one_has_its_number_though_it_is_told_later)
{
    const uint16_t dead = phc_number(hosts[1].member);
    for (uint64_t id = 1; id <= 2; id++) enter_at(1, id);
    run_rounds(2);
    fill_but_one();
    for (uint64_t id = 1; id <= 2; id++) send_over(1, 0, id); /* in one message */
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(hosts[0].member->node.events.count, 1);
    node_host_close(&hosts[1]);
    run_rounds(LEASE_ROUNDS);
    cr_assert_eq(count_nodes(), NODES - 1);
    takes = true;
    run_rounds(2);
    for (uint64_t id = 1; id <= 2; id++) cr_assert_eq(event_of(PHC_EVENT_GAINED, id)->number, dead);
}

static void give_to(uint32_t region, uint32_t i)
{
    cr_assert_eq(phc_give_region(hosts[0].member, region, phc_number(hosts[i].member)), PH_OK);
    run_rounds(2 * FEW_ROUNDS);
}

/* A node dies, and its region comes to the first node, which does not take the event, and goes on. Returns its loss. */
static uint32_t pass_on_region(uint32_t region)
{
    fill_events();
    node_host_close(&hosts[1]);
    run_rounds(LEASE_ROUNDS);
    give_to(region, 0);
    cr_assert_geq(hosts[0].member->node.events.count, 1);
    const uint32_t loss = hosts[0].member->node.map.regions[region].lost;
    give_to(region, 2);
    return loss;
}

Test(dead_nodes, the_loss_of_a_region_is_told_to_the_host_that_has_it)
{
    const uint32_t region = region_of(1);
    (void)pass_on_region(region);
    takes = true;
    run_rounds(2);
    cr_assert_eq(count_restore(region), 0, "it is the other node's");
    give_to(region, 0);
    cr_assert_eq(count_restore(region), 1);
}

Test(dead_nodes, the_loss_of_a_region_that_is_whole_again_is_told_no_more)
{
    const uint32_t region = region_of(1);
    const uint32_t loss = pass_on_region(region);
    cr_assert(loss != 0 && phc_restored(hosts[2].member, region, loss) == PH_OK);
    run_rounds(2 * FEW_ROUNDS);
    give_to(region, 0);
    takes = true;
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(count_restore(region), 0);
}
