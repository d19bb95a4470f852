/*
 * Events of a member whose host takes none: they are bounded, and once it takes them it has missed none.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <pharos/cluster.h>

#include "cluster/member/reports.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, JOIN_ROUNDS = 60, FEW_ROUNDS = 8, LEASE_ROUNDS = 200, ROOM = 8, KINDS = 32 };

static const float BORDER = 400;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static bool takes; /* the second node's host, its events; counted by kind but for the ones that fill the queue */
static uint32_t taken[KINDS], refused;
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void take_events(uint32_t k)
{
    phc_event event;
    while (phc_event_next(hosts[k].member, &event)) {
        if (k == 0 || event.size > 0) continue;
        taken[event.kind]++;
        refused += event.kind == PHC_EVENT_LOST && event.status == PH_CAPACITY;
        cr_assert(event.kind != PHC_EVENT_RESTORE || event.loss != 0 || event.region == 0);
    }
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            if (!hosts[k].member) continue;
            cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
            if (k == 0 || takes) take_events(k);
            node_host_end_round(&hosts[k]);
        }
        phc_loop_step(loop);
    }
}

static void set_up(void)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, 50, 0);
    const phc_def def = node_host_def(&world_def, NODES, read_clock);
    world_def.entities_max = ROOM;
    now_ns = TICK_NS;
    takes = true;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, 1024, memory);
    run_rounds(JOIN_ROUNDS);
    memset(taken, 0, sizeof taken);
    refused = 0;
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(reports, .init = set_up, .fini = tear_down);

/* x in a node's own region, so far from the border. */
static float own_place(uint32_t i, float from_border)
{
    const phc *member = hosts[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? BORDER - from_border : BORDER + from_border;
}

static void enter_at(uint32_t i, uint64_t id)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(i, 300), .y = 10};
    cr_assert_eq(phc_enter(hosts[i].member, id, &attrs, 0), PH_OK);
}

/* An entity goes over to the other node. */
static void send_over(uint32_t from, uint64_t id)
{
    cr_assert_eq(ph_move(hosts[from].producer, id, own_place(1 - from, 50), 10, 0), PH_OK);
}

static phc_stats stats_of(uint32_t i)
{
    phc_stats stats;
    cr_assert_eq(phc_stats_get(hosts[i].member, &stats), PH_OK);
    return stats;
}

static uint32_t queued_bytes(void)
{
    const phx_item_queue *queue = &hosts[1].member->events;
    return queue->end - queue->first;
}

/* The second node's host takes no more events, of which there are as many as the member keeps. */
static void fill_events(void)
{
    static const unsigned char blob[PHC_BLOB_MAX];
    const phc_event event = {.kind = PHC_EVENT_GAINED, .id = 1, .bytes = blob, .size = sizeof blob, .reason = ""};
    takes = false;
    for (uint32_t i = 0; i < PHX_REPORTS_BYTES_MAX / sizeof blob + 1; i++) (void)phx_report(hosts[1].member, &event);
    cr_assert(queued_bytes() >= PHX_REPORTS_BYTES_MAX && queued_bytes() < PHX_REPORTS_BYTES_MAX + PHC_MESSAGE_MAX);
    cr_assert_eq(stats_of(1).events_full, 1);
}

Test(reports, entities_neither_come_nor_go_nor_are_lost_while_the_host_takes_no_events)
{
    enum { MORE = 20 };
    enter_at(0, 1);
    enter_at(1, 2);
    run_rounds(2);
    fill_events();
    const uint64_t count = stats_of(1).events;
    const uint32_t bytes = queued_bytes();
    send_over(0, 1);
    send_over(1, 2);
    for (uint64_t id = 3; id < 3 + MORE; id++) enter_at(1, id);
    run_rounds(FEW_ROUNDS);
    cr_assert(stats_of(1).events == count && queued_bytes() == bytes);
    cr_assert_gt(stats_of(1).events_full, FEW_ROUNDS);
    cr_assert_not(phc_owns(hosts[1].member, 1), "the host was not told of it");
    cr_assert_eq(stats_of(0).transit, 1, "it waits at its sender");
    cr_assert(phc_owns(hosts[1].member, 2), "the host was not told that it went");
    takes = true;
    run_rounds(FEW_ROUNDS);
    cr_assert(taken[PHC_EVENT_GAINED] == 1 && phc_owns(hosts[1].member, 1));
    cr_assert(phc_owns(hosts[0].member, 2) && !phc_owns(hosts[1].member, 2));
    cr_assert_gt(refused, MORE - ROOM);
    cr_assert_eq(taken[PHC_EVENT_LOST], 1 + refused, "each once");
    cr_assert_eq(stats_of(1).own, 1 + MORE - refused);
    cr_assert_eq(stats_of(1).events, 0);
}

/* Many come with one message, as there is room for one more event. */
Test(reports, one_family_passes_the_bound_on_events)
{
    enum { MANY = 6 };
    fill_events();
    phx_item_queue *queue = &hosts[1].member->events;
    while (queued_bytes() >= PHX_REPORTS_BYTES_MAX) phx_item_queue_pop(queue);
    const phc_event event = {.kind = PHC_EVENT_LAG, .reason = ""};
    while (queued_bytes() + phx_report_bytes(0) < PHX_REPORTS_BYTES_MAX) cr_assert(phx_report(hosts[1].member, &event));
    const uint64_t count = stats_of(1).events;
    for (uint64_t id = 1; id <= MANY; id++) enter_at(0, id);
    run_rounds(2);
    for (uint64_t id = 1; id <= MANY; id++) send_over(0, id);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(stats_of(1).own, MANY);
    cr_assert_eq(stats_of(1).events, count + 1);
    takes = true;
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(taken[PHC_EVENT_GAINED], MANY);
}

Test(reports, the_death_of_a_node_is_told_once_the_host_takes_events_again)
{
    fill_events();
    const uint64_t count = stats_of(1).events;
    node_host_close(&hosts[0]);
    run_rounds(LEASE_ROUNDS);
    cr_assert_eq(stats_of(1).events, count);
    cr_assert_eq(stats_of(1).regions, NODES);
    takes = true;
    run_rounds(2);
    cr_assert_eq(taken[PHC_EVENT_RESTORE], NODES, "each region may have had some of its entities");
    cr_assert(taken[PHC_EVENT_PEER_DOWN] == 1 && taken[PHC_EVENT_REGION_GAINED] == 1);
}

Test(reports, losses_of_regions_wait_where_as_many_as_there_can_be_are_not_taken)
{
    enum { MOST = PHX_NODE_EVENTS_MAX + PHX_CLUSTER_REGIONS_MAX };
    const phx_node_event told = {.kind = PHX_NODE_DUPLICATE, .offer = {.id = 1}}; /* without a state: it is lost */
    phx_node *node = &hosts[1].member->node;
    fill_events();
    while (node->events.count < MOST) cr_assert(phx_events_push(&node->events, &told));
    node_host_close(&hosts[0]);
    run_rounds(LEASE_ROUNDS);
    cr_assert_eq(node->events.count, MOST);
    takes = true;
    run_rounds(3);
    cr_assert_eq(taken[PHC_EVENT_RESTORE], NODES);
}

/* A host asks for the ownership before it reads the state, say, and may take all events before it reads any. */
Test(reports, bytes_of_all_events_of_a_round_are_good_until_the_next_phase)
{
    enum { EVENTS = 20, ID = 3 };
    phc_event events[EVENTS];
    unsigned char blob[EVENTS];
    phc *member = hosts[1].member;
    for (uint32_t i = 0; i < EVENTS; i++) {
        memset(blob, (int)i, sizeof blob);
        const phc_event event = {.kind = PHC_EVENT_GAINED, .id = 1, .bytes = blob, .size = sizeof blob, .reason = ""};
        cr_assert(phx_report(member, &event));
    }
    for (uint32_t i = 0; i < EVENTS; i++) cr_assert(phc_event_next(member, &events[i]));
    const uint64_t id = ID;
    enter_at(1, ID);
    cr_assert_gt(phc_ownership(member, ID), 0);
    cr_assert_eq(phc_look(member, ID), PH_OK);
    cr_assert_eq(phc_pin(member, ID + 1, true), PH_OK);
    cr_assert_eq(phc_who_has(member, &id, 1), PH_OK);
    cr_assert_eq(phc_leave(member, ID), PH_OK);
    cr_assert_not(phc_event_next(member, &events[0]));
    for (uint32_t i = 1; i < EVENTS; i++) {
        memset(blob, (int)i, sizeof blob);
        cr_assert(events[i].size == sizeof blob && memcmp(events[i].bytes, blob, sizeof blob) == 0);
    }
}
