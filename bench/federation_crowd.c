/*
 * The crowd of --federation; see federation_crowd.h.
 */
#include "bench/federation_crowd.h"

#include <math.h>

#include "base/rng.h"
#include "bench/base/memory.h"

/* FAR: from a border, beyond all that a halo has. */
static const float FAR = 200.0f, PI = 3.14159265f;

static bool is_lingerer(uint32_t i)
{
    return i % BENCH_FED_LINGER_EVERY == 0;
}

/* Two steps from a border of its node: the middle node has two. */
static float beside_border(const bench_fed_crowd *crowd, uint32_t i)
{
    const uint32_t node = crowd->node[i], turn = i / (BENCH_FED_LINGER_EVERY * BENCH_FED_NODES) % 2;
    const bool is_left = node == 0 || (node + 1 < BENCH_FED_NODES && turn == 0); /* of its border */
    const float border = (float)(is_left ? node + 1 : node) * crowd->side;
    return border + (is_left ? -2 : 2) * BENCH_FED_STEP;
}

void bench_fed_crowd_make(bench_fed_crowd *crowd, phx_mem *mem, uint32_t count, bench_fed_crowd_kind kind,
                          uint64_t seed)
{
    const float density = (float)BENCH_FED_TARGETS / (PI * BENCH_FED_VIEW * BENCH_FED_VIEW),
                area = (float)count / (float)BENCH_FED_NODES / density;
    const float inset = kind == BENCH_FED_AWAY ? FAR : BENCH_FED_STEP, room = sqrtf(area);
    *crowd = (bench_fed_crowd){.count = count, .side = room + 2 * inset};
    crowd->homes = bench_alloc(mem, count * sizeof *crowd->homes);
    crowd->at = bench_alloc(mem, count * sizeof *crowd->at);
    crowd->node = bench_alloc(mem, count);
    for (uint32_t i = 0; i < count; i++) {
        crowd->node[i] = (uint8_t)(i % BENCH_FED_NODES);
        crowd->homes[i].x = (float)crowd->node[i] * crowd->side + inset + phx_rng_unit(&seed) * room;
        crowd->homes[i].y = inset + phx_rng_unit(&seed) * room;
        if (kind == BENCH_FED_LINGER && is_lingerer(i)) crowd->homes[i].x = beside_border(crowd, i);
    }
    bench_fed_crowd_walk(crowd, 0);
}

void bench_fed_crowd_free(bench_fed_crowd *crowd, phx_mem *mem)
{
    phx_free(mem, crowd->homes, crowd->count * sizeof *crowd->homes, PHX_CACHE_LINE);
    phx_free(mem, crowd->at, crowd->count * sizeof *crowd->at, PHX_CACHE_LINE);
    phx_free(mem, crowd->node, crowd->count, PHX_CACHE_LINE);
}

ph_position bench_fed_crowd_place(const bench_fed_crowd *crowd, uint32_t i, uint64_t tick)
{
    const float turn = 2 * PI / (float)BENCH_FED_CIRCLE_TICKS;
    const float angle = (float)((tick + i) % BENCH_FED_CIRCLE_TICKS) * turn;
    ph_position at = crowd->homes[i];
    at.x += cosf(angle) * BENCH_FED_STEP;
    at.y += sinf(angle) * BENCH_FED_STEP;
    return at;
}

void bench_fed_crowd_walk(bench_fed_crowd *crowd, uint64_t tick)
{
    for (uint32_t i = 0; i < crowd->count; i++) crowd->at[i] = bench_fed_crowd_place(crowd, i, tick);
}

uint32_t bench_fed_crowd_near(const bench_fed_crowd *crowd, float width)
{
    uint32_t near = 0;
    for (uint32_t i = 0; i < crowd->count; i++)
        for (uint32_t border = 1; border < BENCH_FED_NODES; border++)
            near += fabsf(crowd->homes[i].x - (float)border * crowd->side) <= width;
    return near;
}

void bench_fed_crowd_linger(bench_fed_crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->count; i++)
        if (is_lingerer(i)) crowd->homes[i].x = roundf(crowd->homes[i].x / crowd->side) * crowd->side;
}

uint32_t bench_fed_crowd_lingerers(const bench_fed_crowd *crowd)
{
    return (crowd->count + BENCH_FED_LINGER_EVERY - 1) / BENCH_FED_LINGER_EVERY;
}

uint32_t bench_fed_crowd_beyond(const bench_fed_crowd *crowd)
{
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const float part = crowd->at[i].x / crowd->side;
        beyond += part < (float)crowd->node[i] || part >= (float)crowd->node[i] + 1.0f;
    }
    return beyond;
}
