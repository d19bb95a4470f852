/*
 * The model's activation and areas at the tick's end: every NPC against every waker, and
 * every entity against every area.
 */
#include <math.h>

#include "support/model_parts.h"

/* ---- edges ---- */

void model_emit_edge(model *m, const model_entity *e, uint64_t user_data, uint64_t area, bool on)
{
    model_edge edge = {.entity = {e->id, e->incarnation}, .user_data = user_data, .consumer = e->own.consumer};
    edge.area = area;
    edge.on = on;
    VEC_PUSH(&m->edges, edge);
    m->counts.woken += area == 0 && on;
    m->counts.slept += area == 0 && !on;
    m->counts.area_enters += area != 0 && on;
    m->counts.area_leaves += area != 0 && !on;
}

size_t model_edges(const model *m, const model_edge **edges)
{
    *edges = m->edges.items;
    return m->edges.count;
}

/* ---- activation ---- */

static bool wakes(const model *m, const model_entity *w)
{
    bool ready = model_ready_given(m, w) && MUTATE(MUTANT_REMOTE_WAKES, true, !w->now.remote);
    bool observes = (ready || MUTATE(MUTANT_WAKE_NOT_READY, false, true)) &&
                    (w->now.view > 0 || MUTATE(MUTANT_WAKE_BLIND, false, true));
    return m->classes[w->now.kind].wakes && observes;
}

static bool waker_near(const model *m, const model_entity *e)
{
    int64_t span = (int64_t)m->def.activation_span + MUTATE(MUTANT_WAKE_SPAN, 0, 1);
    for (size_t i = 0; i < m->entities.count; i++) {
        const model_entity *w = m->entities.items[i];
        bool met = w->now.instance == e->now.instance || MUTATE(MUTANT_WAKE_INSTANCE, false, true);
        if (w != e && met && wakes(m, w) && model_towers_apart(m, &w->now, &e->now) <= span) {
            return true;
        }
    }
    return false;
}

static bool stays_awake(const model *m, const model_entity *e, uint64_t tick)
{
    return e->awake && tick - e->waker_near <= m->def.activation_linger + MUTATE(MUTANT_WAKE_LINGER, 0u, 1u);
}

static void activate(model *m, model_entity *e, uint64_t tick)
{
    const ph_class *kind = &m->classes[e->now.kind];
    bool here = !MUTATE(MUTANT_REMOTE_AWAKES, e->now.remote, false);
    bool npc = here && kind->sleeps && (!kind->wakes || MUTATE(MUTANT_WAKE_WAKERS, false, true));
    bool near = npc && waker_near(m, e);
    bool awake = near || ((npc || MUTATE(MUTANT_WAKE_KIND, false, true)) && stays_awake(m, e, tick));
    if (near) {
        e->waker_near = tick;
    }
    if (awake != e->awake) {
        model_emit_edge(m, e, e->now.user_data, 0, awake);
    }
    e->awake = awake;
    m->counts.awake += awake;
}

/* ---- areas ---- */

static bool in_area_circle(const ph_area *a, float radius, float x, float y)
{
    float dx = x - a->center[0];
    float dy = y - a->center[1];
    float square_x = dx * dx;
    float square_y = dy * dy;
    float square_r = radius * radius;
    float sum = square_x + square_y;
    return MUTATE(MUTANT_AREA_CIRCLE, sum <= square_r, sum < square_r);
}

static bool in_area_box(float x, float y, const float *low, const float *high)
{
    bool right = MUTATE(MUTANT_AREA_BOX, x <= high[0], x < high[0]);
    return x >= low[0] && right && y >= low[1] && y <= high[1];
}

static float side_of(const ph_area *a, uint32_t side, float x, float y)
{
    const float *p = a->corners[side];
    const float *q = a->corners[(side + 1) % a->corner_count];
    float one = (q[0] - p[0]) * (y - p[1]);
    float other = (q[1] - p[1]) * (x - p[0]);
    return one - other;
}

static bool in_area_polygon(const ph_area *a, float x, float y)
{
    float low[2] = {a->corners[0][0], a->corners[0][1]};
    float high[2] = {a->corners[0][0], a->corners[0][1]};
    bool none_right = true;
    bool none_left = true;
    for (uint32_t i = 0; i < a->corner_count; i++) {
        float side = side_of(a, i, x, y);
        none_right = none_right && side >= 0;
        none_left = none_left && MUTATE(MUTANT_AREA_SIDE, side <= 0, side < 0);
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = a->corners[i][axis] < low[axis] ? a->corners[i][axis] : low[axis];
            high[axis] = a->corners[i][axis] > high[axis] ? a->corners[i][axis] : high[axis];
        }
    }
    return (none_right || none_left) && x >= low[0] && x <= high[0] && y >= low[1] && y <= high[1];
}

static bool admitted(const ph_area *a, const ph_attrs *e)
{
    bool here = (a->flags & PH_AREA_IN_INSTANCE) == 0 || a->instance == e->instance;
    bool layer = a->layers == 0 || (a->layers & e->layers) != 0 || MUTATE(MUTANT_AREA_LAYERS, false, true);
    bool under = MUTATE(MUTANT_AREA_HEIGHT, e->z <= a->z_high, e->z < a->z_high);
    here = here || MUTATE(MUTANT_AREA_INSTANCE, false, true);
    return here && layer && ((a->flags & PH_AREA_HEIGHT) == 0 || (a->z_low <= e->z && under));
}

bool model_in_area(const ph_area *a, const ph_attrs *e, bool was_inside)
{
    bool counts =
        (was_inside || MUTATE(MUTANT_AREA_MARGIN_ALWAYS, false, true)) && MUTATE(MUTANT_AREA_MARGIN, true, false);
    float m = counts ? a->margin : 0;
    float low[2] = {a->low[0] - m, a->low[1] - m};
    float high[2] = {a->high[0] + m, a->high[1] + m};
    bool for_kind = a->kind_count == 0 || MUTATE(MUTANT_AREA_KINDS, false, true);
    bool here = !MUTATE(MUTANT_REMOTE_IN_AREA, e->remote, false);
    for (uint32_t i = 0; i < a->kind_count; i++) {
        for_kind = for_kind || a->kinds[i] == e->kind;
    }
    for_kind = for_kind && here && admitted(a, e);
    switch (a->shape) {
    case PH_AREA_CIRCLE:
        return for_kind && in_area_circle(a, a->radius + m, e->x, e->y);
    case PH_AREA_BOX:
        return for_kind && in_area_box(e->x, e->y, low, high);
    default:
        return for_kind && in_area_polygon(a, e->x, e->y);
    }
}

static bool good_pair(const float *pair)
{
    return model_coordinate_ok(pair[0]) && model_coordinate_ok(pair[1]);
}

static bool area_convex(const ph_area *a)
{
    for (uint32_t i = 0; i < a->corner_count; i++) {
        bool flat = true;
        for (uint32_t j = 0; j < a->corner_count; j++) {
            float side = side_of(a, i, a->corners[j][0], a->corners[j][1]);
            flat = flat && !(side < 0 || side > 0);
        }
        if (flat || !in_area_polygon(a, a->corners[i][0], a->corners[i][1])) {
            return false;
        }
    }
    return true;
}

static ph_status check_polygon(const ph_area *a)
{
    if (a->corner_count < 3 || a->corner_count > PH_AREA_CORNERS_MAX) {
        return PH_BAD_VALUE;
    }
    for (uint32_t i = 0; i < a->corner_count; i++) {
        if (!good_pair(a->corners[i])) {
            return PH_BAD_POSITION;
        }
    }
    return area_convex(a) || MUTATE(MUTANT_AREA_HOLLOW, false, true) ? PH_OK : PH_BAD_VALUE;
}

static ph_status check_shape(const ph_area *a)
{
    switch (a->shape) {
    case PH_AREA_CIRCLE:
        if (!good_pair(a->center)) {
            return PH_BAD_POSITION;
        }
        return model_radius_ok(a->radius) ? PH_OK : PH_BAD_RADIUS;
    case PH_AREA_BOX:
        if (!good_pair(a->low) || !good_pair(a->high)) {
            return PH_BAD_POSITION;
        }
        return a->low[0] <= a->high[0] && a->low[1] <= a->high[1] ? PH_OK : PH_BAD_VALUE;
    case PH_AREA_POLYGON:
        return check_polygon(a);
    }
    return PH_BAD_VALUE;
}

ph_status model_check_area(const model *m, const command *c)
{
    const ph_area *a = &c->area;
    if (a->kind_count > PH_AREA_KINDS_MAX) {
        return PH_BAD_VALUE;
    }
    for (uint32_t i = 0; i < a->kind_count; i++) {
        if (a->kinds[i] >= m->def.class_count) {
            return PH_BAD_KIND;
        }
    }
    ph_status shape = check_shape(a);
    if (shape != PH_OK) {
        return shape;
    }
    if (!model_radius_ok(a->margin)) {
        return PH_BAD_RADIUS;
    }
    if ((a->shape == PH_AREA_POLYGON && a->margin != 0) ||
        (a->flags & ~(uint32_t)(PH_AREA_HEIGHT | PH_AREA_IN_INSTANCE | PH_AREA_FOLLOW)) != 0) {
        return PH_BAD_VALUE;
    }
    if ((a->flags & PH_AREA_FOLLOW) != 0 && (a->flags & PH_AREA_IN_INSTANCE) != 0) {
        return PH_BAD_VALUE;
    }
    if ((a->flags & PH_AREA_FOLLOW) != 0 && a->follow == 0) {
        return PH_BAD_ID;
    }
    bool height = (a->flags & PH_AREA_HEIGHT) != 0;
    if (height && !(model_coordinate_ok(a->z_low) && model_coordinate_ok(a->z_high))) {
        return PH_BAD_POSITION;
    }
    return height && a->z_low > a->z_high ? PH_BAD_VALUE : PH_OK;
}

static ph_area around(const ph_area *shape, const ph_attrs *anchor)
{
    ph_area a = *shape;
    a.center[0] += anchor->x;
    a.center[1] += anchor->y;
    a.low[0] += anchor->x;
    a.low[1] += anchor->y;
    a.high[0] += anchor->x;
    a.high[1] += anchor->y;
    for (uint32_t i = 0; a.shape == PH_AREA_POLYGON && i < a.corner_count; i++) {
        a.corners[i][0] += anchor->x;
        a.corners[i][1] += anchor->y;
    }
    a.z_low += MUTATE(MUTANT_AREA_FOLLOW_HEIGHT, anchor->z, 0.0f);
    a.z_high += MUTATE(MUTANT_AREA_FOLLOW_HEIGHT, anchor->z, 0.0f);
    a.flags |= MUTATE(MUTANT_AREA_FOLLOW_INSTANCE, PH_AREA_IN_INSTANCE, 0u);
    a.instance = anchor->instance;
    return a;
}

/* All entities are in their places: the areas that follow one go there. */
static void follow_anchors(model *m)
{
    for (size_t i = 0; i < m->areas.count; i++) {
        model_area *area = &m->areas.items[i];
        const model_entity *anchor = model_find(m, area->area.follow);
        if ((area->area.flags & PH_AREA_FOLLOW) != 0 && anchor != NULL &&
            MUTATE(MUTANT_AREA_FOLLOW_MOVE, true, false)) {
            area->placed = around(&area->area, &anchor->now);
        }
    }
}

/* An entity leaves the world, and its areas with it. */
static void remove_areas_of(model *m, uint64_t anchor)
{
    for (size_t i = m->areas.count; i-- > 0;) {
        const ph_area *a = &m->areas.items[i].area;
        if ((a->flags & PH_AREA_FOLLOW) != 0 && a->follow == anchor) {
            VEC_REMOVE(&m->areas, i);
        }
    }
}

void model_zones_gone(model *m, const model_entity *e)
{
    if (e->awake && MUTATE(MUTANT_WAKE_GONE, true, false)) {
        model_emit_edge(m, e, e->own.user_data, 0, false);
    }
    for (size_t i = 0; i < e->areas.count && MUTATE(MUTANT_AREA_GONE, true, false); i++) {
        model_emit_edge(m, e, e->own.user_data, e->areas.items[i], false);
    }
    if (MUTATE(MUTANT_AREA_FOLLOW_LEAVE, true, false)) {
        remove_areas_of(m, e->id);
    }
}

ph_status model_apply_area(model *m, const command *c)
{
    size_t at = 0;
    while (at < m->areas.count && m->areas.items[at].id != c->id) {
        at++;
    }
    bool there = at < m->areas.count;
    if (c->type == COMMAND_AREA_REMOVE) {
        if (!there) {
            return PH_ABSENT;
        }
        VEC_REMOVE(&m->areas, at);
        return PH_OK;
    }
    const model_entity *anchor = model_find(m, c->area.follow);
    if ((c->area.flags & PH_AREA_FOLLOW) != 0 && anchor == NULL) {
        return PH_UNKNOWN_ID;
    }
    model_area area = {c->id, c->area, c->area};
    if ((c->area.flags & PH_AREA_FOLLOW) != 0) {
        area.placed = around(&c->area, &anchor->own);
    }
    if (there) {
        m->areas.items[at] = area;
        return PH_OK;
    }
    if (m->areas.count >= m->def.areas_max) {
        return MUTATE(MUTANT_AREA_CAPACITY, PH_CAPACITY, PH_OK);
    }
    VEC_PUSH(&m->areas, area);
    return PH_OK;
}

static size_t area_place(const model_entity *e, uint64_t area)
{
    size_t at = 0;
    while (at < e->areas.count && e->areas.items[at] != area) {
        at++;
    }
    return at;
}

static const ph_area *area_of(const model *m, uint64_t id)
{
    for (size_t i = 0; i < m->areas.count; i++) {
        if (m->areas.items[i].id == id) {
            return &m->areas.items[i].placed;
        }
    }
    return NULL;
}

static void cross(model *m, model_entity *e)
{
    for (size_t i = e->areas.count; i-- > 0;) {
        uint64_t id = e->areas.items[i];
        const ph_area *area = area_of(m, id);
        if (area == NULL ? MUTATE(MUTANT_AREA_REMOVED, true, false) : !model_in_area(area, &e->now, true)) {
            model_emit_edge(m, e, e->now.user_data, id, false);
            VEC_REMOVE(&e->areas, i);
        }
    }
    for (size_t i = 0; i < m->areas.count; i++) {
        uint64_t id = m->areas.items[i].id;
        if (area_place(e, id) == e->areas.count && model_in_area(&m->areas.items[i].placed, &e->now, false)) {
            model_emit_edge(m, e, e->now.user_data, id, true);
            VEC_PUSH(&e->areas, id);
        }
    }
}

void model_zones(model *m)
{
    m->counts.awake = 0;
    m->counts.areas = m->areas.count;
    follow_anchors(m);
    for (size_t i = 0; i < m->entities.count; i++) {
        cross(m, m->entities.items[i]);
    }
    for (size_t i = 0; i < m->entities.count; i++) {
        activate(m, m->entities.items[i], m->tick + 1);
    }
}
