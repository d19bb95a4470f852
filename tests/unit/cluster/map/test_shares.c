/*
 * Shares of nodes. The border between nodes, counted in sides of regions, behind joins, deaths and drains: near the one
 * of square blocks. By seed: each node has as many regions as by the rule alone, one from the fullest, one to the
 * emptiest, whatever way they went; and few others move.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/map/map_changes.h"

enum { SEEDS = 2000, CHANGES = 30, NUMBERS = 9, DRAWN_SIDE = 9 };

static phx_cluster_map map, before;

static void join_node(uint16_t number)
{
    const phx_member node = {.registration = map.version + 1, .number = number, .format = PHX_FORMAT_MAX};
    cr_assert(phx_cluster_map_join(&map, node));
}

static void begin_map(uint32_t columns, uint32_t rows, uint16_t nodes)
{
    phx_cluster_map_init(&map, columns, rows);
    for (uint16_t number = 1; number <= nodes; number++) join_node(number);
}

static uint64_t registration_of(uint16_t number)
{
    return phx_cluster_map_numbered(&map, number)->registration;
}

/* ---- borders ---- */

static uint32_t measure_border(void)
{
    const uint32_t rows = map.region_count / map.columns;
    uint32_t inner = 0;
    for (uint32_t region = 0; region < map.region_count; region++)
        inner += phx_cluster_map_sides(&map, region, map.regions[region].number);
    return 2 * map.region_count - map.columns - rows - inner / 2; /* each was seen from both regions */
}

/* Squares of equal size have that much, if they would fill the world: n of them, each with k regions, have 4 * n *
 * sqrt(k) sides, of which the world's edge has no other one beyond. No layout of even shares has less. */
static float border_of_squares(uint32_t nodes)
{
    const float regions = (float)map.region_count, columns = (float)map.columns;
    return 2 * sqrtf((float)nodes * regions) - columns - regions / columns;
}

static void expect_short(const char *behind, uint32_t nodes, float most)
{
    const float least = border_of_squares(nodes);
    const uint32_t border = measure_border();
    cr_assert((float)border <= most * least, "%u x %u, %u nodes, %s: %u sides, squares have %.1f", map.columns,
              map.region_count / map.columns, nodes, behind, border, (double)least);
}

static uint32_t count_moved(void)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < map.region_count; i++) moved += map.regions[i].number != before.regions[i].number;
    return moved;
}

/* Regions that changes have moved, and would have with each region at once where it belongs. */
static uint32_t moved, needed;

static void note_moves(uint32_t wanted)
{
    moved += count_moved();
    needed += wanted;
    before = map;
}

static void enter_node(uint16_t number)
{
    join_node(number);
    note_moves(phx_cluster_map_regions_of(&map, number));
}

static void put_node_out(uint16_t number)
{
    const uint32_t regions = phx_cluster_map_regions_of(&map, number);
    cr_assert(phx_cluster_map_put_out(&map, registration_of(number)));
    note_moves(regions);
}

static void drain_node(uint16_t number)
{
    const uint32_t regions = phx_cluster_map_regions_of(&map, number);
    cr_assert(phx_cluster_map_drain(&map, registration_of(number)));
    note_moves(regions);
    put_node_out(number);
}

static void go_through(uint32_t columns, uint32_t rows, uint16_t nodes)
{
    moved = needed = 0;
    phx_cluster_map_init(&map, columns, rows);
    before = map;
    for (uint16_t number = 1; number <= nodes; number++) {
        enter_node(number);
        if (number > 2) expect_short("joins", number, 1.5f);
    }
    for (uint16_t number = 1; number <= nodes; number++) {
        put_node_out(number);
        enter_node(number);
        expect_short("each replaced", nodes, 1.5f);
    }
    for (uint16_t number = 1; number <= nodes; number++) {
        enter_node((uint16_t)(nodes + number));
        drain_node(number);
        expect_short("each drained", nodes, 1.5f);
    }
    for (uint16_t number = 1; number <= nodes / 2; number++) put_node_out((uint16_t)(nodes + number));
    if (nodes / 2 > 2) expect_short("half of them put out", nodes - nodes / 2, 2);
    cr_assert_leq(16 * moved, (24 + nodes) * needed, "%u instead of %u", moved, needed); /* ways become longer */
}

Test(shares, three_nodes_have_short_borders)
{
    go_through(8, 8, 3);
    go_through(16, 16, 3);
}

Test(shares, eight_nodes_have_short_borders)
{
    go_through(8, 8, 8);
    go_through(16, 16, 8);
    go_through(32, 8, 8);
}

Test(shares, sixteen_nodes_have_short_borders)
{
    go_through(16, 16, 16);
    go_through(32, 16, 16);
}

Test(shares, the_most_nodes_have_short_borders)
{
    go_through(32, 32, 63); /* and one more beside each that drains */
}

/* ---- counts by seed ---- */

static int compare_counts(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* Regions of the nodes but of that one and of drained ones, the fewest first. Returns how many nodes these are. */
static uint32_t sort_counts(uint16_t without, uint32_t counts[NUMBERS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map.member_count; i++)
        if (map.members[i].number != without && !map.members[i].drained)
            counts[count++] = phx_cluster_map_regions_of(&map, map.members[i].number);
    qsort(counts, count, sizeof *counts, compare_counts);
    return count;
}

/* One node gives or gets so many: as the rule says of sorted counts. */
static void change_counts(uint32_t counts[], uint32_t count, uint32_t regions, bool gives)
{
    for (uint32_t i = 0; i < regions; i++) {
        counts[gives ? 0 : count - 1] += gives ? 1 : UINT32_MAX;
        qsort(counts, count, sizeof *counts, compare_counts);
    }
}

static void expect_counts(uint16_t without, const uint32_t expected[], uint32_t count, uint64_t seed)
{
    uint32_t counts[NUMBERS];
    cr_assert_eq(sort_counts(without, counts), count);
    cr_assert_eq(memcmp(counts, expected, count * sizeof *counts), 0, "seed %d", (int)seed);
}

static void change_once(uint64_t *random, uint64_t seed)
{
    const uint16_t number = (uint16_t)(1 + phx_rng_below(random, NUMBERS));
    const phx_member *member = phx_cluster_map_numbered(&map, number);
    uint32_t counts[NUMBERS];
    const uint32_t others = sort_counts(number, counts);
    if (!member) {
        const uint32_t share = map.region_count / (others + 1);
        if (others > 0) change_counts(counts, others, share, false);
        join_node(number);
        if (others == 0) return;
        expect_counts(number, counts, others, seed);
        cr_assert_eq(phx_cluster_map_regions_of(&map, number), share);
    } else if (phx_rng_below(random, 3) == 0) {
        (void)phx_cluster_map_give(&map, phx_rng_below(random, map.region_count), number);
    } else if (others > 0) {
        change_counts(counts, others, phx_cluster_map_regions_of(&map, number), true);
        if (phx_rng_below(random, 2) == 0) (void)phx_cluster_map_put_out(&map, member->registration);
        else (void)phx_cluster_map_drain(&map, member->registration);
        expect_counts(number, counts, others, seed);
        cr_assert_eq(phx_cluster_map_regions_of(&map, number), 0);
    }
}

Test(shares, counts_are_as_by_the_rule_alone)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        begin_map(1 + phx_rng_below(&random, DRAWN_SIDE), 1 + phx_rng_below(&random, DRAWN_SIDE), 0);
        for (uint32_t i = 0; i < CHANGES; i++) change_once(&random, seed);
    }
}

/* One change is one version, whatever it moves: what else is in the map stays. */
Test(shares, a_change_has_one_version)
{
    begin_map(8, 8, 5);
    const uint32_t version = map.version;
    cr_assert(phx_cluster_map_put_out(&map, registration_of(3)));
    cr_assert(map.version == version + 1 && map.moved == map.version && map.fence == map.version);
    for (uint32_t i = 0; i < map.region_count; i++) cr_assert_eq(map.regions[i].lost, map.fence);
    cr_assert(phx_cluster_map_restored(&map, 9, map.fence));
    join_node(3);
    for (uint32_t i = 0; i < map.region_count; i++) cr_assert_eq(map.regions[i].lost, i == 9 ? 0 : map.fence);
}

/* There are more nodes than regions: the ones without any get the first that are free. */
Test(shares, nodes_without_regions_get_some_later)
{
    begin_map(2, 1, 4);
    cr_assert_eq(phx_cluster_map_regions_of(&map, 3) + phx_cluster_map_regions_of(&map, 4), 0);
    cr_assert(phx_cluster_map_put_out(&map, registration_of(1)));
    cr_assert(phx_cluster_map_put_out(&map, registration_of(2)));
    cr_assert_eq(phx_cluster_map_regions_of(&map, 3), 1);
    cr_assert_eq(phx_cluster_map_regions_of(&map, 4), 1);
}
