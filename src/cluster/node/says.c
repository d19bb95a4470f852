/*
 * Broadcasts between nodes; see says.h.
 */
#include "cluster/node/says.h"

uint64_t phx_says_next(phx_node *node)
{
    node->heard_changes++; /* so do entities here, which may go to a peer that does not get it */
    return ++node->said;
}

bool phx_says_send(phx_node *node, phx_peer *peer, const phx_say *say, const uint32_t *kinds)
{
    const uint32_t size = phx_say_bytes(say);
    PHX_ASSERT(say->number > 0 && say->number <= node->said);
    unsigned char *item =
        peer->say_bytes + size <= PHX_SAYS_WAITING_BYTES ? phx_channel_push(&peer->channel, size) : NULL;
    if (!item) {
        node->counts.unsaid++;
        return false;
    }
    phx_say_put(item, say, kinds);
    peer->say_bytes += size;
    node->counts.said++;
    return true;
}

/* Adds one in the order of the registrations. Returns how many there are. */
static uint32_t add_heard(phx_heard *heard, uint32_t count, phx_heard one)
{
    uint32_t at = count;
    if (one.number == 0) return count;
    PHX_ASSERT(count < PHX_CLUSTER_MEMBERS_MAX);
    for (; at > 0 && heard[at - 1].registration > one.registration; at--) heard[at] = heard[at - 1];
    heard[at] = one;
    return count + 1;
}

/* How far the entities here have heard this node, and each other one but that. */
static uint32_t list_heard(const phx_node *node, const phx_peer *but, phx_heard *heard)
{
    const phx_heard self = {.registration = node->def.member.registration, .number = node->said};
    uint32_t count = add_heard(heard, 0, self);
    for (uint32_t i = 0; i < node->peer_count; i++) {
        const phx_peer *peer = &node->peers[i];
        const phx_heard one = {.registration = peer->member.registration, .number = peer->heard_says};
        if (!peer->out && peer != but) count = add_heard(heard, count, one);
    }
    return count;
}

bool phx_says_tell_heard(phx_node *node, phx_peer *peer)
{
    phx_heard heard[PHX_CLUSTER_MEMBERS_MAX];
    if (peer->heard_changes_told == node->heard_changes) return true;
    const uint32_t count = list_heard(node, peer, heard);
    unsigned char *item = count > 0 ? phx_channel_push(&peer->channel, phx_heard_bytes(count)) : NULL;
    if (count > 0 && !item) return false;
    for (uint32_t i = 0; i < count; i++) phx_heard_put(item, i, heard[i]);
    peer->heard_changes_told = node->heard_changes;
    return true;
}

static void raise_heard(phx_node *node, phx_peer *peer, uint64_t number)
{
    if (number <= peer->heard_says) return;
    peer->heard_says = number;
    node->heard_changes++;
}

bool phx_says_receive(phx_node *node, phx_peer *peer, const phx_wire_item *item)
{
    const phx_node_event event = {.kind = PHX_NODE_SAID,
                                  .peer = peer->member.registration,
                                  .offer = {.state = item->bytes, .state_bytes = item->size}};
    const bool is_void = item->say.number <= peer->heard_says;
    if (!is_void && !phx_events_push(&node->events, &event)) return false;
    node->counts.overtaken += is_void;
    raise_heard(node, peer, item->say.number);
    phx_channel_take(&peer->channel);
    return true;
}

bool phx_says_receive_heard(phx_node *node, phx_peer *peer, const phx_wire_item *item)
{
    for (uint32_t i = 0; i < item->heard_count; i++) {
        const phx_heard heard = phx_heard_at(item->bytes, i);
        phx_peer *of = phx_node_peer(node, heard.registration);
        if (of) raise_heard(node, of, heard.number);
    }
    phx_channel_take(&peer->channel);
    return true;
}

void phx_says_finish(phx_peer *peer, phx_item item)
{
    if (item.bytes[0] == PHX_ITEM_SAY) peer->say_bytes -= item.size;
    phx_channel_pop(&peer->channel);
}
