/*
 * shards/grid/far_targets.c: how many towers a length spans, and that the 3 x 3 cells of each level
 * hold every target whose reach may span to the observer.
 */
#include "unit/shards/shard_case.h"

#include "shards/grid/far_targets.h"

static phx_store store;
static phx_far far;
static phx_rules rules;

static void set_up(void)
{
    memory_set_up();
    phx_store_init(&store, &memory);
    far = (phx_far){0};
    rules = plain_rules(50, 200);
}

static void tear_down(void)
{
    phx_far_free(&far, &memory);
    phx_store_free(&store, &memory);
    memory_tear_down();
}

TestSuite(far, .init = set_up, .fini = tear_down);

/* ---- lengths ---- */

static uint32_t apart(uint16_t a, uint16_t b)
{
    return a > b ? (uint32_t)(a - b) : (uint32_t)(b - a);
}

static phx_body body_at(float x, float y)
{
    return (phx_body){.x = x, .y = y, .tx = phx_tower_index(&rules, 0, x), .ty = phx_tower_index(&rules, 1, y)};
}

Test(far, the_span_of_a_length_covers_it)
{
    rules = plain_rules(100, 10);
    cr_assert_eq(phx_length_towers(&rules, FLT_TRUE_MIN), 1);
    cr_assert_eq(phx_length_towers(&rules, 1), 1);
    cr_assert_eq(phx_length_towers(&rules, 99), 1);
    cr_assert_eq(phx_length_towers(&rules, 101), 2);
    cr_assert_eq(phx_length_towers(&rules, 950), 10);
    for (uint32_t n = 1; n < 60000; n += 37) cr_assert_leq(phx_length_towers(&rules, 100.0f * (float)n), n + 1);
}

Test(far, a_length_without_a_square_spans_all)
{
    cr_assert_eq(phx_length_towers(&rules, 2e19f), PH_TOWERS_AXIS_MAX);
    cr_assert_eq(phx_length_towers(&rules, FLT_MAX), PH_TOWERS_AXIS_MAX);
    cr_assert_eq(phx_length_towers(&rules, INFINITY), PH_TOWERS_AXIS_MAX);
    cr_assert_eq(phx_length_towers(&rules, 1e19f), PH_TOWERS_AXIS_MAX);
    rules.tower_size = FLT_MIN;
    cr_assert_eq(phx_length_towers(&rules, 1), PH_TOWERS_AXIS_MAX);
    rules.tower_size = 1e30f; /* beyond it everything is in range, however large the towers */
    cr_assert_eq(phx_length_towers(&rules, 2e19f), PH_TOWERS_AXIS_MAX);
    cr_assert_eq(phx_length_towers(&rules, 1e18f), 1);
}

Test(far, a_difference_that_is_rounded_may_span_one_tower_more)
{
    rules = plain_rules(1, 2000);
    phx_body o = body_at(nextafterf(1, 0), 0), t = body_at(1025, 0); /* a little more than 1024 apart */
    cr_assert(phx_in_range(&rules, &o, &t, 1024));
    cr_assert_eq(apart(o.tx, t.tx), 1025);
    cr_assert_geq(phx_length_towers(&rules, 1024), 1025);
}

Test(far, indexes_that_are_rounded_apart_may_span_one_tower_more)
{
    rules = plain_rules(1, 65535);
    rules.origin[0] = -32768; /* indexes of 32768 and more are rounded to 1/256, lower ones to 1/512 */
    phx_body o = body_at(2 - 0.0019f, 0), t = body_at(-1 - 0.00099f, 0);
    cr_assert(phx_in_range(&rules, &o, &t, 2.9991f));
    cr_assert_eq(apart(o.tx, t.tx), 4);
    cr_assert_geq(phx_length_towers(&rules, 2.9991f), 4);
}

/* Positions about a length apart, near borders of towers, with coordinates of any size. */
Test(far, targets_in_range_are_within_the_towers_of_the_length)
{
    uint64_t rng = 8;
    uint32_t at_bound = 0;
    for (int i = 0; i < 300000; i++) {
        uint32_t towers = 1 + phx_rng_below(&rng, 1u << phx_rng_below(&rng, 17));
        float size = ldexpf(1.0f + phx_rng_unit(&rng), (int)phx_rng_below(&rng, 40) - 20);
        rules = plain_rules(size, towers < 65535 ? towers : 65535);
        rules.shape = i % 2 ? PH_SHAPE_CIRCLE : PH_SHAPE_SQUARE;
        float extent = size * (float)rules.towers[0];
        switch (phx_rng_below(&rng, 3)) {
        case 0:
            break;
        case 1:
            rules.origin[0] = -extent / 2;
            break;
        default:
            rules.origin[0] = extent * float_between(&rng, -1000, 1000);
            break;
        }
        float length = size * float_between(&rng, 0, 1) * (float)(1u << phx_rng_below(&rng, 12));
        if (phx_rng_below(&rng, 2)) length = size * (float)(1 + phx_rng_below(&rng, rules.towers[0]));
        if (length == 0.0f) continue;
        uint32_t first = i % 3 ? rules.towers[0] + 1 : 3;
        float border = rules.origin[0] + size * (float)phx_rng_below(&rng, first);
        float ox = float_near(&rng, phx_rng_below(&rng, 2) ? border : rules.origin[0] + extent * phx_rng_unit(&rng));
        float tx = float_near(&rng, phx_rng_below(&rng, 2) ? ox + length : ox - length);
        phx_body o = body_at(ox, 0), t = body_at(tx, 0);
        if (!phx_in_range(&rules, &o, &t, length)) continue;
        uint32_t bound = phx_length_towers(&rules, length);
        cr_assert_leq(apart(o.tx, t.tx), bound, "round %d: %a and %a, %a apart, towers of %a from %a", i, (double)ox,
                      (double)tx, (double)length, (double)size, (double)rules.origin[0]);
        at_bound += apart(o.tx, t.tx) == bound;
    }
    cr_assert_gt(at_bound, 1000, "the bound is met, so a smaller one would be wrong");
}

/* ---- levels ---- */

static uint64_t copies = 1; /* instances that targets are put into, in turn */

static uint32_t put(float x, float y, float reach, bool global)
{
    static uint64_t id = 0;
    cr_assert(phx_store_reserve(&store, &memory, 1));
    uint32_t slot = phx_store_add(&store, ++id, PHX_SLOT_OWN);
    store.body[slot] = body_at(x, y);
    store.body[slot].state = PHX_SLOT_OWN | (reach > 0 || global ? PHX_SLOT_FAR : 0);
    phx_attr attr = plain_attr(0, 0);
    attr.reach = reach;
    attr.global = global;
    attr.instance = (uint32_t)(id % copies);
    set_attr(&store, slot, attr);
    return slot;
}

static void rebuild(void)
{
    far.stale = true;
    cr_assert(phx_far_rebuild(&far, &memory, &rules, &store));
    cr_assert_not(far.stale);
    for (uint32_t i = 1; i < far.entry_count; i++) {
        const phx_far_entry *one = &far.entries[i - 1], *next = &far.entries[i];
        cr_assert(one->instance < next->instance || (one->instance == next->instance && one->key <= next->key));
    }
}

static uint8_t times_found[4096]; /* by slot */

/* All far targets that an observer at this tower of an instance tests; returns how many. */
static uint32_t gather_of(uint32_t instance, uint16_t tx, uint16_t ty)
{
    uint32_t found = 0;
    memset(times_found, 0, sizeof times_found);
    for (uint32_t level = 0; level < PHX_FAR_LEVELS; level++) {
        for (int dy = -1; dy <= 1; dy++) {
            uint32_t first, end;
            if (!(far.levels >> level & 1)) continue;
            phx_far_row(&far, instance, level, tx, ty, dy, &first, &end);
            cr_assert(first <= end && end <= far.entry_count);
            for (uint32_t i = first; i < end; i++, found++) times_found[far.entries[i].slot]++;
        }
    }
    return found;
}

static uint32_t gather(uint16_t tx, uint16_t ty)
{
    return gather_of(0, tx, ty);
}

Test(far, only_live_far_targets_are_collected)
{
    (void)put(100, 100, 0, false);
    uint32_t reaching = put(100, 100, 60, false), global = put(5000, 5000, 60, true), dead = put(1, 1, 60, false);
    phx_store_kill(&store, dead);
    uint32_t ghost = put(200, 200, 300, false);
    cr_assert(phx_idmap_reserve(&store.ghosts, 1));
    phx_store_to_ghost(&store, ghost, (phx_ghost_source){0});
    rebuild();
    cr_assert_eq(far.global_count, 1);
    cr_assert_eq(far.entry_count, 3);
    cr_assert_eq(far.entries[0].slot, reaching);
    cr_assert_eq(far.entries[1].slot, ghost);
    cr_assert_eq(far.entries[2].slot, global);
    uint32_t first, end;
    phx_far_globals(&far, 0, &first, &end);
    cr_assert(first == 2 && end == 3);
    phx_far_globals(&far, 1, &first, &end);
    cr_assert_eq(first, end);
    cr_assert_eq(far.levels, 1u << 1 | 1u << 3, "2 towers and 7");
    set_attr(&store, ghost, plain_attr(0, 0));
    store.body[ghost].state &= (uint16_t)~PHX_SLOT_FAR;
    phx_attr local = *phx_store_attr(&store, global);
    local.global = false;
    set_attr(&store, global, local);
    rebuild();
    cr_assert_eq(far.global_count, 0);
    cr_assert_eq(far.entry_count, 2);
    cr_assert_eq(far.levels, 1u << 1);
}

/* Random targets and observers in a world; every target in range of its reach has to be found, once. */
static void find_all(uint64_t seed, uint32_t targets)
{
    uint64_t rng = seed, looked_at = 0, in_range = 0;
    float extent = rules.tower_size * (float)rules.towers[0];
    for (uint32_t i = 0; i < targets; i++) {
        float reach = rules.tower_size * phx_rng_unit(&rng) * (float)(1u << phx_rng_below(&rng, 10));
        if (phx_rng_below(&rng, 50) == 0) reach = 1e30f;
        (void)put(rules.origin[0] + extent * float_between(&rng, -0.1f, 1.1f),
                  rules.origin[1] + extent * float_between(&rng, -0.1f, 1.1f), reach + FLT_MIN, false);
    }
    rebuild();
    cr_assert_eq(far.entry_count, targets);
    enum { PARTS_EACH_TICK = 3000 };
    for (uint32_t look = 0; look < PARTS_EACH_TICK; look++) {
        float x = rules.origin[0] + extent * float_between(&rng, -0.1f, 1.1f);
        float y = rules.origin[1] + extent * float_between(&rng, -0.1f, 1.1f);
        uint32_t pick = phx_rng_below(&rng, targets);
        if (look % 2 && phx_store_attr(&store, pick)->reach < 1e20f) { /* at the very end of one's reach */
            float reach = phx_store_attr(&store, pick)->reach;
            x = float_near(&rng, store.body[pick].x + (look % 4 == 1 ? reach : -reach));
            y = store.body[pick].y;
        }
        phx_body o = body_at(x, y);
        looked_at += gather(o.tx, o.ty);
        for (uint32_t slot = 0; slot < targets; slot++) {
            cr_assert_leq(times_found[slot], 1, "twice");
            if (!phx_in_range(&rules, &o, &store.body[slot], phx_store_attr(&store, slot)->reach)) continue;
            cr_assert_eq(times_found[slot], 1, "seed %lu: %a of %a", (unsigned long)seed, (double)x,
                         (double)phx_store_attr(&store, slot)->reach);
            in_range++;
        }
    }
    cr_assert_gt(in_range, PARTS_EACH_TICK / 2);
    cr_assert_lt(looked_at, (uint64_t)PARTS_EACH_TICK * targets * 4 / 5, "not everything is looked at");
}

Test(far, nine_cells_of_each_level_hold_all_that_reach)
{
    find_all(9, 1000);
}

Test(far, in_the_largest_world_too)
{
    rules = plain_rules(0.5f, 65535);
    find_all(10, 1000);
}

Test(far, far_from_the_coordinates_origin_too)
{
    rules = plain_rules(3, 5000);
    rules.origin[0] = -3e6f;
    rules.origin[1] = 7e6f;
    find_all(11, 1000);
}

Test(far, on_the_borders_of_cells)
{
    rules = plain_rules(1, 300);
    uint64_t rng = 12;
    enum { COUNT = 500 };
    for (uint32_t i = 0; i < COUNT; i++)
        (void)put((float)phx_rng_below(&rng, 300), (float)phx_rng_below(&rng, 300),
                  (float)(1u << phx_rng_below(&rng, 8)), false);
    rebuild();
    for (uint32_t look = 0; look < 2000; look++) {
        phx_body o = body_at((float)phx_rng_below(&rng, 300), (float)phx_rng_below(&rng, 300));
        (void)gather(o.tx, o.ty);
        for (uint32_t slot = 0; slot < COUNT; slot++) {
            if (!phx_in_range(&rules, &o, &store.body[slot], phx_store_attr(&store, slot)->reach)) continue;
            cr_assert_eq(times_found[slot], 1);
        }
    }
}

Test(far, a_rebuild_without_memory_is_called_again)
{
    for (uint64_t calls = 0;; calls++) {
        for (uint32_t i = 0; i < 300; i++) (void)put((float)i, (float)i, 10, i % 3 == 0);
        memory_for(calls);
        bool done = phx_far_rebuild(&far, &memory, &rules, &store);
        memory_enough();
        if (!done) rebuild();
        cr_assert_eq(far.global_count, 100);
        cr_assert_eq(far.entry_count, 300);
        if (done) {
            cr_assert_eq(calls, 4);
            break;
        }
        tear_down();
        set_up();
    }
}

/* Each is found in its own instance and in no other. */
Test(far, instances_are_apart)
{
    enum { COUNT = 600, COPIES = 3 };
    uint64_t rng = 14;
    copies = COPIES;
    for (uint32_t i = 0; i < COUNT; i++)
        (void)put(1000 * phx_rng_unit(&rng), 1000 * phx_rng_unit(&rng), 1 + 90 * phx_rng_unit(&rng), i % 7 == 0);
    rebuild();
    for (uint32_t look = 0; look < 2000; look++) {
        const phx_body o = body_at(1000 * phx_rng_unit(&rng), 1000 * phx_rng_unit(&rng));
        const uint32_t instance = phx_rng_below(&rng, COPIES + 1);
        uint32_t first, end;
        (void)gather_of(instance, o.tx, o.ty);
        phx_far_globals(&far, instance, &first, &end);
        for (uint32_t i = first; i < end; i++) times_found[far.entries[i].slot]++;
        for (uint32_t slot = 0; slot < COUNT; slot++) {
            const phx_attr *attr = phx_store_attr(&store, slot);
            cr_assert_leq(times_found[slot], attr->instance == instance);
            if (attr->instance != instance) continue;
            bool sees = attr->global || phx_in_range(&rules, &o, &store.body[slot], attr->reach);
            if (sees) cr_assert_eq(times_found[slot], 1);
        }
    }
    copies = 1;
}

Test(far, growing_and_shrinking_keeps_the_arrays_right)
{
    uint64_t rng = 13;
    for (int round = 0; round < 200; round++) {
        uint32_t wanted = 1 + phx_rng_below(&rng, 300), reaching = 0;
        for (uint32_t slot = 0; slot < store.slots; slot++)
            if (store.body[slot].state & PHX_SLOT_LIVE) phx_store_kill(&store, slot);
        phx_store_bury(&store);
        for (uint32_t i = 0; i < wanted; i++)
            (void)put(1000 * phx_rng_unit(&rng), 5, 1 + 500 * phx_rng_unit(&rng), false);
        rebuild();
        cr_assert_eq(far.entry_count, wanted);
        memset(times_found, 0, sizeof times_found);
        for (uint32_t i = 0; i < far.entry_count; i++) times_found[far.entries[i].slot]++;
        for (uint32_t slot = 0; slot < store.slots; slot++) reaching += times_found[slot] == 1;
        cr_assert_eq(reaching, wanted, "each once");
    }
}

/* As if they were collected anew. */
Test(far, entries_follow_targets_that_move)
{
    enum { TARGETS = 200, ROUNDS = 40 };
    uint64_t rng = 14;
    for (uint32_t i = 0; i < TARGETS; i++)
        (void)put(1000 * phx_rng_unit(&rng), 1000 * phx_rng_unit(&rng), 1 + 200 * phx_rng_unit(&rng), i % 20 == 0);
    rebuild();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        static phx_far_entry followed[TARGETS];
        for (uint32_t slot = 0; slot < store.slots; slot++) {
            const uint16_t state = store.body[slot].state;
            store.body[slot] = body_at(1000 * phx_rng_unit(&rng), 1000 * phx_rng_unit(&rng));
            store.body[slot].state = state;
        }
        far.moved = true;
        phx_far_follow(&far, &rules, &store);
        cr_assert_not(far.moved);
        memcpy(followed, far.entries, sizeof followed);
        const uint32_t levels = far.levels, globals = far.global_count;
        rebuild();
        cr_assert(far.levels == levels && far.global_count == globals && far.entry_count == TARGETS);
        for (uint32_t i = 0; i < TARGETS; i++)
            cr_assert_eq(far.entries[i].key, followed[i].key, "round %u, entry %u", round, i);
    }
}
