/*
 * Links of four members, with heartbeats carried by hand, each way by itself: which member is to be expelled.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "cluster/map/eras.h"
#include "cluster/map/map_changes.h"
#include "cluster/node/exchange.h"
#include "cluster/node/links.h"
#include "support/fail_alloc.h"

enum { MEMBERS = 4, GATEWAY = 3, LINK_TICKS = 10, TICK_NS = 50000000 };

static fail_alloc allocator;
static phx_cluster_map map;
static phx_node nodes[MEMBERS];
static bool cut[MEMBERS][MEMBERS]; /* from, to */
static uint64_t now;

static void set_up(void)
{
    allocator = (fail_alloc){0};
    memset(cut, 0, sizeof cut);
    now = 7;
    phx_cluster_map_init(&map, MEMBERS, 1);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const phx_member member = {
            .registration = 10u + i, .number = (uint16_t)(i + 1), .format = PHX_FORMAT_MAX, .gateway = i == GATEWAY};
        phx_node_init(&nodes[i], &(phx_node_def){.member = member,
                                                 .unacked_max = 1,
                                                 .link_ns = LINK_TICKS * (uint64_t)TICK_NS,
                                                 .allocator = fail_alloc_hooks(&allocator)});
        cr_assert(phx_cluster_map_join(&map, member));
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        cr_assert_eq(phx_node_map(&nodes[i], &map), PH_OK);
        phx_links_tick(&nodes[i], now, true);
    }
}

static void tear_down(void)
{
    for (uint32_t i = 0; i < MEMBERS; i++) phx_node_free(&nodes[i]);
    cr_assert(fail_alloc_clean(&allocator));
}

TestSuite(links, .init = set_up, .fini = tear_down);

static void run(uint32_t ticks, bool hears)
{
    unsigned char bytes[PHX_WIRE_HEAD_BYTES + MEMBERS * sizeof(uint64_t) + sizeof(uint64_t)];
    for (uint32_t tick = 0; tick < ticks; tick++) {
        now += TICK_NS;
        for (uint32_t from = 0; from < MEMBERS; from++) {
            phx_links_tick(&nodes[from], now, hears);
            const size_t size = phx_exchange_heartbeat(&nodes[from], bytes, sizeof bytes);
            for (uint32_t to = 0; to < MEMBERS; to++)
                if (to != from && !cut[from][to]) phx_exchange_receive(&nodes[to], bytes, size);
        }
    }
}

/* The waits are in ticks. 0: none. */
static uint64_t worst_among(uint32_t at, uint32_t due, uint32_t settled, bool spares)
{
    uint64_t worst[PHX_CLUSTER_MEMBERS_MAX];
    const phx_links_waits waits = {due * (uint64_t)TICK_NS, settled * (uint64_t)TICK_NS, spares};
    const uint32_t count = phx_links_worst(&nodes[at], &nodes[at].map, waits, worst);
    cr_assert_leq(count, 1);
    return count > 0 ? worst[0] : 0;
}

static uint64_t worst_behind(uint32_t at, uint32_t due, uint32_t settled)
{
    return worst_among(at, due, settled, true);
}

static uint64_t worst_of(uint32_t at)
{
    return worst_behind(at, 0, 0);
}

static void cut_both(uint32_t one, uint32_t other)
{
    cut[one][other] = cut[other][one] = true;
}

Test(links, members_that_hear_each_other_stay)
{
    run(5 * LINK_TICKS, true);
    cut_both(0, 1);
    run(LINK_TICKS - 2, true); /* not long enough */
    memset(cut, 0, sizeof cut);
    run(LINK_TICKS - 2, true);
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(worst_of(i), 0);
}

Test(links, of_two_members_the_one_with_the_higher_number_goes)
{
    cut_both(0, 1);
    run(LINK_TICKS + 2, true);
    const uint64_t worst[] = {11, 0, 11, 11}; /* it spares itself */
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(worst_of(i), worst[i], "%u", i);
    run(LINK_TICKS, true); /* none of the others has put it out */
    cr_assert_eq(worst_of(1), 10);
    cr_assert_eq(worst_among(1, 0, 0, false), 0, "the others had no time");
}

Test(links, words_of_a_member_that_was_silent_do_not_count_once_it_is_heard_again)
{
    const phx_peer *peer = phx_node_peer(&nodes[0], nodes[1].def.member.registration);
    cut[2][1] = true;
    run(LINK_TICKS + 2, true);
    cr_assert_eq(peer->silent_count, 1);
    cr_assert_eq(phx_links_count(&nodes[0], &nodes[0].map), 1);
    cut[1][0] = true;
    run(LINK_TICKS + 1, true);
    cr_assert_eq(peer->silent_count, 0);
    cr_assert_eq(phx_links_count(&nodes[0], &nodes[0].map), 1); /* their own */
}

Test(links, one_way_is_no_link)
{
    cut[1][0] = true;
    run(LINK_TICKS + 2, true);
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(worst_of(i), i == 1 ? 0 : 11, "%u", i);
}

Test(links, the_member_with_more_silent_links_goes)
{
    for (uint32_t i = 1; i < MEMBERS; i++) cut[i][0] = true; /* it hears none, and all hear it */
    run(LINK_TICKS + 2, true);
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(worst_of(i), i == 0 ? 0 : 10, "%u", i);
}

Test(links, a_gateway_is_a_member)
{
    for (uint32_t i = 0; i < GATEWAY; i++) cut_both(i, GATEWAY);
    run(LINK_TICKS + 2, true);
    for (uint32_t i = 0; i < GATEWAY; i++) cr_assert_eq(worst_of(i), 13, "%u", i);
}

Test(links, one_that_can_not_hear_judges_none)
{
    cut_both(0, 1);
    run(5 * LINK_TICKS, false);
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(worst_of(i), 0);
}

/* The third knows of the link by a word of each of the two. */
Test(links, a_word_grows_old_while_its_hearer_can_hear)
{
    cut_both(0, 1);
    run(LINK_TICKS + 2, true);
    run(5 * LINK_TICKS, false);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(worst_behind(i, LINK_TICKS, LINK_TICKS), 0, "%u", i);
    run(LINK_TICKS, true);
    cr_assert_eq(worst_behind(0, LINK_TICKS, LINK_TICKS), 11);
    cr_assert_eq(worst_behind(2, LINK_TICKS, LINK_TICKS), 11);
    cut[0][1] = cut[1][0] = false;
    run(2, true);
    cut_both(0, 1);
    run(LINK_TICKS + 2, true);
    cr_assert_eq(worst_of(2), 11);
    cr_assert_eq(worst_behind(2, LINK_TICKS, LINK_TICKS), 0, "a word that was said anew");
}

/* By the link that is due alone the second one would go, with the higher number; the third has as many as the first. */
Test(links, a_link_that_is_not_due_counts_and_has_none_expelled)
{
    cut_both(0, 1);
    run(LINK_TICKS, true);
    cut_both(2, 0);
    cut_both(2, GATEWAY);
    run(LINK_TICKS + 2, true);
    cr_assert_eq(worst_behind(1, LINK_TICKS / 2, LINK_TICKS / 2), 10, "of the link that is due it has more");
    cr_assert_eq(worst_behind(1, LINK_TICKS / 2, 2 * LINK_TICKS), 0, "none is settled");
}

Test(links, a_process_that_slept_judges_none)
{
    run(2, true);
    now += 100 * (uint64_t)LINK_TICKS * TICK_NS;
    run(1, true);
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(worst_of(i), 0);
}

/* The others read it later: their messages, and the member's own, count meanwhile. */
Test(links, a_member_that_has_read_a_map_of_a_much_later_era_is_heard)
{
    cr_assert(phx_cluster_map_exceed(&map, (PHX_CLUSTER_EXCEEDED_ERAS << PHX_CLUSTER_ERA_SHIFT) - 1));
    map.version += 100; /* and changes behind it */
    cr_assert_eq(phx_node_map(&nodes[0], &map), PH_OK);
    run(LINK_TICKS + 2, true);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        cr_assert_eq(worst_of(i), 0, "%u", i);
        cr_assert_eq(nodes[i].counts.impossible, 0, "%u", i);
    }
}
