/*
 * The choice of a move; see balance.h. Drained nodes, ones that have to leave, and nodes without regions have no part
 * in it.
 */
#include "cluster/map/balance.h"

/* A node with regions. */
typedef struct balance_node {
    uint16_t number;
    uint32_t load, regions, border; /* border: sides that its regions share with the ones of the busiest node */
    uint64_t entities;
} balance_node;

typedef struct balance_nodes {
    balance_node items[PHX_CLUSTER_MEMBERS_MAX];
    uint32_t count, busiest;
    uint64_t mean;
} balance_nodes;

static const phx_balance_load *load_of(const phx_balance_state *state, uint16_t number)
{
    for (uint32_t i = 0; i < state->load_count; i++)
        if (state->loads[i].number == number) return &state->loads[i];
    return NULL;
}

static balance_node node_of(const phx_balance_state *state, uint16_t number)
{
    const phx_cluster_map *map = state->map;
    balance_node node = {.number = number};
    for (uint32_t i = 0; i < map->region_count; i++) {
        if (map->regions[i].number != number) continue;
        node.regions++;
        node.entities += state->entities[i];
    }
    return node;
}

/* false: the load of one is not known. */
static bool collect_nodes(const phx_balance_state *state, balance_nodes *nodes)
{
    uint64_t sum = 0;
    bool all_known = true;
    nodes->count = nodes->busiest = 0;
    for (uint32_t i = 0; i < state->map->member_count; i++) {
        const phx_member *member = &state->map->members[i];
        balance_node node = node_of(state, member->number);
        if (node.regions == 0 || member->drained || member->expelled) continue;
        const phx_balance_load *load = load_of(state, node.number);
        all_known &= load != NULL;
        node.load = load ? load->load : 0;
        sum += node.load;
        nodes->items[nodes->count] = node;
        if (node.load > nodes->items[nodes->busiest].load) nodes->busiest = nodes->count;
        nodes->count++;
    }
    nodes->mean = nodes->count > 0 ? sum / nodes->count : 0;
    return all_known;
}

static bool is_restoring(const phx_cluster_map *map)
{
    for (uint32_t i = 0; i < map->region_count; i++)
        if (map->regions[i].lost != 0) return true;
    return false;
}

static void measure_borders(const phx_balance_state *state, balance_nodes *nodes)
{
    const uint16_t busiest = nodes->items[nodes->busiest].number;
    for (uint32_t i = 0; i < nodes->count; i++)
        for (uint32_t region = 0; region < state->map->region_count; region++)
            if (state->map->regions[region].number == busiest)
                nodes->items[i].border += phx_cluster_map_sides(state->map, region, nodes->items[i].number);
}

/* A neighbour before other nodes, then the lower load, then the lower number. */
static bool is_before(const balance_node *a, const balance_node *b)
{
    if ((a->border > 0) != (b->border > 0)) return a->border > 0;
    if (a->load != b->load) return a->load < b->load;
    return a->number < b->number;
}

/* The next node behind that one in that order; NULL: none. */
static const balance_node *next_target(const balance_nodes *nodes, const balance_node *behind)
{
    const balance_node *best = NULL;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const balance_node *node = &nodes->items[i];
        if (i == nodes->busiest || (behind && !is_before(behind, node))) continue;
        if (!best || is_before(node, best)) best = node;
    }
    return best;
}

/* The load that goes with a region. */
static uint32_t share_of(const phx_balance_state *state, const balance_node *from, uint32_t region)
{
    if (from->entities == 0) return 0;
    return (uint32_t)((uint64_t)from->load * state->entities[region] / from->entities);
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* How much shorter the border becomes. */
static int32_t border_saved(const phx_cluster_map *map, uint32_t region, const balance_node *from,
                            const balance_node *to)
{
    return (int32_t)phx_cluster_map_sides(map, region, to->number) -
           (int32_t)phx_cluster_map_sides(map, region, from->number);
}

/* The shortest border, then the share that comes nearest to what makes both nodes even. */
static bool find_region(const phx_balance_state *state, const balance_node *from, const balance_node *to,
                        phx_balance_move *move)
{
    const uint32_t margin = from->load / PHX_BALANCE_MARGIN_DIVISOR;
    int32_t best_border = 0;
    uint32_t best_distance = UINT32_MAX;
    bool found = false;
    if (to->load + margin >= from->load) return false;
    for (uint32_t region = 0; region < state->map->region_count; region++) {
        if (state->map->regions[region].number != from->number || state->rests[region]) continue;
        const uint32_t share = share_of(state, from, region);
        if (share == 0 || to->load + share + margin > from->load) continue;
        const int32_t border = border_saved(state->map, region, from, to);
        const uint32_t off = distance(2 * share, from->load - to->load);
        if (found && (border < best_border || (border == best_border && off >= best_distance))) continue;
        found = true;
        best_border = border;
        best_distance = off;
        move->region = region;
        move->to = to->number;
        move->after = to->load + share;
    }
    return found;
}

phx_balance_verdict phx_balance_choose(const phx_balance_state *state, phx_balance_move *move)
{
    balance_nodes nodes;
    *move = (phx_balance_move){0};
    const bool all_known = collect_nodes(state, &nodes);
    if (nodes.count < 2) return PHX_BALANCE_ONE_NODE;
    if (is_restoring(state->map)) return PHX_BALANCE_RESTORING;
    if (!all_known) return PHX_BALANCE_UNKNOWN;
    const balance_node *from = &nodes.items[nodes.busiest];
    move->from = from->number;
    move->load = from->load;
    move->mean = (uint32_t)nodes.mean;
    if (from->load <= PHX_BALANCE_LOAD_BUSY) return PHX_BALANCE_IDLE;
    if ((uint64_t)from->load * PHX_BALANCE_LOAD_MAX <= nodes.mean * PHX_BALANCE_OVER_MEAN) return PHX_BALANCE_EVEN;
    if (from->regions == 1) return PHX_BALANCE_ONE_REGION;
    measure_borders(state, &nodes);
    for (const balance_node *to = next_target(&nodes, NULL); to; to = next_target(&nodes, to))
        if (find_region(state, from, to, move)) return PHX_BALANCE_MOVE;
    return PHX_BALANCE_NO_REGION;
}
