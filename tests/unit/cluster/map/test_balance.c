/*
 * The balancer's choice. By hand: each verdict, and which region goes. By seed, over maps and loads: a move is what it
 * says; moves come to an end, and no map comes twice; where there is no move, a search over all regions and nodes finds
 * none either.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/map/balance_watch.h"
#include "cluster/map/map_changes.h"

enum { SEEDS = 3000, REGIONS_MAX = 64, NODES_MAX = 6, MOVES_MAX = 400 };

static phx_cluster_map map;
static phx_balance_state state;
static phx_balance_move move;

/* A map of columns x rows regions, whose nodes are these digits. */
static void begin(uint32_t columns, const char *numbers)
{
    phx_cluster_map_init(&map, columns, (uint32_t)strlen(numbers) / columns);
    for (uint16_t number = 1; number <= 9; number++) {
        if (!strchr(numbers, '0' + number)) continue;
        map.members[map.member_count++] =
            (phx_member){.registration = number, .number = number, .format = PHX_FORMAT_MAX};
    }
    memset(&state, 0, sizeof state);
    state.map = &map;
    for (uint32_t i = 0; i < map.region_count; i++) {
        map.regions[i].number = (uint16_t)(numbers[i] - '0');
        state.entities[i] = 100;
    }
}

static void set_load(uint16_t number, uint32_t load)
{
    state.loads[state.load_count++] = (phx_balance_load){.number = number, .load = load};
}

/* ---- by hand ---- */

Test(balance, verdicts)
{
    begin(2, "1111");
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_ONE_NODE);
    begin(2, "1122");
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_UNKNOWN);
    set_load(1, 400);
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_UNKNOWN);
    set_load(2, 10);
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_IDLE);
    state.loads[0].load = 401;
    map.regions[3].lost = 1;
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_RESTORING);
    map.regions[3].lost = 0;
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    state.loads[1].load = 300; /* mean 350 */
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_EVEN);
    begin(2, "1222");
    set_load(1, 900);
    set_load(2, 10);
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_ONE_REGION);
    begin(2, "1122");
    set_load(1, 900);
    set_load(2, 10);
    state.entities[0] = 1000000; /* a crowd in one place */
    state.entities[1] = 0;
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_NO_REGION);
    cr_assert_eq(move.from, 1);
    cr_assert_eq(move.load, 900);
    cr_assert_eq(move.mean, 455);
}

/* Regions of the first row are 0 to 3. Region 5 has as much border with node 3 as 4 and 6, but more with its own node.
 */
Test(balance, the_least_loaded_neighbour_gets_the_region_that_leaves_the_shortest_border)
{
    begin(4, "1112"
             "1112"
             "3333");
    set_load(1, 800);
    set_load(2, 200);
    set_load(3, 100);
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    cr_assert_eq(move.from, 1);
    cr_assert_eq(move.to, 3);
    cr_assert_eq(move.region, 4);
    cr_assert_eq(move.after, 100 + 800 / 6);
    state.rests[4] = true;
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    cr_assert_eq(move.region, 6);
    state.loads[2].load = 201;
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    cr_assert_eq(move.to, 2);
    cr_assert_eq(move.region, 2);
}

/* Node 4 has no region of its own: it drains. Node 3 is the idlest, and no neighbour. */
Test(balance, a_draining_node_gets_none_and_a_neighbour_goes_first)
{
    begin(4, "1123");
    map.members[map.member_count++] = (phx_member){.registration = 4, .number = 4, .format = PHX_FORMAT_MAX};
    map.members[map.member_count++] =
        (phx_member){.registration = 5, .number = 5, .format = PHX_FORMAT_MAX, .gateway = true};
    set_load(1, 800);
    set_load(2, 100);
    set_load(3, 0);
    set_load(4, 0);
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    cr_assert_eq(move.to, 2);
    cr_assert_eq(move.region, 1);
    map.members[1].drained = true; /* on its way out, whatever it has */
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    cr_assert_eq(move.to, 3);
    map.members[1].drained = false;
    map.members[1].expelled = true; /* the next map is without it */
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    cr_assert_eq(move.to, 3);
    map.members[1].expelled = false;
    state.loads[1].load = 500; /* what it would have is as much as node 1 has */
    cr_assert_eq(phx_balance_choose(&state, &move), PHX_BALANCE_MOVE);
    cr_assert_eq(move.to, 3);
}

/* ---- by seed ---- */

static uint32_t weights[REGIONS_MAX]; /* of the regions: their entities */
static uint16_t seen[MOVES_MAX + 1][REGIONS_MAX];

static void make_case(uint64_t seed)
{
    uint64_t random = seed;
    const uint32_t columns = 1 + (uint32_t)phx_rng_below(&random, 8), rows = 1 + (uint32_t)phx_rng_below(&random, 8);
    const uint16_t nodes = (uint16_t)(2 + phx_rng_below(&random, NODES_MAX - 1));
    memset(&state, 0, sizeof state);
    phx_cluster_map_init(&map, columns, rows);
    for (uint16_t number = 1; number <= nodes; number++) {
        const phx_member node = {.registration = number, .number = number, .format = PHX_FORMAT_MAX};
        cr_assert(phx_cluster_map_join(&map, node));
    }
    state.map = &map;
    for (uint32_t i = 0; i < map.region_count; i++) {
        map.regions[i].number = (uint16_t)(1 + phx_rng_below(&random, nodes));
        weights[i] = (uint32_t)phx_rng_below(&random, phx_rng_below(&random, 4) == 0 ? 20000 : 2000);
        state.entities[i] = weights[i];
    }
}

/* Each entity costs as much as another one; a busy cluster. */
static void measure(void)
{
    state.load_count = 0;
    for (uint32_t i = 0; i < map.member_count; i++) {
        uint64_t entities = 0;
        for (uint32_t region = 0; region < map.region_count; region++)
            if (map.regions[region].number == map.members[i].number) entities += weights[region];
        set_load(map.members[i].number, (uint32_t)(entities / 16));
    }
}

static uint32_t load_numbered(uint16_t number)
{
    for (uint32_t i = 0; i < state.load_count; i++)
        if (state.loads[i].number == number) return state.loads[i].load;
    return 0;
}

static uint32_t regions_of(uint16_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map.region_count; i++) count += map.regions[i].number == number;
    return count;
}

static uint32_t highest_load(void)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < state.load_count; i++)
        if (state.loads[i].load > highest) highest = state.loads[i].load;
    return highest;
}

static void check_move(uint64_t seed)
{
    const unsigned long long at = seed;
    cr_assert(move.region < map.region_count, "seed %llu", at);
    cr_assert_eq(map.regions[move.region].number, move.from, "seed %llu", at);
    cr_assert_neq(move.from, move.to, "seed %llu", at);
    cr_assert(regions_of(move.to) > 0, "seed %llu: a node without regions gets one", at);
    cr_assert(regions_of(move.from) > 1, "seed %llu: a node loses its last region", at);
    cr_assert_eq(load_numbered(move.from), highest_load(), "seed %llu", at);
    cr_assert(move.after < move.load, "seed %llu: %u is not below %u", at, move.after, move.load);
    cr_assert(state.entities[move.region] > 0, "seed %llu: an empty region goes", at);
}

/* No other region of the busiest node would end below it by the margin, on any node. */
static void check_no_move(uint64_t seed, phx_balance_verdict verdict)
{
    uint64_t sum = 0, count = 0, entities = 0;
    for (uint32_t i = 0; i < map.member_count; i++) {
        const bool has = regions_of(map.members[i].number) > 0;
        count += has;
        sum += has ? load_numbered(map.members[i].number) : 0;
    }
    const uint32_t highest = highest_load();
    if (count < 2) return; /* the verdict says so */
    const bool is_hot = highest > 400 && highest * 10ull > sum / count * 13;
    cr_assert_eq(verdict == PHX_BALANCE_IDLE, highest <= 400, "seed %llu", (unsigned long long)seed);
    if (!is_hot || regions_of(move.from) == 1) return;
    cr_assert_eq(verdict, PHX_BALANCE_NO_REGION, "seed %llu", (unsigned long long)seed);
    for (uint32_t i = 0; i < map.region_count; i++)
        if (map.regions[i].number == move.from) entities += weights[i];
    for (uint32_t i = 0; i < map.region_count; i++) {
        if (map.regions[i].number != move.from) continue;
        const uint64_t share = (uint64_t)highest * weights[i] / entities;
        for (uint32_t j = 0; j < map.member_count && share > 0; j++) {
            const uint16_t to = map.members[j].number;
            cr_assert(to == move.from || regions_of(to) == 0 || load_numbered(to) + share + highest / 8 > highest,
                      "seed %llu: region %u could go to node %u", (unsigned long long)seed, i, to);
        }
    }
}

static void note_map(uint32_t at, uint64_t seed)
{
    for (uint32_t i = 0; i < map.region_count; i++) seen[at][i] = map.regions[i].number;
    for (uint32_t i = 0; i < at; i++)
        cr_assert(memcmp(seen[i], seen[at], map.region_count * sizeof seen[0][0]) != 0, "seed %llu: move %u leads back",
                  (unsigned long long)seed, at);
}

Test(balance, moves_come_to_an_end)
{
    uint32_t moves = 0, longest = 0, counts[PHX_BALANCE_NO_REGION + 1] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t made = 0, highest = UINT32_MAX;
        make_case(seed);
        for (;;) {
            measure();
            cr_assert(highest_load() <= highest, "seed %llu: the highest load rises", (unsigned long long)seed);
            highest = highest_load();
            note_map(made, seed);
            const phx_balance_verdict verdict = phx_balance_choose(&state, &move);
            counts[verdict]++;
            if (verdict != PHX_BALANCE_MOVE) {
                check_no_move(seed, verdict);
                break;
            }
            check_move(seed);
            cr_assert(phx_cluster_map_give(&map, move.region, move.to));
            cr_assert(++made < MOVES_MAX, "seed %llu: no end", (unsigned long long)seed);
        }
        moves += made;
        longest = made > longest ? made : longest;
    }
    cr_assert(moves > SEEDS && longest > 10, "%u moves, the longest row %u", moves, longest);
    for (uint32_t i = 0; i <= PHX_BALANCE_NO_REGION; i++)
        cr_assert(counts[i] > 0 || i == PHX_BALANCE_RESTORING || i == PHX_BALANCE_UNKNOWN, "verdict %u: none", i);
}

/* ---- the memory ---- */

enum { WAIT = 1000 };

static phx_balance_watch watch;

/* Node 1 has so much of its time to do, node 2 little. */
static void look_at(uint32_t load, uint64_t now)
{
    phx_balance_watch_map(&watch, &map, now);
    set_load(1, load);
    set_load(2, 100);
    watch.state = state;
    state.load_count = 0;
    phx_balance_watch_look(&watch, &map, now);
}

static void begin_watch(void)
{
    memset(&watch, 0, sizeof watch);
    watch.wait_ns = WAIT;
    begin(4, "111111222222");
    map.version = 4;
}

Test(balance_watch, a_node_that_is_busy_for_a_moment_gives_nothing_away)
{
    begin_watch();
    look_at(800, 5000);
    cr_assert_eq(watch.verdict, PHX_BALANCE_MOVE);
    cr_assert_not(phx_balance_watch_is_due(&watch, 5000));
    look_at(100, 5500); /* for one look */
    cr_assert_eq(watch.verdict, PHX_BALANCE_IDLE);
    look_at(800, 6000);
    cr_assert_not(phx_balance_watch_is_due(&watch, 6000));
    look_at(800, 6999);
    cr_assert_not(phx_balance_watch_is_due(&watch, 6999));
    look_at(800, 7000);
    cr_assert(phx_balance_watch_is_due(&watch, 7000));
    map.version++; /* whichever writer's change */
    look_at(800, 7100);
    cr_assert_not(phx_balance_watch_is_due(&watch, 7100));
    look_at(800, 8099);
    cr_assert_not(phx_balance_watch_is_due(&watch, 8099));
    look_at(800, 8100);
    cr_assert(phx_balance_watch_is_due(&watch, 8100));
}

/* Whoever has given a region away: it does not come back before six waits have passed. */
Test(balance_watch, a_region_that_has_gone_stays)
{
    begin_watch();
    look_at(800, 5000);
    cr_assert_eq(watch.verdict, PHX_BALANCE_MOVE);
    const uint32_t region = watch.move.region;
    map.version += 2; /* given away and back, unseen in between: it has not gone */
    look_at(800, 6000);
    cr_assert_eq(watch.move.region, region);
    map.version++;
    map.regions[region].number = 2;
    for (uint64_t now = 6500; now < 6500 + PHX_BALANCE_RESTS * WAIT; now += 500) {
        look_at(800, now);
        for (uint32_t i = 0; i < map.region_count; i++) cr_assert_eq(watch.state.rests[i], i == region, "region %u", i);
    }
    look_at(800, 6500 + PHX_BALANCE_RESTS * WAIT);
    cr_assert_not(watch.state.rests[region]);
}
