/*
 * Keys of a common world; see cluster_listing.h.
 */
#include "tools/cluster_listing.h"

#include <stdio.h>
#include <string.h>

#include "cluster/membership/load_report.h"
#include "cluster/membership/registration.h"

static const char all_worlds[] = "ph/", processes[] = "nodes/", all_loads[] = "ph-load/";

static void read_process(phx_cluster_listing *listing, const phc_entry *entry, const char *number)
{
    phx_registration read;
    phx_cluster_listed one = {.lease = entry->lease};
    if (listing->listed_count == PHX_CLUSTER_LISTED_MAX || !phx_registration_number(number, &one.number) ||
        !phx_registration_decode(&read, entry->value, entry->size)) {
        listing->skipped++;
        return;
    }
    one.registration = phx_registration_of(&read, entry->revision, entry->lease);
    one.definition = read.definition;
    one.formats = read.formats;
    one.gateway = read.gateway;
    listing->listed[listing->listed_count++] = one;
}

static void read_entries(void *user, const phc_answer *answer)
{
    phx_cluster_listing *listing = user;
    const size_t length = strlen(all_worlds) + strlen(listing->name) + 1;
    listing->store_revision = answer->revision;
    listing->skipped += answer->left_out;
    for (uint32_t i = 0; i < answer->count; i++) {
        const phc_entry *entry = &answer->entries[i];
        const char *key = entry->key + length;
        if (strcmp(key, "map") == 0) {
            listing->map_revision = entry->revision;
            listing->map_format = phx_cluster_map_format(entry->value, entry->size);
            const bool good = phx_cluster_map_decode(&listing->map, PHX_FORMATS, entry->value, entry->size);
            listing->map_state = good ? PHX_CLUSTER_MAP : PHX_CLUSTER_DAMAGED_MAP;
        } else if (strcmp(key, "balancer") == 0) {
            phx_registration read;
            listing->balancer_is_damaged = !phx_registration_decode(&read, entry->value, entry->size);
            if (!listing->balancer_is_damaged) listing->balancer = read.registration;
        } else if (strncmp(key, processes, strlen(processes)) == 0) {
            read_process(listing, entry, key + strlen(processes));
        }
    }
}

/* ---- reports ---- */

static void take_report(phx_cluster_listing *listing, const phx_load_report *report)
{
    const phx_cluster_listed *found = phx_cluster_listing_of(listing, report->registration);
    if (!found) return; /* of a process that has ended since */
    phx_cluster_listed *listed = &listing->listed[found - listing->listed];
    listed->load = (phx_cluster_load){.busy_us = report->busy_us,
                                      .busy_p99_us = report->busy_p99_us,
                                      .period_us = report->period_us,
                                      .own = report->own,
                                      .transit = report->transit,
                                      .fits = phx_load_report_fits(report, &listing->map)};
    if (!listed->load.fits) return;
    for (uint32_t i = 0; i < report->region_count; i++) {
        phx_cluster_view *view = &listing->views[report->regions[i].region];
        view->count++;
        view->number = listed->number;
    }
    phx_load_report_entities(report, &listing->map, listed->number, listing->entities);
}

static void read_reports(void *user, const phc_answer *answer)
{
    static phx_load_report report;
    for (uint32_t i = 0; i < answer->count; i++)
        if (phx_load_report_decode(&report, answer->entries[i].value, answer->entries[i].size))
            take_report(user, &report);
}

/* ---- all ---- */

bool phx_cluster_listing_read(phx_cluster_listing *listing, phx_cluster_store *store, const char *name)
{
    char prefix[PHX_CLUSTER_PREFIX_SIZE];
    memset(listing, 0, sizeof *listing);
    (void)snprintf(listing->name, sizeof listing->name, "%s", name);
    (void)snprintf(prefix, sizeof prefix, "%s%s/", all_worlds, listing->name);
    if (phx_cluster_store_list(store, prefix, read_entries, listing) != PHC_DONE) return false;
    (void)snprintf(prefix, sizeof prefix, "%s%s/", all_loads, listing->name);
    return phx_cluster_store_list(store, prefix, read_reports, listing) == PHC_DONE;
}

const phx_cluster_listed *phx_cluster_listing_of(const phx_cluster_listing *listing, uint64_t registration)
{
    for (uint32_t i = 0; i < listing->listed_count; i++)
        if (listing->listed[i].registration == registration) return &listing->listed[i];
    return NULL;
}

bool phx_cluster_is_behind(phx_cluster_newest *newest, const phx_cluster_listing *listing)
{
    enum { BEHIND_MAX = 32 }; /* more than servers that are cut off list, before it is another one's turn */
    const bool is_older = listing->store_revision < newest->revision;
    if (is_older && ++newest->behind < BEHIND_MAX) return true;
    *newest = (phx_cluster_newest){.revision = listing->store_revision};
    return false;
}

/* ---- worlds ---- */

static void note_worlds(void *user, const phc_answer *answer)
{
    phx_cluster_worlds *worlds = user;
    for (uint32_t i = 0; i < answer->count; i++) {
        const char *name = answer->entries[i].key + strlen(all_worlds), *end = strchr(name, '/');
        const size_t length = end ? (size_t)(end - name) : 0;
        if (length == 0 || length > PHC_NAME_MAX || worlds->count == PHX_CLUSTER_WORLDS_MAX) continue;
        const char *last = worlds->count > 0 ? worlds->names[worlds->count - 1] : "";
        if (strlen(last) == length && strncmp(last, name, length) == 0)
            continue; /* the answer is in the order of keys */
        memcpy(worlds->names[worlds->count], name, length);
        worlds->names[worlds->count++][length] = '\0';
    }
}

bool phx_cluster_worlds_read(phx_cluster_worlds *worlds, phx_cluster_store *store)
{
    memset(worlds, 0, sizeof *worlds);
    return phx_cluster_store_list(store, all_worlds, note_worlds, worlds) == PHC_DONE;
}
