/*
 * Which of two entities of one id stays; see doubles.h.
 */
#include "cluster/node/doubles.h"

#include "cluster/map/rules.h"

void phx_doubles_drop(const phx_node *node, phx_node_event *event)
{
    const phx_offer *offer = &event->offer;
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        const phx_holding *other = phx_holdings_find(&node->holdings, phx_wire_offer_id(offer, i));
        if (other && other->sending &&
            phx_rule_drops(offer->ownership, event->peer, other->ownership, node->def.member.registration))
            phx_event_drop(event, i);
    }
}

/* Of the map's version; the one above it is of a newer map, which a receiver need not have. */
static bool is_last_ownership(uint64_t ownership)
{
    return (uint32_t)ownership == UINT32_MAX;
}

void phx_doubles_take(phx_node *node, phx_holding taken)
{
    phx_holding *own = phx_holdings_find(&node->holdings, taken.id);
    if (!own) {
        phx_holdings_add(&node->holdings, taken);
        return;
    }
    if (!own->sending) {
        if (taken.ownership < own->ownership) taken.ownership = own->ownership;
        if (!is_last_ownership(taken.ownership)) taken.ownership++;
        taken.feed = phx_feed_begin_again(taken.ownership, own->feed);
        taken.is_double = true;
    }
    *own = taken;
}

static bool names(const phx_offer *offer, uint64_t id)
{
    for (uint32_t i = 0; i <= offer->follower_count; i++)
        if (phx_wire_offer_id(offer, i) == id) return true;
    return false;
}

static bool is_sent_to(const phx_peer *peer, uint64_t id)
{
    phx_item item = {0};
    for (uint32_t i = 0; i < peer->channel.unacked.count; i++) {
        phx_offer offer;
        item = i == 0 ? phx_item_queue_first(&peer->channel.unacked) : phx_item_queue_after(item);
        if (phx_wire_get_offer(&offer, item.bytes, item.size) && names(&offer, id)) return true;
    }
    return false;
}

bool phx_doubles_have(const phx_node *node, uint64_t id)
{
    bool has = phx_holdings_find(&node->holdings, id) != NULL;
    for (uint32_t i = 0; i < node->peer_count && node->replaced > 0 && !has; i++) has = is_sent_to(&node->peers[i], id);
    return has;
}
