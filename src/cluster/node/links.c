/*
 * Silent links; see links.h.
 */
#include "cluster/node/links.h"

#include <string.h>

/* A longer time between two calls is one in which this process did not run: it could not hear. */
static const uint64_t STEP_NS_MAX = 1000000000;

static bool is_silent(const phx_node *node, const phx_peer *peer)
{
    return node->def.link_ns > 0 && !peer->out && peer->silent_ns >= node->def.link_ns;
}

/* The last words of a peer that is not heard count no more, nor do they once it is heard again. */
void phx_links_tick(phx_node *node, uint64_t now, bool hears)
{
    const uint64_t passed = now - node->links_at;
    node->links_at = now;
    if (!hears || !node->joined || passed > STEP_NS_MAX) return;
    node->links_ns += passed;
    for (uint32_t i = 0; i < node->peer_count; i++) {
        node->peers[i].silent_ns += passed;
        if (is_silent(node, &node->peers[i])) node->peers[i].silent_count = 0;
    }
}

static uint64_t silent_since(const phx_node *node, const phx_peer *peer, uint64_t registration)
{
    for (uint32_t i = 0; i < peer->silent_count; i++)
        if (peer->silent[i].registration == registration) return peer->silent[i].since;
    return node->links_ns;
}

void phx_links_hear(const phx_node *node, phx_peer *peer, phx_wire_items *items)
{
    phx_silence heard[PHX_CLUSTER_MEMBERS_MAX];
    uint32_t count = 0;
    while (items->left > 0 && count < PHX_CLUSTER_MEMBERS_MAX) {
        const uint64_t registration = phx_wire_next_silent(items);
        heard[count++] = (phx_silence){registration, silent_since(node, peer, registration)};
    }
    memcpy(peer->silent, heard, count * sizeof *heard);
    peer->silent_count = count;
}

void phx_links_tell(const phx_node *node, phx_wire_message *message)
{
    for (uint32_t i = 0; i < node->peer_count; i++)
        if (is_silent(node, &node->peers[i])) (void)phx_wire_add_silent(message, node->peers[i].member.registration);
}

/* ---- which ones ---- */

typedef enum link_age { LINK_GOOD = 0, LINK_SILENT = 1, LINK_DUE = 2, LINK_SETTLED = 3 } link_age;

/* Links by members' places in the map, both ways. */
typedef struct link_table {
    const phx_cluster_map *map;
    bool is_settled;                                                /* one of them */
    uint8_t ages[PHX_CLUSTER_MEMBERS_MAX][PHX_CLUSTER_MEMBERS_MAX]; /* link_age */
} link_table;

static link_age age_of(phx_links_waits waits, uint64_t silent_ns)
{
    if (silent_ns >= waits.settled_ns) return LINK_SETTLED;
    return silent_ns >= waits.due_ns ? LINK_DUE : LINK_SILENT;
}

static void note_link(link_table *table, uint64_t one, uint64_t other, link_age age)
{
    const phx_member *a = phx_cluster_map_member(table->map, one), *b = phx_cluster_map_member(table->map, other);
    if (!a || !b || a->expelled || b->expelled) return;
    const size_t i = (size_t)(a - table->map->members), k = (size_t)(b - table->map->members);
    if (age > table->ages[i][k]) table->ages[i][k] = table->ages[k][i] = (uint8_t)age;
    table->is_settled |= age == LINK_SETTLED;
}

static void fill_table(link_table *table, const phx_node *node, const phx_cluster_map *map, phx_links_waits waits)
{
    *table = (link_table){.map = map};
    for (uint32_t i = 0; i < node->peer_count; i++) {
        const phx_peer *peer = &node->peers[i];
        const uint64_t self = node->def.member.registration, registration = peer->member.registration;
        if (is_silent(node, peer))
            note_link(table, self, registration, age_of(waits, peer->silent_ns - node->def.link_ns));
        for (uint32_t k = 0; k < peer->silent_count; k++)
            note_link(table, registration, peer->silent[k].registration,
                      age_of(waits, node->links_ns - peer->silent[k].since));
    }
}

static uint32_t count_links(const link_table *table, uint32_t place, link_age age)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->map->member_count; i++) count += table->ages[place][i] >= (uint8_t)age;
    return count;
}

/* NULL: no link is due. */
static const phx_member *find_worst(const link_table *table, uint64_t spared)
{
    const phx_member *worst = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->map->member_count; i++) {
        const phx_member *member = &table->map->members[i];
        const uint32_t count = count_links(table, i, LINK_SILENT);
        if (member->registration == spared || count_links(table, i, LINK_DUE) == 0) continue;
        if (worst && (count < most || (count == most && member->number < worst->number))) continue;
        worst = member;
        most = count;
    }
    return worst;
}

static void forget_links(link_table *table, const phx_member *member)
{
    const size_t place = (size_t)(member - table->map->members);
    for (uint32_t i = 0; i < table->map->member_count; i++) table->ages[place][i] = table->ages[i][place] = LINK_GOOD;
}

/* A link of its own that counts; one that was expelled may stay in the map, and be silent for ever. */
static bool has_waited(const phx_node *node, const phx_cluster_map *map, phx_links_waits waits)
{
    bool waited = false;
    for (uint32_t i = 0; i < node->peer_count; i++) {
        const phx_peer *peer = &node->peers[i];
        const phx_member *member = phx_cluster_map_member(map, peer->member.registration);
        waited |= member && !member->expelled && is_silent(node, peer) &&
                  peer->silent_ns >= 2 * node->def.link_ns + waits.settled_ns;
    }
    return waited;
}

uint32_t phx_links_count(const phx_node *node, const phx_cluster_map *map)
{
    link_table table;
    uint32_t ends = 0;
    fill_table(&table, node, map, (phx_links_waits){0});
    for (uint32_t i = 0; i < map->member_count; i++) ends += count_links(&table, i, LINK_SILENT);
    return ends / 2;
}

uint32_t phx_links_worst(const phx_node *node, const phx_cluster_map *map, phx_links_waits waits,
                         uint64_t worst[PHX_CLUSTER_MEMBERS_MAX])
{
    link_table table;
    uint32_t count = 0;
    bool names_self = false;
    const uint64_t self = node->def.member.registration;
    fill_table(&table, node, map, waits);
    if (!table.is_settled) return 0;
    for (const phx_member *member; (member = find_worst(&table, 0)); forget_links(&table, member)) {
        names_self |= member->registration == self;
        worst[count++] = member->registration;
    }
    if (!names_self) return count;
    if (!waits.spares || !has_waited(node, map, waits)) return 0;
    fill_table(&table, node, map, waits);
    const phx_member *other = find_worst(&table, self);
    PHX_ASSERT(other);
    worst[0] = other->registration;
    return 1;
}
