/*
 * The halo: its bytes, its tables, and which messages and stays it takes; one halo over a world, with a peer that is
 * played by hand. With real peers it is run by the federation (tests/cluster).
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_far.h"
#include "cluster/halo/halo_in.h"
#include "cluster/halo/halo_out.h"
#include "cluster/halo/halo_say.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"
#include "cluster/map/map_changes.h"
#include "cluster/node/hand_over.h"
#include "support/fail_alloc.h"

enum { SELF = 10, PEER = 11, QUIET = 40, GRACE = 12 };

static fail_alloc allocator;
static ph_world world;
static ph_producer producer;
static phx_node node;
static phx_halo *halo;

static void make_node(phx_node *of, uint64_t registration, uint16_t number)
{
    phx_node_init(of, &(phx_node_def){.member = {.registration = registration, .number = number},
                                      .unacked_max = 8,
                                      .allocator = fail_alloc_hooks(&allocator)});
}

static phx_halo *make_halo(phx_node *of)
{
    phx_halo *made = malloc(sizeof *made);
    phx_halo_init(made, &(phx_halo_def){.world = world,
                                        .producer = producer,
                                        .node = of,
                                        .grid = {.size = {100, 100}, .columns = 2, .rows = 1},
                                        .width = 10,
                                        .reach = 8,
                                        .grace_ticks = GRACE,
                                        .passed_ticks = GRACE,
                                        .quiet_ticks = QUIET,
                                        .allocator = fail_alloc_hooks(&allocator)});
    return made;
}

static void set_up(void)
{
    static phx_cluster_map map;
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = 100;
    def.consumers = 0;
    allocator = (fail_alloc){0};
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    make_node(&node, SELF, 1);
    phx_cluster_map_init(&map, 2, 1);
    cr_assert(phx_cluster_map_join(&map, node.def.member));
    cr_assert(phx_cluster_map_join(&map, (phx_member){.registration = PEER, .number = 2, .format = PHX_FORMAT_MAX}));
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
    halo = make_halo(&node);
}

static void tear_down(void)
{
    phx_halo_free(halo);
    free(halo);
    phx_node_free(&node);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
    cr_assert(fail_alloc_clean(&allocator));
}

TestSuite(halo, .init = set_up, .fini = tear_down);

/* ---- messages ---- */

/* A message of the peer with one copy; 0: none. echo: the own tick that it has heard. @return its bytes */
static size_t write_message(unsigned char *bytes, uint64_t tick, uint64_t id, uint64_t echo)
{
    const ph_attrs attrs = {.view = 5, .layers = 1, .sees = 1};
    const phx_halo_copy copy = {.id = id, .stay = 7, .attrs = {.x = 60, .y = 50}};
    const phx_halo_head head = {.format = PHX_FORMAT_MAX,
                                .source = PEER,
                                .target = SELF,
                                .version = 3,
                                .heard_version = 3,
                                .tick = tick,
                                .echo = echo,
                                .last = true,
                                .sets = id != 0,
                                .copies = id != 0};
    unsigned char *at = bytes + PHX_HALO_HEAD_BYTES;
    if (id != 0) {
        phx_halo_put_set(at, &attrs);
        phx_halo_put_copy(at + PHX_HALO_SET_BYTES, &copy, 0);
    }
    return phx_halo_seal(bytes, &head);
}

static void hear(uint64_t tick, uint64_t id)
{
    unsigned char bytes[256];
    phx_halo_receive(halo, bytes, write_message(bytes, tick, id, 0));
}

static void step(void)
{
    phx_halo_begin_tick(halo);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
}

Test(halo, bytes_are_a_message_or_none)
{
    unsigned char bytes[256], damaged[256];
    phx_halo_head head;
    phx_halo_parts parts;
    uint64_t rng = 1;
    const size_t size = write_message(bytes, 9, 5, 0);
    cr_assert_eq(size, phx_halo_bytes(&(phx_halo_head){.format = PHX_FORMAT_MAX, .sets = 1, .copies = 1}));
    cr_assert_eq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    cr_assert(head.source == PEER && head.target == SELF && head.tick == 9 && head.copies == 1 && head.gone == 0);
    const phx_halo_copy copy = phx_halo_copy_at(&parts, 0);
    cr_assert(copy.id == 5 && copy.stay == 7 && !copy.sending && copy.attrs.x == 60 && copy.attrs.view == 5);
    for (size_t cut = 0; cut < size; cut++)
        cr_assert_neq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, cut), PHX_WIRE_GOOD);
    for (uint32_t i = 0; i < 1000; i++) {
        memcpy(damaged, bytes, size);
        damaged[phx_rng_below(&rng, (uint32_t)size)] ^= (unsigned char)(1u << phx_rng_below(&rng, 8));
        cr_assert_neq(phx_halo_open(&head, &parts, PHX_FORMATS, damaged, size), PHX_WIRE_GOOD);
    }
}

/* A message of the peer with nothing but a head. */
static void hear_part(uint64_t tick, uint64_t echo, uint32_t part, bool last)
{
    unsigned char bytes[PHX_HALO_HEAD_BYTES + sizeof(uint64_t)]; /* and the sum */
    const phx_halo_head head = {.format = PHX_FORMAT_MAX,
                                .source = PEER,
                                .target = SELF,
                                .version = 3,
                                .heard_version = 3,
                                .tick = tick,
                                .echo = echo,
                                .part = part,
                                .last = last};
    phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
}

static uint64_t peer_lag(void)
{
    return phx_halo_lag(halo, phx_halo_peer_find(halo, PEER));
}

/* A tick of which a message is lost may leave copies as old as they were. */
Test(halo, copies_are_as_old_as_the_last_whole_tick)
{
    step();
    hear_part(1, 0, 0, true);
    for (uint64_t i = 0; i < 10; i++) step();
    cr_assert_eq(peer_lag(), 10);
    hear_part(2, 8, 0, false);
    cr_assert_eq(peer_lag(), 9, "it is heard, and its tick is not whole");
    hear_part(2, 8, 1, false);
    hear_part(2, 8, 1, false);
    hear_part(2, 8, 2, true);
    cr_assert_eq(peer_lag(), 2, "it is; one message came twice");
    hear_part(3, 10, 0, false);
    hear_part(3, 10, 2, true);
    cr_assert_eq(peer_lag(), 2, "one is lost");
    hear_part(4, 9, 0, true);
    cr_assert_eq(peer_lag(), 1);
    hear_part(5, 12, 0, true);
    cr_assert(halo->counts.ahead == 1 && peer_lag() == 1, "this node has made 11 ticks");
    hear_part(5, 11, 0, true);
    cr_assert_eq(peer_lag(), 0);
}

static void hear_echo(uint64_t tick, uint64_t id, uint64_t echo)
{
    unsigned char bytes[256];
    phx_halo_receive(halo, bytes, write_message(bytes, tick, id, echo));
}

/* The world has the copy as it was in an earlier tick, or not at all. */
Test(halo, a_copy_is_as_old_as_the_last_tick_of_which_all_were_taken)
{
    step();
    hear_echo(1, 5, 1);
    for (uint64_t i = 0; i < 10; i++) step();
    fail_alloc_order(&allocator, 1, true);
    for (uint64_t id = 6; halo->counts.no_memory == 0; id++) hear_echo(2, id, 10);
    fail_alloc_order(&allocator, 0, false);
    cr_assert_eq(peer_lag(), 9, "a copy found no memory");
    hear_part(3, 9, 0, true);
    cr_assert_eq(peer_lag(), 1, "there is memory again");
    step();
    for (uint64_t i = 0; i < 10; i++) step();
    hear_echo(4, 0, 20);
    cr_assert_eq(peer_lag(), 1);
    while (ph_leave(producer, 99) == PH_OK) continue;
    hear_echo(5, 7, 22);
    cr_assert_eq(peer_lag(), 1, "the producer is full");
    step();
    cr_assert_eq(peer_lag(), 2);
    hear_echo(6, 7, 22);
    cr_assert_eq(peer_lag(), 0);
}

/* One copy of entity 5 of that stay and turn, from one of two peers. */
static void hear_stay(uint64_t source, uint64_t tick, uint32_t stay, uint8_t turn, float x, bool sending)
{
    unsigned char bytes[256];
    const ph_attrs attrs = {.view = 5, .layers = 1, .sees = 1};
    const phx_halo_copy copy = {.id = 5, .stay = stay, .turn = turn, .sending = sending, .attrs = {.x = x, .y = 50}};
    const phx_halo_head head = {.format = PHX_FORMAT_MAX,
                                .source = source,
                                .target = SELF,
                                .version = 3,
                                .tick = tick,
                                .last = true,
                                .sets = 1,
                                .copies = 1};
    phx_halo_put_set(bytes + PHX_HALO_HEAD_BYTES, &attrs);
    phx_halo_put_copy(bytes + PHX_HALO_HEAD_BYTES + PHX_HALO_SET_BYTES, &copy, 0);
    phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
}

static void hear_from(uint64_t source, uint64_t tick, float x, bool sending)
{
    hear_stay(source, tick, 7, 0, x, sending);
}

static void expect_copy(uint64_t source, float x)
{
    const phx_halo_remote *remote = phx_halo_remote_of(halo, phx_halo_find(halo, 5));
    cr_assert(remote->source == source && remote->attrs.x == x, "%g of %u", (double)remote->attrs.x,
              (unsigned)remote->source);
}

/* A new one does; until there is some, and it is repeated, copies are as old as the tick before. */
Test(halo, a_copy_that_is_here_needs_no_memory)
{
    step();
    hear_echo(1, 5, 1);
    step();
    fail_alloc_order(&allocator, 1, true);
    uint64_t id = 6;
    while (halo->counts.no_memory == 0) hear_echo(2, id++, 1);
    const uint64_t left_out = id - 1;
    for (uint64_t tick = 3; tick < GRACE; tick++) {
        hear_from(PEER, tick, 60 + (float)tick, false);
        step();
        expect_copy(PEER, 60 + (float)tick);
    }
    cr_assert_eq(halo->counts.no_memory, 1);
    hear_from(PEER, GRACE, 60, false);
    const uint64_t lag = peer_lag();
    hear_echo(GRACE + 1, left_out, halo->now);
    cr_assert(halo->counts.no_memory == 2 && !phx_halo_find(halo, left_out) && peer_lag() == lag);
    fail_alloc_order(&allocator, 0, false);
    hear_echo(GRACE + 1, left_out, halo->now);
    cr_assert_not_null(phx_halo_find(halo, left_out));
    hear_echo(GRACE + 2, left_out, halo->now);
    cr_assert_eq(peer_lag(), 0);
}

/* It goes from the first peer to the second one and back, and messages of both come late. */
Test(halo, of_two_copies_the_one_of_the_later_turn_counts)
{
    enum { SECOND = PEER + 1 };
    phx_cluster_map map = node.map;
    cr_assert(phx_cluster_map_join(&map, (phx_member){.registration = SECOND, .number = 3, .format = PHX_FORMAT_MAX}));
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
    step();
    hear_stay(PEER, 1, 7, 254, 60, false);
    hear_stay(SECOND, 1, 7, 255, 65, true);
    expect_copy(SECOND, 65);
    hear_stay(PEER, 2, 7, 254, 60, true);
    hear_stay(PEER, 3, 7, 254, 61, false);
    expect_copy(SECOND, 65);
    hear_stay(PEER, 4, 7, 0, 70, false); /* turns begin anew */
    expect_copy(PEER, 70);
    hear_stay(SECOND, 2, 7, 255, 66, false);
    expect_copy(PEER, 70);
    hear_stay(PEER, 5, 7, 0, 75, false);
    expect_copy(PEER, 75);
}

/* Of another stay: the entity left and entered anew. The rest of a tick may repeat the copy. */
Test(halo, a_copy_is_repeated_until_a_whole_tick_is_without_it)
{
    enum { SECOND = PEER + 1 };
    phx_cluster_map map = node.map;
    cr_assert(phx_cluster_map_join(&map, (phx_member){.registration = SECOND, .number = 3, .format = PHX_FORMAT_MAX}));
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
    step();
    hear_from(PEER, 1, 60, false);
    hear_part(2, 0, 0, false);
    hear_stay(SECOND, 1, 8, 0, 65, true);
    expect_copy(PEER, 60);
    hear_part(2, 0, 1, true);
    hear_stay(SECOND, 2, 8, 0, 70, true);
    expect_copy(SECOND, 70);
}

Test(halo, copies_follow_their_owner)
{
    ph_attrs attrs;
    step();
    hear(1, 5);
    step();
    cr_assert_eq(ph_entity_get(world, 5, &attrs), PH_OK);
    cr_assert(attrs.remote && attrs.x == 60 && phx_halo_remote_of(halo, phx_halo_find(halo, 5))->source == PEER);
    for (uint64_t tick = 2; tick < 2 + GRACE; tick++) { /* not repeated any more */
        hear(tick, 0);
        step();
        cr_assert_not_null(phx_halo_find(halo, 5));
    }
    hear(2 + GRACE, 0);
    step();
    cr_assert_null(phx_halo_find(halo, 5));
    cr_assert_eq(ph_entity_get(world, 5, &attrs), PH_UNKNOWN_ID);
}

Test(halo, a_tick_that_can_not_be_stops_no_peer)
{
    uint64_t tick = 0;
    for (uint32_t i = 0; i < 10; i++) {
        step();
        hear(++tick, 5);
    }
    hear(UINT64_MAX, 6);
    cr_assert_eq(halo->counts.ahead, 1);
    cr_assert_null(phx_halo_find(halo, 6));
    for (uint32_t i = 0; i < 10; i++) {
        step();
        hear(++tick, 5);
    }
    cr_assert_eq(phx_halo_peer_find(halo, PEER)->newest, tick);
    cr_assert_eq(halo->counts.late, 0);
}

Test(halo, a_first_tick_that_can_not_be_stops_a_peer_until_its_copies_have_left)
{
    step();
    hear(UINT64_MAX, 6);
    for (uint64_t tick = 1; tick <= QUIET; tick++) {
        step();
        hear(tick, 5);
        cr_assert_eq(halo->counts.late, tick);
    }
    step();
    cr_assert_null(phx_halo_find(halo, 6));
    hear(QUIET + 1, 5);
    cr_assert_not_null(phx_halo_find(halo, 5));
    step();
    hear(QUIET, 7); /* a late one is late again */
    cr_assert_null(phx_halo_find(halo, 7));
}

Test(halo, a_peer_that_makes_up_for_lost_ticks_is_heard)
{
    step();
    hear(1, 5);
    for (uint32_t i = 0; i < 10; i++) step(); /* it is silent, and then as far as it would be */
    hear(1 + 10 * 16, 5);
    cr_assert_eq(halo->counts.ahead, 0);
}

/* ---- stays ---- */

static uint32_t stay_at(uint64_t registration, uint16_t number, uint32_t before)
{
    phx_node other;
    make_node(&other, registration, number);
    phx_halo *of = make_halo(&other);
    const ph_attrs attrs = {.given = PH_X | PH_Y};
    for (uint32_t i = 0; i <= before; i++) cr_assert_eq(phx_halo_enter(of, 1000 + i, &attrs), PH_OK);
    const uint32_t stay = phx_halo_find(of, 1000 + before)->stay;
    phx_halo_free(of);
    free(of);
    phx_node_free(&other);
    return stay;
}

Test(halo, stays_of_nodes_differ)
{
    enum { NODES = 400 };
    static uint32_t stays[NODES];
    for (uint32_t i = 0; i < NODES; i++) stays[i] = stay_at(50 + i, (uint16_t)(1 + i), 3);
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t k = 0; k < i; k++) cr_assert_neq(stays[i], stays[k], "%u and %u", k, i);
    cr_assert_neq(stay_at(50, 1, 0), stay_at(51, 1, 0)); /* the next process with that number */
}

/* ---- tables ---- */

static void check_table(const bool *is_there, uint32_t ids)
{
    uint32_t count = 0, copies = 0;
    for (uint64_t id = 1; id <= ids; id++) {
        const phx_halo_entity *entity = phx_halo_find(halo, id);
        cr_assert_eq(entity != NULL, is_there[id]);
        if (!entity) continue;
        cr_assert(entity->id == id && entity->stay == (uint32_t)id * 3);
        cr_assert_eq(entity->own, entity >= halo->entities + halo->copy_count);
        if (!entity->own) cr_assert_eq(phx_halo_remote_of(halo, entity)->tick, id * 5);
        count++;
        copies += !entity->own;
    }
    cr_assert(halo->entity_count == count && halo->copy_count == copies);
}

Test(halo, the_table_is_a_map)
{
    enum { IDS = 64, STEPS = 4000 };
    bool is_there[IDS + 1] = {0};
    uint64_t rng = 3;
    for (uint32_t i = 0; i < STEPS; i++) {
        const uint64_t id = 1 + phx_rng_below(&rng, IDS);
        phx_halo_entity *entity = phx_halo_find(halo, id);
        if (!entity) {
            const bool own = phx_rng_below(&rng, 2) == 0;
            cr_assert(phx_halo_reserve_own(halo, 1) && phx_halo_reserve_copies(halo, 1));
            entity = phx_halo_add(halo, (phx_halo_entity){.id = id, .stay = (uint32_t)id * 3, .own = own});
        } else if (entity->own && phx_rng_below(&rng, 2) == 0) {
            cr_assert(phx_halo_reserve_copies(halo, 1));
            entity = phx_halo_disown(halo, phx_halo_find(halo, id));
        } else {
            phx_halo_remove(halo, entity);
            entity = NULL;
        }
        if (entity && !entity->own) phx_halo_remote_of(halo, entity)->tick = id * 5;
        is_there[id] = entity != NULL;
        check_table(is_there, IDS);
    }
}

/* ---- work ---- */

static void enter_own(uint64_t id, float x, bool global)
{
    const ph_attrs attrs = {.given = PH_POSITION | PH_GLOBAL, .x = x, .y = 50, .global = global};
    cr_assert_eq(phx_hand_over_enter(&node, id, phx_halo_region(&halo->def.grid, x, 50), 0), PH_OK);
    cr_assert_eq(phx_halo_enter(halo, id, &attrs), PH_OK);
}

static phx_halo_head head_of(const void *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    cr_assert_eq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    return head;
}

static void count_copies(void *user, uint64_t target, const void *bytes, size_t size)
{
    (void)target;
    *(uint32_t *)user += head_of(bytes, size).copies;
}

/* x in the own region, so far from the border. */
static float own_x(float from_border)
{
    return node.map.regions[0].number == node.def.member.number ? 50 - from_border : 50 + from_border;
}

/* @return the copies of the next tick */
static uint32_t write_tick(void)
{
    uint32_t copies = 0;
    step();
    phx_halo_write(halo, count_copies, &copies);
    return copies;
}

Test(halo, entities_far_from_borders_are_not_looked_at)
{
    enum { FAR = 20000, NEAR = 5, TICKS = 20 };
    for (uint64_t id = 1; id <= FAR; id++) enter_own(id, own_x(40), false);
    for (uint64_t id = 1; id <= NEAR; id++) enter_own(FAR + id, own_x(5), false);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(write_tick(), NEAR);
    const uint64_t looks = halo->counts.looks;
    for (uint32_t i = 0; i < TICKS; i++) cr_assert_eq(write_tick(), NEAR);
    const uint64_t a_tick = (halo->counts.looks - looks) / TICKS;
    cr_assert_leq(a_tick, NEAR + FAR / PHX_HALO_LOOK_TICKS + 1, "%u looks a tick", (unsigned)a_tick);
}

Test(halo, what_is_seen_from_far_is_written_at_any_distance)
{
    enum { MANY = 50 };
    for (uint64_t id = 1; id <= MANY; id++) enter_own(id, own_x(40), id == 7);
    cr_assert_eq(write_tick(), 1); /* at once */
    cr_assert_eq(ph_set(producer, 9, &(ph_attrs){.given = PH_REACH, .reach = 30}), PH_OK);
    cr_assert_eq(ph_set(producer, 7, &(ph_attrs){.given = PH_GLOBAL}), PH_OK);
    uint32_t copies = 0;
    for (uint32_t i = 0; i <= PHX_HALO_LOOK_TICKS + PHX_HALO_REPEATS; i++) copies = write_tick();
    cr_assert_eq(copies, 1);
    cr_assert(phx_halo_find(halo, 9)->far && !phx_halo_find(halo, 7)->far);
    cr_assert_eq(phx_halo_leave(halo, 9), PH_OK);
    cr_assert_eq(write_tick(), 0);
    cr_assert_eq(halo->far.count, 0);
}

static void set_reach(uint64_t id, float reach)
{
    cr_assert_eq(ph_set(producer, id, &(ph_attrs){.given = PH_REACH, .reach = reach}), PH_OK);
    cr_assert_eq(phx_halo_look(halo, id), PH_OK);
}

Test(halo, a_reach_that_the_width_has_no_room_for_is_written_at_once)
{
    for (uint64_t id = 1; id <= 20; id++) enter_own(id, own_x(40), false);
    cr_assert_eq(write_tick(), 0);
    cr_assert_eq(phx_halo_look(halo, 21), PH_UNKNOWN_ID);
    set_reach(9, 8);
    cr_assert_eq(write_tick(), 0);
    set_reach(9, 9); /* within the width, but it is to last for what is on its way */
    cr_assert_eq(write_tick(), 1);
    set_reach(9, 0); /* which all are to hear */
    for (uint32_t i = 0; i < PHX_HALO_REPEATS; i++) cr_assert_eq(write_tick(), 1);
    cr_assert_eq(write_tick(), 0);
}

Test(halo, what_is_seen_from_far_is_written_on_its_way_too)
{
    phx_family family;
    enter_own(7, own_x(40), true);
    cr_assert_eq(write_tick(), 1);
    cr_assert_eq(phx_halo_give(halo, 7, 2, &family), PH_OK);
    for (uint32_t i = 0; i < 3 * PHX_HALO_REPEATS; i++) cr_assert_eq(write_tick(), 1);
}

/* ---- no memory ---- */

static void note_last(void *user, uint64_t target, const void *bytes, size_t size)
{
    (void)target;
    *(bool *)user = head_of(bytes, size).last;
}

/* Do the messages of this tick say that they have all copies? */
static bool is_whole(bool has_memory)
{
    bool whole = false;
    if (!has_memory) fail_alloc_order(&allocator, 1, true);
    phx_halo_write(halo, note_last, &whole);
    fail_alloc_order(&allocator, 0, false);
    return whole;
}

static bool has_no_memory(void *user, uint64_t id)
{
    (void)user;
    return id == 0;
}

/* So the copies that its receiver has are as old as its lag says. */
Test(halo, a_tick_of_which_copies_are_left_out_for_want_of_memory_is_not_whole)
{
    hear(1, 0);
    enter_own(5, own_x(5), false);
    step();
    cr_assert(!is_whole(false), "no memory for the search");
    cr_assert(is_whole(true));
    cr_assert(is_whole(false), "no memory is needed");
    set_reach(5, 9);
    step();
    cr_assert(!is_whole(false), "no memory for entities that are seen from far");
    cr_assert(is_whole(true));
    cr_assert_eq(ph_move(producer, 5, own_x(-40), 50, 0), PH_OK);
    step();
    phx_halo_find_away(halo, has_no_memory, NULL);
    cr_assert(!is_whole(true), "regions in which own ones are may be missing");
    phx_halo_find_away(halo, NULL, NULL);
    cr_assert(is_whole(true));
}

/* It came from the peer and goes back there, whose messages are late: two have the copy of before. */
Test(halo, a_copy_from_before_an_entity_was_own_is_not_taken_once_it_is_given_back)
{
    phx_family family;
    enter_own(5, own_x(5), false);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(write_tick(), 1);
    const uint32_t stay = phx_halo_find(halo, 5)->stay;
    phx_halo_find(halo, 5)->turn = 3;
    cr_assert_eq(phx_halo_give(halo, 5, 2, &family), PH_OK);
    cr_assert_eq(phx_family_member_at(&family, 0).turn, 4);
    hear_stay(PEER, 1, stay, 2, 60, true);
    hear_stay(PEER, 2, stay, 2, 60, false);
    expect_copy(PEER, own_x(5));
    hear_stay(PEER, 3, stay, 4, 65, false);
    expect_copy(PEER, 65);
}

Test(halo, an_entity_is_looked_at_once_a_tick_however_often_the_host_says_so)
{
    enum { TIMES = 1000 };
    enter_own(7, own_x(40), false);
    cr_assert_eq(write_tick(), 0);
    for (uint32_t i = 0; i < TIMES; i++) cr_assert_eq(phx_halo_look(halo, 7), PH_OK);
    cr_assert_eq(halo->newcomers.count, 1);
    const uint64_t looks = halo->counts.looks;
    cr_assert_eq(write_tick(), 0);
    cr_assert_leq(halo->counts.looks - looks, 2); /* one of the host, one as each own entity has now and then */
    cr_assert_eq(halo->newcomers.count, 0);
    cr_assert_eq(phx_halo_look(halo, 7), PH_OK); /* and again */
    cr_assert_eq(halo->newcomers.count, 1);
}

/* A broadcast by lists of an entity that is copied to the peer by its reach alone, or not at all. */
static bool is_said(uint64_t id)
{
    const phx_say say = {.number = 1, .source = id, .x = own_x(40), .y = 50};
    return phx_halo_says_to(halo, phx_node_peer(&node, PEER), &say);
}

Test(halo, an_entity_that_comes_is_heard_by_all_that_see_it_from_far_at_once)
{
    cr_assert_not_null(phx_halo_peer_of(halo, PEER));
    cr_assert(phx_halo_reserve_own(halo, 2));
    phx_halo_add(halo, (phx_halo_entity){.id = 7, .own = true, .far = true}); /* as phx_halo_gain() adds it */
    phx_halo_add(halo, (phx_halo_entity){.id = 8, .own = true});
    cr_assert(is_said(7));
    cr_assert(!is_said(8));
}
