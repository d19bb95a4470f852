/*
 * A control store that loses all it had, with a few processes and without faults: which map is adopted, when, and how
 * members end that do not come, or come late. With faults it is run by the simulation (sim_members.c).
 */
#include <string.h>

#include "cluster/map/eras.h"
#include "cluster/membership/wishes.h"
#include "support/node_reads.h"
#include "unit/cluster/membership/membership_bed.h"

TestSuite(adoption, .init = bed_begin, .fini = bed_end);

/*
 * The first version of so many eras behind the one that the cluster begins in, by a process with the first lease. That
 * is the lowest number of the ones that begin together; the store does the requests of the last one that opened it
 * first.
 */
static uint32_t version_in(uint32_t era)
{
    static phx_cluster_map map;
    phx_cluster_map_begin(&map, PHX_FORMAT_MAX, REGIONS / 2, 2, 1);
    return ((map.version >> PHX_CLUSTER_ERA_SHIFT) + era) << PHX_CLUSTER_ERA_SHIFT;
}

static uint32_t era_of(uint32_t at)
{
    return (bed.processes[at].node.map.version - version_in(0)) >> PHX_CLUSTER_ERA_SHIFT;
}

/* Three nodes, of which the last one gives a region away while the first one stands still: it has an older map. */
static void begin_with_old_map(void)
{
    for (uint32_t at = 3; at-- > 0;) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(LEASE_TICKS + 40);
    bed.processes[0].runs = false;
    uint16_t region = 0;
    while (bed.processes[2].node.map.regions[region].number != 3) region++;
    phx_membership_give(&bed.processes[2].membership, region, 2);
    bed_run(10);
    bed.processes[0].runs = true;
    cr_assert_gt(bed.processes[2].node.map.version, bed.processes[0].node.map.version);
}

Test(adoption, the_newest_map_is_adopted_and_a_new_process_waits_for_it)
{
    uint64_t registrations[3];
    bed.adopts = true;
    begin_with_old_map();
    for (uint32_t at = 0; at < 3; at++) registrations[at] = bed.processes[at].node.def.member.registration;
    phx_memory_store_lose(bed.memory);
    bed_start(3, 0, REGIONS, 1, false);
    bed_run(2 * LEASE_TICKS);
    for (uint32_t at = 0; at < PROCESSES; at++) {
        const process *of = &bed.processes[at];
        cr_assert_eq(of->membership.phase, PHX_MEMBERSHIP_MEMBER, "%u: %s", at, of->membership.reason);
        cr_assert(may_save_now(&of->node));
        cr_assert_eq(era_of(at), 1);
        cr_assert_eq(of->node.map.fence, version_in(1));
        cr_assert_eq(of->membership.counts.put_out, 0);
        cr_assert_eq(of->membership.counts.adopted, at == 1, "of the newest map the lowest number: %u", at);
        if (at < 3) cr_assert_eq(of->node.def.member.registration, registrations[at]);
    }
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert_eq(bed.processes[0].node.map.regions[i].lost, version_in(1));
}

Test(adoption, members_that_do_not_come_within_a_lease_are_not_in_the_adopted_map)
{
    bed.adopts = true;
    begin_with_old_map();
    phx_memory_store_lose(bed.memory);
    bed.processes[1].runs = false;
    bed_run(LEASE_TICKS);
    cr_assert_eq(era_of(2), 0);
    bed_run(LEASE_TICKS);
    cr_assert_eq(era_of(2), 1);
    cr_assert_eq(bed.processes[2].node.map.member_count, 2);
    cr_assert_eq(bed.processes[2].membership.counts.put_out, 1);
    bed.processes[1].runs = true;
    bed_run(10);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert(bed.processes[1].node.fenced);
}

Test(adoption, without_leave_to_adopt_they_end)
{
    begin_with_old_map();
    phx_memory_store_lose(bed.memory);
    bed_run(2 * LEASE_TICKS);
    for (uint32_t at = 0; at < 3; at++) cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_ENDED);
}

/* A member that does not reach the new store goes on under its registration; a new process's key has the revision that
 * its key had. */
Test(adoption, no_registration_of_a_store_that_began_anew_is_used_twice)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    const phx_node *cut = &bed.processes[0].node;
    const uint64_t revision = bed.processes[0].membership.listed[0].revision;
    phc_memory_cut(bed.memory, &bed.processes[0].store, true);
    phx_memory_store_lose(bed.memory);
    bed_start(1, 1, REGIONS, 1, false);
    bed_run(20);
    const phx_node *began = &bed.processes[1].node;
    cr_assert(began->joined && cut->joined && !cut->fenced);
    cr_assert_eq(bed.processes[1].membership.listed[0].revision, revision);
    cr_assert_not(phx_node_hears(began, cut->def.member.registration));
    cr_assert_not(phx_node_hears(cut, began->def.member.registration));
    phc_memory_cut(bed.memory, &bed.processes[0].store, false);
    bed_run(LEASE_TICKS);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_MEMBER);
}

Test(adoption, clusters_begin_in_eras_of_their_own)
{
    static phx_cluster_map map, other;
    uint32_t same = 0;
    for (uint64_t lease = 1; lease <= 1000; lease++) {
        phx_cluster_map_begin(&map, PHX_FORMAT_MAX, REGIONS / 2, 2, lease);
        phx_cluster_map_begin(&other, PHX_FORMAT_MAX, REGIONS / 2, 2, lease + 1);
        same += map.version == other.version;
        cr_assert_eq(map.version % (1u << PHX_CLUSTER_ERA_SHIFT), 1);
        cr_assert_lt(map.version >> PHX_CLUSTER_ERA_SHIFT, PHX_CLUSTER_FIRST_ERAS);
    }
    cr_assert_leq(same, 3);
}

/* A third of a lease would be the next renewal. */
Test(adoption, a_member_without_leave_ends_with_the_first_list_of_a_store_that_has_lost_all)
{
    begin_with_old_map();
    phx_memory_store_lose(bed.memory);
    bed_run(4);
    for (uint32_t at = 0; at < 3; at++) cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_ENDED);
}

/* The host's database has an ownership of the map before. */
Test(adoption, a_map_of_a_store_that_began_anew_comes_above_what_a_host_has_met)
{
    enum { MET = 5000 };
    bed_start(1, 2, REGIONS, 1, false);
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(40);
    phx_membership *first = &bed.processes[0].membership, *second = &bed.processes[1].membership;
    cr_assert(phx_membership_exceed(first, bed.processes[0].node.map.version - 1));
    bed_run(5);
    cr_assert_eq(era_of(0), 0, "it is above that one");
    cr_assert(phx_membership_exceed(first, version_in(0) + MET));
    cr_assert(phx_membership_exceed(second, version_in(0) + MET + 1));
    bed_run(5);
    for (uint32_t at = 0; at < 2; at++) cr_assert_eq(bed.processes[at].node.map.version, version_in(1));
    cr_assert(phx_membership_exceed(first, version_in(1) + MET));
    bed_run(5);
    cr_assert_eq(bed.processes[1].node.map.version, version_in(2));
    cr_assert_eq(bed.processes[1].node.map.fence, 0, "none was put out, and nothing is lost");
    cr_assert_not(phx_membership_exceed(first, PHX_CLUSTER_EXCEEDED_ERAS << PHX_CLUSTER_ERA_SHIFT));
    cr_assert(phx_membership_exceed(first, (PHX_CLUSTER_EXCEEDED_ERAS << PHX_CLUSTER_ERA_SHIFT) - 1));
    bed_run(5);
    cr_assert_eq(bed.processes[1].node.map.version, PHX_CLUSTER_EXCEEDED_ERAS << PHX_CLUSTER_ERA_SHIFT);
    phx_membership_give(first, 0, 2);
    bed_run(5);
    cr_assert_eq(bed.processes[1].node.map.regions[0].number, 2, "a map goes on behind the last era of these");
}

/* ---- when ---- */

static void await_phase(uint32_t at, phx_membership_phase phase)
{
    for (uint32_t ticks = 0; bed.processes[at].membership.phase < phase; ticks++) {
        cr_assert_lt(ticks, 4 * LEASE_TICKS, "%u", at);
        bed_run(1);
    }
}

static bool may_save(uint32_t at)
{
    const process *of = &bed.processes[at];
    return of->node.joined && !of->node.fenced && bed.now < of->node.proven_until;
}

/* Until the process is of that era; meanwhile, and then, no process that may save by its own clock is in no map. */
static void await_era(uint32_t at, uint32_t era)
{
    for (uint32_t ticks = 0; era_of(at) != era; ticks++) {
        cr_assert_lt(ticks, 4 * LEASE_TICKS, "no map is adopted");
        bed_run(1);
    }
    for (uint32_t other = 0; other < PROCESSES; other++) {
        const uint64_t registration = bed.processes[other].node.def.member.registration;
        cr_assert(!may_save(other) || phx_cluster_map_member(&bed.processes[at].node.map, registration), "%u", other);
    }
}

/* All of the newest map that has come back have come, and one of the lost store is in a later map. */
Test(adoption, a_map_is_adopted_behind_all_leases_of_the_lost_store)
{
    bed.adopts = true;
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(3 * LEASE_TICKS);
    bed.processes[0].runs = false;
    bed_start(1, 2, REGIONS, 1, false);
    await_phase(1, PHX_MEMBERSHIP_MEMBER);
    cr_assert(may_save(1));
    bed.processes[1].runs = false;
    phx_memory_store_lose(bed.memory);
    bed.processes[0].runs = true;
    bed_run(2);
    cr_assert(may_save(1));
    await_era(0, 1);
    bed.processes[1].runs = true;
    bed_run(10);
    cr_assert(bed.processes[1].node.fenced);
}

static ph_status (*list)(void *user, uint64_t tag, const char *prefix);

static ph_status refuse_list(void *user, uint64_t tag, const char *prefix)
{
    const phx_membership *founder = &bed.processes[0].membership;
    return founder->phase == PHX_MEMBERSHIP_JOIN && founder->writes ? PH_FULL : list(user, tag, prefix);
}

/* The founder's last list is from before its map; so long ago is the first list without one. */
Test(adoption, the_wait_begins_behind_the_loss)
{
    bed.adopts = true;
    bed_start(0, 1, REGIONS, 1, false);
    list = bed.processes[0].store.list;
    bed.processes[0].membership.def.store.list = refuse_list;
    await_phase(0, PHX_MEMBERSHIP_MEMBER);
    cr_assert(bed.processes[0].membership.is_bare);
    phc_memory_cut(bed.memory, &bed.processes[0].store, true);
    bed_start(1, 2, REGIONS, 1, false);
    bed_run(2 * LEASE_TICKS);
    cr_assert(bed.processes[0].membership.is_bare && may_save(1));
    bed.processes[1].runs = false;
    phx_memory_store_lose(bed.memory);
    phc_memory_cut(bed.memory, &bed.processes[0].store, false);
    await_era(0, 1);
}

/* The store gives whole seconds: two for one and a half. */
Test(adoption, the_wait_is_as_long_as_the_store_lets_leases_live)
{
    bed.adopts = true;
    bed.lease_ms = LEASE_MS * 3 / 2;
    begin_with_old_map();
    bed_run(2 * LEASE_TICKS);
    const uint64_t lost_at = bed.now;
    phx_memory_store_lose(bed.memory);
    bed.processes[1].runs = false;
    await_era(0, 1);
    cr_assert_geq(bed.now - lost_at, 2 * LEASE_TICKS * (uint64_t)TICK_NS);
}

/* It sleeps for so long that the wait would be over, and has a list from before that. */
Test(adoption, the_last_list_of_the_wait_has_all_who_came)
{
    bed.adopts = true;
    begin_with_old_map();
    phx_memory_store_lose(bed.memory);
    bed.processes[0].runs = bed.processes[2].runs = false;
    bed_run(LEASE_TICKS / 2);
    bed.processes[1].runs = false;
    bed.processes[0].runs = bed.processes[2].runs = true;
    bed_run(LEASE_TICKS * 4 / 5);
    bed.processes[1].runs = true;
    bed_run(1);
    cr_assert_eq(era_of(1), 0, "members that came while it slept are in no list of its own");
    await_era(1, 1);
    cr_assert_eq(bed.processes[1].node.map.member_count, 3);
}

/* ---- new processes ---- */

static ph_status (*cas)(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value, size_t size,
                        uint64_t lease);
static ph_status (*lease_open)(void *user, uint64_t tag, uint32_t ms);

static ph_status refuse_map(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value,
                            size_t size, uint64_t lease)
{
    return strcmp(key, "ph/unit/map") == 0 ? PH_FULL : cas(user, tag, key, revision, value, size, lease);
}

static ph_status refuse_lease(void *user, uint64_t tag, uint32_t ms)
{
    (void)user, (void)tag, (void)ms;
    return PH_FULL;
}

/* Its key has a low revision, as the keys of the lost store's members had. */
Test(adoption, a_process_that_registered_before_the_map_was_adopted_joins_it)
{
    bed.adopts = true;
    begin_with_old_map();
    phx_memory_store_lose(bed.memory);
    for (uint32_t at = 0; at < 3; at++) bed.processes[at].runs = false;
    bed_start(3, 9, REGIONS, 1, false);
    cas = bed.processes[3].store.cas;
    bed.processes[3].membership.def.store.cas = refuse_map; /* else it begins a map of its own */
    await_phase(3, PHX_MEMBERSHIP_JOIN);
    for (uint32_t at = 0; at < 3; at++) bed.processes[at].runs = true;
    await_era(2, 1);
    cr_assert_eq(bed.processes[2].node.map.member_count, 3);
    bed.processes[3].membership.def.store.cas = cas;
    bed_run(10);
    cr_assert_eq(bed.processes[3].membership.phase, PHX_MEMBERSHIP_MEMBER, "%s", bed.processes[3].membership.reason);
    cr_assert_eq(bed.processes[2].node.map.member_count, 4);
}

/* It has seen the store empty before its first map, and has a lease for the first time behind the loss. */
Test(adoption, a_new_process_begins_no_map_before_all_leases_of_the_lost_store_have_ended)
{
    bed.adopts = true;
    bed_start(3, 9, REGIONS, 1, false);
    lease_open = bed.processes[3].store.lease_open;
    bed.processes[3].membership.def.store.lease_open = refuse_lease;
    bed_run(5);
    cr_assert(bed.processes[3].membership.is_bare);
    bed.processes[3].runs = false;
    begin_with_old_map();
    for (uint32_t at = 0; at < 3; at++) bed.processes[at].runs = false;
    phx_memory_store_lose(bed.memory);
    bed.processes[3].membership.def.store.lease_open = lease_open;
    bed.processes[3].runs = true;
    cr_assert(may_save(2));
    await_phase(3, PHX_MEMBERSHIP_MEMBER);
    for (uint32_t at = 0; at < 3; at++) cr_assert(!may_save(at));
    for (uint32_t at = 0; at < 3; at++) bed.processes[at].runs = true;
    bed_run(LEASE_TICKS);
    for (uint32_t at = 0; at < 3; at++) cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_ENDED);
}

/* Its key would say that it is a member that has come, and may have the registration of one. */
Test(adoption, a_process_in_no_map_that_has_read_one_of_the_lost_store_ends)
{
    bed.adopts = true;
    begin_with_old_map();
    bed_start(3, 9, REGIONS, 1, false);
    bed.processes[3].membership.def.store.lease_open = refuse_lease;
    bed_run(5);
    cr_assert_gt(bed.processes[3].membership.map.version, 0);
    bed.processes[3].membership.def.store.lease_open = bed.processes[3].store.lease_open;
    while (!bed.processes[3].membership.writes) bed_run(1);
    phx_memory_store_lose(bed.memory); /* its lease is under way, and is one of the next store */
    bed_run(5);
    cr_assert_eq(bed.processes[3].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[3].membership.reason, "the store has lost the map");
    cr_assert_neq(bed.processes[3].membership.lease, 0);
    cr_assert_not(bed_has_lease(bed.processes[3].membership.lease));
    await_era(2, 1);
    cr_assert_eq(bed.processes[2].node.map.member_count, 3);
}

/* ---- a store that is lost twice ---- */

/* The first node adopts while the others stand still, which have registered; and behind the second loss it does. */
static void lose_twice(void)
{
    bed.adopts = true;
    begin_with_old_map();
    bed_run(10);
    phx_memory_store_lose(bed.memory);
    bed_run(10);
    bed.processes[1].runs = bed.processes[2].runs = false;
    await_era(0, 1);
    phx_membership_give(&bed.processes[0].membership, 0, 1);
    bed_run(5);
    cr_assert_eq(bed.processes[0].node.map.version, version_in(1) + 1);
    phx_memory_store_lose(bed.memory);
    bed.processes[0].runs = false;
    bed.processes[1].runs = bed.processes[2].runs = true;
}

Test(adoption, a_map_that_may_have_been_adopted_between_is_of_an_era_before)
{
    lose_twice();
    await_era(1, 2);
    cr_assert_gt(bed.processes[1].node.map.version, bed.processes[0].node.map.version);
    bed.processes[0].runs = true;
    bed_run(LEASE_TICKS);
    cr_assert(bed.processes[0].node.fenced);
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_MEMBER);
}

/* Members that saw nothing of the store between adopt the same version; one that was there ends. */
Test(adoption, a_member_does_not_come_back_into_another_map_of_the_same_version)
{
    lose_twice();
    for (uint32_t at = 1; at < 3; at++) bed.processes[at].membership.losses = 0;
    await_era(1, 1);
    cr_assert_eq(bed.processes[1].node.map.version, bed.processes[0].node.map.version);
    bed.processes[0].runs = true;
    bed_run(LEASE_TICKS);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[0].membership.reason, "the store has lost the map");
}
