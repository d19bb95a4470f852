/*
 * The map barrier; see map_barrier.h.
 */
#include "cluster/node/map_barrier.h"

#include "cluster/map/rules.h"
#include "cluster/node/hand_over.h"

uint32_t phx_map_barrier_shown(const phx_node *node)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < node->peer_count; i++) {
        const phx_peer *peer = &node->peers[i];
        if (!peer->out && peer->shown < lowest) lowest = peer->shown;
    }
    return lowest;
}

void phx_map_barrier_leave(phx_node *node)
{
    const bool is_empty = node->holdings.count == 0 && node->replaced == 0 && node->events.count == 0;
    const bool is_known = phx_map_barrier_shown(node) >= node->map.moved;
    node->leaves = node->joined && node->own_regions == 0 && (node->leaves || (is_empty && is_known));
}

bool phx_map_barrier_answers(const phx_node *node)
{
    return phx_rule_answers(node->map.fence, phx_map_barrier_shown(node));
}

/* Offers to peers that were put out are void; a peer without one is forgotten. */
static void take_back(phx_node *node)
{
    for (uint32_t i = node->peer_count; i-- > 0;) {
        phx_peer *peer = &node->peers[i];
        if (!peer->out || !phx_hand_over_take_back(node, peer)) continue;
        phx_channel_free(&peer->channel);
        *peer = node->peers[--node->peer_count];
    }
}

/* false: no memory, or none are taken; the next round tries again. */
static bool tell_region(phx_node *node, uint32_t region)
{
    if (node->events.count >= PHX_NODE_EVENTS_MAX + PHX_CLUSTER_REGIONS_MAX) return false;
    const uint32_t lost = node->map.regions[region].lost;
    const phx_node_event event = {.kind = PHX_NODE_RESTORE, .region = region, .lost = lost};
    if (!phx_events_push(&node->events, &event)) return false;
    node->told[region] = lost;
    return true;
}

/* Once for a map: nothing of it changes before the next one. */
static void restore_regions(phx_node *node)
{
    if (node->told_version == node->map.version) return;
    for (uint32_t i = 0; i < node->map.region_count; i++) {
        const phx_region region = node->map.regions[i];
        const bool is_told = region.lost == 0 || node->told[i] == region.lost;
        if (region.number == node->def.member.number && !is_told && !tell_region(node, i)) return;
    }
    node->told_version = node->map.version;
}

static void note_wait(phx_node *node, uint32_t shown)
{
    const bool waits = shown < node->map.fence;
    if (waits && !node->at_barrier) node->barrier_since = node->now;
    if (!waits && node->at_barrier) {
        node->counts.barriers++;
        node->counts.barriers_ns += node->now - node->barrier_since;
    }
    node->at_barrier = waits;
}

void phx_map_barrier_begin(phx_node *node, uint64_t now)
{
    node->now = now;
    if (node->fenced || !node->joined) return;
    const uint32_t shown = phx_map_barrier_shown(node);
    note_wait(node, shown);
    if (phx_rule_takes_back(node->map.fence, shown)) take_back(node);
    if (phx_rule_restores(node->map.fence, shown)) restore_regions(node);
}
