/*
 * Processes that read different ranges of formats, as versions of the library would: which of them join, and when the
 * map rises.
 */
#include <stdio.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/membership/registration.h"
#include "cluster/membership/wishes.h"
#include "cluster/servers/memory_store.h"
#include "unit/cluster/membership/membership_bed.h"

enum { JOIN_TICKS = 60, DEFINITION = 1 };

TestSuite(formats, .init = bed_begin, .fini = bed_end);

static void start_process(uint32_t at, uint8_t min, uint8_t max, bool gateway)
{
    bed.formats = (phx_formats){min, max};
    bed_start(at, (uint16_t)(at + 1), REGIONS, DEFINITION, gateway);
    bed_run(JOIN_TICKS);
}

static void start_node(uint32_t at, uint8_t min, uint8_t max)
{
    start_process(at, min, max, false);
}

static void check_member(uint32_t at, uint8_t format)
{
    const phx_membership *membership = &bed.processes[at].membership;
    cr_assert_eq(membership->phase, PHX_MEMBERSHIP_MEMBER, "%u: %s", at, membership->reason);
    cr_assert_eq(bed.processes[at].node.map.format, format, "%u: %u", at, bed.processes[at].node.map.format);
}

static void check_refused(uint32_t at, const char *numbers)
{
    char reason[PHC_REASON_SIZE];
    const phx_membership *membership = &bed.processes[at].membership;
    (void)snprintf(reason, sizeof reason, "%s: it has %s", PHX_OTHER_FORMAT, numbers);
    cr_assert_eq(membership->phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(membership->reason, reason);
    cr_assert_eq(membership->why, PH_BAD_DEF, "it is not started again");
}

/* Its key ends, and the others put it out. */
static void end_process(uint32_t at)
{
    phx_membership_leave(&bed.processes[at].membership);
    bed_run(2 * LEASE_TICKS);
    bed_close(at);
}

Test(formats, the_first_process_of_an_empty_store_begins_with_its_highest)
{
    start_node(0, 1, 2);
    check_member(0, 2);
    cr_assert_eq(bed.processes[0].membership.counts.writes, 1, "it rises from none");
    start_node(1, 1, 1);
    check_refused(1, "format 2, and this process reads 1 to 1");
    check_member(0, 2);
    cr_assert_eq(bed.processes[0].node.map.member_count, 1);
}

Test(formats, processes_without_a_format_in_common_refuse_each_other)
{
    start_node(0, 1, 1);
    start_node(1, 2, 2);
    check_refused(1, "format 1, and this process reads 2 to 2");
    check_member(0, 1);
    end_process(1);
    cr_assert_eq(bed.processes[0].node.map.member_count, 1);
}

Test(formats, members_are_replaced_one_by_one_and_the_map_rises_behind_the_last_old_one)
{
    start_node(0, 1, 1);
    start_node(1, 1, 2);
    start_process(2, 1, 2, true);
    for (uint32_t at = 0; at < 3; at++) check_member(at, 1);
    end_process(0);
    check_member(1, 2);
    check_member(2, 2);
    start_node(0, 2, 3);
    check_member(0, 2);
    end_process(1);
    check_member(0, 2);
    end_process(2);
    check_member(0, 3);
    start_node(1, 1, 2);
    check_refused(1, "format 3, and this process reads 1 to 2");
    start_node(2, 3, 4);
    check_member(2, 3);
}

Test(formats, a_gateway_holds_the_format_as_a_node_does)
{
    start_node(0, 1, 2);
    check_member(0, 2);
    end_process(0);
    start_process(1, 1, 1, true);
    check_refused(1, "format 2, and this process reads 1 to 1");
    bed_end();
    bed_begin();
    start_process(1, 1, 1, true);
    start_node(0, 1, 2);
    check_member(0, 1);
    end_process(1);
    check_member(0, 2);
}

/*
 * The last old node writes the map without itself, and can not write it in a format that it does not read. Then one of
 * the others raises it, as all have the same list.
 */
Test(formats, one_member_raises_the_map_once_an_old_one_has_left_by_its_own_word)
{
    start_node(0, 1, 1);
    for (uint32_t at = 1; at < PROCESSES; at++) start_node(at, 1, 2);
    phx_membership_drain(&bed.processes[0].membership);
    bed_run(JOIN_TICKS);
    const uint32_t version = bed.processes[1].node.map.version;
    uint64_t writes[PROCESSES];
    for (uint32_t at = 1; at < PROCESSES; at++) writes[at] = bed.processes[at].membership.counts.writes;
    bed.processes[0].node.leaves = true; /* without messages no node knows that the others have read the map */
    bed_run(JOIN_TICKS);
    cr_assert(phx_node_has_left(&bed.processes[0].node));
    cr_assert_eq(bed.processes[0].node.map.format, 1);
    for (uint32_t at = 1; at < PROCESSES; at++) check_member(at, 2);
    cr_assert_eq(bed.processes[1].node.map.version, version + 2, "left, and higher");
    cr_assert_eq(bed.processes[1].node.map.moved, version + 1, "none waits until others have read the higher one");
    for (uint32_t at = 1; at < PROCESSES; at++)
        cr_assert_eq(bed.processes[at].membership.counts.writes, writes[at] + (at == 1), "%u", at);
}

/* An answer to a write is awaited for ever; it looks at the store, and renews its lease. */
Test(formats, the_next_member_raises_the_map_where_the_first_one_can_not_write)
{
    start_node(2, 1, 1);
    for (uint32_t at = 0; at < 2; at++) start_node(at, 1, 2);
    bed.processes[0].membership.writes = true;
    phx_membership_leave(&bed.processes[2].membership);
    bed_run(2 * LEASE_TICKS - 2);
    check_member(1, 1);
    bed_run(LEASE_TICKS);
    check_member(1, 2);
    check_member(0, 2);
}

/* Its key has ended, and the first of the living ones has not looked since. */
static void let_key_end(uint32_t looks, uint32_t dies)
{
    enum { LONG_LEASE = 4, DIES_TICKS = LONG_LEASE * LEASE_TICKS * 5 / 8 };
    bed.lease_ms = LONG_LEASE * LEASE_MS; /* its renewals are a third of that apart */
    start_node(dies, 1, 1);
    start_node(looks, 1, 2);
    bed.processes[dies].runs = false;
    bed_run(DIES_TICKS);
    bed.processes[looks].runs = false; /* for less than half a lease */
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 2);
    while (bed_keys("ph/unit/nodes/") > 1) bed_run(1);
    bed.lease_ms = LEASE_MS;
    bed.formats = (phx_formats){1, 1};
}

/* As its supervisor does. It has registered as the dead one is put out, and joins before the map rises. */
Test(formats, the_last_old_member_that_died_joins_again_before_the_map_rises)
{
    enum { REGISTER_TICKS = 5 };
    let_key_end(1, 0);
    bed_start(2, 3, REGIONS, DEFINITION, false);
    bed_run(REGISTER_TICKS);
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_JOIN);
    check_member(1, 1);
    bed.processes[1].runs = true;
    bed_run(2 * JOIN_TICKS);
    check_member(1, 1);
    check_member(2, 1);
    cr_assert_eq(bed.processes[1].node.map.member_count, 2);
    end_process(2);
    bed_run(2 * JOIN_TICKS);
    check_member(1, 2);
}

/* With a number of its own it registers once the key of its first life has ended, so behind the list that says so. */
Test(formats, the_last_old_member_that_died_joins_again_under_its_number)
{
    start_node(0, 1, 1);
    start_node(1, 1, 2);
    bed.processes[0].runs = false;
    bed.formats = (phx_formats){1, 1};
    bed_start(2, 1, REGIONS, DEFINITION, false);
    bed_run(2 * JOIN_TICKS);
    check_member(1, 1);
    check_member(2, 1);
    end_process(2);
    bed_run(JOIN_TICKS);
    check_member(1, 2);
}

/* It is late, and joins in the end; or its lease ends. */
Test(formats, a_process_that_has_registered_holds_the_format_for_its_lease)
{
    enum { LEASES = 5 };
    start_node(0, 1, 1);
    start_node(1, 1, 2);
    bed.lease_ms = LEASES * LEASE_MS;
    bed.formats = (phx_formats){1, 1};
    bed_start(2, 3, REGIONS, DEFINITION, false);
    while (bed_keys("ph/unit/nodes/") < 3) bed_run(1);
    bed.processes[2].runs = false;
    end_process(0);
    check_member(1, 1);
    cr_assert_eq(bed.processes[1].node.map.member_count, 1);
    bed_run(LEASES * LEASE_TICKS);
    check_member(1, 2);
}

static const phx_memory_key *key_of(const char *name)
{
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    for (uint32_t i = 0; i < table->key_count; i++)
        if (strcmp(table->keys[i].key, name) == 0) return &table->keys[i];
    return NULL;
}

static void write_key(uint32_t by, const char *name, const void *bytes, size_t size)
{
    enum { TAG = 99 };
    const phc_store *store = &bed.processes[by].store;
    const phx_memory_key *key = key_of(name);
    cr_assert_eq(store->cas(store->user, TAG, name, key ? key->revision : 0, bytes, size, 0), PH_OK);
}

Test(formats, a_key_without_a_lease_holds_no_format)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    start_node(0, 1, 1);
    start_node(1, 1, 2);
    phx_registration_encode(&(phx_registration){.formats = {1, 1}, .definition = DEFINITION}, bytes);
    write_key(1, "ph/unit/nodes/9", bytes, sizeof bytes);
    end_process(0);
    bed_run(JOIN_TICKS);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 2);
    check_member(1, 2);
}

Test(formats, a_first_map_is_one_that_a_registered_process_reads)
{
    bed.formats = (phx_formats){1, 1};
    bed_start(0, 1, REGIONS, DEFINITION, false);
    while (bed_keys("ph/unit/nodes/") == 0) bed_run(1);
    bed.processes[0].runs = false;
    bed.formats = (phx_formats){1, 3};
    bed_start(1, 2, REGIONS, DEFINITION, false);
    bed_run(LEASE_TICKS / 2);
    check_member(1, 1);
    bed.processes[0].runs = true;
    bed_run(JOIN_TICKS);
    check_member(0, 1);
    check_member(1, 1);
    end_process(0);
    bed_run(JOIN_TICKS);
    check_member(1, 3);
}

Test(formats, a_first_map_is_not_below_the_range_of_its_writer)
{
    bed.formats = (phx_formats){1, 1};
    bed_start(0, 1, REGIONS, DEFINITION, false);
    while (bed_keys("ph/unit/nodes/") == 0) bed_run(1);
    bed.processes[0].runs = false;
    start_node(1, 2, 3);
    check_member(1, 3);
}

/* ---- members of a map that they can not read ---- */

static void (*taker)(void *of, const phc_answer *answer);

static void fail_answer(void *of, const phc_answer *answer)
{
    phc_answer failed = *answer;
    failed.outcome = PHC_FAILED;
    failed.count = 0;
    taker(of, &failed);
}

static uint32_t poll_failed(void *user, uint32_t count, phc_answer_fn fn, void *of)
{
    taker = fn;
    return bed.processes[0].store.poll(user, count, fail_answer, of);
}

static void check_out(const char *reason)
{
    const phx_membership *membership = &bed.processes[0].membership;
    cr_assert_eq(membership->phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(membership->reason, reason);
    cr_assert_eq(membership->why, PH_OK);
    cr_assert(bed.processes[0].node.fenced);
}

/* Of its own leave; and then it stands still until the map that it reads next has risen. */
Test(formats, a_member_has_left_though_the_answer_to_its_leave_was_lost)
{
    process *old = &bed.processes[0];
    start_node(0, 1, 1);
    start_node(1, 1, 2);
    phx_membership_drain(&old->membership);
    bed_run(JOIN_TICKS);
    cr_assert_not(old->membership.writes);
    old->node.leaves = true;
    bed_run(1);
    cr_assert(old->membership.writes);
    old->runs = false;
    bed_run(2 * JOIN_TICKS);
    check_member(1, 2);
    old->membership.def.store.poll = poll_failed;
    old->runs = true;
    bed_run(1);
    cr_assert_eq(old->membership.phase, PHX_MEMBERSHIP_MEMBER, "%s", old->membership.reason);
    old->membership.def.store.poll = old->store.poll;
    bed_run(JOIN_TICKS);
    check_out("put out of the map, as its lease ran out");
    cr_assert(phx_node_has_left(&old->node));
}

static void outlive_old(void)
{
    start_node(0, 1, 1);
    start_node(1, 1, 2);
    bed.processes[0].runs = false;
    bed_run(2 * JOIN_TICKS);
    check_member(1, 2);
    bed.processes[0].runs = true;
}

Test(formats, a_member_that_was_put_out_hears_so_by_a_map_that_has_risen)
{
    outlive_old();
    bed_run(JOIN_TICKS);
    check_out("put out of the map, as its lease ran out");
    cr_assert_not(phx_node_has_left(&bed.processes[0].node));
}

/* Its list is from before, and the answer to its write has the map. */
Test(formats, a_member_hears_of_a_map_that_has_risen_as_it_writes)
{
    outlive_old();
    phx_membership_drain(&bed.processes[0].membership);
    bed_run(1);
    cr_assert(bed.processes[0].membership.writes);
    bed_run(1);
    check_out("put out of the map, as its lease ran out");
}

Test(formats, a_process_with_another_range_in_the_map_ends)
{
    static phx_cluster_map other;
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    start_node(0, 1, 2);
    start_node(1, 1, 2);
    other = bed.processes[0].node.map;
    for (uint32_t i = 0; i < other.member_count; i++)
        if (other.members[i].number == 1) other.members[i].format = 3;
    other.version++;
    write_key(1, "ph/unit/map", bytes, phx_cluster_map_encode(&other, bytes, sizeof bytes));
    bed_run(JOIN_TICKS);
    check_out("the map has another range of formats for it: its key was read otherwise");
    check_member(1, 2);
    cr_assert_eq(bed.processes[1].node.map.member_count, 1);
}

/* ---- maps ---- */

static phx_cluster_map map;

static void join_map(uint16_t number, uint8_t format)
{
    cr_assert(phx_cluster_map_join(
        &map, (phx_member){.registration = number, .number = number, .format = format, .gateway = number == 3}));
}

Test(formats, a_map_rises_to_what_all_members_read_and_never_falls)
{
    phx_cluster_map_init(&map, REGIONS, 1);
    cr_assert_not(phx_cluster_map_rise(&map), "it has no member");
    cr_assert_eq(phx_cluster_map_reads(&map), map.format);
    join_map(1, 3);
    join_map(2, 2);
    join_map(3, 4);
    const uint32_t version = map.version, moved = map.moved;
    cr_assert_eq(phx_cluster_map_reads(&map), 2);
    cr_assert(phx_cluster_map_rise(&map));
    cr_assert(map.format == 2 && map.version == version + 1 && map.moved == moved);
    cr_assert_not(phx_cluster_map_rise(&map));
    cr_assert(phx_cluster_map_put_out(&map, 2) && map.format == 2);
    cr_assert(phx_cluster_map_rise(&map) && map.format == 3);
    cr_assert(phx_cluster_map_put_out(&map, 1) && phx_cluster_map_put_out(&map, 3));
    cr_assert_not(phx_cluster_map_rise(&map));
    cr_assert_eq(map.format, 3);
}

/* A process holds it below the lowest of the higher ones that members read; one that does not read the map's has no
 * part in that. */
Test(formats, a_map_is_held_by_processes_that_read_its_format_and_not_the_next)
{
    phx_cluster_map_init(&map, REGIONS, 1);
    map.format = 2;
    cr_assert_not(phx_cluster_map_is_held_by(&map, (phx_formats){1, 2}), "it has no member");
    join_map(1, 2);
    cr_assert_not(phx_cluster_map_is_held_by(&map, (phx_formats){1, 2}), "there is no higher one");
    join_map(2, 5);
    join_map(3, 4);
    cr_assert(phx_cluster_map_is_held_by(&map, (phx_formats){2, 2}));
    cr_assert(phx_cluster_map_is_held_by(&map, (phx_formats){1, 3}), "above the map, and below its members");
    cr_assert_not(phx_cluster_map_is_held_by(&map, (phx_formats){1, 4}));
    cr_assert_not(phx_cluster_map_is_held_by(&map, (phx_formats){3, 3}), "it can not read the map");
    cr_assert_not(phx_cluster_map_is_held_by(&map, (phx_formats){1, 1}));
    cr_assert_not(phx_cluster_map_is_held_by(&map, (phx_formats){5, 6}));
}

Test(formats, bytes_of_a_map_are_read_in_its_format_alone)
{
    static phx_cluster_map read;
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    phx_cluster_map_init(&map, REGIONS, 1);
    map.format = 3;
    join_map(1, 3);
    join_map(2, 5);
    const size_t size = phx_cluster_map_encode(&map, bytes, sizeof bytes);
    cr_assert_eq(phx_cluster_map_format(bytes, size), 3);
    cr_assert_not(phx_cluster_map_decode(&read, (phx_formats){1, 2}, bytes, size));
    cr_assert_not(phx_cluster_map_decode(&read, (phx_formats){4, 5}, bytes, size));
    cr_assert(phx_cluster_map_decode(&read, (phx_formats){2, 3}, bytes, size));
    cr_assert(phx_cluster_map_is_same(&read, &map) && read.format == 3 && read.members[1].format == 5);
    read.members[1].format = 4;
    cr_assert_not(phx_cluster_map_is_same(&read, &map));
    map.members[1].format = 2;
    cr_assert_not(
        phx_cluster_map_decode(&read, (phx_formats){2, 3}, bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes)),
        "a member that does not read it");
}

/* ---- keys ---- */

Test(formats, a_key_says_its_range_and_a_later_version_may_append_to_it)
{
    const phx_registration written = {.formats = {2, 7}, .definition = 5, .registration = 6, .version = 9};
    unsigned char bytes[PHX_REGISTRATION_BYTES + 1] = {0};
    phx_registration read;
    phx_registration_encode(&written, bytes);
    cr_assert(phx_registration_decode(&read, bytes, sizeof bytes));
    cr_assert(read.formats.min == 2 && read.formats.max == 7);
    cr_assert(read.definition == 5 && read.registration == 6 && read.version == 9);
    cr_assert_not(phx_registration_decode(&read, bytes, PHX_REGISTRATION_BYTES - 1));
    bytes[4] = 8; /* the lowest one */
    cr_assert_not(phx_registration_decode(&read, bytes, sizeof bytes), "above the highest");
    bytes[4] = 0;
    cr_assert_not(phx_registration_decode(&read, bytes, sizeof bytes));
}
