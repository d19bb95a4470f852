/*
 * A control store as pharos-cluster asks it: one request after the other, each call waits for its answer. The main
 * thread.
 */
#ifndef PHX_TOOLS_CLUSTER_STORE_H
#define PHX_TOOLS_CLUSTER_STORE_H

#include <pharos/cluster.h>

typedef struct phx_cluster_store {
    phc_store store;           /* closed by its owner */
    void (*pause)(void *user); /* between two looks for an answer */
    void *pause_user;
    char reason[PHC_REASON_SIZE]; /* of the last request that failed */
} phx_cluster_store;

/* All keys that begin so; fn is called once, with PHC_DONE or PHC_FAILED. */
phc_outcome phx_cluster_store_list(phx_cluster_store *store, const char *prefix, phc_answer_fn fn, void *fn_user);

/* PHC_FAILED: it may have been written. */
phc_outcome phx_cluster_store_write(phx_cluster_store *store, const char *key, uint64_t revision, const void *value,
                                    size_t size);

#endif
