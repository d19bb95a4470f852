/*
 * Own entities by tower; see tower_members.h.
 */
#include "shards/zones/tower_members.h"

#include <string.h>

#include "shards/entity/entity_store.h"

void phx_tower_members_init(phx_tower_members *roster, phx_mem *mem)
{
    *roster = (phx_tower_members){0};
    phx_tower_map_init(&roster->first, mem);
}

void phx_tower_members_free(phx_tower_members *roster, phx_mem *mem)
{
    phx_tower_map_free(&roster->first, mem);
    phx_release(mem, (void **)&roster->entries, &roster->capacity, sizeof *roster->entries);
    phx_tower_members_init(roster, mem);
}

bool phx_tower_members_cover(phx_tower_members *roster, phx_mem *mem, uint32_t slots)
{
    if (slots <= roster->slots) return true;
    if (!phx_grow(mem, (void **)&roster->entries, &roster->capacity, roster->slots, slots, sizeof *roster->entries))
        return false;
    memset(roster->entries + roster->slots, 0, (slots - roster->slots) * sizeof *roster->entries);
    roster->slots = slots;
    return true;
}

void phx_tower_members_remove(phx_tower_members *roster, uint32_t slot)
{
    if (slot >= roster->slots || !roster->entries[slot].in) return;
    phx_tower_members_entry *entry = &roster->entries[slot];
    if (entry->before != PHX_SLOT_NONE) roster->entries[entry->before].next = entry->next;
    else phx_tower_map_put(&roster->first, entry->instance, entry->tx, entry->ty, entry->next + 1);
    if (entry->next != PHX_SLOT_NONE) roster->entries[entry->next].before = entry->before;
    entry->in = false;
}

bool phx_tower_members_place(phx_tower_members *roster, phx_mem *mem, uint32_t slot, uint32_t instance, uint16_t tx,
                             uint16_t ty)
{
    phx_tower_members_entry *entry = &roster->entries[slot];
    if (entry->in && entry->tx == tx && entry->ty == ty && entry->instance == instance) return true;
    if (!phx_tower_map_reserve(&roster->first, mem, tx, ty, tx, ty)) return false;
    phx_tower_members_remove(roster, slot);
    uint32_t next = phx_tower_members_first(roster, instance, tx, ty);
    *entry = (phx_tower_members_entry){
        .next = next, .before = PHX_SLOT_NONE, .instance = instance, .tx = tx, .ty = ty, .in = true};
    if (next != PHX_SLOT_NONE) roster->entries[next].before = slot;
    phx_tower_map_put(&roster->first, instance, tx, ty, slot + 1);
    return true;
}
