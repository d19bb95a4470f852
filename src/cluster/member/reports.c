/*
 * Events for the host; see reports.h. An item of the queue is an event and its bytes.
 */
#include "cluster/member/reports.h"

#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_table.h"
#include "cluster/node/map_barrier.h"

bool phx_reports_reserve(phc *member, uint64_t bytes)
{
    if (member->events.end - member->events.first >= PHX_REPORTS_BYTES_MAX) {
        member->counts.events_full++;
        return false;
    }
    return phx_item_queue_reserve(&member->events, bytes);
}

bool phx_report(phc *member, const phc_event *event)
{
    if (!phx_reports_reserve(member, phx_report_bytes(event->size))) return false;
    phx_report_reserved(member, event);
    return true;
}

void phx_report_reserved(phc *member, const phc_event *event)
{
    unsigned char *item = phx_item_queue_push(&member->events, (uint32_t)(sizeof *event + event->size));
    PHX_ASSERT(item);
    memcpy(item, event, sizeof *event);
    if (event->size > 0) memcpy(item + sizeof *event, event->bytes, event->size);
}

/* The answers stand where they were collected. */
static void take_holders(phc *member, phc_event *event)
{
    event->bytes = member->question.holders;
    event->size = member->question.count * sizeof *member->question.holders;
    member->question.phase = PHX_QUESTION_TAKEN;
}

bool phc_event_next(phc *member, phc_event *event)
{
    if (!member || !event || member->events.count == 0) return false;
    const phx_item item = phx_item_queue_first(&member->events);
    memcpy(event, item.bytes, sizeof *event);
    event->bytes = event->size > 0 ? item.bytes + sizeof *event : NULL;
    if (event->kind == PHC_EVENT_WHO_HAS) take_holders(member, event);
    phx_item_queue_pop(&member->events); /* its bytes stay until the next push */
    return true;
}

/* ---- the map ---- */

static bool report_region(phc *member, uint32_t region, bool gained)
{
    const phc_event event = {
        .kind = gained ? PHC_EVENT_REGION_GAINED : PHC_EVENT_REGION_LOST, .region = region, .reason = ""};
    return phx_report(member, &event);
}

/* Behind a map that was skipped a region may have been another node's in between: it is that of its node since now. */
static bool report_regions(phc *member)
{
    const phx_cluster_map *map = &member->node.map;
    const uint16_t self = member->node.def.member.number;
    const bool skipped = map->version - member->map_told > 1;
    for (uint32_t i = 0; i < map->region_count; i++) {
        phx_known_region *known = &member->regions[i];
        const uint16_t number = map->regions[i].number;
        const phx_member *node = phx_cluster_map_numbered(map, number);
        const uint64_t registration = node ? node->registration : 0; /* another process may have the number since */
        if (skipped) known->since = map->moved;
        if (known->registration == registration) continue;
        if (known->number != number && (known->number == self || number == self) &&
            !report_region(member, i, number == self))
            return false;
        *known = (phx_known_region){.registration = registration, .number = number, .since = map->moved};
    }
    return true;
}

static bool report_member(phc *member, const phx_member *other, bool up)
{
    const phc_event event = {
        .kind = up ? PHC_EVENT_PEER_UP : PHC_EVENT_PEER_DOWN, .number = other->number, .reason = ""};
    return phx_report(member, &event);
}

static bool is_known(const phc *member, uint64_t registration)
{
    for (uint32_t i = 0; i < member->member_count; i++)
        if (member->members[i].member.registration == registration) return true;
    return false;
}

static bool report_members(phc *member)
{
    const phx_cluster_map *map = &member->node.map;
    for (uint32_t i = member->member_count; i-- > 0;) {
        if (phx_cluster_map_member(map, member->members[i].member.registration)) continue;
        if (!report_member(member, &member->members[i].member, false)) return false;
        member->members[i] = member->members[--member->member_count];
    }
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member *other = &map->members[i];
        if (other->registration == member->node.def.member.registration || is_known(member, other->registration))
            continue;
        if (!report_member(member, other, true)) return false;
        member->members[member->member_count++] = (phx_known_member){.member = *other};
    }
    return true;
}

void phx_report_map(phc *member)
{
    const phx_node *node = &member->node;
    if (!node->joined || node->fenced) return;
    const phc_event joined = {.kind = PHC_EVENT_JOINED, .number = node->def.member.number, .reason = ""};
    if (!member->joined_told && !phx_report(member, &joined)) return;
    member->joined_told = true;
    if (member->map_told == node->map.version || !report_members(member) || !report_regions(member)) return;
    member->map_told = node->map.version;
}

/* ---- state ---- */

/* The host hears of the end some ticks later: a lag about the bound would come and go with each tick. */
static void report_lag(phc *member, phx_known_member *other)
{
    if (other->member.gateway) return;
    const phx_halo_peer *peer = phx_halo_peer_of(&member->halo, other->member.registration);
    if (!peer) return;
    const uint64_t ticks = phx_halo_lag(&member->halo, peer);
    const bool is_late = ticks > member->def.lag_max;
    if (is_late) other->late_at = member->halo.now;
    const bool lags = is_late || (other->lags && member->halo.now - other->late_at <= member->halo.def.grace_ticks);
    if (lags == other->lags) return;
    const phc_event event = {
        .kind = PHC_EVENT_LAG, .number = other->member.number, .ticks = lags ? (uint32_t)ticks : 0, .reason = ""};
    if (phx_report(member, &event)) other->lags = lags;
}

static void report_fence(phc *member)
{
    const phc_event event = {
        .kind = PHC_EVENT_FENCED, .status = member->membership.why, .reason = member->membership.reason};
    if (!member->fence_told) member->fence_told = phx_report(member, &event);
}

/* No third node needs a word of its hand-overs, and its host has no event to take and no answer to wait for. */
static bool is_ready_to_leave(const phc *member)
{
    return !phx_halo_passes_any(&member->halo) && member->events.count == 0 &&
           member->question.phase == PHX_QUESTION_NONE;
}

/* The host hears it once the map is without it: then no node can have anything for it. */
static void report_drain(phc *member)
{
    const phc_event drained = {.kind = PHC_EVENT_DRAINED, .reason = ""};
    if (!member->drain_told) member->drain_told = phx_report(member, &drained);
}

/* Tells the host of an own entity that another node has as well: its copies came for longer than late ones may. */
static void report_double(phc *member, phx_double_id *found)
{
    const phx_member *other = phx_cluster_map_member(&member->node.map, found->source);
    const phx_holding *own = phx_holdings_find(&member->node.holdings, found->id);
    if (!other || !own || own->sending || own->ownership != found->ownership ||
        !phx_double_id_is_due(found, member->halo.def.quiet_ticks))
        return;
    const phc_event event = {.kind = PHC_EVENT_DOUBLE_ID, .id = found->id, .number = other->number, .reason = ""};
    found->reported = phx_report(member, &event);
    member->counts.doubled += found->reported;
}

void phx_report_state(phc *member)
{
    if (member->membership.phase == PHX_MEMBERSHIP_ENDED || member->node.fenced) {
        if (phx_node_has_left(&member->node)) report_drain(member);
        else report_fence(member);
        return;
    }
    for (uint32_t i = 0; i < member->halo.double_ids.count; i++)
        report_double(member, &member->halo.double_ids.items[i]);
    if (!member->def.gateway)
        for (uint32_t i = 0; i < member->member_count; i++) report_lag(member, &member->members[i]);
    if (member->membership.drains && (member->node.leaves || is_ready_to_leave(member)))
        phx_map_barrier_leave(&member->node);
}
