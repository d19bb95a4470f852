/*
 * What is in the way of a process that joins; see hindrance.h.
 */
#include "cluster/membership/hindrance.h"

#include <inttypes.h>
#include <stdio.h>

#include "cluster/membership/lease.h"
#include "cluster/membership/listed.h"

/* Another registered process with that number; 0: none has it. */
static uint64_t find_holder(const phx_membership *membership, uint16_t number)
{
    for (uint32_t i = 0; i < membership->listed_count; i++) {
        const phx_listed *listed = &membership->listed[i];
        if (listed->number == number && listed->lease != membership->lease) return listed->registration;
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

/* The registration that is in the way; the own one: there is no room for it, or no key of it; 0: nothing is. */
static uint64_t find_hindrance(const phx_membership *membership, const phx_cluster_map *map)
{
    const phx_member *self = &membership->node->def.member;
    if (membership->phase == PHX_MEMBERSHIP_REGISTER)
        return membership->def.number != 0 ? find_holder(membership, membership->def.number) : 0;
    if (membership->phase != PHX_MEMBERSHIP_JOIN) return 0;
    const uint64_t holder = phx_listed_own(membership) ? 0 : find_holder(membership, self->number);
    if (holder != 0) return holder;
    return !phx_listed_own(membership) || is_full(membership, map) ? self->registration : 0;
}

const char *phx_hindrance_hear_list(phx_membership *membership, const phx_cluster_map *map)
{
    const uint64_t by = find_hindrance(membership, map), self = membership->node->def.member.registration;
    char *reason = membership->refusal;
    if (by != membership->hindered_by || !phx_lease_is_steady(membership)) membership->hindered_since = membership->now;
    membership->hindered_by = by;
    if (by == 0 || membership->now - membership->hindered_since < phx_lease_ns_max(membership)) return NULL;
    if (by != self)
        (void)snprintf(reason, sizeof membership->refusal,
                       "its number %u is that of another process, which lives: registration %" PRIu64,
                       membership->number, by);
    else if (!phx_listed_own(membership))
        (void)snprintf(reason, sizeof membership->refusal, "its key %snodes/%u is gone, and can not be written again",
                       membership->prefix, membership->number);
    else
        (void)snprintf(reason, sizeof membership->refusal, "the cluster has %u %s, which is the most",
                       PHX_CLUSTER_KIND_MAX, membership->def.gateway ? "gateways" : "nodes");
    return reason;
}
