/*
 * Entries of maps; see map_entry.h.
 */
#include "cluster/membership/map_entry.h"

#include <string.h>

#include "cluster/wire/format.h"

const char *phx_map_entry_read(phx_cluster_map *map, const phc_entry *entry)
{
    if (phx_cluster_map_decode(map, entry->value, entry->size)) return NULL;
    *map = (phx_cluster_map){0};
    const bool is_foreign = phx_cluster_map_is_foreign(entry->value, entry->size);
    return is_foreign ? PHX_OTHER_FORMAT : "the map of the store can not be read";
}

ph_status phx_map_entry_status(const char *flaw)
{
    return strcmp(flaw, PHX_OTHER_FORMAT) == 0 ? PH_BAD_DEF : PH_OK;
}

/* Bytes are compared, as another store may have the revision of the one before. */
const char *phx_map_entry_read_listed(phx_membership *membership, const phc_entry *entry)
{
    const size_t size = membership->read_size;
    if (size > 0 && size == entry->size && memcmp(membership->read_bytes, entry->value, size) == 0) return NULL;
    membership->counts.maps_read++;
    membership->read_size = 0;
    const char *flaw = phx_map_entry_read(&membership->read, entry);
    if (flaw) return flaw;
    PHX_ASSERT(entry->size > 0 && entry->size <= sizeof membership->read_bytes); /* it was decoded */
    memcpy(membership->read_bytes, entry->value, entry->size);
    membership->read_size = entry->size;
    return NULL;
}
