/*
 * Entities of one id that several hosts have entered, and that meet: where two go to each other's node at once, alone
 * or with families, where two come in one round, and where one comes back from a dead node. Each host hears of each
 * that ends, once, and one is there.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>

#include "cluster/member/phc_state.h"
#include "cluster/node/hand_over.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 3, ROUNDS = 60, FEW_ROUNDS = 10, LEASE_ROUNDS = 200, EVENTS = 64, X = 5 };

static const float SIZE = 800;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static bool is_asleep[NODES];
static uint32_t order[NODES]; /* of their registrations: in this one they run, and are heard */
static phc_event events[NODES][EVENTS];
static uint64_t bytes[NODES][EVENTS]; /* what was packed */
static uint32_t event_counts[NODES];
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

/* The host's state: its node's place, and the id. */
static uint64_t state_of(uint32_t node, uint64_t id)
{
    return 100 * (node + 1) + id;
}

static size_t pack_state(void *user, uint64_t id, void *at, size_t size)
{
    const uint64_t state = state_of((uint32_t)((const node_host *)user - hosts), id);
    cr_assert_geq(size, sizeof state);
    memcpy(at, &state, sizeof state);
    return sizeof state;
}

static void take_events(uint32_t node)
{
    phc_event event;
    while (phc_event_next(hosts[node].member, &event)) {
        if (event.id == 0 || event_counts[node] == EVENTS) continue;
        if (event.size == sizeof(uint64_t)) memcpy(&bytes[node][event_counts[node]], event.bytes, event.size);
        events[node][event_counts[node]++] = event;
    }
}

static void run_node(uint32_t node)
{
    cr_assert_eq(phc_tick(hosts[node].member), PH_OK);
    take_events(node);
    node_host_end_round(&hosts[node]);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++)
            if (hosts[order[k]].member && !is_asleep[order[k]]) run_node(order[k]);
        phc_loop_step(loop);
    }
}

static int by_registration(const void *one, const void *other)
{
    const uint64_t a = phc_registration(hosts[*(const uint32_t *)one].member);
    const uint64_t b = phc_registration(hosts[*(const uint32_t *)other].member);
    return (a > b) - (a < b);
}

static void set_up(void)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, 20, 0);
    phc_def def = node_host_def(&world_def, NODES, read_clock);
    def.pack = pack_state;
    now_ns = TICK_NS;
    for (uint32_t i = 0; i < NODES; i++) order[i] = i;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) {
        def.pack_user = &hosts[i];
        node_host_open(&hosts[i], &def, loop, 1024, memory);
    }
    run_rounds(ROUNDS);
    for (uint32_t i = 0; i < NODES; i++) {
        event_counts[i] = 0;
        is_asleep[i] = false;
    }
    qsort(order, NODES, sizeof *order, by_registration);
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(member_doubles, .init = set_up, .fini = tear_down);

/* x in the middle of a node's region. */
static float place_of(uint32_t node)
{
    float x = SIZE / NODES / 2;
    while (phc_owner_of(hosts[0].member, x, 0) != phc_number(hosts[node].member)) x += SIZE / NODES;
    return x;
}

/* Its user data says which node's it is; `y` as well. */
static void enter(uint32_t node, uint64_t id)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_USER_DATA,
                            .x = place_of(node),
                            .y = 10 + (float)node,
                            .user_data = state_of(node, id)};
    cr_assert_eq(phc_enter(hosts[node].member, id, &attrs, 0), PH_OK);
}

static void send_over(uint32_t from, uint32_t to, uint64_t id)
{
    cr_assert_eq(ph_move(hosts[from].producer, id, place_of(to), 10 + (float)from, 0), PH_OK);
}

static const phc_event *find_event(uint32_t node, phc_event_kind kind, ph_status status, uint64_t id)
{
    const phc_event *found = NULL;
    for (uint32_t i = 0; i < event_counts[node]; i++) {
        const phc_event *event = &events[node][i];
        if (event->kind != kind || event->status != status || event->id != id) continue;
        cr_assert_null(found, "it is told twice");
        found = event;
    }
    return found;
}

/* The host of a node was told of another one's, once, and of nothing else about that id behind it. */
static void expect_told(uint32_t node, phc_event_kind kind, ph_status status, uint64_t id, uint32_t of)
{
    const phc_event *event = find_event(node, kind, status, id);
    cr_assert(event && bytes[node][event - events[node]] == state_of(of, id));
}

/* Each of the other nodes has a copy or none. */
static void expect_owner(uint32_t node, uint64_t id, uint32_t of)
{
    ph_attrs attrs;
    for (uint32_t i = 0; i < NODES; i++) {
        if (!hosts[i].member) continue;
        cr_assert_eq(phc_owns(hosts[i].member, id), i == node, "%u of %u", i, (unsigned)id);
        cr_assert(i == node || ph_entity_get(hosts[i].world, id, &attrs) != PH_OK || attrs.remote);
        cr_assert_eq(hosts[i].member->node.replaced, 0);
    }
    cr_assert_eq(ph_entity_get(hosts[node].world, id, &attrs), PH_OK);
    cr_assert(!attrs.remote && attrs.user_data == state_of(of, id), "%u is of %u", (unsigned)id,
              (unsigned)attrs.user_data);
    cr_assert_eq(phc_leave(hosts[node].member, id), PH_OK);
}

static uint32_t count_told(phc_event_kind kind)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t i = 0; i < event_counts[node]; i++) count += events[node][i].kind == kind;
    return count;
}

/* The node of the higher registration, of these two. */
static uint32_t higher_of(uint32_t one, uint32_t other)
{
    return phc_registration(hosts[one].member) > phc_registration(hosts[other].member) ? one : other;
}

Test(member_doubles, of_two_that_go_to_each_others_node_at_once_one_stays)
{
    const uint32_t high = higher_of(0, 1), low = 1 - high;
    for (uint32_t i = 0; i < 2; i++) enter(i, X);
    run_rounds(2);
    for (uint32_t i = 0; i < 2; i++) send_over(i, 1 - i, X);
    run_rounds(FEW_ROUNDS);
    expect_told(high, PHC_EVENT_DUPLICATE, PH_PENDING, X, low);
    expect_told(low, PHC_EVENT_GAINED, PH_OK, X, high);
    cr_assert(count_told(PHC_EVENT_DUPLICATE) == 1 && count_told(PHC_EVENT_GAINED) == 1);
    cr_assert_eq(hosts[high].member->counts.duplicates, 1);
    expect_owner(low, X, high);
}

Test(member_doubles, the_rest_of_both_families_comes)
{
    const uint32_t high = higher_of(0, 1), low = 1 - high;
    for (uint64_t id = 1; id <= 3; id++) enter(low, id);
    for (uint64_t id = 2; id <= 4; id += 2) enter(high, id);
    run_rounds(2);
    cr_assert_eq(ph_attach(hosts[low].producer, 2, 1), PH_OK);
    cr_assert_eq(ph_attach(hosts[low].producer, 3, 2), PH_OK);
    cr_assert_eq(ph_attach(hosts[high].producer, 4, 2), PH_OK);
    run_rounds(2);
    send_over(low, high, 1);
    send_over(high, low, 2);
    run_rounds(FEW_ROUNDS);
    expect_told(high, PHC_EVENT_DUPLICATE, PH_PENDING, 2, low);
    for (uint64_t id = 1; id <= 3; id += 2) expect_told(high, PHC_EVENT_GAINED, PH_OK, id, low);
    for (uint64_t id = 2; id <= 4; id += 2) expect_told(low, PHC_EVENT_GAINED, PH_OK, id, high);
    cr_assert_eq(count_told(PHC_EVENT_DUPLICATE) + count_told(PHC_EVENT_GAINED), 5);
    for (uint64_t id = 1; id <= 3; id += 2) expect_owner(high, id, low);
    for (uint64_t id = 2; id <= 4; id += 2) expect_owner(low, id, high);
}

/* Both others send theirs in one round. */
static void send_both(void)
{
    run_rounds(2);
    for (uint32_t i = 1; i <= 2; i++) send_over(i, 0, X);
    run_rounds(FEW_ROUNDS);
}

Test(member_doubles, two_that_come_in_one_round_are_each_told_as_what_they_find)
{
    for (uint32_t i = 0; i < NODES; i++) enter(i, X);
    send_both();
    for (uint32_t i = 0; i < event_counts[0]; i++) {
        cr_assert(events[0][i].kind == PHC_EVENT_DUPLICATE && events[0][i].status == PH_OK && events[0][i].id == X);
        cr_assert_leq(events[0][i].ownership, phc_ownership(hosts[0].member, X));
    }
    cr_assert(event_counts[0] == 2 && bytes[0][0] + bytes[0][1] == state_of(1, X) + state_of(2, X));
    cr_assert_eq(hosts[0].member->counts.duplicates, 2);
    expect_owner(0, X, bytes[0][1] == state_of(1, X) ? 1 : 2);
}

Test(member_doubles, two_that_come_in_one_round_to_none_are_gained_and_told)
{
    for (uint32_t i = 1; i < NODES; i++) enter(i, X);
    send_both();
    cr_assert(event_counts[0] == 2 && events[0][0].kind == PHC_EVENT_GAINED && events[0][0].status == PH_OK);
    cr_assert(events[0][1].kind == PHC_EVENT_DUPLICATE && events[0][1].status == PH_OK);
    cr_assert_eq(events[0][1].ownership, phc_ownership(hosts[0].member, X));
    expect_owner(0, X, bytes[0][1] == state_of(1, X) ? 1 : 2);
}

/* Two come in one round, and one of them as bytes that are none. */
static void expect_good(uint32_t bad, uint32_t good)
{
    enter(bad, X);
    enter(good, X);
    run_rounds(2);
    send_over(good, 0, X);
    phx_node *node = &hosts[bad].member->node;
    cr_assert_eq(phx_hand_over_send(node, X, phc_number(hosts[0].member), NULL, 0, "", 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    expect_told(0, PHC_EVENT_GAINED, PH_OK, X, good);
    const bool comes_first = events[0][0].status != PH_OK;
    cr_assert(event_counts[0] == 2 && events[0][!comes_first].status == PH_BAD_VALUE);
    cr_assert_eq(events[0][!comes_first].kind, comes_first ? PHC_EVENT_LOST : PHC_EVENT_DUPLICATE);
    cr_assert(phc_owns(hosts[0].member, X) && phc_leave(hosts[0].member, X) == PH_OK, "and it is told");
}

Test(member_doubles, bytes_that_no_world_takes_leave_the_one_that_comes_behind_them)
{
    expect_good(1, 2);
}

Test(member_doubles, bytes_that_no_world_takes_leave_the_one_that_came_before_them)
{
    expect_good(2, 1);
}

Test(member_doubles, bytes_that_no_world_takes_leave_the_one_that_comes_above_one_on_its_way)
{
    const uint32_t low = order[0], middle = order[1], high = order[2];
    for (uint32_t i = 0; i < NODES; i++) enter(i, X);
    run_rounds(2);
    send_over(middle, high, X);
    send_over(high, middle, X);
    phx_node *node = &hosts[low].member->node;
    cr_assert_eq(phx_hand_over_send(node, X, phc_number(hosts[middle].member), NULL, 0, "", 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert(find_event(middle, PHC_EVENT_DUPLICATE, PH_BAD_VALUE, X));
    expect_told(middle, PHC_EVENT_GAINED, PH_OK, X, high);
    expect_told(high, PHC_EVENT_DUPLICATE, PH_PENDING, X, middle);
    cr_assert(phc_owns(hosts[middle].member, X) && phc_leave(hosts[middle].member, X) == PH_OK);
}

/* The one on its way to node 2 is void then. */
static void replace_on_its_way(uint32_t low, uint32_t high)
{
    is_asleep[2] = true;
    send_over(low, 2, X);
    run_rounds(2);
    cr_assert_not(phc_owns(hosts[low].member, X));
    send_over(high, low, X);
    run_rounds(FEW_ROUNDS);
    expect_told(low, PHC_EVENT_GAINED, PH_OK, X, high);
    cr_assert(phc_owns(hosts[low].member, X) && hosts[low].member->node.replaced == 1);
}

Test(member_doubles, one_that_comes_back_from_a_dead_node_is_dropped_where_another_one_came)
{
    const uint32_t high = higher_of(0, 1), low = 1 - high;
    enter(low, X);
    enter(high, X);
    run_rounds(2);
    replace_on_its_way(low, high);
    node_host_close(&hosts[2]);
    is_asleep[2] = false;
    run_rounds(LEASE_ROUNDS);
    expect_told(low, PHC_EVENT_DUPLICATE, PH_PENDING, X, low);
    cr_assert(count_told(PHC_EVENT_RESTORED) == 0 && hosts[low].member->counts.restored == 0);
    expect_owner(low, X, high);
}

/* X goes with a family to a node that has one, and is void. */
Test(member_doubles, one_that_is_void_comes_with_its_family_where_one_of_its_id_is_own)
{
    enum { ROOT = 4 };
    ph_attrs attrs;
    const uint32_t high = higher_of(0, 1), low = 1 - high;
    for (uint32_t i = 0; i < NODES; i++) enter(i, X);
    enter(low, ROOT);
    run_rounds(2);
    cr_assert_eq(ph_attach(hosts[low].producer, X, ROOT), PH_OK);
    run_rounds(2);
    is_asleep[2] = true;
    send_over(low, 2, ROOT);
    run_rounds(2);
    send_over(high, low, X);
    run_rounds(FEW_ROUNDS);
    cr_assert(phc_owns(hosts[low].member, X) && hosts[low].member->node.replaced == 1);
    is_asleep[2] = false;
    run_rounds(FEW_ROUNDS);
    expect_told(2, PHC_EVENT_GAINED, PH_OK, ROOT, low);
    expect_told(2, PHC_EVENT_DUPLICATE, PH_OK, X, low);
    cr_assert(phc_owns(hosts[2].member, X) && ph_entity_get(hosts[2].world, X, &attrs) == PH_OK && !attrs.remote);
    cr_assert_eq(attrs.user_data, state_of(low, X));
    cr_assert(phc_leave(hosts[2].member, X) == PH_OK && phc_leave(hosts[low].member, X) == PH_OK);
    expect_owner(2, ROOT, low);
}
