/*
 * A control store that loses all it had, with a few processes and without faults: which map is adopted, when, and how
 * members end that do not come, or come late. With faults it is run by the simulation (sim_members.c).
 */
#include <string.h>

#include "cluster/member/definition.h"
#include "cluster/membership/wishes.h"
#include "unit/cluster/membership/membership_bed.h"

TestSuite(adoption, .init = bed_begin, .fini = bed_end);

static uint32_t era_of(uint32_t at)
{
    return bed.processes[at].node.map.version >> PHX_CLUSTER_ERA_SHIFT;
}

/* Three nodes, of which the last one gives a region away while the first one stands still: it has an older map. */
static void begin_with_old_map(void)
{
    for (uint32_t at = 0; at < 3; at++) bed_start(at, (uint16_t)(at + 1), REGIONS, 1, false);
    bed_run(LEASE_TICKS + 40);
    bed.processes[0].runs = false;
    phx_membership_give(&bed.processes[2].membership, 0, 2);
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
        cr_assert(phx_node_may_save(&of->node));
        cr_assert_eq(era_of(at), 1);
        cr_assert_eq(of->node.map.fence, 1u << PHX_CLUSTER_ERA_SHIFT);
        cr_assert_eq(of->membership.counts.put_out, 0);
        cr_assert_eq(of->membership.counts.adopted, at == 1, "of the newest map the lowest number: %u", at);
        if (at < 3) cr_assert_eq(of->node.def.member.registration, registrations[at]);
    }
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert_eq(bed.processes[0].node.map.regions[i].lost, 1u << 16);
    cr_assert_gt(bed.processes[3].node.def.member.registration, UINT32_MAX);
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

/* Its registration may be one that a member of the lost store has. */
Test(adoption, a_process_that_registered_before_the_map_was_adopted_ends)
{
    bed.adopts = true;
    begin_with_old_map();
    phx_memory_store_lose(bed.memory);
    for (uint32_t at = 0; at < 3; at++) bed.processes[at].runs = false;
    bed_start(3, 9, REGIONS, 1, false);
    cas = bed.processes[3].store.cas;
    bed.processes[3].membership.def.store.cas = refuse_map; /* else it begins a map of its own */
    await_phase(3, PHX_MEMBERSHIP_JOIN);
    cr_assert_leq(bed.processes[3].node.def.member.registration, bed.processes[2].node.def.member.registration);
    for (uint32_t at = 0; at < 3; at++) bed.processes[at].runs = true;
    await_era(2, 1);
    bed_run(10);
    cr_assert_eq(bed.processes[3].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[3].membership.reason, "registered before the map was adopted");
    cr_assert_eq(bed.processes[2].node.map.member_count, 3);
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
    phx_memory_store_lose(bed.memory);
    bed_run(5);
    cr_assert_eq(bed.processes[3].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[3].membership.reason, "the store has lost the map");
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
    cr_assert_eq(bed.processes[0].node.map.version, (1u << PHX_CLUSTER_ERA_SHIFT) + 1);
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

/* ---- members ---- */

/* The wait is by the own lease: a member with a longer one would be proven behind it. */
Test(adoption, members_that_adopt_have_the_same_lease)
{
    const ph_world_def world = ph_world_def_default();
    phc_def def = phc_def_default();
    def.world_def = &world;
    const uint64_t without = phx_definition_number(&def);
    def.lease_ms += 1;
    cr_assert_eq(phx_definition_number(&def), without);
    def.adopt_map = true;
    const uint64_t with = phx_definition_number(&def);
    def.lease_ms += 1;
    cr_assert_neq(with, without);
    cr_assert_neq(phx_definition_number(&def), with);
}
