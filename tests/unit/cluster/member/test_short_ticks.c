/*
 * Entities that come to a node whose world, producer or member is short of memory: each is taken in the end, or told.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/halo/halo_table.h"
#include "cluster/member/phc_state.h"
#include "cluster/member/reports.h"
#include "cluster/node_host.h"
#include "support/fail_alloc.h"

enum { TICK_NS = 50000000, NODES = 2, ROUNDS = 60, FEW_ROUNDS = 8, ROOM = 100, BATCH = 40, OTHERS = 1000, FAMILY = 3 };

static const float BORDER = 400;

/* How the second node's ticks go. */
typedef enum tick_course {
    COURSE_WHOLE = 0,
    COURSE_SHORT = 1,    /* the next one with arrivals has no memory, and is finished without */
    COURSE_HALF_WAY = 2, /* the next one stops half way, and goes on in the next round */
    COURSE_POOR = 3      /* the ones that follow have no memory, and need none but for commands */
} tick_course;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];                 /* the first one's entities go to the second one */
static fail_alloc world_memory, member_memory; /* of the second one */
static tick_course course;
static bool is_half_way;
static uint32_t came_half_way; /* arrivals that were imported while a tick was */
static uint64_t many;          /* commands that the world has had no memory for yet */
static uint64_t queued_most;   /* commands behind a tick of the second one */
static uint32_t cleared, lost; /* PHC_EVENT_CLEARED and PHC_EVENT_LOST of the second one */
static uint64_t now_ns;
static bool refuses_leaves; /* as a full producer does */
static bool enters_double;  /* the second node's host, by itself, in the round in which entity 1 comes */

ph_status __real_ph_leave(ph_producer producer, uint64_t id);
ph_status __wrap_ph_leave(ph_producer producer, uint64_t id);

ph_status __wrap_ph_leave(ph_producer producer, uint64_t id)
{
    return refuses_leaves ? PH_FULL : __real_ph_leave(producer, id);
}

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void take_events(uint32_t k)
{
    phc_event event;
    while (phc_event_next(hosts[k].member, &event)) {
        cleared += k == 1 && event.kind == PHC_EVENT_CLEARED;
        lost += k == 1 && event.kind == PHC_EVENT_LOST;
    }
}

/* So many commands that the world needs memory to take them; they are refused, which changes nothing. */
static void submit_many(const node_host *host)
{
    for (uint64_t i = 0; i < many; i++) cr_assert_eq(__real_ph_leave(host->producer, 2 * OTHERS + i), PH_OK);
    many *= 2;
}

static void tick_short(const node_host *host)
{
    ph_stats stats;
    fail_alloc_order(&world_memory, 1, true);
    cr_assert_eq(ph_tick(host->world, NULL), PH_NO_MEMORY);
    cr_assert_eq(ph_tick_finish(host->world, NULL), PH_OK);
    fail_alloc_order(&world_memory, 0, false);
    cr_assert_eq(ph_world_stats(host->world, &stats), PH_OK);
    queued_most = stats.queued;
    course = COURSE_WHOLE;
}

static void tick_half_way(const node_host *host)
{
    if (is_half_way) {
        is_half_way = false;
        cr_assert_eq(ph_tick(host->world, NULL), PH_OK);
        return;
    }
    submit_many(host);
    fail_alloc_order(&world_memory, 1, true);
    is_half_way = ph_tick(host->world, NULL) == PH_NO_MEMORY;
    fail_alloc_order(&world_memory, 0, false);
    cr_assert(is_half_way);
    course = COURSE_WHOLE;
}

static void tick_poor(const node_host *host)
{
    fail_alloc_order(&world_memory, 1, true);
    cr_assert_eq(ph_tick(host->world, NULL), PH_OK);
    fail_alloc_order(&world_memory, 0, false);
}

static void enter_hosts(const node_host *host)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = 10, .y = 20};
    cr_assert_eq(ph_enter(host->producer, 1, &attrs), PH_OK);
    enters_double = false;
}

static void run_node(uint32_t k)
{
    const node_host *host = &hosts[k];
    const ph_batch *batch;
    const uint32_t before = host->member->arrivals.count;
    for (uint64_t i = 0; k == 1 && enters_double && i < many; i++) /* the import stays in the queue behind these */
        cr_assert_eq(__real_ph_leave(host->member->producer, 2 * OTHERS + i), PH_OK);
    cr_assert_eq(phc_tick(host->member), PH_OK);
    take_events(k);
    const uint32_t came = host->member->arrivals.count - before;
    came_half_way += k == 1 && is_half_way ? came : 0;
    if (k == 1 && enters_double && came > 0) enter_hosts(host);
    if (k == 1 && course == COURSE_SHORT && came > 0) tick_short(host);
    else if (k == 1 && (course == COURSE_HALF_WAY || is_half_way)) tick_half_way(host);
    else if (k == 1 && course == COURSE_POOR) tick_poor(host);
    else cr_assert_eq(ph_tick(host->world, NULL), PH_OK);
    while (ph_batch_take(host->consumer, &batch) == PH_OK) cr_assert_eq(ph_batch_return(host->consumer, batch), PH_OK);
    cr_assert_eq(phc_told(host->member), PH_OK);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) run_node(k);
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
    node_host_open(&hosts[0], &def, loop, 1024, memory);
    world_def.entities_max = ROOM;
    world_def.allocator = fail_alloc_hooks(&world_memory);
    def.allocator = fail_alloc_hooks(&member_memory);
    node_host_open_first(&hosts[1], &def, loop, 1024, memory);
    run_rounds(ROUNDS);
    cleared = lost = 0;
    many = ROOM;
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
    cr_assert(fail_alloc_clean(&world_memory) && fail_alloc_clean(&member_memory));
}

TestSuite(short_ticks, .init = set_up, .fini = tear_down);

/* x in a node's own region, so far from the border that the other node has no copy of it. */
static float own_place(uint32_t i)
{
    enum { FAR = 200 };
    const phc *member = hosts[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? BORDER - FAR : BORDER + FAR;
}

/* ... and so near that it has. */
static float near_place(uint32_t i)
{
    const phc *member = hosts[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? BORDER - 10 : BORDER + 10;
}

static void enter_at(uint32_t i, uint64_t id)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(i), .y = 10};
    cr_assert_eq(phc_enter(hosts[i].member, id, &attrs, 0), PH_OK);
}

/* So many of the second node enter its world; a few at once, so that it needs memory for many commands in a tick. */
static void fill_world(uint64_t count)
{
    enum { AT_ONCE = 5 };
    for (uint64_t i = 0; i < count; i++) {
        enter_at(1, OTHERS + i);
        if (i % AT_ONCE == 0) run_rounds(1);
    }
    run_rounds(2);
}

static void make_room(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) cr_assert_eq(phc_leave(hosts[1].member, OTHERS + i), PH_OK);
    run_rounds(FEW_ROUNDS);
}

static void move_over(uint32_t from, uint64_t first, uint64_t count)
{
    for (uint64_t id = first; id < first + count; id++)
        cr_assert_eq(ph_move(hosts[from].producer, id, own_place(1 - from), 10, 0), PH_OK);
}

/* `count` entities of the first node go over, from that id on. */
static void send_over(uint64_t first, uint64_t count)
{
    for (uint64_t id = first; id < first + count; id++) enter_at(0, id);
    run_rounds(2);
    move_over(0, first, count);
}

static void expect_own(uint64_t id)
{
    ph_attrs attrs;
    cr_assert_eq(ph_entity_get(hosts[1].world, id, &attrs), PH_OK, "%u", (unsigned)id);
    cr_assert(phc_owns(hosts[1].member, id) && !attrs.remote, "%u", (unsigned)id);
}

Test(short_ticks, an_import_that_a_short_tick_left_in_its_queue_and_a_later_one_refuses_comes_again)
{
    fill_world(ROOM);
    course = COURSE_SHORT;
    send_over(1, BATCH);
    run_rounds(FEW_ROUNDS);
    cr_assert_gt(queued_most, 0, "the tick had memory for all");
    cr_assert_eq(hosts[1].member->arrivals.count, BATCH);
    make_room(ROOM);
    for (uint64_t id = 1; id <= BATCH; id++) expect_own(id);
    cr_assert(hosts[1].member->arrivals.count == 0 && hosts[1].member->refused_count == 0);
}

/* Ones that it takes are not over before, as none knows of each: there is memory for some, as they were here before. */
Test(short_ticks, an_import_that_a_short_tick_left_in_its_queue_comes_with_the_next_one)
{
    enum { MORE = 2 * BATCH };
    send_over(1, BATCH);
    run_rounds(FEW_ROUNDS);
    move_over(1, 1, BATCH);
    run_rounds(4 * FEW_ROUNDS);
    for (uint64_t id = BATCH + 1; id <= MORE; id++) enter_at(0, id);
    run_rounds(2);
    course = COURSE_SHORT;
    move_over(0, 1, MORE);
    for (uint32_t i = 0; i < FEW_ROUNDS && course == COURSE_SHORT; i++) run_rounds(1);
    cr_assert_gt(queued_most, 0);
    cr_assert_eq(hosts[1].member->arrivals.count, MORE);
    run_rounds(2);
    for (uint64_t id = 1; id <= MORE; id++) expect_own(id);
    cr_assert_eq(hosts[1].member->arrivals.count, 0);
}

/* Its tick is the one behind that which was half way. */
Test(short_ticks, an_import_that_came_while_a_tick_was_half_way_and_is_refused_comes_again)
{
    enum { TURNS = 6, FEW = 5 };
    fill_world(ROOM);
    for (uint32_t turn = 0; turn < TURNS; turn++) { /* some of them come in the round that goes on with a tick */
        send_over(1 + (uint64_t)turn * FEW, FEW);
        run_rounds(turn);
        course = COURSE_HALF_WAY;
        run_rounds(FEW_ROUNDS);
    }
    cr_assert_gt(came_half_way, 0);
    cr_assert_eq(hosts[1].member->arrivals.count, TURNS * FEW);
    make_room(ROOM);
    for (uint64_t id = 1; id <= (uint64_t)TURNS * FEW; id++) expect_own(id);
    cr_assert_eq(hosts[1].member->arrivals.count, 0);
}

/* More refusals than the world tells: an own one that is in the queue still is not missing. */
Test(short_ticks, an_entity_that_waits_in_its_queue_is_not_told_as_lost)
{
    phc_event event;
    phc *member = hosts[1].member;
    for (uint64_t id = 1; id <= BATCH; id++) enter_at(1, id);
    phc_memory_step(memory, now_ns += TICK_NS);
    cr_assert_eq(phc_tick(member), PH_OK);
    tick_short(&hosts[1]);
    cr_assert_gt(queued_most, 0);
    member->refusals_untold++; /* as if some had not been told */
    cr_assert_eq(phc_told(member), PH_OK);
    while (phc_event_next(member, &event)) cr_assert(event.kind == PHC_EVENT_LOST && event.status == PH_NO_MEMORY);
    run_rounds(2);
    for (uint64_t id = 1; id <= BATCH; id++) {
        ph_attrs attrs;
        const bool is_there = ph_entity_get(hosts[1].world, id, &attrs) == PH_OK;
        cr_assert_eq(phc_owns(member, id), is_there, "%u", (unsigned)id);
    }
    cr_assert_eq(member->audits, 0);
}

/* Copies that wait in the queue are as old as they were. */
Test(short_ticks, the_lag_of_copies_counts_from_the_last_tick_that_took_all_of_them)
{
    phc *member = hosts[1].member;
    const phx_halo_peer *peer = phx_halo_peer_find(&member->halo, hosts[0].member->node.def.member.registration);
    for (uint64_t id = 1; id <= BATCH; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = near_place(0), .y = 10};
        cr_assert_eq(phc_enter(hosts[0].member, id, &attrs, 0), PH_OK);
    }
    phc_memory_step(memory, now_ns += TICK_NS);
    run_node(0);
    phc_loop_step(loop);
    const uint64_t echoed = peer->echoed;
    cr_assert_eq(phc_tick(member), PH_OK);
    cr_assert_gt(peer->echoed, echoed);
    tick_short(&hosts[1]);
    cr_assert_gt(queued_most, 0);
    cr_assert_eq(phc_told(member), PH_OK);
    cr_assert_eq(peer->echoed, echoed);
    run_rounds(2);
    cr_assert_gt(peer->echoed, echoed);
}

/* ... so also where none of them was refused: they came while a tick was half way. */
Test(short_ticks, the_lag_of_copies_that_came_while_a_tick_was_half_way_counts_from_before)
{
    const phc *member = hosts[1].member;
    const phx_halo_peer *peer = phx_halo_peer_find(&member->halo, hosts[0].member->node.def.member.registration);
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = near_place(0), .y = 10};
    cr_assert_eq(phc_enter(hosts[0].member, 1, &attrs, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    const uint64_t echoed = peer->echoed;
    cr_assert_eq(ph_move(hosts[0].producer, 1, near_place(0), 20, 0), PH_OK);
    course = COURSE_HALF_WAY;
    run_rounds(2);
    cr_assert(!is_half_way && !peer->lacks && peer->echoed == echoed);
    run_rounds(2);
    cr_assert_gt(peer->echoed, echoed);
}

/* ... and no message of its source goes to this node's observers alone: it could not be read for the others. */
Test(short_ticks, a_broadcast_while_a_tick_is_half_way_is_refused_for_all_nodes)
{
    enum { SOURCE = 1 };
    const node_host *host = &hosts[1];
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = near_place(1), .y = 10};
    cr_assert_eq(phc_enter(host->member, SOURCE, &attrs, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    course = COURSE_HALF_WAY;
    run_rounds(1);
    cr_assert(is_half_way);
    phc_memory_step(memory, now_ns += TICK_NS);
    cr_assert_eq(phc_tick(host->member), PH_OK);
    cr_assert_eq(phc_broadcast(host->member, host->producer, SOURCE, "late", 4, NULL), PH_BUSY);
    tick_half_way(host);
    cr_assert_eq(phc_told(host->member), PH_OK);
    cr_assert_eq(phc_broadcast(host->member, host->producer, SOURCE, "now", 3, NULL), PH_OK);
}

/* ---- places that are not free yet ---- */

/* Entity 1 of the first node comes to the second one in the round that goes on with a tick. */
static void arrive_half_way(void)
{
    send_over(1, 1);
    course = COURSE_HALF_WAY;
    run_rounds(2);
    cr_assert(came_half_way == 1 && !is_half_way);
}

/* A round without memory for the second world. */
static void run_short(void)
{
    phc_memory_step(memory, now_ns += TICK_NS);
    run_node(0);
    cr_assert_eq(phc_tick(hosts[1].member), PH_OK);
    take_events(1);
    tick_short(&hosts[1]);
    cr_assert_eq(phc_told(hosts[1].member), PH_OK);
    phc_loop_step(loop);
}

/* It is the second node's, where it came to. */
static void expect_arrived(void)
{
    enum { QUIET_ROUNDS = 300 };
    ph_attrs attrs;
    run_rounds(QUIET_ROUNDS);
    cr_assert_eq(lost, 0);
    expect_own(1);
    cr_assert_eq(ph_entity_get(hosts[1].world, 1, &attrs), PH_OK);
    cr_assert(attrs.x == own_place(1) && attrs.y == 10, "another one of its id, at %g", (double)attrs.x);
    cr_assert(hosts[1].member->arrivals.count == 0 && !phc_owns(hosts[0].member, 1));
}

/* Another one of that id, which leaves the second world for it, and stands there until that has taken both commands. */
static void enter_double(float x)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = 20};
    cr_assert_eq(phc_enter(hosts[1].member, 1, &attrs, 0), PH_OK);
}

Test(short_ticks, an_import_in_the_place_of_a_double_that_came_while_a_tick_was_half_way_and_is_refused_comes_again)
{
    enter_double(own_place(1));
    arrive_half_way();
    run_short();
    expect_arrived();
}

Test(short_ticks, an_import_in_the_place_of_the_hosts_own_one_that_came_while_a_tick_was_half_way_comes_again)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(1), .y = 20};
    cr_assert_eq(ph_enter(hosts[1].producer, 1, &attrs), PH_OK);
    arrive_half_way();
    expect_arrived();
    cr_assert_eq(cleared, 1);
}

/* A short tick takes the enter, which waits in the queue of the host's producer, and leaves the import in its queue. */
Test(short_ticks, an_import_left_in_its_queue_is_not_taken_as_here_by_an_own_one_that_the_host_enters_meanwhile)
{
    ph_attrs attrs;
    fill_world(BATCH); /* so that there is memory for the enter */
    make_room(BATCH);
    enter_at(0, 1);
    run_rounds(2);
    move_over(0, 1, 1);
    course = COURSE_SHORT;
    enters_double = true;
    for (uint32_t i = 0; i < FEW_ROUNDS && course == COURSE_SHORT; i++) {
        run_rounds(1);
        many *= 2;
    }
    cr_assert(course == COURSE_WHOLE && queued_most > 0);
    cr_assert(ph_entity_get(hosts[1].world, 1, &attrs) == PH_OK && attrs.y == 20);
    cr_assert_eq(hosts[1].member->arrivals.count, 1);
    expect_arrived();
    cr_assert_eq(cleared, 1);
}

/* Its place was free as it was imported for the first time. While another one waits for room before it, none tries it.
 */
Test(short_ticks, one_that_waits_is_not_taken_as_here_by_an_own_one_that_the_host_has_entered_since)
{
    enum { HOSTS = 3 * OTHERS };
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(1), .y = 20};
    phc *member = hosts[1].member;
    cr_assert_eq(ph_enter(hosts[1].producer, HOSTS, &attrs), PH_OK);
    fill_world(ROOM - 1);
    send_over(1, 2);
    run_rounds(FEW_ROUNDS);
    cr_assert(member->refused_count == 2 && member->kept[0].root == 2);
    cr_assert_eq(__real_ph_leave(hosts[1].producer, HOSTS), PH_OK);
    cr_assert_eq(ph_enter(hosts[1].producer, 1, &attrs), PH_OK);
    run_rounds(1);
    cr_assert_eq(phc_leave(member, 2), PH_OK);
    for (uint64_t i = 0; i < many; i++) cr_assert_eq(__real_ph_leave(member->producer, 2 * OTHERS + i), PH_OK);
    run_short(); /* the import stays in the queue behind these */
    cr_assert_gt(queued_most, 0);
    cr_assert_eq(member->arrivals.count, 1);
    make_room(ROOM - 1);
    expect_arrived();
    cr_assert_eq(cleared, 1);
}

/* Its sender has heard of it long before, as the producer was full. */
Test(short_ticks, a_double_in_the_place_of_which_another_one_comes_is_not_handed_over_in_its_stay)
{
    enter_double(own_place(1));
    refuses_leaves = true;
    send_over(1, 1);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(hosts[1].member->node.events.count, 1);
    cr_assert_eq(ph_move(hosts[1].producer, 1, own_place(0), 20, 0), PH_OK);
    course = COURSE_HALF_WAY;
    run_rounds(1);
    refuses_leaves = false;
    run_rounds(1);
    cr_assert(came_half_way == 1 && !is_half_way);
    expect_arrived();
}

Test(short_ticks, a_double_in_the_place_of_which_another_one_comes_is_not_told_in_its_stay)
{
    ph_attrs attrs;
    enter_double(near_place(1));
    arrive_half_way();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        run_rounds(1);
        const ph_status status = ph_entity_get(hosts[0].world, 1, &attrs);
        cr_assert(status == PH_UNKNOWN_ID || attrs.y == 10, "round %u", i);
    }
    expect_arrived();
}

/* ---- a run of short ticks ---- */

enum { STORM = 16 * ROOM };

/* A round without memory for the second world, behind commands for which it would need some. */
static void run_stormy(ph_producer first, uint32_t before, ph_producer last, uint32_t behind)
{
    phc_memory_step(memory, now_ns += TICK_NS);
    run_node(0);
    for (uint64_t i = 0; i < before; i++) cr_assert_eq(__real_ph_leave(first, 2 * OTHERS + i), PH_OK);
    cr_assert_eq(phc_tick(hosts[1].member), PH_OK);
    take_events(1);
    for (uint64_t i = 0; i < behind; i++) cr_assert_eq(__real_ph_leave(last, 2 * OTHERS + i), PH_OK);
    tick_short(&hosts[1]);
    cr_assert_eq(phc_told(hosts[1].member), PH_OK);
    phc_loop_step(loop);
}

/* The world has taken them, though there always are commands of a thread of the host. */
Test(short_ticks, arrivals_are_known_in_a_run_of_short_ticks_while_another_producer_is_busy)
{
    enum { FEW = 5 };
    ph_producer busy;
    phc *member = hosts[1].member;
    cr_assert_eq(ph_producer_open(hosts[1].world, &busy), PH_OK);
    send_over(1, FEW);
    run_rounds(FEW_ROUNDS);
    move_over(1, 1, FEW);
    run_rounds(FEW_ROUNDS);
    move_over(0, 1, FEW);
    const uint64_t refused = member->halo.counts.refused;
    uint32_t most = 0;
    for (uint32_t i = 0; i < FEW_ROUNDS; i++) {
        run_stormy(busy, 0, busy, STORM);
        cr_assert_gt(queued_most, 0);
        if (member->arrivals.count > most) most = member->arrivals.count;
    }
    cr_assert_eq(most, FEW, "they come in these ticks");
    cr_assert(member->arrivals.count == 0 && member->open_count == 0, "%u are open", (unsigned)member->arrivals.count);
    for (uint64_t id = 1; id <= FEW; id++) expect_own(id);
    cr_assert_eq(member->halo.counts.refused, refused);
    enter_at(0, FEW + 1); /* of one that comes behind these nothing is known */
    run_stormy(busy, 0, busy, 0);
    move_over(0, FEW + 1, 1);
    for (uint32_t i = 0; i < FEW_ROUNDS && member->arrivals.count == 0; i++)
        run_stormy(member->producer, STORM, busy, 0);
    cr_assert_eq(member->arrivals.count, 1, "its import is in the queue");
    run_rounds(2);
    expect_own(FEW + 1);
    cr_assert_eq(member->arrivals.count, 0);
    cr_assert_eq(ph_producer_close(busy), PH_OK);
}

/* The first one of the id left while its import was in the queue, in which the other one's is behind it. */
Test(short_ticks, the_refusal_of_an_import_is_not_one_of_another_that_came_under_its_id_since)
{
    phc *member = hosts[1].member;
    fill_world(ROOM);
    enter_at(0, 1);
    run_rounds(2);
    move_over(0, 1, 1);
    for (uint32_t i = 0; i < FEW_ROUNDS && member->arrivals.count == 0; i++)
        run_stormy(member->producer, STORM, member->producer, 0);
    cr_assert_eq(member->arrivals.count, 1);
    cr_assert_eq(phc_leave(member, 1), PH_OK);
    cr_assert_eq(phc_leave(member, OTHERS), PH_OK); /* so there is room for one from then on */
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(0), .y = 10};
    uint32_t round = 0;
    for (; round < FEW_ROUNDS && phc_enter(hosts[0].member, 1, &attrs, 0) != PH_OK; round++)
        run_stormy(member->producer, 0, member->producer, 0);
    cr_assert_lt(round, FEW_ROUNDS, "it has not heard that the first one has come");
    for (uint32_t i = 0; i < 2; i++) run_stormy(member->producer, 0, member->producer, 0);
    cr_assert_eq(member->arrivals.count, 0);
    move_over(0, 1, 1);
    for (uint32_t i = 0; i < FEW_ROUNDS && member->arrivals.count == 0; i++)
        run_stormy(member->producer, 0, member->producer, 0);
    cr_assert(member->arrivals.count == 1 && member->refused_count == 0, "the first one's import is in the queue");
    run_rounds(1);
    cr_assert_eq(member->refused_count, 0);
    expect_own(1);
    run_rounds(FEW_ROUNDS);
    cr_assert(cleared == 0 && member->arrivals.count == 0);
    expect_own(1);
}

/* ---- no memory for an import ---- */

static uint64_t count_short(void)
{
    ph_stats stats;
    cr_assert_eq(ph_world_stats(hosts[1].world, &stats), PH_OK);
    return stats.refused[PH_NO_MEMORY];
}

Test(short_ticks, imports_that_find_no_memory_are_tried_one_in_a_tick_until_one_finds_it)
{
    const phc *member = hosts[1].member;
    for (uint64_t i = 0; i < ROOM; i++) cr_assert_eq(__real_ph_leave(member->producer, 2 * OTHERS + i), PH_OK);
    run_rounds(1); /* there is memory for their refusals from now on */
    send_over(1, BATCH);
    course = COURSE_POOR;
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(member->refused_count, BATCH);
    const uint64_t before = count_short();
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(count_short(), before + FEW_ROUNDS);
    course = COURSE_WHOLE;
    run_rounds(3);
    for (uint64_t id = 1; id <= BATCH; id++) expect_own(id);
    cr_assert_eq(member->arrivals.count, 0);
}

/* ---- no memory for an event, no room in the producer ---- */

/* No event finds room but by new memory, which there is not. */
static void fill_events(phc *member)
{
    const phc_event lag = {.kind = PHC_EVENT_LAG, .reason = ""};
    while (member->events.end + sizeof(uint32_t) + sizeof lag <= member->events.capacity)
        cr_assert(phx_report(member, &lag));
    fail_alloc_order(&member_memory, 1, true);
}

Test(short_ticks, a_place_is_cleared_once_there_is_memory_to_tell_it)
{
    enum { TURNS = 3 };
    phc *member = hosts[1].member;
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(1), .y = 10};
    cr_assert_eq(ph_enter(hosts[1].producer, 1, &attrs), PH_OK); /* the host, by itself */
    send_over(1, 1);
    for (uint32_t i = 0; i < FEW_ROUNDS && member->refused_count == 0; i++) run_rounds(1);
    cr_assert_eq(member->refused_count, 1);
    for (uint32_t i = 0; i < TURNS; i++) {
        fill_events(member);
        run_rounds(1);
        fail_alloc_order(&member_memory, 0, false);
        cr_assert(cleared == 0 && member->refused_count == 1 && member->kept[0].waits);
    }
    run_rounds(2);
    cr_assert_eq(cleared, 1);
    cr_assert_eq(member->refused_count, 0);
    expect_own(1);
}

Test(short_ticks, one_that_left_its_family_leaves_though_the_producer_is_full_as_it_comes)
{
    enum { GONE = 2, QUIET_ROUNDS = 200 };
    ph_attrs attrs;
    phc *member = hosts[1].member;
    fill_world(ROOM);
    for (uint64_t id = 1; id <= FAMILY; id++) enter_at(0, id);
    run_rounds(2);
    for (uint64_t id = 2; id <= FAMILY; id++) cr_assert_eq(ph_attach(hosts[0].producer, id, 1), PH_OK);
    run_rounds(2);
    cr_assert_eq(ph_move(hosts[0].producer, 1, own_place(1), 10, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(member->refused_count, 1, "the world is full");
    cr_assert_eq(phc_leave(member, GONE), PH_OK);
    for (uint64_t i = 0; i < ROOM; i++) cr_assert_eq(phc_leave(member, OTHERS + i), PH_OK);
    refuses_leaves = true;
    run_rounds(2);
    cr_assert_eq(ph_entity_get(hosts[1].world, GONE, &attrs), PH_OK, "it came with its family");
    const phx_halo_entity *entity = phx_halo_find(&member->halo, GONE);
    cr_assert(entity && !entity->own && !phc_owns(member, GONE));
    refuses_leaves = false;
    run_rounds(QUIET_ROUNDS);
    cr_assert_eq(ph_entity_get(hosts[1].world, GONE, &attrs), PH_UNKNOWN_ID);
    cr_assert_null(phx_halo_find(&member->halo, GONE));
    for (uint64_t id = 1; id <= FAMILY; id += 2) expect_own(id);
}

/* The copy had no room, and the host's entity of the same id and tick has it. */
Test(short_ticks, the_refusal_of_a_copy_is_not_one_of_an_entity_that_the_host_enters_in_its_tick)
{
    const uint64_t id = 7;
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = near_place(0)};
    fill_world(ROOM);
    cr_assert_eq(phc_enter(hosts[0].member, id, &attrs, 0), PH_OK);
    run_rounds(FEW_ROUNDS);
    run_node(0);
    cr_assert_eq(phc_tick(hosts[1].member), PH_OK);
    cr_assert_not_null(phx_halo_find(&hosts[1].member->halo, id), "its copy comes in each round");
    cr_assert_eq(phc_leave(hosts[0].member, id), PH_OK);
    cr_assert_eq(phc_leave(hosts[1].member, OTHERS), PH_OK);
    enter_at(1, id);
    cr_assert_eq(ph_tick(hosts[1].world, NULL), PH_OK);
    cr_assert_eq(phc_told(hosts[1].member), PH_OK);
    run_rounds(FEW_ROUNDS);
    expect_own(id);
}
