/*
 * Tables for eyes; see cluster_print.h.
 */
#include "tools/cluster_print.h"

#include <inttypes.h>

#include "cluster/membership/load_report.h"

/* The end of a run of regions that begins there and is one node's. */
static uint32_t run_end(const phx_cluster_map *map, uint32_t first)
{
    uint32_t last = first;
    while (last + 1 < map->region_count && map->regions[last + 1].number == map->regions[first].number) last++;
    return last;
}

void phx_cluster_print_regions(FILE *out, const phx_cluster_map *map, uint16_t number)
{
    const char *between = "";
    for (uint32_t i = 0; i < map->region_count; i++) {
        if (map->regions[i].number != number) continue;
        const uint32_t last = run_end(map, i);
        if (last > i) fprintf(out, "%s%u-%u", between, i, last);
        else fprintf(out, "%s%u", between, i);
        between = ",";
        i = last;
    }
    if (between[0] == '\0') fputs("-", out);
}

const char *phx_cluster_state_of(const phx_cluster_listing *listing, uint64_t registration)
{
    const phx_member *member = phx_cluster_map_member(&listing->map, registration);
    if (!member) return "joining";
    if (!phx_cluster_listing_of(listing, registration)) return "no-lease";
    if (member->expelled) return "leaves";
    return member->drained ? "drained" : "member";
}

uint16_t phx_cluster_balancer_of(const phx_cluster_listing *listing)
{
    const phx_member *member = phx_cluster_map_member(&listing->map, listing->balancer);
    return member ? member->number : 0;
}

static uint32_t count_lost(const phx_cluster_map *map)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->region_count; i++) count += map->regions[i].lost != 0;
    return count;
}

/* ---- status ---- */

/* Of a map that can not be read: it may be of another version of the library. */
static void print_damage(FILE *out, uint32_t format)
{
    fputs("the cluster map can not be read", out);
    if (format != 0 && !phx_formats_have(PHX_FORMATS, format))
        fprintf(out, ": it has format %u, and this program reads %d to %d", format, PHX_FORMAT_MIN, PHX_FORMAT_MAX);
    fputs("\n", out);
}

/* A process that joins next, as members see it: it has a lease, and the definition of the members. */
static bool is_joining(const phx_cluster_listing *listing, const phx_cluster_listed *process)
{
    const phx_cluster_map *map = &listing->map;
    for (uint32_t i = 0; i < listing->listed_count; i++) {
        const phx_cluster_listed *listed = &listing->listed[i];
        const bool is_other = listed->definition != process->definition;
        if (is_other && phx_cluster_map_member(map, listed->registration)) return false;
    }
    return process->lease != 0 && !phx_cluster_map_member(map, process->registration);
}

/* Where a member reads a higher format: members and processes that join which do not, so the map has the lower one. */
static void print_holders(FILE *out, const phx_cluster_listing *listing)
{
    const phx_cluster_map *map = &listing->map;
    const char *between = ", held by ";
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member *member = &map->members[i];
        if (!phx_cluster_map_is_held_by(map, (phx_formats){map->format, member->format})) continue;
        fprintf(out, "%s%u", between, member->number);
        between = ",";
    }
    for (uint32_t i = 0; i < listing->listed_count; i++) {
        const phx_cluster_listed *listed = &listing->listed[i];
        if (!phx_cluster_map_is_held_by(map, listed->formats) || !is_joining(listing, listed)) continue;
        fprintf(out, "%s%u", between, listed->number);
        between = ",";
    }
}

static void print_head(FILE *out, const phx_cluster_listing *listing)
{
    const phx_cluster_map *map = &listing->map;
    fprintf(out, "world %s   ", listing->name);
    if (listing->map_state == PHX_CLUSTER_NO_MAP) fputs("no cluster map: no member has joined\n", out);
    else if (listing->map_state == PHX_CLUSTER_DAMAGED_MAP) print_damage(out, listing->map_format);
    if (listing->map_state != PHX_CLUSTER_MAP) return;
    fprintf(out, "map version %u (revision %" PRIu64 ")   format %u", map->version, listing->map_revision, map->format);
    print_holders(out, listing);
    if (map->fence == 0) fputs("   fence none   ", out);
    else fprintf(out, "   fence %u   ", map->fence);
    const uint16_t balancer = phx_cluster_balancer_of(listing);
    if (balancer == 0) fputs("balancer none   ", out);
    else fprintf(out, "balancer %u   ", balancer);
    fprintf(out, "regions %u", map->region_count);
    if (count_lost(map) > 0) fprintf(out, ", %u with a restore to do", count_lost(map));
    fputs("\n", out);
}

static void print_load(FILE *out, const phx_cluster_load *load)
{
    if (!load || load->period_us == 0) {
        fputs("    -       -         -  ", out);
        return;
    }
    const uint32_t share = phx_load_report_share(load->busy_us, load->period_us);
    fprintf(out, "%3u.%u%%  %4u.%u  %8u  ", share / 10, share % 10, load->busy_p99_us / 1000,
            load->busy_p99_us / 100 % 10, load->own + load->transit);
}

static void print_member(FILE *out, const phx_cluster_listing *listing, const phx_member *member,
                         const phx_cluster_listed *listed)
{
    char lease[32] = "-", formats[16] = "-";
    if (listed) (void)snprintf(lease, sizeof lease, "%" PRIx64, listed->lease);
    if (listed) (void)snprintf(formats, sizeof formats, "%u-%u", listed->formats.min, listed->formats.max);
    fprintf(out, "%6u  %-7s  %-8s  %7s  %16" PRIu64 "  %16s  ", member->number, member->gateway ? "gateway" : "node",
            phx_cluster_state_of(listing, member->registration), formats, member->registration, lease);
    print_load(out, listed ? &listed->load : NULL);
    fprintf(out, "%7u  ", phx_cluster_map_regions_of(&listing->map, member->number));
    phx_cluster_print_regions(out, &listing->map, member->number);
    fputs("\n", out);
}

void phx_cluster_print_status(FILE *out, const phx_cluster_listing *listing)
{
    const phx_cluster_map *map = &listing->map;
    print_head(out, listing);
    if (map->member_count + listing->listed_count == 0) return;
    fputs("number  kind     state     formats      registration             lease   busy  p99 ms  entities  regions\n",
          out);
    for (uint32_t i = 0; i < map->member_count; i++)
        print_member(out, listing, &map->members[i], phx_cluster_listing_of(listing, map->members[i].registration));
    for (uint32_t i = 0; i < listing->listed_count; i++) {
        const phx_cluster_listed *listed = &listing->listed[i];
        const phx_member process = {
            .registration = listed->registration, .number = listed->number, .gateway = listed->gateway};
        if (!phx_cluster_map_member(map, listed->registration)) print_member(out, listing, &process, listed);
    }
}

/* ---- map ---- */

void phx_cluster_print_map(FILE *out, const phx_cluster_listing *listing)
{
    const phx_cluster_map *map = &listing->map;
    print_head(out, listing);
    if (map->region_count == 0) return;
    fputs(
        "nodes of the regions, the first row lowest; before each row the number of its first region; * restore to do\n",
        out);
    for (uint32_t row = map->region_count / map->columns; row-- > 0;) {
        fprintf(out, "%4u |", row * map->columns);
        for (uint32_t column = 0; column < map->columns; column++) {
            const phx_region *region = &map->regions[row * map->columns + column];
            fprintf(out, " %4u%s", region->number, region->lost != 0 ? "*" : " ");
        }
        fputs("\n", out);
    }
}

/* ---- changes ---- */

void phx_cluster_print_change(FILE *out, const phx_cluster_change *change, const phx_change_report *report)
{
    const phx_cluster_map *before = &report->before.map, *after = &report->after;
    const char *would = change->is_dry ? "would be " : "";
    for (uint32_t i = 0; i < before->region_count; i++) {
        const uint16_t from = before->regions[i].number, to = after->regions[i].number;
        if (from != to) fprintf(out, "region %u: node %u, %snode %u now\n", i, from, would, to);
    }
    if (change->kind == PHX_CHANGE_OUT && phx_cluster_map_numbered(after, change->number)) {
        fprintf(out, "member %u: %stold to leave; the others put it out then\n", change->number, would);
    } else if (change->kind == PHX_CHANGE_OUT) {
        fprintf(out, "member %u: %sput out\n", change->number, would);
        if (count_lost(after) > 0) fprintf(out, "regions with a restore to do: %u\n", count_lost(after));
    }
    fprintf(out, "map version %u, %s%u now\n", before->version, would, after->version);
}
