/*
 * The command verify: looks until nothing is found, or for wait_ms; findings of the last look are printed. The main
 * thread.
 */
#ifndef PHX_TOOLS_CLUSTER_VERIFY_RUN_H
#define PHX_TOOLS_CLUSTER_VERIFY_RUN_H

#include <stdio.h>

#include "tools/cluster_job.h"

/* @return an exit status; PHX_EXIT_USAGE and PHX_EXIT_STORE: one line was printed on the standard error */
int phx_cluster_verify_run(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out,
                           const volatile sig_atomic_t *stops);

#endif
