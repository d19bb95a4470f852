/*
 * One look at the loads of a listing, for an operator: the move that the member that balances would make, if it stays
 * due. The choice is src/cluster/map/balance.h, the same for both; the words are here. Pure; the main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_BALANCE_H
#define PHX_TOOLS_CLUSTER_BALANCE_H

#include "cluster/map/balance.h"
#include "tools/cluster_listing.h"

typedef struct phx_cluster_balance {
    phx_balance_state state;
    phx_balance_verdict verdict;
    phx_balance_move move;
} phx_cluster_balance;

void phx_cluster_balance_look(phx_cluster_balance *balance, const phx_cluster_listing *listing);

/* A word for scripts; a sentence about the look for eyes, in *text, which it returns. */
const char *phx_cluster_balance_word(phx_balance_verdict verdict);
const char *phx_cluster_balance_sentence(const phx_cluster_balance *balance, char *text, size_t size);

#endif
