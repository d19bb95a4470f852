/*
 * Which entities a halo writes to a peer, over maps of any kind: the ones near the regions that the peer gets copies
 * near of, found by comparing each entity with each region. And how many searches of the world that takes.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_out.h"
#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"
#include "cluster/map/map_changes.h"
#include "cluster/node/hand_over.h"

enum { SELF = 10, PEER = 11, OTHER = 12, NODES = 3, IDS = 120, SENT = 12, GRACE = 12, QUIET = 40 };

static const float SIZE = 800;

static ph_world world;
static ph_producer producer;
static phx_node node;
static phx_halo *halo;
static phx_cluster_map map;

static void open_halo(uint32_t columns, uint32_t rows, float width)
{
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = SIZE;
    def.consumers = 0;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    phx_node_init(&node, &(phx_node_def){.member = {.registration = SELF, .number = 1}, .unacked_max = 64});
    phx_cluster_map_init(&map, columns, rows);
    for (uint16_t i = 0; i < NODES; i++)
        cr_assert(phx_cluster_map_join(
            &map, (phx_member){.registration = SELF + i, .number = (uint16_t)(1 + i), .format = PHX_FORMAT_MAX}));
    halo = malloc(sizeof *halo);
    phx_halo_init(halo, &(phx_halo_def){.world = world,
                                        .producer = producer,
                                        .node = &node,
                                        .grid = {.size = {SIZE, SIZE}, .columns = columns, .rows = rows},
                                        .width = width,
                                        .margin = width / 4,
                                        .grace_ticks = GRACE,
                                        .passed_ticks = GRACE,
                                        .quiet_ticks = QUIET});
}

static void close_halo(void)
{
    phx_halo_free(halo);
    free(halo);
    phx_node_free(&node);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

static void take_map(void)
{
    map.moved = ++map.version;
    cr_assert_eq(phx_node_map(&node, &map), PH_OK);
}

/* ---- what is written ---- */

static uint32_t written[NODES][IDS + 1]; /* times that the last messages have it, by the peer and the id */

static void note_copies(void *user, uint64_t target, const void *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    (void)user;
    cr_assert_eq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    for (uint32_t i = 0; i < head.copies; i++) written[target - SELF][phx_halo_copy_at(&parts, i).id]++;
}

static bool note_away(void *user, uint64_t id)
{
    ((uint32_t *)user)[id]++;
    return true;
}

static bool is_beyond_all(float x, float y, float distance)
{
    bool nearer = false;
    for (uint32_t region = 0; region < map.region_count; region++) {
        float d[2];
        phx_halo_distance(&halo->def.grid, region, x, y, d);
        nearer |= map.regions[region].number == 1 && sqrtf(d[0] * d[0] + d[1] * d[1]) < distance;
    }
    return !nearer;
}

/* Own entities in regions of peers beyond the margin, and these regions. */
static void check_away(void)
{
    uint32_t found[IDS + 1] = {0};
    phx_region_set needs = {0};
    phx_halo_find_away(halo, note_away, found);
    for (uint64_t id = 1; id <= IDS; id++) {
        ph_attrs attrs;
        const phx_halo_entity *entity = phx_halo_find(halo, id);
        const bool own = entity && entity->own && ph_entity_get(world, id, &attrs) == PH_OK;
        const uint32_t region = own ? phx_halo_region(&halo->def.grid, attrs.x, attrs.y) : 0;
        const bool is_away =
            own && map.regions[region].number != 1 && is_beyond_all(attrs.x, attrs.y, halo->def.margin);
        if (is_away) phx_region_set_add(&needs, region);
        cr_assert_eq(found[id], is_away, "%u at %.9g %.9g: found %u, in region %u of %u", (unsigned)id, (double)attrs.x,
                     (double)attrs.y, found[id], region, map.regions[region].number);
    }
    cr_assert_arr_eq(needs.words, halo->needs.words, sizeof needs.words);
}

static void write_tick(void)
{
    phx_halo_begin_tick(halo);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    check_away();
    memset(written, 0, sizeof written);
    phx_halo_write(halo, note_copies, NULL);
}

static bool is_near(const phx_region_set *regions, const ph_attrs *attrs)
{
    for (uint32_t region = 0; region < map.region_count; region++) {
        const ph_query box = phx_halo_box(&halo->def.grid, phx_halo_rect_of(&halo->def.grid, region), halo->def.width);
        if (phx_region_set_has(regions, region) && attrs->x >= box.x && attrs->x <= box.to_x && attrs->y >= box.y &&
            attrs->y <= box.to_y)
            return true;
    }
    return false;
}

static void compare_written(uint32_t seed, uint32_t *near, uint32_t *far)
{
    for (uint32_t k = 1; k < NODES; k++) {
        const phx_halo_peer *peer = phx_halo_peer_find(halo, SELF + k);
        for (uint64_t id = 1; id <= IDS; id++) {
            ph_attrs attrs;
            const phx_halo_entity *entity = phx_halo_find(halo, id);
            if (!entity || ph_entity_get(world, id, &attrs) != PH_OK) continue;
            const bool held = entity->own || phx_halo_is_sending(halo, id);
            const bool wanted = held && is_near(&peer->copied, &attrs);
            cr_assert_eq(written[k][id], wanted, "seed %u: %u to node %u at %g %g", seed, (unsigned)id, 1 + k,
                         (double)attrs.x, (double)attrs.y);
            *near += wanted;
            *far += held && !wanted;
        }
    }
}

/* ---- scripts ---- */

static float draw_place(uint64_t *rng, uint32_t cells)
{
    const float border = SIZE / (float)cells * (float)phx_rng_below(rng, cells + 1);
    const float near[] = {border,
                          border - halo->def.width,
                          border + halo->def.width,
                          border - halo->def.margin / 2,
                          border + halo->def.margin / 2,
                          border - 2 * halo->def.margin,
                          (float)phx_rng_below(rng, 1000) - 100};
    return near[phx_rng_below(rng, sizeof near / sizeof *near)];
}

static void move_some(uint64_t *rng)
{
    for (uint64_t id = 1; id <= IDS; id++) {
        const float x = draw_place(rng, halo->def.grid.columns), y = draw_place(rng, halo->def.grid.rows);
        if (phx_rng_below(rng, 3) == 0) cr_assert_eq(ph_move(producer, id, x, y, 0), PH_OK);
    }
}

/* Blocks, or any region any node's. */
static void draw_map(uint64_t *rng)
{
    const uint32_t parts = 1 + phx_rng_below(rng, map.region_count);
    uint16_t number = 1;
    for (uint32_t i = 0; i < map.region_count; i++) {
        if (i % parts == 0) number = (uint16_t)(1 + phx_rng_below(rng, NODES));
        map.regions[i].number = number;
    }
    take_map();
    for (uint32_t k = 1; k < NODES; k++) {
        phx_halo_peer *peer = phx_halo_peer_of(halo, SELF + k);
        peer->version = map.version - (phx_rng_below(rng, 3) == 0); /* one that has an older map loses no region */
        peer->needs = (phx_region_set){0};
        phx_region_set_add(&peer->needs, phx_rng_below(rng, map.region_count));
    }
}

/* Some are on their way, and are moved on. */
static void send_some(uint64_t *rng)
{
    phx_family family;
    for (uint32_t i = 0; i < SENT; i++) {
        const uint64_t id = 1 + phx_rng_below(rng, IDS);
        const phx_halo_entity *entity = phx_halo_find(halo, id);
        if (entity->own) cr_assert_eq(phx_halo_give(halo, id, 2, &family), PH_OK);
    }
}

Test(halo_search, a_peer_gets_what_is_near_its_regions_and_nothing_else)
{
    enum { SEEDS = 24, TICKS = 6 };
    uint32_t near = 0, far = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t rng = seed;
        const uint32_t columns = 1 + phx_rng_below(&rng, 9), rows = 1 + phx_rng_below(&rng, 9);
        open_halo(columns, rows, (float)(5 + phx_rng_below(&rng, 150)));
        map.regions[0].number = 1;
        take_map();
        for (uint64_t id = 1; id <= IDS; id++) {
            const ph_attrs attrs = {.given = PH_X | PH_Y, .x = draw_place(&rng, columns), .y = draw_place(&rng, rows)};
            cr_assert_eq(phx_hand_over_enter(&node, id, 0, 0), PH_OK);
            cr_assert_eq(phx_halo_enter(halo, id, &attrs), PH_OK);
        }
        write_tick();
        send_some(&rng);
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            draw_map(&rng);
            move_some(&rng);
            write_tick();
            compare_written(seed, &near, &far);
        }
        close_halo();
    }
    cr_assert(near > 1000 && far > 1000, "%u near, %u far", near, far);
}

static void give_block(uint32_t side, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < map.region_count; i++) {
        const uint32_t column = i % side, row = i / side;
        const bool own = column >= first && column < end && row >= first && row < end;
        map.regions[i].number = own ? 1 : (uint16_t)(2 + (column >= side / 2));
    }
    take_map();
}

/* 4,096 regions, of which the node has 64, and each of its two peers a half of the others. */
Test(halo_search, searches_follow_the_border_and_not_the_regions)
{
    enum { SIDE = 64, FIRST = 28, END = 36, TICKS = 10, OTHERS = 4, AROUND = 3 /* above, beside and below */ };
    open_halo(SIDE, SIDE, 5);
    give_block(SIDE, FIRST, END);
    write_tick();
    const uint64_t before = halo->counts.searches;
    for (uint32_t i = 0; i < TICKS; i++) write_tick();
    cr_assert_eq(halo->counts.searches - before, (uint64_t)TICKS * (OTHERS + (NODES - 1) * AROUND));
    cr_assert_eq(phx_region_set_count(&halo->regions.near), (END - FIRST + 2) * (END - FIRST + 2));
    close_halo();
}

/* Its receiver has moved it on, and the next node has not heard that one yet. */
Test(halo_search, an_entity_on_its_way_is_copied_wherever_it_is)
{
    enum { SIDE = 64, FIRST = 28, END = 36 };
    phx_family family;
    open_halo(SIDE, SIDE, 5);
    give_block(SIDE, FIRST, END);
    const uint32_t own = FIRST * SIDE + FIRST;
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = SIZE / 2, .y = SIZE / 2};
    cr_assert_eq(phx_hand_over_enter(&node, 7, own, 0), PH_OK);
    cr_assert_eq(phx_halo_enter(halo, 7, &attrs), PH_OK);
    write_tick();
    cr_assert_eq(phx_halo_give(halo, 7, 2, &family), PH_OK);
    cr_assert_eq(ph_move(producer, 7, SIZE - 50, 60, 0), PH_OK);
    write_tick();
    cr_assert(written[1][7] == 0 && written[2][7] == 1);
    close_halo();
}

/* How far a place is from the own regions, by all of them. */
Test(halo_search, a_place_is_beyond_where_no_own_region_is_nearer)
{
    enum { SEEDS = 40, PLACES = 50 };
    uint32_t beyond = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t rng = seed;
        const uint32_t columns = 1 + phx_rng_below(&rng, 9), rows = 1 + phx_rng_below(&rng, 9);
        open_halo(columns, rows, 10);
        take_map();
        draw_map(&rng);
        for (uint32_t i = 0; i < PLACES; i++) {
            const float x = draw_place(&rng, columns), y = draw_place(&rng, rows);
            const float distance = (float)(1 + phx_rng_below(&rng, 300));
            const bool is_beyond = is_beyond_all(x, y, distance);
            cr_assert_eq(phx_halo_is_beyond(halo, x, y, distance), is_beyond, "seed %u: %g %g", seed, (double)x,
                         (double)y);
            beyond += is_beyond;
        }
        close_halo();
    }
    cr_assert_gt(beyond, SEEDS);
}

/* Regions are as wide as the halo: it stands over the border of the first one, and is near the second one. */
Test(halo_search, an_entity_over_a_border_is_copied_to_the_node_behind_the_next_region)
{
    enum { SIDE = 64, FIRST = 28, END = 36 };
    const float side = SIZE / SIDE, width = 12;
    open_halo(SIDE, SIDE, width);
    give_block(SIDE, FIRST, END);
    for (uint32_t i = 0; i < map.region_count; i++)
        if (map.regions[i].number != 1) map.regions[i].number = i % SIDE > END ? 3 : 2;
    take_map();
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = side * END + halo->def.margin / 2, .y = SIZE / 2};
    cr_assert_eq(phx_hand_over_enter(&node, 7, FIRST * SIDE + FIRST, 0), PH_OK);
    cr_assert_eq(phx_halo_enter(halo, 7, &attrs), PH_OK);
    write_tick();
    cr_assert(written[1][7] == 1 && written[2][7] == 1);
    close_halo();
}
