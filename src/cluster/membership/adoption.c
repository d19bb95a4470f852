/*
 * The map of a store that has lost its own; see adoption.h.
 */
#include "cluster/membership/adoption.h"

#include "cluster/map/rules.h"
#include "cluster/membership/lease.h"
#include "cluster/membership/registration.h"

void phx_adoption_hear_list(phx_membership *membership, uint64_t map_revision)
{
    if (map_revision == 0 && !membership->is_bare) membership->bare_since = membership->now;
    membership->is_bare = map_revision == 0;
}

bool phx_adoption_is_due(const phx_membership *membership)
{
    return membership->def.adopts && membership->is_bare && membership->phase == PHX_MEMBERSHIP_MEMBER;
}

/* Of all that have registered, the one with the newest map; of several the one with the lowest number. */
static bool is_first(const phx_membership *membership)
{
    const uint32_t version = membership->map.version;
    for (uint32_t i = 0; i < membership->listed_count; i++) {
        const phx_listed *listed = &membership->listed[i];
        if (!phx_rule_adopts(version, listed->version)) return false;
        if (version == listed->version && listed->number < membership->number) return false;
    }
    return true;
}

/* A new process's key may have the registration of one of the lost store's members; it has read no map. */
static bool has_come(const phx_membership *membership, const phx_member *member)
{
    for (uint32_t i = 0; i < membership->listed_count; i++)
        if (membership->listed[i].registration == member->registration && membership->listed[i].version > 0)
            return true;
    return false;
}

bool phx_adoption_propose(phx_membership *membership)
{
    phx_cluster_map *proposed = &membership->proposed;
    *proposed = membership->map;
    membership->puts_out = 0;
    membership->balances = false;
    membership->adopts = true;
    if (!is_first(membership) || !phx_cluster_map_adopt(proposed)) return false;
    for (uint32_t i = proposed->member_count; i-- > 0;) {
        if (has_come(membership, &proposed->members[i])) continue;
        membership->puts_out += phx_cluster_map_put_out(proposed, proposed->members[i].registration);
    }
    return membership->puts_out == 0 || phx_lease_has_passed(membership, membership->bare_since);
}

/* Its own key, and that of another new process, has version 0 while there is no map. */
static bool waits_member(const phx_membership *membership)
{
    for (uint32_t i = 0; i < membership->listed_count; i++)
        if (membership->listed[i].version > 0) return true;
    return false;
}

bool phx_adoption_is_awaited(const phx_membership *membership)
{
    if (!membership->is_bare || membership->phase >= PHX_MEMBERSHIP_MEMBER) return false;
    return waits_member(membership) || membership->now >= membership->node->proven_until ||
           (membership->def.adopts && !phx_lease_has_passed(membership, membership->bare_since));
}

bool phx_adoption_is_behind(const phx_membership *membership)
{
    return membership->phase == PHX_MEMBERSHIP_JOIN && phx_registration_era(membership->node->def.member.registration) <
                                                           membership->map.version >> PHX_CLUSTER_ERA_SHIFT;
}
