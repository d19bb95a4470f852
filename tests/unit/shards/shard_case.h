/*
 * Shared by the tests of shards/ and src/world: watched memory, plain rules, and
 * attributes of an observer and of a target. One thread; every file has its own copy.
 */
#ifndef UNIT_SHARD_CASE_H
#define UNIT_SHARD_CASE_H

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "shards/entity/entity_store.h"
#include "support/watched_memory.h"

static watched_memory watched;
static phx_mem memory;

static inline void memory_set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&memory, watched_memory_allocator(&watched));
}

static inline void memory_tear_down(void)
{
    watched_memory_all_back(&watched);
    if (atomic_load(&memory.bytes) == 0) return;
    fprintf(stderr, "the counter of bytes is not back at 0\n");
    abort();
}

/* The next `calls` allocations succeed, then all fail. */
static inline void memory_for(uint64_t calls)
{
    watched_memory_fail_after(&watched, calls);
}

static inline void memory_enough(void)
{
    watched_memory_fail_after(&watched, UINT64_MAX);
}

/* An entity's attributes become these. */
static inline void set_attr(phx_store *store, uint32_t slot, phx_attr attr)
{
    cr_assert(phx_store_reserve(store, &memory, 0));
    phx_store_dress(store, slot, &attr);
}

/* A square world from (0, 0); circles. */
static inline phx_rules plain_rules(float tower_size, uint32_t towers)
{
    static const ph_class classes[4] = {{.layers = 1, .visible = PH_LENGTH_MAX, .sees = UINT64_MAX, .ready = true},
                                        {.layers = 1, .visible = PH_LENGTH_MAX, .sees = UINT64_MAX, .ready = true},
                                        {.layers = 1, .visible = PH_LENGTH_MAX, .sees = UINT64_MAX, .ready = true},
                                        {.layers = 1, .visible = PH_LENGTH_MAX, .sees = UINT64_MAX, .ready = true}};
    return (phx_rules){.range = PH_RANGE_RADIUS,
                       .shape = PH_SHAPE_CIRCLE,
                       .height = 100.0f,
                       .tower_size = tower_size,
                       .span = 1,
                       .towers = {towers, towers},
                       .sticky = 1.1,
                       .classes = classes,
                       .class_count = 4};
}

/* view 0: a mere target. */
static inline phx_attr plain_attr(float view, float margin)
{
    return (phx_attr){
        .layers = 1, .visible = PH_LENGTH_MAX, .sees = UINT64_MAX, .view = view, .margin = margin, .ready = true};
}

/* An observer with a stored list, as it does not see layer 0, and has bands; and a target for it. */
static inline phx_attr stored_attr(float view)
{
    phx_attr attr = plain_attr(view, 0);
    attr.sees = 2;
    attr.layers = 3;
    attr.banded = true;
    return attr;
}

/* Uniform in [lo, hi). */
static inline float float_between(uint64_t *rng, float lo, float hi)
{
    return lo + (hi - lo) * phx_rng_unit(rng);
}

/* v, or one of its neighbours up to two steps off. */
static inline float float_near(uint64_t *rng, float v)
{
    for (uint32_t steps = phx_rng_below(rng, 3); steps > 0; steps--)
        v = nextafterf(v, phx_rng_below(rng, 2) ? INFINITY : -INFINITY);
    return fabsf(v) <= FLT_MAX ? v : copysignf(FLT_MAX, v);
}

/* A finite float of any exponent and sign. */
static inline float float_any(uint64_t *rng)
{
    float v = ldexpf(1.0f + phx_rng_unit(rng), (int)phx_rng_below(rng, 276) - 149);
    v = fabsf(v) <= FLT_MAX ? v : FLT_MAX;
    return phx_rng_below(rng, 2) ? v : -v;
}

#endif
