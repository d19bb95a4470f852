/*
 * The section `cluster` of a config: the keys of a phc_def, and the servers of its two ways out with
 * their files. Texts are in arrays,
 * so that a config is copied with them. Read and written as the other keys are; nothing here needs the library
 * pharos_cluster.
 */
#ifndef PHX_CONFIG_CLUSTER_SECTION_H
#define PHX_CONFIG_CLUSTER_SECTION_H

#include <pharos/cluster.h>

#include "base/key_table.h"

#define PHX_CLUSTER_SECTION "cluster"

typedef struct phx_cluster_section {
    phc_def def; /* its numbers alone */
    char name[PHC_NAME_MAX + 1];
    phx_servers nats, etcd;
    char nats_ca_file[PHX_PATH_MAX + 1], nats_certificate_file[PHX_PATH_MAX + 1], nats_key_file[PHX_PATH_MAX + 1];
    char etcd_ca_file[PHX_PATH_MAX + 1], etcd_certificate_file[PHX_PATH_MAX + 1], etcd_key_file[PHX_PATH_MAX + 1];
    const char *nats_at[PHX_SERVERS_MAX]; /* the texts of nats and etcd: derived */
    const char *etcd_at[PHX_SERVERS_MAX];
} phx_cluster_section;

/* In the order of base/keys.h; offsets are in a phx_cluster_section. */
extern const phx_key phx_config_cluster_keys[PHX_CLUSTER_KEY_COUNT];

/* No name, no servers, numbers as phc_def_default() has them. */
void phx_cluster_section_default(phx_cluster_section *section);

/* At its place in a new config it points to its own texts. A clone of the config comes back to this place, or ends. */
void phx_cluster_section_point(phx_cluster_section *section);

/* The phc_def for a world of that definition; its texts stay in the section. */
phc_def phx_cluster_section_def(const phx_cluster_section *section, const ph_world_def *world_def);

#endif
