/*
 * Entities that come to a node on which the host has attached their copies, or entered their ids; and events that pass
 * them while they wait for room. And the room that they need before they go.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <pharos/cluster.h>

#include "cluster/halo/family.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/kept_arrivals.h"
#include "cluster/node/hand_over.h"
#include "cluster/node_host.h"
#include "world/queue/capsule.h"

enum { TICK_NS = 50000000, NODES = 2, ROUNDS = 60, FEW_ROUNDS = 8, ENTITIES = 400, OTHERS = 1000, UNKNOWN = 100000 };

static const float BORDER = 400;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES]; /* the first one's entities go to the second one */
static phc_event events[NODES][ENTITIES];
static uint32_t event_counts[NODES];
static uint32_t refusals; /* of entity 1, which the second node's world is made to have told */
static uint64_t leaving;  /* leaves the second node in the round in which it has come; 0 = none */
static bool hides;        /* in that round the second node's world has more refusals than it tells */
static uint64_t entering; /* the second node's host enters it by itself in the round in which it comes; 0 = none */
static uint64_t taken;    /* ... and lets this one leave; 0 = none */
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

/* All places for refusals of the member are taken before its next commands. */
static void submit_untold(const phc *member)
{
    const uint32_t count = ph_world_def_default().refusals_max;
    for (uint64_t i = 0; i <= count; i++) cr_assert_eq(ph_leave(member->producer, UNKNOWN + i), PH_OK);
}

/* A host that goes past the member, in the round in which its entity arrives. */
static void pass_member(const node_host *host)
{
    const ph_attrs far = {.given = PH_X | PH_Y, .x = 10, .y = 790};
    if (entering != 0 && phx_arrivals_have(host->member, entering)) {
        cr_assert_eq(ph_enter(host->producer, entering, &far), PH_OK);
        entering = 0;
    }
    if (taken != 0 && phx_arrivals_have(host->member, taken)) {
        cr_assert_eq(ph_leave(host->producer, taken), PH_OK);
        taken = 0;
    }
}

/* As if the world had told it. */
static void refuse_import(phc *member, uint64_t root, ph_status why)
{
    for (uint32_t i = 0; i < member->arrivals.count; i++)
        if (member->kept[i].root == root) phx_arrivals_refuse(member, root, member->kept[i].sequence, why);
}

static void run_node(uint32_t k)
{
    if (k == 1 && hides) submit_untold(hosts[k].member);
    cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
    while (event_counts[k] < ENTITIES && phc_event_next(hosts[k].member, &events[k][event_counts[k]]))
        event_counts[k]++;
    if (k == 1 && leaving != 0 && phc_leave(hosts[k].member, leaving) == PH_OK) leaving = 0;
    if (k == 1 && refusals > 0 && phx_arrivals_have(hosts[k].member, 1)) {
        refuse_import(hosts[k].member, 1, PH_ATTACHED);
        refusals--;
    }
    if (k == 1) pass_member(&hosts[k]);
    hides &= k != 1 || !phx_arrivals_have(hosts[k].member, 1);
    node_host_end_round(&hosts[k]);
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

static void set_up(void)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, 50, 0);
    phc_def def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) {
        world_def.entities_max = (NODES - i) * ENTITIES; /* the first one has room for the second one's copies */
        node_host_open_first(&hosts[i], &def, loop, 1024, memory);
    }
    run_rounds(ROUNDS);
    for (uint32_t i = 0; i < NODES; i++) event_counts[i] = 0;
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(arrivals, .init = set_up, .fini = tear_down);

/* x in a node's own region, so far from the border. */
static float own_place(uint32_t i, float from_border)
{
    const phc *member = hosts[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? BORDER - from_border : BORDER + from_border;
}

static void enter_at(uint32_t i, uint64_t id, float from_border, float y)
{
    const ph_attrs attrs = {
        .given = PH_X | PH_Y | PH_USER_DATA, .x = own_place(i, from_border), .y = y, .user_data = 100 + id};
    cr_assert_eq(phc_enter(hosts[i].member, id, &attrs, 0), PH_OK);
}

/* The first node's entity goes over. */
static void send_over(uint64_t id, float y)
{
    cr_assert_eq(ph_move(hosts[0].producer, id, own_place(1, 50), y, 0), PH_OK);
}

static void send_back(uint64_t id, float y)
{
    cr_assert_eq(ph_move(hosts[1].producer, id, own_place(0, 50), y, 0), PH_OK);
}

static uint32_t count_events(uint32_t i, phc_event_kind kind, ph_status status)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < event_counts[i]; at++)
        count += events[i][at].kind == kind && events[i][at].status == status;
    return count;
}

static void expect_own(uint32_t i, uint64_t id, float y)
{
    ph_attrs attrs;
    cr_assert_eq(ph_entity_get(hosts[i].world, id, &attrs), PH_OK);
    cr_assert(phc_owns(hosts[i].member, id) && !attrs.remote, "%u", (unsigned)id);
    cr_assert(attrs.y == y && attrs.user_data == 100 + id, "%u: y %g", (unsigned)id, (double)attrs.y);
}

static size_t count_packed(void *user, uint64_t id, void *bytes, size_t size)
{
    (void)id, (void)bytes, (void)size;
    ++*(uint32_t *)user;
    return 0;
}

/* A receiver that does not answer costs its sender no capsule and no packed state of entities that find no room. */
Test(arrivals, an_entity_is_packed_once_there_is_room_for_its_offer)
{
    enum { MANY = 4, ROOM = 2 };
    uint32_t packed = 0;
    phc *sender = hosts[0].member;
    sender->halo.def.pack = count_packed;
    sender->halo.def.pack_user = &packed;
    sender->node.def.unacked_max = ROOM;
    for (uint64_t id = 1; id <= MANY; id++) enter_at(0, id, 10, (float)id * 10);
    run_rounds(1);
    phc_loop_cut(loop, &hosts[1].transport, true, true);
    for (uint64_t id = 1; id <= MANY; id++) send_over(id, (float)id * 10);
    run_rounds(MANY);
    cr_assert_eq(packed, ROOM);
    cr_assert(sender->counts.kept[PH_FULL] > 0);
    phc_loop_cut(loop, &hosts[1].transport, false, false);
    run_rounds(2 * ROUNDS);
    cr_assert_eq(packed, MANY);
    for (uint64_t id = 1; id <= MANY; id++) expect_own(1, id, (float)id * 10);
}

Test(arrivals, copies_that_the_host_attached_become_own_alone)
{
    for (uint64_t id = 1; id <= 3; id++) enter_at(0, id, 10, (float)id * 10);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_attach(hosts[1].producer, 2, 1), PH_OK);
    cr_assert_eq(ph_attach(hosts[1].producer, 3, 2), PH_OK);
    run_rounds(2);
    for (uint64_t id = 1; id <= 3; id++) send_over(id, (float)id * 10);
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= 3; id++) expect_own(1, id, (float)id * 10);
    cr_assert_eq(count_events(1, PHC_EVENT_GAINED, PH_OK), 3);
    const uint32_t told = count_events(1, PHC_EVENT_CLEARED, PH_ATTACHED);
    cr_assert(told >= 1 && told <= 3, "%u", told);
    cr_assert_eq(hosts[1].member->refused_count, 0);
    for (uint64_t id = 1; id <= 3; id++) send_back(id, (float)id);
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= 3; id++) expect_own(0, id, (float)id);
    cr_assert_eq(count_events(1, PHC_EVENT_CLEARED, PH_ATTACHED), told);
}

Test(arrivals, a_copy_that_the_host_attached_goes_where_its_owner_says)
{
    ph_attrs attrs;
    for (uint64_t id = 1; id <= 2; id++) enter_at(0, id, 10, (float)id * 10);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_attach(hosts[1].producer, 2, 1), PH_OK);
    run_rounds(2);
    cr_assert_eq(ph_move(hosts[0].producer, 2, own_place(0, 15), 50, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_entity_get(hosts[1].world, 2, &attrs), PH_OK);
    cr_assert(attrs.remote && attrs.x == own_place(0, 15) && attrs.y == 50, "y %g", (double)attrs.y);
    cr_assert_eq(ph_move(hosts[0].producer, 2, own_place(0, 15), 60, 0), PH_OK);
    const uint64_t refused = hosts[1].member->halo.counts.refused;
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(hosts[1].member->halo.counts.refused, refused);
}

Test(arrivals, a_family_that_finds_a_stranger_attached_keeps_its_own_attachments)
{
    for (uint64_t id = 1; id <= 3; id++) enter_at(0, id, 10, 10);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(ph_attach(hosts[0].producer, 2, 1), PH_OK);
    cr_assert_eq(ph_attach(hosts[1].producer, 3, 2), PH_OK);
    run_rounds(2);
    send_over(1, 20);
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= 2; id++) expect_own(1, id, 20);
    cr_assert_eq(count_events(1, PHC_EVENT_CLEARED, PH_ATTACHED), 1);
    cr_assert_eq(ph_move(hosts[1].producer, 1, own_place(1, 60), 30, 0), PH_OK);
    run_rounds(1);
    for (uint64_t id = 1; id <= 2; id++) expect_own(1, id, 30);
    expect_own(0, 3, 10);
}

Test(arrivals, an_entity_that_the_host_entered_by_itself_becomes_the_one_that_comes)
{
    const ph_attrs far = {.given = PH_X | PH_Y, .x = own_place(1, 390), .y = 790};
    cr_assert_eq(ph_enter(hosts[1].producer, 1, &far), PH_OK);
    cr_assert_eq(ph_enter(hosts[1].producer, 9, &far), PH_OK);
    cr_assert_eq(ph_attach(hosts[1].producer, 9, 1), PH_OK);
    enter_at(0, 1, 200, 10);
    run_rounds(2);
    send_over(1, 20);
    run_rounds(FEW_ROUNDS);
    expect_own(1, 1, 20);
    cr_assert_eq(count_events(1, PHC_EVENT_CLEARED, PH_EXISTS), 1);
    for (uint32_t at = 0; at < event_counts[1]; at++) {
        const phc_event *event = &events[1][at];
        cr_assert(event->kind != PHC_EVENT_CLEARED || (event->id == 1 && event->number == phc_number(hosts[0].member)));
    }
}

Test(arrivals, an_entity_that_the_host_entered_by_itself_is_not_taken_for_one_of_which_no_refusal_is_told)
{
    const ph_attrs far = {.given = PH_X | PH_Y, .x = own_place(1, 390), .y = 790};
    cr_assert_eq(ph_enter(hosts[1].producer, 1, &far), PH_OK);
    enter_at(0, 1, 200, 10);
    run_rounds(2);
    send_over(1, 20);
    hides = true;
    run_rounds(FEW_ROUNDS);
    cr_assert_not(hides);
    expect_own(1, 1, 20);
    cr_assert(event_counts[1] == 2 && count_events(1, PHC_EVENT_GAINED, PH_OK) == 1 &&
              count_events(1, PHC_EVENT_CLEARED, PH_EXISTS) == 1);
}

/* It is in the queue of the host's producer as the other one comes. */
Test(arrivals, an_entity_that_the_host_enters_meanwhile_is_not_taken_for_one_of_which_no_refusal_is_told)
{
    enter_at(0, 1, 200, 10);
    run_rounds(2);
    send_over(1, 20);
    entering = 1;
    hides = true;
    run_rounds(FEW_ROUNDS);
    cr_assert(!hides && entering == 0);
    cr_assert_gt(hosts[1].member->refusals_untold, 0);
    expect_own(1, 1, 20);
    cr_assert(event_counts[1] == 2 && count_events(1, PHC_EVENT_GAINED, PH_OK) == 1 &&
              count_events(1, PHC_EVENT_CLEARED, PH_EXISTS) == 1);
}

/* It stands as the other one comes; the tick takes its leave first. */
Test(arrivals, one_that_has_come_stays_as_it_is_where_the_hosts_own_one_left_and_refusals_are_not_told)
{
    const ph_attrs far = {.given = PH_X | PH_Y, .x = own_place(1, 390), .y = 790};
    cr_assert_eq(ph_enter(hosts[1].producer, 1, &far), PH_OK);
    enter_at(0, 1, 200, 10);
    run_rounds(2);
    send_over(1, 20);
    taken = 1;
    hides = true;
    for (uint32_t i = 0; i < FEW_ROUNDS && hides; i++) run_rounds(1);
    cr_assert(!hides && taken == 0);
    cr_assert_gt(hosts[1].member->refusals_untold, 0);
    cr_assert_eq(ph_move(hosts[1].producer, 1, own_place(1, 100), 30, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    expect_own(1, 1, 30);
    cr_assert(event_counts[1] == 1 && count_events(1, PHC_EVENT_GAINED, PH_OK) == 1);
}

/* The member's own one leaves before the other one of its id comes: nothing of the host stands there. */
Test(arrivals, a_double_that_leaves_is_not_the_hosts_where_no_refusal_is_told)
{
    enter_at(0, 1, 300, 10);
    enter_at(1, 1, 300, 700);
    run_rounds(2);
    send_over(1, 20);
    hides = true;
    run_rounds(FEW_ROUNDS);
    cr_assert_not(hides);
    expect_own(1, 1, 20);
    cr_assert(event_counts[1] == 1 && count_events(1, PHC_EVENT_DUPLICATE, PH_OK) == 1);
}

Test(arrivals, a_family_with_an_id_that_is_own_here_comes_whole)
{
    for (uint64_t id = 1; id <= 3; id++) enter_at(0, id, 10, 10);
    enter_at(1, 2, 390, 790);
    enter_at(1, 4, 390, 790);
    run_rounds(2);
    for (uint64_t id = 2; id <= 3; id++) cr_assert_eq(ph_attach(hosts[0].producer, id, 1), PH_OK);
    cr_assert_eq(ph_attach(hosts[1].producer, 4, 2), PH_OK);
    run_rounds(2);
    const uint64_t ownership = phc_ownership(hosts[1].member, 2);
    send_over(1, 20);
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= 3; id++) expect_own(1, id, 20);
    expect_own(1, 4, 790);
    cr_assert_eq(count_events(1, PHC_EVENT_GAINED, PH_OK), 2);
    cr_assert_eq(count_events(1, PHC_EVENT_DUPLICATE, PH_OK), 1);
    for (uint32_t at = 0; at < event_counts[1]; at++) {
        const phc_event *event = &events[1][at];
        cr_assert((event->kind == PHC_EVENT_DUPLICATE) == (event->id == 2));
        cr_assert_eq(event->ownership, phc_ownership(hosts[1].member, event->id));
    }
    cr_assert_gt(phc_ownership(hosts[1].member, 2), ownership);
    send_back(1, 30);
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= 3; id++) expect_own(0, id, 30);
    cr_assert_eq(count_events(0, PHC_EVENT_DUPLICATE, PH_OK), 0);
}

/* A node's entity goes over as bytes that no world takes: of a class that is not there, or just the head. */
static void send_bytes(uint32_t from, uint64_t id, bool is_family)
{
    static unsigned char state[PH_CAPSULE_MAX];
    unsigned char *capsule = state + PHX_FAMILY_HEAD_BYTES;
    const phx_family_member member = {.id = id, .stay = 1};
    phx_capsule_member head;
    size_t bytes = 0;
    const size_t room = sizeof state - PHX_FAMILY_HEAD_BYTES - PHX_FAMILY_MEMBER_BYTES;
    cr_assert_eq(ph_export(hosts[from].world, id, NULL, NULL, capsule, room, &bytes), PH_OK);
    memcpy(&head, capsule + sizeof(phx_capsule_head), sizeof head);
    head.kind = 9;
    memcpy(capsule + sizeof(phx_capsule_head), &head, sizeof head);
    phx_capsule_seal(capsule, bytes - sizeof(uint64_t));
    phx_writer writer = phx_writer_of(state, sizeof state);
    phx_write_number(&writer, 4, bytes);
    phx_write_number(&writer, 4, 1);
    phx_family_put_member(capsule + bytes, &member);
    bytes += PHX_FAMILY_HEAD_BYTES + PHX_FAMILY_MEMBER_BYTES;
    cr_assert_eq(phx_hand_over_send(&hosts[from].member->node, id, phc_number(hosts[1 - from].member), NULL, 0, state,
                                    is_family ? (uint32_t)bytes : 1),
                 PH_OK);
}

static const phc_event *event_of(uint64_t id)
{
    const phc_event *found = NULL;
    for (uint32_t at = 0; at < event_counts[1]; at++)
        if (events[1][at].id == id) found = &events[1][at];
    cr_assert(found && found->number == phc_number(hosts[0].member));
    return found;
}

Test(arrivals, bytes_that_no_world_takes_are_told_and_an_own_entity_stays_or_is_lost_with_them)
{
    for (uint64_t id = 1; id <= 4; id++) enter_at(0, id, 300, 10);
    for (uint64_t id = 3; id <= 4; id++) enter_at(1, id, 300, 10);
    run_rounds(2);
    for (uint64_t id = 1; id <= 4; id++) send_bytes(0, id, id % 2 == 0);
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= 4; id++) {
        const bool stays = id == 3;
        cr_assert_eq(event_of(id)->kind, stays ? PHC_EVENT_DUPLICATE : PHC_EVENT_LOST, "%u", (unsigned)id);
        cr_assert_eq(event_of(id)->status, id % 2 == 0 ? PH_BAD_KIND : PH_BAD_VALUE);
        cr_assert_eq(phc_owns(hosts[1].member, id), stays);
        cr_assert_eq(phc_leave(hosts[1].member, id), stays ? PH_OK : PH_UNKNOWN_ID);
    }
    cr_assert_eq(hosts[1].member->counts.damaged, 4);
}

Test(arrivals, bytes_that_no_world_takes_are_told_where_the_id_is_on_its_way_too)
{
    for (uint32_t i = 0; i < 2; i++) enter_at(i, 5, 300, 10);
    run_rounds(2);
    send_bytes(0, 5, false);
    send_bytes(1, 5, true);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(count_events(1, PHC_EVENT_DUPLICATE, PH_BAD_VALUE), 1, "the later member's stays");
    cr_assert_eq(count_events(0, PHC_EVENT_LOST, PH_BAD_KIND), 1, "... and can not come");
    for (uint32_t i = 0; i < 2; i++)
        cr_assert(hosts[i].member->counts.damaged == 1 && hosts[i].member->node.holdings.count == 0);
}

Test(arrivals, a_place_that_is_cleared_again_is_told_once)
{
    enter_at(0, 1, 10, 10);
    run_rounds(FEW_ROUNDS);
    send_over(1, 20);
    refusals = 3;
    run_rounds(2 * FEW_ROUNDS);
    cr_assert_eq(refusals, 0);
    expect_own(1, 1, 20);
    cr_assert_eq(count_events(1, PHC_EVENT_CLEARED, PH_ATTACHED), 1);
    cr_assert(hosts[1].member->refused_count == 0 && hosts[1].member->arrivals.count == 0);
}

enum { FIRST = 280, MANY = 300, FULL = ENTITIES - 10 };

/* The second node's world has room for a few: of the first node's entities some are told, and the last ones wait. */
static void make_many_wait(void)
{
    for (uint64_t id = 1; id <= MANY; id++) enter_at(0, id, 10, (float)(id % 700));
    for (uint64_t id = 1; id <= FULL; id++) enter_at(1, OTHERS + id, 390, 10);
    run_rounds(FEW_ROUNDS);
    event_counts[1] = 0;
    for (uint64_t id = 1; id <= MANY; id++) {
        send_over(id, (float)(id % 700));
        if (id == FIRST || id == MANY) run_rounds(FEW_ROUNDS);
    }
    cr_assert_geq(hosts[1].member->arrivals.count, 256);
    cr_assert_gt(hosts[1].member->node.events.count, 0);
    cr_assert_eq(count_events(1, PHC_EVENT_CLEARED, PH_CAPACITY), 0);
}

static void make_room_for_many(void)
{
    for (uint64_t id = 1; id <= FULL; id++) cr_assert_eq(phc_leave(hosts[1].member, OTHERS + id), PH_OK);
    run_rounds(FEW_ROUNDS);
}

Test(arrivals, the_loss_of_a_node_passes_all_that_wait_for_room)
{
    enum { LEASE_ROUNDS = 200 };
    make_many_wait();
    node_host_close(&hosts[0]);
    event_counts[1] = 0;
    run_rounds(LEASE_ROUNDS);
    cr_assert_eq(count_events(1, PHC_EVENT_RESTORE, PH_OK), NODES); /* each region may have had some of its entities */
    cr_assert_gt(hosts[1].member->node.events.count, 0);
    make_room_for_many();
    for (uint64_t id = 1; id <= MANY; id++) expect_own(1, id, (float)(id % 700));
}

/* It is here, and its sender has given it away: by all calls alike it is not own before its event, and own behind it.
 */
Test(arrivals, an_entity_is_own_by_all_calls_or_by_none)
{
    phc_feed feed;
    phc *member = hosts[1].member;
    make_many_wait();
    cr_assert_not_null(phx_holdings_find(&member->node.holdings, MANY));
    cr_assert_not(phc_owns(member, MANY));
    cr_assert_eq(phc_ownership(member, MANY), 0);
    cr_assert_eq(phc_feed_next(member, MANY, &feed), PH_UNKNOWN_ID);
    cr_assert_eq(phc_feed_last(member, MANY, &feed), PH_UNKNOWN_ID);
    cr_assert_eq(phc_broadcast(member, hosts[1].producer, MANY, "x", 1, NULL), PH_UNKNOWN_ID);
    cr_assert_eq(phc_look(member, MANY), PH_UNKNOWN_ID);
    cr_assert_eq(phc_leave(member, MANY), PH_UNKNOWN_ID);
    make_room_for_many();
    cr_assert(phc_owns(member, MANY) && phc_ownership(member, MANY) == event_of(MANY)->ownership);
    cr_assert_eq(phc_feed_next(member, MANY, &feed), PH_OK);
    cr_assert_eq(feed.number, 1, "no number was given before");
    cr_assert_eq(phc_broadcast(member, hosts[1].producer, MANY, "x", 1, NULL), PH_OK);
    cr_assert_eq(phc_look(member, MANY), PH_OK);
    cr_assert_eq(phc_leave(member, MANY), PH_OK);
}

/* Imports that the second node's world has refused so far. */
static uint64_t count_refused_imports(void)
{
    ph_stats stats;
    cr_assert_eq(ph_world_stats(hosts[1].world, &stats), PH_OK);
    return stats.refused_in_tick;
}

Test(arrivals, a_tick_of_a_full_world_tries_one_import_however_many_wait)
{
    make_many_wait();
    const uint64_t refused = count_refused_imports();
    run_rounds(FEW_ROUNDS);
    cr_assert_leq(count_refused_imports(), refused + FEW_ROUNDS);
    cr_assert_geq(hosts[1].member->arrivals.count, 256);
}

Test(arrivals, as_many_as_there_is_room_for_come_and_the_first_ones_first)
{
    enum { FEW = 5 };
    ph_attrs attrs;
    uint64_t roots[FEW + 1];
    make_many_wait();
    run_rounds(ROUNDS); /* many of them have had their turn */
    const phc *member = hosts[1].member;
    const uint32_t count = member->arrivals.count;
    for (uint32_t i = 0; i <= FEW; i++) roots[i] = member->kept[i].root;
    const uint64_t refused = count_refused_imports();
    for (uint64_t id = 1; id <= FEW; id++) cr_assert_eq(phc_leave(hosts[1].member, OTHERS + id), PH_OK);
    run_rounds(3);
    cr_assert_eq(member->arrivals.count, count - FEW);
    for (uint32_t i = 0; i < FEW; i++) cr_assert_eq(ph_entity_get(hosts[1].world, roots[i], &attrs), PH_OK);
    cr_assert_eq(member->kept[0].root, roots[FEW], "and the next one is the first one");
    cr_assert_leq(count_refused_imports(), refused + 3);
}

/* ---- families that wait for room, and change meanwhile ---- */

enum { FAMILY = 3 };

/* Entities of that id and above, from the first node, the others attached to the first one. */
static void enter_family(uint64_t root, uint32_t count, float y)
{
    for (uint64_t id = root; id < root + count; id++) enter_at(0, id, 200, y);
    run_rounds(2);
    for (uint64_t id = root + 1; id < root + count; id++) cr_assert_eq(ph_attach(hosts[0].producer, id, root), PH_OK);
    run_rounds(2);
}

/* The second node's world is full, and refuses a family that goes on from 1. */
static void send_to_full_world(uint32_t count)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) enter_at(1, OTHERS + id, 390, 10);
    enter_family(1, count, 10);
    send_over(1, 20);
    run_rounds(FEW_ROUNDS);
}

static void make_family_wait(uint32_t count)
{
    ph_attrs attrs;
    send_to_full_world(count);
    cr_assert(phc_owns(hosts[1].member, 1) && ph_entity_get(hosts[1].world, 1, &attrs) == PH_UNKNOWN_ID);
    event_counts[0] = event_counts[1] = 0;
}

static void make_room(void)
{
    enum { ROOM = 20 };
    for (uint64_t id = 1; id <= ROOM; id++) cr_assert_eq(phc_leave(hosts[1].member, OTHERS + id), PH_OK);
    run_rounds(FEW_ROUNDS);
}

/* One of a family that waits leaves; all others come, and it does not, even if their node drains. */
static void leave_one(uint64_t gone)
{
    ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(1, 390), .y = 10};
    make_family_wait(FAMILY);
    cr_assert_eq(phc_leave(hosts[1].member, gone), PH_OK);
    cr_assert_eq(phc_enter(hosts[1].member, gone, &attrs, 0), PH_BUSY, "it comes with its family, and leaves");
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(phc_enter(hosts[1].member, gone, &attrs, 0), PH_BUSY);
    make_room();
    for (uint64_t id = 1; id <= FAMILY; id++) {
        if (id != gone) expect_own(1, id, 20);
    }
    cr_assert_eq(ph_entity_get(hosts[1].world, gone, &attrs), PH_UNKNOWN_ID);
    cr_assert_eq(phc_leave(hosts[1].member, gone), PH_UNKNOWN_ID);
    cr_assert(hosts[1].member->refused_count == 0 && hosts[1].member->gone_count == 0);
    cr_assert_eq(count_events(1, PHC_EVENT_CLEARED, PH_CAPACITY) + count_events(1, PHC_EVENT_LOST, PH_OK), 0);
    for (uint64_t id = 1; id <= FAMILY; id++) {
        if (id != gone) send_back(id, 30);
    }
    run_rounds(FEW_ROUNDS);
    for (uint64_t id = 1; id <= FAMILY; id++) {
        if (id != gone) expect_own(0, id, 30);
    }
    enter_at(1, gone, 390, 40);
    run_rounds(1);
    expect_own(1, gone, 40);
}

/* As in a world that never was full behind a tick. */
Test(arrivals, a_family_comes_though_the_room_for_it_is_not_known)
{
    make_family_wait(FAMILY);
    phc *member = hosts[1].member;
    cr_assert_eq(phc_tick(member), PH_OK);
    for (uint64_t id = 1; id <= FAMILY; id++) cr_assert_eq(phc_leave(member, OTHERS + id), PH_OK);
    cr_assert_eq(ph_tick(hosts[1].world, NULL), PH_OK);
    member->room.most = 0;
    cr_assert_eq(phc_told(member), PH_OK);
    cr_assert(member->refused_count == 1 && member->room.fewer == 0);
    run_rounds(2);
    for (uint64_t id = 1; id <= FAMILY; id++) expect_own(1, id, 20);
}

/* Places that are too few for it are left. */
Test(arrivals, a_family_comes_as_soon_as_there_is_room_for_all_of_it)
{
    make_family_wait(FAMILY);
    for (uint64_t id = 1; id <= FAMILY; id++) {
        cr_assert_eq(hosts[1].member->refused_count, 1);
        cr_assert_eq(phc_leave(hosts[1].member, OTHERS + id), PH_OK);
        run_rounds(2);
    }
    for (uint64_t id = 1; id <= FAMILY; id++) expect_own(1, id, 20);
}

Test(arrivals, a_follower_that_left_while_its_family_waited_does_not_come)
{
    leave_one(2);
}

Test(arrivals, followers_come_where_their_root_left_while_they_waited)
{
    leave_one(1);
}

Test(arrivals, followers_come_where_their_root_left_before_it_was_refused)
{
    leaving = 1;
    send_to_full_world(FAMILY);
    cr_assert_eq(leaving, 0);
    make_room();
    for (uint64_t id = 2; id <= FAMILY; id++) expect_own(1, id, 20);
    cr_assert_not(phc_owns(hosts[1].member, 1));
}

Test(arrivals, one_that_left_and_was_entered_anew_while_it_waited_is_the_new_one)
{
    make_family_wait(1);
    cr_assert_eq(phc_tick(hosts[1].member), PH_OK); /* it is imported again, and the room comes behind it */
    cr_assert_eq(phc_leave(hosts[1].member, 1), PH_OK);
    for (uint64_t id = 1; id <= 2; id++) cr_assert_eq(phc_leave(hosts[1].member, OTHERS + id), PH_OK);
    enter_at(1, 1, 390, 30);
    cr_assert_eq(ph_tick(hosts[1].world, NULL), PH_OK);
    cr_assert_eq(phc_told(hosts[1].member), PH_OK);
    cr_assert_eq(hosts[1].member->arrivals.count, 0);
    run_rounds(FEW_ROUNDS);
    expect_own(1, 1, 30);
    cr_assert_eq(event_counts[1], 0);
}

Test(arrivals, of_two_that_wait_the_one_that_came_last_counts)
{
    make_family_wait(1);
    enter_family(1, 2, 10);
    send_over(1, 30);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(hosts[1].member->arrivals.count, 1, "the other one waits behind it");
    cr_assert_eq(phc_leave(hosts[1].member, 1), PH_PENDING, "the host was not told of the other one");
    make_room();
    for (uint64_t id = 1; id <= 2; id++) expect_own(1, id, 30);
    cr_assert(count_events(1, PHC_EVENT_DUPLICATE, PH_OK) == 1 && count_events(1, PHC_EVENT_GAINED, PH_OK) == 1);
    cr_assert(hosts[1].member->arrivals.count == 0 && hosts[1].member->node.events.count == 0);
}

Test(arrivals, a_root_that_comes_as_a_follower_of_another_one_waits_for_the_first_family)
{
    make_family_wait(FAMILY);
    cr_assert_eq(phc_leave(hosts[1].member, FAMILY), PH_OK);
    enter_family(FAMILY, 2, 10);
    send_over(FAMILY, 30);
    run_rounds(FEW_ROUNDS);
    cr_assert_not(phc_owns(hosts[1].member, FAMILY));
    make_room();
    for (uint64_t id = 1; id < FAMILY; id++) expect_own(1, id, 20);
    for (uint64_t id = FAMILY; id < FAMILY + 2; id++) expect_own(1, id, 30);
    cr_assert_eq(count_events(1, PHC_EVENT_GAINED, PH_OK), 2);
}

Test(arrivals, a_refusal_that_is_told_counts_where_others_are_not)
{
    make_family_wait(1);
    submit_untold(hosts[1].member);
    run_rounds(2);
    cr_assert_gt(hosts[1].member->refusals_untold, 0);
    cr_assert_eq(event_counts[1], 0, "it waits for room alone");
    make_room();
    expect_own(1, 1, 20);
}

/* An event of an arrival, as if it had been imported. */
static void put_arrival(phc *member, uint64_t id)
{
    const phx_node_event event = {.kind = PHX_NODE_GAINED, .offer = {.id = id}};
    cr_assert(phx_halo_reserve_own(&member->halo, 1));
    phx_halo_add(&member->halo, (phx_halo_entity){.id = id, .own = true, .arrives = true});
    cr_assert(phx_arrivals_reserve(member, 0));
    phx_arrivals_add(member, &event, id);
}

Test(arrivals, arrivals_behind_a_refused_one_are_forgotten)
{
    enum { TURNS = 20 };
    phc *member = hosts[0].member;
    put_arrival(member, 1);
    put_arrival(member, 2);
    refuse_import(member, 2, PH_CAPACITY);
    for (uint64_t id = 3; id < 3 + TURNS; id++) {
        put_arrival(member, id);
        phx_arrivals_end_tick(member, 0, true);
        cr_assert_eq(member->arrivals.count, 1);
        cr_assert(phx_arrivals_have(member, 2) && !phx_arrivals_have(member, id));
    }
}
