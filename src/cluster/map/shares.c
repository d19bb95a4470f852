/*
 * Shares of nodes; see shares.h. The border is counted in sides of regions between two nodes. A region that goes makes
 * it longer by its sides to the giver's other regions, and shorter by the ones to the receiver's; sides to third nodes
 * stay. Between equals that one goes which is nearest to the receiver's middle, and farthest from the giver's: so nodes
 * have blocks, not stripes.
 */
#include "cluster/map/shares.h"

#include <string.h>

enum {
    NONE = UINT8_MAX, /* in place of a node */
    SIDES = 4,
    SCALE = 16,      /* of distances: a middle lies between regions */
    MOVE_SIDES = 6,  /* a further move has to make the border shorter by so much; above SIDES, so no way is a circle */
    SIDE_SHIFT = 40, /* a cost is sides, and below them squares of distances */
    WORDS = PHX_CLUSTER_REGIONS_MAX / 64
};

typedef struct share_node {
    uint16_t number;
    bool drained;
    uint32_t count, column_sum, row_sum; /* of its regions */
} share_node;

typedef struct share_table {
    phx_cluster_map *map;
    share_node nodes[PHX_CLUSTER_KIND_MAX];
    uint32_t count;
    uint8_t owner[PHX_CLUSTER_REGIONS_MAX]; /* of each region: its place in nodes */
    uint64_t at_border[WORDS];              /* a bit for each region that has a side with another node's */
    /* The cheapest region that goes from one node to another, and its cost; INT64_MAX = there is none. */
    uint16_t region[PHX_CLUSTER_KIND_MAX][PHX_CLUSTER_KIND_MAX];
    int64_t cost[PHX_CLUSTER_KIND_MAX][PHX_CLUSTER_KIND_MAX];
} share_table;

/* The ends of a way, as bits by place in nodes. */
typedef struct share_ends {
    uint64_t from, to;
} share_ends;

/* ---- regions ---- */

/* The owners of the regions around; NONE beyond the world. */
static void find_owners(const share_table *shares, uint32_t region, uint8_t around[SIDES])
{
    const uint32_t columns = shares->map->columns, column = region % columns;
    const uint8_t *owner = shares->owner;
    around[0] = column > 0 ? owner[region - 1] : NONE;
    around[1] = column + 1 < columns ? owner[region + 1] : NONE;
    around[2] = region >= columns ? owner[region - columns] : NONE;
    around[3] = region + columns < shares->map->region_count ? owner[region + columns] : NONE;
}

static uint32_t count_sides(const uint8_t around[SIDES], uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIDES; i++) count += around[i] == node;
    return count;
}

static void mark_border(share_table *shares, uint32_t region)
{
    uint8_t around[SIDES];
    find_owners(shares, region, around);
    const bool is_inner = count_sides(around, shares->owner[region]) + count_sides(around, NONE) == SIDES;
    const uint64_t bit = UINT64_C(1) << region % 64;
    if (is_inner) shares->at_border[region / 64] &= ~bit;
    else shares->at_border[region / 64] |= bit;
}

static void own_region(share_table *shares, uint32_t region, uint32_t to)
{
    const uint32_t columns = shares->map->columns;
    share_node *node = &shares->nodes[to];
    node->count++;
    node->column_sum += region % columns;
    node->row_sum += region / columns;
    shares->owner[region] = (uint8_t)to;
    shares->map->regions[region].number = node->number;
}

static void move_region(share_table *shares, uint32_t region, uint32_t to)
{
    const uint32_t columns = shares->map->columns, column = region % columns;
    share_node *from = &shares->nodes[shares->owner[region]];
    from->count--;
    from->column_sum -= column;
    from->row_sum -= region / columns;
    own_region(shares, region, to);
    mark_border(shares, region);
    if (column > 0) mark_border(shares, region - 1);
    if (column + 1 < columns) mark_border(shares, region + 1);
    if (region >= columns) mark_border(shares, region - columns);
    if (region + columns < shares->map->region_count) mark_border(shares, region + columns);
}

static uint32_t find_node(const share_table *shares, uint16_t number)
{
    uint32_t node = 0;
    while (node < shares->count && shares->nodes[node].number != number) node++;
    PHX_ASSERT(node < shares->count); /* while there are nodes, each region is one's */
    return node;
}

static void open_shares(share_table *shares, phx_cluster_map *map)
{
    shares->map = map;
    shares->count = 0;
    memset(shares->at_border, 0, sizeof shares->at_border);
    memset(shares->owner, NONE, sizeof shares->owner); /* no region has one yet */
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member *member = &map->members[i];
        if (member->gateway) continue;
        PHX_ASSERT(shares->count < PHX_CLUSTER_KIND_MAX);
        shares->nodes[shares->count++] = (share_node){.number = member->number, .drained = member->drained};
    }
    for (uint32_t region = 0; region < map->region_count; region++)
        own_region(shares, region, find_node(shares, map->regions[region].number));
    for (uint32_t region = 0; region < map->region_count; region++) mark_border(shares, region);
}

/* ---- costs ---- */

static int64_t square_to(const share_table *shares, uint32_t region, const share_node *node)
{
    const uint32_t columns = shares->map->columns;
    const int64_t x = (int64_t)(SCALE * (region % columns)) - SCALE * node->column_sum / node->count;
    const int64_t y = (int64_t)(SCALE * (region / columns)) - SCALE * node->row_sum / node->count;
    return x * x + y * y;
}

/* A node without regions begins at a corner of the giver, far from its middle. */
static int64_t cost_of(const share_table *shares, uint32_t region, const uint8_t around[SIDES], uint32_t to)
{
    const uint32_t from = shares->owner[region];
    const share_node *giver = &shares->nodes[from], *receiver = &shares->nodes[to];
    const int64_t sides = MOVE_SIDES + (int64_t)count_sides(around, from) - count_sides(around, to);
    const int64_t nearer = receiver->count > 0 ? square_to(shares, region, receiver) : 0;
    return sides * (INT64_C(1) << SIDE_SHIFT) + nearer - square_to(shares, region, giver);
}

static void try_step(share_table *shares, uint32_t region, const uint8_t around[SIDES], uint32_t to)
{
    const uint32_t from = shares->owner[region];
    const int64_t cost = cost_of(shares, region, around, to);
    if (cost >= shares->cost[from][to]) return;
    shares->cost[from][to] = cost;
    shares->region[from][to] = (uint16_t)region;
}

/* Each node gives to its neighbours; and to one without regions, which has none. */
static void find_steps(share_table *shares, uint32_t without_regions)
{
    uint8_t around[SIDES];
    for (uint32_t from = 0; from < shares->count; from++)
        for (uint32_t to = 0; to < shares->count; to++) shares->cost[from][to] = INT64_MAX;
    for (uint32_t word = 0; word < WORDS; word++)
        for (uint64_t bits = shares->at_border[word]; bits != 0; bits &= bits - 1) {
            const uint32_t region = 64 * word + (uint32_t)__builtin_ctzll(bits);
            find_owners(shares, region, around);
            for (uint32_t i = 0; i < SIDES; i++)
                if (around[i] != NONE && around[i] != shares->owner[region])
                    try_step(shares, region, around, around[i]);
        }
    for (uint32_t region = 0; region < shares->map->region_count && without_regions != NONE; region++) {
        find_owners(shares, region, around);
        try_step(shares, region, around, without_regions);
    }
}

/* ---- ways ---- */

typedef struct share_way {
    int64_t cost[PHX_CLUSTER_KIND_MAX]; /* from each node; INT64_MAX = none is known */
    uint8_t next[PHX_CLUSTER_KIND_MAX];
} share_way;

/* The node with the cheapest way, of those that are left. */
static uint32_t cheapest_node(const share_table *shares, const share_way *way, uint64_t left)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < shares->count; i++)
        if (left >> i & 1 && way->cost[i] < (best == NONE ? INT64_MAX : way->cost[best])) best = i;
    PHX_ASSERT(best != NONE); /* nodes with regions are neighbours, or neighbours of neighbours ... */
    return best;
}

/* Returns its first node: Dijkstra from the ends, as all costs are above 0. */
static uint32_t find_way(const share_table *shares, share_ends ends, share_way *way)
{
    uint64_t left = UINT64_MAX;
    for (uint32_t i = 0; i < shares->count; i++) {
        way->cost[i] = ends.to >> i & 1 ? 0 : INT64_MAX;
        way->next[i] = NONE;
    }
    for (;;) {
        const uint32_t node = cheapest_node(shares, way, left);
        if (ends.from >> node & 1) return node;
        left &= ~(UINT64_C(1) << node);
        for (uint32_t from = 0; from < shares->count; from++) {
            const int64_t cost = shares->cost[from][node];
            if (cost == INT64_MAX || way->cost[node] + cost >= way->cost[from]) continue;
            way->cost[from] = way->cost[node] + cost;
            way->next[from] = (uint8_t)node;
        }
    }
}

/* One region less at the way's begin, one more at its end. */
static void move_along(share_table *shares, share_ends ends)
{
    share_way way;
    uint32_t without_regions = NONE;
    for (uint32_t i = shares->count; i-- > 0;)
        if (ends.to >> i & 1 && shares->nodes[i].count == 0) without_regions = i;
    find_steps(shares, without_regions);
    for (uint32_t from = find_way(shares, ends, &way); way.next[from] != NONE; from = way.next[from])
        move_region(shares, shares->region[from][way.next[from]], way.next[from]);
}

/* ---- shares ---- */

/* All but that one with the most regions. */
static uint64_t fullest_nodes(const share_table *shares, uint32_t without)
{
    uint64_t nodes = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < shares->count; i++) {
        if (i == without || shares->nodes[i].count < most) continue;
        if (shares->nodes[i].count > most) nodes = 0;
        most = shares->nodes[i].count;
        nodes |= UINT64_C(1) << i;
    }
    return nodes;
}

/* All but that one with the fewest, a drained one last. 0: there is none. */
static uint64_t emptiest_nodes(const share_table *shares, uint32_t without)
{
    uint64_t nodes = 0, fewest = UINT64_MAX;
    for (uint32_t i = 0; i < shares->count; i++) {
        const uint64_t count = shares->nodes[i].count + (shares->nodes[i].drained ? PHX_CLUSTER_REGIONS_MAX : 0);
        if (i == without || count > fewest) continue;
        if (count < fewest) nodes = 0;
        fewest = count;
        nodes |= UINT64_C(1) << i;
    }
    return nodes;
}

void phx_shares_fill(phx_cluster_map *map, uint16_t number, uint32_t share)
{
    share_table shares;
    open_shares(&shares, map);
    const uint32_t node = find_node(&shares, number);
    while (shares.nodes[node].count < share)
        move_along(&shares, (share_ends){.from = fullest_nodes(&shares, node), .to = UINT64_C(1) << node});
}

void phx_shares_empty(phx_cluster_map *map, uint16_t number)
{
    share_table shares;
    open_shares(&shares, map);
    const uint32_t node = find_node(&shares, number);
    while (shares.nodes[node].count > 0 && emptiest_nodes(&shares, node) != 0)
        move_along(&shares, (share_ends){.from = UINT64_C(1) << node, .to = emptiest_nodes(&shares, node)});
    for (uint32_t i = 0; i < map->region_count; i++)
        if (map->regions[i].number == number) map->regions[i].number = 0;
}
