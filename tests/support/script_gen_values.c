/*
 * The generator's numbers: choices, positions, radii, classes.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/script_gen_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- choices ---- */

uint32_t choose(choices *c, uint32_t bound)
{
    if (c->bytes == NULL) {
        return phx_rng_below(&c->state, bound);
    }
    uint32_t value = 0;
    for (uint32_t range = bound - 1; range != 0; range >>= 8) {
        value = value << 8 | (c->at < c->size ? c->bytes[c->at] : 0);
        c->at++;
    }
    return value % bound;
}

bool choices_over(const choices *c)
{
    return c->bytes != NULL && c->at >= c->size;
}

bool chance(choices *c, uint32_t percent)
{
    return choose(c, 100) < percent;
}

uint32_t choose_weighted(choices *c, const uint8_t *weights, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
    }
    uint32_t at = choose(c, sum);
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (at < weights[i]) {
            return i;
        }
        at -= weights[i];
    }
    return count - 1;
}

float choose_between(choices *c, float low, float high)
{
    enum { STEPS = 1 << 16 };
    return low + (high - low) * ((float)choose(c, STEPS) / (float)STEPS);
}

/* ---- positions ---- */

static float border(gen *g, int axis)
{
    const ph_world_def *d = &g->s->def;
    uint32_t towers = (uint32_t)ceil((double)d->world_size[axis] / (double)d->tower_size);
    uint32_t k = choose(&g->c, towers + 1);
    float p = chance(&g->c, 15) ? d->world_origin[axis] + d->world_size[axis]
                                : d->world_origin[axis] + (float)k * d->tower_size;
    static const float to[] = {-FLT_MAX, 0, FLT_MAX};
    uint32_t side = choose(&g->c, COUNT(to));
    return side == 1 ? p : nextafterf(p, to[side]);
}

static float huge(gen *g)
{
    static const float values[] = {
        PH_COORDINATE_MAX, -PH_COORDINATE_MAX, 9.999999e17f, -9.999999e17f, 5e17f, -3e17f, 1e17f, -1e12f, 1.5e9f,
        -4.3e9f,           65536.0f,           1e7f,         -1e7f};
    return values[choose(&g->c, COUNT(values))];
}

static float tiny(gen *g)
{
    static const float values[] = {0.0f, -0.0f, FLT_MIN, -FLT_MIN, 1e-45f, -1e-45f, 1e-40f, 1e-30f, -1e-20f};
    return values[choose(&g->c, COUNT(values))];
}

static float coordinate(gen *g, place_mode mode, int axis)
{
    enum { GRID_STEPS = 9 };
    const ph_world_def *d = &g->s->def;
    switch (mode) {
    case PLACE_ANYWHERE:
        return choose_between(&g->c, d->world_origin[axis] - d->tower_size,
                              d->world_origin[axis] + d->world_size[axis] + d->tower_size);
    case PLACE_CLOSE:
        return g->busy[axis] + choose_between(&g->c, -12, 12) * g->unit;
    case PLACE_GRID:
        return g->busy[axis] + ((float)choose(&g->c, 2 * GRID_STEPS + 1) - (float)GRID_STEPS) * g->unit;
    case PLACE_BORDER:
        return border(g, axis);
    case PLACE_HUGE:
        return chance(&g->c, 50) ? huge(g) : g->busy[axis];
    case PLACE_TINY:
        return tiny(g);
    default:
        return g->busy[axis];
    }
}

/* On the edge of a view around another entity: where one rounding more or less decides. */
static void place_edge(gen *g, float *xyz)
{
    const gen_entity *from = &g->known[any_place(g)];
    const float center[3] = {from->x, from->y, from->z};
    const ph_class *observer = &g->s->classes[choose(&g->c, g->s->def.class_count)];
    const ph_class *target = &g->s->classes[choose(&g->c, g->s->def.class_count)];
    float r = chance(&g->c, 80) ? fminf(observer->view, target->visible) : target->reach;
    if ((g->p->flags & GEN_REACH) != 0) {
        r = target->reach + (chance(&g->c, 70) ? observer->margin : 0);
    }
    float way[3] = {1, 0, 0};
    float length2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        bool flat = axis == 2 && (g->s->def.shape != PH_SHAPE_SPHERE || !off_ground(g));
        way[axis] = flat ? 0 : choose_between(&g->c, -1, 1);
        length2 = length2 + way[axis] * way[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        float p = length2 > 0 ? center[axis] + way[axis] / sqrtf(length2) * r : center[axis];
        for (uint32_t nudge = choose(&g->c, 3); nudge > 0; nudge--) {
            p = nextafterf(p, chance(&g->c, 50) ? FLT_MAX : -FLT_MAX);
        }
        xyz[axis] = fabsf(p) <= PH_COORDINATE_MAX ? p : center[axis];
    }
}

bool off_ground(gen *g)
{
    return g->hilly == 100 || chance(&g->c, g->hilly);
}

/* A height on flat ground: for a cylinder one of three, no farther apart than its height. */
static float ground_height(gen *g)
{
    float half = fminf(g->s->def.height, 4 * g->unit) * 0.5f;
    return g->s->def.shape == PH_SHAPE_CYLINDER ? ((float)choose(&g->c, 3) - 1.0f) * half : 0;
}

void place_any(gen *g, place_mode mode, float *xyz)
{
    if (mode == PLACE_EDGE) {
        place_edge(g, xyz);
        return;
    }
    xyz[0] = coordinate(g, mode, 0);
    xyz[1] = coordinate(g, mode, 1);
    xyz[2] = 0;
    if (!off_ground(g)) {
        xyz[2] = ground_height(g);
    } else if (chance(&g->c, 50)) {
        xyz[2] = ((float)choose(&g->c, 11) - 5.0f) * g->unit;
    } else if (mode == PLACE_HUGE && chance(&g->c, 30)) {
        xyz[2] = huge(g);
    } else if (mode == PLACE_TINY) {
        xyz[2] = tiny(g);
    }
}

/* ---- radii ---- */

float radius_any(gen *g)
{
    static const float units[] = {0, 1, 2, 3, 4, 5, 5, 6, 8, 10, 13};
    static const float special[] = {PH_LENGTH_MAX, 9.999999e17f, 5e17f, 1e-45f, FLT_MIN, 1e-20f, 1.4e18f / 2};
    uint32_t what = choose(&g->c, 100);
    if (what < 75) {
        return units[choose(&g->c, COUNT(units))] * g->unit;
    }
    if (what < 85) {
        return choose_between(&g->c, 0, 14) * g->unit; /* in a far world up to 9.8e17 */
    }
    if (what < 93) {
        float r = g->s->def.tower_size * (float)choose(&g->c, 3);
        return fminf(chance(&g->c, 50) ? r : nextafterf(r, FLT_MAX), PH_LENGTH_MAX);
    }
    return special[choose(&g->c, COUNT(special))];
}

float bad_float(gen *g, bool radius)
{
    static const float beyond[] = {0x1.bc16d8p+59f, 1.9e19f, 1e30f, FLT_MAX}; /* the first one is just behind 1e18 */
    uint32_t what = choose(&g->c, radius ? 7 : 4);
    switch (what) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -INFINITY;
    case 3: {
        float v = beyond[choose(&g->c, COUNT(beyond))];
        return !radius && chance(&g->c, 50) ? -v : v;
    }
    case 4:
        return -1e-45f;
    case 5:
        return -g->unit;
    default:
        return -FLT_MAX;
    }
}

/* ---- classes ---- */

/* Bands as far as views, small and large periods; sometimes none. */
static void bands_any(gen *g, ph_class *c)
{
    static const uint32_t periods[] = {1, 1, 2, 3, 4, 5, 8, 16, 255};
    float radius = 0;
    c->band_count = chance(&g->c, 85) ? 1 + choose(&g->c, chance(&g->c, 90) ? 4 : PH_BANDS_MAX) : 0;
    for (uint32_t i = 0; i < c->band_count; i++) {
        float wide = g->unit * (float)(1 + choose(&g->c, 4));
        radius = chance(&g->c, 90) ? radius + wide : nextafterf(radius, FLT_MAX) + FLT_MIN;
        c->bands[i].radius = radius;
        c->bands[i].every = periods[choose(&g->c, COUNT(periods))];
    }
    c->updates_max = chance(&g->c, 40) ? 1 + choose(&g->c, 4) : 0;
}

ph_class class_any(gen *g, uint32_t kind)
{
    char name[PH_NAME_SIZE];
    (void)snprintf(name, sizeof name, kind == 0 ? "default" : "kind-%u", (unsigned)kind);
    ph_class c = ph_class_default(name);
    c.view = chance(&g->c, 80) ? radius_any(g) : 0;
    c.margin = chance(&g->c, 50) ? radius_any(g) : 0;
    c.reach = chance(&g->c, 15) ? radius_any(g) : 0;
    c.visible = chance(&g->c, 15) ? radius_any(g) : PH_LENGTH_MAX;
    if (chance(&g->c, 20)) {
        c.layers = choose(&g->c, 8);
        c.sees = choose(&g->c, 8);
    }
    c.stealth = (uint8_t)(chance(&g->c, 15) ? choose(&g->c, 4) : 0);
    c.detect = (uint8_t)(chance(&g->c, 40) ? choose(&g->c, 4) : 0);
    c.cap = chance(&g->c, 25) ? 1 + choose(&g->c, 4) : 0;
    c.adds_max = chance(&g->c, 15) ? 1 + choose(&g->c, 4) : 0;
    c.priority = (uint8_t)(chance(&g->c, 40) ? choose(&g->c, 3) : 0);
    c.veiled = chance(&g->c, 10);
    c.global = chance(&g->c, 5);
    c.ready = !chance(&g->c, 8);
    if ((g->p->flags & GEN_BANDS) != 0) {
        bands_any(g, &c);
    }
    return c;
}

ph_class class_of_world(gen *g, uint32_t kind)
{
    static const float units[] = {2, 3, 4, 5, 5, 8};
    ph_class any = class_any(g, kind);
    if ((g->p->flags & GEN_REACH) != 0) {
        any.view = g->unit * (float)(1 + choose(&g->c, 2));
        any.margin = g->unit * (float)choose(&g->c, 4);
        any.reach = chance(&g->c, 60) ? g->unit * (float)(4 + choose(&g->c, 8)) : 0;
        any.global = false;
        any.ready = true;
    }
    if ((g->p->flags & GEN_PLAIN) == 0) {
        return any;
    }
    ph_class c = ph_class_default(any.name);
    c.view = chance(&g->c, 85) ? units[choose(&g->c, COUNT(units))] * g->unit : 0;
    c.margin = chance(&g->c, 25) ? g->unit * (float)choose(&g->c, 3) : 0;
    c.layers = chance(&g->c, 10) ? 3 : 1;
    c.stealth = chance(&g->c, 10) ? any.stealth : 0;
    c.detect = any.detect;
    c.veiled = chance(&g->c, 5);
    c.visible = chance(&g->c, 10) ? units[choose(&g->c, COUNT(units))] * g->unit / 2 : PH_LENGTH_MAX;
    if ((g->p->flags & GEN_LIMITS) != 0) {
        c.cap = chance(&g->c, 80) ? 1 + choose(&g->c, 20) : 0;
        c.adds_max = chance(&g->c, 40) ? 1 + choose(&g->c, 8) : 0;
    } else {
        c.cap = chance(&g->c, 5) ? any.cap : 0;
        c.adds_max = chance(&g->c, 15) ? any.adds_max : 0;
    }
    c.band_count = any.band_count;
    memcpy(c.bands, any.bands, sizeof c.bands);
    c.updates_max = any.updates_max;
    return c;
}

void class_wakes(gen *g, ph_class *c)
{
    if (!g->waking) {
        return;
    }
    c->wakes = chance(&g->c, 30);
    c->sleeps = !chance(&g->c, 20);
}
