/*
 * Target -> observers of pairs, links, hides and reveals; see relation_index.h.
 */
#include "world/table/relation_index.h"

static const uint32_t TIE_NONE = UINT32_MAX;

void phx_ties_init(phx_ties *ties, phx_mem *mem)
{
    *ties = (phx_ties){.free_first = TIE_NONE, .mem = mem};
    phx_idmap_init(&ties->index, mem);
}

void phx_ties_free(phx_ties *ties)
{
    for (uint32_t i = 0; i < ties->tie_count; i++)
        phx_release(ties->mem, (void **)&ties->ties[i].observers, &ties->ties[i].capacity, sizeof(uint64_t));
    phx_release(ties->mem, (void **)&ties->ties, &ties->ties_capacity, sizeof(phx_tie));
    phx_idmap_free(&ties->index);
}

const phx_tie *phx_ties_of(const phx_ties *ties, uint64_t target)
{
    const uint64_t *at = phx_idmap_find(&ties->index, target);
    return at ? &ties->ties[*at] : NULL;
}

/* Finds a place for a target without relations; it is used only if its first observer is added. false = no memory. */
static bool place_for(phx_ties *ties, uint32_t *place)
{
    if (!phx_idmap_reserve(&ties->index, phx_idmap_count(&ties->index) + 1)) return false;
    *place = ties->free_first;
    if (*place != TIE_NONE) return true;
    if (!phx_grow(ties->mem, (void **)&ties->ties, &ties->ties_capacity, ties->tie_count, (size_t)ties->tie_count + 1,
                  sizeof(phx_tie)))
        return false;
    *place = ties->tie_count++;
    ties->ties[*place] = (phx_tie){.next_free = TIE_NONE};
    ties->free_first = *place;
    return true;
}

bool phx_ties_add(phx_ties *ties, uint64_t target, uint64_t observer)
{
    uint32_t place;
    const uint64_t *at = phx_idmap_find(&ties->index, target);
    if (at) place = (uint32_t)*at;
    else if (!place_for(ties, &place)) return false;
    phx_tie *tie = &ties->ties[place];
    if (!phx_grow(ties->mem, (void **)&tie->observers, &tie->capacity, tie->count, (size_t)tie->count + 1,
                  sizeof(uint64_t)))
        return false;
    if (!at) {
        ties->free_first = tie->next_free;
        phx_idmap_insert(&ties->index, target, place);
    }
    tie->observers[tie->count++] = observer;
    ties->relations++;
    return true;
}

void phx_ties_remove(phx_ties *ties, uint64_t target, uint64_t observer)
{
    const uint64_t *at = phx_idmap_find(&ties->index, target);
    PHX_ASSERT(at);
    uint32_t place = (uint32_t)*at, i = 0;
    phx_tie *tie = &ties->ties[place];
    while (tie->observers[i] != observer) i++;
    PHX_ASSERT(i < tie->count);
    tie->observers[i] = tie->observers[--tie->count];
    ties->relations--;
    if (tie->count > 0) return;
    tie->next_free = ties->free_first;
    ties->free_first = place;
    phx_idmap_remove(&ties->index, target);
}
