/*
 * Lines of JSON for scripts; see cluster_print.h.
 */
#include "tools/cluster_print.h"

#include <inttypes.h>

#include "tools/cli.h"

static void print_lost(FILE *out, const phx_cluster_map *map)
{
    const char *between = "";
    fputs(",\"restore\":[", out);
    for (uint32_t i = 0; i < map->region_count; i++) {
        if (map->regions[i].lost == 0) continue;
        fprintf(out, "%s{\"region\":%u,\"loss\":%u}", between, i, map->regions[i].lost);
        between = ",";
    }
    fputs("]", out);
}

static void print_numbers(FILE *out, const phx_cluster_map *map)
{
    fputs(",\"regions\":[", out);
    for (uint32_t i = 0; i < map->region_count; i++) fprintf(out, "%s%u", i > 0 ? "," : "", map->regions[i].number);
    fputs("]", out);
}

static void print_load(FILE *out, const phx_cluster_load *load)
{
    if (load->period_us == 0) return;
    fprintf(out, ",\"busy_us\":%u,\"busy_p99_us\":%u,\"period_us\":%u,\"own\":%u,\"transit\":%u", load->busy_us,
            load->busy_p99_us, load->period_us, load->own, load->transit);
}

static void print_entities(FILE *out, const phx_cluster_listing *listing)
{
    fprintf(out, ",\"columns\":%u,\"entities\":[", listing->map.columns);
    for (uint32_t i = 0; i < listing->map.region_count; i++)
        fprintf(out, "%s%u", i > 0 ? "," : "", listing->entities[i]);
    fputs("]", out);
}

static void print_member(FILE *out, const phx_cluster_listing *listing, const phx_member *member)
{
    const phx_cluster_listed *listed = phx_cluster_listing_of(listing, member->registration);
    fprintf(out, "{\"number\":%u,\"kind\":\"%s\",\"state\":\"%s\",\"registration\":%" PRIu64 ",\"regions\":%u",
            member->number, member->gateway ? "gateway" : "node", phx_cluster_state_of(listing, member->registration),
            member->registration, phx_cluster_map_regions_of(&listing->map, member->number));
    if (listed) print_load(out, &listed->load);
    if (listed)
        fprintf(out, ",\"lease\":\"%" PRIx64 "\",\"definition\":\"%016" PRIx64 "\",\"formats\":[%u,%u]", listed->lease,
                listed->definition, listed->formats.min, listed->formats.max);
    fputs("}", out);
}

static void print_members(FILE *out, const phx_cluster_listing *listing)
{
    const char *between = "";
    fputs(",\"members\":[", out);
    for (uint32_t i = 0; i < listing->map.member_count; i++, between = ",") {
        fputs(between, out);
        print_member(out, listing, &listing->map.members[i]);
    }
    for (uint32_t i = 0; i < listing->listed_count; i++) {
        const phx_cluster_listed *listed = &listing->listed[i];
        const phx_member process = {
            .registration = listed->registration, .number = listed->number, .gateway = listed->gateway};
        if (phx_cluster_map_member(&listing->map, listed->registration)) continue;
        fputs(between, out);
        print_member(out, listing, &process);
        between = ",";
    }
    fputs("]", out);
}

void phx_cluster_json_status(FILE *out, const phx_cluster_listing *listing)
{
    static const char *const states[] = {
        [PHX_CLUSTER_NO_MAP] = "none", [PHX_CLUSTER_MAP] = "good", [PHX_CLUSTER_DAMAGED_MAP] = "damaged"};
    fputs("{\"world\":", out);
    phx_json_string(out, listing->name);
    fprintf(out, ",\"map\":\"%s\",\"version\":%u,\"fence\":%u,\"revision\":%" PRIu64 ",\"store_revision\":%" PRIu64,
            states[listing->map_state], listing->map.version, listing->map.fence, listing->map_revision,
            listing->store_revision);
    fprintf(out, ",\"balancer\":%u,\"format\":%u", phx_cluster_balancer_of(listing), listing->map_format);
    print_members(out, listing);
    print_numbers(out, &listing->map);
    print_entities(out, listing);
    print_lost(out, &listing->map);
    fprintf(out, ",\"skipped\":%u}\n", listing->skipped);
}

void phx_cluster_json_change(FILE *out, const phx_cluster_change *change, phx_change_result result,
                             const phx_change_report *report)
{
    static const char *const results[] = {[PHX_CHANGE_MADE] = "made",
                                          [PHX_CHANGE_STANDS] = "stands",
                                          [PHX_CHANGE_REFUSED] = "refused",
                                          [PHX_CHANGE_FAILED] = "failed"};
    const phx_cluster_map *before = &report->before.map, *after = &report->after;
    const char *between = "";
    fprintf(out, "{\"result\":\"%s\",\"dry\":%s,\"before\":%u,\"version\":%u,\"moves\":[", results[result],
            change->is_dry ? "true" : "false", before->version, after->version);
    for (uint32_t i = 0; i < before->region_count && result == PHX_CHANGE_MADE; i++) {
        if (before->regions[i].number == after->regions[i].number) continue;
        fprintf(out, "%s{\"region\":%u,\"from\":%u,\"to\":%u}", between, i, before->regions[i].number,
                after->regions[i].number);
        between = ",";
    }
    fputs("],\"reason\":", out);
    phx_json_string(out, report->reason);
    fputs("}\n", out);
}
