/*
 * The section `store` of a config: the keys of a ph_store_def. Folder and name are in arrays, so that a config is
 * copied with them. Read and written as the other keys are; nothing here needs the library pharos_store.
 */
#ifndef PHX_CONFIG_STORE_SECTION_H
#define PHX_CONFIG_STORE_SECTION_H

#include <pharos/store.h>

#include "base/key_table.h"

#define PHX_STORE_SECTION "store"

typedef struct phx_store_section {
    ph_store_def def; /* its numbers alone */
    char folder[PHX_PATH_MAX + 1];
    char name[PH_STORE_NAME_MAX + 1];
} phx_store_section;

/* In the order of base/keys.h; offsets are in a phx_store_section. */
extern const phx_key phx_config_store_keys[PHX_STORE_KEY_COUNT];

/* No folder, the name "world", numbers as ph_store_def_default() has them. */
void phx_store_section_default(phx_store_section *section);

#endif
