/*
 * Findings of verify; see cluster_verify.h.
 */
#include "tools/cluster_verify.h"

#include <inttypes.h>

enum { SHOWN_MAX = 20 /* of one kind: the others are counted */ };

static void verify_nodes(phx_cluster_findings *findings, const phx_cluster_listing *listing)
{
    for (uint32_t i = 0; i < listing->map.member_count; i++) {
        const phx_member *member = &listing->map.members[i];
        const phx_cluster_listed *listed = phx_cluster_listing_of(listing, member->registration);
        if (member->gateway || !listed) continue; /* one without a lease is a finding of the check */
        if (listed->load.period_us == 0)
            phx_cluster_find(
                findings, "no-report",
                "node %u has reported nothing: it joined less than two seconds ago, or its host does not tick",
                member->number);
        else if (!listed->load.fits)
            phx_cluster_find(findings, "grid",
                             "node %u divides the world into other regions than the map, which has %u in %u columns",
                             member->number, listing->map.region_count, listing->map.columns);
        if (listed->load.transit > 0)
            phx_cluster_find(
                findings, "transit",
                "node %u waits for the confirmation of %u hand-overs. If this stays, it and another node do not hear "
                "each other",
                member->number, listed->load.transit);
    }
    if (listing->balancer_is_damaged)
        phx_cluster_find(
            findings, "balancer",
            "the key ph/%s/balancer can not be read, so no node balances: no member has written it, delete it",
            listing->name);
    const phx_member *balancer = phx_cluster_map_member(&listing->map, listing->balancer);
    if (listing->balancer != 0 &&
        (!balancer || balancer->gateway || !phx_cluster_listing_of(listing, listing->balancer)))
        phx_cluster_find(findings, "balancer",
                         "the balancer's key is of registration %" PRIu64 ", which is no node with a lease",
                         listing->balancer);
}

/* Each region is seen as its own by the node that the map names, and by no other one. */
static void verify_regions(phx_cluster_findings *findings, const phx_cluster_listing *listing)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < listing->map.region_count; i++) {
        const uint16_t number = listing->map.regions[i].number;
        const phx_cluster_view *view = &listing->views[i];
        const phx_member *member = phx_cluster_map_numbered(&listing->map, number);
        const phx_cluster_listed *listed = member ? phx_cluster_listing_of(listing, member->registration) : NULL;
        const bool is_reported = listed && listed->load.period_us != 0;
        if (view->count == (is_reported ? 1 : 0) && (view->count == 0 || view->number == number)) continue;
        if (++count > SHOWN_MAX) continue;
        if (view->count == 0)
            phx_cluster_find(findings, "region", "region %u is node %u's in the map, which does not know it", i,
                             number);
        else
            phx_cluster_find(findings, "region",
                             "region %u is node %u's in the map; %u nodes see it as their own, the last one is %u", i,
                             number, view->count, view->number);
    }
    if (count > SHOWN_MAX) phx_cluster_find(findings, "region", "%u more regions", count - SHOWN_MAX);
}

static void verify_owners(phx_cluster_findings *findings, const phx_cluster_listing *listing,
                          const phx_cluster_exports *exports)
{
    uint32_t twice = 0, strange = 0;
    for (size_t i = 0; i < exports->count; i++) {
        const phx_cluster_own *own = &exports->items[i], *next = i + 1 < exports->count ? own + 1 : NULL;
        const phx_member *member = phx_cluster_map_numbered(&listing->map, own->node);
        if (next && next->id == own->id && ++twice <= SHOWN_MAX)
            phx_cluster_find(findings, "two-owners", "entity %" PRIu64 " is owned by node %u and by node %u", own->id,
                             own->node, next->node);
        if ((!member || member->gateway) && ++strange <= SHOWN_MAX)
            phx_cluster_find(findings, "strange-owner",
                             "entity %" PRIu64 " is owned by %u, which is no node of the map", own->id, own->node);
    }
    if (twice > SHOWN_MAX) phx_cluster_find(findings, "two-owners", "%u more entities", twice - SHOWN_MAX);
    if (strange > SHOWN_MAX) phx_cluster_find(findings, "strange-owner", "%u more entities", strange - SHOWN_MAX);
}

void phx_cluster_verify(phx_cluster_findings *findings, const phx_cluster_listing *listing,
                        phx_cluster_exports *exports)
{
    phx_cluster_check(findings, listing);
    if (listing->map_state != PHX_CLUSTER_MAP) return;
    verify_nodes(findings, listing);
    verify_regions(findings, listing);
    verify_owners(findings, listing, exports);
    phx_cluster_lists_compare(findings, &exports->lists);
}
