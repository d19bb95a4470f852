/*
 * The balancer's memory of earlier looks: when a region goes, and which one. The choice is balance.h; here a node that
 * is busy for a moment gives nothing away, moves come one after the other, and a region that has gone stays for a
 * while. Owned by a member's balancer (cluster/membership), which calls it with maps and loads, on its thread. No
 * clock: the time is an argument.
 *
 * Every member follows the maps, whether it balances or not: so one that begins to balance knows of the moves that
 * another one has made.
 */
#ifndef PHX_CLUSTER_MAP_BALANCE_WATCH_H
#define PHX_CLUSTER_MAP_BALANCE_WATCH_H

#include "cluster/map/balance.h"

enum { PHX_BALANCE_RESTS = 6 /* waits, for which a region stays that has gone to another node */ };

typedef struct phx_balance_watch {
    phx_balance_state state; /* of the last look; its map is the caller's */
    phx_balance_verdict verdict;
    phx_balance_move move;
    uint64_t wait_ns;                          /* set by its owner: see phx_balance_watch_is_due() */
    uint16_t busy_number;                      /* the node that has been the busiest, and far above the mean ... */
    uint64_t busy_since;                       /* ... since then */
    uint64_t changed_at;                       /* the last change of the map, by whichever writer; or the first map */
    uint32_t version;                          /* of the last map; 0 = there was none */
    uint16_t numbers[PHX_CLUSTER_REGIONS_MAX]; /* the node of each region, there */
    uint64_t rests_until[PHX_CLUSTER_REGIONS_MAX];
} phx_balance_watch;

/* A map that stands, the newest so far: a region with another node than before stays there for some waits. */
void phx_balance_watch_map(phx_balance_watch *watch, const phx_cluster_map *map, uint64_t now);
/* Looks at loads and entities in watch->state, which are of the last map. */
void phx_balance_watch_look(phx_balance_watch *watch, const phx_cluster_map *map, uint64_t now);
/* Is it time for the move of this look? The same node was far above the mean at each look for a wait, and the map is as
 * old. */
bool phx_balance_watch_is_due(const phx_balance_watch *watch, uint64_t now);

#endif
