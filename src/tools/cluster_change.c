/*
 * Changes by an operator; see cluster_change.h.
 */
#include "tools/cluster_change.h"
#include "cluster/map/map_changes.h"

#include <stdarg.h>
#include <stdio.h>

/* Members write seldom: one that loses so often meets another operator's loop, or a store that does not keep its word.
 */
enum { TRIES_MAX = 20, FAILURES_MAX = 3, PAUSES = 50 };

__attribute__((format(printf, 2, 3))) static phx_change_result refuse(phx_change_report *report, const char *format,
                                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(report->reason, sizeof report->reason, format, arguments);
    va_end(arguments);
    return PHX_CHANGE_REFUSED;
}

/* ---- changes of a map ---- */

static phx_change_result move_regions(const phx_cluster_change *change, phx_change_report *report)
{
    bool moved = false;
    const phx_member *member = phx_cluster_map_numbered(&report->after, change->number);
    if (member->gateway) return refuse(report, "member %u is a gateway, which has no regions", change->number);
    if (!phx_cluster_listing_of(&report->before, member->registration))
        return refuse(report, "node %u has lost its lease, and will be put out", change->number);
    for (uint32_t i = 0; i < change->region_count; i++) {
        const uint32_t region = change->regions[i];
        if (region >= report->after.region_count)
            return refuse(report, "there is no region %u: they are 0 to %u", region, report->after.region_count - 1);
        moved |= phx_cluster_map_give(&report->after, region, change->number);
    }
    if (!moved) return PHX_CHANGE_STANDS;
    if (change->version == 0 || change->version == report->before.map.version) return PHX_CHANGE_MADE;
    return refuse(report, "the cluster map has changed meanwhile: it is version %u, not %u", report->before.map.version,
                  change->version);
}

static phx_change_result drain_node(const phx_cluster_change *change, phx_change_report *report)
{
    const phx_member *member = phx_cluster_map_numbered(&report->after, change->number);
    if (member->gateway) return refuse(report, "member %u is a gateway, which has no regions", change->number);
    if (member->drained && phx_cluster_map_regions_of(&report->after, change->number) == 0) return PHX_CHANGE_STANDS;
    (void)phx_cluster_map_drain(&report->after, member->registration); /* false: it is drained, and the only one */
    if (phx_cluster_map_regions_of(&report->after, change->number) == 0) return PHX_CHANGE_MADE;
    return refuse(report, "node %u is the only node: no other one can have its regions", change->number);
}

/*
 * A member that holds its lease is told to leave, and ends its lease itself; then the others put it out. Were it put
 * out at once, it would go on until it reads the map, while the others have its place.
 */
static phx_change_result put_member_out(const phx_cluster_change *change, phx_change_report *report)
{
    const phx_member *member = phx_cluster_map_numbered(&report->after, change->number);
    const bool is_living = phx_cluster_listing_of(&report->before, member->registration) != NULL;
    if (is_living && change->is_forced)
        return phx_cluster_map_expel(&report->after, member->registration) ? PHX_CHANGE_MADE : PHX_CHANGE_STANDS;
    if (is_living)
        return refuse(
            report,
            "member %u holds its lease: drain it, or stop it; --force tells it to leave at once, and entities that it "
            "owns are gone until a host restores them",
            change->number);
    return phx_cluster_map_put_out(&report->after, member->registration) ? PHX_CHANGE_MADE : PHX_CHANGE_STANDS;
}

phx_change_result phx_cluster_change_apply(const phx_cluster_change *change, phx_change_report *report)
{
    const phx_cluster_listing *before = &report->before;
    report->reason[0] = '\0';
    report->after = before->map;
    if (before->map_state == PHX_CLUSTER_NO_MAP)
        return refuse(report, "world %s has no cluster map: no member has joined", before->name);
    if (before->map_state == PHX_CLUSTER_DAMAGED_MAP)
        return refuse(report, "the cluster map of world %s can not be read: another program or version wrote it",
                      before->name);
    if (before->map.version == UINT32_MAX) return refuse(report, "the cluster map has had its last version");
    if (!phx_cluster_map_numbered(&before->map, change->number))
        return refuse(report, "world %s has no member %u", before->name, change->number);
    switch (change->kind) {
    case PHX_CHANGE_MOVE:
        return move_regions(change, report);
    case PHX_CHANGE_DRAIN:
        return drain_node(change, report);
    case PHX_CHANGE_OUT:
        return put_member_out(change, report);
    }
    return PHX_CHANGE_REFUSED;
}

/* ---- the store ---- */

static phc_outcome write_map(phx_cluster_store *store, const phx_change_report *report)
{
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    char key[PHX_CLUSTER_PREFIX_SIZE + sizeof "map"];
    const size_t size = phx_cluster_map_encode(&report->after, bytes, sizeof bytes);
    (void)snprintf(key, sizeof key, "ph/%s/map", report->before.name);
    return phx_cluster_store_write(store, key, report->before.map_revision, bytes, size);
}

static phx_change_result fail(phx_change_report *report, const char *why)
{
    (void)snprintf(report->reason, sizeof report->reason, "%s", why);
    return PHX_CHANGE_FAILED;
}

/* A list may be of a server that is behind: the next one is asked a little later. */
static void pause_between(phx_cluster_store *store)
{
    for (uint32_t i = 0; i < PAUSES; i++) store->pause(store->pause_user);
}

/* The member that the number stood for at the first try; 0: none. */
static uint64_t registration_of(const phx_cluster_change *change, const phx_change_report *report)
{
    const phx_member *member = phx_cluster_map_numbered(&report->before.map, change->number);
    return member ? member->registration : 0;
}

/* Behind the first try: the member is out, whoever did it. Its number may be another one's by now. */
static bool is_out_now(const phx_cluster_change *change, const phx_change_report *report, uint64_t first)
{
    return change->kind == PHX_CHANGE_OUT && first != 0 && registration_of(change, report) != first;
}

phx_change_result phx_cluster_change_write(const phx_cluster_change *change, phx_cluster_store *store, const char *name,
                                           phx_change_report *report)
{
    uint64_t first = 0;
    uint32_t failures = 0;
    for (uint32_t i = 0; i < TRIES_MAX; i++) {
        if (i > 0) pause_between(store);
        if (!phx_cluster_listing_read(&report->before, store, name)) return fail(report, store->reason);
        if (i == 0) first = registration_of(change, report);
        const phx_change_result result =
            is_out_now(change, report, first) ? PHX_CHANGE_STANDS : phx_cluster_change_apply(change, report);
        /* a write without an answer may have been done */
        if (result == PHX_CHANGE_STANDS) return failures > 0 ? PHX_CHANGE_MADE : PHX_CHANGE_STANDS;
        if (result == PHX_CHANGE_REFUSED || change->is_dry) return result;
        const phc_outcome outcome = write_map(store, report);
        if (outcome == PHC_DONE) return PHX_CHANGE_MADE;
        if (outcome == PHC_FAILED && ++failures == FAILURES_MAX) return fail(report, store->reason);
    }
    return fail(report, "other writers of the cluster map were always first");
}
