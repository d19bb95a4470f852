/*
 * Per-observer arrays of pairs, links, hides and reveals; see relations.h.
 */
#include "shards/entity/relations.h"

static const uint32_t SET_NONE = UINT32_MAX;

void phx_relations_init(phx_relations *relations, phx_mem *mem)
{
    *relations = (phx_relations){.free_first = SET_NONE};
    phx_idmap_init(&relations->index, mem);
}

void phx_relations_free(phx_relations *relations, phx_mem *mem)
{
    for (uint32_t i = 0; i < relations->set_count; i++) {
        phx_relation_set *set = &relations->sets[i];
        phx_release(mem, (void **)&set->items, &set->capacity, sizeof(phx_relation));
    }
    phx_release(mem, (void **)&relations->sets, &relations->sets_capacity, sizeof(phx_relation_set));
    phx_idmap_free(&relations->index);
    relations->set_count = 0;
    relations->free_first = SET_NONE;
}

const phx_relation *phx_relation_find(const phx_relation_set *set, uint64_t target)
{
    for (uint32_t i = 0; set && i < set->count; i++)
        if (set->items[i].target == target) return &set->items[i];
    return NULL;
}

/* A set for an observer that has none; NULL = no memory. */
static phx_relation_set *set_make(phx_relations *relations, phx_mem *mem, uint64_t observer)
{
    if (!phx_idmap_reserve(&relations->index, phx_idmap_count(&relations->index) + 1)) return NULL;
    uint32_t at = relations->free_first;
    if (at == SET_NONE) {
        if (!phx_grow(mem, (void **)&relations->sets, &relations->sets_capacity, relations->set_count,
                      (size_t)relations->set_count + 1, sizeof(phx_relation_set)))
            return NULL;
        at = relations->set_count;
        relations->sets[at] = (phx_relation_set){0};
    }
    phx_relation_set *set = &relations->sets[at];
    if (!phx_grow(mem, (void **)&set->items, &set->capacity, 0, 1, sizeof(phx_relation))) return NULL;
    if (at == relations->set_count) relations->set_count++;
    else relations->free_first = set->next_free;
    set->observer = observer;
    set->count = 0;
    phx_idmap_insert(&relations->index, observer, at);
    return set;
}

bool phx_relations_put(phx_relations *relations, phx_mem *mem, uint64_t observer, phx_relation item, uint64_t tick)
{
    const uint64_t *at = phx_idmap_find(&relations->index, observer);
    phx_relation_set *set = at ? &relations->sets[*at] : NULL;
    phx_relation *old = set ? (phx_relation *)phx_relation_find(set, item.target) : NULL;
    if (item.bits == 0) {
        PHX_ASSERT(old);
        *old = set->items[--set->count];
        set->changed_tick = tick;
        if (set->count == 0) phx_relations_drop(relations, observer);
        return true;
    }
    if (old) {
        *old = item;
        set->changed_tick = tick;
        return true;
    }
    if (!set && !(set = set_make(relations, mem, observer))) return false;
    if (!phx_grow(mem, (void **)&set->items, &set->capacity, set->count, (size_t)set->count + 1, sizeof item)) {
        if (set->count == 0) phx_relations_drop(relations, observer);
        return false;
    }
    set->items[set->count++] = item;
    set->changed_tick = tick;
    return true;
}

void phx_relations_drop(phx_relations *relations, uint64_t observer)
{
    const uint64_t *at = phx_idmap_find(&relations->index, observer);
    if (!at) return;
    uint32_t place = (uint32_t)*at;
    phx_relation_set *set = &relations->sets[place];
    set->observer = 0;
    set->count = 0;
    set->next_free = relations->free_first;
    relations->free_first = place;
    phx_idmap_remove(&relations->index, observer);
}
