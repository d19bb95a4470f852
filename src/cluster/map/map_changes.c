/*
 * Changes of the cluster map; see map_changes.h.
 */
#include "cluster/map/map_changes.h"

#include "cluster/map/shares.h"

/* No drained node has a region, if there is another one. */
static void empty_drained(phx_cluster_map *map)
{
    bool has_others = false;
    for (uint32_t i = 0; i < map->member_count; i++) has_others |= !map->members[i].gateway && !map->members[i].drained;
    for (uint32_t i = 0; i < map->member_count && has_others; i++)
        if (map->members[i].drained) phx_shares_empty(map, map->members[i].number);
}

/* That node, and the others that have regions: a drained one that is still there has none. */
static uint32_t count_sharing(const phx_cluster_map *map, uint16_t number)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member *member = &map->members[i];
        count += member->number != number && !member->gateway && !member->drained;
    }
    return count;
}

static void share_regions(phx_cluster_map *map, uint16_t number)
{
    for (uint32_t i = 0; i < map->region_count; i++)
        if (map->regions[i].number == 0) map->regions[i].number = number;
    empty_drained(map);
    phx_shares_fill(map, number, map->region_count / count_sharing(map, number));
}

bool phx_cluster_map_join(phx_cluster_map *map, phx_member member)
{
    if (!phx_cluster_map_has_room(map, member.gateway) || member.number == 0 || member.registration == 0 ||
        map->version == UINT32_MAX || phx_cluster_map_member(map, member.registration) ||
        phx_cluster_map_numbered(map, member.number))
        return false;
    map->members[map->member_count++] = member;
    map->moved = ++map->version;
    if (!member.gateway) share_regions(map, member.number);
    return true;
}

/* Offers that it has not taken are their senders' entities again, behind the map barrier. */
static void remove_member(phx_cluster_map *map, const phx_member *member)
{
    const uint32_t at = (uint32_t)(member - map->members);
    map->fence = map->moved = ++map->version;
    for (uint32_t i = at; i + 1 < map->member_count; i++) map->members[i] = map->members[i + 1];
    map->members[--map->member_count] = (phx_member){0};
}

bool phx_cluster_map_put_out(phx_cluster_map *map, uint64_t registration)
{
    const phx_member *member = phx_cluster_map_member(map, registration);
    if (!member || map->version == UINT32_MAX) return false;
    const bool is_node = !member->gateway;
    if (is_node) phx_shares_empty(map, member->number);
    remove_member(map, member);
    for (uint32_t i = 0; i < map->region_count && is_node; i++) map->regions[i].lost = map->version;
    return true;
}

bool phx_cluster_map_leave(phx_cluster_map *map, uint64_t registration)
{
    const phx_member *member = phx_cluster_map_member(map, registration);
    if (!member || map->version == UINT32_MAX || phx_cluster_map_regions_of(map, member->number) > 0) return false;
    remove_member(map, member);
    return true;
}

static phx_member *node_at(phx_cluster_map *map, const phx_member *member)
{
    return member && !member->gateway ? &map->members[member - map->members] : NULL;
}

bool phx_cluster_map_give(phx_cluster_map *map, uint32_t region, uint16_t number)
{
    phx_member *node = node_at(map, phx_cluster_map_numbered(map, number));
    if (!node || region >= map->region_count || map->version == UINT32_MAX || map->regions[region].number == number)
        return false;
    node->drained = false;
    map->regions[region].number = number;
    map->moved = ++map->version;
    return true;
}

bool phx_cluster_map_drain(phx_cluster_map *map, uint64_t registration)
{
    phx_member *node = node_at(map, phx_cluster_map_member(map, registration));
    if (!node || node->drained || map->version == UINT32_MAX) return false;
    node->drained = true;
    map->moved = ++map->version;
    empty_drained(map);
    return true;
}

bool phx_cluster_map_confirm(phx_cluster_map *map, uint64_t registration)
{
    if (!phx_cluster_map_member(map, registration) || map->version == UINT32_MAX) return false;
    map->version++;
    return true;
}

bool phx_cluster_map_expel(phx_cluster_map *map, uint64_t registration)
{
    const phx_member *member = phx_cluster_map_member(map, registration);
    if (!member || member->expelled || map->version == UINT32_MAX) return false;
    map->members[member - map->members].expelled = true;
    map->version++;
    return true;
}

bool phx_cluster_map_rise(phx_cluster_map *map)
{
    const uint8_t format = phx_cluster_map_reads(map);
    if (format <= map->format || map->version == UINT32_MAX) return false;
    map->format = format;
    map->version++;
    return true;
}

bool phx_cluster_map_restored(phx_cluster_map *map, uint32_t region, uint32_t lost)
{
    if (region >= map->region_count || lost == 0 || map->regions[region].lost != lost || map->version == UINT32_MAX)
        return false;
    map->regions[region].lost = 0;
    map->version++;
    return true;
}
