/*
 * The table of sections without a title; see sections.h.
 */
#include "config/sections.h"

const phx_section phx_config_sections[PHX_SECTIONS] = {
    [PHX_SECTION_STORE] = {PHX_STORE_SECTION, phx_config_store_keys, PHX_STORE_KEY_COUNT,
                           offsetof(phx_sections, store)},
    [PHX_SECTION_CLUSTER] = {PHX_CLUSTER_SECTION, phx_config_cluster_keys, PHX_CLUSTER_KEY_COUNT,
                             offsetof(phx_sections, cluster)}};

uint32_t phx_config_section(const char *name, size_t bytes)
{
    uint32_t section = 0;

    while (section < PHX_SECTIONS && (strlen(phx_config_sections[section].name) != bytes ||
                                      memcmp(phx_config_sections[section].name, name, bytes) != 0)) {
        section++;
    }
    return section;
}

const phx_key *phx_config_section_key(uint32_t section, const char *name)
{
    const phx_section *of = &phx_config_sections[section];

    for (uint32_t i = 0; i < of->key_count; i++) {
        if (strcmp(of->keys[i].name, name) == 0) {
            return &of->keys[i];
        }
    }
    return NULL;
}

phx_sections phx_sections_default(void)
{
    phx_sections sections;

    phx_store_section_default(&sections.store);
    phx_cluster_section_default(&sections.cluster);
    return sections;
}
