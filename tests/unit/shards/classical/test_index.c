/*
 * shards/classical/: every index that there is, by its contract alone (index.h), against brute force: entities
 * enter, leave, step, jump, stand in one place, outside the world, at the ends of float32. No answer may leave out a
 * slot in a box, a touched observer or a difference; and want of memory may only ever delay.
 */
#include "unit/shards/shard_case.h"

#include "shards/classical/index_parts.h"
#include "shards/classical/registry.h"
#include "support/indexes.h"

enum { SLOTS = 160, TICKS = 120, BOXES = 12, TOWERS = 20, SEEDS = 6 };
static const float SIDE = 50.0f * TOWERS;

/* The state of an observer and a target at the last tick's end. */
typedef struct was {
    float x, y, view, margin;
    bool live, own, observes;
    uint64_t layers;
} was;

typedef struct world {
    phx_rules rules;
    phx_store store;
    phx_index *index;
    uint64_t tick, rng, ids;
    was old[4 * SLOTS];
    bool jumped[4 * SLOTS]; /* in this tick, or new: discontinuous */
    bool changed[4 * SLOTS];
    uint8_t seen[4 * SLOTS]; /* how often the last search gave it */
} world;

static world w;

static const char *index_text(void)
{
    return index_name(w.rules.index);
}

/* ---- the world ---- */

static float anywhere(int axis)
{
    uint32_t how = phx_rng_below(&w.rng, 40);
    if (how == 0) return float_between(&w.rng, -1, 1) * 1e6f;
    if (how == 1) return phx_rng_below(&w.rng, 2) ? FLT_MAX : -FLT_MAX;
    if (how == 2) return phx_rng_below(&w.rng, 2) ? 1e-42f : -0.0f;
    if (how < 8) return 50.0f * (float)phx_rng_below(&w.rng, TOWERS + 1); /* on a border */
    if (how < 12) return 321.5f + (float)axis;                            /* where others are too */
    return float_between(&w.rng, 0, SIDE);
}

static float some_view(void)
{
    static const float views[] = {0, 0, 10, 30, 30, 50, 50, 50, 100, 100, 300, 2000, 1e30f, 1e-30f};
    return views[phx_rng_below(&w.rng, sizeof views / sizeof *views)];
}

static void touch(uint32_t slot)
{
    w.store.body[slot].changed = (uint16_t)w.tick;
    w.changed[slot] = true;
}

static void place(uint32_t slot, float x, float y)
{
    phx_body *body = &w.store.body[slot];
    body->x = x;
    body->y = y;
    body->tx = phx_tower_index(&w.rules, 0, x);
    body->ty = phx_tower_index(&w.rules, 1, y);
    touch(slot);
}

static void dress(uint32_t slot)
{
    phx_attr attr = *phx_store_attr(&w.store, slot);
    attr.layers = 1 + phx_rng_below(&w.rng, 2);
    attr.sees = UINT64_MAX;
    attr.ready = phx_rng_below(&w.rng, 10) != 0;
    attr.view = some_view();
    attr.margin = phx_rng_below(&w.rng, 3) == 0 ? 5.0f : 0.0f;
    set_attr(&w.store, slot, attr);
    w.jumped[slot] = true;
    touch(slot);
}

static void come(void)
{
    cr_assert(phx_store_reserve(&w.store, &memory, 1));
    cr_assert(phx_idmap_reserve(&w.store.ghosts, w.store.ghost_count + 1));
    bool ghost = phx_rng_below(&w.rng, 5) == 0;
    uint32_t slot = phx_store_add(&w.store, ++w.ids, ghost ? PHX_SLOT_GHOST : PHX_SLOT_OWN);
    cr_assert_lt(slot, 4 * SLOTS);
    place(slot, anywhere(0), anywhere(1));
    dress(slot);
}

static void change(uint32_t slot)
{
    phx_body *body = &w.store.body[slot];
    uint32_t how = phx_rng_below(&w.rng, 100);
    if (how < 3) {
        touch(slot);
        phx_store_kill(&w.store, slot);
    } else if (how < 6) {
        dress(slot);
    } else if (how < 9) {
        w.jumped[slot] = true;
        place(slot, anywhere(0), anywhere(1));
    } else if (how < 70) {
        place(slot, body->x + float_between(&w.rng, -6, 6), body->y + float_between(&w.rng, -6, 6));
    }
}

/* Some ticks everything moves, in some nearly nothing does. */
static void change_some(void)
{
    uint32_t share = phx_rng_below(&w.rng, 3) * 50;
    uint32_t live = w.store.own_count + w.store.ghost_count;
    for (uint32_t slot = 0; slot < w.store.slots; slot++) {
        w.jumped[slot] = w.changed[slot] = false;
        if ((w.store.body[slot].state & PHX_SLOT_LIVE) && phx_rng_below(&w.rng, 100) < share) change(slot);
    }
    while (live < SLOTS && phx_rng_below(&w.rng, 4) != 0) {
        come();
        live++;
    }
}

static void open_world(ph_index which, uint64_t seed)
{
    memory_set_up();
    w = (world){.rng = seed};
    w.rules = (phx_rules){.tower_size = 50,
                          .towers = {TOWERS, TOWERS},
                          .span = 1,
                          .sticky = 1.1,
                          .index = which,
                          .quadtree_capacity = 8,
                          .quadtree_depth = 5,
                          .simd = PH_SIMD_PORTABLE,
                          .cell_size = seed % 3 == 0 ? 20.0f : 0.0f};
    phx_store_init(&w.store, &memory);
    phx_index_env env = {.mem = &memory, .rules = &w.rules, .store = &w.store, .rect = {0, 0, TOWERS / 2, TOWERS - 1}};
    w.index = phx_index_make(which, &env);
    cr_assert(w.index);
}

static void close_world(void)
{
    phx_index_free(w.index);
    phx_store_free(&w.store, &memory);
    memory_tear_down();
}

/* ---- searches ---- */

static void count(phx_sink *sink, const uint32_t *slots, uint32_t n)
{
    (void)sink;
    for (uint32_t i = 0; i < n; i++) {
        cr_assert_lt(slots[i], w.store.slots);
        w.seen[slots[i]]++;
    }
}

static void expect_all_in(phx_box box)
{
    phx_sink sink = {.take = count};
    memset(w.seen, 0, sizeof w.seen);
    w.index->ops->around(w.index, box, &sink);
    for (uint32_t slot = 0; slot < w.store.slots; slot++) {
        const phx_body *body = &w.store.body[slot];
        bool live = body->state & PHX_SLOT_LIVE;
        cr_assert_leq(w.seen[slot], live ? 1 : 0, "%s: slot %u is dead, or there twice", index_text(), slot);
        if (live && phx_box_has(box, body->x, body->y))
            cr_assert(w.seen[slot], "%s: slot %u at %g, %g is left out of %g .. %g, %g .. %g", index_text(), slot,
                      body->x, body->y, box.x0, box.x1, box.y0, box.y1);
    }
}

static phx_box any_box(void)
{
    float ax = anywhere(0), ay = anywhere(1), bx = anywhere(0), by = anywhere(1);
    if (phx_rng_below(&w.rng, 2)) return phx_box_around(ax, ay, some_view());
    return (phx_box){fminf(ax, bx), fminf(ay, by), fmaxf(ax, bx), fmaxf(ay, by)};
}

/* In view, in the margin, out of range. */
static int standing(const was *o, const was *t)
{
    phx_body ob = {.x = o->x, .y = o->y}, tb = {.x = t->x, .y = t->y};
    if (!t->live) return 2;
    if (phx_in_range(&w.rules, &ob, &tb, o->view)) return 0;
    return phx_in_range(&w.rules, &ob, &tb, o->view + o->margin) ? 1 : 2;
}

static was now_of(uint32_t slot)
{
    const phx_body *body = &w.store.body[slot];
    const phx_attr *attr = phx_store_attr(&w.store, slot);
    return (was){body->x,
                 body->y,
                 attr->view,
                 attr->margin,
                 body->state & PHX_SLOT_LIVE,
                 body->state & PHX_SLOT_OWN,
                 (body->state & PHX_SLOT_OWN) && phx_attr_observes(attr),
                 attr->layers};
}

/* Did anything change at a place in the box, in this tick? */
static bool changed_in(uint32_t observer, phx_box box)
{
    for (uint32_t slot = 0; slot < w.store.slots; slot++) {
        if (!w.changed[slot] || slot == observer) continue;
        was now = now_of(slot);
        if (w.old[slot].live && phx_box_has(box, w.old[slot].x, w.old[slot].y)) return true;
        if (now.live && phx_box_has(box, now.x, now.y)) return true;
    }
    return false;
}

/* The slots in an observer's range, itself too, each once. */
static void expect_within(uint32_t observer, float radius)
{
    phx_sink sink = {.take = count};
    memset(w.seen, 0, sizeof w.seen);
    if (!w.index->ops->within || !w.index->ops->within(w.index, observer, &sink)) return;
    for (uint32_t slot = 0; slot < w.store.slots; slot++) {
        const phx_body *body = &w.store.body[slot];
        bool live = body->state & PHX_SLOT_LIVE;
        cr_assert_leq(w.seen[slot], live ? 1 : 0);
        if (live && phx_in_range(&w.rules, &w.store.body[observer], body, radius))
            cr_assert(w.seen[slot], "%s: %u is left out of the range of %u", index_text(), slot, observer);
    }
}

/* Of an index with differ() it is enough that there are no differences. */
static void expect_dirty_near(uint32_t slot, phx_box box)
{
    const phx_index_ops *ops = w.index->ops;
    if (!ops->any_dirty_near || w.changed[slot] || !changed_in(slot, box) || ops->any_dirty_near(w.index, slot, box))
        return;
    phx_sink sink = {.take = count};
    memset(w.seen, 0, sizeof w.seen);
    bool none = ops->differ && ops->differ(w.index, slot, &sink);
    for (uint32_t t = 0; t < w.store.slots; t++) none &= !w.seen[t];
    cr_assert(none, "%s: a change around slot %u is missed", index_text(), slot);
}

static void expect_differing(uint32_t slot)
{
    phx_sink sink = {.take = count};
    if (!w.index->ops->differ || w.jumped[slot]) return;
    memset(w.seen, 0, sizeof w.seen);
    if (!w.index->ops->differ(w.index, slot, &sink)) return;
    was now = now_of(slot);
    for (uint32_t t = 0; t < w.store.slots; t++) {
        was target = now_of(t);
        int before = standing(&w.old[slot], &w.old[t]), after = standing(&now, &target);
        bool other = w.old[t].layers != target.layers && (before < 2 || after < 2);
        if (t == slot || (before == after && !other)) continue;
        cr_assert(w.seen[t], "%s: slot %u was %d to %u and is %d, and is left out", index_text(), t, before, slot,
                  after);
    }
}

/* ---- ticks ---- */

static bool anything_changed(void)
{
    for (uint32_t slot = 0; slot < w.store.slots; slot++)
        if (w.changed[slot]) return true;
    return false;
}

static void expect_right(void)
{
    cr_assert(w.index->ops->valid(w.index));
    for (int i = 0; i < BOXES; i++) expect_all_in(any_box());
    expect_all_in(phx_box_all());
    for (uint32_t slot = 0; slot < w.store.slots; slot++) {
        float radius = phx_index_radius(&w.store, slot);
        if (radius < 0.0f) continue;
        phx_box box = phx_index_box(&w.store, slot, radius);
        expect_all_in(box);
        expect_within(slot, radius);
        expect_dirty_near(slot, box);
        expect_differing(slot);
    }
}

/* As in an index phase that is run again because memory ended behind the index, which is through. */
static void update_again(void)
{
    const phx_index_counts before = w.index->counts;
    cr_assert(phx_index_update(w.index, &w.store, w.tick, (uint16_t)w.tick));
    cr_assert_eq(w.index->counts.moves, before.moves, "%s", index_text());
    cr_assert_eq(w.index->counts.steps, before.steps, "%s", index_text());
}

static void run_tick(uint32_t calls)
{
    w.tick++;
    for (uint32_t slot = 0; slot < w.store.slots; slot++) w.old[slot] = now_of(slot);
    change_some();
    if (anything_changed()) {
        if (calls > 0) memory_for(calls - 1);
        for (uint32_t more = 1; !phx_index_update(w.index, &w.store, w.tick, (uint16_t)w.tick); more++)
            memory_for(more);
        memory_enough();
        update_again();
        expect_right();
    }
    phx_store_bury(&w.store);
}

static void each_index(void (*run)(ph_index which, uint64_t seed))
{
    for (int i = 0; i < INDEX_COUNT; i++)
        for (uint64_t seed = 1; seed <= SEEDS && phx_index_ops_of((ph_index)i); seed++) run((ph_index)i, seed);
}

static void run_plenty(ph_index which, uint64_t seed)
{
    open_world(which, seed);
    for (int i = 0; i < TICKS; i++) run_tick(0);
    cr_assert_gt(w.index->counts.moves, TICKS);
    close_world();
}

static void run_scarce(ph_index which, uint64_t seed)
{
    open_world(which, seed);
    for (uint32_t i = 0; i < TICKS / 4; i++) run_tick(1 + i % 3);
    close_world();
}

Test(index, no_entity_in_a_box_is_left_out)
{
    each_index(run_plenty);
}

Test(index, want_of_memory_only_delays)
{
    each_index(run_scarce);
}

/* The indexes that a definition may name: built in, for a range that they serve. */
Test(index, all_indexes_there_are)
{
    cr_expect_eq(phx_index_ops_of(PH_INDEX_LIGHTHOUSE), NULL);
    for (int i = PH_INDEX_BRUTE; i < INDEX_COUNT; i++) {
        const phx_index_ops *ops = phx_index_ops_of((ph_index)i);
        ph_world_def def = ph_world_def_default();
        char reason[128] = "", expected[128];
        def.index = (ph_index)i;
        cr_expect_eq(ph_world_def_check(&def, reason, sizeof reason), ops ? PH_OK : PH_BAD_DEF);
        if (ops) snprintf(expected, sizeof expected, "%s", "");
        else snprintf(expected, sizeof expected, "index = %s: it is not built in", index_name(def.index));
        cr_expect_str_eq(reason, expected);
        if (!ops) continue;
        def.range = PH_RANGE_TOWERS;
        cr_expect_eq(ph_world_def_check(&def, reason, sizeof reason), ops->serves_towers ? PH_OK : PH_BAD_DEF);
        if (!ops->serves_towers)
            snprintf(expected, sizeof expected, "index = %s does not serve range = towers; it is for range = radius",
                     index_name(def.index));
        cr_expect_str_eq(reason, expected);
    }
}
