/*
 * shards/zones/tower_map.c: numbers by tower and instance against a plain array, and the stacks of places.
 */
#include "unit/shards/shard_case.h"

#include "shards/zones/tower_map.h"

TestSuite(tower_map, .init = memory_set_up, .fini = memory_tear_down);

enum { INSTANCES = 5, TOWERS = 3 * PHX_TOWER_MAP_SIDE, STEPS = 20000 };

static const uint32_t numbers[INSTANCES] = {0, 1, 2, 77, UINT32_MAX};

/* Does a block of the instance at the tower's place have a number? */
static bool block_used(uint32_t (*all)[TOWERS][TOWERS], uint32_t i, uint32_t tx, uint32_t ty)
{
    const uint32_t left = tx / PHX_TOWER_MAP_SIDE * PHX_TOWER_MAP_SIDE,
                   bottom = ty / PHX_TOWER_MAP_SIDE * PHX_TOWER_MAP_SIDE;
    for (uint32_t y = bottom; y < bottom + PHX_TOWER_MAP_SIDE; y++)
        for (uint32_t x = left; x < left + PHX_TOWER_MAP_SIDE; x++)
            if (all[i][y][x] != 0) return true;
    return false;
}

/* The stack of a place has each block once that is there in an instance other than 0. */
static void check_stack(const phx_tower_map *map, uint32_t (*all)[TOWERS][TOWERS], uint32_t tx, uint32_t ty)
{
    uint32_t found[INSTANCES] = {0};
    const phx_tower_map_block *block = phx_tower_map_stack(map, tx, ty);
    for (; block; block = phx_tower_map_above(map, block)) {
        cr_assert_eq(phx_tower_map_left(block) / PHX_TOWER_MAP_SIDE, tx / PHX_TOWER_MAP_SIDE);
        cr_assert_eq(phx_tower_map_bottom(block) / PHX_TOWER_MAP_SIDE, ty / PHX_TOWER_MAP_SIDE);
        for (uint32_t i = 0; i < INSTANCES; i++) found[i] += phx_tower_map_instance(block) == numbers[i];
    }
    cr_assert_eq(found[0], 0);
    for (uint32_t i = 1; i < INSTANCES; i++) cr_assert_eq(found[i], block_used(all, i, tx, ty), "instance %u", i);
}

Test(tower_map, numbers_and_stacks_by_instance)
{
    static uint32_t all[INSTANCES][TOWERS][TOWERS];
    phx_tower_map map;
    uint64_t rng = 3;
    phx_tower_map_init(&map, &memory);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t i = phx_rng_below(&rng, INSTANCES), tx = phx_rng_below(&rng, TOWERS);
        const uint32_t ty = phx_rng_below(&rng, TOWERS), most = step / 1000 % 2 ? 2 : 20; /* fills, and empties */
        const uint32_t value = phx_rng_below(&rng, 20) < most / 2 ? 1 + step : 0;
        cr_assert(phx_tower_map_reserve(&map, &memory, tx, ty, tx, ty));
        phx_tower_map_put(&map, numbers[i], tx, ty, value);
        all[i][ty][tx] = value;
        const uint32_t x = phx_rng_below(&rng, TOWERS), y = phx_rng_below(&rng, TOWERS);
        for (uint32_t k = 0; k < INSTANCES; k++) cr_assert_eq(phx_tower_map_get(&map, numbers[k], x, y), all[k][y][x]);
        check_stack(&map, all, tx, ty);
    }
    for (uint32_t i = 0; i < INSTANCES * TOWERS * TOWERS; i++)
        phx_tower_map_put(&map, numbers[i / (TOWERS * TOWERS)], i % TOWERS, i / TOWERS % TOWERS, 0);
    cr_assert_eq(phx_idmap_count(&map.index), 0, "a block or a stack is left");
    phx_tower_map_free(&map, &memory);
}
