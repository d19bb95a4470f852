/*
 * The rules of src/cluster/map/rules.c with one of them broken, by CLUSTER_BUG: 1 retention, 2 map barrier, of answers
 * too, 3 fence, 4 sequence, 5 take back at once, 6 answer at once, 7 adopt an older map, 8 adopt one before the leases
 * of the lost store have ended, 9 under its next version, in no later era, 10 feeds that begin anew at the receiver.
 * Linked into the simulation in their place; it has to find each.
 */
#include "cluster/map/rules.h"

bool phx_rule_hears(const phx_cluster_map *map, uint64_t registration)
{
    return CLUSTER_BUG == 3 || phx_cluster_map_member(map, registration) != NULL;
}

bool phx_rule_is_next(uint64_t taken, uint64_t sequence)
{
    return CLUSTER_BUG == 4 || sequence == taken + 1;
}

bool phx_rule_is_retained(const phx_cluster_map *map, uint64_t sender, uint64_t confirmed, uint64_t sequence)
{
    return CLUSTER_BUG != 1 && confirmed < sequence && phx_cluster_map_member(map, sender) != NULL;
}

bool phx_rule_restores(uint32_t fence, uint32_t shown)
{
    return CLUSTER_BUG == 2 || shown >= fence;
}

bool phx_rule_takes_back(uint32_t fence, uint32_t shown)
{
    return CLUSTER_BUG == 5 || shown >= fence;
}

bool phx_rule_answers(uint32_t fence, uint32_t shown)
{
    return CLUSTER_BUG == 2 || CLUSTER_BUG == 6 || shown >= fence;
}

bool phx_rule_drops(uint64_t ownership, uint64_t sender, uint64_t other_ownership, uint64_t other_sender)
{
    return ownership != other_ownership ? ownership < other_ownership : sender < other_sender;
}

phx_feed phx_rule_goes_on(phx_feed offered)
{
    if (CLUSTER_BUG == 10) offered.number = 0;
    return offered;
}

bool phx_rule_adopts(uint32_t version, uint32_t other)
{
    return CLUSTER_BUG == 7 || version >= other;
}

bool phx_rule_outwaits(uint64_t waited_ns, uint64_t lease_ns)
{
    return CLUSTER_BUG == 8 || waited_ns >= lease_ns;
}

uint32_t phx_rule_era_begins(uint32_t version, uint32_t losses)
{
    const uint64_t half = 1u << (PHX_CLUSTER_ERA_SHIFT - 1);
    const uint64_t era = ((version + half) >> PHX_CLUSTER_ERA_SHIFT) + losses;
    if (CLUSTER_BUG == 9) return version + 1;
    return era <= UINT32_MAX >> PHX_CLUSTER_ERA_SHIFT ? (uint32_t)era << PHX_CLUSTER_ERA_SHIFT : 0;
}
