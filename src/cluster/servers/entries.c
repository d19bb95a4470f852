/*
 * Entries in one block; see entries.h. The entries stand in front, keys and values behind them.
 */
#include "cluster/servers/entries.h"

#include <string.h>

enum { KEY_BYTES = PHC_KEY_MAX + 1 };

bool phx_entries_reserve(phx_entries *entries, phx_mem *mem, uint32_t room, size_t value_bytes)
{
    *entries = (phx_entries){.room = room};
    if (room == 0) return true;
    entries->block_bytes = room * (sizeof *entries->items + KEY_BYTES) + value_bytes;
    entries->items = phx_alloc(mem, entries->block_bytes, _Alignof(phc_entry));
    if (!entries->items) return false;
    entries->at = (unsigned char *)&entries->items[room];
    entries->end = (unsigned char *)entries->items + entries->block_bytes;
    return true;
}

unsigned char *phx_entries_add(phx_entries *entries, const char *key, size_t size, uint64_t revision, uint64_t lease)
{
    const size_t key_bytes = strlen(key) + 1;
    PHX_ASSERT(entries->count < entries->room && key_bytes <= KEY_BYTES);
    PHX_ASSERT((size_t)(entries->end - entries->at) >= key_bytes + size);
    unsigned char *value = entries->at + key_bytes;
    memcpy(entries->at, key, key_bytes);
    entries->items[entries->count++] = (phc_entry){
        .key = (const char *)entries->at, .value = value, .size = size, .revision = revision, .lease = lease};
    entries->at = value + size;
    return value;
}

void phx_entries_free(phx_entries *entries, phx_mem *mem)
{
    if (entries->items) phx_free(mem, entries->items, entries->block_bytes, _Alignof(phc_entry));
    *entries = (phx_entries){0};
}
