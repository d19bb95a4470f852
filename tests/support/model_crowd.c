/*
 * The model's crowd control: by how many stand around, how far a view is shrunk.
 */
#include <stdlib.h>

#include "support/model_parts.h"

static double share(const model *m, uint32_t step)
{
    return 1.0 - (double)step * (1.0 - (double)m->def.crowd_floor) / 16;
}

float model_crowd_view(const model *m, const model_entity *e, float view)
{
    float narrowed = (float)((double)view * share(m, e->crowd_step));
    return e->crowd_step == 0 || narrowed == 0 ? view : narrowed;
}

static uint32_t wanted(const model *m, double entities)
{
    uint32_t step = 0;
    while (m->def.crowd_entities != 0 && step < 16 &&
           !(entities * (share(m, step) * share(m, step)) <= (double)m->def.crowd_entities)) {
        step++;
    }
    return step;
}

static uint32_t next_step(const model *m, const model_entity *e, uint64_t around, bool is_new)
{
    uint32_t up = wanted(m, (double)around);
    double slack = MUTATE(MUTANT_CROWD_FLICKERS, 1.25, 1.0);
    if (is_new && MUTATE(MUTANT_CROWD_NEWCOMER, true, false)) {
        return up;
    }
    if (up > e->crowd_step) {
        return MUTATE(MUTANT_CROWD_JUMPS, e->crowd_step + 1, up);
    }
    return wanted(m, (double)around * slack) < e->crowd_step ? e->crowd_step - 1 : e->crowd_step;
}

void model_crowd(model *m, uint64_t incarnations)
{
    m->counts.crowd_observers = m->counts.crowd_most = 0;
    ph_attrs *now = check_zalloc(m->entities.count * sizeof *now);
    for (size_t i = 0; i < m->entities.count; i++) {
        now[i] = model_resolve(m, m->entities.items[i]);
    }
    /* Neighbours are counted by towers; a world without crowd control may leave their side open. */
    bool counted = m->def.crowd_entities != 0;
    for (size_t i = 0; m->def.range == PH_RANGE_RADIUS && i < m->entities.count; i++) {
        model_entity *e = m->entities.items[i];
        uint64_t around = 0;
        for (size_t j = 0; counted && j < m->entities.count; j++) {
            bool itself = i == j && MUTATE(MUTANT_CROWD_ALONE, false, true);
            bool met = now[i].instance == now[j].instance || MUTATE(MUTANT_CROWD_INSTANCE, false, true);
            around += !itself && met && model_towers_apart(m, &now[i], &now[j]) <= 1;
        }
        if (!(now[i].view > 0)) {
            e->crowd_step = 0;
            continue;
        }
        uint32_t next = next_step(m, e, around, e->incarnation > incarnations);
        m->counts.crowd_narrowed += next > e->crowd_step ? next - e->crowd_step : 0;
        m->counts.crowd_widened += next < e->crowd_step ? e->crowd_step - next : 0;
        m->counts.crowd_observers += next > 0;
        if (around > m->counts.crowd_most) {
            m->counts.crowd_most = around;
        }
        e->crowd_step = next;
    }
    free(now);
}
