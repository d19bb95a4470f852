/*
 * Entering, offering, taking and taking back; see hand_over.h.
 */
#include "cluster/node/hand_over.h"

#include "cluster/map/rules.h"
#include "cluster/node/doubles.h"
#include "cluster/node/says.h"
#include "cluster/wire/bytes.h"

static uint64_t first_ownership(const phx_node *node)
{
    return (uint64_t)node->map.version << PHX_OWNERSHIP_VERSION_SHIFT;
}

/* Of the map's version; the one above it is of a newer map, which the receiver need not have. */
static uint64_t last_ownership(const phx_node *node)
{
    return first_ownership(node) | UINT32_MAX;
}

bool phx_hand_over_needs_map(const phx_node *node, uint64_t after)
{
    return node->map.version > 0 && after >= last_ownership(node);
}

/* Does one of that id come with a family, to leave again? Events are looked through only where some may say so. */
static bool comes_dropped(phx_node *node, uint64_t id)
{
    if (!node->may_drop) return false;
    const phx_events_answer answer = phx_events_drop(&node->events, id);
    node->may_drop = answer != PHX_EVENTS_DROP_NONE;
    return answer == PHX_EVENTS_DROP_IT;
}

ph_status phx_hand_over_enter(phx_node *node, uint64_t id, uint32_t region, uint64_t after)
{
    if (!phx_node_may_act(node) || node->def.member.gateway) return PH_BUSY;
    if (phx_hand_over_needs_map(node, after)) return PH_BUSY;
    if (id == 0) return PH_BAD_ID;
    if (region >= node->map.region_count) return PH_BAD_VALUE;
    if (node->map.regions[region].number != node->def.member.number) return PH_TAKEN;
    if (phx_holdings_find(&node->holdings, id)) return PH_EXISTS;
    if (comes_dropped(node, id)) return PH_BUSY;
    if (!phx_holdings_reserve(&node->holdings, 1)) return PH_NO_MEMORY;
    const uint64_t first = first_ownership(node), ownership = after < first ? first : after + 1;
    phx_holdings_add(&node->holdings, (phx_holding){.id = id, .ownership = ownership, .feed = {.begun = ownership}});
    return PH_OK;
}

phx_feed *phx_hand_over_feed(const phx_node *node, uint64_t id, uint64_t *ownership)
{
    phx_holding *holding = phx_holdings_find(&node->holdings, id);
    if (!holding || holding->sending) return NULL;
    *ownership = holding->ownership;
    return &holding->feed;
}

ph_status phx_hand_over_leave(phx_node *node, uint64_t id)
{
    const phx_holding *holding = phx_holdings_find(&node->holdings, id);
    if (!holding) return PH_UNKNOWN_ID;
    if (holding->sending || holding->is_double) return PH_PENDING;
    phx_holdings_remove(&node->holdings, id);
    return PH_OK;
}

static bool is_retained(const phx_node *node, const phx_holding *holding)
{
    const phx_peer *sender = holding->peer != 0 ? phx_node_peer(node, holding->peer) : NULL;
    return sender && phx_rule_is_retained(&node->map, holding->peer, sender->channel.confirmed, holding->sequence);
}

/* The peer that a number names, if it can take entities. */
static phx_peer *find_receiver(const phx_node *node, uint16_t number)
{
    const phx_member *member = phx_cluster_map_numbered(&node->map, number);
    return member && !member->gateway ? phx_node_peer(node, member->registration) : NULL;
}

/* Can it be offered to that peer? Raises *ownership above its own. */
static ph_status check_sent(const phx_node *node, const phx_peer *to, uint64_t id, uint64_t *ownership)
{
    const phx_holding *holding = phx_holdings_find(&node->holdings, id);
    if (!holding) return PH_UNKNOWN_ID;
    if (!to) return PH_BAD_VALUE;
    if (holding->sending || holding->is_double || is_retained(node, holding)) return PH_PENDING;
    if (holding->ownership >= last_ownership(node)) return PH_BUSY;
    if (phx_claims_keep(&node->claims, id, to->member.registration)) return PH_BUSY;
    if (holding->ownership >= *ownership) *ownership = holding->ownership + 1;
    return PH_OK;
}

static void mark_sent(phx_node *node, const phx_peer *peer, uint64_t id, uint64_t ownership)
{
    phx_holding *holding = phx_holdings_find(&node->holdings, id);
    holding->ownership = ownership;
    holding->sending = true;
    node->transit++;
    holding->peer = peer->member.registration;
    holding->sequence = peer->channel.sent;
    holding->sent_ms = (uint32_t)(node->now / PHX_NODE_NS_IN_MS);
    node->counts.handed++;
}

static void write_feed(const phx_node *node, phx_writer *writer, uint64_t id)
{
    const phx_feed feed = phx_holdings_find(&node->holdings, id)->feed;
    PHX_ASSERT(feed.begun != 0); /* that would be a void one */
    phx_write_number(writer, sizeof feed.begun, feed.begun);
    phx_write_number(writer, sizeof feed.number, feed.number);
}

/* Writes the item of an offer; its followers, and the feeds of all, as they travel. */
static void write_offer(const phx_node *node, unsigned char *item, phx_offer offer, const uint64_t *followers)
{
    unsigned char ids[PHX_WIRE_FOLLOWERS_MAX * sizeof(uint64_t)];
    unsigned char feeds[(PHX_WIRE_FOLLOWERS_MAX + 1) * PHX_WIRE_FEED_BYTES];
    phx_writer id_writer = phx_writer_of(ids, sizeof ids), feed_writer = phx_writer_of(feeds, sizeof feeds);
    for (uint32_t i = 0; i < offer.follower_count; i++) {
        phx_write_number(&id_writer, sizeof(uint64_t), followers[i]);
        write_feed(node, &feed_writer, followers[i]);
    }
    write_feed(node, &feed_writer, offer.id);
    offer.followers = ids;
    offer.feeds = feeds;
    phx_wire_put_offer(item, &offer);
}

ph_status phx_hand_over_may_send(const phx_node *node, uint64_t id, uint16_t number)
{
    if (!phx_node_may_act(node)) return PH_BUSY;
    const phx_peer *peer = find_receiver(node, number);
    uint64_t ownership = 0;
    const ph_status status = check_sent(node, peer, id, &ownership);
    if (status != PH_OK) return status;
    return peer->offers < node->def.unacked_max ? PH_OK : PH_FULL;
}

ph_status phx_hand_over_send(phx_node *node, uint64_t id, uint16_t number, const uint64_t *followers,
                             uint32_t follower_count, const void *state, uint32_t state_bytes)
{
    ph_status status = phx_hand_over_may_send(node, id, number);
    if (status != PH_OK) return status;
    if (state_bytes > PHX_WIRE_STATE_BYTES_MAX || follower_count > PHX_WIRE_FOLLOWERS_MAX) return PH_TOO_LARGE;
    phx_peer *peer = find_receiver(node, number);
    uint64_t ownership = 0;
    status = check_sent(node, peer, id, &ownership);
    for (uint32_t i = 0; i < follower_count && status == PH_OK; i++) {
        PHX_ASSERT(followers[i] != id && (i == 0 || followers[i] > followers[i - 1]));
        status = check_sent(node, peer, followers[i], &ownership);
    }
    if (status != PH_OK) return status;
    if (!phx_says_tell_heard(node, peer)) return PH_NO_MEMORY;
    unsigned char *item = phx_channel_push(&peer->channel, phx_wire_offer_bytes(follower_count, state_bytes));
    if (!item) return PH_NO_MEMORY;
    peer->offers++;
    write_offer(node, item,
                (phx_offer){.id = id,
                            .ownership = ownership,
                            .follower_count = follower_count,
                            .state = state,
                            .state_bytes = state_bytes},
                followers);
    mark_sent(node, peer, id, ownership);
    for (uint32_t i = 0; i < follower_count; i++) mark_sent(node, peer, followers[i], ownership);
    return PH_OK;
}

static void take_offered(phx_node *node, const phx_node_event *event, const phx_offer *offer, uint32_t place)
{
    const uint64_t id = phx_wire_offer_id(offer, place);
    const phx_holding *known = phx_holdings_find(&node->holdings, id);
    const bool is_double = known && !known->sending;
    node->replaced += known && known->sending;
    node->counts.gained += !is_double;
    node->counts.duplicates += is_double;
    phx_doubles_take(node, (phx_holding){.id = id,
                                         .ownership = offer->ownership,
                                         .peer = event->peer,
                                         .sequence = event->sequence,
                                         .taking = event->taking,
                                         .feed = phx_rule_goes_on(phx_wire_offer_feed(offer, place))});
}

bool phx_hand_over_receive(phx_node *node, phx_peer *peer, const phx_offer *offer)
{
    phx_node_event event = {.kind = PHX_NODE_GAINED,
                            .peer = peer->member.registration,
                            .number = peer->member.number,
                            .sequence = peer->channel.taken + 1,
                            .taking = node->takings + 1,
                            .offer = *offer};
    phx_doubles_drop(node, &event);
    if (!phx_holdings_reserve(&node->holdings, offer->follower_count + 1) || !phx_events_push(&node->events, &event))
        return false;
    phx_channel_take(&peer->channel);
    node->takings++;
    node->may_drop |= event.dropped_count > 0;
    node->counts.duplicates += event.dropped_count;
    for (uint32_t i = 0; i <= offer->follower_count; i++)
        if (!phx_place_set_has(&event.dropped, i)) take_offered(node, &event, offer, i);
    return true;
}

/* The oldest unacked offer. */
static phx_offer first_offer(const phx_peer *peer)
{
    const phx_item item = phx_item_queue_first(&peer->channel.unacked);
    phx_offer offer;
    const bool good = phx_wire_get_offer(&offer, item.bytes, item.size);
    PHX_ASSERT(good);
    (void)good;
    return offer;
}

/* Is that the entity of the oldest unacked item? Else another one of its id came meanwhile. */
static bool is_of_first(const phx_peer *peer, const phx_holding *holding)
{
    return holding && holding->sending && holding->peer == peer->member.registration &&
           holding->sequence == peer->channel.acked + 1;
}

void phx_hand_over_finish(phx_node *node, phx_peer *peer)
{
    const phx_offer offer = first_offer(peer);
    for (uint32_t i = 0; i <= offer.follower_count; i++) {
        const uint64_t id = phx_wire_offer_id(&offer, i);
        const bool is_held = is_of_first(peer, phx_holdings_find(&node->holdings, id));
        if (is_held) phx_holdings_remove(&node->holdings, id);
        node->transit -= is_held;
        node->replaced -= !is_held;
        node->counts.acked++;
    }
    peer->offers--;
    phx_channel_pop(&peer->channel);
}

/* Drops what another one of its id has taken the place of, and one below another one that was sent on since. */
static void drop_replaced(const phx_node *node, const phx_peer *peer, phx_node_event *event)
{
    for (uint32_t i = 0; i <= event->offer.follower_count; i++) {
        const phx_holding *other = phx_holdings_find(&node->holdings, phx_wire_offer_id(&event->offer, i));
        const bool is_sent_on = other && other->sending && !is_of_first(peer, other);
        if (is_sent_on || phx_doubles_end_void(node, &event->offer, i)) phx_event_drop(event, i);
    }
}

/* The dead peer may have gone on with it: so another feed begins. */
static void take_back_one(phx_node *node, const phx_peer *peer, const phx_offer *offer, uint32_t place)
{
    const uint64_t id = phx_wire_offer_id(offer, place);
    const phx_holding *known = phx_holdings_find(&node->holdings, id);
    const bool is_double = known && !known->sending;
    node->replaced -= !is_of_first(peer, known);
    node->counts.taken_back += !is_double;
    node->counts.duplicates += is_double;
    phx_doubles_take(node,
                     (phx_holding){.id = id,
                                   .ownership = offer->ownership,
                                   .taking = node->takings,
                                   .feed = phx_feed_begin_again(offer->ownership, phx_wire_offer_feed(offer, place))});
}

bool phx_hand_over_take_back(phx_node *node, phx_peer *peer)
{
    while (peer->channel.unacked.count > 0) {
        const phx_item item = phx_item_queue_first(&peer->channel.unacked);
        if (item.bytes[0] != PHX_ITEM_OFFER) {
            phx_says_finish(peer, item);
            continue;
        }
        phx_node_event event = {.kind = PHX_NODE_TAKEN_BACK,
                                .peer = peer->member.registration,
                                .number = peer->member.number,
                                .taking = node->takings + 1,
                                .offer = first_offer(peer)};
        PHX_ASSERT(event.offer.ownership < first_ownership(node));
        event.offer.ownership = first_ownership(node);
        drop_replaced(node, peer, &event);
        if (!phx_holdings_reserve(&node->holdings, event.offer.follower_count + 1) ||
            !phx_events_push(&node->events, &event))
            return false;
        node->takings++;
        node->may_drop |= event.dropped_count > 0;
        node->counts.duplicates += event.dropped_count;
        node->replaced -= event.dropped_count;
        for (uint32_t i = 0; i <= event.offer.follower_count; i++)
            if (!phx_place_set_has(&event.dropped, i)) take_back_one(node, peer, &event.offer, i);
        peer->offers--;
        phx_channel_pop(&peer->channel);
    }
    return true;
}
