/*
 * The indexes brute, grid and hash: their own promises, beyond the contract that test_index.c asks all for.
 */
#include "unit/shards/classical/index_life.h"

#include "shards/classical/cells.h"

static void tear_down(void)
{
    life_close();
}

TestSuite(index_cells, .fini = tear_down);

/* ---- asking ---- */

typedef struct asked {
    phx_sink sink;
    uint32_t times[LIFE_SLOTS], candidates;
} asked;

static asked answer;

static void take(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    asked *of = (asked *)sink;
    for (uint32_t i = 0; i < count; i++) of->times[slots[i]]++;
    of->candidates += count;
}

static const asked *ask(float x, float y, float radius)
{
    answer = (asked){.sink.take = take};
    life_index->ops->around(life_index, phx_box_around(x, y, radius), &answer.sink);
    return &answer;
}

static uint64_t steps(void)
{
    return life_index->counts.steps;
}

/* So many columns and rows of entities, `apart` from each other, from (apart / 2, apart / 2). */
static void enter_rows(uint32_t side, float apart, float view)
{
    for (uint32_t i = 0; i < side * side; i++)
        life_enter(plain_attr(view, 0), ((float)(i % side) + 0.5f) * apart, ((float)(i / side) + 0.5f) * apart);
    life_pass();
}

static void move_all(float by)
{
    for (uint32_t slot = 0; slot < life_store.slots; slot++)
        life_move(slot, life_store.body[slot].x + by, life_store.body[slot].y);
    life_pass();
}

/* ---- brute ---- */

Test(index_cells, brute_gives_every_entity_once_and_moves_cost_nothing)
{
    life_open(PH_INDEX_BRUTE, PH_SHAPE_CIRCLE);
    enter_rows(10, 100, 50);
    uint64_t before = steps();
    move_all(30);
    cr_expect_eq(steps(), before);
    life_leave(0);
    life_leave(57);
    life_pass();
    cr_expect_eq(steps(), before + 2);
    const asked *all = ask(-5000, 0, 1);
    cr_expect_eq(all->candidates, 98);
    for (uint32_t slot = 0; slot < 100; slot++) cr_expect_eq(all->times[slot], slot != 0 && slot != 57);
}

/* ---- grid and hash ---- */

/* Cells as wide as the median view, 50: a step in a cell is no work, one over a border is. */
static void only_crossings_are_work(ph_index which)
{
    life_open(which, PH_SHAPE_CIRCLE);
    enter_rows(10, 50, 50);
    uint64_t before = steps();
    move_all(20); /* to 45 of 50 */
    cr_expect_eq(steps(), before);
    move_all(10);
    cr_expect_eq(steps(), before + 100);
    move_all(400); /* a far move is one crossing, too */
    cr_expect_eq(steps(), before + 200);
    cr_expect_eq(life_index->counts.moves, 400);
}

Test(index_cells, grid_changes_cells_only_when_a_border_is_crossed)
{
    only_crossings_are_work(PH_INDEX_GRID);
}

Test(index_cells, hash_changes_cells_only_when_a_border_is_crossed)
{
    only_crossings_are_work(PH_INDEX_HASH);
}

/* How many cells a box of 180 around the middle meets tells their side. */
static void side_is(uint64_t cells, const char *what)
{
    uint64_t visited = ask(500, 500, 90)->sink.visited;
    cr_expect_eq(visited, cells, "%s: %llu", what, (unsigned long long)visited);
}

/* The median view of the observers; cell_size, where it is given; a tower's side where none observes. */
static void side_follows_the_views(ph_index which)
{
    life_open(which, PH_SHAPE_CIRCLE);
    static const float views[] = {20, 100, 300, 0}; /* 5, 6, 5 of them; and entities without a view do not count */
    static const uint32_t many[] = {5, 6, 5, 30};
    for (uint32_t v = 0; v < 4; v++)
        for (uint32_t i = 0; i < many[v]; i++) life_enter(plain_attr(views[v], 0), 500, 500);
    life_pass();
    side_is(4, "median view"); /* 410 .. 590: cells 4 and 5 */
    life_close();

    life_open(which, PH_SHAPE_CIRCLE);
    life_rules.cell_size = 60;
    for (uint32_t i = 0; i < 40; i++) life_enter(plain_attr(100, 0), 500, 500);
    life_pass();
    side_is(16, "cell_size"); /* 6 to 9 */
    life_close();

    life_open(which, PH_SHAPE_CIRCLE);
    for (uint32_t i = 0; i < 40; i++) life_enter(plain_attr(0, 0), 500, 500);
    life_pass();
    side_is(16, "tower"); /* of 50: 8 to 11 */
    for (uint32_t slot = 0; slot < 40; slot++) life_set(slot, plain_attr(200, 0));
    life_pass();
    for (uint32_t i = 0; i < 60; i++) life_enter(plain_attr(200, 0), 500, 500); /* more than twice as many: anew */
    life_pass();
    side_is(1, "views come to be"); /* 400 .. 600 */
}

Test(index_cells, grid_has_the_median_view_for_a_side)
{
    side_follows_the_views(PH_INDEX_GRID);
}

Test(index_cells, hash_has_the_median_view_for_a_side)
{
    side_follows_the_views(PH_INDEX_HASH);
}

/* Too many cells for an array: wider ones, and laid out once, however long all walk. */
Test(index_cells, a_grid_of_a_vast_world_is_bounded_and_stays)
{
    life_open(PH_INDEX_GRID, PH_SHAPE_CIRCLE);
    life_rules.cell_size = 0.01f; /* 10^10 of them in the shard's 1000 x 1000 */
    enter_rows(5, 100, 50);
    cr_expect_leq(atomic_load(&memory.bytes), 40u << 20);
    uint64_t before = steps();
    for (uint32_t i = 0; i < 200; i++) {
        for (uint32_t slot = 0; slot < life_store.slots; slot++) life_move(slot, life_store.body[slot].x, 50);
        life_turn(0); /* no memory, and none wanted */
        life_end();
    }
    cr_expect_leq(steps() - before, 25, "put in anew");
}

/* Twice the world, twice the distance: not a byte more; and so many buckets that chains are short. */
Test(index_cells, hash_follows_entities_not_area)
{
    size_t bytes[2];
    for (uint32_t i = 0; i < 2; i++) {
        life_open(PH_INDEX_HASH, PH_SHAPE_CIRCLE);
        enter_rows(30, i == 0 ? 100 : 1e6f, 50);
        bytes[i] = atomic_load(&memory.bytes);
        const asked *far = ask(i == 0 ? 250 : 2.5e6f, i == 0 ? 250 : 2.5e6f, 40);
        cr_expect_eq(far->candidates, 1, "slots of other cells in a bucket are left out");
        if (i == 0) life_close();
    }
    cr_expect_eq(bytes[0], bytes[1]);
}

/* Far more cells than buckets, by negative coordinates, too: each slot once, none of another cell. */
Test(index_cells, hash_leaves_out_other_cells_of_the_bucket)
{
    life_open(PH_INDEX_HASH, PH_SHAPE_CIRCLE);
    uint64_t rng = 7;
    for (uint32_t i = 0; i < 4000; i++)
        life_enter(plain_attr(10, 0), float_between(&rng, -5000, 5000), float_between(&rng, -5000, 5000));
    life_pass();
    for (uint32_t i = 0; i < 300; i++) {
        float x = float_between(&rng, -5000, 5000), y = float_between(&rng, -5000, 5000);
        const asked *in = ask(x, y, 100);
        for (uint32_t slot = 0; slot < 4000; slot++) {
            const phx_body *body = &life_store.body[slot];
            bool inside = phx_box_has(phx_box_around(x, y, 100), body->x, body->y);
            bool beside = phx_box_has(phx_box_around(x, y, 111), body->x, body->y); /* a cell more */
            cr_assert(in->times[slot] <= beside && in->times[slot] >= inside, "slot %u %u times", slot,
                      in->times[slot]);
        }
    }
}
