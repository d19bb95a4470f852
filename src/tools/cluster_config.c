/*
 * Config and options; see cluster_config.h.
 */
#include "tools/cluster_config.h"

#include <stdio.h>

#include "base/cluster_rules.h"
#include "tools/cli.h"

static int refuse(const char *why)
{
    fprintf(stderr, "pharos-cluster: %s\n", why);
    return PHX_EXIT_USAGE;
}

/* Keys of the config, where no option stands for them. */
static int take_config(const ph_config *config, const phx_cluster_options *options, phx_cluster_job *job)
{
    phc_def member = {0};
    const ph_status named = ph_config_cluster(config, &member), served = ph_config_etcd(config, &job->etcd);
    if (named != PH_OK && named != PH_EMPTY) return PHX_EXIT_TROUBLE;
    if (served != PH_OK && served != PH_EMPTY) return PHX_EXIT_TROUBLE;
    if (!job->name) job->name = member.name;
    if (options->etcd_count > 0) {
        job->etcd.servers = options->etcd;
        job->etcd.server_count = options->etcd_count;
    }
    if (job->etcd.server_count == 0) return refuse("--etcd URL is needed, or cluster.etcd in FILE");
    if (job->name && !phx_cluster_name_is_good(job->name)) return refuse("--name: 1 to 31 letters, digits, - and _");
    return PHX_EXIT_OK;
}

static int read_config(ph_config *config, const phx_cluster_options *options)
{
    ph_config_error error = {.reason = "no memory"};
    ph_status status = ph_config_begin(config);
    if (options->config_path && status == PH_OK) status = ph_config_load(config, options->config_path, &error);
    for (int i = 0; i < options->assignment_count && status == PH_OK; i++)
        status = ph_config_set(config, options->assignments[i], &error);
    if (status == PH_OK) status = ph_config_end(config, &error);
    if (status == PH_OK) return PHX_EXIT_OK;
    (void)refuse(error.reason);
    return status == PH_NO_MEMORY ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE;
}

int phx_cluster_config_read(ph_config *config, const phx_cluster_options *options, phx_cluster_job *job)
{
    const int exit_status = read_config(config, options);
    return exit_status == PHX_EXIT_OK ? take_config(config, options, job) : exit_status;
}
