/*
 * Keys and leases in memory; see memory_table.h.
 */
#include "cluster/servers/memory_table.h"

#include <string.h>

enum { SECOND_MS = 1000, NS_IN_MS = 1000000 };

void phx_memory_table_init(phx_memory_table *table, phx_mem *mem)
{
    *table = (phx_memory_table){.mem = mem, .revision = 1};
}

static void free_value(const phx_memory_table *table, const phx_memory_key *key)
{
    if (key->value) phx_free(table->mem, key->value, key->size, 1);
}

void phx_memory_table_free(phx_memory_table *table)
{
    void *keys = table->keys, *leases = table->leases;
    for (uint32_t i = 0; i < table->key_count; i++) free_value(table, &table->keys[i]);
    phx_release(table->mem, &keys, &table->key_capacity, sizeof *table->keys);
    phx_release(table->mem, &leases, &table->lease_capacity, sizeof *table->leases);
    phx_memory_table_init(table, table->mem);
}

void phx_memory_table_lose(phx_memory_table *table)
{
    const uint64_t now_ns = table->now_ns, lease = table->lease;
    phx_memory_table_free(table);
    table->now_ns = now_ns;
    table->lease = lease;
}

/* The place of the key, or the one at which it would stand. */
static uint32_t place_of_key(const phx_memory_table *table, const char *key)
{
    uint32_t place = 0;
    while (place < table->key_count && strcmp(table->keys[place].key, key) < 0) place++;
    return place;
}

static phx_memory_key *find_key(const phx_memory_table *table, const char *key)
{
    const uint32_t place = place_of_key(table, key);
    return place < table->key_count && strcmp(table->keys[place].key, key) == 0 ? &table->keys[place] : NULL;
}

static phx_memory_lease *find_lease(const phx_memory_table *table, uint64_t lease)
{
    for (uint32_t i = 0; i < table->lease_count; i++)
        if (table->leases[i].lease == lease) return &table->leases[i];
    return NULL;
}

static void end_lease(phx_memory_table *table, phx_memory_lease *found)
{
    const uint64_t lease = found->lease;
    uint32_t left = 0;
    *found = table->leases[--table->lease_count];
    for (uint32_t i = 0; i < table->key_count; i++) {
        const phx_memory_key key = table->keys[i];
        if (key.lease == lease) free_value(table, &key);
        else table->keys[left++] = key;
    }
    if (left < table->key_count) table->revision++;
    table->key_count = left;
}

void phx_memory_table_time(phx_memory_table *table, uint64_t now_ns)
{
    PHX_ASSERT(now_ns >= table->now_ns);
    table->now_ns = now_ns;
    for (uint32_t i = table->lease_count; i-- > 0;)
        if (table->leases[i].end_ns <= now_ns) end_lease(table, &table->leases[i]);
}

/* A new key, in its place. NULL: no memory. */
static phx_memory_key *add_key(phx_memory_table *table, const char *text)
{
    void *keys = table->keys;
    const uint32_t place = place_of_key(table, text);
    if (!phx_grow(table->mem, &keys, &table->key_capacity, table->key_count, (size_t)table->key_count + 1,
                  sizeof *table->keys))
        return NULL;
    table->keys = keys;
    memmove(&table->keys[place + 1], &table->keys[place], (table->key_count - place) * sizeof *table->keys);
    table->key_count++;
    table->keys[place] = (phx_memory_key){0};
    memcpy(table->keys[place].key, text, strlen(text) + 1);
    return &table->keys[place];
}

phc_outcome phx_memory_write(phx_memory_table *table, const char *key, uint64_t *revision, const void *value,
                             size_t size, uint64_t lease)
{
    phx_memory_key *found = find_key(table, key);
    unsigned char *copy = NULL;
    if ((found ? found->revision : 0) != *revision) return PHC_CHANGED;
    if (lease != 0 && !find_lease(table, lease)) return PHC_GONE;
    if (size > 0 && !(copy = phx_alloc(table->mem, size, 1))) return PHC_FAILED;
    if (!found && !(found = add_key(table, key))) {
        if (copy) phx_free(table->mem, copy, size, 1);
        return PHC_FAILED;
    }
    free_value(table, found);
    if (copy) memcpy(copy, value, size);
    found->value = copy;
    found->size = size;
    found->lease = lease;
    *revision = found->revision = ++table->revision;
    return PHC_DONE;
}

phc_outcome phx_memory_lease_open(phx_memory_table *table, uint32_t *ms, uint64_t *lease)
{
    void *leases = table->leases;
    if (!phx_grow(table->mem, &leases, &table->lease_capacity, table->lease_count, (size_t)table->lease_count + 1,
                  sizeof *table->leases))
        return PHC_FAILED;
    table->leases = leases;
    *ms = (*ms + SECOND_MS - 1) / SECOND_MS * SECOND_MS;
    *lease = ++table->lease;
    table->leases[table->lease_count++] =
        (phx_memory_lease){.lease = *lease, .ms = *ms, .end_ns = table->now_ns + (uint64_t)*ms * NS_IN_MS};
    return PHC_DONE;
}

phc_outcome phx_memory_lease_renew(phx_memory_table *table, uint64_t lease, uint32_t *ms)
{
    phx_memory_lease *found = find_lease(table, lease);
    if (!found) return PHC_GONE;
    *ms = found->ms;
    found->end_ns = table->now_ns + (uint64_t)found->ms * NS_IN_MS;
    return PHC_DONE;
}

phc_outcome phx_memory_lease_end(phx_memory_table *table, uint64_t lease)
{
    phx_memory_lease *found = find_lease(table, lease);
    if (!found) return PHC_GONE;
    end_lease(table, found);
    return PHC_DONE;
}

/* ---- reading ---- */

static bool is_read(const phx_memory_key *key, const char *text, bool prefix)
{
    return prefix ? strncmp(key->key, text, strlen(text)) == 0 : strcmp(key->key, text) == 0;
}

bool phx_memory_read_keys(const phx_memory_table *table, const char *key, bool prefix, phx_entries *entries)
{
    uint32_t count = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < table->key_count; i++) {
        if (!is_read(&table->keys[i], key, prefix)) continue;
        count++;
        bytes += table->keys[i].size;
    }
    if (!phx_entries_reserve(entries, table->mem, count, bytes)) return false;
    for (uint32_t i = 0; i < table->key_count; i++) {
        const phx_memory_key *found = &table->keys[i];
        if (!is_read(found, key, prefix)) continue;
        unsigned char *value = phx_entries_add(entries, found->key, found->size, found->revision, found->lease);
        if (found->size > 0) memcpy(value, found->value, found->size);
    }
    return true;
}
