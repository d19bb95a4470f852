/*
 * Queries of the model between ticks.
 */
#include <stdlib.h>

#include "support/model_parts.h"

size_t model_changes(const model *m, const model_change **changes)
{
    *changes = m->changes.items;
    return m->changes.count;
}

size_t model_refusals(const model *m, const model_refusal **refusals)
{
    *refusals = m->refusals.items;
    return m->refusals.count;
}

size_t model_departures(const model *m, const model_departed **departed)
{
    *departed = m->departed.items;
    return m->departed.count;
}

size_t model_entities(const model *m, model_entity *const **entities)
{
    *entities = m->entities.items;
    return m->entities.count;
}

const model_entity *model_find(const model *m, uint64_t id)
{
    return model_entity_of(m, id);
}

ph_status model_get(const model *m, uint64_t id, ph_attrs *attrs)
{
    const model_entity *e = model_entity_of(m, id);
    if (e == NULL) {
        return PH_UNKNOWN_ID;
    }
    *attrs = e->now;
    attrs->ready = model_ready_given(m, e);
    return PH_OK;
}

/* The entity of an entry; NULL: that stay is over, as only an apply may leave behind. */
static const model_entity *present(const model *m, model_key key)
{
    const model_entity *t = model_entity_of(m, key.id);
    return t != NULL && (t->incarnation == key.incarnation || MUTATE(MUTANT_APPLIED_REBORN, false, true)) ? t : NULL;
}

static bool in_list(const model *m, const model_entity *o, uint64_t id)
{
    for (size_t i = 0; i < o->list.count; i++) {
        if (o->list.items[i].id == id && present(m, o->list.items[i]) != NULL) {
            return true;
        }
    }
    return false;
}

ph_status model_sees(const model *m, uint64_t observer, uint64_t target, bool *sees)
{
    const model_entity *o = model_entity_of(m, observer);
    if (o == NULL || model_entity_of(m, target) == NULL) {
        return PH_UNKNOWN_ID;
    }
    *sees = in_list(m, o, target);
    return PH_OK;
}

typedef struct listed {
    uint32_t kind;
    uint64_t id;
} listed;

static int by_kind_then_id(const void *a, const void *b)
{
    const listed *l = a;
    const listed *r = b;
    if (l->kind != r->kind) {
        return l->kind < r->kind ? -1 : 1;
    }
    return l->id < r->id ? -1 : l->id > r->id;
}

ph_status model_list(const model *m, uint64_t observer, uint64_t *ids, uint32_t *count)
{
    const model_entity *o = model_entity_of(m, observer);
    if (o == NULL) {
        return PH_UNKNOWN_ID;
    }
    listed *list = check_zalloc(o->list.count * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < o->list.count; i++) {
        const model_entity *t = present(m, o->list.items[i]);
        REQUIRE(t != NULL || m->begun);
        if (t != NULL) {
            list[*count].id = t->id;
            list[*count].kind = t->now.kind;
            ++*count;
        }
    }
    qsort(list, *count, sizeof *list, by_kind_then_id);
    for (size_t i = 0; i < *count; i++) {
        ids[i] = list[i].id;
    }
    free(list);
    return PH_OK;
}

ph_status model_observers(const model *m, uint64_t target, uint64_t *ids, uint32_t *count)
{
    if (model_entity_of(m, target) == NULL) {
        return PH_UNKNOWN_ID;
    }
    *count = 0;
    for (size_t i = 0; i < m->entities.count; i++) {
        if (in_list(m, m->entities.items[i], target)) {
            ids[(*count)++] = m->entities.items[i]->id;
        }
    }
    return PH_OK;
}

model_counts model_count(const model *m)
{
    return m->counts;
}
