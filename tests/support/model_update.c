/*
 * The model's updates: the tick of each target's last move, its band, the updates that are
 * due, and the ones that wait for want of budget. After the lists of a tick.
 */
#include <stdlib.h>

#include "support/model_parts.h"

/* ---- moves ---- */

static bool any_band(const ph_class *classes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (classes[i].band_count != 0) {
            return true;
        }
    }
    return false;
}

static bool same_bands(const ph_class *a, const ph_class *b)
{
    if (a->band_count != b->band_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->band_count; i++) {
        if (a->bands[i].every != b->bands[i].every || a->bands[i].radius < b->bands[i].radius ||
            a->bands[i].radius > b->bands[i].radius) {
            return false;
        }
    }
    return true;
}

/* Have the bands of any class that there was changed in this tick? */
static bool bands_changed(const model *m)
{
    for (uint32_t i = 0; i < m->banded_classes; i++) {
        if (!same_bands(&m->bands_before[i], &m->classes[i])) {
            return true;
        }
    }
    return false;
}

static void note_move(model *m, model_entity *e, bool banded)
{
    bool moved = e->was.x < e->now.x || e->was.x > e->now.x || e->was.y < e->now.y || e->was.y > e->now.y ||
                 (MUTATE(MUTANT_MOVED_FLAT, true, false) && (e->was.z < e->now.z || e->was.z > e->now.z));
    if (!banded || !m->banded) {
        e->moved = 0;
        return;
    }
    if (e->followed && moved) {
        e->moved = m->tick;
    }
}

static void follow(model *m, model_entity *e)
{
    (void)m;
    e->followed = true;
    e->was = (ph_position){e->now.x, e->now.y, e->now.z};
    e->was_kind = e->now.kind;
}

/* ---- bands and phases ---- */

static float distance2(const model *m, ph_position o, ph_position t)
{
    float dx = t.x - o.x;
    float dy = t.y - o.y;
    float dz = t.z - o.z;
    float xx = dx * dx;
    float yy = dy * dy;
    float d2 = xx + yy;
    float zz = dz * dz;
    return m->def.shape == PH_SHAPE_SPHERE ? d2 + zz : d2;
}

/* The place among the class' bands. */
static uint32_t band_at(const ph_class *c, float d2)
{
    for (uint32_t i = 0; i < c->band_count; i++) {
        float rr = c->bands[i].radius * c->bands[i].radius;
        if (MUTATE(MUTANT_BAND_OPEN, d2 <= rr, d2 < rr)) {
            return i;
        }
    }
    return c->band_count - 1;
}

static uint64_t hash_id(uint64_t id)
{
    id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9u;
    id = (id ^ id >> 27) * 0x94d049bb133111ebu;
    return (id ^ id >> 31) >> 32;
}

static uint32_t phase_of(uint64_t o, uint64_t t)
{
    uint32_t both = (uint32_t)(hash_id(o) ^ hash_id(t));
    return both * 2654435769u >> 16;
}

static ph_position position_of(const model_entity *e)
{
    return (ph_position){e->now.x, e->now.y, e->now.z};
}

static uint32_t band_of(const model *m, const model_entity *o, const model_entity *t)
{
    return band_at(&m->classes[o->now.kind], distance2(m, position_of(o), position_of(t)));
}

/* At the end of the tick before, by the bands of now. */
static uint32_t band_before(const model *m, const model_entity *o, const model_entity *t)
{
    bool there = o->followed && t->followed;
    return there ? band_at(&m->classes[o->now.kind], distance2(m, o->was, t->was)) : band_of(m, o, t);
}

static bool is_due(const model *m, const model_entity *o, const model_entity *t, bool changed)
{
    const ph_class *c = &m->classes[o->now.kind];
    uint32_t band = band_of(m, o, t), before = band_before(m, o, t);
    uint32_t every = c->bands[band].every;
    if ((changed || o->was_kind != o->now.kind) && MUTATE(MUTANT_BAND_REKIND, true, false)) {
        return true;
    }
    bool crossed = band != before && MUTATE(MUTANT_BAND_CROSSED, true, false);
    if (crossed && MUTATE(MUTANT_BAND_STILL, true, t->moved == m->tick)) {
        return true;
    }
    bool beyond = distance2(m, position_of(o), position_of(t)) > c->bands[band].radius * c->bands[band].radius;
    if (t->moved == 0 || (beyond && MUTATE(MUTANT_BAND_BEYOND, false, true))) {
        return false;
    }
    bool turn = (m->tick + phase_of(o->id, t->id)) % every == 0;
    return m->tick - t->moved < MUTATE(MUTANT_BAND_LOST, every, every - 1) && turn;
}

/* ---- the budget ---- */

typedef struct chance_of {
    const model_entity *target;
    uint64_t since;
    uint64_t weight;
    float d2;
} chance_of;

static int by_chance(const void *a, const void *b)
{
    const chance_of *l = a;
    const chance_of *r = b;
    if (l->weight != r->weight) {
        return l->weight > r->weight ? -1 : 1;
    }
    if (l->d2 < r->d2 || l->d2 > r->d2) {
        return l->d2 < r->d2 ? -1 : 1;
    }
    return l->target->id < r->target->id ? -1 : l->target->id > r->target->id;
}

/* 0 = it does not wait. */
static uint64_t waits_since(const model_entity *o, const model_entity *t)
{
    for (size_t i = 0; i < o->waits.count; i++) {
        if (o->waits.items[i].key.id == t->id && o->waits.items[i].key.incarnation == t->incarnation) {
            return o->waits.items[i].since;
        }
    }
    return 0;
}

/* ---- one observer ---- */

static void tell(model *m, model_update *u, const model_entity *o, const model_entity *t)
{
    uint32_t band = MUTATE(MUTANT_BAND_OLD, band_of(m, o, t), band_before(m, o, t));
    model_moved moved = {{t->id, t->incarnation}, t->now.user_data, position_of(t), band};
    VEC_PUSH(&u->moved, moved);
    m->counts.updates++;
}

static bool entered(const model *m, const model_entity *o, uint64_t id)
{
    for (size_t i = 0; i < m->changes.count; i++) {
        const model_change *c = &m->changes.items[i];
        for (size_t j = c->leave_count; c->observer.id == o->id && j < c->targets.count; j++) {
            if (c->targets.items[j].key.id == id) {
                return true;
            }
        }
    }
    return false;
}

static void find_updates(model *m, model_entity *o, bool changed)
{
    const ph_class *c = &m->classes[o->now.kind];
    model_update u = {.observer = {o->id, o->incarnation}, .user_data = o->now.user_data, .consumer = o->now.consumer};
    chance_of *due = check_zalloc((o->list.count + 1) * sizeof *due);
    size_t count = 0;
    for (size_t i = 0; c->band_count != 0 && i < o->list.count; i++) {
        const model_entity *t = model_entity_of(m, o->list.items[i].id);
        uint64_t since = waits_since(o, t);
        if (entered(m, o, t->id)) {
            if (MUTATE(MUTANT_ENTER_SILENT, true, is_due(m, o, t, changed))) {
                tell(m, &u, o, t);
            }
        } else if (since != 0 || is_due(m, o, t, changed)) {
            since = since != 0 ? since : m->tick;
            uint64_t waited = MUTATE(MUTANT_NO_WEIGHT, m->tick - since, 0u);
            due[count++] = (chance_of){t, since, (1 + waited) * (1u + t->now.priority),
                                       distance2(m, position_of(o), position_of(t))};
        }
    }
    size_t most = c->updates_max != 0 && c->updates_max < count ? c->updates_max : count;
    qsort(due, count, sizeof *due, by_chance);
    for (size_t i = 0; i < most; i++) {
        tell(m, &u, o, due[i].target);
    }
    o->waits.count = 0;
    for (size_t i = most; i < count && MUTATE(MUTANT_WAIT_LOST, true, false); i++) {
        model_wait wait = {{due[i].target->id, due[i].target->incarnation}, due[i].since};
        VEC_PUSH(&o->waits, wait);
        m->counts.updates_held++;
    }
    free(due);
    if (u.moved.count != 0) {
        VEC_PUSH(&m->updates, u);
    }
}

void model_clear_updates(model *m)
{
    for (size_t i = 0; i < m->updates.count; i++) {
        VEC_FREE(&m->updates.items[i].moved);
    }
    m->updates.count = 0;
}

void model_update_all(model *m)
{
    bool banded = any_band(m->classes, m->def.class_count) && m->def.consumers != 0;
    bool changed = bands_changed(m);
    for (size_t i = 0; i < m->entities.count; i++) {
        note_move(m, m->entities.items[i], banded);
    }
    for (size_t i = 0; banded && i < m->entities.count; i++) {
        find_updates(m, m->entities.items[i], changed);
    }
    for (size_t i = 0; i < m->entities.count; i++) {
        follow(m, m->entities.items[i]);
        if (!banded) {
            m->entities.items[i]->waits.count = 0;
            m->entities.items[i]->followed = false;
        }
    }
    m->banded = banded;
    m->banded_classes = m->def.class_count;
    for (uint32_t i = 0; i < m->def.class_count; i++) {
        m->bands_before[i] = m->classes[i];
    }
}

size_t model_updates(const model *m, const model_update **updates)
{
    *updates = m->updates.items;
    return m->updates.count;
}
