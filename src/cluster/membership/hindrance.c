/*
 * What is in the way of a process that joins; see hindrance.h.
 */
#include "cluster/membership/hindrance.h"

#include <inttypes.h>
#include <stdio.h>

#include "cluster/membership/lease.h"
#include "cluster/membership/listed.h"

/* The registered process with the wished number; 0: none has it, or this one. */
static uint64_t find_holder(const phx_membership *membership)
{
    for (uint32_t i = 0; i < membership->listed_count && membership->def.number != 0; i++) {
        const phx_listed *listed = &membership->listed[i];
        if (listed->number == membership->def.number && listed->lease != membership->lease) return listed->registration;
    }
    return 0;
}

/* Has it as many of this kind as it can, and are all alive? */
static bool is_full(const phx_membership *membership, const phx_cluster_map *map)
{
    bool lives = true;
    for (uint32_t i = 0; i < map->member_count && lives; i++) lives = phx_listed_has(membership, &map->members[i]);
    return lives && !phx_cluster_map_has_room(map, membership->def.gateway);
}

/* The registration that is in the way; the own one: there is no room for it; 0: nothing is. */
static uint64_t find_hindrance(const phx_membership *membership, const phx_cluster_map *map)
{
    const uint64_t self = membership->node->def.member.registration;
    if (membership->phase == PHX_MEMBERSHIP_REGISTER) return find_holder(membership);
    return membership->phase == PHX_MEMBERSHIP_JOIN && is_full(membership, map) ? self : 0;
}

const char *phx_hindrance_hear_list(phx_membership *membership, const phx_cluster_map *map)
{
    const uint64_t by = find_hindrance(membership, map);
    char *reason = membership->refusal;
    if (by != membership->hindered_by || !phx_lease_is_steady(membership)) membership->hindered_since = membership->now;
    membership->hindered_by = by;
    if (by == 0 || membership->now - membership->hindered_since < phx_lease_ns_max(membership)) return NULL;
    if (membership->phase == PHX_MEMBERSHIP_REGISTER)
        (void)snprintf(reason, sizeof membership->refusal,
                       "its number %u is that of another process, which lives: registration %" PRIu64,
                       membership->def.number, by);
    else
        (void)snprintf(reason, sizeof membership->refusal, "the cluster has %u %s, which is the most",
                       PHX_CLUSTER_KIND_MAX, membership->def.gateway ? "gateways" : "nodes");
    return reason;
}
