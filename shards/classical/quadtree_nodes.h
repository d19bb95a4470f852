/*
 * State of index = quadtree: nodes, and the buckets with their entities. See quadtree.c. Written in the index phase by
 * the shard's owner, read by any worker later.
 */
#ifndef PHX_SHARDS_CLASSICAL_QUADTREE_NODES_H
#define PHX_SHARDS_CLASSICAL_QUADTREE_NODES_H

#include "base/mem.h"
#include "shards/classical/index_parts.h"

enum { PHX_QUAD_CHUNK = 32, PHX_QUAD_DEPTH_MAX = 16 };

static const uint32_t PHX_QUAD_NONE = UINT32_MAX;

typedef struct phx_quad_bucket {
    float x[PHX_QUAD_CHUNK], y[PHX_QUAD_CHUNK];
    uint32_t slot[PHX_QUAD_CHUNK];
} phx_quad_bucket;

/* The chain of a bucket; free ones are chained by next too. */
typedef struct phx_quad_link {
    uint32_t next, node;
} phx_quad_link;

/* Four children are side by side. Free quads are chained by the first one's `first`; their parent is NONE. */
typedef struct phx_quad_node {
    uint32_t children; /* the first; NONE = a leaf */
    uint32_t parent;
    uint32_t first;      /* of a leaf: its buckets, the first one may not be full */
    uint32_t count;      /* of a leaf: entities in it */
    uint32_t dirty_tick; /* the tick, in 32 bits, of the last change below */
    uint16_t x, y;       /* its first cell */
    uint8_t bits;        /* 1 << bits cells to a side */
    bool queued;         /* its count changed since the last end of changes */
} phx_quad_node;

typedef struct phx_quadtree {
    phx_index index;
    uint32_t leaf_capacity, depth;
    double low[2], cells[2]; /* of the root: its lower corner, finest cells to a length of 1 */
    uint32_t *place;         /* by slot: bucket * PHX_QUAD_CHUNK + lane */
    uint32_t place_capacity;
    phx_quad_bucket *buckets;
    phx_quad_link *links;
    uint32_t bucket_count, buckets_capacity, links_capacity, bucket_free, bucket_free_count;
    phx_quad_node *nodes; /* the first is the root */
    uint32_t node_count, nodes_capacity, quad_free;
    uint32_t *queue; /* leaves whose count changed; room for all nodes */
    uint32_t queue_count, queue_capacity;
    uint32_t entities;
} phx_quadtree;

/* floor((p - low) * cells), clamped: monotone in p, which may be infinite. */
static inline uint32_t phx_quad_cell(const phx_quadtree *tree, int axis, float p)
{
    double cell = ((double)p - tree->low[axis]) * tree->cells[axis], last = (double)((1u << tree->depth) - 1);
    if (!(cell > 0.0)) return 0;
    return cell >= last ? (uint32_t)last : (uint32_t)cell;
}

/* Is the cell in the node? */
static inline bool phx_quad_holds(const phx_quad_node *node, uint32_t cx, uint32_t cy)
{
    return (cx ^ node->x) >> node->bits == 0 && (cy ^ node->y) >> node->bits == 0;
}

/* The number of a leaf's entities in its first bucket. */
static inline uint32_t phx_quad_in_first(const phx_quad_node *leaf)
{
    return leaf->count == 0 ? 0 : (leaf->count - 1) % PHX_QUAD_CHUNK + 1;
}

/* Makes the root alone. false = no memory. */
bool phx_quad_init(phx_quadtree *tree, phx_mem *mem);
void phx_quad_free(phx_quadtree *tree, phx_mem *mem);
/* Room for slots [0, slots) in the leaves that exist. false = no memory. */
bool phx_quad_reserve(phx_quadtree *tree, phx_mem *mem, uint32_t slots);
/* The leaf of a cell, below a node that has it. */
uint32_t phx_quad_leaf(phx_quadtree *tree, uint32_t node, uint32_t cx, uint32_t cy);
/* Adds an entity to a leaf, or removes it. */
void phx_quad_put(phx_quadtree *tree, uint32_t leaf, uint32_t slot, float x, float y);
void phx_quad_cut(phx_quadtree *tree, uint32_t leaf, uint32_t place);
/* Queues a leaf, as its count changed. */
void phx_quad_enqueue(phx_quadtree *tree, uint32_t leaf);
/*
 * Splits leaves with too many entities and merges leaves with too few, until there are none. false = no memory: call
 * again.
 */
bool phx_quad_apply(phx_quadtree *tree, phx_mem *mem);

#endif
