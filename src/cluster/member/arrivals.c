/*
 * Arrivals; see arrivals.h. An arrival is kept as the event of the node that it came with.
 */
#include "cluster/member/arrivals.h"

#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_say.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/kept_arrivals.h"
#include "cluster/member/reports.h"
#include "cluster/node/hand_over.h"

/* ---- events of the node ---- */

/* What the node holds of that id, if it is the event's; NULL: it was dropped, or another one came since. */
static phx_holding *find_taken(const phc *member, const phx_node_event *event, uint64_t id)
{
    phx_holding *holding = phx_holdings_find(&member->node.holdings, id);
    const bool is_taken =
        holding && !holding->sending && holding->taking == event->taking && !phx_event_drops(event, id);
    return is_taken ? holding : NULL;
}

/* The host is told of it in this moment. */
static void note_told(const phc *member, const phx_node_event *event, uint64_t id)
{
    phx_holding *taken = find_taken(member, event, id);
    if (taken) taken->is_double = false;
}

static phc_event_kind kind_of(const phx_node_event *event, bool is_double)
{
    if (is_double) return PHC_EVENT_DUPLICATE;
    return event->kind == PHX_NODE_TAKEN_BACK ? PHC_EVENT_RESTORED : PHC_EVENT_GAINED;
}

/* Room was reserved. */
static void report_arrival(phc *member, const phx_node_event *event, const phx_family *family, uint32_t place)
{
    const phx_family_member entity = phx_family_member_at(family, place);
    const bool is_dropped = phx_event_drops(event, entity.id);
    const phx_holding *own = is_dropped ? NULL : phx_holdings_find(&member->node.holdings, entity.id);
    const phc_event report = {.kind = kind_of(event, is_dropped || phx_place_set_has(&family->doubles, place)),
                              .status = is_dropped ? PH_PENDING : PH_OK,
                              .id = entity.id,
                              .ownership = own ? own->ownership : 0,
                              .number = event->number,
                              .bytes = entity.blob,
                              .size = entity.blob_bytes,
                              .reason = ""};
    phx_report_reserved(member, &report);
    note_told(member, event, entity.id);
    member->counts.restored += report.kind == PHC_EVENT_RESTORED;
    member->counts.duplicates += report.kind == PHC_EVENT_DUPLICATE;
}

/*
 * It can not be imported, here or ever: bytes of another program, say. An own one of its id stays, unless it has left
 * for it. Room was reserved.
 */
static void drop_arrival(phc *member, const phx_node_event *event, uint64_t id, ph_status why)
{
    const phx_halo_entity *own = phx_halo_find(&member->halo, id);
    const bool stays = own && own->own && !own->yields, is_dropped = phx_event_drops(event, id);
    const phc_event lost = {.kind = stays || is_dropped ? PHC_EVENT_DUPLICATE : PHC_EVENT_LOST,
                            .status = why,
                            .id = id,
                            .number = event->number,
                            .reason = ""};
    note_told(member, event, id);
    if (!stays && find_taken(member, event, id)) (void)phx_hand_over_leave(&member->node, id);
    if (own && own->yields) phx_halo_remove(&member->halo, own);
    phx_report_reserved(member, &lost);
}

/*
 * Room for all that follows an import comes first, so that nothing fails behind it: a report of each entity, the
 * arrival itself, and its refusal. false: to be tried again, as the host takes no events, or there is no memory.
 */
static bool reserve_room(phc *member, const phx_offer *offer)
{
    const uint64_t bytes = (uint64_t)offer->state_bytes + offer->follower_count * sizeof(uint64_t);
    const uint64_t records = (offer->follower_count + 1) * phx_report_bytes(0);
    return phx_reports_reserve(member, bytes + records) && phx_arrivals_reserve(member, bytes);
}

/* For one that is larger than the world there never is room. */
static ph_status open_family(phc *member, const phx_node_event *event, bool waits, phx_family *family)
{
    if (event->offer.follower_count >= member->entities_max) return PH_CAPACITY;
    if (event->kind != PHX_NODE_DUPLICATE) return phx_halo_gain(&member->halo, event, waits, family);
    return phx_family_open(family, &event->offer) ? PH_OK : PH_BAD_VALUE;
}

/* false: no memory, or a queue is full. */
static bool gain_family(phc *member, const phx_node_event *event)
{
    phx_family family;
    if (!reserve_room(member, &event->offer)) return false;
    const bool comes = event->kind != PHX_NODE_DUPLICATE,
               waits = comes && phx_arrivals_hold_back(member, &event->offer);
    const ph_status status = open_family(member, event, waits, &family);
    if (status == PH_FULL || status == PH_NO_MEMORY || status == PH_BAD_HANDLE) return false;
    if (status != PH_OK) { /* it would be refused for ever, and nothing else would come */
        for (uint32_t i = 0; i <= event->offer.follower_count; i++)
            drop_arrival(member, event, phx_wire_offer_id(&event->offer, i), status);
        member->counts.damaged++;
        return true;
    }
    if (comes) phx_arrivals_add(member, event, family.sequence);
    if (waits) phx_arrivals_refuse(member, event->offer.id, family.sequence, PH_CAPACITY);
    for (uint32_t i = 0; i < family.count; i++) report_arrival(member, event, &family, i);
    if (comes) member->gone_count += event->dropped_count;
    return true;
}

/* Behind the arrivals that came before it, and before the ones behind it: so each hears it once. */
static bool hear_broadcast(phc *member, const phx_node_event *event)
{
    phx_say say;
    const bool good = phx_say_get(&say, event->offer.state, event->offer.state_bytes);
    PHX_ASSERT(good); /* the exchange has checked it */
    (void)good;
    const ph_status status = phx_halo_hear(&member->halo, &say);
    if (status == PH_FULL || status == PH_NO_MEMORY || status == PH_BAD_HANDLE) return false;
    if (status == PH_OK) member->counts.says_submitted++;
    else if (status != PH_UNKNOWN_ID) member->counts.damaged++; /* of a world that is another one */
    return true;
}

/* Not where the region went on while the loss waited, or all is restored: the node tells it again if it comes back. */
static bool tell_loss(phc *member, const phx_node_event *event)
{
    const phx_node *node = &member->node;
    const phx_region *region = &node->map.regions[event->region];
    const phc_event restore = {.kind = PHC_EVENT_RESTORE, .region = event->region, .loss = event->lost, .reason = ""};
    return region->number != node->def.member.number || region->lost != event->lost || phx_report(member, &restore);
}

static bool take_event(phc *member, const phx_node_event *event)
{
    switch (event->kind) {
    case PHX_NODE_GAINED:
    case PHX_NODE_TAKEN_BACK:
    case PHX_NODE_DUPLICATE:
        return gain_family(member, event);
    case PHX_NODE_RESTORE:
        return tell_loss(member, event);
    case PHX_NODE_SAID:
        return hear_broadcast(member, event);
    }
    return true;
}

/* ---- a round ---- */

typedef struct arrivals_taking {
    phc *member;
    bool has_room; /* for one more that waits for the world's */
    bool stopped;  /* a queue is full, or there is no memory: the rest comes in the next round */
} arrivals_taking;

static bool stays_waiting(void *user, phx_item item)
{
    arrivals_taking *taking = user;
    const phx_node_event event = phx_events_of(item);
    const bool arrives = event.kind == PHX_NODE_GAINED || event.kind == PHX_NODE_TAKEN_BACK;
    if (arrives && taking->has_room) taking->has_room = !phx_arrivals_meet(taking->member, &event.offer);
    if (arrives && !taking->has_room) return true;
    if (!taking->stopped) taking->stopped = !take_event(taking->member, &event);
    return taking->stopped;
}

/*
 * Behind so many that wait for room none is taken, so that what waits is bounded: it waits at its senders, too. All
 * else passes them, as the loss of a node.
 */
void phx_arrivals_take(phc *member)
{
    enum { WAITING_MAX = 256 };
    phx_arrivals_begin_round(member);
    arrivals_taking taking = {.member = member, .has_room = member->arrivals.count < WAITING_MAX};
    phx_arrivals_import(member);
    if (member->node.events.count == member->events_waiting) return; /* as no arrival is over, and no event is new */
    phx_item_queue_keep(&member->node.events, stays_waiting, &taking);
    member->events_waiting = taking.stopped ? 0 : member->node.events.count;
}
