/*
 * Arrivals that wait for the world; see kept_arrivals.h. No two of them have an id in common, unless it has left: so an
 * own entity that arrives is of the one that names it.
 */
#include "cluster/member/kept_arrivals.h"

#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_table.h"
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

/* Is there an arrival that is not over, of a root or a family with that id? */
static bool find_arrival(const phc *member, uint64_t id, bool is_root)
{
    phx_item item = {0};
    for (uint32_t i = 0; i < member->arrivals.count; i++) {
        item = i == 0 ? phx_item_queue_first(&member->arrivals) : phx_item_queue_after(item);
        const phx_offer offer = phx_events_of(item).offer;
        bool is_named = offer.id == id;
        for (uint32_t k = 0; k < offer.follower_count && !is_root && !is_named; k++)
            is_named = phx_wire_offer_id(&offer, k) == id;
        if (is_named && count_arriving(member, &offer) > 0) return true;
    }
    return false;
}

bool phx_arrivals_miss(const phc *member, uint64_t id)
{
    return member->gone_count > 0 && !phx_arrivals_have(member, id) && find_arrival(member, id, false);
}

bool phx_arrivals_meet(const phc *member, const phx_offer *offer)
{
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        const uint64_t id = phx_wire_offer_id(offer, i);
        if (phx_arrivals_have(member, id) || phx_arrivals_miss(member, id)) return true;
    }
    return false;
}

static phx_refused_arrival *find_refused(const phc *member, uint64_t root)
{
    for (uint32_t i = 0; i < member->refused_count; i++)
        if (member->refused[i].id == root) return &member->refused[i];
    return NULL;
}

void phx_arrivals_refuse(phc *member, uint64_t id, ph_status why)
{
    phx_refused_arrival *known = find_refused(member, id);
    if (!known) {
        if (!phx_arrivals_have(member, id) && !find_arrival(member, id, true)) return;
        PHX_ASSERT(member->refused_count < member->refused_capacity); /* room was reserved */
        known = &member->refused[member->refused_count++];
        *known = (phx_refused_arrival){.id = id};
    }
    known->why = why;
    known->waits = true;
}

/* Is all of it that has not left in the world, as own? A family comes whole, or not. */
static bool has_come(const phc *member, const phx_offer *offer)
{
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        ph_attrs attrs;
        const uint64_t id = phx_wire_offer_id(offer, i);
        if (!phx_arrivals_have(member, id)) continue;
        if (ph_entity_get(member->world, id, &attrs) != PH_OK || attrs.remote) return false;
    }
    return true;
}

/* Known of the imports of a round. */
typedef enum arrivals_fate {
    FATE_OPEN = 0,   /* no tick has had them */
    FATE_PARTLY = 1, /* a tick, which may have left some in their queue: what has come, and some refusals */
    FATE_TOLD = 2    /* the world has taken all that it has not refused */
} arrivals_fate;

typedef struct arrivals_forgetting {
    phc *member;
    arrivals_fate fate;
} arrivals_forgetting;

/* May the world refuse it still, or has it done so? */
static bool is_open(const arrivals_forgetting *forgetting, const phx_offer *offer, const phx_refused_arrival *refused)
{
    if (forgetting->fate == FATE_OPEN || (refused && refused->waits)) return true;
    return forgetting->fate == FATE_PARTLY && !has_come(forgetting->member, offer);
}

static bool waits_still(void *user, phx_item item)
{
    const arrivals_forgetting *forgetting = user;
    phc *member = forgetting->member;
    const phx_offer offer = phx_events_of(item).offer;
    const uint32_t count = count_arriving(member, &offer);
    phx_refused_arrival *refused = find_refused(member, offer.id);
    const bool waits = count > 0 && is_open(forgetting, &offer, refused);
    if (waits && refused) refused->is_kept = true;
    if (waits) member->gone_count += offer.follower_count + 1 - count;
    for (uint32_t i = 0; i <= offer.follower_count && !waits; i++) {
        phx_halo_entity *entity = phx_halo_find(&member->halo, phx_wire_offer_id(&offer, i));
        if (entity) entity->arrives = false;
    }
    return waits;
}

/* Arrivals that are over, and the ones that the world is known to have taken. */
static void forget_arrivals(phc *member, arrivals_fate fate)
{
    uint32_t kept = 0;
    arrivals_forgetting forgetting = {.member = member, .fate = fate};
    for (uint32_t i = 0; i < member->refused_count; i++) member->refused[i].is_kept = false;
    member->gone_count = 0;
    phx_item_queue_keep(&member->arrivals, waits_still, &forgetting);
    for (uint32_t i = 0; i < member->refused_count; i++)
        if (member->refused[i].is_kept) member->refused[kept++] = member->refused[i];
    member->refused_count = kept;
}

void phx_arrivals_begin_round(phc *member)
{
    forget_arrivals(member, FATE_OPEN);
}

void phx_arrivals_end_tick(phc *member, bool all_taken)
{
    forget_arrivals(member, all_taken ? FATE_TOLD : FATE_PARTLY);
}

void phx_arrivals_audit(phc *member)
{
    phx_item item = {0};
    for (uint32_t i = 0; i < member->arrivals.count; i++) {
        item = i == 0 ? phx_item_queue_first(&member->arrivals) : phx_item_queue_after(item);
        const phx_offer offer = phx_events_of(item).offer;
        const phx_refused_arrival *refused = find_refused(member, offer.id);
        const bool is_known = refused && refused->waits; /* why, in this tick */
        if (!is_known && !has_come(member, &offer)) phx_arrivals_refuse(member, offer.id, PH_UNKNOWN_ID);
    }
}

/*
 * Something of the host stands where the family comes to, by the refusal: attachments of its copies, or an entity that
 * the host entered under an id of it. It ends just before the import, so that nothing comes between. false: to be tried
 * again.
 */
static bool clear_place(phc *member, const phx_node_event *event, phx_refused_arrival *refused)
{
    const phc_event cleared = {
        .kind = PHC_EVENT_CLEARED, .status = refused->why, .id = refused->id, .number = event->number, .reason = ""};
    const bool is_for_room = refused->why == PH_CAPACITY || refused->why == PH_NO_MEMORY;
    if (is_for_room) return true;
    if (!refused->is_told && !phx_report(member, &cleared)) return false;
    refused->is_told = true;
    return phx_halo_clear(&member->halo, &event->offer) == PH_OK;
}

void phx_arrivals_import(phc *member)
{
    phx_item item = {0};
    for (uint32_t i = 0; i < member->arrivals.count && member->refused_count > 0; i++) {
        item = i == 0 ? phx_item_queue_first(&member->arrivals) : phx_item_queue_after(item);
        const phx_node_event event = phx_events_of(item);
        phx_refused_arrival *refused = find_refused(member, event.offer.id);
        if (!refused || !refused->waits) continue;
        if (clear_place(member, &event, refused) && phx_halo_gain_again(&member->halo, &event) == PH_OK)
            refused->waits = false;
    }
}
