/*
 * The host's own entities, and its questions and wishes about the map; see owners.h, cluster.h.
 */
#include "cluster/member/owners.h"

#include "cluster/halo/halo.h"
#include "cluster/halo/halo_far.h"
#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/kept_arrivals.h"
#include "cluster/membership/wishes.h"
#include "cluster/node/hand_over.h"

/* Another node asks for it, and this one has no answer of its own: the other's question comes behind that one. */
static bool is_claimed_by_another(phc *member, uint64_t id)
{
    const phx_claimed claimed = phx_claims_find(&member->node.claims, id);
    const bool is_answered = claimed.own && member->question.phase == PHX_QUESTION_TAKEN;
    return claimed.others && !is_answered;
}

/* A map that is older than an ownership is of a control store that had lost all: it takes a version above. */
static bool reach_ownership(phc *member, uint64_t after)
{
    return !phx_hand_over_needs_map(&member->node, after) ||
           phx_membership_exceed(&member->membership, (uint32_t)(after >> PHX_OWNERSHIP_VERSION_SHIFT));
}

/* A remote one of that id leaves with it: its owner is dead, or does not know of this one, and will hear. */
ph_status phc_enter(phc *member, uint64_t id, const ph_attrs *attrs, uint64_t after)
{
    ph_status status = attrs ? phx_phc_check_node(member) : PH_BAD_ARGUMENT;
    if (status != PH_OK) return status;
    if ((attrs->given & (PH_X | PH_Y)) != (PH_X | PH_Y)) return PH_NOT_GIVEN;
    if ((attrs->given & PH_REMOTE) != 0 && attrs->remote) return PH_BAD_VALUE;
    status = ph_attrs_check(member->world, PH_COMMAND_ENTER, attrs, NULL, 0);
    if (status != PH_OK) return status;
    if (is_claimed_by_another(member, id) || phx_arrivals_miss(member, id)) return PH_BUSY;
    const uint32_t region = phx_halo_region(&member->grid, attrs->x, attrs->y);
    status = phx_hand_over_enter(&member->node, id, region, after);
    if (status == PH_BUSY && !reach_ownership(member, after)) return PH_BAD_VALUE;
    if (status != PH_OK) return status;
    status = phx_halo_enter(&member->halo, id, attrs);
    if (status != PH_OK) (void)phx_hand_over_leave(&member->node, id);
    return status;
}

ph_status phc_leave(phc *member, uint64_t id)
{
    ph_status status = phx_phc_check_node(member);
    if (status != PH_OK) return status;
    const phx_holding *holding = phx_holdings_find(&member->node.holdings, id);
    if (!holding) return PH_UNKNOWN_ID;
    if (holding->sending || holding->is_double) return PH_PENDING;
    const bool arrives = phx_arrivals_have(member, id);
    status = phx_halo_leave(&member->halo, id);
    if (status == PH_OK) status = phx_hand_over_leave(&member->node, id);
    if (arrives && status == PH_OK) {
        member->gone_count++;
        member->any_left = true;
    }
    return status;
}

const phx_holding *phx_owners_find(const phc *member, uint64_t id)
{
    const phx_halo_entity *entity = phx_halo_find(&member->halo, id);
    if (!entity || !entity->own) return NULL;
    const phx_holding *holding = phx_holdings_find(&member->node.holdings, id);
    return holding && !holding->sending ? holding : NULL;
}

bool phc_owns(const phc *member, uint64_t id)
{
    return member && phx_node_may_act(&member->node) && phx_owners_find(member, id);
}

bool phc_may_commit(const phc *member)
{
    return member && member->def.clock(member->def.clock_user) <
                         atomic_load_explicit(&member->commit_until, memory_order_relaxed);
}

uint16_t phc_owner_of(const phc *member, float x, float y)
{
    if (!member || member->node.map.version == 0) return 0;
    return member->node.map.regions[phx_halo_region(&member->grid, x, y)].number;
}

uint16_t phc_node_of(const phc *member, uint64_t id)
{
    const phx_halo_entity *entity = member ? phx_halo_find(&member->halo, id) : NULL;
    if (!entity) return 0;
    if (entity->own) return phc_number(member);
    const phx_peer *peer = phx_node_peer(&member->node, phx_halo_remote_of(&member->halo, entity)->source);
    return peer ? peer->member.number : 0;
}

uint64_t phc_ownership(const phc *member, uint64_t id)
{
    const phx_holding *holding = member ? phx_owners_find(member, id) : NULL;
    return holding ? holding->ownership : 0;
}

/* The own one's feed is in *feed, and its number goes up by so many. */
static ph_status take_feed(const phc *member, uint64_t id, uint32_t more, phc_feed *feed)
{
    uint64_t ownership = 0;
    const ph_status status = feed ? phx_phc_check_node(member) : PH_BAD_ARGUMENT;
    if (status != PH_OK) return status;
    if (phx_halo_is_sending(&member->halo, id)) return PH_PENDING;
    phx_feed *own = phx_owners_find(member, id) ? phx_hand_over_feed(&member->node, id, &ownership) : NULL;
    if (!own) return PH_UNKNOWN_ID;
    own->number += more;
    *feed = (phc_feed){.ownership = ownership, .begun = own->begun, .number = own->number};
    return PH_OK;
}

ph_status phc_feed_next(phc *member, uint64_t id, phc_feed *feed)
{
    return take_feed(member, id, 1, feed);
}

ph_status phc_feed_last(const phc *member, uint64_t id, phc_feed *feed)
{
    return take_feed(member, id, 0, feed);
}

uint64_t phc_registration(const phc *member)
{
    return member && member->node.joined && !member->node.fenced ? member->node.def.member.registration : 0;
}

bool phc_hears(const phc *member, uint64_t registration)
{
    return member && phx_node_hears(&member->node, registration);
}

uint16_t phc_number(const phc *member)
{
    return member && member->node.joined && !member->node.fenced ? member->node.def.member.number : 0;
}

ph_status phc_restored(phc *member, uint32_t region, uint32_t loss)
{
    const ph_status status = phx_phc_check_node(member);
    if (status != PH_OK) return status;
    if (region >= member->membership.def.region_count || loss == 0) return PH_BAD_ARGUMENT;
    phx_membership_restored(&member->membership, region, loss);
    return PH_OK;
}

ph_status phc_give_region(phc *member, uint32_t region, uint16_t number)
{
    if (!member || region >= member->membership.def.region_count || number == 0) return PH_BAD_ARGUMENT;
    if (phx_phc_is_over(member)) return PH_FENCED;
    if (!member->node.joined) return PH_BUSY;
    const phx_member *node = phx_cluster_map_numbered(&member->node.map, number);
    if (!node || node->gateway || node->drained) return PH_BAD_VALUE;
    phx_membership_give(&member->membership, region, number);
    return PH_OK;
}

ph_status phc_pin(phc *member, uint64_t id, bool on)
{
    const ph_status status = phx_phc_check_node(member);
    if (status != PH_OK) return status;
    return id == 0 ? PH_BAD_ID : phx_halo_pin(&member->halo, id, on);
}

ph_status phc_look(phc *member, uint64_t id)
{
    const ph_status status = phx_phc_check_node(member);
    if (status != PH_OK) return status;
    const phx_holding *holding = phx_holdings_find(&member->node.holdings, id);
    if (!holding) return PH_UNKNOWN_ID;
    return holding->sending ? PH_PENDING : phx_halo_look(&member->halo, id);
}

void phc_drain(phc *member)
{
    if (member) phx_membership_drain(&member->membership);
}
