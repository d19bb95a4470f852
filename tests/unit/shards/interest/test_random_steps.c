/*
 * shards/interest/: random short steps with some discontinuities among them, in worlds of every sort, against a plain
 * world (shards_fixture.h compares every tick).
 */
#include "support/check.h"
#include "unit/shards/shards_fixture.h"

/* ---- random steps ---- */

/* A random world; see random_steps(). */
typedef struct steps_case {
    const char *what;
    float tower, view, margin, step; /* the last two at most */
    float origin;
    uint32_t towers, shards; /* along each axis */
    uint32_t movers;         /* of 100 entities, each tick */
    uint32_t discontinuous;  /* of 1000, each tick: discontinuities */
    uint32_t like;           /* of those below */
} steps_case;

enum {
    WHOLE = 1,    /* coordinates are whole numbers: many distances equal radii */
    FAR = 2,      /* some are global or have a reach */
    OUTSIDE = 4,  /* some stand outside of the world */
    BY_DELTA = 8, /* to be expected: more deltas than evaluations */
    AWAY = 32,    /* with OUTSIDE: most stand far outside, in one tower at each corner and at each edge */
    LIMITED = 16, /* most observers have a cap, up to thrice as large as an average list */
    REACH = 64    /* some have a reach, and walk as all do */
};

static const steps_case steps_cases[] = {
    {"few move", 10, 20, 0, 2.5f, 0, 20, 1, 8, 1, BY_DELTA},
    {"all move", 10, 20, 0, 2.5f, 0, 20, 1, 100, 1, BY_DELTA},
    {"with margins", 10, 20, 8, 2.5f, 0, 20, 1, 60, 1, BY_DELTA},
    {"whole numbers", 10, 20, 5, 2, 0, 20, 1, 60, 1, WHOLE | BY_DELTA},
    {"whole numbers, no margin", 10, 20, 0, 2, 0, 20, 1, 60, 0, WHOLE | BY_DELTA},
    {"much else", 10, 20, 5, 2.5f, 0, 20, 1, 60, 40, OUTSIDE},
    {"far targets", 10, 20, 5, 2.5f, 0, 20, 1, 20, 10, FAR},
    {"four shards", 10, 20, 5, 2.5f, 0, 20, 2, 60, 2, OUTSIDE},
    {"nine shards, much else", 10, 15, 5, 2.5f, 0, 20, 3, 60, 30, OUTSIDE},
    {"jumps", 10, 20, 5, 5, 0, 20, 1, 10, 1, 0},
    {"wide views", 2, 20, 5, 0.5f, 0, 100, 1, 50, 1, OUTSIDE},
    {"tiny views", 10, 1, 0.5f, 2.5f, 0, 8, 1, 60, 1, BY_DELTA},
    {"far from the origin", 10, 20, 5, 2.5f, 1e6f, 20, 1, 60, 1, BY_DELTA},
    {"very far from the origin", 10, 20, 5, 2.5f, -1.5e7f, 20, 1, 60, 1, BY_DELTA},
    {"very far, and outside", 10, 20, 5, 2.5f, -1.5e7f, 20, 1, 60, 1, OUTSIDE},
    {"whole numbers, outside", 10, 20, 5, 2, 0, 20, 1, 60, 1, WHOLE | OUTSIDE},
    {"far outside", 10, 20, 5, 2.5f, 0, 20, 1, 60, 1, OUTSIDE | AWAY | BY_DELTA},
    {"far outside, all move", 10, 20, 0, 2.5f, 0, 8, 1, 100, 1, OUTSIDE | AWAY | BY_DELTA},
    {"far outside, few move", 10, 20, 0, 2.5f, 0, 8, 1, 8, 1, OUTSIDE | AWAY | BY_DELTA},
    {"far outside, whole numbers, much else", 10, 20, 0, 2, 0, 8, 1, 60, 20, OUTSIDE | AWAY | WHOLE},
    {"far outside, four shards, much else", 10, 20, 0, 2.5f, 0, 20, 2, 60, 30, OUTSIDE | AWAY},
    {"far outside, caps", 10, 20, 0, 2.5f, 0, 8, 1, 60, 5, OUTSIDE | AWAY | LIMITED},
    {"very far, and far outside", 10, 20, 5, 2.5f, -1.5e7f, 20, 1, 60, 1, OUTSIDE | AWAY},
    {"no margins, much else", 10, 20, 0, 2.5f, 0, 20, 1, 60, 40, BY_DELTA},
    {"no margins, whole numbers, much else", 10, 20, 0, 2, 0, 20, 1, 30, 40, WHOLE | BY_DELTA},
    {"no margins, hardly anything but that", 10, 20, 0, 2.5f, 0, 20, 1, 60, 300, 0},
    {"no margins, a crowd, much else", 10, 20, 0, 2.5f, 0, 5, 1, 60, 20, BY_DELTA},
    {"no margins, a dense crowd, much else", 10, 12, 0, 2.5f, 0, 2, 1, 60, 20, BY_DELTA},
    {"no margins, four shards, much else", 10, 20, 0, 2.5f, 0, 20, 2, 60, 60, 0},
    {"no margins, far targets come and go", 10, 20, 0, 2.5f, 0, 20, 1, 20, 3, FAR},
    {"caps, few move", 10, 20, 0, 2.5f, 0, 20, 1, 8, 1, LIMITED | BY_DELTA},
    {"caps, all move", 10, 20, 0, 2.5f, 0, 20, 1, 100, 1, LIMITED | BY_DELTA},
    {"caps, a crowd, much else", 10, 20, 0, 2.5f, 0, 5, 1, 60, 20, LIMITED},
    {"caps, a crowd, few else", 10, 20, 0, 2.5f, 0, 5, 1, 100, 2, LIMITED | WHOLE},
    {"caps, hardly anything but discontinuities", 10, 20, 0, 2.5f, 0, 20, 1, 60, 300, LIMITED},
    {"caps, four shards, much else", 10, 20, 0, 2.5f, 0, 20, 2, 60, 60, LIMITED},
    {"caps, far targets come and go", 10, 20, 0, 2.5f, 0, 20, 1, 20, 3, LIMITED | FAR},
    {"reaches, few move", 10, 20, 5, 2.5f, 0, 20, 1, 8, 1, REACH | BY_DELTA},
    {"reaches, all move", 10, 20, 0, 2.5f, 0, 20, 1, 100, 0, REACH | BY_DELTA},
    {"reaches, whole numbers", 10, 20, 5, 2, 0, 20, 1, 60, 1, REACH | WHOLE | BY_DELTA},
    {"reaches, caps", 10, 20, 5, 2.5f, 0, 20, 1, 60, 1, REACH | LIMITED | BY_DELTA},
    {"reaches, much else", 10, 20, 5, 2.5f, 0, 20, 1, 60, 10, REACH},
    {"reaches, wide towers", 40, 20, 5, 5, 0, 8, 1, 60, 1, REACH | BY_DELTA},
    {"reaches, two blocks", 20, 20, 15, 5, 0, 16, 1, 60, 1, REACH | BY_DELTA},
    {"reaches, far outside", 10, 20, 5, 2.5f, 0, 20, 1, 60, 1, REACH | OUTSIDE | AWAY},
    {"reaches, four shards", 10, 20, 5, 2.5f, 0, 20, 2, 60, 1, REACH},
};

static fleet *f;
static uint64_t rng;
static uint32_t stops;

static float whole_or_not(const steps_case *c, float v)
{
    return c->like & WHOLE ? roundf(v) : v;
}

/* Up to thrice the length of an average list. */
static uint32_t some_cap(const steps_case *c)
{
    const float wide = c->tower * (float)c->towers, seen = 180 * 3 * c->view * c->view / (wide * wide);
    return 1 + (uint32_t)phx_rng_below(&rng, 1 + (uint32_t)(3 * seen));
}

static phx_attr some_attr(const steps_case *c)
{
    phx_attr attr = plain_attr(0, 0);
    if (phx_rng_below(&rng, 3) > 0) {
        attr.view = whole_or_not(c, c->view * float_between(&rng, 0.3f, 1)) + (c->like & WHOLE ? 1 : 0);
        if (phx_rng_below(&rng, 3) > 0) attr.margin = whole_or_not(c, c->margin * phx_rng_unit(&rng));
        attr.sees = phx_rng_below(&rng, 6) ? UINT64_MAX : 1;
        attr.detect = (uint8_t)phx_rng_below(&rng, 2);
        if (phx_rng_below(&rng, 20) == 0) attr.cap = 3;
        if (phx_rng_below(&rng, 30) == 0) attr.sees = 2;
        if (phx_rng_below(&rng, 30) == 0) attr.ready = false;
        if ((c->like & LIMITED) && phx_rng_below(&rng, 5) > 0) attr.cap = some_cap(c);
    }
    if (phx_rng_below(&rng, 6) == 0) attr.layers = 1 + phx_rng_below(&rng, 3);
    if (phx_rng_below(&rng, 6) == 0) attr.stealth = (uint8_t)phx_rng_below(&rng, 3);
    if ((c->like & FAR) && phx_rng_below(&rng, 15) == 0) attr.reach = c->view * float_between(&rng, 0.2f, 3);
    if ((c->like & REACH) && phx_rng_below(&rng, 15) == 0)
        attr.reach = whole_or_not(c, c->view * (1 + phx_rng_unit(&rng)));
    if ((c->like & FAR) && phx_rng_below(&rng, 40) == 0) attr.global = true;
    attr.kind = (uint16_t)phx_rng_below(&rng, 4);
    return attr;
}

static float anywhere(const steps_case *c)
{
    float out = c->like & OUTSIDE ? 0.02f : 0, wide = c->tower * (float)c->towers;
    const float p = whole_or_not(c, c->origin + wide * float_between(&rng, -out, 1 + out));
    return c->like & AWAY ? p + 2 * wide * (float)((int32_t)phx_rng_below(&rng, 3) - 1) : p;
}

/* A step from there, not out of the world unless that may be. */
static float step_from(const steps_case *c, float p)
{
    float to = p + whole_or_not(c, c->step * float_between(&rng, -1, 1));
    if (c->like & OUTSIDE) return to;
    return fminf(fmaxf(to, c->origin), c->origin + c->tower * (float)c->towers);
}

/* Something else than a step. */
static void odd_command(const steps_case *c, uint64_t id, uint32_t ids)
{
    uint64_t other = 1 + phx_rng_below(&rng, ids);
    if (!f->entity[id].in) {
        fleet_enter(f, id, some_attr(c), anywhere(c), anywhere(c));
        return;
    }
    switch (phx_rng_below(&rng, 5)) {
    case 0:
        fleet_leave(f, id);
        break;
    case 1:
        fleet_move(f, id, anywhere(c), anywhere(c));
        break;
    case 2:
        fleet_set(f, id, some_attr(c), phx_rng_below(&rng, 2));
        break;
    case 3:
        if (id != other && f->entity[other].in) fleet_relate(f, id, other, phx_rng_below(&rng, 3), c->view);
        break;
    default:
        fleet_fly(f, id, f->entity[id].x, f->entity[id].y, phx_rng_unit(&rng));
        break;
    }
}

static void step(const steps_case *c, uint64_t id)
{
    const fleet_entity *e = &f->entity[id];
    const bool far = (c->like & FAR) && (e->attr.global || e->attr.reach > 0);
    if (!e->in || (far && phx_rng_below(&rng, 10))) return;
    float x = step_from(c, e->x), y = step_from(c, e->y);
    fleet_move(f, id, x, y);
    if (phx_rng_below(&rng, 400) == 0) fleet_move(f, id, step_from(c, e->x), e->y); /* twice in a tick */
}

/* Every fourth entity has a pair or a link with one that has a reach. */
static void relate_to_reaches(const steps_case *c, uint32_t ids)
{
    for (uint64_t id = 1; id <= ids; id += 4) {
        const uint64_t other = 1 + phx_rng_below(&rng, ids);
        if (id == other || f->entity[other].attr.reach == 0 || !f->entity[id].in || !f->entity[other].in) continue;
        fleet_relate(f, id, other, phx_rng_below(&rng, 2) ? PHX_RELATION_LINK : PHX_RELATION_PAIR, c->view);
    }
}

/* allocations > 0: about every so many of them fail. */
static phx_interest_counts random_steps(const steps_case *c, uint64_t seed, uint32_t ids, uint32_t allocations)
{
    enum { TICKS = 60 };
    static const ph_simd simds[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    phx_rules rules = plain_rules(c->tower, c->towers);
    rng = seed;
    rules.origin[0] = rules.origin[1] = c->origin;
    rules.shape = seed % 2 ? PH_SHAPE_CIRCLE : PH_SHAPE_SQUARE;
    rules.simd = phx_simd_supported(simds[seed % 3]) ? simds[seed % 3] : PH_SIMD_PORTABLE;
    f = fleet_open(rules, c->shards, c->shards, 256);
    f->piece = 1 + (uint32_t)(seed % 40);
    f->scarce = seed % 2;
    if (allocations > 0) fleet_memory_for(allocations);
    fleet_begin(f);
    for (uint64_t id = 1; id <= ids; id++) fleet_enter(f, id, some_attr(c), anywhere(c), anywhere(c));
    fleet_end(f);
    fleet_memory_enough();
    phx_interest_counts before = fleet_counts(f), now;
    for (uint32_t t = 0; t < TICKS; t++) {
        if (allocations > 0) fleet_memory_for(phx_rng_below(&rng, allocations));
        fleet_begin(f);
        if ((c->like & REACH) && t % 10 == 0) relate_to_reaches(c, ids);
        for (uint64_t id = 1; id <= ids; id++) {
            if (phx_rng_below(&rng, 1000) < c->discontinuous) odd_command(c, id, ids);
            else if (phx_rng_below(&rng, 100) < c->movers) step(c, id);
        }
        fleet_end(f);
        fleet_memory_enough();
    }
    now = fleet_counts(f);
    stops += f->stops;
    fleet_close(f);
    now.evaluated -= before.evaluated;
    now.enters -= before.enters;
    now.leaves -= before.leaves;
    return now;
}

/* Over seeds: one alone may have few deltas. */
static void check_case(const steps_case *c, uint64_t seed_first, uint64_t seed_count)
{
    phx_interest_counts sum = {0};
    for (uint64_t seed = seed_first; seed < seed_first + seed_count; seed++) {
        const phx_interest_counts counts = random_steps(c, seed, 180, 0);
        sum.enters += counts.enters;
        sum.leaves += counts.leaves;
        sum.by_delta += counts.by_delta;
        sum.evaluated += counts.evaluated;
    }
    cr_assert_gt(sum.enters + sum.leaves, 100 * seed_count, "%s", c->what);
    cr_assert_gt(sum.by_delta, 100 * seed_count, "%s: %lu", c->what, (unsigned long)sum.by_delta);
    if (c->like & BY_DELTA)
        cr_assert_gt(sum.by_delta, sum.evaluated, "%s: %lu glances, %lu lists", c->what, (unsigned long)sum.by_delta,
                     (unsigned long)sum.evaluated);
}

Test(run_delta, random_steps_of_every_sort)
{
    for (size_t i = 0; i < sizeof steps_cases / sizeof *steps_cases; i++)
        check_case(&steps_cases[i], 600 + i * 10, test_amount(6));
}

Test(run_delta, random_steps_while_memory_ends_now_and_then)
{
    for (size_t i = 0; i < sizeof steps_cases / sizeof *steps_cases; i++)
        (void)random_steps(&steps_cases[i], 800 + i, 120, 4);
    cr_assert_gt(stops, 100, "%u", stops);
}

/*
 * Positions are 8 apart there, blocks 80: the error of float32 may be more than a block, so there are no tiles. Where
 * few moved none is needed.
 */
Test(run_delta, no_tiles_where_positions_are_as_coarse_as_blocks)
{
    static const steps_case coarse = {"coarse", 10, 20, 5, 2.5f, 1e8f, 80, 1, 60, 100, 0};
    for (uint64_t seed = 900; seed < 904; seed++) {
        phx_interest_counts counts = random_steps(&coarse, seed, 500, 0);
        cr_assert_gt(counts.enters + counts.leaves, 100);
        cr_assert_gt(counts.evaluated, 100);
    }
}
