/*
 * Hand-overs between two nodes that speak to each other at once: every refusal, retention, a receiver that dies, each
 * allocation that fails, and a steady flow that allocates nothing.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/node/exchange.h"
#include "cluster/node/hand_over.h"
#include "cluster/node/map_barrier.h"
#include "cluster/node/transit.h"
#include "support/fail_alloc.h"
#include "support/node_reads.h"

enum { REGIONS = 4, UNACKED = 3, A = 0, B = 1, GATEWAY = 2, MEMBERS = 3, LEASE = 1000 };

static fail_alloc allocator;
static phx_cluster_map map;
static phx_node nodes[MEMBERS];
static unsigned char buffer[PHX_WIRE_BYTES_MAX];

static void members_begin(void)
{
    allocator = (fail_alloc){0};
    phx_cluster_map_init(&map, REGIONS, 1);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const phx_member member = {
            .registration = 10u + i, .number = (uint16_t)(i + 1), .format = PHX_FORMAT_MAX, .gateway = i == GATEWAY};
        const phx_node_def def = {
            .member = member, .freezes = i == B, .unacked_max = UNACKED, .allocator = fail_alloc_hooks(&allocator)};
        phx_node_init(&nodes[i], &def);
        cr_assert(phx_cluster_map_join(&map, member));
    }
}

static void members_end(void)
{
    for (uint32_t i = 0; i < MEMBERS; i++) phx_node_free(&nodes[i]);
    if (!fail_alloc_clean(&allocator)) abort();
}

static void read_map(void)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        phx_node_lease(&nodes[i], LEASE);
        cr_assert_eq(phx_node_map(&nodes[i], &map), PH_OK);
    }
}

static void set_up(void)
{
    members_begin();
    read_map();
}

TestSuite(hand_over, .init = set_up, .fini = members_end);

/* The messages that are due from one node to the other arrive. */
static void speak(uint32_t from, uint32_t to)
{
    uint64_t target;
    for (uint32_t i = 0; i < nodes[from].peer_count; i++) {
        if (nodes[from].peers[i].member.registration != nodes[to].def.member.registration) continue;
        const size_t size = phx_exchange_write(&nodes[from], i, false, buffer, sizeof buffer, &target);
        if (size == 0) return;
        cr_assert_eq(target, nodes[to].def.member.registration);
        phx_exchange_receive(&nodes[to], buffer, size);
    }
}

static void beat(uint32_t from, uint32_t to)
{
    const size_t size = phx_exchange_heartbeat(&nodes[from], buffer, sizeof buffer);
    cr_assert(size > 0);
    phx_exchange_receive(&nodes[to], buffer, size);
}

static uint32_t region_of(uint32_t node)
{
    uint32_t region = 0;
    while (map.regions[region].number != nodes[node].def.member.number) region++;
    return region;
}

static phx_node_event expect_event(uint32_t node, phx_node_event_kind kind)
{
    phx_node_event event = {0};
    cr_assert(take_next_event(&nodes[node], &event));
    cr_assert_eq(event.kind, kind);
    return event;
}

static void expect_no_event(uint32_t node)
{
    phx_node_event event;
    cr_assert_not(take_next_event(&nodes[node], &event));
}

/* It is found among all that the node holds by a look at what the peer has not acked. */
Test(hand_over, the_oldest_on_its_way_costs_no_look_at_the_others)
{
    enum { OTHERS = 2000, MS = PHX_NODE_NS_IN_MS };
    for (uint64_t id = 10; id < 10 + OTHERS; id++)
        cr_assert_eq(phx_hand_over_enter(&nodes[A], id, region_of(A), 0), PH_OK);
    cr_assert_eq(phx_transit_of(&nodes[A], 0).looks, 0);
    for (uint64_t id = 10; id < 13; id++) {
        phx_map_barrier_begin(&nodes[A], id * MS);
        cr_assert_eq(phx_hand_over_send(&nodes[A], id, 2, NULL, 0, "", 0), PH_OK);
    }
    const phx_transit transit = phx_transit_of(&nodes[A], 100 * MS);
    cr_assert(transit.oldest_ms == 90 && transit.looks == 1 && nodes[A].transit == 3);
    speak(A, B);
    speak(B, A);
    cr_assert(nodes[A].transit == 0 && phx_transit_of(&nodes[A], 100 * MS).oldest_ms == 0);
}

/* Versions are compared whole: the first one of an era is above the last one of the era before, and never below. */
Test(hand_over, the_end_of_an_era_is_a_version_like_any_other)
{
    map.version = (2u << PHX_CLUSTER_ERA_SHIFT) - 1;
    read_map();
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), 0), PH_OK);
    const phx_cluster_map last = map;
    const uint64_t ownership = phx_holdings_find(&nodes[A].holdings, 5)->ownership;
    cr_assert(phx_cluster_map_give(&map, region_of(A), 2));
    cr_assert_eq(map.version, 2u << PHX_CLUSTER_ERA_SHIFT);
    read_map();
    cr_assert_eq(phx_node_map(&nodes[A], &last), PH_OK);
    cr_assert_eq(nodes[A].map.version, map.version, "the one before is no newer one");
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "", 0), PH_OK);
    speak(A, B);
    const uint64_t sent = expect_event(B, PHX_NODE_GAINED).offer.ownership;
    cr_assert_eq(phx_hand_over_enter(&nodes[B], 6, region_of(B), sent), PH_OK);
    cr_assert(sent > ownership && phx_holdings_find(&nodes[B].holdings, 6)->ownership > sent);
}

Test(hand_over, an_entity_goes_over_and_stays_until_the_confirmation)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), 0), PH_OK);
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "abc", 3), PH_OK);
    cr_assert(phx_holdings_find(&nodes[A].holdings, 5)->sending);
    cr_assert_eq(phx_hand_over_leave(&nodes[A], 5), PH_PENDING);
    speak(A, B);
    const phx_node_event event = expect_event(B, PHX_NODE_GAINED);
    cr_assert_eq(event.offer.id, 5);
    cr_assert_eq(event.peer, 10);
    cr_assert_eq(event.offer.ownership, ((uint64_t)map.version << 32) + 1);
    cr_assert(event.offer.state_bytes == 3 && memcmp(event.offer.state, "abc", 3) == 0);
    cr_assert_eq(phx_hand_over_send(&nodes[B], 5, 1, NULL, 0, "", 0), PH_PENDING); /* retained */
    speak(B, A);
    cr_assert_not(phx_holdings_find(&nodes[A].holdings, 5));
    cr_assert_eq(phx_hand_over_send(&nodes[B], 5, 1, NULL, 0, "", 0), PH_PENDING);
    speak(A, B);
    cr_assert_eq(phx_hand_over_send(&nodes[B], 5, 1, NULL, 0, "", 0), PH_OK);
    speak(B, A);
    cr_assert_eq(expect_event(A, PHX_NODE_GAINED).offer.state_bytes, 0);
    expect_no_event(A);
    expect_no_event(B);
    cr_assert_eq(phx_hand_over_leave(&nodes[A], 5), PH_OK);
    cr_assert_eq(phx_hand_over_leave(&nodes[A], 5), PH_UNKNOWN_ID);
}

Test(hand_over, each_refusal_changes_nothing)
{
    static const unsigned char large[PHX_WIRE_STATE_BYTES_MAX + 1];
    phx_node *a = &nodes[A];
    const uint32_t own = region_of(A);
    cr_assert_eq(phx_hand_over_enter(a, 0, own, 0), PH_BAD_ID);
    cr_assert_eq(phx_hand_over_enter(a, 1, REGIONS, 0), PH_BAD_VALUE);
    cr_assert_eq(phx_hand_over_enter(a, 1, region_of(B), 0), PH_TAKEN);
    cr_assert_eq(phx_hand_over_enter(a, 1, own, (uint64_t)(map.version + 1) << 32), PH_BUSY);
    cr_assert_eq(phx_hand_over_enter(&nodes[GATEWAY], 1, own, 0), PH_BUSY);
    cr_assert_eq(phx_hand_over_send(a, 1, 2, NULL, 0, "", 0), PH_UNKNOWN_ID);
    cr_assert_eq(a->holdings.count, 0);
    cr_assert_eq(phx_hand_over_enter(a, 1, own, ((uint64_t)map.version << 32) + 8), PH_OK);
    cr_assert_eq(phx_holdings_find(&a->holdings, 1)->ownership, ((uint64_t)map.version << 32) + 9);
    cr_assert_eq(phx_hand_over_enter(a, 1, own, 0), PH_EXISTS);
    cr_assert_eq(phx_hand_over_send(a, 1, 1, NULL, 0, "", 0), PH_BAD_VALUE); /* itself */
    cr_assert_eq(phx_hand_over_send(a, 1, 3, NULL, 0, "", 0), PH_BAD_VALUE); /* the gateway */
    cr_assert_eq(phx_hand_over_send(a, 1, 4, NULL, 0, "", 0), PH_BAD_VALUE); /* no member */
    cr_assert_eq(phx_hand_over_send(a, 1, 2, NULL, 0, large, sizeof large), PH_TOO_LARGE);
    cr_assert_eq(phx_hand_over_send(a, 1, 2, NULL, 0, large, PHX_WIRE_STATE_BYTES_MAX), PH_OK);
    cr_assert_eq(phx_hand_over_send(a, 1, 2, NULL, 0, "", 0), PH_PENDING);
    for (uint64_t id = 2; id <= UNACKED; id++) {
        cr_assert_eq(phx_hand_over_enter(a, id, own, 0), PH_OK);
        cr_assert_eq(phx_hand_over_send(a, id, 2, NULL, 0, "", 0), PH_OK);
    }
    cr_assert_eq(phx_hand_over_enter(a, 9, own, 0), PH_OK);
    cr_assert_eq(phx_hand_over_send(a, 9, 2, NULL, 0, "", 0), PH_FULL);
    cr_assert_eq(a->counts.handed, UNACKED);
}

Test(hand_over, the_last_ownership_of_a_map_waits_for_the_next_map)
{
    const uint64_t last = (uint64_t)nodes[A].map.version << PHX_OWNERSHIP_VERSION_SHIFT | UINT32_MAX;
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), last), PH_BUSY);
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), last - 1), PH_OK);
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "", 0), PH_BUSY);
    map.version++;
    read_map();
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "", 0), PH_OK);
    speak(A, B);
    const phx_node_event event = expect_event(B, PHX_NODE_GAINED);
    cr_assert_eq(event.offer.ownership, last + 1);
}

static void expect_feed(uint32_t node, uint64_t id, uint64_t begun, uint64_t number)
{
    uint64_t ownership = 0;
    const phx_feed *feed = phx_hand_over_feed(&nodes[node], id, &ownership);
    cr_assert(feed && feed->begun == begun && feed->number == number);
    cr_assert_eq(ownership, phx_holdings_find(&nodes[node].holdings, id)->ownership);
}

Test(hand_over, the_feeds_of_a_family_go_on_at_the_receiver)
{
    const uint64_t begun = (uint64_t)map.version << PHX_OWNERSHIP_VERSION_SHIFT, followers[] = {5, 9};
    uint64_t ownership;
    for (uint64_t id = 5; id <= 9; id += 2) {
        cr_assert_eq(phx_hand_over_enter(&nodes[A], id, region_of(A), 0), PH_OK);
        phx_hand_over_feed(&nodes[A], id, &ownership)->number = id * 10;
    }
    cr_assert_eq(phx_hand_over_send(&nodes[A], 7, 2, followers, 2, "", 0), PH_OK);
    cr_assert_null(phx_hand_over_feed(&nodes[A], 7, &ownership), "on its way");
    cr_assert_null(phx_hand_over_feed(&nodes[B], 7, &ownership));
    speak(A, B);
    for (uint64_t id = 5; id <= 9; id += 2) expect_feed(B, id, begun, id * 10);
}

Test(hand_over, what_comes_back_from_a_dead_node_has_another_feed_that_has_begun)
{
    uint64_t ownership;
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), 0), PH_OK);
    phx_hand_over_feed(&nodes[A], 5, &ownership)->number = 3;
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "", 0), PH_OK);
    cr_assert(phx_cluster_map_put_out(&map, 11));
    for (uint32_t i = A; i < MEMBERS; i += GATEWAY) cr_assert_eq(phx_node_map(&nodes[i], &map), PH_OK);
    beat(GATEWAY, A);
    phx_map_barrier_begin(&nodes[A], 1);
    (void)expect_event(A, PHX_NODE_TAKEN_BACK);
    expect_feed(A, 5, (uint64_t)map.version << PHX_OWNERSHIP_VERSION_SHIFT, 4);
}

Test(hand_over, the_wait_for_the_map_barrier_is_timed)
{
    cr_assert(phx_cluster_map_put_out(&map, nodes[B].def.member.registration));
    phx_map_barrier_begin(&nodes[A], 100);
    cr_assert_not(nodes[A].at_barrier, "none was put out of the map that it has");
    cr_assert_eq(phx_node_map(&nodes[A], &map), PH_OK);
    phx_map_barrier_begin(&nodes[A], 150);
    cr_assert(nodes[A].at_barrier && nodes[A].barrier_since == 150);
    cr_assert_eq(phx_node_map(&nodes[GATEWAY], &map), PH_OK);
    phx_map_barrier_begin(&nodes[A], 170);
    cr_assert(nodes[A].at_barrier && nodes[A].barrier_since == 150 && nodes[A].counts.barriers == 0);
    beat(GATEWAY, A);
    phx_map_barrier_begin(&nodes[A], 180);
    cr_assert(!nodes[A].at_barrier && nodes[A].counts.barriers == 1 && nodes[A].counts.barriers_ns == 30);
    phx_map_barrier_begin(&nodes[A], 190);
    cr_assert_eq(nodes[A].counts.barriers, 1);
}

Test(hand_over, offers_to_a_dead_node_come_back_behind_the_map_barrier)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), 0), PH_OK);
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "xyz", 3), PH_OK);
    cr_assert(phx_cluster_map_put_out(&map, 11));
    cr_assert_eq(phx_node_map(&nodes[A], &map), PH_OK);
    phx_map_barrier_begin(&nodes[A], 1);
    expect_no_event(A); /* the gateway has not shown the map */
    beat(GATEWAY, A);
    phx_map_barrier_begin(&nodes[A], 2);
    expect_no_event(A);
    cr_assert_eq(phx_node_map(&nodes[GATEWAY], &map), PH_OK);
    beat(GATEWAY, A);
    phx_map_barrier_begin(&nodes[A], 3);
    const phx_node_event event = expect_event(A, PHX_NODE_TAKEN_BACK);
    cr_assert_eq(event.offer.ownership, (uint64_t)map.version << 32);
    cr_assert(event.offer.state_bytes == 3 && memcmp(event.offer.state, "xyz", 3) == 0);
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert_eq(expect_event(A, PHX_NODE_RESTORE).lost, map.fence);
    expect_no_event(A);
    phx_map_barrier_begin(&nodes[A], 4);
    expect_no_event(A);
    cr_assert_not(phx_holdings_find(&nodes[A].holdings, 5)->sending);
    cr_assert_eq(nodes[A].peer_count, 1);
}

/* So it holds nothing as it leaves, and its sender has the entity again: no region is lost. */
Test(hand_over, an_offer_to_a_node_that_leaves_is_not_taken_and_comes_back)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), 0), PH_OK);
    cr_assert(phx_cluster_map_drain(&map, 11));
    cr_assert_eq(phx_node_map(&nodes[B], &map), PH_OK);
    nodes[B].leaves = true;
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "xyz", 3), PH_OK, "its map is older");
    speak(A, B);
    cr_assert_eq(nodes[B].holdings.count, 0);
    cr_assert(phx_cluster_map_leave(&map, 11));
    for (uint32_t i = A; i < MEMBERS; i += GATEWAY) cr_assert_eq(phx_node_map(&nodes[i], &map), PH_OK);
    beat(GATEWAY, A);
    phx_map_barrier_begin(&nodes[A], 1);
    cr_assert_eq(expect_event(A, PHX_NODE_TAKEN_BACK).offer.state_bytes, 3);
    expect_no_event(A);
}

/* ... though no round has passed the map barrier of the map in which it was another node's. */
Test(hand_over, the_loss_of_a_region_is_told_again_as_it_comes_back)
{
    const uint32_t region = region_of(A);
    cr_assert(phx_cluster_map_join(&map, (phx_member){.registration = 20, .number = 9, .format = PHX_FORMAT_MAX}));
    map.regions[region] = (phx_region){.number = nodes[A].def.member.number, .lost = map.version};
    read_map();
    phx_map_barrier_begin(&nodes[A], 1);
    cr_assert_eq(expect_event(A, PHX_NODE_RESTORE).region, region);
    cr_assert(phx_cluster_map_put_out(&map, 20));
    for (uint32_t i = 0; i < REGIONS; i++) map.regions[i].lost = i == region ? map.version - 1 : 0;
    cr_assert(phx_cluster_map_give(&map, region, 2));
    cr_assert_eq(phx_node_map(&nodes[A], &map), PH_OK);
    phx_map_barrier_begin(&nodes[A], 2);
    expect_no_event(A);
    cr_assert(phx_cluster_map_give(&map, region, 1));
    read_map();
    for (uint32_t i = B; i < MEMBERS; i++) beat(i, A);
    phx_map_barrier_begin(&nodes[A], 3);
    cr_assert_eq(expect_event(A, PHX_NODE_RESTORE).region, region);
    expect_no_event(A);
}

Test(hand_over, a_node_that_was_put_out_holds_nothing_and_is_heard_no_more)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[B], 5, region_of(B), 0), PH_OK);
    cr_assert(phx_node_may_act(&nodes[B]) && may_save_now(&nodes[B]));
    cr_assert(phx_cluster_map_put_out(&map, 11));
    cr_assert_eq(phx_node_map(&nodes[A], &map), PH_OK);
    beat(B, A);
    cr_assert_eq(nodes[A].counts.fenced, 1);
    cr_assert_eq(phx_node_map(&nodes[B], &map), PH_OK);
    cr_assert(nodes[B].fenced);
    expect_no_event(B);
    cr_assert_eq(nodes[B].holdings.count, 0);
    cr_assert_not(phx_node_may_act(&nodes[B]));
    cr_assert_not(may_save_now(&nodes[B]));
    cr_assert_not(phx_node_hears(&nodes[B], 10));
    cr_assert_eq(phx_exchange_heartbeat(&nodes[B], buffer, sizeof buffer), 0);
}

Test(hand_over, without_a_proven_lease_a_node_freezes_or_goes_on_and_saves_nothing)
{
    cr_assert_eq(phx_hand_over_enter(&nodes[B], 5, region_of(B), 0), PH_OK);
    for (uint32_t i = A; i <= B; i++) {
        phx_map_barrier_begin(&nodes[i], LEASE);
        cr_assert_not(may_save_now(&nodes[i]));
        cr_assert_eq(phx_node_may_act(&nodes[i]), i == A);
    }
    cr_assert_eq(phx_hand_over_send(&nodes[B], 5, 1, NULL, 0, "", 0), PH_BUSY);
    phx_node_lease(&nodes[B], LEASE - 1);
    cr_assert_not(phx_node_may_act(&nodes[B]));
    phx_node_lease(&nodes[B], LEASE + 1);
    cr_assert(phx_node_may_act(&nodes[B]) && may_save_now(&nodes[B]));
}

Test(hand_over, maps_go_forward_and_keep_their_regions)
{
    static phx_cluster_map old, wide;
    old = map;
    cr_assert(phx_cluster_map_give(&map, region_of(B), 1));
    cr_assert_eq(phx_node_map(&nodes[A], &map), PH_OK);
    cr_assert_eq(phx_node_map(&nodes[A], &old), PH_OK);
    cr_assert_eq(nodes[A].map.version, map.version);
    wide = map;
    wide.version++;
    wide.region_count = 2 * REGIONS;
    cr_assert_eq(phx_node_map(&nodes[A], &wide), PH_BAD_VALUE);
    wide.region_count = REGIONS;
    wide.columns = 1;
    cr_assert_eq(phx_node_map(&nodes[A], &wide), PH_BAD_VALUE);
    cr_assert_eq(nodes[A].map.version, map.version);
}

Test(hand_over, a_message_of_a_newer_map_or_of_another_node_is_dropped)
{
    uint64_t target;
    cr_assert_eq(phx_hand_over_enter(&nodes[A], 5, region_of(A), 0), PH_OK);
    cr_assert_eq(phx_hand_over_send(&nodes[A], 5, 2, NULL, 0, "", 0), PH_OK);
    cr_assert(phx_cluster_map_give(&map, region_of(B), 1));
    cr_assert_eq(phx_node_map(&nodes[A], &map), PH_OK);
    speak(A, B);
    cr_assert_eq(nodes[B].counts.early, 1);
    cr_assert_eq(nodes[B].counts.gained, 0);
    const size_t size = phx_exchange_write(&nodes[A], 0, true, buffer, sizeof buffer, &target);
    phx_exchange_receive(&nodes[GATEWAY], buffer, size);
    phx_exchange_receive(&nodes[A], buffer, size); /* its own */
    phx_exchange_receive(&nodes[A], buffer, size - 1);
    cr_assert_eq(nodes[GATEWAY].counts.misdirected, 1);
    cr_assert_eq(nodes[A].counts.fenced, 1);
    cr_assert_eq(nodes[A].counts.flawed[PHX_WIRE_BAD_SUM], 1);
    cr_assert_eq(phx_node_map(&nodes[B], &map), PH_OK);
    speak(A, B);
    cr_assert_eq(nodes[B].counts.gained, 1);
}

/* An entity goes there and back. */
static void go_there_and_back(uint64_t id)
{
    for (uint32_t from = A; from <= B; from++) {
        phx_node_event event;
        while (phx_hand_over_send(&nodes[from], id, (uint16_t)(2 - from), NULL, 0, "state", 5) == PH_PENDING) {
            speak(1 - from, from);
            speak(from, 1 - from);
        }
        while (!take_next_event(&nodes[1 - from], &event)) speak(from, 1 - from);
        cr_assert_eq(event.kind, PHX_NODE_GAINED);
    }
}

Test(hand_over, a_steady_flow_allocates_nothing)
{
    uint64_t calls = 0;
    for (uint64_t id = 1; id <= UNACKED; id++) cr_assert_eq(phx_hand_over_enter(&nodes[A], id, region_of(A), 0), PH_OK);
    for (uint32_t round = 0; round < 200; round++) {
        for (uint64_t id = 1; id <= UNACKED; id++) go_there_and_back(id);
        if (round == 20) calls = allocator.calls;
    }
    cr_assert_eq(allocator.calls, calls);
}

Test(hand_over, an_allocation_that_fails_loses_nothing)
{
    uint64_t failed = 0;
    for (uint64_t nth = 1; nth <= 40; nth++) {
        for (uint32_t i = 0; i < MEMBERS; i++) phx_node_free(&nodes[i]);
        members_begin();
        fail_alloc_order(&allocator, nth, false);
        for (uint32_t i = 0; i < MEMBERS; i++) {
            phx_node_lease(&nodes[i], LEASE);
            ph_status status = phx_node_map(&nodes[i], &map);
            if (status == PH_NO_MEMORY) status = phx_node_map(&nodes[i], &map);
            cr_assert_eq(status, PH_OK);
        }
        for (uint64_t id = 1; id <= UNACKED; id++) {
            ph_status status = phx_hand_over_enter(&nodes[A], id, region_of(A), 0);
            if (status == PH_NO_MEMORY) status = phx_hand_over_enter(&nodes[A], id, region_of(A), 0);
            cr_assert_eq(status, PH_OK);
            status = phx_hand_over_send(&nodes[A], id, 2, NULL, 0, "state", 5);
            if (status == PH_NO_MEMORY) status = phx_hand_over_send(&nodes[A], id, 2, NULL, 0, "state", 5);
            cr_assert_eq(status, PH_OK);
        }
        for (uint32_t i = 0; i < 4; i++) {
            speak(A, B);
            speak(B, A);
        }
        for (uint64_t id = 1; id <= UNACKED; id++) cr_assert_eq(expect_event(B, PHX_NODE_GAINED).offer.id, id);
        cr_assert_eq(nodes[A].holdings.count, 0);
        cr_assert_eq(nodes[B].holdings.count, UNACKED);
        failed += allocator.failed;
    }
    cr_assert(failed >= 8, "%d", (int)failed);
}

/* B has a lease, so it takes what comes; its host does not. */
Test(hand_over, what_a_host_does_not_take_is_bounded)
{
    enum { MORE = 5 };
    for (uint64_t id = 1; id <= PHX_NODE_EVENTS_MAX + MORE; id++) {
        if (phx_hand_over_enter(&nodes[A], id, region_of(A), 0) != PH_OK) cr_assert_fail();
        const ph_status status = phx_hand_over_send(&nodes[A], id, 2, NULL, 0, "", 0);
        cr_assert(status == PH_OK || (status == PH_FULL && id > PHX_NODE_EVENTS_MAX));
        speak(A, B);
        speak(B, A);
    }
    cr_assert_eq(nodes[B].events.count, PHX_NODE_EVENTS_MAX);
    cr_assert_gt(nodes[B].counts.waiting, 0);
    for (uint32_t i = 0; i < PHX_NODE_EVENTS_MAX; i++) (void)expect_event(B, PHX_NODE_GAINED);
    for (uint32_t i = 0; i < 4; i++) {
        speak(A, B);
        speak(B, A);
    }
    for (uint32_t i = 0; i < UNACKED; i++) (void)expect_event(B, PHX_NODE_GAINED);
    expect_no_event(B);
}

static uint32_t event_bytes(uint32_t node)
{
    return nodes[node].events.end - nodes[node].events.first;
}

/* The host packs as much as it may. */
Test(hand_over, bytes_that_a_host_does_not_take_are_bounded)
{
    enum { MANY = PHX_NODE_EVENTS_BYTES_MAX / PHX_WIRE_STATE_BYTES_MAX + UNACKED };
    static const unsigned char state[PHX_WIRE_STATE_BYTES_MAX];
    uint32_t sent = 0;
    for (uint64_t id = 1; id <= MANY; id++) {
        cr_assert_eq(phx_hand_over_enter(&nodes[A], id, region_of(A), 0), PH_OK);
        sent += phx_hand_over_send(&nodes[A], id, B + 1, NULL, 0, state, sizeof state) == PH_OK;
        speak(A, B);
        speak(B, A);
    }
    cr_assert_leq(event_bytes(B), PHX_NODE_EVENTS_BYTES_MAX + PHX_WIRE_BYTES_MAX);
    cr_assert_gt(nodes[B].counts.waiting, 0);
    const uint32_t waiting = nodes[A].holdings.count;
    cr_assert_gt(waiting, 0);
    const uint32_t taken = nodes[B].events.count;
    for (uint32_t i = 0; i < taken; i++) (void)expect_event(B, PHX_NODE_GAINED);
    for (uint32_t i = 0; i < 2 * UNACKED; i++) {
        speak(A, B);
        speak(B, A);
    }
    cr_assert_eq(nodes[B].holdings.count, sent);
}

Test(hand_over, nothing_is_taken_while_the_host_takes_no_events)
{
    const uint64_t id = 5;
    cr_assert_eq(phx_hand_over_enter(&nodes[A], id, region_of(A), 0), PH_OK);
    cr_assert_eq(phx_hand_over_send(&nodes[A], id, B + 1, NULL, 0, "", 0), PH_OK);
    nodes[B].host_is_full = true;
    speak(A, B);
    speak(B, A);
    cr_assert(nodes[B].holdings.count == 0 && nodes[A].holdings.count == 1);
    cr_assert_eq(nodes[B].counts.waiting, 1);
    nodes[B].host_is_full = false;
    speak(A, B);
    speak(B, A);
    cr_assert(nodes[B].holdings.count == 1 && nodes[A].holdings.count == 0);
}
