/*
 * The config of a node; see node_config.h.
 */
#include "tools/node_config.h"

#include <stdarg.h>
#include <stdio.h>

#include "tools/cli.h"

/* A small world. FILE and KEY=VALUE come on top. */
static const char default_config[] = "world_size = {1000, 1000}\n"
                                     "tower_size = 50\n"
                                     "cluster { name = demo regions = {4, 4} speed_max = 4 }\n"
                                     "class default { view = 60 margin = 6 }\n";

/* Walkers go so many units in a tick. */
static const float SPEED_LEAST = 0.01f, SPEED_MOST = 1000.0f;

__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pharos-node: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    return PHX_EXIT_USAGE;
}

static int load(ph_config *config, const phx_node_options *options)
{
    ph_config_error error = {.reason = "no memory"};
    ph_status status = ph_config_begin(config);
    if (status == PH_OK) status = ph_config_load_text(config, "default", default_config, &error);
    if (options->config_path && status == PH_OK) status = ph_config_load(config, options->config_path, &error);
    for (int i = 0; i < options->assignment_count && status == PH_OK; i++)
        status = ph_config_set(config, options->assignments[i], &error);
    if (status == PH_OK) status = ph_config_end(config, &error);
    if (status == PH_OK) return PHX_EXIT_OK;
    (void)refuse("%s", error.reason);
    return status == PH_NO_MEMORY ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE;
}

static bool is_read(ph_status status)
{
    return status == PH_OK || status == PH_EMPTY; /* a count of 0, or no name: options may give them */
}

static bool take_config(const ph_config *config, phx_node_job *job)
{
    job->world_def = ph_config_def(config);
    return is_read(ph_config_cluster(config, &job->member)) && is_read(ph_config_nats(config, &job->nats)) &&
           is_read(ph_config_etcd(config, &job->etcd));
}

static void take_options(const phx_node_options *options, phx_node_job *job)
{
    if (options->nats_count > 0) {
        job->nats.servers = options->nats;
        job->nats.server_count = options->nats_count;
    }
    if (options->etcd_count > 0) {
        job->etcd.servers = options->etcd;
        job->etcd.server_count = options->etcd_count;
    }
    phc_def *member = &job->member;
    if (options->name) member->name = options->name;
    if (options->number != 0) member->number = options->number;
    if (options->lease_ms != 0) member->lease_ms = options->lease_ms;
    if (options->freezes) member->store_loss = PHC_FREEZE;
    if (options->adopts) member->adopt_map = true;
    if (options->is_gateway) member->gateway = true;
    for (uint32_t i = 0; i < 2 && options->regions[0] != 0; i++) member->regions[i] = options->regions[i];
    if (options->speed > 0) member->speed_max = options->speed;
    job->speed = member->speed_max;
}

static int check(const phx_node_job *job)
{
    if (!job->member.name) return refuse("cluster.name: it is empty; --name NAME gives one");
    if (job->nats.server_count == 0) return refuse("--nats URL is needed, or cluster.nats in FILE");
    if (job->etcd.server_count == 0) return refuse("--etcd URL is needed, or cluster.etcd in FILE");
    if (job->member.gateway && (job->feeds || job->slow_ms > 0 || job->shows_ids))
        return refuse("--feed, --slow-ms and --ids are for nodes: a gateway has no walkers");
    if (!(job->speed >= SPEED_LEAST && job->speed <= SPEED_MOST))
        return refuse("cluster.speed_max = %g: walkers go from %g to %g units in a tick", (double)job->speed,
                      (double)SPEED_LEAST, (double)SPEED_MOST);
    if (job->walkers > job->world_def->entities_max)
        return refuse("--walkers: %u are more than entities_max, which is %u", job->walkers,
                      job->world_def->entities_max);
    return PHX_EXIT_OK;
}

int phx_node_config_read(ph_config *config, const phx_node_options *options, phx_node_job *job)
{
    const int exit_status = load(config, options);
    if (exit_status != PHX_EXIT_OK) return exit_status;
    if (!take_config(config, job)) return PHX_EXIT_TROUBLE; /* no config: it is there */
    take_options(options, job);
    return check(job);
}
