/*
 * Entering, offering, taking and taking back; see hand_over.h.
 */
#include "cluster/hand_over.h"

#include "cluster/rules.h"

enum { VERSION_SHIFT = 32 }; /* of the map, in an ownership */

static uint64_t first_ownership(const phx_node *node)
{
    return (uint64_t)node->map.version << VERSION_SHIFT;
}

ph_status phx_hand_over_enter(phx_node *node, uint64_t id, uint32_t region, uint64_t after)
{
    if (!phx_node_may_act(node) || node->def.member.gateway) return PH_BUSY;
    if (after >> VERSION_SHIFT > node->map.version) return PH_BUSY;
    if (id == 0) return PH_BAD_ID;
    if (region >= node->map.region_count) return PH_BAD_VALUE;
    if (node->map.regions[region].number != node->def.member.number) return PH_TAKEN;
    if (phx_holdings_find(&node->holdings, id)) return PH_EXISTS;
    if (!phx_holdings_reserve(&node->holdings)) return PH_NO_MEMORY;
    const uint64_t first = first_ownership(node);
    phx_holdings_add(&node->holdings, (phx_holding){.id = id, .ownership = after < first ? first : after + 1});
    return PH_OK;
}

ph_status phx_hand_over_leave(phx_node *node, uint64_t id)
{
    const phx_holding *holding = phx_holdings_find(&node->holdings, id);
    if (!holding) return PH_UNKNOWN_ID;
    if (holding->sending) return PH_PENDING;
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

ph_status phx_hand_over_send(phx_node *node, uint64_t id, uint16_t number, const void *state, uint32_t state_bytes)
{
    if (!phx_node_may_act(node)) return PH_BUSY;
    phx_holding *holding = phx_holdings_find(&node->holdings, id);
    phx_peer *peer = find_receiver(node, number);
    if (!holding) return PH_UNKNOWN_ID;
    if (!peer) return PH_BAD_VALUE;
    if (state_bytes > PHX_WIRE_STATE_BYTES_MAX) return PH_TOO_LARGE;
    if (holding->sending || is_retained(node, holding)) return PH_PENDING;
    if (peer->channel.unacked.count >= node->def.unacked_max) return PH_FULL;
    unsigned char *item = phx_channel_push(&peer->channel, PHX_WIRE_OFFER_BYTES + state_bytes);
    if (!item) return PH_NO_MEMORY;
    const phx_offer offer = {.id = id, .ownership = holding->ownership + 1, .state = state, .state_bytes = state_bytes};
    phx_wire_put_offer(item, &offer);
    holding->sending = true;
    holding->peer = peer->member.registration;
    holding->sequence = peer->channel.sent;
    node->counts.handed++;
    return PH_OK;
}

bool phx_hand_over_receive(phx_node *node, phx_peer *peer, const phx_offer *offer)
{
    const bool is_held = phx_holdings_find(&node->holdings, offer->id) != NULL;
    const phx_node_event event = {.kind = is_held ? PHX_NODE_DUPLICATE : PHX_NODE_GAINED,
                                  .id = offer->id,
                                  .ownership = offer->ownership,
                                  .peer = peer->member.registration,
                                  .state = offer->state,
                                  .state_bytes = offer->state_bytes};
    if (!phx_holdings_reserve(&node->holdings) || !phx_events_push(&node->events, &event)) return false;
    phx_channel_take(&peer->channel);
    if (is_held) {
        node->counts.duplicates++;
        return true;
    }
    const phx_holding holding = {.id = offer->id,
                                 .ownership = offer->ownership,
                                 .peer = peer->member.registration,
                                 .sequence = peer->channel.taken};
    phx_holdings_add(&node->holdings, holding);
    node->counts.gained++;
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

void phx_hand_over_finish(phx_node *node, phx_peer *peer)
{
    phx_holdings_remove(&node->holdings, first_offer(peer).id);
    phx_channel_pop(&peer->channel);
    node->counts.acked++;
}

bool phx_hand_over_take_back(phx_node *node, phx_peer *peer)
{
    while (peer->channel.unacked.count > 0) {
        const phx_offer offer = first_offer(peer);
        const phx_node_event event = {.kind = PHX_NODE_TAKEN_BACK,
                                      .id = offer.id,
                                      .ownership = first_ownership(node),
                                      .peer = peer->member.registration,
                                      .state = offer.state,
                                      .state_bytes = offer.state_bytes};
        if (!phx_events_push(&node->events, &event)) return false;
        phx_holding *holding = phx_holdings_find(&node->holdings, offer.id);
        PHX_ASSERT(holding && holding->sending && offer.ownership < event.ownership);
        *holding = (phx_holding){.id = offer.id, .ownership = event.ownership};
        phx_channel_pop(&peer->channel);
        node->counts.taken_back++;
    }
    return true;
}
