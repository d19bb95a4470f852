/*
 * An index of its own, with a store of entities that enter, leave, step and jump by hand or at random; for the tests of
 * one index's promises beyond the contract. One thread; every file has its own copy.
 */
#ifndef UNIT_INDEX_LIFE_H
#define UNIT_INDEX_LIFE_H

#include "unit/shards/shard_case.h"

#include "shards/classical/index_parts.h"
#include "shards/classical/registry.h"

enum { LIFE_SLOTS = 6000 };

static phx_rules life_rules;
static phx_store life_store;
static phx_index *life_index;
static uint16_t life_tick;
static uint64_t life_id;
static phx_body life_old[LIFE_SLOTS]; /* at the last tick's end; state 0: no entity */

static inline void life_open(ph_index which, ph_shape shape)
{
    memory_set_up();
    phx_store_init(&life_store, &memory);
    life_rules = plain_rules(50, 20);
    life_rules.shape = shape;
    life_rules.height = 20;
    phx_index_env env = {.mem = &memory, .rules = &life_rules, .store = &life_store, .rect = {0, 0, 19, 19}};
    life_index = phx_index_make(which, &env);
    cr_assert(life_index);
    life_tick = 1;
    memset(life_old, 0, sizeof life_old);
}

static inline void life_close(void)
{
    phx_index_free(life_index);
    phx_store_free(&life_store, &memory);
    memory_tear_down();
}

static inline bool life_live(uint32_t slot)
{
    return life_store.body[slot].state & PHX_SLOT_LIVE;
}

static inline void life_move(uint32_t slot, float x, float y)
{
    phx_body *body = &life_store.body[slot];
    body->x = x;
    body->y = y;
    body->changed = life_tick;
}

static inline void life_set(uint32_t slot, phx_attr attr)
{
    set_attr(&life_store, slot, attr);
    life_store.body[slot].changed = life_tick;
}

static inline uint32_t life_enter(phx_attr attr, float x, float y)
{
    cr_assert(phx_store_reserve(&life_store, &memory, 1));
    uint32_t slot = phx_store_add(&life_store, ++life_id, PHX_SLOT_OWN);
    cr_assert_lt(slot, LIFE_SLOTS);
    set_attr(&life_store, slot, attr);
    life_move(slot, x, y);
    return slot;
}

static inline void life_leave(uint32_t slot)
{
    life_store.body[slot].changed = life_tick;
    phx_store_kill(&life_store, slot);
}

/* The index hears of the tick. calls: memory for so many allocations, then for one more each time. */
static inline void life_turn(uint64_t calls)
{
    memory_for(calls);
    while (!phx_index_update(life_index, &life_store, life_tick, life_tick)) memory_for(++calls);
    memory_enough();
    cr_assert(life_index->ops->valid(life_index));
}

static inline void life_end(void)
{
    phx_store_bury(&life_store);
    memcpy(life_old, life_store.body, life_store.slots * sizeof *life_old);
    life_tick++;
}

/* The whole of it, with memory. */
static inline void life_pass(void)
{
    life_turn(UINT64_MAX);
    life_end();
}

/* Somewhere: in the world, where others are, outside, at the ends of float32. */
static inline float life_anywhere(uint64_t *rng)
{
    uint32_t how = phx_rng_below(rng, 30);
    if (how == 0) return float_any(rng);
    if (how == 1) return phx_rng_below(rng, 2) ? 1e-42f : -0.0f;
    if (how == 2) return phx_rng_below(rng, 2) ? FLT_MAX : -FLT_MAX;
    if (how < 8) return 300.0f;
    return float_between(rng, 0, 1000);
}

static inline phx_attr life_anybody(uint64_t *rng)
{
    static const float views[] = {0, 0, 10, 50, 50, 50, 50, 80, 80, 300, 5000, 1e30f, 1e-30f};
    float view = views[phx_rng_below(rng, sizeof views / sizeof *views)];
    return plain_attr(view, phx_rng_below(rng, 3) == 0 ? view / 4 : 0);
}

/* One in `share` leaves, is set or jumps; of the others most step; up to `wanted` live. */
static inline void life_at_random(uint64_t *rng, uint32_t share, uint32_t wanted, float step)
{
    for (uint32_t slot = 0; slot < life_store.slots; slot++) {
        if (!life_live(slot) || phx_rng_below(rng, 5) == 0) continue;
        const phx_body *body = &life_store.body[slot];
        uint32_t how = phx_rng_below(rng, share);
        if (how == 0) life_leave(slot);
        else if (how == 1) life_set(slot, life_anybody(rng));
        else if (how == 2) life_move(slot, life_anywhere(rng), life_anywhere(rng));
        else life_move(slot, body->x + float_between(rng, -step, step), body->y + float_between(rng, -step, step));
        float z = float_between(rng, -30, 30);
        if (phx_rng_below(rng, 8) == 0) life_store.body[slot].z = z;
    }
    while (life_store.own_count < wanted) life_enter(life_anybody(rng), life_anywhere(rng), life_anywhere(rng));
}

#endif
