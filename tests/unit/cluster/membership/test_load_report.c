/*
 * Reports of loads: their bytes make the same report, any damage makes none, a right sum does not make a wrong report
 * good; a member's reports in its control store, by a clock that the test moves.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/map/map_changes.h"
#include "cluster/member/phc_state.h"
#include "cluster/membership/load_report.h"
#include "cluster/servers/memory_store.h"
#include "cluster/wire/sum.h"

enum { MS = 1000000 };

static phx_load_report report, other;
static unsigned char bytes[PHX_LOAD_REPORT_BYTES_MAX], damaged[PHX_LOAD_REPORT_BYTES_MAX];

static void make_report(uint64_t seed)
{
    report = (phx_load_report){.registration = seed, .sequence = 7, .rounds = 256};
    report.busy_us = (uint32_t)phx_rng_below(&seed, 50000);
    report.busy_p99_us = report.busy_us * 2;
    report.period_us = 50000;
    report.own = (uint32_t)phx_rng_below(&seed, 1000000);
    report.transit = 3;
    report.columns = (uint16_t)(1 + phx_rng_below(&seed, 8));
    report.rows = (uint16_t)(1 + phx_rng_below(&seed, 8));
    for (uint32_t i = 0; i < (uint32_t)report.columns * report.rows; i++)
        if (phx_rng_below(&seed, 2) == 0)
            report.regions[report.region_count++] =
                (phx_load_region){.region = (uint16_t)i, .entities = (uint32_t)phx_rng_below(&seed, 5000)};
}

static bool is_same(size_t size)
{
    return phx_load_report_encode(&other, damaged, sizeof damaged) == size && memcmp(damaged, bytes, size) == 0;
}

Test(load_report, bytes_make_the_same_report_and_damage_makes_none)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        make_report(seed);
        const size_t size = phx_load_report_encode(&report, bytes, sizeof bytes);
        cr_assert(phx_load_report_decode(&other, bytes, size), "seed %d", (int)seed);
        cr_assert(is_same(size), "seed %d", (int)seed);
        for (size_t cut = 0; cut < size; cut++) cr_assert_not(phx_load_report_decode(&other, bytes, cut));
        for (size_t bit = 0; bit < 8 * size; bit++) {
            memcpy(damaged, bytes, size);
            damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
            cr_assert_not(phx_load_report_decode(&other, damaged, size));
        }
    }
}

static bool decodes(void)
{
    return phx_load_report_decode(&report, bytes, phx_load_report_encode(&other, bytes, sizeof bytes));
}

Test(load_report, a_right_sum_does_not_make_a_wrong_report_good)
{
    make_report(3);
    cr_assert_gt(report.region_count, 2);
    const phx_load_report good = report;
    other = good;
    cr_assert(decodes());
    other.registration = 0;
    cr_assert_not(decodes());
    other = good;
    other.period_us = 0;
    cr_assert_not(decodes());
    other = good;
    other.columns = 0;
    cr_assert_not(decodes());
    other = good;
    other.columns = other.rows = 65;
    cr_assert_not(decodes());
    other = good;
    other.regions[1].region = other.regions[0].region;
    cr_assert_not(decodes());
    other = good;
    other.regions[other.region_count - 1].region = (uint16_t)(other.columns * other.rows);
    cr_assert_not(decodes());
}

Test(load_report, of_two_grids_the_map_s_one_fits)
{
    static phx_cluster_map map;
    static uint32_t entities[PHX_CLUSTER_REGIONS_MAX];
    phx_cluster_map_init(&map, 4, 2);
    cr_assert(phx_cluster_map_join(&map, (phx_member){.registration = 5, .number = 1, .format = PHX_FORMAT_MAX}));
    report = (phx_load_report){.columns = 4, .rows = 2, .region_count = 1, .regions = {{.region = 3, .entities = 9}}};
    cr_assert(phx_load_report_fits(&report, &map));
    phx_load_report_entities(&report, &map, 1, entities);
    cr_assert_eq(entities[3], 9);
    report.columns = 2;
    report.rows = 4;
    cr_assert_not(phx_load_report_fits(&report, &map));
    report.columns = 4;
    report.rows = 3;
    cr_assert_not(phx_load_report_fits(&report, &map));
}

/* ---- of a member ---- */

static uint64_t now_ns;
static ph_class class;
static ph_world_def world_def;
static phc_loop *loop;
static phc_memory *memory;
static ph_world world;
static phc_transport transport;
static phc_store store;
static phc *member;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void begin_member(void)
{
    char reason[PHC_REASON_SIZE] = "";
    class = ph_class_default("default");
    class.view = 50;
    world_def = ph_world_def_default();
    world_def.classes = &class;
    world_def.class_count = 1;
    world_def.world_size[0] = world_def.world_size[1] = 1000;
    now_ns = 1;
    cr_assert_eq(phc_loop_create((phc_faults){0}, (ph_allocator){0}, &loop), PH_OK);
    cr_assert_eq(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &memory), PH_OK);
    cr_assert_eq(ph_world_create(&world_def, &world), PH_OK);
    cr_assert_eq(phc_loop_join(loop, 64, &transport), PH_OK);
    cr_assert_eq(phc_memory_join(memory, &store), PH_OK);
    phc_def def = phc_def_default();
    def.name = "unit";
    def.world_def = &world_def;
    def.regions[0] = 2;
    def.regions[1] = 3;
    def.clock = read_clock;
    def.lease_ms = 600000; /* a store that loses requests does not end it */
    cr_assert_eq(phc_open(&def, world, &transport, &store, &member, reason, sizeof reason), PH_OK, "%s", reason);
}

static void end_member(void)
{
    phc_close(member);
    transport.close(transport.user);
    store.close(store.user);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
    phc_loop_destroy(loop);
    phc_memory_destroy(memory);
}

/* Rounds of 50 ms, of which the node works so long. */
static void run_rounds(uint32_t count, uint32_t busy_ms)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns);
        cr_assert_eq(phc_tick(member), PH_OK);
        cr_assert_eq(ph_tick(world, NULL), PH_OK);
        now_ns += (uint64_t)busy_ms * MS;
        cr_assert_eq(phc_told(member), PH_OK);
        now_ns += (uint64_t)(50 - busy_ms) * MS;
        phc_loop_step(loop);
    }
}

/* The report in the store; its lease is that of the registration. */
static void read_report(void)
{
    const phx_memory_table *table = phx_memory_table_of(memory);
    uint64_t lease = 0;
    bool found = false;
    for (uint32_t i = 0; i < table->key_count; i++) {
        const phx_memory_key *key = &table->keys[i];
        if (strcmp(key->key, "ph/unit/nodes/1") == 0) lease = key->lease;
    }
    for (uint32_t i = 0; i < table->key_count; i++) {
        const phx_memory_key *key = &table->keys[i];
        if (strcmp(key->key, "ph-load/unit/1") != 0) continue;
        found = phx_load_report_decode(&report, key->value, key->size);
        cr_assert_eq(key->lease, lease);
    }
    cr_assert(found, "there is no report");
}

Test(load_report, a_member_reports_its_load, .init = begin_member, .fini = end_member)
{
    run_rounds(20, 10);
    for (uint64_t id = 1; id <= 9; id++) { /* regions of 500 x 333: 3 in region 0, 6 in region 3 */
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = id <= 3 ? 100 : 900, .y = id <= 3 ? 100 : 400 + (float)id};
        cr_assert_eq(phc_enter(member, id, &attrs, 0), PH_OK);
    }
    run_rounds(320, 10);
    read_report();
    cr_assert_eq(report.registration, member->node.def.member.registration);
    cr_assert_eq(report.rounds, 40); /* two seconds */
    cr_assert_eq(report.busy_us, 10000);
    cr_assert_eq(report.busy_p99_us, 10000);
    cr_assert_eq(report.period_us, 50000);
    cr_assert_eq(report.own, 9);
    cr_assert_eq(report.columns, 2);
    cr_assert_eq(report.rows, 3);
    cr_assert_eq(report.region_count, 6);
    for (uint32_t i = 0; i < 6; i++)
        cr_assert_eq(report.regions[i].entities, i == 0 ? 3u : i == 3 ? 6u : 0u, "region %u", i);
    const uint32_t sequence = report.sequence;
    run_rounds(2, 45); /* two of 256 are no hundredth */
    run_rounds(100, 10);
    read_report();
    cr_assert_gt(report.sequence, sequence);
    cr_assert_eq(report.busy_p99_us, 10000);
    run_rounds(1, 45);
    run_rounds(60, 10);
    read_report();
    cr_assert_eq(report.busy_p99_us, 45000);
    run_rounds(300, 40);
    read_report();
    cr_assert_eq(report.busy_us, 40000);
    run_rounds(90, 5); /* it has given regions away: long before 256 rounds have passed it says so */
    read_report();
    cr_assert_eq(report.busy_us, 5000);
    cr_assert_eq(report.busy_p99_us, 40000);
}

/* The count of a large region costs a round much: once for a report is enough. */
Test(load_report, each_region_is_counted_once_for_a_report, .init = begin_member, .fini = end_member)
{
    run_rounds(60, 10);
    uint32_t counts = 0;
    for (uint32_t i = 0; i < 120; i++) { /* three reports of six regions */
        const uint32_t before = member->load.region;
        run_rounds(1, 10);
        counts += member->load.region != before;
    }
    cr_assert(counts >= 12 && counts <= 24, "%u", counts);
}

/* The store loses requests: reports go on, and the key's revision is found again. */
Test(load_report, a_report_that_is_lost_comes_again, .init = begin_member, .fini = end_member)
{
    run_rounds(60, 10);
    cr_assert_eq(phc_memory_set_faults(memory, (phc_faults){.seed = 5, .lost = 400}), PH_OK);
    run_rounds(2000, 10);
    cr_assert_eq(phc_memory_set_faults(memory, (phc_faults){0}), PH_OK);
    run_rounds(200, 10);
    read_report();
    cr_assert(member->load.sequence - report.sequence <= 1);
}
