/*
 * Findings; see cluster_check.h.
 */
#include "tools/cluster_check.h"

#include <inttypes.h>
#include <stdarg.h>

#include "tools/cli.h"

enum { FINDING_SIZE = 1024 };

void phx_cluster_find(phx_cluster_findings *findings, const char *name, const char *format, ...)
{
    char text[FINDING_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    findings->count++;
    if (!findings->is_json) {
        fprintf(findings->out, "%s: %s\n", name, text);
        return;
    }
    fprintf(findings->out, "{\"finding\":\"%s\",\"text\":", name);
    phx_json_string(findings->out, text);
    fputs("}\n", findings->out);
}

static void check_members(phx_cluster_findings *findings, const phx_cluster_listing *listing)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < listing->map.member_count; i++) {
        const phx_member *member = &listing->map.members[i];
        nodes += !member->gateway;
        if (!phx_cluster_listing_of(listing, member->registration))
            phx_cluster_find(findings, "no-lease",
                             "member %u (registration %" PRIu64
                             ") has lost its lease. A living member puts it out within its rank "
                             "times list_ms; if this stays, no member lives: start one, or `out %u`",
                             member->number, member->registration, member->number);
        else if (!member->gateway && phx_cluster_map_regions_of(&listing->map, member->number) == 0)
            phx_cluster_find(
                findings, "no-regions",
                "node %u has no region: it drains, or was drained, or there are more nodes than regions. `move REGIONS "
                "%u` gives it some",
                member->number, member->number);
    }
    if (nodes == 0) phx_cluster_find(findings, "no-node", "the cluster has no node: no entity is simulated. Start one");
}

static void check_processes(phx_cluster_findings *findings, const phx_cluster_listing *listing)
{
    for (uint32_t i = 0; i < listing->listed_count; i++) {
        const phx_cluster_listed *listed = &listing->listed[i];
        if (!phx_cluster_map_member(&listing->map, listed->registration))
            phx_cluster_find(findings, "not-in-map",
                             "process %u (registration %" PRIu64
                             ") has a key and is no member. It joins within a list_ms; if this "
                             "stays, it was put out and has not ended, or hangs",
                             listed->number, listed->registration);
        if (listed->definition != listing->listed[0].definition)
            phx_cluster_find(
                findings, "definition",
                "process %u has another definition of the world (%016" PRIx64 ") than process %u (%016" PRIx64 "): it "
                "can not join. Keys marked `the same for all members` differ (pharos-config reference)",
                listed->number, listed->definition, listing->listed[0].number, listing->listed[0].definition);
    }
    if (listing->skipped > 0)
        phx_cluster_find(findings, "skipped",
                         "%u keys of this world can not be read, or are too many: another program writes "
                         "them. `etcdctl get --prefix --keys-only ph/` shows them",
                         listing->skipped);
}

static void check_restores(phx_cluster_findings *findings, const phx_cluster_map *map)
{
    for (uint32_t i = 0; i < map->member_count; i++) {
        uint32_t count = 0, oldest = UINT32_MAX;
        for (uint32_t region = 0; region < map->region_count; region++) {
            const phx_region *of = &map->regions[region];
            if (of->number != map->members[i].number || of->lost == 0) continue;
            count++;
            oldest = of->lost < oldest ? of->lost : oldest;
        }
        if (count > 0)
            phx_cluster_find(
                findings, "restore",
                "node %u has %u regions whose entities may be missing since version %u, when a node died. Its host "
                "enters them anew and calls phc_restored(); if this stays, it does not",
                map->members[i].number, count, oldest);
    }
}

void phx_cluster_check(phx_cluster_findings *findings, const phx_cluster_listing *listing)
{
    if (listing->map_state == PHX_CLUSTER_NO_MAP)
        phx_cluster_find(findings, "no-map",
                         "world %s has no cluster map: no member has joined, or the name is another one",
                         listing->name);
    if (listing->map_state == PHX_CLUSTER_DAMAGED_MAP)
        phx_cluster_find(findings, "damaged-map",
                         "the cluster map of world %s can not be read: another program or version wrote "
                         "it. No member can join",
                         listing->name);
    if (listing->map_state == PHX_CLUSTER_MAP) {
        check_members(findings, listing);
        check_restores(findings, &listing->map);
    }
    check_processes(findings, listing);
}
