/*
 * One run of pharos-cluster, as its command line has it. Made by pharos_cluster.c, read by cluster_run.c.
 */
#ifndef PHX_TOOLS_CLUSTER_JOB_H
#define PHX_TOOLS_CLUSTER_JOB_H

#include <signal.h>

#include "tools/cluster_change.h"

typedef enum phx_cluster_command {
    PHX_CLUSTER_STATUS,
    PHX_CLUSTER_SHOW_MAP,
    PHX_CLUSTER_WATCH,
    PHX_CLUSTER_CHANGE,
    PHX_CLUSTER_CHECK,
    PHX_CLUSTER_BALANCE,
    PHX_CLUSTER_VERIFY
} phx_cluster_command;

/* Exit statuses beside the ones of all programs (cli.h). */
enum {
    PHX_EXIT_REFUSED = 3, /* the change can not be made */
    PHX_EXIT_STORE = 4,   /* the control store does not answer; a change may have been made */
    PHX_EXIT_FOUND = 5    /* the check has found something */
};

typedef struct phx_cluster_job {
    phx_cluster_command command;
    phx_cluster_change change;
    const char *name; /* NULL = the only world of the store */
    phc_etcd_def etcd;
    uint32_t every_ms; /* between two looks */
    uint32_t wait_ms;  /* VERIFY: for which it looks again */
    const char *const *exports;
    uint32_t export_count;
    bool is_json;
} phx_cluster_job;

#endif
