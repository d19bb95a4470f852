/*
 * The cluster map: shares of nodes, versions, the fence, and its bytes, of which any damage is found.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/map/eras.h"
#include "cluster/map/map_changes.h"
#include "cluster/map/rules.h"
#include "cluster/wire/sum.h"

enum { REGIONS = 12, COLUMNS = 4, BYTES = PHX_CLUSTER_MAP_BYTES_MAX };

static phx_cluster_map map, other;
static unsigned char bytes[BYTES], damaged[BYTES];

static phx_member node_numbered(uint16_t number, uint64_t registration)
{
    return (phx_member){.registration = registration, .number = number, .format = PHX_FORMAT_MAX};
}

static uint32_t regions_of(uint16_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map.region_count; i++) count += map.regions[i].number == number;
    return count;
}

Test(cluster_map, a_node_that_joins_gets_its_share)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    cr_assert_eq(map.version, 1);
    for (uint16_t number = 1; number <= 5; number++) {
        cr_assert(phx_cluster_map_join(&map, node_numbered(number, number + 100u)));
        cr_assert_eq(regions_of(number), REGIONS / number);
        cr_assert_eq(map.version, number + 1u);
        cr_assert_eq(regions_of(0), 0);
    }
    const phx_member gateway = {.registration = 200, .number = 9, .format = PHX_FORMAT_MAX, .gateway = true};
    cr_assert(phx_cluster_map_join(&map, gateway));
    cr_assert_eq(regions_of(9), 0);
    cr_assert_eq(map.fence, 0);
}

Test(cluster_map, a_refused_change_changes_nothing)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    cr_assert(phx_cluster_map_join(&map, node_numbered(1, 7)));
    memcpy(&other, &map, sizeof map); /* with the padding */
    cr_assert_not(phx_cluster_map_join(&map, node_numbered(1, 8)));
    cr_assert_not(phx_cluster_map_join(&map, node_numbered(2, 7)));
    cr_assert_not(phx_cluster_map_join(&map, node_numbered(0, 8)));
    cr_assert_not(phx_cluster_map_join(&map, node_numbered(2, 0)));
    cr_assert_not(phx_cluster_map_put_out(&map, 8));
    cr_assert_not(phx_cluster_map_give(&map, 0, 1));
    cr_assert_not(phx_cluster_map_give(&map, REGIONS, 1));
    cr_assert_not(phx_cluster_map_give(&map, 0, 2));
    cr_assert_not(phx_cluster_map_drain(&map, 8));
    cr_assert_not(phx_cluster_map_restored(&map, 0, 0));
    cr_assert_not(phx_cluster_map_restored(&map, 0, 2));
    cr_assert_eq(memcmp(&map, &other, sizeof map), 0);
    map.version = other.version = UINT32_MAX;
    cr_assert_not(phx_cluster_map_join(&map, node_numbered(2, 8)));
    cr_assert_not(phx_cluster_map_put_out(&map, 7));
    cr_assert_eq(memcmp(&map, &other, sizeof map), 0);
}

Test(cluster_map, a_map_has_room_for_so_many_members)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    for (uint32_t i = 1; i <= PHX_CLUSTER_MEMBERS_MAX; i++) {
        const bool gateway = i > PHX_CLUSTER_KIND_MAX;
        const phx_member further = {.registration = 1000, .number = 1000, .format = PHX_FORMAT_MAX, .gateway = gateway};
        cr_assert(phx_cluster_map_join(
            &map,
            (phx_member){.registration = i, .number = (uint16_t)i, .format = PHX_FORMAT_MAX, .gateway = gateway}));
        cr_assert_eq(phx_cluster_map_has_room(&map, gateway), i % PHX_CLUSTER_KIND_MAX != 0);
        if (i % PHX_CLUSTER_KIND_MAX == 0) cr_assert_not(phx_cluster_map_join(&map, further));
    }
    cr_assert_eq(map.member_count, PHX_CLUSTER_MEMBERS_MAX);
}

Test(cluster_map, regions_of_one_that_is_put_out_go_to_the_others_and_all_are_lost)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    for (uint16_t number = 1; number <= 3; number++)
        cr_assert(phx_cluster_map_join(&map, node_numbered(number, number)));
    cr_assert(phx_cluster_map_put_out(&map, 2));
    cr_assert_eq(map.fence, map.version);
    cr_assert_eq(regions_of(1), REGIONS / 2);
    cr_assert_eq(regions_of(3), REGIONS / 2);
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert_eq(map.regions[i].lost, map.fence);
    const uint32_t fence = map.fence;
    cr_assert(phx_cluster_map_restored(&map, 4, fence));
    cr_assert_eq(map.regions[4].lost, 0);
    cr_assert_eq(map.fence, fence);
    cr_assert(phx_cluster_map_drain(&map, 3));
    cr_assert_eq(regions_of(1), REGIONS);
    cr_assert(phx_cluster_map_put_out(&map, 3));
    cr_assert(phx_cluster_map_put_out(&map, 1));
    cr_assert_eq(regions_of(0), REGIONS);
    cr_assert(phx_cluster_map_join(&map, node_numbered(1, 4)));
    cr_assert_eq(regions_of(1), REGIONS);
}

Test(cluster_map, a_drained_node_gets_no_region_of_one_that_goes)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    for (uint16_t number = 1; number <= 4; number++)
        cr_assert(phx_cluster_map_join(&map, node_numbered(number, number)));
    cr_assert(phx_cluster_map_drain(&map, 1));
    cr_assert(phx_cluster_map_drain(&map, 2));
    cr_assert(phx_cluster_map_put_out(&map, 3));
    cr_assert_eq(regions_of(4), REGIONS);
    cr_assert(phx_cluster_map_put_out(&map, 4)); /* no other is left */
    cr_assert_eq(regions_of(1) + regions_of(2), REGIONS);
    cr_assert_not(phx_cluster_map_drain(&map, 1)); /* it is */
    cr_assert(phx_cluster_map_join(&map, node_numbered(5, 5)));
    cr_assert_eq(regions_of(5), REGIONS);
    cr_assert(phx_cluster_map_give(&map, 0, 1)); /* it is drained no more */
    cr_assert(phx_cluster_map_join(&map, node_numbered(6, 6)));
    cr_assert_eq(regions_of(1), 1);
}

Test(cluster_map, a_drained_node_that_is_alone_keeps_its_regions)
{
    phx_cluster_map_init(&map, 1, 1);
    cr_assert(phx_cluster_map_join(&map, node_numbered(1, 1)));
    cr_assert(phx_cluster_map_join(&map, node_numbered(2, 2))); /* there is no region for it */
    cr_assert(phx_cluster_map_drain(&map, 1));
    cr_assert_eq(map.regions[0].number, 2);
    cr_assert(phx_cluster_map_drain(&map, 2));
    cr_assert_eq(map.regions[0].number, 2);
}

Test(cluster_map, a_gateway_that_is_put_out_loses_no_region)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    cr_assert(phx_cluster_map_join(&map, node_numbered(1, 1)));
    cr_assert(phx_cluster_map_join(
        &map, (phx_member){.registration = 2, .number = 2, .format = PHX_FORMAT_MAX, .gateway = true}));
    cr_assert(phx_cluster_map_put_out(&map, 2));
    cr_assert_eq(map.fence, map.version);
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert_eq(map.regions[i].lost, 0);
}

Test(cluster_map, a_node_without_a_region_leaves_and_none_is_lost)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    for (uint16_t number = 1; number <= 3; number++)
        cr_assert(phx_cluster_map_join(&map, node_numbered(number, number)));
    cr_assert(!phx_cluster_map_leave(&map, 4) && !phx_cluster_map_leave(&map, 2), "it has regions");
    cr_assert(phx_cluster_map_drain(&map, 2));
    const uint32_t version = map.version;
    cr_assert(phx_cluster_map_leave(&map, 2));
    cr_assert(map.version == version + 1 && map.fence == map.version && map.moved == map.version);
    cr_assert(map.member_count == 2 && !phx_cluster_map_numbered(&map, 2));
    for (uint32_t i = 0; i < REGIONS; i++) cr_assert(map.regions[i].number != 2 && map.regions[i].lost == 0);
}

Test(cluster_map, an_expelled_member_stays_until_it_is_put_out)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    cr_assert(phx_cluster_map_join(&map, node_numbered(1, 1)));
    cr_assert(phx_cluster_map_join(&map, node_numbered(2, 2)));
    const uint32_t version = map.version;
    cr_assert(phx_cluster_map_expel(&map, 2));
    cr_assert(!phx_cluster_map_expel(&map, 2) && !phx_cluster_map_expel(&map, 3));
    cr_assert(map.version == version + 1 && map.fence == 0 && regions_of(2) == REGIONS / 2);
    cr_assert(phx_cluster_map_put_out(&map, 2));
}

/* Region 3 ends the first row, region 4 begins the next one. */
Test(cluster_map, sides_of_a_region_end_at_the_end_of_a_row)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    for (uint32_t i = 0; i < REGIONS; i++) map.regions[i].number = 1;
    cr_assert_eq(phx_cluster_map_sides(&map, 0, 1), 2);
    cr_assert_eq(phx_cluster_map_sides(&map, 3, 1), 2);
    cr_assert_eq(phx_cluster_map_sides(&map, 4, 1), 3);
    cr_assert_eq(phx_cluster_map_sides(&map, 5, 1), 4);
    cr_assert_eq(phx_cluster_map_sides(&map, 11, 1), 2);
    map.regions[4].number = 2;
    cr_assert_eq(phx_cluster_map_sides(&map, 5, 1), 3);
    cr_assert_eq(phx_cluster_map_sides(&map, 5, 2), 1);
    cr_assert_eq(phx_cluster_map_sides(&map, 3, 2), 0);
}

static void make_map(uint64_t seed)
{
    phx_cluster_map_init(&map, 1 + phx_rng_below(&seed, COLUMNS), 1 + phx_rng_below(&seed, REGIONS / COLUMNS));
    for (uint64_t i = 1; i < 40; i++) {
        const uint16_t number = (uint16_t)(1 + phx_rng_below(&seed, 6));
        switch (phx_rng_below(&seed, 7)) {
        case 5:
            (void)phx_cluster_map_drain(&map, 1 + phx_rng_below(&seed, (uint32_t)i));
            break;
        case 6:
            (void)phx_cluster_map_expel(&map, 1 + phx_rng_below(&seed, (uint32_t)i));
            break;
        case 0:
            (void)phx_cluster_map_put_out(&map, 1 + phx_rng_below(&seed, (uint32_t)i));
            break;
        case 1:
            (void)phx_cluster_map_give(&map, phx_rng_below(&seed, REGIONS), number);
            break;
        case 2:
            (void)phx_cluster_map_restored(&map, phx_rng_below(&seed, REGIONS), map.fence);
            break;
        default:
            (void)phx_cluster_map_join(&map, (phx_member){.registration = i,
                                                          .number = number,
                                                          .format = PHX_FORMAT_MAX,
                                                          .gateway = phx_rng_below(&seed, 3) == 0});
        }
    }
}

/* Is it the map of `bytes`? Structs have padding, so their bytes say nothing. */
static bool is_same(const phx_cluster_map *of, size_t size)
{
    return phx_cluster_map_encode(of, damaged, sizeof damaged) == size && memcmp(damaged, bytes, size) == 0;
}

Test(cluster_map, bytes_make_the_same_map_and_damage_makes_none)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        make_map(seed);
        const size_t size = phx_cluster_map_encode(&map, bytes, sizeof bytes);
        memset(&other, 0x55, sizeof other);
        cr_assert(phx_cluster_map_decode(&other, PHX_FORMATS, bytes, size));
        cr_assert(is_same(&other, size), "seed %d", (int)seed);
        for (size_t cut = 0; cut < size; cut++) cr_assert_not(phx_cluster_map_decode(&other, PHX_FORMATS, bytes, cut));
        for (size_t bit = 0; bit < 8 * size; bit++) {
            memcpy(damaged, bytes, size);
            damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
            cr_assert_not(phx_cluster_map_decode(&other, PHX_FORMATS, damaged, size));
        }
        cr_assert(is_same(&other, size));
    }
}

/* The same damage with a right sum: bytes that decode are a map that is whole in itself. */
Test(cluster_map, a_right_sum_does_not_make_a_wrong_map_good)
{
    uint32_t good = 0, bad = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_map(seed);
        const size_t size = phx_cluster_map_encode(&map, bytes, sizeof bytes);
        for (size_t bit = 0; bit < 8 * (size - PHX_SUM_BYTES); bit++) {
            memcpy(damaged, bytes, size);
            damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
            phx_writer writer = {.at = damaged + size - PHX_SUM_BYTES, .end = damaged + size};
            cr_assert_eq(phx_sum_seal(&writer, damaged), size);
            if (!phx_cluster_map_decode(&other, PHX_FORMATS, damaged, size)) {
                bad++;
                continue;
            }
            good++;
            cr_assert_eq(phx_cluster_map_encode(&other, bytes, sizeof bytes), size);
            cr_assert_eq(memcmp(bytes, damaged, size), 0);
            (void)phx_cluster_map_encode(&map, bytes, sizeof bytes);
        }
    }
    cr_assert(good > 1000 && bad > 1000, "%u good, %u bad", good, bad);
}

/* Nodes compare it in place of the version: many changes of a map leave members and regions as they are. */
Test(cluster_map, what_moves_no_region_and_no_member_is_known_as_such)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    cr_assert_eq(map.moved, map.version);
    for (uint16_t number = 1; number <= 3; number++) {
        cr_assert(phx_cluster_map_join(&map, node_numbered(number, number + 100u)));
        cr_assert_eq(map.moved, map.version);
    }
    cr_assert(phx_cluster_map_put_out(&map, 103));
    const uint32_t moved = map.version, lost = map.regions[0].lost;
    cr_assert_eq(map.moved, moved);
    cr_assert(phx_cluster_map_restored(&map, 0, lost) && phx_cluster_map_confirm(&map, 101));
    cr_assert(phx_cluster_map_expel(&map, 102));
    cr_assert(map.moved == moved && map.version == moved + 3);
    const size_t size = phx_cluster_map_encode(&map, bytes, sizeof bytes);
    cr_assert(phx_cluster_map_decode(&other, PHX_FORMATS, bytes, size) && other.moved == moved);
    cr_assert(phx_cluster_map_is_same(&map, &other));
    other.moved++;
    cr_assert_not(phx_cluster_map_is_same(&map, &other));
    cr_assert(phx_cluster_map_give(&map, 0, map.regions[0].number == 1 ? 2 : 1));
    cr_assert_eq(map.moved, map.version);
    cr_assert(phx_cluster_map_drain(&map, 101));
    cr_assert_eq(map.moved, map.version);
    cr_assert(phx_cluster_map_confirm(&map, 101));
    phx_cluster_map_adopt(&map, map.version + 1);
    cr_assert_eq(map.moved, map.version);
    const uint32_t adopted = map.version;
    cr_assert(phx_cluster_map_exceed(&map, map.version));
    cr_assert_eq(map.moved, adopted);
}

static void expect_no_map(uint32_t moved, uint32_t fence)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    cr_assert(phx_cluster_map_join(&map, node_numbered(1, 7)));
    map.version = 9;
    map.moved = moved;
    map.fence = fence;
    const size_t size = phx_cluster_map_encode(&map, bytes, sizeof bytes);
    cr_assert_not(phx_cluster_map_decode(&other, PHX_FORMATS, bytes, size), "%u, %u", moved, fence);
}

Test(cluster_map, a_map_with_more_nodes_than_there_can_be_is_none)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    for (uint16_t number = 1; number <= PHX_CLUSTER_KIND_MAX; number++)
        cr_assert(phx_cluster_map_join(&map, node_numbered(number, number)));
    const uint16_t further = PHX_CLUSTER_KIND_MAX + 1;
    map.members[map.member_count++] =
        (phx_member){.registration = further, .number = further, .format = PHX_FORMAT_MAX, .gateway = true};
    cr_assert(phx_cluster_map_decode(&other, PHX_FORMATS, bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes)));
    map.members[map.member_count - 1].gateway = false;
    cr_assert_not(
        phx_cluster_map_decode(&other, PHX_FORMATS, bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes)));
}

Test(cluster_map, a_map_whose_regions_are_no_grid_is_none)
{
    phx_cluster_map_init(&map, COLUMNS, REGIONS / COLUMNS);
    map.columns = 5;
    cr_assert_not(
        phx_cluster_map_decode(&other, PHX_FORMATS, bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes)));
    map.columns = 0;
    cr_assert_not(
        phx_cluster_map_decode(&other, PHX_FORMATS, bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes)));
}

Test(cluster_map, a_map_that_moved_when_it_can_not_have_is_none)
{
    expect_no_map(0, 0);
    expect_no_map(10, 0);
    expect_no_map(3, 4); /* whoever is put out moves it */
}

/* Later than any map that the lost store can have had: up to half an era, and one adopted map for each loss before. */
Test(cluster_map, an_adopted_map_begins_a_later_era)
{
    enum { ERA = 1 << PHX_CLUSTER_ERA_SHIFT };
    for (uint32_t version = 1; version < 2 * ERA; version++) /* a gateway knows it from changes, at any end of an era */
        cr_assert_geq(phx_rule_era_begins(version, 1) - version, 2 * PHC_VERSIONS_LOST);
    cr_assert_eq(phx_rule_era_begins(1, 1), ERA);
    cr_assert_eq(phx_rule_era_begins(ERA / 2 - 1, 1), ERA);
    cr_assert_eq(phx_rule_era_begins(ERA / 2, 1), 2 * ERA);
    cr_assert_eq(phx_rule_era_begins(ERA, 1), 2 * ERA);
    cr_assert_eq(phx_rule_era_begins(ERA + 7, 3), 4 * ERA);
    const uint32_t last_but_one = UINT32_MAX - 2 * ERA + 1; /* its first version */
    cr_assert_eq(phx_rule_era_begins(last_but_one, 1), last_but_one + ERA);
    cr_assert_eq(phx_rule_era_begins(last_but_one, 2), 0);
    cr_assert_eq(phx_rule_era_begins(last_but_one + ERA / 2, 1), 0);
    cr_assert_eq(phx_rule_era_begins(UINT32_MAX, 1), 0);
    make_map(1);
    other = map;
    cr_assert(phx_cluster_map_is_same(&map, &other));
    phx_cluster_map_adopt(&map, ERA);
    cr_assert_not(phx_cluster_map_is_same(&map, &other));
    cr_assert(map.version == ERA && map.fence == ERA);
    for (uint32_t i = 0; i < map.region_count; i++) cr_assert_eq(map.regions[i].lost, ERA);
}
