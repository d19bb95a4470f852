/*
 * shards/exchange/receive.c, exchange/halo.c and tick/reindex.c: migration, halo and pins between shards wired by hand
 * (shards_fixture.h compares every tick with a plain world).
 */
#include "shards/ingest/commands.h"
#include "shards/ingest/moves.h"
#include "unit/shards/shards_fixture.h"

/* Two shards side by side: towers of 10, the border at x = 500. */
static fleet *two(uint32_t pool_blocks)
{
    return fleet_open(plain_rules(10, 100), 2, 1, pool_blocks);
}

static uint32_t home_of(fleet *f, uint64_t id)
{
    return fleet_home(f, id)->index;
}

static bool is_ghost(fleet *f, uint32_t shard, uint64_t id)
{
    return phx_store_ghost(&f->shard[shard].store, id) != PHX_SLOT_NONE;
}

/* ---- random lives ---- */

static phx_attr random_attr(uint64_t *rng, float size)
{
    phx_attr attr = plain_attr(0, 0);
    if (phx_rng_below(rng, 2)) {
        attr.view = size * float_between(rng, 0.01f, 0.12f);
        if (phx_rng_below(rng, 20) == 0) attr.view = size;
        attr.margin = phx_rng_below(rng, 3) ? size * float_between(rng, 0, 0.05f) : 0;
        attr.ready = phx_rng_below(rng, 12) > 0;
        if (phx_rng_below(rng, 4) == 0) attr.cap = 1 + phx_rng_below(rng, 6);
        if (phx_rng_below(rng, 8) == 0) attr.sees = 2;
        attr.detect = (uint8_t)phx_rng_below(rng, 3);
    }
    if (phx_rng_below(rng, 25) == 0) attr.reach = size * float_between(rng, 0.05f, 0.4f);
    if (phx_rng_below(rng, 100) == 0) attr.global = true;
    if (phx_rng_below(rng, 8) == 0) attr.layers = 1 + phx_rng_below(rng, 3);
    if (phx_rng_below(rng, 8) == 0) attr.stealth = (uint8_t)phx_rng_below(rng, 4);
    attr.priority = (uint8_t)phx_rng_below(rng, 3);
    attr.kind = (uint16_t)phx_rng_below(rng, 4);
    return attr;
}

static void random_command(fleet *f, uint64_t *rng, uint32_t ids, float size)
{
    uint64_t id = 1 + phx_rng_below(rng, ids), other = 1 + phx_rng_below(rng, ids);
    float x = size * float_between(rng, -0.05f, 1.05f), y = size * float_between(rng, -0.05f, 1.05f);
    const fleet_entity *e = &f->entity[id];
    if (!e->in) {
        fleet_enter(f, id, random_attr(rng, size), x, y);
        return;
    }
    switch (phx_rng_below(rng, 12)) {
    case 0:
        fleet_leave(f, id);
        if (phx_rng_below(rng, 3) > 0) return;
        fleet_enter(f, id, random_attr(rng, size), e->x, e->y);
        if (phx_rng_below(rng, 2)) fleet_move(f, id, x, y);
        return;
    case 1: {
        const phx_attr attr = random_attr(rng, size); /* first: one seed is one life, whatever the compiler */
        fleet_set(f, id, attr, phx_rng_below(rng, 2) ? e->user_data : phx_rng_next(rng));
        return;
    }
    case 2:
        fleet_fly(f, id, x, y, size * float_between(rng, -0.1f, 0.1f));
        return;
    case 3:
        if (id == other || !f->entity[other].in) return;
        fleet_relate(f, id, other, phx_rng_below(rng, 4), size * phx_rng_unit(rng));
        return;
    default:
        x = e->x + size * float_between(rng, -0.02f, 0.02f);
        y = e->y + size * float_between(rng, -0.02f, 0.02f);
        fleet_fly(f, id, x, y, e->z);
    }
}

static uint32_t stops; /* of all worlds of a test */

/* allocations > 0: about every so many of them fail. */
static void random_world(uint64_t seed, uint32_t side, uint32_t pool_blocks, uint32_t ticks, uint32_t ids,
                         uint32_t allocations)
{
    uint64_t rng = seed;
    phx_rules rules = plain_rules(10, 60);
    rules.shape = (ph_shape)(seed % 4);
    rules.height = 20;
    if (seed % 5 == 4) rules.range = PH_RANGE_TOWERS;
    rules.span = 2;
    fleet *f = fleet_open(rules, side, side, pool_blocks);
    f->piece = 1 + (uint32_t)(seed % 17);
    uint32_t events = 0, migrations = 0;
    for (uint32_t t = 0; t < ticks; t++) {
        f->scarce = seed % 2;
        if (allocations > 0) fleet_memory_for(phx_rng_below(&rng, allocations));
        fleet_begin(f);
        for (uint32_t n = phx_rng_below(&rng, 1u << phx_rng_below(&rng, 8)); n > 0; n--)
            random_command(f, &rng, ids, 600);
        fleet_end(f);
        fleet_memory_enough();
        events += f->enters + f->leaves;
    }
    for (uint32_t i = 0; i < f->shard_count; i++) migrations += (uint32_t)f->shard[i].counts.migrations;
    cr_assert_gt(events, ticks);
    if (side > 1) cr_assert_gt(migrations, ticks / 4);
    stops += f->stops;
    fleet_close(f);
}

Test(exchange, random_lives_in_one_shard)
{
    for (uint64_t seed = 100; seed < 110; seed++) random_world(seed, 1, 4, 80, 150, 0);
}

Test(exchange, random_lives_in_four_shards)
{
    for (uint64_t seed = 200; seed < 210; seed++) random_world(seed, 2, 256, 80, 150, 0);
}

Test(exchange, random_lives_in_nine_shards)
{
    for (uint64_t seed = 300; seed < 310; seed++) random_world(seed, 3, 256, 80, 150, 0);
}

Test(exchange, random_lives_through_a_tiny_pool)
{
    for (uint64_t seed = 400; seed < 410; seed++) random_world(seed, 4, 4, 60, 200, 0);
}

Test(exchange, random_lives_while_memory_ends_now_and_then)
{
    for (uint64_t seed = 500; seed < 520; seed++) random_world(seed, 1 + (uint32_t)(seed % 3), 4, 60, 150, 12);
    cr_assert_gt(stops, 300, "%u", stops);
}

/* ---- migration ---- */

Test(exchange, a_migrant_becomes_a_copy_in_place)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(40, 0), 480, 500); /* sees all; stays in shard 0 */
    fleet_enter(f, 2, plain_attr(0, 0), 490, 500);
    fleet_enter(f, 3, plain_attr(40, 0), 510, 500); /* in shard 1 */
    fleet_end(f);
    uint32_t before = fleet_slot(f, 0, 2), copy = fleet_slot(f, 1, 2);
    cr_assert_eq(home_of(f, 2), 0);
    cr_assert(is_ghost(f, 1, 2));
    fleet_begin(f);
    fleet_move(f, 2, 501, 500);
    fleet_end(f);
    cr_assert_eq(home_of(f, 2), 1);
    cr_assert(is_ghost(f, 0, 2));
    cr_assert_eq(fleet_slot(f, 0, 2), before, "lists of shard 0 stay right");
    cr_assert_eq(fleet_slot(f, 1, 2), copy, "and the lists of shard 1");
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 2, 499, 500);
    fleet_end(f);
    cr_assert_eq(home_of(f, 2), 0);
    cr_assert_eq(fleet_slot(f, 0, 2), before);
    cr_assert_eq(fleet_slot(f, 1, 2), copy);
    cr_assert_eq(f->changes, 0);
    cr_assert_eq(f->shard[0].counts.migrations, 1);
    cr_assert_eq(f->shard[1].counts.migrations, 1);
    fleet_close(f);
}

Test(exchange, an_observer_takes_its_list_and_relations_along)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(40, 5), 495, 500);
    for (uint64_t id = 10; id < 40; id++) fleet_enter(f, id, plain_attr(0, 0), 480 + (float)(id % 4) * 10, 500);
    for (uint64_t id = 50; id < 60; id++) fleet_enter(f, id, plain_attr(0, 0), 100, 100);
    for (uint64_t id = 50; id < 60; id++) fleet_relate(f, 1, id, PHX_RELATION_LINK, 0);
    fleet_end(f);
    cr_assert_eq(f->enters, 40);
    fleet_begin(f);
    fleet_move(f, 1, 501, 500);
    fleet_end(f);
    cr_assert_eq(home_of(f, 1), 1);
    cr_assert_eq(f->changes, 0, "nothing is told of it");
    cr_assert_eq(f->rounds, 0);
    cr_assert_null(phx_relations_of(&f->shard[0].relations, 1));
    cr_assert_eq(phx_relations_of(&f->shard[1].relations, 1)->count, 10);
    fleet_begin(f);
    fleet_relate(f, 1, 55, 0, 0);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    fleet_close(f);
}

/* A crowd with long lists and many relations goes over at once, through one block a round. */
static uint32_t crowd_goes_over(uint64_t allocations, bool scarce)
{
    enum { CROWD = 120 };
    fleet *f = two(1);
    f->piece = 16;
    f->scarce = scarce;
    fleet_begin(f);
    for (uint64_t id = 1; id <= CROWD; id++)
        fleet_enter(f, id, plain_attr(id % 3 == 0 ? 60 : 0, 5), 470 + (float)(id % 20), 500 + (float)(id / 20));
    for (uint64_t id = 200; id < 218; id++) fleet_enter(f, id, plain_attr(0, 0), 900, 900);
    for (uint64_t id = 3; id <= CROWD; id += 3)
        for (uint64_t other = 200; other < 218; other++) fleet_relate(f, id, other, PHX_RELATION_LINK, 0);
    fleet_end(f);
    fleet_memory_for(allocations);
    fleet_begin(f);
    for (uint64_t id = 1; id <= CROWD; id++) fleet_move(f, id, f->entity[id].x + 40, f->entity[id].y);
    for (uint64_t id = 300; id < 330; id++) fleet_enter(f, id, plain_attr(30, 0), 495, 500);
    fleet_leave(f, 210);
    fleet_end(f);
    fleet_memory_enough();
    cr_assert_eq(f->shard[0].counts.migrations, CROWD);
    cr_assert_gt(f->rounds, 8);
    uint32_t stopped = f->stops;
    fleet_tick(f);
    cr_assert_eq(f->changes, 0);
    cr_assert_eq(f->blocks, 0, "nothing changed, nothing is sent");
    fleet_close(f);
    return stopped;
}

Test(exchange, a_crowd_goes_over_in_many_rounds)
{
    cr_assert_eq(crowd_goes_over(UINT64_MAX, false), 0);
}

Test(exchange, a_crowd_goes_over_wherever_memory_ends)
{
    uint32_t n = 0;
    while (crowd_goes_over(n, false) > 0) n++;
    cr_assert_gt(n, 40);
    for (n = 0; n < 60; n += 7) cr_assert_gt(crowd_goes_over(n, true), 3);
}

Test(exchange, an_observer_that_goes_far_is_told_of_targets_that_nobody_knows_there)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 5), 100, 100);
    for (uint64_t id = 10; id < 20; id++) fleet_enter(f, id, plain_attr(0, 0), 110, 100);
    fleet_enter(f, 20, plain_attr(0, 0), 900, 900);
    fleet_end(f);
    cr_assert_eq(f->enters, 10);
    fleet_begin(f);
    fleet_move(f, 1, 905, 900);
    phx_attr attr = plain_attr(0, 0);
    attr.kind = 3;
    fleet_set(f, 12, attr, 7777); /* its leave names it as it is now */
    fleet_leave(f, 13);
    fleet_set(f, 14, attr, 8888); /* and this one as it was last */
    fleet_leave(f, 14);
    fleet_end(f);
    cr_assert_eq(f->changes, 1);
    cr_assert_eq(f->leaves, 10);
    cr_assert_eq(f->enters, 1);
    cr_assert_eq(f->shard[1].store.ghost_count, 0);
    cr_assert_eq(f->shard[1].store.free_count, 10, "their slots are free again");
    fleet_close(f);
}

Test(exchange, an_emigrant_that_nobody_near_sees_leaves_nothing_behind)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 100, 100);
    fleet_enter(f, 2, plain_attr(30, 0), 110, 100);
    fleet_end(f);
    fleet_begin(f);
    fleet_move(f, 2, 900, 900);
    fleet_end(f);
    cr_assert_eq(home_of(f, 2), 1);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    cr_assert_eq(f->shard[0].store.free_count, 1);
    fleet_close(f);
}

Test(exchange, out_and_back_in_one_tick_is_no_migration)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_end(f);
    for (int round = 0; round < 3; round++) {
        fleet_begin(f);
        fleet_move(f, 1, 510, 100);
        fleet_move(f, 1, 700, 100);
        fleet_move(f, 1, 489, 100);
        fleet_end(f);
        cr_assert_eq(f->shard[0].counts.migrations, 0);
    }
    fleet_begin(f);
    fleet_move(f, 1, 510, 100);
    fleet_leave(f, 1); /* dead before it is sent */
    fleet_end(f);
    cr_assert_eq(f->shard[0].counts.migrations, 0);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_move(f, 1, 510, 100); /* on its way before it was anywhere */
    fleet_end(f);
    cr_assert_eq(home_of(f, 1), 1);
    fleet_close(f);
}

/* ---- incarnations ---- */

Test(exchange, a_target_that_enters_anew_is_another_one)
{
    static const float where[] = {505, 520, 480, 300, 900}; /* here, near, over the border, far on either side */
    enum { PLACES = sizeof where / sizeof *where };
    for (size_t i = 0; i < PLACES * PLACES; i++) {
        fleet *f = two(64);
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
        fleet_enter(f, 2, plain_attr(30, 0), 510, 100);
        fleet_enter(f, 3, plain_attr(0, 0), 505, 100);
        fleet_end(f);
        cr_assert(is_ghost(f, 0, 3));
        fleet_begin(f);
        fleet_leave(f, 3);
        fleet_enter(f, 3, plain_attr(0, 0), where[i % PLACES], 100);
        fleet_move(f, 3, where[i / PLACES], 100); /* and perhaps on at once */
        fleet_end(f);
        bool near = where[i / PLACES] > 475 && where[i / PLACES] < 525;
        cr_assert_eq(f->leaves, 2);
        cr_assert_eq(f->enters, near ? 2 : 0, "place %zu", i);
        fleet_close(f);
    }
}

Test(exchange, an_observer_that_enters_anew_begins_afresh)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_enter(f, 2, plain_attr(0, 0), 505, 100);
    fleet_end(f);
    fleet_begin(f);
    fleet_relate(f, 1, 2, PHX_RELATION_LINK, 0);
    fleet_leave(f, 1);
    fleet_enter(f, 1, plain_attr(30, 0), 510, 100); /* in the shard that had its copy */
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    cr_assert_eq(f->leaves, 0);
    fleet_begin(f);
    fleet_move(f, 2, 300, 300);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1, "the link ended with the first of its name");
    fleet_close(f);
}

/* ---- the halo ---- */

Test(exchange, a_refresh_keeps_what_it_repeats_and_nothing_else)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_enter(f, 2, plain_attr(0, 0), 505, 100);
    fleet_enter(f, 3, plain_attr(0, 0), 506, 100);
    fleet_enter(f, 4, plain_attr(0, 0), 507, 100);
    fleet_end(f);
    uint32_t kept = fleet_slot(f, 0, 2);
    cr_assert_eq(f->shard[0].store.ghost_count, 3);
    cr_assert_eq(f->shard[1].store.ghost_count, 0, "no observer there");
    fleet_begin(f);
    fleet_move(f, 3, 800, 100);
    fleet_leave(f, 4);
    fleet_end(f);
    cr_assert_eq(f->leaves, 2);
    cr_assert_eq(f->shard[0].store.ghost_count, 1);
    cr_assert_eq(fleet_slot(f, 0, 2), kept);
    fleet_begin(f);
    fleet_move(f, 1, 491, 100); /* nothing changes in shard 1: it sends nothing, and its copies stay */
    fleet_end(f);
    cr_assert_eq(f->blocks, 0);
    cr_assert(is_ghost(f, 0, 2));
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 2, 900, 100); /* the last copy goes: an empty refresh says so */
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    fleet_begin(f);
    fleet_move(f, 2, 901, 100);
    fleet_end(f);
    cr_assert_eq(f->blocks, 0, "and then nothing more");
    fleet_close(f);
}

Test(exchange, copies_follow_every_change)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    fleet_enter(f, 2, plain_attr(0, 0), 505, 100);
    fleet_end(f);
    phx_attr attr = plain_attr(0, 0);
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711); /* the user data alone */
    fleet_end(f);
    attr.layers = 2;
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711);
    fleet_end(f);
    attr.stealth = 9;
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    attr = plain_attr(0, 0);
    fleet_begin(f);
    fleet_set(f, 2, attr, 4711);
    fleet_fly(f, 2, 505, 100, 50);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    fleet_close(f);
}

Test(exchange, who_looks_farther_gets_more_copies)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 490, 100);
    for (uint64_t id = 10; id < 40; id++) fleet_enter(f, id, plain_attr(0, 0), 505 + (float)(id - 10) * 10, 100);
    fleet_end(f);
    uint32_t few = f->shard[0].store.ghost_count;
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(150, 20), 1000);
    fleet_end(f);
    cr_assert_eq(f->enters, 12);
    cr_assert_gt(f->shard[0].store.ghost_count, few + 10);
    cr_assert_lt(f->shard[0].store.ghost_count, 22, "not the whole shard");
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(30, 0), 1000);
    fleet_end(f);
    cr_assert_eq(f->shard[0].store.ghost_count, few);
    fleet_begin(f);
    fleet_leave(f, 1);
    fleet_end(f);
    cr_assert_eq(f->shard[0].store.ghost_count, 0, "no observer any more");
    cr_assert_eq(f->zones[0].observed, 0);
    fleet_begin(f);
    fleet_move(f, 10, 506, 100);
    fleet_end(f);
    cr_assert_eq(f->blocks, 0);
    fleet_close(f);
}

Test(exchange, by_towers_the_span_decides_about_copies)
{
    phx_rules rules = plain_rules(10, 100);
    rules.range = PH_RANGE_TOWERS;
    rules.span = 3;
    fleet *f = fleet_open(rules, 2, 1, 64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(1, 0), 495, 100);
    for (uint64_t id = 10; id < 20; id++) fleet_enter(f, id, plain_attr(0, 0), 505 + (float)(id - 10) * 10, 100);
    fleet_end(f);
    cr_assert_eq(f->enters, 3);
    cr_assert_eq(f->shard[0].store.ghost_count, 3);
    fleet_close(f);
}

Test(exchange, the_far_reaching_and_the_global_are_copied_where_they_are_seen)
{
    fleet *f = two(64);
    phx_attr dragon = plain_attr(0, 0), beacon = plain_attr(0, 0);
    dragon.reach = 400;
    beacon.global = true;
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 50), 490, 100);
    fleet_enter(f, 2, dragon, 880, 100);
    fleet_enter(f, 3, beacon, 990, 990);
    fleet_end(f);
    cr_assert_eq(f->enters, 2);
    fleet_begin(f);
    fleet_move(f, 2, 935, 100); /* 445 off: held by the margin */
    fleet_end(f);
    cr_assert_eq(f->changes, 0);
    fleet_begin(f);
    fleet_move(f, 2, 945, 100);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    fleet_begin(f);
    beacon.global = false;
    fleet_set(f, 3, beacon, 3000);
    fleet_move(f, 2, 990, 990);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    fleet_close(f);
}

/* ---- pins ---- */

Test(exchange, a_pinned_target_is_copied_at_any_distance)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 10, 10);
    fleet_enter(f, 2, plain_attr(0, 0), 990, 990);
    fleet_enter(f, 3, plain_attr(0, 0), 980, 990);
    fleet_end(f);
    fleet_begin(f);
    fleet_relate(f, 1, 2, PHX_RELATION_LINK, 0);
    fleet_relate(f, 1, 3, PHX_RELATION_PAIR, 100);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    cr_assert(is_ghost(f, 0, 2));
    cr_assert(is_ghost(f, 0, 3), "a pair of any radius has to be looked at");
    fleet_begin(f);
    fleet_move(f, 3, 600, 10);
    fleet_relate(f, 1, 3, PHX_RELATION_PAIR, 600);
    fleet_end(f);
    cr_assert_eq(f->enters, 1);
    fleet_begin(f);
    fleet_relate(f, 1, 2, 0, 0);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_not(is_ghost(f, 0, 2), "the next refresh is without it");
    cr_assert(is_ghost(f, 0, 3));
    fleet_begin(f);
    fleet_leave(f, 3);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->shard[0].store.ghost_count, 0);
    fleet_close(f);
}

Test(exchange, pins_go_where_both_ends_go)
{
    fleet *f = fleet_open(plain_rules(10, 100), 3, 1, 4);
    static const float x[] = {100, 500, 900};
    fleet_begin(f);
    for (uint64_t id = 1; id <= 6; id++) fleet_enter(f, id, plain_attr(20, 0), 100, (float)id * 50);
    for (uint64_t id = 1; id <= 6; id++)
        for (uint64_t other = 1; other <= 6; other++)
            if (id != other) fleet_relate(f, id, other, PHX_RELATION_LINK, 0);
    fleet_end(f);
    uint64_t rng = 16;
    for (int round = 0; round < 60; round++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= 6; id++)
            if (phx_rng_below(&rng, 2)) fleet_move(f, id, x[phx_rng_below(&rng, 3)], (float)phx_rng_below(&rng, 1000));
        fleet_end(f);
        cr_assert_eq(f->changes, 0, "party members see each other wherever they are");
    }
    fleet_close(f);
}

Test(exchange, many_pins_take_many_rounds)
{
    fleet *f = two(4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= 30; id++) fleet_enter(f, id, plain_attr(20, 0), 100, 100);
    for (uint64_t id = 100; id < 130; id++) fleet_enter(f, id, plain_attr(0, 0), 900, 900);
    for (uint64_t id = 1; id <= 30; id++)
        for (uint64_t other = 100; other < 130; other++) fleet_relate(f, id, other, PHX_RELATION_LINK, 0);
    fleet_end(f);
    cr_assert_gt(f->rounds, 5);
    cr_assert_eq(f->shard[0].store.ghost_count, 30);
    cr_assert_eq(f->enters, 30 * 30 + 30 * 29);
    fleet_close(f);
}

/* ---- short steps ---- */

/* An old target that the halo of the new shard does not reach any more makes a leave, also after a short step. */
Test(exchange, a_short_step_over_the_border_leaves_targets_behind)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(19.9f, 0), 499, 105);
    fleet_enter(f, 2, plain_attr(0, 0), 479.2f, 105);
    fleet_enter(f, 3, plain_attr(5, 0), 510, 105); /* a short halo, which 1 is in */
    fleet_end(f);
    fleet_tick(f);
    fleet_begin(f);
    fleet_move(f, 1, 500.4f, 105);
    fleet_move(f, 2, 477, 105);
    fleet_end(f);
    cr_assert_eq(home_of(f, 1), 1);
    cr_assert_not(is_ghost(f, 1, 2));
    cr_assert_eq(f->leaves, 1);
    cr_assert_eq(f->changes, 1);
    fleet_close(f);
}

Test(exchange, who_leaves_its_shard_not_ready_begins_afresh)
{
    fleet *f = two(64);
    phx_attr attr = plain_attr(30, 0);
    fleet_begin(f);
    fleet_enter(f, 1, attr, 495, 105);
    fleet_enter(f, 2, plain_attr(0, 0), 490, 105);
    fleet_end(f);
    fleet_begin(f);
    fleet_leave(f, 2);
    fleet_end(f);
    cr_assert_eq(f->leaves, 1, "its list is empty, and was told so");
    attr.ready = false;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    fleet_move(f, 1, 505, 105);
    fleet_end(f);
    attr.ready = true;
    fleet_begin(f);
    fleet_set(f, 1, attr, 1000);
    fleet_enter(f, 2, plain_attr(0, 0), 510, 105);
    fleet_end(f);
    cr_assert_eq(f->enters, 1); /* compared with the plain world: the change is fresh */
    fleet_close(f);
}

Test(exchange, the_halo_covers_margins)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 3, plain_attr(50, 0), 300, 900); /* sees farther, and yet has the smaller halo */
    fleet_enter(f, 1, plain_attr(150, 20), 495, 105);
    fleet_enter(f, 2, plain_attr(0, 0), 520, 105);
    fleet_end(f);
    fleet_begin(f);
    fleet_set(f, 1, plain_attr(30, 60), 1000); /* less far: measured anew */
    fleet_end(f);
    for (float x = 525; x < 600; x += 5) {
        fleet_begin(f);
        fleet_move(f, 2, x, 105);
        fleet_end(f);
        cr_assert_eq(f->leaves, x > 585 && x - 5 <= 585);
    }
    fleet_close(f);
}

/* A halo of one tower: it touches the neighbour's first or last row of towers only. */
Test(exchange, a_halo_of_one_tower_on_every_side)
{
    static const float side[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int i = 0; i < 4; i++) {
        fleet *f = fleet_open(plain_rules(10, 90), 3, 3, 64);         /* shards of 300 */
        float x = 450 + side[i][0] * 149, y = 450 + side[i][1] * 149; /* just inside the one in the middle */
        fleet_begin(f);
        fleet_enter(f, 1, plain_attr(5, 0), x, y);
        fleet_enter(f, 2, plain_attr(0, 0), x + side[i][0] * 3, y + side[i][1] * 3);
        fleet_end(f);
        cr_assert_eq(home_of(f, 1), 4);
        cr_assert_neq(home_of(f, 2), 4);
        cr_assert_eq(f->enters, 1, "side %d", i);
        fleet_close(f);
    }
}

/* ---- nothing piles up ---- */

Test(exchange, coming_and_going_takes_no_more_and_more_memory)
{
    fleet *f = two(64);
    uint64_t warm = 0;
    for (int round = 0; round < 60; round++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= 60; id++) fleet_enter(f, id, plain_attr(40, 0), 480 + (float)(id % 9), 105);
        fleet_end(f);
        fleet_begin(f);
        for (uint64_t id = 1; id <= 60; id += 2) fleet_move(f, id, 510, 105);
        for (uint64_t id = 1; id <= 60; id += 3) fleet_relate(f, id, 1 + id % 60, PHX_RELATION_LINK, 0);
        fleet_end(f);
        fleet_begin(f);
        for (uint64_t id = 1; id <= 60; id++) fleet_leave(f, id);
        fleet_end(f);
        if (round == 30) warm = fleet_bytes();
        for (uint32_t i = 0; i < 2; i++)
            cr_assert_eq(f->shard[i].lists.free_entries, f->shard[i].lists.used, "all lists have gone back");
    }
    cr_assert_eq(fleet_bytes(), warm);
    fleet_close(f);
}

Test(exchange, many_moves_of_one_emigrant_need_one_place)
{
    fleet *f = two(64);
    fleet_begin(f);
    fleet_enter(f, 1, plain_attr(30, 0), 495, 105);
    fleet_end(f);
    fleet_begin(f);
    cr_assert(phx_shard_ready(&f->shard[0], 100));
    for (int i = 0; i < 100; i++) phx_shard_move(&f->shard[0], fleet_slot(f, 0, 1), 505 + (float)i, 105, 0);
    cr_assert_eq(f->shard[0].emigrant_candidates.count, 1);
    fleet_move(f, 1, 510, 105);
    fleet_end(f);
    cr_assert_eq(f->shard[0].counts.migrations, 1);
    fleet_close(f);
}
