/*
 * The sections of a config as the definitions that a host opens a store, a member of a cluster and its ways to servers
 * with. Called by the host.
 */
#include <pharos/cluster.h>
#include <pharos/store.h>

#include "config/config.h"

/* The text, or NULL for none. */
static const char *text_or_none(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

ph_status ph_config_store(const ph_config *config, ph_store_def *def)
{
    if (config == NULL || def == NULL) {
        return PH_BAD_ARGUMENT;
    }
    *def = config->sections.store.def;
    def->folder = text_or_none(config->sections.store.folder);
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
    const phx_cluster_section *section = &config->sections.cluster;
    *def = (phc_nats_def){.servers = section->nats_at,
                          .server_count = section->nats.count,
                          .tls = {.ca_file = text_or_none(section->nats_ca_file),
                                  .certificate_file = text_or_none(section->nats_certificate_file),
                                  .key_file = text_or_none(section->nats_key_file)}};
    return def->server_count > 0 ? PH_OK : PH_EMPTY;
}

ph_status ph_config_etcd(const ph_config *config, phc_etcd_def *def)
{
    if (config == NULL || def == NULL) {
        return PH_BAD_ARGUMENT;
    }
    const phx_cluster_section *section = &config->sections.cluster;
    *def = (phc_etcd_def){.servers = section->etcd_at,
                          .server_count = section->etcd.count,
                          .tls = {.ca_file = text_or_none(section->etcd_ca_file),
                                  .certificate_file = text_or_none(section->etcd_certificate_file),
                                  .key_file = text_or_none(section->etcd_key_file)}};
    return def->server_count > 0 ? PH_OK : PH_EMPTY;
}
