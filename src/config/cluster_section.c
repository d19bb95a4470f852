/*
 * The keys of the section `cluster`, and its defaults; see cluster_section.h.
 */
#include "config/cluster_section.h"

_Static_assert(PHX_SERVERS_MAX == PHC_SERVERS_MAX, "a list of servers has room for all");
_Static_assert(PHX_REGIONS_AXIS_MAX *PHX_REGIONS_AXIS_MAX == PHC_REGIONS_MAX, "regions of both axes");
_Static_assert(sizeof(phc_store_loss) == sizeof(uint32_t), "enumerations are read as 32 bit");

#define PLACE_OF_TEXT(name) offsetof(phx_cluster_section, name)
#define PLACE_OF_NUMBER(name) offsetof(phx_cluster_section, def.name)
#define PLACE_label PLACE_OF_TEXT
#define PLACE_path PLACE_OF_TEXT
#define PLACE_nats PLACE_OF_TEXT
#define PLACE_etcd PLACE_OF_TEXT
#define PLACE_u16 PLACE_OF_NUMBER
#define PLACE_u32 PLACE_OF_NUMBER
#define PLACE_u32_or_0 PLACE_OF_NUMBER
#define PLACE_u32x2 PLACE_OF_NUMBER
#define PLACE_f32 PLACE_OF_NUMBER
#define PLACE_flag PLACE_OF_NUMBER
#define PLACE_store_loss PLACE_OF_NUMBER
#define CLUSTER_KEY(type, name, a, b, min, max, meaning) \
    {#name, meaning, (double)(min), (double)(max), PHX_KEY_##type, PLACE_##type(name), false},

const phx_key phx_config_cluster_keys[PHX_CLUSTER_KEY_COUNT] = {PHX_CLUSTER_KEYS(CLUSTER_KEY)};

void phx_cluster_section_default(phx_cluster_section *section)
{
    *section = (phx_cluster_section){.def = {PHX_CLUSTER_KEYS(PHX_CLUSTER_DEFAULT)}};
}

void phx_cluster_section_point(phx_cluster_section *section)
{
    for (uint32_t i = 0; i < PHX_SERVERS_MAX; i++) {
        section->nats_at[i] = section->nats.text[i];
        section->etcd_at[i] = section->etcd.text[i];
    }
}

phc_def phx_cluster_section_def(const phx_cluster_section *section, const ph_world_def *world_def)
{
    phc_def def = section->def;

    def.name = section->name[0] != '\0' ? section->name : NULL;
    def.world_def = world_def;
    return def;
}
