/*
 * The sections of a config as the definitions that a host opens a store, a member of a cluster and its ways to servers
 * with. Called by the host.
 */
#include <pharos/cluster.h>
#include <pharos/store.h>

#include "config/config.h"

ph_status ph_config_store(const ph_config *config, ph_store_def *def)
{
    if (config == NULL || def == NULL) {
        return PH_BAD_ARGUMENT;
    }
    *def = config->sections.store.def;
    def->folder = config->sections.store.folder[0] != '\0' ? config->sections.store.folder : NULL;
    def->name = config->sections.store.name;
    return def->folder != NULL ? PH_OK : PH_EMPTY;
}

ph_status ph_config_cluster(const ph_config *config, phc_def *def)
{
    if (config == NULL || def == NULL) {
        return PH_BAD_ARGUMENT;
    }
    *def = phx_cluster_section_def(&config->sections.cluster, &config->def);
    return def->name != NULL ? PH_OK : PH_EMPTY;
}

ph_status ph_config_nats(const ph_config *config, phc_nats_def *def)
{
    if (config == NULL || def == NULL) {
        return PH_BAD_ARGUMENT;
    }
    *def = (phc_nats_def){.servers = config->sections.cluster.nats_at,
                          .server_count = config->sections.cluster.nats.count};
    return def->server_count > 0 ? PH_OK : PH_EMPTY;
}

ph_status ph_config_etcd(const ph_config *config, phc_etcd_def *def)
{
    if (config == NULL || def == NULL) {
        return PH_BAD_ARGUMENT;
    }
    *def = (phc_etcd_def){.servers = config->sections.cluster.etcd_at,
                          .server_count = config->sections.cluster.etcd.count};
    return def->server_count > 0 ? PH_OK : PH_EMPTY;
}
