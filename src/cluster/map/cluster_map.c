/*
 * Changes of the cluster map and its bytes; see cluster_map.h. Pure.
 */
#include "cluster/map/cluster_map.h"

#include "cluster/wire/bytes.h"
#include "cluster/wire/format.h"
#include "cluster/wire/sum.h"

enum { MAGIC = 0x4d434850 /* "PHCM" */, IS_GATEWAY = 1, IS_DRAINED = 2, IS_EXPELLED = 4, ROLES = 7 };

void phx_cluster_map_init(phx_cluster_map *map, uint32_t region_count)
{
    PHX_ASSERT(region_count > 0 && region_count <= PHX_CLUSTER_REGIONS_MAX);
    *map = (phx_cluster_map){.version = 1, .moved = 1, .region_count = region_count};
}

const phx_member *phx_cluster_map_member(const phx_cluster_map *map, uint64_t registration)
{
    for (uint32_t i = 0; i < map->member_count; i++)
        if (map->members[i].registration == registration) return &map->members[i];
    return NULL;
}

const phx_member *phx_cluster_map_numbered(const phx_cluster_map *map, uint16_t number)
{
    for (uint32_t i = 0; i < map->member_count; i++)
        if (map->members[i].number == number) return &map->members[i];
    return NULL;
}

uint32_t phx_cluster_map_regions_of(const phx_cluster_map *map, uint16_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->region_count; i++) count += map->regions[i].number == number;
    return count;
}

static uint32_t count_nodes(const phx_cluster_map *map)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->member_count; i++) count += !map->members[i].gateway;
    return count;
}

bool phx_cluster_map_has_room(const phx_cluster_map *map, bool gateway)
{
    const uint32_t nodes = count_nodes(map);
    return (gateway ? map->member_count - nodes : nodes) < PHX_CLUSTER_KIND_MAX;
}

/* The node with the fewest regions, or with the most; the first of several. A drained one is the last choice. 0: there
 * is none but `without`. */
static uint16_t node_by_regions(const phx_cluster_map *map, bool most, uint16_t without)
{
    uint16_t best = 0;
    uint32_t best_count = 0;
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member *member = &map->members[i];
        if (member->gateway || member->number == without) continue;
        uint32_t count = phx_cluster_map_regions_of(map, member->number);
        if (!most && member->drained) count = UINT32_MAX;
        if (best == 0 || (most ? count > best_count : count < best_count)) {
            best = member->number;
            best_count = count;
        }
    }
    return best;
}

static phx_region *region_of_node(phx_cluster_map *map, uint16_t number)
{
    for (uint32_t i = 0; i < map->region_count; i++)
        if (map->regions[i].number == number) return &map->regions[i];
    return NULL;
}

/* Gives all regions of a node to the others; to none, if there are no others. */
static void empty_node(phx_cluster_map *map, uint16_t number)
{
    for (uint32_t i = 0; i < map->region_count; i++)
        if (map->regions[i].number == number) map->regions[i].number = node_by_regions(map, false, number);
}

/* No drained node has a region, if there is another one. */
static void empty_drained(phx_cluster_map *map)
{
    bool has_others = false;
    for (uint32_t i = 0; i < map->member_count; i++) has_others |= !map->members[i].gateway && !map->members[i].drained;
    for (uint32_t i = 0; i < map->member_count && has_others; i++)
        if (map->members[i].drained) empty_node(map, map->members[i].number);
}

/* Regions without a node, and then regions of the node with the most, until the newcomer has its share. */
static void share_regions(phx_cluster_map *map, uint16_t number)
{
    phx_region *region;
    while ((region = region_of_node(map, 0)) != NULL) region->number = number;
    empty_drained(map);
    const uint32_t nodes = count_nodes(map);
    PHX_ASSERT(nodes > 0); /* the newcomer */
    const uint32_t share = map->region_count / nodes;
    for (uint32_t count = phx_cluster_map_regions_of(map, number); count < share; count++) {
        region = region_of_node(map, node_by_regions(map, true, number));
        PHX_ASSERT(region); /* the sum of all shares is at most the number of regions */
        region->number = number;
    }
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

bool phx_cluster_map_put_out(phx_cluster_map *map, uint64_t registration)
{
    const phx_member *found = phx_cluster_map_member(map, registration);
    if (!found || map->version == UINT32_MAX) return false;
    const phx_member member = *found;
    map->fence = map->moved = ++map->version;
    if (!member.gateway) empty_node(map, member.number);
    for (uint32_t i = 0; i < map->region_count && !member.gateway; i++) map->regions[i].lost = map->version;
    const uint32_t at = (uint32_t)(found - map->members);
    for (uint32_t i = at; i + 1 < map->member_count; i++) map->members[i] = map->members[i + 1];
    map->members[--map->member_count] = (phx_member){0};
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

static bool is_same_member(const phx_member *member, const phx_member *other)
{
    return member->registration == other->registration && member->number == other->number &&
           member->gateway == other->gateway && member->drained == other->drained &&
           member->expelled == other->expelled;
}

bool phx_cluster_map_is_same(const phx_cluster_map *map, const phx_cluster_map *other)
{
    bool same = map->version == other->version && map->moved == other->moved && map->fence == other->fence &&
                map->member_count == other->member_count && map->region_count == other->region_count;
    for (uint32_t i = 0; same && i < map->member_count; i++)
        same = is_same_member(&map->members[i], &other->members[i]);
    for (uint32_t i = 0; same && i < map->region_count; i++)
        same = map->regions[i].number == other->regions[i].number && map->regions[i].lost == other->regions[i].lost;
    return same;
}

bool phx_cluster_map_expel(phx_cluster_map *map, uint64_t registration)
{
    const phx_member *member = phx_cluster_map_member(map, registration);
    if (!member || member->expelled || map->version == UINT32_MAX) return false;
    map->members[member - map->members].expelled = true;
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

static uint32_t role_of(const phx_member *member)
{
    return (member->gateway ? IS_GATEWAY : 0u) | (member->drained ? IS_DRAINED : 0u) |
           (member->expelled ? IS_EXPELLED : 0u);
}

size_t phx_cluster_map_encode(const phx_cluster_map *map, void *bytes, size_t size)
{
    phx_writer writer = phx_writer_of(bytes, size);
    phx_write_number(&writer, 4, MAGIC);
    phx_write_number(&writer, 4, PHX_CLUSTER_FORMAT);
    phx_write_number(&writer, 4, map->version);
    phx_write_number(&writer, 4, map->moved);
    phx_write_number(&writer, 4, map->fence);
    phx_write_number(&writer, 4, map->member_count);
    phx_write_number(&writer, 4, map->region_count);
    for (uint32_t i = 0; i < map->member_count; i++) {
        phx_write_number(&writer, 8, map->members[i].registration);
        phx_write_number(&writer, 2, map->members[i].number);
        phx_write_number(&writer, 1, role_of(&map->members[i]));
    }
    for (uint32_t i = 0; i < map->region_count; i++) {
        phx_write_number(&writer, 2, map->regions[i].number);
        phx_write_number(&writer, 4, map->regions[i].lost);
    }
    PHX_ASSERT(!writer.failed);
    return phx_sum_seal(&writer, bytes);
}

static bool members_differ(const phx_cluster_map *map)
{
    for (uint32_t i = 0; i < map->member_count; i++) {
        if (map->members[i].registration == 0 || map->members[i].number == 0) return false;
        if (phx_cluster_map_member(map, map->members[i].registration) != &map->members[i] ||
            phx_cluster_map_numbered(map, map->members[i].number) != &map->members[i])
            return false;
    }
    return true;
}

/* Every region belongs to a node, or to none where the cluster has none. */
static bool regions_fit(const phx_cluster_map *map)
{
    const bool has_nodes = count_nodes(map) > 0;
    for (uint32_t i = 0; i < map->region_count; i++) {
        const phx_region *region = &map->regions[i];
        const phx_member *member = phx_cluster_map_numbered(map, region->number);
        if (has_nodes ? !member || member->gateway : region->number != 0) return false;
        if (region->lost > map->fence) return false;
    }
    return true;
}

bool phx_cluster_map_is_foreign(const void *bytes, size_t size)
{
    phx_reader reader;
    if (!phx_sum_open(&reader, bytes, size)) return false;
    const uint64_t magic = phx_read_number(&reader, 4), format = phx_read_number(&reader, 4);
    return !reader.failed && magic == MAGIC && format != PHX_CLUSTER_FORMAT;
}

bool phx_cluster_map_decode(phx_cluster_map *map, const void *bytes, size_t size)
{
    phx_reader reader;
    phx_cluster_map read = {0};
    if (!phx_sum_open(&reader, bytes, size) || phx_read_number(&reader, 4) != MAGIC ||
        phx_read_number(&reader, 4) != PHX_CLUSTER_FORMAT)
        return false;
    read.version = (uint32_t)phx_read_number(&reader, 4);
    read.moved = (uint32_t)phx_read_number(&reader, 4);
    read.fence = (uint32_t)phx_read_number(&reader, 4);
    read.member_count = (uint32_t)phx_read_number(&reader, 4);
    read.region_count = (uint32_t)phx_read_number(&reader, 4);
    if (read.moved == 0 || read.moved > read.version || read.fence > read.moved ||
        read.member_count > PHX_CLUSTER_MEMBERS_MAX || read.region_count == 0 ||
        read.region_count > PHX_CLUSTER_REGIONS_MAX)
        return false;
    for (uint32_t i = 0; i < read.member_count; i++) {
        read.members[i].registration = phx_read_number(&reader, 8);
        read.members[i].number = (uint16_t)phx_read_number(&reader, 2);
        const uint64_t role = phx_read_number(&reader, 1);
        if (role > ROLES || (role & IS_GATEWAY && role & IS_DRAINED)) return false;
        read.members[i].gateway = (role & IS_GATEWAY) != 0;
        read.members[i].drained = (role & IS_DRAINED) != 0;
        read.members[i].expelled = (role & IS_EXPELLED) != 0;
    }
    for (uint32_t i = 0; i < read.region_count; i++) {
        read.regions[i].number = (uint16_t)phx_read_number(&reader, 2);
        read.regions[i].lost = (uint32_t)phx_read_number(&reader, 4);
    }
    if (reader.failed || phx_reader_left(&reader) != 0 || !members_differ(&read) || !regions_fit(&read)) return false;
    *map = read;
    return true;
}
