/*
 * Why an observer sees a target, or not, by the rules' text: the present list counts as that of the tick before.
 */
#include <math.h>
#include <stdlib.h>

#include "support/model_parts.h"

static bool is_listed(const model_entity *o, uint64_t id)
{
    for (size_t i = 0; i < o->list.count; i++) {
        if (o->list.items[i].id == id) {
            return true;
        }
    }
    return false;
}

/* Within r, whatever else; flat: heights do not count. */
static bool within(const model *m, const ph_explanation *e, float r, bool flat)
{
    float xx = e->dx * e->dx, yy = e->dy * e->dy, zz = e->dz * e->dz;
    float d2 = xx + yy;
    float rr = r * r;
    switch (m->def.shape) {
    case PH_SHAPE_SQUARE:
        return fabsf(e->dx) <= r && fabsf(e->dy) <= r;
    case PH_SHAPE_SPHERE:
        return d2 + zz <= rr;
    case PH_SHAPE_CYLINDER:
        return d2 <= rr && (flat || fabsf(e->dz) <= m->def.height);
    default:
        return d2 <= rr;
    }
}

static ph_reason why_range(const model *m, const model_entity *o, const model_entity *t, const ph_explanation *e,
                           bool in)
{
    float wide = in ? e->radius + e->margin : e->radius;
    if (m->def.range == PH_RANGE_TOWERS) {
        bool near = e->towers_x <= m->def.span && e->towers_y <= m->def.span;
        return near ? PH_REASON_TOWERS : PH_REASON_TOWERS_APART;
    }
    if (within(m, e, e->radius, false)) {
        if (e->paired) {
            return PH_REASON_PAIR;
        }
        return within(m, e, fminf(o->now.view, t->now.visible), false)
                   ? PH_REASON_VIEW
                   : MUTATE(MUTANT_WHY_REACH, PH_REASON_REACH, PH_REASON_VIEW);
    }
    if (in && within(m, e, wide, false)) {
        return MUTATE(MUTANT_WHY_MARGIN, PH_REASON_MARGIN, PH_REASON_VIEW);
    }
    return within(m, e, wide, true) ? PH_REASON_TOO_HIGH : PH_REASON_TOO_FAR;
}

static ph_reason why_rule(const model *m, const model_entity *o, const model_entity *t, const ph_explanation *e,
                          bool in)
{
    if (!o->now.ready) {
        return PH_REASON_NOT_READY;
    }
    if (!(o->now.view > 0)) {
        return PH_REASON_NO_VIEW;
    }
    if (o == t) {
        return PH_REASON_SELF;
    }
    if (o->now.instance != t->now.instance) {
        return PH_REASON_INSTANCE;
    }
    if (model_hides(o, t)) {
        return PH_REASON_HIDDEN;
    }
    bool revealed = model_reveals(o, t);
    bool stealthy = t->now.stealth > o->now.detect && !revealed;
    if ((o->now.sees & t->now.layers) == 0 && MUTATE(MUTANT_WHY_ORDER, true, !stealthy)) {
        return PH_REASON_LAYERS;
    }
    if (stealthy) {
        return PH_REASON_STEALTH;
    }
    if (t->now.veiled && !revealed) {
        return PH_REASON_VEILED;
    }
    if (t->now.global) {
        return PH_REASON_GLOBAL;
    }
    return model_linked(o, t) ? PH_REASON_LINK : why_range(m, o, t, e, in);
}

/* The rank of t among all targets that pass. */
static void why_cap(const model *m, const model_entity *o, const model_entity *t, ph_explanation *e)
{
    model_candidate *candidates = check_zalloc(m->entities.count * sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < m->entities.count; i++) {
        const model_entity *other = m->entities.items[i];
        count += model_rule(m, o, other, is_listed(o, other->id), &candidates[count]);
    }
    qsort(candidates, count, sizeof *candidates, model_rank);
    e->passing = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].target == t) {
            e->rank = (uint32_t)i + MUTATE(MUTANT_WHY_RANK, 1u, 0u);
        }
    }
    free(candidates);
    if (e->rank > e->cap) {
        e->reason = PH_REASON_CAP;
    }
}

static bool passes_rules(ph_reason reason)
{
    return reason >= PH_REASON_GLOBAL && reason <= PH_REASON_MARGIN;
}

ph_status model_explain(const model *m, uint64_t observer, uint64_t target, ph_explanation *e)
{
    const model_entity *o = model_entity_of(m, observer);
    const model_entity *t = model_entity_of(m, target);
    uint32_t apart[2];
    if (o == NULL || t == NULL) {
        return PH_UNKNOWN_ID;
    }
    const model_pair *pair = model_pair_of(o, target);
    apart[0] = apart[1] = 0;
    if (m->def.tower_size > 0) model_axes_apart(m, &o->now, &t->now, apart); /* else they are the engine's choice */
    *e = (ph_explanation){.paired = pair != NULL, .towers_x = apart[0], .towers_y = apart[1], .span = m->def.span};
    e->dx = t->now.x - o->now.x;
    e->dy = t->now.y - o->now.y;
    e->dz = t->now.z - o->now.z;
    float xx = e->dx * e->dx, yy = e->dy * e->dy, zz = e->dz * e->dz;
    e->square = xx + yy;
    if (m->def.shape == PH_SHAPE_SPHERE) {
        e->square = e->square + zz;
    }
    e->radius = pair != NULL ? pair->view : fmaxf(fminf(o->now.view, t->now.visible), t->now.reach);
    e->margin = pair != NULL ? pair->margin : o->now.margin;
    e->height = m->def.height;
    e->cap = o->now.cap;
    e->sees_mask = o->now.sees;
    e->observer_instance = o->now.instance;
    e->target_instance = t->now.instance;
    e->layers = t->now.layers;
    e->stealth = t->now.stealth;
    e->detect = o->now.detect;
    e->range = (uint8_t)m->def.range;
    e->shape = (uint8_t)m->def.shape;
    bool in = is_listed(o, target);
    e->reason = why_rule(m, o, t, e, in);
    if (passes_rules(e->reason) && e->cap != 0) {
        why_cap(m, o, t, e);
    }
    e->sees = passes_rules(e->reason);
    if (e->sees && !in) {
        e->reason = PH_REASON_WAITS;
        e->sees = false;
    }
    return PH_OK;
}
