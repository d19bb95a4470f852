/*
 * Expulsions: members that do not hear each other, over heartbeats that are cut, each way by itself, with the control
 * store as the library has it. Which of them go, how many at once, and how long each link has been silent by then.
 */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "unit/cluster/membership/membership_bed.h"

enum { LINK_TICKS = LEASE_TICKS / 2, SEEDS = 60, JITTER_TICKS = 3, LATE_TICKS = 9, YOUNGER_TICKS = 5 };

static uint64_t registrations[PLACES];

static void set_up(void)
{
    bed_begin();
    bed.link_ticks = LINK_TICKS;
}

TestSuite(expulsion, .init = set_up, .fini = bed_end);

static bool lives(uint32_t at)
{
    return bed.processes[at].membership.phase == PHX_MEMBERSHIP_MEMBER;
}

static uint32_t count_living(void)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < PLACES; at++) count += lives(at);
    return count;
}

/* Process i has number i + 1. */
static void begin_members(uint32_t count)
{
    for (uint32_t at = 0; at < count; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(3 * LEASE_TICKS);
    for (uint32_t at = 0; at < count; at++) cr_assert(lives(at));
    for (uint32_t at = 0; at < count; at++) registrations[at] = bed.processes[at].node.def.member.registration;
}

static void cut_both(uint32_t one, uint32_t other)
{
    bed.cut[one][other] = bed.cut[other][one] = true;
}

static bool is_in_map(uint32_t of, uint32_t at)
{
    return phx_cluster_map_member(&bed.processes[of].node.map, registrations[at]) != NULL;
}

Test(expulsion, of_two_that_do_not_hear_each_other_one_goes_a_lease_later)
{
    begin_members(3);
    cut_both(0, 2);
    bed_run(LINK_TICKS + LEASE_TICKS - 2);
    cr_assert_eq(count_living(), 3);
    bed_run(LEASE_TICKS);
    cr_assert(lives(0) && lives(1) && !lives(2));
    bed_run(3 * LEASE_TICKS);
    cr_assert_eq(count_living(), 2);
}

/* Each of the two that live does not hear three; of the three each does not hear, by their last words or none, two. */
Test(expulsion, the_living_stay_where_more_have_died)
{
    begin_members(5);
    for (uint32_t at = 0; at < 3; at++) bed.processes[at].runs = false;
    bed_run(5 * LEASE_TICKS);
    for (uint32_t at = 0; at < 5; at++) cr_assert_eq(is_in_map(4, at), at >= 3, "%u", at);
    cr_assert(lives(3) && lives(4));
}

/* A member that hangs is silent at one of the others first: for a moment that has as many silent links as it. */
Test(expulsion, a_new_member_waits_for_a_lease_as_the_others_do)
{
    begin_members(3);
    phx_membership *joins = &bed.processes[3].membership;
    bed.list_ticks = 3; /* so that no list comes in the tick in which it is a member first */
    bed_start(3, 4, REGIONS, 1, false);
    while (joins->phase != PHX_MEMBERSHIP_JOIN) bed_run(1);
    joins->writes = true; /* for so long that it is steady before it joins */
    bed_run(2 * LEASE_TICKS);
    bed.cut[1][2] = true;
    bed_run(LINK_TICKS - 3);
    bed.processes[1].runs = false;
    bed_run(2);
    joins->writes = false;
    while (joins->phase != PHX_MEMBERSHIP_MEMBER) bed_run(1);
    cr_assert_eq(phx_node_peer(joins->node, registrations[0])->silent_count, 0);
    cr_assert_eq(phx_node_peer(joins->node, registrations[2])->silent_count, 1);
    bed_run(4 * LEASE_TICKS);
    cr_assert(lives(0) && lives(2) && lives(3), "the one that said so first is expelled");
    cr_assert_not(is_in_map(0, 1));
}

/* Of the second link only one of its members knows, and for less than a lease: as far as that goes either may hang. */
Test(expulsion, a_link_that_has_just_become_silent_has_none_expelled)
{
    begin_members(5);
    cut_both(0, 1);
    bed_run(LEASE_TICKS - 3);
    bed.cut[2][3] = true;
    bed_run(LINK_TICKS - 1);
    bed.processes[2].runs = false;
    bed_run(5 * LEASE_TICKS);
    cr_assert(lives(0) && !lives(1), "the old link");
    cr_assert(lives(3) && lives(4), "one that said first that another one hangs");
    cr_assert_not(is_in_map(0, 2));
}

/* Of six; the second link is so much younger that the first one has its member expelled alone. */
static void cut_two_links(void)
{
    begin_members(6);
    cut_both(3, 4);
    bed_run(YOUNGER_TICKS);
    cut_both(1, 2);
}

static bool has_expelled(const phx_cluster_map *map)
{
    for (uint32_t i = 0; i < map->member_count; i++)
        if (map->members[i].expelled) return true;
    return false;
}

/* It hangs just before it is expelled: its lease lives on. */
Test(expulsion, none_is_expelled_beside_one_that_has_yet_to_go)
{
    cut_two_links();
    bed_run(LINK_TICKS + LEASE_TICKS - YOUNGER_TICKS);
    bed.processes[4].runs = false;
    for (uint32_t i = 0; i < LEASE_TICKS && !has_expelled(&bed.processes[0].membership.map); i++) bed_run(1);
    cr_assert(has_expelled(&bed.processes[0].membership.map));
    for (uint32_t i = 0; i < LEASE_TICKS; i++) {
        bed_run(1);
        cr_assert_eq(count_living(), 6, "%u", i); /* its phase stays */
        if (bed.processes[0].membership.map.fence != 0) break;
    }
    bed_run(LEASE_TICKS - 2);
    cr_assert_eq(count_living(), 6);
    bed_run(LEASE_TICKS);
    cr_assert(!lives(2) && !is_in_map(0, 4));
}

/* It renews its lease, and does not look at the store. */
Test(expulsion, one_that_does_not_go_is_waited_for_two_leases)
{
    cut_two_links();
    bed_run(LINK_TICKS + LEASE_TICKS - YOUNGER_TICKS);
    bed.processes[4].membership.list_at = UINT64_MAX;
    bed_run(2 * LEASE_TICKS);
    cr_assert(has_expelled(&bed.processes[0].membership.map) && is_in_map(0, 4));
    cr_assert_eq(count_living(), 6);
    bed_run(2 * LEASE_TICKS);
    cr_assert(is_in_map(0, 4) && lives(4) && !lives(2) && count_living() == 5);
}

/* Nothing is due for a while, and then for all at once: for the member that none hears, too, which is first in a tick.
 */
Test(expulsion, one_that_none_hears_waits_for_the_others_where_all_had_to_wait)
{
    begin_members(6);
    cut_both(3, 4);
    bed_run(LINK_TICKS);
    for (uint32_t other = 1; other < 6; other++) cut_both(0, other);
    bed_run(LEASE_TICKS - 2);
    bed.processes[4].runs = false;
    for (uint32_t i = 0; i < LEASE_TICKS && !has_expelled(&bed.processes[1].membership.map); i++) bed_run(1);
    cr_assert(has_expelled(&bed.processes[1].membership.map) && lives(0));
    bed_run(5 * LEASE_TICKS);
    cr_assert(!lives(0) && lives(1) && lives(2) && lives(3) && lives(5));
    cr_assert_not(is_in_map(1, 4));
}

/* What is silent for so long is one that was expelled, and stays. The store takes the writes of a tick in its own
 * order. */
Test(expulsion, an_old_link_to_one_that_does_not_go_gives_none_a_start)
{
    for (uint32_t bad = 0; bad < 4; bad++) {
        begin_members(5);
        cut_both(bad, 4);
        bed_run(LINK_TICKS + LEASE_TICKS - 1);
        bed.processes[4].membership.list_at = UINT64_MAX;
        bed_run(5 * LEASE_TICKS);
        cr_assert(is_in_map(bad, 4) && count_living() == 5);
        for (uint32_t other = 0; other < 4; other++)
            if (other != bad) cut_both(bad, other);
        bed_run(LINK_TICKS + 3 * LEASE_TICKS);
        for (uint32_t at = 0; at < 4; at++) cr_assert_eq(lives(at), at != bad, "%u of bad %u", at, bad);
        bed_end();
        set_up();
    }
}

/* Gateways of which one leaves in each half of a lease. */
Test(expulsion, members_that_leave_hold_no_expulsion_up)
{
    enum { NODES = 3 };
    begin_members(NODES);
    for (uint32_t at = NODES; at < PLACES; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, true);
    bed_run(3 * LEASE_TICKS);
    cr_assert_eq(count_living(), PLACES);
    cut_both(0, 2);
    for (uint32_t at = NODES; at < PLACES - 1; at++) {
        bed.processes[at].node.leaves = true;
        bed_run(LEASE_TICKS / 2);
    }
    cr_assert(lives(0) && lives(1) && !lives(2));
    cr_assert_eq(count_living(), NODES);
}

/* Its look at the store is so late that it knows the first expelled member by the map without it alone. */
Test(expulsion, one_that_missed_an_expulsion_waits_for_a_lease_behind_it)
{
    phx_membership *late = &bed.processes[5].membership;
    cut_two_links();
    bed_run(LINK_TICKS + LEASE_TICKS - YOUNGER_TICKS);
    late->list_at = bed.now + (uint64_t)LATE_TICKS * TICK_NS;
    for (uint32_t i = 0; i < 2 * LATE_TICKS && late->map.fence == 0; i++) {
        bed_run(1);
        cr_assert_not(has_expelled(&late->map));
    }
    cr_assert(!lives(4) && count_living() == 5);
    bed_run(LEASE_TICKS - LATE_TICKS);
    cr_assert_eq(count_living(), 5, "the next one goes at once");
    bed_run(LEASE_TICKS + LATE_TICKS);
    cr_assert(!lives(2) && count_living() == 4);
}

/* Members of the second half have the even numbers: the highest is theirs. Returns ticks between the first and last. */
static uint32_t run_halves(uint32_t count)
{
    uint32_t ticks = 0;
    begin_members(count);
    for (uint32_t one = 0; one < count; one += 2)
        for (uint32_t other = 1; other < count; other += 2) {
            cut_both(one, other);
            if ((one + other) % JITTER_TICKS == 0) bed_run(1);
        }
    while (count_living() == count && ticks++ < 4 * LEASE_TICKS) bed_run(1);
    for (ticks = 0; count_living() > count / 2 && ticks < 4 * LEASE_TICKS; ticks++) bed_run(1);
    bed_run(4 * LEASE_TICKS);
    for (uint32_t at = 0; at < count; at++) cr_assert_eq(lives(at), at % 2 == 0, "%u of %u", at, count);
    for (uint32_t at = 1; at < count; at += 2) cr_assert_not(is_in_map(0, at));
    return ticks;
}

Test(expulsion, of_two_halves_that_do_not_hear_each_other_one_goes_at_once)
{
    for (uint32_t count = 4; count <= PLACES; count += 2) {
        cr_assert_leq(run_halves(count), 2, "%u: it waits for each", count);
        bed_end();
        set_up();
    }
}

/* By the first links that are silent each of the others has as many of them. */
Test(expulsion, of_five_the_one_goes_that_none_hears)
{
    for (uint32_t bad = 0; bad < 5; bad++) {
        begin_members(5);
        for (uint32_t other = 4; other < 5; other--) { /* the highest number first */
            if (other == bad) continue;
            cut_both(bad, other);
            bed_run(1);
        }
        bed_run(LINK_TICKS + 4 * LEASE_TICKS);
        for (uint32_t at = 0; at < 5; at++) cr_assert_eq(lives(at), at != bad, "%u of bad %u", at, bad);
        bed_end();
        set_up();
    }
}

/* ---- any links ---- */

static bool is_cut(uint32_t one, uint32_t other)
{
    return bed.cut[one][other] || bed.cut[other][one];
}

static uint32_t count_cut(uint32_t at, uint32_t count)
{
    uint32_t cut = 0;
    for (uint32_t other = 0; other < count; other++) cut += is_cut(at, other);
    return cut;
}

/* Most members hear most others; the links fail within a few ticks. */
static void cut_some(uint64_t *rng, uint32_t count)
{
    const uint32_t one_in = 2 + phx_rng_below(rng, 4);
    for (uint32_t tick = 0; tick < JITTER_TICKS; tick++) {
        for (uint32_t from = 0; from < count; from++)
            for (uint32_t to = 0; to < count; to++)
                if (from != to && phx_rng_below(rng, one_in * JITTER_TICKS * 2) == 0) bed.cut[from][to] = true;
        bed_run(1);
    }
}

static void check_links(uint64_t seed, uint32_t count)
{
    cr_assert_gt(count_living(), 0, "seed %u", (unsigned)seed);
    for (uint32_t one = 0; one < count; one++) {
        cr_assert(lives(one) || count_cut(one, count) > 0, "seed %u: %u heard all", (unsigned)seed, one);
        for (uint32_t other = 0; other < one; other++) {
            if (!is_cut(one, other)) continue;
            cr_assert(!lives(one) || !lives(other), "seed %u: %u and %u live", (unsigned)seed, one, other);
            const bool have_more = count_cut(one, count) > 1 && count_cut(other, count) > 1;
            cr_assert(lives(one) || lives(other) || have_more, "seed %u: %u and %u", (unsigned)seed, one, other);
        }
    }
}

Test(expulsion, of_any_links_that_are_silent_one_member_goes_and_both_only_for_others)
{
    uint32_t gone = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t rng = seed;
        const uint32_t count = 2 + phx_rng_below(&rng, PLACES - 1);
        begin_members(count);
        cut_some(&rng, count);
        bed_run(2 * LINK_TICKS + (4 + 2 * count) * LEASE_TICKS);
        check_links(seed, count);
        gone += count - count_living();
        bed_end();
        set_up();
    }
    cr_assert_gt(gone, SEEDS);
}
