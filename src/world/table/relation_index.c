/*
 * Target -> observers of pairs, links, hides and reveals; see relation_index.h.
 */
#include "world/table/relation_index.h"

#include "base/few.h"

static const uint32_t ENTRY_NONE = UINT32_MAX;

void phx_relation_index_init(phx_relation_index *relation_index, phx_mem *mem)
{
    *relation_index = (phx_relation_index){.free_first = ENTRY_NONE, .mem = mem};
    phx_idmap_init(&relation_index->index, mem);
}

void phx_relation_index_free(phx_relation_index *relation_index)
{
    for (uint32_t i = 0; i < relation_index->entry_count; i++)
        phx_few_release(relation_index->mem, (void **)&relation_index->entries[i].observers,
                        &relation_index->entries[i].capacity, sizeof(uint64_t));
    phx_release(relation_index->mem, (void **)&relation_index->entries, &relation_index->entries_capacity,
                sizeof(phx_relation_observers));
    phx_idmap_free(&relation_index->index);
}

const phx_relation_observers *phx_relation_index_of(const phx_relation_index *relation_index, uint64_t target)
{
    const uint64_t *at = phx_idmap_find(&relation_index->index, target);
    return at ? &relation_index->entries[*at] : NULL;
}

/* Finds a place for a target without relations; it is used only if its first observer is added. false = no memory. */
static bool place_for(phx_relation_index *relation_index, uint32_t *place)
{
    if (!phx_idmap_reserve(&relation_index->index, phx_idmap_count(&relation_index->index) + 1)) return false;
    *place = relation_index->free_first;
    if (*place != ENTRY_NONE) return true;
    if (!phx_grow(relation_index->mem, (void **)&relation_index->entries, &relation_index->entries_capacity,
                  relation_index->entry_count, (size_t)relation_index->entry_count + 1, sizeof(phx_relation_observers)))
        return false;
    *place = relation_index->entry_count++;
    relation_index->entries[*place] = (phx_relation_observers){.next_free = ENTRY_NONE};
    relation_index->free_first = *place;
    return true;
}

/*
 * Without memory, in an undo: another place has room for as many, and needs less. There is one if all targets had their
 * numbers at once: as many places have that room as had that many then, this one not among them, so one of them has
 * fewer now; and those fit into the room that this one has. false = there is none.
 */
static bool exchange_room(phx_relation_index *relation_index, phx_relation_observers *entry)
{
    const uint32_t needed = entry->count + 1, end = relation_index->entry_count;
    uint32_t place = 0;
    if (!relation_index->undoes) return false;
    while (place < end &&
           (relation_index->entries[place].capacity < needed || relation_index->entries[place].count >= needed))
        place++;
    if (place == end) return false;
    phx_relation_observers *other = &relation_index->entries[place];
    const phx_relation_observers before = *entry;
    const uint32_t both = before.count < other->count ? before.count : other->count;
    for (uint32_t i = 0; i < both; i++) {
        const uint64_t moved = other->observers[i];
        other->observers[i] = before.observers[i];
        before.observers[i] = moved;
    }
    for (uint32_t i = both; i < before.count; i++) other->observers[i] = before.observers[i];
    for (uint32_t i = both; i < other->count; i++) before.observers[i] = other->observers[i];
    entry->observers = other->observers;
    entry->capacity = other->capacity;
    other->observers = before.observers;
    other->capacity = before.capacity;
    return true;
}

bool phx_relation_index_add(phx_relation_index *relation_index, uint64_t target, uint64_t observer)
{
    uint32_t place;
    const uint64_t *at = phx_idmap_find(&relation_index->index, target);
    if (at) place = (uint32_t)*at;
    else if (!place_for(relation_index, &place)) return false;
    phx_relation_observers *entry = &relation_index->entries[place];
    if (!phx_few_grow(relation_index->mem, (void **)&entry->observers, &entry->capacity, entry->count, entry->count + 1,
                      sizeof(uint64_t)) &&
        !exchange_room(relation_index, entry))
        return false;
    if (!at) {
        relation_index->free_first = entry->next_free;
        phx_idmap_insert(&relation_index->index, target, place);
    }
    entry->observers[entry->count++] = observer;
    relation_index->relations++;
    return true;
}

void phx_relation_index_remove(phx_relation_index *relation_index, uint64_t target, uint64_t observer)
{
    const uint64_t *at = phx_idmap_find(&relation_index->index, target);
    PHX_ASSERT(at);
    uint32_t place = (uint32_t)*at, i = 0;
    phx_relation_observers *entry = &relation_index->entries[place];
    while (entry->observers[i] != observer) i++;
    PHX_ASSERT(i < entry->count);
    entry->observers[i] = entry->observers[--entry->count];
    relation_index->relations--;
    if (entry->count > 0) return;
    entry->next_free = relation_index->free_first;
    relation_index->free_first = place;
    phx_idmap_remove(&relation_index->index, target);
}
