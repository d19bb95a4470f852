/*
 * Nodes of a quadtree: entities are added to leaves and removed, leaves are split into four and merged; see
 * quadtree_nodes.h. By the shard's owner, in the index phase.
 */
#include "shards/classical/quadtree_nodes.h"

#include <string.h>

#include "base/mem.h"

/* ---- buckets ---- */

/* Room for so many buckets in all. false = no memory. */
static bool grow_buckets(phx_quadtree *tree, phx_mem *mem, size_t count)
{
    return phx_grow(mem, (void **)&tree->buckets, &tree->buckets_capacity, tree->bucket_count, count,
                    sizeof(phx_quad_bucket)) &&
           phx_grow(mem, (void **)&tree->links, &tree->links_capacity, tree->bucket_count, count,
                    sizeof(phx_quad_link));
}

/* Room for `count` more buckets. false = no memory. */
static bool reserve_leaf_buckets(phx_quadtree *tree, phx_mem *mem, uint32_t count)
{
    if (count <= tree->bucket_free_count) return true;
    return grow_buckets(tree, mem, (size_t)tree->bucket_count + (count - tree->bucket_free_count));
}

static uint32_t pop_free_bucket(phx_quadtree *tree)
{
    uint32_t at = tree->bucket_free;
    if (at == PHX_QUAD_NONE) {
        PHX_ASSERT(tree->bucket_count < tree->buckets_capacity && tree->bucket_count < tree->links_capacity);
        /* all lanes are compared, empty ones too */
        memset(&tree->buckets[tree->bucket_count], 0, sizeof(phx_quad_bucket));
        return tree->bucket_count++;
    }
    tree->bucket_free = tree->links[at].next;
    tree->bucket_free_count--;
    return at;
}

static void free_bucket(phx_quadtree *tree, uint32_t at)
{
    tree->links[at].next = tree->bucket_free;
    tree->bucket_free = at;
    tree->bucket_free_count++;
}

void phx_quad_put(phx_quadtree *tree, uint32_t at, uint32_t slot, float x, float y)
{
    phx_quad_node *leaf = &tree->nodes[at];
    uint32_t lane = leaf->count % PHX_QUAD_CHUNK;
    if (lane == 0) {
        uint32_t fresh = pop_free_bucket(tree);
        tree->links[fresh] = (phx_quad_link){leaf->first, at};
        leaf->first = fresh;
    }
    phx_quad_bucket *to = &tree->buckets[leaf->first];
    to->x[lane] = x;
    to->y[lane] = y;
    to->slot[lane] = slot;
    tree->place[slot] = leaf->first * PHX_QUAD_CHUNK + lane;
    leaf->count++;
}

/* The last entity of the first bucket takes its place. */
void phx_quad_cut(phx_quadtree *tree, uint32_t at, uint32_t place)
{
    phx_quad_node *leaf = &tree->nodes[at];
    uint32_t last = phx_quad_in_first(leaf) - 1, first = leaf->first;
    const phx_quad_bucket *from = &tree->buckets[first];
    phx_quad_bucket *to = &tree->buckets[place / PHX_QUAD_CHUNK];
    uint32_t lane = place % PHX_QUAD_CHUNK, slot = from->slot[last];
    to->x[lane] = from->x[last];
    to->y[lane] = from->y[last];
    to->slot[lane] = slot;
    tree->place[slot] = place;
    leaf->count--;
    if (last > 0) return;
    leaf->first = tree->links[first].next;
    free_bucket(tree, first);
}

/* ---- nodes ---- */

static uint32_t child_of(const phx_quad_node *parent, uint32_t cx, uint32_t cy)
{
    uint32_t bit = parent->bits - 1u;
    return parent->children + ((cy >> bit & 1) << 1 | (cx >> bit & 1));
}

uint32_t phx_quad_leaf(phx_quadtree *tree, uint32_t at, uint32_t cx, uint32_t cy)
{
    while (tree->nodes[at].children != PHX_QUAD_NONE) {
        at = child_of(&tree->nodes[at], cx, cy);
        tree->index.counts.steps++;
    }
    return at;
}

void phx_quad_enqueue(phx_quadtree *tree, uint32_t at)
{
    if (tree->nodes[at].queued) return;
    PHX_ASSERT(tree->queue_count < tree->queue_capacity);
    tree->nodes[at].queued = true;
    tree->queue[tree->queue_count++] = at;
}

static bool reserve_nodes(phx_quadtree *tree, phx_mem *mem, uint32_t count)
{
    return phx_grow(mem, (void **)&tree->nodes, &tree->nodes_capacity, tree->node_count, count,
                    sizeof(phx_quad_node)) &&
           phx_grow(mem, (void **)&tree->queue, &tree->queue_capacity, tree->queue_count, tree->nodes_capacity,
                    sizeof(uint32_t));
}

/* ---- splitting and merging ---- */

/* Takes four empty leaves. An entry of an earlier quad may still be in the queue. */
static uint32_t pop_free_quad(phx_quadtree *tree, uint32_t parent)
{
    uint32_t quad = tree->quad_free;
    if (quad != PHX_QUAD_NONE) {
        tree->quad_free = tree->nodes[quad].first;
    } else {
        quad = tree->node_count;
        PHX_ASSERT(quad + 4 <= tree->nodes_capacity);
        tree->node_count += 4;
        memset(&tree->nodes[quad], 0, 4 * sizeof(phx_quad_node));
    }
    const phx_quad_node *above = &tree->nodes[parent];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t bits = above->bits - 1u;
        tree->nodes[quad + i] = (phx_quad_node){.children = PHX_QUAD_NONE,
                                                .parent = parent,
                                                .first = PHX_QUAD_NONE,
                                                .dirty_tick = above->dirty_tick,
                                                .x = (uint16_t)(above->x + ((i & 1) << bits)),
                                                .y = (uint16_t)(above->y + ((i >> 1) << bits)),
                                                .bits = (uint8_t)bits,
                                                .queued = tree->nodes[quad + i].queued};
    }
    return quad;
}

/* Moves all entities of a leaf: to leaves below, or into the one above it. */
static void move_leaf_entries(phx_quadtree *tree, uint32_t from, uint32_t to)
{
    uint32_t count = phx_quad_in_first(&tree->nodes[from]), next;
    for (uint32_t at = tree->nodes[from].first; at != PHX_QUAD_NONE; at = next, count = PHX_QUAD_CHUNK) {
        next = tree->links[at].next;
        for (uint32_t i = 0; i < count; i++) {
            const phx_quad_bucket *some = &tree->buckets[at];
            uint32_t target = to;
            if (tree->nodes[to].children != PHX_QUAD_NONE)
                target =
                    child_of(&tree->nodes[to], phx_quad_cell(tree, 0, some->x[i]), phx_quad_cell(tree, 1, some->y[i]));
            phx_quad_put(tree, target, some->slot[i], some->x[i], some->y[i]);
        }
        free_bucket(tree, at);
        tree->index.counts.steps += count;
    }
}

/* Splits a leaf into four. false = no memory. */
static bool split_leaf(phx_quadtree *tree, phx_mem *mem, uint32_t at)
{
    uint32_t count = tree->nodes[at].count;
    if (!reserve_leaf_buckets(tree, mem, count / PHX_QUAD_CHUNK + 5)) return false;
    if (tree->quad_free == PHX_QUAD_NONE && !reserve_nodes(tree, mem, tree->node_count + 4)) return false;
    uint32_t quad = pop_free_quad(tree, at);
    tree->nodes[at].children = quad;
    move_leaf_entries(tree, at, at);
    tree->nodes[at].count = 0;
    tree->nodes[at].first = PHX_QUAD_NONE;
    for (uint32_t i = 0; i < 4; i++) phx_quad_enqueue(tree, quad + i);
    return true;
}

/* Merges the four children into one leaf, if they are leaves with few enough entities: *merged. */
static bool merge_leaves(phx_quadtree *tree, phx_mem *mem, uint32_t at, bool *merged)
{
    uint32_t quad = tree->nodes[at].children, count = 0;
    *merged = false;
    for (uint32_t i = 0; i < 4; i++) {
        if (tree->nodes[quad + i].children != PHX_QUAD_NONE) return true;
        count += tree->nodes[quad + i].count;
    }
    if (count >= tree->leaf_capacity) return true;
    if (!reserve_leaf_buckets(tree, mem, count / PHX_QUAD_CHUNK + 1)) return false;
    tree->nodes[at].children = PHX_QUAD_NONE;
    for (uint32_t i = 0; i < 4; i++) move_leaf_entries(tree, quad + i, at);
    PHX_ASSERT(tree->nodes[at].count == count);
    for (uint32_t i = 0; i < 4; i++)
        tree->nodes[quad + i].parent = PHX_QUAD_NONE; /* free; it may be in the queue still */
    tree->nodes[quad].first = tree->quad_free;
    tree->quad_free = quad;
    *merged = true;
    return true;
}

/* Balances a leaf with a changed count: too many entities are split into four leaves, too few are merged. */
static bool balance_leaf(phx_quadtree *tree, phx_mem *mem, uint32_t at)
{
    const phx_quad_node *leaf = &tree->nodes[at];
    uint32_t above = leaf->parent;
    bool merged;
    if (leaf->children != PHX_QUAD_NONE) return true;
    if (above == PHX_QUAD_NONE && at != 0) return true; /* it is free by now */
    if (leaf->count > tree->leaf_capacity && leaf->bits > 0) return split_leaf(tree, mem, at);
    if (above == PHX_QUAD_NONE) return true;
    if (!merge_leaves(tree, mem, above, &merged)) return false;
    if (merged) phx_quad_enqueue(tree, above);
    return true;
}

bool phx_quad_apply(phx_quadtree *tree, phx_mem *mem)
{
    while (tree->queue_count > 0) {
        uint32_t at = tree->queue[--tree->queue_count];
        tree->nodes[at].queued = false;
        if (balance_leaf(tree, mem, at)) continue;
        phx_quad_enqueue(tree, at);
        return false;
    }
    return true;
}

/* ---- lifetime ---- */

bool phx_quad_init(phx_quadtree *tree, phx_mem *mem)
{
    tree->bucket_free = tree->quad_free = PHX_QUAD_NONE;
    if (!reserve_nodes(tree, mem, 1)) return false;
    tree->nodes[tree->node_count++] = (phx_quad_node){
        .children = PHX_QUAD_NONE, .parent = PHX_QUAD_NONE, .first = PHX_QUAD_NONE, .bits = (uint8_t)tree->depth};
    return true;
}

void phx_quad_free(phx_quadtree *tree, phx_mem *mem)
{
    phx_release(mem, (void **)&tree->place, &tree->place_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&tree->buckets, &tree->buckets_capacity, sizeof(phx_quad_bucket));
    phx_release(mem, (void **)&tree->links, &tree->links_capacity, sizeof(phx_quad_link));
    phx_release(mem, (void **)&tree->nodes, &tree->nodes_capacity, sizeof(phx_quad_node));
    phx_release(mem, (void **)&tree->queue, &tree->queue_capacity, sizeof(uint32_t));
}

bool phx_quad_reserve(phx_quadtree *tree, phx_mem *mem, uint32_t slots)
{
    size_t buckets = (size_t)slots / PHX_QUAD_CHUNK + tree->node_count; /* of each leaf all but the first are full */
    return phx_grow(mem, (void **)&tree->place, &tree->place_capacity, tree->place_capacity, slots, sizeof(uint32_t)) &&
           grow_buckets(tree, mem, buckets);
}
