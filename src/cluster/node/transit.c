/*
 * Entities on their way; see transit.h. Items to a peer are in the order in which they were handed over, so the oldest
 * entity is of the first item that has one still: others of its id may have come since and taken the place of all in
 * it.
 */
#include "cluster/node/transit.h"

/* The holding of an entity of that item; NULL: all of them were replaced. */
static const phx_holding *find_sent(const phx_node *node, const phx_peer *peer, uint64_t sequence, phx_item item)
{
    phx_offer offer;
    if (item.bytes[0] != PHX_ITEM_OFFER || !phx_wire_get_offer(&offer, item.bytes, item.size)) return NULL;
    for (uint32_t i = 0; i <= offer.follower_count; i++) {
        const phx_holding *holding = phx_holdings_find(&node->holdings, phx_wire_offer_id(&offer, i));
        if (holding && holding->sending && holding->peer == peer->member.registration && holding->sequence == sequence)
            return holding;
    }
    return NULL;
}

static void look_at_peer(const phx_node *node, const phx_peer *peer, uint64_t now, phx_transit *transit)
{
    const phx_channel *channel = &peer->channel;
    const phx_holding *first = NULL;
    phx_item item = {0};
    for (uint32_t i = 0; i < channel->unacked.count && !first; i++) {
        item = i == 0 ? phx_item_queue_first(&channel->unacked) : phx_item_queue_after(item);
        first = find_sent(node, peer, channel->acked + 1 + i, item);
        transit->looks++;
    }
    const uint32_t age_ms = first ? (uint32_t)(now / PHX_NODE_NS_IN_MS) - first->sent_ms : 0;
    if (age_ms > transit->oldest_ms) transit->oldest_ms = age_ms;
}

phx_transit phx_transit_of(const phx_node *node, uint64_t now)
{
    phx_transit transit = {0};
    for (uint32_t i = 0; i < node->peer_count && node->transit > 0; i++)
        if (node->peers[i].offers > 0) look_at_peer(node, &node->peers[i], now, &transit);
    return transit;
}
