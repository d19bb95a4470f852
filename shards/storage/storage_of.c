/*
 * The choice of a storage; see storage_of.h. By the world's owner, when no tick is open.
 */
#include "shards/storage/storage_of.h"

#include "shards/storage/classical_storage.h"
#include "shards/storage/ninegrid_storage.h"
#include "shards/storage/row_storage.h"

const phx_storage *phx_storage_of(const phx_rules *rules)
{
    if (rules->index != PH_INDEX_LIGHTHOUSE) return &phx_storage_classical;
    return rules->range == PH_RANGE_TOWERS ? &phx_storage_ninegrid : &phx_storage_rows;
}
