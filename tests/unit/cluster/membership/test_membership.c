/*
 * Membership of a few processes over one control store without faults: numbers, joins, a process that stops, one that
 * leaves, the wishes. With faults it is run by the simulation (sim_members.c).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/membership/balancer.h"
#include "cluster/membership/listed.h"
#include "cluster/membership/membership.h"
#include "cluster/membership/proposal.h"
#include "cluster/membership/registering.h"
#include "cluster/membership/registration.h"
#include "cluster/membership/reporting.h"
#include "cluster/membership/wishes.h"
#include "cluster/node/map_barrier.h"
#include "cluster/servers/memory_store.h"
#include "support/fail_alloc.h"
#include "support/node_reads.h"
#include "unit/cluster/membership/membership_bed.h"

enum { BALANCE_TICKS = 10 };

TestSuite(membership, .init = bed_begin, .fini = bed_end);

static uint32_t regions_of(uint32_t at, uint16_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < REGIONS; i++) count += bed.processes[at].node.map.regions[i].number == number;
    return count;
}

Test(membership, processes_without_a_number_get_the_lowest_and_share_regions)
{
    for (uint32_t at = 0; at < PROCESSES; at++) {
        bed_start(at, 0, REGIONS, 1, at == 3);
        bed_run(20);
    }
    bed_run(20);
    for (uint32_t at = 0; at < PROCESSES; at++) {
        cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_MEMBER);
        cr_assert_eq(bed.processes[at].node.def.member.number, at + 1);
        cr_assert_eq(bed.processes[at].node.map.version, bed.processes[0].node.map.version);
        cr_assert(may_save_now(&bed.processes[at].node));
        cr_assert_eq(regions_of(0, (uint16_t)(at + 1)), at < 2 ? 3u : at == 2 ? 2u : 0u, "%u", at);
    }
}

Test(membership, begun_together_all_join)
{
    for (uint32_t at = 0; at < PROCESSES; at++) bed_start(at, 0, REGIONS, 1, false);
    bed_run(100);
    for (uint32_t at = 0; at < PROCESSES; at++) {
        cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_MEMBER);
        cr_assert_eq(regions_of(at, bed.processes[at].node.def.member.number), REGIONS / PROCESSES);
    }
}

/*
 * With the second list, of tick 11, all wish for number 1. One gets it with each tick, and one a place in the map with
 * each look at it, which is asked for and heard in two ticks: none waits for the next list.
 */
Test(membership, begun_together_they_wait_for_no_list_where_another_one_was_first)
{
    uint32_t numbers = 0;
    bed.list_ticks = 10;
    for (uint32_t at = 0; at < PROCESSES; at++) bed_start(at, 0, REGIONS, 1, false);
    bed_run(11 + PROCESSES);
    for (uint32_t at = 0; at < PROCESSES; at++) {
        cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_JOIN);
        numbers |= 1u << bed.processes[at].membership.number;
    }
    cr_assert_eq(numbers, 30, "numbers 1 to 4");
    bed_run(6 + 2 * PROCESSES + 1); /* the list of tick 21 */
    for (uint32_t at = 0; at < PROCESSES; at++)
        cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_MEMBER, "%u", at);
}

/* Both look at the store in the same tick. The one that came too late looks again at once. */
Test(membership, of_two_that_wish_for_a_change_at_once_none_waits_for_the_next_list)
{
    enum { LIST_TICKS = 10, WRITE_TICKS = 6 };
    bed.list_ticks = LIST_TICKS;
    for (uint32_t at = 0; at < 3; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(LEASE_TICKS * 3);
    phx_membership *second = &bed.processes[1].membership, *third = &bed.processes[2].membership;
    while (second->lists || third->lists) bed_run(1);
    second->list_at = third->list_at = bed.now + TICK_NS;
    cr_assert(second->phase == PHX_MEMBERSHIP_MEMBER && third->phase == PHX_MEMBERSHIP_MEMBER);
    const uint64_t writes = second->counts.writes + third->counts.writes;
    for (uint32_t at = 1; at < 3; at++) phx_membership_drain(&bed.processes[at].membership);
    bed_run(WRITE_TICKS);
    cr_assert_eq(second->counts.writes + third->counts.writes, writes + 3, "one came too late");
    cr_assert(regions_of(1, 2) == 0 && regions_of(2, 3) == 0);
}

/* Of an earlier request that was done, and said to have failed: two keys would be two members. */
Test(membership, a_number_whose_key_is_under_the_own_lease_is_not_followed_by_another_one)
{
    process *of = &bed.processes[0];
    phx_membership *membership = &of->membership;
    bed_start(0, 0, REGIONS, 1, false);
    for (uint32_t i = 0; i < 5 && membership->phase != PHX_MEMBERSHIP_REGISTER; i++) bed_run(1);
    cr_assert_eq(membership->phase, PHX_MEMBERSHIP_REGISTER);
    cr_assert_gt(membership->counts.lists, 0);
    phc_entry entry = {.key = "ph/unit/nodes/1", .value = "", .revision = 1, .lease = membership->lease};
    const phc_answer answer = {.tag = PHX_TAG_REGISTER, .outcome = PHC_CHANGED, .entries = &entry, .count = 1};
    phx_registering_hear(membership, &answer);
    cr_assert_not(membership->writes);
    entry.lease++;
    membership->number = 1;
    phx_registering_hear(membership, &answer);
    cr_assert(membership->writes);
    cr_assert_eq(membership->number, 2);
}

/* A list is read every few ticks: while nothing changes its map is neither decoded nor copied. */
Test(membership, a_list_whose_map_is_known_costs_no_map)
{
    enum { TICKS = 200 };
    for (uint32_t at = 0; at < PROCESSES; at++) bed_start(at, 0, REGIONS, 1, at == 3);
    bed_run(100);
    const phx_membership *one = &bed.processes[0].membership;
    const uint64_t lists = one->counts.lists, read = one->counts.maps_read, copied = one->counts.maps_copied;
    bed_run(TICKS);
    cr_assert_geq(one->counts.lists, lists + TICKS / 8);
    cr_assert_eq(one->counts.maps_read, read);
    cr_assert_eq(one->counts.maps_copied, copied);
    const uint16_t first = bed.processes[0].membership.number, second = bed.processes[1].membership.number;
    const uint16_t to = one->map.regions[0].number == first ? second : first;
    phx_membership_give(&bed.processes[0].membership, 0, to);
    bed_run(20);
    cr_assert(one->counts.maps_read > read && one->counts.maps_copied > copied);
    cr_assert_eq(bed.processes[2].node.map.regions[0].number, to);
}

Test(membership, one_that_stops_is_put_out_and_knows_it_when_it_goes_on)
{
    for (uint32_t at = 0; at < 3; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(60);
    const uint64_t registration = bed.processes[1].node.def.member.registration;
    bed.processes[1].runs = false;
    bed_run(60);
    cr_assert_eq(bed.processes[0].node.map.member_count, 2);
    cr_assert(!phx_node_hears(&bed.processes[0].node, registration));
    cr_assert_eq(regions_of(0, 2), 0);
    bed.processes[1].runs = true;
    bed_run(3);
    cr_assert(bed.processes[1].node.fenced && !may_save_now(&bed.processes[1].node));
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_neq(bed.processes[1].membership.reason[0], '\0');
}

static uint64_t put_out_by_all(void)
{
    uint64_t count = 0;
    for (uint32_t at = 0; at < PROCESSES; at++) count += bed.processes[at].membership.counts.put_out;
    return count;
}

/* Half of the requests fail, and of the writing ones half of these were done: such a one is not counted. */
Test(membership, a_member_is_counted_as_put_out_by_the_map_that_stands)
{
    uint64_t counted = 0, failed = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        for (uint32_t at = 0; at < 3; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
        bed_run(60);
        bed.processes[2].runs = false;
        bed_run(LEASE_MS * 1000000u / TICK_NS - 2);
        cr_assert_eq(phc_memory_set_faults(bed.memory, (phc_faults){.seed = seed, .lost = 500}), PH_OK);
        for (uint32_t i = 0; i < 60 && bed.processes[0].node.map.member_count == 3; i++) bed_run(1);
        cr_assert_eq(phc_memory_set_faults(bed.memory, (phc_faults){0}), PH_OK);
        bed_run(60);
        cr_assert(bed.processes[0].membership.phase != PHX_MEMBERSHIP_MEMBER ||
                  bed.processes[0].node.map.member_count == 2);
        cr_assert_leq(put_out_by_all(), 3 - bed.processes[0].node.map.member_count, "seed %u", (unsigned)seed);
        counted += put_out_by_all();
        for (uint32_t at = 0; at < 3; at++) failed += bed.processes[at].membership.counts.failed;
        bed_end();
        bed_begin();
    }
    cr_assert(counted > 0 && failed > 0, "%u counted, %u failed", (unsigned)counted, (unsigned)failed);
}

Test(membership, a_save_needs_a_lease_that_is_proven)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    cr_assert(may_save_now(&bed.processes[0].node));
    phc_memory_cut(bed.memory, &bed.processes[0].store, true);
    bed_run(LEASE_MS * 1000000u / TICK_NS);
    cr_assert(!may_save_now(&bed.processes[0].node));
    cr_assert(phx_node_may_act(&bed.processes[0].node), "it goes on: no map without it was heard");
}

Test(membership, wishes_stand_in_the_map_in_the_end)
{
    for (uint32_t at = 0; at < 2; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(40);
    uint32_t region = 0;
    while (bed.processes[0].node.map.regions[region].number != 1) region++;
    phx_membership_give(&bed.processes[0].membership, region, 2);
    bed_run(10);
    cr_assert_eq(bed.processes[1].node.map.regions[region].number, 2);
    phx_membership_give(&bed.processes[0].membership, region, 9); /* no such node: dropped */
    bed_run(10);
    cr_assert_eq(bed.processes[0].membership.give_number, 0);
    phx_membership_drain(&bed.processes[0].membership);
    bed_run(10);
    cr_assert_eq(regions_of(1, 1), 0);
    cr_assert_eq(regions_of(1, 2), REGIONS);
    phx_membership_leave(&bed.processes[0].membership);
    bed_run(10);
    cr_assert_eq(bed.processes[1].node.map.member_count, 1);
    const uint32_t lost = bed.processes[1].node.map.regions[0].lost;
    cr_assert_neq(lost, 0);
    const uint32_t version = bed.processes[1].node.map.version;
    for (uint32_t i = 0; i < REGIONS; i++) phx_membership_restored(&bed.processes[1].membership, i, lost);
    bed_run(10);
    cr_assert_eq(bed.processes[1].node.map.version, version + 1);
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert_eq(bed.processes[1].node.map.regions[i].lost, 0);
    const uint64_t looks = bed.processes[1].membership.counts.restored_looks,
                   lists = bed.processes[1].membership.counts.lists;
    cr_assert(looks >= REGIONS && bed.processes[1].membership.restored_count == 0);
    bed_run(40);
    cr_assert_gt(bed.processes[1].membership.counts.lists, lists);
    cr_assert_eq(bed.processes[1].membership.counts.restored_looks, looks, "a list looks at no region without a wish");
}

static void count_written(void *user, const phc_answer *answer)
{
    *(uint32_t *)user += answer->outcome == PHC_DONE;
}

/* Keys 1000.. stand before key 2: more than a map can have. */
Test(membership, members_stay_while_too_many_are_registered)
{
    const phx_registration registration = {.formats = PHX_FORMATS, .definition = 1};
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    char key[PHC_KEY_MAX + 1];
    uint32_t written = 0;
    phc_store other;
    bed_start(0, 1, REGIONS, 1, false);
    bed_start(1, 2, REGIONS, 1, false);
    bed_run(20);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(phc_memory_join(bed.memory, &other), PH_OK);
    phx_registration_encode(&registration, bytes);
    for (uint32_t i = 0; i < PHX_LISTED_MAX; i++) {
        (void)snprintf(key, sizeof key, "ph/unit/nodes/%u", 1000 + i);
        cr_assert_eq(other.cas(other.user, i, key, 0, bytes, sizeof bytes, 0), PH_OK);
        bed_run(1);
        (void)other.poll(other.user, 1, count_written, &written);
    }
    bed_run(60);
    cr_assert_eq(written, PHX_LISTED_MAX);
    for (uint32_t at = 0; at < 2; at++) {
        cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_MEMBER, "process %u", at);
        cr_assert_gt(bed.processes[at].membership.counts.skipped, 0);
    }
    other.close(other.user);
}

static void take_key(phx_membership *membership, uint32_t number, const void *value, size_t size)
{
    static const phx_cluster_map none;
    char key[PHC_KEY_MAX + 1];
    (void)snprintf(key, sizeof key, "ph/unit/nodes/%u", number);
    const phc_entry entry = {.key = key, .value = value, .size = size, .revision = number};
    cr_assert_null(phx_listed_take(membership, &none, &entry));
}

static bool is_listed(const phx_membership *membership, uint64_t registration)
{
    return phx_listed_has(membership, &(phx_member){.registration = registration});
}

/* Members that come to a control store without a map, say: no map says there that they are needed. */
Test(membership, keys_that_can_not_be_read_take_no_place_of_others)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    phx_membership *membership = &bed.processes[0].membership;
    phx_listed_begin(membership);
    for (uint32_t i = 0; i < PHX_LISTED_MAX; i++) take_key(membership, 1000 + i, "?", 1);
    for (uint32_t i = 0; i < PHX_LISTED_MAX; i++) {
        const phx_registration registration = {.formats = PHX_FORMATS, .definition = 1, .registration = 1 + i};
        phx_registration_encode(&registration, bytes);
        take_key(membership, 2000 + i, bytes, sizeof bytes);
        cr_assert_eq(membership->listed_count, PHX_LISTED_MAX);
    }
    for (uint32_t i = 0; i < PHX_LISTED_MAX; i++) cr_assert(is_listed(membership, 1 + i), "%u", i);
    take_key(membership, 3000, "?", 1);
    for (uint32_t i = 0; i < PHX_LISTED_MAX; i++) cr_assert(is_listed(membership, 1 + i), "%u", i);
    take_key(membership, membership->number, "?", 1); /* this process has to say so */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < PHX_LISTED_MAX; i++) kept += is_listed(membership, 1 + i);
    cr_assert_eq(kept, PHX_LISTED_MAX - 1);
    cr_assert(phx_number_set_has(&membership->numbers, 1000) && phx_number_set_has(&membership->numbers, 3000));
    cr_assert_not(phx_number_set_has(&membership->numbers, 3001));
}

/* It takes entities by that map, though its own proposal takes the region from it again. */
Test(membership, a_node_with_a_region_in_the_map_does_not_leave)
{
    for (uint32_t at = 0; at < 2; at++) bed_start(at, 0, REGIONS, 1, false);
    bed_run(40);
    phx_membership *membership = &bed.processes[0].membership;
    phx_cluster_map map = membership->map;
    cr_assert(phx_cluster_map_drain(&map, bed.processes[0].node.def.member.registration));
    cr_assert(phx_cluster_map_give(&map, 0, membership->number));
    bed.processes[0].node.leaves = membership->drains = true;
    cr_assert(phx_proposal_make(membership, &map));
    cr_assert(phx_cluster_map_numbered(&membership->proposed, membership->number)->drained);
    bed.processes[0].node.leaves = membership->drains = false;
}

Test(membership, a_drained_node_stays_drained)
{
    for (uint32_t at = 0; at < 2; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    phx_membership_drain(&bed.processes[0].membership); /* before it has joined */
    bed_run(40);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(regions_of(1, 1), 0);
    phx_membership_give(&bed.processes[1].membership, 3, 1);
    bed_run(20);
    cr_assert_eq(regions_of(1, 1), 0);
    cr_assert_eq(bed.processes[1].membership.give_number, 0); /* the wish can not be */
    bed.processes[1].runs = false;
    bed_run(60);
    cr_assert_eq(regions_of(0, 1), REGIONS); /* the only node */
    bed_start(2, 3, REGIONS, 1, false);
    bed_run(40);
    cr_assert_eq(regions_of(0, 1), 0);
    cr_assert_eq(regions_of(2, 3), REGIONS);
}

static uint32_t leases_asked;
static ph_status (*lease_open)(void *user, uint64_t tag, uint32_t ms);

static ph_status count_lease(void *user, uint64_t tag, uint32_t ms)
{
    leases_asked++;
    return lease_open(user, tag, ms);
}

Test(membership, a_store_that_fails_is_not_flooded_with_leases)
{
    enum { SECONDS = 5, A_SECOND = 3 };
    leases_asked = 0;
    bed_start(0, 1, REGIONS, 1, false);
    lease_open = bed.processes[0].store.lease_open;
    bed.processes[0].membership.def.store.lease_open = count_lease;
    phc_memory_cut(bed.memory, &bed.processes[0].store, true);
    bed_run(SECONDS * 1000000000ull / TICK_NS);
    cr_assert(leases_asked >= SECONDS && leases_asked <= SECONDS * A_SECOND + 1, "%u", leases_asked);
    phc_memory_cut(bed.memory, &bed.processes[0].store, false);
    bed_run(40);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_MEMBER);
}

Test(membership, what_is_restored_stays_so_while_the_region_is_another_nodes)
{
    for (uint32_t at = 0; at < 3; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(60);
    bed.processes[2].runs = false;
    bed_run(60);
    const uint32_t lost = bed.processes[0].node.map.regions[0].lost;
    cr_assert_neq(lost, 0);
    uint32_t region = 0;
    while (bed.processes[0].node.map.regions[region].number != 2) region++;
    phx_membership_restored(&bed.processes[0].membership, region, lost); /* as it did when it had the region */
    bed_run(10);
    cr_assert_eq(bed.processes[0].node.map.regions[region].lost, lost);
    phx_membership_give(&bed.processes[1].membership, region, 1);
    bed_run(20);
    cr_assert_eq(bed.processes[0].node.map.regions[region].number, 1);
    cr_assert_eq(bed.processes[0].node.map.regions[region].lost, 0);
}

static void begin_three(uint64_t registrations[3])
{
    for (uint32_t at = 0; at < 3; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, at == 2);
    bed_run(60);
    for (uint32_t at = 0; at < 3; at++) registrations[at] = bed.processes[at].node.def.member.registration;
}

static void check_three(const uint64_t registrations[3])
{
    for (uint32_t at = 0; at < 3; at++) {
        const process *of = &bed.processes[at];
        cr_assert_eq(of->membership.phase, PHX_MEMBERSHIP_MEMBER, "%u: %s", at, of->membership.reason);
        cr_assert_eq(of->membership.counts.put_out, 0);
        cr_assert_eq(of->membership.counts.returned, 1);
        cr_assert(may_save_now(&of->node));
        cr_assert_eq(of->node.map.fence, 0);
        for (uint32_t peer = 0; peer < 3; peer++)
            cr_assert(phx_cluster_map_member(&of->node.map, registrations[peer]), "%u has not %u", at, peer);
    }
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 3);
}

Test(membership, members_come_back_where_all_leases_ended_at_once)
{
    uint64_t registrations[3];
    begin_three(registrations);
    bed_hang(2 * LEASE_TICKS);
    for (uint32_t at = 0; at < 3; at++) cr_assert(!may_save_now(&bed.processes[at].node));
    bed_run(2 * LEASE_TICKS);
    check_three(registrations);
}

Test(membership, members_come_back_where_none_reached_the_store_for_a_lease)
{
    uint64_t registrations[3];
    begin_three(registrations);
    for (uint32_t at = 0; at < 3; at++) phc_memory_cut(bed.memory, &bed.processes[at].store, true);
    bed_run(2 * LEASE_TICKS);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 0);
    for (uint32_t at = 0; at < 3; at++) {
        phc_memory_cut(bed.memory, &bed.processes[at].store, false);
        bed_run(at + 2);
    }
    bed_run(2 * LEASE_TICKS);
    check_three(registrations);
}

Test(membership, one_that_died_while_the_store_hung_is_put_out_a_lease_later)
{
    uint64_t registrations[3];
    begin_three(registrations);
    bed.processes[1].runs = false;
    bed_hang(2 * LEASE_TICKS);
    bed_run(LEASE_TICKS - 2);
    cr_assert(phx_cluster_map_member(&bed.processes[0].node.map, registrations[1]));
    bed_run(LEASE_TICKS);
    cr_assert_not(phx_cluster_map_member(&bed.processes[0].node.map, registrations[1]));
    cr_assert(phx_cluster_map_member(&bed.processes[0].node.map, registrations[2]));
    bed.processes[1].runs = true;
    bed_run(LEASE_TICKS);
    cr_assert(bed.processes[1].node.fenced);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 2, "a key that it wrote again is gone with it");
}

/* No process runs, and the store does: all leases end. */
static void sleep_all(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) phc_memory_step(bed.memory, bed.now += TICK_NS);
}

Test(membership, members_that_all_slept_come_back_and_act_once_they_have_read_the_map)
{
    uint64_t registrations[3];
    begin_three(registrations);
    sleep_all(2 * LEASE_TICKS);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 0);
    for (uint32_t tick = 0; tick < 2; tick++) { /* a list that was under way, and the one that is asked for bed.now */
        for (uint32_t at = 0; at < 3; at++) cr_assert_eq(phx_node_may_act(&bed.processes[at].node), tick == 0);
        bed_run(1);
    }
    bed_run(1);
    for (uint32_t at = 0; at < 3; at++) cr_assert(phx_node_may_act(&bed.processes[at].node), "%u", at);
    bed_run(2 * LEASE_TICKS);
    check_three(registrations);
}

Test(membership, one_that_slept_and_was_put_out_acts_no_more)
{
    uint64_t registrations[3];
    begin_three(registrations);
    bed.processes[1].runs = false;
    bed_run(3 * LEASE_TICKS);
    cr_assert_not(phx_cluster_map_member(&bed.processes[0].node.map, registrations[1]));
    bed.processes[1].runs = true;
    for (uint32_t i = 0; i < LEASE_TICKS; i++) {
        bed_run(1);
        cr_assert_not(phx_node_may_act(&bed.processes[1].node), "%u ticks", i);
    }
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_ENDED);
}

/* A store that is away is no sleep: the node goes on. */
Test(membership, one_whose_lease_is_not_proven_acts)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    for (uint32_t i = 0; i < 2 * LEASE_TICKS; i++) {
        bed_hang(1);
        cr_assert(phx_node_may_act(&bed.processes[0].node));
    }
    cr_assert_not(may_save_now(&bed.processes[0].node));
}

/* No renewal from a fresh proof on for two thirds of the lease, and a bit. */
Test(membership, a_renewal_that_failed_is_asked_again_before_the_next_one_is_due)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    const uint64_t lease = bed.processes[0].membership.lease, proven = bed.processes[0].node.proven_until;
    while (bed.processes[0].node.proven_until == proven) bed_run(1);
    phc_memory_cut(bed.memory, &bed.processes[0].store, true);
    const uint64_t failed = bed.processes[0].membership.counts.failed;
    bed_run(LEASE_TICKS * 7 / 10);
    cr_assert_leq(bed.processes[0].membership.counts.failed - failed, 2 * LEASE_TICKS, "it floods the store");
    phc_memory_cut(bed.memory, &bed.processes[0].store, false);
    for (uint32_t i = 0; i < LEASE_TICKS; i++) {
        bed_run(1);
        cr_assert(may_save_now(&bed.processes[0].node), "%u ticks", i);
    }
    cr_assert_eq(bed.processes[0].membership.counts.returned, 0);
    cr_assert_eq(bed.processes[0].membership.lease, lease);
}

/* It is alone: no other member puts it out, and none is needed to come back. */
Test(membership, the_only_member_comes_back)
{
    bed_start(0, 0, REGIONS, 1, false);
    bed_run(20);
    const uint64_t registration = bed.processes[0].node.def.member.registration;
    bed_hang(LEASE_TICKS + 5);
    bed_run(LEASE_TICKS);
    cr_assert(may_save_now(&bed.processes[0].node));
    cr_assert_eq(bed.processes[0].node.def.member.registration, registration);
    bed_start(1, 0, REGIONS, 1, false);
    bed_run(2 * LEASE_TICKS);
    cr_assert_eq(bed.processes[1].node.map.member_count, 2);
}

/* A key that is written again is no proof: a list from before it may put the member out as long as the map is older. */
Test(membership, a_lease_of_one_that_comes_back_is_proven_by_a_map_behind_its_key)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    const uint32_t version = bed.processes[0].node.map.version;
    bed_hang(LEASE_TICKS + 5);
    for (uint32_t i = 0; i < LEASE_TICKS && !may_save_now(&bed.processes[0].node); i++) {
        cr_assert_eq(bed.processes[0].membership.counts.returned, 0);
        bed_run(1);
        if (bed.processes[0].membership.counts.returned > 0) break;
    }
    cr_assert_eq(bed.processes[0].node.map.version, version + 1);
    bed_run(5);
    cr_assert(may_save_now(&bed.processes[0].node));
}

Test(membership, a_registration_says_itself_or_is_of_the_keys_revision_and_lease)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    const phx_registration written = {.formats = PHX_FORMATS, .gateway = true, .definition = 7, .registration = 9},
                           first = {.formats = PHX_FORMATS, .definition = 7};
    phx_registration read;
    phx_registration_encode(&written, bytes);
    cr_assert(phx_registration_decode(&read, bytes, sizeof bytes));
    cr_assert(read.gateway && read.definition == 7 && read.registration == 9);
    cr_assert_eq(phx_registration_of(&read, 3, 5), 9);
    cr_assert_eq(phx_registration_of(&first, 3, 5), phx_registration_at(3, 5));
    for (uint64_t i = 0; i < 1000; i++) {
        cr_assert_neq(phx_registration_at(i, 5), phx_registration_at(i + 1, 5));
        cr_assert_neq(phx_registration_at(3, i), phx_registration_at(3, i + 1), "leases of two stores");
        cr_assert(phx_registration_at(i << 32, i << 40) - 1 < (1ull << 53) - 1);
    }
    cr_assert_not(phx_registration_decode(&read, bytes, sizeof bytes - 1));
}

static void forget_map(void)
{
    static phc_store other;
    cr_assert_eq(phc_memory_join(bed.memory, &other), PH_OK);
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    for (uint32_t i = 0; i < table->key_count; i++) {
        unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
        static phx_cluster_map map;
        if (strcmp(table->keys[i].key, "ph/unit/map") != 0) continue;
        phx_cluster_map_init(&map, REGIONS / 2, 2);
        cr_assert_eq(other.cas(other.user, 1, "ph/unit/map", table->keys[i].revision, bytes,
                               phx_cluster_map_encode(&map, bytes, sizeof bytes), 0),
                     PH_OK);
    }
    phc_memory_step(bed.memory, bed.now);
    other.close(other.user);
}

/* A store that was restored from an old backup, or is another one. */
Test(membership, a_member_does_not_come_back_into_an_older_map)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    bed_hang(LEASE_TICKS + 5);
    forget_map();
    const phx_membership *membership = &bed.processes[0].membership;
    for (uint32_t i = 0; i < LEASE_TICKS / 2 && membership->phase != PHX_MEMBERSHIP_ENDED; i++) bed_run(1);
    cr_assert_eq(membership->phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(membership->reason, "the store has lost the map");
    cr_assert_eq(membership->why, PH_OK);
    cr_assert_neq(membership->lease, 0);
    bed_run(1);
    cr_assert_not(bed_has_lease(membership->lease), "its number is free");
}

static void keep_map(void *user, const phc_answer *answer)
{
    *(uint64_t *)user = answer->count == 1 ? answer->entries[0].revision : 0;
}

/* Another program takes the second of two members out of the map, and ends its lease, or leaves it. */
static const char *reason_of_one_that_is_out(bool ends_lease)
{
    unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    uint64_t revision = 0;
    phc_store other;
    for (uint32_t at = 0; at < 2; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(40);
    phx_cluster_map map = bed.processes[0].node.map;
    cr_assert(phx_cluster_map_put_out(&map, bed.processes[1].node.def.member.registration));
    cr_assert_eq(phc_memory_join(bed.memory, &other), PH_OK);
    cr_assert_eq(other.list(other.user, 1, "ph/unit/map"), PH_OK);
    bed_run(1);
    cr_assert_eq(other.poll(other.user, 1, keep_map, &revision), 1);
    if (ends_lease) cr_assert_eq(other.lease_end(other.user, 2, bed.processes[1].membership.lease), PH_OK);
    cr_assert_eq(
        other.cas(other.user, 3, "ph/unit/map", revision, bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes), 0),
        PH_OK);
    bed_run(10);
    other.close(other.user);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_eq(bed.processes[1].membership.why, PH_OK, "started again it joins");
    return bed.processes[1].membership.reason;
}

Test(membership, a_member_that_is_put_out_beside_its_lease_says_so)
{
    cr_assert_str_eq(reason_of_one_that_is_out(false), "put out of the map");
}

Test(membership, a_member_that_is_put_out_without_a_lease_says_so)
{
    cr_assert_str_eq(reason_of_one_that_is_out(true), "put out of the map, as its lease ran out");
}

/* ---- the balancer ---- */

/* A node's load, and 100 entities in each of its regions. */
static void report_load(uint32_t at, uint32_t share)
{
    static phx_load_report report;
    static unsigned char bytes[PHX_LOAD_REPORT_BYTES_MAX];
    const process *of = &bed.processes[at];
    const phx_member *self = &of->node.def.member;
    report = (phx_load_report){.registration = self->registration,
                               .busy_us = share * 50,
                               .period_us = 50000,
                               .columns = 4,
                               .rows = REGIONS / 4};
    for (uint32_t i = 0; i < REGIONS; i++)
        if (of->node.map.regions[i].number == self->number)
            report.regions[report.region_count++] = (phx_load_region){.region = (uint16_t)i, .entities = 100};
    phx_reporting_write(&bed.processes[at].membership, bytes, phx_load_report_encode(&report, bytes, sizeof bytes));
}

/* The process that balances; PROCESSES: none, or several. */
static uint32_t balancer(void)
{
    uint32_t found = PROCESSES, count = 0;
    for (uint32_t at = 0; at < PROCESSES; at++) {
        if (!bed.processes[at].runs || !phx_balancer_holds(&bed.processes[at].membership, bed.now)) continue;
        found = at;
        count++;
    }
    return count == 1 ? found : PROCESSES;
}

static void begin_balancing(uint32_t count)
{
    bed.balance_ticks = BALANCE_TICKS;
    for (uint32_t at = 0; at < count; at++) {
        bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
        bed_run(20);
    }
}

Test(membership, one_member_balances_and_the_next_one_when_it_dies)
{
    begin_balancing(3);
    cr_assert_eq(balancer(), 0);
    bed.processes[0].runs = false;
    bed_run(60);
    cr_assert_eq(balancer(), 1);
    phx_membership_leave(&bed.processes[1].membership);
    bed_run(10);
    cr_assert_eq(balancer(), 2);
    bed.processes[0].runs = true; /* it has not heard that it is out, and its lease is not proven */
    cr_assert_not(phx_balancer_holds(&bed.processes[0].membership, bed.now));
    bed_run(10);
    cr_assert_eq(balancer(), 2);
}

Test(membership, a_busy_node_gives_a_region_once_it_was_busy_for_a_wait)
{
    begin_balancing(2);
    bed_run(PHX_BALANCE_RESTS * BALANCE_TICKS); /* what the second one got as it joined stays for so long */
    for (uint32_t i = 0; i < 4 * BALANCE_TICKS; i++) {
        report_load(0, 100);
        report_load(1, 800);
        const uint32_t version = bed.processes[0].node.map.version;
        bed_run(1);
        if (bed.processes[0].node.map.version != version) cr_assert_geq(i, BALANCE_TICKS);
        if (regions_of(0, 2) == REGIONS / 2 - 1) break;
    }
    cr_assert_eq(regions_of(0, 2), REGIONS / 2 - 1);
    cr_assert_eq(bed.processes[0].membership.counts.balanced, 1);
    cr_assert_eq(bed.processes[1].membership.counts.balanced, 0);
    for (uint32_t i = 0; i < 4 * BALANCE_TICKS; i++) { /* all is even: nothing more goes */
        report_load(0, 400);
        report_load(1, 500);
        bed_run(1);
    }
    cr_assert_eq(regions_of(0, 2), REGIONS / 2 - 1);
}

/* Bytes of a report, with a change that the writer of a key can make. */
static void put_flawed(uint32_t kind)
{
    static phx_load_report report;
    static unsigned char bytes[PHX_LOAD_REPORT_BYTES_MAX];
    const process *other = &bed.processes[1], *of = kind == 1 ? &bed.processes[0] : other;
    report = (phx_load_report){.registration = of->node.def.member.registration,
                               .busy_us = 50000,
                               .period_us = 50000,
                               .columns = kind == 2 ? REGIONS : REGIONS / 2,
                               .rows = kind == 2 ? 1 : 2};
    size_t size = phx_load_report_encode(&report, bytes, sizeof bytes);
    if (kind == 0) bytes[--size] ^= 1;
    phx_reporting_write(&bed.processes[1].membership, bytes, size);
}

/* Damaged; the first node's, under the second one's key; of another grid. */
Test(membership, reports_that_are_not_the_nodes_are_counted_and_taken_by_none)
{
    begin_balancing(2);
    const phx_membership *first = &bed.processes[0].membership;
    for (uint32_t kind = 0; kind < 3; kind++) {
        const uint64_t before = first->counts.flawed_reports;
        put_flawed(kind);
        bed_run(BALANCE_TICKS);
        cr_assert_gt(first->counts.flawed_reports, before, "%u", kind);
        cr_assert_eq(first->balancer.watch.state.load_count, 0, "%u", kind);
    }
    cr_assert_eq(bed.processes[1].membership.counts.flawed_reports, 0, "it does not balance");
}

/* A move is of the map that it was chosen by: an operator's change in between makes it void. */
Test(membership, a_move_is_dropped_where_the_map_has_changed)
{
    begin_balancing(2);
    const phx_cluster_map *map = &bed.processes[0].node.map;
    phx_balancer *of = &bed.processes[0].membership.balancer;
    uint32_t region = 0;
    while (map->regions[region].number != 1) region++;
    of->watch.move = (phx_balance_move){.region = region, .from = 1, .to = 2};
    phx_cluster_map proposed = *map;
    of->due_version = map->version - 1;
    cr_assert_not(phx_balancer_propose(&bed.processes[0].membership, map, &proposed));
    of->due_version = map->version;
    cr_assert(phx_balancer_propose(&bed.processes[0].membership, map, &proposed));
    cr_assert_eq(proposed.regions[region].number, 2);
    cr_assert_not(phx_balancer_propose(&bed.processes[0].membership, map, &proposed), "twice");
}

Test(membership, where_none_may_balance_none_does)
{
    for (uint32_t at = 0; at < 2; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    for (uint32_t i = 0; i < 100; i++) {
        bed_run(1);
        if (bed.processes[0].membership.phase != PHX_MEMBERSHIP_MEMBER) continue;
        report_load(0, 900);
        cr_assert_eq(balancer(), PROCESSES);
    }
    cr_assert_eq(regions_of(0, 1), REGIONS / 2);
}
