/*
 * The balancer's choice: of a cluster map and the loads of its nodes the region that goes to another node, if one
 * does. A load is the share of a round that a node works, in 1/1000 of it. Pure.
 *
 * One region at a time: the node with the highest load gives one to a neighbour, the least loaded one first, and of its
 * regions the one that leaves the shortest border. By the entities in it a region has its share of its node's load; it
 * goes only if its new node has less than the old one had, by a margin. So each move makes the squares of the loads
 * less in sum, and moves come to an end. A region whose share is too large for every other node stays: a crowd in one
 * place has one node.
 */
#ifndef PHX_CLUSTER_MAP_BALANCE_H
#define PHX_CLUSTER_MAP_BALANCE_H

#include "cluster/map/cluster_map.h"

enum {
    PHX_BALANCE_LOAD_MAX = 1000,
    PHX_BALANCE_LOAD_BUSY = 400,   /* no node below it gives regions away */
    PHX_BALANCE_OVER_MEAN = 1300,  /* nor one below so many thousandths of the mean */
    PHX_BALANCE_MARGIN_DIVISOR = 8 /* the new node ends up so much of the old one's load below it */
};

typedef struct phx_balance_load {
    uint16_t number; /* of a node; 0 = it is not known */
    uint32_t load;
} phx_balance_load;

typedef struct phx_balance_state {
    const phx_cluster_map *map;
    phx_balance_load loads[PHX_CLUSTER_MEMBERS_MAX];
    uint32_t load_count;
    uint32_t entities[PHX_CLUSTER_REGIONS_MAX]; /* of each region */
    bool rests[PHX_CLUSTER_REGIONS_MAX];        /* the region stays: it has gone not long ago */
} phx_balance_state;

/* Why there is a move, or none. */
typedef enum phx_balance_verdict {
    PHX_BALANCE_MOVE = 0,
    PHX_BALANCE_ONE_NODE,   /* no second node has regions */
    PHX_BALANCE_RESTORING,  /* a node died, and hosts are not done with its entities */
    PHX_BALANCE_UNKNOWN,    /* the load of a node is not known */
    PHX_BALANCE_IDLE,       /* no node is busy */
    PHX_BALANCE_EVEN,       /* no node is far above the mean */
    PHX_BALANCE_ONE_REGION, /* the busiest node has one region */
    PHX_BALANCE_NO_REGION   /* none of its regions makes it better elsewhere */
} phx_balance_verdict;

typedef struct phx_balance_move {
    uint32_t region;
    uint16_t from, to;          /* from: the busiest node, where one is known */
    uint32_t load, mean, after; /* of the busiest node, of all nodes, of the new node behind the move */
} phx_balance_move;

phx_balance_verdict phx_balance_choose(const phx_balance_state *state, phx_balance_move *move);

#endif
