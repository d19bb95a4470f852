/*
 * The rules; see rules.h.
 */
#include "cluster/map/rules.h"

bool phx_rule_hears(const phx_cluster_map *map, uint64_t registration)
{
    return phx_cluster_map_member(map, registration) != NULL;
}

bool phx_rule_is_next(uint64_t taken, uint64_t sequence)
{
    return sequence == taken + 1;
}

bool phx_rule_is_retained(const phx_cluster_map *map, uint64_t sender, uint64_t confirmed, uint64_t sequence)
{
    return confirmed < sequence && phx_cluster_map_member(map, sender) != NULL;
}

bool phx_rule_restores(uint32_t fence, uint32_t shown)
{
    return shown >= fence;
}

bool phx_rule_takes_back(uint32_t fence, uint32_t shown)
{
    return shown >= fence;
}

bool phx_rule_answers(uint32_t fence, uint32_t shown)
{
    return shown >= fence;
}

bool phx_rule_drops(uint64_t ownership, uint64_t sender, uint64_t other_ownership, uint64_t other_sender)
{
    return ownership != other_ownership ? ownership < other_ownership : sender < other_sender;
}

phx_feed phx_rule_goes_on(phx_feed offered)
{
    return offered;
}

bool phx_rule_adopts(uint32_t version, uint32_t other)
{
    return version >= other;
}

bool phx_rule_outwaits(uint64_t waited_ns, uint64_t lease_ns)
{
    return waited_ns >= lease_ns;
}

/* The lost store may have had later versions than any that was read: half an era of them, and a map adopted for each
 * loss but the last. */
uint32_t phx_rule_era_begins(uint32_t version, uint32_t losses)
{
    const uint64_t half = 1u << (PHX_CLUSTER_ERA_SHIFT - 1);
    const uint64_t era = ((version + half) >> PHX_CLUSTER_ERA_SHIFT) + losses;
    return era <= UINT32_MAX >> PHX_CLUSTER_ERA_SHIFT ? (uint32_t)era << PHX_CLUSTER_ERA_SHIFT : 0;
}
