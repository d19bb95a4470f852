/*
 * The parts of pharos-cluster over a control store within the process: listings, changes with their refusals, changes
 * beside another writer and over a store that loses requests, exit statuses and output of the commands.
 */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "cluster/map/map_changes.h"
#include "cluster/membership/load_report.h"
#include "cluster/membership/registration.h"
#include "tools/cli.h"
#include "tools/cluster_check.h"
#include "tools/cluster_run.h"

enum { REGIONS = 12, STEP_NS = 1000000, LEASE_MS = 60000, OUTPUT_SIZE = 16384 };

static phc_memory *memory;
static uint64_t now;
static phx_cluster_store operator_store, writer_store;
static phx_cluster_listing listing;
static phx_change_report report;
static uint64_t leases[4]; /* of members 1 to 3 */

static void step_memory(void *user)
{
    (void)user;
    phc_memory_step(memory, now += STEP_NS);
}

static void begin(void)
{
    now = 0;
    cr_assert_eq(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &memory), PH_OK);
    operator_store = (phx_cluster_store){.pause = step_memory};
    writer_store = (phx_cluster_store){.pause = step_memory};
    cr_assert_eq(phc_memory_join(memory, &operator_store.store), PH_OK);
    cr_assert_eq(phc_memory_join(memory, &writer_store.store), PH_OK);
}

static void end(void)
{
    operator_store.store.close(operator_store.store.user);
    writer_store.store.close(writer_store.store.user);
    phc_memory_destroy(memory);
}

TestSuite(cluster_tool, .init = begin, .fini = end);

/* ---- a world in the store ---- */

static phc_answer heard;
static uint64_t heard_revision; /* of the first entry */

static void note_answer(void *user, const phc_answer *answer)
{
    (void)user;
    heard = *answer;
    heard_revision = answer->count > 0 ? answer->entries[0].revision : 0;
}

static void await_writer(void)
{
    phc_store *store = &writer_store.store;
    while (store->poll(store->user, 1, note_answer, NULL) == 0) step_memory(NULL);
    cr_assert_eq(heard.outcome, PHC_DONE);
}

static void put(const char *key, const void *bytes, size_t size, uint64_t lease)
{
    phc_store *store = &writer_store.store;
    cr_assert_eq(store->cas(store->user, 1, key, 0, bytes, size, lease), PH_OK);
    await_writer();
}

/* Registers a process; returns its registration. */
static uint64_t put_registration(const char *world, uint16_t number, phx_registration registration)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    char key[PHC_KEY_MAX + 1];
    phc_store *store = &writer_store.store;
    cr_assert_eq(store->lease_open(store->user, 1, LEASE_MS), PH_OK);
    await_writer();
    if (number < sizeof leases / sizeof *leases) leases[number] = heard.lease;
    phx_registration_encode(&registration, bytes);
    (void)snprintf(key, sizeof key, "ph/%s/nodes/%u", world, number);
    const uint64_t lease = heard.lease;
    put(key, bytes, sizeof bytes, lease);
    return phx_registration_at(heard.revision, lease);
}

static uint64_t put_process(const char *world, uint16_t number, bool gateway, uint64_t definition)
{
    return put_registration(world, number,
                            (phx_registration){.formats = PHX_FORMATS, .gateway = gateway, .definition = definition});
}

static void put_map(const char *world, const phx_cluster_map *map)
{
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    char key[PHC_KEY_MAX + 1];
    (void)snprintf(key, sizeof key, "ph/%s/map", world);
    put(key, bytes, phx_cluster_map_encode(map, bytes, sizeof bytes), 0);
}

/* Nodes 1 and 2, and gateway 3. */
static void put_world(const char *world)
{
    static phx_cluster_map map;
    phx_cluster_map_init(&map, 4, REGIONS / 4);
    for (uint16_t number = 1; number <= 3; number++) {
        const uint64_t registration = put_process(world, number, number == 3, 7);
        const phx_member member = {
            .registration = registration, .number = number, .format = PHX_FORMAT_MAX, .gateway = number == 3};
        cr_assert(phx_cluster_map_join(&map, member));
    }
    put_map(world, &map);
}

static void end_lease(uint16_t number)
{
    phc_store *store = &writer_store.store;
    cr_assert_eq(store->lease_end(store->user, 1, leases[number]), PH_OK);
    await_writer();
}

static void read_world(const char *world)
{
    cr_assert(phx_cluster_listing_read(&listing, &operator_store, world), "%s", operator_store.reason);
}

static phx_cluster_change move_of(uint32_t region, uint16_t number)
{
    return (phx_cluster_change){.kind = PHX_CHANGE_MOVE, .number = number, .region_count = 1, .regions = {region}};
}

static phx_change_result write_change(phx_cluster_change change)
{
    return phx_cluster_change_write(&change, &operator_store, "arena", &report);
}

static void expect_refusal(phx_cluster_change change, const char *words)
{
    cr_assert_eq(write_change(change), PHX_CHANGE_REFUSED, "%s", words);
    cr_assert(strstr(report.reason, words), "'%s' has no '%s'", report.reason, words);
    const uint64_t revision = report.before.map_revision;
    read_world("arena");
    cr_assert_eq(listing.map_revision, revision, "%s: it was written", words);
}

/* ---- listings ---- */

Test(cluster_tool, a_listing_has_members_and_processes)
{
    put_world("arena");
    const uint64_t joining = put_process("arena", 9, false, 7);
    put_process("arena2", 1, false, 7); /* another world, whose name begins so */
    put("ph/arena/nodes/x", "?", 1, 0);
    put("ph/arena/nodes/8", "?", 1, 0);
    read_world("arena");
    cr_assert_eq(listing.map_state, PHX_CLUSTER_MAP);
    cr_assert_eq(listing.map.member_count, 3);
    cr_assert_eq(listing.map.version, 4);
    cr_assert_eq(listing.listed_count, 4);
    cr_assert_eq(listing.skipped, 2);
    cr_assert_eq(phx_cluster_listing_of(&listing, joining)->number, 9);
    cr_assert(phx_cluster_listing_of(&listing, listing.map.members[2].registration)->gateway);
    cr_assert_eq(phx_cluster_map_regions_of(&listing.map, 1), REGIONS / 2);
    end_lease(2);
    read_world("arena");
    cr_assert_eq(listing.listed_count, 3);
    cr_assert_null(phx_cluster_listing_of(&listing, listing.map.members[1].registration));
}

Test(cluster_tool, worlds_are_listed_once)
{
    static phx_cluster_worlds worlds;
    cr_assert(phx_cluster_worlds_read(&worlds, &operator_store));
    cr_assert_eq(worlds.count, 0);
    put_world("arena");
    put_process("arena-2", 1, false, 7);
    put("ph/", "?", 1, 0);
    put("ph/stray", "?", 1, 0);
    cr_assert(phx_cluster_worlds_read(&worlds, &operator_store));
    cr_assert_eq(worlds.count, 2);
    for (uint32_t i = 0; i < 2; i++)
        cr_assert(strcmp(worlds.names[i], "arena") == 0 || strcmp(worlds.names[i], "arena-2") == 0);
}

/* A server that is cut off, asked in turn with others; and a store that was restored from a backup. */
Test(cluster_tool, a_listing_that_is_behind_is_none)
{
    phx_cluster_newest newest = {0};
    memset(&listing, 0, sizeof listing);
    for (uint64_t look = 0; look < 200; look++) {
        const bool is_cut_off = look / 8 % 3 == 1;
        listing.store_revision = is_cut_off ? 50 : 100 + look / 5;
        cr_assert_eq(phx_cluster_is_behind(&newest, &listing), is_cut_off, "look %u", (unsigned)look);
    }
    uint32_t behind = 0;
    for (listing.store_revision = 7; phx_cluster_is_behind(&newest, &listing); behind++) cr_assert_lt(behind, 100);
    cr_assert_gt(behind, 16); /* two of five servers, eight listings of each */
    listing.store_revision = 8;
    cr_assert_not(phx_cluster_is_behind(&newest, &listing));
}

/* ---- changes ---- */

Test(cluster_tool, changes_are_written_or_refused)
{
    expect_refusal(move_of(0, 1), "no cluster map");
    put_world("arena");
    read_world("arena");
    const phx_cluster_map first = listing.map;
    uint32_t region = 0;
    while (first.regions[region].number != 1) region++;
    expect_refusal(move_of(region, 4), "no member 4");
    expect_refusal(move_of(region, 3), "gateway");
    expect_refusal(move_of(REGIONS, 2), "no region 12");
    phx_cluster_change change = move_of(region, 2);
    change.is_dry = true;
    cr_assert_eq(write_change(change), PHX_CHANGE_MADE);
    read_world("arena");
    cr_assert_eq(listing.map.version, first.version);
    change.is_dry = false;
    cr_assert_eq(write_change(change), PHX_CHANGE_MADE);
    read_world("arena");
    cr_assert_eq(listing.map.version, first.version + 1);
    cr_assert_eq(listing.map.regions[region].number, 2);
    cr_assert_eq(write_change(change), PHX_CHANGE_STANDS);
    expect_refusal((phx_cluster_change){.kind = PHX_CHANGE_DRAIN, .number = 3}, "gateway");
    cr_assert_eq(write_change((phx_cluster_change){.kind = PHX_CHANGE_DRAIN, .number = 1}), PHX_CHANGE_MADE);
    cr_assert_eq(write_change((phx_cluster_change){.kind = PHX_CHANGE_DRAIN, .number = 1}), PHX_CHANGE_STANDS);
    read_world("arena");
    cr_assert_eq(phx_cluster_map_regions_of(&listing.map, 2), REGIONS);
    cr_assert_eq(listing.map.member_count, 3);
}

Test(cluster_tool, a_member_with_its_lease_is_told_to_leave_by_force)
{
    put_world("arena");
    read_world("arena");
    const phx_cluster_map before = listing.map;
    const phx_cluster_change out = {.kind = PHX_CHANGE_OUT, .number = 2, .is_forced = true};
    cr_assert_eq(write_change(out), PHX_CHANGE_MADE);
    cr_assert_eq(write_change(out), PHX_CHANGE_STANDS);
    read_world("arena");
    cr_assert_eq(listing.map.version, before.version + 1);
    cr_assert_eq(listing.map.fence, before.fence);
    cr_assert(phx_cluster_map_numbered(&listing.map, 2)->expelled);
    cr_assert_eq(phx_cluster_map_regions_of(&listing.map, 2), phx_cluster_map_regions_of(&before, 2));
    end_lease(2);
    cr_assert_eq(write_change(out), PHX_CHANGE_MADE);
    read_world("arena");
    cr_assert_null(phx_cluster_map_numbered(&listing.map, 2));
}

Test(cluster_tool, a_member_is_put_out_without_its_lease_or_by_force)
{
    put_world("arena");
    phx_cluster_change out = {.kind = PHX_CHANGE_OUT, .number = 2};
    expect_refusal(out, "holds its lease");
    out.is_forced = true;
    out.is_dry = true;
    cr_assert_eq(write_change(out), PHX_CHANGE_MADE);
    out.is_forced = out.is_dry = false;
    end_lease(2);
    expect_refusal(move_of(0, 2), "lost its lease");
    cr_assert_eq(write_change(out), PHX_CHANGE_MADE);
    read_world("arena");
    cr_assert_eq(listing.map.fence, listing.map.version);
    cr_assert_null(phx_cluster_map_numbered(&listing.map, 2));
    cr_assert_eq(phx_cluster_map_regions_of(&listing.map, 1), REGIONS);
    cr_assert_eq(listing.map.regions[0].lost, listing.map.version);
    expect_refusal(out, "no member 2");
    expect_refusal((phx_cluster_change){.kind = PHX_CHANGE_DRAIN, .number = 1}, "only node");
}

Test(cluster_tool, a_damaged_map_is_not_written)
{
    put("ph/arena/map", "PHCM?", 5, 0);
    expect_refusal(move_of(0, 1), "can not be read");
    read_world("arena");
    cr_assert_eq(listing.map_state, PHX_CLUSTER_DAMAGED_MAP);
}

/* ---- other writers, and a store that fails ---- */

static uint32_t writes_left, written;
static phc_store behind; /* the operator's store itself */

/* Another writer is first, so long as writes are left: region 0 goes back and forth. */
static ph_status cas_behind(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value,
                            size_t size, uint64_t lease)
{
    static phx_change_report own;
    if (writes_left > 0) {
        writes_left--;
        phx_cluster_change change = move_of(0, (uint16_t)(1 + writes_left % 2));
        const phx_change_result result = phx_cluster_change_write(&change, &writer_store, "arena", &own);
        cr_assert(result == PHX_CHANGE_MADE || result == PHX_CHANGE_STANDS);
        written += result == PHX_CHANGE_MADE;
    }
    return behind.cas(user, tag, key, revision, value, size, lease);
}

static void begin_other_writer(uint32_t writes)
{
    behind = operator_store.store;
    operator_store.store.cas = cas_behind;
    writes_left = writes;
    written = 0;
}

/* A node that has not the last region. */
static uint16_t other_node(void)
{
    read_world("arena");
    return listing.map.regions[REGIONS - 1].number == 1 ? 2 : 1;
}

Test(cluster_tool, no_write_of_another_one_is_lost)
{
    put_world("arena");
    const uint16_t number = other_node();
    const uint32_t first = listing.map.version;
    begin_other_writer(5);
    cr_assert_eq(write_change(move_of(REGIONS - 1, number)), PHX_CHANGE_MADE);
    cr_assert(written >= 4, "%u", written);
    read_world("arena");
    cr_assert_eq(listing.map.version, first + written + 1);
    cr_assert_eq(listing.map.regions[REGIONS - 1].number, number);
}

Test(cluster_tool, another_writer_that_is_always_first_ends_it)
{
    put_world("arena");
    const uint16_t number = other_node();
    begin_other_writer(UINT32_MAX);
    cr_assert_eq(write_change(move_of(REGIONS - 1, number)), PHX_CHANGE_FAILED);
    cr_assert(strstr(report.reason, "always first"), "%s", report.reason);
    read_world("arena");
    cr_assert_neq(listing.map.regions[REGIONS - 1].number, number);
}

/* Of a change that is said to be made the map has all; of one that is said to be refused nothing. */
Test(cluster_tool, a_store_that_loses_requests)
{
    put_world("arena");
    uint32_t results[4] = {0};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        cr_assert_eq(phc_memory_set_faults(memory, (phc_faults){.seed = seed, .lost = 300}), PH_OK);
        uint64_t random = seed;
        const uint32_t region = (uint32_t)phx_rng_below(&random, REGIONS);
        const uint16_t number = (uint16_t)(1 + phx_rng_below(&random, 2));
        const phx_change_result result = write_change(move_of(region, number));
        results[result]++;
        cr_assert_eq(phc_memory_set_faults(memory, (phc_faults){0}), PH_OK);
        read_world("arena");
        cr_assert(result != PHX_CHANGE_REFUSED, "seed %llu: %s", (unsigned long long)seed, report.reason);
        if (result == PHX_CHANGE_FAILED) continue;
        cr_assert_eq(listing.map.regions[region].number, number, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(listing.map.version, report.after.version, "seed %llu", (unsigned long long)seed);
    }
    cr_assert(results[PHX_CHANGE_MADE] > 50 && results[PHX_CHANGE_FAILED] > 10 && results[PHX_CHANGE_STANDS] > 20);
}

/* ---- the balancer ---- */

/* A node's report: 100 entities in each of its regions, and so many of 1000 parts of its time. */
static void put_report(uint16_t number, uint32_t share)
{
    static unsigned char bytes[PHX_LOAD_REPORT_BYTES_MAX];
    static phx_load_report load;
    char key[PHC_KEY_MAX + 1];
    read_world("arena");
    const phx_member *member = phx_cluster_map_numbered(&listing.map, number);
    load = (phx_load_report){.registration = member->registration,
                             .busy_us = share * 50,
                             .period_us = 50000,
                             .columns = 4,
                             .rows = REGIONS / 4};
    for (uint32_t i = 0; i < REGIONS; i++)
        if (listing.map.regions[i].number == number)
            load.regions[load.region_count++] = (phx_load_region){.region = (uint16_t)i, .entities = 100};
    load.own = 100 * load.region_count;
    (void)snprintf(key, sizeof key, "ph-load/arena/%u", number);
    phc_store *store = &writer_store.store;
    cr_assert_eq(store->get(store->user, 1, key), PH_OK);
    await_writer();
    const uint64_t revision = heard_revision;
    const size_t size = phx_load_report_encode(&load, bytes, sizeof bytes);
    cr_assert_eq(store->cas(store->user, 1, key, revision, bytes, size, leases[number]), PH_OK);
    await_writer();
}

Test(cluster_tool, reports_are_listed)
{
    put_world("arena");
    put_report(1, 700);
    put("ph-load/arena/9", "?", 1, 0);
    read_world("arena");
    const phx_cluster_listed *listed = phx_cluster_listing_of(&listing, listing.map.members[0].registration);
    cr_assert_eq(listed->number, 1);
    cr_assert_eq(phx_load_report_share(listed->load.busy_us, listed->load.period_us), 700);
    cr_assert_eq(listed->load.own, 600);
    for (uint32_t i = 0; i < REGIONS; i++)
        cr_assert_eq(listing.entities[i], listing.map.regions[i].number == 1 ? 100u : 0u, "region %u", i);
    end_lease(1);
    read_world("arena");
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert_eq(listing.entities[i], 0, "region %u", i);
}

/* ---- commands ---- */

static char output[OUTPUT_SIZE];

static int run_command(phx_cluster_job job)
{
    FILE *file = fmemopen(output, sizeof output, "w");
    const volatile sig_atomic_t stops = 0;
    cr_assert(file);
    memset(output, 0, sizeof output);
    const int exit_status = phx_cluster_run_over(&job, &operator_store, file, &stops);
    cr_assert_eq(fclose(file), 0);
    return exit_status;
}

static void expect_output(const char *text)
{
    cr_assert(strstr(output, text), "no '%s' in:\n%s", text, output);
}

Test(cluster_tool, the_only_world_is_found)
{
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS}), PHX_EXIT_REFUSED);
    put_world("arena");
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS}), PHX_EXIT_OK);
    expect_output("world arena   map version 4");
    expect_output("gateway  member");
    put_process("bay", 1, false, 7);
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS}), PHX_EXIT_REFUSED);
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS, .name = "bay"}), PHX_EXIT_OK);
    expect_output("no cluster map");
    expect_output("joining");
}

/* Of processes that read a later format, too; a program that reads the map's alone changes it, and does not raise it.
 */
Test(cluster_tool, formats_are_shown_and_stay)
{
    static phx_cluster_map map;
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    phx_cluster_job status = {.command = PHX_CLUSTER_STATUS};
    put_world("arena");
    read_world("arena");
    map = listing.map;
    for (uint32_t i = 0; i < map.member_count; i++) map.members[i].format = 2;
    put_map("bay", &map);
    phx_registration_encode(
        &(phx_registration){.formats = {1, 2}, .registration = map.members[0].registration, .definition = 7}, bytes);
    put("ph/bay/nodes/1", bytes, sizeof bytes, leases[1]);
    status.name = "bay";
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output("   format 1   fence none");
    expect_output("member        1-2 ");
    expect_output("no-lease        - ");
    status.is_json = true;
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output(",\"format\":1,");
    expect_output(",\"formats\":[1,2]}");
    const phx_cluster_change move = move_of(0, map.regions[0].number == 1 ? 2 : 1);
    phx_cluster_job change = {.command = PHX_CLUSTER_CHANGE, .change = move, .name = "bay"};
    cr_assert_eq(run_command(change), PHX_EXIT_OK, "%s", output);
    read_world("bay");
    cr_assert(listing.map.version == map.version + 1 && listing.map.format == 1 && listing.map.members[0].format == 2);
}

/* Members, and a process that joins; a key without a lease is of none. */
Test(cluster_tool, processes_that_hold_the_format_are_named)
{
    static phx_cluster_map map;
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    put_world("arena");
    read_world("arena");
    map = listing.map;
    map.members[0].format = 2;
    put_map("bay", &map);
    put_process("bay", 9, false, 7);
    phx_registration_encode(&(phx_registration){.formats = PHX_FORMATS, .definition = 7}, bytes);
    put("ph/bay/nodes/8", bytes, sizeof bytes, 0);
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS, .name = "bay"}), PHX_EXIT_OK);
    expect_output("   format 1, held by 2,3,9   fence none");
}

/* All members read 3, so a process that does not holds the map; but not one that can not join. */
Test(cluster_tool, a_process_that_can_not_join_does_not_hold_the_format)
{
    static phx_cluster_map map;
    put_world("arena");
    read_world("arena");
    map = listing.map;
    for (uint32_t i = 0; i < map.member_count; i++) map.members[i].format = 3;
    put_map("bay", &map);
    (void)put_registration(
        "bay", 1, (phx_registration){.formats = {1, 3}, .definition = 7, .registration = map.members[0].registration});
    (void)put_registration("bay", 8, (phx_registration){.formats = {1, 2}, .definition = 7});
    (void)put_registration("bay", 9, (phx_registration){.formats = {1, 1}, .definition = 8});
    (void)put_registration("bay", 10, (phx_registration){.formats = {2, 2}, .definition = 7});
    (void)put_registration("bay", 11, (phx_registration){.formats = {1, 4}, .definition = 7});
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS, .name = "bay"}), PHX_EXIT_OK);
    expect_output("   format 1, held by 8   fence none");
}

Test(cluster_tool, a_map_of_another_format_is_named)
{
    static phx_cluster_map map;
    phx_cluster_job status = {.command = PHX_CLUSTER_STATUS};
    phx_cluster_map_init(&map, 4, REGIONS / 4);
    map.format = PHX_FORMAT_MAX + 1;
    put_map("arena", &map);
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output("the cluster map can not be read: it has format 2, and this program reads 1 to 1\n");
    status.is_json = true;
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output("\"map\":\"damaged\"");
    expect_output(",\"format\":2,");
    expect_refusal(move_of(0, 1), "can not be read");
}

Test(cluster_tool, a_map_is_a_grid)
{
    put_world("arena");
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_SHOW_MAP}), PHX_EXIT_OK);
    const char *top = strstr(output, "   8 |"), *low = strstr(output, "   0 |");
    cr_assert(top && low && top < low, "%s", output);
}

Test(cluster_tool, findings_have_an_exit_status)
{
    const phx_cluster_job check = {.command = PHX_CLUSTER_CHECK, .name = "arena"};
    cr_assert_eq(run_command(check), PHX_EXIT_FOUND);
    expect_output("no-map");
    put_world("arena");
    cr_assert_eq(run_command(check), PHX_EXIT_OK, "%s", output);
    expect_output("nothing found");
    put_process("arena", 9, false, 8);
    end_lease(2);
    cr_assert_eq(run_command(check), PHX_EXIT_FOUND);
    expect_output("no-lease: member 2");
    expect_output("not-in-map: process 9");
    expect_output("definition: process 9");
    phx_cluster_job out = {.command = PHX_CLUSTER_CHANGE, .is_json = true};
    out.change = (phx_cluster_change){.kind = PHX_CHANGE_OUT, .number = 2};
    cr_assert_eq(run_command(out), PHX_EXIT_OK);
    expect_output("{\"result\":\"made\",\"dry\":false,\"before\":4,\"version\":5,\"moves\":[{\"region\":");
    cr_assert_eq(run_command(out), PHX_EXIT_REFUSED);
    expect_output("\"result\":\"refused\"");
    cr_assert_eq(run_command(check), PHX_EXIT_FOUND);
    expect_output("restore: node 1 has 12 regions");
}

Test(cluster_tool, one_look_of_the_balancer)
{
    phx_cluster_job balance = {.command = PHX_CLUSTER_BALANCE};
    put_world("arena");
    cr_assert_eq(run_command(balance), PHX_EXIT_OK);
    expect_output("has not reported its load");
    put_report(1, 800);
    put_report(2, 100);
    read_world("arena");
    const uint32_t version = listing.map.version;
    balance.change.is_dry = true;
    cr_assert_eq(run_command(balance), PHX_EXIT_OK);
    expect_output("node 1 is busy 80.0 % of its time, the mean is 45.0: region ");
    expect_output("to node 2 (not written)");
    read_world("arena");
    cr_assert_eq(listing.map.version, version);
    balance.change.is_dry = false;
    balance.is_json = true;
    cr_assert_eq(run_command(balance), PHX_EXIT_OK);
    expect_output("{\"verdict\":\"move\",\"version\":4,\"busiest\":1,\"load\":800,\"mean\":450,\"region\":");
    expect_output("\"result\":\"made\"}");
    read_world("arena");
    cr_assert_eq(listing.map.version, version + 1);
    cr_assert_eq(phx_cluster_map_regions_of(&listing.map, 2), REGIONS / 2 + 1);
    uint32_t region = 0;
    while (listing.map.regions[region].number != 2) region++;
    phx_cluster_change change = move_of(region, 1);
    change.version = listing.map.version;
    cr_assert_eq(write_change((phx_cluster_change){.kind = PHX_CHANGE_DRAIN, .number = 1}), PHX_CHANGE_MADE);
    expect_refusal(change, "the cluster map has changed meanwhile: it is version 6, not 5");
    cr_assert_eq(write_change(move_of(0, 1)), PHX_CHANGE_MADE); /* an operator's wish */
    put_report(1, 400);
    cr_assert_eq(run_command(balance), PHX_EXIT_OK);
    expect_output("{\"verdict\":\"idle\"");
}

Test(cluster_tool, the_balancer_is_shown)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    phx_cluster_job status = {.command = PHX_CLUSTER_STATUS};
    put_world("arena");
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output("balancer none");
    read_world("arena");
    const phx_registration second = {.formats = PHX_FORMATS,
                                     .registration = phx_cluster_map_numbered(&listing.map, 2)->registration};
    phx_registration_encode(&second, bytes);
    put("ph/arena/balancer", bytes, sizeof bytes, leases[2]);
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output("balancer 2 ");
    status.is_json = true;
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output("\"balancer\":2,");
    end_lease(2);
    cr_assert_eq(run_command(status), PHX_EXIT_OK);
    expect_output("\"balancer\":0,");
}

/* ---- verify ---- */

static int verify(const char *const *exports, uint32_t count)
{
    return run_command((phx_cluster_job){
        .command = PHX_CLUSTER_VERIFY, .name = "arena", .every_ms = 10, .exports = exports, .export_count = count});
}

static void write_export(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0);
    cr_assert_eq(fclose(file), 0);
}

Test(cluster_tool, nodes_that_agree_with_the_map_are_verified)
{
    put_world("arena");
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_FOUND);
    expect_output("no-report: node 1");
    put_report(1, 100);
    put_report(2, 100);
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_OK, "%s", output);
    expect_output("all agree");
    uint32_t region = 0;
    while (listing.map.regions[region].number != 2) region++;
    cr_assert_eq(write_change(move_of(region, 1)), PHX_CHANGE_MADE);
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_FOUND); /* node 2 has it still, and 1 does not know it */
    expect_output("; 1 nodes see it as their own, the last one is 2");
    put_report(1, 100);
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_FOUND);
    expect_output("; 2 nodes see it as their own");
    put_report(2, 100);
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_OK, "%s", output);
    cr_assert_eq(write_change(move_of(region, 2)), PHX_CHANGE_MADE);
    put_report(1, 100);
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_FOUND);
    expect_output("which does not know it");
    end_lease(1);
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_FOUND);
    expect_output("no-lease: member 1");
}

Test(cluster_tool, a_balancers_key_that_no_member_has_written_is_found)
{
    put_world("arena");
    put_report(1, 100);
    put_report(2, 100);
    put("ph/arena/balancer", "x", 1, 0);
    cr_assert_eq(verify(NULL, 0), PHX_EXIT_FOUND);
    expect_output("balancer: the key ph/arena/balancer can not be read");
}

#define EXPORT_PATH "/tmp/pharos-export-XXXXXX" /* mkstemp() writes the last six */

/* A world of two nodes that report, and an empty file for the export of each. */
static void put_two_nodes(char *first, char *second)
{
    const int a = mkstemp(first), b = mkstemp(second);
    cr_assert(a >= 0 && b >= 0 && close(a) == 0 && close(b) == 0);
    put_world("arena");
    put_report(1, 100);
    put_report(2, 100);
}

Test(cluster_tool, each_entity_has_one_owner, .init = cr_redirect_stderr)
{
    char first[] = EXPORT_PATH, second[] = EXPORT_PATH;
    const char *const paths[] = {first, second};
    put_two_nodes(first, second);
    write_export(
        first,
        "{\"event\":\"status\",\"node\":1,\"ids\":\"1-9\"}\n{\"node\":1,\"ids\":\"1-7,9\"}\n{\"node\":1,\"ids\":\"");
    write_export(second, "{\"node\":2,\"ids\":\"8,10-12\"}\n");
    cr_assert_eq(verify(paths, 2), PHX_EXIT_OK, "%s", output);
    expect_output("12 entities in 2 exports: all agree");
    write_export(second, "{\"node\":2,\"ids\":\"7-8\"}\n");
    cr_assert_eq(verify(paths, 2), PHX_EXIT_FOUND);
    expect_output("two-owners: entity 7 is owned by node 1 and by node 2");
    write_export(second, "{\"node\":3,\"ids\":\"8\"}\n");
    cr_assert_eq(verify(paths, 2), PHX_EXIT_FOUND);
    expect_output("strange-owner: entity 8 is owned by 3");
    static const char *const wrong[] = {"",
                                        "{\"node\":1}\n",
                                        "{\"node\":0,\"ids\":\"1\"}\n",
                                        "{\"node\":1,\"ids\":\"2-1\"}\n",
                                        "{\"node\":1,\"ids\":\"-1\"}\n",
                                        "{\"node\":1,\"ids\":\"1;2\"}\n",
                                        "{\"node\":1,\"ids\":\"1\n"};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_export(second, wrong[i]);
        cr_assert_eq(verify(paths, 2), PHX_EXIT_USAGE, "%s", wrong[i]);
    }
    cr_assert_eq(unlink(first), 0);
    cr_assert_eq(unlink(second), 0);
    cr_assert_eq(verify(paths, 2), PHX_EXIT_USAGE);
}

/* Two nodes: 1 and 2 are near, across the border; 3 is beyond their views. */
Test(cluster_tool, lists_agree_with_where_all_stand, .init = cr_redirect_stderr)
{
#define LIST(id, x, sees) "{\"id\":" id ",\"x\":" x ",\"y\":0,\"view\":50,\"margin\":5,\"sees\":\"" sees "\"}"
#define LISTS(node, ids, lists) "{\"node\":" node ",\"ids\":\"" ids "\",\"lists\":[" lists "]}\n"
    static const struct {
        const char *second; /* export */
        int exit_status;
        const char *says;
    } cases[] = {
        {LISTS("2", "2-3", LIST("2", "40", "1,3") "," LIST("3", "94", "2")), PHX_EXIT_OK, "all agree"},
        {LISTS("2", "2-3", LIST("2", "40", "3") "," LIST("3", "94", "")), PHX_EXIT_FOUND,
         "not-listed: entity 2 of node 2 sees 50 far, and has 1 of node 1, 40 away, not in its list"},
        {LISTS("2", "2-3", LIST("2", "40", "1") "," LIST("3", "96", "2")), PHX_EXIT_FOUND,
         "listed-far: entity 3 of node 2 has 2 of node 2 in its list, which is 56 away"},
        {LISTS("2", "2", LIST("2", "40", "1,7")), PHX_EXIT_FOUND,
         "listed-nowhere: entity 2 of node 2 has 7 in its list, which is in no export"},
        {"{\"node\":2,\"ids\":\"2\"}\n", PHX_EXIT_USAGE, ""},
        {LISTS("2", "2", LIST("2", "40", "3,1")), PHX_EXIT_USAGE, ""},
        {LISTS("2", "2", LIST("2", "40", "1-")), PHX_EXIT_USAGE, ""},
        {LISTS("2", "2", LIST("2", "nan", "1")), PHX_EXIT_USAGE, ""},
        {LISTS("2", "2", LIST("2", "40", "1;")), PHX_EXIT_USAGE, ""},
        {LISTS("2", "2", LIST("0", "40", "1")), PHX_EXIT_USAGE, ""},
        {"{\"node\":2,\"ids\":\"2\",\"lists\":[" LIST("2", "40", "1") "\n", PHX_EXIT_USAGE, ""},
    };
    char first[] = EXPORT_PATH, second[] = EXPORT_PATH;
    const char *const paths[] = {first, second};
    put_two_nodes(first, second);
    write_export(first, LISTS("1", "1", LIST("1", "0", "2")));
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_export(second, cases[i].second);
        cr_assert_eq(verify(paths, 2), cases[i].exit_status, "%u: %s", i, output);
        if (cases[i].says[0] != '\0') expect_output(cases[i].says);
    }
    cr_assert(unlink(first) == 0 && unlink(second) == 0);
}

/* Another balancer gives the one of two regions away, between the look of this one and its write of the other. */
Test(cluster_tool, two_balancers_leave_a_node_its_last_region)
{
    phx_cluster_job balance = {.command = PHX_CLUSTER_BALANCE};
    put_world("arena");
    for (uint32_t i = 2; i < REGIONS; i++) (void)write_change(move_of(i, 2));
    (void)write_change(move_of(0, 1));
    (void)write_change(move_of(1, 1));
    put_report(1, 800);
    put_report(2, 100);
    balance.change.is_dry = true;
    cr_assert_eq(run_command(balance), PHX_EXIT_OK);
    expect_output(": region 1 to node 2"); /* region 0 is the other writer's */
    balance.change.is_dry = false;
    begin_other_writer(2);
    cr_assert_eq(run_command(balance), PHX_EXIT_REFUSED);
    cr_assert_eq(written, 1);
    read_world("arena");
    cr_assert_eq(phx_cluster_map_regions_of(&listing.map, 1), 1);
}

/* ---- watch ---- */

static uint32_t lists;
static volatile sig_atomic_t looks_stop;

static bool is_writing; /* so that a list is not one of watch */

static void damage_map(void)
{
    phc_store *store = &writer_store.store;
    cr_assert_eq(store->get(store->user, 1, "ph/arena/map"), PH_OK);
    await_writer();
    cr_assert_eq(store->cas(store->user, 1, "ph/arena/map", heard_revision, "?", 1, 0), PH_OK);
    await_writer();
}

/* Each look of watch makes two lists. Loads change before the second look, the map is damaged before the third. */
static ph_status list_in_looks(void *user, uint64_t tag, const char *prefix)
{
    if (is_writing) return behind.list(user, tag, prefix);
    is_writing = true;
    lists++;
    if (lists == 3) put_report(1, 300);
    if (lists == 5) damage_map();
    if (lists == 8) looks_stop = 1;
    is_writing = false;
    return behind.list(user, tag, prefix);
}

Test(cluster_tool, watch_shows_changes_and_no_loads)
{
    const phx_cluster_job watch = {.command = PHX_CLUSTER_WATCH, .name = "arena", .every_ms = 1};
    put_world("arena");
    put_report(1, 200);
    read_world("arena");
    behind = operator_store.store;
    lists = 0;
    looks_stop = 0;
    FILE *file = fmemopen(output, sizeof output, "w");
    cr_assert(file);
    operator_store.store.list = list_in_looks;
    cr_assert_eq(phx_cluster_run_over(&watch, &operator_store, file, &looks_stop), PHX_EXIT_OK);
    cr_assert_eq(fclose(file), 0);
    const char *first = strstr(output, "world arena"), *second = first ? strstr(first + 1, "world arena") : NULL;
    cr_assert(first && second && !strstr(second + 1, "world arena"), "%s", output);
    expect_output("the cluster map can not be read");
}

Test(cluster_tool, lines_of_json_have_all)
{
    put_world("arena");
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS, .is_json = true}), PHX_EXIT_OK);
    expect_output("{\"world\":\"arena\",\"map\":\"good\",\"version\":4,\"fence\":0,\"revision\":");
    expect_output("\"number\":3,\"kind\":\"gateway\",\"state\":\"member\"");
    expect_output("\"definition\":\"0000000000000007\"");
    expect_output("\"restore\":[],\"skipped\":0}\n");
    phc_memory_cut(memory, &operator_store.store, true);
    cr_assert_eq(run_command((phx_cluster_job){.command = PHX_CLUSTER_STATUS, .name = "arena"}), PHX_EXIT_STORE);
    cr_assert_eq(output[0], '\0');
}
