/*
 * State of index = crosslist, of one shard: two sorted lists of nodes with their anchors, and the box of every observer
 * with the entities in it. crosslist.c is the index, crosslist_nodes.c the lists, crosslist_boxes.c the boxes. See
 * README.md for the idea and its costs. Written in the index phase by the shard's owner, read by any worker later.
 */
#ifndef PHX_SHARDS_CLASSICAL_CROSSLIST_STATE_H
#define PHX_SHARDS_CLASSICAL_CROSSLIST_STATE_H

#include <string.h>

#include "shards/classical/index_parts.h"
#include "shards/entity/list_pool.h"

/*
 * A node is named slot << 3 | axis << 2 | role. Nodes with equal keys are ordered by role, so that an entity on a
 * border is inside. Node ANCHOR of slot 0 ends the axis' list, node ANCHOR of slot i + 1 is its anchor i; anchor 0
 * begins it.
 */
enum { PHX_CROSS_ANCHOR = 0, PHX_CROSS_LOW = 1, PHX_CROSS_CENTRE = 2, PHX_CROSS_HIGH = 3, PHX_CROSS_ROLES = 4 };

/*
 * Nodes between two anchors when they are placed: a search among anchors and a walk over half of this cost about the
 * same. A node that would pass more than 1 in PHX_CROSS_FAR_PART of all, but not fewer than ..._FAR_LEAST, has jumped:
 * then finding its place and its neighbours anew is cheaper. If 1 in MANY_PART jump in one tick, both lists are sorted
 * anew.
 */
enum { PHX_CROSS_APART = 64, PHX_CROSS_FAR_PART = 32, PHX_CROSS_FAR_LEAST = 256, PHX_CROSS_MANY_PART = 128 };

/* If 1 in PHX_CROSS_WALK_PART moves, nodes slide in a walk along the list: neighbours pass the same nodes. */
enum { PHX_CROSS_WALK_PART = 16 };

enum { PHX_CROSS_SCRATCH_BYTES = 8 };
enum { PHX_CROSS_SLOTS_MAX = 1 << 28 }; /* by the names of nodes */

typedef struct phx_cross_node {
    uint32_t key; /* of the coordinate: phx_cross_key() */
    uint32_t prev, next;
} phx_cross_node;

/* A cache line: all data for passing a node along one axis. */
typedef struct phx_cross_side {
    phx_cross_node node[PHX_CROSS_ROLES];
    uint32_t across[PHX_CROSS_ROLES]; /* the keys along the other axis */
} phx_cross_side;

typedef struct phx_cross_body {
    phx_cross_side side[2];
} phx_cross_body;

/* By slot. */
enum {
    PHX_CROSS_IN = 1,       /* the centre is in both lists */
    PHX_CROSS_BOX = 2,      /* low and high are, too: it observes */
    PHX_CROSS_PENDING = 4,  /* to be linked at the tick's turn */
    PHX_CROSS_GONE = 8,     /* left or jumped in this tick: it has to be removed from all boxes */
    PHX_CROSS_AFRESH = 16,  /* its box is to be filled anew */
    PHX_CROSS_CHANGED = 32, /* in this tick, in any way */
    PHX_CROSS_DIRTY = 64,   /* its box changed in this tick: a target came in or went out */
    PHX_CROSS_MOVES = 128   /* its nodes are to slide */
};

/* A centre and a low or high have passed each other while the other axis was inside. */
typedef struct phx_cross_pass {
    uint32_t target;
    uint32_t next; /* next pass of the same observer, or PHX_SLOT_NONE */
} phx_cross_pass;

/* A queue of slots, each once. */
typedef struct phx_cross_queue {
    uint32_t *slots;
    uint32_t count, capacity;
} phx_cross_queue;

typedef struct phx_cross {
    phx_index index;
    /* notes a pass of a sliding node: phx_cross_note(), which is above the lists */
    void (*note)(struct phx_cross *own, uint32_t observer, uint32_t target);
    phx_cross_body *bodies; /* by slot, as the arrays below */
    uint8_t *flags;
    float *radius;        /* of its box */
    phx_list *boxes;      /* slots whose centres are in the box, but itself; exact at the end of the tick's changes */
    uint32_t *pass_first; /* first pass of an observer, or PHX_SLOT_NONE */
    uint32_t *mark;       /* see phx_cross_flush() */
    uint32_t bodies_capacity, flags_capacity, radius_capacity, boxes_capacity, pass_first_capacity, mark_capacity;
    uint32_t slots; /* reserved */
    uint32_t epoch; /* of marks */
    phx_list_pool pool;

    uint64_t *anchors[2]; /* their places in the order */
    uint32_t anchors_capacity[2], anchor_count[2];
    uint64_t effort;     /* nodes passed and walked since the anchors were placed */
    uint32_t node_count; /* in the list of one axis */
    uint32_t in_count;
    float radius_max; /* at least that of every observer */

    phx_cross_pass *passes;
    uint32_t pass_count, passes_capacity;
    phx_cross_queue passed; /* observers with passes */
    void *scratch; /* for sorting, then for rows; kept, so that a world with many jumps each tick allocates nothing */
    uint32_t scratch_capacity; /* PHX_CROSS_SCRATCH_BYTES each */
    phx_cross_queue moving, pending, gone, afresh;
} phx_cross;

/* Larger floats have larger keys; finite ones and infinities lie above 0 and below UINT32_MAX. */
static inline uint32_t phx_cross_key(float f)
{
    union {
        float f;
        uint32_t bits;
    } u = {.f = f + 0.0f}; /* -0 is 0 */
    return u.bits >> 31 ? ~u.bits : u.bits | 1u << 31;
}

static inline phx_cross_node *phx_cross_at(const phx_cross *own, uint32_t node)
{
    return &own->bodies[node >> 3].side[node >> 2 & 1].node[node & 3];
}

static inline uint32_t phx_cross_name(uint32_t slot, int axis, int role)
{
    return slot << 3 | (uint32_t)axis << 2 | (uint32_t)role;
}

static inline void phx_cross_push(phx_cross_queue *queue, uint32_t slot)
{
    PHX_ASSERT(queue->count < queue->capacity);
    queue->slots[queue->count++] = slot;
}

/* The place in the order of an axis' list. */
static inline uint64_t phx_cross_place(uint32_t key, uint32_t role)
{
    return (uint64_t)key << 2 | role;
}

/* Is the target's centre inside the observer's box along the other axis than this? Both are in. */
static inline bool phx_cross_across(const phx_cross *own, int axis, uint32_t observer, uint32_t target)
{
    const uint32_t *keys = own->bodies[observer].side[axis].across;
    uint32_t key = own->bodies[target].side[axis].across[PHX_CROSS_CENTRE];
    return keys[PHX_CROSS_LOW] <= key && key <= keys[PHX_CROSS_HIGH];
}

#endif
