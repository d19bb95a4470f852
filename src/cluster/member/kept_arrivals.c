/*
 * Arrivals that wait for the world; see kept_arrivals.h. No two of them have an id in common, unless it has left: so an
 * own entity that arrives is of the one that names it.
 */
#include "cluster/member/kept_arrivals.h"

#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/arrival_room.h"
#include "cluster/member/reports.h"

bool phx_arrivals_have(const phc *member, uint64_t id)
{
    const phx_halo_entity *entity = phx_halo_find(&member->halo, id);
    return entity && entity->own && entity->arrives;
}

/* So many of the family are own still as they came: an arrival without one is over. */
static uint32_t count_arriving(const phc *member, const phx_offer *offer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= offer->follower_count; i++)
        count += phx_arrivals_have(member, phx_wire_offer_id(offer, i));
    return count;
}

static phx_node_event event_of(const phc *member, const phx_arrival *arrival)
{
    return phx_events_of(phx_item_queue_at(&member->arrivals, arrival->place));
}

/* Is there an arrival that is not over, of a family with that id? */
static bool find_arrival(const phc *member, uint64_t id)
{
    for (uint32_t i = 0; i < member->arrivals.count; i++) {
        const phx_offer offer = event_of(member, &member->kept[i]).offer;
        bool is_named = offer.id == id;
        for (uint32_t k = 0; k < offer.follower_count && !is_named; k++) is_named = phx_wire_offer_id(&offer, k) == id;
        if (is_named && count_arriving(member, &offer) > 0) return true;
    }
    return false;
}

bool phx_arrivals_miss(const phc *member, uint64_t id)
{
    return member->gone_count > 0 && !phx_arrivals_have(member, id) && find_arrival(member, id);
}

bool phx_arrivals_meet(const phc *member, const phx_offer *offer)
{
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        const uint64_t id = phx_wire_offer_id(offer, i);
        if (phx_arrivals_have(member, id) || phx_arrivals_miss(member, id)) return true;
    }
    return false;
}

bool phx_arrivals_reserve(phc *member, uint64_t bytes)
{
    return phx_grow(&member->mem, (void **)&member->kept, &member->kept_capacity, member->arrivals.count,
                    (size_t)member->arrivals.count + 1, sizeof *member->kept) &&
           phx_item_queue_reserve(&member->arrivals, bytes + sizeof(phx_node_event) + sizeof(uint32_t));
}

void phx_arrivals_add(phc *member, const phx_node_event *event, uint64_t sequence)
{
    const uint32_t at = member->arrivals.count, place = member->arrivals.end - member->arrivals.first;
    const bool is_added = phx_events_push(&member->arrivals, event);
    PHX_ASSERT(is_added && at < member->kept_capacity); /* room was reserved */
    (void)is_added;
    member->kept[at] = (phx_arrival){.root = event->offer.id, .sequence = sequence, .place = place};
    member->open_count++;
}

/* ---- refusals ---- */

/* So many of the family are not in the world: a capsule comes whole, so it needs room for all of these. */
static uint32_t count_needed(const phc *member, const phx_offer *offer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        ph_attrs attrs;
        count += ph_entity_get(member->world, phx_wire_offer_id(offer, i), &attrs) != PH_OK;
    }
    return count;
}

static void refuse_arrival(phc *member, phx_arrival *arrival, ph_status why)
{
    const phx_offer offer = event_of(member, arrival).offer;
    member->refused_count += !arrival->waits;
    member->open_count -= !arrival->waits;
    member->room.is_short |= phx_arrival_is_for_memory(why);
    arrival->why = why;
    arrival->waits = true;
    arrival->needs = count_needed(member, &offer);
}

bool phx_arrivals_hold_back(const phc *member, const phx_offer *offer)
{
    return member->room.has_kept && count_needed(member, offer) > 0;
}

void phx_arrivals_refuse(phc *member, uint64_t id, uint64_t sequence, ph_status why)
{
    for (uint32_t i = 0; i < member->arrivals.count; i++)
        if (member->kept[i].root == id && member->kept[i].sequence == sequence)
            refuse_arrival(member, &member->kept[i], why);
}

typedef struct arrivals_forgetting {
    phc *member;
    bool all_known;    /* the world has taken all imports that it has not refused */
    uint32_t at, kept; /* places: the next one, and how many stay so far */
} arrivals_forgetting;

/* The first ones that wait are tried next: there is room, or memory, that was not known. */
static void note_taken(phc *member, const phx_arrival *arrival)
{
    if (arrival->why == PH_OK) return;
    member->room.turn = 0;
    if (phx_arrival_is_for_memory(arrival->why)) member->room.is_short = false;
}

static bool waits_still(void *user, phx_item item)
{
    arrivals_forgetting *forgetting = user;
    phc *member = forgetting->member;
    const phx_arrival arrival = member->kept[forgetting->at++];
    const phx_offer offer = phx_events_of(item).offer;
    const uint32_t count = count_arriving(member, &offer);
    const bool is_known = forgetting->all_known || arrival.sequence <= member->known;
    const bool waits = count > 0 && (arrival.waits || !is_known);
    if (waits) {
        member->kept[forgetting->kept++] = arrival;
        member->gone_count += offer.follower_count + 1 - count;
        member->refused_count += arrival.waits;
        return true;
    }
    if (count > 0) note_taken(member, &arrival);
    for (uint32_t i = 0; i <= offer.follower_count; i++) {
        phx_halo_entity *entity = phx_halo_find(&member->halo, phx_wire_offer_id(&offer, i));
        if (entity) entity->arrives = false;
    }
    return false;
}

/* Arrivals that are over, and the ones that the world is known to have taken. */
static void forget_arrivals(phc *member, bool all_known)
{
    phx_item item = {0};
    arrivals_forgetting forgetting = {.member = member, .all_known = all_known};
    member->gone_count = member->refused_count = 0;
    phx_item_queue_keep(&member->arrivals, waits_still, &forgetting);
    for (uint32_t i = 0; i < member->arrivals.count; i++) {
        item = i == 0 ? phx_item_queue_first(&member->arrivals) : phx_item_queue_after(item);
        member->kept[i].place = (uint32_t)(item.bytes - phx_item_queue_first(&member->arrivals).bytes);
    }
    member->open_count = member->arrivals.count - member->refused_count;
    member->events_waiting = 0;
    member->any_left = false;
}

void phx_arrivals_begin_round(phc *member)
{
    if (member->any_left) forget_arrivals(member, false);
}

void phx_arrivals_end_tick(phc *member, uint64_t entities, bool all_taken)
{
    if (member->open_count > 0 || member->any_left) forget_arrivals(member, all_taken);
    member->asks = member->open_count > 0;
    phx_arrival_room_end_tick(member, entities);
}

/* None is hidden from itself: so the tick that takes the command refuses it, and it changes nothing. */
void phx_arrivals_ask(phc *member)
{
    enum { ANY_ID = 1 };
    if (!member->asks) return;
    if (ph_unhide(member->producer, ANY_ID, ANY_ID) != PH_OK) member->halo.counts.refused++; /* full: asked later */
}

void phx_arrivals_answer(phc *member, uint64_t sequence)
{
    member->known = sequence;
}

/* ---- once more ---- */

/*
 * Something of the host stands where the family comes to, by the refusal: attachments of its copies, or an entity that
 * the host entered under an id of it. It ends just before the import, so that nothing comes between. false: to be tried
 * again.
 */
static bool clear_place(phc *member, const phx_node_event *event, phx_arrival *arrival)
{
    const phc_event cleared = {
        .kind = PHC_EVENT_CLEARED, .status = arrival->why, .id = arrival->root, .number = event->number, .reason = ""};
    const bool is_for_room = arrival->why == PH_CAPACITY || arrival->why == PH_NO_MEMORY;
    if (is_for_room) return true;
    if (!arrival->is_told && !phx_report(member, &cleared)) return false;
    arrival->is_told = true;
    return phx_halo_clear(&member->halo, &event->offer) == PH_OK;
}

/* false: to be tried again. */
static bool import_again(phc *member, phx_arrival *arrival)
{
    phx_family family;
    const phx_node_event event = event_of(member, arrival);
    if (!clear_place(member, &event, arrival)) return false;
    if (phx_halo_gain_again(&member->halo, &event, &family) != PH_OK) return false;
    arrival->sequence = family.sequence;
    arrival->waits = false;
    member->refused_count--;
    member->open_count++;
    return true;
}

/* Where places are kept none passes the first one that they do not suffice for, unless it needs none. */
void phx_arrivals_import(phc *member)
{
    phx_arrival_room *room = &member->room;
    if (member->refused_count == 0) return;
    const uint32_t turn = phx_arrival_find_turn(member);
    bool is_kept = false;
    for (uint32_t i = 0; i < member->arrivals.count; i++) {
        phx_arrival *arrival = &member->kept[i];
        const bool is_due = phx_arrival_is_due(member, arrival) && !(is_kept && arrival->needs > 0);
        is_kept |= room->keeps && !is_due && phx_arrival_needs_places(arrival);
        if (!arrival->waits || !(is_due || i == turn) || !import_again(member, arrival)) continue;
        if (is_due) room->given += arrival->needs;
        if (i != turn) continue;
        room->turn = i + 1;
        room->has_turn = false;
    }
    room->has_kept |= is_kept;
}
