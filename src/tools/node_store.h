/*
 * The control store of a node, with the reason of the last request that failed: said where the node can not join.
 */
#ifndef PHX_TOOLS_NODE_STORE_H
#define PHX_TOOLS_NODE_STORE_H

#include "tools/node_host.h"

typedef struct phx_node_store {
    phc_store store;              /* none: all 0 */
    char reason[PHC_REASON_SIZE]; /* of the last failed request; "" = none has failed */
    uint32_t failures;            /* requests: all while no list has come, then those since */
    bool answers;                 /* a list has come */
    bool joined;                  /* it is a member, or was: its store has taken writes */
    phc_answer_fn fn;             /* of the poll under way */
    void *fn_user;
    bool is_silent, refuses; /* said once each */
} phx_node_store;

/* The same store, which notes reasons: `of` stays where it is, and closes the store. */
phc_store phx_node_store_noted(phx_node_store *of);
/*
 * A line on the standard error of a node that has run for so long: it reaches no etcd, or etcd takes no write. Then the
 * node waits for ever, and its other lines look well.
 */
void phx_node_store_tell(phx_node_store *of, const phx_node_job *job, const phc *member, uint64_t ran_ms);

#endif
