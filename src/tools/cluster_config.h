/*
 * From the config of a node and the options on top of it to a job of pharos-cluster. The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_CONFIG_H
#define PHX_TOOLS_CLUSTER_CONFIG_H

#include <pharos/config.h>

#include "tools/cluster_job.h"

/* Options for a config and for its keys. */
typedef struct phx_cluster_options {
    const char *config_path; /* NULL = none */
    const char **assignments;
    int assignment_count;
    const char *etcd[PHC_SERVERS_MAX]; /* they replace the list of the config */
    uint32_t etcd_count;
} phx_cluster_options;

/*
 * Gives the job its servers and, where its command line has none, its world. Texts live in the config and the
 * options. @return an exit status; not 0: one line was printed
 */
int phx_cluster_config_read(ph_config *config, const phx_cluster_options *options, phx_cluster_job *job);

#endif
