/*
 * Entries of maps; see map_entry.h.
 */
#include "cluster/membership/map_entry.h"

#include <stdio.h>
#include <string.h>

static const char *find_flaw(phx_membership *membership, const phc_entry *entry)
{
    const phx_formats own = membership->node->def.formats;
    const uint32_t format = phx_cluster_map_format(entry->value, entry->size);
    if (format == 0 || phx_formats_have(own, format)) return "the map of the store can not be read";
    (void)snprintf(membership->refusal, sizeof membership->refusal,
                   "%s: it has format %u, and this process reads %u to %u", PHX_OTHER_FORMAT, format, own.min, own.max);
    return membership->refusal;
}

const char *phx_map_entry_read(phx_membership *membership, phx_cluster_map *map, const phc_entry *entry)
{
    if (phx_cluster_map_decode(map, membership->node->def.formats, entry->value, entry->size)) return NULL;
    *map = (phx_cluster_map){0};
    return find_flaw(membership, entry);
}

bool phx_map_entry_is_past(const phx_membership *membership, const phc_entry *entry)
{
    return membership->phase == PHX_MEMBERSHIP_MEMBER &&
           phx_cluster_map_format(entry->value, entry->size) > membership->node->def.formats.max;
}

ph_status phx_map_entry_status(const phx_membership *membership, const char *flaw)
{
    return flaw == membership->refusal ? PH_BAD_DEF : PH_OK;
}

/* Bytes are compared, as another store may have the revision of the one before. */
const char *phx_map_entry_read_listed(phx_membership *membership, const phc_entry *entry)
{
    const size_t size = membership->read_size;
    if (size > 0 && size == entry->size && memcmp(membership->read_bytes, entry->value, size) == 0) return NULL;
    membership->counts.maps_read++;
    membership->read_size = 0;
    const char *flaw = phx_map_entry_read(membership, &membership->read, entry);
    if (flaw) return flaw;
    PHX_ASSERT(entry->size > 0 && entry->size <= sizeof membership->read_bytes); /* it was decoded */
    memcpy(membership->read_bytes, entry->value, entry->size);
    membership->read_size = entry->size;
    return NULL;
}
