/*
 * A node whose producer is so small that the copies of another node's entities fill it in each round.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/halo/halo_table.h"
#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, ROUNDS = 60, FEW_ROUNDS = 8, COPIES = 2500, SMALL_BYTES = 128 << 10 };

static const float BORDER = 400;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES]; /* the first one's entities go to the second one, or are near it */
static uint64_t now_ns;
static uint32_t heard; /* broadcasts, on the second one */

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

/* All entities near the border get another user data, so each copy takes a command of all attributes. */
static void change_all(void)
{
    for (uint64_t id = 1; id <= COPIES; id++) {
        const ph_attrs attrs = {.given = PH_USER_DATA, .user_data = now_ns + id};
        cr_assert_eq(ph_set(hosts[0].producer, id, &attrs), PH_OK);
    }
}

static void run_node(uint32_t k)
{
    const ph_batch *batch;
    phc_event event;
    cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
    while (phc_event_next(hosts[k].member, &event)) continue;
    cr_assert_eq(ph_tick(hosts[k].world, NULL), PH_OK);
    while (ph_batch_take(hosts[k].consumer, &batch) == PH_OK) {
        heard += k == 1 ? batch->message_count : 0;
        cr_assert_eq(ph_batch_return(hosts[k].consumer, batch), PH_OK);
    }
    cr_assert_eq(phc_told(hosts[k].member), PH_OK);
}

static void run_rounds(uint32_t count, bool change)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        if (change) change_all();
        for (uint32_t k = 0; k < NODES; k++) run_node(k);
        phc_loop_step(loop);
    }
}

/* x in a node's own region, so far from the border. */
static float own_place(uint32_t i, float from_border)
{
    const phc *member = hosts[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? BORDER - from_border : BORDER + from_border;
}

static void enter_at(uint32_t i, uint64_t id, float from_border, float view)
{
    const ph_attrs attrs = {
        .given = PH_X | PH_Y | PH_VIEW, .x = own_place(i, from_border), .y = 10 + (float)(id % 700), .view = view};
    cr_assert_eq(phc_enter(hosts[i].member, id, &attrs, 0), PH_OK);
}

static void set_up(void)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, 50, 0);
    phc_def def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    node_host_open(&hosts[0], &def, loop, 1024, memory);
    world_def.producer_bytes = SMALL_BYTES;
    node_host_open(&hosts[1], &def, loop, 1024, memory);
    run_rounds(ROUNDS, false);
    for (uint64_t id = 1; id <= COPIES; id++) enter_at(0, id, 20, 0);
    run_rounds(FEW_ROUNDS, false);
    heard = 0;
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(full_producer, .init = set_up, .fini = tear_down);

/* It is the second node's, so far from the border, and none waits any more. */
static void expect_come(uint64_t id, float from_border)
{
    ph_attrs attrs;
    cr_assert(phc_owns(hosts[1].member, id));
    cr_assert_eq(ph_entity_get(hosts[1].world, id, &attrs), PH_OK);
    cr_assert(!attrs.remote && attrs.x == own_place(1, from_border));
    cr_assert_eq(hosts[1].member->arrivals.count, 0);
}

/* The copies of the round come before it: in the next one it comes before them. */
Test(full_producer, an_entity_comes_though_copies_fill_the_producer_in_each_round)
{
    enum { ID = COPIES + 1 };
    const phx_halo *halo = &hosts[1].member->halo;
    enter_at(0, ID, 20, 50);
    run_rounds(FEW_ROUNDS, true);
    cr_assert_eq(ph_move(hosts[0].producer, ID, own_place(1, 50), 10, 0), PH_OK);
    const uint64_t refused = halo->counts.refused;
    run_rounds(FEW_ROUNDS, true);
    cr_assert_gt(halo->counts.refused, refused + FEW_ROUNDS, "the producer has room for all copies");
    expect_come(ID, 50);
}

/* The host has entered its id: it ends, and the other one comes again. */
Test(full_producer, an_entity_that_was_refused_comes_again_though_copies_fill_the_producer_in_each_round)
{
    enum { ID = COPIES + 1 };
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(1, 200), .y = 10};
    enter_at(0, ID, 200, 50);
    run_rounds(FEW_ROUNDS, true);
    cr_assert_eq(ph_enter(hosts[1].producer, ID, &attrs), PH_OK);
    run_rounds(1, true);
    cr_assert_eq(ph_move(hosts[0].producer, ID, own_place(1, 100), 10, 0), PH_OK);
    for (uint32_t i = 0; i < FEW_ROUNDS && hosts[1].member->refused_count == 0; i++) run_rounds(1, true);
    cr_assert_eq(hosts[1].member->refused_count, 1);
    run_rounds(FEW_ROUNDS, true);
    expect_come(ID, 100);
}

/* ... and so are broadcasts, behind which other entities may wait. */
Test(full_producer, a_broadcast_is_heard_though_copies_fill_the_producer_in_each_round)
{
    enum { HEARER = COPIES + 1 };
    static const char words[] = "words";
    enter_at(1, HEARER, 20, 50);
    run_rounds(FEW_ROUNDS, true);
    const ph_broadcast_place place = {
        .x = own_place(1, 20), .y = 10 + (float)(HEARER % 700), .radius = 30, .layers = 1};
    cr_assert_eq(phc_broadcast_at(hosts[0].member, hosts[0].producer, &place, words, sizeof words), PH_OK);
    run_rounds(FEW_ROUNDS, true);
    cr_assert_eq(heard, 1);
}

/* It goes away from the border: it is not repeated any more. */
Test(full_producer, a_copy_leaves_though_copies_fill_the_producer_in_each_round)
{
    enum { ID = COPIES + 1 };
    ph_attrs attrs;
    const phx_halo *halo = &hosts[1].member->halo;
    enter_at(0, ID, 20, 0);
    run_rounds(FEW_ROUNDS, false);
    cr_assert_not_null(phx_halo_find(halo, ID));
    cr_assert_eq(ph_move(hosts[0].producer, ID, own_place(0, 300), 10, 0), PH_OK);
    run_rounds(halo->def.grace_ticks + FEW_ROUNDS, true);
    cr_assert_null(phx_halo_find(halo, ID));
    cr_assert_eq(ph_entity_get(hosts[1].world, ID, &attrs), PH_UNKNOWN_ID);
}

/* As after more refusals than the world tells. */
Test(full_producer, an_entity_resigns_though_copies_fill_the_producer_in_each_round)
{
    phx_halo *halo = &hosts[1].member->halo;
    run_rounds(FEW_ROUNDS, true);
    phx_halo_find(halo, COPIES)->resigns = true;
    run_rounds(FEW_ROUNDS, true);
    const phx_halo_entity *copy = phx_halo_find(halo, COPIES);
    cr_assert(copy && !copy->resigns);
}

/* They are old, as the lag says, and not away. */
Test(full_producer, copies_of_which_no_change_finds_room_stay)
{
    const phx_halo *halo = &hosts[1].member->halo;
    const uint64_t refused = halo->counts.refused;
    run_rounds(3 * halo->def.grace_ticks, true);
    cr_assert_gt(halo->counts.refused, refused + halo->def.grace_ticks, "the producer has room for all copies");
    cr_assert(halo->counts.expired == 0 && halo->copy_count == COPIES, "%u copies, %u expired", halo->copy_count,
              (unsigned)halo->counts.expired);
}
