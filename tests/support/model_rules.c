/*
 * The model's rules of sight: one observer, one target, yes or no, and the rank at a cap.
 * Everything in float32, one rounding per operation, in the order that the specification
 * writes; the build switches contraction off (-ffp-contract=off).
 */
#include <float.h>
#include <math.h>

#include "support/model_parts.h"

/* 16 is what gcc says where _Float16 is computed as such (AVX512-FP16): floats are floats there too */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "float operations have to be rounded one by one");

const model_pair *model_pair_of(const model_entity *o, uint64_t target)
{
    for (size_t i = 0; i < o->pairs.count; i++) {
        if (o->pairs.items[i].target == target) {
            return &o->pairs.items[i];
        }
    }
    return NULL;
}

static bool among(const model_ids *ids, uint64_t id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->items[i] == id) {
            return true;
        }
    }
    return false;
}

bool model_linked(const model_entity *o, const model_entity *t)
{
    return among(&o->links, t->id) || MUTATE(MUTANT_LINK_SYMMETRIC, false, among(&t->links, o->id));
}

bool model_hides(const model_entity *o, const model_entity *t)
{
    return among(&o->hides, t->id) || MUTATE(MUTANT_HIDE_SYMMETRIC, false, among(&t->hides, o->id));
}

bool model_reveals(const model_entity *o, const model_entity *t)
{
    return among(&o->reveals, t->id) || MUTATE(MUTANT_REVEAL_SYMMETRIC, false, among(&t->reveals, o->id));
}

/* ---- in range, by towers ---- */

static int64_t tower_of(float p, float origin, float size, float tower_size)
{
    double towers = ceil((double)size / (double)tower_size);
    int64_t last = towers > 1 ? (int64_t)towers - 1 : 0;
    float offset = p - origin;
    float quotient = offset / tower_size;
    float tower = floorf(quotient);
    if (MUTATE(MUTANT_TOWER_DOUBLE, false, true)) {
        tower = (float)floor(((double)p - (double)origin) / (double)tower_size);
    }
    if (MUTATE(MUTANT_TOWER_NO_CLAMP, false, fabsf(tower) < 1e9f)) {
        return (int64_t)tower;
    }
    if (tower <= 0) {
        return 0;
    }
    return tower >= (float)last ? last : (int64_t)tower;
}

static bool off_towers(float p, float origin, float size, float tower_size)
{
    float offset = p - origin;
    float quotient = offset / tower_size;
    double towers = ceil((double)size / (double)tower_size);
    return !(quotient >= 0) || !MUTATE(MUTANT_OUTSIDE_EDGE, (double)quotient < towers, (double)quotient <= towers);
}

bool model_outside(const model *m, const ph_attrs *a)
{
    const ph_world_def *d = &m->def;
    if (d->tower_size <= 0) return false; /* the engine's choice: run_stats() does not compare */
    return off_towers(a->x, d->world_origin[0], d->world_size[0], d->tower_size) ||
           off_towers(a->y, d->world_origin[1], d->world_size[1], d->tower_size);
}

int64_t model_towers_apart(const model *m, const ph_attrs *one, const ph_attrs *other)
{
    const ph_world_def *d = &m->def;
    int64_t ox = tower_of(one->x, d->world_origin[0], d->world_size[0], d->tower_size);
    int64_t oy = tower_of(one->y, d->world_origin[1], d->world_size[1], d->tower_size);
    int64_t tx = tower_of(other->x, d->world_origin[0], d->world_size[0], d->tower_size);
    int64_t ty = tower_of(other->y, d->world_origin[1], d->world_size[1], d->tower_size);
    int64_t dx = ox > tx ? ox - tx : tx - ox;
    int64_t dy = oy > ty ? oy - ty : ty - oy;
    return dx > dy ? dx : dy;
}

static bool near_by_towers(const model *m, const ph_attrs *o, const ph_attrs *t)
{
    const ph_world_def *d = &m->def;
    int64_t ox = tower_of(o->x, d->world_origin[0], d->world_size[0], d->tower_size);
    int64_t oy = tower_of(o->y, d->world_origin[1], d->world_size[1], d->tower_size);
    int64_t tx = tower_of(t->x, d->world_origin[0], d->world_size[0], d->tower_size);
    int64_t ty = tower_of(t->y, d->world_origin[1], d->world_size[1], d->tower_size);
    int64_t dx = ox > tx ? ox - tx : tx - ox;
    int64_t dy = oy > ty ? oy - ty : ty - oy;
    return dx <= (int64_t)d->span && dy <= (int64_t)d->span - MUTATE(MUTANT_TOWER_SPAN, 0, 1);
}

void model_axes_apart(const model *m, const ph_attrs *o, const ph_attrs *t, uint32_t apart[2])
{
    const ph_world_def *d = &m->def;
    int64_t x = tower_of(o->x, d->world_origin[0], d->world_size[0], d->tower_size) -
                tower_of(t->x, d->world_origin[0], d->world_size[0], d->tower_size);
    int64_t y = tower_of(o->y, d->world_origin[1], d->world_size[1], d->tower_size) -
                tower_of(t->y, d->world_origin[1], d->world_size[1], d->tower_size);
    apart[0] = (uint32_t)(x < 0 ? -x : x);
    apart[1] = (uint32_t)(y < 0 ? -y : y);
}

/* ---- in range, by radius ---- */

typedef struct offset {
    float x, y, z;
} offset;

static float radius_of(const model_entity *o, const model_entity *t, bool was_in)
{
    const model_pair *pair = model_pair_of(o, t->id);
    float reach = MUTATE(MUTANT_NO_REACH, t->now.reach, 0.0f);
    float seen = MUTATE(MUTANT_NO_VISIBLE, fminf(o->now.view, t->now.visible), o->now.view);
    float r = MUTATE(MUTANT_VISIBLE_LAST, fmaxf(seen, reach), fminf(fmaxf(o->now.view, reach), t->now.visible));
    if (MUTATE(MUTANT_REACH_SUM, false, true)) {
        r = o->now.view + reach;
    }
    float margin = o->now.margin;
    if (pair != NULL) {
        r = MUTATE(MUTANT_PAIR_MAX, pair->view, fmaxf(r, pair->view));
        margin = MUTATE(MUTANT_PAIR_MARGIN, pair->margin, margin);
    }
    if (MUTATE(MUTANT_NO_MARGIN, was_in, false) || MUTATE(MUTANT_MARGIN_ALWAYS, false, true)) {
        r = r + margin;
    }
    return r;
}

/* dx*dx + dy*dy as the specification writes it. */
static float flat_d2(offset d)
{
    float xx = d.x * d.x;
    float yy = d.y * d.y;
    float flat = xx + yy;
    return MUTATE(MUTANT_FMA, flat, fmaf(d.x, d.x, yy));
}

static float sphere_d2(offset d)
{
    float zz = d.z * d.z;
    float flat = flat_d2(d);
    float d2 = flat + zz;
    if (MUTATE(MUTANT_SPHERE_ORDER, false, true)) {
        float side = d.y * d.y + zz;
        d2 = d.x * d.x + side;
    }
    return MUTATE(MUTANT_SPHERE_FLAT, d2, flat);
}

static bool in_circle(offset d, float r)
{
    float rr = r * r;
    float d2 = flat_d2(d);
    if (MUTATE(MUTANT_DOUBLE, false, true)) {
        return (double)d.x * (double)d.x + (double)d.y * (double)d.y <= (double)r * (double)r;
    }
    return MUTATE(MUTANT_CIRCLE_OPEN, d2 <= rr, d2 < rr);
}

static bool in_radius(const model *m, offset d, float r)
{
    switch (m->def.shape) {
    case PH_SHAPE_SQUARE:
        return MUTATE(MUTANT_SQUARE_OPEN, fabsf(d.x) <= r, fabsf(d.x) < r) && fabsf(d.y) <= r;
    case PH_SHAPE_CYLINDER:
        return in_circle(d, r) && MUTATE(MUTANT_HEIGHT_OPEN, fabsf(d.z) <= m->def.height, fabsf(d.z) < m->def.height);
    case PH_SHAPE_SPHERE: {
        float rr = r * r;
        return sphere_d2(d) <= rr;
    }
    default:
        return in_circle(d, r);
    }
}

/* ---- the whole rule ---- */

static offset offset_of(const model_entity *o, const model_entity *t)
{
    offset d = {t->now.x - o->now.x, t->now.y - o->now.y, t->now.z - o->now.z};
    return d;
}

bool model_hidden(const model_entity *o, const model_entity *t)
{
    bool layer = MUTATE(MUTANT_LAYERS_ALL, (o->now.sees & t->now.layers) != 0,
                        (o->now.sees & t->now.layers) == t->now.layers && t->now.layers != 0);
    bool stealthy = MUTATE(MUTANT_STEALTH_OPEN, t->now.stealth > o->now.detect,
                           t->now.stealth != 0 && t->now.stealth >= o->now.detect);
    bool veiled = MUTATE(MUTANT_NO_VEIL, t->now.veiled, false);
    bool hide = model_hides(o, t);
    if (MUTATE(MUTANT_GLOBAL_BLIND, false, t->now.global)) {
        stealthy = false;
    }
    if (model_reveals(o, t)) {
        stealthy = MUTATE(MUTANT_REVEAL_VEIL, false, stealthy);
        veiled = MUTATE(MUTANT_REVEAL_STEALTH, false, veiled);
        layer = MUTATE(MUTANT_REVEAL_LAYERS, layer, true);
        hide = MUTATE(MUTANT_REVEAL_HIDE, hide, false);
    }
    if (MUTATE(MUTANT_HIDE_LINK, false, model_linked(o, t))) {
        hide = false;
    }
    if (MUTATE(MUTANT_HIDE_GLOBAL, false, t->now.global)) {
        hide = false;
    }
    bool apart = o->now.instance != t->now.instance;
    if (MUTATE(MUTANT_INSTANCE_LINK, false, model_linked(o, t)) ||
        MUTATE(MUTANT_INSTANCE_GLOBAL, false, t->now.global)) {
        apart = false;
    }
    return hide || !layer || stealthy || veiled || MUTATE(MUTANT_INSTANCE, apart, false);
}

bool model_rule(const model *m, const model_entity *o, const model_entity *t, bool was_in, model_candidate *c)
{
    bool observes = o->now.view > 0 || MUTATE(MUTANT_GLOBAL_BLINDLESS, false, t->now.global);
    if (!o->now.ready || !observes || t == o || model_hidden(o, t)) {
        return false;
    }
    offset d = offset_of(o, t);
    bool forced = t->now.global || model_linked(o, t) || MUTATE(MUTANT_REVEAL_FAR, false, model_reveals(o, t));
    bool near = m->def.range == PH_RANGE_TOWERS ? near_by_towers(m, &o->now, &t->now)
                                                : in_radius(m, d, radius_of(o, t, was_in));
    if (MUTATE(MUTANT_PAIR_TOWERS, false, m->def.range == PH_RANGE_TOWERS && model_pair_of(o, t->id) != NULL)) {
        near = in_radius(m, d, radius_of(o, t, was_in));
    }
    if (MUTATE(MUTANT_MISSED_LEAVE, false, was_in && d.x < 0)) {
        near = true;
    }
    if (!forced && !near) {
        return false;
    }
    bool sphere = m->def.shape == PH_SHAPE_SPHERE && MUTATE(MUTANT_CAP_Z, true, false);
    float d2 = sphere ? sphere_d2(d) : flat_d2(d);
    double sticky = MUTATE(MUTANT_NO_STICKY, m->def.sticky, 1.0);
    c->target = t;
    c->forced = forced;
    c->d2 = (double)d2;
    c->key = (double)d2 * (was_in ? 1.0 : sticky);
    return true;
}

int model_rank(const void *a, const void *b)
{
    const model_candidate *l = a;
    const model_candidate *r = b;
    if (l->forced != r->forced && MUTATE(MUTANT_CAP_FORCED, true, false)) {
        return l->forced ? -1 : 1;
    }
    uint8_t left = l->target->now.priority;
    uint8_t right = r->target->now.priority;
    if (left != right && MUTATE(MUTANT_CAP_PRIORITY, true, false)) {
        return left > right ? -1 : 1;
    }
    if (l->key < r->key || l->key > r->key) {
        return l->key < r->key ? -1 : 1;
    }
    bool smaller = l->target->id < r->target->id;
    return MUTATE(MUTANT_CAP_TIE, smaller, !smaller) ? -1 : 1;
}
