/*
 * shards/exchange/ and tick/reindex.c: random commands to entities of several shards, with a tiny pool and without
 * memory now and then (shards_fixture.h compares every tick with a plain world).
 */
#include "unit/shards/shards_fixture.h"

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
