/*
 * Processes that can not join: a wished number that another living process has, or has not any more, a cluster that has
 * as many members as it can, and a key that is deleted by hand.
 */
#include <stdio.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/membership/hindrance.h"
#include "cluster/membership/registration.h"
#include "unit/cluster/membership/membership_bed.h"

enum { WISHED = 3, JOIN_TICKS = 20 };

TestSuite(hindrance, .init = bed_begin, .fini = bed_end);

static bool ends_for(uint32_t at, ph_status why, const char *text)
{
    const phx_membership *membership = &bed.processes[at].membership;
    return membership->phase == PHX_MEMBERSHIP_ENDED && membership->why == why && strstr(membership->reason, text);
}

Test(hindrance, one_whose_number_a_living_process_has_ends_a_lease_later)
{
    char text[128];
    bed_start(0, WISHED, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    bed_start(1, WISHED, REGIONS, 1, false);
    bed_run(LEASE_TICKS);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_REGISTER, "it may be a dead one");
    bed_run(2 * LEASE_TICKS);
    (void)snprintf(text, sizeof text, "number 3 is that of another process, which lives: registration %llu",
                   (unsigned long long)bed.processes[0].node.def.member.registration);
    cr_assert(ends_for(1, PH_TAKEN, text), "%s", bed.processes[1].membership.reason);
    cr_assert(bed.processes[1].node.fenced);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 1);
}

/* The one before was killed: its key ends with its lease. */
Test(hindrance, one_whose_number_a_dead_process_has_joins)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_start(1, WISHED, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    bed.processes[1].runs = false;
    bed_start(2, WISHED, REGIONS, 1, false);
    bed_run(4 * LEASE_TICKS);
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_MEMBER, "%s", bed.processes[2].membership.reason);
    cr_assert_eq(bed.processes[2].node.def.member.number, WISHED);
}

/* The one before drains, say, while the next one has begun. */
Test(hindrance, one_whose_number_is_given_up_in_time_joins)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_start(1, WISHED, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    bed_start(2, WISHED, REGIONS, 1, false);
    bed_run(LEASE_TICKS + LEASE_TICKS / 2);
    phx_membership_leave(&bed.processes[1].membership);
    bed.processes[1].runs = false;
    bed_run(2 * LEASE_TICKS);
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_MEMBER);
}

static void skip_answer(void *user, const phc_answer *answer)
{
    (void)user;
    cr_assert_eq(answer->outcome, PHC_DONE);
}

/* So many more members that there is room for no other one: keys that do not end, and a map. */
static void fill_map(bool gateways)
{
    phx_cluster_map map = bed.processes[0].node.map;
    unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX], key_bytes[PHX_REGISTRATION_BYTES];
    char key[PHC_KEY_MAX + 1];
    phc_store other;
    uint64_t revision = 0;
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    cr_assert_eq(phc_memory_join(bed.memory, &other), PH_OK);
    for (uint32_t i = 1; i < PHX_CLUSTER_KIND_MAX + (gateways ? 1 : 0); i++) {
        const phx_registration registration = {
            .formats = PHX_FORMATS, .gateway = gateways, .definition = 1, .registration = 1000 + i};
        phx_registration_encode(&registration, key_bytes);
        (void)snprintf(key, sizeof key, "ph/unit/nodes/%u", 100 + i);
        cr_assert_eq(other.cas(other.user, i, key, 0, key_bytes, sizeof key_bytes, 0), PH_OK);
        bed_run(1);
        cr_assert_eq(other.poll(other.user, 1, skip_answer, NULL), 1);
        const phx_member member = {
            .registration = 1000 + i, .number = (uint16_t)(100 + i), .format = PHX_FORMAT_MAX, .gateway = gateways};
        cr_assert(phx_cluster_map_join(&map, member));
    }
    for (uint32_t i = 0; i < table->key_count; i++)
        if (strcmp(table->keys[i].key, "ph/unit/map") == 0) revision = table->keys[i].revision;
    cr_assert_eq(
        other.cas(other.user, 1, "ph/unit/map", revision, bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes), 0),
        PH_OK);
    bed_run(JOIN_TICKS);
    other.close(other.user);
    cr_assert_eq(bed.processes[0].node.map.member_count, PHX_CLUSTER_KIND_MAX + (gateways ? 1 : 0));
}

static void expect_full(bool gateways, const char *text)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    fill_map(gateways);
    bed_start(1, 0, REGIONS, 1, !gateways);
    bed_run(JOIN_TICKS);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_MEMBER, "there is room for the other kind");
    bed_start(2, 0, REGIONS, 1, gateways);
    bed_run(LEASE_TICKS);
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_JOIN, "a dead member may be among them");
    bed_run(2 * LEASE_TICKS);
    cr_assert(ends_for(2, PH_CAPACITY, text), "%s", bed.processes[2].membership.reason);
    cr_assert_eq(bed.processes[0].node.map.member_count, PHX_CLUSTER_KIND_MAX + 1u + (gateways ? 1 : 0));
}

Test(hindrance, a_node_that_is_too_many_ends)
{
    expect_full(false, "the cluster has 64 nodes, which is the most");
}

Test(hindrance, a_gateway_that_is_too_many_ends)
{
    expect_full(true, "the cluster has 64 gateways, which is the most");
}

/* ---- a key that is deleted by hand ---- */

static char own_key[PHC_KEY_MAX + 1];

/* Process 1 has its key, own_key, and waits for a map, until process 0 has put the dead one out. */
static void begin_waiting(uint16_t wished)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_start(2, 2, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_MEMBER);
    bed.processes[2].runs = false;
    while (bed_keys("ph/unit/nodes/2") > 0) bed_run(1);
    bed_start(1, wished, REGIONS, 1, false);
    for (uint32_t i = 0; i < JOIN_TICKS && bed.processes[1].membership.phase != PHX_MEMBERSHIP_JOIN; i++) bed_run(1);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_JOIN);
    (void)snprintf(own_key, sizeof own_key, "ph/unit/nodes/%u", bed.processes[1].membership.number);
    cr_assert_eq(bed_keys(own_key), 1);
}

static void delete_key(const char *text)
{
    phx_memory_table *table = (phx_memory_table *)phx_memory_table_of(bed.memory);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->key_count; i++) {
        if (strcmp(table->keys[i].key, text) == 0) phx_free(table->mem, table->keys[i].value, table->keys[i].size, 1);
        else table->keys[kept++] = table->keys[i];
    }
    cr_assert_eq(kept + 1, table->key_count);
    table->key_count = kept;
    table->revision++;
}

/* Its registration is not the revision of that key. */
Test(hindrance, one_whose_key_is_deleted_writes_it_again_and_joins)
{
    begin_waiting(WISHED);
    const uint64_t registration = bed.processes[1].node.def.member.registration;
    delete_key("ph/unit/nodes/3");
    bed_run(JOIN_TICKS);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_MEMBER, "%s", bed.processes[1].membership.reason);
    cr_assert_eq(bed.processes[1].node.def.member.registration, registration);
    cr_assert_not_null(phx_cluster_map_member(&bed.processes[0].node.map, registration));
    cr_assert_eq(bed_keys("ph/unit/nodes/3"), 1);
}

/* Another process comes between. */
static void take_number(uint16_t wished, ph_status why)
{
    begin_waiting(wished);
    delete_key(own_key);
    bed.processes[1].runs = false;
    bed_start(3, bed.processes[1].membership.number, REGIONS, 1, false);
    while (bed_keys(own_key) == 0) bed_run(1);
    bed.processes[1].runs = true;
    bed_run(3 * LEASE_TICKS);
    cr_assert(ends_for(1, why, "is that of another process, which lives"), "%s: %s",
              ph_status_name(bed.processes[1].membership.why), bed.processes[1].membership.reason);
    cr_assert_eq(bed.processes[3].membership.phase, PHX_MEMBERSHIP_MEMBER);
}

Test(hindrance, one_whose_key_is_deleted_and_whose_number_is_taken_ends_a_lease_later)
{
    take_number(WISHED, PH_TAKEN);
}

/* Started again it has another number. */
Test(hindrance, one_that_wishes_no_number_is_not_kept_out_by_one_that_has_taken_its_own)
{
    take_number(0, PH_OK);
    bed_close(1);
    bed_start(1, 0, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_MEMBER);
}

/* Bytes that are no registration. */
static void write_key(const char *key, uint64_t lease)
{
    phc_store other;
    cr_assert_eq(phc_memory_join(bed.memory, &other), PH_OK);
    cr_assert_eq(other.cas(other.user, 1, key, 0, "?", 1, lease), PH_OK);
    bed_run(1);
    other.close(other.user);
    cr_assert_geq(bed_keys(key), 1); /* keys that begin with it, too */
}

static void write_unreadable(const char *key)
{
    write_key(key, 0);
}

static void expect_unread(void)
{
    cr_assert(ends_for(1, PH_TAKEN, "the key of its number, ph/unit/nodes/3, can not be read"), "%s",
              bed.processes[1].membership.reason);
}

Test(hindrance, one_whose_key_is_written_over_ends_a_lease_later)
{
    begin_waiting(WISHED);
    delete_key("ph/unit/nodes/3");
    write_unreadable("ph/unit/nodes/3");
    bed_run(3 * LEASE_TICKS);
    expect_unread();
}

/* As an operator's tool may do that keeps a key's lease. */
Test(hindrance, one_whose_key_is_written_over_under_its_lease_says_that_it_can_not_be_read)
{
    begin_waiting(WISHED);
    const uint64_t lease = bed.processes[1].membership.lease;
    cr_assert_neq(lease, 0);
    delete_key("ph/unit/nodes/3");
    write_key("ph/unit/nodes/3", lease);
    bed_run(3 * LEASE_TICKS);
    expect_unread();
}

/* So does the next process, which has no key yet. */
Test(hindrance, one_whose_number_has_a_key_that_can_not_be_read_ends_a_lease_later)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    write_unreadable("ph/unit/nodes/3");
    bed_start(1, WISHED, REGIONS, 1, false);
    bed_run(LEASE_TICKS);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_REGISTER);
    bed_run(2 * LEASE_TICKS);
    expect_unread();
}

Test(hindrance, one_that_wishes_no_number_passes_over_a_key_that_can_not_be_read)
{
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    write_unreadable("ph/unit/nodes/2");
    bed_start(1, 0, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(bed.processes[1].node.def.member.number, 3);
}

/* More keys than are listed, of which the list has the first ones by their text: 100 before 20. */
Test(hindrance, one_that_wishes_no_number_passes_over_keys_that_are_not_listed)
{
    enum { KEYS = PHX_LISTED_MAX + 40 };
    char key[PHC_KEY_MAX + 1];
    bed_start(0, KEYS + 2, REGIONS, 1, false);
    bed_run(JOIN_TICKS);
    for (uint32_t i = 1; i <= KEYS; i++) {
        (void)snprintf(key, sizeof key, "ph/unit/nodes/%u", i);
        write_key(key, 0);
    }
    bed_start(1, 0, REGIONS, 1, false);
    bed_run(2 * JOIN_TICKS);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(bed.processes[1].node.def.member.number, KEYS + 1);
    bed_start(2, 20, REGIONS, 1, false); /* its key is not among the first ones */
    bed_run(4 * LEASE_TICKS);
    cr_assert(ends_for(2, PH_TAKEN, "the key of its number, ph/unit/nodes/20, can not be read"), "%s",
              bed.processes[2].membership.reason);
}

/* ---- a map with the process that it has not heard of ---- */

static uint32_t (*poll_all)(void *, uint32_t, phc_answer_fn, void *);
static phc_answer_fn take_all;
static bool is_deaf; /* from its next map on process 1 hears of no map and no list */

static void take_some(void *of, const phc_answer *answer)
{
    phc_answer told = *answer;
    const bool of_map = answer->tag == PHX_TAG_MAP;
    is_deaf |= of_map;
    if (of_map || (is_deaf && answer->tag == PHX_TAG_LIST)) told.outcome = PHC_FAILED, told.count = 0;
    take_all(of, &told);
}

static uint32_t poll_some(void *user, uint32_t most, phc_answer_fn take, void *of)
{
    take_all = take;
    return poll_all(user, most, take_some, of);
}

static bool first_knows(uint64_t registration)
{
    return phx_cluster_map_member(&bed.processes[0].node.map, registration);
}

/* Its key is deleted then, so it is put out: its registration is gone for ever. */
Test(hindrance, one_that_was_put_out_before_it_knew_that_it_had_joined_does_not_come_back)
{
    process *one = &bed.processes[1];
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(2 * LEASE_TICKS);
    bed_start(1, WISHED, REGIONS, 1, false);
    poll_all = one->membership.def.store.poll;
    one->membership.def.store.poll = poll_some;
    is_deaf = false;
    for (uint32_t i = 0; i < 2 * JOIN_TICKS && !is_deaf; i++) bed_run(1);
    const uint64_t registration = one->node.def.member.registration;
    for (uint32_t i = 0; i < JOIN_TICKS && !first_knows(registration); i++) bed_run(1);
    cr_assert(first_knows(registration));
    delete_key("ph/unit/nodes/3");
    for (uint32_t i = 0; i < JOIN_TICKS && first_knows(registration); i++) bed_run(1);
    cr_assert(!first_knows(registration));
    cr_assert_eq(one->membership.phase, PHX_MEMBERSHIP_JOIN);
    one->membership.def.store.poll = poll_all;
    for (uint32_t i = 0; i < 3 * LEASE_TICKS; i++) {
        bed_run(1);
        cr_assert(!first_knows(registration), "tick %u", i);
    }
    cr_assert(ends_for(1, PH_OK, "its key ph/unit/nodes/3 is gone, and can not be written again"), "%s",
              one->membership.reason);
}
