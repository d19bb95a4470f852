/*
 * shards/ninegrid/: range = towers, in random lives against a plain world (shards_fixture.h compares every tick, and
 * every list), and the work that is done for it.
 */
#include "shards/ingest/commands.h"
#include "shards/interest/run.h"
#include "unit/shards/shards_fixture.h"

static fleet *f;
static phx_interest_counts counted;

static phx_rules ninegrid_rules(uint32_t towers, uint32_t span)
{
    phx_rules rules = plain_rules(10, towers);
    rules.range = PH_RANGE_TOWERS;
    rules.span = span;
    return rules;
}

static void begin(void)
{
    fleet_begin(f);
    counted = fleet_counts(f);
}

/* Ends a tick with so many deltas and so many evaluations. */
static void end(uint64_t by_delta, uint64_t evaluated)
{
    fleet_end(f);
    phx_interest_counts now = fleet_counts(f);
    cr_assert_eq(now.by_delta - counted.by_delta, by_delta, "%lu glances",
                 (unsigned long)(now.by_delta - counted.by_delta));
    cr_assert_eq(now.evaluated - counted.evaluated, evaluated, "%lu lists",
                 (unsigned long)(now.evaluated - counted.evaluated));
}

/* ---- random lives ---- */

typedef struct life_case {
    const char *what;
    uint32_t towers, shards, span;
    float step;            /* of a tower */
    uint32_t movers;       /* of 100, each tick */
    uint32_t evaluate_all; /* of 1000, each tick: discontinuities */
    bool plain;            /* plain entities only */
    uint32_t allocations;  /* > 0: about every so many fail */
} life_case;

static const life_case life_cases[] = {
    {"all walk", 20, 1, 1, 0.5f, 100, 1, true, 0},
    {"few walk", 12, 1, 1, 0.5f, 10, 1, true, 0},
    {"a crowd", 4, 1, 1, 0.4f, 60, 4, true, 0},
    {"they jump", 20, 1, 2, 6, 40, 10, true, 0},
    {"they come and go", 16, 1, 1, 1, 40, 200, true, 0},
    {"in four shards", 20, 2, 1, 0.5f, 60, 10, true, 0},
    {"in nine shards, all sorts", 20, 3, 2, 0.7f, 60, 30, false, 0},
    {"all sorts", 14, 1, 1, 0.5f, 60, 30, false, 0},
    {"wide spans", 100, 1, 40, 5, 60, 10, false, 0},
    {"over many blocks", 60, 2, 5, 2, 60, 10, true, 0},
    {"memory ends", 16, 1, 1, 0.5f, 60, 60, true, 6},
    {"memory ends, all sorts, four shards", 16, 2, 1, 0.5f, 60, 60, false, 12},
};

static uint64_t rng;
static bool globals; /* some are */
static uint32_t stops;

static phx_attr some_attr(const life_case *c)
{
    phx_attr attr = plain_attr(0, 0);
    attr.kind = (uint16_t)phx_rng_below(&rng, 3);
    if (phx_rng_below(&rng, 3) > 0) attr.view = 1;
    if (phx_rng_below(&rng, 8) == 0) attr.layers = 1 + phx_rng_below(&rng, 3);
    if (phx_rng_below(&rng, 8) == 0) attr.stealth = (uint8_t)phx_rng_below(&rng, 3);
    if (phx_rng_below(&rng, 3) == 0) attr.detect = (uint8_t)phx_rng_below(&rng, 3);
    if (phx_rng_below(&rng, 9) == 0) attr.sees = 1 + phx_rng_below(&rng, 3);
    if (phx_rng_below(&rng, 20) == 0) attr.ready = false;
    if (c->plain) return attr;
    if (phx_rng_below(&rng, 6) == 0) attr.cap = 4;
    if (phx_rng_below(&rng, 6) == 0) attr.priority = (uint8_t)phx_rng_below(&rng, 3);
    if (globals && phx_rng_below(&rng, 60) == 0) attr.global = true;
    return attr;
}

static float anywhere(const life_case *c)
{
    return 10 * (float)c->towers * float_between(&rng, -0.02f, 1.02f);
}

static void odd_command(const life_case *c, uint64_t id, uint32_t ids)
{
    uint64_t other = 1 + phx_rng_below(&rng, ids);
    const fleet_entity *e = &f->entity[id];
    if (!e->in) {
        fleet_enter(f, id, some_attr(c), anywhere(c), anywhere(c));
        return;
    }
    switch (phx_rng_below(&rng, 6)) {
    case 0:
        fleet_leave(f, id);
        break;
    case 1:
        fleet_move(f, id, anywhere(c), anywhere(c));
        break;
    case 2:
        fleet_set(f, id, some_attr(c), phx_rng_below(&rng, 2));
        break;
    case 3: /* the same but for its name */
        fleet_set(f, id, e->attr, phx_rng_next(&rng));
        break;
    case 4:
        if (!c->plain && id != other && f->entity[other].in) fleet_relate(f, id, other, phx_rng_below(&rng, 4), 30);
        break;
    default: /* there and back, or to a third place */
        fleet_move(f, id, anywhere(c), anywhere(c));
        fleet_move(f, id, e->x + (phx_rng_below(&rng, 2) ? 0.0f : 10.0f), e->y);
        break;
    }
}

static void change_span(const life_case *c)
{
    f->rules.span = 1 + phx_rng_below(&rng, c->span + 1);
    for (uint32_t i = 0; i < f->shard_count; i++) phx_shard_rules_changed(&f->shard[i]);
}

/* As if an entity with such an id had been there: keys are by more bits, or say nothing. */
static void widen_ids(uint32_t bit)
{
    for (uint32_t i = 0; i < f->shard_count; i++) f->shard[i].store.id_bits |= UINT64_C(1) << bit;
}

static void random_life(const life_case *c, uint64_t seed)
{
    enum { IDS = 160, TICKS = 60 };
    uint32_t events = 0;
    rng = seed;
    globals = seed % 4 == 3;
    f = fleet_open(ninegrid_rules(c->towers, c->span), c->shards, c->shards, 64);
    f->piece = 1 + (uint32_t)(seed % 19);
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS * 3 / 4; id++) fleet_enter(f, id, some_attr(c), anywhere(c), anywhere(c));
    fleet_end(f);
    for (uint32_t t = 0; t < TICKS; t++) {
        f->scarce = seed % 2;
        if (c->allocations > 0) fleet_memory_for(phx_rng_below(&rng, c->allocations));
        fleet_begin(f);
        if (phx_rng_below(&rng, 30) == 0) change_span(c);
        if (phx_rng_below(&rng, 40) == 0) widen_ids(phx_rng_below(&rng, 36));
        for (uint64_t id = 1; id <= IDS; id++) {
            const fleet_entity *e = &f->entity[id];
            if (phx_rng_below(&rng, 1000) < c->evaluate_all) odd_command(c, id, IDS);
            if (!e->in || phx_rng_below(&rng, 100) >= c->movers) continue;
            fleet_move(f, id, e->x + 10 * c->step * float_between(&rng, -1, 1),
                       e->y + 10 * c->step * float_between(&rng, -1, 1));
        }
        fleet_end(f);
        fleet_memory_enough();
        events += f->enters + f->leaves;
    }
    phx_interest_counts counts = fleet_counts(f);
    cr_assert_gt(events, 200, "%s: %u events", c->what, events);
    cr_assert_gt(counts.evaluated, 20, "%s", c->what);
    cr_assert(globals || counts.by_delta > 200, "%s", c->what);
    stops += f->stops;
    fleet_close(f);
}

Test(ninegrid, random_lives)
{
    for (size_t c = 0; c < sizeof life_cases / sizeof life_cases[0]; c++) {
        stops = 0;
        for (uint64_t seed = 1; seed <= 8; seed++) random_life(&life_cases[c], 1000 * c + seed);
        cr_assert_eq(stops > 20, life_cases[c].allocations > 0, "%s: %u stops", life_cases[c].what, stops);
    }
}

/* ---- work ---- */

/* Observers 1, 2, ... at the middles of the towers of a row, one each. */
static void open_row(uint32_t count)
{
    f = fleet_open(ninegrid_rules(100, 1), 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= count; id++) fleet_enter(f, id, plain_attr(1, 0), (float)id * 10 - 5, 55);
    fleet_end(f);
    cr_assert_eq(f->enters, 2 * (count - 1));
}

Test(ninegrid, steps_inside_towers_cost_nothing)
{
    open_row(20);
    begin();
    for (uint64_t id = 1; id <= 20; id++) fleet_move(f, id, (float)id * 10 - 9, 59);
    end(0, 0);
    cr_assert_eq(fleet_counts(f).pairs_tested, counted.pairs_tested);
    cr_assert_eq(phx_interest_rows(&f->shard[0]), 0);
    fleet_close(f);
}

Test(ninegrid, a_crossing_is_an_event_where_it_is_seen)
{
    open_row(20);
    begin();
    fleet_move(f, 10, 105, 55); /* from tower 10 to 11: out of 9's list, into 12's; its own list has both */
    end(3, 0);
    cr_assert_eq(f->changes, 3);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->enters, 2);
    begin();
    fleet_move(f, 10, 95, 55);
    fleet_move(f, 10, 101, 55); /* there and back: it is where it was */
    end(0, 0);
    fleet_close(f);
}

Test(ninegrid, there_and_back_is_no_crossing_and_a_jump_is_one)
{
    open_row(20);
    begin();
    fleet_move(f, 1, 500, 500);
    fleet_move(f, 1, 5, 56);
    end(0, 0);
    cr_assert_eq(f->changes, 0);
    begin();
    fleet_move(f, 1, 195, 55); /* beside 20 */
    end(4, 0);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->enters, 4);
    fleet_close(f);
}

Test(ninegrid, changed_attributes_evaluate_all_observers_around)
{
    open_row(20);
    phx_attr hidden = plain_attr(1, 0);
    hidden.stealth = 1;
    begin();
    fleet_set(f, 10, hidden, 0);
    end(0, 3);
    cr_assert_eq(f->leaves, 2);
    begin();
    fleet_set(f, 10, hidden, 77); /* that is but a name */
    end(0, 0);
    hidden.detect = 1;
    begin();
    fleet_set(f, 11, hidden, 0);
    end(0, 3);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->enters, 1);
    fleet_close(f);
}

Test(ninegrid, a_capped_observer_is_evaluated_when_an_entity_near_moves)
{
    open_row(20);
    phx_attr capped = plain_attr(1, 0);
    capped.cap = 1;
    begin();
    fleet_set(f, 10, capped, 0);
    end(0, 1);
    cr_assert_eq(f->leaves, 1);
    begin();
    fleet_move(f, 20, 199, 59);
    end(0, 0);
    begin();
    fleet_move(f, 9, 81, 55);
    end(0, 1);
    begin();
    fleet_set(f, 10, plain_attr(1, 0), 0);
    end(0, 1);
    cr_assert_eq(f->enters, 1);
    begin();
    fleet_move(f, 9, 82, 55);
    end(0, 0);
    fleet_close(f);
}

Test(ninegrid, lists_are_kept_while_a_target_is_global)
{
    open_row(20);
    phx_attr beacon = plain_attr(0, 0);
    beacon.global = true;
    cr_assert_eq(f->shard[0].lists.used, 0);
    begin();
    fleet_enter(f, 100, beacon, 900, 900);
    end(0, 20);
    cr_assert_eq(f->enters, 20);
    cr_assert_gt(f->shard[0].lists.used, 0);
    begin();
    fleet_move(f, 1, 15, 55);
    fleet_end(f);
    cr_assert_gt(f->changes, 0);
    begin();
    fleet_leave(f, 100);
    end(0, 20);
    cr_assert_eq(f->leaves, 20);
    begin();
    fleet_move(f, 1, 5, 55);
    end(2, 0);
    fleet_close(f);
}

Test(ninegrid, a_migrant_takes_its_list_along)
{
    f = fleet_open(ninegrid_rules(20, 1), 2, 1, 64);
    fleet_begin(f);
    for (uint64_t id = 1; id <= 6; id++) fleet_enter(f, id, plain_attr(1, 0), 65 + (float)id * 10, 55);
    fleet_end(f);
    begin();
    fleet_move(f, 3, 105, 55);
    fleet_end(f);
    cr_assert_eq(fleet_home(f, 3), &f->shard[1]);
    cr_assert_eq(f->shard[0].counts.migrations, 1);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->enters, 2);
    begin();
    fleet_move(f, 3, 95, 55);
    fleet_end(f);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->enters, 2);
    fleet_close(f);
}

Test(ninegrid, empty_towers_cost_no_memory)
{
    f = fleet_open(ninegrid_rules(4000, 1), 1, 1, 4);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(1, 0), 5, 5);
    fleet_enter(f, 2, plain_attr(1, 0), 6, 5);
    fleet_end(f);
    for (uint32_t t = 0; t < 400; t++) {
        fleet_begin(f);
        fleet_move(f, 1, 5 + 100 * (float)t, 5);
        fleet_move(f, 2, 5, 7 + 100 * (float)t);
        fleet_end(f);
        cr_assert_leq(f->shard[0].ninegrid.cell_block_count, 2);
        cr_assert_leq(f->shard[0].ninegrid.entries_used, 16);
    }
    fleet_close(f);
}

Test(ninegrid, a_world_is_no_more_than_its_towers)
{
    f = fleet_open(ninegrid_rules(2, 60), 1, 1, 4); /* a span wider than the world */
    fleet_begin(f);
    for (uint64_t id = 1; id <= 10; id++) fleet_enter(f, id, plain_attr(1, 0), (float)id * 30 - 100, 5);
    fleet_end(f);
    cr_assert_eq(f->enters, 90);
    begin();
    fleet_move(f, 1, 15, 15);
    end(1, 0);
    cr_assert_eq(f->changes, 0);
    fleet_close(f);
}
