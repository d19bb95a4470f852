/*
 * shards/query/slots_in_range.h: the slots near a place, by rows that drift and by an index, against brute force.
 */
#include "unit/shards/shards_fixture.h"

#include "base/simd.h"
#include "shards/query/slots_in_range.h"

enum { IDS = 300, TICKS = 24, BOXES = 40, TOWERS = 20 };
static const float SIDE = 10.0f * TOWERS;

static fleet *f;
static uint64_t rng;

static fleet *open_world(ph_range range, uint64_t seed)
{
    static const ph_simd simds[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    phx_rules rules = plain_rules(10, TOWERS);
    rules.range = range;
    rules.simd = phx_simd_supported(simds[seed % 3]) ? simds[seed % 3] : PH_SIMD_PORTABLE;
    rng = seed;
    return fleet_open(rules, 2, 2, 256);
}

static void walk_all(void)
{
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++) {
        const fleet_entity *e = &f->entity[id];
        if (!e->in)
            fleet_enter(f, id, plain_attr(id % 2 ? 15 : 0, 0), SIDE * phx_rng_unit(&rng), SIDE * phx_rng_unit(&rng));
        else if (phx_rng_below(&rng, 100) == 0) fleet_leave(f, id);
        else fleet_move(f, id, e->x + float_between(&rng, -1, 1), e->y + float_between(&rng, -1, 1));
    }
    fleet_end(f);
}

/* A coordinate: mostly that of an entity, or a step beside it. */
static float somewhere(int axis)
{
    const fleet_entity *e = &f->entity[1 + phx_rng_below(&rng, IDS)];
    if (phx_rng_below(&rng, 4) == 0) return float_between(&rng, -0.2f, 1.2f) * SIDE;
    return float_near(&rng, axis == 0 ? e->x : e->y);
}

static phx_box some_box(void)
{
    float ax = somewhere(0), bx = somewhere(0), ay = somewhere(1), by = somewhere(1);
    if (phx_rng_below(&rng, 2) == 0)
        return phx_box_around(ax, ay, phx_rng_below(&rng, 9) == 0 ? 2e19f : fabsf(bx - ax));
    return (phx_box){fminf(ax, bx), fminf(ay, by), fmaxf(ax, bx), fmaxf(ay, by)};
}

/* The slots that a search has found. */
typedef struct counted {
    phx_sink sink;
    const phx_store *store;
    uint8_t *times; /* by slot */
    uint32_t found;
} counted;

static void count(phx_sink *sink, const uint32_t *slots, uint32_t n)
{
    counted *at = (counted *)sink;
    for (uint32_t i = 0; i < n; i++) {
        cr_assert(slots[i] < at->store->slots && (at->store->body[slots[i]].state & PHX_SLOT_LIVE));
        cr_assert_eq(at->times[slots[i]]++, 0, "found twice");
        at->found++;
    }
}

/* All live slots in it are found, none twice. Returns how many. */
static uint32_t check_box(const phx_shard *shard, phx_box box)
{
    const phx_store *store = &shard->store;
    counted at = {.sink.take = count, .store = store, .times = calloc(store->slots + 1, 1)};
    phx_slots_in_range(shard, NULL, box, &at.sink);
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        bool in = (body->state & PHX_SLOT_LIVE) && phx_box_has(box, body->x, body->y);
        if (!(body->state & (PHX_SLOT_OWN | PHX_SLOT_ROW))) continue; /* a ghost that waits for a row */
        cr_assert(at.times[slot] || !in, "%g %g is missing", (double)body->x, (double)body->y);
    }
    free(at.times);
    return at.found;
}

static void live(ph_range range, uint64_t seed)
{
    uint64_t found = 0;
    float drift = 0;
    f = open_world(range, seed);
    for (uint32_t t = 0; t < TICKS; t++) {
        walk_all();
        for (uint32_t i = 0; i < BOXES; i++) {
            phx_box box = some_box();
            for (uint32_t s = 0; s < f->shard_count; s++) found += check_box(&f->shard[s], box);
        }
        for (uint32_t s = 0; s < f->shard_count; s++) drift = fmaxf(drift, f->shard[s].grid.drift_bound);
    }
    cr_assert(found > 0);
    cr_assert(range == PH_RANGE_TOWERS || drift > 0, "no row drifted");
    fleet_close(f);
}

Test(slots_in_range, slots_are_those_of_a_full_search_in_range_radius)
{
    for (uint64_t seed = 1; seed <= 6; seed++) live(PH_RANGE_RADIUS, seed);
}

Test(slots_in_range, slots_are_those_of_a_full_search_in_range_towers)
{
    for (uint64_t seed = 1; seed <= 4; seed++) live(PH_RANGE_TOWERS, seed);
}

Test(slots_in_range, an_empty_shard_has_no_slots_in_range)
{
    f = open_world(PH_RANGE_RADIUS, 1);
    cr_assert_eq(check_box(&f->shard[0], phx_box_all()), 0);
    fleet_close(f);
}
