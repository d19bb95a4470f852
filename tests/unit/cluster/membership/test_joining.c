/*
 * Processes that join together: one writes the map for all that ask, and no registration that was put out comes back
 * so. A few processes over one control store without faults; with faults they are run by the simulation
 * (sim_members.c).
 */
#include <stdio.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/membership/joining.h"
#include "cluster/membership/registration.h"
#include "support/node_reads.h"
#include "unit/cluster/membership/membership_bed.h"

enum { JOIN_TICKS = 20, DEFINITION = 1, CRAFTED = 77, CRAFTED_NUMBER = 9 };

TestSuite(joining, .init = bed_begin, .fini = bed_end);

static void start(uint32_t at)
{
    bed_start(at, (uint16_t)(at + 1), REGIONS, DEFINITION, false);
}

static uint64_t registration_of(uint32_t at)
{
    return bed.processes[at].node.def.member.registration;
}

static bool knows(uint32_t at, uint64_t registration)
{
    return phx_cluster_map_member(&bed.processes[at].node.map, registration) != NULL;
}

static bool is_member(uint32_t at)
{
    return bed.processes[at].membership.phase == PHX_MEMBERSHIP_MEMBER;
}

static const phx_memory_key *find_key(const char *key)
{
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    for (uint32_t i = 0; i < table->key_count; i++)
        if (strcmp(table->keys[i].key, key) == 0) return &table->keys[i];
    return NULL;
}

/* Does the key of that number say that its process asks? */
static bool asks(uint32_t number)
{
    char key[PHC_KEY_MAX + 1];
    phx_registration read;
    (void)snprintf(key, sizeof key, "ph/unit/nodes/%u", number);
    const phx_memory_key *found = find_key(key);
    return found && phx_registration_decode(&read, found->value, found->size) && read.asks;
}

/* As another program does. */
static void write_value(const char *key, const void *bytes, size_t size)
{
    phc_store other;
    const phx_memory_key *found = find_key(key);
    cr_assert_eq(phc_memory_join(bed.memory, &other), PH_OK);
    cr_assert_eq(other.cas(other.user, 1, key, found ? found->revision : 0, bytes, size, 0), PH_OK);
    phc_memory_step(bed.memory, bed.now);
    other.close(other.user);
}

static void put_out_by_hand(uint32_t by, uint64_t registration)
{
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    static phx_cluster_map map;
    map = bed.processes[by].node.map;
    cr_assert(phx_cluster_map_put_out(&map, registration));
    write_value("ph/unit/map", bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes));
}

static void delete_key(const char *key)
{
    phx_memory_table *table = (phx_memory_table *)phx_memory_table_of(bed.memory);
    const phx_memory_key *found = find_key(key);
    cr_assert_not_null(found);
    phx_memory_key *at = &table->keys[found - table->keys];
    phx_free(table->mem, at->value, at->size, 1);
    const size_t behind = (size_t)(&table->keys[table->key_count] - (at + 1));
    memmove(at, at + 1, behind * sizeof *at);
    table->key_count--;
    table->revision++;
}

/* ---- one write for all ---- */

Test(joining, of_many_that_begin_at_once_one_begins_the_map_and_the_next_one_writes_it_for_all)
{
    uint64_t writes = 0, others = 0;
    for (uint32_t at = 0; at < PROCESSES; at++) start(at);
    bed_run(JOIN_TICKS);
    for (uint32_t at = 0; at < PROCESSES; at++) {
        cr_assert(is_member(at), "%u", at);
        cr_assert(may_save_now(&bed.processes[at].node));
        cr_assert_eq(asks(at + 1), at > 0, "%u", at);
        writes += bed.processes[at].membership.counts.writes;
        others += bed.processes[at].membership.counts.joined_others;
    }
    cr_assert_eq(writes, 2);
    cr_assert_eq(others, PROCESSES - 2);
    cr_assert_eq(bed.processes[0].membership.counts.joined_others, 0, "the first map has one member");
    cr_assert_eq(bed.processes[1].membership.counts.joined_others, PROCESSES - 2);
}

Test(joining, one_that_joins_alone_does_not_ask)
{
    for (uint32_t at = 0; at < 3; at++) {
        start(at);
        bed_run(JOIN_TICKS);
        cr_assert(is_member(at));
        cr_assert_eq(bed.processes[at].membership.counts.writes, 1);
        cr_assert_not(asks(at + 1));
    }
}

/* It has the lowest number, and stands still: with a key that asks, or before that. */
Test(joining, one_that_stands_still_is_waited_for_not_longer_than_some_lists)
{
    for (uint32_t has_asked = 0; has_asked < 2; has_asked++) {
        start(0);
        bed_run(JOIN_TICKS);
        for (uint32_t at = 1; at < 3; at++) start(at);
        while (has_asked ? !asks(2) : bed.processes[1].membership.phase != PHX_MEMBERSHIP_JOIN) bed_run(1);
        cr_assert_not(is_member(1));
        bed.processes[1].runs = false;
        bed_run(JOIN_TICKS / 2);
        cr_assert(is_member(2));
        cr_assert_eq(knows(0, registration_of(1)), has_asked, "it is joined by another one where it asks");
        bed.processes[1].runs = true;
        bed_run(JOIN_TICKS / 2);
        cr_assert(is_member(1), "%s", bed.processes[1].membership.reason);
        cr_assert(knows(0, registration_of(1)) && may_save_now(&bed.processes[1].node));
        bed_end();
        bed_begin();
    }
}

Test(joining, one_that_asked_and_died_is_put_out)
{
    start(0);
    bed_run(JOIN_TICKS);
    for (uint32_t at = 1; at < 3; at++) start(at);
    while (!asks(2)) bed_run(1);
    bed.processes[1].runs = false;
    const uint64_t registration = registration_of(1);
    bed_run(JOIN_TICKS / 2);
    cr_assert(knows(0, registration));
    bed_run(2 * LEASE_TICKS);
    cr_assert_not(knows(0, registration));
    bed.processes[1].runs = true;
    for (uint32_t i = 0; i < 2 * LEASE_TICKS; i++) {
        bed_run(1);
        cr_assert_not(phx_node_may_act(&bed.processes[1].node));
        cr_assert_not(knows(0, registration));
    }
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_ENDED);
}

/* ---- registrations that were put out ---- */

static uint32_t (*poll_all)(void *, uint32_t, phc_answer_fn, void *);
static phc_answer_fn take_all;

static void take_some(void *of, const phc_answer *answer)
{
    phc_answer told = *answer;
    if (answer->tag == PHX_TAG_LIST || answer->tag == PHX_TAG_MAP) told.outcome = PHC_FAILED, told.count = 0;
    take_all(of, &told);
}

/* It hears of no list and no map, and its lease is renewed. */
static uint32_t poll_deaf(void *user, uint32_t most, phc_answer_fn take, void *of)
{
    take_all = take;
    return poll_all(user, most, take_some, of);
}

/* Its key is deleted by hand then: so it is put out, and its lease is proven. */
Test(joining, one_that_another_one_joined_unheard_and_that_was_put_out_does_not_come_back)
{
    process *one = &bed.processes[2];
    start(0);
    bed_run(2 * LEASE_TICKS);
    for (uint32_t at = 1; at < 3; at++) start(at);
    while (!asks(3)) bed_run(1);
    poll_all = one->membership.def.store.poll;
    one->membership.def.store.poll = poll_deaf;
    const uint64_t registration = registration_of(2);
    for (uint32_t i = 0; i < JOIN_TICKS && !knows(0, registration); i++) bed_run(1);
    cr_assert(knows(0, registration));
    cr_assert_eq(one->membership.counts.writes, 0, "another one wrote the map");
    delete_key("ph/unit/nodes/3");
    for (uint32_t i = 0; i < JOIN_TICKS && knows(0, registration); i++) bed_run(1);
    cr_assert_not(knows(0, registration));
    cr_assert_eq(one->membership.phase, PHX_MEMBERSHIP_JOIN);
    one->membership.def.store.poll = poll_all;
    for (uint32_t i = 0; i < 3 * LEASE_TICKS; i++) {
        bed_run(1);
        cr_assert(!knows(0, registration) && !may_save_now(&one->node), "tick %u", i);
    }
    cr_assert_eq(one->membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(one->membership.reason, "its key ph/unit/nodes/3 is gone, and can not be written again");
}

/* Its key still says that it asks; it stands still, so it has not read that it is out. */
Test(joining, one_that_was_put_out_beside_its_lease_is_not_joined_again)
{
    for (uint32_t at = 0; at < 3; at++) start(at);
    bed_run(JOIN_TICKS);
    cr_assert(is_member(2) && asks(3));
    bed.processes[2].runs = false;
    const uint64_t registration = registration_of(2);
    put_out_by_hand(0, registration);
    start(3);
    bed_run(JOIN_TICKS / 2);
    cr_assert(is_member(3) && asks(3), "its lease has not ended");
    cr_assert_not(knows(0, registration));
    bed.processes[2].runs = true;
    bed_run(JOIN_TICKS);
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_not(knows(0, registration));
}

/* ---- the version that a key says ---- */

/* That a process which asks says, with that one so far, behind a map that was read. */
static uint32_t version_behind(uint32_t asked, uint32_t version, uint32_t fence, bool has_it)
{
    static phx_cluster_map map;
    phx_membership *membership = &bed.processes[0].membership;
    const uint64_t registration = has_it ? registration_of(0) : CRAFTED;
    phx_cluster_map_init(&map, REGIONS / 2, 2);
    cr_assert(phx_cluster_map_join(
        &map, (phx_member){.registration = registration, .number = CRAFTED_NUMBER, .format = PHX_FORMAT_MAX}));
    map.version = version;
    map.fence = fence;
    membership->asks = true;
    membership->asked_version = asked;
    phx_joining_read_map(membership, &map);
    return membership->asked_version;
}

Test(joining, a_process_is_in_no_map_up_to_one_without_it_and_without_a_fence_since)
{
    enum { ERA = 1u << PHX_CLUSTER_ERA_SHIFT };
    start(0);
    while (bed.processes[0].membership.phase != PHX_MEMBERSHIP_JOIN) bed_run(1);
    cr_assert_eq(version_behind(5, 9, 0, false), 9);
    cr_assert_eq(version_behind(5, 9, 5, false), 9);
    cr_assert_eq(version_behind(5, 9, 6, false), 5, "it may be the one that was put out");
    cr_assert_eq(version_behind(5, 9, 0, true), 5);
    cr_assert_eq(version_behind(5, ERA + 1, 0, false), 5, "it may be another cluster");
    cr_assert_eq(version_behind(0, ERA + 9, 0, false), ERA + 9, "it had read no map");
    cr_assert_eq(version_behind(0, ERA + 9, ERA + 2, false), 0);
}

/* ---- keys by hand ---- */

/* Two members, of which one is put out; then a process joins beside a key that is not its own. Is that in the map? */
static bool joins_beside(phx_registration registration, bool is_behind_fence, bool is_of_this_era)
{
    static unsigned char bytes[PHX_REGISTRATION_BYTES];
    char key[PHC_KEY_MAX + 1];
    for (uint32_t at = 0; at < 2; at++) start(at);
    bed_run(JOIN_TICKS);
    phx_membership_leave(&bed.processes[1].membership);
    bed_run(JOIN_TICKS);
    const phx_cluster_map *map = &bed.processes[0].node.map;
    cr_assert_eq(map->member_count, 1);
    cr_assert_neq(map->fence, 0);
    registration.registration = CRAFTED;
    registration.version = is_behind_fence ? map->fence : map->fence - 1;
    if (!is_of_this_era) registration.version += 1u << PHX_CLUSTER_ERA_SHIFT;
    phx_registration_encode(&registration, bytes);
    (void)snprintf(key, sizeof key, "ph/unit/nodes/%u", CRAFTED_NUMBER);
    write_value(key, bytes, sizeof bytes);
    start(2);
    bed_run(JOIN_TICKS);
    cr_assert(is_member(2));
    const phx_member *member = phx_cluster_map_member(&bed.processes[2].node.map, CRAFTED);
    if (member) cr_assert(member->number == CRAFTED_NUMBER && member->gateway == registration.gateway);
    const bool has_joined = member != NULL;
    cr_assert_eq(bed.processes[2].membership.counts.joined_others, has_joined);
    bed_end();
    bed_begin();
    return has_joined;
}

Test(joining, a_key_that_asks_is_joined_where_no_member_was_put_out_since)
{
    const phx_registration good = {.formats = PHX_FORMATS, .asks = true, .definition = DEFINITION};
    cr_assert(joins_beside(good, true, true));
    cr_assert(joins_beside(
        (phx_registration){.formats = PHX_FORMATS, .asks = true, .definition = DEFINITION, .gateway = true}, true,
        true));
    cr_assert_not(joins_beside(good, false, true), "it may be the one that was put out");
    cr_assert_not(joins_beside(good, true, false), "of another cluster");
    cr_assert_not(joins_beside((phx_registration){.formats = PHX_FORMATS, .definition = DEFINITION}, true, true));
    cr_assert_not(
        joins_beside((phx_registration){.formats = {2, 3}, .asks = true, .definition = DEFINITION}, true, true),
        "it does not read the map");
    cr_assert_not(joins_beside((phx_registration){.formats = PHX_FORMATS, .asks = true, .definition = DEFINITION + 1},
                               true, true));
}

Test(joining, a_key_that_asks_has_a_registration_and_a_version)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    phx_registration read;
    for (uint32_t role = 0; role < 4; role++) {
        const phx_registration written = {.formats = PHX_FORMATS,
                                          .gateway = role & 1,
                                          .asks = role & 2,
                                          .definition = 7,
                                          .registration = 8,
                                          .version = 9};
        phx_registration_encode(&written, bytes);
        cr_assert(phx_registration_decode(&read, bytes, sizeof bytes));
        cr_assert(read.gateway == written.gateway && read.asks == written.asks);
        cr_assert(read.definition == 7 && read.registration == 8 && read.version == 9);
    }
    bytes[6]++; /* behind magic and formats */
    cr_assert_not(phx_registration_decode(&read, bytes, sizeof bytes));
    phx_registration_encode(&(phx_registration){.formats = PHX_FORMATS, .asks = true, .registration = 8}, bytes);
    cr_assert_not(phx_registration_decode(&read, bytes, sizeof bytes));
    phx_registration_encode(&(phx_registration){.formats = PHX_FORMATS, .asks = true, .version = 9}, bytes);
    cr_assert_not(phx_registration_decode(&read, bytes, sizeof bytes));
}
