/*
 * The model's activation: who is awake at the tick's end, every NPC against everybody.
 */
#include "support/model_parts.h"

/* ---- edges ---- */

void model_tell_edge(model *m, const model_entity *e, uint64_t user_data, uint64_t area, bool on)
{
    model_edge edge = {.entity = {e->id, e->incarnation}, .user_data = user_data, .consumer = e->own.consumer};
    edge.area = area;
    edge.on = on;
    VEC_PUSH(&m->edges, edge);
    m->counts.woken += area == 0 && on;
    m->counts.slept += area == 0 && !on;
}

size_t model_edges(const model *m, const model_edge **edges)
{
    *edges = m->edges.items;
    return m->edges.count;
}

void model_zones_gone(model *m, const model_entity *e)
{
    if (e->awake && MUTATE(MUTANT_WAKE_GONE, true, false)) {
        model_tell_edge(m, e, e->own.user_data, 0, false);
    }
}

/* ---- activation ---- */

static bool wakes(const model *m, const model_entity *w)
{
    bool observes = (w->now.ready || MUTATE(MUTANT_WAKE_NOT_READY, false, true)) &&
                    (w->now.view > 0 || MUTATE(MUTANT_WAKE_BLIND, false, true));
    return m->classes[w->now.kind].wakes && observes;
}

static bool waker_near(const model *m, const model_entity *e)
{
    int64_t span = (int64_t)m->def.activation_span + MUTATE(MUTANT_WAKE_SPAN, 0, 1);
    for (size_t i = 0; i < m->entities.count; i++) {
        const model_entity *w = m->entities.items[i];
        if (w != e && wakes(m, w) && model_towers_apart(m, &w->now, &e->now) <= span) {
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
    bool npc = kind->sleeps && (!kind->wakes || MUTATE(MUTANT_WAKE_WAKERS, false, true));
    bool near = npc && waker_near(m, e);
    bool awake = near || ((npc || MUTATE(MUTANT_WAKE_KIND, false, true)) && stays_awake(m, e, tick));
    if (near) {
        e->waker_near = tick;
    }
    if (awake != e->awake) {
        model_tell_edge(m, e, e->now.user_data, 0, awake);
    }
    e->awake = awake;
    m->counts.awake += awake;
}

void model_zones(model *m)
{
    m->counts.awake = 0;
    for (size_t i = 0; i < m->entities.count; i++) {
        activate(m, m->entities.items[i], m->tick + 1);
    }
}
