/*
 * Wishes of a process for the map; see wishes.h. proposal.c tries each until it stands there, or can not be.
 */
#include "cluster/membership/wishes.h"

#include "cluster/map/eras.h"

void phx_membership_restored(phx_membership *membership, uint32_t region, uint32_t lost)
{
    PHX_ASSERT(region < membership->def.region_count && lost > 0);
    if (membership->restored[region] == 0)
        membership->restored_regions[membership->restored_count++] = (uint16_t)region;
    membership->restored[region] = lost;
}

void phx_membership_give(phx_membership *membership, uint32_t region, uint16_t number)
{
    membership->give_region = region;
    membership->give_number = number;
}

bool phx_membership_exceed(phx_membership *membership, uint32_t version)
{
    if (version >> PHX_CLUSTER_ERA_SHIFT >= PHX_CLUSTER_EXCEEDED_ERAS) return false;
    if (version > membership->exceeded) membership->exceeded = version;
    return true;
}

void phx_membership_drain(phx_membership *membership)
{
    membership->drains = true;
}
