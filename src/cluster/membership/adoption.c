/*
 * The map of a store that has lost its own; see adoption.h.
 */
#include "cluster/membership/adoption.h"

#include "cluster/map/eras.h"
#include "cluster/map/map_changes.h"
#include "cluster/map/rules.h"
#include "cluster/membership/lease.h"
#include "cluster/membership/listed.h"

/* The last list is behind its opening. A member that has not lost its lease has one of the lost store. */
static uint64_t lease_of_list(const phx_membership *membership)
{
    const bool is_old = membership->phase == PHX_MEMBERSHIP_MEMBER && !membership->returns;
    return is_old || membership->list_lease != membership->lease ? 0 : membership->lease;
}

void phx_adoption_hear_list(phx_membership *membership, uint64_t map_revision)
{
    const uint64_t lease = lease_of_list(membership);
    const bool was_bare = membership->is_bare;
    membership->is_bare = map_revision == 0;
    membership->bare_until = membership->list_asked;
    if (!membership->is_bare || (was_bare && lease != 0 && lease == membership->bare_lease)) return;
    if (membership->map.version != membership->bare_version) membership->losses = 0;
    membership->losses += lease != 0;
    membership->bare_version = membership->map.version;
    membership->bare_lease = lease;
    membership->bare_since = membership->now;
}

/* Is no lease of the lost store proven any more, and does the last list have all members that came meanwhile? */
static bool has_waited(const phx_membership *membership)
{
    const uint64_t since = membership->bare_since, until = membership->bare_until;
    return membership->bare_lease != 0 && membership->bare_lease == membership->lease && until > since &&
           phx_rule_outwaits(until - since, phx_lease_ns_max(membership));
}

bool phx_adoption_lacks_map(const phx_membership *membership, const phx_cluster_map *map)
{
    const uint32_t asked = membership->version_asked;
    if (membership->phase < PHX_MEMBERSHIP_MEMBER) return map->version == 0 && asked > 0;
    if (!membership->returns) return false;
    return map->version < asked || (map->version == asked && !phx_cluster_map_is_same(map, &membership->map));
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

bool phx_adoption_propose(phx_membership *membership)
{
    phx_cluster_map *proposed = &membership->proposed;
    *proposed = membership->map;
    membership->puts_out = membership->joins_others = 0;
    membership->balances = false;
    membership->adopts = true;
    if (!has_waited(membership) || !is_first(membership)) return false;
    const uint32_t version = phx_rule_era_begins(proposed->version, membership->losses);
    if (version == 0) return false;
    phx_cluster_map_adopt(proposed, version);
    for (uint32_t i = proposed->member_count; i-- > 0;) {
        if (phx_listed_has(membership, &proposed->members[i])) continue;
        membership->puts_out += phx_cluster_map_put_out(proposed, proposed->members[i].registration);
    }
    return true;
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
           (membership->def.adopts && !has_waited(membership));
}
