/*
 * Entities on their way out; see leavers.h. The search is one for each rectangle of regions of peers, so it costs what
 * stands there. An entity goes to a region's new node once that one has copies from all others by the map that says so:
 * then all that the entity sees is there before it.
 */
#include "cluster/member/leavers.h"

#include "base/cluster_rules.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/reports.h"

static bool note_leaver(void *user, uint64_t id)
{
    phc *member = user;
    if (member->leaver_count == member->def.moves_per_tick) return true; /* its region is noted */
    if (member->leavers_seen++ < member->leavers_passed) return true;
    if (!phx_grow(&member->mem, (void **)&member->leavers, &member->leaver_capacity, member->leaver_count,
                  (size_t)member->leaver_count + 1, sizeof *member->leavers))
        return false;
    member->leavers[member->leaver_count++] = id;
    return true;
}

void phx_leavers_find(phc *member)
{
    member->leaver_count = member->leavers_seen = 0;
    phx_halo_find_away(&member->halo, note_leaver, member);
}

static void report_lost(phc *member, const phx_family *family, uint16_t number)
{
    for (uint32_t i = 0; i < family->count; i++) {
        const phc_event event = {
            .kind = PHC_EVENT_LOST, .id = phx_family_member_at(family, i).id, .number = number, .reason = ""};
        phx_report_reserved(member, &event); /* room was reserved */
    }
}

/* Too long for heartbeats that were lost. */
static bool is_silent(const phc *member, const phx_peer *peer)
{
    return peer->silent_ns > (uint64_t)PHX_BEATS_A_LINK_MIN * member->def.list_ms * PHX_NODE_NS_IN_MS;
}

/*
 * Have all members read that map? A gateway that is not heard is left out: it has no lists, and takes nothing from a
 * node. It shows its clients nothing meanwhile; once it goes on it drops messages of a node that its map does not have,
 * and asks for the whole list behind them. A node that is not heard would miss the entity as it goes on, and not know
 * that its copies are late.
 */
static bool have_read(const phc *member, uint32_t version)
{
    for (uint32_t i = 0; i < member->node.peer_count; i++) {
        const phx_peer *peer = &member->node.peers[i];
        if (peer->out || peer->shown >= version || (peer->member.gateway && is_silent(member, peer))) continue;
        return false;
    }
    return true;
}

/*
 * Do all members hear the region's node, and does it hear all of them as the node of that region? By a later map than
 * this node has the region may be another one's.
 */
static bool is_ready(phc *member, const phx_known_region *region)
{
    const phx_member *receiver = phx_cluster_map_numbered(&member->node.map, region->number);
    const phx_halo_peer *peer = receiver ? phx_halo_peer_of(&member->halo, receiver->registration) : NULL;
    return peer && peer->heard_version >= region->since && peer->heard_version <= member->node.map.version &&
           have_read(member, region->since);
}

/* false: it stays for now; *attached: as it goes with its root alone. */
static bool send_leaver(phc *member, uint64_t id, bool *attached)
{
    ph_attrs attrs;
    phx_family family;
    *attached = false;
    const phx_node *node = &member->node;
    if (ph_entity_get(member->world, id, &attrs) != PH_OK) return false;
    const phx_known_region *region = &member->regions[phx_halo_region(&member->grid, attrs.x, attrs.y)];
    const uint16_t number = region->number;
    if (number == node->def.member.number || number == 0) return false;
    if (!is_ready(member, region)) {
        member->counts.kept[PH_BUSY]++;
        return false;
    }
    if (!phx_reports_reserve(member, PHX_FAMILY_MEMBERS_MAX * phx_report_bytes(0))) return false;
    const ph_status status = phx_halo_give(&member->halo, id, number, &family);
    if (status == PH_OK) report_lost(member, &family, number);
    else if (status != PH_ATTACHED) member->counts.kept[status]++;
    *attached = status == PH_ATTACHED;
    return status == PH_OK;
}

/* The attached ones among the first leavers that did not go with their roots: a root is kept. */
static void count_attached(phc *member, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const phx_halo_entity *entity = phx_halo_find(&member->halo, member->leavers[i]);
        member->counts.kept[PH_ATTACHED] += entity && entity->own;
    }
}

void phx_leavers_send(phc *member)
{
    uint32_t kept = 0, attached_count = 0;
    if (!phx_node_may_act(&member->node)) return;
    for (uint32_t i = 0; i < member->leaver_count; i++) {
        bool attached;
        const uint64_t id = member->leavers[i];
        kept += !send_leaver(member, id, &attached);
        if (attached) member->leavers[attached_count++] = id; /* the first ones have been looked at */
    }
    count_attached(member, attached_count);
    /* where there are more than are looked at in a tick, the ones that stay do not stand before the others for ever */
    if (member->leaver_count < member->def.moves_per_tick) member->leavers_passed = 0;
    else member->leavers_passed += kept;
}
