/*
 * Lookups of the cluster map, and its bytes; see cluster_map.h. Pure.
 */
#include "cluster/map/cluster_map.h"

#include "cluster/wire/bytes.h"
#include "cluster/wire/sum.h"

enum { MAGIC = 0x4d434850 /* "PHCM" */, IS_GATEWAY = 1, IS_DRAINED = 2, IS_EXPELLED = 4, ROLES = 7 };

void phx_cluster_map_init(phx_cluster_map *map, uint32_t columns, uint32_t rows)
{
    PHX_ASSERT(columns > 0 && rows > 0 && (uint64_t)columns * rows <= PHX_CLUSTER_REGIONS_MAX);
    *map = (phx_cluster_map){
        .format = PHX_FORMAT_MAX, .version = 1, .moved = 1, .columns = columns, .region_count = columns * rows};
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

uint32_t phx_cluster_map_sides(const phx_cluster_map *map, uint32_t region, uint16_t number)
{
    const phx_region *regions = map->regions;
    const uint32_t columns = map->columns, column = region % columns;
    uint32_t sides = 0;
    sides += column > 0 && regions[region - 1].number == number;
    sides += column + 1 < columns && regions[region + 1].number == number;
    sides += region >= columns && regions[region - columns].number == number;
    sides += region + columns < map->region_count && regions[region + columns].number == number;
    return sides;
}

uint32_t phx_cluster_map_nodes(const phx_cluster_map *map)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->member_count; i++) count += !map->members[i].gateway;
    return count;
}

uint8_t phx_cluster_map_reads(const phx_cluster_map *map)
{
    uint8_t lowest = UINT8_MAX;
    for (uint32_t i = 0; i < map->member_count; i++)
        if (map->members[i].format < lowest) lowest = map->members[i].format;
    return map->member_count > 0 ? lowest : map->format;
}

bool phx_cluster_map_is_held_by(const phx_cluster_map *map, phx_formats formats)
{
    uint8_t next = 0;
    for (uint32_t i = 0; i < map->member_count; i++) {
        const uint8_t format = map->members[i].format;
        if (format > map->format && (next == 0 || format < next)) next = format;
    }
    return next > 0 && phx_formats_have(formats, map->format) && !phx_formats_have(formats, next);
}

bool phx_cluster_map_has_room(const phx_cluster_map *map, bool gateway)
{
    const uint32_t nodes = phx_cluster_map_nodes(map);
    return (gateway ? map->member_count - nodes : nodes) < PHX_CLUSTER_KIND_MAX;
}

static bool is_same_member(const phx_member *member, const phx_member *other)
{
    return member->registration == other->registration && member->number == other->number &&
           member->format == other->format && member->gateway == other->gateway && member->drained == other->drained &&
           member->expelled == other->expelled;
}

bool phx_cluster_map_is_same(const phx_cluster_map *map, const phx_cluster_map *other)
{
    bool same = map->format == other->format && map->version == other->version && map->moved == other->moved &&
                map->fence == other->fence && map->member_count == other->member_count &&
                map->columns == other->columns && map->region_count == other->region_count;
    for (uint32_t i = 0; same && i < map->member_count; i++)
        same = is_same_member(&map->members[i], &other->members[i]);
    for (uint32_t i = 0; same && i < map->region_count; i++)
        same = map->regions[i].number == other->regions[i].number && map->regions[i].lost == other->regions[i].lost;
    return same;
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
    phx_write_number(&writer, 4, map->format);
    phx_write_number(&writer, 4, map->version);
    phx_write_number(&writer, 4, map->moved);
    phx_write_number(&writer, 4, map->fence);
    phx_write_number(&writer, 4, map->member_count);
    phx_write_number(&writer, 4, map->columns);
    phx_write_number(&writer, 4, map->region_count);
    for (uint32_t i = 0; i < map->member_count; i++) {
        phx_write_number(&writer, 8, map->members[i].registration);
        phx_write_number(&writer, 2, map->members[i].number);
        phx_write_number(&writer, 1, role_of(&map->members[i]));
        phx_write_number(&writer, 1, map->members[i].format);
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
    const bool has_nodes = phx_cluster_map_nodes(map) > 0;
    for (uint32_t i = 0; i < map->region_count; i++) {
        const phx_region *region = &map->regions[i];
        const phx_member *member = phx_cluster_map_numbered(map, region->number);
        if (has_nodes ? !member || member->gateway : region->number != 0) return false;
        if (region->lost > map->fence) return false;
    }
    return true;
}

uint32_t phx_cluster_map_format(const void *bytes, size_t size)
{
    phx_reader reader;
    if (!phx_sum_open(&reader, bytes, size) || phx_read_number(&reader, 4) != MAGIC) return 0;
    return (uint32_t)phx_read_number(&reader, 4);
}

bool phx_cluster_map_decode(phx_cluster_map *map, phx_formats formats, const void *bytes, size_t size)
{
    phx_reader reader;
    phx_cluster_map read = {0};
    if (!phx_sum_open(&reader, bytes, size) || phx_read_number(&reader, 4) != MAGIC) return false;
    const uint64_t format = phx_read_number(&reader, 4);
    if (!phx_formats_have(formats, format)) return false;
    read.format = (uint8_t)format;
    read.version = (uint32_t)phx_read_number(&reader, 4);
    read.moved = (uint32_t)phx_read_number(&reader, 4);
    read.fence = (uint32_t)phx_read_number(&reader, 4);
    read.member_count = (uint32_t)phx_read_number(&reader, 4);
    read.columns = (uint32_t)phx_read_number(&reader, 4);
    read.region_count = (uint32_t)phx_read_number(&reader, 4);
    if (read.moved == 0 || read.moved > read.version || read.fence > read.moved ||
        read.member_count > PHX_CLUSTER_MEMBERS_MAX || read.region_count == 0 ||
        read.region_count > PHX_CLUSTER_REGIONS_MAX || read.columns == 0 || read.region_count % read.columns != 0)
        return false;
    for (uint32_t i = 0; i < read.member_count; i++) {
        read.members[i].registration = phx_read_number(&reader, 8);
        read.members[i].number = (uint16_t)phx_read_number(&reader, 2);
        const uint64_t role = phx_read_number(&reader, 1);
        read.members[i].format = (uint8_t)phx_read_number(&reader, 1);
        if (role > ROLES || (role & IS_GATEWAY && role & IS_DRAINED) || read.members[i].format < read.format)
            return false;
        read.members[i].gateway = (role & IS_GATEWAY) != 0;
        read.members[i].drained = (role & IS_DRAINED) != 0;
        read.members[i].expelled = (role & IS_EXPELLED) != 0;
    }
    for (uint32_t i = 0; i < read.region_count; i++) {
        read.regions[i].number = (uint16_t)phx_read_number(&reader, 2);
        read.regions[i].lost = (uint32_t)phx_read_number(&reader, 4);
    }
    if (reader.failed || phx_reader_left(&reader) != 0 || phx_cluster_map_nodes(&read) > PHX_CLUSTER_KIND_MAX)
        return false;
    if (!members_differ(&read) || !regions_fit(&read)) return false;
    *map = read;
    return true;
}
