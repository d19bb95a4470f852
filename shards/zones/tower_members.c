/*
 * Own entities by tower; see tower_members.h.
 */
#include "shards/zones/tower_members.h"

#include <string.h>

#include "shards/entity/entity_store.h"

void phx_tower_members_init(phx_tower_members *tower_members, phx_mem *mem)
{
    *tower_members = (phx_tower_members){0};
    phx_tower_map_init(&tower_members->first, mem);
}

void phx_tower_members_free(phx_tower_members *tower_members, phx_mem *mem)
{
    phx_tower_map_free(&tower_members->first, mem);
    phx_release(mem, (void **)&tower_members->entries, &tower_members->capacity, sizeof *tower_members->entries);
    phx_tower_members_init(tower_members, mem);
}

bool phx_tower_members_cover(phx_tower_members *tower_members, phx_mem *mem, uint32_t slots)
{
    if (slots <= tower_members->slots) return true;
    if (!phx_grow(mem, (void **)&tower_members->entries, &tower_members->capacity, tower_members->slots, slots,
                  sizeof *tower_members->entries))
        return false;
    memset(tower_members->entries + tower_members->slots, 0,
           (slots - tower_members->slots) * sizeof *tower_members->entries);
    tower_members->slots = slots;
    return true;
}

void phx_tower_members_remove(phx_tower_members *tower_members, uint32_t slot)
{
    if (slot >= tower_members->slots || !tower_members->entries[slot].in) return;
    phx_tower_members_entry *entry = &tower_members->entries[slot];
    if (entry->before != PHX_SLOT_NONE) tower_members->entries[entry->before].next = entry->next;
    else phx_tower_map_put(&tower_members->first, entry->instance, entry->tx, entry->ty, entry->next + 1);
    if (entry->next != PHX_SLOT_NONE) tower_members->entries[entry->next].before = entry->before;
    entry->in = false;
}

bool phx_tower_members_place(phx_tower_members *tower_members, phx_mem *mem, uint32_t slot, uint32_t instance,
                             uint16_t tx, uint16_t ty)
{
    phx_tower_members_entry *entry = &tower_members->entries[slot];
    if (entry->in && entry->tx == tx && entry->ty == ty && entry->instance == instance) return true;
    if (!phx_tower_map_reserve(&tower_members->first, mem, tx, ty, tx, ty)) return false;
    phx_tower_members_remove(tower_members, slot);
    uint32_t next = phx_tower_members_first(tower_members, instance, tx, ty);
    *entry = (phx_tower_members_entry){
        .next = next, .before = PHX_SLOT_NONE, .instance = instance, .tx = tx, .ty = ty, .in = true};
    if (next != PHX_SLOT_NONE) tower_members->entries[next].before = slot;
    phx_tower_map_put(&tower_members->first, instance, tx, ty, slot + 1);
    return true;
}
