/*
 * Processes that join together; see joining.h.
 */
#include "cluster/membership/joining.h"

#include "cluster/map/map_changes.h"
#include "cluster/membership/listed.h"

enum { LISTS_A_NUMBER = 2 /* that another process is waited for: its write takes one, and its list may be late */ };

/* Has a registration been in no map up to this one, if it was in none up to that version? */
static bool is_in_none(const phx_cluster_map *map, uint32_t version)
{
    return version >> PHX_CLUSTER_ERA_SHIFT == map->version >> PHX_CLUSTER_ERA_SHIFT && map->fence <= version;
}

/* One that had read no map was in none before this one, if no member was ever put out of that. */
void phx_joining_read_map(phx_membership *membership, const phx_cluster_map *map)
{
    const uint32_t version = membership->asked_version;
    if (membership->phase != PHX_MEMBERSHIP_JOIN || !membership->asks) return;
    if (phx_cluster_map_member(map, membership->node->def.member.registration)) return;
    if (version == 0 ? map->fence == 0 : is_in_none(map, version)) membership->asked_version = map->version;
}

static void begin_asking(phx_membership *membership)
{
    if (membership->asks) return;
    membership->asks = true;
    membership->asked_version = membership->map.version;
}

bool phx_joining_is_beside(const phx_membership *membership, const phx_cluster_map *map, const phx_listed *listed)
{
    return listed->registration != 0 && listed->is_same && phx_formats_have(listed->formats, map->format) &&
           listed->registration != membership->node->def.member.registration &&
           !phx_cluster_map_member(map, listed->registration);
}

bool phx_joining_is_due(phx_membership *membership, const phx_cluster_map *map)
{
    const phx_listed *own = phx_listed_own(membership);
    uint32_t others = 0, lower = 0;
    for (uint32_t i = 0; i < membership->listed_count; i++) {
        if (!phx_joining_is_beside(membership, map, &membership->listed[i])) continue;
        others++;
        lower += membership->listed[i].number < membership->number;
    }
    if (others == 0 || !own || !phx_cluster_map_has_room(map, membership->def.gateway)) return true;
    if (membership->map.version > 0) begin_asking(membership);
    if (membership->asked_version != 0 && !own->asks) {
        membership->lists_waited = 0;
        return false;
    }
    if (membership->lists_waited++ >= LISTS_A_NUMBER * lower) return true;
    membership->list_at = membership->now;
    return false;
}

bool phx_joining_propose(phx_membership *membership, const phx_cluster_map *map, phx_cluster_map *proposed)
{
    if (!phx_cluster_map_join(proposed, membership->node->def.member)) return false;
    begin_asking(membership);
    membership->lists_waited = 0;
    for (uint32_t i = 0; i < membership->listed_count; i++) {
        const phx_listed *listed = &membership->listed[i];
        if (!listed->asks || !is_in_none(map, listed->version) || !phx_joining_is_beside(membership, map, listed))
            continue;
        const phx_member member = {.registration = listed->registration,
                                   .number = listed->number,
                                   .format = listed->formats.max,
                                   .gateway = listed->gateway};
        membership->joins_others += phx_cluster_map_join(proposed, member);
    }
    return true;
}

bool phx_joining_begins_to_ask(const phx_membership *membership)
{
    const phx_listed *own = phx_listed_own(membership);
    return membership->phase == PHX_MEMBERSHIP_JOIN && membership->asks && membership->asked_version != 0 && own &&
           !own->asks;
}
