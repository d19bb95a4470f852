/*
 * shards/interest/delta_tile.c where few moved: a mover queries rows, and reports to observers that stand still. All
 * against a plain world (shards_fixture.h compares every tick).
 */
#include "support/check.h"
#include "unit/shards/shards_fixture.h"

#include "base/simd.h"
#include "shards/interest/run.h"
#include "shards/tick/reindex.h"

static fleet *f;
static uint32_t stops;
static phx_interest_counts counted;

static fleet *open_world(uint64_t seed, uint32_t towers, uint32_t shards)
{
    static const ph_simd simds[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    phx_rules rules = plain_rules(10, towers);
    rules.shape = seed % 2 ? PH_SHAPE_CIRCLE : PH_SHAPE_SQUARE;
    rules.simd = phx_simd_supported(simds[seed % 3]) ? simds[seed % 3] : PH_SIMD_PORTABLE;
    return fleet_open(rules, shards, shards, 256);
}

/* many: as if most had moved in the tick before, so each observer queries for itself. */
static void begin(bool many)
{
    for (uint32_t i = 0; i < f->shard_count; i++) f->shard[i].dense_tick = many;
    counted = fleet_counts(f);
    fleet_begin(f);
}

/* ---- random steps ---- */

typedef struct crowd {
    const char *what;
    float view, step;
    uint32_t ids, observers; /* of 10 */
    uint32_t towers, shards;
    bool sparse, whole; /* coordinates are whole numbers: many distances equal the view */
    uint32_t piece;     /* rows per run of the interest phase; 0 = all */
    bool related;       /* each has a link to the next one but one, and a hide of the next one */
    bool layered;       /* a third is in a layer of its own, and sees no other */
} crowd;

static const crowd crowds[] = {
    {"sparse", 10, 2, 150, 5, 24, 1, true, false, 0, false, false},
    {"dense", 30, 2, 500, 5, 16, 1, false, false, 0, false, false},
    {"dense, blocks in part", 30, 2, 500, 5, 20, 1, false, false, 0, false, false},
    {"very dense", 60, 2, 500, 5, 16, 1, false, false, 0, false, false},
    {"whole numbers", 20, 2, 250, 5, 20, 1, true, true, 0, false, false},
    {"observers only", 20, 2, 200, 10, 20, 1, true, false, 0, false, false},
    {"few observers", 20, 2, 250, 1, 20, 1, true, false, 0, false, false},
    {"four shards", 20, 2, 250, 5, 24, 2, false, false, 0, false, false},
    {"four shards, sparse, whole numbers", 10, 2, 150, 5, 24, 2, true, true, 0, false, false},
    {"nine shards, whole numbers", 20, 2, 250, 5, 30, 3, false, true, 0, false, false},
    {"steps below a unit", 20, 2e-5f, 250, 5, 16, 1, true, true, 0, false, false},
    {"links and hides", 20, 2, 200, 10, 20, 1, true, false, 0, true, false},
    {"dense, links and hides", 30, 2, 500, 10, 16, 1, false, false, 0, true, false},
    {"in pieces of blocks", 30, 2, 500, 10, 20, 1, false, false, 30, false, false},
    {"sparse, in pieces of blocks", 10, 2, 150, 10, 24, 1, true, false, 7, false, false},
    {"in pieces of blocks, whole numbers", 30, 2, 500, 10, 16, 1, false, true, 50, false, false},
    {"two layers", 20, 2, 250, 5, 20, 1, true, false, 0, false, true},
    {"dense, two layers", 30, 2, 500, 5, 16, 1, false, false, 0, false, true},
};

static float some_step(const crowd *c, uint64_t *rng, float p)
{
    float by = c->step * float_between(rng, -1, 1);
    if (c->step < 1) by = p == roundf(p) ? by : roundf(p) - p; /* off a whole number, and back */
    else if (c->whole) by = roundf(by);
    return fminf(fmaxf(p + by, 0), (float)c->towers * 10);
}

/* allocations > 0: about every so many of them fail. */
static phx_interest_counts random_steps(const crowd *c, uint64_t seed, bool many, uint32_t allocations)
{
    enum { TICKS = 40 };
    uint64_t rng = seed;
    f = open_world(seed, c->towers, c->shards);
    f->scarce = seed % 2;
    f->piece = c->piece;
    fleet_begin(f);
    for (uint64_t id = 1; id <= c->ids; id++) {
        float x = float_between(&rng, 0, (float)c->towers * 10), y = float_between(&rng, 0, (float)c->towers * 10);
        phx_attr attr = plain_attr(phx_rng_below(&rng, 10) < c->observers ? c->view : 0, 0);
        if (c->layered && id % 3 == 0) attr.layers = attr.sees = 2;
        fleet_enter(f, id, attr, c->whole ? roundf(x) : x, c->whole ? roundf(y) : y);
    }
    for (uint64_t id = 1; c->related && id + 2 <= c->ids; id++) {
        fleet_relate(f, id, id + 1, PHX_RELATION_HIDE, 0);
        fleet_relate(f, id, id + 2, PHX_RELATION_LINK, 0);
    }
    fleet_end(f);
    phx_interest_counts before = fleet_counts(f);
    for (uint32_t t = 0; t < TICKS; t++) {
        if (allocations > 0) fleet_memory_for(phx_rng_below(&rng, allocations));
        begin(many);
        for (uint64_t id = 1; id <= c->ids; id++) {
            if (phx_rng_below(&rng, 12) > 0) continue;
            float x = some_step(c, &rng, f->entity[id].x), y = some_step(c, &rng, f->entity[id].y);
            fleet_move(f, id, x, y);
        }
        fleet_end(f);
        fleet_memory_enough();
    }
    phx_interest_counts now = fleet_counts(f);
    stops += f->stops;
    bool corner = c->towers % PHX_BLOCK_SIDE != 0; /* then the last tile is of a block with few, and sparse at times */
    /* where few observe there is none: each observer queries rows for itself, a new one too */
    if (c->shards == 1 && (c->sparse || !corner) && c->observers > 1)
        cr_assert_eq(f->scratch[0].tile.sparse, c->sparse, "%s", c->what);
    fleet_close(f);
    now.evaluated -= before.evaluated;
    now.enters -= before.enters;
    now.leaves -= before.leaves;
    now.pairs_tested -= before.pairs_tested;
    return now;
}

Test(movers, random_steps_of_few_rows)
{
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        const crowd *c = &crowds[i];
        for (uint64_t seed = 700 + i; seed < 700 + i + test_amount(6); seed++) { /* it chooses shape and kernels */
            phx_interest_counts few = random_steps(c, seed, false, 0), many = random_steps(c, seed, true, 0);
            cr_assert_gt(few.enters + few.leaves, c->step < 1 ? 10 : 50, "%s: %lu", c->what,
                         (unsigned long)(few.enters + few.leaves));
            cr_assert_eq(few.enters, many.enters);
            cr_assert_eq(few.leaves, many.leaves);
            cr_assert_leq(few.pairs_exact, few.pairs_tested, "%s", c->what);
            uint64_t all = many.pairs_tested * 10 / c->observers; /* as if all observed: all movers query */
            uint64_t often = c->piece > 0 ? 3 : 4;                /* a mover near two pieces queries for each */
            cr_assert_lt(few.pairs_tested * often, all * 2, "%s: %lu pairs, not much less than %lu", c->what,
                         (unsigned long)few.pairs_tested, (unsigned long)all);
            if (c->shards == 1) cr_assert_eq(few.evaluated, 0, "%s", c->what);
        }
    }
}

Test(movers, random_steps_while_memory_ends_now_and_then)
{
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++)
        for (uint64_t seed = 800 + i; seed < 800 + i + test_amount(4); seed++) /* it chooses shape and kernels */
            (void)random_steps(&crowds[i], seed, false, 3);
    cr_assert_gt(stops, 50, "%u", stops);
}

/* All stand but the target of a pair, which comes and goes far beyond the view of its observer. */
Test(movers, the_target_of_a_pair_beyond_the_view)
{
    enum { STANDING = 60, WALKS = 20 };
    f = open_world(1, 40, 1);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(10, 0), 50, 50);
    fleet_enter(f, 2, plain_attr(10, 0), 202, 50);
    for (uint64_t id = 3; id < 3 + STANDING; id++) fleet_enter(f, id, plain_attr(10, 0), 40 + (float)(id % 20), 50);
    fleet_relate(f, 1, 2, PHX_RELATION_PAIR, 150);
    fleet_end(f);
    const phx_interest_counts before = fleet_counts(f);
    for (uint32_t i = 0; i < WALKS; i++) {
        begin(false);
        fleet_move(f, 2, i % 2 == 0 ? 199 : 240, 50); /* the margin of the pair ends at 237.5 */
        fleet_end(f);
    }
    const phx_interest_counts now = fleet_counts(f);
    cr_assert_eq(now.enters - before.enters, WALKS / 2);
    cr_assert_eq(now.leaves - before.leaves, WALKS / 2);
    fleet_close(f);
}

/* ---- movers and observers ---- */

enum { LOW = 1, HIGH = 2 }; /* two at each other's views' borders, along x, or along y if turned */

/* Beside the two, some that only stand about, so many that two movers are few. */
static void open_two(uint64_t seed, bool turned, float low, float high, const float view[2])
{
    f = open_world(seed, 24, 1);
    fleet_begin(f);
    fleet_enter(f, LOW, plain_attr(view[0], 0), turned ? 110 : low, turned ? low : 110);
    fleet_enter(f, HIGH, plain_attr(view[1], 0), turned ? 110 : high, turned ? high : 110);
    for (uint64_t id = 3; id < 20; id++) fleet_enter(f, id, plain_attr(0, 0), (float)id * 10, 235);
    fleet_end(f);
    fleet_tick(f);
}

static void step(bool turned, float low, float high, uint32_t changes)
{
    begin(false);
    float to[] = {0, low, high};
    for (uint64_t id = LOW; id <= HIGH; id++)
        fleet_move(f, id, turned ? f->entity[id].x : to[id], turned ? to[id] : f->entity[id].y);
    fleet_end(f);
    cr_assert_eq(f->changes, changes, "%g to %g: %u", (double)low, (double)high, f->changes);
    cr_assert_eq(fleet_counts(f).evaluated, counted.evaluated);
}

/* Either of the two goes out of sight and comes back, then both. */
static void out_and_back(uint64_t seed, bool turned, float low, const float view[2], float by)
{
    float high = low + 20;
    uint32_t observers = (view[0] > 0 ? 1u : 0u) + (view[1] > 0 ? 1u : 0u);
    open_two(seed, turned, low, high, view);
    step(turned, low, high + by, observers);
    step(turned, low, high, observers);
    step(turned, low - by, high, observers);
    step(turned, low, high, observers);
    step(turned, low - by, high + by, observers);
    step(turned, low, high, observers);
    if (by >= 0.5f) step(turned, low - by, high - by, 0); /* side by side, where float32 has them so */
    fleet_close(f);
}

Test(movers, a_moved_row_emits_for_observers_that_stand_still)
{
    static const float views[][2] = {{20, 20}, {20, 0}, {0, 20}};
    static const float steps[] = {2.5f, 0.5f, 1e-5f}; /* the last one is none in a tile's 16 bits */
    /* in one block; across a border; the one, then the other where its block begins or ends; at the world's edges */
    static const float lows[] = {100, 150, 60, 80, 140, 160, 5, 210};
    for (size_t i = 0; i < sizeof lows / sizeof *lows; i++)
        for (uint64_t seed = 0; seed < 6; seed++)
            for (size_t v = 0; v < sizeof views / sizeof *views; v++)
                for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
                    for (int turned = 0; turned < 2; turned++) out_and_back(seed, turned, lows[i], views[v], steps[s]);
}

/* Its row stays with the block where it stood: the frame has the mover a drift farther off than that. */
Test(movers, an_observer_that_drifted_out_of_its_block)
{
    static const float view[2] = {0, 20};
    for (uint64_t seed = 0; seed < 6; seed++) {
        for (int turned = 0; turned < 2; turned++) {
            open_two(seed, turned, 61, 81, view);
            step(turned, 61, 78.75f, 0);
            step(turned, 58.75f, 78.75f, 0);
            step(turned, 58.5f, 78.75f, 1);
            step(turned, 58.75f, 78.75f, 1);
            fleet_close(f);
        }
    }
}

/* Rows of the last tower that a reach touches, from which they come into sight. */
Test(movers, rows_in_the_outermost_towers)
{
    static const float low_looks[2] = {20, 0}, high_looks[2] = {0, 20};
    for (uint64_t seed = 0; seed < 6; seed++) {
        for (int turned = 0; turned < 2; turned++) {
            open_two(seed, turned, 59.9f, 80, high_looks);
            step(turned, 60.1f, 80, 1);
            fleet_close(f);
            open_two(seed, turned, 159.9f, 180.1f, low_looks);
            step(turned, 159.9f, 179.8f, 1);
            fleet_close(f);
        }
    }
}

/* A row that has drifted far from its tower steps by little into sight of an observer that queries for itself. */
Test(movers, rows_that_drifted_farther_than_they_step)
{
    enum { UNLIKE = 30 }; /* it observes as well, with a shorter view: then movers report to none */
    static const float view[2] = {0, 20};
    for (uint64_t seed = 0; seed < 6; seed++) {
        for (int turned = 0; turned < 2; turned++) {
            open_two(seed, turned, 49.9f, 72.25f, view);
            fleet_begin(f);
            fleet_enter(f, UNLIKE, plain_attr(5, 0), turned ? 110 : 75, turned ? 75 : 110);
            fleet_end(f);
            fleet_tick(f);
            step(turned, 52.1f, 72.25f, 0);
            cr_assert_eq(f->scratch[0].plan.way, PHX_SPARSE_BY_OBSERVERS);
            step(turned, 52.3f, 72.25f, 1);
            fleet_close(f);
        }
    }
}

/* A mover leaves the sight of an observer that stands still, as other steps cause a rebuild by present places. */
Test(movers, a_step_out_of_sight_as_rows_are_sorted)
{
    enum { AWAY = 2, OTHER = 3, OTHERS = 60, ACROSS = 8 };
    for (uint64_t seed = 0; seed < 6; seed++) {
        f = open_world(seed, 24, 1);
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(8, 0), 80.1f, 35);
        fleet_enter(f, AWAY, plain_attr(8, 0), 72.3f, 35);
        for (uint64_t id = OTHER; id < OTHERS; id++)
            fleet_enter(f, id, plain_attr(8, 0), 100 + (float)(id % ACROSS) * 7, 100 + (float)(id / ACROSS) * 7);
        fleet_end(f);
        fleet_tick(f);
        for (int t = 0; t < 2; t++) {
            begin(false);
            fleet_move(f, OTHER, f->entity[OTHER].x + 2.4f, f->entity[OTHER].y);
            if (t == 1) fleet_move(f, AWAY, 69.9f, 35);
            fleet_end(f);
        }
        cr_assert_eq(f->shard[0].grid.drift_bound, 0.0f, "rows were sorted");
        cr_assert(!fleet_sees(f, 1, AWAY) && !fleet_sees(f, AWAY, 1));
        fleet_close(f);
    }
}

/* The cost, of two a view apart: the mover's own cells, whatever the direction of the event. */
Test(movers, only_moved_rows_test_pairs)
{
    static const float view[2] = {20, 20};
    open_two(1, false, 100, 120, view);
    step(false, 100, 121, 2);
    cr_assert_eq(fleet_counts(f).pairs_tested - counted.pairs_tested, 2, "itself and the other");
    cr_assert_eq(fleet_counts(f).pairs_exact, counted.pairs_exact, "exactly at once, which is not counted again");
    cr_assert_eq(fleet_counts(f).by_delta - counted.by_delta, 2, "both");
    step(false, 99, 120, 0);
    cr_assert_eq(fleet_counts(f).pairs_tested - counted.pairs_tested, 4);
    fleet_close(f);
}

/* Two of many observe, with views of their own: they query for themselves, and only where something changed. */
Test(movers, few_observers_query_only_where_an_entity_changed)
{
    enum { ONE = 1, OTHER = 2, FAR = 3, NEAR = 4, LAST = 40, AROUND_ONE = 5 };
    for (uint64_t seed = 0; seed < 6; seed++) {
        f = open_world(seed, 24, 1);
        fleet_begin(f);
        fleet_enter(f, ONE, plain_attr(20, 0), 10, 10);
        fleet_enter(f, OTHER, plain_attr(15, 0), 70, 70);
        fleet_enter(f, FAR, plain_attr(0, 0), 230, 230);
        for (uint64_t id = NEAR; id <= LAST; id++) {
            float at = id < NEAR + AROUND_ONE ? 10 : 70;
            fleet_enter(f, id, plain_attr(0, 0), at + (float)(id % 5), at - (float)(id % 3));
        }
        fleet_end(f);
        fleet_tick(f);
        begin(false);
        fleet_move(f, FAR, 229, 230);
        fleet_end(f);
        cr_assert_eq(fleet_counts(f).pairs_tested, counted.pairs_tested, "nothing changed in sight of any observer");
        begin(false);
        fleet_move(f, NEAR, f->entity[NEAR].x + 1, f->entity[NEAR].y);
        fleet_end(f);
        cr_assert_eq(f->scratch[0].plan.way, PHX_SPARSE_BY_OBSERVERS, "they are few");
        uint64_t tested = fleet_counts(f).pairs_tested - counted.pairs_tested;
        cr_assert(tested > 0 && tested <= AROUND_ONE + 1, "%lu pairs: only the one looks", (unsigned long)tested);
        fleet_close(f);
    }
}

/* Each of few observers would be compared with a whole crowd: in a tile it is compared with some cells of it. */
Test(movers, few_observers_in_a_crowd_take_the_tile)
{
    enum { OBSERVERS = 8, ALL = 200, ACROSS = 20 };
    static const struct {
        float apart; /* between neighbours */
        phx_sparse_plan_way way;
    } meeting[] = {{0.4f, PHX_SPARSE_NONE}, {4, PHX_SPARSE_BY_OBSERVERS}};
    for (size_t m = 0; m < sizeof meeting / sizeof *meeting; m++) {
        f = open_world(1, 24, 1);
        fleet_begin(f);
        for (uint64_t id = 1; id <= ALL; id++)
            fleet_enter(f, id, plain_attr(id <= OBSERVERS ? 10 : 0, 0), 1 + (float)(id % ACROSS) * meeting[m].apart,
                        1 + (float)(id / ACROSS) * meeting[m].apart);
        fleet_end(f);
        fleet_tick(f);
        begin(true);
        fleet_move(f, ALL, f->entity[ALL].x + 1, f->entity[ALL].y);
        fleet_end(f);
        cr_assert_eq(f->scratch[0].plan.way, meeting[m].way, "%g apart", (double)meeting[m].apart);
        cr_assert_eq(fleet_counts(f).by_delta - counted.by_delta, OBSERVERS);
        fleet_close(f);
    }
}

/* In a tile the fewer compare: moved rows, for all observers, or observers. A margin has no sparse plan of movers. */
Test(movers, the_fewer_of_movers_and_observers_compare)
{
    enum { OBSERVERS = 8, ALL = 200, ACROSS = 20, FEW = 4, MORE = 20 };
    static const uint32_t moved[] = {FEW, MORE};
    for (size_t m = 0; m < sizeof moved / sizeof *moved; m++) {
        f = open_world(1, 24, 1);
        fleet_begin(f);
        for (uint64_t id = 1; id <= ALL; id++)
            fleet_enter(f, id, plain_attr(id <= OBSERVERS ? 10 : 0, 2), 1 + (float)(id % ACROSS),
                        1 + (float)(id / ACROSS));
        fleet_end(f);
        fleet_tick(f);
        begin(false);
        for (uint64_t id = ALL; id > ALL - moved[m]; id--) fleet_move(f, id, f->entity[id].x, f->entity[id].y + 1);
        fleet_end(f);
        cr_assert_eq(f->scratch[0].plan.way, PHX_SPARSE_NONE);
        const uint64_t tested = fleet_counts(f).pairs_tested - counted.pairs_tested;
        const uint32_t fewer = moved[m] < OBSERVERS ? moved[m] : OBSERVERS;
        cr_assert(tested > 0 && tested <= fewer * ALL, "%u moved: %lu pairs", moved[m], (unsigned long)tested);
        fleet_close(f);
    }
}

/* ---- when there is no room ---- */

/*
 * Two groups, a view apart, of which one, less than a quarter of all, steps into sight of the other: for more
 * pairs than there is room for. Ready for the interest phase.
 */
static void groups_meet(uint64_t seed, uint32_t movers, uint32_t others, float margin)
{
    f = open_world(seed, 24, 1);
    fleet_begin(f);
    for (uint64_t id = 1; id <= movers; id++) fleet_enter(f, id, plain_attr(20, margin), 125, 110);
    for (uint64_t id = 1; id <= others; id++) fleet_enter(f, movers + id, plain_attr(20, margin), 103, 110);
    fleet_end(f);
    fleet_tick(f);
    begin(false);
    for (uint64_t id = 1; id <= movers; id++) fleet_move(f, id, 123, 110);
}

Test(movers, more_pairs_than_there_is_room_for)
{
    static const uint32_t groups[][2] = {{6, 300}, {7, 300}, {100, 400}}; /* half the room is for 2048 pairs */
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            uint32_t movers = groups[g][0], others = groups[g][1], across = movers * others;
            groups_meet(seed, movers, others, 0);
            fleet_end(f);
            cr_assert_eq(f->enters, 2 * across);
            uint64_t tested = fleet_counts(f).pairs_tested - counted.pairs_tested;
            /* a target beside an observer stays in view; in vain as long as there was room, then from both sides */
            if (across <= 2048) cr_assert_eq(tested, across, "%lu", (unsigned long)tested);
            else cr_assert(tested > 2 * across && tested <= 2 * across + 4096, "%lu", (unsigned long)tested);
            begin(false);
            for (uint64_t id = 1; id <= movers; id++) fleet_move(f, id, 125, 110);
            fleet_end(f);
            cr_assert_eq(f->leaves, 2 * across);
            fleet_close(f);
        }
    }
}

/*
 * Memory ends at every allocation there is: finished observers stay, the rest is found later. How often some were.
 * falls: they met before, and go out of view, within the margin: there is no event, but each has a new annulus.
 */
static uint32_t run_with_stops(bool falls)
{
    uint32_t stopped_inside = 0;
    for (uint64_t calls = 0;; calls++) {
        groups_meet(calls, 6, 300, falls ? 3 : 0);
        if (falls) {
            fleet_end(f);
            begin(false);
            for (uint64_t id = 1; id <= 6; id++) fleet_move(f, id, 125, 110);
        }
        phx_shard *shard = &f->shard[0];
        phx_scratch fresh;
        phx_scratch_init(&fresh, shard->mem);
        cr_assert(phx_shard_index(shard, &f->directory, &f->renames));
        uint32_t rows = shard->grid.row_end, all = shard->grid.row_count;
        fleet_memory_for(calls);
        uint32_t done = phx_interest_run(&fresh, &f->directory, shard, 0, rows), changes = fresh.change_count;
        fleet_memory_enough();
        cr_assert_eq(fresh.counts.by_delta, fleet_rows(shard, done));
        cr_assert_eq(changes, fleet_rows(shard, done), "each of them has a change");
        stopped_inside += done > 0 && done < rows;
        cr_assert_eq(phx_interest_run(&fresh, &f->directory, shard, done, rows - done), rows - done);
        cr_assert_eq(fresh.counts.by_delta, all);
        cr_assert_eq(fresh.change_count, all);
        cr_assert_eq(fresh.counts.enters, falls ? 0 : 2 * 6 * 300);
        cr_assert_eq(fresh.counts.leaves, 0);
        phx_scratch_free(&fresh);
        fleet_close(f);
        if (done == rows) return stopped_inside;
        cr_assert_lt(calls, 100);
    }
}

Test(movers, runs_that_stop_go_on_where_they_stopped)
{
    (void)run_with_stops(false); /* all there is to reserve is reserved at first */
    cr_assert_gt(run_with_stops(true), 0, "annuli are kept: each takes memory of its own");
}
