/*
 * The command balance: one look and its move. The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_BALANCE_RUN_H
#define PHX_TOOLS_CLUSTER_BALANCE_RUN_H

#include <stdio.h>

#include "tools/cluster_job.h"

/* @return an exit status; PHX_EXIT_REFUSED and PHX_EXIT_STORE: one line was printed on the standard error */
int phx_cluster_balance_run(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out);

#endif
