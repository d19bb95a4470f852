/*
 * Entities that a node asks for (phc_who_has()) as they cross a border, while another node stands still, so that the
 * question does not end: they are simulated, and all else from their node comes.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, JOIN_ROUNDS = 80, FEW_ROUNDS = 8, ID = 7, OTHER = 8 };
/* By their regions from left to right. The last one stands still. */
enum { FROM, TO, THIRD, STILL, NODES };

static const float WIDTH = 800.0f / NODES; /* of a region */

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static phc_holder answers[NODES]; /* of each node's last question, which is for one id */
static bool stands_still, says;
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void take_events(uint32_t k)
{
    phc_event event;
    while (phc_event_next(hosts[k].member, &event))
        if (event.kind == PHC_EVENT_WHO_HAS) answers[k] = *(const phc_holder *)event.bytes;
}

static void run_host(uint32_t k)
{
    cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
    take_events(k);
    if (says && k == FROM) cr_assert_eq(phc_broadcast(hosts[k].member, hosts[k].producer, OTHER, "hi", 2, NULL), PH_OK);
    node_host_end_round(&hosts[k]);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++)
            if (k != STILL || !stands_still) run_host(k);
        phc_loop_step(loop);
    }
}

static void enter_at(uint64_t id, float x)
{
    const ph_attrs attrs = {.given = PH_POSITION, .x = x, .y = 10};
    cr_assert_eq(phc_enter(hosts[FROM].member, id, &attrs, 0), PH_OK);
}

/* Each has its region, and the first one two entities beside the border to the second. */
static void set_up(void)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, 50, 0);
    const phc_def def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    stands_still = says = false;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) {
        answers[i] = (phc_holder){0};
        node_host_open(&hosts[i], &def, loop, 1024, memory);
    }
    run_rounds(JOIN_ROUNDS);
    for (uint32_t region = 0; region < NODES; region++) {
        cr_assert_eq(phc_give_region(hosts[0].member, region, phc_number(hosts[region].member)), PH_OK);
        run_rounds(2 * FEW_ROUNDS);
    }
    for (uint32_t k = 0; k < NODES; k++)
        cr_assert_eq(phc_owner_of(hosts[0].member, ((float)k + 0.5f) * WIDTH, 10), phc_number(hosts[k].member));
    enter_at(ID, WIDTH - 10);
    enter_at(OTHER, WIDTH - 20);
    run_rounds(FEW_ROUNDS);
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(claims, .init = set_up, .fini = tear_down);

static void ask(uint32_t k)
{
    const uint64_t id = ID;
    cr_assert_eq(phc_who_has(hosts[k].member, &id, 1), PH_OK);
}

static void cross(uint64_t id)
{
    cr_assert_eq(ph_move(hosts[FROM].producer, id, WIDTH + 50, 10, 0), PH_OK);
}

/* The question has its answer, and the entity is over. */
static void expect_end(uint32_t asking)
{
    stands_still = false;
    run_rounds(2 * FEW_ROUNDS);
    cr_assert_eq(answers[asking].id, ID);
    cr_assert(phc_owns(hosts[TO].member, ID));
}

/* The node asks for what is in a region that it has got, say, and these entities come then. */
Test(claims, an_entity_comes_to_the_node_that_asks_for_it)
{
    stands_still = true;
    ask(TO);
    run_rounds(FEW_ROUNDS);
    cross(ID);
    run_rounds(FEW_ROUNDS);
    cr_assert(phc_owns(hosts[TO].member, ID));
    cr_assert_eq(answers[TO].id, 0, "one node has not answered");
    expect_end(TO);
    cr_assert_eq(answers[TO].number, phc_number(hosts[TO].member));
}

/* Its host lets it go then: that is no reason to enter it anew. */
Test(claims, an_entity_that_came_to_the_node_that_asks_and_left_is_not_missing)
{
    phc *member = hosts[TO].member;
    stands_still = true;
    cross(ID);
    run_rounds(1);
    cr_assert(phx_holdings_find(&hosts[FROM].member->node.holdings, ID)->sending);
    cr_assert_null(phx_holdings_find(&member->node.holdings, ID));
    phc_loop_cut(loop, &hosts[TO].transport, true, false); /* the question is lost */
    ask(TO);
    run_rounds(1);
    cr_assert(phc_owns(member, ID));
    cr_assert_eq(phc_leave(member, ID), PH_OK);
    phc_loop_cut(loop, &hosts[TO].transport, false, false);
    member->beat_at = now_ns + 4 * TICK_NS; /* it is asked again behind the ack */
    run_rounds(3);
    cr_assert_null(phx_holdings_find(&hosts[FROM].member->node.holdings, ID));
    cr_assert_eq(member->question.answered_count, 0);
    stands_still = false;
    run_rounds(2 * FEW_ROUNDS);
    cr_assert(answers[TO].id == ID && answers[TO].number == phc_number(member));
}

/* It was on its way before its old node heard the question, and its new one has answered by then. */
Test(claims, an_entity_on_its_way_is_not_taken_behind_the_answer)
{
    stands_still = true;
    phc_loop_cut(loop, &hosts[FROM].transport, true, true);
    cross(ID);
    run_rounds(1);
    cr_assert(phx_holdings_find(&hosts[FROM].member->node.holdings, ID)->sending);
    ask(THIRD);
    run_rounds(FEW_ROUNDS);
    cr_assert_null(phx_holdings_find(&hosts[TO].member->node.holdings, ID));
    phc_loop_cut(loop, &hosts[FROM].transport, false, false);
    hosts[THIRD].member->beat_at = now_ns + FEW_ROUNDS * TICK_NS; /* the offer comes again before the question */
    run_rounds(2 * FEW_ROUNDS);
    cr_assert_null(phx_holdings_find(&hosts[TO].member->node.holdings, ID));
    expect_end(THIRD);
    cr_assert_eq(answers[THIRD].number, phc_number(hosts[FROM].member));
}

/* Neither that entity nor the ones beside it, nor a broadcast, wait for the node that stands still. */
static void expect_flow(uint32_t asking)
{
    stands_still = true;
    ask(asking);
    run_rounds(FEW_ROUNDS);
    cross(ID);
    run_rounds(FEW_ROUNDS);
    const uint64_t taken = hosts[TO].member->counts.says_taken;
    cr_assert(phc_owns(hosts[FROM].member, ID), "it is simulated");
    cr_assert_gt(hosts[FROM].member->counts.kept[PH_BUSY], 0);
    says = true;
    run_rounds(FEW_ROUNDS);
    says = false;
    cr_assert_gt(hosts[TO].member->counts.says_taken, taken);
    cross(OTHER);
    run_rounds(FEW_ROUNDS);
    cr_assert(phc_owns(hosts[TO].member, OTHER));
    cr_assert(phc_owns(hosts[FROM].member, ID));
    expect_end(asking);
    cr_assert_neq(answers[asking].number, 0);
}

Test(claims, an_entity_that_a_third_node_asks_for_stays_with_its_node)
{
    expect_flow(THIRD);
}

Test(claims, an_entity_stays_with_the_node_that_asks_for_it)
{
    expect_flow(FROM);
}

/* A family goes as one: so it stays for each of its members. */
Test(claims, a_family_stays_while_a_follower_is_asked_for)
{
    cr_assert_eq(ph_attach(hosts[FROM].producer, ID, OTHER), PH_OK);
    run_rounds(2);
    stands_still = true;
    ask(THIRD);
    run_rounds(FEW_ROUNDS);
    cross(OTHER);
    run_rounds(FEW_ROUNDS);
    cr_assert(phc_owns(hosts[FROM].member, ID) && phc_owns(hosts[FROM].member, OTHER));
    expect_end(THIRD);
    cr_assert(phc_owns(hosts[TO].member, OTHER));
}
