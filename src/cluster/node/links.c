/*
 * Silent links; see links.h.
 */
#include "cluster/node/links.h"

/* A longer time between two calls is one in which this process did not run: it could not hear. */
static const uint64_t STEP_NS_MAX = 1000000000;

void phx_links_tick(phx_node *node, uint64_t now, bool hears)
{
    const uint64_t passed = now - node->links_at;
    node->links_at = now;
    if (!hears || !node->joined || passed > STEP_NS_MAX) return;
    for (uint32_t i = 0; i < node->peer_count; i++) node->peers[i].silent_ns += passed;
}

static bool is_silent(const phx_node *node, const phx_peer *peer, uint32_t times)
{
    return node->def.link_ns > 0 && !peer->out && peer->silent_ns >= node->def.link_ns * times;
}

void phx_links_hear(phx_peer *peer, phx_wire_items *items)
{
    peer->silent_count = 0;
    while (items->left > 0 && peer->silent_count < PHX_CLUSTER_MEMBERS_MAX)
        peer->silent[peer->silent_count++] = phx_wire_next_silent(items);
}

void phx_links_tell(const phx_node *node, phx_wire_message *message)
{
    for (uint32_t i = 0; i < node->peer_count; i++)
        if (is_silent(node, &node->peers[i], 1)) (void)phx_wire_add_silent(message, node->peers[i].member.registration);
}

/* ---- which one ---- */

/* Silent links by members' places in the map, both ways. */
typedef struct link_table {
    const phx_cluster_map *map;
    bool is_silent[PHX_CLUSTER_MEMBERS_MAX][PHX_CLUSTER_MEMBERS_MAX];
} link_table;

static void note_link(link_table *table, uint64_t one, uint64_t other)
{
    const phx_member *a = phx_cluster_map_member(table->map, one), *b = phx_cluster_map_member(table->map, other);
    if (!a || !b || a->expelled || b->expelled) return;
    const size_t i = (size_t)(a - table->map->members), k = (size_t)(b - table->map->members);
    table->is_silent[i][k] = table->is_silent[k][i] = true;
}

/* The last words of a peer that is not heard count no more. */
static void fill_table(link_table *table, const phx_node *node)
{
    for (uint32_t i = 0; i < node->peer_count; i++) {
        const phx_peer *peer = &node->peers[i];
        const uint64_t registration = peer->member.registration;
        if (is_silent(node, peer, 1)) note_link(table, node->def.member.registration, registration);
        else
            for (uint32_t k = 0; k < peer->silent_count; k++) note_link(table, registration, peer->silent[k]);
    }
}

static uint32_t count_silent(const link_table *table, uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->map->member_count; i++) count += table->is_silent[place][i];
    return count;
}

/* NULL: all links are good. */
static const phx_member *find_worst(const link_table *table, const phx_node *node, bool spares_self)
{
    const phx_member *worst = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->map->member_count; i++) {
        const phx_member *member = &table->map->members[i];
        const uint32_t count = count_silent(table, i);
        if (count == 0 || (spares_self && member->registration == node->def.member.registration)) continue;
        if (worst && (count < most || (count == most && member->number < worst->number))) continue;
        worst = member;
        most = count;
    }
    return worst;
}

static bool has_waited(const phx_node *node)
{
    bool waited = false;
    for (uint32_t i = 0; i < node->peer_count; i++) waited |= is_silent(node, &node->peers[i], 2);
    return waited;
}

uint64_t phx_links_worst(const phx_node *node)
{
    link_table table = {.map = &node->map};
    if (node->def.link_ns == 0) return 0;
    fill_table(&table, node);
    const phx_member *worst = find_worst(&table, node, has_waited(node));
    return worst && worst->registration != node->def.member.registration ? worst->registration : 0;
}
