/*
 * shards/query/far_near.h: the far targets that are noted near a block give each of its observers the far part that the
 * search by cells gives; of more targets than fit none is noted.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/query/far_list.h"
#include "shards/query/far_near.h"

enum { IDS = 400, TOWERS = 40, FAR_EVERY = 24, IDS_MANY = 600, FAR_MANY = 2 };

static const float TOWER = 10, REACH = 15, REACH_MANY = 150;

/* Observers all over two blocks along each axis, and outside; each so many is seen from afar. */
static fleet *open_land(ph_shape shape, uint32_t ids, uint32_t far_every, float reach, uint64_t *rng)
{
    const float side = TOWER * TOWERS;
    phx_rules rules = plain_rules(TOWER, TOWERS);
    rules.shape = shape;
    fleet *f = fleet_open(rules, 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= ids; id++) {
        phx_attr attr = plain_attr(id % 5 == 0 ? 60 : 12, 0);
        if (id % far_every == 1) attr.reach = reach + 10 * (float)phx_rng_below(rng, 12);
        if (id == 1 + far_every) attr.global = true;
        if (id % 11 == 0) attr.sees = 2; /* it sees no target */
        fleet_enter(f, id, attr, float_between(rng, -40, side + 40), float_between(rng, -40, side + 40));
    }
    fleet_relate(f, 7, 1 + far_every, PHX_RELATION_LINK, 0);
    fleet_end(f);
    return f;
}

/* Compares the far parts of a block's observers, as they are in order. Returns the number of targets in them. */
static uint32_t compare_block(const phx_shard *shard, const phx_far_near *near, phx_span rows)
{
    uint32_t all = 0;
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t targets[PHX_FAR_NEAR_MAX], target, n = 0;
        const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
        cr_assert(phx_far_near_covers(near, shard, row));
        const uint32_t count = phx_far_near_list(near, slot, phx_related_of(shard, slot), targets);
        phx_far_walk walk = phx_far_walk_open(shard, slot);
        for (; phx_far_walk_next(&walk, &target); n++)
            cr_assert(n < count && targets[n] == target, "place %u of %u: not target %u", n, count, target);
        cr_assert_eq(n, count, "%u targets, not %u", count, n);
        all += count;
    }
    return all;
}

static void test_land(ph_shape shape, uint64_t seed)
{
    phx_far_near near = {0};
    uint32_t told = 0, noted = 0, blocks = 0;
    uint64_t rng = seed;
    fleet *f = open_land(shape, IDS, FAR_EVERY, REACH, &rng);
    const phx_shard *shard = &f->shard[0];
    for (uint32_t b = 0; b < shard->grid.block_count; b++) {
        const phx_block *block = &shard->grid.blocks[b];
        const phx_span rows = {block->start[0], block->start[PHX_BLOCK_TOWERS]};
        phx_far_near_open(&near, shard, block);
        if (near.shard == NULL || rows.first == rows.end) continue;
        cr_assert(!phx_far_near_covers(&near, shard, rows.end));
        told += compare_block(shard, &near, rows);
        noted += near.count;
        blocks++;
    }
    cr_assert(blocks > 0 && told > noted, "%u blocks, %u targets noted, %u in lists", blocks, noted, told);
    cr_assert_lt(noted, blocks * shard->far.entry_count, "each far target is noted near each block");
    fleet_close(f);
}

Test(query, far_near)
{
    for (uint64_t seed = 1; seed < 8; seed++) test_land(PH_SHAPE_CIRCLE, seed);
}

Test(query, far_near_square)
{
    for (uint64_t seed = 1; seed < 8; seed++) test_land(PH_SHAPE_SQUARE, seed);
}

Test(query, far_near_many)
{
    uint64_t rng = 5;
    phx_far_near near = {0};
    fleet *f = open_land(PH_SHAPE_CIRCLE, IDS_MANY, FAR_MANY, REACH_MANY, &rng);
    const phx_shard *shard = &f->shard[0];
    const uint32_t row = shard->store.body[fleet_slot(f, 0, 5)].row;
    phx_far_near_open(&near, shard, &shard->grid.blocks[phx_grid_block_at(&shard->grid, row)]);
    cr_assert(!phx_far_near_covers(&near, shard, row), "%u far targets are noted", near.count);
    fleet_close(f);
}
