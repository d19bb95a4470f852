/*
 * The commands of pharos-cluster over a control store, whichever it is: etcd in the program, one within the process in
 * tests. The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_RUN_H
#define PHX_TOOLS_CLUSTER_RUN_H

#include <stdio.h>

#include "tools/cluster_job.h"

/*
 * Opens etcd and runs the command; watch goes on until *stops. @return an exit status; but for 0 and PHX_EXIT_FOUND one
 * line was printed on the standard error
 */
int phx_cluster_run(const phx_cluster_job *job, const volatile sig_atomic_t *stops);

/* The same with a store, which stays its owner's. */
int phx_cluster_run_over(const phx_cluster_job *job, phx_cluster_store *store, FILE *out,
                         const volatile sig_atomic_t *stops);

#endif
