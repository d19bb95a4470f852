/*
 * Life of a node: its map, its peers, the fence; see node.h.
 */
#include "cluster/node/node.h"

#include "cluster/map/rules.h"

void phx_node_init(phx_node *node, const phx_node_def *def)
{
    PHX_ASSERT(def->unacked_max > 0);
    PHX_ASSERT(def->member.registration == 0 || def->member.number != 0);
    *node = (phx_node){.def = *def};
    if (def->formats.max == 0) node->def.formats = PHX_FORMATS;
    node->def.member.format = node->def.formats.max;
    phx_mem_init(&node->mem, def->allocator);
    phx_holdings_init(&node->holdings, &node->mem);
    phx_claims_init(&node->claims, &node->mem);
    node->claims.own = def->member.registration;
    phx_item_queue_init(&node->events, &node->mem);
}

void phx_node_register(phx_node *node, uint64_t registration, uint16_t number)
{
    PHX_ASSERT(node->def.member.registration == 0 && registration != 0 && number != 0);
    node->def.member.registration = registration;
    node->def.member.number = number;
    node->claims.own = registration;
}

void phx_node_free(phx_node *node)
{
    void *peers = node->peers;
    for (uint32_t i = 0; i < node->peer_count; i++) phx_channel_free(&node->peers[i].channel);
    phx_release(&node->mem, &peers, &node->peer_capacity, sizeof *node->peers);
    phx_holdings_free(&node->holdings);
    phx_claims_free(&node->claims);
    phx_item_queue_free(&node->events);
    node->peers = NULL;
    node->peer_count = 0;
}

phx_peer *phx_node_peer(const phx_node *node, uint64_t registration)
{
    for (uint32_t i = 0; i < node->peer_count; i++)
        if (node->peers[i].member.registration == registration) return &node->peers[i];
    return NULL;
}

uint8_t phx_node_format(const phx_node *node, const phx_peer *peer)
{
    const uint8_t own = node->def.formats.max, other = peer->member.format;
    return own < other ? own : other;
}

bool phx_node_hears(const phx_node *node, uint64_t registration)
{
    return node->joined && !node->fenced && phx_rule_hears(&node->map, registration);
}

/* Room for the members that are no peers yet. */
static bool reserve_peers(phx_node *node, const phx_cluster_map *map)
{
    void *peers = node->peers;
    const size_t needed = (size_t)node->peer_count + map->member_count;
    if (!phx_grow(&node->mem, &peers, &node->peer_capacity, node->peer_count, needed, sizeof *node->peers))
        return false;
    node->peers = peers;
    return true;
}

/* New members become peers; peers that are no members wait for the map barrier. */
static void update_peers(phx_node *node)
{
    const phx_cluster_map *map = &node->map;
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member member = map->members[i];
        if (member.registration == node->def.member.registration || phx_node_peer(node, member.registration)) continue;
        phx_peer *peer = &node->peers[node->peer_count++];
        *peer = (phx_peer){.member = member};
        phx_channel_init(&peer->channel, &node->mem);
        node->counts.joined++;
    }
    for (uint32_t i = 0; i < node->peer_count; i++) {
        phx_peer *peer = &node->peers[i];
        const bool was_out = peer->out;
        peer->out = !phx_cluster_map_member(map, peer->member.registration);
        node->counts.left += peer->out && !was_out;
    }
}

void phx_node_fence(phx_node *node)
{
    if (node->fenced) return;
    node->fenced = true;
    phx_holdings_clear(&node->holdings);
    node->transit = node->replaced = 0;
    while (node->events.count > 0) phx_item_queue_pop(&node->events);
}

/* The loss of a region that another node has now is told again with the region, whatever was passed meanwhile. */
static void forget_told(phx_node *node)
{
    for (uint32_t i = 0; i < node->map.region_count; i++)
        if (node->map.regions[i].number != node->def.member.number) node->told[i] = 0;
}

ph_status phx_node_map(phx_node *node, const phx_cluster_map *map)
{
    if (map->version <= node->map.version) return PH_OK;
    if (node->map.version != 0 && (map->columns != node->map.columns || map->region_count != node->map.region_count))
        return PH_BAD_VALUE;
    if (!reserve_peers(node, map)) return PH_NO_MEMORY;
    node->map = *map;
    update_peers(node);
    forget_told(node);
    const bool is_member = phx_cluster_map_member(map, node->def.member.registration) != NULL;
    if (node->joined && !is_member) phx_node_fence(node);
    node->joined |= is_member;
    node->own_regions = is_member ? phx_cluster_map_regions_of(map, node->def.member.number) : 0;
    return PH_OK;
}

void phx_node_doubt(phx_node *node, bool doubts)
{
    node->doubts = doubts;
}

void phx_node_lease(phx_node *node, uint64_t proven_until)
{
    if (proven_until > node->proven_until) node->proven_until = proven_until;
}

uint64_t phx_node_saves_until(const phx_node *node)
{
    return node->joined && (!node->fenced || phx_node_has_left(node)) ? node->proven_until : 0;
}

bool phx_node_has_left(const phx_node *node)
{
    return node->fenced && node->leaves && !phx_cluster_map_member(&node->map, node->def.member.registration);
}

bool phx_node_may_act(const phx_node *node)
{
    const bool is_member = node->joined && !node->fenced && !node->doubts;
    return is_member && (!node->def.freezes || node->now < node->proven_until);
}
