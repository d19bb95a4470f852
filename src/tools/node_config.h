/*
 * From the config of pharos-node and the options on top of it to a job. Called by node.c once the command line is read.
 */
#ifndef PHX_TOOLS_NODE_CONFIG_H
#define PHX_TOOLS_NODE_CONFIG_H

#include <pharos/config.h>

#include "tools/node_job.h"

/* Options that stand for keys of the section `cluster`; 0 and NULL = not given, the key counts. */
typedef struct phx_node_options {
    const char *config_path;
    const char **assignments;
    int assignment_count;
    const char *nats[PHC_SERVERS_MAX], *etcd[PHC_SERVERS_MAX]; /* they replace the lists of the config */
    uint32_t nats_count, etcd_count;
    const char *name;
    uint32_t regions[2];
    uint32_t lease_ms;
    uint16_t number;
    bool freezes, is_gateway, adopts;
    float speed; /* speed_max too */
} phx_node_options;

/*
 * Reads FILE and assignments into the config, and from there the job's members that come from it; the job has its
 * walkers already. Its texts live in the config and the options. @return an exit status; not 0: one line was printed
 */
int phx_node_config_read(ph_config *config, const phx_node_options *options, phx_node_job *job);

#endif
