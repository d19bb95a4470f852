/*
 * The indexes quadtree, hex and towers: each by itself against brute force (index_case.h), and their own promises.
 */
#include "unit/shards/classical/index_case.h"

#include "shards/classical/hex_lattice.h"
#include "shards/classical/quadtree_nodes.h"
#include "shards/classical/towers_map.h"

static void set_up(void)
{
    memory_set_up();
}

static void tear_down(void)
{
    case_close();
    memory_tear_down();
}

TestSuite(index_trees, .init = set_up, .fini = tear_down);

/* A world of 400 x 400 in the middle of towers of that size. */
static phx_rules rules_of(float tower_size, float origin)
{
    phx_rules rules = plain_rules(tower_size, (uint32_t)(400 / tower_size));
    rules.origin[0] = rules.origin[1] = origin;
    rules.quadtree_capacity = 5;
    rules.quadtree_depth = 5;
    return rules;
}

static phx_rect rect_of(const phx_rules *rules)
{
    return (phx_rect){0, 0, (uint16_t)(rules->towers[0] - 1), (uint16_t)(rules->towers[1] - 1)};
}

/* All worlds: all shapes, by radius; the shard is the world, or a part of it. */
static void play_all(ph_index which, ph_range range)
{
    static const float sizes[] = {20, 100, 3}, origins[] = {0, -150, 1e6f};
    for (uint32_t i = 0; i < 3 * CASE_WORLDS; i++) {
        phx_rules rules = rules_of(sizes[i % 3], origins[i / CASE_WORLDS]);
        rules.range = range;
        rules.shape = i % 2 ? PH_SHAPE_SQUARE : PH_SHAPE_CIRCLE;
        phx_rect rect = rect_of(&rules);
        if (i % 4 == 3) rect = (phx_rect){rect.x1 / 3, rect.y1 / 2, rect.x1 / 2, rect.y1};
        case_open(which, rules, rect);
        case_play(&case_worlds[i % CASE_WORLDS], i + 1, 40);
        cr_assert_gt(c.stops, 0, "memory was always enough");
        if (case_worlds[i % CASE_WORLDS].like & CASE_STEPS)
            cr_assert_gt(c.quiet, 0, "every change touches every observer");
        if (i + 1 < 3 * CASE_WORLDS) case_close();
    }
}

Test(index_trees, quadtree_leaves_out_no_entity)
{
    play_all(PH_INDEX_QUADTREE, PH_RANGE_RADIUS);
}

Test(index_trees, hex_leaves_out_no_entity)
{
    play_all(PH_INDEX_HEX, PH_RANGE_RADIUS);
}

Test(index_trees, towers_leave_out_no_entity_in_a_radius)
{
    play_all(PH_INDEX_TOWERS, PH_RANGE_RADIUS);
    cr_assert_gt(c.differed, 0);
}

Test(index_trees, towers_leave_out_no_entity_in_a_span)
{
    play_all(PH_INDEX_TOWERS, PH_RANGE_TOWERS);
    cr_assert_gt(c.differed, 0);
}

/* ---- quadtree ---- */

static const phx_quadtree *tree(void)
{
    return (const phx_quadtree *)c.index;
}

static uint32_t depth_below(uint32_t at)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; tree()->nodes[at].children != PHX_QUAD_NONE && i < 4; i++) {
        uint32_t depth = 1 + depth_below(tree()->nodes[at].children + i);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void enter_many(uint32_t count, float x, float y, float spread)
{
    case_begin();
    for (uint32_t i = 0; i < count; i++)
        case_enter(plain_attr(0, 0), x + spread * phx_rng_unit(&c.rng), y + spread * phx_rng_unit(&c.rng));
    case_end();
}

static void leave_all_but(uint32_t stay)
{
    case_begin();
    for (uint32_t slot = stay; slot < c.store.slots; slot++)
        if (c.store.body[slot].state & PHX_SLOT_LIVE) case_leave(slot);
    case_end();
}

Test(index_trees, a_quadtree_grows_past_the_capacity_and_shrinks_below_it)
{
    phx_rules rules = rules_of(20, 0);
    case_open(PH_INDEX_QUADTREE, rules, rect_of(&rules));
    enter_many(5, 0, 0, 400);
    cr_assert_eq(depth_below(0), 0, "a leaf holds its capacity");
    enter_many(1, 0, 0, 400);
    cr_assert_eq(depth_below(0) > 0, true, "and no more");
    leave_all_but(5);
    cr_assert_eq(depth_below(0) > 0, true, "four children hold the capacity: they stay");
    leave_all_but(4);
    cr_assert_eq(depth_below(0), 0, "they are below it: merged");
}

Test(index_trees, a_quadtree_ends_at_its_depth_however_many_stand_in_one_place)
{
    phx_rules rules = rules_of(20, 0);
    rules.quadtree_capacity = 1;
    rules.quadtree_depth = PHX_QUAD_DEPTH_MAX;
    case_open(PH_INDEX_QUADTREE, rules, rect_of(&rules));
    enter_many(CASE_SLOTS, 123, 321, 0);
    cr_assert_eq(depth_below(0), PHX_QUAD_DEPTH_MAX);
    cr_assert_eq(tree()->node_count, 1 + 4 * PHX_QUAD_DEPTH_MAX);
    leave_all_but(0);
    cr_assert_eq(depth_below(0), 0);
}

Test(index_trees, a_quadtree_finds_just_the_entities_in_a_box_and_takes_children_whole)
{
    phx_rules rules = rules_of(20, 0);
    case_open(PH_INDEX_QUADTREE, rules, rect_of(&rules));
    enter_many(CASE_SLOTS, 0, 0, 400);
    for (int i = 0; i < 2000; i++) { /* sides on the borders of children, and off them */
        float step = phx_rng_below(&c.rng, 2) ? 12.5f : 0.7f;
        phx_box box = {step * (float)phx_rng_below(&c.rng, 32), step * (float)phx_rng_below(&c.rng, 32), 0, 0};
        box.x1 = box.x0 + step * (float)phx_rng_below(&c.rng, 32);
        box.y1 = box.y0 + step * (float)phx_rng_below(&c.rng, 32);
        uint32_t in = 0;
        for (uint32_t slot = 0; slot < c.store.slots; slot++)
            in += phx_box_has(box, c.store.body[slot].x, c.store.body[slot].y);
        cr_assert_eq(case_around(box), in);
    }
}

Test(index_trees, a_quadtree_moves_in_place)
{
    phx_rules rules = rules_of(20, 0);
    case_open(PH_INDEX_QUADTREE, rules, rect_of(&rules));
    enter_many(4, 10, 10, 1);
    uint64_t steps = c.index->counts.steps;
    case_begin();
    for (uint32_t slot = 0; slot < 4; slot++) case_move(slot, 390, 390);
    case_end();
    cr_assert_eq(c.index->counts.steps, steps, "the root is a leaf: no move leads out of it");
    cr_assert_eq(c.index->counts.moves, 8);
}

/* ---- hex ---- */

Test(index_trees, entities_in_a_box_are_in_the_light_of_its_middles_tower)
{
    uint64_t rng = 3, covered = 0, places = 0;
    uint32_t most = 0;
    for (int i = 0; i < 200000; i++) {
        phx_rules rules = plain_rules(ldexpf(1 + phx_rng_unit(&rng), (int)phx_rng_below(&rng, 20) - 10), 50);
        float size = rules.tower_size * 50;
        rules.origin[0] = rules.origin[1] = size * float_between(&rng, -2, 1);
        phx_hex_lattice lattice = phx_hex_lattice_of(&rules, size * ldexp(1, -(int)phx_rng_below(&rng, 10)));
        float r = size * ldexpf(1 + phx_rng_unit(&rng), -(int)phx_rng_below(&rng, 22));
        phx_box box = phx_box_around(rules.origin[0] + size * float_between(&rng, -0.1f, 1.1f),
                                     rules.origin[1] + size * float_between(&rng, -0.1f, 1.1f), r);
        phx_hex_box in = phx_hex_box_of(&lattice, box);
        uint32_t level = phx_hex_level(&lattice, in.half);
        phx_hex_at home = phx_hex_cell(&lattice, level, in.x, in.y);
        float x = float_between(&rng, box.x0, box.x1), y = float_between(&rng, box.y0, box.y1);
        if (phx_rng_below(&rng, 2)) x = phx_rng_below(&rng, 2) ? box.x0 : box.x1; /* the corners are farthest off */
        if (phx_rng_below(&rng, 2)) y = phx_rng_below(&rng, 2) ? box.y0 : box.y1;
        if (!phx_box_has(box, x, y)) continue;
        phx_hex_covers covers = phx_hex_covers_of(&lattice, level, x, y);
        bool lit = false;
        for (uint32_t k = 0; k < covers.count; k++) lit |= covers.at[k].q == home.q && covers.at[k].r == home.r;
        cr_assert(lit, "%d: %a, %a in a box of %a, level %u", i, (double)x, (double)y, (double)r, level);
        most = covers.count > most ? covers.count : most;
        covered += covers.count;
        places++;
    }
    cr_assert_eq(most, PHX_HEX_COVERS);
    cr_assert_gt(covered, 2 * places);
    cr_assert_lt(covered, 4 * places);
}

Test(index_trees, an_observers_box_asks_one_hexagonal_tower)
{
    phx_rules rules = rules_of(20, 0);
    case_open(PH_INDEX_HEX, rules, rect_of(&rules));
    enter_many(40, 0, 0, 400);
    case_begin();
    for (float view = 0.5f; view < 1000; view *= 1.7f) case_enter(plain_attr(view, view / 7), 100 + view / 5, 200);
    case_end();
    for (uint32_t o = 0; o < c.store.slots; o++) {
        case_sink sink = {.sink.take = case_take};
        if (!case_observes(o)) continue;
        c.index->ops->around(c.index, case_box(o), &sink.sink);
        cr_assert_eq(sink.sink.visited, 1);
    }
}

/* Bytes that grow with the entities, and shrink when they leave. */
Test(index_trees, a_level_is_in_use_while_an_observer_is_registered_at_it)
{
    phx_rules rules = rules_of(20, 0);
    case_open(PH_INDEX_HEX, rules, rect_of(&rules));
    enter_many(100, 0, 0, 400);
    uint64_t steps = c.index->counts.steps, held = atomic_load(&memory.bytes);
    case_begin();
    uint32_t scout = case_enter(plain_attr(1, 0), 50, 50);
    case_end();
    cr_assert_geq(c.index->counts.steps, steps + 100, "another level: all are in the light of it");
    cr_assert_gt(atomic_load(&memory.bytes), held);
    steps = c.index->counts.steps;
    case_begin();
    case_set(scout, plain_attr(0, 0));
    case_end();
    case_begin();
    for (uint32_t slot = 0; slot < 100; slot++) case_move(slot, 400 - c.store.body[slot].x, c.store.body[slot].y);
    case_end();
    cr_assert_leq(c.index->counts.steps, steps + 100 * 8, "one level alone is kept: four towers out, four in");
}

/* ---- towers ---- */

Test(index_trees, only_a_crossing_changes_the_sets_of_towers)
{
    phx_rules rules = rules_of(100, 0);
    rules.range = PH_RANGE_TOWERS;
    case_open(PH_INDEX_TOWERS, rules, rect_of(&rules));
    case_begin();
    uint32_t o = case_enter(plain_attr(50, 0), 150, 150), t = case_enter(plain_attr(0, 0), 250, 150);
    case_end();
    uint64_t steps = c.index->counts.steps;
    case_begin();
    case_move(o, 120, 180);
    case_move(t, 299, 101);
    case_end();
    cr_assert_eq(c.index->counts.steps, steps, "no crossing: no set changed, no watcher was notified");
    case_begin();
    case_move(t, 301, 101);
    case_end();
    cr_assert_eq(c.index->counts.steps, steps + 3, "out of one set, into another, one watcher told");
    case_begin();
    case_move(o, 201, 180); /* 9 towers: three columns of three, one is new and one is not watched any more */
    case_end();
    cr_assert_eq(c.index->counts.steps, steps + 3 + 3 + 3 + 2 + 2, "and it watches both towers that it is told of in");
}

Test(index_trees, a_sync_list_names_exactly_the_changed_entities)
{
    phx_rules rules = rules_of(100, 0);
    case_open(PH_INDEX_TOWERS, rules, rect_of(&rules));
    case_begin();
    uint32_t o = case_enter(plain_attr(40, 5), 150, 150);
    for (uint32_t i = 0; i < 50; i++) case_enter(plain_attr(0, 0), 130 + (float)i, 160);
    uint32_t far = case_enter(plain_attr(40, 0), 350, 350);
    case_end();
    case_begin();
    case_move(5, 131, 170);
    case_move(7, 201, 150);
    case_leave(9);
    case_end();
    case_begin(); /* asked again by hand: the same changes once more */
    case_move(11, 133, 170);
    c.told = c.differed = 0;
    case_end();
    cr_assert_eq(c.told, 1, "one target, told to one observer");
    cr_assert_eq(c.differed, 2, "the other is told nothing");
    cr_assert(c.store.body[far].state & PHX_SLOT_LIVE && o == 0);
}

Test(index_trees, an_observer_with_too_many_towers_is_notified_of_every_change)
{
    phx_rules rules = rules_of(3, 0);
    case_open(PH_INDEX_TOWERS, rules, rect_of(&rules));
    uint64_t before = atomic_load(&memory.bytes);
    case_begin();
    case_enter(plain_attr(1e30f, 0), 150, 150);
    uint32_t t = case_enter(plain_attr(0, 0), 250, 150);
    case_end();
    cr_assert_lt(atomic_load(&memory.bytes) - before, 64u << 10, "it is in no tower's watchers");
    case_begin();
    case_move(t, 10, 10);
    case_end();
    cr_assert_eq(c.differed, 1);
    cr_assert_eq(c.told, 1);
}

/* An observer that wanders over all towers leaves nothing behind. */
Test(index_trees, empty_towers_go)
{
    phx_rules rules = rules_of(3, 0);
    case_open(PH_INDEX_TOWERS, rules, rect_of(&rules));
    case_begin();
    for (uint32_t i = 0; i < 30; i++) case_enter(plain_attr(4, 0), 1, 1);
    case_end();
    uint64_t most = 0;
    for (uint32_t tick = 0; tick < 300; tick++) {
        case_begin();
        for (uint32_t slot = 0; slot < 30; slot++) case_move(slot, 400 * phx_rng_unit(&c.rng), (float)tick);
        case_end();
        if (tick == 100) most = atomic_load(&memory.bytes);
    }
    cr_assert_leq(atomic_load(&memory.bytes), 2 * most);
}
