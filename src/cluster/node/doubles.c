/*
 * Which of two entities of one id stays; see doubles.h.
 */
#include "cluster/node/doubles.h"

#include "cluster/map/rules.h"

bool phx_doubles_end_void(const phx_node *node, const phx_offer *offer, uint32_t place)
{
    const phx_holding *other = phx_holdings_find(&node->holdings, phx_wire_offer_id(offer, place));
    const bool is_own = other && !other->sending;
    return phx_wire_is_void(offer, place) && !(is_own && offer->follower_count > 0);
}

void phx_doubles_drop(const phx_node *node, phx_node_event *event)
{
    const phx_offer *offer = &event->offer;
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        const phx_holding *other = phx_holdings_find(&node->holdings, phx_wire_offer_id(offer, i));
        const bool is_lower =
            other && other->sending &&
            phx_rule_drops(offer->ownership, event->peer, other->ownership, node->def.member.registration);
        if (is_lower || phx_doubles_end_void(node, offer, i)) phx_event_drop(event, i);
    }
}

/* Of the map's version; the one above it is of a newer map, which a receiver need not have. */
static bool is_last_ownership(uint64_t ownership)
{
    return (uint32_t)ownership == UINT32_MAX;
}

/* One that is on its way from here. */
static void make_void(phx_node *node, const phx_holding *sent)
{
    phx_peer *to = phx_node_peer(node, sent->peer);
    uint32_t size;
    PHX_ASSERT(to);
    unsigned char *item = phx_channel_unacked(&to->channel, sent->sequence, &size);
    phx_wire_void(item, size, sent->id);
}

void phx_doubles_take(phx_node *node, phx_holding taken)
{
    phx_holding *own = phx_holdings_find(&node->holdings, taken.id);
    if (!own) {
        phx_holdings_add(&node->holdings, taken);
        return;
    }
    if (own->sending) {
        make_void(node, own);
        node->transit--;
    } else {
        if (taken.ownership < own->ownership) taken.ownership = own->ownership;
        if (!is_last_ownership(taken.ownership)) taken.ownership++;
        taken.feed = phx_feed_begin_again(taken.ownership, own->feed);
        taken.is_double = true;
    }
    *own = taken;
}
