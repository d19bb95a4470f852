/*
 * The generator's worlds: small ones, with few towers and odd sizes.
 */
#include <float.h>
#include <math.h>

#include "support/script_gen_parts.h"

enum { SHARDS_AXIS_MAX = 6 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#ifdef __SANITIZE_THREAD__ /* gcc's, of the preset tsan */
#define SEEKS_RACES true
#else
#define SEEKS_RACES false
#endif

static uint32_t towers_along(const ph_world_def *d, int axis)
{
    double towers = ceil((double)d->world_size[axis] / (double)d->tower_size);
    return towers > 1 ? (uint32_t)towers : 1;
}

static void geometry_any(gen *g)
{
    static const float units[] = {1, 10, 0.1f, 3, 100, 0.7f};
    static const float origins[] = {0, 0, -50, 12345.678f, -1e5f, -0.3f};
    ph_world_def *d = &g->s->def;
    g->unit = units[choose(&g->c, COUNT(units))];
    static const float towers[] = {5, 10, 3.3f, 7, 20, 100};
    if ((g->p->flags & GEN_FAR) != 0) {
        static const float far_units[] = {1e15f, 1e16f, 7e16f}; /* 13 of them, the longest view, are within the bound */
        g->unit = far_units[choose(&g->c, COUNT(far_units))];
    }
    d->tower_size = g->unit * towers[choose(&g->c, COUNT(towers))];
    if ((g->p->flags & GEN_REACH) != 0) {
        d->tower_size = g->unit * (float)(1 + choose(&g->c, 3));
    }
    d->tower_size = fminf(d->tower_size, PH_LENGTH_MAX);
    for (int axis = 0; axis < 2; axis++) {
        d->world_origin[axis] = origins[choose(&g->c, COUNT(origins))] * g->unit;
        uint32_t most = (g->p->flags & GEN_REACH) != 0 ? 24 : 10;
        d->world_size[axis] = d->tower_size * (float)(1 + choose(&g->c, most));
        if (chance(&g->c, 30)) {
            d->world_size[axis] = d->world_size[axis] * 0.9f;
        }
        if (chance(&g->c, 3)) {
            d->world_size[axis] = d->tower_size * 30000.0f;
        }
        d->world_size[axis] = fminf(d->world_size[axis], PH_LENGTH_MAX);
        d->world_origin[axis] = fmaxf(d->world_origin[axis], -PH_COORDINATE_MAX);
        d->world_origin[axis] = fminf(d->world_origin[axis], PH_COORDINATE_MAX);
        g->busy[axis] = d->world_origin[axis] + d->tower_size * (float)choose(&g->c, 3);
        if (chance(&g->c, 40)) {
            g->busy[axis] = g->busy[axis] + choose_between(&g->c, 0, 1) * d->tower_size;
        }
    }
    g->busy[2] = 0;
    for (int axis = 0; axis < 2; axis++) {
        uint32_t most = towers_along(d, axis);
        d->shards[axis] = 1 + choose(&g->c, most < SHARDS_AXIS_MAX ? most : SHARDS_AXIS_MAX);
    }
}

static void limits_any(gen *g)
{
    ph_world_def *d = &g->s->def;
    const uint32_t workers = chance(&g->c, 25) ? 2 + choose(&g->c, 2) : 1;
    /* Waking threads is most of the time of a script with several workers: a quarter of those keep them, by a hash. */
    const bool crewed = SEEKS_RACES || g->s->seed * UINT64_C(0x9E3779B97F4A7C15) >> 62 == 0;
    d->workers = crewed ? workers : 1;
    d->entities_max = chance(&g->c, 20) ? 1 + choose(&g->c, g->s->id_count) : 4096;
    d->producers_max = SCRIPT_PRODUCERS_MAX;
    d->producer_bytes = 32u << 20; /* a script never fills a queue */
    d->broadcast_bytes = chance(&g->c, 50) ? PH_PAYLOAD_MAX + choose(&g->c, 300) : 64u << 20;
    d->consumer_bytes = 256u << 20;
    if (!g->s->eager && chance(&g->c, 50)) {
        const uint32_t messages = choose(&g->c, 3); /* the two choices in one order, whatever the compiler */
        d->consumer_bytes = messages * choose(&g->c, 500);
    }
    d->refusals_max = chance(&g->c, 20) ? 1 + choose(&g->c, 5) : 4096;
    d->consumers = choose(&g->c, 10) == 0 ? 0 : 1 + choose(&g->c, SCRIPT_CONSUMERS_MAX);
    d->consumer_batches = g->s->eager ? 4 : 1 + choose(&g->c, 3);
    d->simd = (ph_simd)choose(&g->c, 4);
    d->hash_seed = g->s->seed + 1; /* not 0: a script runs the same again */
    d->positions = g->s->seed % 4 != 0;
    d->exchange_bytes = chance(&g->c, 50) ? 16u << 10 : 1u << 20;
}

/* Some ids share their low or high halves, some are at the ends. */
static void ids_any(gen *g)
{
    static const uint64_t special[] = {UINT64_MAX, 1ull << 63, 1ull << 32, (1ull << 32) + 1, UINT64_MAX - 1};
    script *s = g->s;
    s->id_count = 2 + choose(&g->c, chance(&g->c, 50) ? 12 : 38);
    for (uint32_t i = 0; i < s->id_count; i++) {
        s->ids[i] = i + 1;
        if (chance(&g->c, 10)) {
            s->ids[i] = (uint64_t)(i + 1) << 32 | 1;
        }
    }
    if (s->id_count > COUNT(special) && chance(&g->c, 30)) {
        for (uint32_t i = 0; i < COUNT(special); i++) {
            s->ids[s->id_count - 1 - i] = special[i];
        }
    }
}

/* So few that views shrink now and then. */
void crowd_any(gen *g, uint32_t *entities, float *least)
{
    static const float floors[] = {0.25f, 0.0625f, 0.3f, 0.5f, 0.9f, 1.0f};
    *entities = chance(&g->c, 15) ? 0 : 1 + choose(&g->c, 20);
    *least = floors[choose(&g->c, COUNT(floors))];
}

/* Seldom reached, often, or in nearly every tick. */
uint32_t events_any(gen *g)
{
    static const uint32_t most[] = {1, 3, 8, 20, 60};
    return chance(&g->c, 25) ? most[choose(&g->c, COUNT(most))] : 0;
}

/* Flat ground in some worlds, which now and then is left, or for ever. */
static uint32_t hills_any(gen *g)
{
    static const uint32_t percents[] = {0, 1, 10};
    return chance(&g->c, 40) ? percents[choose(&g->c, COUNT(percents))] : 100;
}

void world_any(gen *g)
{
    static const double stickies[] = {1.0, 1.1, 1.1, 1.5, 2.25, 4.0};
    script *s = g->s;
    ph_world_def *d = &s->def;
    d->range = chance(&g->c, 25) ? PH_RANGE_TOWERS : PH_RANGE_RADIUS;
    d->shape = (ph_shape)choose(&g->c, 4);
    d->span = choose(&g->c, 4);
    d->sticky = stickies[choose(&g->c, COUNT(stickies))];
    ids_any(g);
    d->quadtree_capacity = 1 + s->id_count % 5; /* few, so that some leaves are cut */
    d->quadtree_depth = s->id_count % 8;
    geometry_any(g);
    d->height = radius_any(g);
    g->hilly = hills_any(g);
    d->class_count = 1 + choose(&g->c, 4);
    g->waking = (g->p->flags & GEN_AWAKE) != 0 || chance(&g->c, 25);
    d->activation_span = choose(&g->c, 3);
    d->activation_linger = choose(&g->c, 4);
    d->areas_max = chance(&g->c, 20) ? choose(&g->c, 6) : 100;
    for (uint32_t kind = 0; kind < d->class_count; kind++) {
        s->classes[kind] = class_of_world(g, kind);
        class_wakes(g, &s->classes[kind]);
    }
    s->producers = 1 + choose(&g->c, SCRIPT_PRODUCERS_MAX);
    limits_any(g);
    if (d->range == PH_RANGE_RADIUS && chance(&g->c, 25)) {
        crowd_any(g, &d->crowd_entities, &d->crowd_floor);
    }
    d->events_max = events_any(g);
    d->share_min = 0; /* workers share small ticks, too */
}
