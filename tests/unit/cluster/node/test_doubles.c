/*
 * Entities of one id that several hosts have entered, on their way between nodes: where two of them meet one stays, by
 * a rule that all nodes have, and the host there is told of the other one. First by hand, then by seed: families with
 * some of them, over messages that are lost, doubled and late, with a node that dies.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/map/map_changes.h"
#include "cluster/map/rules.h"
#include "cluster/node/claims.h"
#include "cluster/node/exchange.h"
#include "cluster/node/hand_over.h"
#include "cluster/node/map_barrier.h"
#include "cluster/node/transit.h"
#include "support/fail_alloc.h"
#include "support/node_reads.h"

enum { NODES = 4, A = 0, B = 1, C = 2, D = 3, UNACKED = 64, LEASE = 1000, X = 5 };

static fail_alloc allocator;
static phx_cluster_map map;
static phx_node nodes[NODES];
static bool is_dead[NODES];
static unsigned char buffer[PHX_WIRE_BYTES_MAX];

static void set_up(void)
{
    allocator = (fail_alloc){0};
    phx_cluster_map_init(&map, NODES, 1);
    for (uint32_t i = 0; i < NODES; i++) {
        const phx_member member = {.registration = 10u + i, .number = (uint16_t)(i + 1), .format = PHX_FORMAT_MAX};
        const phx_node_def def = {.member = member, .unacked_max = UNACKED, .allocator = fail_alloc_hooks(&allocator)};
        phx_node_init(&nodes[i], &def);
        is_dead[i] = false;
        cr_assert(phx_cluster_map_join(&map, member));
    }
    for (uint32_t i = 0; i < NODES; i++) (void)phx_cluster_map_give(&map, i, (uint16_t)(i + 1)); /* or it is */
    for (uint32_t i = 0; i < NODES; i++) {
        phx_node_lease(&nodes[i], LEASE);
        cr_assert_eq(phx_node_map(&nodes[i], &map), PH_OK);
    }
}

static void tear_down(void)
{
    for (uint32_t i = 0; i < NODES; i++) phx_node_free(&nodes[i]);
    if (!fail_alloc_clean(&allocator)) abort();
}

TestSuite(doubles, .init = set_up, .fini = tear_down);

/* ---- by hand ---- */

static size_t write_to(uint32_t from, uint32_t to, bool always, unsigned char *bytes)
{
    uint64_t target;
    size_t size = 0;
    for (uint32_t i = 0; i < nodes[from].peer_count; i++)
        if (nodes[from].peers[i].member.registration == nodes[to].def.member.registration)
            size = phx_exchange_write(&nodes[from], i, always, bytes, PHX_WIRE_BYTES_MAX, &target);
    return size;
}

static void speak(uint32_t from, uint32_t to)
{
    const size_t size = write_to(from, to, true, buffer);
    if (size > 0) phx_exchange_receive(&nodes[to], buffer, size);
}

static void speak_all(void)
{
    for (uint32_t from = 0; from < NODES; from++)
        for (uint32_t to = 0; to < NODES; to++)
            if (from != to && !is_dead[from] && !is_dead[to]) speak(from, to);
}

static void enter(uint32_t node, uint64_t id)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[node], id, node, 0), PH_OK);
}

/* The state is the node's number. */
static void send_family(uint32_t from, uint32_t to, uint64_t id, const uint64_t *followers, uint32_t count)
{
    const unsigned char state = (unsigned char)from;
    cr_assert_eq(phx_hand_over_send(&nodes[from], id, (uint16_t)(to + 1), followers, count, &state, 1), PH_OK);
}

static void send_one(uint32_t from, uint32_t to, uint64_t id)
{
    send_family(from, to, id, NULL, 0);
}

static const phx_holding *held(uint32_t node, uint64_t id)
{
    return phx_holdings_find(&nodes[node].holdings, id);
}

static bool owns(uint32_t node, uint64_t id)
{
    return held(node, id) && !held(node, id)->sending;
}

/* The next event of a node, which came from another one; so many of the offer were dropped. */
static phx_node_event expect_event(uint32_t node, phx_node_event_kind kind, uint32_t from, uint32_t dropped)
{
    phx_node_event event = {0};
    cr_assert(take_next_event(&nodes[node], &event));
    cr_assert_eq(event.kind, kind);
    cr_assert(event.peer == nodes[from].def.member.registration && event.dropped_count == dropped);
    return event;
}

static void expect_no_event(uint32_t node)
{
    phx_node_event event;
    cr_assert_not(take_next_event(&nodes[node], &event));
}

/* All have acks and confirmations; each id is owned once, by that node. */
static void expect_owner(uint32_t node, uint64_t id)
{
    for (uint32_t i = 0; i < 4; i++) speak_all();
    for (uint32_t i = 0; i < NODES; i++) {
        if (is_dead[i]) continue;
        cr_assert_eq(held(i, id) != NULL, i == node);
        cr_assert_eq(owns(i, id), i == node);
        cr_assert_eq(nodes[i].replaced, 0);
    }
}

/* Two of one id go to each other's node at once. */
static void cross(uint32_t lower, uint32_t higher)
{
    send_one(A, B, X);
    send_one(B, A, X);
    speak(A, B);
    speak(B, A);
    const phx_node_event dropped = expect_event(lower == A ? B : A, PHX_NODE_DUPLICATE, lower, 1);
    cr_assert(dropped.offer.id == X && *dropped.offer.state == lower);
    (void)expect_event(lower, PHX_NODE_GAINED, higher, 0);
    cr_assert_eq(nodes[higher].counts.duplicates, 1);
    expect_owner(lower, X);
    for (uint32_t i = A; i <= B; i++) expect_no_event(i);
}

Test(doubles, of_two_that_cross_the_one_of_the_higher_ownership_stays)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[A], X, A, ((uint64_t)map.version << 32) + 7), PH_OK);
    enter(B, X);
    cross(B, A);
}

Test(doubles, of_two_that_cross_with_one_ownership_the_one_of_the_higher_registration_stays)
{
    enter(A, X);
    enter(B, X);
    cross(A, B);
}

/* Another one of its id has come: it is on its way no more, so the one behind it is the oldest. */
Test(doubles, one_that_was_replaced_on_its_way_is_not_the_oldest)
{
    enum { MS = PHX_NODE_NS_IN_MS };
    for (uint64_t id = X; id <= X + 2; id++) enter(A, id);
    cr_assert_eq(phx_hand_over_enter(&nodes[B], X, B, ((uint64_t)map.version << 32) + 7), PH_OK);
    send_one(A, C, X);
    nodes[A].now = 10 * MS;
    send_one(A, C, X + 1);
    nodes[A].now = 15 * MS;
    send_one(A, D, X + 2);
    cr_assert_eq(phx_transit_of(&nodes[A], 30 * MS).oldest_ms, 30);
    send_one(B, A, X);
    speak(B, A);
    (void)expect_event(A, PHX_NODE_GAINED, B, 0);
    const phx_transit transit = phx_transit_of(&nodes[A], 30 * MS);
    cr_assert(nodes[A].transit == 2 && transit.oldest_ms == 20 && transit.looks == 3, "%u, %u ms", nodes[A].transit,
              transit.oldest_ms);
    expect_owner(A, X);
    expect_owner(C, X + 1);
    expect_owner(D, X + 2);
    cr_assert_eq(nodes[A].transit, 0);
}

/* ---- the ack of one of them counts before the other one is taken ---- */

/* A's X is above that of B, and both go to each other's node. */
static void cross_higher_of_a(void)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[A], X, A, ((uint64_t)map.version << 32) + 7), PH_OK);
    enter(B, X);
    send_one(A, B, X);
    send_one(B, A, X);
    speak(A, B);
}

static void expect_void(void)
{
    cr_assert_null(held(A, X), "its ack has come, and B's was not taken");
    expect_owner(B, X);
    (void)expect_event(A, PHX_NODE_DUPLICATE, B, 1);
    (void)expect_event(B, PHX_NODE_GAINED, A, 0);
    expect_no_event(A);
    expect_no_event(B);
}

Test(doubles, one_that_is_taken_behind_the_ack_of_the_other_one_is_void)
{
    const uint64_t claimed = X;
    cross_higher_of_a();
    cr_assert(phx_claims_set(&nodes[A].claims, nodes[C].def.member.registration, 1, 1, &claimed, 1));
    speak(B, A);
    phx_claims_drop(&nodes[A].claims, nodes[C].def.member.registration);
    expect_void();
}

Test(doubles, one_that_no_memory_was_for_is_void_behind_the_ack_of_the_other_one)
{
    cross_higher_of_a();
    allocator.fail_at = allocator.calls + 1;
    allocator.sticky = true;
    speak(B, A);
    allocator.fail_at = 0;
    allocator.sticky = false;
    expect_void();
}

/* Its first message is late, and has it as it was. */
Test(doubles, one_in_a_message_older_than_the_ack_of_the_other_one_is_not_taken)
{
    static unsigned char late[PHX_WIRE_BYTES_MAX];
    const uint64_t claimed = X;
    cr_assert_eq(phx_hand_over_enter(&nodes[A], X, A, ((uint64_t)map.version << 32) + 7), PH_OK);
    enter(B, X);
    send_one(A, B, X);
    send_one(B, A, X);
    const size_t size = write_to(B, A, true, late);
    cr_assert_gt(size, 0);
    speak(A, B);
    cr_assert(phx_claims_set(&nodes[A].claims, nodes[C].def.member.registration, 1, 1, &claimed, 1));
    speak(B, A);
    phx_claims_drop(&nodes[A].claims, nodes[C].def.member.registration);
    phx_exchange_receive(&nodes[A], late, size);
    expect_void();
}

/* Many cross at once: not all fit into a message. */
Test(doubles, one_behind_more_than_a_message_is_void)
{
    static unsigned char state[100000];
    cr_assert_eq(phx_hand_over_enter(&nodes[A], X, A, ((uint64_t)map.version << 32) + 7), PH_OK);
    enter(B, X);
    for (uint64_t id = 20; id < 23; id++) {
        enter(B, id);
        cr_assert_eq(phx_hand_over_send(&nodes[B], id, A + 1, NULL, 0, state, sizeof state), PH_OK);
    }
    send_one(A, B, X);
    send_one(B, A, X);
    speak(A, B);
    speak(B, A);
    cr_assert_null(held(A, X));
    expect_owner(B, X);
    for (uint64_t id = 20; id < 23; id++) (void)expect_event(A, PHX_NODE_GAINED, B, 0);
    (void)expect_event(A, PHX_NODE_DUPLICATE, B, 1);
}

Test(doubles, the_rest_of_a_family_comes_where_some_of_it_are_dropped)
{
    const uint64_t followers[] = {2, 3};
    for (uint64_t id = 1; id <= 3; id++) enter(A, id);
    enter(B, 2);
    enter(B, 4);
    send_family(A, B, 1, followers, 2);
    send_family(B, A, 2, (uint64_t[]){4}, 1);
    speak(A, B);
    speak(B, A);
    const phx_node_event event = expect_event(B, PHX_NODE_GAINED, A, 1);
    for (uint64_t id = 1; id <= 3; id++) cr_assert_eq(phx_event_drops(&event, id), id == 2);
    cr_assert_eq(nodes[B].counts.duplicates, 1);
    (void)expect_event(A, PHX_NODE_GAINED, B, 0);
    expect_owner(A, 2);
    expect_owner(A, 4);
    expect_owner(B, 1);
    expect_owner(B, 3);
}

Test(doubles, of_three_that_go_in_a_circle_one_stays)
{
    for (uint32_t i = A; i <= C; i++) enter(i, X);
    for (uint32_t i = A; i <= C; i++) send_one(i, (i + 1) % 3, X);
    for (uint32_t i = A; i <= C; i++) speak(i, (i + 1) % 3);
    (void)expect_event(B, PHX_NODE_DUPLICATE, A, 1);
    (void)expect_event(C, PHX_NODE_DUPLICATE, B, 1);
    (void)expect_event(A, PHX_NODE_GAINED, C, 0);
    expect_owner(A, X);
}

/* A's entity is on its way to C, and B's takes its place at A; nobody has heard of that way's end. */
static void replace_one(void)
{
    enter(A, X);
    enter(B, X);
    send_one(A, C, X);
    send_one(B, A, X);
    speak(B, A);
    (void)expect_event(A, PHX_NODE_GAINED, B, 0);
}

Test(doubles, one_that_comes_above_one_on_its_way_stays_at_its_ack_and_the_other_one_is_void)
{
    replace_one();
    cr_assert(owns(A, X) && !held(A, X)->is_double && nodes[A].replaced == 1 && nodes[A].counts.gained == 1);
    cr_assert_gt(held(A, X)->ownership, (uint64_t)map.version << 32);
    cr_assert_eq(phx_hand_over_leave(&nodes[A], X), PH_OK);
    enter(A, X);
    speak(A, C);
    (void)expect_event(C, PHX_NODE_DUPLICATE, A, 1);
    speak(C, A);
    cr_assert(owns(A, X) && nodes[A].replaced == 0, "its ack ends the other one alone");
    expect_owner(A, X);
}

/* Node C is put out, and the others know it. */
static void end_c(void)
{
    is_dead[C] = true;
    cr_assert(phx_cluster_map_put_out(&map, nodes[C].def.member.registration));
    for (uint32_t i = 0; i < NODES; i++)
        if (i != C) cr_assert_eq(phx_node_map(&nodes[i], &map), PH_OK);
    for (uint32_t from = 0; from < NODES; from++) {
        for (uint32_t to = 0; to < NODES; to++) {
            const size_t size = phx_exchange_heartbeat(&nodes[from], buffer, sizeof buffer);
            if (from != to && from != C && to != C) phx_exchange_receive(&nodes[to], buffer, size);
        }
    }
    phx_map_barrier_begin(&nodes[A], 1);
}

/* It was void. */
Test(doubles, one_that_comes_back_from_a_dead_node_is_dropped_where_the_other_one_stays)
{
    replace_one();
    const uint64_t taking = held(A, X)->taking;
    end_c();
    const phx_node_event event = expect_event(A, PHX_NODE_DUPLICATE, C, 1);
    cr_assert(event.sequence == 0 && *event.offer.state == A);
    cr_assert(!held(A, X)->is_double && held(A, X)->taking == taking && taking != event.taking);
    cr_assert(nodes[A].counts.duplicates == 1 && nodes[A].counts.taken_back == 0);
    expect_owner(A, X);
}

/* A family's is imported with it. */
Test(doubles, one_that_comes_back_with_its_family_takes_the_place_of_the_other_one)
{
    const uint64_t follower = X;
    enter(A, 4);
    enter(A, X);
    enter(B, X);
    send_family(A, C, 4, &follower, 1);
    send_one(B, A, X);
    speak(B, A);
    (void)expect_event(A, PHX_NODE_GAINED, B, 0);
    end_c();
    const phx_node_event event = expect_event(A, PHX_NODE_TAKEN_BACK, C, 0);
    const phx_holding *own = held(A, X);
    cr_assert(own->is_double && own->peer == 0 && own->sequence == 0 && own->taking == event.taking);
    cr_assert_eq(own->ownership, ((uint64_t)map.version << 32) + 1);
    cr_assert(own->feed.begun == own->ownership && own->feed.number == 1);
    cr_assert(nodes[A].counts.duplicates == 1 && nodes[A].counts.taken_back == 1);
    expect_owner(A, X);
    expect_owner(A, 4);
}

Test(doubles, one_that_comes_back_is_dropped_where_the_other_one_was_sent_on)
{
    replace_one();
    speak(A, B);
    speak(B, A); /* the confirmation */
    send_one(A, NODES - 1, X);
    end_c();
    (void)expect_event(A, PHX_NODE_DUPLICATE, C, 1);
    cr_assert(nodes[A].counts.duplicates == 1 && nodes[A].counts.taken_back == 0);
    expect_owner(NODES - 1, X);
}

/* Of the one that was sent on, and of the one before it, which it had replaced. */
Test(doubles, of_two_that_come_back_at_once_the_later_one_stays)
{
    replace_one();
    speak(A, B);
    speak(B, A);
    send_one(A, D, X);
    is_dead[D] = true;
    cr_assert(phx_cluster_map_put_out(&map, nodes[D].def.member.registration));
    end_c();
    phx_node_event one, other;
    cr_assert(take_next_event(&nodes[A], &one) && take_next_event(&nodes[A], &other));
    const phx_node_event *back = one.kind == PHX_NODE_TAKEN_BACK ? &one : &other;
    const phx_node_event *dropped = back == &one ? &other : &one;
    cr_assert(back->kind == PHX_NODE_TAKEN_BACK && back->peer == nodes[D].def.member.registration);
    cr_assert(dropped->kind == PHX_NODE_DUPLICATE && dropped->peer == nodes[C].def.member.registration);
    cr_assert(!held(A, X)->is_double && held(A, X)->taking == back->taking);
    expect_owner(A, X);
}

Test(doubles, one_that_comes_back_ends_where_the_other_one_has_left)
{
    replace_one();
    cr_assert_eq(phx_hand_over_leave(&nodes[A], X), PH_OK);
    end_c();
    (void)expect_event(A, PHX_NODE_DUPLICATE, C, 1);
    cr_assert(!held(A, X) && nodes[A].counts.taken_back == 0 && nodes[A].replaced == 0);
}

/* Its receiver has one of that id, too. */
Test(doubles, one_that_is_void_comes_with_its_family_where_one_of_its_id_is_own)
{
    const uint64_t follower = X;
    enter(A, 4);
    enter(A, X);
    enter(B, X);
    enter(C, X);
    send_family(A, C, 4, &follower, 1);
    send_one(B, A, X);
    speak(B, A);
    (void)expect_event(A, PHX_NODE_GAINED, B, 0);
    speak(A, C);
    (void)expect_event(C, PHX_NODE_GAINED, A, 0);
    cr_assert(held(C, X)->is_double && held(C, X)->feed.number == 1 && nodes[C].counts.duplicates == 1);
    expect_owner(C, 4);
    cr_assert(owns(A, X) && owns(C, X), "they may meet later");
}

Test(doubles, an_id_that_was_dropped_from_a_family_waits_until_the_host_has_heard)
{
    const uint64_t follower = X;
    enter(A, 4);
    enter(A, X);
    enter(B, X);
    send_one(B, A, X);
    send_family(A, B, 4, &follower, 1);
    speak(A, B);
    speak(B, A);
    speak(A, B); /* the ack: B has it no more */
    cr_assert_null(held(B, X));
    for (uint64_t other = 21; other <= 23; other++) cr_assert_eq(phx_hand_over_enter(&nodes[B], other, B, 0), PH_OK);
    cr_assert_eq(phx_hand_over_enter(&nodes[B], X, B, 0), PH_BUSY);
    cr_assert(nodes[B].may_drop);
    (void)expect_event(B, PHX_NODE_GAINED, A, 1);
    cr_assert_eq(phx_hand_over_enter(&nodes[B], X, B, 0), PH_OK);
    cr_assert_not(nodes[B].may_drop, "events are not looked through any more");
}

Test(doubles, an_id_that_two_nodes_entered_is_the_one_that_came)
{
    uint64_t ownership, now;
    const uint64_t follower = X;
    enter(A, 4);
    enter(A, X);
    cr_assert_eq(phx_hand_over_enter(&nodes[B], X, B, ((uint64_t)map.version << 32) + 7), PH_OK);
    phx_hand_over_feed(&nodes[B], X, &ownership)->number = 3;
    send_family(A, B, 4, &follower, 1);
    speak(A, B);
    (void)expect_event(B, PHX_NODE_GAINED, A, 0);
    cr_assert(nodes[B].counts.duplicates == 1 && nodes[B].counts.gained == 1);
    cr_assert(held(B, X)->is_double && held(B, X)->peer == 10 && !held(B, 4)->is_double);
    cr_assert_eq(held(B, X)->ownership, ownership + 1);
    const phx_feed *feed = phx_hand_over_feed(&nodes[B], X, &now);
    cr_assert(feed->begun == ownership + 1 && feed->number == 4);
    cr_assert_eq(phx_hand_over_leave(&nodes[B], X), PH_PENDING, "the host was not told");
    cr_assert_eq(phx_hand_over_send(&nodes[B], X, 1, NULL, 0, "", 0), PH_PENDING);
    speak(B, A);
    cr_assert_eq(nodes[A].holdings.count, 0);
}

Test(doubles, all_that_are_on_their_way_are_in_one_order)
{
    enum { MOST = 3 };
    for (uint64_t i = 0; i < MOST * MOST; i++) {
        cr_assert_not(phx_rule_drops(i / MOST, i % MOST, i / MOST, i % MOST));
        for (uint64_t k = 0; k < i; k++) {
            cr_assert(phx_rule_drops(k / MOST, k % MOST, i / MOST, i % MOST));
            cr_assert_not(phx_rule_drops(i / MOST, i % MOST, k / MOST, k % MOST));
        }
    }
}

/* ---- by seed ---- */

enum { SEEDS = 1500, STEPS = 250, IDS = 5, MESSAGES = 64, ENTITIES = 64, CALM_ROUNDS = 12, GATHERINGS = 4 };

typedef struct message {
    uint32_t to;
    size_t size;
    unsigned char *bytes;
} message;

/* Each entity that a host entered has a number, which travels as its state. */
typedef struct schedule {
    uint64_t rng;
    message messages[MESSAGES];
    uint32_t message_count;
    uint32_t speakers;              /* of so many nodes */
    uint32_t own[NODES][IDS + 1];   /* what a host has by its events: the entity's number, 0 = none */
    uint32_t told_at[ENTITIES + 1]; /* the node whose host was told of its end, from one on; 0 = it has not ended */
    uint64_t id_of[ENTITIES + 1];
    uint32_t entered;
    bool was_entered[IDS + 1], was_at_dead[IDS + 1];
    uint32_t crossed; /* entities that were dropped, or went above one on its way */
} schedule;

static uint32_t draw(schedule *s, uint32_t bound)
{
    return phx_rng_below(&s->rng, bound);
}

/* What a dead node's host was told is void: the entity may have come back to its sender. */
static void tell_end(schedule *s, uint32_t node, uint32_t entity, uint64_t id)
{
    cr_assert(entity != 0 && s->id_of[entity] == id);
    cr_assert(s->told_at[entity] == 0 || is_dead[s->told_at[entity] - 1], "hosts are told twice");
    s->told_at[entity] = node + 1;
}

static void take_family(schedule *s, uint32_t node, const phx_node_event *event)
{
    const phx_offer *offer = &event->offer;
    cr_assert_eq(offer->state_bytes, (offer->follower_count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        uint32_t entity;
        const uint64_t id = phx_wire_offer_id(offer, i);
        uint32_t *own = &s->own[node][id];
        memcpy(&entity, offer->state + i * sizeof entity, sizeof entity);
        if (phx_event_drops(event, id)) {
            s->crossed++;
            tell_end(s, node, entity, id);
            continue;
        }
        if (*own != 0) tell_end(s, node, *own, id);
        *own = entity;
        phx_holding *holding = phx_holdings_find(&nodes[node].holdings, id);
        if (holding->taking == event->taking) holding->is_double = false; /* the host is told */
    }
}

static void take_events(schedule *s, uint32_t node)
{
    phx_node_event event;
    while (take_next_event(&nodes[node], &event))
        if (event.kind != PHX_NODE_RESTORE) take_family(s, node, &event);
}

static void enter_one(schedule *s, uint32_t node, uint64_t id)
{
    if (is_dead[node] || s->entered == ENTITIES) return;
    if (phx_hand_over_enter(&nodes[node], id, node, 0) != PH_OK) return;
    s->own[node][id] = ++s->entered;
    s->id_of[s->entered] = id;
    s->was_entered[id] = true;
}

/* Some that a host has go together. false: there is none, or one stays for now. */
static bool send_some(schedule *s, uint32_t node, uint32_t to, uint32_t ids)
{
    uint64_t family[IDS];
    uint32_t states[IDS], count = 0;
    for (uint64_t id = 1; id <= IDS; id++) {
        if (s->own[node][id] == 0 || !(ids >> id & 1)) continue;
        states[count] = s->own[node][id];
        family[count++] = id;
    }
    if (count == 0 || to == node || is_dead[node] || is_dead[to]) return false;
    count--;
    if (phx_hand_over_send(&nodes[node], family[count], (uint16_t)(to + 1), family, count, states,
                           (count + 1) * (uint32_t)sizeof *states) != PH_OK)
        return false;
    for (uint32_t i = 0; i <= count; i++) s->own[node][family[i]] = 0;
    return true;
}

static void put_message(schedule *s, uint32_t to, size_t size)
{
    if (s->message_count == MESSAGES || size == 0) return;
    message *put = &s->messages[s->message_count++];
    *put = (message){.to = to, .size = size, .bytes = malloc(size)};
    memcpy(put->bytes, buffer, size);
}

/* A message is lost, or comes once or twice, behind any later ones. */
static void write_any(schedule *s)
{
    enum { LOST_ONE_IN = 8, DOUBLED_ONE_IN = 8 };
    const uint32_t from = draw(s, s->speakers), to = draw(s, s->speakers);
    if (from == to || is_dead[from]) return;
    const size_t size = draw(s, 4) == 0 ? phx_exchange_heartbeat(&nodes[from], buffer, sizeof buffer)
                                        : write_to(from, to, draw(s, 2) == 0, buffer);
    if (draw(s, LOST_ONE_IN) == 0) return;
    put_message(s, to, size);
    if (draw(s, DOUBLED_ONE_IN) == 0) put_message(s, to, size);
}

static void deliver_any(schedule *s)
{
    if (s->message_count == 0) return;
    const uint32_t place = draw(s, s->message_count);
    const message taken = s->messages[place];
    s->messages[place] = s->messages[--s->message_count];
    if (!is_dead[taken.to]) phx_exchange_receive(&nodes[taken.to], taken.bytes, taken.size);
    free(taken.bytes);
}

static void end_node(schedule *s, uint32_t node)
{
    is_dead[node] = true;
    for (uint64_t id = 1; id <= IDS; id++) s->was_at_dead[id] = held(node, id) != NULL;
    cr_assert(phx_cluster_map_put_out(&map, nodes[node].def.member.registration));
}

static void step_schedule(schedule *s)
{
    enum { ENTER_ONE_IN = 12, SEND_ONE_IN = 5, TAKE_ONE_IN = 2 };
    const uint32_t node = draw(s, NODES);
    if (draw(s, ENTER_ONE_IN) == 0) enter_one(s, draw(s, NODES), 1 + draw(s, IDS));
    if (draw(s, SEND_ONE_IN) == 0) (void)send_some(s, node, draw(s, NODES), draw(s, 2 << IDS));
    write_any(s);
    deliver_any(s);
    if (is_dead[node]) return;
    if (draw(s, 8) == 0) cr_assert_eq(phx_node_map(&nodes[node], &map), PH_OK);
    phx_map_barrier_begin(&nodes[node], 1);
    if (draw(s, TAKE_ONE_IN) == 0) take_events(s, node);
}

/* All messages come, and all hear all. */
static void calm_down(schedule *s)
{
    while (s->message_count > 0) deliver_any(s);
    for (uint32_t round = 0; round < CALM_ROUNDS; round++) {
        for (uint32_t i = 0; i < NODES; i++) {
            if (is_dead[i]) continue;
            cr_assert_eq(phx_node_map(&nodes[i], &map), PH_OK);
            const size_t size = phx_exchange_heartbeat(&nodes[i], buffer, sizeof buffer);
            for (uint32_t to = 0; to < NODES; to++)
                if (to != i && !is_dead[to]) phx_exchange_receive(&nodes[to], buffer, size);
        }
        for (uint32_t i = 0; i < NODES; i++) {
            if (is_dead[i]) continue;
            phx_map_barrier_begin(&nodes[i], 1);
            take_events(s, i);
        }
        speak_all();
    }
}

/* An id that was entered has one owner, and each other entity of it has ended, which one host was told. */
static void check_end(const schedule *s, uint64_t seed, bool with_death)
{
    uint32_t alive = 0, ended = 0;
    for (uint64_t id = 1; id <= IDS; id++) {
        uint32_t owners = 0;
        for (uint32_t i = 0; i < NODES; i++) {
            if (is_dead[i]) continue;
            owners += held(i, id) != NULL;
            cr_assert(owns(i, id) == (s->own[i][id] != 0) && owns(i, id) == (held(i, id) != NULL), "seed %d",
                      (int)seed);
        }
        cr_assert(owners == s->was_entered[id] || (owners == 0 && s->was_at_dead[id]), "seed %d: %u owners", (int)seed,
                  owners);
        alive += owners;
    }
    for (uint32_t i = 1; i <= s->entered; i++) ended += s->told_at[i] != 0;
    cr_assert(with_death || alive + ended == s->entered, "seed %d: %u of %u", (int)seed, alive + ended, s->entered);
    for (uint32_t i = 0; i < NODES; i++) cr_assert(is_dead[i] || nodes[i].replaced == 0);
}

static void run_schedule(uint64_t seed, bool with_death, uint32_t *crossed)
{
    static schedule s;
    s = (schedule){.rng = seed, .speakers = NODES};
    set_up();
    const uint32_t death = draw(&s, STEPS);
    for (uint32_t step = 0; step < STEPS; step++) {
        if (with_death && step == death) end_node(&s, draw(&s, NODES));
        step_schedule(&s);
    }
    calm_down(&s);
    const uint32_t last = is_dead[A] ? B : A;
    for (uint32_t i = 0; i < GATHERINGS; i++) { /* all meet: on the way, or there */
        for (uint32_t node = 0; node < NODES; node++) (void)send_some(&s, node, last, ~0u);
        calm_down(&s);
    }
    check_end(&s, seed, with_death);
    *crossed += s.crossed;
    tear_down();
}

Test(doubles_by_seed, of_each_id_one_is_there_at_the_end_and_all_others_are_told_once)
{
    uint32_t crossed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) run_schedule(seed, false, &crossed);
    cr_assert_gt(crossed, SEEDS / 4);
}

/*
 * Doubles of two nodes go once to each other's node, each alone or with the others, while entities of their own go as
 * well.
 */
static void run_crossing(uint64_t seed, uint32_t *crossed)
{
    enum { CROSSING = 40, DOUBLES = IDS - 2, TRAFFIC_ONE_IN = 6 };
    static schedule s;
    uint32_t unsent[] = {(2u << DOUBLES) - 2, (2u << DOUBLES) - 2}; /* a bit each */
    s = (schedule){.rng = seed, .speakers = 2};
    set_up();
    for (uint64_t id = 1; id <= IDS; id++)
        for (uint32_t node = A; node <= B; node++)
            if (id <= DOUBLES || id == DOUBLES + 1 + node) enter_one(&s, node, id);
    for (uint32_t step = 0; step < CROSSING || (unsent[A] | unsent[B]) != 0; step++) {
        const uint32_t node = draw(&s, 2), ids = draw(&s, 2) == 0 ? unsent[node] : 1u << draw(&s, DOUBLES + 1);
        if (draw(&s, 3) == 0 && send_some(&s, node, 1 - node, ids & unsent[node])) unsent[node] &= ~ids;
        if (draw(&s, TRAFFIC_ONE_IN) == 0) (void)send_some(&s, node, 1 - node, 1u << (DOUBLES + 1 + node));
        for (uint64_t id = 1; id <= DOUBLES; id++) /* the other one is in its place, or has met it on the way */
            if (s.own[node][id] == 0 && step > CROSSING) unsent[node] &= ~(1u << id);
        write_any(&s);
        deliver_any(&s);
        take_events(&s, node);
    }
    calm_down(&s);
    check_end(&s, seed, false);
    *crossed += s.crossed;
    tear_down();
}

Test(doubles_by_seed, of_two_that_go_to_each_others_node_one_stays)
{
    uint32_t crossed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) run_crossing(seed, &crossed);
    cr_assert_gt(crossed, SEEDS / 4);
}

Test(doubles_by_seed, of_each_id_one_is_there_where_a_node_dies_that_had_none)
{
    uint32_t crossed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) run_schedule(seed, true, &crossed);
    cr_assert_gt(crossed, SEEDS / 4);
}
