/*
 * The control store of a node, with the reason of the last request that failed: said where the node can not join.
 */
#ifndef PHX_TOOLS_NODE_STORE_H
#define PHX_TOOLS_NODE_STORE_H

#include <pharos/cluster.h>

typedef struct phx_node_store {
    phc_store store;              /* none: all 0 */
    char reason[PHC_REASON_SIZE]; /* "" = none has failed */
    phc_answer_fn fn;             /* of the poll under way */
    void *fn_user;
} phx_node_store;

/* The same store, which notes reasons: `of` stays where it is, and closes the store. */
phc_store phx_node_store_noted(phx_node_store *of);

#endif
