/*
 * Entities that were handed over: they are copied for some ticks more, so that a third node has them that hears the old
 * node's messages from behind the hand-over, and the new one's from before it; and no node loses a region in which an
 * entity may arrive still.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "cluster/halo/halo.h"
#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_in.h"
#include "cluster/halo/halo_out.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"
#include "cluster/map/map_changes.h"
#include "cluster/node/hand_over.h"

enum { SELF = 10, PEER, THIRD, FOURTH, NODES = 4, QUIET = 40, GRACE = 20, PASSED = 6, ID = 7, STAY = 70, BYTES = 512 };

enum { MANY = PHX_HALO_FORWARDS_MAX + 1 };

static ph_world world;
static ph_producer producer;
static phx_node node;
static phx_cluster_map map;
static phx_halo *halo;

static void take_map(void)
{
    map.moved = ++map.version;
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
}

/* Four regions side by side, one of each node. */
static void set_up(void)
{
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = 100;
    def.consumers = 0;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    phx_node_init(&node, &(phx_node_def){.member = {.registration = SELF, .number = 1}, .unacked_max = MANY});
    phx_cluster_map_init(&map, NODES, 1);
    for (uint16_t i = 0; i < NODES; i++)
        cr_assert(phx_cluster_map_join(
            &map, (phx_member){.registration = SELF + i, .number = (uint16_t)(1 + i), .format = PHX_FORMAT_MAX}));
    for (uint16_t i = 0; i < NODES; i++) map.regions[i].number = (uint16_t)(1 + i);
    take_map();
    halo = malloc(sizeof *halo);
    phx_halo_init(halo, &(phx_halo_def){.world = world,
                                        .producer = producer,
                                        .node = &node,
                                        .grid = {.size = {100, 100}, .columns = NODES, .rows = 1},
                                        .width = 40,
                                        .reach = 30,
                                        .grace_ticks = GRACE,
                                        .passed_ticks = PASSED,
                                        .quiet_ticks = QUIET});
}

static void tear_down(void)
{
    phx_halo_free(halo);
    free(halo);
    phx_node_free(&node);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

TestSuite(halo_passed, .init = set_up, .fini = tear_down);

static void step(void)
{
    phx_halo_begin_tick(halo);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
}

/* ---- what is heard ---- */

/* A message of a node: its own copy of the entity, or one that it forwards of another node; 0: none. */
typedef struct said {
    uint64_t source, tick;
    float x;
    uint64_t of, of_tick;
    bool none, sending, gone, more; /* more: parts of the tick come behind it */
    uint32_t ended;                 /* the stay that is gone, behind the usual one */
    uint8_t turn;
    uint32_t stays;   /* behind the usual one */
    uint32_t settled; /* versions of the map that it is behind in that */
    uint32_t ahead;   /* ... and that it is ahead of this node */
    uint32_t late;    /* ticks of this node that it has not heard */
} said;

static void hear(said what)
{
    unsigned char bytes[BYTES], *at = bytes + PHX_HALO_HEAD_BYTES;
    const ph_attrs attrs = {.view = 5, .layers = 1, .sees = 1};
    const phx_halo_copy copy = {.id = ID,
                                .stay = STAY + what.stays,
                                .turn = what.turn,
                                .sending = what.sending,
                                .attrs = {.x = what.x, .y = 50}};
    const phx_halo_forward forward = {.source = what.of, .tick = what.of_tick};
    const phx_halo_head head = {.format = PHX_FORMAT_MAX,
                                .source = what.source,
                                .target = SELF,
                                .version = map.version + what.ahead,
                                .settled_version = map.version - what.settled,
                                .tick = what.tick,
                                .echo = halo->now - what.late,
                                .last = !what.more,
                                .sets = !what.none,
                                .copies = !what.none,
                                .forwards = what.of != 0,
                                .gone = what.gone};
    if (!what.none) {
        phx_halo_put_set(at, &attrs);
        phx_halo_put_copy(at += PHX_HALO_SET_BYTES, &copy, 0);
        at += PHX_HALO_COPY_BYTES;
    }
    if (what.of != 0) phx_halo_put_forward(at, &forward);
    if (what.of != 0) at += PHX_HALO_FORWARD_BYTES;
    if (what.gone) phx_halo_put_gone(at, (phx_halo_gone){.id = ID, .stay = STAY + what.ended});
    phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
}

static void expect_copy(uint64_t source, uint64_t tick, float x)
{
    const phx_halo_entity *entity = phx_halo_find(halo, ID);
    cr_assert(entity && !entity->own);
    const phx_halo_remote *remote = phx_halo_remote_of(halo, entity);
    cr_assert(remote->source == source && remote->tick == tick && remote->attrs.x == x, "%g of %u in %u",
              (double)remote->attrs.x, (unsigned)remote->source, (unsigned)remote->tick);
}

Test(halo_passed, a_forwarded_copy_is_taken_where_its_node_was_not_heard_since)
{
    step();
    hear((said){.source = PEER, .tick = 4, .none = true});
    hear((said){.source = THIRD, .tick = 9, .x = 30, .of = PEER, .of_tick = 4});
    cr_assert_null(phx_halo_find(halo, ID), "its node has left it out in that tick");
    hear((said){.source = THIRD, .tick = 9, .x = 31, .of = PEER, .of_tick = 5});
    expect_copy(PEER, 5, 31);
    hear((said){.source = THIRD, .tick = 10, .x = 32, .of = PEER, .of_tick = 6});
    expect_copy(PEER, 6, 32);
    hear((said){.source = PEER, .tick = 5, .x = 31});
    expect_copy(PEER, 6, 32); /* that was older */
    hear((said){.source = PEER, .tick = 7, .none = true});
    hear((said){.source = THIRD, .tick = 11, .x = 40, .of = PEER, .of_tick = 7});
    expect_copy(PEER, 6, 32);
}

Test(halo_passed, a_forwarded_copy_follows_its_writers_and_no_other_nodes)
{
    step();
    hear((said){.source = THIRD, .tick = 1, .x = 30});
    hear((said){.source = THIRD, .tick = 2, .x = 31, .turn = 1, .of = PEER, .of_tick = 5});
    expect_copy(PEER, 5, 31);
    hear((said){.source = FOURTH, .tick = 1, .x = 35, .turn = 2});
    hear((said){.source = THIRD, .tick = 3, .x = 32, .turn = 1, .of = PEER, .of_tick = 6});
    expect_copy(FOURTH, 1, 35);
    hear((said){.source = FOURTH, .tick = 2, .x = 36, .stays = 1});
    hear((said){.source = THIRD, .tick = 4, .x = 33, .turn = 1, .of = PEER, .of_tick = 7});
    expect_copy(FOURTH, 2, 36);
    hear((said){.source = FOURTH, .tick = 3, .x = 37, .stays = 2, .of = PEER, .of_tick = 8});
    expect_copy(PEER, 8, 37);
}

Test(halo_passed, what_can_not_be_forwarded_is_left_out)
{
    step();
    hear((said){.source = THIRD, .tick = 1, .x = 30, .of = SELF, .of_tick = 5});
    hear((said){.source = THIRD, .tick = 2, .x = 30, .of = SELF + NODES, .of_tick = 5}); /* no member */
    hear((said){.source = PEER, .tick = 1, .none = true});
    hear((said){.source = THIRD, .tick = 3, .x = 30, .of = PEER, .of_tick = 1u << 20}); /* it can not be there yet */
    cr_assert_null(phx_halo_find(halo, ID));
}

Test(halo_passed, a_forwarded_copy_of_an_own_entity_is_no_double)
{
    const ph_attrs attrs = {.given = PH_POSITION, .x = 20, .y = 50};
    step();
    cr_assert_eq(phx_hand_over_enter(&node, ID, 0, 0), PH_OK);
    cr_assert_eq(phx_halo_enter(halo, ID, &attrs), PH_OK);
    hear((said){.source = THIRD, .tick = 1, .x = 30, .of = PEER, .of_tick = 5});
    cr_assert(phx_halo_find(halo, ID)->own && halo->double_ids.count == 0);
}

/* It went from one node to another, left there, and the first one's copy stands here. */
Test(halo_passed, an_entity_that_left_its_new_node_leaves_the_copy_of_the_old_one)
{
    step();
    hear((said){.source = PEER, .tick = 1, .x = 30});
    hear((said){.source = THIRD, .tick = 1, .none = true, .gone = true});
    cr_assert_null(phx_halo_find(halo, ID), "though it is repeated, as far as is known");
    hear((said){.source = PEER, .tick = 2, .x = 31});
    cr_assert_null(phx_halo_find(halo, ID));
}

Test(halo_passed, what_has_left_is_not_brought_back_by_nodes_that_have_given_it_away)
{
    step();
    hear((said){.source = PEER, .tick = 1, .x = 30});
    hear((said){.source = PEER, .tick = 2, .none = true, .gone = true});
    cr_assert_null(phx_halo_find(halo, ID));
    hear((said){.source = THIRD, .tick = 1, .x = 30, .sending = true});
    hear((said){.source = THIRD, .tick = 2, .x = 30, .of = FOURTH, .of_tick = 1});
    cr_assert_null(phx_halo_find(halo, ID));
    hear((said){.source = THIRD, .tick = 3, .x = 30, .stays = 1, .sending = true});
    cr_assert_not_null(phx_halo_find(halo, ID), "another stay has not ended");
}

/* It entered again on another node, and left there, too: the ends of both stays are told for some ticks, in any order.
 */
Test(halo_passed, of_an_id_that_has_left_twice_no_stay_is_brought_back)
{
    step();
    hear((said){.source = FOURTH, .tick = 1, .none = true, .gone = true, .ended = 1});
    hear((said){.source = PEER, .tick = 1, .none = true, .gone = true});
    step();
    hear((said){.source = THIRD, .tick = 1, .x = 30, .stays = 1, .sending = true});
    cr_assert_null(phx_halo_find(halo, ID), "the later one");
    hear((said){.source = FOURTH, .tick = 2, .none = true, .gone = true, .ended = 1});
    hear((said){.source = THIRD, .tick = 2, .x = 30, .sending = true});
    cr_assert_null(phx_halo_find(halo, ID), "the earlier one");
    hear((said){.source = THIRD, .tick = 3, .x = 30, .stays = 2});
    cr_assert_not_null(phx_halo_find(halo, ID), "a third stay");
}

/* It left one node and entered on another one: the first one's last words from before come late, and then its end. */
Test(halo_passed, late_words_of_a_stay_remove_no_later_one_of_the_id)
{
    step();
    hear((said){.source = PEER, .tick = 1, .x = 30});
    hear((said){.source = THIRD, .tick = 1, .x = 40, .stays = 1});
    hear((said){.source = PEER, .tick = 2, .x = 31});
    expect_copy(THIRD, 1, 40);
    hear((said){.source = THIRD, .tick = 2, .x = 41, .stays = 1});
    hear((said){.source = PEER, .tick = 3, .x = 32});
    expect_copy(THIRD, 2, 41);
    hear((said){.source = PEER, .tick = 4, .none = true, .gone = true});
    expect_copy(THIRD, 2, 41);
}

/* Its end was told by its last node: the one before that is late, or has taken it back from that one, which died. */
Test(halo_passed, late_words_of_a_stay_that_has_ended_bring_nothing_back)
{
    step();
    hear((said){.source = PEER, .tick = 1, .none = true, .gone = true});
    hear((said){.source = FOURTH, .tick = 1, .x = 30});
    step();
    hear((said){.source = PEER, .tick = 2, .none = true, .gone = true});
    hear((said){.source = FOURTH, .tick = 2, .x = 31, .late = 1});
    cr_assert_null(phx_halo_find(halo, ID));
    hear((said){.source = FOURTH, .tick = 3, .x = 32});
    expect_copy(FOURTH, 3, 32); /* it has heard of that tick */
}

/* As where two hosts have entered the id, or the first one's words had come before any of the other one's. */
Test(halo_passed, a_stay_that_goes_on_takes_its_place_back_where_the_other_one_is_not_repeated)
{
    step();
    hear((said){.source = PEER, .tick = 1, .x = 30});
    hear((said){.source = THIRD, .tick = 1, .x = 40, .stays = 1});
    hear((said){.source = THIRD, .tick = 2, .none = true});
    hear((said){.source = PEER, .tick = 2, .x = 31});
    expect_copy(PEER, 2, 31);
    hear((said){.source = THIRD, .tick = 3, .x = 42, .stays = 1});
    expect_copy(PEER, 2, 31); /* its place was taken, too */
    hear((said){.source = PEER, .tick = 3, .x = 32, .sending = true});
    hear((said){.source = THIRD, .tick = 4, .x = 43, .stays = 1});
    expect_copy(THIRD, 4, 43); /* its owner tells of it, the other one's is not known */
    hear((said){.source = PEER, .tick = 4, .x = 33});
    expect_copy(THIRD, 4, 43);
}

Test(halo_passed, what_has_left_here_is_not_brought_back_by_the_node_that_it_came_from)
{
    const ph_attrs attrs = {.given = PH_POSITION, .x = 20, .y = 50};
    step();
    cr_assert_eq(phx_hand_over_enter(&node, ID, 0, 0), PH_OK);
    cr_assert_eq(phx_halo_enter(halo, ID, &attrs), PH_OK);
    phx_halo_find(halo, ID)->stay = STAY;
    cr_assert_eq(phx_hand_over_leave(&node, ID), PH_OK);
    cr_assert_eq(phx_halo_leave(halo, ID), PH_OK);
    hear((said){.source = PEER, .tick = 1, .x = 20, .sending = true});
    cr_assert_null(phx_halo_find(halo, ID));
    for (uint32_t i = 0; i < GRACE; i++) step();
    hear((said){.source = PEER, .tick = 2, .x = 20, .sending = true});
    for (uint32_t i = 0; i < GRACE; i++) step();
    hear((said){.source = PEER, .tick = 3, .x = 20, .sending = true});
    cr_assert_null(phx_halo_find(halo, ID), "as long as such words come");
    for (uint32_t i = 0; i < GRACE + 2; i++) step();
    cr_assert_eq(halo->ended.count, 0);
}

/* Its newest tick is told before the node has heard of it at all. */
Test(halo_passed, a_forwarded_copy_of_a_node_that_was_never_heard_is_taken)
{
    step();
    cr_assert_not_null(phx_halo_peer_of(halo, PEER));
    hear((said){.source = THIRD, .tick = 1, .x = 30, .of = PEER, .of_tick = 1u << 20});
    expect_copy(PEER, 1u << 20, 30);
}

/* ---- what is written ---- */

typedef struct written {
    uint32_t copies, sending, forwards;
    uint64_t source, tick; /* of the forward */
    uint32_t settled;
} written;

static written messages[NODES];

static void note_message(void *user, uint64_t target, const void *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    (void)user;
    cr_assert_eq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    written *to = &messages[target - SELF];
    *to = (written){.copies = head.copies, .forwards = head.forwards, .settled = head.settled_version};
    for (uint32_t i = 0; i < head.copies; i++) to->sending += phx_halo_copy_at(&parts, i).sending;
    for (uint32_t i = 0; i < head.forwards; i++) {
        to->source = phx_halo_forward_at(&parts, i).source;
        to->tick = phx_halo_forward_at(&parts, i).tick;
    }
}

static void write_tick(void)
{
    step();
    memset(messages, 0, sizeof messages);
    phx_halo_write(halo, note_message, NULL);
}

/* To the node of the second region. */
static void give_one(void)
{
    phx_family family;
    const ph_attrs attrs = {.given = PH_POSITION, .x = 20, .y = 50};
    cr_assert_eq(phx_hand_over_enter(&node, ID, 0, 0), PH_OK);
    cr_assert_eq(phx_halo_enter(halo, ID, &attrs), PH_OK);
    write_tick();
    cr_assert_eq(ph_move(producer, ID, 30, 50, 0), PH_OK);
    write_tick();
    cr_assert_eq(phx_halo_give(halo, ID, 2, &family), PH_OK);
    write_tick();
}

static void hear_all(uint64_t tick, uint32_t settled)
{
    for (uint64_t source = PEER; source <= FOURTH; source++)
        hear((said){.source = source, .tick = tick, .none = true, .settled = settled});
}

Test(halo_passed, an_entity_that_was_handed_over_is_copied_for_some_ticks_more)
{
    give_one();
    for (uint32_t i = 0; i < 2 * PASSED; i++) write_tick();
    cr_assert(messages[1].sending == 1 && messages[2].sending == 1 && messages[2].forwards == 0);
    phx_hand_over_finish(&node, phx_node_peer(&node, PEER));
    for (uint32_t i = 0; i < PASSED; i++) {
        write_tick();
        cr_assert(messages[2].copies == 1 && messages[2].sending == 1, "tick %u", i);
        cr_assert_eq(messages[1].copies, 0, "its node has taken it");
    }
    write_tick();
    cr_assert(messages[1].copies == 0 && messages[2].copies == 0 && halo->passed_count == 0);
}

Test(halo_passed, an_entity_that_its_new_node_tells_of_is_forwarded)
{
    give_one();
    const uint32_t stay = phx_halo_find(halo, ID)->stay;
    phx_halo_find(halo, ID)->stay = STAY; /* as messages here have it */
    phx_hand_over_finish(&node, phx_node_peer(&node, PEER));
    hear((said){.source = PEER, .tick = 3, .x = 31});
    write_tick();
    cr_assert(stay != STAY && messages[1].copies == 0, "it has it itself");
    cr_assert(messages[2].copies == 1 && messages[2].sending == 0 && messages[2].forwards == 1);
    cr_assert(messages[2].source == PEER && messages[2].tick == 3);
    for (uint32_t i = 1; i < PASSED; i++) {
        write_tick();
        cr_assert(messages[2].forwards == 1 && messages[2].tick == 3, "tick %u", i);
    }
    write_tick();
    cr_assert_eq(messages[2].copies, 0);
}

static void expect_stay(uint32_t stay)
{
    const phx_halo_entity *entity = phx_halo_find(halo, ID);
    cr_assert(entity && entity->stay == stay);
}

/* It left there, and entered here: the words from before are late. */
Test(halo_passed, what_was_given_away_stands_here_whatever_its_new_node_told_before_of_its_id)
{
    give_one();
    const uint32_t stay = phx_halo_find(halo, ID)->stay;
    hear((said){.source = PEER, .tick = 1, .x = 35, .late = 2});
    expect_stay(stay);
    hear((said){.source = PEER, .tick = 2, .none = true, .gone = true, .late = 2});
    hear((said){.source = FOURTH, .tick = 1, .x = 36, .late = 2});
    expect_stay(stay);
    phx_hand_over_finish(&node, phx_node_peer(&node, PEER));
    hear((said){.source = PEER, .tick = 3, .x = 37, .stays = 1, .late = 2});
    expect_stay(stay); /* an ack is not late with them */
    hear((said){.source = PEER, .tick = 4, .x = 38, .stays = 2, .late = 1});
    expect_stay(STAY + 2); /* it has left there, and entered again */
}

/* Its word counts nowhere any more; the entity comes back here. */
Test(halo_passed, no_copy_of_a_node_that_was_put_out_is_forwarded)
{
    give_one();
    phx_halo_find(halo, ID)->stay = STAY;
    hear((said){.source = PEER, .tick = 3, .x = 31});
    write_tick();
    cr_assert_eq(messages[2].forwards, 1);
    cr_assert(phx_cluster_map_put_out(&map, PEER));
    take_map();
    write_tick();
    cr_assert(messages[2].forwards == 0 && messages[2].sending == 1);
}

static void hear_many(uint64_t first_id, uint32_t count)
{
    static unsigned char bytes[PHX_WIRE_BYTES_MAX];
    const ph_attrs attrs = {.view = 5, .layers = 1, .sees = 1};
    const phx_halo_head head = {.format = PHX_FORMAT_MAX,
                                .source = PEER,
                                .target = SELF,
                                .version = map.version,
                                .tick = 3,
                                .last = true,
                                .sets = 1,
                                .copies = count};
    unsigned char *at = bytes + PHX_HALO_HEAD_BYTES;
    phx_halo_put_set(at, &attrs);
    at += PHX_HALO_SET_BYTES;
    for (uint64_t id = first_id; id < first_id + count; id++, at += PHX_HALO_COPY_BYTES) {
        const phx_halo_copy copy = {
            .id = id, .stay = phx_halo_find(halo, id)->stay, .turn = 1, .attrs = {.x = 31, .y = 50}};
        phx_halo_put_copy(at, &copy, 0);
    }
    phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
}

static uint32_t forwards_to_third, parts_to_third;

static void count_parts(void *user, uint64_t target, const void *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    (void)user;
    cr_assert_eq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    if (target != THIRD) return;
    forwards_to_third += head.forwards;
    parts_to_third++;
}

Test(halo_passed, more_forwards_than_a_message_has_room_for_go_in_two)
{
    phx_family family;
    for (uint64_t id = 1; id <= MANY; id++) {
        const ph_attrs attrs = {.given = PH_POSITION, .x = 30, .y = 50};
        cr_assert_eq(phx_hand_over_enter(&node, id, 0, 0), PH_OK);
        cr_assert_eq(phx_halo_enter(halo, id, &attrs), PH_OK);
        if (id % 256 == 0) step(); /* the producer has room for so many */
    }
    write_tick();
    for (uint64_t id = 1; id <= MANY; id++) {
        cr_assert_eq(phx_halo_give(halo, id, 2, &family), PH_OK);
        if (id % 256 == 0) step();
    }
    step();
    hear_many(1, MANY / 2);
    step();
    hear_many(1 + MANY / 2, MANY - MANY / 2);
    step();
    forwards_to_third = parts_to_third = 0;
    phx_halo_write(halo, count_parts, NULL);
    cr_assert(forwards_to_third == MANY && parts_to_third == 2, "%u in %u", forwards_to_third, parts_to_third);
}

/* ---- regions ---- */

/* The second region goes to the third node while an entity is on its way to the second one. */
Test(halo_passed, no_region_is_taken_from_a_peer_to_which_an_entity_is_on_its_way)
{
    give_one();
    const phx_halo_peer *peer = phx_halo_peer_find(halo, PEER);
    map.regions[1].number = 3;
    take_map();
    hear_all(1, 0);
    for (uint32_t i = 0; i < PASSED; i++) write_tick();
    hear_all(2, 0);
    write_tick();
    cr_assert(phx_region_set_has(&peer->copied, 1) && messages[2].settled == map.version - 1);
    phx_hand_over_finish(&node, phx_node_peer(&node, PEER));
    for (uint32_t i = 0; i < PASSED; i++) write_tick();
    cr_assert(phx_region_set_has(&peer->copied, 1) && messages[2].settled == map.version - 1, "it may be said anew");
    hear_all(3, 0);
    write_tick();
    cr_assert(!phx_region_set_has(&peer->copied, 1) && messages[2].settled == map.version);
}

Test(halo_passed, no_region_is_taken_from_a_peer_before_all_have_settled_and_it_is_heard)
{
    write_tick();
    const phx_halo_peer *peer = phx_halo_peer_find(halo, PEER);
    map.regions[1].number = 3;
    take_map();
    hear_all(1, 0);
    hear((said){.source = FOURTH, .tick = 2, .none = true, .settled = 1});
    write_tick();
    cr_assert(phx_region_set_has(&peer->copied, 1), "the fourth node may have one on its way");
    hear((said){.source = FOURTH, .tick = 3, .none = true});
    for (uint32_t i = 0; i < PASSED; i++) step();
    write_tick();
    cr_assert(phx_region_set_has(&peer->copied, 1), "it may have said that it has one there");
    hear_all(4, 0);
    write_tick();
    cr_assert(!phx_region_set_has(&peer->copied, 1));
}

/* Entities that have come wait for the world, maybe in regions that are lost by now. */
Test(halo_passed, nothing_is_settled_while_entities_wait_for_the_world)
{
    write_tick();
    const phx_halo_peer *peer = phx_halo_peer_find(halo, PEER);
    map.regions[1].number = 3;
    take_map();
    halo->waits_version = map.version - 1;
    hear_all(1, 0);
    write_tick();
    cr_assert(messages[2].settled == map.version - 1 && phx_region_set_has(&peer->copied, 1));
    halo->waits_version = UINT32_MAX;
    hear_all(2, 0);
    write_tick();
    cr_assert(messages[2].settled == map.version && !phx_region_set_has(&peer->copied, 1));
}

/* The own world had no room for the copy any more. */
Test(halo_passed, an_entity_on_its_way_of_which_no_copy_is_here_is_not_settled)
{
    give_one();
    phx_halo_remove(halo, phx_halo_find(halo, ID));
    take_map();
    write_tick();
    cr_assert_eq(messages[2].settled, map.version - 1);
    phx_hand_over_finish(&node, phx_node_peer(&node, PEER));
    write_tick();
    cr_assert(messages[2].settled == map.version && halo->passed_count == 0);
}

/* It got two maps at once: it has never copied what is near the regions that this node has by its own one. */
Test(halo_passed, a_node_that_has_written_by_a_later_map_alone_is_not_heard_by_the_own_one)
{
    hear_all(1, 0);
    write_tick();
    const uint32_t heard = map.version;
    cr_assert_eq(halo->heard_version, heard);
    take_map();
    hear((said){.source = PEER, .tick = 2, .none = true, .ahead = 1});
    hear((said){.source = THIRD, .tick = 2, .none = true});
    hear((said){.source = FOURTH, .tick = 2, .none = true});
    write_tick();
    cr_assert_eq(halo->heard_version, heard);
    hear((said){.source = THIRD, .tick = 3, .none = true, .ahead = 1});
    take_map();
    hear((said){.source = FOURTH, .tick = 3, .none = true, .ahead = 1});
    write_tick();
    cr_assert_eq(halo->heard_version, heard, "the fourth one is ahead again");
    take_map();
    hear((said){.source = PEER, .tick = 4, .none = true});
    write_tick();
    hear((said){.source = PEER, .tick = 5, .none = true, .ahead = 1});
    hear((said){.source = THIRD, .tick = 4, .none = true});
    hear((said){.source = FOURTH, .tick = 4, .none = true});
    write_tick();
    cr_assert_eq(halo->heard_version, map.version, "the peer has written by that map before");
}

/* As behind a death, where each node notes in the map that it has restored what it had to: a version in each tick. */
Test(halo_passed, maps_that_move_no_region_are_not_waited_for)
{
    hear_all(1, 0);
    write_tick();
    phx_halo_peer *peer = phx_halo_peer_find(halo, PEER);
    map.version++;
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
    phx_region_set_add(&peer->copied, 3);
    write_tick();
    cr_assert_eq(halo->heard_version, map.moved);
    cr_assert_not(phx_region_set_has(&peer->copied, 3), "all have settled in these regions");
    hear((said){.source = PEER, .tick = 2, .none = true, .ahead = 1});
    map.version++;
    map.moved = map.version;
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
    write_tick();
    cr_assert_lt(halo->heard_version, map.moved, "this one moves some");
}

/* The node reads two maps at once, of which the first one moves regions: what is written by that counts. */
Test(halo_passed, a_map_with_the_same_regions_as_the_own_one_counts)
{
    write_tick();
    take_map();
    const uint32_t moved = map.moved;
    map.version++;
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
    for (uint64_t source = PEER; source <= FOURTH; source++)
        hear((said){.source = source, .tick = 1, .none = true, .settled = 1, .ahead = UINT32_MAX}); /* one behind */
    write_tick();
    cr_assert_eq(halo->heard_version, moved);
}

Test(halo_passed, a_tick_that_is_not_whole_is_not_written_by_a_map)
{
    hear_all(1, 0);
    write_tick();
    take_map();
    hear((said){.source = THIRD, .tick = 2, .none = true});
    hear((said){.source = FOURTH, .tick = 2, .none = true});
    hear((said){.source = PEER, .tick = 3, .none = true, .more = true});
    write_tick();
    cr_assert_eq(halo->heard_version, map.version - 1);
    hear((said){.source = PEER, .tick = 4, .none = true});
    write_tick();
    cr_assert_eq(halo->heard_version, map.version);
}

/* Its copies have left by then, and the host is told that it is late. */
Test(halo_passed, a_node_that_is_silent_holds_no_hand_over_of_others)
{
    hear_all(1, 0);
    write_tick();
    take_map();
    for (uint64_t tick = 2; tick <= QUIET; tick++) {
        hear((said){.source = PEER, .tick = tick, .none = true});
        hear((said){.source = THIRD, .tick = tick, .none = true});
        write_tick();
        cr_assert_eq(halo->heard_version, map.version - 1);
    }
    write_tick();
    cr_assert_eq(halo->heard_version, map.version);
}
