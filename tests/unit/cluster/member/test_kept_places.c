/*
 * A node whose world is full: a family that came to it needs many places at once, and others, which need one each, take
 * each that comes free. The places are kept for it; but the others have their turn, too.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, JOIN_ROUNDS = 60, FEW_ROUNDS = 8, ROOM = 40 };
enum { FAMILY = 10, FIRST_SINGLE = 101, SINGLES = 100, FIRST_COPY = 501, OTHERS = 1000 }; /* ids */

static const float BORDER = 400;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES]; /* the second one's world has little room */
static uint32_t leave_rounds;  /* one of the second node's own entities leaves each so many rounds; 0 = none does */
static uint32_t left, round_count;
static bool sends_singles; /* one more of the first node's goes over in each round */
static uint32_t sent;
static uint32_t lag;     /* of the first node, as the second one's host was told last; 0 = none */
static uint32_t lost[2]; /* the second one's: for want of room, and of any other reason */
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void hear_events(uint32_t k)
{
    phc_event event;
    while (phc_event_next(hosts[k].member, &event)) {
        if (k == 1 && event.kind == PHC_EVENT_LAG) lag = event.ticks;
        if (k == 1 && event.kind == PHC_EVENT_LOST) lost[event.status != PH_CAPACITY]++;
    }
}

/* x in a node's own region, so far from the border. */
static float own_place(uint32_t i, float from_border)
{
    const phc *member = hosts[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? BORDER - from_border : BORDER + from_border;
}

static void enter_at(uint32_t i, uint64_t id, float from_border)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(i, from_border), .y = (float)(id % 700)};
    cr_assert_eq(phc_enter(hosts[i].member, id, &attrs, 0), PH_OK);
}

/* The first node's entity goes over. */
static void send_over(uint64_t id)
{
    cr_assert_eq(ph_move(hosts[0].producer, id, own_place(1, 200), (float)(id % 700), 0), PH_OK);
}

static void run_host(uint32_t k)
{
    if (k == 0 && sends_singles) send_over(FIRST_SINGLE + sent++);
    if (k == 1 && leave_rounds > 0 && ++round_count % leave_rounds == 0)
        cr_assert_eq(phc_leave(hosts[1].member, OTHERS + ++left), PH_OK);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
            hear_events(k);
            run_host(k);
            node_host_end_round(&hosts[k]);
        }
        phc_loop_step(loop);
    }
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
    loop = NULL;
    memory = NULL;
}

TestSuite(kept_places, .fini = tear_down);

/* The worlds have room for so many. */
static void open_worlds(uint32_t first_room, uint32_t room)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, 50, 0);
    const phc_def def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) {
        world_def.entities_max = i == 1 ? room : first_room;
        node_host_open(&hosts[i], &def, loop, 1024, memory);
    }
    run_rounds(JOIN_ROUNDS);
}

/* The second node's world has room for so many, and so many own ones. */
static void open_nodes(uint32_t room, uint32_t own)
{
    open_worlds(1000, room);
    for (uint64_t id = 1; id <= own; id++) enter_at(1, OTHERS + id, 390);
    run_rounds(FEW_ROUNDS);
}

/* The first node's entities of ids 1 .. count go over, all attached to the first one, and the other world has no room.
 */
static void send_family(uint32_t count)
{
    for (uint64_t id = 1; id <= count; id++) enter_at(0, id, 200);
    run_rounds(2);
    for (uint64_t id = 2; id <= count; id++) cr_assert_eq(ph_attach(hosts[0].producer, id, 1), PH_OK);
    run_rounds(2);
    send_over(1);
    run_rounds(FEW_ROUNDS);
}

static void enter_singles(void)
{
    for (uint64_t id = 0; id < SINGLES; id++) enter_at(0, FIRST_SINGLE + id, 200);
    run_rounds(2);
}

static void make_singles_wait(void)
{
    enter_singles();
    for (uint64_t id = 0; id < SINGLES; id++) send_over(FIRST_SINGLE + id);
    run_rounds(FEW_ROUNDS);
}

/* The first node has entities near the border of which the second one has no copies yet. */
static void make_copies_wait(uint32_t count)
{
    for (uint64_t id = 0; id < count; id++) enter_at(0, FIRST_COPY + id, 10);
    run_rounds(FEW_ROUNDS);
}

static uint32_t count_in_world(uint64_t first, uint32_t count, bool remote)
{
    uint32_t found = 0;
    ph_attrs attrs;
    for (uint64_t id = first; id < first + count; id++)
        found += ph_entity_get(hosts[1].world, id, &attrs) == PH_OK && attrs.remote == remote;
    return found;
}

/* Families and single entities for which the second node's world has no room. */
static uint64_t count_waiting(void)
{
    phc_stats stats;
    cr_assert_eq(phc_stats_get(hosts[1].member, &stats), PH_OK);
    return stats.waiting;
}

/* Rounds until the whole family is in the second node's world. */
static uint32_t run_until_it_comes(uint32_t rounds_max)
{
    uint32_t rounds = 0, came = 0;
    while (came < FAMILY && rounds < rounds_max) {
        run_rounds(1);
        rounds++;
        came = count_in_world(1, FAMILY, false);
        cr_assert(came == 0 || came == FAMILY, "it comes whole");
    }
    cr_assert_eq(came, FAMILY, "in %u rounds, %u places came free", rounds, left);
    for (uint64_t id = 1; id <= FAMILY; id++) cr_assert(phc_owns(hosts[1].member, id));
    return rounds;
}

Test(kept_places, a_family_comes_before_ones_that_wait_behind_it)
{
    open_nodes(ROOM, ROOM);
    send_family(FAMILY);
    cr_assert_eq(count_waiting(), 1);
    make_singles_wait();
    cr_assert_eq(count_in_world(1, FAMILY, false), 0);
    cr_assert_eq(count_waiting(), 1 + SINGLES);
    leave_rounds = 1;
    run_until_it_comes(FAMILY + FEW_ROUNDS);
    cr_assert_leq(count_in_world(FIRST_SINGLE, SINGLES, false), FEW_ROUNDS);
    run_rounds(FEW_ROUNDS);
    cr_assert_geq(count_in_world(FIRST_SINGLE, SINGLES, false), FEW_ROUNDS - 2, "then these come");
}

/* As in a world that never was full behind a tick: so one that waits is tried in each, which would take a place. */
Test(kept_places, places_that_are_not_known_are_kept_too)
{
    open_nodes(ROOM, ROOM);
    send_family(FAMILY);
    make_singles_wait();
    phc *member = hosts[1].member;
    cr_assert_eq(phc_tick(member), PH_OK);
    for (uint64_t id = 1; id <= FAMILY; id++) cr_assert_eq(phc_leave(member, OTHERS + id), PH_OK);
    cr_assert_eq(ph_tick(hosts[1].world, NULL), PH_OK);
    member->room.most = 0;
    cr_assert_eq(phc_told(member), PH_OK);
    cr_assert_eq(member->room.fewer, 0);
    run_rounds(2);
    cr_assert_eq(count_in_world(1, FAMILY, false), FAMILY);
}

Test(kept_places, a_family_comes_before_ones_that_come_later)
{
    open_nodes(ROOM, ROOM);
    enter_singles();
    send_family(FAMILY);
    leave_rounds = 1;
    sends_singles = true;
    run_until_it_comes(FAMILY + FEW_ROUNDS);
    cr_assert_leq(count_in_world(FIRST_SINGLE, SINGLES, false), FEW_ROUNDS);
}

Test(kept_places, a_family_comes_before_new_copies_of_which_a_lag_tells)
{
    open_nodes(ROOM, ROOM);
    send_family(FAMILY);
    make_copies_wait(SINGLES);
    leave_rounds = 1;
    run_until_it_comes(FAMILY + FEW_ROUNDS);
    cr_assert_gt(lag, hosts[1].member->def.lag_max, "%u", lag);
    run_rounds(FEW_ROUNDS);
    cr_assert_geq(count_in_world(FIRST_COPY, SINGLES, true), FEW_ROUNDS - 2, "then these come");
}

/* As one that needs many places may come never, as the host's own entities stay. */
Test(kept_places, copies_and_singles_have_their_turn)
{
    enum { PLACES = FAMILY - 1, KEPT_ROUNDS = 64, HALF = PLACES / 2 };
    open_nodes(ROOM, ROOM);
    send_family(FAMILY);
    make_copies_wait(HALF);
    for (uint64_t id = 0; id < PLACES - HALF; id++) enter_at(0, FIRST_SINGLE + id, 200);
    run_rounds(2);
    for (uint64_t id = 0; id < PLACES - HALF; id++) send_over(FIRST_SINGLE + id);
    leave_rounds = 1;
    run_rounds(PLACES);
    leave_rounds = 0;
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(count_in_world(FIRST_COPY, HALF, true) + count_in_world(FIRST_SINGLE, PLACES, false), 0);
    run_rounds(KEPT_ROUNDS);
    cr_assert_eq(count_in_world(FIRST_COPY, HALF, true), HALF);
    cr_assert_eq(count_in_world(FIRST_SINGLE, PLACES, false), PLACES - HALF);
    cr_assert_eq(lag, 0);
}

/* Fewer come free while places are kept than it needs: they are kept for longer the next time. */
Test(kept_places, a_family_comes_however_seldom_a_place_comes_free)
{
    enum { SELDOM = 20, ROUNDS_MAX = 4 * FAMILY * SELDOM };
    open_nodes(2 * ROOM, 2 * ROOM);
    send_family(FAMILY);
    make_singles_wait();
    leave_rounds = SELDOM;
    run_until_it_comes(ROUNDS_MAX);
    const uint32_t came = count_in_world(FIRST_SINGLE, SINGLES, false);
    cr_assert(came > 0 && came < SINGLES, "%u: others had their turn, and wait still", came);
}

Test(kept_places, one_that_needs_no_place_passes_a_family)
{
    open_nodes(ROOM, ROOM - 1);
    enter_at(0, FIRST_COPY, 10);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(count_in_world(FIRST_COPY, 1, true), 1);
    send_family(FAMILY);
    leave_rounds = 1;
    run_rounds(2);
    leave_rounds = 0;
    send_over(FIRST_COPY);
    for (uint32_t i = 0; i < FEW_ROUNDS && !phc_owns(hosts[1].member, FIRST_COPY); i++) run_rounds(1);
    cr_assert_eq(count_in_world(FIRST_COPY, 1, false), 1, "it is own, and there in the same round");
    cr_assert_eq(count_in_world(1, FAMILY, false), 0);
}

Test(kept_places, places_are_kept_no_longer_than_a_family_waits)
{
    enum { PLACES = FAMILY - 1 };
    open_nodes(ROOM, ROOM);
    send_family(FAMILY);
    make_copies_wait(PLACES);
    leave_rounds = 1;
    run_rounds(PLACES);
    leave_rounds = 0;
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(count_in_world(FIRST_COPY, PLACES, true), 0);
    for (uint64_t id = 1; id <= FAMILY; id++) cr_assert_eq(phc_leave(hosts[1].member, id), PH_OK);
    run_rounds(FEW_ROUNDS);
    cr_assert_eq(count_in_world(FIRST_COPY, PLACES, true), PLACES);
}

/* It would wait for ever, and keep others waiting. */
Test(kept_places, a_family_larger_than_the_world_is_told_as_lost)
{
    open_nodes(FAMILY - 1, 0);
    send_family(FAMILY);
    cr_assert(lost[0] == FAMILY && lost[1] == 0, "%u, %u", lost[0], lost[1]);
    for (uint64_t id = 1; id <= FAMILY; id++) cr_assert_not(phc_owns(hosts[1].member, id));
    make_copies_wait(FAMILY - 1);
    run_rounds(2 * FEW_ROUNDS); /* copies of its own, from before it went, have left */
    cr_assert_eq(count_in_world(FIRST_COPY, FAMILY, true), FAMILY - 1);
}

/* ---- both worlds are full, and families of all sizes go to and fro ---- */

enum { WALKERS = 60, SMALL = 60, STANDING = 25, FAMILY_MOST = 9, SEEDS = 12, WALK_ROUNDS = 300, CALM_ROUNDS = 400 };

static uint64_t roots[WALKERS];
static uint32_t root_count;

/* Families of random sizes, the one half of them at each node. */
static void enter_walkers(uint64_t *rng)
{
    uint32_t counts[NODES] = {0};
    root_count = 0;
    for (uint64_t id = 1, end = 1; id <= WALKERS; id = end) {
        end = id + 1 + phx_rng_below(rng, FAMILY_MOST);
        if (end > WALKERS) end = WALKERS + 1;
        const uint32_t at = counts[0] > counts[1];
        counts[at] += (uint32_t)(end - id);
        for (uint64_t each = id; each < end; each++) enter_at(at, each, 200);
        run_rounds(2);
        for (uint64_t each = id + 1; each < end; each++) cr_assert_eq(ph_attach(hosts[at].producer, each, id), PH_OK);
        roots[root_count++] = id;
    }
    run_rounds(2);
}

/* The node that owns it, if it is in the world there; else NODES. */
static uint32_t node_of(uint64_t id, ph_attrs *attrs)
{
    uint32_t found = NODES;
    bool is_owned = false;
    for (uint32_t k = 0; k < NODES; k++) {
        if (!phc_owns(hosts[k].member, id)) continue;
        cr_assert_not(is_owned, "%u has two owners", (unsigned)id);
        is_owned = true;
        if (ph_entity_get(hosts[k].world, id, attrs) == PH_OK && !attrs->remote) found = k;
    }
    return found;
}

/* Some of them go to other places, mostly near the border. */
static void walk(uint64_t *rng)
{
    ph_attrs attrs;
    for (uint32_t i = 0; i < root_count; i++) {
        const uint32_t at = node_of(roots[i], &attrs), to = phx_rng_below(rng, NODES);
        if (phx_rng_below(rng, 10) > 0 || at == NODES) continue;
        const float x = own_place(to, 6 + (float)phx_rng_below(rng, 300));
        cr_assert_eq(ph_move(hosts[at].producer, roots[i], x, (float)phx_rng_below(rng, 700), 0), PH_OK);
    }
}

/* Of 1000 messages so many are lost, and as many late. */
static void set_faults(uint64_t seed, uint32_t lost_or_late)
{
    const phc_faults faults = {.seed = seed, .lost = lost_or_late, .late = lost_or_late, .late_steps = 4};
    cr_assert_eq(phc_loop_set_faults(loop, faults), PH_OK);
}

static void expect_all(uint64_t seed)
{
    ph_attrs attrs;
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const uint32_t at = node_of(id, &attrs);
        cr_assert_lt(at, NODES, "seed %u: %u is in no world", (unsigned)seed, (unsigned)id);
        cr_assert_eq(phc_owner_of(hosts[0].member, attrs.x, attrs.y), phc_number(hosts[at].member));
    }
    for (uint32_t k = 0; k < NODES; k++) {
        phc_stats stats;
        cr_assert_eq(phc_stats_get(hosts[k].member, &stats), PH_OK);
        cr_assert_leq(stats.lag_ticks, hosts[k].member->def.lag_max, "seed %u", (unsigned)seed);
        cr_assert_eq(stats.waiting, 0);
    }
}

/* No entity is lost or there twice; and all are in their worlds, with all copies, once these have room for them. */
Test(kept_places, all_come_where_both_worlds_are_full)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t rng = seed, waits = 0;
        open_worlds(SMALL, SMALL);
        for (uint64_t i = 0; i < (uint64_t)NODES * STANDING; i++) enter_at((uint32_t)(i % NODES), OTHERS + i, 390);
        enter_walkers(&rng);
        set_faults(seed, (uint32_t)(seed % 3) * 100);
        for (uint32_t i = 0; i < WALK_ROUNDS; i++) {
            walk(&rng);
            run_rounds(1);
            waits += hosts[0].member->refused_count + hosts[1].member->refused_count;
        }
        cr_assert_gt(waits, WALK_ROUNDS / 10, "seed %u: few have met a full world", (unsigned)seed);
        for (uint64_t i = 0; i < (uint64_t)NODES * STANDING; i++)
            cr_assert_eq(phc_leave(hosts[i % NODES].member, OTHERS + i), PH_OK);
        set_faults(seed, 0);
        run_rounds(CALM_ROUNDS);
        expect_all(seed);
        tear_down();
    }
}
