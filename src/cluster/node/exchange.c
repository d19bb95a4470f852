/*
 * Messages in and out; see exchange.h.
 */
#include "cluster/node/exchange.h"

#include "cluster/map/eras.h"
#include "cluster/map/rules.h"
#include "cluster/node/hand_over.h"
#include "cluster/node/links.h"
#include "cluster/node/says.h"

/* Of maps that a peer has read and this node has not: one map may exceed another by all eras that are for this, and
 * changes follow it. A member that does not read for as many changes is long out. */
enum { VERSIONS_AHEAD_MAX = 2 * PHX_CLUSTER_EXCEEDED_ERAS << PHX_CLUSTER_ERA_SHIFT };

/* For one more item: what the host does not take waits at its sender, which goes on to hold it. */
static bool has_room(const phx_node *node)
{
    const uint32_t bytes = node->events.end - node->events.first;
    return !node->host_is_full && node->events.count < PHX_NODE_EVENTS_MAX && bytes < PHX_NODE_EVENTS_BYTES_MAX;
}

/* A sender that had heard the question has kept it. */
static bool is_claimed(const phx_node *node, const phx_offer *offer)
{
    for (uint32_t i = 0; i <= offer->follower_count; i++)
        if (phx_claims_keep(&node->claims, phx_wire_offer_id(offer, i), node->def.member.registration)) return true;
    return false;
}

/* false: no memory, nothing changed. */
static bool take_item(phx_node *node, phx_peer *peer, const phx_wire_item *item)
{
    if (item->kind == PHX_ITEM_SAY) return phx_says_receive(node, peer, item);
    if (item->kind == PHX_ITEM_HEARD) return phx_says_receive_heard(node, peer, item);
    return phx_hand_over_receive(node, peer, &item->offer);
}

/* Of an offer and of a broadcast; other items have none. */
static uint64_t ownership_of(const phx_wire_item *item)
{
    return item->kind == PHX_ITEM_SAY ? item->say.ownership : item->offer.ownership;
}

/* Items in sequence are taken; the first that is not, or that there is no memory for, comes again with all behind it.
 */
static void take_items(phx_node *node, phx_peer *peer, const phx_wire_head *head, phx_wire_items *items)
{
    for (uint32_t i = 0; i < head->item_count; i++) {
        const phx_wire_item item = phx_wire_next(items);
        if (!phx_rule_is_next(peer->channel.taken, head->first + i)) continue;
        if (ownership_of(&item) >> PHX_OWNERSHIP_VERSION_SHIFT > head->version) {
            node->counts.impossible++;
            return;
        } else if (item.kind == PHX_ITEM_OFFER && (node->leaves || is_claimed(node, &item.offer))) {
            return; /* another node asks for it: see claims.h; or it goes back once this node is in no map */
        } else if (!has_room(node)) {
            node->counts.waiting++;
            return;
        } else if (!take_item(node, peer, &item)) {
            node->counts.no_memory++;
            return;
        }
    }
    if (head->item_count > 0) peer->channel.owes = true; /* a double tells that the ack was lost */
}

/* The peer has taken the oldest item. */
static void finish_item(phx_node *node, phx_peer *peer)
{
    const phx_item item = phx_item_queue_first(&peer->channel.unacked);
    if (item.bytes[0] == PHX_ITEM_OFFER) phx_hand_over_finish(node, peer);
    else phx_says_finish(peer, item);
}

static void take_channel(phx_node *node, phx_peer *peer, const phx_wire_head *head, phx_wire_items *items)
{
    const bool is_ours = head->target == node->def.member.registration;
    if (!is_ours || peer->member.gateway || node->def.member.gateway) {
        node->counts.misdirected++;
        return;
    }
    /* so no entity has an ownership of a later version than the map of its owner */
    if (head->version > node->map.version) {
        node->counts.early++;
        return;
    }
    if (!phx_channel_hear(&peer->channel, head->ack, head->confirmed)) {
        node->counts.impossible++;
        return;
    }
    /* From a message that is older than the newest ack an item is not taken: an entity in it may be void by then. */
    if (head->ack >= peer->channel.acked) take_items(node, peer, head, items);
    while (peer->channel.acked < head->ack) finish_item(node, peer);
}

/*
 * A version that this node does not have is a word for the own one alone: the peer says it again. So a wrong one lets
 * no later map barrier pass. false: it can not be.
 */
static bool show_version(phx_node *node, phx_peer *peer, uint32_t version)
{
    const uint32_t own = node->map.version, known = version < own ? version : own;
    if (version > own && version - own > VERSIONS_AHEAD_MAX) {
        node->counts.impossible++;
        return false;
    }
    if (known > peer->shown) peer->shown = known;
    return true;
}

void phx_exchange_receive(phx_node *node, const void *bytes, size_t size)
{
    phx_wire_head head;
    phx_wire_items items;
    const phx_wire_flaw flaw = phx_wire_open(&head, &items, node->def.formats, bytes, size);
    if (flaw != PHX_WIRE_GOOD) {
        node->counts.flawed[flaw]++;
        return;
    }
    phx_peer *peer = phx_node_peer(node, head.source);
    if (!peer || !phx_node_hears(node, head.source)) {
        node->counts.fenced++;
        return;
    }
    if (!show_version(node, peer, head.version)) return;
    peer->silent_ns = 0;
    if (head.kind == PHX_WIRE_CHANNEL) take_channel(node, peer, &head, &items);
    else phx_links_hear(node, peer, &items);
}

static phx_wire_head head_of(const phx_node *node, phx_wire_kind kind, uint8_t format)
{
    return (phx_wire_head){
        .kind = kind, .format = format, .source = node->def.member.registration, .version = node->map.version};
}

size_t phx_exchange_write(phx_node *node, uint32_t place, bool always, void *bytes, size_t size, uint64_t *target)
{
    PHX_ASSERT(place < node->peer_count);
    phx_peer *peer = &node->peers[place];
    phx_wire_message message;
    if (node->fenced || !node->joined || peer->out || peer->member.gateway || node->def.member.gateway) return 0;
    if (!always && !phx_channel_is_due(&peer->channel)) return 0;
    *target = peer->member.registration;
    phx_wire_head head = head_of(node, PHX_WIRE_CHANNEL, phx_node_format(node, peer));
    head.target = *target;
    phx_wire_begin(&message, bytes, size);
    phx_channel_write(&peer->channel, &message, &head);
    return phx_wire_end(&message, &head);
}

size_t phx_exchange_heartbeat(const phx_node *node, void *bytes, size_t size)
{
    phx_wire_message message;
    if (node->fenced || !node->joined) return 0;
    const phx_wire_head head = head_of(node, PHX_WIRE_HEARTBEAT, node->map.format);
    phx_wire_begin(&message, bytes, size);
    phx_links_tell(node, &message);
    return phx_wire_end(&message, &head);
}
