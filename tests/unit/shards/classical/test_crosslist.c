/*
 * shards/classical/crosslist*: the two lists are in order whatever moves, anchors find places, boxes hold exactly their
 * entities, from nodes that passed each other as from walks and sorting, and want of memory only delays.
 */
#include "unit/shards/classical/index_life.h"

#include "shards/classical/crosslist_nodes.h"
#include "shards/classical/crosslist_state.h"

static const phx_cross *cross(void)
{
    return (const phx_cross *)life_index;
}

static void set_up(void)
{
    life_open(PH_INDEX_CROSSLIST, PH_SHAPE_CIRCLE);
}

TestSuite(crosslist, .init = set_up, .fini = life_close);

/* ---- brute force ---- */

/* Centres along both axes by coordinate, each live slot once. */
static void check_lists(void)
{
    for (int axis = 0; axis < 2; axis++) {
        uint64_t walked = 0;
        uint32_t at = phx_cross_from(cross(), axis, 1, &walked), found = 0;
        float last = -INFINITY;
        for (; phx_cross_at(cross(), at)->key != UINT32_MAX; at = phx_cross_at(cross(), at)->next) {
            if ((at & 3) != PHX_CROSS_CENTRE) continue;
            const phx_body *body = &life_store.body[at >> 3];
            float p = axis == 0 ? body->x : body->y;
            cr_assert(last <= p, "axis %d: %g before %g", axis, (double)last, (double)p);
            cr_assert(life_live(at >> 3));
            last = p;
            found++;
        }
        cr_assert_eq(found, life_store.own_count);
    }
}

/* Every box by comparing coordinates of all with it. */
static void check_boxes(void)
{
    static bool listed[LIFE_SLOTS];
    for (uint32_t o = 0; o < life_store.slots; o++) {
        const phx_list *box = &cross()->boxes[o];
        const uint32_t *entries = phx_list_entries(&cross()->pool, box);
        float radius = life_live(o) ? phx_index_radius(&life_store, o) : -1.0f;
        memset(listed, 0, sizeof listed);
        for (uint32_t i = 0; i < box->count; i++) {
            cr_assert_not(listed[entries[i]], "twice");
            listed[entries[i]] = true;
        }
        for (uint32_t t = 0; t < life_store.slots; t++) {
            const phx_body *body = &life_store.body[t];
            bool in = radius >= 0.0f && t != o && life_live(t) &&
                      phx_box_has(phx_index_box(&life_store, o, radius), body->x, body->y);
            cr_assert_eq(listed[t], in, "tick %u: %u in the box of %u", life_tick, t, o);
        }
    }
}

Test(crosslist, keys_are_in_the_order_of_floats)
{
    uint64_t rng = 3;
    for (int i = 0; i < 100000; i++) {
        float a = float_any(&rng), b = i % 2 ? float_near(&rng, a) : float_any(&rng);
        cr_assert_eq(phx_cross_key(a) < phx_cross_key(b), a < b, "%a %a", (double)a, (double)b);
        cr_assert_eq(phx_cross_key(a) == phx_cross_key(b), a == b, "%a %a", (double)a, (double)b);
    }
    cr_assert_eq(phx_cross_key(0.0f), phx_cross_key(-0.0f));
    cr_assert_gt(phx_cross_key(-INFINITY), 0);
    cr_assert_lt(phx_cross_key(INFINITY), UINT32_MAX);
    cr_assert_gt(phx_cross_key(INFINITY), phx_cross_key(FLT_MAX));
    cr_assert_lt(phx_cross_key(-INFINITY), phx_cross_key(-FLT_MAX));
}

Test(crosslist, random_lives_against_brute_force)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t rng = seed;
        for (int i = 0; i < 120; i++) {
            life_at_random(&rng, 10 + (uint32_t)i, 150, i % 3 ? 4.0f : 40.0f);
            life_turn(seed % 2 ? UINT64_MAX : (uint64_t)i % 3);
            check_lists();
            check_boxes();
            life_end();
        }
        life_close();
        set_up();
    }
}

/* No entity is new or jumps: boxes change by passed nodes only, and their observers are touched. */
Test(crosslist, steps_are_found_by_passed_nodes)
{
    uint64_t rng = 5;
    uint32_t touched = 0, untouched = 0;
    for (int i = 0; i < 300; i++)
        life_enter(plain_attr(i % 3 ? 60 : 0, 0), float_between(&rng, 0, 600), float_between(&rng, 0, 600));
    life_pass();
    for (int i = 0; i < 60; i++) {
        for (uint32_t slot = 0; slot < life_store.slots; slot++) {
            const phx_body *body = &life_store.body[slot];
            if (phx_rng_below(&rng, 3) == 0) continue;
            life_move(slot, body->x + float_between(&rng, -9, 9), body->y + float_between(&rng, -9, 9));
        }
        uint32_t before[300][2];
        for (uint32_t o = 0; o < 300; o++) {
            before[o][0] = cross()->boxes[o].block;
            before[o][1] = cross()->boxes[o].count;
        }
        life_turn(UINT64_MAX);
        cr_assert_eq(cross()->afresh.count, 0);
        check_boxes();
        for (uint32_t o = 0; o < 300; o++) {
            bool flag = cross()->flags[o] & PHX_CROSS_DIRTY;
            if (before[o][1] != cross()->boxes[o].count) cr_assert(flag);
            touched += flag;
            untouched += !flag;
        }
        life_end();
    }
    cr_assert_gt(touched, 1000);
    cr_assert_gt(untouched, 1000);
}

/* Targets on the border of a view, one ulp inside and outside of its box. */
Test(crosslist, an_entity_on_a_border_is_inside)
{
    uint32_t o = life_enter(plain_attr(50, 0), 500, 500);
    uint32_t t = life_enter(plain_attr(0, 0), 500, 500);
    life_pass();
    phx_box box = phx_index_box(&life_store, o, 50);
    const float ends[4][2] = {{box.x0, 500}, {box.x1, 500}, {500, box.y0}, {500, box.y1}};
    for (int end = 0; end < 4; end++) {
        float x = ends[end][0], y = ends[end][1];
        life_move(t, x, y);
        life_turn(UINT64_MAX);
        cr_assert_eq(cross()->boxes[o].count, 1);
        life_end();
        life_move(t, end < 2 ? nextafterf(x, x < 500 ? 0 : 1000) : x, end < 2 ? y : nextafterf(y, y < 500 ? 0 : 1000));
        life_turn(UINT64_MAX);
        cr_assert_eq(cross()->boxes[o].count, 0);
        life_end();
    }
}

/* ---- anchors ---- */

/* From one end to the other past all of them, and one more comes: by the anchors, not past all nodes. */
Test(crosslist, jumps_and_comers_find_their_places_by_anchors)
{
    enum { MANY = 4000 };
    uint64_t rng = 7;
    for (int i = 0; i < MANY; i++)
        life_enter(plain_attr(0, 0), float_between(&rng, 0, 1000), float_between(&rng, 0, 1000));
    uint32_t o = life_enter(plain_attr(20, 0), 1, 1);
    life_pass();
    cr_assert_gt(cross()->anchor_count[0], MANY / PHX_CROSS_APART / 2);
    for (int i = 0; i < 20; i++) {
        uint64_t before = life_index->counts.steps;
        life_move(o, i % 2 ? 5.0f : 990.0f, i % 2 ? 3.0f : 985.0f);
        uint32_t other = life_enter(plain_attr(20, 0), float_between(&rng, 0, 1000), 500);
        life_turn(UINT64_MAX);
        cr_assert_lt(life_index->counts.steps - before, MANY / 2, "%u steps",
                     (unsigned)(life_index->counts.steps - before));
        check_boxes();
        life_end();
        life_leave(other);
        life_pass();
    }
}

/* They walk away from where the anchors were placed: places are made anew, and found as fast. */
Test(crosslist, anchors_follow_a_crowd_that_wanders_off)
{
    enum { MANY = 1000 };
    uint64_t rng = 9;
    for (int i = 0; i < MANY; i++)
        life_enter(plain_attr(10, 0), float_between(&rng, 0, 100), float_between(&rng, 0, 100));
    life_pass();
    for (int i = 0; i < 200; i++) {
        for (uint32_t slot = 0; slot < MANY; slot++) {
            const phx_body *body = &life_store.body[slot];
            life_move(slot, body->x + 3 + float_between(&rng, 0, 2), body->y - 3 - float_between(&rng, 0, 2));
        }
        life_pass();
    }
    check_lists();
    uint64_t walked = 0;
    (void)phx_cross_from(cross(), 0, phx_cross_key(life_store.body[7].x), &walked);
    cr_assert_lt(walked, 1000, "%u nodes", (unsigned)walked);
}

/* All at one point, where float32 is so coarse that low, centre and high are one number. */
Test(crosslist, all_on_one_point_where_float32_is_coarse)
{
    for (int i = 0; i < 500; i++) life_enter(plain_attr(1, 0), 1e9f, -1e9f);
    life_turn(UINT64_MAX);
    check_boxes();
    life_end();
    for (uint32_t slot = 0; slot < 500; slot += 3) life_move(slot, 1e9f, -1e9f + (slot % 2 ? 1e4f : 0));
    life_turn(UINT64_MAX);
    check_boxes();
    life_end();
}

/* ---- searches ---- */

static bool found[LIFE_SLOTS];

static void note(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    (void)sink;
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_not(found[slots[i]], "twice");
        found[slots[i]] = true;
    }
}

Test(crosslist, searches_give_exactly_the_entities_in_the_box)
{
    uint64_t rng = 11;
    for (int i = 0; i < 800; i++) life_enter(life_anybody(&rng), life_anywhere(&rng), life_anywhere(&rng));
    life_turn(UINT64_MAX);
    for (int i = 0; i < 400; i++) {
        phx_box box = i == 0 ? phx_box_all() : phx_box_around(life_anywhere(&rng), life_anywhere(&rng), 40);
        phx_sink sink = {.take = note};
        memset(found, 0, sizeof found);
        life_index->ops->around(life_index, box, &sink);
        for (uint32_t slot = 0; slot < life_store.slots; slot++)
            cr_assert_eq(found[slot], phx_box_has(box, life_store.body[slot].x, life_store.body[slot].y));
    }
    life_end();
}
