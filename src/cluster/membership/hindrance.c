/*
 * What is in the way of a process that joins; see hindrance.h.
 */
#include "cluster/membership/hindrance.h"

#include <inttypes.h>
#include <stdio.h>

#include "cluster/membership/lease.h"
#include "cluster/membership/listed.h"

/* Another key of that number, and its process; or the own one, which can not be read any more. */
static phx_hindrance find_holder(const phx_membership *membership, uint16_t number)
{
    for (uint32_t i = 0; i < membership->listed_count; i++) {
        const phx_listed *listed = &membership->listed[i];
        const bool is_own = listed->lease == membership->lease && listed->registration != 0;
        if (listed->number != number || is_own) continue;
        return (phx_hindrance){listed->registration ? PHX_HINDRANCE_HELD : PHX_HINDRANCE_UNREAD, listed->registration};
    }
    return (phx_hindrance){0};
}

/* Has it as many of this kind as it can, and are all alive? */
static bool is_full(const phx_membership *membership, const phx_cluster_map *map)
{
    bool lives = true;
    for (uint32_t i = 0; i < map->member_count && lives; i++) lives = phx_listed_has(membership, &map->members[i]);
    return lives && !phx_cluster_map_has_room(map, membership->def.gateway);
}

static phx_hindrance find_hindrance(const phx_membership *membership, const phx_cluster_map *map)
{
    const bool registers = membership->phase == PHX_MEMBERSHIP_REGISTER,
               joins = membership->phase == PHX_MEMBERSHIP_JOIN;
    if (registers && membership->def.number != 0) return find_holder(membership, membership->def.number);
    if (!joins) return (phx_hindrance){0};
    if (phx_listed_own(membership))
        return (phx_hindrance){is_full(membership, map) ? PHX_HINDRANCE_FULL : PHX_HINDRANCE_NONE, 0};
    const phx_hindrance holder = find_holder(membership, membership->node->def.member.number);
    return holder.kind != PHX_HINDRANCE_NONE ? holder : (phx_hindrance){PHX_HINDRANCE_KEYLESS, 0};
}

/* Why a process ends. */
static const char *say_hindrance(phx_membership *membership, phx_hindrance is)
{
    char *reason = membership->refusal;
    const size_t size = sizeof membership->refusal;
    switch (is.kind) {
    case PHX_HINDRANCE_NONE:
        break;
    case PHX_HINDRANCE_HELD:
        (void)snprintf(reason, size, "its number %u is that of another process, which lives: registration %" PRIu64,
                       membership->number, is.by);
        return reason;
    case PHX_HINDRANCE_UNREAD:
        (void)snprintf(reason, size, "the key of its number, %snodes/%u, can not be read", membership->prefix,
                       membership->number);
        return reason;
    case PHX_HINDRANCE_FULL:
        (void)snprintf(reason, size, "the cluster has %u %s, which is the most", PHX_CLUSTER_KIND_MAX,
                       membership->def.gateway ? "gateways" : "nodes");
        return reason;
    case PHX_HINDRANCE_KEYLESS:
        (void)snprintf(reason, size, "its key %snodes/%u is gone, and can not be written again", membership->prefix,
                       membership->number);
        return reason;
    }
    return NULL;
}

/* Without a wish the next process has another number. */
ph_status phx_hindrance_status(const phx_membership *membership)
{
    const phx_hindrance_kind kind = membership->hindrance.kind;
    const bool is_taken = kind == PHX_HINDRANCE_HELD || kind == PHX_HINDRANCE_UNREAD;
    if (kind == PHX_HINDRANCE_FULL) return PH_CAPACITY;
    return is_taken && membership->def.number != 0 ? PH_TAKEN : PH_OK;
}

const char *phx_hindrance_hear_list(phx_membership *membership, const phx_cluster_map *map)
{
    const phx_hindrance is = find_hindrance(membership, map), was = membership->hindrance;
    if (is.kind != was.kind || is.by != was.by || !phx_lease_is_steady(membership))
        membership->hindered_since = membership->now;
    membership->hindrance = is;
    if (membership->now - membership->hindered_since < phx_lease_ns_max(membership)) return NULL;
    return say_hindrance(membership, is);
}
