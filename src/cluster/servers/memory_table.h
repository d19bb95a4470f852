/*
 * Keys with revisions and leases, in memory: the table of the control store within a process. Owned by that store, in
 * its thread.
 */
#ifndef PHX_CLUSTER_SERVERS_MEMORY_TABLE_H
#define PHX_CLUSTER_SERVERS_MEMORY_TABLE_H

#include "cluster/servers/entries.h"

typedef struct phx_memory_key {
    char key[PHC_KEY_MAX + 1];
    unsigned char *value;
    size_t size;
    uint64_t revision, lease;
} phx_memory_key;

typedef struct phx_memory_lease {
    uint64_t lease, end_ns;
    uint32_t ms;
} phx_memory_lease;

typedef struct phx_memory_table {
    phx_mem *mem;
    uint64_t now_ns, revision, lease;
    phx_memory_key *keys; /* by key */
    uint32_t key_count, key_capacity;
    phx_memory_lease *leases;
    uint32_t lease_count, lease_capacity;
} phx_memory_table;

void phx_memory_table_init(phx_memory_table *table, phx_mem *mem);
void phx_memory_table_free(phx_memory_table *table);
/* All keys and leases are gone, and revisions begin anew, as of servers without their disks. Leases have other names.
 */
void phx_memory_table_lose(phx_memory_table *table);
/* The time, which does not go back: leases end. */
void phx_memory_table_time(phx_memory_table *table, uint64_t now_ns);

/* PHC_DONE: *revision, the expected one, becomes the new one. PHC_FAILED: no memory. */
phc_outcome phx_memory_write(phx_memory_table *table, const char *key, uint64_t *revision, const void *value,
                             size_t size, uint64_t lease);
/* *ms becomes the whole seconds. */
phc_outcome phx_memory_lease_open(phx_memory_table *table, uint32_t *ms, uint64_t *lease);
phc_outcome phx_memory_lease_renew(phx_memory_table *table, uint64_t lease, uint32_t *ms);
phc_outcome phx_memory_lease_end(phx_memory_table *table, uint64_t lease);

/* Copies of the key's entry, or of the entries that begin so. false: no memory. */
bool phx_memory_read_keys(const phx_memory_table *table, const char *key, bool prefix, phx_entries *entries);

#endif
