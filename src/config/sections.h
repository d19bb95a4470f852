/*
 * The sections of a config that have no title: their values, and for each its name, its keys and the place of its
 * values. The loader, assignments, the dump and the reference page walk over this table.
 */
#ifndef PHX_CONFIG_SECTIONS_H
#define PHX_CONFIG_SECTIONS_H

#include "config/cluster_section.h"
#include "config/store_section.h"

enum { PHX_SECTION_STORE = 0, PHX_SECTION_CLUSTER = 1, PHX_SECTIONS = 2 };

/* Keys of the section that has the most. */
enum {
    PHX_SECTION_KEYS_MAX =
        (int)PHX_CLUSTER_KEY_COUNT > (int)PHX_STORE_KEY_COUNT ? (int)PHX_CLUSTER_KEY_COUNT : (int)PHX_STORE_KEY_COUNT
};

typedef struct phx_sections {
    phx_store_section store;
    phx_cluster_section cluster;
} phx_sections;

typedef struct phx_section {
    const char *name;
    const phx_key *keys;
    uint32_t key_count;
    uint32_t offset; /* of its values in a phx_sections */
} phx_section;

extern const phx_section phx_config_sections[PHX_SECTIONS];

/* The number of the section of this name; PHX_SECTIONS = none. */
uint32_t phx_config_section(const char *name, size_t bytes);

/* Its key of this name, or NULL. */
const phx_key *phx_config_section_key(uint32_t section, const char *name);

/* Every key at its default. */
phx_sections phx_sections_default(void);

#endif
