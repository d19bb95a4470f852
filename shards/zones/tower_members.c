/*
 * Own entities by tower; see tower_members.h.
 */
#include "shards/zones/tower_members.h"

#include <string.h>

void phx_roster_init(phx_roster *roster, phx_mem *mem)
{
    *roster = (phx_roster){0};
    phx_sheet_init(&roster->first, mem);
}

void phx_roster_free(phx_roster *roster, phx_mem *mem)
{
    phx_sheet_free(&roster->first, mem);
    phx_release(mem, (void **)&roster->entries, &roster->capacity, sizeof *roster->entries);
    phx_roster_init(roster, mem);
}

bool phx_roster_cover(phx_roster *roster, phx_mem *mem, uint32_t slots)
{
    if (slots <= roster->slots) return true;
    if (!phx_grow(mem, (void **)&roster->entries, &roster->capacity, roster->slots, slots, sizeof *roster->entries))
        return false;
    memset(roster->entries + roster->slots, 0, (slots - roster->slots) * sizeof *roster->entries);
    roster->slots = slots;
    return true;
}

void phx_roster_remove(phx_roster *roster, uint32_t slot)
{
    if (slot >= roster->slots || !roster->entries[slot].in) return;
    phx_roster_entry *entry = &roster->entries[slot];
    if (entry->before != PHX_SLOT_NONE) roster->entries[entry->before].next = entry->next;
    else phx_sheet_put(&roster->first, entry->tx, entry->ty, entry->next + 1);
    if (entry->next != PHX_SLOT_NONE) roster->entries[entry->next].before = entry->before;
    entry->in = false;
}

bool phx_roster_place(phx_roster *roster, phx_mem *mem, uint32_t slot, uint16_t tx, uint16_t ty)
{
    phx_roster_entry *entry = &roster->entries[slot];
    if (entry->in && entry->tx == tx && entry->ty == ty) return true;
    if (!phx_sheet_reserve(&roster->first, mem, tx, ty, tx, ty)) return false;
    phx_roster_remove(roster, slot);
    uint32_t next = phx_roster_first(roster, tx, ty);
    *entry = (phx_roster_entry){.next = next, .before = PHX_SLOT_NONE, .tx = tx, .ty = ty, .in = true};
    if (next != PHX_SLOT_NONE) roster->entries[next].before = slot;
    phx_sheet_put(&roster->first, tx, ty, slot + 1);
    return true;
}
