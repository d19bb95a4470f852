/*
 * Counting entities by instance; see instance_counts.h. Called by ingest, and by stats.
 */
#include "world/table/instance_counts.h"

bool phx_instances_reserve(phx_idmap *instances)
{
    return phx_idmap_reserve(instances, phx_idmap_count(instances) + 1);
}

void phx_instances_add(phx_idmap *instances, uint32_t instance)
{
    if (instance == 0) return;
    uint64_t *count = phx_idmap_find(instances, instance);
    if (count) ++*count;
    else phx_idmap_insert(instances, instance, 1);
}

void phx_instances_remove(phx_idmap *instances, uint32_t instance)
{
    if (instance == 0) return;
    uint64_t *count = phx_idmap_find(instances, instance);
    PHX_ASSERT(count && *count > 0);
    if (--*count == 0) (void)phx_idmap_remove(instances, instance);
}

uint32_t phx_instances_live(const phx_idmap *instances, uint64_t entities)
{
    uint64_t counted = 0;
    for (uint64_t b = 0; phx_idmap_count(instances) > 0 && b < phx_idmap_bucket_count(instances); b++) {
        const phx_idmap_bucket *bucket = phx_idmap_bucket_at(instances, b);
        if (bucket->id != 0) counted += bucket->value;
    }
    PHX_ASSERT(counted <= entities);
    return phx_idmap_count(instances) + (counted < entities);
}
