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
