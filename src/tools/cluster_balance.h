/*
 * The balancer: looks at listings and says when a region goes, and which one. The choice is src/cluster/map/balance.h;
 * here is its memory of earlier looks, so that a node that is busy for a moment gives nothing away, moves come one
 * after the other, and a region that has gone stays for a while. Pure but for that memory; the main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_BALANCE_H
#define PHX_TOOLS_CLUSTER_BALANCE_H

#include "cluster/map/balance.h"
#include "tools/cluster_listing.h"

typedef struct phx_cluster_balance {
    phx_balance_state state; /* of the last look */
    phx_balance_verdict verdict;
    phx_balance_move move;
    uint64_t wait_ms; /* set by its owner: see phx_cluster_balance_is_due() */
    /* The memory, in ms of the caller's clock, which begins above 0; 0 = never. */
    uint16_t busy_number;                      /* the node that has been the busiest, and far above the mean ... */
    uint64_t busy_since_ms;                    /* ... since then */
    uint64_t moved_ms;                         /* the last move, or any change of the map, by whichever writer */
    uint32_t version;                          /* of the map of the last look; 0 = there was none */
    uint16_t numbers[PHX_CLUSTER_REGIONS_MAX]; /* the node of each region, then */
    uint64_t rests_until_ms[PHX_CLUSTER_REGIONS_MAX];
} phx_cluster_balance;

/* Looks: state, verdict and move are the listing's. A region that has another node than in the look before stays
 * for six times wait_ms, whichever writer gave it. */
void phx_cluster_balance_look(phx_cluster_balance *balance, const phx_cluster_listing *listing, uint64_t now_ms);
/* Is it time for the move of this look? The same node was far above the mean at each look for wait_ms, and no region
 * has gone for as long. */
bool phx_cluster_balance_is_due(const phx_cluster_balance *balance, uint64_t now_ms);
/* The move was made, or shown. */
void phx_cluster_balance_made(phx_cluster_balance *balance, uint64_t now_ms);

/* A word for scripts; a sentence about the look for eyes, in *text, which it returns. */
const char *phx_cluster_balance_word(phx_balance_verdict verdict);
const char *phx_cluster_balance_sentence(const phx_cluster_balance *balance, char *text, size_t size);

#endif
