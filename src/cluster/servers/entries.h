/*
 * Entries of a control store as they were at one moment, in one block with their bytes: room first, then each entry.
 * Used by the stores; a block belongs to one thread at a time.
 */
#ifndef PHX_CLUSTER_SERVERS_ENTRIES_H
#define PHX_CLUSTER_SERVERS_ENTRIES_H

#include <pharos/cluster.h>

#include "base/mem.h"

typedef struct phx_entries {
    phc_entry *items; /* NULL = no room */
    uint32_t count, room;
    unsigned char *at, *end;
    size_t block_bytes;
} phx_entries;

/* Room for so many entries, with so many bytes of values together; 0 entries need none. false: no memory. */
bool phx_entries_reserve(phx_entries *entries, phx_mem *mem, uint32_t room, size_t value_bytes);
/* Copies one; there is room. Returns the place of its value, which the caller fills with `size` bytes. */
unsigned char *phx_entries_add(phx_entries *entries, const char *key, size_t size, uint64_t revision, uint64_t lease);
void phx_entries_free(phx_entries *entries, phx_mem *mem);

#endif
